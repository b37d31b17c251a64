"""The numbers and names of moves: ``73 * origin + plane``, as AlphaZero and ``pettingzoo.classic.chess_v6`` have them.

Squares are those of the player to move. The planes of an origin (D. Silver et al., 2018, "A general reinforcement
learning algorithm that masters chess, shogi, and Go through self-play", supplement):

=========  ====================================================================================================
0 to 55    ``8 * (distance - 1) + direction``: on a line; a pawn that comes to the last rank becomes a queen
56 to 63   the leaps of a knight
64 to 72   a pawn becomes a knight, a bishop or a rook: ``64 + 3 * (1 + files to the right) + piece``
=========  ====================================================================================================

To castle, the king moves two files, or, in Chess960, onto the rook.

Names are those of the protocol UCI: ``e2e4``, ``e7e8q``; castling is ``e1g1``, and in Chess960 ``e1h1``. An action has
squares of the player to move, so white's ``e2e4`` is black's ``e7e5``, and only a state tells whether a pawn becomes a
queen: `name_in` and `action_in` know the state. `name_of`, which does not, names each action as a piece of white's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .squares import DIRECTION, DIRECTIONS, KNIGHT_STEPS, NOWHERE, square_name, square_number

__all__ = [
    "ACTIONS",
    "BISHOP",
    "CASTLING",
    "KING",
    "KNIGHT",
    "MOST_MOVES",
    "NUM_ACTIONS",
    "PAWN",
    "PLANES",
    "PROMOTED",
    "QUEEN",
    "ROOK",
    "STEPS",
    "UNDERPROMOTION",
    "action_in",
    "action_of",
    "name_in",
    "name_of",
]

PLANES = 73
NUM_ACTIONS = 64 * PLANES
MOST_MOVES = 512  # in any state: 15 queens of 27 moves each, a king, and castling; in a game 218 (N. Petrović, 1964)
UNDERPROMOTION = 64  # the first plane of a pawn that becomes no queen
_LEAP = 56  # the first plane of a knight
# Kinds of pieces, one bit for each bitboard of a state that has them: a queen moves straight and diagonally. A king,
# which is in none of these bitboards, has a number that no other kind has.
PAWN, KNIGHT, KING, BISHOP, ROOK, QUEEN = 1, 2, 3, 4, 8, 12
_LETTERS = {"n": KNIGHT, "b": BISHOP, "r": ROOK}
_LEAPS = sorted(8 * x + y for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y))

STEPS = np.array(  # [planes] from the number of the origin to that of the target
    [distance * (8 * x + y) for distance in range(1, 8) for x, y in DIRECTIONS]
    + _LEAPS
    + [8 * side + 1 for side in (-1, 0, 1) for _ in _LETTERS],
    np.int64,
)
PROMOTED = np.array([QUEEN] * UNDERPROMOTION + list(_LETTERS.values()) * 3, np.int64)  # [planes] what a pawn becomes
ACTIONS = np.full((64, 64), -1, np.int16)  # [origin, target] -1: no piece moves so
for _origin in range(64):
    for _target in range(64):
        _direction = int(DIRECTION[_origin, _target])
        if int(KNIGHT_STEPS[_origin]) >> _target & 1:
            ACTIONS[_origin, _target] = PLANES * _origin + _LEAP + _LEAPS.index(_target - _origin)
        elif _direction != NOWHERE:
            _x, _y = abs(_target // 8 - _origin // 8), abs(_target % 8 - _origin % 8)
            ACTIONS[_origin, _target] = PLANES * _origin + 8 * (max(_x, _y) - 1) + _direction
CASTLING = (9, 14)  # the planes of castling in chess: two files to the left, to the right


def _ends(action: int) -> tuple[int, int, str]:
    """Return the origin, the target (-1: it is not on the board), and the piece that a pawn becomes, if no queen."""
    origin, plane = divmod(action, PLANES)
    target = origin + int(STEPS[plane])
    if plane >= UNDERPROMOTION:
        on_board = origin % 8 == 6 and 0 <= target < 64
        return origin, target if on_board else -1, "nbr"[(plane - UNDERPROMOTION) % 3]
    on_board = 0 <= target < 64 and ACTIONS[origin, target] == action
    return origin, target if on_board else -1, ""


def name_of(action: int, turn: int = 0) -> str:
    """Return the name of an action of white (0) or black (1), without the letter of a new queen.

    An action that no piece could ever play is named by its origin and plane, as in ``"a1#55"``.
    """
    origin, target, piece = _ends(action)
    if target < 0:
        return f"{square_name(origin, turn)}#{action % PLANES}"
    return square_name(origin, turn) + square_name(target, turn) + piece


def action_of(text: str, turn: int = 0) -> int:
    """Return the action of white (0) or black (1) that has this name.

    Raises:
        ValueError: none has.
    """
    name = text.strip()
    origin, target = square_number(name[:2], turn), square_number(name[2:4], turn)
    plane = name[3:] if name[2:3] == "#" else ""
    if origin >= 0 and plane.isascii() and plane.isdigit() and int(plane) < PLANES:
        action = PLANES * origin + int(plane)
        if name_of(action, turn) == name:
            return action
    elif origin >= 0 and target >= 0 and ACTIONS[origin, target] >= 0:
        if name[4:] in _LETTERS and origin % 8 == 6 and target % 8 == 7 and abs(target // 8 - origin // 8) <= 1:
            side = target // 8 - origin // 8
            plane = UNDERPROMOTION + 3 * (1 + side) + list(_LETTERS).index(name[4:])
            return PLANES * origin + plane
        if name[4:] == "" or (name[4:] == "q" and origin % 8 == 6 and target % 8 == 7):
            return int(ACTIONS[origin, target])
    raise ValueError(f"chess has no action {text!r}: expected a name such as e2e4 or, for a promotion, e7e8q")


def name_in(state: Any, action: int) -> str:
    """Return the name of a move in ``state``."""
    origin = action // PLANES
    is_queen = origin % 8 == 6 and int(state.own) & int(state.pawns) & 1 << origin
    return name_of(action, int(state.turn)) + "q" * bool(is_queen and action % PLANES < UNDERPROMOTION)


def action_in(state: Any, text: str) -> int:
    """Return the action that has this name in ``state``; whether it is legal is not asked.

    Raises:
        ValueError: none has; or a pawn comes to the last rank, and the name does not say what it becomes.
    """
    action = action_of(text, int(state.turn))
    if name_in(state, action) != text.strip():
        named = name_in(state, action)
        if named == f"{text.strip()}q":
            raise ValueError(f"the move {text!r} does not say what the pawn becomes: write {named} for a queen")
        raise ValueError(f"the move {text!r} promotes, and no pawn moves so: expected {named}")
    return action
