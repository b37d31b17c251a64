"""Bounds from the next plies alone: against plain Python, and against what the solver knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import Solver
from plyground.agents.foresight import Foresight
from plyground.envs import Game, State, make_game
from tests.conftest import random_game
from tests.search.test_alphabeta import take_twice


def slow_bounds(game: Game, state: State, plies: int, player: int) -> tuple[float, float]:
    """Return the least and the most that a state can be worth for ``player``, from all lines of so many plies."""
    if game.is_terminal(state):
        value = float(game.utility(state, player))
        return value, value
    if plies == 0:
        return -game.max_utility, game.max_utility
    found = []
    for action in game.actions(state):
        child = state.copy()
        game.play(child, action)
        found.append(slow_bounds(game, child, plies - 1, player))
    best: Any = max if game.player(state) == player else min
    return best(least for least, _ in found), best(most for _, most in found)


@pytest.mark.parametrize(
    "spec",
    [
        "tictactoe",
        "othello(size=4, by_discs=True)",  # passes, and results of many sizes
        pytest.param("connect_four(rows=4, columns=5)", marks=pytest.mark.slow),
        pytest.param("othello(size=4)", marks=pytest.mark.slow),
        pytest.param("checkers", marks=pytest.mark.slow),
        pytest.param("chess", marks=pytest.mark.slow),
    ],
)
def test_bounds_are_those_of_all_lines(spec: str, rng: np.random.Generator) -> None:
    check_bounds(make_game(spec), rng, 3 if spec == "chess" else 40)


def test_bounds_where_a_player_moves_twice(rng: np.random.Generator) -> None:
    check_bounds(take_twice(), rng, 20)


def check_bounds(game: Game, rng: np.random.Generator, positions: int) -> None:
    decided = set[bool]()
    foresight = [Foresight(game, plies) for plies in (1, 2, 3)]
    for _ in range(positions):
        states = random_game(game, rng)
        state = states[int(rng.integers(max(0, len(states) - 8), len(states)))]
        before = state.copy()
        for plies, judge in enumerate(foresight, start=1):
            least, most = judge.bounds(state)
            assert (least, most) == slow_bounds(game, state, plies, int(game.player(state)))
            assert judge.is_decided(state) is (least == most)
            decided.add(least == most)
        assert state == before
    assert positions < 20 or decided == {False, True}


def test_the_truth_lies_between_them(rng: np.random.Generator) -> None:
    game = make_game("tictactoe")
    solver, judge = Solver(game), Foresight(game, 4)
    for _ in range(100):
        state = random_game(game, rng, int(rng.integers(8)))[-1]
        least, most = judge.bounds(state)
        assert least <= solver.solve(state).value <= most


def test_no_plies_are_refused() -> None:
    with pytest.raises(ValueError, match="plies"):
        Foresight(make_game("tictactoe"), 0)
