"""All that an environment shows in a game, record by record, to hold two environments side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["at_random", "transcript"]


def transcript(env: Any, choose: Callable[[NDArray[np.int8]], int]) -> Iterator[tuple[Any, ...]]:
    """Play one game, and yield all that can be seen before and after every step.

    Args:
        env: a PettingZoo environment of two players.
        choose: ``choose(mask)`` gives the action to play, legal or not.
    """
    env.reset()
    others = dict(zip(env.possible_agents, reversed(env.possible_agents), strict=True))
    inner = env.unwrapped  # wrappers pass these on, each by asking the next one, for longer than a move takes
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        other = env.observe(others[agent])
        for shown in (observation, other):
            yield "sees", shown["observation"].tobytes(), shown["action_mask"].tobytes()
            yield "shapes", *((a.shape, a.dtype, type(a)) for a in (shown["observation"], shown["action_mask"]))
        yield "last", agent, reward, terminated, truncated
        action = None if terminated or truncated else choose(observation["action_mask"])
        env.step(action)
        yield "played", action, inner.agent_selection, tuple(inner.agents), inner.num_agents
        for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
            yield name, tuple(getattr(inner, name).items())
        yield "infos", tuple(inner.infos)


def at_random(seed: int, illegal: float) -> Callable[[NDArray[np.int8]], int]:
    """Return a ``choose`` for `transcript` that draws legal actions, and a share ``illegal`` of them from all."""
    rng = np.random.default_rng(seed)

    def choose(mask: NDArray[np.int8]) -> int:
        choices = np.arange(len(mask)) if rng.random() < illegal else np.flatnonzero(mask)
        return int(choices[rng.integers(len(choices))])

    return choose
