"""The generic solver against plain minimax from the rules alone, and against what is known."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from plyground.agents import AlphaBeta
from plyground.agents.solver import Solver
from plyground.arena.cli.solve import solve
from plyground.envs import Game, connect_four, make_game, state_dtype, tictactoe

from .conftest import random_game
from .oracles import identity, reachable
from .test_alphabeta import take_twice


def plain(game: Game, state: Any, known: dict[bytes, tuple[float, int]]) -> tuple[float, int]:
    """Return value and distance by their definition, without kernel or hashing."""
    if identity(state) not in known:
        player = game.player(state)
        found = []
        for action in () if game.is_terminal(state) else game.actions(state):
            child = game.play_moves([action], state)
            value, distance = plain(game, child, known)
            found.append((value if game.player(child) == player else 0.0 - value, distance + 1))
        if not found:
            known[identity(state)] = (float(game.utility(state, player)), 0)
        else:
            value = max(value for value, _ in found)
            distances = [distance for other, distance in found if other == value]
            known[identity(state)] = (value, min(distances) if value > 0 else max(distances))
    return known[identity(state)]


@pytest.mark.parametrize("make", [tictactoe, take_twice])
def test_every_reachable_position_is_solved_as_by_plain_minimax(make: Any) -> None:
    game = make()
    solver = Solver(game)
    known: dict[bytes, tuple[float, int]] = {}
    states = list(reachable(game).values())
    for state in states[:: len(states) // 1500 + 1]:
        assert solver.value(state) == plain(game, state, known)


def test_othello_with_its_passes_is_solved_as_by_plain_minimax(rng: np.random.Generator) -> None:
    game = make_game("othello(size=4)")
    solver = Solver(game)
    known: dict[bytes, tuple[float, int]] = {}
    for _ in range(100):
        state = random_game(game, rng, 6)[-1]
        assert solver.value(state) == plain(game, state, known)


@pytest.mark.slow
def test_best_actions_of_tictactoe_are_those_of_plain_minimax() -> None:
    game = tictactoe()
    solver = Solver(game)
    known: dict[bytes, tuple[float, int]] = {}
    for state in list(reachable(game).values())[::7]:
        found = solver.solve(state)
        values = {}
        for action in () if game.is_terminal(state) else game.actions(state):
            value, distance = plain(game, game.play_moves([action], state), known)
            values[action] = (0.0 - value, distance + 1)
        assert {action: (found.values[action], found.distances[action]) for action in found.values} == values
        best = tuple(action for action in values if values[action][0] == found.value)
        assert solver.optimal_actions(state) == found.best_actions == best
        assert found.fastest_actions == tuple(action for action in best if values[action][1] == found.distance)
        end = game.play_moves(found.pv, state)
        assert (game.is_terminal(end), len(found.pv)) == (True, found.distance)


def test_known_values(textbook: Any) -> None:
    known = textbook["known_values"]
    results = {"draw": 0.0, "first player wins": 1.0}
    for size in ("3,3,3", "4,3,3", "4,4,3"):
        m, n, k = map(int, size.split(","))
        game = make_game(f"mnk(m={m}, n={n}, k={k})")
        assert Solver(game).value(game.new_state())[0] == results[known["mnk"][size]], size
    game = make_game("othello(size=4)")
    assert Solver(game).value(game.new_state())[0] == -1  # white, the second player, wins


@pytest.mark.slow
def test_checkers_endings_are_those_of_alphabeta() -> None:
    # The count of quiet plies is a part of the state: no position comes again, and the search ends.
    game = make_game("checkers(max_quiet_plies=6)")
    state = game.new_state()
    solver, alphabeta = Solver(game), AlphaBeta(game, depth=30, all_best=True)
    values = set()
    for bits in (
        (19, 20, 9),  # two kings against one
        (13, 14, 4),
        (9, 1, 0),
        (5, 9, 28),
        (22, 21, 13),
        (14, 15, 30),
    ):
        state.sides = [1 << bits[0] | 1 << bits[1], 1 << bits[2]]
        state.kings = state.sides[0] | state.sides[1]
        found, expected = solver.solve(state), alphabeta.analyse(state)
        assert expected.exact
        assert (found.value, found.best_actions) == (expected.value, expected.best_actions)
        values.add(found.value)
    assert len(values) > 1


def test_plays_perfectly_as_an_agent(rng: np.random.Generator) -> None:
    game = tictactoe()
    solver = Solver(game)
    for seat in (0, 1):
        for _ in range(50):
            state = game.new_state()
            while not game.is_terminal(state):
                own = game.player(state) == seat
                move = solver.analyse(state).best_action if own else int(rng.choice(game.actions(state)))
                game.play(state, move)
            assert game.utility(state, seat) >= 0
    mask = np.zeros(9)
    mask[3] = 1
    assert solver.analyse(game.new_state(), mask).best_actions == (3,)


def test_memory_is_checked_before_it_is_passed(rng: np.random.Generator) -> None:
    game = make_game("mnk(m=4, n=4, k=4)")
    solver = Solver(game, table_mb=1)
    with pytest.raises(MemoryError, match=r"too large to solve with table_mb=1: \d+ positions are kept"):
        solver.value(game.new_state())
    state = random_game(game, rng, 11)[-1]
    assert solver.value(state) == plain(game, state, {})  # what was stopped left nothing wrong behind
    with pytest.raises(MemoryError):
        solver.solve(game.new_state())


def test_games_that_cannot_be_solved_in_this_way_are_refused() -> None:
    with pytest.raises(ValueError, match="forbids to repeat a position"):
        Solver("go(board_size=5)")
    with pytest.raises(ValueError, match="table_mb must be above 0, got 0"):
        Solver("tictactoe", 0)
    with pytest.raises(ValueError, match="state must be one state of tictactoe"):
        Solver("tictactoe").solve(connect_four().new_state())


def test_play_without_end_is_a_draw() -> None:
    game = back_and_forth()
    found = Solver(game).solve(game.new_state())
    assert (found.value, found.distance, found.best_actions, found.pv) == (0.0, None, (0,), (0, 0))


def back_and_forth() -> Game:
    """Two places, between which the players move one piece for ever."""

    def legal_actions(state: Any, actions: Any) -> int:
        actions[0] = 0
        return 1

    def play(state: Any, action: int) -> None:
        state.place = 1 - state.place

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0] = state.place

    return Game(
        name="back_and_forth",
        state=state_dtype(place="i4"),
        num_actions=1,
        max_plies=100,
        observation_shape=(1,),
        player=lambda state: state.place,
        legal_actions=legal_actions,
        play=play,
        is_terminal=lambda state: False,
        utility=lambda state, player: 0.0,
        observe=observe,
    )


def test_a_finished_game_has_its_value_and_no_moves() -> None:
    game = tictactoe()
    found = Solver(game).solve(game.play_moves([0, 3, 1, 4, 2]))
    assert (found.value, found.distance, found.best_actions, found.pv) == (-1.0, 0, (), ())


def test_clear_forgets_and_a_copy_starts_empty() -> None:
    game = tictactoe()
    solver = Solver(game)
    first = solver.solve(game.new_state()).nodes
    assert first == 627  # of 765 positions up to symmetry, 138 are finished
    assert solver.solve(game.new_state()).nodes == 0
    assert copy.deepcopy(solver).solve(game.new_state()).nodes == first
    solver.clear()
    assert solver.solve(game.new_state()).nodes == first


def test_command_line() -> None:
    app = typer.Typer()
    app.command()(solve)
    result = CliRunner().invoke(app, ["tictactoe", "--moves", "0 1"])
    assert result.exit_code == 0
    assert "player_1 to move: win in 5 plies\nbest moves: 3 4 6\n" in result.output.replace("  ", " ")
    over = CliRunner().invoke(app, ["tictactoe", "--moves", "0 3 1 4 2"])
    assert "the game is over: loss of player_2" in over.output
    wrong = CliRunner().invoke(app, ["tictactoe", "--make-book"])
    assert isinstance(wrong.exception, ValueError)
