"""Games for the tests of reports, of which it is known what a page must say; and a reader of pages."""

from __future__ import annotations

import itertools
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from plyground.arena import GameRecord
from plyground.envs import Game

__all__ = ["MATCH", "Reader", "a_game", "record_of"]


def a_game(players: str, outcome: float, opening: tuple[int, ...] = (0,), **changes: Any) -> GameRecord:
    """Return a game of tic-tac-toe, of players such as "a b", in which X wins, or nobody does."""
    rest = {1.0: [4, 1, 3, 2], 0.0: [1, 2, 4, 3, 5, 8, 6, 7], -1.0: [4, 1, 3, 8, 5]}[outcome]
    moves = [*opening, *[move for move in rest if move not in opening]]
    ours = len(moves) - len(opening)
    record = GameRecord(
        game="tictactoe",
        players=players.split(),
        moves=moves,
        opening=len(opening),
        outcome=[outcome, 0.0 - outcome],
        ending="finished",
        seconds=[0.0] * len(opening) + [0.001] * ours,
        movers=[-1] * len(opening) + [(len(opening) + i) % 2 for i in range(ours)],
        seed=1,
    )
    return replace(record, **changes)


MATCH = [
    a_game("a b", 1.0),
    a_game("b a", -1.0),
    a_game("a b", 0.0, (8,)),
    a_game("b a", 1.0, (8,)),
    a_game("c a", 0.0),
    a_game("a c", 0.0),
]


def record_of(game: Game, states: list[Any]) -> GameRecord:
    """Return the record of a game that went through these states."""
    moves = []
    for before, after in itertools.pairwise(states):
        for action in game.actions(before):
            child = before.copy()
            game.play(child, action)
            if child == after:
                moves.append(action)
                break
    assert len(moves) == len(states) - 1
    times = [0.0] * len(moves)
    return GameRecord(game.spec, ["a", "b"], moves, 0, [0.0, 0.0], "finished", times, [0] * len(moves), 0)


class Reader(HTMLParser):
    """Reads the tables of a page, each as rows of texts, by its caption; and counts elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.count: dict[str, int] = {}
        self._rows: list[list[str]] = []
        self._text, self._caption = "", ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        if tag in ("td", "th", "caption"):
            self._text = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._rows[-1].append(self._text)
        elif tag == "caption":
            self._caption = self._text
        elif tag == "table":
            self.tables[self._caption] = self._rows

    def handle_data(self, data: str) -> None:
        self._text += data
