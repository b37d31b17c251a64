"""Counts of sequences of moves in the sets of positions that come with python-chess: `tests/data/perft`."""

from __future__ import annotations

from itertools import islice

import pytest

from benchmarks.faults.perft_counts import FOLDER, IMPOSSIBLE, Counts, counted_again, read_counts, text_of
from benchmarks.speed.python_chess import by_python_chess
from plyground.envs import chess
from plyground.envs.games.chess.fen import read_fen
from plyground.envs.games.chess.perft import perft
from tests.helpers.programs import installed

pychess = pytest.importorskip("chess")

SETS = {path.stem: read_counts(path) for path in sorted(FOLDER.glob("*.epd"))}
POSSIBLE = [name for name in SETS if name != IMPOSSIBLE]
GAMES = {is_960: chess(chess960=0 if is_960 else -1, max_quiet_plies=150, repetition=0) for is_960 in (False, True)}


def some(name: str, every: int) -> Counts:
    """Return every so manieth position of a large set, and all of a small one."""
    counts = SETS[name]
    return dict(islice(counts.items(), 0, None, every if len(counts) > 100 else 1))


def check(counts: Counts, is_960: bool, least: int, most: int) -> int:
    """Compare the counts from ``least`` to ``most``, and return how many there are."""
    checked = 0
    for position, known in counts.items():
        state = read_fen(position, is_960)
        for depth, count in enumerate(known, start=1):
            if least <= count <= most:
                assert perft(GAMES[is_960], state, depth) == count, (position, depth)
                checked += 1
    return checked


@pytest.mark.parametrize("name", POSSIBLE)
def test_some_positions(name: str) -> None:
    assert check(some(name, 20), "960" in name, 0, 30_000) >= 2 * len(some(name, 20))


@pytest.mark.slow
@pytest.mark.parametrize("name", POSSIBLE)
def test_all_positions_to_their_depths(name: str) -> None:
    assert check(SETS[name], "960" in name, 0, 10**9) == sum(map(len, SETS[name].values()))


def test_positions_that_no_game_comes_to_are_refused_and_those_after_them_are_not() -> None:
    assert len(SETS[IMPOSSIBLE]) == 6
    for position, known in SETS[IMPOSSIBLE].items():
        with pytest.raises(ValueError, match=r"no single move can give check|cannot have uncovered"):
            read_fen(position)
        board = pychess.Board(f"{position} 0 1")
        moves = list(board.legal_moves)
        assert len(moves) == known[0]
        totals = [0] * (len(known) - 1)
        for move in moves:
            board.push(move)
            state = read_fen(board.fen())
            for depth in range(1, len(known)):
                totals[depth - 1] += perft(GAMES[False], state, depth)
            board.pop()
        assert totals == known[1:], position


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_the_counts_are_those_of_python_chess(name: str) -> None:
    for position, known in some(name, 10).items():
        board = pychess.Board(f"{position} 0 1", chess960="960" in name)
        for depth, count in enumerate(known, start=1):
            if count <= 30_000:
                assert by_python_chess(board, depth) == count, position


@pytest.mark.slow
@pytest.mark.parametrize("name", POSSIBLE)
def test_the_counts_are_those_of_stockfish(name: str) -> None:
    program = installed("stockfish")
    if program is None:
        pytest.skip("needs Stockfish: apt-get install stockfish")
    counts = some(name, 10)
    assert counted_again(program, counts, "960" in name) == counts


def test_sets_are_written_as_they_are_read() -> None:
    for name, counts in SETS.items():
        assert text_of(counts) == (FOLDER / f"{name}.epd").read_text(encoding="utf-8")
