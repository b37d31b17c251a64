"""What the tests of file formats ask of records."""

from __future__ import annotations

import dataclasses

from plyground.arena import GameRecord
from plyground.envs import make_game

__all__ = ["names", "untimed"]


def names(record: GameRecord) -> list[str]:
    """Return the moves as people write them."""
    game = make_game(record.game)
    return [game.action_to_str(move) for move in record.moves]


def untimed(record: GameRecord) -> GameRecord:
    """Return the record without the times, which the formats do not keep."""
    return dataclasses.replace(record, seconds=[])
