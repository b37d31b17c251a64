"""The rules of minichess: see `plyground.envs.games.minichess` for squares and actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..definition.terms import state_dtype
from ..jit import helper
from .minichess_moves import (
    BECOMES,
    BISHOP,
    IS_DIAGONAL,
    KING,
    KNIGHT,
    KNIGHT_TARGETS,
    LEAP,
    PAWN,
    PLANES,
    QUEEN,
    RAYS,
    ROOK,
    SIZE,
    SQUARES,
    TARGETS,
    USES,
)

__all__ = [
    "QUIET_KEYS",
    "STATE",
    "can_move",
    "is_attacked",
    "is_check",
    "is_dead",
    "king_of",
    "legal_actions",
    "noisy_actions",
    "play",
    "repetition_key",
    "setup",
]

STATE = state_dtype(cells=("i1", (SQUARES,)), turn="i1", quiet="u1")

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
            where = RAYS[square, direction, n]
            if where < 0 or where == target:
                break
            piece = cells[where] * by if where != origin else 0
            if piece == 0:
                continue
            if piece == QUEEN or (n == 0 and piece == KING) or piece == (BISHOP if IS_DIAGONAL[direction] else ROOK):
                return True
            # Pawns of the other side attack from above, own ones from below.
            if n == 0 and piece == PAWN and IS_DIAGONAL[direction] and (where > square) == (by < 0):
                return True
            break
    for leap in range(8):
        where = KNIGHT_TARGETS[square, leap]
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
    if target < 0 or not USES[piece, plane] or cells[target] > 0:
        return False
    if piece == PAWN:
        if (cells[target] == 0) != (target - origin == SIZE):
            return False
    elif plane < LEAP:
        for n in range(plane // 8):
            if cells[RAYS[origin, plane % 8, n]] != 0:
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


def legal_actions(state: Any, actions: Any) -> int:
    return list_moves(state, actions, False)


def noisy_actions(state: Any, actions: Any) -> int:
    return list_moves(state, actions, not is_check(state))


def play(state: Any, action: int) -> None:
    origin, plane = action // PLANES, action % PLANES
    target, cells = TARGETS[origin, plane], state.cells
    is_pawn = cells[origin] == PAWN
    state.quiet = 0 if is_pawn or cells[target] != 0 else state.quiet + 1
    cells[target] = BECOMES[plane] if is_pawn and target >= SQUARES - SIZE else cells[origin]
    cells[origin] = 0
    for square in range(SQUARES):  # turn the board round
        other = (SIZE - 1 - square // SIZE) * SIZE + square % SIZE
        if square < other:
            cells[square], cells[other] = -cells[other], -cells[square]
        elif square == other:
            cells[square] = -cells[square]
    state.turn = 1 - state.turn


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
