"""How games end that checkers, chess and minichess share: quiet plies and repetitions draw; in chess, mate wins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..definition.terms import MOST_TIMES, Repetition

__all__ = ["drawn_by_repetition", "near_end", "won_by_mate"]

_FAR = 50  # plies that no search looks ahead, but for what is proved


def drawn_by_repetition(
    name: str, max_quiet_plies: int, repetition: int, *, announced: bool = False, channel: int | None = None
) -> Repetition | None:
    """Return how positions that come again draw a game; None: they do not.

    Args:
        name: the game's, for errors.
        max_quiet_plies: plies after which a game is drawn if nothing happens: so far a repetition reaches back.
        repetition: times that a position must stand on the board, or 0.
        announced: see `Repetition`.
        channel: see `Repetition`.

    Raises:
        ValueError: a number is out of range.
    """
    if not 1 <= max_quiet_plies <= 255:
        raise ValueError(f"max_quiet_plies of {name} must be 1 to 255, got {max_quiet_plies}")
    if not repetition:
        return None
    if not 2 <= repetition <= MOST_TIMES:
        raise ValueError(f"repetition of {name} must be 0 (never) or from 2 to {MOST_TIMES}, got {repetition}")
    return Repetition("draw", times=repetition, memory=max_quiet_plies, announced=announced, channel=channel)


def near_end(max_quiet_plies: int) -> int:
    """Return how many quiet plies a ``key`` need not tell apart: no search looks from there to the draw."""
    return max_quiet_plies - _FAR


def won_by_mate(is_check: Callable[[Any], bool], can_move: Callable[[Any], bool]) -> Callable[[Any, int], float]:
    """Return the rule ``utility`` of a game whose finished games are won only if the player to move is mated.

    Args:
        is_check: whether the king of the player to move is attacked.
        can_move: whether that player has a legal move.
    """

    def utility(state: Any, player: int) -> float:
        if not is_check(state) or can_move(state):
            return 0.0
        return -1.0 if player == state.turn else 1.0

    return utility
