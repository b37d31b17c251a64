"""What chess tells a search: noisy moves, stakes, exchanges and passes, beside python-chess, move by move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import chess
import numpy as np
import pytest

from plyground.envs import Game, check_game, make_game
from plyground.envs.games.chess.exchange import PAWN_WORTH

CHESS = make_game("chess")
WORTH = {chess.PAWN: 100, chess.KNIGHT: 320, chess.BISHOP: 330, chess.ROOK: 500, chess.QUEEN: 900, chess.KING: 0}
UNIT = PAWN_WORTH / 100


def positions(game: Game, seed: int, games: int, plies: int = 120) -> Iterator[tuple[Any, chess.Board]]:
    """Yield the positions of random games, in which captures are frequent, as states and as boards."""
    rng = np.random.default_rng(seed)
    number = game.parameters["chess960"]
    for _ in range(games):
        state = game.new_state()
        board = chess.Board() if number < 0 else chess.Board.from_chess960_pos(number)
        for _ in range(plies):
            if game.is_terminal(state):
                break
            yield state, board
            moves = list(board.legal_moves)
            captures = [move for move in moves if board.is_capture(move)]
            chosen = captures if captures and rng.random() < 0.2 else moves
            move = chosen[int(rng.integers(len(chosen)))]
            game.play(state, game.move_of(state, board.uci(move)))
            board.push(move)


def is_noisy(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a move is played behind the depth limit: of promotions, those to a queen alone."""
    wins = board.is_capture(move) if move.promotion is None else move.promotion == chess.QUEEN
    return board.is_check() or wins


def gain(board: chess.Board, move: chess.Move) -> int:
    """Return what a move wins at once, in hundredths of a pawn."""
    won = 0
    if board.is_en_passant(move):
        won = WORTH[chess.PAWN]
    elif board.is_capture(move):
        won = WORTH[board.piece_type_at(move.to_square) or 0]
    if move.promotion:
        won += WORTH[move.promotion] - WORTH[chess.PAWN]
    return won


def exchanged(board: chess.Board, move: chess.Move) -> int:
    """Return what is left of a move's gain when both go on to capture on its square, or stop: by a list of the gains.

    Squares are in the order of the side that moved first, files before ranks, of which the least decides a tie.
    """
    turn, target = board.turn, move.to_square
    after = board.copy(stack=False)
    after.push(move)
    # A pawn that comes to the last rank by the move itself has become a piece, and no other does.
    total = [gain(board, move)]
    if board.is_castling(move):
        return total[0]

    def order(square: int) -> tuple[int, int]:
        piece = after.piece_type_at(square)
        assert piece is not None
        rank = chess.square_rank(square) ^ (0 if turn else 7)
        return piece, 8 * chess.square_file(square) + rank

    standing, side = WORTH[after.piece_type_at(target) or 0], not turn
    if after.piece_type_at(target) == chess.KING:
        return total[0]
    while attackers := sorted(after.attackers(side, target), key=order):
        square = attackers[0]
        if after.piece_type_at(square) == chess.KING and after.attackers(not side, target):
            break
        total.append(standing)
        piece = after.remove_piece_at(square)
        assert piece is not None
        after.set_piece_at(target, piece)
        standing, side = WORTH[piece.piece_type], not side
    worth = 0
    for won in reversed(total[1:]):
        worth = max(0, won - worth)
    return total[0] - worth


@pytest.mark.rules
@pytest.mark.parametrize("name", ["chess", pytest.param("chess(chess960=17)", marks=pytest.mark.slow)])
def test_rules_beside_python_chess(name: str) -> None:
    game = make_game(name)
    assert game.is_forced is not None
    assert game.stakes is not None
    assert game.exchange is not None
    buffer = np.empty(game.num_actions, np.int32)
    losing = noisy = forced = 0
    for state, board in positions(game, 7, 3):
        moves = {game.move_of(state, board.uci(move)): move for move in board.legal_moves}
        expected = sorted(action for action, move in moves.items() if is_noisy(board, move))
        assert buffer[: game.noisy_actions(state, buffer)].tolist() == expected, board.fen()
        assert bool(game.is_forced(state)) == board.is_check()
        noisy, forced = noisy + len(expected), forced + board.is_check()
        for action, move in moves.items():
            wins, risks = game.stakes(state, action)
            piece = move.promotion or board.piece_type_at(move.from_square)
            assert wins == pytest.approx(gain(board, move) * UNIT), (board.fen(), move)
            if wins > 0:
                assert risks == pytest.approx(WORTH[piece or 0] * UNIT), (board.fen(), move)
            left = exchanged(board, move)
            losing += left < 0
            assert game.exchange(state, action, left * UNIT), (board.fen(), move, left)
            assert not game.exchange(state, action, (left + 1) * UNIT), (board.fen(), move, left)
    assert min(losing, noisy) > 100
    assert forced > 5


@pytest.mark.parametrize(
    ("fen", "move", "left"),
    [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),  # nobody guards the pawn
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -220),  # a pawn for a knight
        ("4k3/8/3p4/4p3/3P4/8/8/4K3 w - - 0 1", "d4e5", 0),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),  # en passant
        ("3r1k2/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7d8q", 1300),  # a rook, and a pawn becomes a queen
        ("1r3k2/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7c8q", -100),  # the rook takes the queen
    ],
)
@pytest.mark.rules
def test_known_exchanges(fen: str, move: str, left: int) -> None:
    state, board = CHESS.state_from_fen(fen), chess.Board(fen)
    action = CHESS.move_of(state, move)
    assert CHESS.exchange is not None
    assert exchanged(board, chess.Move.from_uci(move)) == left
    assert CHESS.exchange(state, action, left * UNIT)
    assert not CHESS.exchange(state, action, (left + 1) * UNIT)


@pytest.mark.rules
def test_passing_is_a_null_move() -> None:
    assert CHESS.passed is not None
    passes = 0
    for state, board in positions(CHESS, 8, 2):
        after = state.copy()
        may = not board.is_check() and bool(board.occupied_co[board.turn] & ~(board.pawns | board.kings))
        assert bool(CHESS.passed(after)) == may
        if may:
            passes += 1
            board.push(chess.Move.null())
            assert CHESS.fen(after).split()[:4] == board.fen(en_passant="legal").split()[:4]
            assert {CHESS.move_of(after, board.uci(move)) for move in board.legal_moves} == set(CHESS.actions(after))
            board.pop()
    assert passes > 50


def test_check_game_compiles_the_rules_that_a_search_asks() -> None:
    def passed(state: Any) -> bool:
        return "nothing" in state.dtype.names  # what only Python knows

    with pytest.raises(ValueError, match="'passed' of tictactoe does not compile"):
        check_game(make_game("tictactoe").replace(passed=passed), games=1)
    with pytest.raises(TypeError, match=r"rule 'exchange' of tictactoe must take \(state, action, least\)"):
        make_game("tictactoe").replace(exchange=passed)
