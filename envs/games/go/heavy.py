"""Heavy rollouts of Go: moves that answer the last one, and otherwise random moves that do no obvious harm.

The first of these rules that has a move draws one of its moves:

1. capture: take the chain of the last move, if it has one liberty left;
2. save: where the last move left a chain of the player one liberty, run with it, if that gives two, or take a chain
   beside it;
3. nakade: play the vital point of a small space of the opponent next to the last move;
4. patterns: play one of the `shapes` that touch the last move;
5. capture: take a chain beside the player's own last move;
6. a random move that fills no eye, and gives away no chain; if there is none, a random move that fills no eye.

All but 6 also leave out what gives away the chain. Sources: S. Gelly, Y. Wang, R. Munos, O. Teytaud, "Modification of
UCT with patterns in Monte-Carlo Go", INRIA RR-6062 (2006); M. Enzenberger, M. Müller, B. Arneson, R. Segal, "Fuego: an
open-source framework for board games and Go engine based on Monte Carlo tree search", IEEE TCIAIG 2 (2010).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from ...jit.prng import below
from ..points import points
from .liberties import liberties
from .nakade import nakade
from .patterns import shape_test, surroundings
from .tactics import tactics

__all__ = ["TRIES", "heavy"]

RULES = ("capture", "save", "nakade", "patterns", "capture again", "safe")
TRIES = 8  # random points that a rollout looks at before it lists them all


@cache
def heavy(board_size: int, rules: tuple[str, ...] = RULES) -> Rule:
    """Return the rule ``action`` of `plyground.envs.definition.knowledge` for a board of ``board_size`` points a side.

    Args:
        board_size: points a side.
        rules: the rules that play, by their names; ``"safe"`` is that random moves give away no chain.
    """
    num_points, _, cell_of, point_of, around, diagonals, _ = points(board_size)
    pass_move = num_points
    _, _, is_legal, is_eye, _, _, _ = liberties(board_size)
    last_liberty, _, _, _, is_self_atari = tactics(board_size)
    vital_point = nakade(board_size)
    surroundings_of, is_shape = surroundings(board_size), shape_test()
    captures, saves, kills, follows_shapes, captures_again, is_safe = (rule in rules for rule in RULES)
    near = np.concatenate((around, diagonals))

    @helper
    def add_captures(state: Any, head: Any, own: int, actions: Any, count: int) -> int:
        """Add the moves that take a chain beside the chain ``head``."""
        stone = head
        while True:
            for step in around:
                beside = stone + step
                if state.board[beside] == 3 - own:
                    cell = last_liberty(state, np.int64(state.head[beside]))
                    if cell != 0 and is_legal(state, cell, own) and count < num_points:
                        actions[count] = cell
                        count += 1
            stone = np.int64(state.next[stone])
            if stone == head:
                return count

    @helper
    def list_saving(state: Any, cell: Any, own: int, actions: Any) -> int:
        """List the moves that save a chain beside ``cell`` which has one liberty left."""
        count = 0
        for step in around:
            beside = cell + step
            if state.board[beside] == own:
                head = np.int64(state.head[beside])
                liberty = last_liberty(state, head)
                if liberty != 0:
                    if (
                        count < num_points  # captures are listed once for each contact
                        and is_legal(state, liberty, own)
                        and not is_self_atari(state, liberty, own)
                    ):
                        actions[count] = liberty
                        count += 1
                    count = add_captures(state, head, own, actions, count)
        return count

    @helper
    def list_shapes(state: Any, cell: Any, own: int, actions: Any) -> int:
        """List the points next to ``cell`` that have one of the shapes around them."""
        count = 0
        for step in near:
            beside = cell + step
            if (
                state.board[beside] == 0
                and is_shape(surroundings_of(state, beside))
                and is_legal(state, beside, own)
                and not is_self_atari(state, beside, own)
            ):
                actions[count] = beside
                count += 1
        return count

    @helper
    def list_taking(state: Any, cell: Any, own: int, actions: Any) -> int:
        """List the moves that take a chain beside ``cell``."""
        count = 0
        for step in around:
            beside = cell + step
            if state.board[beside] == 3 - own:
                liberty = last_liberty(state, np.int64(state.head[beside]))
                if liberty != 0 and is_legal(state, liberty, own):
                    actions[count] = liberty
                    count += 1
        return count

    @helper(forceinline=True)
    def is_playable(state: Any, cell: Any, own: int) -> bool:
        return not is_eye(state, cell, own) and is_legal(state, cell, own)

    @helper
    def random_cell(state: Any, own: int, actions: Any, rng: Any) -> Any:
        """Return a random point that is no eye; 0 if there is none."""
        for _ in range(min(TRIES, state.empties)):
            cell = np.int64(state.empty[below(rng, state.empties)])
            if is_playable(state, cell, own) and not (is_safe and is_self_atari(state, cell, own)):
                return cell
        count = others = 0
        for i in range(state.empties):
            cell = np.int64(state.empty[i])
            if is_playable(state, cell, own):
                if not (is_safe and is_self_atari(state, cell, own)):
                    actions[count] = cell
                    count += 1
                else:
                    others += 1
                    actions[num_points - others] = cell
        if count > 0:
            return np.int64(actions[below(rng, count)])
        if others > 0:
            return np.int64(actions[num_points - 1 - below(rng, others)])
        return np.int64(0)

    def action(state: Any, last: int, before: int, actions: Any, rng: Any) -> Any:
        own = state.turn + 1
        if 0 <= last < pass_move:
            cell = np.int64(cell_of[last])
            if captures and state.board[cell] == 3 - own:
                liberty = last_liberty(state, np.int64(state.head[cell]))
                if liberty != 0 and is_legal(state, liberty, own):
                    return point_of[liberty]
            if saves:
                count = list_saving(state, cell, own, actions)
                if count > 0:
                    return point_of[actions[below(rng, count)]]
            if kills:
                vital = vital_point(state, cell, own, actions)
                if vital != 0:
                    return point_of[vital]
            if follows_shapes:
                count = list_shapes(state, cell, own, actions)
                if count > 0:
                    return point_of[actions[below(rng, count)]]
        if captures_again and 0 <= before < pass_move:
            count = list_taking(state, np.int64(cell_of[before]), own, actions)
            if count > 0:
                return point_of[actions[below(rng, count)]]
        found = random_cell(state, own, actions, rng)
        return point_of[found] if found != 0 else pass_move

    return action
