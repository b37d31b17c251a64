"""PUCT: its formula, its batches, its evaluator, its noise, its strength where that can be known."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents.puct import PUCT
from plyground.agents.puct.tree import (
    absorb,
    add_root_noise,
    collect,
    new_prior_tree,
    puct,
    scale_root_priors,
    select_child,
)
from plyground.envs import Game, connect_four, tictactoe
from tests.conftest import random_game
from tests.helpers.oracles import minimax_value

Answer = tuple[NDArray[Any], NDArray[Any]]


def uniform(states: NDArray[Any]) -> Answer:
    return np.ones((states.size, 9)), np.zeros(states.size)


def test_the_formula() -> None:
    # Q = 0.5, P = 0.3, N = 3, the siblings' visits 16 together, c = 2: 0.5 + 2 · 0.3 · 4 / 4 = 1.1
    assert puct(0.5, 0.3, 3, 16, 2.0) == pytest.approx(1.1)


class TestOneSelection:
    """Three children with N = 9, 4, 3, W = 4.5, 0, 1.5 and P = 0.5, 0.4, 0.1; ΣN = 16; c = 1."""

    def tree(self) -> Any:
        tree = new_prior_tree(8, 4, 2, 3)
        tree.first_child[0], tree.child_count[0], tree.size[0] = 1, 3, 4
        tree.visits[1:4], tree.total[1:4], tree.prior[1:4] = (9, 4, 3), (4.5, 0, 1.5), (0.5, 0.4, 0.1)
        return tree

    def test_without_pending_leaves(self) -> None:
        # 0.5 + 0.5·4/10 = 0.7; 0 + 0.4·4/5 = 0.32; 0.5 + 0.1·4/4 = 0.6
        assert select_child(self.tree(), 0, (1.0, math.inf, 0.0, 1, 1.0)) == 1

    def test_virtual_loss(self) -> None:
        tree = self.tree()
        tree.pending[1] = 1
        # The first child is now 3.5/10 + 0.5·√17/11 = 0.537; the last 0.5 + 0.1·√17/4 = 0.603.
        assert select_child(tree, 0, (1.0, math.inf, 0.0, 1, 1.0)) == 3
        tree.pending[1], tree.pending[3] = 3, 3
        # 1.5/12 + 0.5·√22/13 = 0.305; 0.4·√22/5 = 0.375; -1.5/6 + 0.1·√22/7 = -0.183
        assert select_child(tree, 0, (1.0, math.inf, 0.0, 1, 1.0)) == 2
        tree.total[:] *= 49  # the same as shares of the largest utility
        assert select_child(tree, 0, (1.0, math.inf, 0.0, 1, 1 / 49)) == 2

    def test_c_grows_with_the_visits(self) -> None:
        # C = ln((1 + 16 + 1) / 1) + 1 = 3.89: 0.5 + 3.89·0.2 = 1.278, 3.89·0.32 = 1.245; with c_base 0.5: C = 4.555,
        # 0.5 + 0.911 = 1.411 and 4.555·0.32 = 1.458
        assert select_child(self.tree(), 0, (1.0, 1.0, 0.0, 1, 1.0)) == 1
        assert select_child(self.tree(), 0, (1.0, 0.5, 0.0, 1, 1.0)) == 2

    def test_first_play(self) -> None:
        tree = self.tree()
        tree.visits[3], tree.total[3] = 0, 0
        # ΣN = 13: 0.5 + 0.5·√13/10 = 0.68; the unvisited child fpu + 0.1·√13 = fpu + 0.36
        assert select_child(tree, 0, (1.0, math.inf, 0.3, 1, 1.0)) == 1
        assert select_child(tree, 0, (1.0, math.inf, 0.35, 1, 1.0)) == 3


def test_a_batch_step_by_step() -> None:
    game = tictactoe()
    root = np.array([game.new_state()], game.dtype)
    leaves, look = np.zeros(4, game.dtype), np.zeros(1, game.dtype)
    tree = new_prior_tree(128, 9, 4, 9)
    tree.mover[0], tree.lengths[0] = 1, 1
    tree.legal[0], tree.counts[0] = np.arange(9), 9
    priors = np.zeros((4, 9))
    priors[0, [2, 4, 7]] = 2, 6, 2
    absorb(game, root, tree, 1, priors, np.zeros(0), None)
    assert tree.action[1:10].tolist() == [4, 0, 1, 2, 3, 5, 6, 7, 8]  # the best prior, then by number
    assert tree.prior[1:10].tolist() == pytest.approx([0.6, 0, 0, 0.2, 0, 0, 0, 0.2, 0])
    # All scores are 0: action 4. Then it has a virtual loss, -1 + 0.6/2 < 0.2: action 2; then action 7. Then scores
    # are -1 + 0.6·√3/2, -1 + 0.2·√3/2 twice, and 0 for the actions without a prior.
    found, ended = collect(game, root, leaves, tree, 4, (1.0, math.inf, 0.0, 1, 1.0), None, look)
    assert (found, ended) == (4, 0)
    assert [tree.action[tree.paths[leaf, 1]] for leaf in range(4)] == [4, 2, 7, 0]
    assert tree.pending[:10].tolist() == [4, 1, 1, 0, 1, 0, 0, 0, 1, 0]
    assert leaves[0] == game.play_moves([4])
    assert tree.counts.tolist() == [8] * 4
    assert tree.legal[0, :8].tolist() == [0, 1, 2, 3, 5, 6, 7, 8]
    # Values are those of the player to move at the leaf, the second: the first player's are the negative.
    absorb(game, leaves, tree, 4, np.ones((4, 9)), np.array([-0.5, 0.25, 0.0, 1.0]), None)
    assert tree.total[[1, 4, 8, 2]].tolist() == [0.5, -0.25, 0, -1]
    assert (tree.total[0], tree.visits[0]) == (0.75, 4)
    assert not tree.pending.any()
    assert tree.child_count[[1, 4, 8, 2]].tolist() == [8] * 4
    assert tree.prior[10:18].tolist() == [0.125] * 8


def test_counts_add_up(game: Game, rng: np.random.Generator) -> None:
    for state in random_game(game, rng)[:-1][::5]:
        found = PUCT(game, 101, seed=1).analyse(state)
        assert sum(found.visits.values()) == 101 == found.leaves
        assert sorted(found.visits) == list(found.priors) == game.actions(state)
        assert sum(found.priors.values()) == pytest.approx(1)
        assert found.visits[found.best_action] == max(found.visits.values())
        assert found.value == found.values[found.best_action]
        game.play_moves(found.pv, state)


@pytest.mark.parametrize("how", [{}, {"root": "gumbel"}, {"proofs": True}], ids=str)
@pytest.mark.parametrize("priors", [None, 0.0], ids=["no evaluator", "no priors"])
def test_where_no_action_is_preferred_ties_are_broken_at_random(how: dict[str, Any], priors: float | None) -> None:
    """The lowest number would be a plan: with it a hundred simulations beat a thousand at gomoku."""

    def silent(states: NDArray[Any]) -> Answer:
        return np.zeros((states.size, 9)), np.zeros(states.size)

    game = tictactoe()
    agent = PUCT(game, 3, batch=1, evaluator=None if priors is None else silent, seed=1, **how)
    found = [agent.analyse(game.new_state()) for _ in range(40)]
    assert {one.best_action for one in found} == set(range(9))
    assert {action for one in found for action, visits in one.visits.items() if visits} == set(range(9))
    assert list(found[0].priors.values()) == pytest.approx([1 / 9] * 9, rel=1e-4)
    assert np.unique(agent.evaluate(np.array([game.new_state()]))[0]).size == 1  # to whom it is told, they are the same


def test_finds_wins_and_defences_by_rollouts() -> None:
    game = connect_four()
    assert PUCT(game, 800, seed=0).analyse(game.play_moves([0, 6, 1, 6, 2])).best_action == 3
    found = PUCT(game, 800, seed=0).analyse(game.play_moves([0, 6, 1, 6, 2, 6]))
    assert (found.best_action, found.value) == (3, 1)


@pytest.mark.slow
@pytest.mark.parametrize("batch", [1, 8, 32])
def test_value_comes_near_the_minimax_value(batch: int) -> None:
    game = tictactoe()
    known: dict[bytes, float] = {}
    for moves in ([], [0, 1], [0, 1, 4], [4, 1], [0, 4, 8]):
        state = game.play_moves(moves)
        found = PUCT(game, 40_000, evaluator=uniform, batch=batch, seed=0).analyse(state)
        assert found.value == pytest.approx(minimax_value(game, state, known), abs=0.1)


def test_the_evaluator_is_asked_about_each_position_once_and_in_batches() -> None:
    game = tictactoe()
    asked: list[NDArray[Any]] = []

    def watched(states: NDArray[Any]) -> Answer:
        assert states.dtype == game.dtype
        assert not any(game.is_terminal(state) for state in states)
        asked.append(states)
        return uniform(states)

    found = PUCT(game, 200, evaluator=watched, batch=16).analyse(game.new_state())
    assert len(asked[0]) == 1
    assert max(len(states) for states in asked) > 8
    assert found.statistics["evaluated batches"] == len(asked) - 1
    assert max(len(states) for states in asked) <= 16


def test_priors_guide_the_search_and_values_decide() -> None:
    game = tictactoe()

    def corner(states: NDArray[Any]) -> Answer:
        priors, values = uniform(states)
        priors[:, 8] = 100
        return priors, values

    agent = PUCT(game, 50, evaluator=corner)
    priors, values = agent.evaluate(game.initial)
    assert (priors[0, 8], values[0]) == (100, 0)
    found = agent.analyse(game.new_state())
    assert found.best_action == 8
    assert found.priors[8] == pytest.approx(100 / 108)
    assert found.visits[8] > 30  # also with eight leaves on their way at a time

    def no_centre(states: NDArray[Any]) -> Answer:
        priors, _ = uniform(states)
        # The player to move, the second, likes it where the first has the centre.
        return priors, np.array([0.9 if game.observation(s, 0)[1, 1].any() else -0.9 for s in states])

    found = PUCT(game, 50, evaluator=no_centre).analyse(game.new_state())
    assert found.values[4] < 0
    assert found.visits[4] <= 3


def test_lambda_mixes_value_and_rollout() -> None:
    game = tictactoe()
    state = game.play_moves([0, 3, 1, 4, 8, 6])  # 2 wins
    last = game.play_moves([0, 1, 2, 4, 3, 5, 7])  # two cells are left, so a rollout after one has no choice

    def half(states: NDArray[Any]) -> Answer:
        return np.ones((states.size, 9)), np.full(states.size, -0.5)

    for share in (0.0, 0.25, 1.0):
        found = PUCT(game, 1, evaluator=half, lambda_=share, seed=0).analyse(last)
        leaf = last.copy()
        game.play(leaf, found.best_action)
        other = next(action for action in game.actions(leaf))
        end = leaf.copy()
        game.play(end, other)
        result = game.utility(end, game.player(last))
        assert found.value == pytest.approx((1 - share) * 0.5 + share * result)
    assert PUCT(game, 400, evaluator=half, seed=0).analyse(state).best_action == 2


def test_a_mask_at_the_root_is_respected() -> None:
    game = tictactoe()
    mask = np.zeros(9, np.int8)
    mask[[2, 5, 7]] = 1

    def corner(states: NDArray[Any]) -> Answer:
        priors, values = uniform(states)
        priors[:, 2] = 2
        return priors, values

    for evaluator in (corner, None):
        found = PUCT(game, 60, evaluator=evaluator, noise=0.25, seed=0).analyse(game.new_state(), mask)
        assert list(found.visits) == [2, 5, 7]
        assert sum(found.priors.values()) == pytest.approx(1)
    quiet = PUCT(game, 60, evaluator=corner).analyse(game.new_state(), mask)
    assert list(quiet.priors.values()) == pytest.approx([0.5, 0.25, 0.25])

    def only_elsewhere(states: NDArray[Any]) -> Answer:
        priors, values = uniform(states)
        priors[:, [2, 5, 7]] = 0
        return priors, values

    found = PUCT(game, 60, evaluator=only_elsewhere).analyse(game.new_state(), mask)
    assert list(found.priors.values()) == pytest.approx([1 / 3] * 3, rel=1e-4)  # ties are broken at random


def test_noise_at_the_root_only() -> None:
    game = tictactoe()
    start = game.new_state()
    priors = [PUCT(game, 20, evaluator=uniform, noise=0.25, seed=seed).analyse(start).priors for seed in (1, 1, 2)]
    assert priors[0] == priors[1] != priors[2]
    assert sum(priors[0].values()) == pytest.approx(1)
    assert min(priors[0].values()) >= 0.75 / 9
    assert PUCT(game, 20, evaluator=uniform).analyse(start).priors == pytest.approx(dict.fromkeys(range(9), 1 / 9))


def test_temperature() -> None:
    game = tictactoe()
    agent = PUCT(game, 100, evaluator=uniform, temperature=1, seed=0)
    found = [agent.analyse(game.new_state()) for _ in range(60)]
    assert len({one.best_action for one in found}) > 4  # about as often as they are visited
    assert all(one.pv[0] == one.best_action for one in found)
    cold = PUCT(game, 100, evaluator=uniform, temperature=0.01, seed=0).analyse(game.play_moves([0, 3, 1, 4]))
    assert cold.best_action == 2
    for root in ("puct", "gumbel"):
        coldest = PUCT(game, 100, root=root, evaluator=uniform, temperature=1e-310, seed=0)  # type: ignore[arg-type]
        assert coldest.analyse(game.play_moves([0, 3, 1, 4])).best_action == 2


def test_same_seed_same_search() -> None:
    game = connect_four()
    first = PUCT(game, 200, noise=0.25, seed=5)
    visits = [first.analyse(game.new_state()).visits for _ in range(2)]
    assert visits[0] != visits[1]
    first.reset(seed=5)
    assert first.analyse(game.new_state()).visits == visits[0]
    twin = pickle.loads(pickle.dumps(first))
    assert twin.analyse(game.new_state()).visits == first.analyse(game.new_state()).visits


def test_a_tree_that_grows_gives_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    game = connect_four()
    roomy = PUCT(game, 3000, seed=1).analyse(game.new_state())
    for name in ("_NODES", "_ROOM"):
        monkeypatch.setattr(f"plyground.agents.puct.agent.{name}", 1)
    assert PUCT(game, 3000, seed=1).analyse(game.new_state()).visits == roomy.visits


def lopsided(states: NDArray[Any]) -> Answer:
    """Priors and values that differ from position to position, and are the same each time."""
    boards = np.array([int(connect_four().key(state)) % 1009 for state in states])
    return 1 + (boards[:, None] * np.arange(1, 8)) % 7, (boards % 21 - 10) / 20


class TestVirtualLoss:
    def test_a_batch_is_not_the_same_as_one_by_one(self) -> None:
        start = connect_four().new_state()
        one, many = (PUCT("connect_four", 400, evaluator=lopsided, batch=n).analyse(start) for n in (1, 16))
        assert one.visits != many.visits
        assert one.statistics["evaluated batches"] == 400
        assert many.statistics["evaluated batches"] < 60

    def test_without_it_a_leaf_met_again_ends_the_batch(self) -> None:
        start = connect_four().new_state()
        one = PUCT("connect_four", 400, evaluator=lopsided, batch=1).analyse(start)
        none = PUCT("connect_four", 400, evaluator=lopsided, batch=16, virtual_loss=0).analyse(start)
        assert none.statistics["evaluated batches"] == 400
        assert (none.visits, none.values) == (one.visits, one.values)

    def test_more_of_it_spreads_a_batch(self) -> None:
        game = connect_four()

        def first_only(states: NDArray[Any]) -> Answer:
            return np.full((states.size, 7), 0.001) + 0.993 * (np.arange(7) == 0), np.zeros(states.size)

        # With a leaf pending below the first child: a loss gives -1 + 2.5 · 0.994 · √1 / 2 = 0.24, which is still the
        # best, eight give -1 + 2.5 · 0.994 · √8 / 9 = -0.22.
        found = [
            PUCT(game, 8, evaluator=first_only, batch=8, virtual_loss=n, c=2.5).analyse(game.new_state())
            for n in (1, 8)
        ]
        assert len(found[0].values) == 1 < len(found[1].values)
        assert found[0].statistics["evaluated batches"] > found[1].statistics["evaluated batches"]


def test_root_priors_by_hand() -> None:
    tree = new_prior_tree(8, 4, 1, 3)
    tree.first_child[:3], tree.child_count[:3], tree.size[0] = (1, 4, 6), (3, 2, 1), 7
    tree.prior[1:4], tree.action[1:4], tree.visits[1:4] = (3, 2, 1), (5, 6, 7), (10, 20, 30)
    scale_root_priors(tree)
    assert tree.prior[1:4].tolist() == pytest.approx([1 / 2, 1 / 3, 1 / 6])
    clean = add_root_noise(tree, 0.5, np.array([0.0, 0.0, 1.0]))  # 1/4, 1/6, 7/12: the last comes first
    assert tree.prior[1:4].tolist() == pytest.approx([7 / 12, 1 / 4, 1 / 6])
    assert clean.tolist() == pytest.approx([1 / 6, 1 / 2, 1 / 3])
    assert tree.action[1:4].tolist() == [7, 5, 6]
    assert tree.visits[1:4].tolist() == [30, 10, 20]
    assert tree.first_child[1:4].tolist() == [0, 4, 6]
    assert tree.child_count[1:4].tolist() == [0, 2, 1]
    tree.prior[1:4] = 0
    scale_root_priors(tree)
    assert tree.prior[1:4].tolist() == pytest.approx([1 / 3] * 3)


def test_error_and_depth_are_told() -> None:
    game = connect_four()
    found = PUCT(game, 400, seed=0).analyse(game.new_state())
    visits = found.visits[found.best_action]
    assert found.standard_error == pytest.approx(math.sqrt((1 - found.value**2) / visits))
    assert found.selective_depth >= found.depth > 1
    won = PUCT(game, 400, seed=0).analyse(game.play_moves([0, 6, 1, 6, 2, 6]))
    assert won.standard_error == 0


def test_time_budget() -> None:
    found = PUCT("tictactoe", seconds=0.05).analyse(tictactoe().new_state())
    assert found.seconds >= 0.05
    assert found.leaves > 20
    assert PUCT("tictactoe").analyse(tictactoe().new_state()).leaves == 800


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((np.ones((1, 8)), np.zeros(1)), r"priors \(1, 9\)"),
        ((np.ones((1, 9)), np.zeros((1, 1))), r"values \(1,\)"),
        ((np.full((1, 9), np.nan), np.zeros(1)), "finite"),
        ((np.full((1, 9), -1), np.zeros(1)), "not negative"),
        ((np.ones((1, 9)), np.full(1, np.inf)), "finite"),
        (None, r"must return two arrays, priors \(1, 9\) and values \(1,\), got None"),
        (np.ones((1, 9)), r"must return two arrays, priors \(1, 9\) and values \(1,\), got array"),
    ],
)
def test_a_wrong_answer_of_the_evaluator_is_named(answer: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PUCT("tictactoe", 10, evaluator=lambda states: answer).analyse(tictactoe().new_state())


@pytest.mark.parametrize(
    "arguments",
    [
        {"c": -1},
        {"c": np.inf},
        {"fpu": np.nan},
        {"c_base": 0},
        {"lambda_": 1.5},
        {"batch": 0},
        {"virtual_loss": -1},
        {"virtual_loss": 1.5},
        {"tree_mb": 0},
        {"tree_mb": np.inf},
        {"considered": 0},
        {"considered": -3},
        {"c_visit": np.inf},
        {"c_scale": 1e308},
        {"c_scale": -1},
        {"noise": 2},
        {"noise_alpha": 0},
        {"noise_alpha": np.inf},
        {"temperature": -1},
        {"simulations": 0},
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^{next(iter(arguments))} must be "):
        PUCT("tictactoe", **arguments)
