"""Gardner's minichess: chess on a board of 5x5, with one piece of each kind, and no castling, small enough to learn.

White is player 0. Pawns never move two squares, so that nothing is captured en passant, and promote as in chess. Draws
are those of `plyground.envs.games.chess`. With best play the game is drawn (M. Mhalla and F. Prost, "Gardner's
minichess variant is solved", ICGA Journal 36, 2013).

What players observe is turned as in chess: each sees the own first rank at the bottom. Files stay.

A state shows the board as the player to move sees it: own pieces are positive, and all is turned round after a move.
Squares go by ranks, from the own first one::

    rank 4    20 21 22 23 24
    ...
    rank 0     0  1  2  3  4

An action is ``49 * origin + plane``, with planes as in `plyground.envs.games.chess.moves`: ``8 * (distance - 1) +
direction`` on a line, 32 to 39 the leaps of a knight, 40 to 48 a pawn that becomes a knight, a bishop or a rook.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..definition.terms import Rule
from ..factory import game_factory
from ..game import Game
from .draws import drawn_by_repetition, near_end, won_by_mate
from .features.minichess import WEIGHTS, features
from .minichess_moves import KING, PAWN, PLANES, SIZE, SQUARES
from .minichess_rules import (
    QUIET_KEYS,
    STATE,
    can_move,
    is_attacked,
    is_check,
    is_dead,
    king_of,
    legal_actions,
    noisy_actions,
    play,
    repetition_key,
    setup,
)
from .minichess_texts import BOARD, action_to_str, fen_of, move_name, move_of, read_fen

__all__ = ["minichess"]

# Each of 10 pawns moves 3 times at most, and 18 pieces are captured. No more plies than these start the count anew.
_RESETS = 10 * 3 + 18


def player(state: Any) -> int:
    return state.turn


utility = won_by_mate(is_check, can_move)


def _rules_of_planes(digits: int) -> tuple[Rule, Rule]:
    """Return the rules ``observe`` and ``decode``; the count of quiet plies is shown in binary ``digits``."""

    def observe(state: Any, player: int, planes: Any) -> None:
        sign = 1 if player == state.turn else -1
        for square in range(SQUARES):
            row = SIZE - 1 - square // SIZE if sign == 1 else square // SIZE
            piece = sign * state.cells[square]
            for kind in range(1, 7):
                planes[row, square % SIZE, kind - 1] = piece == kind
                planes[row, square % SIZE, 5 + kind] = piece == -kind
        planes[:, :, 12] = player
        for digit in range(digits):
            planes[:, :, 13 + digit] = state.quiet >> digit & 1

    def decode(planes: Any, state: Any) -> None:
        kinds = np.arange(1, 7)
        cells = (planes[:, :, :6] != 0) @ kinds - (planes[:, :, 6:12] != 0) @ kinds
        state.cells[:] = cells[::-1].ravel()
        state.turn = int(planes[0, 0, 12] != 0)
        state.quiet = sum(1 << digit for digit in range(digits) if planes[0, 0, 13 + digit])

    return observe, decode


@game_factory
def minichess(max_quiet_plies: int = 100, repetition: int = 3) -> Game:
    """Make Gardner's minichess.

    Args:
        max_quiet_plies: plies without a capture or a move of a pawn after which the game is drawn, 1 to 255.
        repetition: times that a position must stand on the board for a draw; 0: it never draws.

    Raises:
        ValueError: a number is out of range.
    """
    drawn = drawn_by_repetition("minichess", max_quiet_plies, repetition)
    digits = max_quiet_plies.bit_length()
    observe, decode = _rules_of_planes(digits)
    near = near_end(max_quiet_plies)

    def is_terminal(state: Any) -> bool:
        return state.quiet >= max_quiet_plies or is_dead(state) or not can_move(state)

    def key(state: Any) -> Any:
        # How many plies are left matters near the end only.
        value = repetition_key(state)
        return value ^ QUIET_KEYS[state.quiet] if state.quiet > near else value

    def is_valid(state: Any) -> bool:
        if not 0 <= state.turn <= 1 or state.quiet > max_quiet_plies:
            return False
        kings, others, own, other, pawns, foes = 0, 0, 0, 0, 0, 0
        for square in range(SQUARES):
            piece = np.int64(state.cells[square])
            if not -6 <= piece <= 6:
                return False
            if abs(piece) == PAWN and (square < SIZE or square >= SQUARES - SIZE):
                return False
            own, other = own + (piece > 0), other + (piece < 0)
            kings, others = kings + (piece == KING), others + (piece == -KING)
            pawns, foes = pawns + (piece == PAWN), foes + (piece == -PAWN)
        if kings != 1 or others != 1 or own > 2 * SIZE or other > 2 * SIZE or pawns > SIZE or foes > SIZE:
            return False
        return not is_attacked(state.cells, king_of(state.cells, -1), 1, -1, -1)

    return Game(
        name="minichess",
        state=STATE,
        num_actions=SQUARES * PLANES,
        max_plies=(_RESETS + 1) * max_quiet_plies,
        observation_shape=(SIZE, SIZE, 13 + digits),
        setup=setup,
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        observe=observe,
        features=features,
        weights=WEIGHTS,
        noisy_actions=noisy_actions,
        key=key,
        repetition_key=repetition_key,
        is_valid=is_valid,
        decode=decode,
        action_to_str=action_to_str,
        move_name=move_name,
        move_of=move_of,
        fen_of=fen_of,
        read_fen=lambda text: read_fen(text, max_quiet_plies),
        board=BOARD,
        repetition=drawn,
    )
