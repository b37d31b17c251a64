"""Names of players: spec strings such as ``alphabeta(depth=8)`` become agents here.

A player that nobody has registered is found where it is: ``./examples/greedy.py:Greedy``, ``package.module:attribute``,
or by the name of an entry point of the group ``plyground.agents`` in an installed package. This file imports no agent:
`kinds` tells it of those that come with the package.
"""

from __future__ import annotations

import inspect
import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any

from ..envs import Game, as_game
from ..envs.outside.elsewhere import called, installed, load, place_of
from ..envs.outside.messages import shown
from ..envs.outside.spec import nearest, parse_spec
from ..envs.players import Player, PlayerLike, meant
from ..envs.registry import game_names, game_presets
from .adapted import Adapted, FunctionAgent, takes_two
from .agent import Agent

__all__ = [
    "agent_arguments",
    "agent_names",
    "agent_usage",
    "as_agent",
    "check_spec",
    "kinds_in",
    "make",
    "register_agent",
    "registered",
]

_constructors: dict[str, Callable[..., Any]] = {}  # by the names of the kinds

_FUNCTIONS = frozenset(("evaluate", "evaluator"))  # arguments that text cannot give
_PYTHON_ONLY = _FUNCTIONS | {"algorithm", "ask", "board", "commands", "show"}  # that no usage tells of

_GROUP = "plyground.agents"  # of entry points
_NAME = re.compile(r"[A-Za-z_][\w-]*")  # of a spec


def agent_names() -> list[str]:
    """Return the names that `make` knows, and those that installed packages have, sorted."""
    return sorted({*_constructors, *installed(_GROUP)})


def agent_usage(name: str) -> tuple[str, str]:
    """Return how the spec of an agent is written, and the first line of its documentation.

    Raises:
        ValueError: there is no such kind.
    """
    constructor = _constructor(name)
    parameters = _parameters(name, constructor)
    summary = (inspect.getdoc(_called(constructor)) or "").partition("\n")[0]
    told = [p for p in parameters.values() if p.name not in _PYTHON_ONLY and p.kind is not p.VAR_KEYWORD]
    shown = [str(p.replace(annotation=p.empty)) for p in told]
    return (f"{name}({', '.join(shown)})" if shown else name), summary


def agent_arguments(name: str, values: Sequence[Any] = (), named: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return all arguments of a kind of agent by name: those that a spec gives, and the defaults of the others.

    Raises:
        ValueError: there is no such kind, or it takes no such arguments.
    """
    parameters = _parameters(name, _constructor(name))
    named = dict(named or {})
    _check_names(name, named, parameters)
    try:
        bound = inspect.Signature(list(parameters.values())).bind(*values, **named)
    except TypeError as error:
        raise ValueError(f"{name} takes other arguments: {error}; expected {agent_usage(name)[0]}") from None
    bound.apply_defaults()
    return dict(bound.arguments)


def _called(constructor: Any) -> Any:
    """Return the class or function that a constructor calls: a partial one has neither its module nor its words."""
    return constructor.func if isinstance(constructor, partial) else constructor


def _constructor(name: str) -> Any:
    """Return what makes agents of this kind.

    Raises:
        ValueError: there is no such kind, or what an installed package has cannot be loaded.
    """
    if name in _constructors:
        return _constructors[name]
    if name not in installed(_GROUP):
        what = ", which is a game" if name in {*game_names(), *game_presets()} else ""
        raise ValueError(f"unknown agent {shown(name)}{what}: {nearest(name, agent_names())}")
    return load(installed(_GROUP)[name].value)


def register_agent(name: str, constructor: Callable[..., Player | Callable[[Any, Any], Any]]) -> None:
    """Make a kind of agent known by ``name``.

    Args:
        name: as it stands in a spec.
        constructor: called with the game, and with the arguments of the spec; it makes whatever may play.

    Raises:
        ValueError: the name cannot stand in a spec, or is taken by an agent of another module; or ``constructor`` is
            nothing that can be called.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"name of an agent must be a letter, and letters, digits, _ and - after it, as in 'one_ply', got {name!r}"
        )
    if not callable(constructor):
        raise ValueError(f"expected a class or a function that makes the agent {name!r}, got {constructor!r}")
    known = _constructors.get(name)
    modules = [getattr(_called(one), "__module__", None) for one in (known, constructor)]
    if known is not None and modules[0] != modules[1]:
        raise ValueError(f"an agent named {name!r} is already registered: choose another name")
    _constructors[name] = constructor


def make(spec: str, game: Game | str, **changed: Any) -> Agent:
    """Return the agent that ``spec`` describes, for ``game``, as in ``make("mcts(simulations=1000)", "connect_four")``.

    An agent of your own needs no name: ``make("./examples/greedy.py:Greedy", game)`` takes ``Greedy`` from that file,
    and ``"package.module:attribute"`` from a module. A class, or a function with an argument ``game``, is called, with
    the game where it takes it, and with the arguments that may follow in parentheses; a function of an observation and
    an info is a player, and so is an object with ``act``.

    Args:
        spec: the agent.
        game: the game.
        **changed: arguments that take the place of those in the spec.

    Raises:
        ValueError: the name or an argument is unknown (the nearest is suggested), or a value does not fit; or what is
            at a place is no agent, or cannot be loaded.
        FileNotFoundError: the file, or that of a model, is missing.
    """
    place = _place_of(spec)
    if place is not None:
        _, args, kwargs = parse_spec(spec, place)
        return _from_place(place, load(place), args, kwargs | changed, as_game(game))
    name, args, kwargs = parse_spec(spec)
    if code := kwargs.keys() & _FUNCTIONS:
        key = min(code)
        raise ValueError(
            f"{key} of agent {name!r} is a function, which text cannot give: make({name!r}, game, {key}=...)"
        )
    if name not in _constructors:
        return _from_place(name, _constructor(name), args, kwargs | changed, as_game(game))
    args, kwargs = _fitting(spec, changed)
    game = as_game(game)
    return _made(name, _constructors[name](game, *args, **kwargs), game)


def check_spec(spec: str) -> None:
    """Check what can be known of a player's spec without making the player, or loading anything of it.

    Raises:
        ValueError: as `make`; of a player at a place, or from an installed package, nothing is known yet.
    """
    if _place_of(spec) is not None:
        return
    name = parse_spec(spec).name
    if name not in _constructors:
        if name not in installed(_GROUP):
            _constructor(name)
        return
    _fitting(spec, {})
    for player in _players_in(spec):
        check_spec(player)


def kinds_in(spec: str) -> set[str]:
    """Return the kinds of player that a spec is of, with those of the players in it; a player at a place has none.

    Raises:
        ValueError: it is no spec.
    """
    if _place_of(spec) is not None:
        return set()
    return {parse_spec(spec).name}.union(*map(kinds_in, _players_in(spec)))


def _players_in(spec: str) -> list[str]:
    """Return the specs of players that stand in the spec of one of a registered kind."""
    name, args, kwargs = parse_spec(spec)
    players = args if name == "mixture" else [*args[:1], kwargs.get("player")] if name == "isolated" else []
    return [player for player in players if isinstance(player, str)]


def registered(spec: str) -> dict[str, Callable[..., Any]]:
    """Return the constructors of the kinds of agents that a spec may speak of, but of none that the package has."""
    words = set(re.findall(r"[\w-]+", spec))
    return {name: one for name, one in _constructors.items() if name in words and not _is_ours(one)}


def _place_of(spec: Any) -> str | None:
    """Return the place of a player's spec, as `place_of` does.

    Raises:
        ValueError: it is no spec.
    """
    if not isinstance(spec, str):
        raise ValueError(f"expected a spec string such as 'mcts(simulations=100)', got {shown(spec)}")
    return place_of(spec)


def _is_ours(constructor: Any) -> bool:
    """Return whether a constructor is one of this package."""
    return str(getattr(_called(constructor), "__module__", "")).startswith(f"{__package__}.")


def _fitting(spec: str, changed: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a registered kind of agent that a spec gives, some of which are changed.

    Raises:
        ValueError: an argument is unknown or missing, or does not fit.
    """
    name, args, kwargs = parse_spec(spec)
    constructor = _constructors[name]
    parameters = _parameters(name, constructor)
    placed = [one.name for one in parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD][: len(args)]
    if _is_ours(constructor) and (hidden := (_PYTHON_ONLY - {"algorithm"}).intersection((*placed, *kwargs))):
        raise ValueError(f"{min(hidden)} of agent {name!r} cannot be given by text; expected {agent_usage(name)[0]}")
    args = [changed.pop(key, value) for key, value in itertools.zip_longest(placed, args)]
    kwargs = kwargs | changed
    _check_names(name, kwargs, parameters)
    try:
        bound = inspect.signature(constructor).bind(None, *args, **kwargs)  # the game comes first
    except TypeError as error:
        raise ValueError(f"cannot make {shown(spec)}: {error}; expected {agent_usage(name)[0]}") from None
    for key, value in bound.arguments.items():
        expected = _expected(parameters[key], value) if key in parameters else None
        if expected is not None:
            raise ValueError(f"{key} of agent {name!r} must be {expected}, got {shown(value)}")
    return args, kwargs


def as_agent(agent: PlayerLike, game: Game | str | None) -> Agent:
    """Return ``agent`` as an agent for ``game``.

    Args:
        agent: an agent, which is returned as it is; an object with ``act(observation, info)`` alone; a function of
            these two; or a spec string (see `make`).
        game: the game, or its name; None for a game that is not ours, for which no spec can be made.

    Raises:
        ValueError: it is none of these, or it plays another game, whose states compiled code would misread; or as
            `make`.
        FileNotFoundError: the file of a model is missing.
    """
    if isinstance(agent, str):
        if game is None:
            raise ValueError(
                f"{agent!r} needs a game to be made for: give an agent, or use an environment of plyground"
            )
        return make(agent, game)
    made = _adapted(agent)
    if made is None:
        raise ValueError(
            "expected a spec string such as 'mcts(simulations=100)', an agent with act(observation, info), or a "
            f"function of these two, got {agent!r}{meant(agent)}"
        )
    own, game = getattr(agent, "game", None), None if game is None else as_game(game)
    if game is not None and isinstance(own, Game) and (own.spec != game.spec or own.dtype != game.dtype):
        raise ValueError(f"{type(agent).__name__} plays {own.spec}, expected a player of {game.spec}")
    return made


def _adapted(player: Any) -> Any:
    """Return an object with ``act``, or a function, as an agent; None if it is neither."""
    if isinstance(player, type):
        return None
    if callable(getattr(player, "act", None)):
        return player if callable(getattr(player, "reset", None)) else Adapted(player)
    return FunctionAgent(player) if callable(player) and takes_two(player) else None


def _from_place(place: str, found: Any, args: list[Any], kwargs: dict[str, Any], game: Game) -> Agent:
    """Return the agent that was found at a place."""
    known = _parameters(place, found)
    if _is_constructor(found):
        _check_names(place, kwargs, known)
        signature = inspect.signature(found)
        whole = signature.bind_partial()
        try:
            whole.arguments.update(inspect.Signature(list(known.values())).bind(*args, **kwargs).arguments)
            if "game" in signature.parameters:
                whole.arguments["game"] = game
            signature.bind(*whole.args, **whole.kwargs)
        except TypeError as error:
            raise ValueError(f"cannot make {place!r}: {error}; expected {place}({', '.join(known)})") from None
        found = called(place, found, *whole.args, **whole.kwargs)
    elif args or kwargs:
        if not inspect.isfunction(found) or args:
            how = f"arguments by name only: {', '.join(known)}" if known else "no arguments"
            raise ValueError(f"{place!r} takes {how}")
        _check_names(place, kwargs, known)
        found = partial(found, **kwargs)
    return _made(place, found, game)


def _made(what: str, found: Any, game: Game) -> Agent:
    """Return as an agent what was found at a place, or what a registered constructor has made."""
    agent = _adapted(found)
    if agent is None:
        raise ValueError(
            f"{what!r} is {found!r}, expected an agent with act(observation, info), a class of such agents, or a "
            "function of these two"
        )
    return as_agent(agent, game)


def _check_names(name: str, given: dict[str, Any], known: dict[str, inspect.Parameter]) -> None:
    """Check that the arguments which a spec gives by name are known."""
    if any(one.kind is one.VAR_KEYWORD for one in known.values()):
        return
    for key in given:
        if key not in known:
            names = nearest(key, known) if known else "it takes none"
            raise ValueError(f"unknown argument {shown(key)} of agent {name!r}: {names}")


def _is_constructor(found: Any) -> bool:
    """Return whether what was found at a place makes agents, and is none itself: a class, or what takes a game."""
    return isinstance(found, type) or (callable(found) and "game" in inspect.signature(found).parameters)


def _parameters(name: str, found: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters that a spec may give.

    Of a registered kind these are all but the game, which comes first, and of what was found at a place all but
    ``game``; of a function that is a player those behind the observation and the info, of any other player none.
    """
    if name in _constructors:
        return dict(list(inspect.signature(found).parameters.items())[1:])
    if _is_constructor(found):
        return {key: one for key, one in inspect.signature(found).parameters.items() if key != "game"}
    return dict(list(inspect.signature(found).parameters.items())[2:]) if inspect.isfunction(found) else {}


def _expected(parameter: inspect.Parameter, value: Any) -> str | None:
    """Return in words what a parameter takes that cannot take ``value``; None: it can, or does not say."""
    # As text, since what stands in it may be imported for type checkers only.
    kinds = set(re.split(r"\s*\|\s*", str(parameter.annotation)))
    if isinstance(parameter.default, bool):
        return None if isinstance(value, bool) or (value is None and "None" in kinds) else "true or false"
    if not kinds & {"int", "float"} or kinds - {"int", "float", "None"} or (value is None and "None" in kinds):
        return None
    if parameter.name == "seed" and isinstance(value, Integral) and int(value) < 0:
        return "a whole number, at least 0"
    wanted = "a number" if "float" in kinds else "a whole number"
    if isinstance(value, bool) or not isinstance(value, Real if "float" in kinds else Integral):
        return wanted
    return None if isinstance(value, Integral) or math.isfinite(value) else wanted
