"""The best line of alpha-beta, which goes on where the table has answered."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta
from plyground.agents.alphabeta.deepening import _known_move, _lengthen, _note
from plyground.agents.alphabeta.repeating import enter_root
from plyground.agents.alphabeta.table import EXACT, LOWER, SOLVED, UPPER, remember
from plyground.envs import Game, State, chess, connect_four
from tests.conftest import random_game

FOUR = connect_four(4, 5)
CHESS = chess()
ROUND = ["g1f3", "g8f6", "f3g1", "f6g8"]  # and the position is the same again


def known(game: Game, agent: AlphaBeta, state: State, action: int, bound: int = EXACT, value: float = 0.1) -> None:
    """Let the table know a move."""
    w, _ = agent.workspace
    with np.errstate(over="ignore"):  # of keys, which plain Python does not expect
        remember(w.table, np.uint64(game.key(state)), value, math.nan, action, 1, bound, w.status[0])


def lengthened(game: Game, agent: AlphaBeta, state: State, line: list[int], pruning: Any = None) -> tuple[int, ...]:
    """Return the line that is made of this one, by plain Python."""
    w, roots = agent.begin(state, np.array(line[:1], np.int32))
    root: Any = roots[0]
    root.depth, root.line[: len(line)], root.line[len(line)] = agent.depth, line, -1
    enter_root(game, w.states[0], w.status[0])
    with np.errstate(over="ignore"):
        _lengthen(game, w, pruning, root)
    row = root.line.tolist()
    return tuple(row[: row.index(-1)])


def as_searched(depth: int) -> AlphaBeta:
    """Return a search whose lines end where its table has answered."""
    agent = AlphaBeta(FOUR, depth)
    _ = agent.workspace
    agent._fresh["lengthens"] = 0
    return agent


def test_a_table_that_answers_leaves_the_line_its_length(rng: np.random.Generator) -> None:
    """It ended where the search before this one had come as far."""
    agent, plain, cut_short = AlphaBeta(FOUR, depth=7), as_searched(7), 0
    for state in random_game(FOUR, rng)[:9]:
        agent.reset()
        plain.reset()
        for _ in range(2):
            found, searched = agent.analyse(state), plain.analyse(state)
            assert found.pv[: len(searched.pv)] == searched.pv
            assert replace(found, seconds=0, pv=()) == replace(searched, seconds=0, pv=())
            assert found.exact or len(found.pv) == 7
            FOUR.play_moves(found.pv, state)
            cut_short += len(searched.pv) < len(found.pv)
    assert cut_short > 3


@pytest.mark.parametrize(
    ("bound", "value", "action", "expected"),
    [
        (EXACT, 0.1, 3, 3),
        (EXACT + SOLVED, 0.0, 3, 3),
        (LOWER, 0.1, 3, 3),
        (UPPER, 0.1, 3, -1),  # of bounds like that no move is better than others
        (EXACT + SOLVED, 1.0, 3, -1),  # it proves another value
        (EXACT, 0.1, 2, -1),  # that column is full
        (EXACT, 0.1, -1, -1),
    ],
)
def test_moves_that_the_table_knows(bound: int, value: float, action: int, expected: int) -> None:
    agent = AlphaBeta(FOUR, depth=4)
    state = FOUR.play_moves([2, 2, 2, 2])
    w, _ = agent.workspace
    w.states[1] = state
    with np.errstate(over="ignore"):
        assert _known_move(FOUR, w, 1) == -1  # nothing
        known(FOUR, agent, state, action, bound, value)
        w.status["top"] = 1
        assert _known_move(FOUR, w, 1) == expected


@pytest.mark.parametrize(("depth", "plies"), [(2, 2), (3, 3), (8, 3)])
def test_a_line_ends_where_the_game_does_or_at_the_depth(depth: int, plies: int) -> None:
    agent, start, line = AlphaBeta(FOUR, depth), FOUR.play_moves([0, 1, 0, 1]), [0, 3, 0]
    for played in range(1, 3):
        known(FOUR, agent, FOUR.play_moves(line[:played], start), line[played])
    end = FOUR.play_moves(line, start)  # with four in a column
    assert FOUR.is_terminal(end)
    known(FOUR, agent, end, 4)
    assert lengthened(FOUR, agent, start, line[:1]) == tuple(line[:plies])


@pytest.mark.parametrize("pruning", [None, np.int64(1)])
def test_a_line_does_not_come_round(pruning: Any) -> None:
    agent, start = AlphaBeta(CHESS, depth=8), CHESS.new_state()
    line = CHESS.line_of(ROUND)
    for plies in range(1, 4):
        known(CHESS, agent, CHESS.play_moves(line[:plies]), line[plies])
    assert lengthened(CHESS, agent, start, line[:1], pruning) == tuple(line[:3])


def test_a_line_does_not_go_where_the_game_is_drawn() -> None:
    """After these moves the position stands there for the third time."""
    agent, moves = AlphaBeta(CHESS, depth=8), CHESS.line_of(ROUND)
    state = CHESS.play_moves(moves[:2])
    known(CHESS, agent, CHESS.play_moves(moves[2:3], state), moves[3])
    assert lengthened(CHESS, agent, state, moves[2:3], np.int64(1)) == tuple(moves[2:])
    keys = [np.uint64(CHESS.repetition_key(CHESS.play_moves((moves * 3)[:plies]))) for plies in range(7)]
    agent._past = np.array(keys, np.uint64)
    assert lengthened(CHESS, agent, state, moves[2:3], np.int64(1)) == tuple(moves[2:3])


@pytest.mark.parametrize(("value", "is_exact", "line"), [(0.1, False, [0, 3]), (0.0, True, [0]), (-1.0, False, [0])])
def test_a_proof_has_the_line_that_was_searched(value: float, is_exact: bool, line: list[int]) -> None:
    """Moves of the table are a suggestion, and the length of the line tells in how many moves it is mate."""
    agent, start = AlphaBeta(FOUR, depth=2), FOUR.new_state()
    known(FOUR, agent, FOUR.play_moves([0], start), 3)
    w, roots = agent.begin(start, np.array([0], np.int32))
    root: Any = roots[0]
    root.depth, root.exact, w.frames[0].line[:2] = 2, is_exact, (0, -1)
    with np.errstate(over="ignore"):
        _note(FOUR, w, None, root, value, root.moves[:1], np.array([value]))
    assert root.line.tolist()[: len(line) + 1] == [*line, -1]


def test_where_images_share_an_entry_no_line_is_made_of_it() -> None:
    for fold in (False, True):
        w, _ = AlphaBeta(FOUR, depth=4, fold=fold).begin(FOUR.new_state(), np.arange(5, dtype=np.int32))
        assert w.status["lengthens"].tolist() == [not fold]
