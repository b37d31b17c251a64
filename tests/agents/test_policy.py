"""Policies of stable-baselines3 and sb3-contrib as players."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")

from gymnasium.wrappers import NormalizeObservation  # noqa: E402
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy  # noqa: E402
from stable_baselines3.common.policies import ActorCriticPolicy  # noqa: E402
from stable_baselines3.common.vec_env import VecNormalize  # noqa: E402  (after the libraries are known to be there)

from plyground.agents import Policy, make  # noqa: E402
from plyground.agents.identity import player_identity  # noqa: E402
from plyground.agents.policies.network import ModelNetwork  # noqa: E402
from plyground.arena import iter_match, play  # noqa: E402
from plyground.envs import BoardGameEnv, GameBatch, SoloEnv, make_game  # noqa: E402
from plyground.envs.vector.opponents import prepare  # noqa: E402
from plyground.envs.vector.stable_baselines import BoardVecEnv  # noqa: E402

ALGORITHMS = {"MaskablePPO": contrib.MaskablePPO, "PPO": sb3.PPO, "A2C": sb3.A2C, "DQN": sb3.DQN}


def untrained(name: str, game: str = "connect_four", **settings: Any) -> Any:
    return ALGORITHMS[name]("MlpPolicy", SoloEnv(game, "random"), device="cpu", seed=0, **settings)


@pytest.fixture(scope="module", params=ALGORITHMS)
def model(request: pytest.FixtureRequest) -> Any:
    return untrained(request.param)


def test_always_legal_in_full_games(model: Any) -> None:
    env = BoardGameEnv("connect_four", illegal="raise")
    for deterministic in (True, False):
        policy = Policy("connect_four", model, deterministic=deterministic)
        for seed in range(5):
            assert play(env, [policy, make("random", "connect_four")], seed).ending == "finished"


def test_prefers_what_the_model_prefers(model: Any) -> None:
    policy = Policy("connect_four", model)
    env = BoardGameEnv("connect_four")
    env.reset()
    observation, *_ = env.last()
    flat = observation["observation"].ravel()
    assert policy.act(observation) == int(model.predict(flat, deterministic=True)[0])
    # Forbid the favourite: the second best of the legal ones is played.
    scores = policy.scores(observation["observation"], np.ones(7, bool))
    order = np.argsort(-scores)
    observation["action_mask"][order[0]] = 0
    assert policy.act(observation) == order[1]


def test_mask_of_maskable_ppo_is_its_own_masking() -> None:
    model = untrained("MaskablePPO")
    policy = Policy("connect_four", model)
    env = BoardGameEnv("connect_four")
    rng = np.random.default_rng(0)
    for _ in range(5):
        env.reset()
        while not any(env.terminations.values()):
            observation, *_ = env.last()
            mask = observation["action_mask"].astype(bool)
            expected, _ = model.predict(observation["observation"].ravel(), action_masks=mask, deterministic=True)
            assert policy.act(observation) == expected
            env.step(int(rng.choice(np.flatnonzero(mask))))


def test_draws_follow_the_distribution_and_the_seed() -> None:
    policy = Policy("connect_four", untrained("PPO"), deterministic=False, seed=1)
    env = BoardGameEnv("connect_four")
    env.reset()
    observation, *_ = env.last()
    scores = policy.scores(observation["observation"], np.ones(7, bool))
    expected = np.exp(scores) / np.exp(scores).sum()
    draws = [policy.act(observation) for _ in range(2000)]
    np.testing.assert_allclose(np.bincount(draws, minlength=7) / 2000, expected, atol=0.04)
    policy.reset(seed=1)
    assert [policy.act(observation) for _ in range(2000)] == draws


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_legal_whatever_the_network_says(bad: float, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Policy("connect_four", untrained("PPO"))
    planes, masks = np.zeros((50, 6, 7, 2)), np.tile(np.arange(7) > 3, (50, 1))
    for scores in (np.full((50, 7), bad), np.where(np.arange(7) == 5, bad, np.zeros((50, 7)))):
        monkeypatch.setattr(policy._network, "scores", lambda planes, masks, found=scores: found)
        for draws in (None, np.linspace(0, 0.99, 50)):
            assert policy.choose(planes, masks, draws).min() > 3
    played = set(policy.choose(planes, masks, np.linspace(0, 0.99, 50)).tolist())  # one score is bad
    assert played == ({5} if bad == np.inf else {4, 6})


def test_the_first_pass_is_made_before_any_clock_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Policy("connect_four", untrained("PPO"), deterministic=False, seed=1)
    asked: list[tuple[int, ...]] = []
    scores = ModelNetwork.scores

    def counted(self: Any, planes: Any, masks: Any) -> Any:
        asked.append(masks.shape)
        return scores(self, planes, masks)

    monkeypatch.setattr(ModelNetwork, "scores", counted)
    before = policy._rng.bit_generator.state
    prepare(policy)
    prepare(policy.batched(), GameBatch("connect_four", 2))
    assert asked == [(1, 7), (1, 7)]
    assert policy._rng.bit_generator.state == before
    asked.clear()
    iter_match("connect_four", [policy, "random"], 2)
    assert asked == [(1, 7)]  # and nothing has been played yet


def test_saved_and_loaded(model: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    model.save(path)
    name = type(model).__name__
    family = {"MaskablePPO": "ppo"}.get(name, name.lower())
    env = BoardGameEnv("connect_four")
    env.reset()
    observation, *_ = env.last()
    expected = Policy("connect_four", model).act(observation)
    for spec in (f"policy({path})", f"{family}({path})", f"policy('{str(path)[:-4]}')"):
        policy = make(spec, "connect_four")
        assert type(policy.model) is type(model)  # type: ignore[attr-defined]
        assert policy.act(observation) == expected
    other = "dqn" if family != "dqn" else "ppo"
    with pytest.raises(ValueError, match=f"holds a model of {name}, expected"):
        make(f"{other}({path})", "connect_four")
    twin = pickle.loads(pickle.dumps(Policy("connect_four", model)))
    assert twin.act(observation) == expected


@pytest.mark.parametrize(
    ("name", "kind"), [("QRDQN", "MlpPolicy"), ("RecurrentPPO", "MlpLstmPolicy"), ("ARS", "MlpPolicy")]
)
def test_models_without_scores_are_refused(tmp_path: Path, name: str, kind: str) -> None:
    """They were taken, and failed at their first move; their files were said to be of DQN, PPO and A2C."""
    model = getattr(contrib, name)(kind, SoloEnv("tictactoe", "random"), device="cpu")
    with pytest.raises(ValueError, match=f"a model of {name} gives a single position no logits and no Q-values"):
        Policy("tictactoe", model)
    model.save(tmp_path / "model.zip")
    with pytest.raises(ValueError, match=rf"holds a model of {name}, expected one of PPO, MaskablePPO, .*, TRPO"):
        make(f"policy({tmp_path / 'model.zip'})", "tictactoe")


def test_a_model_of_trpo_is_none_of_a2c(tmp_path: Path) -> None:
    contrib.TRPO("MlpPolicy", SoloEnv("tictactoe", "random"), device="cpu").save(tmp_path / "model.zip")
    loaded = make(f"policy({tmp_path / 'model.zip'})", "tictactoe")
    assert isinstance(loaded, Policy)
    assert type(loaded.model) is contrib.TRPO
    with pytest.raises(ValueError, match="holds a model of TRPO, expected one of A2C"):
        make(f"a2c({tmp_path / 'model.zip'})", "tictactoe")


class OwnMaskable(MaskableActorCriticPolicy):
    """A policy of one's own class."""


class Own(ActorCriticPolicy):
    """Another, which prefers what the network likes least."""

    def _get_action_dist_from_latent(self, latent_pi: Any) -> Any:
        return self.action_dist.proba_distribution(-self.action_net(latent_pi))  # pyright: ignore[reportCallIssue]


def test_a_policy_of_ones_own_class_plays_as_it_predicts() -> None:
    """Its network was asked as those of the library are."""
    env = SoloEnv("tictactoe", "random", seat="first")
    model = sb3.PPO(Own, env, device="cpu", seed=0)
    with torch.no_grad():
        model.policy.action_net.bias.copy_(torch.arange(9.0))
    planes, info = env.reset()
    assert Policy("tictactoe", model).act(planes, info) == model.predict(planes, deterministic=True)[0] == 0
    masks = np.ones((1, 9), bool)
    scores, values = ModelNetwork(model).scores_and_values(planes[None], masks)
    assert (scores == ModelNetwork(model).scores(planes[None], masks)).all()
    assert (values == ModelNetwork(model).values(planes[None], masks)).all()


@pytest.mark.parametrize(("name", "policy"), [("MaskablePPO", OwnMaskable), ("PPO", Own)])
def test_files_of_policies_of_own_classes(tmp_path: Path, name: str, policy: Any) -> None:
    """Those of MaskablePPO were taken for PPO's, which cannot load them."""
    ALGORITHMS[name](policy, SoloEnv("tictactoe", "random"), device="cpu").save(tmp_path / "model.zip")
    loaded = make(f"ppo({tmp_path / 'model.zip'})", "tictactoe")
    assert isinstance(loaded, Policy)
    assert type(loaded.model) is ALGORITHMS[name]


def test_models_of_other_games_and_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the model was trained for another game than connect_four"):
        Policy("connect_four", untrained("PPO", "tictactoe"))
    with pytest.raises(ValueError, match="the model was trained for another game"):
        Policy("connect_four", untrained("PPO", "connect_four(rows=5)"))
    with pytest.raises(FileNotFoundError, match=r"no model file 'nowhere\.zip'"):
        make("ppo(nowhere.zip)", "connect_four")
    for name in ("model.zip", "model.safetensors"):
        (tmp_path / name.partition(".")[2]).mkdir()
        (tmp_path / name.partition(".")[2] / name).write_bytes(b"")
    with pytest.raises(FileNotFoundError, match=r"has a network, and no model .* plays as 'network\(.*safetensors\)'"):
        make(f"ppo({tmp_path / 'safetensors'})", "connect_four")
    with pytest.raises(FileNotFoundError, match=r"has a model of .*, and no network: it plays as 'policy\(.*zip\)'"):
        make(f"network({tmp_path / 'zip'})", "connect_four")
    (tmp_path / "text.zip").write_text("no archive")
    with pytest.raises(ValueError, match="is not a model that stable-baselines3 saved"):
        make(f"ppo({tmp_path / 'text.zip'})", "connect_four")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("data", "{}")
    with pytest.raises(ValueError, match="is not a model that stable-baselines3 saved"):
        make(f"ppo({tmp_path / 'other.zip'})", "connect_four")
    untrained("PPO").save(tmp_path / "cut.zip")
    with zipfile.ZipFile(tmp_path / "cut.zip") as whole, zipfile.ZipFile(tmp_path / "half.zip", "w") as half:
        half.writestr("data", whole.read("data"))
    with pytest.raises(ValueError, match="cannot be loaded as PPO"):
        make(f"ppo({tmp_path / 'half.zip'})", "connect_four")
    damaged = bytearray((tmp_path / "half.zip").read_bytes())
    damaged[damaged.index(b"PK\1\2") + 10] = 99  # how the file is compressed, which is none of zipfile's ways
    (tmp_path / "half.zip").write_bytes(damaged)
    with pytest.raises(ValueError, match=r"half.zip' is not a model that stable-baselines3 saved: That compression"):
        make(f"ppo({tmp_path / 'half.zip'})", "connect_four")


def test_bad_arguments_are_told() -> None:
    model = untrained("PPO")
    with pytest.raises(ValueError, match="deterministic must be True or False, got 'no'"):
        Policy("connect_four", model, deterministic="no")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="seed must be a whole number, at least 0, or None, got 'x'"):
        Policy("connect_four", model, seed="x")  # pyright: ignore[reportArgumentType]


def test_dict_observations() -> None:
    import gymnasium

    class WithMask(gymnasium.ObservationWrapper):
        def __init__(self) -> None:
            super().__init__(SoloEnv("connect_four", "random", flatten=False))
            box = gymnasium.spaces.Box(0, 1, (7,), np.int8)
            self.observation_space = gymnasium.spaces.Dict(observation=self.env.observation_space, action_mask=box)

        def observation(self, observation: Any) -> Any:
            return {"observation": observation, "action_mask": self.env.unwrapped.action_masks().astype(np.int8)}  # type: ignore[attr-defined]

    model = sb3.PPO("MultiInputPolicy", WithMask(), device="cpu")
    record = play(BoardGameEnv("connect_four"), [Policy("connect_four", model), make("random", "connect_four")], seed=0)
    assert record.ending == "finished"


def test_the_folder_of_a_run_names_its_model(tmp_path: Path) -> None:
    untrained("A2C").save(tmp_path / "model.zip")
    assert type(make(f"a2c({tmp_path})", "connect_four").model).__name__ == "A2C"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FileNotFoundError, match="no model file"):
        make(f"a2c({tmp_path.parent})", "connect_four")


@pytest.mark.parametrize("algorithm", ["MaskablePPO", "DQN"])
def test_statistics_of_observations_are_those_that_the_model_learned_with(algorithm: str) -> None:
    env = VecNormalize(BoardVecEnv("connect_four", 4, "random", seed=0))
    model: Any = ALGORITHMS[algorithm]("MlpPolicy", env, device="cpu", seed=0)
    env.reset()
    for _ in range(20):
        env.step(np.array([np.flatnonzero(row)[0] for row in env.env_method("action_masks")]))
    env.reset()
    planes = np.random.default_rng(0).integers(0, 2, (100, 6, 7, 2), np.int8)
    shown: Any = env.normalize_obs(planes.reshape(100, -1).astype(np.float32))
    masks = np.ones((100, 7), np.bool_)
    preferred, _ = model.predict(shown, deterministic=True)
    player = Policy("connect_four", model)
    for copy in (player, pickle.loads(pickle.dumps(player))):
        np.testing.assert_array_equal(copy._network.scores(planes, masks).argmax(1), preferred)
    env.norm_obs = False
    assert (player._network.scores(planes, masks).argmax(1) != preferred).any()


@pytest.mark.parametrize("name", ["vec_normalize.pkl", "c4/vecnormalize.pkl", "c4_vecnormalize_8_steps.pkl"])
def test_statistics_beside_a_model_are_not_left_out(name: str, tmp_path: Path) -> None:
    """The model was shown observations as they are, and played badly."""
    env = VecNormalize(BoardVecEnv("connect_four", 4, "random", seed=0))
    model: Any = sb3.PPO("MlpPolicy", env, n_steps=8, batch_size=32, device="cpu", seed=0).learn(32)
    model.save(tmp_path / "c4.zip")
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    env.save(str(file))
    spec = f"ppo({tmp_path / 'c4.zip'}, normalization={file})"
    planes = np.random.default_rng(0).integers(0, 2, (100, 6, 7, 2), np.int8)
    masks = np.ones((100, 7), np.bool_)
    expected = Policy("connect_four", model).scores_of(planes, masks)
    np.testing.assert_allclose(make(spec, "connect_four").scores_of(planes, masks), expected)  # type: ignore[attr-defined]
    assert player_identity(spec, make_game("connect_four"))["files"].keys() == {str(tmp_path / "c4.zip"), str(file)}
    refusal = f"stands beside .*: give them, as in normalization='{file}', or normalization=False if it learned without"
    with pytest.raises(ValueError, match=refusal):
        make(f"ppo({tmp_path / 'c4'})", "connect_four")
    # The same network without: of a file, of the model as it learns, and of copies.
    without = Policy("connect_four", sb3.PPO.load(tmp_path / "c4.zip", device="cpu"))
    expected = without.scores_of(planes, masks)
    spec = f"ppo({tmp_path / 'c4.zip'}, normalization=False)"
    for player in (make(spec, "connect_four"), Policy("connect_four", model, normalization=False)):
        for copy in (player, pickle.loads(pickle.dumps(player))):
            np.testing.assert_allclose(copy.scores_of(planes, masks), expected)  # type: ignore[attr-defined]
    assert list(player_identity(spec, make_game("connect_four"))["files"]) == [str(tmp_path / "c4.zip")]


def test_statistics_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    untrained("PPO").save(tmp_path / "model.zip")
    for name, content in (("noise", b"noise"), ("number", pickle.dumps(3))):
        (tmp_path / name).write_bytes(content)
    VecNormalize(BoardVecEnv("tictactoe", 1)).save(str(tmp_path / "other"))
    for name, message in (
        ("noise", "cannot be loaded as a VecNormalize: UnpicklingError"),
        ("number", "holds a int, expected what VecNormalize.save wrote"),
        ("other", r"observations of shape \(18,\), and the model takes \(84,\): is the file that of another model?"),
    ):
        with pytest.raises(ValueError, match=message):
            Policy("connect_four", tmp_path, normalization=tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"expected one that VecNormalize\.save wrote"):
        Policy("connect_four", tmp_path, normalization=tmp_path / "none")
    with pytest.raises(ValueError, match=r"must be a file that VecNormalize\.save wrote, or False .*, got True"):
        Policy("connect_four", tmp_path, normalization=True)  # type: ignore[arg-type]


def test_what_is_shown_has_the_shape_of_the_game(model: Any) -> None:
    """Errors of NumPy said nothing of masks or observations."""
    policy, planes, mask = Policy("connect_four", model), np.zeros((6, 7, 2), np.int8), np.ones(7, np.int8)
    for shown, message in (
        ({"observation": planes, "action_mask": mask[:6]}, r"^a mask of connect_four has shape \(7,\), got \(6,\)"),
        (
            {"observation": planes, "action_mask": mask[None]},
            r"^act\(\) answers for one position, .* shape \(1, 7\)",
        ),
        (
            {"observation": planes[:3], "action_mask": mask},
            r"^an observation of connect_four has shape \(6, 7, 2\)",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            policy.act(shown)
    with pytest.raises(ValueError, match=r"^seed must be a whole number, at least 0"):
        policy.reset(seed=-1)


def test_models_that_saw_numbers_that_no_player_can_make_are_refused(tmp_path: Path) -> None:
    """They were shown planes as they are, and played badly."""
    model = ALGORITHMS["PPO"]("MlpPolicy", NormalizeObservation(SoloEnv("connect_four", "random")), device="cpu")
    model.save(tmp_path / "model.zip")
    with pytest.raises(ValueError, match="learned in Gymnasium's NormalizeObservation, whose statistics"):
        Policy("connect_four", model)
    with pytest.raises(ValueError, match=r"from -inf to inf, as wrappers .* shows planes from 0 to 1: train it in"):
        Policy("connect_four", tmp_path)
    loaded = ModelNetwork(tmp_path).model
    loaded.observation_space = SoloEnv("connect_four").observation_space
    Policy("connect_four", loaded)
