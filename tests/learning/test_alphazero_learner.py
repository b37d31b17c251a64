"""The learner of AlphaZero: losses by hand, the schedule, the mean of the weights, going on exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from plyground.agents.networks import new_network  # noqa: E402
from plyground.arena.training.alphazero.config import AlphaZeroConfig  # noqa: E402
from plyground.arena.training.alphazero.learner import Learner, value_targets  # noqa: E402
from plyground.arena.training.alphazero.replay import Batch  # noqa: E402
from plyground.envs import make_game  # noqa: E402

torch.set_num_threads(1)

GAME = make_game("tictactoe")
CONFIG = AlphaZeroConfig("tictactoe", network="tiny", precision="f32", warm_up=10, decay_after=20)


def learner(config: AlphaZeroConfig = CONFIG, **changes: Any) -> Learner:
    return Learner(GAME, config, new_network(GAME, "tiny", seed=0, **changes))


def batch(count: int = 16, **fields: Any) -> Batch:
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 2, (count, *GAME.observation_shape)).astype(np.float32)
    masks = rng.random((count, 9)) < 0.7
    masks[:, 0] = True
    policies = np.where(masks, rng.random((count, 9)), 0)
    made = Batch(
        planes,
        masks,
        (policies / policies.sum(1, keepdims=True)).astype(np.float32),
        np.ones(count, bool),
        rng.choice([-1.0, 0.0, 1.0], count).astype(np.float32),
        rng.uniform(-1, 1, count).astype(np.float32),
        np.full(count, 2, np.int8),
        np.full(count, 8, np.float32),
    )
    return made._replace(**fields)


def test_values_to_learn_mix_result_and_search_unless_something_is_proved() -> None:
    one = batch(
        3,
        results=np.array([1, 1, -1], np.float32),
        values=np.array([0.5, -1, 0.375], np.float32),  # the last by discs: 24 of 64
        proved=np.array([2, 2, 1], np.int8),
    )
    config = AlphaZeroConfig("tictactoe", root_value_share=0.25)
    np.testing.assert_allclose(value_targets(one, config), [0.875, 0.5, 0.375])
    without = AlphaZeroConfig("tictactoe", root_value_share=0.25, proofs=False)
    np.testing.assert_allclose(value_targets(one, without), [0.875, 0.5, -0.65625])


def test_the_first_losses_of_an_untrained_net_are_those_of_even_chances() -> None:
    # A new net gives each legal action the same prior, and each position the value 0.
    one = batch()
    losses = learner().learn(one)
    assert losses["policy"] == pytest.approx(np.log(one.masks.sum(1)).mean(), rel=1e-5)
    assert losses["value"] == pytest.approx((value_targets(one, CONFIG) ** 2).mean(), rel=1e-5)
    full = np.arange(16) < 4
    losses = learner().learn(one._replace(full=full))
    assert losses["policy"] == pytest.approx(np.log(one.masks[:4].sum(1)).mean(), rel=1e-5)
    losses = learner(AlphaZeroConfig("tictactoe", precision="f32", value="wdl"), value="wdl").learn(one)
    assert losses["value"] == pytest.approx(0.5 * np.log(3) + 0.5 * (one.values**2).mean(), rel=1e-5)


def test_chances_of_three_results_refuse_a_fourth() -> None:
    one = batch(3, results=np.array([1, 0.25, -1], np.float32))
    with pytest.raises(ValueError, match=r"a game of tictactoe ended with 0\.25 of the largest utility: train with"):
        learner(AlphaZeroConfig("tictactoe", precision="f32", value="wdl"), value="wdl").learn(one)


@pytest.mark.parametrize("precision", ["f32", "bf16"])
@pytest.mark.parametrize("value", ["tanh", "wdl"])
def test_losses_fall(value: Any, precision: Any) -> None:
    config = AlphaZeroConfig(
        "tictactoe", value=value, plies_left=0.1, warm_up=1, precision=precision, learning_rate=1e-2
    )
    one, student = batch(), learner(config, value=value, auxiliary=("plies_left",))
    losses = [student.learn(one) for _ in range(40)]
    floor = -(one.policies * np.log(np.where(one.policies > 0, one.policies, 1))).sum(1).mean()
    assert losses[-1]["policy"] - floor < (losses[0]["policy"] - floor) / 2
    assert losses[-1]["plies_left"] < losses[0]["plies_left"] / 2
    if value == "tanh":
        assert losses[-1]["value"] < losses[0]["value"] / 5


def test_plies_left_are_learned_alike_in_games_of_any_length() -> None:
    """Divided by the longest game, which is never played, they taught nothing in chess: a gradient of 0.0001."""
    norms = []
    for spec in ("connect_four", "minichess"):
        game = make_game(spec)
        net = new_network(game, "mlp", seed=0, auxiliary=("plies_left",))
        outputs = net(torch.zeros(4, *game.observation_shape))
        config = AlphaZeroConfig(spec, network="mlp", plies_left=1.0, precision="f32")
        actions = np.ones((4, game.num_actions), bool)
        one = batch(
            4, masks=actions, policies=actions / np.float32(game.num_actions), plies_left=np.full(4, 60, np.float32)
        )
        Learner(game, config, net)._losses(outputs, one)["plies_left"].backward()
        norms.append(max(float(weight.grad.norm()) for weight in net.parameters() if weight.grad is not None))
    assert 1 / 10 < norms[1] / norms[0] < 10


def test_owners_and_their_sum_are_learned() -> None:
    game = make_game("go(board_size=3)")
    config = AlphaZeroConfig(game.spec, ownership=0.5, score=0.5, precision="f32", warm_up=1, learning_rate=1e-2)
    student = Learner(game, config, new_network(game, "tiny", seed=0, auxiliary=("ownership", "score")))
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 2, (16, *game.observation_shape)).astype(np.float32)
    masks = np.ones((16, game.num_actions), bool)
    owners = rng.choice([-1.0, 0.0, 1.0], (16, 9)).astype(np.float32)
    one = batch(planes=planes, masks=masks, policies=masks / np.float32(10), owners=owners)
    losses = [student.learn(one) for _ in range(60)]
    # A new net says that nobody owns a cell, and that the score is even.
    assert losses[0]["ownership"] == pytest.approx((owners**2).mean(), rel=1e-5)
    shares = abs(owners.mean(1))
    by_hand = np.where(shares < 0.1, shares**2 / 0.2, shares - 0.05).mean()
    assert losses[0]["score"] == pytest.approx(by_hand, rel=1e-5)
    assert losses[-1]["ownership"] < losses[0]["ownership"] / 1.3
    assert losses[-1]["score"] < losses[0]["score"] / 2


def test_the_learning_rate_rises_and_falls_by_the_inverse_root() -> None:
    student = learner()
    rates = []
    for steps in (0, 4, 9, 19, 79):
        student.steps = steps
        rates.append(student.learning_rate / CONFIG.learning_rate)
    np.testing.assert_allclose(rates, [0.1, 0.5, 1.0, 1.0, 0.5])


def test_learning_that_has_diverged_says_so() -> None:
    """The next search said that logits must be numbers."""
    student = learner()
    with torch.no_grad():
        next(student.net.parameters()).fill_(torch.inf)
    with pytest.raises(ValueError, match=r"diverged: the gradient of step 1 is nan, .*; begin anew with a lower"):
        student.learn(batch())


def test_the_mean_follows_the_weights_slowly_and_is_what_plays() -> None:
    student = learner()
    before = [one.clone() for one in student.average.parameters()]
    for _ in range(5):
        student.learn(batch())
    far = [float((one - other).detach().norm()) for one, other in zip(student.net.parameters(), before, strict=True)]
    near = [
        float((one - other).detach().norm()) for one, other in zip(student.average.parameters(), before, strict=True)
    ]
    assert sum(far) > 0
    assert 0 < sum(near) < sum(far)
    plain = learner(AlphaZeroConfig("tictactoe", averaging=0))
    plain.learn(batch())
    for one, other in zip(plain.net.parameters(), plain.average.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_a_learner_goes_on_exactly() -> None:
    one, other = learner(), learner()
    for _ in range(3):
        one.learn(batch())
    other.learn(batch(4))
    other.load_state_dict(one.state_dict())
    assert one.learn(batch(8)) == other.learn(batch(8))
    for name in ("net", "average"):
        for left, right in zip(getattr(one, name).parameters(), getattr(other, name).parameters(), strict=True):
            torch.testing.assert_close(left, right, rtol=0, atol=0)
