"""The blunders of a report: which they are, how they are named, and the time that looking for them may take."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plyground.agents.compiling import Stopwatch
from plyground.agents.solver import Solver
from plyground.arena.report import report_page
from plyground.arena.report.blunders import Blunder, Search, blunders_section, find_blunders
from plyground.envs import Game, State, make_game
from tests.conftest import random_game
from tests.helpers.late_boards import score_by_the_book
from tests.helpers.oracles import minimax_value
from tests.helpers.report_games import Reader, a_game, record_of


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["tictactoe", "connect_four(rows=4, columns=4)"])
def test_blunders_are_those_that_minimax_finds(spec: str, rng: np.random.Generator) -> None:
    game = make_game(spec)
    games = [random_game(game, rng) for _ in range(6)]
    records = [record_of(game, states) for states in games]
    records = [
        replace(one, movers=[int(game.player(s)) for s in some[:-1]]) for one, some in zip(records, games, strict=True)
    ]
    known: dict[bytes, float] = {}
    scores: dict[tuple[int, int], int] = {}

    def value_of(state: State) -> float:
        if game.name == "connect_four":  # by rules on numbers, for all positions of this board are looked at
            return float(np.sign(score_by_the_book(game, state, scores)))
        return minimax_value(game, state, known)

    expected = set()
    for i, states in enumerate(games):
        for ply, (before, after) in enumerate(itertools.pairwise(states)):
            left, value = -value_of(after), value_of(before)
            if left < value:
                expected.add((i, ply, value, left))
    search = find_blunders(game, records, 60)
    assert {(one.game, one.ply, one.value, one.left) for one in search.found} == expected
    assert expected
    assert search.is_whole
    assert sum(search.looked.values()) == search.moves == sum(len(one.moves) for one in records)
    for one in search.found[:5]:
        state = games[one.game][one.ply]
        best = []
        for action in game.actions(state):
            child = state.copy()
            game.play(child, action)
            best += [action] if -value_of(child) == one.value else []
        assert list(one.best) == best


@pytest.mark.parametrize("fen", [None, "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"])
def test_blunders_are_named_as_in_their_positions(fen: str | None) -> None:
    chess = make_game("chess")
    start = chess.new_state() if fen is None else chess.state_from_fen(fen)
    moves = chess.line_of(["e2e4", "e7e5"], start)
    record = a_game("a b", 1.0, game="chess", moves=moves, start=fen)
    best = chess.move_of(chess.play_moves(moves[:1], start), "e7e6")
    found = Blunder(game=0, ply=1, player="b", move=moves[1], value=0.0, left=-1.0, distance=None, best=(best,))
    search = Search((found,), Counter(b=1), Counter(b=1), 2, 1, 0, "", 0, True, 1.0)
    _, table = Reader(blunders_section(chess, [record], search, [1])).tables.values()
    assert table[1] == ["game 1, move 2", "b", "e7e5", "draw → loss", "e7e6"]


def test_the_clock_of_blunders_does_not_run_while_the_solver_is_compiled(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, order = make_game("tictactoe"), list[str]()
    prepare, enter = Solver.prepare, Stopwatch.__enter__
    monkeypatch.setattr(Solver, "prepare", lambda self: order.append("compiled") or prepare(self))
    monkeypatch.setattr(Stopwatch, "__enter__", lambda self: order.append("begun") or enter(self))
    find_blunders(game, [record_of(game, random_game(game, rng))], 60)
    assert order[:2] == ["compiled", "begun"]


class WhiteWins:
    """A solver to which Black has lost all positions of chess, and White wins by any move."""

    def __init__(self, game: Game, *_: Any, **__: Any) -> None:
        self.game = game

    def prepare(self) -> None: ...

    def value(self, state: State) -> tuple[float, int]:
        return (-1.0 if self.game.player(state) else 1.0), 9

    def optimal_actions(self, state: State) -> tuple[int, ...]:
        return tuple(map(int, self.game.actions(state)))


@pytest.mark.parametrize("ending", ["finished", "illegal"])
def test_a_repetition_that_draws_a_won_game_loses_value(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver, which knows nothing of the moves before, called the last position won."""
    monkeypatch.setattr("plyground.arena.report.blunders.Solver", WhiteWins)
    chess = make_game("chess")
    moves = chess.line_of(["g1f3", "g8f6", "f3g1", "f6g8"] * 2)
    if ending == "illegal":  # a move that cannot be looked at
        moves.append(0)
    movers = [i % 2 for i in range(len(moves))]
    record = a_game("a b", 0.0, (), game="chess", moves=moves, movers=movers, ending=ending)
    search = find_blunders(chess, [record], 60)
    assert [(one.ply, one.player, one.value, one.left) for one in search.found] == [(6, "a", 1.0, 0.0)]
    assert moves[6] not in search.found[0].best
    assert search.found[0].best
    assert sum(search.looked.values()) == search.moves == 8


@pytest.mark.parametrize(("games", "looked"), [(4, 4), (5, 5), (6, 5), (9, 5), (11, 5)])
def test_so_many_games_are_looked_at_as_are_promised(games: int, looked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one more than 5,000 they were 2,501."""
    monkeypatch.setattr("plyground.arena.report.blunders._GAMES", 5)
    seen = list[int]()
    monkeypatch.setattr(
        "plyground.arena.report.blunders.position_of", lambda game, text: seen.append(int(text)) or game.new_state()
    )
    records = [replace(a_game("a b", 1.0), start=str(i)) for i in range(games)]
    search = find_blunders(make_game("tictactoe"), records, 60)
    assert (search.games, search.left) == (looked, games - looked)
    steps = np.diff([*seen, games])
    assert seen[0] == 0
    assert steps.max() - steps.min() <= 1


@pytest.mark.slow
def test_blunders_end_with_their_time_and_say_what_was_seen(rng: np.random.Generator) -> None:
    game = make_game("connect_four")
    records = [record_of(game, random_game(game, rng)) for _ in range(10)]
    records = [replace(one, movers=[i % 2 for i in range(len(one.moves))]) for one in records]
    search = find_blunders(game, records, 0.5)
    assert not search.is_whole
    assert search.seconds < 10  # of minutes
    assert 0 < sum(search.looked.values()) < search.moves
    assert re.fullmatch(r"all from move \d+ on", search.seen)
    page = report_page(records, blunder_seconds=0.5)
    assert "moves were looked at, and valued exactly by a solver, until " in page
