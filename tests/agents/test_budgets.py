"""Budgets and settings of searches: they may be set at any time, and are checked whenever that is."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, PUCT, AlphaBeta, FlatMonteCarlo, Minimax, Solver, make
from plyground.agents.alphabeta.options import line_lengths
from plyground.agents.solver.connect_four.scores import ConnectFourScores
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
    ("puct", "c_base", 0, "c_base must be above 0, or None, got 0"),
    ("puct", "virtual_loss", 2.5, "virtual_loss must be a whole number, from 0 to 2147483647, got 2.5"),
    ("puct", "root", "gumble", "unknown root 'gumble': did you mean 'gumbel'? Choose from: gumbel, puct"),
    ("puct", "proofs", "no", "proofs must be True or False, got 'no'"),
    ("puct", "reuse_tree", "no", "reuse_tree must be True or False, got 'no'"),
    ("mcts", "reuse_tree", 2, "reuse_tree must be True or False, got 2"),
    ("flat", "allocation", "ucb", "allocation must be 'uniform' or 'ucb1', got 'ucb'"),
    ("flat", "c", math.nan, "c must be a number of at least 0, got nan"),
    ("solver", "book", "x", "book must be True or False, got 'x'"),
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


def test_settings_are_kept_as_compiled_code_takes_them() -> None:
    puct, flat = PUCT("tictactoe", c_base=1), FlatMonteCarlo("tictactoe")
    assert [puct.c_base, puct.reuse_tree] == [1.0, False]
    puct.c_base, puct.virtual_loss, puct.reuse_tree, flat.c = None, np.int8(3), 1, np.float32(0.5)
    kept: list[Any] = [puct.c_base, puct.virtual_loss, puct.reuse_tree, flat.c]
    assert kept == [math.inf, 3, True, 0.5]
    assert [type(one) for one in kept] == [float, int, bool, float]
    assert puct.analyse(tictactoe().new_state()).leaves == 800


def test_c_base_may_be_none_later() -> None:
    """It was told only when a search had begun."""
    given, later, never = (PUCT("tictactoe", 200, seed=0, c_base=base) for base in (None, 2, 2))
    later.c_base = None
    found = [agent.analyse(tictactoe().new_state()).visits for agent in (given, later, never)]
    assert found[0] == found[1] != found[2]


def test_the_book_may_be_closed_later() -> None:
    """It was of no effect once the solver had its table."""
    solver = Solver("connect_four")
    with_book = solver._engine
    solver.book = False
    assert isinstance(with_book, ConnectFourScores)
    assert solver._engine is not with_book
    solver.book = True
    assert isinstance(solver._engine, ConnectFourScores)


@pytest.mark.parametrize("megabytes", [np.int8(3), np.uint8(200), np.float16(3)])
def test_megabytes_may_be_small_numbers_of_numpy(megabytes: Any) -> None:
    """Their products overflowed."""
    start = tictactoe().new_state()
    for kind in (MCTS, PUCT, partial(PUCT, root="gumbel")):
        agent, same = (kind("tictactoe", 20, seed=0, tree_mb=size) for size in (megabytes, float(megabytes)))
        assert agent.analyse(start).visits == same.analyse(start).visits


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


@pytest.mark.parametrize("kind", [AlphaBeta, Minimax])
def test_an_evaluation_that_is_no_number_is_told(kind: Any) -> None:
    """It compares with nothing, so the moves that led to it were left out without a word."""
    game = tictactoe()

    def undefined(state: Any, player: int) -> float:
        return np.nan if (state.stones[0] | state.stones[1]) & 16 else 0.0  # where the centre is taken

    agent = kind(game, depth=2, evaluate=undefined)
    with pytest.raises(ValueError, match="evaluate must return finite numbers, and the search found nan"):
        agent.analyse(game.new_state())
    agent = AlphaBeta(game, depth=2, quiescence=2, evaluate=undefined)
    with pytest.raises(ValueError, match="evaluate must return finite numbers, and the search found nan"):
        agent.analyse(game.new_state())
