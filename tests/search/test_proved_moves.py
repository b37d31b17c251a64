"""Of moves that are proved in a game of many results, a search never plays one that is worse than another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import PUCT
from plyground.envs import othello

# Endings of Othello in which the most visited move was proved, and another one was proved to be better.
ENDINGS = (
    (385, 20, "0e0f90c0c8daceffb0702f3f3725310040804000000000000000000000000000"),
    (564, 50, "0000017d34381800fcfefe82cbc7e77f03010000000000800000000000000000"),
    (580, 50, "fdffbf3d3db1013f02004042c24e7e0000000080000080c00000000000000000"),
)


def best_of_proved(found: Any) -> bool:
    """Return whether the move that was chosen is unproved, or the best of those that are proved."""
    proved = {action: found.values[action] for action in found.proved if action in found.values}
    return found.best_action not in proved or proved[found.best_action] == max(proved.values())


@pytest.mark.parametrize(("seed", "simulations", "state"), ENDINGS)
def test_known_endings(seed: int, simulations: int, state: str) -> None:
    game = othello(by_discs=True)
    position = np.frombuffer(bytes.fromhex(state), game.dtype)[0]
    found = PUCT(game, simulations, proofs=True, root="puct", seed=seed).analyse(position)
    assert len(found.proved or ()) > 1
    assert not found.exact
    assert best_of_proved(found)


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_random_endings(root: Any) -> None:
    game, rng, proved = othello(by_discs=True), np.random.default_rng(1), 0
    for seed in range(60):
        state = game.new_state()
        for _ in range(56):
            if not game.is_terminal(state):
                game.play(state, int(rng.choice(game.actions(state))))
        if game.is_terminal(state):
            continue
        for simulations in (10, 40):
            found = PUCT(game, simulations, proofs=True, root=root, seed=seed).analyse(state)
            assert best_of_proved(found)
            proved += len(found.proved or ()) > 0
    assert proved >= 10
