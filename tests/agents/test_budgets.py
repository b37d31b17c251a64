"""Budgets and settings of searches: they may be set at any time, and are checked whenever that is."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, PUCT, AlphaBeta, Minimax, Solver, make
from plyground.agents.alphabeta.options import line_lengths
from plyground.envs import chess, tictactoe

BUDGETS = [
    ("minimax(depth=2)", "depth"),
    ("alphabeta(depth=2)", "depth"),
    ("alphabeta(nodes=100)", "nodes"),
    ("alphabeta(seconds=0.1)", "seconds"),
    ("mcts(simulations=20)", "simulations"),
    ("mcts(seconds=0.1)", "seconds"),
    ("puct(simulations=20)", "simulations"),
    ("flat(simulations=20)", "simulations"),
]


@pytest.mark.parametrize(("spec", "budget"), BUDGETS)
@pytest.mark.parametrize("odd", [0, -2, math.nan, "1", True])
def test_a_budget_that_is_none_is_refused_when_it_is_set(spec: str, budget: str, odd: Any) -> None:
    """A depth of 0 searched to the end of the game, and -2 ended in an error of NumPy's."""
    agent: Any = make(spec, "tictactoe")
    before = getattr(agent, budget)
    with pytest.raises(ValueError, match=f"^{budget} must be .* above 0, got {odd!r}: a search needs a budget"):
        setattr(agent, budget, odd)
    assert getattr(agent, budget) == before


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
@pytest.mark.parametrize(
    ("cls", "budget"), [(Minimax, "depth"), (AlphaBeta, "depth"), (MCTS, "simulations"), (PUCT, "simulations")]
)
def test_numbers_of_numpy_are_as_pythons(cls: Any, budget: str, kind: Any) -> None:
    """Compiled code knew them as another type: minimax refused them, other searches compiled once more."""
    game = tictactoe()
    agent, same = cls(game, **{budget: kind(3)}), cls(game, **{budget: 3})
    assert type(getattr(agent, budget)) is int
    if cls in (MCTS, PUCT):
        agent.reset(seed=0)
        same.reset(seed=0)
    found, expected = agent.analyse(game.new_state()), same.analyse(game.new_state())
    assert (found.best_action, found.values, found.nodes) == (expected.best_action, expected.values, expected.nodes)


def test_lines_have_room_whatever_the_kind_of_their_numbers() -> None:
    """Small numbers overflowed: lines of 272 plies had room for 16, and compiled code wrote beyond it."""
    game = chess()
    odd: Any = np.uint8
    small = AlphaBeta(game, depth=odd(240), quiescence=odd(100), nodes=100)
    large = AlphaBeta(game, depth=240, quiescence=100, nodes=100)
    expected = line_lengths(game, large.options, large.depth)
    assert line_lengths(game, small.options, small.depth) == expected
    assert small.workspace[0].states.size == large.workspace[0].states.size


def test_a_proved_draw_is_zero_without_a_sign() -> None:
    game = tictactoe()
    found = MCTS(game, 20_000, solver=True, seed=0).analyse(game.play_moves([4]))
    assert found.exact
    assert {math.copysign(1, value) for value in found.values.values() if value == 0} == {1.0}


SETTINGS = [
    ("mcts", "c", -1, "c must be a finite number, at least 0, got -1"),
    ("mcts", "final_move", "best", "final_move must be one of visits, value, robust-max, got 'best'"),
    ("puct", "c", math.inf, "c must be a finite number, at least 0, got inf"),
    ("puct", "noise", 2, "noise must be between 0 and 1, got 2"),
    ("puct", "noise_alpha", 0, "noise_alpha must be a finite number above 0, got 0"),
    ("puct", "temperature", "hot", "temperature must be at least 0, got 'hot'"),
    ("puct", "fpu", None, "fpu must be a number, got None"),
    ("alphabeta", "table_mb", -1, "table_mb must be a finite number, at least 0, got -1"),
    ("solver", "table_mb", 0, "table_mb must be a finite number above 0, got 0"),
    ("solver", "seconds", -1, "seconds must be at least 0, got -1"),
]


@pytest.mark.parametrize(("spec", "name", "odd", "message"), SETTINGS)
def test_a_setting_out_of_its_range_is_refused_whenever_it_is_set(spec: str, name: str, odd: Any, message: str) -> None:
    agent: Any = make(spec, "tictactoe")
    before = getattr(agent, name)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        setattr(agent, name, odd)
    assert getattr(agent, name) == before
    with pytest.raises(ValueError, match=re.escape(message)):
        type(agent)("tictactoe", **{name: odd})


def test_another_size_of_the_table_makes_another_table() -> None:
    game = tictactoe()
    agent, solver = AlphaBeta(game, depth=9, table_mb=0.01), Solver(game)
    small = agent.workspace[0].table.size
    agent.table_mb = 0
    assert agent.analyse(game.new_state()).statistics["table probes"] == agent.workspace[0].table.size == 0 < small
    nodes = solver.solve(game.new_state()).nodes
    assert solver.solve(game.new_state()).nodes == 0 < nodes  # all is known
    solver.table_mb = 1
    assert solver.solve(game.new_state()).nodes == nodes


def test_an_evaluation_that_is_no_number_is_told() -> None:
    """It compares with nothing, so the moves that led to it were left out without a word."""
    game = tictactoe()

    def undefined(state: Any, player: int) -> float:
        return np.nan if (state.stones[0] | state.stones[1]) & 16 else 0.0  # where the centre is taken

    agent = AlphaBeta(game, depth=2, evaluate=undefined)
    with pytest.raises(ValueError, match="evaluate must return finite numbers, and the search found nan"):
        agent.analyse(game.new_state())
    agent = AlphaBeta(game, depth=2, quiescence=2, evaluate=undefined)
    with pytest.raises(ValueError, match="evaluate must return finite numbers, and the search found nan"):
        agent.analyse(game.new_state())
