"""The type of a game inside kernels: one for each set of rules.

A kernel takes a game as an argument, and calls its rules as methods, ``game.play(state, action)``. Numba compiles the
kernel anew for each game, and LLVM inlines the rules. The type is keyed by plain text, the digest of the rules and of
the state's dtype, so the next process finds the compiled code again, and an edited rule is another type: stale code
cannot be loaded. Games whose parameters the rules never see share their code: the komi of Go is a field of the state,
and how often a position may repeat is the environment's to know. The game itself carries no data into a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from .digest import digest
from .keys import keys_by_calling
from .linked import compiled_rule
from .unchanged import check_rules, remember

__all__ = [
    "OPTIONAL_RULES",
    "RULES",
    "GameType",
    "check_unchanged",
    "digest_of_rules",
    "game_type",
    "known_game",
    "register_game_class",
    "remembered",
    "rule_of",
    "rules_of",
]

# The rules that a kernel may call, with the names of their arguments after the game.
RULES: dict[str, tuple[str, ...]] = {
    "player": ("state",),
    "legal_actions": ("state", "actions"),
    "play": ("state", "action"),
    "is_terminal": ("state",),
    "utility": ("state", "player"),
    "observe": ("state", "player", "planes"),
    "evaluate": ("state", "player"),
    "features": ("state", "player"),
    "noisy_actions": ("state", "actions"),
    "key": ("state",),
    "canonical_key": ("state",),
    "repetition_key": ("state",),
    "keys_after": ("state", "actions", "keys", "scratch"),
    "random_action": ("state", "actions", "rng"),
    "rollout_action": ("state", "last", "before", "actions", "rng"),
    "local_features": ("state", "last", "before", "actions", "features"),
    "priors": ("state", "last", "before", "actions", "count", "visits", "values"),
    "is_valid": ("state",),
}
# Rules that a game need not have: without one, ``game.passed`` is None in Python and in kernels.
OPTIONAL_RULES: dict[str, tuple[str, ...]] = {
    "is_forced": ("state",),
    "stakes": ("state", "action"),
    "exchange": ("state", "action", "least"),
    "passed": ("state",),
}


class GameType(types.Type):
    """Numba's type of a game: one for each digest of the rules."""

    def __init__(self, text: str) -> None:
        super().__init__(name=text)


_games: dict[str, Any] = {}  # a GameType's name -> a game with those rules


def game_type(game: Any) -> GameType:
    """Return the Numba type of a `Game`, and remember its rules for the compiler.

    The rules are attributes of the game, which is known here by its ``name`` and ``digest`` alone.
    """
    text = f"Game({game.name}, {game.digest})"
    _games.setdefault(text, game)
    return GameType(text)


def known_game(typ: GameType) -> Any:
    """Return a game whose type this is."""
    return _games[typ.name]


def digest_of_rules(game: Any) -> str:
    """Return the digest of the rules of a `Game`, and remember what they reach: see `unchanged`."""
    followed = {"keys_after"} if game._fields["keys_after"] is None else set[str]()  # from other rules
    optional = {rule: getattr(game, rule) for rule in OPTIONAL_RULES if getattr(game, rule) is not None}
    rules = [getattr(game, rule) for rule in RULES if rule not in followed]
    return remembered(game, digest(game.dtype, rules, *([optional] if optional else [])))


def remembered(game: Any, digest: str) -> str:
    """Return the digest of a game, or of a check of its states, and remember what its rules reach."""
    remember(digest, _given(game))
    return digest


def check_unchanged(game: Any) -> None:
    """Check that the rules of a game, or of a check of its states, are what they were when their digest was taken.

    Raises:
        ValueError: they have changed: see `unchanged`.
    """
    check_rules(getattr(game, "game", game).spec, game.digest, _given(game))


def _given(game: Any) -> list[Callable[..., Any]]:
    rules = (getattr(game, rule, None) for rule in (*RULES, *OPTIONAL_RULES))
    return [rule for rule in rules if rule is not None]


@infer_getattr
class _RuleOfGame(AttributeTemplate):
    """The type of ``game.play``: that of the compiled rule."""

    key = GameType

    def generic_resolve(self, typ: GameType, attr: str) -> types.Type | None:
        if attr in OPTIONAL_RULES and getattr(_games[typ.name], attr) is None:
            return types.none
        return types.Dispatcher(rule_of(typ.name, attr)) if attr in RULES or attr in OPTIONAL_RULES else None


@cache
def rule_of(game: str, rule: str) -> Callable[..., Any]:
    """Return a rule for kernels to call, of the game whose type has the name ``game``."""
    if rule == "keys_after" and _games[game]._fields[rule] is None:
        parts = (rule_of(game, part) for part in ("legal_actions", "play", "repetition_key"))
        return compiled_rule(keys_by_calling(*parts))
    return compiled_rule(getattr(_games[game], rule))


def rules_of(game: Any) -> dict[str, tuple[str, ...]]:
    """Return the rules that a game has, with the names of their arguments."""
    given = {rule: names for rule, names in OPTIONAL_RULES.items() if getattr(game, rule) is not None}
    return {**RULES, **given}


@lower_getattr_generic(GameType)
def _no_value(context: Any, builder: Any, typ: Any, value: Any, attr: Any) -> Any:
    """Return a placeholder for ``game.play``: everything that a call needs of it is in its type."""
    return context.get_dummy_value()


register_model(GameType)(models.OpaqueModel)


@unbox(GameType)
def _unbox(typ: Any, value: Any, context: Any) -> NativeValue:
    """Hand a kernel a placeholder: everything that it needs of a game is in its type."""
    return NativeValue(context.context.get_dummy_value())


def register_game_class(cls: type) -> None:
    """Tell Numba that instances of ``cls`` are typed by their ``numba_type``."""
    typeof_impl.register(cls)(lambda game, context: game.numba_type)
