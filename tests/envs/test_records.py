"""Records of states: NumPy's in all but the time that plain Python takes to read and write their fields."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import cloudpickle
import numpy as np
import pytest

from plyground.envs import Game, make_game, state_dtype
from plyground.envs.definition import records
from plyground.envs.jit.digest import digest
from tests.conftest import PLAYED

LAYOUT = state_dtype(board=("i1", (2, 3)), ply="i4", small="i1")
NUMPYS = np.dtype((np.record, LAYOUT))


def both() -> tuple[Any, Any]:
    """Return a record of ours and one of NumPy's, with the same fields."""
    ours = np.zeros(1, LAYOUT)
    ours["board"], ours["ply"], ours["small"] = np.arange(6).reshape(2, 3), 7, -3
    return ours[0], ours.view(NUMPYS)[0].copy()


def outcome(statement: str, state: Any) -> tuple[str, Any]:
    """Return what a statement comes to: the kind of its error, or what the state is then."""
    try:
        exec(statement, {"np": np}, {"state": state})
    except Exception as error:
        return type(error).__name__, None
    return "", str(state)


def test_fields_are_read_as_those_of_numpy() -> None:
    ours, numpys = both()
    assert type(numpys) is np.record
    assert isinstance(ours, np.record)
    assert type(ours) is not np.record
    for name in LAYOUT.names or ():
        assert type(getattr(ours, name)) is type(getattr(numpys, name)) is type(ours[name])
        assert np.array_equal(getattr(ours, name), getattr(numpys, name))
    ours.board[1, 2] = 9  # a view
    assert ours["board"][1, 2] == 9
    assert str(ours) == "([[0, 1, 2], [3, 4, 9]], 7, -3)"


@pytest.mark.parametrize(
    "statement",
    [
        "state.board = 1",
        "state.board = [[1], [2]]",
        "state.board = [1, 2]",
        "state.board[:] = state.board[::-1].copy()",
        "state.ply = np.int64(5)",
        "state.ply += 1",
        "state.small = 300",
        "state.small = 2.7",
        "state.ply = 'five'",
        "state['ply'] = 4",
        "state[1] = 4",
        "state['flags'] = 4",
        "state.flag = 4",
        "state.flag",
        "state.dtype = 'i4'",
        "del state.ply",
        "hasattr(state, 'flag') and 1 / 0",
        "setattr(state, 'ply', 2)",
    ],
)
def test_fields_are_written_as_those_of_numpy(statement: str) -> None:
    ours, numpys = both()
    assert outcome(statement, ours) == outcome(statement, numpys)


def test_nothing_is_written_where_an_array_forbids_it() -> None:
    array = np.zeros(1, LAYOUT)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        array[0].ply = 3
    assert array["ply"] == 0


@pytest.mark.parametrize("library", [pickle, cloudpickle])
def test_pickles_have_the_very_class(library: Any) -> None:
    array, state = np.zeros(2, LAYOUT), both()[0]
    spaced = np.zeros(1, state_dtype(**{"a b": "i4", "c": "i1"}))[0]
    assert type(library.loads(library.dumps(spaced))) is type(spaced)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        loaded_array, loaded = library.loads(library.dumps((array, state), protocol))
        assert type(loaded_array[0]) is type(loaded) is type(state)
        assert str(loaded) == str(state)
        assert loaded_array.dtype == LAYOUT


def test_another_process_reads_pickles_without_having_made_a_game() -> None:
    pickled = pickle.dumps((both()[0], state_dtype()))
    code = (
        "import pickle, sys; state, dtype = pickle.load(sys.stdin.buffer); print(state.ply, state.board, dtype.names)"
    )
    ran = subprocess.run([sys.executable, "-c", code], input=pickled, capture_output=True, check=True)
    assert ran.stdout.decode().strip() == "7 [[0 1 2]\n [3 4 5]] ()"


def test_a_name_that_no_class_has_is_no_attribute_of_the_module() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Recording'"):
        _ = getattr(records, "Recording")  # noqa: B009  (type checkers know that it is not there)


def test_copies_and_rows_stay_what_they_are() -> None:
    state = both()[0]
    stacked = np.stack([state, state])
    for other in (state.copy(), copy.deepcopy(state), stacked[1], np.concatenate((stacked, stacked))[3]):
        assert type(other) is type(state)
        assert str(other) == str(state)


def test_patterns_match_by_place() -> None:
    match both()[0]:
        case np.record(ply=7, small=small):
            assert small == -3
        case _:
            pytest.fail("no match by name")


def test_fields_with_fields_are_left_to_numpy() -> None:
    nested = state_dtype(clock=[("seconds", "f8"), ("moves", "i4")], ply="i4")
    state = np.zeros(1, nested)[0]
    state.clock.moves = 3
    assert type(state) is np.record
    assert state.clock.moves == 3


def test_machine_code_and_stores_do_not_ask_whose_records_they_are() -> None:
    assert LAYOUT == NUMPYS
    assert digest(LAYOUT) == digest(NUMPYS)


@pytest.mark.parametrize("game", PLAYED, indirect=True)
def test_rules_do_the_same_with_records_of_numpy(game: Game) -> None:
    rng, state = np.random.default_rng(3), game.new_state()
    numpys = game.initial.copy().view(np.dtype((np.record, game.dtype)))[0]
    for _ in range(30):
        actions = game.actions(state)
        assert game.actions(numpys) == actions
        assert str(numpys) == str(state)
        if game.is_terminal(state):
            break
        action = int(rng.choice(actions))
        game.play(state, action)
        game.play(numpys, action)


def test_states_of_games_have_such_records() -> None:
    assert type(make_game("chess").new_state()).__name__.startswith("Record(own, other, pawns,")
