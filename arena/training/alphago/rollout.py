"""The rollout policy: the paper's p_π, a linear softmax over local features, learned from the same records.

It predicts moves worse than a network does, and takes a small part of the time, so that a game can be played to its end
at each leaf of a search. The features are the game's own, see `plyground.envs.definition.knowledge`; a game without
any has no such policy.

The weights climb the log likelihood of the moves, one after the other, by stochastic gradient ascent in compiled code:
``w += η (φ(s, a) - Σ_b p(b|s) φ(s, b))`` for the move a in position s.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....agents.mcts import LinearPolicy
from ....agents.mcts.policies import Policy, policy_rollout
from ....envs import Game
from ....envs.jit import kernel
from ....envs.jit.prng import new_rng
from ...records.record import GameRecord
from ...records.replay import legal_moves
from .judging import Judge
from .measures import accuracy_of
from .part import Part, Run

__all__ = ["LinearLearner", "RolloutPart"]

_GAMES = 32  # that a step learns from
_RATE, _LEAST = 0.1, 0.01  # η at first, and where it falls to, with the inverse root of the steps
_DECAY_AFTER = 100  # steps
_SECONDS = 0.5  # for which rollouts are timed


class LinearLearner:
    """The weights of a linear policy, and what improves and tests them.

    Args:
        game: a game that has local features.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.weights = np.zeros(game.knowledge.num_weights)
        self._start = np.zeros(1, game.dtype)
        self._actions = np.zeros(game.num_actions, np.int32)
        self._features = np.zeros((game.num_actions, game.knowledge.slots), np.int32)
        self._scores = np.zeros(game.num_actions)

    def learn(self, record: GameRecord, rate: float) -> tuple[float, int]:
        """Learn a game's moves; return the sum of their log likelihoods before each was learned, and their number."""
        moves, chosen = _moves_of(record)
        ranks, likelihoods = np.zeros(moves.size, np.int64), np.zeros(moves.size)
        self._run(moves, chosen, rate, ranks, likelihoods)
        known = likelihoods[chosen & np.isfinite(likelihoods)]
        return float(known.sum()), known.size

    def tested(self, records: Sequence[GameRecord]) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Return, of each move that a player chose, how many were preferred to it, its log likelihood, and its ply.

        A move that is no candidate has minus infinity, and all actions are preferred to it.
        """
        found: list[tuple[NDArray[Any], ...]] = []
        for record in records:
            moves, chosen = _moves_of(record)
            ranks, likelihoods = np.zeros(moves.size, np.int64), np.zeros(moves.size)
            self._run(moves, chosen, 0.0, ranks, likelihoods)
            found.append((ranks[chosen], likelihoods[chosen], np.flatnonzero(chosen)))
        ranks, likelihoods, plies = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return ranks, likelihoods, plies

    def _run(
        self,
        moves: NDArray[np.int64],
        chosen: NDArray[np.bool_],
        rate: float,
        ranks: NDArray[np.int64],
        likelihoods: NDArray[np.float64],
    ) -> None:
        self._start[0] = self.game.initial[0]
        _follow(
            self.game,
            self._start,
            moves,
            chosen,
            rate,
            self.weights,
            self._actions,
            self._features,
            self._scores,
            ranks,
            likelihoods,
        )

    def policy(self) -> LinearPolicy:
        """Return the policy."""
        return LinearPolicy(self.game, self.weights)


class RolloutPart(Part):
    """Learns the moves of records by a linear softmax over local features; a step learns some games."""

    name = "rollout"

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        config = run.config
        self.total = config.rollout_steps if run.game.knowledge.num_weights else 0
        self.learned, self.held_out = (
            _read(run.path / "records" / f"{name}.jsonl") for name in ("learned", "held_out")
        )
        self.rng = np.random.default_rng([config.seed, 8])
        self.learner = LinearLearner(run.game)
        self.judge = Judge(run)

    @property
    def is_empty(self) -> bool:
        """Whether the game has no local features."""
        return not self.run.game.knowledge.num_weights

    def turn(self) -> None:
        """Learn from some games."""
        rate = max(_LEAST, _RATE * (_DECAY_AFTER / max(self.steps + 1, _DECAY_AFTER)) ** 0.5)
        total, count = 0.0, 0
        for number in self.rng.integers(len(self.learned), size=_GAMES):
            likelihood, moves = self.learner.learn(self.learned[number], rate)
            total, count = total + likelihood, count + moves
        self.losses = {"policy": -total / max(1, count)}
        self.steps += 1

    def _marks(self) -> dict[str, Any]:
        ranks, likelihoods, plies = self.learner.tested(self.held_out)
        known = np.isfinite(likelihoods)
        marks = accuracy_of(ranks[known], likelihoods[known], plies[known])
        # Moves that are no candidates count as missed.
        share = float(known.mean())
        marks["top 1"], marks["top 5"] = share * marks["top 1"], share * marks["top 5"]
        return {**marks, "candidates": share}

    def test(self) -> dict[str, float]:
        """Return the accuracy on held-out games."""
        if self.is_empty:
            return {}
        marks = self._marks()
        return {name: marks[name] for name in ("top 1", "top 5", "log likelihood")}

    def finish(self) -> dict[str, Any]:
        """Return the accuracy on held-out games, by ply too, the time of a move, and the truth."""
        if self.is_empty:
            return {"left out": f"{self.run.game.spec} gives no local features: rollouts are random"}
        return {
            "accuracy": self._marks(),
            "seconds per move": seconds_per_ply(self.run.game, Policy(linear=self.learner.policy().for_kernel())),
            "seconds per random move": seconds_per_ply(self.run.game, None),
            "truth": self._truth(),
        }

    def _truth(self) -> dict[str, Any]:
        """Return the marks of preferred moves in solved positions."""
        found = {}
        for name, truth in self.judge.sets():
            policy, positions = self.learner.policy(), truth.positions
            moves = [
                int(policy.probabilities(positions.state(i), *_latest(line)).argmax())
                for i, line in enumerate(positions.lines)
            ]
            found[name] = truth.of_moves(np.array(moves, np.int64))
        return found

    def write(self, path: Path, notes: dict[str, Any]) -> None:
        """Write the policy; of a game without local features an empty file."""
        if self.is_empty:
            path.write_bytes(b"")
        else:
            self.learner.policy().save(path)

    def state_dict(self) -> dict[str, Any]:
        """Return all that the part goes on from."""
        return {"weights": self.learner.weights.copy(), "random": self.rng.bit_generator.state}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self.learner.weights[:] = state["weights"]
        self.rng.bit_generator.state = state["random"]


def seconds_per_ply(game: Game, policy: Policy | None) -> float:
    """Return the time of a ply of rollouts from the start, drawn and played; None stands for random moves."""
    states, actions, rng = np.zeros(1, game.dtype), np.zeros(game.num_actions, np.int32), new_rng(0)

    def rolled() -> int:
        states[0] = game.initial[0]
        return int(_roll(game, states, policy, actions, rng))

    rolled()
    return _timed(rolled)


def _timed(rolled: Callable[[], int]) -> float:
    start, plies = time.perf_counter(), 0
    while (seconds := time.perf_counter() - start) < _SECONDS:
        plies += rolled()
    return seconds / plies


def _latest(line: Sequence[int]) -> tuple[int, int]:
    last, before = ([-1, -1, *line])[:-3:-1]
    return last, before


def _moves_of(record: GameRecord) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the moves of a game, and which of them a player chose."""
    moves = np.array(legal_moves(record), np.int64)
    return moves, np.array(record.movers[: moves.size]) >= 0


def _read(path: Path) -> list[GameRecord]:
    return [GameRecord.from_json(line) for line in path.read_text().splitlines()]


@kernel
def _roll(game, states, policy, actions, rng):
    return policy_rollout(game, states[0], -1, -1, policy, actions, rng)


@kernel
def _follow(game, states, moves, chosen, rate, weights, actions, features, scores, ranks, likelihoods):
    """Play a game, and look at the policy before each move that was chosen; with a rate above 0, learn it.

    Args:
        game: the game.
        states: [1] the start, which is played on.
        moves: [plies] the actions.
        chosen: [plies] whether a player chose the move.
        rate: η.
        weights: [num_weights] of the policy, which are changed.
        actions: [num_actions] scratch.
        features: [num_actions, slots] scratch.
        scores: [num_actions] scratch.
        ranks: [plies] is set to how many candidates are preferred to the move.
        likelihoods: [plies] is set to the log of the move's probability.
    """
    state = states[0]
    last, before = np.int64(-1), np.int64(-1)
    for ply in range(moves.size):
        if chosen[ply]:
            count = game.local_features(state, last, before, actions, features)
            own, top = -1, -np.inf
            for i in range(count):
                score = 0.0
                for slot in range(features.shape[1]):
                    score += weights[features[i, slot]]
                scores[i] = score
                top = max(top, score)
                if actions[i] == moves[ply]:
                    own = i
            if own < 0:
                ranks[ply], likelihoods[ply] = actions.size, -np.inf
            else:
                rank, total = 0, 0.0
                for i in range(count):
                    rank += scores[i] > scores[own]
                    total += np.exp(scores[i] - top)
                ranks[ply], likelihoods[ply] = rank, scores[own] - top - np.log(total)
                if rate > 0:
                    for i in range(count):
                        change = rate * ((1.0 if i == own else 0.0) - np.exp(scores[i] - top) / total)
                        for slot in range(features.shape[1]):
                            weights[features[i, slot]] += change
        game.play(state, moves[ply])
        before, last = last, moves[ply]
