"""The options of alpha-beta that change the value: by how much, and never what is said to be proved."""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta, Minimax
from plyground.agents.alphabeta.defaults import own_options
from plyground.agents.alphabeta.table import EXACT, LOWER, UPPER, better_guess
from plyground.envs import Game, SeatBatch, connect_four, make_game, state_dtype, tictactoe
from tests.conftest import random_game
from tests.search.test_alphabeta import scrambled

# All moves are noisy, which only a quiescence search asks for; one game for many tests, to be compiled once.
NOISY = connect_four(4, 5).replace(noisy_actions=connect_four(4, 5).legal_actions)
CORNERS = {"a1", "a8", "h1", "h8"}
PAGE = Path(__file__).parents[2] / "docs" / "search.md"


def value_with_quiescence(game: Game, state: Any, depth: int, quiescence: int) -> float:
    """Return the minimax value where the depth limit is followed by noisy moves, one position after the other."""
    player = game.player(state)
    if game.is_terminal(state):
        return game.utility(state, player)
    actions, values = game.actions(state), []
    if depth <= 0:
        legal, buffer = len(actions), np.empty(game.num_actions, np.int32)
        count = game.noisy_actions(state, buffer) if depth > -quiescence else 0
        actions = buffer[:count].tolist()
        if count < legal:
            values.append(game.evaluate(state, player))
    for action in actions:
        child = state.copy()
        game.play(child, action)
        value = value_with_quiescence(game, child, depth - 1, quiescence)
        values.append(value if game.player(child) == player else -value)
    return max(values)


@pytest.mark.rules
@pytest.mark.parametrize("name", ["othello", "othello(size=4)", "checkers"])
def test_noisy_are_corners_and_jumps(name: str, rng: np.random.Generator) -> None:
    game = make_game(name)
    corners = CORNERS if name == "othello" else {"a1", "a4", "d1", "d4"}
    buffer = np.empty(game.num_actions, np.int32)
    found = 0
    for state in itertools.chain(*(random_game(game, rng)[:-1] for _ in range(3))):
        names = [game.action_to_str(action) for action in game.actions(state)]
        noisy = [game.action_to_str(action) for action in buffer[: game.noisy_actions(state, buffer)]]
        assert noisy == [name for name in names if name in corners or "x" in name]
        found += len(noisy)
    assert found


@pytest.mark.parametrize(
    ("name", "depths"), [pytest.param("othello", (1, 2), marks=pytest.mark.slow), ("checkers", (1, 3))]
)
def test_quiescence_is_minimax_with_noisy_moves_behind(
    name: str, depths: tuple[int, ...], rng: np.random.Generator
) -> None:
    game = make_game(name)
    changed = 0
    for depth in depths:
        agents = [AlphaBeta(game, depth, quiescence=6, pvs=pvs, table_mb=int(pvs)) for pvs in (False, True)]
        for state in random_game(game, rng)[:-1][8:56:3]:
            expected = value_with_quiescence(game, state, depth, 6)
            assert [agent.analyse(state).value for agent in agents] == [expected] * 2
            changed += expected != Minimax(game, depth).analyse(state).value
    assert changed


@pytest.mark.slow
def test_when_all_moves_are_noisy_quiescence_is_depth(rng: np.random.Generator) -> None:
    for state in random_game(NOISY, rng)[:-1]:
        found = AlphaBeta(NOISY, 2, quiescence=3, evaluate=scrambled).analyse(state)
        assert found.value == Minimax(NOISY, 5, evaluate=scrambled).analyse(state).value
        assert found.selective_depth <= 5


@pytest.mark.slow
def test_quiescence_of_a_game_that_names_no_noisy_moves_changes_nothing(rng: np.random.Generator) -> None:
    game = connect_four(4, 5)
    for state in random_game(game, rng)[:-1]:
        assert AlphaBeta(game, 4, quiescence=9).analyse(state).value == Minimax(game, 4).analyse(state).value


@pytest.mark.parametrize("options", [{}, {"table_mb": 0, "ordered": False, "pvs": False, "iterative": False}], ids=str)
def test_a_margin_costs_no_more_than_its_bound_and_saves_nodes(
    options: dict[str, Any], rng: np.random.Generator
) -> None:
    game = NOISY
    nodes = np.zeros(2, np.int64)
    errors = []
    for state in random_game(game, rng, plies=6) + random_game(game, rng, plies=6):
        for depth, margin in itertools.product((2, 3, 5), (30.0, 200.0)):
            # No position has ten moves: so none is reduced, and one kernel searches with a margin and without.
            expected = AlphaBeta(game, depth, evaluate=scrambled, lmr=9, **options).analyse(state)
            found = AlphaBeta(game, depth, evaluate=scrambled, margin=margin, **options).analyse(state)
            errors.append(abs(found.value - expected.value))
            assert errors[-1] <= margin * (depth - 1)
            nodes += expected.nodes, found.nodes
    assert max(errors) > 0
    assert nodes[1] < nodes[0]


@pytest.mark.parametrize(
    "options",
    [{"deeper_entries": True}, {"margin": 0.3}, {"lmr": 1}, {"lmr": 2, "singular": 0.0, "margin": 0.1}],
    ids=str,
)
def test_what_is_called_exact_is_proved(options: dict[str, Any], rng: np.random.Generator) -> None:
    game = connect_four(4, 5)
    agents = [AlphaBeta(game, depth, **options) for depth in (4, 7, 16)]
    proof = AlphaBeta(game, 20)
    proved = open_ = 0
    for _ in range(8):
        for state in random_game(game, rng)[4:-1]:
            expected = proof.analyse(state)
            assert expected.exact
            for agent in agents:
                found = agent.analyse(state)
                proved += found.exact
                open_ += not found.exact
                assert not found.exact or found.value == expected.value
    assert proved > 50
    assert open_ > 5


def test_late_moves_are_reduced_from_the_one_on_that_is_asked_for() -> None:
    game = connect_four(4, 5)
    plain, none, some = (AlphaBeta(game, 9, lmr=lmr).analyse(game.new_state()) for lmr in (0, 5, 2))
    assert (none.nodes, none.values) == (plain.nodes, plain.values)
    assert plain.statistics["reductions"] == none.statistics["reductions"] == 0
    assert some.statistics["reductions"] > 100
    assert some.nodes != plain.nodes


def corridor(length: int) -> Game:
    """Walk a corridor with one way to go; whoever moves into its end wins."""

    def legal_actions(state: Any, actions: Any) -> int:
        actions[0] = 0
        return 1

    def play(state: Any, action: int) -> None:
        state.ply += 1

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0] = player

    return Game(
        name="corridor",
        state=state_dtype(ply="i4"),
        num_actions=1,
        max_plies=length,
        observation_shape=(1,),
        player=lambda state: state.ply & 1,
        legal_actions=legal_actions,
        play=play,
        is_terminal=lambda state: state.ply == length,
        utility=lambda state, player: 1.0 if player != state.ply & 1 else -1.0,
        observe=observe,
    )


@pytest.mark.slow
def test_the_only_move_is_singular_and_extended() -> None:
    game = corridor(13)
    plain = AlphaBeta(game, 9, lmr=1).analyse(game.new_state())
    assert (plain.value, plain.selective_depth, plain.exact) == (0, 9, False)
    found = AlphaBeta(game, 9, singular=0.5).analyse(game.new_state())
    assert (found.value, found.selective_depth, found.exact) == (1, 13, True)
    assert found.statistics["extensions"] > 3


def test_singular_extensions_look_deeper_where_one_move_stands_out(rng: np.random.Generator) -> None:
    game = NOISY
    extended = [
        AlphaBeta(game, 6, singular=100, evaluate=scrambled).analyse(state)
        for state in random_game(game, rng, plies=5)[:-1]
    ]
    assert all(found.selective_depth <= 12 for found in extended)
    assert any(found.selective_depth > 6 for found in extended)
    start = game.new_state()
    never = AlphaBeta(game, 6, singular=1e6, evaluate=scrambled).analyse(start)
    assert (never.statistics["extensions"], never.selective_depth) == (0, 6)


def test_deeper_entries_answer_a_shallower_search() -> None:
    game = NOISY
    state = game.play_moves([2, 2, 0])
    shallow = Minimax(game, 4, evaluate=scrambled).analyse(state).value
    for option in (False, True):
        agent = AlphaBeta(game, 8, iterative=False, deeper_entries=option, evaluate=scrambled, lmr=9)
        deep = agent.analyse(state)
        agent.depth = 4
        found = agent.analyse(state)
        assert found.value == (deep.value if option else shallow)
        assert found.value != (shallow if option else deep.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replacement": "newest"}, "replacement must be 'depth' or 'always', got 'newest'"),
        ({"aspiration": 0}, "aspiration must be above 0, or None for the game's own, got 0"),
        ({"aspiration": 1, "iterative": False}, "aspiration needs iterative=True"),
        ({"margin": -1}, "margin must be a finite number, at least 0, got -1"),
        ({"singular": float("nan")}, "singular must be a finite number, at least 0, got nan"),
        ({"lmr": True}, "lmr must be a whole number from 0, which is off, to 255, got True"),
        ({"quiescence": 256}, "quiescence must be a whole number from 0, which is off, to 255, got 256"),
        ({"quiescence": 1.5}, "quiescence must be a whole number"),
        ({"ordered": False, "captures": True}, "captures needs ordered=True"),
        ({"ordered": False, "countermoves": True}, "countermoves needs ordered=True"),
        ({"ordered": False, "penalties": True}, "penalties needs ordered=True and history=True"),
        ({"history": False, "penalties": True}, "penalties needs ordered=True and history=True"),
        ({"table_mb": 0, "fold": True}, "fold needs table_mb above 0"),
        ({"table_mb": 0, "deeper_entries": True}, "deeper_entries needs table_mb above 0"),
        ({"table_mb": 0, "internal_reductions": 4}, "internal_reductions needs table_mb above 0"),
        ({"table_mb": 0, "singular": 0.0}, "singular needs table_mb above 0"),
    ],
    ids=str,
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AlphaBeta("tictactoe", 3, **options)


@pytest.mark.parametrize("change", [{"ordered": False}, {"history": False}, {"table_mb": 0}], ids=str)
def test_the_games_own_options_go_without_what_they_need(change: dict[str, Any]) -> None:
    assert AlphaBeta("chess", **change).options.penalties
    AlphaBeta("tictactoe", captures=False, penalties=False, deeper_entries=False, internal_reductions=0, **change)


def test_chess_has_a_window_where_there_are_depths_before_and_its_own_units() -> None:
    width = AlphaBeta("chess").options.aspiration
    assert width is not None
    assert width > 0
    assert AlphaBeta("chess", weights={"tempo": 0.0}).options.aspiration == width
    assert AlphaBeta("chess", aspiration=2.0).options.aspiration == 2.0
    without: list[dict[str, Any]] = [{"iterative": False}, {"evaluate": scrambled}, {"selective": False}]
    for options in without:
        assert AlphaBeta("chess", **options).options.aspiration is None
    assert AlphaBeta("othello").options.aspiration is None


@pytest.mark.parametrize("megabytes", [1e18, 1e300, 1.7e308])
def test_a_table_for_which_there_is_no_memory(megabytes: float) -> None:
    with pytest.raises(MemoryError, match="there is no memory for table_mb=1"):
        _ = AlphaBeta("othello", table_mb=megabytes).workspace


def test_a_budget_too_large_to_count_is_as_good_as_none() -> None:
    game = tictactoe()
    state = game.play_moves([0, 4, 8])
    whole = AlphaBeta(game).analyse(state)
    assert AlphaBeta(game, nodes=2**63).analyse(state).values == whole.values
    seats = SeatBatch(game, 1, "alphabeta(nodes=9223372036854775808)", "first")
    seats.reset()
    seats.step([4])
    assert seats.batch.plies[0] == 2


def test_the_page_marks_the_options_of_which_chess_has_values_of_its_own() -> None:
    page = PAGE.read_text(encoding="utf-8")
    marked = re.findall(r"`(\w+)` †", page)
    unset = {name for name, one in inspect.signature(AlphaBeta).parameters.items() if one.default is None}
    others = {"depth", "nodes", "seconds", "singular", "evaluate", "weights"}  # None is None in chess too
    assert sorted(marked) == sorted(unset - others)
    shown = dict(re.findall(r"^\| `(\w+)` † \| `(\S+)` \|", page, re.MULTILINE))
    off = own_options("", dict.fromkeys(marked))
    assert {name: ast.literal_eval(value) for name, value in shown.items()} == {name: off[name] for name in shown}
    assert len(shown) == len(marked) - 3  # of the sound ones the page tells without a table


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"null_move": -1}, "null_move must be a whole number from 0, which is off, to 255, got -1"),
        ({"late_pruning": 1.5}, "late_pruning must be a whole number"),
        ({"internal_reductions": -1}, "internal_reductions must be a whole number from 0, which is off"),
        ({"futility": math.inf}, "futility must be a finite number, at least 0, which is off, got inf"),
        ({"delta": -1, "quiescence": 4}, "delta must be a finite number, at least 0, which is off, got -1"),
        ({"delta": 1}, "delta needs quiescence above 0"),
        ({"exchange_pruning": True, "quiescence": 4}, "exchange_pruning needs captures=True and ordered=True"),
        ({"table_static": True}, "table_static needs futility, null_move, razoring or quiescence_table"),
        ({"razoring": -1.0}, "razoring must be a finite number, at least 0, which is off, got -1.0"),
        ({"quiet_exchange": math.nan}, "quiet_exchange must be a finite number, at least 0, which is off, got nan"),
        ({"null_margin": 0.1}, "null_margin needs null_move above 0"),
        ({"table_static": True, "futility": 1.0, "table_mb": 0}, "table_static needs table_mb above 0"),
        ({"table_static": 2}, "table_static must be True or False"),
        ({"spare_checks": True}, "spare_checks needs lmr, late_pruning, quiet_exchange or exchange_pruning"),
        ({"deep_reductions": True}, "deep_reductions needs lmr above 0"),
        ({"quiescence_table": True}, "quiescence_table needs quiescence above 0"),
        ({"quiescence_table": True, "quiescence": 4, "table_mb": 0}, "quiescence_table needs table_mb above 0"),
    ],
    ids=str,
)
def test_options_of_chess_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AlphaBeta("tictactoe", 3, **options)


def test_what_the_table_knows_of_a_position_corrects_its_evaluation() -> None:
    assert better_guess(0.1, 0.3, LOWER, 1.0) == better_guess(0.1, 0.3, EXACT, 1.0) == 0.3
    assert better_guess(0.1, -0.3, UPPER, 1.0) == better_guess(0.1, -0.3, EXACT, 1.0) == -0.3
    assert better_guess(0.1, 0.3, UPPER, 1.0) == better_guess(0.1, -0.3, LOWER, 1.0) == 0.1  # says nothing
    assert better_guess(0.1, 0.0, 0, 1.0) == 0.1  # no entry
    assert better_guess(0.1, 1.0, EXACT, 1.0) == better_guess(0.1, -1.0, UPPER, 1.0) == 0.1  # proved, and no guess
