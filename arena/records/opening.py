"""An opening: a position, and moves from there."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...envs import Game, State
from ...envs.starting import position_of

__all__ = ["Opening", "as_data"]


class Opening(NamedTuple):
    """What is set before the players take over.

    Attributes:
        moves: the actions.
        start: the position before them, as `plyground.envs.starting.position_text` writes it; None for the initial one.
    """

    moves: list[int]
    start: str | None = None

    def begun(self, game: Game) -> State:
        """Return the position before the moves."""
        return position_of(game, self.start)

    def options(self, game: Game) -> dict[str, Any]:
        """Return the options of a ``reset`` that begins with this opening."""
        return {"moves": self.moves} if self.start is None else {"moves": self.moves, "state": self.begun(game)}


def as_data(opening: Opening) -> list[Any]:
    """Return an opening as JSON has it, for hashes of tournaments."""
    return opening.moves if opening.start is None else [opening.start, opening.moves]
