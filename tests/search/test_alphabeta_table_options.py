"""What the table does for the options of alpha-beta that know more of a game than its moves, and what it must not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta, Minimax
from plyground.agents.alphabeta.table import EXACT, LOWER, UPPER, remember
from plyground.envs import chess
from tests.conftest import random_game
from tests.helpers.waiting import waiting
from tests.search.test_alphabeta_pruning import PLAIN, TOLD, noise

NOISY = TOLD.replace(evaluate=noise, max_utility=math.inf)


def enter(agent: AlphaBeta, state: Any, value: float, bound: int, depth: int, action: int = -1) -> None:
    """Let the table say this of a position, from a search that was so deep, and nothing of its evaluation."""
    w, _ = agent.workspace
    with np.errstate(over="ignore"):  # of keys, which plain Python does not expect
        remember(w.table, np.uint64(NOISY.key(state)), value, np.nan, action, depth, bound, w.status[0])


def test_what_the_table_does_not_know_is_searched_a_ply_less_deep(rng: np.random.Generator) -> None:
    game = TOLD.replace(evaluate=noise, max_utility=math.inf)
    options: dict[str, Any] = {"internal_reductions": 3}
    changed = 0
    for state in random_game(game, rng, plies=9)[:-1]:
        three, four = (AlphaBeta(game, depth, **PLAIN).analyse(state).value for depth in (3, 4))
        # With four plies, replies have three left. An empty table knows none of them; after three plies it knows all.
        assert AlphaBeta(game, 4, **options, iterative=False, pvs=False).analyse(state).value == three
        assert AlphaBeta(game, 4, **options).analyse(state).value == four
        tableless = AlphaBeta(game, 4, table_mb=0)  # as in chess, whose own option it is
        tableless.options = tableless.options._replace(**options)
        assert tableless.analyse(state).value == four
        changed += three != four
    assert changed


def test_a_table_for_noisy_moves_saves_nodes_and_changes_nothing_where_they_come_to_their_end(
    rng: np.random.Generator,
) -> None:
    nodes = np.zeros(2, np.int64)
    options: dict[str, Any] = {"quiescence": 20, "evaluate": noise, "captures": True}
    for state in random_game(TOLD, rng)[:-2]:
        for depth in (1, 4):
            plain = AlphaBeta(TOLD, depth, **options).analyse(state)
            found = AlphaBeta(TOLD, depth, quiescence_table=True, **options).analyse(state)
            assert (found.value, found.exact) == (plain.value, plain.exact)
            nodes += plain.nodes, found.nodes
    assert nodes[1] < 0.95 * nodes[0]


@pytest.mark.slow
def test_what_was_not_searched_for_want_of_plies_answers_no_quiescence_search() -> None:
    """Each of these may try one noisy move: evaluations at the end of others are none of its results."""
    game = chess()
    state = game.state_from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    options = {"quiescence": 1, "captures": True, "selective": False}
    plain = AlphaBeta(game, 2, **options).analyse(state)
    found = AlphaBeta(game, 2, quiescence_table=True, **options).analyse(state)
    assert found.value == plain.value


@pytest.mark.parametrize(
    ("bound", "value", "expected"),
    [
        (LOWER, 700.0, 700.0),
        (EXACT, 700.0, 700.0),
        (UPPER, -700.0, -209.5),
        (LOWER, -700.0, 480.5),
        (UPPER, 700.0, 480.5),
    ],
)
def test_who_keeps_quiet_has_what_the_table_knows(bound: int, value: float, expected: float) -> None:
    """The position is evaluated as 480.5, and noisy moves lead to -507.5 and -209.5."""
    state, mask = NOISY.play_moves([4, 4]), np.arange(5) == 1
    options: dict[str, Any] = {"quiescence": 1, "quiescence_table": True}
    found = []
    for is_used in (False, True):
        agent = AlphaBeta(NOISY, 1, table_static=is_used, **options)
        enter(agent, NOISY.play_moves([1], state), value, bound, 9)  # so deep a search answers none of noisy moves
        found.append(-agent.analyse(state, mask).value)
    assert found == [480.5, expected]


@pytest.mark.parametrize(("bound", "is_taken"), [(LOWER, True), (EXACT, True), (UPPER, False)])
def test_what_the_table_knows_tells_whether_a_search_is_futile(bound: int, is_taken: bool) -> None:
    state, mask = NOISY.play_moves([4, 4]), np.arange(5) < 2
    found = []
    for is_used in (False, True):
        agent = AlphaBeta(NOISY, 2, futility=1.0, table_static=is_used, ordered=False, iterative=False)
        enter(agent, NOISY.play_moves([1], state), 700.0, bound, 9)
        found.append(agent.analyse(state, mask).values[1])
    assert found[0] != -700
    assert found[1] == (-700 if is_taken else found[0])


def test_captures_are_not_reduced() -> None:
    """Two columns are open, each of whose moves wins something; with 13 stones on the board no exchange loses."""
    state = TOLD.play_moves([3, 0, 0, 3, 3, 4, 4, 0, 4, 3, 0, 4])
    assert TOLD.actions(state) == [1, 2]
    found = AlphaBeta(TOLD, 4, lmr=1, captures=True, table_mb=0, evaluate=noise).analyse(state)
    assert found.statistics["reductions"] == 0
    unordered = AlphaBeta(TOLD, 4, lmr=1, table_mb=0, ordered=False, null_move=1, evaluate=noise).analyse(state)
    assert unordered.statistics["reductions"] > 0


def test_a_move_is_singular_where_half_the_depth_finds_no_other_that_comes_near() -> None:
    state = NOISY.play_moves([4])
    child, mask = NOISY.play_moves([3], state), np.arange(5) == 3
    others = [NOISY.play_moves([action], child) for action in (0, 1, 3, 4)]
    nearest = [max(-Minimax(NOISY, depth).analyse(other).value for other in others) for depth in (1, 2, 3)]
    assert nearest[1] > max(nearest[0], nearest[2]) + 1  # another depth than half of 4 would answer otherwise
    for value, extensions in ((nearest[1] - 0.5, 0), (nearest[1] + 0.5, 1)):
        # Replies of the other player are ordered, which changes no value, and asks for the kernel that others need.
        agent = AlphaBeta(NOISY, 5, singular=0.0, iterative=False, countermoves=True)
        enter(agent, child, value, LOWER, 1, action=2)
        assert agent.analyse(state, mask).statistics["extensions"] == extensions


def test_what_was_proved_before_a_position_stood_on_the_board_so_often_is_forgotten() -> None:
    game = waiting(wins=True, draw=3)
    state, agent = game.new_state(), AlphaBeta(game, 4, iterative=False, all_best=True, repetitions=True)
    keys = np.array([game.repetition_key(game.play_moves(moves)) for moves in ([], [0], [0, 0])], np.uint64)
    first = agent.analyse(state, past=keys[:1])
    assert (first.best_actions, first.proved) == ((0, 1), (0, 1))
    second = agent.analyse(state, past=keys)  # who waits again draws
    assert (second.best_actions, second.values, second.proved) == ((1,), {0: 0.0, 1: 1.0}, (1,))
