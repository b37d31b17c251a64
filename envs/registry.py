"""Names of games, and the environments registered under them with PettingZoo and Gymnasium.

`register_game` makes a game known by its name: to `make_game` and the command line, to ``pettingzoo.make`` as
``"plyground/connect_four-v0"`` and to ``gymnasium.make`` as ``"plyground/ConnectFour-v0"``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import pettingzoo

from .checker import check_once
from .game import Game
from .spec import nearest, parse_spec

__all__ = ["as_game", "game_names", "make_game", "register_game"]

_OWN = f"{__name__.rpartition('.')[0]}.games."  # the modules of our own games, which are checked in tests
_factories: dict[str, Callable[..., Game]] = {}
_presets: dict[str, str] = {}  # other names -> specs


def game_names() -> list[str]:
    """Return the names of the registered games, sorted."""
    return sorted(_factories)


def register_game(
    factory: Callable[..., Game],
    title: str | None = None,
    namespace: str = "plyground",
    presets: Mapping[str, str] | None = None,
) -> None:
    """Register a game under the name of the function that makes it.

    Args:
        factory: a function decorated with `game_factory`.
        title: the name in Gymnasium's style. Default: the function's name in camel case.
        namespace: the text before the slash in the ids of PettingZoo and Gymnasium.
        presets: other names and the specs that they stand for, as in ``{"go_9x9": "go(board_size=9)"}``.

    Raises:
        ValueError: another module has registered a game of that name; ``factory`` is not a `game_factory`; or a rule of
            the game that it makes by default breaks its promise (see `check_game`).
    """
    name = factory.__name__
    if not hasattr(factory, "__wrapped__"):
        raise ValueError(f"expected a function decorated with game_factory, got {factory!r}")
    known = _factories.get(name)
    if known is not None and known.__module__ != factory.__module__:
        raise ValueError(f"a game named {name!r} is already registered by {known.__module__}: choose another name")
    if not factory.__module__.startswith(_OWN) and _needs_nothing(factory):
        check_once(factory())
    _factories[name] = factory
    if known is None:  # else a notebook cell ran again; the ids find the new factory by its name
        _register_ids(name, name, title, namespace)
        for preset, spec in (presets or {}).items():
            _presets[preset] = spec
            _register_ids(preset, spec, None, namespace)


def _needs_nothing(factory: Callable[..., Game]) -> bool:
    return all(one.default is not one.empty for one in inspect.signature(factory).parameters.values())


def _register_ids(name: str, spec: str, title: str | None, namespace: str) -> None:
    title = title or "".join(word.capitalize() for word in name.split("_"))
    gymnasium.register(
        f"{namespace}/{title}-v0",
        "plyground.envs.solo:SoloEnv",
        vector_entry_point="plyground.envs.vector.gymnasium:BoardVectorEnv",
        kwargs={"game": spec},
    )
    if hasattr(pettingzoo, "register"):  # since 1.27
        entry_point = "plyground.envs.aec:BoardGameEnv"
        pettingzoo.register("aec", f"{namespace}/{name}-v0", entry_point, kwargs={"game": spec})


def make_game(spec: str, **parameters: Any) -> Game:
    """Return the game that ``spec`` names, with parameters in the name or as keywords.

    ``make_game("connect_four", rows=5)`` and ``make_game("connect_four(rows=5)")`` are the same game.

    A preset such as ``"go_9x9"`` takes parameters as keywords only.

    Raises:
        ValueError: the name or a parameter is unknown (the message suggests the nearest), or a value does not fit.
    """
    name, args, kwargs = parse_spec(_presets.get(spec, spec))
    if name not in _factories:
        raise ValueError(f"unknown game {name!r}: {nearest(name, [*_factories, *_presets])}")
    factory = _factories[name]
    signature = inspect.signature(factory)
    for key in (kwargs := {**kwargs, **parameters}):
        if key not in signature.parameters:
            known = nearest(key, signature.parameters) if signature.parameters else "it takes none"
            raise ValueError(f"unknown parameter {key!r} of game {name!r}: {known}")
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise ValueError(f"cannot make {spec!r}: {error}; expected {name}{signature}") from None
    return factory(*args, **kwargs)


def as_game(game: Game | str, **parameters: Any) -> Game:
    """Return ``game`` itself, or the game that a string names.

    Raises:
        ValueError: as `make_game` raises; or parameters are given with a game that is already made.
        TypeError: ``game`` is neither a `Game` nor a string.
    """
    if isinstance(game, str):
        return make_game(game, **parameters)
    if not isinstance(game, Game):
        raise TypeError(f"expected a Game or the name of one, got {game!r}")
    if parameters:
        raise ValueError(f"{sorted(parameters)} cannot be given beside the game {game.spec!r}, which is already made")
    return game
