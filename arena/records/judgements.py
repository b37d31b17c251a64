"""What a player's search thought of a position when it moved there: kept where a match is asked for it.

In JSON a judgement is a list, ``[value, depth, nodes, line, sampled]``. In a store those of a game are one compressed
text.
"""

from __future__ import annotations

import json
import math
import sys
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..wording import counted

__all__ = ["Judgement", "are_judgements", "judgement_of", "packed", "read_judgements", "unpacked"]

_DIGITS = 5  # of a value


class Judgement(NamedTuple):
    """What a search found out.

    Attributes:
        value: the value of the position for the player who moved, in the units of the game's utility, with five digits.
        depth: plies that it looked ahead.
        nodes: positions that it visited; of a search that samples, its simulations' positions.
        line: the actions that it expected, its own move first.
        sampled: whether the value is an expected result, of a search that samples, and not that of an evaluation.
    """

    value: float
    depth: int
    nodes: int
    line: list[int]
    sampled: bool = False

    @property
    def text(self) -> str:
        """The judgement in a few words."""
        return f"value {self.value + 0.0:+.3g}, depth {self.depth}, {counted(self.nodes, 'node')}"


def judgement_of(analysis: Any, player: str) -> Judgement:
    """Return what is kept of a `plyground.agents.Analysis` of a player.

    Raises:
        ValueError: its value is not finite, which no file of games could be read with.
    """
    value = float(f"{float(analysis.value):.{_DIGITS}g}")
    if not math.isfinite(value):
        raise ValueError(f"the analysis of {player} has the value {value!r}: expected a finite number")
    line = [int(action) for action in analysis.pv]
    return Judgement(value, int(analysis.depth), int(analysis.nodes), line, bool(analysis.visits))


def are_judgements(value: Any) -> bool:
    """Return whether a value is a list of judgements, as JSON has them; null stands for moves without."""
    return isinstance(value, list) and all(one is None or _is_judgement(one) for one in value)


def _is_judgement(value: Any) -> bool:
    if not isinstance(value, (list, tuple)) or len(value) != 5:
        return False
    worth, depth, nodes, line, sampled = value
    return (
        type(worth) in (int, float)
        and abs(worth) <= sys.float_info.max
        and type(depth) is int
        and type(nodes) is int
        and type(sampled) is bool
        and isinstance(line, list)
        and all(type(action) is int for action in line)
    )


def read_judgements(values: Sequence[Any]) -> list[Judgement | None]:
    """Return judgements as JSON has them as what they are."""
    return [None if one is None else Judgement(*one) for one in values]


def packed(judgements: Sequence[Judgement | None]) -> bytes:
    """Return judgements as compressed text, of which zlib keeps a checksum."""
    return zlib.compress(json.dumps(judgements, separators=(",", ":")).encode(), 9)


def unpacked(data: bytes) -> list[Judgement | None]:
    """Return what `packed` wrote.

    Raises:
        ValueError: it is something else, or damaged.
    """
    try:
        values = json.loads(zlib.decompress(data))
    except (zlib.error, ValueError, TypeError, RecursionError):
        raise ValueError("the analyses of a game are not what they were when they were saved") from None
    if not are_judgements(values):
        raise ValueError("the analyses of a game are not what they were when they were saved")
    return read_judgements(values)
