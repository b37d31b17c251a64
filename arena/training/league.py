"""Whom the learner meets: itself, as it is and as it was, and players of other kinds.

A pool of snapshots of its network is the learner as it was. A few of them, drawn by a rule, are in play at a time, so
that a step asks few networks, each for many games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...agents import Policy
from ...envs import Game
from ...envs.vector.batch import GameBatch
from ...envs.vector.opponents import (
    Opponents,
    as_opponents,
    close,
    load_opponents_state,
    needs_moves,
    opponents_state,
    prepare,
)
from ...envs.vector.row_random import draw_uniforms
from ...envs.vector.state_dicts import restore
from .config import TrainingConfig

__all__ = ["League", "Member"]

_LIVE = -1  # the number of the learner as it is; snapshots count from 0, other opponents from -2 down
_MEMORY = 200  # games over which a score is averaged
_HARDNESS = 2  # the power of (1 - score) in prioritised sampling


class Member(NamedTuple):
    """A snapshot of the learner."""

    steps: int  # of training until then
    policy: Any
    player: Opponents


class League:
    """The opponents of a training run: an `Opponents` that draws one for each game.

    Args:
        game: the game.
        config: the run's configuration.

    Attributes:
        snapshots: by number, the oldest first: those of the pool, and some that have left it but finish their games.
        scores: the learner's mean score, from 0 to 1, in its last games against each opponent, by number.
        games: the number of games that have ended.
        stride: the pool has the snapshots whose numbers are multiples of this, and the newest.
    """

    def __init__(self, game: Game, config: TrainingConfig) -> None:
        self.game, self.config = game, config
        self.others = [as_opponents(spec, game) for spec in config.opponents]
        self.needs_moves = any(map(needs_moves, self.others))
        shares = np.array(list(config.opponents.values()), float)
        self._shares = (1 - config.self_play) * shares / shares.sum() if shares.size else shares
        self.learner: Any = None  # the network as it is
        self._live: Opponents | None = None
        self.snapshots: dict[int, Member] = {}
        self.pool: list[int] = []
        self.seated = np.full(config.num_envs, _LIVE, np.int64)  # whom each game is against
        self.scores: dict[int, float] = {}
        self.games, self.active_opponents, self._next, self.stride = 0, [_LIVE], 0, 1
        self.rng = np.random.default_rng(np.random.SeedSequence([config.seed, 1]))

    def prepare(self, batch: GameBatch) -> None:
        """Let the opponents that are not the learner compile what they need, if it meets them."""
        for other in self.others if self.config.self_play < 1 else ():
            prepare(other, batch)

    def close(self) -> None:
        """Let them end what they have started, such as programs."""
        for other in self.others:
            close(other)

    def follow(self, learner: Any) -> None:
        """Let a network be the learner. The opponent "itself" plays as that network does at the moment."""
        self.learner, self._live = learner, self._player(learner)

    # -- the pool ------------------------------------------------------------------------------------------------------

    def add(self, steps: int) -> None:
        """Put the learner, as it is now, into the pool."""
        newest = self._next
        self._keep(newest, steps, self.learner.state_dict())
        self._next += 1
        self.pool = [number for number in self.pool if number % self.stride == 0] + [newest]
        while len(self.pool) > self.config.pool:
            self.stride *= 2
            self.pool = [number for number in self.pool if number % self.stride == 0 or number == newest]

    def _keep(self, number: int, steps: int, weights: Any) -> None:
        """Keep a network with these weights under this number."""
        policy = type(self.learner)(**self.learner._get_constructor_parameters())
        policy.load_state_dict(weights)
        self.snapshots[number] = Member(steps, policy, self._player(policy))

    def draw(self) -> None:
        """Draw the snapshots in play from here on; forget those that are neither in a game nor in the pool."""
        candidates = [_LIVE, *self.pool]
        if self.config.sampling == "latest" or len(candidates) == 1:
            self.active_opponents = [_LIVE]
        else:
            weights = np.ones(len(candidates))
            if self.config.sampling == "prioritised":
                weights = np.array([(1 - self.scores.get(number, 0.5)) ** _HARDNESS for number in candidates]) + 1e-3
            count = min(self.config.active_opponents, len(candidates))
            drawn = self.rng.choice(len(candidates), count, replace=False, p=weights / weights.sum())
            self.active_opponents = sorted(candidates[i] for i in drawn)
        for number in set(self.snapshots) - {*self.pool, *self.seated.tolist(), *self.active_opponents}:
            del self.snapshots[number]
            self.scores.pop(number, None)

    def name(self, number: int) -> str:
        """Return what an opponent is called."""
        if number <= -2:
            return list(self.config.opponents)[-2 - number]
        return "itself" if number == _LIVE else f"snapshot {self.snapshots[number].steps}"

    # -- the games -----------------------------------------------------------------------------------------------------

    def begin(self, batch: GameBatch, rows: NDArray[np.intp]) -> None:
        """Draw an opponent for each new game."""
        share = self.config.self_play / len(self.active_opponents)
        bounds = np.cumsum([*(share for _ in self.active_opponents), *self._shares])[:-1]
        numbers = np.array([*self.active_opponents, *(-2 - i for i in range(len(self.others)))])
        self.seated[rows] = numbers[np.searchsorted(bounds, draw_uniforms(batch.rngs, rows), side="right")]
        self._tell(rows, lambda other, some: other.begin(batch, rows[some]))

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the opponents' actions in these rows."""
        numbers = self.seated[rows]
        actions = np.zeros(rows.size, np.int64)
        for number in np.unique(numbers).tolist():
            some = np.flatnonzero(numbers == number)
            actions[some] = self._opponent(number).act(batch, rows[some])
        return actions

    def end(self, batch: GameBatch, rows: NDArray[np.intp], rewards: NDArray[np.float32]) -> None:
        """Count games that have ended, with the learner's ``rewards`` [some], in its scores."""
        self.games += rows.size
        numbers, points = self.seated[rows], (1 + np.sign(rewards)) / 2
        for number in np.unique(numbers).tolist():
            own = points[numbers == number]
            mean = float(own.mean())
            kept = (1 - 1 / _MEMORY) ** own.size
            self.scores[number] = mean + (self.scores.get(number, mean) - mean) * kept
        self._tell(rows, lambda other, some: other.end(batch, rows[some], rewards[some]))

    # -- going on later ------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return what the league goes on from: arrays, tensors, numbers and texts, in nested dicts."""
        return {
            "seated": self.seated.copy(),
            "snapshots": {
                str(number): {"steps": member.steps, "weights": member.policy.state_dict()}
                for number, member in self.snapshots.items()
            },
            "pool": list(self.pool),
            "active_opponents": list(self.active_opponents),
            "next": self._next,
            "stride": self.stride,
            "scores": [[number, score] for number, score in self.scores.items()],
            "games": self.games,
            "rng": self.rng.bit_generator.state,
            "others": {str(i): opponents_state(other) for i, other in enumerate(self.others)},
        }

    def load_state_dict(self, state: Mapping[str, Any], batch: GameBatch) -> None:
        """Go on from where a league of the same configuration was. Somebody must be followed already (`follow`).

        Args:
            state: what `state_dict` returned.
            batch: the games, restored.

        Raises:
            ValueError: the league was of another number of games, or of other opponents.
        """
        if len(state["others"]) != len(self.others):
            raise ValueError(f"the state is of {len(state['others'])} opponents, expected {len(self.others)}")
        restore({"seated": self.seated}, state)
        self.snapshots = {}
        for number, snapshot in state["snapshots"].items():
            self._keep(int(number), snapshot["steps"], snapshot["weights"])
        self.pool, self.active_opponents = ([*map(int, state[name])] for name in ("pool", "active_opponents"))
        self._next, self.stride, self.games = (int(state[name]) for name in ("next", "stride", "games"))
        self.scores = {int(number): float(score) for number, score in state["scores"]}
        self.rng.bit_generator.state = state["rng"]
        for i, other in enumerate(self.others):
            load_opponents_state(other, state["others"][str(i)], batch)

    def _tell(self, rows: NDArray[np.intp], tell: Callable[[Any, NDArray[np.intp]], object]) -> None:
        numbers = self.seated[rows]
        for i, other in enumerate(self.others):
            some = np.flatnonzero(numbers == -2 - i)
            if some.size:
                tell(other, some)

    def _opponent(self, number: int) -> Any:
        if number <= -2:
            return self.others[-2 - number]
        return self._live if number == _LIVE else self.snapshots[number].player

    def _player(self, policy: Any) -> Opponents:
        """Return players that draw moves from a network's distribution; of Q-values they play the best."""
        model = SimpleNamespace(
            policy=policy, action_space=policy.action_space, observation_space=policy.observation_space
        )
        return Policy(self.game, model, deterministic=False).batched()
