"""What an analysis says of its values."""

from __future__ import annotations

from typing import Any

import pytest

from plyground.agents import Analysis, make
from plyground.envs import make_game

WON = [0, 3, 1, 4]  # tic-tac-toe: X wins at once by 2


@pytest.mark.parametrize(
    ("spec", "moves", "kind"),
    [
        ("alphabeta(depth=9)", WON, "exact"),
        ("alphabeta(depth=1)", [], "estimate"),
        ("minimax(depth=9)", WON, "exact"),
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


def test_alphabeta_knows_bounds_of_all_actions_but_the_best() -> None:
    game = make_game("connect_four")
    state = game.play_moves([3, 3])
    agent: Any = make("alphabeta(depth=6)", game)
    minimax: Any = make("minimax(depth=6)", game)
    found, true = agent.analyse(state), minimax.analyse(state).values
    assert found.upper_bounds == tuple(sorted(set(true) - {found.best_action}))
    assert all(true[action] <= found.values[action] <= found.value for action in found.upper_bounds)
    assert {found.kind_of(action) for action in found.upper_bounds} == {"upper bound"}


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
