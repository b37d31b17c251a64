"""The examples of examples/integrations, each in its own library's loop; skipped where the library is not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from pettingzoo.classic import connect_four_v3, tictactoe_v3

from plyground.envs import connect_four_v0, tictactoe_v0
from tests.helpers.example_files import load

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[2] / "examples" / "integrations"
TORCHRL = "ignore:PettingZoo in TorchRL is tested using version == 1.24.3:UserWarning"  # and no other, whatever it is


def rows(game: ModuleType, wrapper: type, plies: int) -> list[tuple[Any, ...]]:
    """Play random legal plies under the example's wrapper, and return all that it shows."""
    env, rng = wrapper(game.env()), np.random.default_rng(1)
    shown, _ = env.reset(seed=1)
    seen = []
    for _ in range(plies):
        mask = env.mask()
        shown, reward, terminated, truncated, _ = env.step(rng.choice(np.flatnonzero(mask)))
        seen.append((shown.tobytes(), shown.dtype, mask.tobytes(), reward, terminated, truncated))
        if terminated:
            env.reset()
    return seen


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(connect_four_v0, connect_four_v3), (tictactoe_v0, tictactoe_v3)],
    ids=["connect_four", "tictactoe"],
)
def test_sb3_only_the_import_line_differs(ours: Any, theirs: Any) -> None:
    """With the same seed, PettingZoo's game and ours train the same network, to the last bit."""
    example = load("integrations/sb3_action_mask", "sb3_contrib")
    assert rows(ours, example.WhoeverMoves, 500) == rows(theirs, example.WhoeverMoves, 500)
    weights, expected = (example.train(game, 256, seed=3).policy.state_dict() for game in (ours, theirs))
    assert weights.keys() == expected.keys()
    for name, tensor in weights.items():
        assert tensor.equal(expected[name]), name


def test_sb3_runs() -> None:
    example = load("integrations/sb3_action_mask", "sb3_contrib")
    assert 0 <= example.main(steps=128, games=4) <= 1


def test_cleanrl() -> None:
    example = load("integrations/cleanrl_ppo", "torch")
    assert 0 <= example.main(updates=2, num_envs=8, steps=4, games=4) <= 1


def test_cleanrl_advantages_are_those_of_the_formula() -> None:
    example = load("integrations/cleanrl_ppo", "torch")
    import torch

    generator = torch.Generator().manual_seed(0)
    rewards, values = torch.randn(2, 9, 3, generator=generator)
    ends, last = (torch.rand(9, 3, generator=generator) < 0.3).float(), torch.randn(3, generator=generator)
    found = example.advantages_of(rewards, ends, values, last)
    following = [*values[1:], last]
    errors = [r + example.GAMMA * n * (1 - e) - v for r, n, e, v in zip(rewards, following, ends, values, strict=True)]
    for start in range(9):
        expected, alive = torch.zeros(3), torch.ones(3)
        for step in range(start, 9):  # the sum of (gamma lambda)^k delta to the game's end
            expected += (example.GAMMA * example.LAMBDA) ** (step - start) * alive * errors[step]
            alive = alive * (1 - ends[step])
        torch.testing.assert_close(found[start], expected)


@pytest.mark.filterwarnings(TORCHRL)
def test_torchrl_runs() -> None:
    example = load("integrations/torchrl_ppo", "torchrl")
    assert 0 <= example.main(updates=2, games_per_update=2, epochs=1, games=4) <= 1


@pytest.mark.filterwarnings(TORCHRL)
def test_torchrl_learns_from_every_ply_once_with_its_players_result() -> None:
    example = load("integrations/torchrl_ppo", "torchrl")
    env = example.PettingZooWrapper(connect_four_v0.env(info_state=False), use_mask=True, seed=0)
    for _ in range(5):
        game = env.rollout(42)
        moves = [example.moves_of(game, player) for player in env.possible_agents]
        assert sum(map(len, moves)) == len(game)
        assert len(moves[0]) - len(moves[1]) in (0, 1)
        results = [part["value_target"].unique().tolist() for part in moves]
        assert results in ([[1.0], [-1.0]], [[-1.0], [1.0]], [[0.0], [0.0]])
        for part in moves:
            assert part["action_mask"].gather(1, part["action"][:, None]).all()


def test_tianshou_runs() -> None:
    example = load("integrations/tianshou_dqn", "tianshou")
    assert 0 <= example.main(steps=512, num_envs=4, games=4) <= 1


def test_tianshou_gets_masks_and_rewards_in_turn() -> None:
    """Agents in turn, their own masks and rewards, and no state records."""
    example = load("integrations/tianshou_dqn", "tianshou")
    env = example.make_env()
    rng = np.random.default_rng(0)
    for _ in range(5):
        seen, info = env.reset()
        players: list[str] = []
        rewards, over = [], False
        while not over:
            players.append(seen["agent_id"])
            assert set(info) == {"action_mask"}
            assert seen["mask"] == info["action_mask"].astype(bool).tolist()
            seen, rewards, over, _, info = env.step(int(rng.choice(np.flatnonzero(seen["mask"]))))
        assert players == [f"player_{ply % 2}" for ply in range(len(players))]
        assert sorted(rewards) in ([-1, 1], [0, 0])
        if any(rewards):
            assert rewards[env.agent_idx[players[-1]]] == 1


def test_rllib_runs_and_tells_the_loser() -> None:
    """In a process of its own: Ray starts servers, and changes signal handlers and loggers."""
    pytest.importorskip("ray.rllib.algorithms.ppo", exc_type=ImportError)
    code = (
        "import rllib_ppo\n"
        "env = rllib_ppo.PettingZooEnv(rllib_ppo.connect_four_v0.env(info_state=False))\n"
        "env.reset()\n"
        "for action in (0, 1, 0, 1, 0, 1, 0):\n"
        "    seen, rewards, ended, *_ = env.step({env.env.agent_selection: action})\n"
        "assert rewards == {'player_0': 1, 'player_1': -1}, rewards\n"
        "assert ended == {'player_0': True, 'player_1': True, '__all__': True}, ended\n"
        "assert 0 <= rllib_ppo.main(iterations=1, steps=64, games=4) <= 1\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=FOLDER, capture_output=True, text=True, check=False, timeout=300
    )
    assert result.returncode == 0, result.stderr
