"""What AlphaGo's pipeline computes, beside figures by hand: accuracy, the gradient of REINFORCE, and its baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from plyground.agents.networks import new_network
from plyground.arena.training.alphago import AlphaGoConfig
from plyground.arena.training.alphago.learners import ReinforceLearner
from plyground.arena.training.alphago.measures import Ranks, accuracy_of, ranks_of
from plyground.arena.training.alphago.reinforce import baselines
from plyground.envs import make_game

GAME = "connect_four(rows=4, columns=4)"


def test_accuracy_by_hand() -> None:
    logits = np.log([[4.0, 2.0, 1.0, 9.0], [1.0, 1.0, 2.0, 4.0]])
    masks = np.array([[1, 1, 1, 0], [1, 1, 1, 1]], np.bool_)
    ranks, likelihoods = ranks_of(logits, masks, np.array([1, 3]))
    assert (ranks.better.tolist(), ranks.equal.tolist()) == ([1, 0], [0, 0])
    np.testing.assert_allclose(likelihoods, np.log([2 / 7, 4 / 8]))
    marks = accuracy_of(ranks, likelihoods, np.array([5, 6]))
    assert (marks["top 1"], marks["top 5"]) == (0.5, 1.0)
    assert marks["by ply"]["5"]["top 1"] == 0.0
    alike = ranks_of(np.zeros((1, 7)), np.ones((1, 7), np.bool_), np.array([1]))[0]  # it had found all of five
    assert [float(alike.among(choices)[0]) for choices in (1, 5, 8)] == [1 / 7, 5 / 7, 1]
    unknown = accuracy_of(Ranks(np.array([np.inf]), np.zeros(1)), np.array([np.nan]), np.array([3]))
    assert (unknown["top 5"], unknown["log likelihood"]) == (0, None)


def test_the_gradient_of_reinforce_is_that_of_a_hand() -> None:
    """A new net gives each legal action the same chance, p; of a bias it is 1/n Σ (z - b) (1[a] - p)."""
    game = make_game(GAME)
    net = new_network(game, "mlp", seed=0)
    settings = AlphaGoConfig(GAME, precision="f32").descending(0.1, averaging=0.0)
    learner = ReinforceLearner(settings, net)
    planes = np.stack([game.observation(game.new_state(), 0)] * 3).astype(np.float32)
    masks = np.array([[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 0, 0]], np.bool_)
    actions, advantages = np.array([0, 2, 1]), np.array([0.5, -1.5, 1.0])
    chances = masks / masks.sum(1, keepdims=True)
    expected = -(advantages[:, None] * (np.eye(4)[actions] - chances)).sum(0) / 2  # two games
    bias = dict(net.named_parameters())["policy.last.bias"]
    found: list[Any] = []
    bias.register_hook(lambda gradient: found.append(gradient.clone()))
    learner.learn(planes, masks, actions, advantages, np.zeros(3), games=2)
    np.testing.assert_allclose(found[0].numpy(), expected, atol=1e-6)


def test_the_baseline_is_the_mean_of_the_other_games_in_the_seat() -> None:
    gained, seats = np.array([1, -1, 1, 0, -1], np.float32), np.array([0, 0, 0, 1, 1], np.int8)
    np.testing.assert_allclose(baselines(gained, seats, "mean"), [0.0, 1.0, 0.0, -1.0, 0.0])
    assert not baselines(gained, seats, "none").any()
