"""A game as a row of the table ``games``, and back: moves and times as compact bytes, with a checksum.

Moves take one byte each where all are below 256, else two, four or eight. Times are floats of four bytes, so seven
digits are kept. Who moved is kept only where the players did not simply take turns. What searches thought stands in a
table of its own.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from ..records.event import Event, known_event
from ..records.judgements import packed, unpacked
from ..records.record import GameRecord
from ..wording import counted

__all__ = ["COLUMNS", "INSERT", "INSERT_ANALYSES", "analyses_of", "record_of", "row_of"]

COLUMNS = [
    *("rules", "first", "second", "outcome_first", "outcome_second", "ending", "plies", "opening", "seed", "run"),
    *("reason", "more", "start", "moves", "seconds", "movers", "checksum"),
]
INSERT = f"INSERT OR IGNORE INTO games (key, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"

# Of a game with this key, of which no other process has saved other moves; their analyses would be of others.
INSERT_ANALYSES = "INSERT OR IGNORE INTO analyses (game, data) SELECT id, ? FROM games WHERE key = ? AND moves = ?"

_WIDTHS = {1: "B", 2: "H", 4: "I", 8: "q"}  # bytes of a move
_MOST = 3e38  # seconds, in four bytes
_SEEDS = range(-(2**63), 2**63)


def row_of(
    record: GameRecord, key: bytes, rules: int, first: int, second: int, ending: int, run: int | None
) -> tuple[Any, ...]:
    """Return the values for `INSERT`: the key and those of `COLUMNS`.

    Args:
        record: the game.
        key: its key.
        rules: the number of the rules, as are the next three.
        first: who moves first.
        second: the other player.
        ending: how it ended.
        run: the run that has played it, if one did.

    Raises:
        ValueError: the outcome is not two finite numbers.
    """
    record.check_outcome()  # SQLite would pass over a game with NaN without a word
    more: dict[str, Any] = {}  # what the other columns cannot hold
    seed = record.seed
    if seed is not None and seed not in _SEEDS:
        more["seed"], seed = seed, None
    opening = record.opening
    if record.event is not None and (known := record.event.as_data()):
        more["event"] = known
    begun = opening if not any(record.seconds[:opening]) else 0
    times = record.seconds[begun:]
    if times and max(map(abs, times)) > _MOST:
        more["seconds"], times = record.seconds, []
    values = (
        *(rules, first, second, record.outcome[0] + 0.0, record.outcome[1] + 0.0),  # and no -0.0
        *(ending, len(record.moves), opening, seed, run, record.reason),
        json.dumps(more) if more else None,
        record.start,
        _packed_moves(record.moves),
        _bytes(array("f", times)),
        None if record.movers == _turns(len(record.moves), opening) else bytes(seat & 0xFF for seat in record.movers),
    )
    return key, *values, _checksum(key, values)


def analyses_of(record: GameRecord, key: bytes) -> tuple[bytes, bytes, bytes] | None:
    """Return the values for `INSERT_ANALYSES`; None if no analyses are kept of the game."""
    return None if record.analyses is None else (packed(record.analyses), key, _packed_moves(record.moves))


def record_of(
    row: Sequence[Any],
    key: bytes,
    source: str,
    first: str,
    second: str,
    endings: Callable[[int], str],
    analyses: bytes | None,
    event: Event | None = None,
) -> GameRecord:
    """Return the game of a row, whose values are those of `COLUMNS`.

    Args:
        row: the row.
        key: the key of the game.
        source: the spec of what is played.
        first: the name of the player who moves first.
        second: the name of the other.
        endings: tells an ending by its number.
        analyses: what searches thought, as the file has it.
        event: what is known of the event beside the row, which may know more.

    Raises:
        ValueError: the row, or what is kept beside it, is damaged.
    """
    *values, checksum = row
    if _checksum(key, values) != checksum:
        raise ValueError("a game is not what it was when it was saved")
    _, _, _, one, two, ending, plies, opening, seed, _, reason, more, start, moves, seconds, movers = values
    other = json.loads(more) if more else {}
    times = _unpacked("f", seconds).tolist()
    if "event" in other and (own := known_event(other["event"])) is not None:
        event = own if own.title or event is None else own._replace(title=event.title)
    judgements = None if analyses is None else unpacked(analyses)
    if judgements is not None and len(judgements) != plies:
        raise ValueError(f"a game of {counted(plies, 'move')} has {counted(len(judgements), 'analysis', 'analyses')}")
    return GameRecord(
        game=source,
        players=[first, second],
        moves=_unpacked(_WIDTHS[len(moves) // plies], moves).tolist() if plies else [],
        opening=opening,
        outcome=[one, two],
        ending=endings(ending),
        seconds=other.get("seconds") or [0.0] * (plies - len(times)) + times,
        movers=_turns(plies, opening) if movers is None else array("b", movers).tolist(),
        seed=other.get("seed", seed),
        reason=reason,
        start=start,
        analyses=judgements,
        event=event,
    )


def _turns(plies: int, opening: int) -> list[int]:
    """Return who moves where the players take turns after the opening."""
    return ([-1] * opening + ([0, 1] * (plies // 2 + 1))[opening:plies])[:plies]


def _packed_moves(moves: list[int]) -> bytes:
    try:
        return bytes(moves)
    except ValueError:
        low, high = min(moves), max(moves)
        width = next((width for width in (2, 4) if low >= 0 and high < 1 << 8 * width), 8)
        return _bytes(array(_WIDTHS[width], moves))


def _bytes(values: array[Any]) -> bytes:
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def _unpacked(code: str, data: bytes) -> array[Any]:
    values = array(code, data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _checksum(key: bytes, values: Sequence[Any]) -> int:
    *plain, start, _, _, _ = values
    if start is not None:  # files of version 1 have none
        plain.append(start)
    plain = repr(tuple(plain)).encode()
    return zlib.crc32(b"|".join((key, plain, values[-3], values[-2], values[-1] or b"")))
