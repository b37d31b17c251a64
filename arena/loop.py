"""The one loop that plays a game. It knows no kind of player and no game: PettingZoo's interface is all it uses."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any, TypeVar

import numpy as np

from ..agents import as_agent
from ..envs import Game
from ..envs.outside.messages import cut
from ..envs.players import PlayerLike, checked_answer, player_name
from ..envs.starting import read_options
from ..envs.vector.opponents import prepare
from .records.record import GameRecord

__all__ = ["Failures", "play"]

Failures = type[Exception] | tuple[type[Exception], ...]

_Answer = TypeVar("_Answer")
_REASON = 200  # signs


class _FailureError(Exception):
    """A player has failed in the midst of a game."""

    def __init__(self, seat: str, error: Exception) -> None:
        super().__init__(seat, error)
        self.seat, self.error = seat, error


def play(
    env: Any,
    players: Mapping[str, PlayerLike] | Sequence[PlayerLike],
    seed: int | None = None,
    *,
    names: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    failures: Failures = (),
) -> GameRecord:
    """Play one game in a two-player PettingZoo AEC environment, ours or another.

    Args:
        env: the environment; it is reset.
        players: what `plyground.agents.as_agent` takes, for each of ``env.possible_agents``, by its name there or in
            that order. (Spec strings only in environments of ours, which have a game.)
        seed: the environment's seed, from which both players' are made.
        names: the players' names in the record, first player first. Default: their specs, functions or classes.
        options: options for ``env.reset``; the moves in ``options["moves"]`` open the record.
        failures: errors of a player by which it loses the game, in place of their being raised:
            `plyground.agents.engines.EngineError` for programs, or `Exception`. The record's ``ending`` is then
            ``"failed"``, its ``reason`` says what happened, and the outcome is -1 for that player, +1 for the other.

    Raises:
        ValueError: there is not one agent for each seat, or one answers with what is no action; the message names it.
            (An illegal action loses the game, as the environment has it.)
    """

    def asked(seat: str, method: Callable[..., _Answer], *arguments: Any) -> _Answer:
        try:
            return method(*arguments)
        except failures as error:
            raise _FailureError(seat, error) from error

    seats = list(env.possible_agents)
    given = dict(players) if isinstance(players, Mapping) else dict(zip(seats, players, strict=False))
    if set(given) != set(seats) or len(players) != len(seats):
        raise ValueError(f"expected an agent for each of {seats}, got {list(players)!r}")
    game = env.game if isinstance(getattr(env, "game", None), Game) else None
    by_seat = {seat: as_agent(player, game) for seat, player in given.items()}
    labels = list(names or (player_name(given[seat]) for seat in seats))

    begun = options or {}
    opening: list[int] = []
    if len(begun.get("moves", ())):
        opening = [int(move) for move in env.game.line_of(begun["moves"], read_options(env.game, begun).state)]
    moves: list[int] = list(opening)
    movers, seconds = [-1] * len(opening), [0.0] * len(opening)
    outcome = dict.fromkeys(seats, 0.0)
    ending, reason = "finished", None
    watchers = [(seat, agent.watch) for seat, agent in by_seat.items() if callable(getattr(agent, "watch", None))]  # pyright: ignore[reportAttributeAccessIssue]
    try:
        for seat in seats:  # before any clock runs
            asked(seat, prepare, by_seat[seat])
        env.reset(seed=seed, options=None if options is None else dict(options))
        seeds = np.random.SeedSequence(seed).generate_state(len(seats))
        for seat, agent_seed in zip(seats, seeds, strict=True):
            asked(seat, by_seat[seat].reset, None if seed is None else int(agent_seed))
        for (seat, watch), action in itertools.product(watchers, opening):
            asked(seat, watch, action)
        for seat in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            outcome[seat] = float(reward)
            if terminated or truncated:
                ending = "illegal" if terminated and truncated else "truncated" if truncated else "finished"
                env.step(None)
                continue
            start = time.perf_counter()
            answer = asked(seat, by_seat[seat].act, observation, info)
            taken = time.perf_counter() - start
            action = asked(seat, checked_answer, answer, labels[seats.index(seat)], game)
            seconds.append(taken)
            moves.append(action)
            movers.append(seats.index(seat))
            env.step(action)
            is_over = any((*env.terminations.values(), *env.truncations.values()))
            with suppress(_FailureError) if is_over else nullcontext():  # who fails after the game has not lost it
                for watcher, watch in watchers:
                    asked(watcher, watch, action)
    except _FailureError as failure:
        ending, reason = "failed", _in_a_line(failure.error)
        outcome = {seat: -1.0 if seat == failure.seat else 1.0 for seat in seats}
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
        reason=reason,
    )


def _in_a_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return cut(f"{type(error).__name__}: {text}" if text else type(error).__name__, _REASON)
