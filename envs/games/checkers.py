"""Checkers on 8x8 squares: English draughts, by the rules of the World Checkers Draughts Federation.

Black (player 0) begins on squares 1-12, at the top, and moves down. Men move and jump one step forward, kings also
back. Whoever can jump must, but may choose how. A jump that can go on must go on, with the same piece: it is a row of
actions of one player, who stays `player`. A man that reaches the last row is crowned and its move ends there, in the
middle of a jump too. Whoever cannot move loses. The game is drawn after 80 plies (40 moves a side) without a jump or
a move of a man, and, in environments, when a position stands on the board for the third time; nobody has to claim it.

Boards are bitboards of 35 bits, see `squares`. Actions are the 98 steps ("11-15"), then the 72 jumps ("15x22"); both by
direction (down left, down right, up left, up right) and then by square. Planes: own men, own kings, the other side's
men and kings, the piece in the middle of a jump, all ones for white, and the count of quiet plies in binary, lowest bit
first, a plane for each bit. The board is not turned. It has no symmetries: half a turn would swap the sides. The noisy
moves are the jumps.

OpenSpiel differs in three ways: its white is at the bottom and begins; it draws after 40 plies without a jump, whatever
men do, which is ``checkers(max_quiet_plies=40, men_reset=False)`` here; and there a move that reaches the limit draws
even if it leaves the other side without a move, while here it wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..definition.board import BLACK_FIRST, Board
from ..factory import game_factory
from ..game import Game
from ..jit import helper
from ..jit.bits import lowest, popcount
from .checkers_fen import MOST_PIECES, fen_of, read_fen
from .checkers_position import STATE, key, planes_of, repetition_key
from .draws import drawn_by_repetition
from .features.checkers import WEIGHTS, make_features
from .squares import ACTION, BITS, BOARD, FIRST_ROW, JUMPED, MOVES, ORIGIN, TARGET, action_to_str, cells, pieces

__all__ = ["checkers"]

_ZERO, _ONE, _4, _5, _8, _10 = (np.uint64(n) for n in (0, 1, 4, 5, 8, 10))
_WORTH = WEIGHTS["material"] / (2 * 2 * MOST_PIECES)  # of half a man in the evaluation, with all men on the board


def setup(state: Any) -> None:
    state.sides = [int(BOARD) & 0x1FFF, int(BOARD) >> 22 << 22]


def player(state: Any) -> int:
    return state.turn


@helper
def movers(state: Any) -> Any:
    """Return 1 if the moves are jumps, else 0, and the pieces that can move in each direction."""
    own, other = state.sides[state.turn], state.sides[1 - state.turn]
    empty = BOARD & ~(own | other)
    if state.jumper != _ZERO:
        own = state.jumper
    kings = own & state.kings
    down, up = (own, kings) if state.turn == 0 else (kings, own)
    down_left, down_right = down & (other >> _4) & (empty >> _8), down & (other >> _5) & (empty >> _10)
    up_left, up_right = up & (other << _5) & (empty << _10), up & (other << _4) & (empty << _8)
    if down_left | down_right | up_left | up_right != _ZERO:
        return 1, (down_left, down_right, up_left, up_right)
    return 0, (down & (empty >> _4), down & (empty >> _5), up & (empty << _5), up & (empty << _4))


@helper
def is_blocked(state: Any) -> bool:
    pieces = movers(state)[1]
    return pieces[0] | pieces[1] | pieces[2] | pieces[3] == _ZERO


def legal_actions(state: Any, actions: Any) -> int:
    kind, pieces = movers(state)
    count = 0
    for direction, bits in enumerate(pieces):
        while bits != _ZERO:
            actions[count] = ACTION[kind, direction, lowest(bits)]
            count += 1
            bits &= bits - _ONE
    return count


def noisy_actions(state: Any, actions: Any) -> int:
    return legal_actions(state, actions) if movers(state)[0] == 1 else 0


def is_forced(state: Any) -> bool:
    return movers(state)[0] == 1


def stakes(state: Any, action: int) -> tuple[float, float]:
    # A man is worth 2 and a king 3, as in the evaluation; more when few pieces are left, which is not told here.
    gain = 0.0
    if JUMPED[action] != _ZERO:
        gain = _WORTH * (3.0 if state.kings & JUMPED[action] != _ZERO else 2.0)
    return gain, _WORTH * (3.0 if state.kings & ORIGIN[action] != _ZERO else 2.0)


def passed(state: Any) -> bool:
    if movers(state)[0] == 1:
        return False
    state.turn = 1 - state.turn
    state.quiet += 1
    return True


def utility(state: Any, player: int) -> float:
    if not is_blocked(state):
        return 0.0
    return -1.0 if player == state.turn else 1.0


@game_factory
def checkers(max_quiet_plies: int = 80, men_reset: bool = True, repetition: int = 3) -> Game:
    """Make the game of checkers (English draughts).

    Args:
        max_quiet_plies: plies without a jump or a move of a man after which the game is drawn, 1 to 255.
        men_reset: whether the moves of men start that count anew, as jumps do.
        repetition: times that a position must stand on the board for a draw; 0: it never draws.

    Raises:
        ValueError: a number is out of range.
    """
    drawn = drawn_by_repetition("checkers", max_quiet_plies, repetition)
    digits = max_quiet_plies.bit_length()
    observe, decode = planes_of(digits)

    def play(state: Any, action: int) -> None:
        side = state.turn
        origin, target, jumped = ORIGIN[action], TARGET[action], JUMPED[action]
        is_king = state.kings & origin != _ZERO
        is_crowned = not is_king and target & FIRST_ROW[1 - side] != _ZERO
        state.sides[side] ^= origin | target
        state.sides[1 - side] &= ~jumped
        state.kings &= ~(origin | jumped)
        if is_king or is_crowned:
            state.kings |= target
        state.quiet = state.quiet + 1 if jumped == _ZERO and (is_king or not men_reset) else 0
        if jumped != _ZERO and not is_crowned:
            state.jumper = target
            if movers(state)[0] == 1:
                return  # the same piece jumps again
        state.jumper = _ZERO
        state.turn = 1 - side

    def is_terminal(state: Any) -> bool:
        return state.quiet >= max_quiet_plies or is_blocked(state)

    def is_valid(state: Any) -> bool:
        if not 0 <= state.turn <= 1 or state.quiet > max_quiet_plies:
            return False
        black, white = state.sides[0], state.sides[1]
        own, other = state.sides[state.turn], state.sides[1 - state.turn]
        if (black | white) & ~BOARD != _ZERO or black & white != _ZERO or state.kings & ~(black | white) != _ZERO:
            return False
        if max(popcount(black), popcount(white)) > MOST_PIECES or other == _ZERO:  # who has moved has a piece
            return False
        if ((black & FIRST_ROW[1]) | (white & FIRST_ROW[0])) & ~state.kings != _ZERO:  # men are crowned there
            return False
        if state.jumper == _ZERO:
            return True
        one = state.jumper & (state.jumper - _ONE) == _ZERO and state.jumper & own != _ZERO
        return one and state.quiet == 0 and movers(state)[0] == 1  # the piece that has jumped can jump again

    # At most 23 jumps, with a piece left, and the men of each side have 4 * (7 + 6 + 5) rows to go. No more plies than
    # these start the count anew, and less than max_quiet_plies stand before each of them.
    resets = 23 + (144 if men_reset else 0)
    return Game(
        name="checkers",
        state=STATE,
        num_actions=len(MOVES),
        max_plies=(resets + 1) * max_quiet_plies,
        observation_shape=(8, 8, 6 + digits),
        setup=setup,
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        observe=observe,
        features=make_features(BITS),
        weights=WEIGHTS,
        noisy_actions=noisy_actions,
        is_forced=is_forced,
        stakes=stakes,
        passed=passed,
        key=key,
        repetition_key=repetition_key,
        is_valid=is_valid,
        decode=decode,
        action_to_str=action_to_str,
        fen_of=fen_of,
        read_fen=lambda text: read_fen(text, np.zeros(1, STATE)[0]),
        board=Board(8, 8, pieces, cells, "checkers", sides=BLACK_FIRST),
        repetition=drawn,
    )
