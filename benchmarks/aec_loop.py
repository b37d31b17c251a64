"""PettingZoo's loop with a random player: the one loop that both sides' environments are timed in."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from harness import Work

__all__ = ["GAMES", "aec_loop"]

GAMES = 20  # in one piece of work


def aec_loop(env: Any) -> Work:
    """Return work that plays `GAMES` random games in ``env`` and counts the passes through the loop.

    The player is as cheap as plain Python allows, because its time is in both sides' numbers. Both sides have the same
    seed and the same masks, so they play the same games. The two empty steps that end a game count as well.
    """
    rng = random.Random(0)

    def work() -> int:
        steps = 0
        for _ in range(GAMES):
            env.reset()
            for _agent in env.agent_iter():
                observation, _reward, termination, truncation, _info = env.last()
                mask = observation["action_mask"]
                over = termination or truncation
                env.step(None if over else rng.choice(np.flatnonzero(mask).tolist()))
                steps += 1
        return steps

    return work
