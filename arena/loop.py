"""The one loop that plays a game. It knows no kind of player and no game: PettingZoo's interface is all it uses."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..agents import Agent
from ..envs.vector.opponents import prepare
from .records.record import GameRecord

__all__ = ["play"]


def play(
    env: Any,
    players: Mapping[str, Agent] | Sequence[Agent],
    seed: int | None = None,
    *,
    names: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> GameRecord:
    """Play one game in a two-player PettingZoo AEC environment, ours or another.

    Args:
        env: the environment; it is reset.
        players: an agent for each of ``env.possible_agents``, by its name there or in that order.
        seed: the environment's seed, from which both players' are made.
        names: the players' names in the record, first player first. Default: their class names.
        options: options for ``env.reset``; the moves in ``options["moves"]`` open the record.

    Raises:
        ValueError: there is not one agent for each seat.
    """
    seats = list(env.possible_agents)
    by_seat = dict(players) if isinstance(players, Mapping) else dict(zip(seats, players, strict=False))
    if set(by_seat) != set(seats) or len(players) != len(seats):
        raise ValueError(f"expected an agent for each of {seats}, got {list(players)!r}")

    for seat in seats:  # before any clock runs
        prepare(by_seat[seat])
    env.reset(seed=seed, options=None if options is None else dict(options))
    seeds = np.random.SeedSequence(seed).generate_state(len(seats))
    for seat, agent_seed in zip(seats, seeds, strict=True):
        by_seat[seat].reset(None if seed is None else int(agent_seed))

    opening = [env.game.str_to_action(m) if isinstance(m, str) else int(m) for m in (options or {}).get("moves", ())]
    moves: list[int] = list(opening)
    movers, seconds = [-1] * len(opening), [0.0] * len(opening)
    outcome = dict.fromkeys(seats, 0.0)
    ending = "finished"
    for seat in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        outcome[seat] = float(reward)
        if terminated or truncated:
            ending = "illegal" if terminated and truncated else "truncated" if truncated else "finished"
            env.step(None)
            continue
        start = time.perf_counter()
        action = int(by_seat[seat].act(observation, info))
        seconds.append(time.perf_counter() - start)
        moves.append(action)
        movers.append(seats.index(seat))
        env.step(action)
    return GameRecord(
        game=env.game.spec if hasattr(env, "game") else str(env),
        players=list(names or (type(by_seat[seat]).__name__ for seat in seats)),
        moves=moves,
        opening=len(opening),
        outcome=[outcome[seat] for seat in seats],
        ending=ending,
        seconds=seconds,
        movers=movers,
        seed=seed,
    )
