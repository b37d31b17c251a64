"""The order in which alpha-beta tries the moves: it decides how much is cut off, and never the value.

First the move that the transposition table has for the position, then the two killer moves of the ply, then the others
by their history; equally promising moves stay in the order of their numbers. History may also fall, for moves that were
tried in vain; then it has bounds, and what happened lately weighs most.

In a game that tells the stakes of its moves, those that win something may come before the killers: the largest prize
first, of these the one that risks least, and last of all those that lose by the exchange. And the move that refuted the
last move elsewhere may come after the killers.

Sources: S. G. Akl and M. M. Newborn, "The principal continuation and the killer heuristic", ACM Annual Conference
(1977); D. J. Slate and L. R. Atkin, "CHESS 4.5", in Chess Skill in Man and Machine (1977), for the move of the table
and captures first; J. Schaeffer, "The history heuristic and alpha-beta search enhancements in practice", IEEE PAMI 11
(1989); J. W. H. M. Uiterwijk, "The countermove heuristic", ICCA Journal 15 (1992); and, for a history that falls, M. H.
M. Winands and others, "The relative history heuristic", Computers and Games (2006), and, for its bounds, Stockfish.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.jit import helper

__all__ = [
    "KILLER",
    "QUIET",
    "pick",
    "prize",
    "put_first",
    "remember_cutoff",
    "remember_quiet",
    "remember_reply",
    "score_all",
    "score_moves",
    "settle",
]

KILLER = 1 << 60  # killers, winning captures and the table's move have at least this score, all others less
_FIRST_KILLER, _CAPTURE, _HASH_MOVE = KILLER + 1, 1 << 61, 1 << 62
_CAPTURE_FROM = _CAPTURE - (1 << 50)  # captures have at least this score
_REPLY = 1 << 59  # history has less
_LOSING = -(1 << 59)  # so that losing captures stay below all history
QUIET = 1 << 58  # scores between this and its negative are history; losing captures have less
_PRIZE, _RISK = float(1 << 28), float(1 << 22)  # so that any difference of prizes outweighs the risk
_MOST_PRIZE = float(1 << 24)  # of an evaluation in any unit
_ONE = np.uint64(1)  # places without a sign: with one, each is looked at whether it counts from the end
_MOST_WEIGHT = 400  # of a cut-off in a history that may fall, which stays within ±32 * 512


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
def score_all(
    game: Any, state: Any, frame: Any, count: int, status: Any, history: Any, player: int, hash_move: int
) -> None:
    """Score the moves for `pick` as `score_moves` does, and by countermoves and captures where these are on."""
    score_moves(frame, count, status, history[player], hash_move)
    if status.countermoves != 0 and frame.previous >= 0:
        reply = history[2 + player, frame.previous] - 1
        for i in range(count):
            if frame.moves[i] == reply and frame.scores[i] < KILLER:
                frame.scores[i] = _REPLY
    if status.captures != 0:
        _score_captures(game.stakes, game.exchange, state, frame, count)


@helper
def _score_captures(stakes: Any, exchange: Any, state: Any, frame: Any, count: int) -> None:
    if stakes is None:
        return
    for i in range(count):
        move = frame.moves[i]
        if frame.scores[i] == _HASH_MOVE:
            continue
        gain, risk = stakes(state, move)
        if gain <= 0:
            continue
        worth = np.int64(min(gain, _MOST_PRIZE) * _PRIZE) - np.int64(min(risk, _MOST_PRIZE) * _RISK)
        frame.scores[i] = _CAPTURE + (worth & ~1) + (exchange is not None and risk > gain)


@helper
def settle(exchange: Any, state: Any, frame: Any, i: int, count: int) -> None:
    """Do what `pick` does, and look whether the move loses by the exchange: then it comes last of all."""
    pick(frame, i, count)
    if exchange is None:
        return
    moves, scores = frame.moves, frame.scores
    while scores[i] >= _CAPTURE_FROM and scores[i] & 1 == 1:
        if exchange(state, moves[i], 0.0):
            scores[i] -= 1
            return
        scores[i] += _LOSING - _CAPTURE - 1
        pick(frame, i, count)


@helper
def prize(stakes: Any, state: Any, move: int) -> float:
    """Return what a move wins at once; 0 in a game that does not tell."""
    if stakes is None:
        return 0.0
    return stakes(state, move)[0]


@helper
def put_first(frame: Any, count: int, hash_move: int) -> bool:
    """Bring the table's move to the first place, if it is among the moves; return whether it is."""
    for i in range(count):
        if frame.moves[i] == hash_move:
            for j in range(i, 0, -1):
                frame.moves[j] = frame.moves[j - 1]
            frame.moves[0] = hash_move
            return True
    return False


@helper
def pick(frame: Any, i: int, count: int) -> None:
    """Bring the best of the moves from ``i`` on to place ``i``; the others keep their order."""
    moves, scores = frame.moves, frame.scores
    first, end = np.uint64(i), np.uint64(count)
    best, score = first, scores[first]
    for j in range(first + _ONE, end):
        if scores[j] > score:
            best, score = j, scores[j]
    move = moves[best]
    while best > first:
        before = best - _ONE
        moves[best], scores[best] = moves[before], scores[before]
        best = before
    moves[first], scores[first] = move, score


@helper
def remember_cutoff(frame: Any, history: Any, move: int, depth: int) -> None:
    """Make ``move``, which cut off, the first killer of its ply, and raise its history."""
    _remember_killer(frame, move)
    history[move] += depth * depth


@helper
def remember_quiet(frame: Any, history: Any, move: int, number: int, depth: int) -> None:
    """Do the same for move ``number`` of its ply, and lower the history of the quiet ones before it."""
    _remember_killer(frame, move)
    weight = min(depth * depth, _MOST_WEIGHT)
    _shift(history, move, weight)
    for i in range(number):
        if abs(frame.scores[i]) < QUIET:
            _shift(history, frame.moves[i], -weight)


@helper
def _remember_killer(frame: Any, move: int) -> None:
    if frame.killers[0] != move:
        frame.killers[1] = frame.killers[0]
        frame.killers[0] = move


@helper
def _shift(history: Any, move: int, weight: int) -> None:
    """Raise or lower the history of a move, by less the nearer it is to its bound."""
    history[move] += 32 * weight - history[move] * abs(weight) // 512


@helper
def remember_reply(frame: Any, replies: Any, move: int) -> None:
    """Make ``move``, which cut off, the reply to the move before it."""
    if frame.previous >= 0:
        replies[frame.previous] = move + 1  # 0: none
