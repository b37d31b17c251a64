"""Alpha-beta against minimax, an oracle, and its budgets."""

from __future__ import annotations

import functools
import itertools
import pickle
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta, Analysis, Minimax
from plyground.agents.clock import run_with_stop
from plyground.envs import Game, State, connect_four, make_game, state_dtype, tictactoe
from tests.conftest import random_game
from tests.helpers.late_boards import score_by_the_book, unfinished
from tests.helpers.oracles import minimax_value, reachable

OPTIONS: list[dict[str, Any]] = [
    dict(zip(("table_mb", "ordered", "pvs", "iterative", "all_best"), values, strict=True))
    for values in itertools.product((0, 1), (False, True), (False, True), (False, True), (False, True))
    if values[1] or not values[2]  # without an order, null windows are searched again and again
]

# One thing changed at a time. 0.001 MB are 32 entries, which are always full.
SOUND: list[dict[str, Any]] = [
    {"ordered": False},
    {"hash_move": False},
    {"killers": False},
    {"history": False},
    {"killers": False, "history": False},
    {"replacement": "always"},
    {"replacement": "always", "table_mb": 0.001},
    {"replacement": "depth", "table_mb": 0.001},
    {"aspiration": 1e-9},
    {"aspiration": 0.02},
    {"aspiration": 0.02, "all_best": True},
    {"aspiration": 300, "pvs": False},
]

MOST = 60_000  # positions, about, that minimax may visit in one of the comparisons


def scrambled(state: Any, player: int) -> float:
    """Evaluate a Connect Four position by noise: nothing hides a wrong bound."""
    noise = (state.mine * np.uint64(0x9E3779B97F4A7C15)) ^ (state.theirs * np.uint64(0xBF58476D1CE4E5B9))
    value = float((noise >> np.uint64(40)) & np.uint64(1023)) - 511.5
    return value if player == state.ply & 1 else -value


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", ["tictactoe", "connect_four(rows=4, columns=5)"])
def test_value_is_that_of_minimax_at_every_depth(name: str, options: dict[str, Any]) -> None:
    check_values(make_game(name), options, None)


@pytest.mark.parametrize("options", [OPTIONS[0], *SOUND, {"fold": True}, {"fold": True, "table_mb": 0.001}], ids=str)
def test_value_is_that_of_minimax_with_each_option(options: dict[str, Any]) -> None:
    check_values(connect_four(4, 5), options, None)


@pytest.mark.parametrize("options", [OPTIONS[0], OPTIONS[-2], OPTIONS[-1]], ids=["none", "all", "all best"])
def test_value_is_that_of_minimax_in_every_game(game: Game, options: dict[str, Any]) -> None:
    check_values(game, options, None)


@pytest.mark.parametrize("options", OPTIONS + SOUND, ids=str)
def test_value_is_that_of_minimax_for_any_evaluation(options: dict[str, Any]) -> None:
    check_values(connect_four(4, 5), options, scrambled)


def check_values(game: Game, options: dict[str, Any], evaluate: Any) -> None:
    for depth in (1, 2, 3, 5):
        alphabeta = AlphaBeta(game, depth=depth, evaluate=evaluate, selective=False, **options)
        for state, expected in searched_in_full(game.spec, depth, evaluate):
            found = alphabeta.analyse(state)  # one agent through whole games: the table carries over
            assert found.value == expected.value
            assert set(found.best_actions) <= set(expected.best_actions)
            if options.get("all_best"):
                assert found.best_actions == expected.best_actions
            if found.depth == depth:  # a search that is sure of a win ends earlier
                assert all(bound >= expected.values[action] for action, bound in found.values.items())
            assert found.pv[0] == found.best_action


@functools.cache
def searched_in_full(spec: str, depth: int, evaluate: Any) -> list[tuple[State, Analysis]]:
    """Return some 20 positions of each of three games, and what minimax says of them."""
    game, rng = make_game(spec), np.random.default_rng(20_240_501)
    games = [random_game(game, rng)[:-1] for _ in range(3)]
    states = itertools.chain(*(states[:: len(states) // 20 + 1] for states in games))
    minimax = Minimax(game, depth=depth, evaluate=evaluate)
    return [(state, minimax.analyse(state)) for state in states if len(game.actions(state)) ** depth <= MOST]


@pytest.mark.slow
def test_tictactoe_from_every_reachable_position() -> None:
    game = tictactoe()
    agent = AlphaBeta(game, depth=9, all_best=True)
    known: dict[bytes, float] = {}
    for state in reachable(game).values():
        if game.is_terminal(state):
            continue
        found = agent.analyse(state)
        values = {}
        for action in game.actions(state):
            child = state.copy()
            game.play(child, action)
            values[action] = -minimax_value(game, child, known)
        assert found.exact
        assert found.value == max(values.values())
        assert list(found.best_actions) == [action for action in values if values[action] == found.value]


@pytest.mark.parametrize("seat", [0, 1])
def test_never_loses_tictactoe_whatever_the_opponent_does(seat: int) -> None:
    game = tictactoe()
    agent = AlphaBeta(game, depth=9)
    results = set()

    def play_on(state: Any) -> None:
        if game.is_terminal(state):
            results.add(game.utility(state, seat))
            return
        own_turn = game.player(state) == seat
        for action in [agent.analyse(state).best_action] if own_turn else game.actions(state):
            child = state.copy()
            game.play(child, action)
            play_on(child)

    play_on(game.new_state())
    assert results == {0, 1}


@pytest.mark.slow
def test_late_connect_four_positions_against_the_oracle(rng: np.random.Generator) -> None:
    game = connect_four()
    agent = AlphaBeta(game, depth=42, all_best=True)
    known: dict[tuple[int, int], int] = {}
    for _ in range(200):
        state = unfinished(game, int(rng.integers(33, 39)), rng)
        children = {column: game.play_moves([column], state) for column in game.actions(state)}
        values = {c: -np.sign(score_by_the_book(game, child, known)) for c, child in children.items()}
        found = agent.analyse(state)
        assert found.exact
        assert found.value == max(values.values())
        assert list(found.best_actions) == [c for c in values if values[c] == found.value]


def test_best_line_leads_to_the_value() -> None:
    game = connect_four(4, 5)
    state = game.play_moves([2, 2, 0, 1, 2])
    found = AlphaBeta(game, depth=20, table_mb=0).analyse(state)
    end = game.play_moves(found.pv, state)
    assert game.is_terminal(end)
    assert game.utility(end, game.player(state)) == found.value


def test_wins_as_soon_and_loses_as_late_as_possible() -> None:
    game = connect_four()
    can_win = game.play_moves([3, 0, 3, 0, 3, 1])
    assert AlphaBeta(game, depth=8).analyse(can_win).pv == (3,)
    # The first player threatens four in column 2, and wins later whatever is done about it.
    lost = game.play_moves([5, 0, 3, 2, 2, 4, 2, 1, 2])
    found = AlphaBeta(game, depth=8).analyse(lost)
    assert (found.value, found.exact) == (-1, True)
    assert [move for move, value in Minimax(game, 2).analyse(lost).values.items() if value > -1] == [2]
    assert found.best_action == 2


def test_node_budget_is_kept_and_reproducible() -> None:
    game = connect_four()
    answers = [AlphaBeta(game, nodes=20_000).analyse(game.new_state()) for _ in range(2)]
    assert answers[0].nodes == answers[1].nodes <= 20_000
    assert (answers[0].pv, answers[0].value) == (answers[1].pv, answers[1].value)
    assert 4 < answers[0].depth < 20
    deeper = AlphaBeta(game, nodes=200_000).analyse(game.new_state())
    assert deeper.depth > answers[0].depth
    assert AlphaBeta(game, nodes=1).analyse(game.new_state()).depth == 1


def test_an_unfinished_search_leaves_nothing_wrong_in_the_table(rng: np.random.Generator) -> None:
    game = connect_four(4, 5)
    agent = AlphaBeta(game, depth=6, evaluate=scrambled)
    for state in random_game(game, rng, plies=6):
        expected = Minimax(game, depth=6, evaluate=scrambled).analyse(state).value
        for nodes in range(50, 1500, 7):
            agent.reset()
            agent.nodes = nodes
            agent.analyse(state)
            agent.nodes = None
            assert agent.analyse(state).value == expected


def test_time_budget_ends_the_search() -> None:
    game = connect_four()
    found = AlphaBeta(game, seconds=0.2).analyse(game.new_state())
    assert found.depth >= 1
    assert not found.exact
    assert AlphaBeta(game, depth=3, seconds=60).analyse(game.new_state()).depth == 3


@pytest.mark.parametrize("iterative", [True, False])
def test_interrupt_ends_a_long_search_at_once(iterative: bool) -> None:
    agent = AlphaBeta("connect_four", depth=42, iterative=iterative)
    AlphaBeta("connect_four", depth=2).analyse(agent.game.new_state())  # compiled before the clock starts
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        agent.analyse(agent.game.new_state())
    found = AlphaBeta("connect_four", depth=4).analyse(agent.game.new_state())
    assert found.depth == 4


def test_an_interrupt_while_the_thread_starts_ends_its_search(monkeypatch: pytest.MonkeyPatch) -> None:
    start, stop, ended = threading.Thread.start, np.zeros(1, np.uint8), list[bool]()

    def work() -> None:
        while not stop[0]:
            time.sleep(0.01)
        ended.append(True)

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_with_stop(work, stop)
    assert ended


def test_errors_in_the_thread_reach_the_caller() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_with_stop(fail, np.zeros(1, np.uint8))
    stop = np.zeros(1, np.uint8)
    started = time.perf_counter()
    assert run_with_stop(lambda: [time.sleep(0.01) for _ in iter(lambda: stop[0], 1)] and 7, stop, seconds=0.05) == 7
    assert time.perf_counter() - started >= 0.05


def test_reset_empties_the_table_and_copies_start_without_one() -> None:
    game = connect_four()
    agent = AlphaBeta(game, depth=7)
    first = agent.analyse(game.new_state())
    again = agent.analyse(game.new_state())
    assert again.nodes < first.nodes
    twin = pickle.loads(pickle.dumps(agent))
    agent.reset()
    assert agent.analyse(game.new_state()).nodes == twin.analyse(game.new_state()).nodes == first.nodes


@pytest.mark.slow
def test_keys_that_merge_mirrored_positions_give_the_same_values_and_legal_lines(rng: np.random.Generator) -> None:
    game = connect_four(4, 5)

    def mirrored(state: Any) -> Any:
        key = mirror = np.uint64(0)
        for column in range(5):
            shift = np.uint64(5 * column)
            back = np.uint64(5 * (4 - column))
            ones = np.uint64(31)
            for stones, high in ((state.mine, np.uint64(0)), (state.theirs, np.uint64(25))):
                key |= ((stones >> shift) & ones) << (shift + high)
                mirror |= ((stones >> shift) & ones) << (back + high)
        return min(key, mirror)

    merging = game.replace(key=mirrored)
    agent = AlphaBeta(merging, depth=6)
    for _ in range(3):
        for state in random_game(game, rng)[:-1]:
            found = agent.analyse(state)
            assert found.value == Minimax(game, depth=6).analyse(state).value
            game.play_moves(found.pv, state)


def take_twice() -> Game:
    """Take 1 or 2 from a heap of 7; who takes 2 moves again. Who takes the last one wins as many as it took in all."""
    layout = state_dtype(heap="i4", turn="i4", taken=("i4", (2,)))

    def setup(state: Any) -> None:
        state.heap = 7

    def legal_actions(state: Any, actions: Any) -> int:
        actions[0], actions[1] = 0, 1
        return min(2, state.heap)

    def play(state: Any, action: int) -> None:
        state.heap -= action + 1
        state.taken[state.turn] += action + 1
        if action == 0:
            state.turn = 1 - state.turn

    def utility(state: Any, player: int) -> float:
        return float(state.taken[player] - state.taken[1 - player])

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0] = state.heap

    def evaluate(state: Any, player: int) -> float:
        return 0.5 * (state.taken[player] - state.taken[1 - player])

    return Game(
        name="take_twice",
        state=layout,
        num_actions=2,
        max_plies=7,
        max_utility=7.0,
        observation_shape=(1,),
        observation_high=7,
        setup=setup,
        player=lambda state: state.turn,
        legal_actions=legal_actions,
        play=play,
        is_terminal=lambda state: state.heap == 0,
        utility=utility,
        observe=observe,
        evaluate=evaluate,
    )


@pytest.mark.slow
def test_games_in_which_a_player_moves_twice() -> None:
    game = take_twice()
    known: dict[bytes, float] = {}
    for state in reachable(game).values():
        if game.is_terminal(state):
            continue
        value = minimax_value(game, state, known)
        assert Minimax(game).analyse(state).value == value
        for options in OPTIONS + SOUND:
            assert AlphaBeta(game, depth=7, **options).analyse(state).value == value
        for depth in (1, 2, 3):
            assert AlphaBeta(game, depth=depth).analyse(state).value == Minimax(game, depth=depth).analyse(state).value


def test_the_depth_may_be_changed_between_searches() -> None:
    game = connect_four(rows=4, columns=5)
    agent, state = AlphaBeta(game, depth=1), game.new_state()
    for depth in (1, 9, 2, 12, None):
        agent.depth = depth
        found, fresh = agent.analyse(state), AlphaBeta(game, depth=depth or 20)
        assert found.value == fresh.analyse(state).value
        assert agent.workspace[0].table.size >= fresh.workspace[0].table.size  # a small one does not stay
        assert agent.workspace[0].states.size > min(depth or 20, len(found.pv))


@pytest.mark.parametrize(("search", "said"), [(AlphaBeta, np.inf), (Minimax, np.nan)])
def test_an_evaluation_that_is_not_finite_proves_nothing(search: Any, said: float) -> None:
    def evaluate(state: Any, player: int) -> float:
        return said if player == 0 else -said

    game = tictactoe()
    with pytest.raises(ValueError, match=r"evaluate must return finite numbers, and the search found -?(inf|nan)"):
        search(game, depth=2, evaluate=evaluate).analyse(game.new_state())
