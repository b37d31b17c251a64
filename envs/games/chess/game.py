"""Chess, by the Laws of FIDE, and Chess960, with the conventions of ``pettingzoo.classic.chess_v6``.

White is player 0. Whoever cannot move is mated if in check; else the game is drawn. It is also drawn when neither side
has the pieces to mate, and, without a claim, after 100 plies (50 moves of each side) without a capture or a move of a
pawn, unless the last of them mates, and, in environments, when a position stands on the board for the third time.
``chess(max_quiet_plies=150, repetition=5)`` draws where the Laws do even if nobody claims (9.6). Positions are the same
for that if the same moves can be played in them: a capture en passant counts if it is legal (9.2.3).

For a search, the noisy moves are captures and promotions, where a pawn becomes nothing but a queen, and in check all
moves; `exchange` has what they are worth.

`moves` numbers the 4672 actions, of which 218 at most are legal in a game, and `planes` what is observed. The board has
no symmetries, since castling has sides.

``chess_v6`` differs in some ways, which ``classic=True`` keeps: its first observation shows an empty board; its games
end as soon as the player to move could claim a draw by announcing a move, a ply before the rule is met; pawns that have
just moved two squares are marked whether or not they can be captured; and the clock of black is upside down.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...factory import game_factory
from ...game import Game
from ...jit import helper
from ...jit.prng import below
from ..draws import drawn_by_repetition, won_by_mate
from ..features.chess import WEIGHTS, Movement, make_features
from .attacks import diagonal_attacks, straight_attacks
from .exchange import exchange, is_forced, passed, stakes
from .fen import fen_of, read_fen
from .legal import is_check, restrictions
from .listing import can_move, list_captures, lister
from .look import chess_board
from .moves import MOST_MOVES, NUM_ACTIONS, action_of, name_in, name_of
from .planes import FIRST_BOARD, FRAMES, PLANES_OF_BOARD, REPEATED, SHAPE, SWAP, make_decode, make_observe
from .playing import player_of_moves
from .position import LAYOUT, is_dead, keys
from .san import read_move
from .squares import KING_STEPS, KNIGHT_STEPS, flipped
from .starts import CHESS, back_rank
from .validity import validity

__all__ = ["chess"]

# Each of 16 pawns moves 6 times at most, and 30 pieces are captured. No more plies than these start the count anew.
_RESETS = 16 * 6 + 30


def player(state: Any) -> int:
    return state.turn


utility = won_by_mate(is_check, can_move)


@game_factory
def chess(chess960: int = -1, max_quiet_plies: int = 100, repetition: int = 3, classic: bool = False) -> Game:
    """Make the game of chess.

    Args:
        chess960: the number of the starting position of Chess960, 0 to 959, where castling is the move of the king onto
            the rook; -1: chess.
        max_quiet_plies: plies without a capture or a move of a pawn after which the game is drawn, 1 to 255.
        repetition: times that a position must stand on the board for a draw; 0: it never draws, and observations do not
            tell of it.
        classic: keep the differences of ``pettingzoo.classic.chess_v6``, see the head of this module.

    Raises:
        ValueError: a number is out of range.
    """
    if not -1 <= chess960 <= 959:
        raise ValueError(f"chess960 of chess must be a number from 0 to 959, or -1 for chess, got {chess960}")
    drawn = drawn_by_repetition("chess", max_quiet_plies, repetition, announced=classic, channel=REPEATED)
    is_960 = chess960 >= 0
    list_moves = lister(is_960)
    play = helper(player_of_moves(is_960, classic))
    repetition_key, key = keys(max_quiet_plies, classic)
    start = back_rank(chess960 if is_960 else CHESS)
    array = read_fen(f"{start.lower()}/pppppppp/8/8/8/8/PPPPPPPP/{start} w KQkq - 0 1", is_960, classic)
    is_valid = validity(max_quiet_plies, is_960, classic, array)

    def setup(state: Any) -> None:
        for name in LAYOUT.names or ():
            state[name] = array[name]
        state.moved = 0

    def legal_actions(state: Any, actions: Any) -> int:
        return list_moves(state, actions, True)

    def legal_list(state: Any) -> list[int]:
        actions = np.empty(MOST_MOVES, np.int32)
        return actions[: legal_actions(state, actions)].tolist()

    def move_of(state: Any, text: str) -> int:
        return read_move(state, text, legal_list)

    def noisy_actions(state: Any, actions: Any) -> int:
        checkers, ends, pinned = restrictions(state)
        if checkers != np.uint64(0):
            return list_moves(state, actions, True)
        return list_captures(state, actions, ends, pinned)

    def random_action(state: Any, actions: Any, rng: Any) -> int:
        return actions[below(rng, list_moves(state, actions, False))]

    @helper
    def is_terminal(state: Any) -> bool:
        return state.quiet >= max_quiet_plies or is_dead(state) or not can_move(state)

    @helper
    def can_announce(state: Any) -> bool:
        """Return whether a move that is neither a capture nor a pawn's reaches the limit, and ends nothing else."""
        actions, after = np.empty(MOST_MOVES, np.int32), np.zeros(1, LAYOUT)
        for i in range(list_moves(state, actions, False)):
            after[0] = state
            play(after[0], np.int64(actions[i]))
            if after[0].quiet >= max_quiet_plies and can_move(after[0]):
                return True
        return False

    def is_terminal_or_announced(state: Any) -> bool:
        return is_terminal(state) or (state.quiet == max_quiet_plies - 1 and can_announce(state))

    return Game(
        name="chess",
        state=LAYOUT,
        num_actions=NUM_ACTIONS,
        max_plies=(_RESETS + 1) * max_quiet_plies,
        observation_shape=SHAPE,
        observation_dtype=np.bool_,
        setup=setup,
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal_or_announced if classic else is_terminal,
        utility=utility,
        observe=make_observe(classic),
        features=make_features(Movement(diagonal_attacks, straight_attacks, KNIGHT_STEPS, KING_STEPS), flipped),
        weights=WEIGHTS,
        noisy_actions=noisy_actions,
        is_forced=is_forced,
        stakes=stakes,
        exchange=exchange,
        passed=passed,
        key=key,
        repetition_key=repetition_key,
        random_action=random_action,
        is_valid=is_valid,
        decode=make_decode(classic, setup),
        action_to_str=name_of,
        str_to_action=action_of,
        move_name=name_in,
        move_of=move_of,
        fen_of=lambda state: fen_of(state, is_960=is_960),
        read_fen=lambda text: read_fen(text, is_960, classic, max_quiet_plies),
        board=chess_board,
        repetition=drawn,
        history=(FRAMES, PLANES_OF_BOARD),
        history_first=FIRST_BOARD,
        history_swap=SWAP,
        history_turned=True,
    )
