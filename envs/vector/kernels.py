"""The kernels of `GameBatch`: many games of one kind, each in its row of the same arrays.

The kernels take the arrays as `Columns`. Those for parts of a step work on ``rows[first:last]``, and a row depends on
its own seed and moves alone: cutting the rows into pieces, for threads, changes nothing. The parts of a step are put in
line: a call with ten arrays takes as long as a look at the board.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..history import Frames, show_frames, slide
from ..jit import helper, kernel
from ..jit.prng import below
from ..repetition import Past, enter, is_drawn, mark_newest, write_mask

__all__ = [
    "Columns",
    "advance",
    "draw",
    "first_illegal",
    "first_inconsistent",
    "play",
    "show",
    "show_both",
]


class Columns(NamedTuple):
    """The games, a row each; `GameBatch` says what each column is."""

    states: NDArray[Any]  # [games]
    players: NDArray[np.int8]  # [games]
    plies: NDArray[np.int32]  # [games]
    over: NDArray[np.bool_]  # [games]
    rewards: NDArray[np.float32]  # [games, 2]
    masks: NDArray[np.int8]  # [games, num_actions]
    observations: NDArray[Any]  # [games, *observation_shape]
    terminations: NDArray[np.bool_]  # [games]
    final_observations: NDArray[Any]  # [games, *observation_shape]
    past: Past | None
    frames: Frames | None


@kernel
def first_illegal(masks, over, rows, actions):
    """Return the first place whose action is illegal in its row, or whose game is over, or -1."""
    for place in range(rows.size):
        row, action = rows[place], actions[place]
        if over[row] or action < 0 or action >= masks.shape[1] or masks[row, action] == 0:
            return place
    return -1


@kernel
def first_inconsistent(game, max_plies, states, players, plies, over, masks, actions):
    """Return the first row whose columns do not agree with its state, which is valid, or -1.

    ``actions`` [num_actions] is room to work in. A game may be over for another reason than its state; after
    ``max_plies`` it is over, and no count of plies is larger.
    """
    for i in range(states.size):
        state = states[i]
        if players[i] != game.player(state) or plies[i] < 0 or plies[i] > max_plies:
            return i
        marked, others = 0, 0
        for action in range(masks.shape[1]):
            marked += masks[i, action] == 1
            others += masks[i, action] != 0 and masks[i, action] != 1
        if others != 0:
            return i
        if over[i]:
            continue
        if plies[i] == max_plies or game.is_terminal(state):
            return i
        legal = 0
        for place in range(game.legal_actions(state, actions)):
            legal += masks[i, actions[place]]
        if marked != legal or marked == 0:  # an action is marked that is not legal, or none is
            return i
    return -1


@kernel
def draw(masks, rngs, rows, actions):
    """Write a random legal action for each row of ``rows``."""
    for place in range(rows.size):
        i = rows[place]
        count = 0
        for action in range(masks.shape[1]):
            count += masks[i, action] != 0
        left = below(rngs[i], count)
        # The action that has ``left`` legal ones before it, found without a jump.
        before, drawn = 0, 0
        for action in range(masks.shape[1]):
            before += masks[i, action] != 0
            drawn += before <= left
        if count > 0:
            actions[place] = drawn


@helper(forceinline=True)
def _play(game, i, columns, past, frames, scratch, action):
    """Play a legal action in row ``i``, and bring what is remembered of the game up to the new position."""
    state, rewards = columns.states[i], columns.rewards[i]
    game.play(state, action)
    columns.plies[i] += 1
    columns.players[i] = game.player(state)
    columns.over[i] = game.is_terminal(state)
    rewards[0] = rewards[1] = 0
    if columns.over[i]:
        rewards[0] = game.utility(state, 0)
        rewards[1] = game.utility(state, 1)
    _remember(game, i, columns, past, frames, scratch)


@helper(forceinline=True)
def _remember(game, i, columns, past, frames, scratch):
    """Enter the position into what is remembered, and end the game if it is drawn by repetition."""
    times = enter(game, columns.states[i], past, i, columns.plies[i])
    if is_drawn(game, columns.states[i], past, i, columns.plies[i], scratch, times):
        columns.over[i] = True
    if frames is not None:
        slide(game, columns.states[i], columns.plies[i], past, frames, i, times)


@helper(forceinline=True)
def _mask(game, i, columns, past, scratch):
    write_mask(game, columns.states[i], columns.over[i], past, i, columns.plies[i], scratch, columns.masks[i])


@helper(forceinline=True)
def _show(game, i, columns, observations, flat, past, frames, seat):
    """Write what the player ``seat`` sees into ``observations``; ``flat`` has them as [games, values]."""
    if frames is None:
        for j in range(flat.shape[1]):
            flat[i, j] = 0
        game.observe(columns.states[i], seat, observations[i])
        mark_newest(past, observations, i, columns.plies[i])
    else:
        show_frames(frames, i, seat, flat[i])


@kernel
def play(game, columns, scratch, rows, actions, first, last):
    """Play a legal action in each row, and write the masks.

    Games that are drawn by repetition end. The mask of a finished game is what `Game.legal_actions` says.
    """
    for place in range(first, last):
        i = rows[place]
        _play(game, i, columns, columns.past, columns.frames, scratch, actions[place])
        _mask(game, i, columns, columns.past, scratch)


@kernel
def show(game, columns, scratch, rows, seats, first, last):
    """Write what the player ``seats[place]`` sees in each row."""
    flat = columns.observations.reshape(columns.players.size, -1)
    for place in range(first, last):
        _show(game, rows[place], columns, columns.observations, flat, columns.past, columns.frames, seats[place])


@kernel
def show_both(game, columns, scratch, rows, seen, first, last):
    """Write what each player sees in each row into ``seen`` [players, games, *observation_shape]."""
    for seat in range(2):
        observations = seen[seat]
        flat = observations.reshape(columns.players.size, -1)
        for place in range(first, last):
            _show(game, rows[place], columns, observations, flat, columns.past, columns.frames, seat)


@kernel
def advance(game, columns, scratch, start, actions, first, last):
    """Play a legal action in each row, begin those games anew that end, from ``start``, and show all."""
    games = columns.players.size
    flat, flat_final = columns.observations.reshape(games, -1), columns.final_observations.reshape(games, -1)
    for i in range(first, last):
        _play(game, i, columns, columns.past, columns.frames, scratch, actions[i])
        columns.terminations[i] = columns.over[i]
        if columns.over[i]:
            seen, seat = columns.final_observations, columns.players[i]
            _show(game, i, columns, seen, flat_final, columns.past, columns.frames, seat)
            columns.states[i] = start
            columns.players[i] = game.player(columns.states[i])
            columns.plies[i], columns.over[i] = 0, False
            _remember(game, i, columns, columns.past, columns.frames, scratch)
        _mask(game, i, columns, columns.past, scratch)
        _show(game, i, columns, columns.observations, flat, columns.past, columns.frames, columns.players[i])
