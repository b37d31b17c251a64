"""The policy by play: the paper's RL policy network p_ρ, improved by REINFORCE against its own past.

Each update plays games against an opponent that is drawn from a pool of earlier selves, so that the policy does not
learn to beat the present one alone; the first in the pool is the policy from records, where the weights begin.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....agents.networks import SavedNetwork, load_network, save_network
from ....envs.vector.opponents import FromFunction
from ...openings import default_opening_plies
from ..ladder import preferred, results_against
from .judging import Judge, opening_plies_of
from .part import Part, Run
from .play import drawn, play_games

__all__ = ["ReinforcePart", "baselines"]


class ReinforcePart(Part):
    """Plays games of itself against its past, and raises the likelihood of the moves that won them."""

    name = "rl"
    needs = ("policy",)

    def __init__(self, run: Run) -> None:
        from .learners import ReinforceLearner

        super().__init__(run)
        config = run.config
        self.total = config.rl_steps
        first = load_network(run.model("policy"))
        self.learner = ReinforceLearner(config.descending(config.rl_learning_rate, averaging=0.0), first)
        self.pool: list[dict[str, Any]] = [self._weights()]
        self.rng = np.random.default_rng([config.seed, 4])
        self.plies = opening_plies_of(run)
        self.own = config.inference_of(first, config.rl_games)
        self.other = config.inference_of(first, config.rl_games)
        self.judge = Judge(run)
        self.wins = 0.5  # a moving mean of the share of points against the pool

    def prepare(self) -> None:
        """Play a game in each seat, so that compiling takes no time from the training."""
        seats = np.array([0, 1], np.int8)
        play_games(self.run.game, (self.own, self.other), seats, self.plies, 0, lambda rows, movers: movers >= 0)
        self.judge.prepare()

    def turn(self) -> None:
        """Play games against a past self, and learn from them."""
        config, game = self.run.config, self.run.game
        opponent = self.pool[int(self.rng.integers(len(self.pool)))]
        self.other.update(self._net(opponent))
        self.own.update(self.learner.net)
        seats = (np.arange(config.rl_games) % 2).astype(np.int8)
        moves, results = play_games(
            game,
            (self.own, self.other),
            seats,
            self.plies,
            int(self.rng.integers(2**31)),
            lambda rows, movers: movers == seats[rows],
        )
        gained = results[np.arange(len(seats)), seats]  # [games]
        z = gained[moves.games]
        advantages = None if config.baseline == "value" else z - baselines(gained, seats, config.baseline)[moves.games]
        if z.size:
            self.losses = self.learner.learn(moves.planes, moves.masks, moves.actions, advantages, z, len(seats))
        self.wins = 0.9 * self.wins + 0.1 * float(np.mean((1 + np.sign(gained)) / 2))
        self.losses["score against the pool"] = self.wins
        self.steps += 1
        if self.steps % config.pool_every == 0:
            self.pool.append(self._weights())

    def _weights(self) -> dict[str, Any]:
        return {name: tensor.detach().clone() for name, tensor in self.learner.net.state_dict().items()}

    def _net(self, weights: Mapping[str, Any]) -> Any:
        arrays = {name: tensor.float().cpu().numpy() for name, tensor in weights.items()}
        return SavedNetwork(self.learner.net.config, arrays, {})

    def test(self) -> dict[str, float]:
        """Return the score against the policy from records, moves drawn on both sides, and marks of the best moves."""
        return {"score against policy": self._against_first()["drawn"]["score"]} | self.judge.marks(self._choose)

    def finish(self) -> dict[str, Any]:
        """Return the results against the policy from records and against the ladder, and the truth."""
        return {
            "against policy": self._against_first(),
            "truth": self.judge.moves(self._choose),
            "ladder": self.judge.ladder(self._choose),
            "pool": len(self.pool),
        }

    def _against_first(self) -> dict[str, Any]:
        """Return the results against the policy from records, with moves drawn, as in the paper, and preferred ones."""
        config, game = self.run.config, self.run.game
        plies = default_opening_plies(game)  # as against the ladder
        own = config.inference_of(self.learner.net, config.ladder_games)
        first = config.inference_of(self._net(self.pool[0]), config.ladder_games)
        rng = np.random.default_rng([config.seed, 5])

        def sampled(net: Any) -> Any:
            return lambda planes, masks: drawn(net, planes, masks, rng.random(len(planes)))

        def best(net: Any) -> Any:
            return lambda planes, masks: preferred(net, planes, masks)

        found = {}
        for how, chooser in (("drawn", sampled), ("preferred", best)):
            reply = chooser(first)
            opponent = FromFunction(lambda observations, masks, reply=reply: reply(observations, masks != 0))
            rewards = results_against(game, chooser(own), opponent, config.ladder_games, plies, config.seed)
            found[how] = {
                "games": len(rewards),
                "won": int((rewards > 0).sum()),
                "drawn": int((rewards == 0).sum()),
                "lost": int((rewards < 0).sum()),
                "score": float(np.mean((1 + np.sign(rewards)) / 2)),
            }
        return found

    @property
    def _choose(self) -> Any:
        net = self.run.config.inference_of(self.learner.net, 256)
        return lambda planes, masks: preferred(net, planes, masks)

    def write(self, path: Path, notes: dict[str, Any]) -> None:
        """Write the net."""
        save_network(path, self.learner.net, notes=notes)

    def state_dict(self) -> dict[str, Any]:
        """Return all that the part goes on from."""
        return {
            "learner": self.learner.state_dict(),
            "pool": {str(number): dict(weights) for number, weights in enumerate(self.pool)},
            "random": self.rng.bit_generator.state,
            "wins": self.wins,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self.learner.load_state_dict(state["learner"])
        self.pool = [dict(state["pool"][str(number)]) for number in range(len(state["pool"]))]
        self.rng.bit_generator.state = state["random"]
        self.wins = float(state["wins"])


def baselines(gained: NDArray[np.float32], seats: NDArray[np.int8], kind: str) -> NDArray[np.float32]:
    """Return what is subtracted from each result [games].

    Args:
        gained: [games] the results.
        seats: [games] the seats they were got in.
        kind: ``"mean"``: the mean of the other games in the same seat, which does not depend on the game's own moves,
            so that the gradient stays unbiased; ``"none"``: nothing.
    """
    if kind == "none":
        return np.zeros_like(gained)
    found = np.zeros_like(gained)
    for seat in (0, 1):
        rows = np.flatnonzero(seats == seat)
        if rows.size > 1:
            found[rows] = (gained[rows].sum() - gained[rows]) / (rows.size - 1)
    return found
