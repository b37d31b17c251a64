"""Our values as chess programs tell them: in hundredths of a pawn, or as a mate in so many moves.

A search by an evaluation has its unit, in which a guess lies strictly between a loss, -1, and a win, 1 (times the
game's ``max_utility``). What a pawn is worth there is measured: it is the median of what the evaluation of the initial
position changes by when one of the sixteen pawns is taken away. Then

    centipawns = 100 · value / pawn

A search that samples games, and a game without an evaluation, tell an expected result E from -1 to 1. The points that
it stands for, (1 + E) / 2, are taken for those of a player so many Elo stronger, a point for each Elo (A. E. Elo, The
Rating of Chessplayers, 1978). A pawn more is then some 64 % of the points:

    centipawns = 400 · log₁₀((1 + E) / (1 - E))
"""

from __future__ import annotations

import math
import statistics

from ..envs import Game, State
from .analysis import Analysis

__all__ = ["Scale", "centipawns_of_result", "mate_in", "pawn_value", "result_of_centipawns", "score_words"]

_MOST = 20_000  # centipawns that a guess is told as, at most; programs take more for a mate
_NEARLY = 1 - 1e-9  # no guess is a win


def centipawns_of_result(expected: float) -> int:
    """Return an expected result, from -1 to 1, in centipawns."""
    expected = min(max(expected, -_NEARLY), _NEARLY)
    return _rounded(400 * math.log10((1 + expected) / (1 - expected)))


def result_of_centipawns(centipawns: float) -> float:
    """Return the expected result, strictly between -1 and 1, that so many centipawns stand for."""
    return math.tanh(centipawns * math.log(10) / 800) * _NEARLY


def pawn_value(game: Game) -> float:
    """Return what the game's evaluation thinks that a pawn is worth; 0 if it has none, or thinks nothing of pawns."""
    if not game.has_evaluation:
        return 0.0
    start = game.fen(game.new_state())
    ranks, rest = start.split(" ", 1)
    before = float(game.evaluate(game.state_from_fen(start), 0))
    changes = []
    for place, letter in enumerate(ranks):
        if letter in "Pp":
            without = game.state_from_fen(f"{_spelled(ranks[:place] + '1' + ranks[place + 1 :])} {rest}")
            change = float(game.evaluate(without, 0)) - before
            changes.append(change if letter == "p" else -change)
    return max(statistics.median(changes), 0.0) if changes else 0.0


class Scale:
    """The values of a game in centipawns, and back.

    Args:
        game: the game, with the evaluation that is used.
    """

    def __init__(self, game: Game) -> None:
        self._top = float(game.max_utility)
        self._pawn = pawn_value(game)

    def centipawns(self, value: float, is_result: bool = False) -> int:
        """Return a value in centipawns; ``is_result``: it is an expected result, and not one of the evaluation."""
        if is_result or not self._pawn:
            return centipawns_of_result(value / self._top if math.isfinite(self._top) else math.tanh(value))
        return _rounded(100 * value / self._pawn)

    def value(self, centipawns: float, is_result: bool = False) -> float:
        """Return the value that is told as so many centipawns; a guess stays below a win."""
        top = self._top if math.isfinite(self._top) else 1.0
        if is_result or not self._pawn:
            return top * result_of_centipawns(centipawns)
        most = self._top * _NEARLY
        return min(max(centipawns * self._pawn / 100, -most), most)


def mate_in(game: Game, state: State, found: Analysis) -> int | None:
    """Return in how many moves of its own the player to move mates; below 0: is mated; None: neither is proved.

    It counts the best line that was found, if that ends the game, and else the plies that the search has looked ahead,
    but no fewer than the line has, after which the mate comes.
    """
    top = float(game.max_utility)
    if not math.isfinite(top) or abs(found.value) < top:
        return None
    if found.visits and found.kind_of(found.best_action) != "exact":
        return None  # all samples were won, or lost, which proves nothing
    plies, after = 0, state.copy()
    for action in found.pv:
        game.play(after, action)
        plies += 1
    wins = found.value > 0
    if not plies or not game.is_terminal(after):
        least = plies + 1 + (plies % 2 == wins)  # who mates makes the last move
        plies = max(least, found.depth)
    return (plies + 1) // 2 if wins else -max(plies // 2, 1)


def score_words(scale: Scale, game: Game, state: State, found: Analysis) -> str:
    """Return a score as UCI has it: ``cp 31``, or ``mate -2``."""
    mate = mate_in(game, state, found)
    if mate is not None:
        return f"mate {mate}"
    return f"cp {scale.centipawns(found.value, bool(found.visits))}"


def _rounded(centipawns: float) -> int:
    return round(min(max(centipawns, -_MOST), _MOST))


def _spelled(ranks: str) -> str:
    """Return the ranks of a position with each run of empty squares as one digit."""
    rows = []
    for row in ranks.split("/"):
        spelled, empty = "", 0
        for letter in row:
            if letter.isdigit():
                empty += int(letter)
                continue
            spelled += f"{empty or ''}{letter}"
            empty = 0
        rows.append(spelled + f"{empty or ''}")
    return "/".join(rows)
