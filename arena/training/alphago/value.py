"""The value network v_θ: what a position is worth when the policy by play plays both sides.

Positions of one game are alike, and share its result: a network that learns them all memorises games. So of each game
one position is learned (the paper's Methods, "Value network: regression"): the policy from records plays up to a ply
that is drawn, then comes one random move, then the policy by play goes on to the end. The position after the random
move is learned.

The contrast is as many positions of whole games: what is learned from them fits games that were seen, and not others.
Both nets are tested on held-out positions of either kind: by those of the other kind alone, nobody could tell games
that were memorised from positions that are unlike what was learned.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....agents.networks import new_network, read_network, save_network
from ....envs import GameBatch
from ....envs.vector.row_random import draw_numbers, draw_uniforms
from ..alphazero.samples import new_samples, pack
from .judging import Judge, opening_plies_of
from .measures import mean_squared_error
from .part import Part, Run, summary_of
from .play import drawn, play_games
from .policy import whole_buffer

__all__ = ["ValuePart"]

_ROWS = 256  # games that are played side by side
_FEW = 8  # that are played before the clock runs
_TEST = 0.1  # of the games are played in addition, for tests
_TITLES = {"one": "one position a game", "whole": "whole games"}
# The sets of positions, in the order in which they are played, and how. What is learned does not depend on the last
# one, which runs of older versions lack.
_SETS = {"one": "one", "test": "one", "whole": "whole", "whole test": "whole"}
_TESTS = ("test", "whole test")


class ValuePart(Part):
    """Plays games, learns one position of each, and then, as a contrast, as many positions of whole games.

    A step is a batch of games, or a step of learning.
    """

    name = "value"
    needs = ("policy", "rl")

    def __init__(self, run: Run) -> None:
        from .learners import ValueLearner

        super().__init__(run)
        config = run.config
        folder = run.path / self.name
        folder.mkdir(exist_ok=True)
        tests = max(1, int(_TEST * config.value_games))
        wanted = {"one": config.value_games, "test": tests}
        wanted |= {"whole": config.value_games, "whole test": tests} if config.contrast else {}
        self.wanted: dict[str, int] = wanted
        self.buffers = {name: whole_buffer(folder / name, run.game, load=False) for name in wanted}
        self.rng = np.random.default_rng([config.seed, 6])
        self.sampler = np.random.default_rng([config.seed, 7])
        self.learners = {
            name: ValueLearner(config.descending(), new_network(run.game, config.network, seed=config.seed + 1))
            for name in wanted
            if name not in _TESTS
        }
        self.longest = min(int(summary_of(run.path)["plies"]), run.game.max_plies)
        self.first = config.inference_of(read_network(run.model("policy")), _ROWS)
        self.second = config.inference_of(read_network(run.model("rl")), _ROWS)
        self.plies = opening_plies_of(run)
        self.judge = Judge(run)
        self._given = {"one": list[int](), "whole": list[int]()}  # positions that each batch of this session gave

    @property
    def total(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The steps in all: batches of games, done or, by what they give in this session, left; and learning."""
        left = 0
        for name, count in self.wanted.items():
            missing = max(0, count - self.buffers[name].total)
            left += math.ceil(missing / self._per_batch(name))
        learned = sum(learner.steps for learner in self.learners.values())
        to_learn = self.run.config.value_steps * len(self.learners) - learned
        return self.steps + left + to_learn

    def _per_batch(self, name: str) -> float:
        """Return how many positions a batch of games gives: a guess, before the first one is played."""
        kind = _SETS[name]
        if given := self._given[kind]:
            return max(1.0, sum(given) / len(given))
        return _ROWS * (self.longest / 2 if kind == "whole" else 1)

    def prepare(self) -> None:
        """Play a few games, which are not kept, so that compiling takes no time from the training."""
        self._single_positions(_FEW, seed=0)
        if "whole" in self.wanted:
            self._whole_games(_FEW, seed=0)
        self.judge.prepare()

    def turn(self) -> None:
        """Play a batch of games, or learn from a batch of positions."""
        for name, kind in _SETS.items():
            if name in self.wanted and self.buffers[name].total < self.wanted[name]:
                play = self._whole_games if kind == "whole" else self._single_positions
                samples = play(_ROWS, seed=int(self.rng.integers(2**31)))
                self._given[kind].append(len(samples))
                missing = self.wanted[name] - self.buffers[name].total
                self.buffers[name].append(samples[:missing])
                self.losses["positions"] = sum(buffer.total for buffer in self.buffers.values())
                self.steps += 1
                return
        config = self.run.config
        for name, learner in self.learners.items():
            if learner.steps < config.value_steps:
                batch = self.buffers[name].sample(config.batch_size, self.sampler, symmetry=config.symmetry)
                losses = learner.learn(batch)
                self.losses[f"value, {name}"] = losses["value"]
                self.steps += 1
                return

    def _single_positions(self, count: int, seed: int) -> NDArray[Any]:
        """Play games, and return one position of each that lasted long enough."""
        game = self.run.game
        batch = GameBatch(game, count, seed=seed)
        rows = np.arange(count)
        # The ply of the random move; the position after it is learned.
        turns = draw_numbers(batch.rngs, rows, self.longest)
        seen = np.zeros((count, *game.observation_shape), game.observation_dtype)
        masks = np.zeros((count, game.num_actions), np.bool_)
        movers, results = np.full(count, -1, np.int64), np.zeros(count, np.float32)
        while rows.size:
            plies = batch.plies[rows]
            batch.show(rows)
            at = rows[plies == turns[rows] + 1]
            seen[at], masks[at], movers[at] = batch.observations[at], batch.masks[at] != 0, batch.players[at]
            uniforms, actions = draw_uniforms(batch.rngs, rows), np.zeros(rows.size, np.int64)
            for net, some in (
                (self.first, np.flatnonzero(plies < turns[rows])),
                (self.second, np.flatnonzero(plies > turns[rows])),
            ):
                if some.size:
                    of = rows[some]
                    actions[some] = drawn(net, batch.observations[of], batch.masks[of] != 0, uniforms[some])
            random = np.flatnonzero(plies == turns[rows])
            if random.size:
                actions[random] = batch.random_actions(rows[random])
            batch.play(rows, actions)
            ended = rows[batch.over[rows]]
            gained = batch.rewards[ended, np.maximum(movers[ended], 0)]
            results[ended] = gained / game.max_utility
            rows = rows[~batch.over[rows]]
        found = np.flatnonzero(movers >= 0)
        samples = new_samples(game, found.size)
        pack(game, samples, seen[found], masks[found])
        samples["result"], samples["ply"], samples["game"] = results[found], turns[found] + 1, found
        return samples

    def _whole_games(self, count: int, seed: int) -> NDArray[Any]:
        """Play games of the policy by play against itself, and return all their positions, game by game."""
        game = self.run.game
        seats = np.zeros(count, np.int8)
        moves, results = play_games(
            game,
            (self.second, self.second),
            seats,
            self.plies,
            seed,
            lambda rows, movers: np.ones(rows.size, np.bool_),
        )
        order = np.lexsort((moves.plies, moves.games))
        samples = new_samples(game, order.size)
        pack(game, samples, moves.planes[order], moves.masks[order])
        samples["result"] = results[moves.games, moves.seats][order]
        samples["ply"], samples["game"] = moves.plies[order], moves.games[order]
        return samples

    def test(self) -> dict[str, float]:
        """Return the squared errors on what is learned, on held-out positions of both kinds, and against the truth."""
        return {
            f"{name}, {what}": error
            for name, marks in self._errors().items()
            for what, error in marks.items()
            if isinstance(error, float)
        }

    def finish(self) -> dict[str, Any]:
        """Return these errors, and against the truth by ply; the second net is written as ``whole.safetensors``."""
        if "whole" in self.learners:
            path = self.run.path / self.name / "whole.safetensors"
            save_network(path, self.learners["whole"].average, notes={"part": "value, whole games"})
        errors = self._errors(full=True)
        return {
            "positions": {name: buffer.total for name, buffer in self.buffers.items()},
            **{title: errors[name] for name, title in _TITLES.items() if name in errors},
        }

    def _errors(self, full: bool = False) -> dict[str, dict[str, Any]]:
        game, errors = self.run.game, {}
        for name, learner in self.learners.items():
            if not learner.steps:  # time has ended the part before
                continue
            net = self.run.config.inference_of(learner.average, 256)
            errors[name] = {"train": mean_squared_error(game, net, self._some(name))}
            for kind in _TESTS:
                buffer = self.buffers.get(kind)
                if buffer is not None and buffer.total:
                    errors[name][kind] = mean_squared_error(game, net, buffer.newest(buffer.total))
            for kind, marks in self.judge.values(net).items():
                errors[name][f"truth, {kind}"] = marks if full else marks["mse"]
        return errors

    def _some(self, name: str) -> NDArray[Any]:
        """Return positions that are learned from, about as many as there are for tests."""
        return self.buffers[name].newest(max(self.wanted["test"], 1000))

    def write(self, path: Path, notes: dict[str, Any]) -> None:
        """Write the mean of the weights of the net that learns one position of a game."""
        learner = self.learners["one"]
        save_network(path, learner.average, notes={**notes, "learned": learner.steps})

    def state_dict(self) -> dict[str, Any]:
        """Return all that the part goes on from."""
        return {
            "learners": {name: learner.state_dict() for name, learner in self.learners.items()},
            "buffers": {name: buffer.state_dict() for name, buffer in self.buffers.items()},
            "games": self.rng.bit_generator.state,
            "samples": self.sampler.bit_generator.state,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there; positions that were played after the state was saved are removed.

        A state of an older version has no held-out whole games: they are played when the part goes on.
        """
        for name, learner in self.learners.items():
            learner.load_state_dict(state["learners"][name])
        for name, buffer in self.buffers.items():
            buffer.load_state_dict(state["buffers"].get(name, {"total": 0}))
        self.rng.bit_generator.state = state["games"]
        self.sampler.bit_generator.state = state["samples"]
