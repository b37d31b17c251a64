"""What a player is: anything with `reset` and `act`, and how it reads what an environment shows.

An agent whose code has to be compiled does that in a third method, ``prepare()``. It may be left out. Matches,
environments with opponents and training call it before any clock runs, so that compiling takes no time from a budget
and shows in no reported time. It may be called more than once, and changes nothing that the agent will play.

A policy reads the observation; a search reads the state, which our environments put into ``info["state"]`` and which is
rebuilt from the observation where an environment gives none (`connect_four_v3`, `tictactoe_v3` and, for players of
``chess(classic=True)``, `chess_v6` of `pettingzoo.classic`; a stable-baselines3 loop).
So every agent works in the plain PettingZoo loop::

    for name in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        env.step(None if termination or truncation else players[name].act(observation, info))

An agent may have more. ``watch(action)``, for players that must know the moves and not the positions alone, is called
by `plyground.arena.play` and `SoloEnv` after each move of either side, those of an opening first, and by environments
of many games before the agent is to move. ``close()`` ends what the agent has started, such as a program; environments
call it when they are closed, and of an agent that is copied for each game before the first, and what is needed later is
started anew. ``batched()`` returns players of many games at once, an `Opponents` of `plyground.envs`, or None where its
settings do not allow that; without it, and for a subclass that has another ``act`` alone, environments with many games
copy the agent for each. ``analyse(state, mask, observation)`` answers with an `Analysis`.
`plyground.agents.puct.evaluators` says what an `Evaluator` tells a search of its leaves, and how one is made from a
network.

``copies()`` returns an `Opponents`, or None: one that plays in each row exactly what this agent would play there, reset
with the seed from which `plyground.envs.jit.prng.new_rng` made the row's generator. Tournaments advance many games at
once by it. Where it has an attribute ``most_games``, that is the largest batch for which it has memory. It is not
inherited: a subclass may play differently, and is asked move by move unless it has its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..envs import BoardInfo, BoardObservation, Game, State

__all__ = ["Agent", "Info", "Observation", "checked_past", "legal_mask", "mask_in", "planes_of", "state_of"]

# {"observation", "action_mask"}, of our environments or others, or the planes alone
Observation = BoardObservation | Mapping[str, NDArray[Any]] | NDArray[Any]
Info = BoardInfo | Mapping[str, Any]


@runtime_checkable
class Agent(Protocol):
    """A player at any table."""

    def reset(self, seed: int | None = None) -> None:
        """Forget the last game. With a seed, start the random numbers anew; without, let them go on."""
        ...

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return a legal action for the player to move, who sees ``observation``."""
        ...


def state_of(game: Game, observation: Observation, info: Info | None = None) -> State:
    """Return the state record that an environment's observation and info tell of.

    Raises:
        ValueError: they belong to another game, show what no game shows, or the game cannot rebuild a state and the
            info has none.
    """
    if info is not None and "state" in info:
        return game.state_check.checked(info["state"], "info['state']")
    return game.state_from_observation(planes_of(observation))


def planes_of(observation: Observation) -> NDArray[Any]:
    """Return the planes that an environment shows, in a dict or alone.

    Raises:
        ValueError: it is a dict without planes.
    """
    if isinstance(observation, Mapping) and "observation" not in observation:
        raise ValueError(f"no planes: expected observation['observation'], got a dict of {list(observation)}")
    return np.asarray(observation["observation"] if isinstance(observation, Mapping) else observation)


def legal_mask(observation: Observation, info: Info | None = None) -> NDArray[Any]:
    """Return the action mask [num_actions], from the observation if it has one, else from the info.

    Raises:
        ValueError: neither has one, no action is legal, or there are masks of several positions.
    """
    mask = mask_in(observation, info)
    if mask is None:
        raise ValueError("no action mask: expected observation['action_mask'] or info['action_mask']")
    return mask


def mask_in(observation: Observation, info: Info | None = None) -> NDArray[Any] | None:
    """Return the action mask [num_actions] as `legal_mask` does, or None where there is none.

    An environment knows more than the rules of a state do: superko forbids what was on the board before.

    Raises:
        ValueError: no action is legal, or there are masks of several positions.
    """
    for source in (observation, info):
        if isinstance(source, Mapping) and "action_mask" in source:
            mask = np.asarray(source["action_mask"])
            if mask.ndim != 1:
                raise ValueError(
                    f"act() answers for one position, whose action_mask has one dimension, got shape {mask.shape}: "
                    "give a row of it, or ask predict() about many"
                )
            if not mask.any():
                raise ValueError("no action is legal: it is not this player's turn, or the game is over")
            return mask
    return None


def checked_past(game: Game, past: ArrayLike | None) -> NDArray[np.uint64] | None:
    """Return a copy of the keys of a game's earlier positions, ``info["past"]``; None if these are not known.

    Raises:
        ValueError: they are not one row of whole numbers of 64 bits.
    """
    if past is None:
        return None
    keys = np.array(past)
    if keys.size == 0:
        return np.zeros(0, np.uint64)
    if keys.ndim != 1 or keys.dtype != np.uint64:
        raise ValueError(
            f"past must be the repetition_key of each position that the game of {game.name} has had, an array of "
            f"uint64 with one dimension, got {keys.dtype} of shape {keys.shape}"
        )
    return keys
