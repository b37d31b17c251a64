"""What makes two games the same: all that they are given, for caches that are keyed by games; or their rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..jit.digest import digest

__all__ = ["PLAIN", "has_rules_of", "identity_of"]

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

# The rules that say what is played and who wins, and the keys by which positions are known.
_PLAYED = ("player", "legal_actions", "play", "is_terminal", "utility", "key", "repetition_key")


def has_rules_of(game: Any, factory: Callable[..., Any]) -> bool:
    """Return whether a game is played as the one that a factory makes, under that name and of the same parameters.

    It may be evaluated, seen and written in other ways.
    """
    if game.name != factory.__name__:
        return False
    try:
        known = factory(**game.parameters)
    except (TypeError, ValueError):  # its parameters are others
        return False
    return known.parameters == game.parameters and _digest_of_play(known) == _digest_of_play(game)


def _digest_of_play(game: Any) -> str:
    return digest(game.dtype, [getattr(game, rule) for rule in _PLAYED])


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
