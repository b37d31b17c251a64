"""Games that are kept and go on elsewhere: exactly, from what cannot be rebuilt and nothing else."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from plyground.envs import Game, GameBatch, SeatBatch
from tests.conftest import PLAYED


def through_a_file(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state with its arrays as they come back from a file: records are no `np.record` any more."""
    file = io.BytesIO()
    arrays: dict[str, Any] = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    np.savez(file, **arrays)
    file.seek(0)
    with np.load(file, allow_pickle=False) as saved:
        return {**state, **saved}


def legal_moves(seats: SeatBatch, rng: np.random.Generator) -> Any:
    """Return a legal action of the learner's in each row."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in seats.masks])


def test_a_batch_goes_on_elsewhere(game: Game) -> None:
    one, other = (GameBatch(game, 5, opening_plies=4, seed=seed) for seed in (1, 2))
    for _ in range(70):  # windows of earlier positions slide back after 64
        one.step(one.random_actions())
    saved = through_a_file(one.state_dict())
    for _ in range(30):
        one.step(one.random_actions())
    other.load_state_dict(saved)
    for _ in range(30):
        actions = other.random_actions()
        assert other.masks[np.arange(5), actions].all()
        other.step(actions)
    for name in ("states", "observations", "masks", "players", "rewards", "terminations", "plies", "rngs"):
        assert (getattr(one, name) == getattr(other, name)).all(), name


def test_a_state_of_opponents_who_kept_other_things_is_refused() -> None:
    kept = SeatBatch("tictactoe", 2, "mixture(random, minimax(depth=1))", seed=0)
    kept.reset()
    other = SeatBatch("tictactoe", 2, "random", seed=1)
    other.reset()
    before = other.batch.states.copy()
    with pytest.raises(ValueError, match="of opponents who kept something"):
        other.load_state_dict(kept.state_dict())
    assert (other.batch.states == before).all()


@pytest.mark.parametrize("game", PLAYED, indirect=True)
def test_what_is_shown_is_rebuilt(game: Game) -> None:
    one, other = (GameBatch(game, 5, opening_plies=4, seed=seed) for seed in (1, 2))
    for _ in range(9):
        one.step(one.random_actions())
    other.load_state_dict(one.state_dict())
    assert (other.observations == one.observations).all()
    assert (other.masks == one.masks).all()


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("othello", set()),
        ("checkers", {"past.keys", "past.seen"}),
        ("go(board_size=5)", {"past.keys", "past.seen", "frames.windows", "frames.first"}),
    ],
)
def test_only_what_cannot_be_rebuilt_is_kept(name: str, more: set[str]) -> None:
    kept = {"game", "states", "masks", "players", "plies", "over", "rngs", "start", "line"}
    assert set(GameBatch(name, 2).state_dict()) == kept | more


def test_later_games_begin_where_they_did() -> None:
    one, other = (GameBatch("connect_four", 3, seed=seed) for seed in (1, 2))
    state = one.game.play_moves([3])
    one.reset(options={"state": state, "moves": [3, 3]})
    other.load_state_dict(through_a_file(one.state_dict()))
    for _ in range(60):
        other.step(other.random_actions())
        for row in np.flatnonzero(other.terminations):
            assert other.states[row] == one.game.play_moves([3, 3, 3])


@pytest.mark.parametrize(
    ("name", "games", "message"),
    [
        ("connect_four(rows=5)", 4, r"the state is of connect_four\(rows=5\), expected one of connect_four"),
        ("connect_four", 3, r"'states' of the state .* \(3,\), expected .* \(4,\)"),
    ],
)
def test_games_of_another_kind_are_refused(name: str, games: int, message: str) -> None:
    batch = GameBatch("connect_four", 4, seed=1)
    before = batch.state_dict()
    with pytest.raises(ValueError, match=message):
        batch.load_state_dict(GameBatch(name, games, seed=2).state_dict())
    assert all((array == before[name]).all() for name, array in batch.state_dict().items() if name != "game")


def test_a_missing_array_is_named() -> None:
    batch = GameBatch("tictactoe", 4)
    for name in ("plies", "line"):
        with pytest.raises(ValueError, match=f"the state has no '{name}': expected "):
            batch.load_state_dict({key: array for key, array in batch.state_dict().items() if key != name})


@pytest.mark.parametrize("opponent", ["mcts(simulations=5)", "mixture(random, mixture(random, alphabeta(depth=1)))"])
def test_seats_go_on_elsewhere(opponent: str) -> None:
    one, other = (SeatBatch("tictactoe", 12, opponent, opening_plies=2, seed=seed) for seed in (1, 2))
    rngs = [np.random.default_rng(0) for _ in range(2)]
    one.reset()
    for _ in range(11):
        actions = legal_moves(one, np.random.default_rng(7))
        actions[0] = 0  # sometimes illegal
        one.step(actions)
    other.load_state_dict(one.state_dict())
    assert (other.observations == one.observations).all()
    for _ in range(20):
        for seats, rng in zip((one, other), rngs, strict=True):
            seats.step(legal_moves(seats, rng))
        for name in ("observations", "masks", "rewards", "terminations", "lengths", "learners"):
            assert (getattr(one, name) == getattr(other, name)).all(), name
        assert (one.batch.rngs == other.batch.rngs).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drawn": np.array([0, 1, 2, 0])}, "'drawn' of the state must be numbers from 0 to 1, got "),
        ({"drawn": np.array([0, 1, -1, 0])}, "'drawn' of the state must be numbers from 0 to 1"),
        ({"drawn": np.array([0, 0.5, 0, 0])}, "'drawn' of the state must be numbers from 0 to 1"),
        ({"drawn": np.zeros(3, int)}, "the state is of a mixture in 3 games, expected 4"),
        ({"members": {"0": {}, "2": {}}}, "the state has no '1': expected what state_dict"),
        ({"members": {"0": {}}}, "the state is of a mixture of 1 members, expected 2"),
    ],
)
def test_who_was_drawn_is_one_of_the_mixture(change: dict[str, Any], message: str) -> None:
    seats = SeatBatch("tictactoe", 4, "mixture(random, minimax(depth=1))", seed=0)
    seats.reset()
    state = seats.state_dict()
    seats.load_state_dict(state)
    other = SeatBatch("tictactoe", 4, "mixture(random, minimax(depth=1))", seed=1)
    other.reset()
    for _ in range(3):
        other.step(other.masks.argmax(axis=1), restart=False)
    before, seen = other.state_dict(), other.observations.copy()
    with pytest.raises(ValueError, match=message):
        other.load_state_dict({**state, "opponents": {**state["opponents"], **change}})
    np.testing.assert_equal(other.state_dict(), before)  # nothing is half changed
    assert (other.observations == seen).all()


def test_a_state_of_another_seat_is_refused() -> None:
    """It stayed the learner's for good."""
    one, other = (SeatBatch("tictactoe", 2, seat=seat, seed=0) for seat in ("first", "second"))
    other.reset()
    before = one.state_dict()
    with pytest.raises(ValueError, match="the state is of games whose learner has another seat than 'first'"):
        one.load_state_dict(other.state_dict())
    np.testing.assert_equal(one.state_dict(), before)


def test_games_in_which_it_is_not_the_learners_turn_are_refused() -> None:
    """Its next action was played as the opponent's."""
    seats = SeatBatch("tictactoe", 3, seed=0)
    seats.reset()
    state = seats.state_dict()
    state["learners"][1] ^= 1
    seats.step(legal_moves(seats, np.random.default_rng(1)))
    before, seen = seats.state_dict(), seats.observations.copy()
    with pytest.raises(ValueError, match="the state has a game in row 1 in which it is not the learner's turn"):
        seats.load_state_dict(state)
    np.testing.assert_equal(seats.state_dict(), before)
    assert (seats.observations == seen).all()
    for games in (3, {}):
        with pytest.raises(ValueError, match="the state has no 'players'"):
            seats.load_state_dict({**state, "batch": games})
    state["batch"]["over"][1] = True  # nobody moves there any more
    seats.load_state_dict(state)
    assert seats.over.tolist() == [False, True, False]


def test_opponents_without_a_state_begin_anew_and_draw_no_numbers() -> None:
    agent = "minimax(depth=1)"  # asked row by row: a copy for each
    one, other = (SeatBatch("tictactoe", 6, agent, seed=seed) for seed in (1, 2))
    one.reset()
    other.load_state_dict(one.state_dict())
    assert (one.batch.rngs == other.batch.rngs).all()
    rngs = [np.random.default_rng(0) for _ in range(2)]
    for _ in range(10):
        for seats, rng in zip((one, other), rngs, strict=True):
            seats.step(legal_moves(seats, rng))
        assert (one.batch.states == other.batch.states).all()
