"""The draws that checkers, chess and minichess share: too many quiet plies, and positions that come again."""

from __future__ import annotations

from ..definition.terms import Repetition

__all__ = ["drawn_by_repetition"]


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
    if repetition < 0 or repetition == 1:
        raise ValueError(f"repetition of {name} must be 0 (never) or at least 2, got {repetition}")
    if not repetition:
        return None
    return Repetition("draw", times=repetition, memory=max_quiet_plies, announced=announced, channel=channel)
