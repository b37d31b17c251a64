"""The one loop that plays a game. It knows no kind of player and no game: PettingZoo's interface is all it uses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..agents import Agent, Isolated
from ..agents.timing import playing
from ..envs import BoardGameEnv, Game
from ..envs.outside.arguments import action_number, checked_whole
from ..envs.outside.messages import cut
from ..envs.players import PlayerLike, checked_answer, player_name
from ..envs.starting import position_text, read_options
from ..envs.vector.opponents import prepare
from .faults import note_fault
from .records.judgements import Judgement, judgement_of
from .records.record import GameRecord, check_names
from .referee import Adjudicator, Conditions, Failures, Position
from .referee.time_control import GameClock, TimeControl
from .seating import seated

__all__ = ["play", "play_under", "value_of"]

_Answer = TypeVar("_Answer")
_REASON = 200  # signs


class _EndError(Exception):
    """Something ends a game in the midst of it."""

    def __init__(self, ending: str, outcome: list[float], reason: str) -> None:
        super().__init__(ending, outcome, reason)
        self.ending, self.outcome, self.reason = ending, outcome, reason


def play(
    env: Any,
    players: Mapping[str, PlayerLike] | Sequence[PlayerLike],
    seed: int | None = None,
    *,
    names: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    failures: Failures = (),
    time: str | float | TimeControl | None = None,
    adjudication: str | Adjudicator | Sequence[str | Adjudicator] | None = (),
    analyses: bool = False,
) -> GameRecord:
    """Play one game in a two-player PettingZoo AEC environment, ours or another.

    Args:
        env: the environment, which is reset; or a game of ours or its name, of which an environment is made.
        players: what `plyground.agents.as_agent` takes, for each of ``env.possible_agents``, by its name there or in
            that order. (Spec strings only in environments of ours, which have a game.)
        seed: the environment's seed, from which both players' are made.
        names: the players' names in the record, first player first. Default: their specs, functions or classes.
        options: options for ``env.reset``; the moves in ``options["moves"]`` open the record, and a position in
            ``options["fen"]`` or ``options["state"]``, of games of ours, is its ``start``.
        failures: errors of a player by which it loses the game, in place of their being raised:
            `plyground.agents.engines.EngineError` for programs, or `Exception`. The record's ``ending`` is then
            ``"failed"``, its ``reason`` says what happened, and the outcome is -1 for that player, +1 for the other.
        time: the players' time, such as ``"60+0.5"`` or ``"0.2/move"``, or the seconds of a game, see
            `plyground.arena.referee.TimeControl`. A player who uses it up loses, and the ``ending`` is ``"time"``.
        adjudication: what ends games whose result is known, in environments of ours: ``"exact"``, ``"endings"``,
            ``"resign"``, ``"draw"``, each with options, one of one's own, or several; see
            `plyground.arena.referee.adjudication`. The ``ending`` is then ``"adjudicated"``.
        analyses: whether the record keeps what players found out about each of their moves, those that tell by an
            attribute ``last_analysis``, as searches do.

    Raises:
        ValueError: there is not one agent, or one name, for each seat, or an agent answers with what is no action; the
            message names it. (An illegal action loses the game, as the environment has it.) Or a condition cannot be
            held to, the options fit no game, or the seed is none.
    """
    conditions = Conditions.of(failures, time, adjudication, analyses)
    board = BoardGameEnv(env) if isinstance(env, (str, Game)) else env
    return play_under(board, players, seed, conditions, names=names, options=options)


def play_under(
    env: Any,
    players: Mapping[str, PlayerLike] | Sequence[PlayerLike],
    seed: int | None,
    conditions: Conditions,
    *,
    names: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> GameRecord:
    """Play one game, as `play` does, under these conditions."""
    seats = list(env.possible_agents)
    given = dict(players) if isinstance(players, Mapping) else dict(zip(seats, players, strict=False))
    if set(given) != set(seats) or len(players) != len(seats):
        raise ValueError(f"expected an agent for each of {seats}, got {list(players)!r}")
    game = env.game if isinstance(getattr(env, "game", None), Game) else None
    agents = _agents([given[seat] for seat in seats], game)
    if game is not None:
        conditions.check(game, agents)
    elif conditions.adjudication:
        raise ValueError(f"adjudication needs to see the state: expected an environment of plyground, got {env}")
    labels = [player_name(given[seat]) for seat in seats] if names is None else list(names)
    check_names(labels, len(seats))
    opening = _opening(game, options or {})
    record = GameRecord(
        game=str(env) if game is None else game.source,
        players=labels,
        moves=list(opening),
        opening=len(opening),
        outcome=[0.0, 0.0],
        ending="finished",
        seconds=[0.0] * len(opening),
        movers=[-1] * len(opening),
        seed=None if seed is None else checked_whole("seed", seed, 0),  # one of NumPy's no file of games could hold
        start=_start(game, options or {}),
        analyses=_judgements(len(opening)) if conditions.analyses else None,
    )
    clock = None if conditions.control is None else GameClock(conditions.control, (agents[0], agents[1]))
    try:
        ending = _play(env, agents, record, game, conditions, clock, None if options is None else dict(options))
    except _EndError as end:
        return replace(record, ending=end.ending, outcome=end.outcome, reason=end.reason)
    finally:
        if clock is not None:
            clock.close()
    return replace(record, ending=ending)


def _agents(players: Sequence[PlayerLike], game: Game | None) -> list[Agent]:
    """Return both players as agents; an object in both seats is one, which has one memory and one budget."""
    first, second = players
    agent = seated(first, game)
    return [agent, agent if second is first and not isinstance(first, str) else seated(second, game)]


def _judgements(plies: int) -> list[Judgement | None]:
    """Return what is kept of moves that nobody has thought about."""
    return [None] * plies


def _start(game: Game | None, options: Mapping[str, Any]) -> str | None:
    """Return the position in which a game begins; None: the initial one, or one that nobody here knows."""
    if game is None or (options.get("state") is None and options.get("fen") is None):
        return None
    return position_text(game, read_options(game, options).state)


def _opening(game: Game | None, options: Mapping[str, Any]) -> list[int]:
    """Return the actions of the moves that a game is begun with.

    Raises:
        ValueError: the options are none of a game of ours, as its environment says of them.
    """
    if game is None:
        return list(map(int, options.get("moves", ())))
    state, moves = read_options(game, options)
    if any(isinstance(move, str) for move in moves):  # what a name means may depend on the position
        moves = game.line_of(moves, state)
    return [action_number(move, game.num_actions) for move in moves]


def _play(
    env: Any,
    agents: Sequence[Any],
    record: GameRecord,
    game: Game | None,
    conditions: Conditions,
    clock: GameClock | None,
    options: dict[str, Any] | None,
) -> str:
    """Play the game that a record tells of; add its moves and its outcome, and return its ending.

    Raises:
        _EndError: it ended before its rules ended it.
    """

    def asked(seat: int, method: Callable[..., _Answer], *arguments: Any) -> _Answer:
        try:
            return _stayed(method, *arguments)
        except conditions.failures as error:
            raise _EndError("failed", _lost(seat), _in_a_line(error)) from error
        except Exception as error:
            note_fault(error, record, seat, getattr(method, "__name__", ""), game)
            raise

    seats, opening, seed = list(env.possible_agents), list(record.moves), record.seed
    now = conditions.now
    watchers = list[tuple[int, Callable[[int], Any]]]()
    for seat, agent in enumerate(agents):
        watch = getattr(agent, "watch", None)
        if callable(watch) and all(watch != known for _, known in watchers):  # one in both seats is told once
            watchers.append((seat, watch))
    for seat, agent in enumerate(agents):  # before any clock runs
        asked(seat, prepare, agent)
    env.reset(seed=seed, options=options)
    seeds = np.random.SeedSequence(seed).generate_state(len(seats))
    for seat, agent_seed in enumerate(seeds):
        asked(seat, agents[seat].reset, None if seed is None else int(agent_seed))
    for (seat, watch), action in itertools.product(watchers, opening):
        asked(seat, watch, action)
    ending, thought = "finished", None
    for name in env.agent_iter():
        seat = seats.index(name)
        observation, reward, terminated, truncated, info = env.last()
        record.outcome[seat] = _finite(reward, name)
        if terminated or truncated:
            ending = "illegal" if terminated and truncated else "truncated" if truncated else "finished"
            env.step(None)
            continue
        if conditions.adjudication and len(record.moves) > len(opening):
            value = None if thought is None else value_of(thought, agents[record.movers[-1]], game)
            _adjudicate(conditions, record, value, seat, info["state"])
        if clock is not None:
            clock.give(seat, math.inf if game is None else game.max_plies - len(record.moves))
        before = getattr(agents[seat], "last_analysis", None)
        start = now()
        answer = asked(seat, agents[seat].act, observation, info)
        taken = now() - start
        late = None if clock is None else clock.spend(seat, taken)
        if late is not None:
            raise _EndError("time", _lost(seat), f"{record.players[seat]} {late}")
        action = asked(seat, checked_answer, answer, record.players[seat], game)
        analysis = getattr(agents[seat], "last_analysis", None)
        thought = None if analysis is before else analysis  # the same one: it has not searched
        if record.analyses is not None:
            label = record.players[seat]
            record.analyses.append(None if thought is None else asked(seat, judgement_of, thought, label))
        record.seconds.append(taken)
        record.moves.append(action)
        record.movers.append(seat)
        env.step(action)
        is_over = any((*env.terminations.values(), *env.truncations.values()))
        with suppress(_EndError) if is_over else nullcontext():  # who fails after the game has not lost it
            for watcher, watch in watchers:
                asked(watcher, watch, action)
    return ending


def _stayed(method: Callable[..., _Answer], *arguments: Any) -> _Answer:
    """Call a method of a player.

    Raises:
        RuntimeError: the player has left Python, which would end all games without a word.
    """
    try:
        return method(*arguments)
    except SystemExit as error:
        raise RuntimeError(f"the player called sys.exit({error.code!r}), expected an answer") from error


def _finite(reward: Any, seat: str) -> float:
    """Return what a player has got, as it is kept: a file of games holds finite numbers."""
    if not math.isfinite(reward):
        raise ValueError(f"the environment gives {seat} the reward {reward!r}: expected a finite number")
    return float(reward)


def value_of(thought: Any, agent: Any, game: Game | None) -> float | None:
    """Return the value in an agent's analysis; None if it is in a unit of the agent's own, and not in the utility."""
    searched = playing(agent)
    own = getattr(searched.player if isinstance(searched, Isolated) else searched, "game", None)
    # A search that was given an `evaluate` plays a game without a largest utility.
    is_utility = not isinstance(own, Game) or game is None or own.max_utility == game.max_utility
    return float(thought.value) if is_utility else None


def _adjudicate(conditions: Conditions, record: GameRecord, value: float | None, seat: int, state: Any) -> None:
    """Ask the adjudicators about the position before a move; ``value`` is what the last mover's search had, or None.

    Raises:
        _EndError: one knows the result.
    """
    position = Position(state, seat, record.movers[-1], len(record.moves), value)
    for adjudicator in conditions.adjudication:
        verdict = adjudicator.look(position)
        if verdict is not None:
            raise _EndError("adjudicated", [0.0 + verdict.value, 0.0 - verdict.value], verdict.reason)  # no -0.0


def _lost(seat: int) -> list[float]:
    return [1.0, -1.0] if seat else [-1.0, 1.0]


def _in_a_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return cut(f"{type(error).__name__}: {text}" if text else type(error).__name__, _REASON)
