"""Go with area scoring, with the conventions of ``pettingzoo.classic.go_v5``. Actions are points, the last one a pass.

The rules are J. Tromp and B. Taylor's (https://tromp.github.io/go.html), with suicide forbidden: area scoring without
agreement on dead stones, and a game that ends after two passes. The state knows the simple ko; the environment adds
superko, for which one must know the whole game. A game that is not over after ``4 * points`` plies, at least 64, is
scored as it stands.

Random rollouts do not fill own single-point eyes, which is what lets them end.

`planes` says what players see.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.knowledge import Knowledge
from ...definition.terms import Repetition, Symmetry, state_dtype
from ...factory import game_factory
from ...game import Game
from ...jit.prng import below
from ..images import board_images
from ..points import EMPTY, point_board, point_names, points
from .area import area
from .chain_checks import chain_checks
from .chains import chains
from .heavy import TRIES, heavy
from .liberties import liberties
from .local import go_local
from .planes import FRAMES, make_decode, make_observe
from .priors import go_priors

__all__ = ["go"]

_SUPERKO = ("positional", "situational", "simple")


@game_factory
def go(board_size: int = 19, komi: float = 7.5, superko: str = "positional") -> Game:
    """Make the game of Go.

    Args:
        board_size: 1 to 19 points a side.
        komi: points that white gets for moving second.
        superko: what environments forbid: ``"positional"``: a board that has been there before; ``"situational"``: one
            that has been there before with the same player to move; ``"simple"``: no more than the simple ko. A pass
            may always be played.

    Raises:
        ValueError: an argument is not one of these.
    """
    if not 1 <= board_size <= 19:
        raise ValueError(f"board_size of go must be from 1 to 19, got {board_size}")
    if superko not in _SUPERKO:
        raise ValueError(f"superko of go must be 'positional', 'situational' or 'simple', got {superko!r}")
    if not abs(komi) < np.inf:
        raise ValueError(f"komi of go must be a number of points, got {komi!r}")
    num_points = pass_move = board_size * board_size
    max_plies = max(4 * num_points, 64)
    half = max_plies // 2
    grid = points(board_size)
    cell_of, point_of, zobrist = grid.cell_of, grid.point_of, grid.zobrist
    fields, set_up_board, place = chains(board_size)
    chains_agree, ko_agrees = chain_checks(board_size)
    _, _, is_legal, is_eye, after, list_empty, _ = liberties(board_size)
    area_balance, owners, evaluate = area(board_size)
    # passes: in a row, just now; situational, which is 1 or 0, and komi: of the game. They stand here so that games
    # which differ in no more than these share their compiled code.
    layout = state_dtype(**fields, turn="i4", passes="i4", ply="i4", situational="i4", komi="f8")
    numbers = np.random.SeedSequence(361).generate_state(max_plies + 3, np.uint64)
    of_turn, of_pass, of_ply, no_turn = numbers[0], numbers[1], numbers[2:], np.uint64(0)

    def setup(state: Any) -> None:
        set_up_board(state)
        state.situational, state.komi = superko == "situational", komi

    def player(state: Any) -> int:
        return state.turn

    def legal_actions(state: Any, actions: Any) -> int:
        count = 0
        if state.passes < 2:
            for i in range(list_empty(state, actions)):
                action = actions[i]
                actions[count] = action
                count += is_legal(state, np.int64(cell_of[action]), state.turn + 1)
        actions[count] = pass_move
        return count + 1

    def random_action(state: Any, actions: Any, rng: Any) -> int:
        own = state.turn + 1
        for _ in range(min(TRIES, state.empties)):
            cell = np.int64(state.empty[below(rng, state.empties)])
            if not is_eye(state, cell, own) and is_legal(state, cell, own):
                return point_of[cell]
        count = 0
        for i in range(state.empties):
            cell = np.int64(state.empty[i])
            if not is_eye(state, cell, own) and is_legal(state, cell, own):
                actions[count] = point_of[cell]
                count += 1
        return actions[below(rng, count)] if count > 0 else pass_move

    def play(state: Any, action: int) -> None:
        if action == pass_move:
            state.passes += 1
            state.ko = 0
        else:
            state.passes = 0
            place(state, np.int64(cell_of[action]), state.turn + 1)
        state.turn = 1 - state.turn
        state.ply += 1

    def is_terminal(state: Any) -> bool:
        return state.passes >= 2 or state.ply >= max_plies

    def utility(state: Any, player: int) -> float:
        margin = area_balance(state) - state.komi
        return np.sign(margin if player == 0 else -margin) + 0.0

    def repetition_key(state: Any) -> Any:
        return state.hash ^ of_turn if state.situational == 1 and state.turn == 1 else state.hash

    def keys_after(state: Any, actions: Any, keys: Any, scratch: Any) -> int:
        flip = of_turn if state.situational == 1 and state.turn == 0 else no_turn
        count = 0
        if state.passes < 2:
            for i in range(list_empty(state, actions)):
                action = actions[i]
                legal, found = after(state, np.int64(cell_of[action]), state.turn + 1)
                actions[count], keys[count] = action, found ^ flip
                count += legal
        actions[count], keys[count] = pass_move, state.hash ^ flip
        return count + 1

    def key(state: Any) -> Any:
        key = state.hash
        if state.turn == 1:
            key ^= of_turn
        if state.passes > 0:
            key ^= of_pass
        if state.ko > 0:
            key ^= zobrist[EMPTY, state.ko]
        # How many plies are left matters near the end only: before, a position is the same whenever it is reached.
        if state.ply > half:
            key ^= of_ply[state.ply]
        return key

    def is_valid(state: Any) -> bool:
        if not (0 <= state.turn <= 1 and 0 <= state.passes <= 2 and 0 <= state.ply <= max_plies):
            return False
        if not chains_agree(state):
            return False
        return state.ko == 0 or (state.passes == 0 and ko_agrees(state, state.turn + 1))

    names, str_to_action = point_names(board_size)
    return Game(
        name="go",
        state=layout,
        num_actions=num_points + 1,
        max_plies=max_plies,
        observation_shape=(board_size, board_size, 2 * FRAMES + 1),
        observation_dtype=np.bool_,
        setup=setup,
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        observe=make_observe(board_size),
        evaluate=evaluate,
        key=key,
        repetition_key=repetition_key,
        keys_after=keys_after,
        random_action=random_action,
        knowledge=Knowledge(heavy(board_size), *go_local(board_size), go_priors(board_size)),
        is_valid=is_valid,
        fixed=("situational", "komi"),
        decode=make_decode(board_size, setup),
        owners=owners,
        action_to_str=names.__getitem__,
        str_to_action=str_to_action,
        board=point_board(board_size),
        symmetries=[Symmetry(image, np.append(image, pass_move)) for image in board_images(board_size, board_size)],
        players=("black_0", "white_0"),
        repetition=None if superko == "simple" else Repetition("forbidden", exempt=(pass_move,)),
        history=(FRAMES, 2),
        history_swap=(1, 0),
    )
