"""Moves that lost value, found by exact solving as far as a limit on time allows.

Positions late in a game are solved soonest. So the search begins with the latest ply of all games and goes back, ply by
ply, and what it has seen is easily said: all moves from some ply on. The value of a position serves twice: as what a
move left, and as what the next one had.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ...agents.solver.agent import Solver
from ...envs import Game
from ..grading.grades import share_of
from ..records.record import GameRecord
from ..records.replay import Replay, legal_moves
from .markup import Html, Value, named, section, share_text, table, tag

__all__ = ["Blunder", "Search", "blunders_section", "find_blunders"]

_TABLE_MB = 128
_GAMES = 5000  # games that are looked at: evenly spread over all
_SHOWN = 20


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
        moves: how many moves players chose, in all games.
        games: how many games were looked at.
        sampled: whether these are not all games.
        first: the ply from which on all moves of these games were looked at; None where none was.
        ended: why it ended: ``"all"``, ``"time"`` or ``"memory"``.
        seconds: wall-clock time that it took.
    """

    found: tuple[Blunder, ...]
    looked: Counter[str]
    lost: Counter[str]
    moves: int
    games: int
    sampled: bool
    first: int | None
    ended: str
    seconds: float


def find_blunders(game: Game, records: Sequence[GameRecord], seconds: float) -> Search:
    """Look for moves that lose value.

    Args:
        game: what was played.
        records: the games.
        seconds: wall-clock time after which no further position is solved. A position may take seconds itself.

    Raises:
        ValueError: the game cannot be solved.
    """
    solver = Solver(game, _TABLE_MB, seconds=0)
    solver.prepare()
    start = time.perf_counter()
    chosen = range(0, len(records), -(-len(records) // _GAMES))
    played = {i: _played(game, records[i]) for i in chosen}
    after: dict[int, float] = {}  # by game, the value of the latest position that is known, for the first player
    looked, lost, found = Counter[str](), Counter[str](), list[Blunder]()
    first, ended = None, "all"
    for ply in range(max(map(len, played.values()), default=0), -1, -1):
        for i, moves in played.items():
            record = records[i]
            if len(moves) < ply or ply < record.opening:
                continue
            if time.perf_counter() - start > seconds:
                ended = "time"
                break
            replay = Replay(game, moves=moves[:ply])
            try:
                value, distance = _value(solver, replay)
            except MemoryError:
                ended = "memory"
                break
            mover = record.movers[ply] if ply < len(moves) else -1
            if mover >= 0:
                sign = 1 if replay.player == 0 else -1
                player = record.players[mover]
                had, left = sign * value, sign * after[i]
                looked[player] += 1
                if left < had:
                    lost[player] += 1
                    found.append(Blunder(i, ply, player, moves[ply], had, left, distance, ()))
            after[i] = value
        if ended != "all":
            break
        first = ply
    found.sort(key=lambda one: (one.left - one.value, -one.value, one.distance or 0, one.game, one.ply))
    worst = [_with_best(solver, game, played, one) for one in found[:_SHOWN]]
    total = sum(mover >= 0 for record in records for mover in record.movers)
    spent = time.perf_counter() - start
    return Search(
        (*worst, *found[_SHOWN:]), looked, lost, total, len(chosen), len(chosen) < len(records), first, ended, spent
    )


def _played(game: Game, record: GameRecord) -> list[int]:
    """Return the moves of a game as far as they are legal."""
    return Replay(game, moves=legal_moves(record)).moves


def _value(solver: Solver, replay: Replay) -> tuple[float, int | None]:
    """Return the value of a position for the first player, and the distance to the end.

    Raises:
        MemoryError: there is not enough memory, even in an empty table.
    """
    try:
        value, distance = solver.value(replay.state)
    except MemoryError:
        solver.clear()
        value, distance = solver.value(replay.state)
    mover = int(replay.game.player(replay.state))
    return (value if mover == 0 else 0.0 - value), distance


def _with_best(solver: Solver, game: Game, played: dict[int, list[int]], one: Blunder) -> Blunder:
    """Return a blunder with the moves that keep the value, if memory allows to find them."""
    try:
        return one._replace(best=solver.optimal_actions(Replay(game, moves=played[one.game][: one.ply]).state))
    except MemoryError:
        return one


def blunders_section(game: Game, search: Search, numbers: Sequence[int]) -> Html:
    """Return the worst blunders, and each player's share of moves that lost value.

    Args:
        game: what was played.
        search: what was found.
        numbers: for each record its number in the report.
    """
    total = sum(search.looked.values())
    rows: list[list[Value]] = []
    for player, count in sorted(search.looked.items(), key=lambda item: search.lost[item[0]] / item[1]):
        share = share_of(search.lost[player], count)
        rows.append([named(player), f"{count:,}", search.lost[player], share_text(share.share, share.low, share.high)])
    worst: list[list[Value]] = []
    for one in search.found[:_SHOWN]:
        link = tag(
            "a", f"game {numbers[one.game]}, move {one.ply + 1}", href=f"#game-{numbers[one.game]}-{one.ply + 1}"
        )
        best = " ".join(map(game.action_to_str, one.best)) or "–"
        change = f"{_in_words(one.value, one.distance)} → {_in_words(one.left, None)}"
        worst.append([link, named(one.player), game.action_to_str(one.move), change, best])
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
    if not total:
        return "No move could be compared with perfect play in the time given."
    lost = sum(search.lost.values())
    return f"{lost:,} of {total:,} moves that were looked at lost value." if lost else "No move lost value."


def _seen(search: Search, total: int) -> str:
    """Return how much was looked at, and what was not."""
    if total == search.moves:
        return f"All {total:,} moves were looked at, and valued exactly by a solver."
    seen = f"{total:,} of {search.moves:,} moves were looked at, and valued exactly by a solver"
    if search.first:
        seen += f": all from move {search.first + 1} on. So games that ended before are not in it"
    if search.sampled:
        seen += f". {search.games:,} games, evenly spread over all, were chosen for it"
    ended = {"time": f"{search.seconds:.0f} s were spent", "memory": "earlier positions need more memory", "all": ""}
    return f"{seen}; {ended[search.ended]}." if ended[search.ended] else f"{seen}."
