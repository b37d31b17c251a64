"""Flat Monte Carlo: its means against exact expectations, its allocation, its reproducibility."""

from __future__ import annotations

import contextlib
import io
import math
import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from plyground.agents import Agent, Random, make
from plyground.agents.mcts.flat import FlatMonteCarlo
from plyground.arena import play
from plyground.envs import BoardGameEnv, Game, connect_four, make_game, tictactoe
from tests.conftest import random_game
from tests.helpers.oracles import identity


def expectation(game: Game, state: Any, known: dict[bytes, float]) -> float:
    """Return the first player's expected utility if both sides play at random from here."""
    found = known.get(identity(state))
    if found is None:
        if game.is_terminal(state):
            found = float(game.utility(state, 0))
        else:
            found = float(np.mean([expectation(game, after(game, state, a), known) for a in game.actions(state)]))
        known[identity(state)] = found
    return found


def after(game: Game, state: Any, action: int) -> Any:
    child = state.copy()
    game.play(child, action)
    return child


@pytest.fixture(scope="module")
def known() -> dict[bytes, float]:
    return {}


def test_oracle_knows_random_tictactoe(known: dict[bytes, float]) -> None:
    # X wins 737/1260 of the games, O wins 121/420: the games of 5 to 9 plies that are won, each with its probability.
    assert expectation(tictactoe(), tictactoe().new_state(), known) == pytest.approx(737 / 1260 - 121 / 420)


@pytest.mark.parametrize("moves", [[], [4], [0, 1], [0, 4, 8], [0, 1, 4, 8]], ids=str)
@pytest.mark.parametrize("allocation", ["uniform", "ucb1"])
def test_values_converge_to_the_expectation_of_random_play(
    moves: list[int], allocation: str, known: dict[bytes, float]
) -> None:
    game = tictactoe()
    state = game.play_moves(moves)
    sign = 1 if game.player(state) == 0 else -1
    found = FlatMonteCarlo(game, 100_000, allocation=allocation, seed=0).analyse(state)
    expected = {action: sign * expectation(game, after(game, state, action), known) for action in game.actions(state)}
    for action, value in found.values.items():
        error = math.sqrt((1 - expected[action] ** 2) / found.visits[action])  # at most: utilities are within ±1
        assert abs(value - expected[action]) <= 4.5 * error + 1e-12
    assert expected[found.best_action] == pytest.approx(max(expected.values()))
    assert found.value == found.values[found.best_action]
    assert not found.exact


def test_standard_error_is_that_of_the_mean(known: dict[bytes, float]) -> None:
    game = tictactoe()
    state = game.play_moves([0, 1, 4, 2])
    found = FlatMonteCarlo(game, 50, seed=3).analyse(state)
    assert (found.best_action, found.value, found.standard_error) == (8, 1.0, 0.0)  # 0, 4, 8: won at once
    # How far the values of many searches lie apart is what each of them says of itself.
    state = game.play_moves([0, 4, 8])
    only_3 = np.arange(9) == 3
    answers = [FlatMonteCarlo(game, 400, seed=seed).analyse(state, only_3) for seed in range(400)]
    stated = np.mean([answer.standard_error for answer in answers if answer.standard_error is not None])
    assert np.std([answer.value for answer in answers]) == pytest.approx(stated, rel=0.12)
    assert FlatMonteCarlo(game, 1, seed=0).analyse(state).standard_error is None


def test_standard_error_by_hand() -> None:
    # Two cells are left. 8 makes O's row 2, 5, 8; after 7, X must play 8, and has the diagonal 0, 4, 8.
    game = tictactoe()
    state = game.play_moves([0, 2, 1, 3, 4, 5, 6])
    found = FlatMonteCarlo(game, 10, seed=0).analyse(state)
    ends = {a: game.play_moves([a], state) for a in (7, 8)}
    assert {a: game.is_terminal(end) for a, end in ends.items()} == {7: False, 8: True}
    assert found.values == {7: -1.0, 8: 1.0}
    assert (found.standard_error, found.selective_depth) == (0.0, 2)
    assert found.statistics == {"plies per simulation": 1.5}


def test_uniform_allocation_differs_by_one_visit_at_most(game: Game, rng: np.random.Generator) -> None:
    states = random_game(game, rng)[:-1]
    for state in states[:: len(states) // 6 + 1]:
        found = FlatMonteCarlo(game, 200, seed=0).analyse(state)
        assert sorted(found.visits) == game.actions(state)
        assert sum(found.visits.values()) == found.leaves == 200
        assert max(found.visits.values()) - min(found.visits.values()) <= 1
        assert found.value == max(found.values.values())
        assert found.nodes == 1 + len(found.values)


def test_ucb1_concentrates_on_the_best_move() -> None:
    game = connect_four()
    state = game.play_moves([3, 0, 3, 0, 3, 1])  # three in a column: 3 wins
    found = FlatMonteCarlo(game, 2000, allocation="ucb1", seed=0).analyse(state)
    assert (found.best_action, found.value) == (3, 1.0)
    assert found.visits[3] > 1000
    assert min(found.visits.values()) >= 1
    greedy = FlatMonteCarlo(game, 2000, allocation="ucb1", c=0, seed=0).analyse(state)
    assert greedy.visits[3] > found.visits[3]
    even = FlatMonteCarlo(game, 2000, allocation="ucb1", c=1000, seed=0).analyse(state)
    assert max(even.visits.values()) - min(even.visits.values()) <= 2


def test_ucb1_loses_less_than_uniform_sampling() -> None:
    # The regret of sampling: random games started with moves that are not the best.
    game = connect_four()
    state = game.new_state()
    exact = FlatMonteCarlo(game, 500_000, seed=1).analyse(state).values
    losses = {}
    for allocation, how in (("uniform", {}), ("ucb1", {"c": 1.0})):
        visits = FlatMonteCarlo(game, 20_000, allocation=allocation, seed=2, **how).analyse(state).visits
        losses[allocation] = sum(count * (max(exact.values()) - exact[a]) for a, count in visits.items())
    assert losses["ucb1"] < losses["uniform"] / 5  # with c = 0.5 one seed in three stays with the second best move


@pytest.mark.parametrize("allocation", ["uniform", "ucb1"])
def test_same_seed_same_search(allocation: str) -> None:
    game = connect_four()
    first = FlatMonteCarlo(game, 300, allocation=allocation, seed=5)
    values = [first.analyse(game.new_state()).values for _ in range(2)]
    assert values[0] != values[1]  # the numbers go on
    assert FlatMonteCarlo(game, 300, allocation=allocation, seed=5).analyse(game.new_state()).values == values[0]
    first.reset(seed=5)
    assert first.analyse(game.new_state()).values == values[0]
    twin = pickle.loads(pickle.dumps(first))
    first.reset()
    assert twin.analyse(game.new_state()).values == first.analyse(game.new_state()).values


def test_few_simulations_and_masks() -> None:
    game = connect_four()
    found = FlatMonteCarlo(game, 3, seed=0).analyse(game.new_state())
    assert sorted(found.visits.items()) == [*found.visits.items()] == [(i, int(i in found.values)) for i in range(7)]
    assert len(found.values) == 3
    assert found.best_action in found.values
    mask = np.arange(7) >= 5
    assert set(FlatMonteCarlo(game, 50, seed=0).analyse(game.new_state(), mask).visits) == {5, 6}


@pytest.mark.parametrize("allocation", ["uniform", "ucb1"])
def test_of_equals_one_at_random_is_played(allocation: str) -> None:
    """The lowest number was: a row of stones along the edge of the board, with few simulations."""
    game = make_game("gomoku(size=7)")
    found = {
        FlatMonteCarlo(game, 20, allocation=allocation, seed=seed).analyse(game.new_state()).best_action
        for seed in range(40)
    }
    assert len(found) > 20
    assert max(found) > 40


def test_budgets() -> None:
    state = connect_four().new_state()
    found = FlatMonteCarlo("connect_four", seconds=0.1).analyse(state)
    assert found.seconds >= 0.1
    assert found.leaves > 100
    assert FlatMonteCarlo("connect_four", 50, seconds=60).analyse(state).leaves == 50
    assert FlatMonteCarlo("connect_four").analyse(state).leaves == 1000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"simulations": 0}, "simulations must be a whole number above 0, got 0"),
        ({"seconds": -1}, "seconds must be a number above 0, got -1"),
        ({"allocation": "ucb"}, "allocation must be 'uniform' or 'ucb1', got 'ucb'"),
        ({"c": -1}, "c must be a number of at least 0, got -1"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FlatMonteCarlo("connect_four", **options)


def test_made_from_a_spec() -> None:
    agent = make("flat(simulations=200, allocation=ucb1, c=1, seed=0)", "connect_four")
    assert isinstance(agent, FlatMonteCarlo)
    assert (agent.simulations, agent.allocation, agent.c) == (200, "ucb1", 1.0)


def test_what_explores_is_for_ucb1_alone() -> None:
    with pytest.raises(ValueError, match=r"^c must be 1\.4 without allocation='ucb1', which alone explores, got 3"):
        FlatMonteCarlo("tictactoe", 10, c=3)
    with pytest.raises(ValueError, match=r"^c must be a number of at least 0, got -1"):
        FlatMonteCarlo("tictactoe", 10, c=-1)


def test_beats_a_random_player() -> None:
    agent = make("flat(simulations=200, seed=0)", "connect_four")
    assert isinstance(agent, Agent)
    env = BoardGameEnv("connect_four")
    won = sum(play(env, [agent, Random(seed=1)], seed).outcome[0] > 0 for seed in range(20))
    assert won >= 18


PLAIN = """
from plyground.agents.mcts import FlatMonteCarlo
from plyground.envs import tictactoe

game = tictactoe()
for allocation in ("uniform", "ucb1"):
    found = FlatMonteCarlo(game, 60, allocation=allocation, seed=2).analyse(game.play_moves([4, 0]))
    print(found.values, found.visits, found.standard_error, found.selective_depth)
"""


def test_plain_python_finds_the_same() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(PLAIN, {})
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run([sys.executable, "-c", PLAIN], capture_output=True, text=True, env=environment, check=True)
    assert result.stdout == printed.getvalue()
