"""Batches of games: each is what a single environment would be, and threads change nothing."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

from plyground.envs import BoardGameEnv, Game, GameBatch, SeatBatch, checkers
from plyground.envs.vector.pieces import Pieces
from tests.helpers.forks import needs_fork


def test_a_batch_is_as_many_environments(game: Game) -> None:
    batch = GameBatch(game, 6, seed=1)
    envs = [BoardGameEnv(game) for _ in range(batch.num_envs)]
    for env in envs:
        env.reset()
    ended = 0
    for _ in range(400):
        for row, env in enumerate(envs):
            seen = env.observe(env.agent_selection)
            assert (batch.observations[row] == seen["observation"]).all()
            assert (batch.masks[row] == seen["action_mask"]).all()
            assert batch.players[row] == env.possible_agents.index(env.agent_selection)
            assert batch.states[row] == env.infos[env.agent_selection]["state"]
            assert batch.plies[row] == len(env.moves)
        actions = batch.random_actions()
        batch.step(actions)
        for row, env in enumerate(envs):
            env.step(int(actions[row]))
            assert batch.rewards[row].tolist() == list(env.rewards.values())
            assert batch.terminations[row] == env.terminations[env.agent_selection]
            if batch.terminations[row]:
                ended += 1
                last = env.observe(env.agent_selection)["observation"]
                assert (batch.final_observations[row] == last).all()
                env.reset()
    assert ended > 0


def test_repetition_in_checkers_is_seen_long_after_the_start() -> None:
    game = checkers()
    state = game.new_state()
    state.sides, state.kings = (1, 1 << 34), 1 | 1 << 34
    walk = [game.str_to_action(move) for move in ["1-6", "32-27", "6-1", "27-32"]]
    batch = GameBatch(game, 2)
    batch.reset(options={"state": state})
    for ply in range(8):
        assert batch.plies.tolist() == [ply, ply]
        batch.step([walk[ply % 4]] * 2)
        assert batch.terminations.tolist() == [ply == 7] * 2
        assert not batch.rewards.any()


@pytest.mark.parametrize("name", ["connect_four", "checkers", "go(board_size=5)"])
def test_threads_change_nothing(name: str) -> None:
    one, three = (GameBatch(name, 10, threads=threads, opening_plies=6, seed=3) for threads in (1, 3))
    for _ in range(100):
        actions = one.random_actions()
        assert (three.random_actions() == actions).all()
        for found, expected in zip(three.step(actions), one.step(actions), strict=True):
            assert (found == expected).all()
        assert (three.masks == one.masks).all()


@needs_fork
def test_a_forked_process_has_threads_of_its_own() -> None:
    """A pool of threads that were left behind waits for ever, so another process looks after this one."""
    code = """
import os
from plyground.envs import GameBatch
batch, same = (GameBatch("tictactoe", 8, threads=threads, seed=3) for threads in (2, 1))
for one in (batch, same):
    one.step(one.random_actions())
child = os.fork()
for one in (batch, same):
    one.step(one.random_actions())
assert (batch.masks == same.masks).all()
batch.close()
if child == 0:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["7"]


def test_games_depend_on_their_own_seed_alone() -> None:
    few, many = (GameBatch("othello", games, opening_plies=8, seed=5) for games in (3, 9))
    assert (few.states == many.states[:3]).all()
    for _ in range(80):
        actions = many.random_actions()
        assert (few.random_actions() == actions[:3]).all()
        few.step(actions[:3])
        many.step(actions)
        assert (few.observations == many.observations[:3]).all()


def test_openings_of_a_given_length() -> None:
    batch = GameBatch("othello", 300, opening_plies=(3, 5), seed=0)
    assert set(batch.plies.tolist()) == {3, 4, 5}
    batch = GameBatch("othello", 300, opening_plies=(4, 4), seed=0)
    assert set(batch.plies.tolist()) == {4}


def test_openings_are_random_and_leave_games_unfinished() -> None:
    batch = GameBatch("tictactoe", 500, opening_plies=9, seed=0)
    assert set(batch.plies.tolist()) == set(range(9))
    assert not any(map(batch.game.is_terminal, batch.states))
    assert len({state.tobytes() for state in batch.states}) > 100
    assert not batch.terminations.any()


def test_an_opening_that_cannot_be_had_is_refused() -> None:
    """The games began without one."""
    message = r"tictactoe with 9 to 9 random plies .* are over by then, in rows \[0, 1\]: ask for fewer opening_plies"
    for kind in (GameBatch, SeatBatch):
        with pytest.raises(ValueError, match=message):
            kind("tictactoe", 2, opening_plies=(9, 9))
    assert (GameBatch("tictactoe", 20, opening_plies=(8, 8), seed=0).plies == 8).all()
    batch = GameBatch("tictactoe", 2, opening_plies=(2, 2), seed=0)
    with pytest.raises(ValueError, match="with 2 to 2 random plies"):
        batch.reset(options={"moves": [0, 1, 2, 4, 3, 5, 7]})
    with pytest.raises(ValueError, match="game 0 is over"):
        batch.step([6, 6])
    batch.reset()
    assert (batch.plies == 2).all()


def test_games_begin_where_the_options_say_and_begin_there_again() -> None:
    batch = GameBatch("connect_four", 2)
    batch.reset(options={"moves": [3, 3, 3]})
    assert batch.plies.tolist() == [3, 3]
    for action in (0, 3, 0, 1, 0, 1):
        batch.step([action, action])
    assert not batch.terminations.any()
    _, rewards, over = batch.step([0, 2])  # four in the first column in row 0
    assert over.tolist() == [True, False]
    assert rewards.tolist() == [[-1, 1], [0, 0]]
    assert batch.plies.tolist() == [3, 10]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect_four", "checkers(repetition=2)", "go(board_size=3, komi=0.5)"])
def test_games_that_begin_with_moves_know_them(name: str) -> None:
    # The positions of the line count for superko and repetition, and Go's observation shows them.
    rng = np.random.default_rng(0)
    batch, env = GameBatch(name, 2), BoardGameEnv(name)
    for _ in range(12):
        env.reset()
        for _ in range(6):
            mask = env.infos[env.agent_selection]["action_mask"]
            env.step(int(rng.choice(np.flatnonzero(mask)[: max(1, mask.sum() - 1)])))
        if env.terminations[env.agent_selection]:
            continue
        batch.reset(options={"moves": env.moves})
        assert batch.plies.tolist() == [6, 6]
        while True:
            seen = env.observe(env.agent_selection)
            assert (batch.observations == seen["observation"]).all()
            assert (batch.masks == seen["action_mask"]).all()
            action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
            env.step(action)
            batch.step([action, action])
            assert batch.terminations.tolist() == [env.terminations[env.agent_selection]] * 2
            if batch.terminations.all():
                break
        assert batch.plies.tolist() == [6, 6]  # the next game begins there, too


def test_a_copy_goes_on_by_itself() -> None:
    batch = GameBatch("othello", 4, threads=2, seed=2)
    copy: Any = pickle.loads(pickle.dumps(batch))
    actions = batch.random_actions()
    before = copy.observations.copy()
    batch.step(actions)
    assert (copy.observations == before).all()
    copy.step(actions)
    assert (copy.observations == batch.observations).all()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([3, 9], r"action 9 is illegal in game 1: expected one of \[0, 1, 2, 3, 4, 5, 6\]"),
        ([-1, 3], "action -1 is illegal in game 0"),
        ([3], "actions must be 2 integers"),
        ([3.0, 3.0], "actions must be 2 integers"),
        ([True, 3], r"actions must be 2 integers, one for each game, got \[True, 3\]"),
    ],
)
def test_illegal_actions_change_nothing(actions: list[Any], message: str) -> None:
    batch = GameBatch("connect_four", 2)
    before = batch.states.copy()
    with pytest.raises(ValueError, match=message):
        batch.step(actions)
    assert (batch.states == before).all()


@pytest.mark.parametrize(
    "arguments",
    [
        {"num_envs": 0},
        {"threads": 0},
        {"threads": 100_000},
        {"opening_plies": -1},
        {"opening_plies": (3, 2)},
        {"num_envs": 1.5},
    ],
)
def test_numbers_out_of_range_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(arguments))} must be a whole number"):
        GameBatch("tictactoe", **{"num_envs": 2, **arguments})


def test_no_rows_are_a_batch_as_any_other() -> None:
    batch = GameBatch("tictactoe", 3, opening_plies=2, seed=1)
    before, none = batch.states.copy(), np.zeros(0, np.intp)
    batch.restart(none)
    batch.play(none, [])
    assert (batch.states == before).all()


def test_after_an_error_no_piece_of_the_work_goes_on() -> None:
    """What came next was written by both."""
    has_begun, is_done = threading.Event(), threading.Event()

    def work(piece: int, first: int, last: int) -> None:
        if piece == 0:
            has_begun.wait()
            raise KeyError
        has_begun.set()
        time.sleep(0.2)
        is_done.set()

    with pytest.raises(KeyError):
        Pieces(2).spread(2, work)
    assert is_done.is_set()
