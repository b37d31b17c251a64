"""The rules of minichess, as tables and functions: see `plyground.envs.games.minichess` for squares and actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..definition.terms import state_dtype
from ..jit import helper

__all__ = [
    "KING",
    "LETTERS",
    "MOST_PLIES_RESET",
    "PAWN",
    "PLANES",
    "PROMOTED",
    "QUIET_KEYS",
    "SIZE",
    "SQUARES",
    "STATE",
    "TARGETS",
    "UNDERPROMOTION",
    "can_move",
    "is_attacked",
    "is_check",
    "is_dead",
    "king_of",
    "legal_actions",
    "noisy_actions",
    "play",
    "player",
    "repetition_key",
    "setup",
    "utility",
]

SIZE, SQUARES, PLANES = 5, 25, 49
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(1, 7)
LETTERS = ".PNBRQK"
PROMOTED = "nbr"
_LEAP, UNDERPROMOTION = 32, 40  # the first planes of a knight, and of a pawn that becomes no queen
MOST_PLIES_RESET = (
    10 * 3 + 18
)  # pawns move 3 times at most, and 18 pieces are captured: no more plies start the count anew

STATE = state_dtype(cells=("i1", (SQUARES,)), turn="i1", quiet="u1")

_DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))  # file and rank
_LEAPS = tuple((x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y))
_UP = (2, 4, 7)  # directions of pawns: to the left, straight on, to the right
_STEPS = (
    [(n * x, n * y) for n in range(1, SIZE) for x, y in _DIRECTIONS]
    + list(_LEAPS)
    + [(side, 1) for side in (-1, 0, 1) for _ in PROMOTED]
)


def _square(square: int, step: tuple[int, int]) -> int:
    """Return the square that a step leads to, or -1."""
    file, rank = square % SIZE + step[0], square // SIZE + step[1]
    return SIZE * rank + file if 0 <= file < SIZE and 0 <= rank < SIZE else -1


TARGETS = np.array([[_square(square, step) for step in _STEPS] for square in range(SQUARES)], np.int64)
TARGETS[[square for square in range(SQUARES) if square // SIZE != 3], UNDERPROMOTION:] = -1
_RAYS = np.array(  # [squares, directions, distances] -1: beyond the board
    [[[_square(s, (n * x, n * y)) for n in range(1, SIZE)] for x, y in _DIRECTIONS] for s in range(SQUARES)], np.int64
)
_KNIGHTS = TARGETS[:, _LEAP:UNDERPROMOTION].copy()  # [squares, leaps]
_IS_DIAGONAL = np.array([x * y != 0 for x, y in _DIRECTIONS])


def _uses(kind: int, plane: int) -> bool:
    """Return whether a kind of piece moves by a plane."""
    if kind == PAWN:
        return plane in _UP or plane >= UNDERPROMOTION
    if kind == KNIGHT:
        return _LEAP <= plane < UNDERPROMOTION
    if plane >= _LEAP or (kind == KING and plane >= 8):
        return False
    return kind in (QUEEN, KING) or (kind == BISHOP) == _IS_DIAGONAL[plane % 8]


_USES = np.array([[kind > 0 and _uses(kind, plane) for plane in range(PLANES)] for kind in range(7)])
_BECOMES = np.array([QUEEN] * UNDERPROMOTION + [KNIGHT, BISHOP, ROOK] * 3, np.int64)  # [planes] of a pawn
_RANDOM = np.random.SeedSequence(1989).generate_state(13 * SQUARES + 256 + 1, np.uint64)
_PIECE_KEYS, QUIET_KEYS = _RANDOM[: 13 * SQUARES].reshape(13, SQUARES), _RANDOM[13 * SQUARES : 13 * SQUARES + 256]
_TURN_KEY = _RANDOM[-1]


@helper
def is_attacked(cells: Any, square: int, by: int, origin: int, target: int) -> bool:
    """Return whether a square is attacked after a piece has gone from ``origin`` to ``target``.

    Args:
        cells: the board.
        square: the square.
        by: 1 for own pieces, -1 for those of the other side.
        origin: the square that is empty now; -1 for none.
        target: the square where nothing of the attackers stands any more; -1 for none.
    """
    for direction in range(8):
        for n in range(SIZE - 1):
            where = _RAYS[square, direction, n]
            if where < 0 or where == target:
                break
            piece = cells[where] * by if where != origin else 0
            if piece == 0:
                continue
            if piece == QUEEN or (n == 0 and piece == KING) or piece == (BISHOP if _IS_DIAGONAL[direction] else ROOK):
                return True
            # Pawns of the other side attack from above, own ones from below.
            if n == 0 and piece == PAWN and _IS_DIAGONAL[direction] and (where > square) == (by < 0):
                return True
            break
    for leap in range(8):
        where = _KNIGHTS[square, leap]
        if where >= 0 and where != target and where != origin and cells[where] * by == KNIGHT:
            return True
    return False


@helper
def king_of(cells: Any, side: int) -> int:
    """Return the square of the own king (1), or of the other (-1)."""
    for square in range(SQUARES):
        if cells[square] == side * KING:
            return square
    return -1


@helper
def is_legal(cells: Any, king: int, origin: int, plane: int) -> bool:
    """Return whether the own piece on ``origin`` may move by ``plane``."""
    target, piece = TARGETS[origin, plane], np.int64(cells[origin])
    if target < 0 or not _USES[piece, plane] or cells[target] > 0:
        return False
    if piece == PAWN:
        if (cells[target] == 0) != (target - origin == SIZE):
            return False
    elif plane < _LEAP:
        for n in range(plane // 8):
            if cells[_RAYS[origin, plane % 8, n]] != 0:
                return False
    return not is_attacked(cells, target if piece == KING else king, -1, origin, target)


@helper
def list_moves(state: Any, actions: Any, is_noisy: bool) -> int:
    """Write the legal actions, or only captures and promotions, in ascending order; return how many there are."""
    count, king = 0, king_of(state.cells, 1)
    for origin in range(SQUARES):
        if state.cells[origin] <= 0:
            continue
        for plane in range(PLANES):
            if is_legal(state.cells, king, origin, plane):
                target = TARGETS[origin, plane]
                promotes = state.cells[origin] == PAWN and target >= SQUARES - SIZE
                if not is_noisy or state.cells[target] < 0 or promotes:
                    actions[count] = PLANES * origin + plane
                    count += 1
    return count


@helper
def can_move(state: Any) -> bool:
    king = king_of(state.cells, 1)
    for origin in range(SQUARES):
        if state.cells[origin] > 0:
            for plane in range(PLANES):
                if is_legal(state.cells, king, origin, plane):
                    return True
    return False


@helper
def is_check(state: Any) -> bool:
    return is_attacked(state.cells, king_of(state.cells, 1), -1, -1, -1)


@helper
def is_dead(state: Any) -> bool:
    """Return whether neither side has the pieces to mate: a minor piece at most, or only bishops of one colour."""
    knights, light, dark = 0, 0, 0
    for square in range(SQUARES):
        kind = abs(state.cells[square])
        if kind in (PAWN, ROOK, QUEEN):
            return False
        knights += kind == KNIGHT
        light += kind == BISHOP and square % 2 == 1
        dark += kind == BISHOP and square % 2 == 0
    return knights + light + dark <= 1 or (knights == 0 and (light == 0 or dark == 0))


def player(state: Any) -> int:
    return state.turn


def legal_actions(state: Any, actions: Any) -> int:
    return list_moves(state, actions, False)


def noisy_actions(state: Any, actions: Any) -> int:
    return list_moves(state, actions, not is_check(state))


def play(state: Any, action: int) -> None:
    origin, plane = action // PLANES, action % PLANES
    target, cells = TARGETS[origin, plane], state.cells
    is_pawn = cells[origin] == PAWN
    state.quiet = 0 if is_pawn or cells[target] != 0 else state.quiet + 1
    cells[target] = _BECOMES[plane] if is_pawn and target >= SQUARES - SIZE else cells[origin]
    cells[origin] = 0
    for square in range(SQUARES):  # turn the board round
        other = (SIZE - 1 - square // SIZE) * SIZE + square % SIZE
        if square < other:
            cells[square], cells[other] = -cells[other], -cells[square]
        elif square == other:
            cells[square] = -cells[square]
    state.turn = 1 - state.turn


def utility(state: Any, player: int) -> float:
    if not is_check(state) or can_move(state):
        return 0.0
    return -1.0 if player == state.turn else 1.0


@helper
def repetition_key(state: Any) -> Any:
    value = _TURN_KEY if state.turn == 1 else np.uint64(0)
    for square in range(SQUARES):
        if state.cells[square] != 0:
            value ^= _PIECE_KEYS[state.cells[square] + 6, square]
    return value


def setup(state: Any) -> None:
    for file, kind in enumerate((ROOK, KNIGHT, BISHOP, QUEEN, KING)):
        state.cells[file], state.cells[SQUARES - SIZE + file] = kind, -kind
        state.cells[SIZE + file], state.cells[3 * SIZE + file] = PAWN, -PAWN
