"""Go against ``pettingzoo.classic.go_v5``, record by record, illegal moves included.

The differences, of which `tests/games/test_go_classic.py` shows each one but the last, and `test_go.py` that:

- ``go_v5`` has each board as its mover saw it, so that a plane holds one's own stones on one ply and the opponent's on
  the next; here a plane always means the same. Translated here.
- It knows only the simple ko, and calls that an approximation. Compared with ``superko="simple"``.
- A tie pays black -1 and white +1 there, both 0 here. Compared with a komi that allows none.
- It has no limit on the length of a game; here the game is scored at the limit. Compared up to there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plyground.envs import BoardGameEnv

__all__ = ["CLASSIC_GO", "ClassicGo", "as_ours"]

_ILLEGAL = 0.002  # how often an action is drawn from all, not from the legal ones


def as_ours(planes: NDArray[np.bool_], seat: int, plies: int) -> NDArray[np.bool_]:
    """Return what ``go_v5`` shows to ``seat`` after so many plies, with each player's stones in their own planes."""
    planes = planes.copy()
    for frame in range(8):
        if (plies - 1 - frame) % 2 != seat:  # that board was shown as the opponent saw it
            planes[:, :, [2 * frame, 2 * frame + 1]] = planes[:, :, [2 * frame + 1, 2 * frame]]
    return planes


@dataclass(frozen=True)
class ClassicGo:
    """The two environments, on a board of one size."""

    name: str
    size: int
    games: int
    sample: int

    @property
    def game(self) -> str:
        """Our spec."""
        return f"go(board_size={self.size}, superko='simple')"

    peer = "pettingzoo go_v5"

    def run(self, games: int, seed: int = 0) -> Iterator[int]:
        """Play random games, and yield the length of each, in plies.

        Raises:
            AssertionError: something that the environments show differs.
        """
        ours: Any = BoardGameEnv(self.game)
        theirs: Any = import_module("pettingzoo.classic.go_v5").env(board_size=self.size)
        rng = np.random.default_rng(seed)
        for _ in range(games):
            ours.reset()
            theirs.reset()
            plies = 0
            while ours.agents:
                seen = ours.last()[0]
                _assert_same(ours, theirs, plies)
                over = ours.terminations[ours.agent_selection]
                illegal = rng.random() < _ILLEGAL
                legal = np.flatnonzero(np.ones_like(seen["action_mask"]) if illegal else seen["action_mask"])
                action = None if over else int(rng.choice(legal))
                ours.step(action)
                theirs.step(action)
                plies += action is not None and seen["action_mask"][action] == 1
                if plies == ours.game.max_plies:
                    assert all(ours.terminations.values())
                    break
            else:
                assert not theirs.agents
            yield plies


def _assert_same(ours: Any, theirs: Any, plies: int) -> None:
    assert ours.agent_selection == theirs.agent_selection
    assert ours.agents == theirs.agents
    for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
        assert getattr(ours, name) == getattr(theirs, name), (name, plies)
    for seat, agent in enumerate(ours.possible_agents):
        own, other = ours.observe(agent), theirs.observe(agent)
        np.testing.assert_array_equal(own["action_mask"], other["action_mask"])
        np.testing.assert_array_equal(own["observation"], as_ours(other["observation"], seat, plies))
        assert own["observation"].dtype == other["observation"].dtype


CLASSIC_GO = [
    ClassicGo("go5-classic", 5, games=20_000, sample=100),
    ClassicGo("go9-classic", 9, games=1_000, sample=5),
    ClassicGo("go19-classic", 19, games=20, sample=1),
]
