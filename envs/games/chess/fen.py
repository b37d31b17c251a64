"""Positions of chess as text: Forsyth–Edwards Notation, FEN (S. J. Edwards, "PGN Standard", 1994, 16.1).

``rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1``: the ranks from the eighth down, the side to move, castling
rights, the square behind a pawn that has just moved two squares, plies since the last capture or move of a pawn, and
the number of the move. The last two may be left out. Castling rights may name the files of rooks, as in ``HAha``
(Shredder-FEN), and ``K`` and ``Q`` are those of the outermost rooks (X-FEN).

Reading is strict: where no last move can have left the pieces as they stand is an error that says what is wrong. The
square of a capture en passant that is not legal is read, and forgotten, as the Laws do (9.2.3). Whether pieces were
promoted often enough is not asked, nor whether the counts fit the position: python-chess, too, reads the square behind
a pawn that has just moved beside a count of plies that should be 0.
"""

from __future__ import annotations

import numpy as np

from ...definition.terms import State
from ..forsyth import refuse, split_fen, squares_of, write_ranks
from .attacks import is_attacked
from .legal import can_take_en_passant, castling_square, restrictions
from .moves import BISHOP, KNIGHT, PAWN, QUEEN, ROOK
from .playing import turn_round
from .position import LAYOUT, kind_at, piece_key
from .squares import DIRECTION, KING_STEPS, NOWHERE, RAYS, square_name, square_number

__all__ = ["fen_of", "letter_at", "read_fen"]

_KINDS = {"p": PAWN, "n": KNIGHT, "b": BISHOP, "r": ROOK, "q": QUEEN, "k": 0}
_LETTERS = {kind: letter for letter, kind in _KINDS.items()}
_PIECES = "pnbrqkPNBRQK"  # no other letter, though the sign of Kelvin is a k in lower case


def read_fen(text: str, is_960: bool = False, always: bool = False, most_quiet: int = 255) -> State:
    """Return the state of a position.

    Args:
        text: the position.
        is_960: whether kings and rooks that may castle can stand on any files.
        always: whether the square behind a pawn is kept where nobody can capture, and ``moved`` is set.
        most_quiet: the most plies since the last capture or move of a pawn.

    Raises:
        ValueError: the text cannot be read, or is no position of chess; the message says why.
    """
    fields = split_fen(text, "8/8/8/8/8/8/4P3/K6k w - - 0 1", most_quiet)
    state, turn = np.zeros(1, LAYOUT)[0], fields.turn
    state.turn, state.quiet = turn, fields.quiet
    pieces = {(8 * file + rank) ^ 7 * turn: letter for rank, file, letter in squares_of(text, fields.ranks, 8, _PIECES)}
    _place(text, state, pieces)
    _read_castling(text, state, pieces, fields.castling, is_960)
    _check_kings(text, state)
    if fields.passed != "-":
        _read_en_passant(text, state, fields.passed)
        if not always and not can_take_en_passant(state):
            state.en_passant = 0
    state.hash = piece_key(state)
    state.moved = int(always)
    return state


def _place(text: str, state: State, pieces: dict[int, str]) -> None:
    """Put the pieces on the board."""
    turn = int(state.turn)
    for white, name in ((True, "white"), (False, "black")):
        letters = [letter.lower() for letter in pieces.values() if letter.isupper() == white]
        if letters.count("k") != 1:
            refuse(text, f"{name} has {letters.count('k')} kings: expected 1")
        if len(letters) > 16 or letters.count("p") > 8:
            refuse(
                text, f"{name} has {len(letters)} pieces, {letters.count('p')} of them pawns: expected 16 and 8 at most"
            )
    boards: dict[str, int] = dict.fromkeys(("own", "other", "pawns", "knights", "diagonals", "straights"), 0)
    for square, letter in pieces.items():
        kind, is_own = _KINDS[letter.lower()], letter.isupper() == (turn == 0)
        if kind == PAWN and square & 7 in (0, 7):
            refuse(text, f"a pawn stands on {square_name(square, turn)}")
        boards["own" if is_own else "other"] |= 1 << square
        for bit, name in ((1, "pawns"), (2, "knights"), (4, "diagonals"), (8, "straights")):
            boards[name] |= bool(kind & bit) << square
        if letter in "kK":
            state["king" if is_own else "other_king"] = square
    for name, board in boards.items():
        state[name] = board


def _read_castling(text: str, state: State, pieces: dict[int, str], castling: str, is_960: bool) -> None:
    """Read the castling rights, each of which needs its king and rook."""
    if castling == "-":
        return
    turn = int(state.turn)
    for letter in castling:
        white = letter.isupper()
        is_own = white == (turn == 0)
        rank, rook = (0 if is_own else 7), "R" if white else "r"
        king = int(state.king if is_own else state.other_king)
        colour = "white" if white else "black"
        rooks = [file for file in range(8) if pieces.get(8 * file + rank) == rook]
        kind = letter.upper()
        if kind not in tuple("KQABCDEFGH"):
            refuse(text, f"castling rights must be some of KQkq, letters of files, or -, got {castling!r}")
        if king & 7 != rank or (not is_960 and king >> 3 != 4):
            where = "on its own first rank" if is_960 else f"on {square_name(32 + rank, turn)}"
            refuse(text, f"the castling right {letter!r} needs the king of {colour} {where}")
        if kind in ("K", "Q"):
            beside = [file for file in rooks if (file > king >> 3) == (kind == "K")]
            file = (max if kind == "K" else min)(beside, default=-1)
        else:
            file = "ABCDEFGH".index(kind)
        if file not in rooks or (not is_960 and file not in (0, 7)):
            refuse(text, f"the castling right {letter!r} needs a rook of {colour} there")
        side = int(file > king >> 3)
        name = "castling" if is_own else "other_castling"
        if int(state[name]) >> 4 * side & 15:
            refuse(text, f"castling rights name a side of {colour} twice: {castling!r}")
        state[name] |= (file + 1) << 4 * side


def _check_kings(text: str, state: State) -> None:
    """Check that the side that has moved is not in check, and the other one only as one move can have given it."""
    turned = state.copy()
    turn_round(turned)
    king, other = int(state.king), int(state.other_king)
    if int(restrictions(turned)[0]) or int(KING_STEPS[king]) >> other & 1:
        side = "black" if state.turn == 0 else "white"
        refuse(text, f"{side} is in check, and it is not {side}'s move")
    giving = int(restrictions(state)[0])
    checkers = [square for square in range(64) if giving >> square & 1]
    if len(checkers) > 2 or (len(checkers) == 2 and _are_aligned(king, *checkers)):
        refuse(text, "no single move can give check with these pieces at once")


def _are_aligned(king: int, first: int, second: int) -> bool:
    direction = int(DIRECTION[first, second])
    return direction != NOWHERE and int(RAYS[first, direction] | RAYS[first, 7 - direction]) >> king & 1 == 1


def _read_en_passant(text: str, state: State, passed: str) -> None:
    """Read the square behind the pawn that has just moved two squares."""
    turn, occupied = int(state.turn), int(state.own) | int(state.other)
    square = square_number(passed, turn)
    if square < 0 or square & 7 != 5:
        refuse(text, f"the square of a capture en passant must be on rank {3 if turn else 6}, or -, got {passed!r}")
    pawn, start = square - 1, square + 1
    if not int(state.other) & int(state.pawns) & 1 << pawn or occupied >> square & 1:
        refuse(text, f"no pawn has just moved over {passed}")
    if occupied >> start & 1:
        refuse(text, f"no pawn can have moved over {passed} from {square_name(start, turn)}, where a piece stands")
    # A check by another piece than the pawn was uncovered by it, and so was not there before.
    checkers = int(restrictions(state)[0])
    before = np.uint64(occupied ^ 1 << pawn | 1 << start)
    if checkers & ~(1 << pawn) and (
        checkers.bit_count() > 1 or is_attacked(state, int(state.king), before, state.other ^ np.uint64(1 << pawn))
    ):
        refuse(text, f"the king is in check by a piece that the pawn behind {passed} cannot have uncovered")
    state.en_passant = square


def fen_of(state: State, number: int = 1, is_960: bool = False) -> str:
    """Return a position as text.

    Args:
        state: the position.
        number: the number of the move, which a state does not know.
        is_960: whether rooks that may castle are named where they are not the outermost ones of their side.
    """
    turn = int(state.turn)
    rows = ["".join(letter_at(state, (8 * file + rank) ^ 7 * turn) or "." for file in range(8)) for rank in range(8)]
    return " ".join(
        (
            write_ranks(rows[::-1]),
            "wb"[turn],
            _castling(state, turn, is_960),
            square_name(int(state.en_passant), turn) if state.en_passant else "-",
            str(int(state.quiet)),
            str(number),
        )
    )


def letter_at(state: State, square: int) -> str:
    """Return the letter of the piece on a square, white's in upper case; empty for none."""
    own = int(state.own) >> square & 1
    if not own and not int(state.other) >> square & 1:
        return ""
    letter = _LETTERS[int(kind_at(state, square))]
    return letter.upper() if own == 1 - int(state.turn) else letter


def _castling(state: State, turn: int, is_960: bool) -> str:
    text = ""
    for colour in (0, 1):
        is_own = colour == turn
        castling, rank = int(state.castling if is_own else state.other_castling), 0 if is_own else 7
        for side, letter in ((1, "k"), (0, "q")):
            square = castling_square(castling, side)
            if square < 0:
                continue
            further = range(square // 8 + 1, 8) if side else range(square // 8)
            outer = [file for file in further if letter_at(state, 8 * file + rank) == "Rr"[colour]]
            name = "abcdefgh"[square // 8] if is_960 and outer else letter
            text += name if colour else name.upper()
    return text or "-"
