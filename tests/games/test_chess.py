"""Chess against python-chess, ply by ply, and against published counts of sequences of moves."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from benchmarks.speed.python_chess import by_python_chess
from plyground.envs import Game
from plyground.envs.games.chess.fen import read_fen
from plyground.envs.games.chess.game import chess
from plyground.envs.games.chess.moves import action_in
from plyground.envs.games.chess.perft import perft
from plyground.envs.games.chess.starts import CHESS, back_rank
from tests.conftest import DATA
from tests.helpers.chess_games import compared_moves, games, new_board, play
from tests.helpers.chess_pins import LINES, en_passant_pins

pychess = pytest.importorskip("chess")

POSITIONS = json.loads((DATA / "perft.json").read_text())["positions"]


def start_of(number: int = -1) -> Game:
    return chess(chess960=number, max_quiet_plies=150, repetition=0)


class TestCountsOfSequences:
    def test_start_and_kiwipete(self) -> None:
        for entry, depth in ((POSITIONS[0], 5), (POSITIONS[1], 4)):
            state = read_fen(entry["fen"])
            for bulk in (True, False):
                assert perft(chess(), state, depth, bulk) == entry["counts"][depth - 1]

    @pytest.mark.parametrize("is_960", [False, True])
    def test_every_position_to_a_million(self, is_960: bool) -> None:
        game = start_of(0 if is_960 else -1)
        for entry in POSITIONS:
            if entry["chess960"] == is_960:
                state = read_fen(entry["fen"], is_960)
                for depth, count in enumerate(entry["counts"], start=1):
                    if count <= 1_000_000:
                        assert perft(game, state, depth) == count, entry["name"]

    @pytest.mark.slow
    def test_every_position_to_its_depth(self) -> None:
        for entry in POSITIONS:
            state = read_fen(entry["fen"], entry["chess960"])
            game = start_of(0 if entry["chess960"] else -1)
            for depth, count in enumerate(entry["counts"], start=1):
                if count > 1_000_000:
                    assert perft(game, state, depth) == count, entry["name"]

    def test_the_counts_are_those_of_python_chess(self) -> None:
        for entry in POSITIONS:
            board = pychess.Board(entry["fen"], chess960=entry["chess960"])
            for depth, count in enumerate(entry["counts"], start=1):
                if count <= 2_500:
                    assert by_python_chess(board, depth) == count, entry["name"]

    def test_a_state_is_left_alone_and_other_games_are_refused(self) -> None:
        state = chess().new_state()
        assert perft(chess(), state, 3) == 8902
        assert state == chess().new_state()
        with pytest.raises(ValueError, match="depth must be a whole number"):
            perft(chess(), state, 0)


class TestGamesBesidePythonChess:
    @pytest.mark.parametrize(
        ("number", "plies"), [(-1, 3000), *(pytest.param(each, 500, marks=pytest.mark.slow) for each in (0, 534, 959))]
    )
    def test_every_ply_is_the_same(self, number: int, plies: int) -> None:
        found: Counter[str] = Counter()
        for one in games(start_of(number), plies, seed=number + 1, texts=0.05):
            found += one
        assert found["plies"] >= plies
        if number < 0:
            rare = ("check", "mate", "third time", "promotion", "castled", "en passant taken", "en passant pinned")
            assert [name for name in rare if not found[name]] == []

    @pytest.mark.slow
    @pytest.mark.rules
    def test_games_in_plain_python_or_compiled(self) -> None:
        for number in (-1, 0):
            for one in games(start_of(number), 150, seed=5):
                assert one["plies"] > 0


class TestEnPassantPins:
    @pytest.mark.parametrize("positions", [300, pytest.param(5000, marks=pytest.mark.slow)])
    def test_captures_that_would_uncover_a_check(self, positions: int) -> None:
        game, keys = start_of(), np.zeros(2, np.uint64)
        found: Counter[tuple[str, bool]] = Counter()
        played = 0
        for line, board in itertools.islice(en_passant_pins(seed=0), positions):
            state = read_fen(board.fen(en_passant="fen"))
            compared_moves(game, board, state, keys)
            may_capture = board.has_legal_en_passant()
            assert (int(state.en_passant) > 0) == may_capture
            found[line, may_capture] += 1
            before, move = self.before(board)
            if before.is_valid():
                came = read_fen(before.fen())
                play(game, came, action_in(came, move))
                assert came == state, before.fen()
                played += 1
        for line in LINES:
            for may_capture in (False, True):
                assert found[line, may_capture] > positions / 100, (line, may_capture)
        assert played > positions / 4

    @staticmethod
    def before(board: Any) -> tuple[Any, str]:
        """Return the position before a pawn has moved two squares, and that move."""
        assert board.ep_square is not None
        step = 8 if board.turn else -8
        start, target = board.ep_square + step, board.ep_square - step
        before = board.copy()
        before.turn, before.ep_square = not board.turn, None
        before.set_piece_at(start, before.remove_piece_at(target))
        return before, pychess.square_name(start) + pychess.square_name(target)


@pytest.mark.rules
def test_starts_of_chess960() -> None:
    starts = {back_rank(number) for number in range(960)}
    assert len(starts) == 960
    assert back_rank(CHESS) == "RNBQKBNR"
    for number in range(0, 960, 37):
        assert back_rank(number) == new_board(number).fen().split("/")[-1].split()[0]


@pytest.mark.rules
def test_parameters_out_of_range() -> None:
    for parameters in ({"chess960": 960}, {"max_quiet_plies": 0}, {"max_quiet_plies": 256}, {"repetition": 1}):
        with pytest.raises(ValueError, match=next(iter(parameters))):
            chess(**parameters)  # pyright: ignore[reportArgumentType]
