"""The order in which alpha-beta tries the moves: it decides how much is cut off, and never the value.

First the move that the transposition table has for the position, then the two killer moves of the ply, then the others
by their history; equally promising moves stay in the order of their numbers.

Sources: S. G. Akl and M. M. Newborn, "The principal continuation and the killer heuristic", ACM Annual Conference
(1977); D. J. Slate and L. R. Atkin, "CHESS 4.5", in Chess Skill in Man and Machine (1977), for the move of the table;
J. Schaeffer, "The history heuristic and alpha-beta search enhancements in practice", IEEE PAMI 11 (1989).
"""

from __future__ import annotations

from typing import Any

from ...envs.jit import helper

__all__ = ["KILLER", "pick", "remember_cutoff", "score_moves"]

KILLER = 1 << 60  # killers and the table's move have at least this score, history has less
_FIRST_KILLER, _HASH_MOVE = 1 << 61, 1 << 62


@helper
def score_moves(frame: Any, count: int, status: Any, history: Any, hash_move: int) -> None:
    """Score the moves for `pick`, by as much of the ordering as ``status`` has switched on."""
    for i in range(count):
        move = frame.moves[i]
        if status.hash_move != 0 and move == hash_move:
            frame.scores[i] = _HASH_MOVE
        elif status.killers != 0 and move == frame.killers[0]:
            frame.scores[i] = _FIRST_KILLER
        elif status.killers != 0 and move == frame.killers[1]:
            frame.scores[i] = KILLER
        elif status.history != 0:
            frame.scores[i] = history[move]
        else:
            frame.scores[i] = 0


@helper
def pick(frame: Any, i: int, count: int) -> None:
    """Bring the best of the moves from ``i`` on to place ``i``; the others keep their order."""
    best = i
    for j in range(i + 1, count):
        if frame.scores[j] > frame.scores[best]:
            best = j
    move, score = frame.moves[best], frame.scores[best]
    for j in range(best, i, -1):
        frame.moves[j], frame.scores[j] = frame.moves[j - 1], frame.scores[j - 1]
    frame.moves[i], frame.scores[i] = move, score


@helper
def remember_cutoff(frame: Any, history: Any, move: int, depth: int) -> None:
    """Make ``move``, which cut off, the first killer of its ply, and raise its history."""
    if frame.killers[0] != move:
        frame.killers[1] = frame.killers[0]
        frame.killers[0] = move
    history[move] += depth * depth
