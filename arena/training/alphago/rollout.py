"""The rollout policy: the paper's p_π, a linear softmax over local features, learned from the same records.

It predicts moves worse than a network does, and takes a small part of the time, so that a game can be played to its end
at each leaf of a search. The features are the game's own, see `plyground.envs.definition.knowledge`; a game without
any has no such policy.

`plyground.agents.mcts.fitting` learns the weights; here a step is some games, drawn at random.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....agents.mcts.fitting import Examples, LinearLearner, Ranks, examples_of, ranks_of
from ....agents.mcts.policies import Policy, policy_rollout
from ....envs import Game
from ....envs.jit import kernel
from ....envs.jit.prng import new_rng
from ...formats import read_records
from ...records.record import GameRecord
from ...records.replay import legal_moves
from .judging import Judge
from .measures import accuracy_of
from .overlap import also_learned, marks_of_others
from .part import Part, Run

__all__ = ["RolloutPart"]

_GAMES = 32  # that a step learns from
_CHUNK = 256  # games that are tested together
_SECONDS = 0.5  # for which rollouts are timed


class RolloutPart(Part):
    """Learns the moves of records by a linear softmax over local features; a step learns some games."""

    name = "rollout"

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        config = run.config
        self.total = config.rollout_steps if run.game.knowledge.num_weights else 0
        self.learned, self.held_out = (
            list(read_records(run.path / "records" / f"{name}.jsonl")) for name in ("learned", "held_out")
        )
        self.rng = np.random.default_rng([config.seed, 8])
        self.learner = LinearLearner(run.game)
        self.judge = Judge(run)

    @property
    def is_empty(self) -> bool:
        """Whether the game has no local features."""
        return not self.run.game.knowledge.num_weights

    def prepare(self) -> None:
        """Look at a game, so that compiling takes no time from the training."""
        if not self.is_empty:
            self._examples(self.learned[:1])
            self.judge.prepare()

    def turn(self) -> None:
        """Learn from some games."""
        examples = self._examples(
            [self.learned[number] for number in self.rng.integers(len(self.learned), size=_GAMES)]
        )
        if len(examples):
            self.losses = {"policy": -self.learner.step(examples, np.arange(len(examples)))}
        self.steps += 1

    def _examples(self, records: Sequence[GameRecord], but: NDArray[np.bool_] | None = None) -> Examples:
        """Return the moves that players chose, but for those marked in ``but`` [records, plies]."""
        lines = [legal_moves(record) for record in records]
        wanted = [np.array(one.movers[: len(line)]) >= 0 for one, line in zip(records, lines, strict=True)]
        if but is not None:
            wanted = [some & ~without[: some.size] for some, without in zip(wanted, but, strict=True)]
        return examples_of(self.run.game, lines, wanted)

    def _marks(self, but: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """Return the accuracy on held-out moves, but for those marked in ``but`` [held-out games, plies]."""
        policy = self.learner.policy()
        ranks, likelihoods, plies, missed = list[Ranks](), list[Any](), list[Any](), list[Any]()
        for start in range(0, len(self.held_out), _CHUNK):
            some = slice(start, start + _CHUNK)
            examples = self._examples(self.held_out[some], None if but is None else but[some])
            missed.append(examples.missed)
            if len(examples):
                found, own = ranks_of(policy, examples)
                ranks.append(found)
                likelihoods.append(own)
                plies.append(examples.plies)
        known, unknown = sum(map(len, plies)), sum(map(len, missed))
        ranks.append(Ranks(np.full(unknown, np.inf), np.zeros(unknown)))  # moves that are no candidates count as missed
        likelihoods.append(np.full(unknown, np.nan))
        marks = accuracy_of(Ranks.joined(ranks), np.concatenate(likelihoods), np.concatenate([*plies, *missed]))
        return {**marks, "candidates": known / (known + unknown)}

    def test(self) -> dict[str, float]:
        """Return the accuracy on held-out games."""
        if self.is_empty:
            return {}
        marks = self._marks()
        return {name: marks[name] for name in ("top 1", "top 5", "log likelihood") if marks[name] is not None}

    def finish(self) -> dict[str, Any]:
        """Return the accuracy on held-out games, by ply too, the time of a move, and the truth."""
        if self.is_empty:
            return {"left out": f"{self.run.game.spec} gives no local features: rollouts are random"}
        marks, learned = self._marks(), also_learned(self.run)
        others = marks_of_others(marks["positions"], int(learned.sum()), lambda: self._marks(learned))
        return {
            "accuracy": marks | others,
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
        return {**self.learner.state_dict(), "random": self.rng.bit_generator.state}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self.learner.load_state_dict(state)
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


@kernel
def _roll(game, states, policy, actions, rng):
    return policy_rollout(game, states[0], -1, -1, policy, actions, rng)
