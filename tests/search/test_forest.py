"""The forest finds what a tree in plain Python finds that was written from the papers, formula by formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents import PUCT
from plyground.agents.puct.forest import Forest, Searched
from plyground.agents.puct.forest.priors import draw_gamma
from plyground.envs import Game, make_game
from plyground.envs.jit import kernel
from tests.helpers.forest_games import answers, harvest, positions
from tests.helpers.forest_oracle import Options, OracleTree, considered_visits

GAMES = [
    "connect_four(rows=4, columns=5)",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("harvest", "tictactoe", "othello(size=4)")),
]
OPTIONS = [
    Options(),
    Options(considered=3, c_visit=5.0, c_scale=0.3),
    Options(considered=1, proofs=False),
    Options("puct"),
    Options("puct", c=0.6, c_base=20.0, fpu=-0.3, forced=0.0, noise=0.0),
    Options("puct", forced=4.0, noise=0.6, proofs=False),
    Options("puct", noise_alpha=None),
    Options(decisive=True),
    Options("puct", decisive=True),
]
IDS = [
    *("gumbel", "few candidates", "one candidate", "puct", "no noise", "much noise", "noise by moves"),
    *("decisive", "puct, decisive"),
]


def made(name: str) -> Game:
    return harvest() if name == "harvest" else make_game(name)


def forest(game: Game, options: Options, rows: int = 12, **more: Any) -> Forest:
    given = options._asdict()
    for name in ("c", "c_base", "fpu", "forced") if options.root == "gumbel" else ("considered", "c_visit"):
        del given[name]
    return Forest(game, rows, **{"simulations": 60, "seed": 3, **given, **more})


def asked(game: Game) -> Any:
    """The evaluator for the oracle."""

    def ask(state: Any, allowed: list[int]) -> tuple[Any, float]:
        masks = np.zeros((1, game.num_actions), np.bool_)
        masks[0, allowed] = True
        logits, values = answers(game.observation(state, int(game.player(state)))[None], masks)
        return logits[0], float(values[0])

    return ask


@kernel
def draw(rng, alpha, into):
    """Fill an array with draws of a gamma distribution."""
    for i in range(into.size):
        into[i] = draw_gamma(rng, alpha)


def noise_of(trees: Forest, row: int, rng: NDArray[np.uint64], moves: int) -> list[float]:
    """The noise of a row: a Gumbel root keeps it; a PUCT root's is drawn again from where the random numbers were.

    Without an α it is 10 over the number of moves.
    """
    if trees.root == "gumbel":
        return trees.trees.noise[row].tolist()
    noise = np.zeros(trees.game.num_actions)
    if trees.noise > 0:
        draw(rng, 10 / moves if trees.noise_alpha is None else trees.noise_alpha, noise)
    return noise.tolist()


def compare(found: Searched, row: int, expected: dict[str, Any]) -> None:
    assert found.visits[row].tolist() == expected["visits"].tolist()
    assert found.actions[row] == expected["action"]
    assert found.proved[row] == expected["proved"]
    assert found.policies[row] == pytest.approx(expected["policy"], abs=1e-5)
    assert found.values[row] == pytest.approx(expected["value"], abs=1e-5)
    assert found.surprise[row] == pytest.approx(expected["surprise"], abs=1e-4)


@pytest.mark.parametrize("options", OPTIONS, ids=IDS)
@pytest.mark.parametrize("name", GAMES)
def test_finds_what_plain_python_finds(name: str, options: Options) -> None:
    game = made(name)
    states, budgets = positions(game, 12), np.array([0, 1, 2, 3, 5, 8, 13, 20, 32, 47, 59, 60])
    trees = forest(game, options)
    oracles = [OracleTree(game, asked(game), options) for _ in states]
    ended = np.zeros(12, np.bool_)
    rng = np.random.default_rng(1)
    for _ in range(4):  # each with what is kept of the search before
        rows = np.flatnonzero(~ended)
        rngs = trees.rngs.copy()
        found = trees.search(states[rows], answers, simulations=budgets[rows], rows=rows)
        for place, row in enumerate(rows.tolist()):
            state: Any = states[row]
            noise = noise_of(trees, row, rngs[row], len(game.actions(state)))
            compare(found, place, oracles[row].search(state, budgets[row], noise))
        # Mostly the move that was found, sometimes any.
        moves = [
            int(a) if rng.random() < 0.7 else int(rng.choice(np.flatnonzero(p)))
            for a, p in zip(found.actions, found.policies, strict=True)
        ]
        trees.keep(moves, rows)
        for row, move in zip(rows, moves, strict=True):
            oracles[row].keep(move)
            game.play(states[row], move)
            ended[row] = game.is_terminal(states[row])
        budgets = np.roll(budgets, 5)
        if ended.all():
            break
    assert trees.evaluations == sum(oracle.evaluations for oracle in oracles)


@pytest.mark.parametrize("options", [OPTIONS[i] for i in (0, 3, 6, 7)], ids=[IDS[i] for i in (0, 3, 6, 7)])
def test_masks_at_the_root(options: Options) -> None:
    game = made("connect_four(rows=4, columns=5)")
    states, masks = positions(game, 12), np.random.default_rng(2).random((12, 5)) < 0.6
    for state, mask in zip(states, masks, strict=True):
        if not mask[game.actions(state)].any():
            mask[game.actions(state)[0]] = True
    trees = forest(game, options)
    rngs = trees.rngs.copy()
    found = trees.search(states, answers, masks=masks, simulations=30)
    for row, state in enumerate(states):
        noise = noise_of(trees, row, rngs[row], int(masks[row][game.actions(state)].sum()))
        expected = OracleTree(game, asked(game), options).search(state, 30, noise, masks[row])
        compare(found, row, expected)
        assert not found.visits[row][~masks[row]].any()


def test_noise_without_an_alpha_is_that_of_ten_over_the_moves() -> None:
    game = made("connect_four(rows=4, columns=5)")
    states, masks = np.repeat(game.initial, 5), np.tri(5, dtype=np.bool_)  # one move of five actions, two, three, …

    def found(alpha: float | None) -> Searched:
        trees = forest(game, Options("puct", c=10.0, noise=1.0, noise_alpha=alpha), rows=5)
        return trees.search(states, answers, masks=masks)

    by_moves = found(None)
    for moves in range(1, 6):
        for one, other in zip(by_moves, found(10 / moves), strict=True):
            np.testing.assert_array_equal(one[moves - 1], other[moves - 1])
    assert (found(10 / game.num_actions).visits[1:4] != by_moves.visits[1:4]).any(1).all()


def test_moves_that_win_at_once_are_looked_for_where_cells_are_not_counted() -> None:
    def looks(name: str, **given: Any) -> bool:
        trees = Forest(make_game(name), 1, seed=0, **given)
        assert trees._gumbel.decisive == trees._puct.decisive
        return trees._gumbel.decisive

    assert looks("tictactoe", decisive=None)
    assert looks("go(board_size=5)", decisive=True)
    assert not looks("go(board_size=5)", decisive=None)
    assert not looks("tictactoe")
    assert not looks("tictactoe", decisive=None, proofs=False)
    wrong: Any = "no"
    for player in (Forest, PUCT):
        with pytest.raises(ValueError, match="decisive moves prove positions"):
            player(make_game("tictactoe"), 1, decisive=True, proofs=False)
        with pytest.raises(ValueError, match="decisive must be"):
            player(make_game("tictactoe"), 1, decisive=wrong, proofs=True)


@pytest.mark.slow
def test_a_tree_has_room_for_the_moves_of_a_large_board() -> None:
    game = make_game("gomoku(size=13)")
    trees = Forest(game, 1, simulations=32, seed=0)
    for _ in range(2):  # a search, and one that goes on in its tree
        trees.search(game.initial, answers)
        assert not trees.trees.rows["full"].any()


@pytest.mark.parametrize("considered", [1, 2, 3, 5, 7])
def test_simulations_are_divided_as_by_mctx(considered: int) -> None:
    game = make_game("connect_four")
    budgets = np.arange(61)
    trees = forest(game, Options(considered=considered, proofs=False), rows=61)
    found = trees.search(np.repeat(game.initial, 61), answers, simulations=budgets)
    for budget, visits in zip(budgets.tolist(), found.visits, strict=True):
        levels = considered_visits(considered, budget)
        expected = [sum(n > k for n in visits) for k in range(budget)]
        assert [levels.count(k) for k in range(budget)] == expected


def test_gamma_variables_have_their_mean_and_variance() -> None:
    rng = np.array([7], np.uint64)
    for alpha in (0.03, 0.3, 1.0, 2.5):
        draws = np.empty(20_000)
        draw(rng, alpha, draws)
        # Both are alpha; of 20,000 draws the mean errs by sqrt(alpha / 20,000), the variance a little more.
        assert draws.mean() == pytest.approx(alpha, abs=5 * np.sqrt(alpha / 20_000))
        assert draws.var() == pytest.approx(alpha, rel=0.15)
        assert (draws >= 0).all()
