"""What an analysis says of its values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta, Analysis, Minimax, Solver, make
from plyground.envs import connect_four, make_game
from tests.conftest import random_game

WON = [0, 3, 1, 4]  # tic-tac-toe: X wins at once by 2
LOST = [0, 1, 4, 8, 6]  # O can stop one of two threats alone, and some lines go on for longer


@pytest.mark.parametrize(
    ("spec", "moves", "kind"),
    [
        ("alphabeta(depth=9)", WON, "exact"),
        ("alphabeta(depth=1)", [], "estimate"),
        ("alphabeta(depth=3, all_best=true)", WON, "exact"),
        ("minimax(depth=9)", WON, "exact"),
        ("minimax(depth=3)", WON, "exact"),
        ("minimax(depth=3)", LOST, "exact"),
        ("alphabeta(depth=3, all_best=true)", LOST, "exact"),
        ("minimax(depth=3)", [], "estimate"),
        ("solver", WON, "exact"),
        ("mcts(simulations=200, solver=true, seed=0)", WON, "exact"),
        ("mcts(simulations=200, solver=false, seed=0)", WON, "estimate"),
        ("flat(simulations=200, seed=0)", WON, "estimate"),
    ],
)
def test_kind_of_the_value(spec: str, moves: list[int], kind: str) -> None:
    game = make_game("tictactoe")
    found: Any = make(spec, game)
    found = found.analyse(game.play_moves(moves))
    assert found.kind == kind == found.kind_of(found.best_action)
    assert set(found.upper_bounds) <= set(found.values) - {found.best_action}


def test_minimax_tells_which_actions_are_proved() -> None:
    game = make_game("tictactoe")
    state = game.play_moves(WON)
    found, true = Minimax(game, 2).analyse(state), Minimax(game).analyse(state)
    assert {action: found.kind_of(action) for action in found.values} == {
        2: "exact",  # wins at once
        5: "estimate",
        6: "exact",  # O wins by 5
        7: "exact",
        8: "exact",
    }
    assert all(found.values[action] == true.values[action] for action in found.proved or ())


def test_values_of_alphabeta_are_those_of_minimax_or_bounds_of_them() -> None:
    game = make_game("connect_four")
    state = game.play_moves([3, 3])
    agent: Any = make("alphabeta(depth=6)", game)
    minimax: Any = make("minimax(depth=6)", game)
    found, true = agent.analyse(state), minimax.analyse(state).values
    assert found.upper_bounds
    for action, value in found.values.items():
        if action in found.upper_bounds:
            assert (true[action] <= value <= found.value, found.kind_of(action)) == (True, "estimated bound")
        else:
            assert (true[action], found.kind_of(action)) == (value, "estimate")


@pytest.mark.slow
def test_what_alphabeta_calls_exact_or_a_bound_holds_in_the_whole_game(rng: np.random.Generator) -> None:
    game = connect_four(rows=4, columns=5)
    solver, kinds = Solver(game), set()
    for number in range(400):
        state = random_game(game, rng, int(rng.integers(2, 14)))[-1]
        if game.is_terminal(state):
            continue
        found = AlphaBeta(game, depth=1 + number % 8, table_mb=1, all_best=number % 3 == 0).analyse(state)
        true = solver.solve(state).values
        for action, value in found.values.items():
            kind = found.kind_of(action)
            kinds.add(kind)
            assert kind != "exact" or value == true[action]
            assert kind != "upper bound" or value >= true[action]
        assert not found.exact or found.kind_of(found.best_action) == "exact"
    assert kinds == {"exact", "upper bound", "estimate", "estimated bound"}


def test_a_search_that_ends_early_on_a_win_knows_little_of_the_other_actions() -> None:
    game = connect_four()
    moves = "2 0 3 0 3 0 0 1 0 2 1 1 2 2 5 3 3 4 6 4 6 5 5 6 6"
    state = game.play_moves(map(int, moves.split()))
    found = AlphaBeta(game, depth=8).analyse(state)
    true = Solver(game).solve(state).values
    assert (found.exact, found.depth, true[1]) == (True, 1, 1.0)
    assert (found.values[1] < 1, found.kind_of(1), found.upper_bounds) == (True, "estimate", ())


def test_with_all_best_the_best_are_no_bounds() -> None:
    game = make_game("tictactoe")
    agent: Any = make("alphabeta(depth=9, all_best=true)", game)
    found = agent.analyse(game.new_state())
    assert len(found.best_actions) == 9
    assert not found.upper_bounds
    assert {found.kind_of(action) for action in range(9)} == {"exact"}


def test_what_only_the_solver_of_a_tree_search_proved_is_exact() -> None:
    game = make_game("tictactoe")
    agent: Any = make("mcts(simulations=200, solver=true, seed=0)", game)
    found = agent.analyse(game.play_moves(WON))
    assert [found.kind_of(action) for action in (2, 5)] == ["exact", "estimate"]


def test_representations_are_short() -> None:
    actions = range(362)
    found = Analysis(3, 0.25, (3,), dict.fromkeys(actions, 0.25), tuple(actions), 4, 12_345, 9, False, 0.5)
    line = "line 0 1 2 3 4 5 6 7 8 9 10 11 …"
    assert repr(found) == f"<Analysis: action 3, value +0.250 (estimate), {line}, depth 4, 12,345 nodes in 0.5 s>"
    html = found._repr_html_()
    assert html.count("<tr>") == 11
    assert "the best 10 of 362 actions</caption>" in html
