"""The batch as stable-baselines3 and sb3-contrib take it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

sb3 = pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecFrameStack  # noqa: E402

from plyground.envs import Game, SoloEnv  # noqa: E402
from plyground.envs.vector.stable_baselines import BoardVecEnv  # noqa: E402
from tests.envs.test_seats import Fixed, some_actions  # noqa: E402

torch.set_num_threads(1)
env_masks: Any = get_action_masks  # annotated for single environments


def test_equals_stable_baselines_own_vector_of_single_environments(game: Game, rng: np.random.Generator) -> None:
    ours: Any = BoardVecEnv(game, 3, Fixed(), "first")
    theirs: Any = DummyVecEnv([lambda: Monitor(SoloEnv(game, Fixed(), "first"))] * 3)
    assert isinstance(ours, VecEnv)
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    assert (ours.reset() == theirs.reset()).all()
    ended = 0
    for _ in range(120):
        masks = env_masks(ours)
        assert (masks == env_masks(theirs)).all()
        assert masks.any(axis=1).all()
        assert masks.dtype == np.bool_
        actions = some_actions(masks, rng, illegal=0.04)
        *found, infos = ours.step(actions)
        *expected, their_infos = theirs.step(actions)
        for array, their_array in zip(found, expected, strict=True):
            assert np.asarray(array).dtype == np.asarray(their_array).dtype
            assert (array == their_array).all()
        for info, their_info in zip(infos, their_infos, strict=True):
            assert info["TimeLimit.truncated"] is False
            assert ("episode" in info) == ("episode" in their_info) == ("terminal_observation" in info)
            assert info.get("illegal_action") == their_info.get("illegal_action")
            if "episode" in info:
                ended += 1
                assert (info["terminal_observation"] == their_info["terminal_observation"]).all()
                assert {**info["episode"], "t": 0} == {**their_info["episode"], "t": 0}
                assert info["episode"]["t"] >= 0
    assert ended > 3


def test_maskable_ppo_learns_on_it_and_makes_no_illegal_move() -> None:
    class Watch(sb3.common.callbacks.BaseCallback):
        def _on_step(self) -> bool:
            assert not any("illegal_action" in info for info in self.locals["infos"])
            return True

    def learned() -> Any:
        env = BoardVecEnv("tictactoe", 16, "mixture(random, alphabeta(depth=1))", opening_plies=2)
        model = contrib.MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=256, seed=0, device="cpu")
        return model.learn(1024, callback=Watch())

    first, second = learned(), learned()
    episodes = first.ep_info_buffer
    assert len(episodes) == 100
    assert {episode["r"] for episode in episodes} <= {-1, 0, 1}
    assert [episode["r"] for episode in episodes] == [episode["r"] for episode in second.ep_info_buffer]
    for name, weights in first.policy.state_dict().items():
        assert (weights == second.policy.state_dict()[name]).all()


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("PPO", {"n_steps": 32, "batch_size": 64}),
        ("A2C", {}),
        ("DQN", {"learning_starts": 32, "train_freq": 4}),
    ],
)
def test_other_algorithms_take_it(algorithm: str, settings: dict[str, Any]) -> None:
    env = BoardVecEnv("connect_four", 8, "random")
    model = getattr(sb3, algorithm)("MlpPolicy", env, device="cpu", seed=0, **settings)
    model.learn(512)
    assert len(model.ep_info_buffer) > 10


def test_the_last_observations_of_a_rollout_are_not_written_over() -> None:
    env = BoardVecEnv("connect_four", 4, "random")
    first = env.reset()
    kept = first.copy()
    masks = env.action_masks()
    env.step(np.array([0, 0, 0, 0]))
    assert (first == kept).all()
    assert masks.all()
    views = BoardVecEnv("connect_four", 4, "random", copy=False)
    assert np.shares_memory(views.reset(), views.seats.observations)
    assert np.shares_memory(views.step(np.array([0] * 4))[0], views.seats.observations)
    assert np.shares_memory(views.action_masks(), views.seats.masks)


def test_masks_are_found() -> None:
    env = BoardVecEnv("connect_four", 3, "random", "first")
    masked: Any = env
    assert is_masking_supported(masked)
    env.set_options({"moves": [2] * 6})
    env.reset()
    assert env.env_method("action_masks", indices=[0, 2])[1].tolist() == [True, True, False, True, True, True, True]
    assert len(env.env_method("action_masks", indices=1)) == 1
    with pytest.raises(AttributeError, match="have the method 'action_masks' only, got 'render'"):
        env.env_method("render")


def test_seeds_and_options_count_for_the_next_reset() -> None:
    env = BoardVecEnv("connect_four", 3, "random", opening_plies=6)
    env.seed(4)
    first = env.reset()
    second = env.reset()
    assert not (first == second).all()
    env.seed(4)
    assert (env.reset() == first).all()
    env.set_options([{"moves": np.array([0, 1])} for _ in range(3)])
    env.reset()
    env.set_options([{"moves": [0]}, {"moves": [1]}, {"moves": [0]}])
    with pytest.raises(ValueError, match="share their options"):
        env.reset()


def test_a_reset_that_fails_is_followed_by_one_without_its_seed_and_options() -> None:
    """Every later reset failed, too, until another seed and other options were given."""
    env = BoardVecEnv("connect_four", 2, "random", "first")
    for spoil, message in (
        (lambda: env.seed(-1), "seed must be a whole number"),
        (lambda: env.set_options({"moves": [99]}), "move 99 at index 0 is illegal"),
        (lambda: env.set_options([{"moves": [0]}, {"moves": [1]}]), "share their options"),
    ):
        spoil()
        with pytest.raises(ValueError, match=message):
            env.reset()
        assert not env.reset().any()  # the initial position, as the learner sees it who begins


def test_attributes_are_shared() -> None:
    env = BoardVecEnv("connect_four", 3, "random")
    assert env.get_attr("game", indices=[0, 1]) == [env.game] * 2
    assert env.get_attr("render_mode") == [None] * 3
    assert not env.has_attr("colour")
    env.set_attr("colour", "red")
    assert env.get_attr("colour", indices=2) == ["red"]
    with pytest.raises(ValueError, match="'colour' can be set for all only"):
        env.set_attr("colour", "blue", indices=[1])
    for name in ("opponent", "seat", "opening_plies"):
        with pytest.raises(AttributeError, match=f"were made with their {name!r}: make another BoardVecEnv"):
            env.set_attr(name, "random")
    assert env.env_is_wrapped(Monitor) == [True] * 3
    assert env.env_is_wrapped(SoloEnv, indices=[0]) == [False]  # type: ignore[arg-type]
    assert repr(env) == "<BoardVecEnv connect_four num_envs=3 seat='random' opponent=random>"


def test_many_games_are_not_shown() -> None:
    """Whoever wanted a video read that Connect Four has no parameter of this name."""
    with pytest.raises(ValueError, match=r"^render_mode must be None, got 'rgb_array': .*, or in a DummyVecEnv$"):
        BoardVecEnv("connect_four", 3, "random", render_mode="rgb_array")  # type: ignore[arg-type]


def test_planes_stay_planes_on_request() -> None:
    env = BoardVecEnv("connect_four", 3, "random", flatten=False)
    assert env.reset().shape == (3, 6, 7, 2)
    assert env.observation_space.shape == (6, 7, 2)
    for _ in range(40):
        infos = env.step(np.zeros(3, int))[3]
        for info in infos:
            if "terminal_observation" in info:
                assert info["terminal_observation"].shape == (6, 7, 2)
                return
    pytest.fail("no game ended")


def test_the_libraries_wrappers_and_evaluation_take_it(recwarn: pytest.WarningsRecorder) -> None:
    env = BoardVecEnv("connect_four", 4, "random")
    wrapped: Any = VecFrameStack(env, 2)
    assert wrapped.reset().shape == (4, 168)
    wrapped.step(np.array([0, 1, 2, 3]))
    model = sb3.PPO("MlpPolicy", env, device="cpu", seed=0)
    played: Any = evaluate_policy(model, env, n_eval_episodes=10, return_episode_rewards=True)
    rewards, lengths = played
    assert len(rewards) == len(lengths) == 10
    assert set(rewards) <= {-1, 0, 1}
    assert [str(warning.message) for warning in recwarn.list] == []


def test_a_copy_goes_on_by_itself() -> None:
    env = BoardVecEnv("connect_four", 3, "random", seed=1)
    env.reset()
    copy = pickle.loads(pickle.dumps(env))
    for column in (0, 1, 2):
        assert (env.step(np.full(3, column))[0] == copy.step(np.full(3, column))[0]).all()


def test_the_module_needs_no_library_but_the_environment_does() -> None:
    code = (
        "import sys; sys.modules['stable_baselines3'] = None\n"
        "from plyground.envs.vector.stable_baselines import BoardVecEnv\n"
        "try: BoardVecEnv('tictactoe', 2)\n"
        "except ImportError as error: print(error)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "BoardVecEnv needs stable-baselines3: pip install '.[rl]' in plyground's folder\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"num_envs": 0}, "num_envs must be"), ({"seat": "left"}, "seat must be"), ({"opponent": 3}, "opponent must be")],
)
def test_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BoardVecEnv(**{"game": "connect_four", "num_envs": 2, **arguments})
