"""Chess: rules that games seldom meet, in plain Python too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.envs import make_game
from plyground.envs.games.chess.perft import perft
from plyground.envs.games.chess.position import piece_key

pytestmark = pytest.mark.rules

CHESS, CLASSIC = make_game("chess"), make_game("chess(classic=True)")
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def after(fen: str, *moves: str) -> Any:
    return CHESS.play_moves(CHESS.line_of(moves, CHESS.state_from_fen(fen)), CHESS.state_from_fen(fen))


class TestPerft:
    @pytest.mark.parametrize("bulk", [True, False])
    def test_counts(self, bulk: bool) -> None:
        assert perft(CHESS, CHESS.new_state(), 2, bulk) == 400
        assert perft(CHESS, CHESS.state_from_fen(KIWIPETE), 1, bulk) == 48
        assert perft(CHESS, CHESS.state_from_fen("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"), 1, bulk) == 24
        # 15 queens: more moves than in any position of a game.
        assert perft(CHESS, CHESS.state_from_fen("2QQ1QQ1/Q6Q/2Q5/4Q2Q/1Q5Q/2KQ4/Q4QQ1/2k5 w - - 0 1"), 1, bulk) == 220

    def test_errors(self) -> None:
        with pytest.raises(ValueError, match="perft counts moves of chess"):
            perft(make_game("othello"), make_game("othello").new_state(), 1)
        with pytest.raises(ValueError, match="depth must be a whole number, from 1 to 20, got 0"):
            perft(CHESS, CHESS.new_state(), 0)


class TestObservations:
    @pytest.mark.parametrize("game", [CHESS, CLASSIC], ids=["mended", "classic"])
    def test_states_come_back(self, game: Any) -> None:
        state = game.new_state()
        assert game.state_from_observation(game.observation(state, 0)) == state
        for move in ("e2e4", "d7d5", "e4e5", "f7f5", "g1f3", "g8h6", "f1e2", "g7g6", "e1g1", "h6f7"):
            game.play(state, game.move_of(state, move))
            player = game.player(state)
            seen = game.observation(state, player)
            again = game.state_from_observation(seen)
            np.testing.assert_array_equal(game.observation(again, player), seen)
            np.testing.assert_array_equal(game.observation(again, 1 - player), game.observation(state, 1 - player))
            assert game.actions(again) == game.actions(state)

    def test_what_no_position_shows(self) -> None:
        seen = CHESS.observation(CHESS.new_state(), 0)
        kings, clocks, rooks = seen.copy(), seen.copy(), seen.copy()
        kings[..., 12] = 0
        clocks[..., 5] = 0
        rooks[..., 10] = 0
        for planes in (kings, clocks, rooks):
            with pytest.raises(ValueError, match="no state of chess looks like these planes"):
                CHESS.state_from_observation(planes)


class TestEnds:
    def test_classic_games_end_a_ply_early(self) -> None:
        for fen, ends in (
            ("k7/8/8/8/8/8/8/K6R w - - 99 80", True),
            ("7k/7p/8/6Q1/8/8/8/K7 b - - 99 80", False),  # pawns' moves alone are left
            ("k7/8/8/8/8/8/8/K6R w - - 98 80", False),
        ):
            assert bool(CLASSIC.is_terminal(CLASSIC.state_from_fen(fen))) is ends
            assert not CHESS.is_terminal(CHESS.state_from_fen(fen))

    def test_bishops_of_one_colour_cannot_mate(self) -> None:
        assert CHESS.is_terminal(CHESS.state_from_fen("7k/4b3/8/8/8/8/8/K1B5 w - - 0 1"))
        assert not CHESS.is_terminal(CHESS.state_from_fen("4b2k/8/8/8/8/8/8/K1B5 w - - 0 1"))

    def test_en_passant_that_would_uncover_the_king(self) -> None:
        state = after("8/8/8/8/k3p2Q/8/3P4/3K4 w - - 0 1", "d2d4")
        assert int(state.en_passant) == 0
        assert "e4d3" not in [CHESS.move_name(state, action) for action in CHESS.actions(state)]

    def test_en_passant_in_texts(self) -> None:
        assert int(CHESS.state_from_fen("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1").en_passant) == 0
        with pytest.raises(ValueError, match="cannot have uncovered"):
            CHESS.state_from_fen("R3k3/8/8/8/3Pp3/8/8/K7 b - d3 0 1")


class TestBoards:
    def test_cells(self) -> None:
        state = CHESS.state_from_fen(KIWIPETE)
        board: Any = CHESS.board
        assert board.cells(state, CHESS.move_of(state, "e1g1")) == (60, 62)
        assert board.cells(state, CHESS.move_of(state, "e1c1")) == (60, 58)
        assert board.cells(state, CHESS.move_of(state, "e1f1")) == (60, 61)
        assert board.threatened(state) == ()
        assert board.threatened(after(KIWIPETE, "e5d7", "e8d7")) == ()
        assert board.threatened(CHESS.state_from_fen("4k3/8/8/8/8/8/8/K3R3 b - - 0 1")) == (4,)


class TestStatesFromOutside:
    @staticmethod
    def is_valid(state: Any) -> bool:
        state.hash = piece_key(state)
        return bool(CHESS.is_valid(state))

    def test_the_side_that_has_moved_is_not_in_check(self) -> None:
        state = CHESS.state_from_fen("4k3/8/8/8/8/5N2/8/4K3 w - - 0 1")
        assert self.is_valid(state)
        knight = int(state.knights)
        moved = knight << 3
        for name in ("own", "knights"):
            state[name] = (int(state[name]) ^ knight) | moved
        assert not self.is_valid(state)

    def test_castling_needs_its_rook(self) -> None:
        state = CHESS.state_from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        assert self.is_valid(state)
        state.castling = int(state.castling) & 15 | 16 * 4
        assert not self.is_valid(state)
        inner = CHESS.state_from_fen("4k3/8/8/8/8/8/8/1R2K3 w - - 0 1")
        inner.castling = 2  # a rook of the b-file castles in Chess960 only
        assert not self.is_valid(inner)

    def test_en_passant_needs_its_pawn(self) -> None:
        state = after("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5")
        assert int(state.en_passant)
        assert self.is_valid(state)
        for square in (64, 1, int(state.en_passant) + 8):
            other = state.copy()
            other.en_passant = square
            assert not self.is_valid(other)

    @pytest.mark.parametrize("chess960", [-1, 5])
    def test_only_the_initial_position_can_be_one_that_nobody_has_moved_in(self, chess960: int) -> None:
        """The board of any other looked empty in classic observations."""
        game = make_game("chess", chess960=chess960, classic=True)
        start = game.new_state()
        for state, is_start in ((start, True), (game.play_moves([game.actions(start)[0]]), False)):
            other = state.copy()
            assert game.is_valid(state)
            for moved in (0, 1, 2, 255):
                other.moved = moved
                assert game.is_valid(other) == (moved == 1 or (moved == 0 and is_start)), (is_start, moved)
        quiet = game.new_state()
        quiet.quiet = 4  # knights went out and came back
        assert not game.is_valid(quiet)
        quiet.moved = 1
        assert game.is_valid(quiet)
        initial = game.state_from_fen(game.fen(game.new_state()))
        assert initial.moved == 1

    def test_moves_are_not_noted_where_nothing_asks_for_it(self) -> None:
        for state in (CHESS.new_state(), CHESS.play_moves(["e2e4"])):
            assert CHESS.is_valid(state)
            state.moved = 1
            assert not CHESS.is_valid(state)

    def test_eight_pawns_at_most(self) -> None:
        state = CHESS.state_from_fen("4k3/8/8/PPPPPPPP/8/8/8/4K3 w - - 0 1")
        assert self.is_valid(state)
        pawn = int(state.pawns) & -int(state.pawns)
        for name in ("own", "pawns"):
            state[name] = int(state[name]) | pawn >> 1
        assert not self.is_valid(state)
