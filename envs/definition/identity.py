"""What makes two games the same: all that they are given, so that caches may be keyed by games."""

from __future__ import annotations

from typing import Any

from ..jit.digest import digest

__all__ = ["PLAIN", "identity_of"]

# Functions of a game that stay in Python: what people read and write, targets of networks, the way back from planes.
PLAIN = (
    "decode",
    "owners",
    "action_to_str",
    "str_to_action",
    "move_name",
    "move_of",
    "fen_of",
    "read_fen",
    "text",
)


def identity_of(game: Any) -> tuple[Any, ...]:
    """Return what is equal for equal games, and can be hashed.

    Functions, boards and symmetries count by their content, for equal games may have been made twice: in two processes,
    or by two calls.
    """
    fields = game._fields
    plain = [fields[name] for name in PLAIN]
    return (
        game.spec,
        game.digest,
        digest(plain, [] if game.board is None else vars(game.board), game.symmetries),
        game.num_actions,
        game.max_plies,
        game.max_utility,
        tuple(game.weights.items()),
        (game.knowledge.slots, game.knowledge.num_weights),
        game.observation_shape,
        game.observation_high,
        game.observation_dtype,
        tuple(game.players),
        game.fixed,
        game.repetition,
        game.history,
        game.history_first,
        game.history_swap,
        game.history_turned,
        game.initial.tobytes(),
    )
