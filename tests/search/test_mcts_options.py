"""What can be added to UCT: what each option must not change, and what it must do."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, AlphaBeta
from plyground.agents.mcts.final_move import Child, chosen
from plyground.agents.mcts.rollouts import Guided
from plyground.agents.mcts.tree import new_tree
from plyground.agents.mcts.uct import Options, back_up_amaf, bounds_of, choose_child, new_extras, prove
from plyground.envs import connect_four, make_game, tictactoe
from tests.conftest import random_game
from tests.helpers.oracles import minimax_value, reachable, worth_after
from tests.search.test_alphabeta import take_twice

OPTIONS: list[dict[str, Any]] = [
    {"final_move": "value"},
    {"final_move": "robust-max"},
    {"reuse_tree": True},
    {"fpu": 0.5},
    {"solver": True},
    {"rollout": "greedy"},
    {"rollouts": 4},
    {"rollout_depth": 3},
    {"rave": 300},
    {"bias": 1},
    {"widening": 0.5},
    {"threads": 3},
    {"tree_mb": 0.05},
    {"solver": True, "rave": 300, "bias": 1, "widening": 0.5, "fpu": 0.5, "rollout": "greedy", "threads": 2},
]


def _name(options: dict[str, Any]) -> str:
    return ",".join(options)


@pytest.fixture(scope="module")
def values() -> dict[bytes, float]:
    return {}


@pytest.mark.parametrize("options", OPTIONS, ids=_name)
class TestEveryOption:
    def test_counts_and_lines_are_legal(self, options: dict[str, Any], rng: np.random.Generator) -> None:
        game = connect_four()
        for state in random_game(game, rng)[:-1][::6]:
            found = MCTS(game, 300, seed=1, **options).analyse(state)
            assert found.leaves == sum(found.visits.values())
            assert found.leaves == 300 or found.exact or options.get("final_move") == "robust-max"
            assert sorted(found.visits) == game.actions(state)
            assert found.value == found.values[found.best_action]
            assert all(abs(value) <= 1 for value in found.values.values())
            assert found.pv[0] == found.best_action
            assert len(found.pv) <= found.selective_depth
            game.play_moves(found.pv, state)

    def test_same_seed_same_search(self, options: dict[str, Any]) -> None:
        game = connect_four()
        start, later = game.new_state(), game.play_moves([3, 3])
        agent = MCTS(game, 200, seed=5, **options)
        values = [agent.analyse(state).values for state in (start, later, start)]
        agent.reset(seed=5)
        assert [agent.analyse(state).values for state in (start, later, start)] == values
        agent.reset(seed=5)
        twin = pickle.loads(pickle.dumps(agent))
        assert twin.analyse(start).values == values[0]
        assert values[0] != values[2]

    def test_finds_the_win_and_the_defence(self, options: dict[str, Any]) -> None:
        game = connect_four()
        assert MCTS(game, 4000, seed=0, **options).analyse(game.play_moves([0, 6, 1, 6, 2])).best_action == 3
        winning = MCTS(game, 4000, seed=0, **options).analyse(game.play_moves([0, 6, 1, 6, 2, 6]))
        assert (winning.best_action, winning.value) == (3, 1)

    def test_value_comes_near_the_minimax_value(self, options: dict[str, Any], values: dict[bytes, float]) -> None:
        game = tictactoe()
        cut = "rollout_depth" in options  # the evaluation of a draw is not 0, and some positions stay leaves
        full = "tree_mb" in options
        for moves in ([4], [0, 1], [4, 1], [0, 4, 8], [0, 1, 4, 8]):
            state = game.play_moves(moves)
            found = MCTS(game, 60_000, seed=0, **options).analyse(state)
            if not full and not cut:
                assert found.value == pytest.approx(minimax_value(game, state, values), abs=0.12)
            child = state.copy()
            game.play(child, found.best_action)
            assert -minimax_value(game, child, values) == minimax_value(game, state, values)

    def test_a_mask_at_the_root_is_respected(self, options: dict[str, Any]) -> None:
        game = connect_four()
        mask = np.array([1, 1, 0, 0, 0, 1, 0])
        agent = MCTS(game, 400, seed=0, **options)
        agent.analyse(game.new_state())
        assert sorted(agent.analyse(game.new_state(), mask).visits) == [0, 1, 5]


@pytest.mark.parametrize("spec", ["connect_four", pytest.param("othello", marks=pytest.mark.slow)])
def test_neutral_options_do_what_plain_uct_does(spec: str, rng: np.random.Generator) -> None:
    game = make_game(spec)
    for state in random_game(game, rng)[:-1][::9]:
        plain = MCTS(game, 3000, seed=2).analyse(state)
        same = MCTS(game, 3000, seed=2, fpu=1e300).analyse(state)  # by the other kernel
        assert (same.visits, same.values, same.pv) == (plain.visits, plain.values, plain.pv)


def test_another_c_may_be_set_later() -> None:
    """The trees searched with the one that they were made with."""
    game = tictactoe()
    given, later, never = (MCTS(game, 300, c=c, seed=0) for c in (0, 1.4, 1.4))
    later.c = 0
    visits = [agent.analyse(game.new_state()).visits for agent in (given, later, never)]
    assert visits[0] == visits[1] != visits[2]


class TestFinalMove:
    CHILDREN = (
        Child(0, 60, 0.3, -np.inf, np.inf),
        Child(1, 40, 0.4, -np.inf, np.inf),
        Child(2, 0, np.nan, -np.inf, np.inf),
    )

    @pytest.mark.parametrize(("rule", "action"), [("visits", 0), ("robust-max", 0), ("value", 1)])
    def test_rules(self, rule: Any, action: int) -> None:
        assert chosen(self.CHILDREN, rule).action == action

    def test_of_equals_the_first_is_taken(self) -> None:
        children = [Child(action, 5, 0.2, -np.inf, np.inf) for action in (4, 0, 7)]
        assert {chosen(children, rule).action for rule in ("visits", "value", "robust-max")} == {4}

    @pytest.mark.parametrize("threads", [1, 2])
    def test_so_one_at_random_for_the_children_of_a_tree_are_in_random_order(self, threads: int) -> None:
        """The lowest number was: a row of stones along the edge, by which 100 simulations beat 1000 at gomoku."""
        game = make_game("gomoku(size=7)")
        searches = [MCTS(game, 20, threads=threads, seed=seed).analyse(game.new_state()) for seed in range(40)]
        found = {search.best_action for search in searches}
        assert len(found) > 20
        assert max(found) > 40
        assert all(list(search.visits) == sorted(search.visits) for search in searches)

    def test_robust_max_goes_on_until_both_agree(self) -> None:
        game = connect_four()
        longer = 0
        for seed in range(20):
            found = MCTS(game, 60, final_move="robust-max", seed=seed).analyse(game.play_moves([3, 3, 2]))
            assert 60 <= found.leaves <= 120
            agreed = found.value == max(found.values.values())
            assert agreed or found.leaves == 120
            longer += found.leaves > 60
        assert longer > 0

    @pytest.mark.parametrize(
        ("bounds", "action"),
        [
            ([(9, -0.9, -1, -1), (5, -0.5, -1, 1)], 1),  # a proved loss is not played, however often it was visited
            ([(1, 1.0, 1, 1), (50, 0.9, -1, 1)], 0),  # a proved win is
            ([(1, 0.0, 0, 0), (50, -0.2, -1, 1)], 0),  # a proved draw before what looks like a loss
            ([(1, 0.0, 0, 0), (50, 0.2, -1, 1)], 1),  # but not before what looks better
            ([(1, 0.0, 0, 0), (50, 0.0, -1, 0)], 0),  # nor after what can be no better
            ([(3, -1.0, -1, -1), (8, -1.0, -1, -1)], 1),
            ([(5, -1.0, -1, -1), (0, np.nan, -1, 1)], 1),  # a proved loss is not played before what was not tried
            ([(5, 0.0, 0, 0), (0, np.nan, -1, 1)], 0),  # but a proved draw
            ([(5, -1.0, -1, -1), (0, np.nan, -1, 1), (3, -0.9, -1, 1)], 2),
        ],
    )
    def test_what_is_proved_comes_first(self, bounds: list[Any], action: int) -> None:
        children = [Child(i, *rest) for i, rest in enumerate(bounds)]
        assert chosen(children, "visits").action == action


class TestSolver:
    def test_a_move_that_was_not_tried_comes_before_a_proved_loss(self) -> None:
        game = connect_four()
        state, mask = game.play_moves([0, 6, 1, 6, 2]), np.arange(7) != 3  # after each the opponent wins at once
        for simulations, tried in ((2, 1), (4, 2), (6, 3)):
            found = MCTS(game, simulations, solver=True, widening=0.1, seed=0).analyse(state, mask)
            assert found.proved == tuple(found.values)
            assert len(found.values) == tried
            assert found.best_action not in found.values
            assert found.pv == (found.best_action,)
            assert (found.value, found.exact, found.standard_error) == (-1, False, None)

    @pytest.mark.parametrize("moves", [[4], [0, 1], [0, 4, 8], [0, 1, 4, 8], [4, 0, 8]])
    def test_small_games_are_solved(self, moves: list[int], values: dict[bytes, float]) -> None:
        game = tictactoe()
        state = game.play_moves(moves)
        found = MCTS(game, 200_000, solver=True, seed=0).analyse(state)
        assert found.exact
        assert found.leaves < 200_000
        assert found.value == minimax_value(game, state, values)
        assert found.standard_error == 0
        for action in found.best_actions:
            child = state.copy()
            game.play(child, action)
            assert -minimax_value(game, child, values) == found.value

    def test_what_it_proves_is_true(self) -> None:
        game = connect_four()
        rng = np.random.default_rng(7)
        values: set[float] = set()
        for _ in range(100):
            states = random_game(game, rng)
            if len(states) > 32:
                state = states[30]  # twelve cells are empty
                found = MCTS(game, 50_000, solver=True, seed=0).analyse(state)
                best = AlphaBeta(game, 12, all_best=True).analyse(state)
                assert found.exact
                assert found.value == best.value
                assert set(found.best_actions) <= set(best.best_actions)
                values.add(found.value)
        assert values >= {-1.0, 1.0}

    def test_turns_that_do_not_alternate(self) -> None:
        game = take_twice()
        known: dict[bytes, float] = {}
        for state in reachable(game).values():
            if not game.is_terminal(state):
                found = MCTS(game, 20_000, solver=True, seed=0).analyse(state)
                assert found.exact
                assert found.value == minimax_value(game, state, known)
                for action in found.best_actions:
                    assert worth_after(game, state, action, known) == found.value

    def test_bounds_by_hand(self) -> None:
        # The root (mover 1) has three children of player 0; the first has two children of player 1.
        tree, options = new_tree(8, 4), Options(solver=True)
        extras = new_extras(options, 8, 3)
        extras.low[:], extras.high[:] = -1, 1
        tree.first_child[:2], tree.child_count[:2] = (1, 4), (3, 2)
        tree.mover[:6] = 1, 0, 0, 0, 1, 1
        tree.path[:3] = 0, 1, 4
        prove(tree, extras, 3, 0.0)  # player 1 can draw behind the first child
        assert (extras.low[1], extras.high[1]) == (-1, 0)
        assert (extras.low[0], extras.high[0]) == (-1, 1)
        tree.path[:3] = 0, 1, 5
        prove(tree, extras, 3, 1.0)  # the other reply loses: the child is a draw
        assert (extras.low[1], extras.high[1]) == (0, 0)
        assert (extras.low[0], extras.high[0]) == (-1, 0)  # mover 1 gets a draw at most
        tree.visits[:4] = 3, 3, 0, 0
        assert choose_child(tree, 0, (extras, options, 1.0)) == 2
        tree.path[:2] = 0, 2
        prove(tree, extras, 2, 1.0)  # player 0 wins by the second child
        assert bounds_of(tree, extras, 0) == (-1, -1) == (extras.low[0], extras.high[0])


class TestRave:
    def test_updates_by_hand(self) -> None:
        # Path: root, action 0 of player 0, then action 1 of player 1; player 0 plays 2 in the rollout.
        tree = new_tree(8, 4)
        extras = new_extras(Options(rave=10), 8, 3)
        tree.first_child[:2], tree.child_count[:2] = (1, 4), (3, 2)
        tree.mover[:6], tree.action[1:6] = (1, 0, 0, 0, 1, 1), (0, 1, 2, 1, 2)
        tree.path[:3] = 0, 1, 4
        extras.played[0, -1] = extras.played[0, 2] = 7
        back_up_amaf(tree, extras, 3, 1.0)
        assert extras.amaf_visits[:6].tolist() == [0, 1, 0, 1, 1, 0]  # action 2 counts for player 0 only
        assert extras.amaf_total[:6].tolist() == [0, 1, 0, 1, -1, 0]

    def test_a_choice_by_hand(self) -> None:
        # N = 4, k = 4: β = sqrt(4 / 16) = 1/2. Means 0.5 and 0, AMAF means 0 and 0.8: 0.25 against 0.4.
        tree = new_tree(4, 4)
        extras = new_extras(Options(rave=4), 4, 3)
        tree.first_child[0], tree.child_count[0] = 1, 2
        tree.visits[:3], tree.total[:3] = (4, 2, 2), (0, 1, 0)
        extras.amaf_visits[1:3], extras.amaf_total[1:3] = 5, (0, 4)
        assert choose_child(tree, 0, (extras, Options(rave=4), 0.0)) == 2
        assert choose_child(tree, 0, (extras, Options(rave=0.01), 0.0)) == 1


def test_the_error_is_that_of_the_visits_of_the_move() -> None:
    game = tictactoe()
    both: tuple[dict[str, Any], ...] = ({}, {"threads": 2})
    for options in both:
        found = MCTS(game, 400, seed=0, **options).analyse(game.play_moves([0]))
        visits = found.visits[found.best_action]
        assert 0 < visits < 400
        assert found.standard_error == pytest.approx(np.sqrt((1 - found.value**2) / visits))


def test_progressive_bias_by_hand() -> None:
    tree, options = new_tree(4, 4), Options(guided=Guided(bias=2))
    extras = new_extras(options, 4, 3)
    tree.first_child[0], tree.child_count[0] = 1, 2
    tree.visits[:3], tree.total[:3], extras.guess[1:3] = (4, 3, 1), (0, 0.3, 0.0), (0, 0.2)
    assert choose_child(tree, 0, (extras, options, 0.0)) == 2  # 0.1 against 0 + 2 · 0.2 / 2
    tree.visits[2] = 4  # 2 · 0.2 / 5 = 0.08
    assert choose_child(tree, 0, (extras, options, 0.0)) == 1


def test_widening_adds_the_best_by_evaluation_first() -> None:
    game = tictactoe()
    found = [MCTS(game, n, widening=0.5, seed=0).analyse(game.new_state()) for n in (4, 26, 100)]
    # Before the last simulation the root had n - 1 visits: ⌈√(n - 1)⌉ children, the centre first.
    assert [sum(v > 0 for v in one.visits.values()) for one in found] == [2, 5, 9]
    assert found[0].visits[4] > 0


def test_first_play_urgency_leaves_children_out() -> None:
    game = connect_four()
    start = game.new_state()
    assert len(MCTS(game, 7, seed=0).analyse(start).values) == 7
    assert len(MCTS(game, 40, fpu=-1.0, c=0.05, seed=0).analyse(start).values) < 7


class TestRollouts:
    def test_cut_at_once_takes_the_evaluation(self) -> None:
        game = connect_four()
        found = MCTS(game, 7, rollout_depth=0, seed=0).analyse(game.new_state())
        for action, value in found.values.items():
            assert value == pytest.approx(game.evaluate(game.play_moves([action]), 0))

    def test_several_rollouts_are_averaged(self) -> None:
        game = connect_four()
        start = game.new_state()
        found = [MCTS(game, 7, rollouts=n, seed=0).analyse(start) for n in (1, 8)]
        assert {abs(value) for value in found[0].values.values()} <= {0.0, 1.0}
        assert all((value * 8).is_integer() for value in found[1].values.values())
        assert any(abs(value) not in (0.0, 1.0) for value in found[1].values.values())
        assert found[1].leaves == 7

    def test_greedy_rollouts_take_a_win_at_once(self) -> None:
        game = connect_four()
        # After any move but 3 the opponent wins in column 3 at once, and sees it.
        state = game.play_moves([0, 6, 1, 6, 2])
        found = MCTS(game, 7, rollout="greedy", epsilon=0, seed=0).analyse(state)
        assert all(value == -1 for action, value in found.values.items() if action != 3)
        every = MCTS(game, 700, rollout="greedy", epsilon=1, seed=4).analyse(state)
        assert every.visits == MCTS(game, 700, seed=4).analyse(state).visits  # nothing but random moves


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"c": -1}, "c"),
        ({"c": np.inf}, "c"),  # scores would be no numbers, as by the next
        ({"fpu": np.nan}, "fpu"),
        ({"final_move": "best"}, "final_move"),
        ({"rollout": "clever"}, "rollout"),
        ({"epsilon": 1.5}, "epsilon"),
        ({"epsilon": 0.5}, "epsilon"),  # without greedy rollouts it does nothing
        ({"epsilon": 0.5, "rollout": "random"}, "epsilon"),
        ({"rollouts": 0}, "rollouts"),
        ({"rollouts": 1.5}, "rollouts"),
        ({"rollout_depth": 2.5}, "rollout_depth"),
        ({"rollouts": 2, "rave": 5}, "rollouts"),
        ({"rollout_depth": -1}, "rollout_depth"),
        ({"rave": -1}, "rave"),
        ({"rave": np.inf}, "rave"),
        ({"bias": -1}, "bias"),
        ({"widening": 0}, "widening"),
        ({"widening": 2}, "widening"),
        ({"threads": 0}, "threads"),
        ({"tree_mb": 0}, "tree_mb"),
        ({"tree_mb": np.inf}, "tree_mb"),
        ({"rollouts": 2**31}, "rollouts"),
        ({"rollout_depth": 2**31}, "rollout_depth"),
        ({"seconds": 10**400}, "seconds"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be "):
        MCTS("tictactoe", **arguments)
