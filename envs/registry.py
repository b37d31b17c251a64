"""Names of games, and the environments registered under them with PettingZoo and Gymnasium.

`register_game` makes a game known by its name: to `make_game` and the command line, to ``pettingzoo.make`` as
``"plyground/connect_four-v0"`` and to ``gymnasium.make`` as ``"plyground/ConnectFour-v0"``. A game that nobody has
registered is found where it is: ``./examples/breakthrough.py:breakthrough``, ``package.module:attribute``, or by the
name of an entry point of the group ``plyground.games`` in an installed package.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import gymnasium
import pettingzoo

from .checking.checker import check_once
from .factory import game_factory, is_own
from .game import Game
from .outside.elsewhere import absolute, called, content_of, installed, load, place_of
from .outside.messages import shown
from .outside.spec import nearest, nearest_of, parse_spec

__all__ = ["as_game", "game_names", "game_presets", "game_with", "make_game", "register_game"]

_factories: dict[str, Callable[..., Game]] = {}
_presets: dict[str, str] = {}  # other names -> specs
_GROUP = "plyground.games"  # of entry points
_PART = re.compile(r"[\w-]+")  # of an id of Gymnasium and PettingZoo


def game_names() -> list[str]:
    """Return the names of the registered games, and of those that installed packages have, sorted."""
    return sorted({*_factories, *installed(_GROUP)})


def game_presets() -> dict[str, str]:
    """Return the other names of games, such as ``"go_9x9"``, with the specs that they stand for."""
    return dict(_presets)


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
        ValueError: another module has registered a game of that name, or one of the names is short for another spec, or
            can be no part of an id; a preset has the name of the game, or its spec is none of this game; ``factory`` is
            not a `game_factory`; or the game that it makes by default has another name, or a rule that breaks its
            promise (see `check_game`). One that makes none without parameters is asked by `make_game`. Nothing is
            registered then.
    """
    if not hasattr(factory, "__wrapped__"):
        raise ValueError(f"expected a function decorated with game_factory, got {factory!r}")
    name = factory.__name__
    known = _factories.get(name)
    if known is not None and known.__module__ != factory.__module__:
        raise ValueError(f"a game named {name!r} is already registered by {known.__module__}: choose another name")
    # Where a notebook cell ran again, the ids find the new factory by its name.
    new = {preset: spec for preset, spec in (presets or {}).items() if known is None or _presets.get(preset) != spec}
    for other in (*([name] if known is None else []), *new):
        if other in _presets or other in _factories:
            stands = f"stands for {_presets[other]!r}" if other in _presets else "is a game"
            raise ValueError(f"{other!r} {stands} already: choose another name")
    for what, part in (("title", title or name), ("namespace", namespace), *(("preset", one) for one in presets or ())):
        if not isinstance(part, str) or not _PART.fullmatch(part):
            raise ValueError(
                f"{what} of {name!r} must be letters, digits, _ and -, as in the id 'plyground/ConnectFour-v0', "
                f"got {part!r}"
            )
    for preset, spec in (presets or {}).items():
        _check_preset(factory, preset, spec)
    if not is_own(factory) and _needs_nothing(factory):
        check_once(_named(name, factory()))
    with _all_or_none():
        if known is None:
            _register_ids(name, name, title, namespace)
        for preset, spec in new.items():
            _register_ids(preset, spec, None, namespace)
    _presets.update(new)
    _factories[name] = factory


def _check_preset(factory: Callable[..., Game], preset: str, spec: str) -> None:
    """Check that a preset has a name of its own, and that its spec is one of the game that ``factory`` makes."""
    name = factory.__name__
    if preset == name:
        raise ValueError(f"a preset of {name!r} has the name of the game: choose another")
    if not isinstance(spec, str):
        raise ValueError(f"preset {preset!r} of {name!r} must be a spec, such as '{name}(…)', got {spec!r}")
    named, args, kwargs = parse_spec(spec)
    if named != name:
        raise ValueError(f"preset {preset!r} of {name!r} must be a spec of that game, got {shown(spec)}")
    _bound(factory, name, spec, args, kwargs)


def _needs_nothing(factory: Callable[..., Game]) -> bool:
    return all(one.default is not one.empty for one in inspect.signature(factory).parameters.values())


def _named(name: str, game: Game) -> Game:
    """Return a game that goes by the name under which it is registered: by its spec it is made again, from records too.

    Raises:
        ValueError: it has another name.
    """
    if game.name != name:
        raise ValueError(
            f"the factory {name!r} makes a game named {game.name!r}, by which it would not be found: "
            "give both the same name"
        )
    return game


@contextmanager
def _all_or_none() -> Iterator[None]:
    """Leave the libraries' registries as they were where one refuses an id, for it has those before by then."""
    names = "aec_registry", "parallel_registry"  # since PettingZoo 1.27
    registries: list[dict[str, Any]] = [gymnasium.registry, *(getattr(pettingzoo, name, {}) for name in names)]
    before = [dict(one) for one in registries]
    try:
        yield
    except BaseException:
        for one, entries in zip(registries, before, strict=True):
            one.clear()
            one.update(entries)
        raise


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
        pettingzoo.register("parallel", f"{namespace}/{name}-v0", "plyground.envs.modules:parallel_env")


def make_game(spec: str, **parameters: Any) -> Game:
    """Return the game that ``spec`` names, with parameters in the name or as keywords.

    ``make_game("connect_four", rows=5)`` and ``make_game("connect_four(rows=5)")`` are the same game.

    A preset such as ``"go_9x9"`` takes parameters too, by name: ``"go_9x9(komi=5.5)"``. A game of your own needs no
    name: ``make_game("./examples/breakthrough.py:breakthrough(size=5)")`` calls the function ``breakthrough`` of that
    file, and ``"package.module:attribute"`` one of a module. The attribute may also be a `Game`. A file that has
    changed is read again; what it imports is not.

    Raises:
        ValueError: the name or a parameter is unknown (the message suggests the nearest), or a value does not fit; or
            what is at a place is no game, or cannot be loaded.
        FileNotFoundError: there is no such file.
    """
    if not isinstance(spec, str):
        raise TypeError(f"expected the name of a game, such as 'connect_four', got {spec!r}")
    place = place_of(spec)
    if place is not None:
        _, args, kwargs = parse_spec(spec, place)
        return _from_place(place, load(place, again=True), args, {**kwargs, **parameters})
    name, args, kwargs = parse_spec(spec)
    if name in _presets:
        if args:
            raise ValueError(f"{name!r} is short for {_presets[name]!r}: give parameters by name, got {shown(spec)}")
        name, args, known = parse_spec(_presets[name])
        kwargs = {**known, **kwargs}
    kwargs = {**kwargs, **parameters}
    if name in _factories:
        return _named(name, _called(_factories[name], name, spec, args, kwargs))
    if name in installed(_GROUP):
        return _from_place(name, load(installed(_GROUP)[name].value), args, kwargs)
    raise ValueError(f"unknown game {shown(name)}: {nearest(name, [*game_names(), *_presets])}")


def _called(factory: Callable[..., Game], name: str, spec: str, args: list[Any], kwargs: dict[str, Any]) -> Game:
    """Call a factory with arguments that were read from a spec."""
    bound = _bound(factory, name, spec, args, kwargs)
    return factory(*bound.args, **bound.kwargs)


def _bound(
    factory: Callable[..., Game], name: str, spec: str, args: list[Any], kwargs: dict[str, Any]
) -> inspect.BoundArguments:
    """Return the arguments of a factory that were read from a spec.

    Raises:
        ValueError: it takes others.
    """
    signature = inspect.signature(factory)
    for key in kwargs:
        if key not in signature.parameters:
            known = nearest(key, signature.parameters) if signature.parameters else "it takes none"
            raise ValueError(f"unknown parameter {shown(key)} of game {name!r}: {known}")
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        takes = ", ".join(str(one.replace(annotation=one.empty)) for one in signature.parameters.values())
        raise ValueError(f"cannot make {shown(spec)}: {error}; expected {name}({takes})") from None


def _from_place(place: str, found: Any, args: list[Any], kwargs: dict[str, Any]) -> Game:
    """Return the game that was found at a place, which it remembers: other processes look for it there."""
    if isinstance(found, Game):
        if args or kwargs:
            raise ValueError(f"{place!r} is a game that is already made: it takes no parameters")
        return _found(found, place, place, ())
    if not inspect.isfunction(found):
        raise ValueError(f"{place!r} is {found!r}, expected a Game or a function that makes one")
    made = found if hasattr(found, "__wrapped__") else game_factory(found)  # so that it knows its parameters
    bound = _bound(made, place, place, args, kwargs)
    game = called(place, made, *bound.args, **bound.kwargs)
    return _found(game, place, place + game.spec.removeprefix(game.name), tuple(game.parameters.items()))


@cache
def _found(game: Game, place: str, source: str, parameters: tuple[tuple[str, Any], ...]) -> Game:
    """Return a game like this one, which remembers where it was found: other processes look for it there."""
    game = game.replace()  # the game itself may be known by a name as well
    game._source = source
    place, made_of = absolute(place), (content_of(place), game.digest)
    how = {"place": place, "parameters": dict(parameters), "source": source, "made_of": made_of}
    game._origin = (_made_again, how)
    _sent[place, source, made_of] = game
    return game


_sent: dict[tuple[str, str, tuple[str, str]], Game] = {}  # games of files, by where and what they are


def _made_again(place: str, parameters: dict[str, Any], source: str, made_of: tuple[str, str] = ("", "")) -> Game:
    """Return a game that was found at a place, in another process, or in this one before its file was edited.

    Args:
        place: where it is.
        parameters: its parameters.
        source: the text by which it was found.
        made_of: hashes of its file and of its rules; those of the file are "" where it was imported otherwise.

    Raises:
        ValueError: the file has changed since: it would be another game.
    """
    if (place, source, made_of) in _sent:
        return _sent[place, source, made_of]
    game = make_game(place, **parameters)
    content, rules = made_of
    if content not in ("", content_of(place)) and game.digest != rules:
        raise ValueError(f"{place} has changed since the game {source!r} was made of it: make the game anew")
    return _found(game, place, source, tuple(parameters.items()))


def game_with(owner: type, game: Game | str, parameters: Mapping[str, Any]) -> Game:
    """Return the game that a constructor was given, with the parameters that were given beside its own arguments.

    Args:
        owner: the class that is being made, whose arguments an unknown name may have been meant to be.
        game: the game, or its name.
        parameters: parameters of a game that is given by name.

    Raises:
        ValueError, TypeError: as `as_game` raises; or a name is unknown to both, or a rule breaks its promises, which
            compiled code would not see: see `plyground.envs.checking.checker.check_once`.
    """
    if parameters and isinstance(game, (str, Game)):
        own = [name for name in inspect.signature(owner).parameters if name not in ("game", "parameters")]
        takes = _parameters_of(game) if isinstance(game, str) else []
        for key in parameters:
            if key == "seed" and key not in (*own, *takes):
                raise ValueError(
                    f"{owner.__name__} takes no seed: its games do, as in env.reset(seed={parameters[key]!r})"
                )
            if key not in takes and nearest_of(key, own):
                raise ValueError(f"unknown argument {key!r} of {owner.__name__}: {nearest(key, own + takes)}")
    found = as_game(game, **parameters)
    check_once(found)
    return found


def _parameters_of(spec: str) -> list[str]:
    """Return the names of the parameters of the game that ``spec`` names; none of what is no game, or is one already.

    Raises:
        ValueError, FileNotFoundError: the spec cannot be read, or what is at its place cannot be loaded.
    """
    place = place_of(spec)
    if place is None:
        name = parse_spec(spec).name
        name = parse_spec(_presets[name]).name if name in _presets else name
        if name in _factories:
            return list(inspect.signature(_factories[name]).parameters)
        place = installed(_GROUP)[name].value if name in installed(_GROUP) else None
    found = None if place is None else load(place, again=True)
    return list(inspect.signature(found).parameters) if inspect.isfunction(found) else []


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
