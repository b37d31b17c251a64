"""The policy from records: the paper's SL policy network p_σ, which predicts the moves of others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....agents.networks import new_network, save_network
from ....envs import Game
from ..alphazero.replay import ReplayBuffer
from ..alphazero.samples import unpack_planes
from ..ladder import preferred
from .judging import Judge
from .measures import accuracy, seconds_per_call
from .overlap import also_learned, marks_of_others
from .part import Part, Run

__all__ = ["PolicyPart", "whole_buffer"]

_BATCH = 256  # positions that a net is asked about together in tests


def whole_buffer(path: Path, game: Game, *, load: bool = True) -> ReplayBuffer:
    """Return the samples of a folder, all of which are learned from; for ``load`` see `ReplayBuffer`."""
    return ReplayBuffer(path, game, lambda total: total, load=load)


class PolicyPart(Part):
    """Learns the moves of records, each through one of the board's symmetries."""

    name = "policy"

    def __init__(self, run: Run) -> None:
        from .learners import PolicyLearner

        super().__init__(run)
        config = run.config
        self.total = config.policy_steps
        self.buffer = whole_buffer(run.samples("train"), run.game)
        self.held_out = _all_of(whole_buffer(run.samples("test"), run.game))
        self.rng = np.random.default_rng([config.seed, 3])
        self.learner = PolicyLearner(config.descending(), new_network(run.game, config.network, seed=config.seed))
        self.judge = Judge(run)

    def prepare(self) -> None:
        """Solve the positions of its tests, before the clock runs."""
        self.judge.prepare()

    def turn(self) -> None:
        """Learn from a batch."""
        config = self.run.config
        self.losses = self.learner.learn(self.buffer.sample(config.batch_size, self.rng, symmetry=config.symmetry))
        self.steps += 1

    def test(self) -> dict[str, float]:
        """Return the accuracy on held-out games, and marks against the truth."""
        found = accuracy(self.run.game, self._inference(), self.held_out)
        marks = {name: found[name] for name in ("top 1", "top 5", "log likelihood")}
        return marks | self.judge.marks(self._choose)

    def finish(self) -> dict[str, Any]:
        """Return the accuracy on held-out games, by ply too, the truth, the ladder, and the time of a move."""
        game, net, held_out = self.run.game, self._inference(), self.held_out
        single = self.run.config.inference_of(self.learner.average, 1)
        planes = unpack_planes(game, held_out[:1])
        learned = also_learned(self.run)[held_out["game"], held_out["ply"]]
        others = marks_of_others(learned.size, int(learned.sum()), lambda: accuracy(game, net, held_out[~learned]))
        return {
            "accuracy": accuracy(game, net, held_out) | others,
            "seconds per move": seconds_per_call(lambda: single(planes)),
            "truth": self.judge.moves(self._choose),
            "ladder": self.judge.ladder(self._choose),
        }

    def _inference(self) -> Any:
        return self.run.config.inference_of(self.learner.average, _BATCH)

    @property
    def _choose(self) -> Any:
        net = self._inference()
        return lambda planes, masks: preferred(net, planes, masks)

    def write(self, path: Path, notes: dict[str, Any]) -> None:
        """Write the mean of the weights."""
        save_network(path, self.learner.average, notes=notes)

    def state_dict(self) -> dict[str, Any]:
        """Return all that the part goes on from."""
        return {"learner": self.learner.state_dict(), "random": self.rng.bit_generator.state}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self.learner.load_state_dict(state["learner"])
        self.rng.bit_generator.state = state["random"]


def _all_of(buffer: ReplayBuffer) -> NDArray[Any]:
    """Return all samples of a buffer."""
    return buffer.newest(buffer.total)
