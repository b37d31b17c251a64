"""Games whose positions come again, solved backwards, against plain iteration of the values and distances."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest

from plyground.agents.solver import Progress, Solver
from plyground.agents.solver.exhaustive import AllPositions
from plyground.agents.solver.retrograde_memory import TooLargeError, solve_backwards
from plyground.agents.solver.solving import ENDLESS, look_up
from plyground.envs import Game, State, state_dtype
from tests.helpers.oracles import identity, reachable

Known = dict[bytes, tuple[float, int | None]]


def iterated(game: Game, start: State | None = None) -> Known:
    """Return value and distance of all reachable states, for the player to move, by their definitions.

    The values are those of the game cut off after k plies, and then worth 0, for larger and larger k. The distances are
    those of the game in which only moves that keep the value are allowed, None as long as its end is not in sight.
    """
    states = reachable(game if start is None else from_state(game, start))
    children = {
        key: [game.play_moves([action], state) for action in ([] if game.is_terminal(state) else game.actions(state))]
        for key, state in states.items()
    }
    moves = {key: [identity(child) for child in found] for key, found in children.items()}
    player = {key: int(game.player(state)) for key, state in states.items()}
    ends = {key: float(game.utility(state, 0)) for key, state in states.items() if game.is_terminal(state)}

    values, new = {}, dict.fromkeys(states, 0.0) | ends  # for player 0
    while values != new:
        values = new
        new = {
            key: ends[key] if key in ends else (min if player[key] else max)(values[move] for move in moves[key])
            for key in states
        }
    keeping = {key: [move for move in moves[key] if values[move] == values[key]] for key in states}
    distances: dict[bytes, float] = {}
    later: dict[bytes, float] = dict.fromkeys(states, np.inf) | dict.fromkeys(ends, 0.0)
    while distances != later:
        distances = later
        later = dict(distances)
        for key in states.keys() - ends.keys():
            wins = values[key] > 0 if player[key] == 0 else values[key] < 0
            later[key] = 1 + (min if wins else max)(distances[move] for move in keeping[key])
    return {
        key: (
            0.0 - values[key] if player[key] else values[key],
            None if distances[key] == np.inf else int(distances[key]),
        )
        for key in states
    }


def from_state(game: Game, start: State) -> Game:
    """Return the game with another initial state."""

    def setup(state: Any) -> None:
        for name in start.dtype.names or ():
            state[name] = start[name]

    return game.replace(setup=setup)


# -- random games --------------------------------------------------------------------------------------------------

GRAPHS, NODES, WIDTH = 150, 14, 3


def random_graphs() -> Game:
    """Many games in one: in each, the two move a piece on a small graph of its own.

    Who moves on a node is drawn, so that turns need not alternate, and so are the ends and what they are worth.
    """
    rng = np.random.default_rng(1986)
    targets: Any = rng.integers(0, NODES, (GRAPHS, NODES, WIDTH))
    players: Any = rng.integers(0, 2, (GRAPHS, NODES))
    utilities: Any = rng.choice([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0], (GRAPHS, NODES))
    is_end: Any = rng.random((GRAPHS, NODES)) < rng.choice([0.1, 0.3, 0.5], (GRAPHS, 1))

    def player(state: Any) -> int:
        return players[state.graph, state.node]

    def legal_actions(state: Any, actions: Any) -> int:
        for i in range(WIDTH):
            actions[i] = i
        return WIDTH

    def play(state: Any, action: int) -> None:
        state.node = targets[state.graph, state.node, action]

    def is_terminal(state: Any) -> bool:
        return is_end[state.graph, state.node]

    def utility(state: Any, player: int) -> float:
        return utilities[state.graph, state.node] * (1 - 2 * player)

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0] = state.node

    return Game(
        name="random_graphs",
        state=state_dtype(graph="i2", node="i2"),
        num_actions=WIDTH,
        max_plies=10**9,
        max_utility=3.0,
        observation_shape=(1,),
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        observe=observe,
    )


@pytest.mark.slow
def test_random_games_have_the_values_and_distances_of_plain_iteration() -> None:
    game = random_graphs()
    solver = Solver(game)
    seen: set[Any] = set()
    for graph, node in itertools.product(range(GRAPHS), range(0, NODES, 5)):
        start = game.new_state()
        start.graph, start.node = graph, node
        known = iterated(game, start)
        for state in reachable(from_state(game, start)).values():
            assert solver.value(state) == known[identity(state)]
        found = solver.solve(start)
        if game.is_terminal(start):
            continue
        ratings = {}
        for action in game.actions(start):
            child = game.play_moves([action], start)
            value, distance = known[identity(child)]
            same = game.player(child) == game.player(start)
            ratings[action] = (value if same else 0.0 - value, None if distance is None else distance + 1)
        assert {action: (found.values[action], found.distances[action]) for action in ratings} == ratings
        assert found.best_actions == tuple(a for a in ratings if ratings[a][0] == found.value)
        assert solver.optimal_actions(start) == found.best_actions
        assert found.fastest_actions == tuple(a for a in ratings if ratings[a] == (found.value, found.distance))
        end = game.play_moves(found.pv, start)
        if found.distance is None:
            assert not game.is_terminal(end)
        else:
            assert game.is_terminal(end)
            assert len(found.pv) == found.distance
        seen.add((found.value, found.distance is None))
    assert {(0.0, True), (0.0, False), (-3.0, False), (2.0, False)} <= seen  # the oracle was asked about all kinds


def test_known_positions_serve_later_questions_and_memory_holds_both() -> None:
    game = random_graphs()
    together = AllPositions(game, 512, cyclic=True)
    for graph in range(GRAPHS):
        start = game.new_state()
        start.graph = graph
        if game.is_terminal(start):
            continue
        alone = AllPositions(game, 512, cyclic=True)
        assert together.value(start) == alone.value(start)
    nodes = together.nodes
    for graph in range(GRAPHS):
        start = game.new_state()
        start.graph = graph
        if not game.is_terminal(start):
            together.value(start)
    assert together.nodes == nodes  # all was known


# -- a game that a user might write --------------------------------------------------------------------------------

ROUND = 8  # places on a circle
EXITS = {1: -0.5, 4: -2.0}  # where the thief gets away, with how much


def pursuit(steps: int) -> Game:
    """A guard and a thief on a circle of places, with a short cut from 0 to 4; the thief moves ``steps`` times a turn.

    The guard (player 0) wins 1 by standing where the thief is. The thief may not stand still, the guard may.
    """

    def player(state: Any) -> int:
        return 1 if state.left > 0 else 0

    def legal_actions(state: Any, actions: Any) -> int:
        count = 0
        place = state.thief if state.left > 0 else state.guard
        for action in range(4):  # back, on, short cut, stay
            if (action < 2) or (action == 2 and place % 4 == 0) or (action == 3 and state.left == 0):
                actions[count] = action
                count += 1
        return count

    def play(state: Any, action: int) -> None:
        place = state.thief if state.left > 0 else state.guard
        if action == 0:
            place = (place + ROUND - 1) % ROUND
        elif action == 1:
            place = (place + 1) % ROUND
        elif action == 2:
            place = 4 - place
        if state.left > 0:
            state.thief = place
            state.left -= 1
        else:
            state.guard = place
            state.left = steps

    def is_terminal(state: Any) -> bool:
        return state.guard == state.thief or (state.thief == 1 or state.thief == 4)

    def utility(state: Any, player: int) -> float:
        if state.guard == state.thief:
            value = 1.0
        else:
            value = -0.5 if state.thief == 1 else -2.0 if state.thief == 4 else 0.0
        return value if player == 0 else -value

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0], planes[1], planes[2] = state.guard, state.thief, state.left

    def setup(state: Any) -> None:
        state.guard, state.thief = 2, 6

    return Game(
        name=f"pursuit_{steps}",
        state=state_dtype(guard="i1", thief="i1", left="i1"),
        num_actions=4,
        max_plies=1000,
        max_utility=2.0,
        observation_shape=(3,),
        observation_high=ROUND,
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        observe=observe,
        setup=setup,
    )


@pytest.mark.parametrize("steps", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_pursuit_is_solved_from_every_position(steps: int) -> None:
    game = pursuit(steps)
    solver = Solver(game)
    values = set()
    for guard, thief, left in itertools.product(range(ROUND), range(ROUND), range(steps + 1)):
        start = game.new_state()
        start.guard, start.thief, start.left = guard, thief, left
        value, distance = iterated(game, start)[identity(start)]
        assert solver.value(start) == (value, distance)
        values.add(value if left == 0 else 0.0 - value)
    assert {1.0, -2.0} <= values


# -- limits --------------------------------------------------------------------------------------------------------


def counter(size: int) -> Game:
    """A number that the players raise by 1 or 2, or set back to 0, up to ``size``, where player 1 wins."""

    def legal_actions(state: Any, actions: Any) -> int:
        for i in range(3):
            actions[i] = i
        return 3

    def play(state: Any, action: int) -> None:
        state.number = min(state.number + action, state.top) if action > 0 else 0
        state.turn = 1 - state.turn

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0] = state.turn

    def setup(state: Any) -> None:
        state.top = size

    return Game(
        name="counter",
        state=state_dtype(number="i4", top="i4", turn="i1"),
        num_actions=3,
        max_plies=10**9,
        observation_shape=(1,),
        player=lambda state: state.turn,
        legal_actions=legal_actions,
        play=play,
        is_terminal=lambda state: state.number >= state.top,
        utility=lambda state, player: 2.0 * player - 1.0,
        observe=observe,
        setup=setup,
    )


def test_it_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """It told nobody, so that bars stood still, and limits of time were not held."""
    monkeypatch.setattr("plyground.agents.clock._POLL_SECONDS", 1e-4)
    told: list[Progress] = []
    solver = Solver(counter(100_000))
    solver.on_progress = told.append
    assert solver.value(solver.game.new_state()) == (0.0, None)
    assert max(one.positions for one in told) > 0
    assert 0 < max(one.megabytes for one in told) <= 512


def test_memory_is_checked_before_it_is_taken() -> None:
    game = counter(20_000)
    needed = None
    for megabytes in np.arange(0.5, 8, 0.5):
        try:
            _, positions = solve_backwards(game, game.new_state(), megabytes * 2**20)
        except TooLargeError:
            assert needed is None  # more is never less
            continue
        needed = needed or megabytes
        assert positions == 40_000
    assert needed is not None
    assert needed > 40_000 * (20 / 0.75 + 5 + 24 + 3 * 4) / 2**20  # at least what is held in the end
    with pytest.raises(MemoryError, match=r"counter is too large to solve with table_mb=2: [\d,]+ positions"):
        Solver(game, table_mb=2).value(game.new_state())
    assert Solver(game, table_mb=needed + 1).value(game.new_state()) == (0.0, None)


def test_arrays_never_take_more_than_the_limit() -> None:
    game = counter(30_000)
    solve_backwards(game, game.new_state(), 2**30)  # compiles
    ends = set()
    for limit in (500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000):
        tracemalloc.start()
        try:
            ends.add(solve_backwards(game, game.new_state(), limit)[1])
        except TooLargeError:
            ends.add(0)
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert limit / 4 < peak <= limit + 50_000  # with what Python needs beside the arrays
    assert ends == {0, 60_000}


def test_what_is_known_is_given_up_where_memory_is_short() -> None:
    graphs = random_graphs()
    small = AllPositions(graphs, 0.6, cyclic=True)
    for graph in range(GRAPHS):
        start = graphs.new_state()
        start.graph = graph
        if not graphs.is_terminal(start):
            assert small.value(start) == AllPositions(graphs, 512, cyclic=True).value(start)
        assert small.megabytes <= 0.6


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of POSIX")
def test_an_interrupt_leaves_nothing_behind() -> None:
    game = counter(20_000_000)
    solver = Solver(game, table_mb=4096)
    solver._made = engine = AllPositions(game, 4096, cyclic=True)
    solver.prepare()
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solver.value(game.new_state())
    assert engine.known(game.new_state()) is None
    assert engine.megabytes < 1


def test_a_draw_without_end_has_no_distance_and_its_line_stops_where_positions_come_again() -> None:
    game = counter(50)
    found = Solver(game).solve(game.new_state())
    assert (found.value, found.distance) == (0.0, None)
    table, _ = solve_backwards(game, game.new_state(), 2**24)
    assert look_up(game, game.new_state(), table) == (0.0, ENDLESS)
    states = [game.play_moves(found.pv[:count]) for count in range(len(found.pv) + 1)]
    keys = [identity(state) for state in states]
    assert keys[-1] in keys[:-1]
    assert len(set(keys)) == len(keys) - 1
    analysis = Solver(game).analyse(game.new_state())
    assert (analysis.value, analysis.depth, analysis.pv) == (0.0, len(found.pv), found.pv)
