"""Names of players: spec strings such as ``alphabeta(depth=8)`` become agents here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from ..envs import Game, as_game
from ..envs.spec import nearest, parse_spec
from .agent import Agent
from .alphabeta.agent import AlphaBeta
from .best import best
from .human import Human
from .mcts.agent import MCTS
from .mcts.flat import FlatMonteCarlo
from .minimax import Minimax
from .mixture import Mixture
from .policy import Policy
from .puct.agent import PUCT
from .random import Random
from .solver.agent import Solver

__all__ = ["agent_names", "agent_usage", "as_agent", "make", "register_agent"]

_constructors: dict[str, Callable[..., Any]] = {
    "a2c": partial(Policy, algorithm="a2c"),
    "alphabeta": AlphaBeta,
    "best": best,
    "dqn": partial(Policy, algorithm="dqn"),
    "flat": FlatMonteCarlo,
    "human": Human,
    "mcts": MCTS,
    "minimax": Minimax,
    "mixture": Mixture,
    "policy": Policy,
    "ppo": partial(Policy, algorithm="ppo"),
    "puct": PUCT,
    "random": Random,
    "solver": Solver,
}


_PYTHON_ONLY = frozenset(("algorithm", "ask", "evaluate", "evaluator", "show"))  # arguments that text cannot give


def agent_names() -> list[str]:
    """Return the names that `make` knows, sorted."""
    return sorted(_constructors)


def agent_usage(name: str) -> tuple[str, str]:
    """Return how the spec of an agent is written, and the first line of its documentation."""
    constructor = _constructors[name]
    documented = constructor.func if isinstance(constructor, partial) else constructor
    parameters = _parameters(constructor)
    summary = (inspect.getdoc(documented) or "").partition("\n")[0]
    shown = [str(p.replace(annotation=p.empty)) for p in parameters.values() if p.name not in _PYTHON_ONLY]
    return (f"{name}({', '.join(shown)})" if shown else name), summary


def register_agent(name: str, constructor: Callable[..., Agent]) -> None:
    """Make a kind of agent known by ``name``.

    Args:
        name: as it stands in a spec.
        constructor: called with the game, and with the arguments of the spec.

    Raises:
        ValueError: the name is taken by an agent of another module.
    """
    known = _constructors.get(name)
    if known is not None and getattr(known, "__module__", __name__) != getattr(constructor, "__module__", None):
        raise ValueError(f"an agent named {name!r} is already registered: choose another name")
    _constructors[name] = constructor


def make(spec: str, game: Game | str) -> Agent:
    """Return the agent that ``spec`` describes, for ``game``, as in ``make("mcts(simulations=1000)", "connect_four")``.

    Raises:
        ValueError: the name or an argument is unknown (the nearest is suggested), or a value does not fit.
        FileNotFoundError: the file of a model is missing.
    """
    name, args, kwargs = parse_spec(spec)
    if name not in _constructors:
        raise ValueError(f"unknown agent {name!r}: {nearest(name, _constructors)}")
    constructor = _constructors[name]
    parameters = _parameters(constructor)
    for key in kwargs:
        if key not in parameters:
            known = nearest(key, parameters) if parameters else "it takes none"
            raise ValueError(f"unknown argument {key!r} of agent {name!r}: {known}")
    game = as_game(game)
    try:
        inspect.signature(constructor).bind(game, *args, **kwargs)
    except TypeError as error:
        raise ValueError(f"cannot make {spec!r}: {error}; expected {agent_usage(name)[0]}") from None
    for key, value in kwargs.items():
        if isinstance(parameters[key].default, bool) and not isinstance(value, bool):
            raise ValueError(f"{key} of agent {name!r} must be true or false, got {value!r}")
    return constructor(game, *args, **kwargs)


def as_agent(agent: Agent | str, game: Game | str) -> Agent:
    """Return ``agent`` itself, or the agent that a spec string describes (see `make`), for ``game``.

    Raises:
        ValueError: it is neither, or it plays another game, whose states compiled code would misread; or as `make`.
        FileNotFoundError: the file of a model is missing.
    """
    if isinstance(agent, str):
        return make(agent, game)
    if isinstance(agent, type) or not all(callable(getattr(agent, name, None)) for name in ("reset", "act")):
        raise ValueError(
            f"expected a spec string such as 'mcts(simulations=100)', or an agent with reset() and act(), got {agent!r}"
        )
    own, game = getattr(agent, "game", None), as_game(game)
    if isinstance(own, Game) and (own.spec != game.spec or own.dtype != game.dtype):
        raise ValueError(f"{agent!r} plays {own.spec}, expected a player of {game.spec}")
    return agent


def _parameters(constructor: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters that a spec may give: all but the game, which comes first."""
    return dict(list(inspect.signature(constructor).parameters.items())[1:])
