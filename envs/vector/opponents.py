"""Who plays the other seat in a batch of games: one interface, and what can be made into it.

An `Opponents` answers for many rows at once. `as_opponents` makes one from a spec string, an agent or a function. An
agent that can play many rows at once has a method ``batched()``, which returns an `Opponents`, or None where its
settings do not allow it. Any other agent, as a subclass that has another ``act`` alone, is copied for each row and
asked one row at a time. Agents and opponents that compile code do so in a method ``prepare``, which is called before
the first game, and end what they have started, such as programs, in a method ``close``.

Everything random is drawn from the row's own generator, ``batch.rngs[row]``, so that a game depends on its seed alone,
and not on other rows or on threads.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..game import Game
from ..players import PlayerLike, checked_answer, meant, player_name
from .batch import GameBatch
from .followed import FollowedBatch
from .row_random import draw_numbers

__all__ = [
    "FromFunction",
    "Memoryless",
    "OneByOne",
    "OpponentLike",
    "Opponents",
    "RandomOpponents",
    "answers_for_many",
    "as_opponents",
    "check_single",
    "close",
    "load_opponents_state",
    "needs_moves",
    "opponents_state",
    "prepare",
    "resolved",
    "tell",
]

_ONE, _MANY = {"observation", "info"}, {"observations", "masks"}  # parameters of functions, for one position or many


@runtime_checkable
class Opponents(Protocol):
    """Players of the seat that the learner does not have, in the rows of a `GameBatch`.

    One that compiles code may have a method more, ``prepare(batch)``, which does so before the first game; one that
    starts programs or the like may have ``close()``, which ends them. Where an attribute ``needs_moves`` is True, the
    batch is a `FollowedBatch`, which has the moves of the games beside the positions.

    They may read all of the batch. Call ``batch.show(rows)`` before reading ``batch.observations[rows]``: only then are
    these what the players to move see.

    Those who keep something during a game may have two methods more, for games that are saved and go on later:
    ``state_dict()``, which returns it as arrays, numbers and texts in nested dicts, and ``load_state_dict(state,
    batch)``, which takes it back, after the games have been restored. Without them they begin anew in all rows.
    """

    def begin(self, batch: GameBatch, rows: NDArray[np.intp]) -> None:
        """Prepare for the games that have begun in these rows [some]."""
        ...

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return a legal action for each of these rows [some], in all of which the opponent is to move."""
        ...

    def end(self, batch: GameBatch, rows: NDArray[np.intp], rewards: NDArray[np.float32]) -> None:
        """Learn how the games in these rows [some] ended: ``rewards`` [some] are the learner's.

        Games that ended before the learner could move, or were given up by a reset, are not reported.
        """
        ...


OpponentLike = PlayerLike | Opponents
"""What may sit in the other seat: a spec string, an agent, a function, or in batches an `Opponents`."""


class Memoryless:
    """Opponents who keep nothing from one move to the next; a subclass adds ``act``."""

    def begin(self, batch: GameBatch, rows: NDArray[np.intp]) -> None:
        """Nothing is kept."""

    def end(self, batch: GameBatch, rows: NDArray[np.intp], rewards: NDArray[np.float32]) -> None:
        """Nothing is kept."""


class RandomOpponents(Memoryless):
    """Play each legal action with the same probability, drawn in compiled code."""

    def __repr__(self) -> str:
        return "RandomOpponents()"

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return a random legal action for each row."""
        return batch.random_actions(rows)


class OneByOne:
    """An agent asked one row at a time, as it would be by `SoloEnv`.

    Each row has a copy of the agent, since it may keep things during a game; a batch of one game has the agent itself.
    The copy is reset at the start of each game, with a seed from the row's generator. If the agent has
    ``watch(action)``, the copy is told, before it is to move, of all moves of its game since it was told last.

    Args:
        agent: any agent, with ``reset(seed)`` and ``act(observation, info)``.

    Attributes:
        needs_moves: whether the agent must know the moves.
    """

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.needs_moves = callable(getattr(agent, "watch", None))
        self._copies: dict[int, Any] = {}
        self._told: dict[int, int] = {}  # of how many moves of its game each copy was told

    def prepare(self, batch: GameBatch) -> None:
        """Let the agent prepare, before it is copied."""
        prepare(self.agent)
        if batch.num_envs > 1:
            close(self.agent)  # only its copies play

    def close(self) -> None:
        """Let the agent and its copies end what they have started."""
        close(self.agent)
        for copy in self._copies.values():
            if copy is not self.agent:
                close(copy)

    def __repr__(self) -> str:
        return repr(self.agent)

    def begin(self, batch: GameBatch, rows: NDArray[np.intp]) -> None:
        """Reset the agents of these rows.

        Raises:
            ValueError: the agent cannot be copied.
        """
        seeds = draw_numbers(batch.rngs, rows, 2**31)
        for row, seed in zip(rows.tolist(), seeds.tolist(), strict=True):
            if row not in self._copies:
                self._copies[row] = self.agent if batch.num_envs == 1 else self._copy(batch)
            self._copies[row].reset(seed=seed)
            self._told[row] = 0

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the actions that the agents choose."""
        batch.show(rows)
        actions = np.zeros(rows.size, np.int64)
        for place, row in enumerate(rows.tolist()):
            mask = batch.masks[row].copy()
            observation = {"observation": batch.observations[row].copy(), "action_mask": mask}
            info: dict[str, Any] = {"action_mask": mask, "state": batch.states[row].copy()}
            if (past := batch.past_of(row)) is not None:
                info["past"] = past
            agent = self._copies[row]
            if isinstance(batch, FollowedBatch):
                tell(agent, batch.moves[row][self._told[row] :])
                self._told[row] = len(batch.moves[row])
            actions[place] = checked_answer(agent.act(observation, info), agent, batch.game)
        return actions

    def end(self, batch: GameBatch, rows: NDArray[np.intp], rewards: NDArray[np.float32]) -> None:
        """Agents are not told how games ended."""

    def _copy(self, batch: GameBatch) -> Any:
        try:
            return deepcopy(self.agent)
        except Exception as error:  # whatever its own `__deepcopy__` raises
            raise ValueError(
                f"the opponent {self.agent!r} cannot be copied ({error}), and {batch.num_envs} games need one each: "
                "give an object with begin(), act() and end() that plays many games, or num_envs=1"
            ) from error


class FromFunction(Memoryless):
    """A function that chooses for many positions at once, such as a network.

    Args:
        function: ``(observations [some, *observation_shape], masks [some, num_actions]) -> actions [some]``.
    """

    def __init__(self, function: Callable[[NDArray[Any], NDArray[np.int8]], Any]) -> None:
        self.function = function

    def __repr__(self) -> str:
        return f"FromFunction({player_name(self.function)})"

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the function's actions."""
        batch.show(rows)
        return np.asarray(self.function(batch.observations[rows], batch.masks[rows]))


def prepare(player: Any, *arguments: Any) -> None:
    """Let a player compile what it needs, before any clock runs, if it has a method ``prepare``.

    Args:
        player: an agent, or an `Opponents`.
        *arguments: none for an agent, and the `GameBatch` for an `Opponents`.
    """
    _call(player, "prepare", *arguments)


def close(player: Any) -> None:
    """Let an agent or an `Opponents` end what it has started, such as a program, if it has a method ``close``."""
    _call(player, "close")


def tell(agent: Any, moves: Iterable[int]) -> None:
    """Tell an agent of moves, if it has a method ``watch``."""
    for action in moves:
        _call(agent, "watch", action)


def _call(player: Any, name: str, *arguments: Any) -> None:
    method = getattr(player, name, None)
    if callable(method):
        method(*arguments)


def needs_moves(opponents: Any) -> bool:
    """Return whether opponents must know the moves of the games."""
    return bool(getattr(opponents, "needs_moves", False))


def resolved(agent: Any, game: Game) -> Any:
    """Return what `plyground.agents.as_agent` makes of an agent, a function or a spec string."""
    from ...agents import as_agent  # the one arrow that points up: who sits in the other seat is known there

    return as_agent(agent, game)


def as_opponents(opponent: OpponentLike, game: Game) -> Opponents:
    """Return opponents for batches of ``game``.

    Args:
        opponent: a spec string such as ``"alphabeta(depth=2)"`` (see `plyground.agents.make`), which may name the place
            of any of the others; an agent with ``act``; a function, of ``(observation, info)`` for one position or,
            known by these names, of ``(observations, masks)`` for many, see `FromFunction`; or an `Opponents`, which is
            returned as it is.
        game: the game.

    Raises:
        ValueError: ``opponent`` is none of these, the spec is unknown (the message suggests the nearest), or the agent
            plays another game.
    """
    acts = callable(getattr(opponent, "act", None))
    if isinstance(opponent, type) or not (isinstance(opponent, str) or acts or callable(opponent)):
        raise ValueError(
            "opponent must be a spec string, an agent with act(observation, info), an object with begin(), act() and "
            f"end(), or a function, got {opponent!r}{meant(opponent)}"
        )
    if not isinstance(opponent, str):
        if _is_opponents(opponent):
            own = getattr(opponent, "game", None)
            if isinstance(own, Game) and (own.spec != game.spec or own.dtype != game.dtype):
                raise ValueError(f"{type(opponent).__name__} plays {own.spec}, expected a player of {game.spec}")
            return opponent  # pyright: ignore[reportReturnType]  (it has just been seen that it is one)
        if not acts and callable(opponent) and _takes_many(opponent):
            return FromFunction(opponent)
    agent = resolved(opponent, game)
    if isinstance(opponent, str) and _is_opponents(agent):  # one's own, from a place
        return agent
    many: Any = agent.batched() if hasattr(agent, "batched") and _is_batched(agent) else None
    return OneByOne(agent) if many is None else many


def check_single(opponent: Any) -> None:
    """Check that an opponent is none for batches: one who plays a single game is asked otherwise.

    Raises:
        ValueError: it is an `Opponents`, or a function of ``(observations, masks)``.
    """
    acts = isinstance(opponent, (str, type)) or callable(getattr(opponent, "act", None))
    if _is_opponents(opponent) or (not acts and callable(opponent) and answers_for_many(opponent)):
        raise ValueError(
            f"the opponent {opponent!r} plays many games at once: use it with gymnasium.make_vec(…) or BoardVecEnv, or "
            "give an agent with act(observation, info), or a function of these two"
        )


def _is_opponents(opponent: Any) -> bool:
    return all(callable(getattr(opponent, name, None)) for name in ("begin", "act", "end"))


def _is_batched(agent: Any) -> bool:
    """Return whether an agent's ``batched`` speaks for its ``act``: a subclass may have another one."""
    kinds = type(agent).__mro__
    batched, act = (
        next((place for place, kind in enumerate(kinds) if name in vars(kind)), len(kinds))
        for name in ("batched", "act")
    )
    return batched <= act or batched == len(kinds)  # of no class: the object itself has it


def _takes_many(function: Callable[..., Any]) -> bool:
    """Return whether the names of a function's parameters say that it answers for many positions at once.

    Raises:
        ValueError: they do not tell.
    """
    if answers_for_many(function):
        return True
    names = _names(function)
    if not _ONE.isdisjoint(names):
        return False
    raise ValueError(
        f"the opponent {function!r} takes ({', '.join(names)}): name its arguments (observation, info) if it answers "
        "for one position, or (observations, masks) if for many at once"
    )


def answers_for_many(function: Callable[..., Any]) -> bool:
    """Return whether a function's parameters are called as those of one that answers for many positions at once."""
    return not _MANY.isdisjoint(_names(function))


def _names(function: Callable[..., Any]) -> list[str]:
    """Return the names of the first two parameters of a function."""
    try:
        return list(inspect.signature(function).parameters)[:2]
    except ValueError:  # of a function of an extension module nobody knows
        return []


def opponents_state(opponents: Opponents) -> dict[str, Any]:
    """Return what opponents keep of the games in progress; nothing of those without a ``state_dict``."""
    saved: Any = getattr(opponents, "state_dict", dict)
    return saved()


def load_opponents_state(opponents: Opponents, state: Mapping[str, Any], batch: GameBatch) -> None:
    """Give opponents back what they kept of the games in progress; those without a ``load_state_dict`` begin anew.

    Args:
        opponents: made as those were that kept it.
        state: what `opponents_state` returned.
        batch: the games, restored.

    Raises:
        ValueError: other opponents kept it.
    """
    load: Any = getattr(opponents, "load_state_dict", None)
    if load is None and state:
        raise ValueError("the state is of opponents who kept something of their games, and these keep nothing")
    if load is None:
        opponents.begin(batch, np.arange(batch.num_envs))
    else:
        load(state, batch)
