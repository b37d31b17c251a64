"""Asking a player for its move, and for its value of the position, in one position after another.

A player sees what it would see in a game: the environment's observation, ``action_mask`` and ``state``. It is reset
before each position with a seed of its own, so its answers do not depend on the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from ...agents import Policy, SearchAgent, as_agent, legal_mask
from ...agents.search import analyse_seen
from ...envs import BoardGameEnv, Game
from ...envs.outside.elsewhere import absolute
from ...envs.players import PlayerLike, checked_answer, player_name
from ..processes import packed, quiet, results_of, unpacked
from .heads import batch_of, head_values

__all__ = ["Answers", "ask", "iter_answers", "join_answers", "shown"]

_CHUNK = 64  # positions asked together

Line = Sequence[int]


class Answers(NamedTuple):
    """A player's moves, and its values of the positions."""

    actions: NDArray[np.int64]  # [positions]
    values: NDArray[np.float64]  # [positions] for the player to move, as shares of the largest utility; NaN for none


def ask(player: PlayerLike, game: Game, lines: Sequence[Line], seed: int = 0, jobs: int = 1) -> Answers:
    """Return what a player answers in the positions after these lines. See `iter_answers`."""
    return join_answers(iter_answers(player, game, lines, seed, jobs))


def join_answers(parts: Iterator[Answers] | Sequence[Answers]) -> Answers:
    """Return parts of answers as one."""
    parts = [Answers(np.zeros(0, np.int64), np.zeros(0)), *parts]  # there may be no parts
    return Answers(np.concatenate([part.actions for part in parts]), np.concatenate([part.values for part in parts]))


def iter_answers(
    player: PlayerLike, game: Game, lines: Sequence[Line], seed: int = 0, jobs: int = 1
) -> Iterator[Answers]:
    """Yield what a player answers, some positions at a time, in order.

    Args:
        player: an agent (picklable if ``jobs`` is not 1) or a spec string.
        game: the game.
        lines: the moves that lead to each position. No game may be over there.
        seed: the seed from which, with the number of each position, the player's seeds are made.
        jobs: processes; the answers do not depend on their number.

    Raises:
        ValueError: the player cannot be made, or not be pickled, or plays an illegal move.
        WorkerError: a process has died.
    """
    agent, name = as_agent(player, game), player_name(player)
    starts = range(0, len(lines), _CHUNK)
    if jobs == 1:
        return (_answers(agent, name, game, lines[i : i + _CHUNK], seed, i) for i in starts)
    sent = absolute(player) if isinstance(player, str) else player  # a worker may be in another folder
    parcel = packed((sent, name, game), [(name, sent)])
    work = (delayed(_answers_in_worker)(*parcel, lines[i : i + _CHUNK], seed, i) for i in starts)
    return results_of(work, jobs, "asks a player")


def shown(game: Game, lines: Sequence[Line]) -> Iterator[tuple[dict[str, NDArray[Any]], dict[str, Any]]]:
    """Yield the observation and the info of the player to move after each line."""
    env: Any = BoardGameEnv(game)
    for line in lines:
        env.reset(options={"moves": line})
        observation, _, _, _, info = env.last()
        yield observation, info


def _answers_in_worker(token: str, data: Any, lines: Sequence[Line], seed: int, first: int) -> Answers:
    player, name, game = unpacked(token, data)
    with quiet():
        return _answers(player, name, game, lines, seed, first)


def _answers(player: PlayerLike, name: str, game: Game, lines: Sequence[Line], seed: int, first: int) -> Answers:
    agent = as_agent(player, game)
    seen = list(shown(game, lines))
    values = head_values(agent, game, seen)
    if isinstance(agent, Policy) and agent.greedy:
        return Answers(
            agent.choose(*batch_of(seen), None), values if values is not None else np.full(len(seen), np.nan)
        )
    moves, own = np.zeros(len(seen), np.int64), np.full(len(seen), np.nan)
    # A search with an evaluation of another kind has values in units of its own.
    in_utilities = isinstance(agent, SearchAgent) and np.isfinite(agent.game.max_utility)
    for i, (observation, info) in enumerate(seen):
        agent.reset(int(np.random.SeedSequence([seed, first + i]).generate_state(1)[0]))
        if isinstance(agent, SearchAgent):
            found = analyse_seen(agent, observation, info)
            moves[i] = found.best_action
            own[i] = found.value / game.max_utility if in_utilities else np.nan
        else:
            moves[i] = checked_answer(agent.act(observation, info), name, game)
        if not legal_mask(observation, info)[moves[i]]:
            raise ValueError(f"{name} plays {moves[i]}, which is illegal, in\n{game.text(info['state'])}")
    return Answers(moves, own if values is None else values)
