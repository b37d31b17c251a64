"""Positions that do not fit into the solver's memory, and what alpha-beta proves of them."""

from __future__ import annotations

import copy
import itertools
from typing import Any
from unittest.mock import patch

import pytest

from plyground.agents.solver import Progress, Solver
from plyground.agents.solver.deepening import Deepening
from plyground.agents.solver.exhaustive import AllPositions, TooManyError
from plyground.envs import Game, make_game, state_dtype


@pytest.mark.parametrize("moves", [pytest.param((), marks=pytest.mark.slow), (5,), (0, 5), (5, 0, 10, 15)])
def test_what_does_not_fit_into_memory_is_proved_by_alphabeta(moves: tuple[int, ...]) -> None:
    game = make_game("mnk(m=4, n=4, k=3)")
    state = game.play_moves(moves)
    small, large = Solver(game, table_mb=0.1), Solver(game)
    with patch.object(AllPositions, "value", side_effect=TooManyError(game.spec, 0.1, 1)):
        found, analysis = small.solve(state), small.analyse(state)
        assert small.value(state) == (found.value, found.distance)
    true = large.solve(state)
    assert abs(true.value) == 1
    assert (found.value, found.distance, found.complete) == (true.value, true.distance, False)
    assert (found.fastest_actions, analysis.best_action) == (true.fastest_actions, true.fastest_actions[0])
    assert found.values == {action: true.values[action] for action in found.values}
    assert all(found.distances[action] in (None, true.distances[action]) for action in found.values)
    assert game.is_terminal(game.play_moves(found.pv, state))
    assert (len(found.pv), analysis.exact, analysis.pv) == (found.distance, True, found.pv)


@pytest.mark.parametrize("ask", ["solve", "analyse"])
def test_all_searches_for_a_move_share_one_limit(ask: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("mnk(m=4, n=4, k=3)")
    solver, ends = Solver(game, table_mb=0.1, seconds=1e6), list[float]()
    run = Deepening._run

    def noted(self: Deepening, first: int, last: int, end: float) -> None:
        ends.append(end)
        run(self, first, last, end)

    monkeypatch.setattr(Deepening, "_run", noted)
    monkeypatch.setattr("time.perf_counter", itertools.count().__next__)  # each look at the clock takes a second
    with patch.object(AllPositions, "value", side_effect=TooManyError(game.spec, 0.1, 1)):
        getattr(solver, ask)(game.new_state())  # proves the value, looks for the best actions, and for the line
        assert (len(ends) > 10, len(set(ends))) == (True, 1)
        getattr(solver, ask)(game.play_moves([5]))
    assert len(set(ends)) == 2  # another move has its own


def test_a_draw_is_proved_by_alphabeta_without_its_distance() -> None:
    game = make_game("mnk(m=4, n=4, k=4)")
    state = game.play_moves([5, 0, 10, 15, 6, 9])
    told: list[Progress] = []
    solver = Solver(game, table_mb=0.01)
    solver.on_progress = told.append
    found, true = solver.solve(state), Solver(game).solve(state)
    assert (found.value, found.distance, true.value) == (0.0, None, 0.0)
    assert found.best_actions == found.fastest_actions == true.best_actions
    assert found.values.items() <= true.values.items()
    visited = solver._engine.nodes
    assert solver.solve(state).value == 0.0
    assert solver._engine.nodes == visited  # all positions were visited once more, and then the proof was remembered
    assert solver.value(state) == (0.0, None)
    assert copy.deepcopy(solver).on_progress is None
    with pytest.raises(MemoryError, match=r"; alpha-beta proved nothing in 1e-09 s, 0 plies ahead; give more"):
        Solver(game, table_mb=0.01, seconds=1e-9).solve(state)


def test_moves_that_keep_a_draw_are_found_where_one_alone_proves_it() -> None:
    def legal_actions(state: Any, actions: Any) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def play(state: Any, action: int) -> None:  # stop, which is a draw, or go on, for four plies at most
        state.ply += 1
        state.over = action == 0 or state.ply == 4

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0] = state.ply & 1

    game = Game(
        name="stop_or_go",
        state=state_dtype(ply="i4", over="?"),
        num_actions=2,
        max_plies=4,
        observation_shape=(1,),
        player=lambda state: state.ply & 1,
        legal_actions=legal_actions,
        play=play,
        is_terminal=lambda state: state.over,
        utility=lambda state, player: 0.0,
        observe=observe,
    )
    with patch.object(AllPositions, "value", side_effect=TooManyError(game.spec, 0.1, 1)):
        found = Solver(game).solve(game.new_state())
    assert (found.value, found.best_actions, found.complete) == (0.0, (0, 1), False)


@pytest.mark.slow
def test_a_win_on_six_by_five_is_proved() -> None:
    game = make_game("mnk(m=6, n=5, k=4)")
    told: list[Progress] = []
    solver = Solver(game)
    solver.on_progress = told.append
    found = solver.solve(game.new_state())
    assert (found.value, found.distance, found.fastest_actions) == (1.0, 11, (14, 15))
    assert game.is_terminal(game.play_moves(found.pv))
    assert {progress.way for progress in told} == {"visiting all positions", "alpha-beta"}
    assert max(progress.megabytes for progress in told) <= 512
