"""The generic solver against plain minimax from the rules alone, and against what is known."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from plyground.agents import AlphaBeta
from plyground.agents.solver import Solver
from plyground.agents.solver.endings import has_count
from plyground.agents.solver.exhaustive import TooManyError
from plyground.agents.solver.retrograde_memory import TooLargeError
from plyground.agents.solver.sampling import fewest_positions
from plyground.agents.solver.solving import BYTES, new_table
from plyground.arena.cli.parts.solution import in_words
from plyground.arena.cli.solve import solve
from plyground.envs import Game, checkers, chess, connect_four, game_factory, make_game, tictactoe
from tests.conftest import random_game
from tests.helpers.oracles import identity, reachable
from tests.helpers.waiting import waiting
from tests.search.test_alphabeta import take_twice


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


def test_memory_is_checked_before_it_is_passed(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("mnk(m=4, n=4, k=4)")
    solver = Solver(game, table_mb=1, seconds=0)
    tables = [1]

    def noted(slots: int) -> Any:
        tables.append(slots)
        assert slots + tables[-2] <= 2**20 / BYTES
        return new_table(slots)

    monkeypatch.setattr("plyground.agents.solver.exhaustive.new_table", noted)
    with pytest.raises(MemoryError, match=r"too large to solve with table_mb=1: [\d,]+ positions were found") as caught:
        solver.value(game.new_state())
    assert max(tables) > 0.8 * 2**20 / BYTES  # nearly all of the memory was used
    monkeypatch.undo()
    # How much more is needed: there are about 600,000 positions at the fullest ply, and their images.
    found = re.search(r"about ([\d,]+) or more, for which it takes table_mb=([\d,]+) or more", str(caught.value))
    assert found is not None
    positions, megabytes = (int(text.replace(",", "")) for text in found.groups())
    assert 20_000 < positions < 1_000_000
    assert 1 < megabytes < 100
    state = random_game(game, rng, 11)[-1]
    assert solver.value(state) == plain(game, state, {})  # what was stopped left nothing wrong behind
    with pytest.raises(MemoryError):
        solver.solve(game.new_state())


def test_an_estimate_is_made_where_an_interrupt_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(function: Any, stop: Any) -> None:
        stop[0] = 1
        function()  # ends at once
        raise KeyboardInterrupt

    game, estimates = make_game("mnk(m=4, n=4, k=4)"), list[int]()
    assert fewest_positions(game, game.new_state()) > 1000
    monkeypatch.setattr("plyground.agents.solver.sampling.run_with_stop", interrupted)
    with pytest.raises(KeyboardInterrupt):
        estimates.append(fewest_positions(game, game.new_state()))
    assert not estimates


@pytest.mark.parametrize("megabytes", [1e12, 1.7e308])
def test_more_memory_than_there_is_may_be_named(megabytes: float) -> None:
    game = make_game("mnk(m=4, n=3, k=3)")
    solver = Solver(game, table_mb=megabytes)
    assert solver.value(game.new_state()) == (1.0, 7)
    assert solver._engine.nodes > 3072  # the table has grown
    small = connect_four(4, 4)
    assert Solver(small, table_mb=megabytes).value(small.new_state())[0] == 0


@pytest.mark.parametrize("error", [TooManyError("othello", 0.5, 7, 8_000_000), TooLargeError(7)], ids=str)
def test_errors_come_back_from_other_processes_as_they_are(error: MemoryError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_games_that_cannot_be_solved_in_this_way_are_refused() -> None:
    with pytest.raises(ValueError, match="forbids to repeat a position"):
        Solver("go(board_size=5)")
    with pytest.raises(ValueError, match="table_mb must be a finite number, at least 0, got inf"):
        AlphaBeta("tictactoe", table_mb=float("inf"))
    with pytest.raises(ValueError, match="table_mb must be a finite number above 0, got inf"):
        Solver("tictactoe", table_mb=float("inf"))
    with pytest.raises(ValueError, match="table_mb must be a finite number above 0, got 0"):
        Solver("tictactoe", 0)
    with pytest.raises(ValueError, match="state must be one state of tictactoe"):
        Solver("tictactoe").solve(connect_four().new_state())


def test_play_without_end_is_a_draw() -> None:
    game = waiting()
    found = Solver(game).solve(game.new_state())
    assert (found.value, found.distance, found.best_actions, found.pv) == (0.0, None, (0,), (0, 0))
    assert in_words(game, game.new_state(), found) == "player_0 to move: draw without end"


def test_endings_are_those_of_games_that_are_played_by_the_rules() -> None:
    game, short, strict = checkers(), checkers(max_quiet_plies=6), checkers(men_reset=False)
    other = [game.with_weights(material=0.1), game.replace(observe=lambda state, player, planes: None)]
    assert all(map(has_count, [game, short, chess(), chess(chess960=5), chess().with_weights(mobility=0.07), *other]))
    changed = [{"is_terminal": short.is_terminal}, {"play": strict.play}, {"key": game.repetition_key}]
    assert not any(has_count(game.replace(**rules)) for rules in changed)
    named = [tictactoe().replace(name=name) for name in ("checkers", "chess", "connect_four")]
    assert not any(map(has_count, [chess(classic=True), connect_four(), *named]))


def test_a_win_after_positions_that_draw_when_they_come_once_more_is_not_exact() -> None:
    """A game by repetition might be drawn, and the analysis called its win exact."""
    game = checkers()
    state = game.state_from_fen("B:W30:BK22,K23")
    key, other = np.uint64(game.repetition_key(state)), np.uint64(1)
    solver = Solver(game)
    for past, exact in (
        (None, True),
        ([key, other], True),
        ([other, key, other], False),
        ([key, other, key], True),  # a way to a win does not come back to where it began
    ):
        found = solver.analyse(state, past=None if past is None else np.array(past, np.uint64))
        assert (found.value, found.exact) == (1.0, exact)


def test_a_slow_win_that_leads_back_to_a_position_that_then_draws_is_not_proved() -> None:
    game = waiting(wins=True, draw=3)
    state, solver = game.new_state(), Solver(game)
    keys = np.array([game.repetition_key(game.play_moves(moves)) for moves in ([], [0], [0, 0])], np.uint64)
    before, now = (solver.analyse(state, past=past) for past in (keys[:1], keys))
    assert (before.best_actions, before.kind_of(0), before.kind_of(1)) == ((0, 1), "exact", "exact")
    assert (now.best_actions, now.kind_of(0), now.kind_of(1)) == ((1,), "estimate", "exact")


def test_games_of_the_same_name_have_parameters_of_their_own() -> None:
    @game_factory
    def checkers(size: int = 8, max_quiet_plies: int = 300) -> Game:
        return make_game("checkers").replace(name="checkers")

    assert not has_count(checkers())


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
    assert "X to move: win in 5 plies\nbest moves: 3 4 6\n" in result.output.replace("  ", " ")
    over = CliRunner().invoke(app, ["tictactoe", "--moves", "0 3 1 4 2"])
    assert "the game is over: loss of O" in over.output
    wrong = CliRunner().invoke(app, ["tictactoe", "--make-book"])
    assert isinstance(wrong.exception, ValueError)
    wrong = CliRunner().invoke(app, ["--make-book", "--table-mb", "0", "--out", "book.npz"])
    assert str(wrong.exception) == "table_mb must be a finite number above 0, got 0.0"
