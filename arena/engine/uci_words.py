"""Commands of the Universal Chess Interface as they are written: what a search is to do, options, positions.

Source: R. Huber and S. Meyer-Kahlen, "Description of the Universal Chess Interface" (2006).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Limits", "option_of", "position_of", "read_limits"]

_TIMES = ("wtime", "btime", "winc", "binc", "movetime")  # in milliseconds
_COUNTS = ("movestogo", "depth", "nodes", "mate")
_FLAGS = ("infinite", "ponder")
_MOST = 2**53  # of a count, and of milliseconds: none is reached, and computers can reckon with it
_WORDS = (*_TIMES, *_COUNTS, *_FLAGS, "searchmoves")


@dataclass
class Limits:
    """What ``go`` asks for; None and empty where it says nothing. Times are seconds.

    Attributes:
        faults: what could not be read, and is left out.
    """

    wtime: float | None = None
    btime: float | None = None
    winc: float | None = None
    binc: float | None = None
    movetime: float | None = None
    movestogo: int | None = None
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def waits(self) -> bool:
        """Whether the move may be told only when it is asked for."""
        return self.infinite or self.ponder

    def clock(self, player: int) -> tuple[float | None, float | None, float, int]:
        """Return what is left to a player and to the other, what a move adds, and for how many moves (0: the game)."""
        own, other = (self.wtime, self.btime) if player == 0 else (self.btime, self.wtime)
        return own, other, (self.winc if player == 0 else self.binc) or 0.0, self.movestogo or 0


def read_limits(words: Sequence[str]) -> Limits:
    """Read the arguments of ``go``."""
    limits, place = Limits(), 0
    while place < len(words):
        word = words[place]
        place += 1
        if word in _FLAGS:
            setattr(limits, word, True)
        elif word == "searchmoves":
            while place < len(words) and words[place] not in _WORDS:
                limits.searchmoves.append(words[place])
                place += 1
        elif word in (*_TIMES, *_COUNTS):
            read = _milliseconds if word in _TIMES else _whole
            number = read(words[place]) if place < len(words) else None
            if number is None or (word in _COUNTS and number < 1):
                needed = "a number" if word in _TIMES else "a whole number from 1 on"
                limits.faults.append(f"{word} needs {needed}, got {words[place] if place < len(words) else 'nothing'}")
            else:
                number = min(number, _MOST)
                setattr(limits, word, max(number, 0) / 1000 if word in _TIMES else number)
            if place < len(words) and words[place] not in _WORDS:
                place += 1
        else:
            limits.faults.append(f"unknown word {word!r} in go")
    return limits


def position_of(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the FEN, None for the initial position, and the moves that ``position`` is given.

    Raises:
        ValueError: it is given neither ``startpos`` nor ``fen``.
    """
    place = words.index("moves") if "moves" in words else len(words)
    before, moves = list(words[:place]), list(words[place + 1 :])
    if before == ["startpos"]:
        return None, moves
    if before[:1] == ["fen"] and len(before) > 1:
        return " ".join(before[1:]), moves
    raise ValueError(f"expected 'position startpos' or 'position fen …', got {' '.join(['position', *before])!r}")


def option_of(words: Sequence[str]) -> tuple[str, str]:
    """Return the name of an option, and its value, as ``setoption`` is given them.

    Raises:
        ValueError: there is no name.
    """
    if words[:1] != ["name"] or len(words) < 2:
        raise ValueError("expected 'setoption name … value …'")
    place = words.index("value") if "value" in words else len(words)
    return " ".join(words[1:place]), " ".join(words[place + 1 :])


def _whole(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _milliseconds(text: str) -> int | None:
    """Return a time, of which some programs write fractions."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if math.isfinite(number) else None
