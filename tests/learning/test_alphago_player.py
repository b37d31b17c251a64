"""AlphaGo as a player: what its leaves are worth, and which models it takes."""

from __future__ import annotations

import pickle
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from plyground.agents import PUCT, AlphaGo, make  # noqa: E402
from plyground.agents.alphago import model_files  # noqa: E402
from plyground.agents.alphago.evaluator import PairEvaluator  # noqa: E402
from plyground.agents.identity import player_identity  # noqa: E402
from plyground.agents.mcts import LinearPolicy  # noqa: E402
from plyground.agents.networks import NetworkEvaluator, make_inference, new_network, save_network  # noqa: E402
from plyground.agents.puct.tree import new_prior_tree  # noqa: E402
from plyground.agents.puct.values import latest_actions  # noqa: E402
from plyground.arena import match  # noqa: E402
from plyground.arena.grading.heads import has_head  # noqa: E402
from plyground.arena.openings import random_line  # noqa: E402
from plyground.envs import make_game  # noqa: E402

GAME = make_game("connect_four(rows=4, columns=4)")
STATE = GAME.play_moves([0, 1, 1, 2])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models with weights drawn at random, in the folders of a run."""
    path = tmp_path_factory.mktemp("run")
    for seed, part in enumerate(("policy", "rl", "value")):
        (path / part).mkdir()
        net = new_network(GAME, "mlp", seed=seed)
        with torch.no_grad():
            for weights in net.parameters():
                weights.add_(torch.randn(weights.shape, generator=torch.Generator().manual_seed(seed)) / 10)
        save_network(path / part / "model.safetensors", net)
    (path / "rollout").mkdir()
    weights = np.random.default_rng(0).normal(size=GAME.knowledge.num_weights)
    LinearPolicy(GAME, weights).save(path / "rollout" / "model.npz")
    return path


def pair(folder: Path, priors: str = "policy") -> PairEvaluator:
    policy, value = (
        make_inference(folder / part / "model.safetensors", "torch", batch=8) for part in (priors, "value")
    )
    return PairEvaluator(policy, value)


def found(agent: Any) -> dict[str, Any]:
    agent.reset(3)
    analysis = agent.analyse(STATE)
    return {"visits": analysis.visits, "values": analysis.values, "priors": analysis.priors}


def test_without_rollouts_it_is_puct_with_these_networks(folder: Path) -> None:
    own = AlphaGo(GAME, folder, 60, lambda_=0.0, c=2.0, backend="torch")
    other = PUCT(GAME, 60, evaluator=pair(folder), c=2.0, c_base=None, lambda_=0.0)
    assert found(own) == found(other)


def test_with_rollouts_alone_no_value_is_asked_and_it_is_puct_with_rollouts(folder: Path, tmp_path: Path) -> None:
    own = AlphaGo(GAME, folder, 60, lambda_=1.0, c=2.0, backend="torch")
    assert isinstance(own.evaluator, PairEvaluator)
    assert own.evaluator.value is None
    policy = LinearPolicy.load(folder / "rollout" / "model.npz", GAME)
    other = PUCT(GAME, 60, evaluator=pair(folder), c=2.0, c_base=None, lambda_=1.0, rollout=policy)
    assert found(own) == found(other)
    random = AlphaGo(GAME, folder, 60, lambda_=1.0, c=2.0, rollout="random", backend="torch")
    assert found(own)["values"] != found(random)["values"]


def test_a_leaf_is_worth_the_mix(folder: Path) -> None:
    """Two cells are left in one column: so a rollout has one way to go, and the leaf's value is known."""
    rng = np.random.default_rng(0)
    while True:
        line, leaf = random_line(GAME, 15, rng)
        if len(line) == 15 and not GAME.is_terminal(leaf) and line[14] == GAME.actions(leaf)[0]:
            break
    action = line.pop()
    state = GAME.play_moves(line)
    assert GAME.actions(state) == [action]
    end = GAME.play_moves([*line, action, action])
    z = float(GAME.utility(end, GAME.player(leaf)))
    planes = GAME.observation(leaf, GAME.player(leaf))[None]
    v = float(pair(folder)(planes, (np.arange(4) == action)[None])[1][0])
    for lambda_ in (0.0, 0.3, 1.0):
        agent = AlphaGo(GAME, folder, 1, lambda_=lambda_, backend="torch")
        expected = -((1 - lambda_) * v + lambda_ * z)  # for who moves before the leaf
        assert agent.analyse(state).values[action] == pytest.approx(expected, abs=0.01)


def test_priors_are_those_of_one_network_and_values_those_of_the_other(folder: Path) -> None:
    planes = GAME.observation(STATE, GAME.player(STATE))[None]
    masks = np.ones((1, 4), np.bool_)
    evaluator = pair(folder, "rl")
    policy, value = (
        NetworkEvaluator(make_inference(folder / part / "model.safetensors", "torch", batch=8))
        for part in ("rl", "value")
    )
    priors, values = evaluator(planes, masks)
    np.testing.assert_allclose(priors, policy(planes, masks)[0])
    np.testing.assert_allclose(values, value(planes, masks)[1], rtol=1e-6)
    uniform = found(AlphaGo(GAME, folder, 10, priors="uniform", backend="torch"))["priors"]
    assert list(uniform.values()) == pytest.approx([0.25] * 4, rel=1e-4)


def test_a_temperature_divides_the_logits_of_the_priors(folder: Path) -> None:
    priors = [
        np.array(list(found(AlphaGo(GAME, folder, 10, backend="torch", temperature=tau))["priors"].values()))
        for tau in (1.0, 3.0)
    ]
    milder = priors[0] ** (1 / 3)
    assert priors[1] == pytest.approx(milder / milder.sum(), abs=1e-3)
    assert np.abs(priors[1] - priors[0]).max() > 0.01


def test_values_are_in_the_unit_of_the_game(folder: Path) -> None:
    """The pair took the unit of a game that it then refused, for a search that had begun with it."""
    planes, masks = GAME.observation(STATE, GAME.player(STATE))[None], np.ones((1, 4), np.bool_)
    shares = pair(folder)(planes, masks)[1]
    assert abs(shares[0]) > 0.01
    evaluator, by_two = pair(folder), GAME.replace(max_utility=2.0, check=False)
    evaluator.check(by_two)
    np.testing.assert_allclose(evaluator(planes, masks)[1], 2 * shares, rtol=1e-6)
    with pytest.raises(ValueError, match="values up to 2, for another search"):
        evaluator.check(GAME)
    np.testing.assert_allclose(evaluator(planes, masks)[1], 2 * shares, rtol=1e-6)


def test_rollouts_know_the_last_moves_of_their_leaf() -> None:
    tree = new_prior_tree(5, 3, 3, 1)
    tree.action[:] = [9, 1, 2, 3, 4]
    tree.paths[:, :] = [[0, 1, 3, 4], [0, 2, 0, 0], [0, 0, 0, 0]]
    tree.lengths[:] = [4, 2, 1]
    assert latest_actions(tree.paths[:3, 1:], tree.lengths[:3] - 1, tree.action).tolist() == [[4, 3], [2, -1], [-1, -1]]


def test_specs_files_and_copies(folder: Path) -> None:
    spec = f"alphago({folder}, simulations=8, lambda_=0.5, seed=1)"
    agent: Any = make(spec, GAME)
    assert found(pickle.loads(pickle.dumps(agent))) == found(agent)
    files = player_identity(spec, GAME)["files"]
    assert {Path(name).parent.name for name in files} == {"policy", "value", "rollout"}
    assert set(model_files(folder, priors="uniform", lambda_=1.0)) == {"rollout"}
    assert set(model_files(folder, priors="rl", lambda_=0.0)) == {"priors", "value"}
    assert len(match(GAME, [spec, f"network({folder / 'policy'})"], 2)) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("lambda_=1.5", "lambda_ must be between 0 and 1, got 1.5"),
        ("lambda_=-0.1", "lambda_ must be between 0 and 1"),
        ("priors=policies", "unknown priors"),
        ("rollout=greedy", "unknown rollout"),
    ],
)
def test_bad_arguments_are_told(folder: Path, arguments: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(f"alphago({folder}, {arguments})", GAME)


def test_models_of_another_game_and_missing_ones_are_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the network was made for connect_four"):
        make(f"alphago({folder})", "tictactoe")
    with pytest.raises(FileNotFoundError, match="no run"):
        make(f"alphago({tmp_path / 'gone'})", GAME)
    with pytest.raises(FileNotFoundError, match=r"has no policy/model\.safetensors: train it"):
        make(f"alphago({tmp_path})", GAME)


def test_folders_of_one_network_are_told_apart_from_runs(folder: Path, tmp_path: Path) -> None:
    """The advice was to train the part that was missing, which ended in another error."""
    for part, file in (("policy", "model.safetensors"), ("rollout", "model.npz")):
        told = f"'{folder / part}' holds {file}, and is no run of `plyground train alphago`: name the run, '{folder}'"
        with pytest.raises(FileNotFoundError, match=re.escape(told)):
            make(f"alphago({folder / part})", GAME)
    alone = {
        "model.safetensors": "'network({run})'",
        "model.zip": "'policy({run})'",
        "model.npz": "mcts(rollout='{run}/model.npz')",
    }
    for number, (file, player) in enumerate(alone.items()):
        run = tmp_path / str(number)
        run.mkdir()
        (run / file).write_bytes(b"")
        with pytest.raises(FileNotFoundError, match=re.escape(player.format(run=run))):
            make(f"alphago({run})", GAME)


def test_an_empty_rollout_policy_of_a_game_with_features_is_damage(folder: Path, tmp_path: Path) -> None:
    """Random rollouts took its place, and nobody was told."""
    run = shutil.copytree(folder, tmp_path / "run")
    (run / "rollout" / "model.npz").write_bytes(b"")
    with pytest.raises(ValueError, match=r"model.npz' is damaged: it is empty, and connect_four"):
        AlphaGo(GAME, run)
    AlphaGo(GAME, run, rollout="random")
    AlphaGo(GAME, run, lambda_=0)


def test_what_has_learned_nothing_does_not_play(folder: Path, tmp_path: Path) -> None:
    """A policy's values, and the policy of a value network, are those of a network that is not trained."""

    def saved(part: str, **config: Any) -> Path:
        path = tmp_path / f"{part}.safetensors"
        save_network(path, new_network(GAME, "mlp"), notes={"part": part, "config": config})
        return path

    for part in ("value", "value, whole games"):
        for player in ("network", "alphazero"):
            with pytest.raises(ValueError, match=r"is the value network of a run .*, whose policy has learned nothing"):
                make(f"{player}('{saved(part)}')", GAME)
    for part in ("policy", "rl"):
        path = saved(part, baseline="mean")
        player = make(f"network({path})", GAME)
        assert not has_head(player, GAME)  # `evaluate` compared them with exact values
        with pytest.raises(ValueError, match="whose values have learned nothing: it plays as network"):
            make(f"alphazero({path})", GAME)
    make(f"alphazero({(path := saved('rl', baseline='value'))})", GAME)
    assert has_head(make(f"network({path})", GAME), GAME)
