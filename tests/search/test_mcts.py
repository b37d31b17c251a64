"""UCT: its counts, its strength where that can be known, its reproducibility."""

from __future__ import annotations

import math
import pickle
import time
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, PUCT, AlphaBeta, FlatMonteCarlo
from plyground.agents.mcts.batched import BatchedMCTS
from plyground.agents.mcts.memory import grown
from plyground.agents.mcts.searcher import Searcher
from plyground.agents.mcts.tree import exploration, new_tree
from plyground.agents.mcts.uct import NEUTRAL
from plyground.arena import play
from plyground.envs import BoardGameEnv, Game, as_opponents, connect_four, tictactoe
from plyground.envs.jit import helper
from plyground.envs.jit.prng import new_rng
from tests.conftest import random_game
from tests.helpers.oracles import minimax_value


def test_counts_add_up(game: Game, rng: np.random.Generator) -> None:
    for state in random_game(game, rng)[:-1]:
        found = MCTS(game, 500, seed=1).analyse(state)
        # The root's own first simulation goes through a child as well.
        assert sum(found.visits.values()) == 500 == found.leaves
        assert sorted(found.visits) == game.actions(state)
        assert found.visits[found.best_action] == max(found.visits.values())
        assert found.value == found.values[found.best_action]
        assert all(abs(value) <= 1 for value in found.values.values())
        assert found.nodes <= 501
        game.play_moves(found.pv, state)  # the line is legal


@pytest.mark.parametrize("seat", [0, 1])
def test_never_loses_tictactoe_to_a_perfect_player(seat: int) -> None:
    env = BoardGameEnv("tictactoe")
    players = [MCTS("tictactoe", 2000), AlphaBeta("tictactoe", depth=9)]
    for seed in range(20):
        record = play(env, players if seat == 0 else players[::-1], seed)
        assert record.outcome[seat] == 0


def test_never_loses_tictactoe_to_any_reply() -> None:
    game = tictactoe()
    agent = MCTS(game, 5000, seed=3)

    def worst(state: np.record, seat: int) -> float:
        if game.is_terminal(state):
            return game.utility(state, seat)
        own_turn = game.player(state) == seat
        results = []
        for action in [agent.analyse(state).best_action] if own_turn else game.actions(state):
            child = state.copy()
            game.play(child, action)
            results.append(worst(child, seat))
        return min(results)

    assert worst(game.new_state(), 0) == 0
    assert worst(game.new_state(), 1) == 0


def test_value_comes_near_the_minimax_value() -> None:
    game = tictactoe()
    known: dict[bytes, float] = {}
    for moves in ([], [4], [0, 1], [0, 1, 4], [4, 1], [0, 4, 8]):
        state = game.play_moves(moves)
        found = MCTS(game, 100_000, seed=0).analyse(state)
        assert found.value == pytest.approx(minimax_value(game, state, known), abs=0.1)


def test_values_are_the_movers() -> None:
    game = connect_four()
    state = game.play_moves([0, 6, 1, 6, 2])  # the second player must stop a line in column 3
    found = MCTS(game, 2000, seed=0).analyse(state)
    assert found.best_action == 3
    assert all(found.values[action] < found.values[3] - 0.3 for action in found.values if action != 3)
    winning = game.play_moves([0, 6, 1, 6, 2, 6])
    found = MCTS(game, 2000, seed=0).analyse(winning)
    assert (found.best_action, found.value) == (3, 1)


def test_same_seed_same_search() -> None:
    game = connect_four()
    first = MCTS(game, 300, seed=5)
    visits = [first.analyse(game.new_state()).visits for _ in range(2)]
    assert visits[0] != visits[1]  # the numbers go on
    assert MCTS(game, 300, seed=5).analyse(game.new_state()).visits == visits[0]
    first.reset(seed=5)
    assert first.analyse(game.new_state()).visits == visits[0]
    twin = pickle.loads(pickle.dumps(first))
    assert twin.analyse(game.new_state()).visits == first.analyse(game.new_state()).visits


def test_a_tree_that_grows_gives_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    game = connect_four()
    roomy = MCTS(game, 20_000, seed=1).analyse(game.new_state())
    monkeypatch.setattr("plyground.agents.mcts.searcher._NODES", 1)
    monkeypatch.setattr("plyground.agents.mcts.searcher._CHUNK_SECONDS", 0)
    assert MCTS(game, 20_000, seed=1).analyse(game.new_state()).visits == roomy.visits


@pytest.mark.parametrize("piece", [1 << 18, 3])
def test_growing_keeps_the_tree(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.agents.mcts.memory._PIECE", piece)
    tree = new_tree(4, 9)
    tree.visits[:] = 1, 2, 3, 4
    larger = grown(tree, 8, lambda: False)
    assert larger is not None
    assert larger.visits.tolist() == [1, 2, 3, 4, 0, 0, 0, 0]
    of_the_tree = ("size", "deepest", "full", "path")
    assert {array.size for name, array in larger._asdict().items() if name not in of_the_tree} == {8}
    assert larger.size is tree.size


def test_growing_gives_up_when_it_gets_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.agents.mcts.memory._PIECE", 1)
    answers = iter([False, False, True])
    assert grown(new_tree(4, 9), 8, lambda: next(answers)) is None


@pytest.mark.parametrize("agent", [MCTS, PUCT])
def test_a_tree_that_takes_long_to_grow_does_not_overdraw_the_time(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(arrays: Any, nodes: int, is_late: Any) -> None:
        end = time.perf_counter() + 10
        while not is_late() and time.perf_counter() < end:
            time.sleep(0.001)

    where = "searcher" if agent is MCTS else "agent"
    monkeypatch.setattr(f"plyground.agents.{agent.__name__.lower()}.{where}.grown", slowly)
    game = connect_four()
    found = agent(game, seconds=0.3).analyse(game.new_state())
    assert 0.3 <= found.seconds < 5  # of the 10 that it would take to give up
    assert found.visits[found.best_action] > 0


def test_a_tree_that_fills_does_not_lengthen_the_time_between_looks_at_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, calls = 0.0, []
    simulate = Searcher._simulate

    def timed(searcher: Searcher, simulations: int) -> int:
        nonlocal now
        finished = simulate(searcher, simulations)
        calls.append(simulations)
        now += 20e-6 * finished
        return finished

    monkeypatch.setattr(Searcher, "_simulate", timed)
    monkeypatch.setattr("plyground.agents.mcts.searcher.time", SimpleNamespace(perf_counter=lambda: now))
    searcher = Searcher(connect_four(), NEUTRAL, 1.4, new_rng(np.random.SeedSequence(0)))
    actions = np.arange(7, dtype=np.int32)
    searcher.start(searcher.game.new_state(), actions, reuse=False)
    searcher.run(10**9, 1.0, lambda: False)
    assert searcher.tree is not None
    assert searcher.tree.visits.size > 4 * 4096  # it filled and grew more than once
    assert max(calls) * 20e-6 <= 0.01
    assert now < 1.01


def test_time_budget() -> None:
    found = MCTS("connect_four", seconds=0.1).analyse(connect_four().new_state())
    assert found.seconds >= 0.1
    assert found.leaves > 100
    assert MCTS("connect_four", 50, seconds=60).analyse(connect_four().new_state()).leaves == 50
    assert MCTS("connect_four").analyse(connect_four().new_state()).leaves == 1000


def test_one_simulation_is_enough_to_move() -> None:
    found = MCTS("connect_four", 1, seed=0).analyse(connect_four().new_state())
    assert found.visits[found.best_action] == 1


def test_more_simulations_play_better() -> None:
    env = BoardGameEnv("connect_four")
    few, many = MCTS("connect_four", 20), MCTS("connect_four", 500)
    points = 0.0
    for seed in range(20):
        points += play(env, [few, many], seed).outcome[1] + play(env, [many, few], seed).outcome[0]
    assert points > 20


def test_rollouts_draw_by_the_games_own_rule() -> None:
    def rightmost(state: Any, actions: Any, rng: Any) -> Any:
        last = 0
        for column in range(7):
            if (state.mine | state.theirs) >> np.uint64(7 * column + 5) & np.uint64(1) == np.uint64(0):
                last = column
        return last

    game = connect_four().replace(random_action=rightmost)
    state = game.play_moves([0, 6, 0])  # every rollout: column 6 filled by turns, then 5, …: the same end
    found = MCTS(game, 7, seed=0).analyse(state)
    assert set(found.values.values()) <= {-1.0, 0.0, 1.0}
    again = [MCTS(game, 7, seed=seed).analyse(state).values for seed in range(5)]
    assert again == [found.values] * 5  # no chance is left, but in the order in which children are tried


def test_exploration_is_in_units_of_the_utilities() -> None:
    game, scaled = tictactoe(), tenfold(tictactoe())
    state = game.play_moves([0, 4])
    for search in (MCTS, partial(FlatMonteCarlo, allocation="ucb1")):
        plain, large = (search(one, 300, seed=0).analyse(state) for one in (game, scaled))
        assert large.visits == plain.visits
        assert large.value == pytest.approx(10 * plain.value)
    batched = as_opponents(MCTS(scaled, 300), scaled)
    assert isinstance(batched, BatchedMCTS)
    assert batched.c == 14
    unlimited = AlphaBeta(game, 1, evaluate=lambda state, player: 0.0).game
    assert unlimited.max_utility == math.inf
    assert exploration(1.4, unlimited) == 1.4  # there is no unit


def tenfold(game: Game) -> Game:
    """Return the game for ten times as much."""
    utility = helper(game.utility)

    def ten_times(state: Any, player: int) -> float:
        return 10 * utility(state, player)

    return game.replace(utility=ten_times, max_utility=10.0)
