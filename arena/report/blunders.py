"""Moves that lost value, found by exact solving as far as a limit on time allows.

Positions late in a game are solved soonest. So the search begins at the end of all games and goes back, ply by ply, and
what it has seen is easily said. Where a board fills up, as in Connect Four, what counts is how many moves were made: it
begins with the latest ply of all games. Elsewhere it begins with the last move of each game. The value of a position
serves twice: as what a move left, and as what the next one had.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ...agents.compiling import Stopwatch
from ...agents.solver.agent import Solver
from ...envs import Game, State
from ...envs.position import Position
from ...envs.starting import position_of
from ..grading.grades import share_of
from ..records.record import GameRecord
from ..records.replay import Replay, legal_moves, replayed
from ..wording import counted
from .markup import Html, Value, named, section, share_text, table, tag

__all__ = ["SHOWN", "Blunder", "Search", "blunders_section", "find_blunders"]

_TABLE_MB = 128
_GAMES = 5000  # games that are looked at: evenly spread over all
_SEARCH = 0.8  # the share of the time that goes into values; the rest is for the moves that keep them
SHOWN = 20  # blunders that the page lists


class Blunder(NamedTuple):
    """A move that lost value. Values are from the point of view of its player."""

    game: int  # its place among the records
    ply: int  # moves before it
    player: str
    move: int
    value: float  # before the move
    left: float  # after it
    distance: int | None  # plies to the end, had play been perfect; None where that is not known
    best: tuple[int, ...]  # the moves that keep the value; empty where they were not asked for


class Search(NamedTuple):
    """What was found, and how much was looked at.

    Attributes:
        found: the moves that lost value, the worst first: those that lost most, and among them the nearest wins.
        looked: how many moves of each player were looked at.
        lost: how many of these lost value.
        moves: how many legal moves players chose, in all games.
        games: how many games were looked at.
        left: how many games there are besides.
        seen: which moves of the games were all looked at, in words; empty if it was not the same in each game.
        hard: in how many games memory ended before the first move was reached.
        is_whole: whether it ended by itself, and not by the limit on time.
        seconds: wall-clock time that it took.
    """

    found: tuple[Blunder, ...]
    looked: Counter[str]
    lost: Counter[str]
    moves: int
    games: int
    left: int
    seen: str
    hard: int
    is_whole: bool
    seconds: float


class _LateError(Exception):
    """The time is over."""


class _Judge:
    """A solver that stops when its time is over, in the midst of a position too.

    Args:
        solver: the solver.
        clock: a running clock.

    Attributes:
        limit: seconds of that clock after which `_LateError` is raised.
    """

    def __init__(self, solver: Solver, clock: Stopwatch) -> None:
        self._game, self._solver, self._clock, self.limit = solver.game, solver, clock, math.inf
        self._solver.on_progress = lambda _: self._check()
        is_drawn_again = self._game.repetition is not None and self._game.repetition.effect == "draw"
        self._past = Position(self._game) if is_drawn_again else None

    def _check(self) -> None:
        if self._clock.seconds > self.limit:
            raise _LateError

    def value(self, start: State | None, moves: list[int], left: float | None) -> tuple[float, int | None]:
        """Return the value of a position for the first player, and the distance to the end.

        Args:
            start: where the game began; None: in the initial position.
            moves: the moves so far.
            left: what the next move of the game left, for the first player; None: the game ended here.

        Raises:
            MemoryError: there is not enough memory, even in an empty table.
        """
        self._check()
        if left is None and self._is_drawn(start, moves):
            return 0.0, None
        state = Replay(self._game, start, moves).state
        try:
            value, distance = self._solver.value(state)
        except MemoryError:
            self._solver.clear()
            value, distance = self._solver.value(state)
        is_first = int(self._game.player(state)) == 0
        if left is not None and value < (reached := left if is_first else 0.0 - left):
            value, distance = reached, None  # by a repetition, of which the solver knows nothing
        return (value if is_first else 0.0 - value), distance

    def _is_drawn(self, start: State | None, moves: list[int]) -> bool:
        """Return whether a repetition ends the game after these moves."""
        if self._past is None:
            return False
        self._past.start(self._game.new_state() if start is None else start.copy())
        for move in moves:
            self._past.play(move)
        return self._past.over and not self._game.is_terminal(self._past.state)

    def best(self, start: State | None, moves: list[int]) -> tuple[int, ...]:
        """Return the moves that keep the value, or none where memory or time do not allow to find them."""
        try:
            self._check()
            return self._solver.optimal_actions(Replay(self._game, start, moves).state)
        except (MemoryError, _LateError):
            return ()


def find_blunders(game: Game, records: Sequence[GameRecord], seconds: float) -> Search:
    """Look for moves that lose value.

    Args:
        game: what was played.
        records: the games.
        seconds: wall-clock time that it may take, without that of compiling.

    Raises:
        ValueError: the game cannot be solved.
    """
    solver = Solver(game, _TABLE_MB, seconds=0)
    solver.prepare()  # before the clock runs, which does not see all that compiling takes
    clock = Stopwatch()
    judge = _Judge(solver, clock)
    with clock:
        judge.limit = _SEARCH * seconds
        count = min(_GAMES, len(records))
        chosen = [i * len(records) // count for i in range(count)]
        starts = {i: position_of(game, text) for i in chosen if (text := records[i].start) is not None}
        played = {i: Replay(game, starts.get(i), legal_moves(records[i])).moves for i in chosen}
        fills = _fills_up(game)
        base = {i: 0 if fills else len(moves) for i, moves in played.items()}
        after: dict[int, float] = {}  # by game, the value of the latest position that is known, for the first player
        looked, lost, found, hard = Counter[str](), Counter[str](), list[Blunder](), set[int]()
        is_whole = True
        rank = last = max(len(played[i]) - base[i] for i in chosen)
        try:
            for rank in range(last, -max(base.values()) - 1, -1):
                for i, moves in played.items():
                    record, ply = records[i], base[i] + rank
                    if i in hard or not record.opening <= ply <= len(moves):
                        continue
                    try:
                        value, distance = judge.value(starts.get(i), moves[:ply], after.get(i))
                    except MemoryError:
                        hard.add(i)
                        continue
                    mover = record.movers[ply] if ply < len(moves) else -1
                    if mover >= 0:
                        player = record.players[mover]
                        had, left = (value, after[i]) if mover == 0 else (0.0 - value, 0.0 - after[i])
                        looked[player] += 1
                        if left < had:
                            lost[player] += 1
                            found.append(Blunder(i, ply, player, moves[ply], had, left, distance, ()))
                    after[i] = value
        except _LateError:
            is_whole = False
        found.sort(key=lambda one: (one.left - one.value, -one.value, one.distance or 0, one.game, one.ply))
        judge.limit = seconds
        worst = list[Blunder]()
        for one in found[:SHOWN]:
            best = judge.best(starts.get(one.game), played[one.game][: one.ply])
            worst.append(one._replace(best=tuple(move for move in best if move != one.move)))  # a repetition is none
    return Search(
        found=(*worst, *found[SHOWN:]),
        looked=looked,
        lost=lost,
        moves=sum(mover >= 0 for record in records for mover in record.movers[: len(legal_moves(record))]),
        games=len(chosen),
        left=len(records) - len(chosen),
        seen="" if hard or rank == last else _span(rank + 1, fills),
        hard=len(hard),
        is_whole=is_whole,
        seconds=clock.seconds,
    )


def _fills_up(game: Game) -> bool:
    """Return whether the board fills up: whether games end after about as many moves as there are cells."""
    return game.board is not None and game.max_plies <= 2 * game.board.rows * game.board.columns


def _span(rank: int, fills: bool) -> str:
    """Return which moves have been looked at, from a ply on, or from so many plies before the end."""
    if fills:
        return f"all from move {rank + 1} on"
    return f"the last {-rank} moves of each game" if rank < 0 else ""


def blunders_section(game: Game, records: Sequence[GameRecord], search: Search, numbers: Sequence[int]) -> Html:
    """Return the worst blunders, and each player's share of moves that lost value.

    Args:
        game: what was played.
        records: the games.
        search: what was found.
        numbers: the number of each record in the report.
    """
    total = sum(search.looked.values())
    rows: list[list[Value]] = []
    for player, count in sorted(search.looked.items(), key=lambda item: search.lost[item[0]] / item[1]):
        share = share_of(search.lost[player], count)
        rows.append([named(player), f"{count:,}", search.lost[player], share_text(share.share, share.low, share.high)])
    worst: list[list[Value]] = []
    for one in search.found[:SHOWN]:
        link = tag(
            "a", f"game {numbers[one.game]}, move {one.ply + 1}", href=f"#game-{numbers[one.game]}-{one.ply + 1}"
        )
        replay = replayed(game, records[one.game])
        replay.play_all(records[one.game].moves[: one.ply])
        played, *best = [game.move_name(replay.state, move) for move in (one.move, *one.best)]
        change = f"{_in_words(one.value, one.distance)} → {_in_words(one.left, None)}"
        worst.append([link, named(one.player), played, change, " ".join(best) or "–"])
    parts = [
        tag("p", _lead(search, total), class_="lead"),
        tag("p", _seen(search, total), class_="note"),
    ]
    if rows:
        head = ["Player", "Moves looked at", "Lost value", "Share, 95 %"]
        parts.append(table(head, rows, "Moves that turned a win into less, or a draw into a loss"))
    if worst:
        head = ["Where", "Player", "Played", "Perfect play → after the move", "Moves that keep the value"]
        parts.append(table(head, worst, f"The worst {len(worst)} of {len(search.found):,} blunders", "worst"))
    return section("blunders", "Blunders", *parts)


def _in_words(value: float, distance: int | None) -> str:
    word = "draw" if value == 0 else "win" if value > 0 else "loss"
    by = f" by {abs(value):g}" if abs(value) not in (0, 1) else ""
    return f"{word}{by} in {distance}" if distance is not None and value > 0 else f"{word}{by}"


def _lead(search: Search, total: int) -> str:
    if not total and search.is_whole and search.hard:
        return (
            f"No move could be compared with perfect play: in {counted(search.hard, 'game')} even the last positions "
            "take more memory than there is."
        )
    if not total:
        return "No move could be compared with perfect play in the time given."
    lost = sum(search.lost.values())
    return (
        f"{lost:,} of the {counted(total, 'move')} that {'was' if total == 1 else 'were'} looked at lost value."
        if lost
        else f"None of {counted(total, 'move')} lost value."
    )


def _seen(search: Search, total: int) -> str:
    """Return how much was looked at, and what was not."""
    if not total:
        return f"{search.seconds:.0f} s were spent on the last moves of the games."
    if total == search.moves:
        looked_at = "The only move was" if total == 1 else f"All {total:,} moves were"
        return f"{looked_at} looked at, and valued exactly by a solver."
    was = "was" if total == 1 else "were"
    text = f"{total:,} of {counted(search.moves, 'move')} {was} looked at, and valued exactly by a solver"
    if not search.is_whole:
        text += f", until {search.seconds:.0f} s were spent"
        text += f": {search.seen}" if search.seen else ""
    if search.hard:
        text += f"; in {counted(search.hard, 'game')} earlier positions take more memory than there is"
    if search.left:
        text += (
            f"; {counted(search.left, 'game')} {'was' if search.left == 1 else 'were'} left out, evenly spread over all"
        )
    return f"{text}."
