"""What a game says of its moves, in UCT: its defaults, priors as experience beside RAVE, and rollouts, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS
from plyground.agents.mcts.policies import Policy
from plyground.agents.mcts.rollouts import guided_rollout
from plyground.agents.mcts.simulate import latest
from plyground.agents.mcts.tree import Tree, new_tree
from plyground.agents.mcts.uct import Extras, Options, choose_child, guess_children, mean_of, new_extras
from plyground.envs import make_game

BOTH = Options(rave=1.0, rave_bias=0.5, prior=1.0)


def family(options: Options) -> tuple[Tree, Extras]:
    """Return a root with two children: 2 visits of 1 in all and a prior of 3 worth 1.5, and nothing but a prior."""
    tree, extras = new_tree(4, 4), new_extras(options, 4, 3)
    tree.first_child[0], tree.child_count[0] = 1, 2
    tree.visits[:3], tree.total[:3] = (2, 2, 0), (0, 1, 0)
    extras.prior_visits[1:3], extras.prior_total[1:3] = (3, 4), (1.5, 3)
    return tree, extras


def test_a_prior_counts_as_so_many_simulations() -> None:
    options = Options(prior=1.0)
    tree, extras = family(options)
    assert mean_of(tree, extras, options, 1, 0.0) == 2.5 / 5
    assert mean_of(tree, extras, options, 2, 0.0) == 3 / 4
    # It is no visit: a child that has no more is not tried before all others, but where its score is the best.
    assert choose_child(tree, 0, (extras, options, 0.0)) == 2
    extras.prior_total[2] = 1.9
    assert choose_child(tree, 0, (extras, options, 0.0)) == 1
    extras.prior_visits[2] = 0  # of which nothing is known
    assert choose_child(tree, 0, (extras, options, 0.0)) == 2


def test_the_share_of_all_moves_as_first_is_the_one_of_the_least_error() -> None:
    # Child 1: n = 2 + 3 simulations, mean 1/2; m = 4 + 3 of AMAF, mean (-2 + 1.5) / 7.
    # b = 1/2: β = m / (n + m + 4 b² n m) = 7 / (5 + 7 + 35).
    tree, extras = family(BOTH)
    extras.amaf_visits[1], extras.amaf_total[1] = 4, -2
    assert mean_of(tree, extras, BOTH, 1, 0.9) == pytest.approx(40 / 47 * 0.5 + 7 / 47 * -0.5 / 7)
    # Without a prior: n = 2, m = 4, β = 4 / (2 + 4 + 8).
    extras.prior_visits[1] = 0
    assert mean_of(tree, extras, BOTH, 1, 0.9) == pytest.approx(10 / 14 * 0.5 + 4 / 14 * -0.5)
    tree.visits[1] = tree.total[1] = 0  # then AMAF alone is known
    assert mean_of(tree, extras, BOTH, 1, 0.9) == -0.5


def test_the_child_with_the_best_of_all_these_means_is_chosen() -> None:
    tree, extras = family(BOTH)
    extras.amaf_visits[1:3], extras.amaf_total[1:3] = 4, (4, -4)
    # Child 1: 40/47 · 1/2 + 7/47 · 5.5/7 = 0.54. Child 2: n = 4, m = 8, β = 8/44: 36/44 · 3/4 - 8/44 · 1/8 = 0.59.
    assert choose_child(tree, 0, (extras, BOTH, 0.0)) == 2
    extras.prior_total[2] = 2.6  # 36/44 · 0.65 - 8/44 · 1.4/8 = 0.50
    assert choose_child(tree, 0, (extras, BOTH, 0.0)) == 1


def test_guesses_are_asked_for_with_the_last_moves_and_weighed() -> None:
    asked: list[tuple[Any, ...]] = []

    def priors(state: Any, last: int, before: int, actions: Any, count: int, visits: Any, values: Any) -> None:
        asked.append((state, last, before, actions.tolist(), count))
        visits[:], values[:] = (3, 4), (0.5, -0.25)

    game, options = SimpleNamespace(priors=priors), Options(prior=2.0)
    tree, extras = family(options)
    tree.action[1:3] = 7, 5
    guess_children(game, tree, extras, options, 0, "state", 8, 6)
    assert asked == [("state", 8, 6, [7, 5], 2)]
    assert extras.prior_visits[1:3].tolist() == [6, 8]
    assert extras.prior_total[1:3].tolist() == [3, -2]  # sums, not means


def test_the_last_moves_are_those_of_the_path() -> None:
    tree = new_tree(4, 4)
    tree.action[:], tree.path[:3] = (9, 7, 5, 3), (0, 3, 1)
    assert [latest(tree, length) for length in (1, 2, 3)] == [(-1, -1), (3, -1), (7, 3)]


@pytest.mark.parametrize("marks", [False, True])
def test_a_rollout_knows_the_last_moves_and_marks_its_own(marks: bool) -> None:
    known: list[tuple[int, int]] = []
    state = SimpleNamespace(moves=[4, 3])

    def rollout_action(state: Any, last: int, before: int, actions: Any, rng: Any) -> int:
        known.append((last, before))
        return 3 - len(known)

    game = SimpleNamespace(
        player=lambda state: len(state.moves) & 1,
        is_terminal=lambda state: len(state.moves) == 5,
        play=lambda state, action: state.moves.append(action),
        utility=lambda state, player: 0.5 if player == 0 else -0.5,
        rollout_action=rollout_action,
    )
    played = np.zeros((2, 5 if marks else 1), np.int64)
    played[0, -1] = 6
    found = guided_rollout(
        game, state, None, 3, 4, Policy(heavy=True), None, np.zeros(4, np.int32), np.zeros(1, np.uint64), played
    )
    assert (found, state.moves) == (0.5, [4, 3, 2, 1, 0])
    assert known == [(3, 4), (2, 3), (1, 2)]
    if marks:
        assert (played[:, :-1] == 6).tolist() == [[True, False, True, False], [False, True, False, False]]


def test_go_has_settings_of_its_own_unless_one_is_given() -> None:
    go = make_game("go(board_size=5)")
    agent = MCTS(go)
    options, policy = agent.options, agent._searchers[0].policy
    assert (agent.c, options.rave, options.rave_bias, options.prior) == (0.0, 1.0, 0.01, 1.0)
    assert policy is not None
    assert policy.heavy
    given: list[dict[str, Any]] = [{"c": 1.4}, {"rollout": "random"}, {"rave": 0}, {"rave_bias": 0}, {"prior": 0}]
    for plain in (MCTS("tictactoe"), *(MCTS(go, **one) for one in given)):
        assert (plain.c, plain.options.rave, plain.options.rave_bias, plain.options.prior) == (1.4, 0, 0, 0)
        assert plain._searchers[0].policy is None
