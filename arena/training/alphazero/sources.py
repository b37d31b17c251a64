"""Where samples come from: self-play in this process, by turns with learning."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ....agents.puct.forest import Evaluate
from ....envs import Game
from .config import AlphaZeroConfig
from .self_play import Counts, SelfPlay

__all__ = ["OwnPlay", "Source", "evaluate_by", "new_inference"]


class Source(Protocol):
    """What samples come from."""

    def prepare(self) -> None:
        """Get ready, before any clock runs."""
        ...

    def collect(self) -> tuple[NDArray[Any], Counts]:
        """Return new samples, and what was done for them."""
        ...

    def publish(self, net: Any) -> None:
        """Play with this net from here on."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Return what it goes on from."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        ...

    def close(self) -> None:
        """Free what it holds."""
        ...


class OwnPlay:
    """Self-play in this process: a turn plays some plies in each game.

    Args:
        game: the game.
        config: the configuration.
        net: the net that plays first.
    """

    def __init__(self, game: Game, config: AlphaZeroConfig, net: Any) -> None:
        self.game, self.config = game, config
        self.inference = new_inference(config, net)
        self.play = SelfPlay(game, config, config.seed)
        self._is_closed = False

    def collect(self) -> tuple[NDArray[Any], Counts]:
        """Play a turn, and return the samples of the games that ended in it."""
        before = replace(self.play.stats)
        samples = self.play.play(self._evaluate, moves=self.config.turn_plies)
        return samples, self.play.stats - before

    def _evaluate(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Ask the net, unless nobody waits for what is played."""
        if self._is_closed:
            raise CancelledError
        return self.inference(planes)

    def prepare(self) -> None:
        """Compile what self-play needs."""
        SelfPlay(self.game, self.config, 0, num_envs=1).play(evaluate_by(self.inference), moves=1)

    def publish(self, net: Any) -> None:
        """Play with this net from here on."""
        self.inference.update(net)

    def state_dict(self) -> dict[str, Any]:
        """Return the games in progress."""
        return self.play.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with these games."""
        self.play.load_state_dict(state)

    def close(self) -> None:
        """End a turn that is played in another thread, at the next question to the net."""
        self._is_closed = True


def new_inference(config: AlphaZeroConfig, net: Any) -> Any:
    """Return what computes a net, as the configuration asks, for as many positions as games are played."""
    from ....agents.networks import make_inference

    return make_inference(
        net,
        config.backend,
        batch=config.num_envs,
        threads=config.threads_each,
        precision=config.precision,
        device=config.device,
    )


def evaluate_by(inference: Any) -> Evaluate:
    """Return an `Inference` as a forest asks it."""
    return lambda planes, masks: inference(planes)
