"""Positions with the exact value of every move, by which players are graded, and the file that keeps them.

The file is a ``.npz`` of plain arrays: the text by which the game is found, and for each position the moves that lead
to it and what each action is worth. Reading it unpickles nothing, and checks every line against the rules.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State, as_game
from ...envs.outside.messages import shown
from ...envs.outside.spec import nearest, same_spec
from ...envs.outside.whole_files import write_whole

__all__ = ["SETS", "SolvedPositions", "committed_path", "committed_positions", "load_positions", "save_positions"]

SETS = ("standard", "hard_openings", "endgames")  # the sets that come with the package, the default first

_FOLDER = Path(__file__).parent / "data"
_VERSION = 1
_FIELDS = ("version", "game", "moves", "values", "distances")


@dataclass(frozen=True, eq=False)
class SolvedPositions:
    """Unfinished positions of a game, solved. Values are from the point of view of the player to move.

    Attributes:
        game: the game.
        lines: the moves from the start to each position.
        values: [positions, num_actions] the game-theoretic value of each action, in the units of the game's utility;
            NaN for illegal actions.
        distances: [positions, num_actions] the number of plies to the end of the game, the action included, if the
            winner hastens and the loser delays it; -1 for a draw without end, and for illegal actions.
    """

    game: Game
    lines: tuple[tuple[int, ...], ...]
    values: NDArray[np.float64]
    distances: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lines)

    @cached_property
    def plies(self) -> NDArray[np.int64]:
        """[positions] the number of moves that lead to the position."""
        return np.array([len(line) for line in self.lines], np.int64)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """[positions, num_actions] whether the action is legal."""
        return ~np.isnan(self.values)

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """[positions] the value of the position."""
        return np.nanmax(self.values, axis=1)

    @cached_property
    def keeping(self) -> NDArray[np.bool_]:
        """[positions, num_actions] whether the action keeps the value of the position."""
        return self.values == self.value[:, None]

    @cached_property
    def optimal(self) -> NDArray[np.bool_]:
        """[positions, num_actions] whether the action keeps the value and wins soonest, or loses or draws latest."""
        ends = np.where(self.distances < 0, np.inf, self.distances)
        ranks = np.where(self.keeping, np.where(self.value > 0, -1, 1)[:, None] * ends, -np.inf)
        # A row has a move that keeps the value, and a win has an end: so the best rank is not that of the others.
        return ranks == ranks.max(axis=1)[:, None]

    @cached_property
    def distance(self) -> NDArray[np.int64]:
        """[positions] the number of plies to the end of the game with best play; -1 for a draw without end."""
        return self.distances[np.arange(len(self)), self.optimal.argmax(axis=1)]

    @cached_property
    def at_stake(self) -> NDArray[np.bool_]:
        """[positions] whether some legal action loses value."""
        return (self.legal & ~self.keeping).sum(axis=1) > 0

    def state(self, index: int) -> State:
        """Return the state record of a position."""
        return self.game.play_moves(self.lines[index])

    def select(self, chosen: NDArray[np.intp]) -> SolvedPositions:
        """Return these positions alone."""
        lines = tuple(self.lines[i] for i in chosen)
        return replace(self, lines=lines, values=self.values[chosen], distances=self.distances[chosen])

    def stratified(self, count: int | None = None) -> SolvedPositions:
        """Return the first ``count`` positions of each ply (default: all): the first of each ply, then the second ….

        So any first part of them has as many positions of each ply.
        """
        ranks: dict[int, int] = {}
        order = []
        for i, ply in enumerate(self.plies.tolist()):
            ranks[ply] = ranks.get(ply, 0) + 1
            if count is None or ranks[ply] <= count:
                order.append((ranks[ply], ply, i))
        return self.select(np.array([i for _, _, i in sorted(order)], np.intp))


def committed_positions(game: Game | str, name: str = "standard") -> SolvedPositions | None:
    """Return a set of positions that comes with the package; None for all games but ``connect_four``.

    Args:
        game: the game, or its name.
        name: one of `SETS`: ``"standard"``, won, drawn and lost positions of every third ply from 10 to 34;
            ``"hard_openings"`` of plies 6 to 14 and ``"endgames"`` of plies 29 to 37, in which no side wins at once and
            some move loses value.

    Raises:
        ValueError: there is no such set.
    """
    game = as_game(game)
    path = committed_path(game, name)
    if not path.is_file():
        return None
    positions = _loaded(path)
    return positions if positions.game == game else None  # another game may go by the same name


def committed_path(game: Game, name: str = "standard") -> Path:
    """Return the file of a set that comes with the package. Most games have none.

    Raises:
        ValueError: there is no such set.
    """
    if name not in SETS:
        raise ValueError(f"unknown set of positions {shown(name)}: {nearest(name, SETS)}")
    return _FOLDER / f"{game.spec}{'' if name == SETS[0] else f'_{name}'}.npz"


@cache
def _loaded(path: Path) -> SolvedPositions:
    return load_positions(path)


def save_positions(path: str | Path, positions: SolvedPositions) -> None:
    """Write positions to a ``.npz`` file. If anything ends it early, the old file is still there.

    Of the game it keeps the text by which it is found (`Game.source`). One that is found by none, as it was made by
    `Game` alone, must be given when the positions are read.
    """
    path = Path(path)
    moves = np.full((len(positions), max(map(len, positions.lines), default=0)), -1, np.int16)
    for row, line in zip(moves, positions.lines, strict=True):
        row[: len(line)] = line
    content = io.BytesIO()
    np.savez_compressed(
        content,
        version=np.array(_VERSION),
        game=np.array(positions.game.source),
        moves=moves,
        values=positions.values.astype(np.float32),
        distances=positions.distances.astype(np.int16),
    )
    write_whole(path, content.getbuffer())


def load_positions(path: str | Path, game: Game | str | None = None) -> SolvedPositions:
    """Read positions that `save_positions` wrote.

    Args:
        path: the file.
        game: the game that they are of, or its name. Default: the one that the file names.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is something else, or damaged, or of another game; the message says what is wrong.
    """
    game = None if game is None else as_game(game)
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as data:
            if missing := set(_FIELDS) - set(data.files):
                raise ValueError(f"it has no {', '.join(sorted(missing))}")
            version, spec, moves, values, distances = (data[name] for name in _FIELDS)
        return _checked(int(version), _game_of(str(spec), game), moves, values, distances)
    except (ValueError, TypeError, EOFError, OSError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{str(path)!r} is no file of solved positions, or is damaged: {error}") from None


def _game_of(spec: str, game: Game | None) -> Game:
    """Return ``game`` if ``spec`` may stand for it, or without one the game that is found by ``spec``.

    Raises:
        ValueError: there is none, or it is another game.
    """
    if game is None:
        try:
            return as_game(spec)
        except FileNotFoundError as error:  # which is not that of the positions
            raise ValueError(f"its game is not found: {error}") from None
    if not any(same_spec(spec, own) for own in (game.spec, game.source)) and not _leads_to(game, spec):
        raise ValueError(f"its positions are of {shown(spec)}, expected {game.source}")
    return game


def _leads_to(game: Game, spec: str) -> bool:
    """Return whether the game that is found by ``spec`` is this one, as by another path to the same file."""
    try:
        return as_game(spec) == game
    except (ValueError, OSError):
        return False


def _checked(
    version: int, game: Game, moves: NDArray[np.int16], values: NDArray[np.float32], distances: NDArray[np.int16]
) -> SolvedPositions:
    """Return the positions, or raise ValueError where the arrays do not fit the rules or each other."""
    if version != _VERSION:
        raise ValueError(f"it has version {version}, expected {_VERSION}")
    shape = (len(moves), game.num_actions)
    if moves.ndim != 2 or values.shape != shape or distances.shape != shape or not len(moves):
        raise ValueError(f"its arrays have shapes {moves.shape}, {values.shape}, {distances.shape}, expected {shape}")
    lines = tuple(tuple(row[row >= 0].tolist()) for row in moves)
    for index, line in enumerate(lines):
        state = game.play_moves(line)
        legal = [] if game.is_terminal(state) else game.actions(state)
        if not legal or np.flatnonzero(~np.isnan(values[index])).tolist() != legal:
            raise ValueError(f"position {index} does not have a value for each of its legal moves, {legal}")
    if np.nanmax(np.abs(values)) > game.max_utility:
        raise ValueError(f"it has values beyond {game.max_utility:g}")
    return SolvedPositions(game, lines, values.astype(np.float64), distances.astype(np.int64))
