"""Random games of chess beside python-chess, steered to what is rare: both must say the same at every ply.

A game in eight begins where a capture en passant would uncover a check. FEN and the names of moves, which take
python-chess most of the time, are compared at a share of the plies.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import chess
import numpy as np

from plyground.envs import Game
from plyground.envs.games.chess.fen import fen_of, read_fen
from plyground.envs.games.chess.legal import is_check
from plyground.envs.games.chess.moves import action_in, name_in
from plyground.envs.jit import kernel
from tests.helpers.chess_pins import en_passant_pins

__all__ = ["STEERINGS", "compared_moves", "count_rare", "games", "new_board", "play", "steered"]

STEERINGS = ("uniform", "promotions", "captures", "castling", "en passant", "repetitions", "checks")
_PINS = "en passant pins"  # where a game begins, not how it goes on
_SHARE = 0.9  # how often a steered move is chosen, where there is one


def new_board(number: int) -> chess.Board:
    """Return the start of chess (-1), or of Chess960."""
    return chess.Board() if number < 0 else chess.Board.from_chess960_pos(number)


@kernel
def _look(game, state, actions, keys):
    """Write the legal actions and keys; return how many actions, and whether it is over, its utility, check, valid."""
    over = game.is_terminal(state)
    keys[0], keys[1] = game.repetition_key(state), game.key(state)
    utility = game.utility(state, 0) if over else 0.0
    return game.legal_actions(state, actions), over, utility, is_check(state), game.is_valid(state)


@kernel
def play(game, state, action):
    """Play a move by compiled rules."""
    game.play(state, action)


def games(game: Game, plies: float, seed: int = 0, texts: float = 1.0) -> Iterator[Counter[str]]:
    """Play random games of at least so many plies together, and yield for each what happened in it, how often.

    Args:
        game: chess with 75 moves and no draws by repetition, so that claims come up, and the game goes on.
        plies: when to stop.
        seed: of the moves.
        texts: share of the plies at which FEN and names are compared too.

    Raises:
        AssertionError: the two differ; the message has the position.
    """
    rng = np.random.default_rng(seed)
    keys = np.zeros(2, np.uint64)
    number = game.parameters["chess960"]
    pins = (board for _, board in en_passant_pins(seed) if not board.has_legal_en_passant())
    done = 0
    for steering in itertools.cycle((*STEERINGS, _PINS)):
        if done >= plies:
            return
        board, state = new_board(number), game.new_state()
        if steering == _PINS:
            board = next(pins)
            state = read_fen(board.fen(en_passant="fen"))
        seen: Counter[int] = Counter()
        found: Counter[str] = Counter({steering: 1})
        while True:
            names, moves, over, utility = compared_moves(game, board, state, keys)
            seen[int(keys[0])] += 1
            _compare_ends(board, state, over, utility, seen[int(keys[0])], found)
            if rng.random() < texts:
                _compare_texts(game, board, state, names)
            if over:
                break
            move = moves[steered(board, moves, steering, rng)]
            count_rare(board, move, found)
            play(game, state, names[board.uci(move)])
            board.push(move)
            done += 1
        found["plies"] = len(board.move_stack)
        yield found


def compared_moves(
    game: Game, board: chess.Board, state: Any, keys: Any
) -> tuple[dict[str, int], dict[str, chess.Move], bool, float]:
    """Return the legal moves by their names, ours and those of python-chess, whether it is over, and white's utility.

    Args:
        game: chess.
        board: the position.
        state: the same position.
        keys: uint64 [2], which become the keys of the position.

    Raises:
        AssertionError: the two differ; the message has the position.
    """
    actions = np.empty(game.num_actions, np.int32)
    count, over, utility, check, valid = _look(game, state, actions, keys)
    legal = actions[:count].tolist()
    names = {name_in(state, action): action for action in legal}
    moves = {board.uci(move): move for move in board.legal_moves}
    assert legal == sorted(set(legal)), board.fen()
    assert names.keys() == moves.keys(), (board.fen(), names.keys() ^ moves.keys())
    assert valid, board.fen()
    assert check == board.is_check(), board.fen()
    return names, moves, bool(over), utility


def _compare_ends(board: chess.Board, state: Any, over: bool, utility: float, times: int, found: Counter[str]) -> None:
    """Compare what ends a game, or would if somebody claimed it."""
    mate, stale, dead = board.is_checkmate(), board.is_stalemate(), board.is_insufficient_material()
    assert over == (mate or stale or dead or board.is_seventyfive_moves()), board.fen()
    assert utility == (0 if not mate else -1 if board.turn else 1), board.fen()
    assert (int(state.quiet) >= 100 and not mate and not stale) == board.is_fifty_moves(), board.fen()
    for claimed in (2, 3, 5):
        assert (times >= claimed) == board.is_repetition(claimed), (board.fen(), times)
    found["check"] += board.is_check()
    for name, happened in (("mate", mate), ("stalemate", stale), ("dead", dead)):
        found[name] += happened
    found["75 moves"] += board.is_seventyfive_moves()
    found["third time"] += times == 3
    found["fifth time"] += times == 5


def _compare_texts(game: Game, board: chess.Board, state: Any, names: dict[str, int]) -> None:
    is_960, where = board.chess960, board.fen()
    assert fen_of(state, board.fullmove_number, is_960) == where
    assert read_fen(where, is_960) == state, where
    assert read_fen(board.shredder_fen(), is_960) == state if is_960 else True, where
    for name, action in names.items():
        assert action_in(state, name) == action, (where, name)


def steered(board: chess.Board, moves: dict[str, chess.Move], steering: str, rng: np.random.Generator) -> str:
    """Return the name of one of the moves, drawn from those that lead where a game is steered to, if there are any."""
    wanted: list[str] = []
    if rng.random() < _SHARE:
        if steering == "promotions":
            wanted = [name for name, move in moves.items() if move.promotion or _is_piece(board, move, "p")]
        elif steering == "captures":
            wanted = [name for name, move in moves.items() if board.is_capture(move)]
        elif steering == "castling":
            wanted = [name for name, move in moves.items() if board.is_castling(move)]
            wanted = wanted or [name for name, move in moves.items() if _is_piece(board, move, "pnbq")]
        elif steering == "en passant":
            wanted = [name for name, move in moves.items() if board.is_en_passant(move) or _passes(board, move)]
            files = (0, 2) if board.turn else (5, 7)  # that advance; the others wait for a pawn to pass
            wanted = wanted or [
                name
                for name, move in moves.items()
                if _is_piece(board, move, "p") and chess.square_file(move.from_square) in files
            ]
        elif steering == "repetitions" and len(board.move_stack) > 1:
            last = board.move_stack[-2]
            back = chess.Move(last.to_square, last.from_square).uci()
            wanted = [back] if back in moves else []
        elif steering == "checks":
            wanted = [name for name, move in moves.items() if board.gives_check(move)]
    options = wanted or list(moves)
    return options[int(rng.integers(len(options)))]


def _is_piece(board: chess.Board, move: chess.Move, letters: str) -> bool:
    kind = board.piece_type_at(move.from_square)
    return kind is not None and chess.piece_symbol(kind) in letters


def _passes(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a pawn moves two squares, and stands beside one of the other side's."""
    if not _is_piece(board, move, "p") or abs(move.from_square - move.to_square) != 16:
        return False
    beside = chess.SquareSet(chess.BB_KING_ATTACKS[move.to_square])
    rank = chess.square_rank(move.to_square)
    pawn = chess.Piece(chess.PAWN, not board.turn)
    return any(board.piece_at(square) == pawn for square in beside if chess.square_rank(square) == rank)


def count_rare(board: chess.Board, move: chess.Move, found: Counter[str]) -> None:
    """Count what is rare in a move that is about to be played."""
    found["promotion"] += move.promotion is not None
    found["castled"] += board.is_castling(move)
    found["en passant taken"] += board.is_en_passant(move)
    square = board.ep_square
    if square is not None and not board.has_legal_en_passant() and board.has_pseudo_legal_en_passant():
        found["en passant pinned"] += 1
