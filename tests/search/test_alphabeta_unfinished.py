"""Alpha-beta at the root: what is made of a depth that was not finished, and late moves there."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plyground.agents import AlphaBeta, Minimax
from plyground.agents.alphabeta.options import new_status
from plyground.agents.alphabeta.selecting import is_reduced
from plyground.envs import connect_four, mnk
from tests.conftest import random_game
from tests.search.test_alphabeta_pruning import EVERYTHING, TOLD, noise


@pytest.mark.slow
@pytest.mark.parametrize("window", [None, 50.0])
def test_what_an_unfinished_depth_found_is_its_value_and_better(window: float | None, rng: np.random.Generator) -> None:
    game = connect_four(4, 5).replace(evaluate=noise, max_utility=math.inf)
    moved = held = 0
    for state in random_game(game, rng, plies=6)[:-1]:
        for nodes in range(60, 900, 60):
            before = AlphaBeta(game, nodes=nodes, aspiration=window).analyse(state)
            found = AlphaBeta(game, nodes=nodes, aspiration=window, unfinished=True).analyse(state)
            assert (found.depth, found.nodes, found.exact) == (before.depth, before.nodes, before.exact)
            if found.values == before.values:
                held += 1
                continue
            values = Minimax(game, found.depth + 1).analyse(state).values
            best = values[found.best_action]
            assert found.value == best or (window is not None and before.value + window <= found.value <= best)
            assert best >= values[before.best_action]
            assert before.best_action in found.values
            assert all(value >= values[action] for action, value in found.values.items() if action != found.best_action)
            moved += found.best_action != before.best_action
    assert min(moved, held) > 3


@pytest.mark.slow
def test_nothing_unfinished_is_called_proved() -> None:
    game = connect_four(4, 5)
    for moves in ([], [2], [2, 2], [1, 2, 3, 2]):
        state = game.play_moves(moves)
        proof = AlphaBeta(game, 20).analyse(state)
        for nodes in (100, 1000, 10_000, 100_000):
            found = AlphaBeta(TOLD, nodes=nodes, **EVERYTHING, unfinished=True).analyse(state)
            assert not found.exact or found.value == proof.value
            assert abs(found.value) < 1 or found.value == proof.value


@pytest.mark.slow
def test_all_of_the_best_are_those_of_a_finished_depth() -> None:
    game = connect_four(4, 5)
    state = game.play_moves([2])
    for nodes in range(60, 600, 60):
        before, found = (
            AlphaBeta(game, nodes=nodes, all_best=True, unfinished=one).analyse(state) for one in (False, True)
        )
        assert (found.best_actions, found.values) == (before.best_actions, before.values)


def test_an_unfinished_depth_needs_depths() -> None:
    with pytest.raises(ValueError, match="unfinished needs iterative=True: it does nothing without"):
        AlphaBeta("tictactoe", 3, iterative=False, unfinished=True)
    assert AlphaBeta("chess", 3, iterative=False).options.unfinished  # chess's own, without effect


@pytest.mark.slow
def test_late_moves_at_the_root_are_searched_less_deep() -> None:
    game = mnk(m=5, n=5, k=4)
    state = game.play_moves([12])
    reduced, all_best = (
        AlphaBeta(game, 3, lmr=3, deep_reductions=True, all_best=all_best).analyse(state) for all_best in (False, True)
    )
    # Three plies are the least to be reduced, and only the root has as many.
    assert reduced.statistics["reductions"] > 3
    assert all_best.statistics["reductions"] == 0
    exact = Minimax(game, 3).analyse(state)
    assert all_best.value == exact.value
    assert reduced.value == exact.values[reduced.best_action]  # what turns out better is searched again


def test_moves_that_win_something_or_are_forced_are_not_reduced_at_the_root() -> None:
    status = new_status(TOLD, AlphaBeta(TOLD, 6, lmr=2, deep_reductions=True).options, 6)[0]
    state, forced = TOLD.new_state(), TOLD.new_state()
    forced.mine = 3
    cases = {(0, 5, 3): True, (0, 5, 1): False, (0, 2, 3): False, (2, 5, 3): False}
    assert {case: is_reduced(TOLD, state, case[0], status, *case[1:]) for case in cases} == cases
    assert not is_reduced(TOLD, forced, 0, status, 5, 3)
