"""Games of others to learn from: read, checked against the rules, without duplicates, and split by game.

A game belongs to the tests by a hash of its moves. So no test position is from a game that was learned from,
and a game stays where it is when others are added. But games meet: `overlap` counts the positions that are in both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....envs import Game, GameBatch, make_game
from ....envs.outside.messages import cut
from ....envs.starting import position_of
from ...formats import read_games
from ...records.record import GameRecord
from ...records.replay import Replay, legal_moves
from ..alphazero.samples import new_samples, pack

__all__ = ["Collection", "chosen_plies", "read_collection", "samples_of"]

_ROWS = 256  # games that are replayed side by side
_TOLD = 5  # games that cannot be used, in a message

Fault = Callable[[str], object]

# Parameters that may differ: they say when a game is over and who has won; superko also forbids moves, which are rare.
_ENDS: Mapping[str, frozenset[str]] = {
    "go": frozenset({"komi", "superko"}),
    "chess": frozenset({"max_quiet_plies", "repetition"}),
    "checkers": frozenset({"max_quiet_plies", "men_reset", "repetition"}),
    "gomoku": frozenset({"exact"}),
}


class Collection(NamedTuple):
    """Games that can be learned from.

    Attributes:
        train: the games to learn from.
        test: those to test on.
        read: games that were read, all included.
        duplicates: games left out because another has the same moves.
        faults: what is wrong with each game that cannot be used, with its file and its number.
    """

    train: list[GameRecord]
    test: list[GameRecord]
    read: int
    duplicates: int
    faults: list[str]

    def as_data(self) -> dict[str, Any]:
        """Return the numbers, as JSON has them."""
        return {
            "read": self.read,
            "train": len(self.train),
            "test": len(self.test),
            "duplicates": self.duplicates,
            "unusable": len(self.faults),
            "first faults": self.faults[:_TOLD],
        }


def read_collection(game: Game, paths: Sequence[str], *, test_share: float, strict: bool = False) -> Collection:
    """Read the games of files, leave out what cannot be used, and split the others.

    Args:
        game: what they must be games of. Rules of when a game ends, and who has won then, may be others, such as the
            komi of Go; a game that goes on after its end by the rules of ``game`` cannot be used.
        paths: the files.
        test_share: the share of the games that are kept for tests, about.
        strict: raise an error at the first game that cannot be used.

    Raises:
        ValueError: a game is of another game or board; there is nothing to learn from, or to test on; or, if
            ``strict``, a game cannot be read, has no moves or an illegal one, or begins at another position; or, strict
            or not, a game of a CSV or Parquet file, or of a store, cannot be read.
        OSError: a file cannot be read.
    """
    faults: list[str] = []

    def note(fault: str) -> None:
        if strict:
            raise ValueError(fault)
        faults.append(fault)

    def note_unread(fault: str) -> None:
        nonlocal read
        read += 1
        note(fault)

    seen = set[bytes]()
    train: list[GameRecord] = []
    test: list[GameRecord] = []
    read = duplicates = 0
    for path in paths:
        games = _read(game, path, note_unread)
        while chunk := list(islice(games, _ROWS)):
            legal = _legal_plies(game, [record for _, record in chunk])
            for (number, record), plies in zip(chunk, legal, strict=True):
                moves = legal_moves(record)
                if plies < len(moves):
                    note(f"{path}, game {number}: move {plies + 1}, {_named(game, moves, plies)}, is illegal")
                    continue
                digest = hashlib.blake2b(np.array(moves, np.int32).tobytes(), digest_size=16).digest()
                if digest in seen:
                    duplicates += 1
                    continue
                seen.add(digest)
                is_test = int.from_bytes(digest[:8], "little") < test_share * 2.0**64
                (test if is_test else train).append(record)
            read += len(chunk)
    for what, part in (("learn from", train), ("test on", test)):
        if not part:
            told = f"; the first that cannot be used: {cut(faults[0], 200)}" if faults else ""
            # Another share splits only what can be used.
            share = f", or another test_share than {test_share:g}" if train or test else ""
            raise ValueError(
                f"no game is left to {what}, of {read:,} that were read ({len(faults):,} cannot be used, "
                f"{duplicates:,} are duplicates): give more games{share}{told}"
            )
    return Collection(train, test, read, duplicates, faults)


def _read(game: Game, path: str, note: Fault) -> Iterator[tuple[int, GameRecord]]:
    """Yield the games of a file with their numbers."""
    number = 0

    def fault(error: ValueError) -> None:
        nonlocal number
        number += 1
        note(str(error))

    @cache
    def is_of(spec: str) -> bool:
        return _is_of(game, spec)

    for record in read_games(path, fault=fault):
        number += 1
        if not is_of(record.game):
            raise ValueError(f"{path}, game {number}, is of {cut(record.game, 100)}, expected games of {game.spec}")
        if not legal_moves(record):
            note(f"{path}, game {number}: it has no moves")
            continue
        if record.start is not None and not _is_initial(game, record.start):  # the parts replay moves, not positions
            note(
                f"{path}, game {number}: it begins at {cut(record.start, 100)}, "
                f"expected the initial position of {game.spec}"
            )
            continue
        yield number, record


def _is_of(game: Game, spec: str) -> bool:
    """Return whether the moves of a game by this spec are moves of ``game``."""
    if spec in (game.spec, game.source):
        return True
    try:
        other = make_game(spec)
    except (ValueError, OSError):
        return False
    ends = _ENDS.get(game.name, frozenset())
    mine, theirs = ({key: one.parameters[key] for key in one.parameters if key not in ends} for one in (game, other))
    return other == game or (bool(ends) and game.name == other.name and mine == theirs)


def _is_initial(game: Game, start: str) -> bool:
    """Return whether a start is the initial position, written out."""
    try:
        return position_of(game, start) == game.initial[0]
    except ValueError:
        return False


def _legal_plies(game: Game, records: Sequence[GameRecord]) -> list[int]:
    """Return how many moves of each game are legal, before the first that is not."""
    reached = [0] * len(records)
    for rows, ply, _ in _replayed(game, [legal_moves(record) for record in records]):
        for row in rows.tolist():
            reached[row] = ply + 1
    return reached


def _replayed(game: Game, lines: Sequence[Sequence[int]]) -> Iterator[tuple[NDArray[np.intp], int, GameBatch]]:
    """Play lines side by side, ply by ply, and yield the rows whose next move is legal, its ply, and the games.

    The move is played when the iterator goes on; a row whose move is illegal goes no further.
    """
    batch = GameBatch(game, len(lines), seed=0)
    lengths = np.array([len(line) for line in lines])
    moves = np.full((len(lines), int(lengths.max())), -1, np.int64)
    for row, line in zip(moves, lines, strict=True):
        row[: len(line)] = line
    rows = np.arange(len(lines))
    for ply in range(moves.shape[1]):
        rows = rows[(lengths[rows] > ply) & ~batch.over[rows]]
        actions = moves[rows, ply]
        is_action = (actions >= 0) & (actions < game.num_actions)
        rows = rows[is_action & (batch.masks[rows, np.where(is_action, actions, 0)] != 0)]
        if not rows.size:
            return
        yield rows, ply, batch
        batch.play(rows, moves[rows, ply])


def samples_of(game: Game, records: Sequence[GameRecord]) -> Iterator[NDArray[Any]]:
    """Yield the positions of games in which a player chose the move, as samples, some games at a time.

    The policy of a sample is the move that was chosen. How the game ended is not in it: values are learned from games
    of the run's own. Moves that nobody chose, of openings or drawn at random, are left out.
    """
    for start in range(0, len(records), _ROWS):
        chunk = records[start : start + _ROWS]
        parts = []
        for chosen, ply, batch in chosen_plies(game, chunk):
            batch.show(chosen)
            samples = new_samples(game, chosen.size)
            pack(game, samples, batch.observations[chosen], batch.masks[chosen])
            for place, row in enumerate(chosen.tolist()):
                samples["policy"][place, chunk[row].moves[ply]] = 1
            samples["game"], samples["ply"] = chosen + start, ply
            parts.append(samples)
        if parts:
            yield np.concatenate(parts)


def chosen_plies(game: Game, records: Sequence[GameRecord]) -> Iterator[tuple[NDArray[np.intp], int, GameBatch]]:
    """Play games side by side, and yield the rows in which a player chose the next move, its ply, and the games."""
    for rows, ply, batch in _replayed(game, [legal_moves(record) for record in records]):
        chosen = rows[[records[row].movers[ply] >= 0 for row in rows]]
        if chosen.size:
            yield chosen, ply, batch


def _named(game: Game, moves: Sequence[int], ply: int) -> str:
    """Return the name of a move that is illegal after those before it."""
    action = moves[ply]
    is_action = 0 <= action < game.num_actions
    return game.move_name(Replay(game, moves=moves[:ply]).state, action) if is_action else str(action)
