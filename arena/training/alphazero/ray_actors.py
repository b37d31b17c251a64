"""Self-play on the machines of a Ray cluster (`plyground.arena.cluster`), while this process learns.

Each actor is a plain actor of Ray's, with as many of the cluster's processors as it has threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....envs import Game
from .actor import Actor
from .config import AlphaZeroConfig
from .samples import new_samples
from .self_play import Counts
from .team import PATIENCE, Team

__all__ = ["RayActors"]

_AHEAD = 2  # turns that an actor is asked for: it plays one while another is handed over


class _Remote:
    """An `Actor` in a process of the cluster's."""

    def __init__(self, config: AlphaZeroConfig, net: Any, version: int, number: int) -> None:
        self._actor, self._version = Actor(config, net, number), version

    def turn(self, net: Any, version: int) -> tuple[NDArray[Any], Counts]:
        newer = net if version != self._version else None
        self._version = version
        return self._actor.turn(newer)


class RayActors(Team):
    """Actors on a Ray cluster, started again where one dies.

    Args:
        game: the game.
        config: the configuration.
        net: the net that plays first.

    Attributes:
        actors: the handles of Ray's actors, by number.

    Raises:
        ImportError: Ray is not installed.
    """

    def __init__(self, game: Game, config: AlphaZeroConfig, net: Any) -> None:
        self._cluster = config.cluster()
        super().__init__(game, config, net)
        self._ray = self._cluster.ray
        self.actors: dict[int, Any] = {}
        self._turns: dict[Any, int] = {}  # the actors that were asked for them
        self._version = 0
        self._weights: Any = None

    def prepare(self) -> None:
        """Join the cluster, and start the actors.

        Raises:
            ValueError: the cluster has fewer processors than the actors take.
        """
        config = self.config
        Actor(config, self.net, 0, num_envs=1).turn()  # what is wrong with the game or the net is told here
        self._cluster.join()
        wanted, there = config.actors * config.threads_each, self._cluster.processors
        if there < wanted:
            raise ValueError(
                f"{config.actors} actors of {config.threads_each} threads need {wanted} processors, and the Ray "
                f"cluster has {there:g}: give fewer actors, or let more machines join it"
            )
        self.publish(self.net)
        for _ in range(config.actors):
            self._start()

    def _start(self) -> None:
        number = self._next_number()
        remote = self._ray.remote(num_cpus=self.config.threads_each)(_Remote)
        actor = remote.remote(self.config, self._weights, self._version, number)
        self.actors[number] = actor
        for _ in range(_AHEAD):
            self._ask(number)

    def _ask(self, number: int) -> None:
        self._turns[self.actors[number].turn.remote(self._weights, self._version)] = number

    def collect(self) -> tuple[NDArray[Any], Counts]:
        """Return the samples that have come since, if any come within a second, and what was done for them.

        Raises:
            ActorError: one actor after the other ends before it sends anything.
        """
        ray, parts, done = self._ray, [new_samples(self.game, 0)], Counts()
        ready, rest = ray.wait(list(self._turns), timeout=PATIENCE)
        more, _ = ray.wait(rest, num_returns=len(rest), timeout=0) if rest else ([], [])
        for turn in [*ready, *more]:
            number = self._turns.pop(turn)
            if number not in self.actors:
                continue  # it has died, and its other turn with it
            try:
                samples, counts = ray.get(turn)
            except ray.exceptions.RayError as error:
                self._replace(number, error)
                continue
            parts.append(samples)
            done += counts
            self._has_sent()
            self._ask(number)
        return np.concatenate(parts), done

    def _replace(self, number: int, error: Exception) -> None:
        """Start an actor for one that has died."""
        self._ray.kill(self.actors.pop(number))
        self._has_died(str(error))
        self._start()

    def publish(self, net: Any) -> None:
        """Let the actors play with this net from the next turn on that they are asked for."""
        from ....agents.networks import SavedNetwork

        self._version += 1
        self._weights = self._ray.put(SavedNetwork(net.config, net.weights(), {}))

    def close(self) -> None:
        """End the actors, forget what they had not handed over, and leave the cluster."""
        for actor in self.actors.values():
            self._ray.kill(actor)
        self.actors.clear()
        self._turns.clear()
        self._cluster.leave()
