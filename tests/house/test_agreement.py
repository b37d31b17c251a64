"""UCT against the truth: its values near those of minimax, its moves among those of exact solving."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.strength.agreement import agreement, by_chance, positions, random_position
from plyground.agents import MCTS, AlphaBeta
from plyground.envs import connect_four, make_game
from tests.helpers.oracles import minimax_value

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("spec", "plies"), [("tictactoe", 2), ("mnk(m=4, n=3, k=3)", 5), ("connect_four(rows=4, columns=4)", 7)]
)
def test_the_value_converges_to_the_minimax_value(spec: str, plies: int) -> None:
    game, rng = make_game(spec), np.random.default_rng(1)
    drawn = (random_position(game, plies, rng) for _ in range(30))
    states = [state for state in drawn if state is not None][:12]
    known: dict[bytes, float] = {}
    truth = [minimax_value(game, state, known) for state in states]
    assert len(set(truth)) > 1  # not all are draws, or wins
    errors = []
    for simulations in (100, 1000, 10_000, 100_000):
        found = [MCTS(game, simulations, seed=0).analyse(state).value for state in states]
        errors.append([abs(value - exact) for value, exact in zip(found, truth, strict=True)])
    means = np.mean(errors, axis=1)
    # In the end errors are of the order ln(n) / n (Kocsis and Szepesvári 2006): an eighth at ten times the budget.
    assert (means[1:] < means[:-1]).all(), means
    assert (means[2:] < means[1:-1] / 2).all(), means
    assert np.max(errors[-1]) < 0.05


def test_positions_have_something_to_find() -> None:
    game = connect_four()
    found = list(positions(game, 5, plies=(22, 24), seed=3))
    assert len(found) == 5
    judge = AlphaBeta(game, game.max_plies, all_best=True)  # to the end, by another search than the solver's
    for state, best in found:
        assert 22 <= state.ply <= 24
        assert best == judge.analyse(state).best_actions
        assert 0 < len(best) < len(game.actions(state))
        two_plies = AlphaBeta(game, 2, all_best=True).analyse(state)
        assert not two_plies.exact
    again = list(positions(game, 5, plies=(22, 24), seed=3))
    assert [int(game.key(state)) for state, _ in again] == [int(game.key(state)) for state, _ in found]


def test_moves_agree_with_the_solver() -> None:
    game = connect_four()
    solved = list(positions(game, 60, plies=(18, 24), seed=1))
    chance = by_chance(game, solved)
    assert chance < 0.5
    few, many = (agreement(MCTS(game, simulations), solved) for simulations in (50, 5000))
    # Of 60 positions a rate of 0.95 has a standard error of 0.03, and that of random moves, 0.43, one of 0.06.
    assert chance < few < many
    assert many >= 0.85
