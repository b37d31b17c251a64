"""The order of the moves: the table's move before the others have a score, and captures that are weighed late."""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.agents import AlphaBeta
from plyground.agents.alphabeta.options import new_status
from plyground.agents.alphabeta.ordering import put_first, score_all, settle
from plyground.agents.alphabeta.workspace import new_workspace
from plyground.envs import make_game
from tests.conftest import random_game

CHESS = make_game("chess")


def rank(state: Any, move: int, hash_move: int) -> tuple[float, ...]:
    """Return the place of a move in the order, the smaller the earlier, with the exchange of each move looked at."""
    assert CHESS.stakes is not None
    assert CHESS.exchange is not None
    gain, risk = CHESS.stakes(state, move)
    if move == hash_move:
        return (0,)
    if gain <= 0:
        return (2, move)  # without history, by their numbers
    return (1 if risk <= gain or CHESS.exchange(state, move, 0.0) else 3, -gain, risk)


def test_captures_that_lose_come_last_though_they_are_weighed_when_they_come_up(rng: np.random.Generator) -> None:
    status = new_status(CHESS, AlphaBeta(CHESS).options, 4)[0]
    frame, history = new_workspace(CHESS, 4, 0).frames[0], np.zeros((4, CHESS.num_actions), np.int64)
    frame.previous, frame.killers[:] = -1, -1
    losing = first_is_late = 0
    for state in random_game(CHESS, rng, plies=60)[:-1]:
        count = CHESS.legal_actions(state, frame.moves)
        moves = frame.moves[:count].tolist()
        hash_move = moves[len(moves) // 2]
        score_all(CHESS, state, frame, count, status, history, CHESS.player(state), hash_move)
        for i in range(count):
            settle(CHESS.exchange, state, frame, i, count)
        ranks = [rank(state, move, hash_move) for move in frame.moves[:count].tolist()]
        assert ranks == sorted(ranks)
        assert sorted(frame.moves[:count].tolist()) == moves
        classes = [place[0] for place in ranks]
        losing += classes.count(3)
        first_is_late += 1 not in classes and 3 in classes
    assert min(losing, first_is_late) > 0


def test_the_move_of_the_table_comes_first_and_the_others_stay_as_they_stand() -> None:
    frame = new_workspace(make_game("tictactoe"), 1, 0).frames[0]
    frame.moves[:4] = (2, 5, 7, 8)
    assert not put_first(frame, 3, 8)
    assert frame.moves[:4].tolist() == [2, 5, 7, 8]
    assert put_first(frame, 4, 7)
    assert frame.moves[:4].tolist() == [7, 2, 5, 8]
