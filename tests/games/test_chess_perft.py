"""Counts of sequences of moves in the sets of positions that come with python-chess: `tests/data/perft`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
import typer

from benchmarks.faults import perft_file
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


PERFT = """# A comment.

id first
epd rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -
perft 1 20
perft 2 400

id of Chess960
epd bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf -
perft 1 21
perft 2 528
"""


class TestAFile:
    def test_is_counted_to_a_depth(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "some.perft"
        path.write_text(PERFT)
        perft_file.main(path, depth=9)
        lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        assert any(line.startswith("│ 1 │ 2 │ 41 │") and line.endswith("│ 0 │") for line in lines)
        assert any(line.startswith("│ 2 │ 2 │ 928 │") and line.endswith("│ 0 │") for line in lines)
        path.write_text(PERFT.replace("528", "527"))
        perft_file.main(path, depth=1)
        capsys.readouterr()
        with pytest.raises(typer.Exit):
            perft_file.main(path, depth=2)
        assert "depth 2 has 528 sequences, and 527 in the file" in " ".join(capsys.readouterr().out.split())

    def test_may_be_epd_and_have_positions_that_are_none(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "some.epd"
        path.write_text("8/8/8/4k3/8/8/8/4K3 w - - ;D1 5\n8/8/8/8/8/8/8/4K3 w - - ;D1 5\n")
        perft_file.main(path)
        assert "1 of 2 positions left out" in capsys.readouterr().out
        path.write_text("8/8/8/8/8/8/8/4K3 w - - ;D1 5\n")
        with pytest.raises(typer.Exit):
            perft_file.main(path)

    @pytest.mark.parametrize("line", ["perft 2 5", "perft 1", "perft 1 many", "nonsense"])
    def test_with_a_fault_is_refused_with_its_line(self, tmp_path: Path, line: str) -> None:
        path = tmp_path / "some.perft"
        path.write_text(f"epd 8/8/8/4k3/8/8/8/4K3 w - -\n{line}\n")
        with pytest.raises(typer.BadParameter, match=f"line 2: .*{line}"):
            perft_file.main(path)
