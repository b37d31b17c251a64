"""PettingZoo's loop with a random player: the one loop that both sides' environments are timed in."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from benchmarks.speed.harness import Work

__all__ = ["STEPS", "aec_loop"]

STEPS = 1000  # in one piece of work, at least: it ends with a game


def aec_loop(env: Any) -> Work:
    """Return work that plays random games in ``env``, `STEPS` long together, and counts the passes through the loop.

    The player is as cheap as plain Python allows, because its time is in both sides' numbers. The two empty steps that
    end a game count as well.

    Each piece of work starts from the same seed, and with the same masks both sides play the same games. That is so in
    all that is measured here, although our Go forbids positional superko and ends after 324 plies (on 9x9), and
    ``go_v5`` does neither: that parts 5 of 250 random games, none of those in a piece of work.
    """

    def work() -> int:
        rng = random.Random(0)
        steps = 0
        while steps < STEPS:
            env.reset()
            for _agent in env.agent_iter():
                observation, _reward, termination, truncation, _info = env.last()
                mask = observation["action_mask"]
                over = termination or truncation
                env.step(None if over else rng.choice(np.flatnonzero(mask).tolist()))
                steps += 1
        return steps

    return work
