"""Functions that make games from parameters, and the record that each game keeps of its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import numpy as np

from .definition.terms import Rule
from .game import Game
from .jit.digest import digest_of_reached
from .outside.messages import shown

__all__ = ["game_factory", "is_own"]

_Parameters = ParamSpec("_Parameters")
_OWN = f"{__name__.rpartition('.')[0]}.games."  # the modules of our own games, which are checked in tests


def game_factory(function: Callable[_Parameters, Game]) -> Callable[_Parameters, Game]:
    """Decorate a function that makes a game from parameters, so that the game knows its parameters.

    The game's ``parameters`` and its ``spec`` (the name, with the parameters that differ from their defaults, as in
    ``"connect_four(rows=5, columns=6)"``) are then filled in, pickling stores the call instead of the rules, and a
    second call with the same parameters returns the same object, unless something has changed that the function uses,
    such as a table of its module.
    """

    @wraps(function)
    def factory(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Game:
        return _made(factory, function, args, kwargs)

    return factory


def is_own(function: Callable[..., Any]) -> bool:
    """Return whether a function that makes games is one of this package, whose games are checked in its tests."""
    return str(function.__module__).startswith(_OWN)  # what `exec` makes may have no module


_games: dict[tuple[Any, ...], tuple[str, Game]] = {}  # (function, arguments) -> what it reached, the game that it made


def _made(factory: Rule, function: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Game:
    """Call ``function`` once for each set of arguments, and let the game know its arguments.

    This stands outside `game_factory` so that a factory typed into a notebook carries nothing that cannot be sent to a
    worker process.
    """
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{function.__name__}(): {error}") from None  # it names no function
    bound.apply_defaults()
    defaults = {name: parameter.default for name, parameter in bound.signature.parameters.items()}
    for name, value in bound.arguments.items():
        bound.arguments[name] = _checked_parameter(function.__name__, name, value, defaults[name])
    key = (function, *((name, _typed(value)) for name, value in bound.arguments.items()))
    reached = "" if is_own(function) else digest_of_reached(function)  # ours reach what does not change
    if key not in _games or _games[key][0] != reached:
        game = function(**bound.arguments)
        if not isinstance(game, Game):
            raise ValueError(f"{function.__name__} must return a Game, got {game!r}")
        if any(game is other for _, other in _games.values()):
            game = game.replace()  # of another factory, and keeps the parameters of that
        changed = [f"{name}={value!r}" for name, value in bound.arguments.items() if value != defaults[name]]
        game.is_checked |= is_own(function)
        game.parameters = dict(bound.arguments)
        game.spec = f"{game.name}({', '.join(changed)})" if changed else game.name
        game._origin = (factory, dict(bound.arguments))
        _games[key] = reached, game
    return _games[key][1]


def _checked_parameter(game: str, name: str, value: Any, default: Any) -> Any:
    """Return a parameter that has the type of its default, and can be hashed; a whole number as a float if that is one.

    What is equal is then written in one way, so that a game has one spec.
    """
    value = _plain(value)
    expected = type(default)
    fits = (int, float) if expected is float else expected
    if expected in (bool, int, float, str, tuple) and (
        not isinstance(value, fits) or isinstance(value, bool) != (expected is bool)
    ):
        raise ValueError(f"{name} of {game} must be of type {expected.__name__}, got {shown(value)}")
    try:
        hash(value)
    except TypeError:
        raise ValueError(
            f"{name} of {game} must be hashable, such as a number or a tuple, got {shown(value)}"
        ) from None
    if value == default:
        return default
    try:
        return float(value) + 0.0 if expected is float else value  # no -0.0
    except OverflowError:
        raise ValueError(f"{name} of {game} must be a number that a float holds, got {shown(value)}") from None


def _plain(value: Any) -> Any:
    """Return a value with Python's own numbers in place of NumPy's, as from an array of sizes."""
    if isinstance(value, np.generic):
        return value.item()
    return tuple(map(_plain, value)) if type(value) is tuple else value


def _typed(value: Any) -> tuple[type, Any]:
    """Return a value with its type, and with those of its parts, for 1, 1.0 and True are equal."""
    return type(value), tuple(map(_typed, value)) if isinstance(value, tuple) else value
