"""Tune the evaluation of chess on games of the search against itself: ``python -m benchmarks.strength.tune_chess``.

    python -m benchmarks.strength.tune_chess start
    python -m benchmarks.strength.tune_chess play build/chess.npz --games 4000
    python -m benchmarks.strength.tune_chess fit build/chess.npz --write

The first writes values of round numbers. The second plays games from random openings by the values as they are, and
adds their positions to the file; Ctrl-C ends it between two games. A game ends early when one side is far ahead for
some plies.

The third finds values by logistic regression, from positions in which nobody is in check, and in which the search
neither captures nor promotes: others the evaluation is seldom asked about. What is foretold for a position is a mean of
the game's result and of what the search said of the later positions, the nearer the more (R. S. Sutton, "Learning to
predict by the methods of temporal differences", Machine Learning 3, 1988), since a result says little of one position.
Values are drawn to what they were before, and neighbours change alike: the fewer positions tell of them, the more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import ArrayLike, NDArray

from plyground.agents import AlphaBeta, make
from plyground.envs import chess
from plyground.envs.games.chess.attacks import diagonal_attacks, straight_attacks
from plyground.envs.games.chess.squares import KING_STEPS, KNIGHT_STEPS, flipped
from plyground.envs.games.features.chess import Movement, make_terms, phase_of, sum_of
from plyground.envs.games.features.chess_draws import share_of
from plyground.envs.games.features.chess_terms import COUNT, PHASES, PLACES, SIZES, values_of
from plyground.envs.games.features.chess_values import VALUES
from plyground.envs.jit import kernel

from .tuning_games import collect

VALUES_FILE = Path(__file__).parents[2] / "envs" / "games" / "features" / "chess_values.py"
PLAYER = "alphabeta(nodes=600)"
NEARNESS = 0.97  # the weight of what is said of a position to that of the one before
LONGEST_LINE = 109  # of numbers, which the formatter leaves in one line


class Prior(NamedTuple):
    """What is assumed about the values before any position is seen, in pawns."""

    spread: float  # how far a value may go from what it was
    roughness: float  # how much farther than its neighbour
    correlated: float  # positions of a game that tell as much as one alone


app = typer.Typer(add_completion=False, help=(__doc__ or "").partition("\n")[0])
terms = make_terms(Movement(diagonal_attacks, straight_attacks, KNIGHT_STEPS, KING_STEPS), flipped)


@kernel
def count_terms(states, counts, phases, shares):
    """Count the terms of each state, for the player to move and for the other; see `share_of` for the last."""
    for i in range(states.size):
        one, two = terms(states[i], counts[i])
        phases[i] = phase_of(states[i])
        shares[i] = share_of(states[i], sum_of(one) >= sum_of(two))


def sigmoid(x: NDArray[Any]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-np.clip(x, -40, 40)))


def targets_of(positions: NDArray[Any], scale: float) -> NDArray[np.float64]:
    """Return the score, for white, that each position is to foretell: see the head of this module."""
    said, targets = sigmoid(positions["value"] / scale), np.zeros(positions.size)
    for i in range(positions.size - 1, -1, -1):
        if i + 1 == positions.size or positions["game"][i] != positions["game"][i + 1]:
            targets[i] = positions["result"][i]
        else:
            targets[i] = NEARNESS * targets[i + 1] + (1 - NEARNESS) * said[i + 1]
    return targets


def scale_of(positions: NDArray[Any]) -> float:
    """Return the pawns by which the search's values are divided to foretell the results best."""
    from scipy.optimize import minimize_scalar

    def loss(scale: float) -> float:
        return cross_entropy(positions["value"] / scale, positions["result"])

    found: Any = minimize_scalar(loss, method="bounded", bounds=(0.5, 10.0))
    return float(found.x)


def cross_entropy(logits: NDArray[Any], targets: NDArray[Any]) -> float:
    return float(np.mean(np.logaddexp(0, logits) - targets * logits))


def matrix_of(positions: NDArray[Any]) -> Any:
    """Return how often each term counts, own minus other, with all pieces and with none: CSR [positions, 2 terms]."""
    from scipy import sparse

    blocks = []
    for start in range(0, positions.size, 5000):
        states = np.ascontiguousarray(positions["state"][start : start + 5000])
        counts, phases = np.zeros((states.size, 2, COUNT), np.int64), np.zeros(states.size, np.int64)
        shares = np.zeros(states.size)
        count_terms(states, counts, phases, shares)
        lead = (counts[:, 0] - counts[:, 1]).astype(np.float32)
        lead[:, PLACES["tempo"]] = 1
        lead *= shares[:, np.newaxis].astype(np.float32)
        share = (phases / PHASES).astype(np.float32)[:, np.newaxis]
        blocks.append(sparse.csr_matrix(np.hstack([share * lead, (1 - share) * lead])))
    return sparse.vstack(blocks).tocsr()


def neighbours() -> NDArray[np.int64]:
    """Return the places of terms that are alike: [pairs, 2]."""
    pairs = []
    for name, size in SIZES.items():
        start = PLACES[name]
        if name.endswith("_squares"):
            inner = [(i, i + 1) for i in range(size) if i % 4 != 3] + [(i, i + 4) for i in range(size - 4)]
        elif size > 3 and name not in ("material", "threat", "hanging"):
            inner = [(i, i + 1) for i in range(size - 1)]
        else:
            inner = []
        pairs += [(start + i, start + j) for i, j in inner]
    return np.array(pairs)


def regression(
    matrix: Any, targets: NDArray[Any], before: NDArray[Any], scale: float, prior: Prior
) -> NDArray[np.float64]:
    """Return values in pawns [2 terms] of the players to move."""
    from scipy.optimize import minimize

    pairs = neighbours()
    first, second = (np.concatenate([pairs[:, n], COUNT + pairs[:, n]]) for n in (0, 1))
    transposed = matrix.T.tocsr()

    def loss(values: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
        logits = matrix @ values / scale
        error = (sigmoid(logits) - targets) / prior.correlated
        change = values - before
        away, steps = change / prior.spread, (change[first] - change[second]) / prior.roughness
        gradient = transposed @ error / scale + away / prior.spread
        np.add.at(gradient, first, steps / prior.roughness)
        np.add.at(gradient, second, -steps / prior.roughness)
        total = targets.size * cross_entropy(logits, targets) / prior.correlated
        return total + (away @ away + steps @ steps) / 2, gradient

    return minimize(loss, before, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x


def centred(values: NDArray[Any], used: NDArray[Any]) -> NDArray[np.float64]:
    """Return values [2, terms] that say the same, where those of squares and of mobility are 0 in the mean.

    Args:
        values: [2, terms] values.
        used: [terms] how often each term is there.
    """
    values = values.copy()
    for number, kind in enumerate(("pawn", "knight", "bishop", "rook", "queen")):
        for group in (f"{kind}_squares", f"{kind}_mobility"):
            if group in SIZES:
                places = slice(PLACES[group], PLACES[group] + SIZES[group])
                mean = values[:, places] @ used[places] / used[places].sum()
                values[:, places] -= mean[:, np.newaxis]
                values[:, PLACES["material"] + number] += mean
    for group in ("king_squares", "king_attack"):  # each side has one
        places = slice(PLACES[group], PLACES[group] + SIZES[group])
        nothing = (
            values[:, places] @ used[places] / used[places].sum()
            if group == "king_squares"
            else values[:, places.start]
        )
        values[:, places] -= nothing[:, np.newaxis]
    return values


def text_of(values: NDArray[Any], about: str) -> str:
    """Return the module of the values.

    Args:
        values: [2, terms] in pawns.
        about: what they come from.
    """
    lines = [
        '"""What the terms of the evaluation of chess are worth, in thousandths of a pawn: `chess_terms` has them.',
        "",
    ]
    lines += [*about.splitlines(), '"""', "", "from __future__ import annotations", "", '__all__ = ["VALUES"]', ""]
    lines += [
        "# With all pieces, and with none but kings and pawns. Squares: from the last rank down, from the edge in."
    ]
    lines += ["VALUES: dict[str, tuple[str, str]] = {"]
    for name, size in SIZES.items():
        lines.append(f'    "{name}": (')
        for row in np.rint(1000 * values[:, PLACES[name] : PLACES[name] + size]).astype(int):
            if name.endswith("_squares"):
                ranks = [" ".join(f"{value:5d}" for value in rank) for rank in row.reshape(8, 4)[::-1]]
                lines += ['        """', *(f"        {rank}" for rank in ranks), '        """,']
            else:
                numbers = list(map(str, row))
                most = size if len(" ".join(numbers)) <= LONGEST_LINE else 14
                pieces = [" ".join(numbers[i : i + most]) for i in range(0, size, most)]
                lines += [f'        "{piece} "' for piece in pieces[:-1]] + [f'        "{pieces[-1]}",']
        lines.append("    ),")
    return "\n".join([*lines, "}", ""])


def first_values() -> NDArray[np.float64]:
    """Return values to begin with, [2, terms] in pawns.

    Pieces are Shannon's; the rest are round numbers for what every book says: pieces in the middle, the king in the
    corner until the end game, pawns ahead, rooks on open files.
    """
    values = np.zeros((2, COUNT))

    def put(name: str, middle: ArrayLike, end: ArrayLike) -> None:
        for row, worth in zip(values, (middle, end), strict=True):
            row[PLACES[name] : PLACES[name] + SIZES[name]] = worth

    rank, file = np.divmod(np.arange(32), 4)
    off_centre = np.maximum(3 - file, np.maximum(3 - rank, rank - 4))  # 0 to 3
    central = 1.5 - off_centre
    step = np.arange(8)  # ranks
    put("material", (1, 3, 3, 5, 9), (1, 3, 3, 5, 9))
    put("pawn_squares", 0.03 * (rank - 2) + 0.08 * (file >= 2) * (rank >= 3), 0.08 * (rank - 2))
    put("knight_squares", 0.15 * central, 0.12 * central)
    put("bishop_squares", 0.06 * central, 0.05 * central)
    put("rook_squares", 0.2 * (rank == 6), 0.1 * (rank == 6))
    put("queen_squares", 0.02 * central, 0.08 * central)
    put("king_squares", -0.3 * np.minimum(rank, 3) - 0.15 * file, 0.2 * central)
    for kind, usual, middle, end in (("knight", 4, 0.05, 0.05), ("bishop", 6, 0.05, 0.05), ("rook", 7, 0.03, 0.06)):
        squares = np.arange(SIZES[f"{kind}_mobility"]) - usual
        put(f"{kind}_mobility", middle * squares, end * squares)
    put("queen_mobility", 0.02 * (np.arange(28) - 13), 0.04 * (np.arange(28) - 13))
    put("doubled_pawn", -0.1, -0.25)
    put("isolated_pawn", -0.12, -0.15)
    put("backward_pawn", -0.1, -0.1)
    put("supported_pawn", 0.03 * step, 0.03 * step)
    put("abreast_pawn", 0.03 * step, 0.03 * step)
    put("passed_pawn", 0.03 * step**2, 0.05 * step**2)
    put("blocked_pawn", -0.01 * step**2, -0.02 * step**2)
    put("king_from_passed", 0, -0.01 * step)
    put("foe_from_passed", 0, 0.025 * step)
    put("bishop_pair", 0.3, 0.5)
    put("open_file", 0.25, 0.1)
    put("half_open_file", 0.12, 0.1)
    put("shield", (0.15, 0.08), 0)
    put("storm", (-0.05, -0.15, -0.08), 0)
    put("bare_file", -0.15, 0)
    strength = np.arange(SIZES["king_attack"])
    put("king_attack", 0.01 * strength**2, 0.002 * strength**2)
    threats = (0.5, 0.6, 0.6, 0.4, 0.5, 0.5, 0, 0, 0)  # of the player to move, and of the other
    put("threat", 2 * threats, 2 * (*[0.4] * 6, 0, 0, 0))
    put("tempo", 0.15, 0.1)
    return values


@app.command()
def start() -> None:
    """Write values to begin with."""
    VALUES_FILE.write_text(text_of(first_values(), "They are those to begin with, and were not tuned."))


@app.command()
def play(
    file: Annotated[Path, typer.Argument(dir_okay=False, help="Where positions are kept.")],
    games: Annotated[int, typer.Option(min=1, help="How many games the file shall have.")] = 4000,
    player: Annotated[str, typer.Option(help="Who plays against itself.")] = PLAYER,
    seed: Annotated[int, typer.Option(min=0, help="Of the openings.")] = 0,
    seconds: Annotated[float, typer.Option(min=1, help="When to stop.")] = 1e9,
) -> None:
    """Play games, and keep their positions."""
    if file.suffix != ".npz":  # which numpy would add
        raise typer.BadParameter(f"a name that ends in .npz was expected, got {str(file)!r}", param_hint="FILE")
    game = chess()
    search = make(player, game)
    assert isinstance(search, AlphaBeta)
    search.prepare()
    positions = collect(game, search, file, games, seed, seconds)
    results = positions["result"][np.unique(positions["game"], return_index=True)[1]]
    print(
        f"{results.size} games, {positions.size} positions, {positions['is_quiet'].sum()} of them quiet; white wins "
        f"{(results == 1).mean():.1%}, draws {(results == 0.5).mean():.1%}"
    )


@app.command()
def fit(
    files: Annotated[list[Path], typer.Argument(dir_okay=False, exists=True, help="Files of positions.")],
    write: Annotated[bool, typer.Option("--write", help="Write the values into the evaluation.")] = False,
    about: Annotated[str, typer.Option(help="What the module is to say of where its values come from.")] = "",
    spread: Annotated[float, typer.Option(min=0.001, help="Pawns by which a value may change.")] = 1.0,
    roughness: Annotated[
        float, typer.Option(min=0.001, help="Pawns by which it may change more than its neighbour.")
    ] = 0.4,
    correlated: Annotated[float, typer.Option(min=1, help="Positions of a game that tell as much as one.")] = 8.0,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the games, each of which the others foretell.")] = 4,
) -> None:
    """Find values by logistic regression."""
    prior = Prior(spread, roughness, correlated)
    parts, first = [], 0
    for file in files:
        part = np.load(file)["positions"]
        part["game"] += first
        first = int(part["game"].max()) + 1
        parts.append(part)
    positions = np.concatenate(parts)
    scale = scale_of(positions)
    print(f"{positions.size} positions; the search's values foretell results best by {scale:.2f} pawns")
    targets = targets_of(positions, scale)
    targets = np.where(positions["state"]["turn"] == 0, targets, 1 - targets)
    positions, targets = positions[positions["is_quiet"]], targets[positions["is_quiet"]]
    matrix, before = matrix_of(positions), values_of(VALUES).ravel() / 1000
    results = np.where(positions["state"]["turn"] == 0, positions["result"], 1 - positions["result"])
    # Each game is foretold by values from the others; a scale of their own is fair to both sets of values.
    fold_of = np.random.default_rng(0).integers(0, folds, first)[positions["game"]]
    logits = np.zeros(results.size)
    for fold in range(folds):
        others = fold_of != fold
        logits[~others] = matrix[~others] @ regression(matrix[others], targets[others], before, scale, prior)
    for title, found in (("before", matrix @ before), ("after", logits)):
        loss = min(cross_entropy(found / by, results) for by in np.arange(1.0, 6.0, 0.1))
        print(f"{title}: {loss:.4f} nats a position, by the results of games that were not fitted")
    values = regression(matrix, targets, before, scale, prior)
    used = np.asarray(abs(matrix).sum(axis=0)).ravel().reshape(2, COUNT).sum(axis=0)
    found = centred(values.reshape(2, COUNT), used)
    found /= found[:, PLACES["material"]].mean()
    print("material:", np.round(found[:, :5], 2).tolist())
    if write:
        VALUES_FILE.write_text(text_of(found, about))


if __name__ == "__main__":
    app()
