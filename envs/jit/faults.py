"""The rules of a game compiled one by one, and what is wrong with one that does not compile, in one line.

Numba says what it cannot compile on many lines, most of them about the kernel that calls the rule and about Numba
itself. Here the rule is found that is at fault, the line of its source, and the sentence that matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import config, typeof, types

from .game_type import check_unchanged, rule_of, rules_of

__all__ = ["KEYS", "compile_rules", "rule_fault", "wrong_kind"]

_MOST = 200  # signs of what Numba said
_NO_NUMBER = ("play", "observe", "features", "priors")  # rules that return something else, or nothing
KEYS = ("key", "canonical_key", "repetition_key")
_COUNTS = ("legal_actions", "noisy_actions", "keys_after", "local_features", "random_action", "rollout_action")


class _Kind(NamedTuple):
    """What a rule must return: in words, the types of it, and those among them that it must not be."""

    wanted: str
    types: Any
    refused: Collection[Any] = ()


# Of a uint64 and an int64 Numba makes a float: no index, and no key. Nothing reckons with players: any integer will do.
_INT64, _UINT64 = "an int64, as np.int64(…) gives", "a uint64, as np.uint64(…) gives"
_NUMBER = _Kind("a number", (types.Number, types.Boolean))
_KINDS = {
    "player": _Kind(_INT64, types.Integer),
    **dict.fromkeys(_COUNTS, _Kind(_INT64, types.Integer, {types.uint64})),
    **dict.fromkeys(KEYS, _Kind(_UINT64, types.Integer, types.signed_domain)),
    "stakes": _Kind("two numbers", types.BaseTuple),
}


def compile_rules(game: Any) -> None:
    """Compile every rule of a `Game`, as a kernel would.

    Raises:
        ValueError: a rule does not compile, or can return something else than a number of its kind; the message names
            the rule, the line of its source, and what Numba said, whose own error is its cause if there is one. Or the
            rules have changed since the game was made.
    """
    if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
        return
    check_unchanged(game)
    arguments = _types(game)
    for rule, names in rules_of(game).items():
        try:
            dispatcher: Any = rule_of(game.numba_type.name, rule)
            signature = tuple(arguments[name] for name in names)
            dispatcher.compile(signature)
            returned = dispatcher.overloads[signature].signature.return_type
        except Exception as error:  # Numba raises KeyError, AttributeError and its own
            raise ValueError(_in_a_line(game, rule, error)) from error
        kind = _KINDS.get(rule, _NUMBER)
        fits = isinstance(returned, kind.types) and types.unliteral(returned) not in kind.refused
        if rule not in _NO_NUMBER and not fits:
            is_none = isinstance(returned, (types.NoneType, types.Optional))
            raise wrong_kind(game, rule, "can return None" if is_none else f"returns {returned}")


def wrong_kind(game: Any, rule: str, what: str) -> ValueError:
    """Return an error that says what a rule must return, and ``what`` it does."""
    file, line = _place(getattr(game, rule))
    wanted = _KINDS.get(rule, _NUMBER).wanted
    return ValueError(f"{rule!r} of {game.spec} ({file}:{line}) must return {wanted}, and {what}")


def rule_fault(arguments: tuple[Any, ...]) -> ValueError | None:
    """Return what is wrong with a rule of the game among the arguments of a kernel that does not compile, if one is."""
    for argument in arguments:
        game = getattr(argument, "game", argument)  # a check of states stands for its game
        if hasattr(game, "numba_type"):
            try:
                compile_rules(game)
            except ValueError as fault:
                return fault
    return None


def _types(game: Any) -> dict[str, Any]:
    """Return the types of the rules' arguments, by their names."""
    state = typeof(game.initial.copy()[0])
    planes = typeof(np.zeros(game.observation_shape, game.observation_dtype))
    return {
        "state": state,
        "actions": types.int32[::1],
        "action": types.int64,
        "least": types.float64,
        "player": types.int64,
        "planes": planes,
        "keys": types.uint64[::1],
        "scratch": types.Array(state, 1, "C"),
        "rng": types.uint64[::1],
        "last": types.int64,
        "before": types.int64,
        "count": types.int64,
        "features": types.int32[:, ::1],
        "visits": types.float64[::1],
        "values": types.float64[::1],
    }


def _in_a_line(game: Any, rule: str, error: Exception) -> str:
    file, line = _place(getattr(game, rule))
    place = getattr(error, "loc", None)
    if place is not None:
        file, line = Path(place.filename).name, place.line
    elif found := re.search(r'File "([^"]*)", line (\d+)', str(error)):
        file, line = Path(found[1]).name, int(found[2])
    return f"{rule!r} of {game.spec} does not compile ({file}:{line}): {_sentence(error)}"


def _place(rule: Callable[..., Any]) -> tuple[str, int]:
    """Return the file, without its folders, and the line in which a rule begins."""
    code = getattr(rule, "py_func", rule).__code__
    return Path(code.co_filename).name, code.co_firstlineno


def _sentence(error: Exception) -> str:
    """Return the line of Numba's message that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines()]
    lines = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    text = lines[0] if lines else ""
    call = re.match(r"No implementation of function .* found for signature", text)
    if call and len(lines) > 1:  # the next line is the call
        text = f"there is no {lines[1].removeprefix('>>> ')}"
    if found := re.match(r"<numba\S+ object at \w+>, \((.*?),?\)$", text):  # of a list, or a set
        text = f"{found[1]} from outside of the rule is no constant: use a number, a tuple or an array"
    if isinstance(error, KeyError):
        text = f"the state has no field {text}"
    elif not type(error).__module__.startswith("numba"):
        text = f"{type(error).__name__}: {text}"
    return text if len(text) <= _MOST else f"{text[:_MOST]} …"
