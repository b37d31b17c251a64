"""The kernels of `GameBatch`: many games of one kind, each in its row of the same arrays.

Each kernel does one part of a step for the rows ``which[first:last]``, and a row depends on its own seed and moves
alone: whoever cuts the rows into pieces, for threads, changes nothing. They take arrays one by one, and not a tuple of
all: a tuple that goes through a call counts a reference to each of its arrays, which took longer than the games.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .game import Game
from .jit import kernel
from .prng import below
from .repetition import count_position, exempt_actions, forbid_repeats, past_shape

__all__ = ["Frames", "Past", "draw", "first_illegal", "mask", "new_frames", "new_past", "play", "record", "show"]


class Past(NamedTuple):
    """The positions that each game has had, for superko and draws by repetition."""

    keys: NDArray[np.uint64]  # [games, tables, slots], see `count_position`
    times: NDArray[np.int32]  # [games, tables, slots]
    exempt: NDArray[np.bool_]  # [num_actions]
    memory: int  # in plies
    limit: int  # how often a position may not be there
    forbids: bool  # whether the last time is forbidden, and not a draw


class Frames(NamedTuple):
    """What both players see, where that shows earlier positions too."""

    planes: NDArray[Any]  # [games, players, *observation_shape]
    remembered: int  # channels of earlier positions
    frame: int  # channels of one position


def new_past(game: Game, games: int) -> Past | None:
    """Return an empty memory, or None for a game in which it does not matter that a position comes again."""
    if game.repetition is None:
        return None
    tables, slots, memory = past_shape(game)
    keys, times = np.zeros((games, tables, slots), np.uint64), np.zeros((games, tables, slots), np.int32)
    forbids = game.repetition.effect == "forbidden"
    return Past(keys, times, exempt_actions(game), memory, game.repetition.times, forbids)


def new_frames(game: Game, games: int) -> Frames | None:
    """Return empty planes, or None for a game whose observations show the present only."""
    if game.history is None:
        return None
    frames, frame = game.history
    planes = np.zeros((games, 2, *game.observation_shape), game.observation_dtype)
    return Frames(planes, (frames - 1) * frame, frame)


@kernel
def first_illegal(masks, which, actions):
    """Return the first place whose action is illegal in its row, or -1."""
    for place in range(which.size):
        action = actions[place]
        if action < 0 or action >= masks.shape[1] or masks[which[place], action] == 0:
            return place
    return -1


@kernel
def draw(masks, rngs, which, actions):
    """Write a random legal action for each row of ``which``."""
    for place in range(which.size):
        i = which[place]
        count = 0
        for action in range(masks.shape[1]):
            count += masks[i, action] != 0
        left = below(rngs[i], count)
        for action in range(masks.shape[1]):
            if masks[i, action] != 0:
                if left == 0:
                    actions[place] = action
                    break
                left -= 1


@kernel
def play(game, states, players, plies, over, rewards, which, actions, first, last):
    """Play a legal action in each row, and see what that leads to."""
    for place in range(first, last):
        i = which[place]
        state = states[i]
        game.play(state, actions[place])
        plies[i] += 1
        players[i] = game.player(state)
        over[i] = game.is_terminal(state)
        rewards[i, 0] = rewards[i, 1] = 0
        if over[i]:
            rewards[i, 0] = game.utility(state, 0)
            rewards[i, 1] = game.utility(state, 1)


@kernel
def record(game, states, plies, over, past, frames, which, first, last):
    """Enter the present positions of the rows into what is remembered, and end games that are drawn by repetition."""
    for place in range(first, last):
        i = which[place]
        state = states[i]
        if past is not None:
            if plies[i] == 0:
                past.times[i] = 0
            count = count_position(game, state, past.keys[i], past.times[i], plies[i], past.memory)
            if count >= past.limit and not past.forbids:
                over[i] = True
        if frames is not None:
            for player in range(2):
                planes = frames.planes[i, player]
                cells = planes.reshape(-1, planes.shape[-1])
                used = frames.frame + frames.remembered
                for cell in range(cells.shape[0]):
                    for channel in range(cells.shape[1] - 1, -1, -1):
                        moved = plies[i] > 0 and frames.frame <= channel < used
                        cells[cell, channel] = cells[cell, channel - frames.frame] if moved else 0
                game.observe(state, player, planes)


@kernel
def mask(game, states, masks, over, past, actions, scratch, which, first, last):
    """Write what the players to move may play; of a finished game, what `Game.legal_actions` says."""
    for place in range(first, last):
        i = which[place]
        for action in range(masks.shape[1]):
            masks[i, action] = 0
        for j in range(game.legal_actions(states[i], actions)):
            masks[i, actions[j]] = 1
        if past is not None and past.forbids and not over[i]:
            keys, times = past.keys[i], past.times[i]
            forbid_repeats(game, states[i], scratch, keys, times, past.limit - 1, past.exempt, masks[i])


@kernel
def show(game, states, observations, frames, which, seats, first, last):
    """Write what the player ``seats[place]`` sees in each row."""
    flat = observations.reshape(observations.shape[0], -1)
    for place in range(first, last):
        i = which[place]
        if frames is not None:
            planes = frames.planes[i, seats[place]].reshape(-1)
            for j in range(planes.size):
                flat[i, j] = planes[j]
        else:
            for j in range(flat.shape[1]):
                flat[i, j] = 0
            game.observe(states[i], seats[place], observations[i])
