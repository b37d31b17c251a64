"""The one loop that plays a game. It knows no kind of player and no game: PettingZoo's interface is all it uses."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..agents import as_agent
from ..envs import Game
from ..envs.players import PlayerLike, checked_answer, player_name
from ..envs.vector.opponents import prepare
from .records.record import GameRecord

__all__ = ["play"]


def play(
    env: Any,
    players: Mapping[str, PlayerLike] | Sequence[PlayerLike],
    seed: int | None = None,
    *,
    names: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> GameRecord:
    """Play one game in a two-player PettingZoo AEC environment, ours or another.

    Args:
        env: the environment; it is reset.
        players: what `plyground.agents.as_agent` takes, for each of ``env.possible_agents``, by its name there or in
            that order. (Spec strings only in environments of ours, which have a game.)
        seed: the environment's seed, from which both players' are made.
        names: the players' names in the record, first player first. Default: their specs, functions or classes.
        options: options for ``env.reset``; the moves in ``options["moves"]`` open the record.

    Raises:
        ValueError: there is not one agent for each seat, or one answers with what is no action; the message names it.
            (An illegal action loses the game, as the environment has it.)
    """
    seats = list(env.possible_agents)
    given = dict(players) if isinstance(players, Mapping) else dict(zip(seats, players, strict=False))
    if set(given) != set(seats) or len(players) != len(seats):
        raise ValueError(f"expected an agent for each of {seats}, got {list(players)!r}")
    game = env.game if isinstance(getattr(env, "game", None), Game) else None
    by_seat = {seat: as_agent(player, game) for seat, player in given.items()}
    labels = list(names or (player_name(given[seat]) for seat in seats))

    for seat in seats:  # before any clock runs
        prepare(by_seat[seat])
    env.reset(seed=seed, options=None if options is None else dict(options))
    seeds = np.random.SeedSequence(seed).generate_state(len(seats))
    for seat, agent_seed in zip(seats, seeds, strict=True):
        by_seat[seat].reset(None if seed is None else int(agent_seed))

    opening = [env.game.str_to_action(m) if isinstance(m, str) else int(m) for m in (options or {}).get("moves", ())]
    watchers = [agent.watch for agent in by_seat.values() if callable(getattr(agent, "watch", None))]  # pyright: ignore[reportAttributeAccessIssue]
    for watch, action in itertools.product(watchers, opening):
        watch(action)
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
        answer = by_seat[seat].act(observation, info)
        seconds.append(time.perf_counter() - start)
        action = checked_answer(answer, labels[seats.index(seat)], game)
        moves.append(action)
        movers.append(seats.index(seat))
        env.step(action)
        for watch in watchers:
            watch(action)
    return GameRecord(
        game=str(env) if game is None else game.source,
        players=labels,
        moves=moves,
        opening=len(opening),
        outcome=[outcome[seat] for seat in seats],
        ending=ending,
        seconds=seconds,
        movers=movers,
        seed=seed,
    )
