"""The kernels of `GameBatch`: many games of one kind, each in its row of the same arrays.

Each kernel does one part of a step for the rows ``rows[first:last]``, and a row depends on its own seed and moves
alone: whoever cuts the rows into pieces, for threads, changes nothing. They take arrays one by one, and not a tuple of
all: a tuple that goes through a call counts a reference to each of its arrays, which took longer than the games. For
the same reason their parts are put in line: a call with ten arrays takes as long as a look at the board.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..game import Game
from ..jit import borrowed, helper, kernel
from ..jit.prng import below
from ..repetition import allow_new, count_position, exempt_actions, new_ring

__all__ = ["Frames", "Past", "advance", "draw", "first_illegal", "new_frames", "new_past", "play", "show", "update"]

_SLIDES = 64  # plies after which a window has to be moved back to the right


class Past(NamedTuple):
    """The positions that each game has had, for superko and draws by repetition."""

    keys: NDArray[np.uint64]  # [games, plies], see `count_position`
    seen: NDArray[np.uint64]  # [games, filters, words]
    exempt: NDArray[np.bool_]  # [num_actions]
    limit: int  # how often a position may not be there
    forbids: bool  # whether the last time is forbidden, and not a draw


class Frames(NamedTuple):
    """What both players see, where that shows earlier positions too.

    The planes of a player are a window in a longer array. It slides to the left by the channels of one position each
    ply: then every channel is seen as one of the position before, and only the newest and those that show something
    else are written.
    """

    windows: NDArray[Any]  # [games, players, length]
    first: NDArray[np.int64]  # [games] where the windows begin
    shape: tuple[int, ...]  # of an observation
    frame: int  # channels of one position


def new_past(game: Game, games: int) -> Past | None:
    """Return an empty memory, or None for a game in which it does not matter that a position comes again."""
    if game.repetition is None:
        return None
    forbids = game.repetition.effect == "forbidden"
    return Past(*new_ring(game, games), exempt_actions(game), game.repetition.times, forbids)


def new_frames(game: Game, games: int) -> Frames | None:
    """Return empty planes, or None for a game whose observations show the present only."""
    if game.history is None:
        return None
    _, frame = game.history
    length = math.prod(game.observation_shape) + _SLIDES * frame
    windows = np.zeros((games, 2, length), game.observation_dtype)
    return Frames(windows, np.zeros(games, np.int64), game.observation_shape, frame)


@kernel
def first_illegal(masks, rows, actions):
    """Return the first place whose action is illegal in its row, or -1."""
    for place in range(rows.size):
        action = actions[place]
        if action < 0 or action >= masks.shape[1] or masks[rows[place], action] == 0:
            return place
    return -1


@kernel
def draw(masks, rngs, rows, actions):
    """Write a random legal action for each row of ``rows``."""
    rngs = borrowed(rngs)
    for place in range(rows.size):
        i = rows[place]
        count = 0
        for action in range(masks.shape[1]):
            count += masks[i, action] != 0
        left = below(rngs[i], count)
        # The action before which there are so many legal ones, found without a jump.
        before, drawn = 0, 0
        for action in range(masks.shape[1]):
            before += masks[i, action] != 0
            drawn += before <= left
        if count > 0:
            actions[place] = drawn


@helper(forceinline=True)
def _play(game, i, states, players, plies, over, rewards, action):
    state = states[i]
    game.play(state, action)
    plies[i] += 1
    players[i] = game.player(state)
    over[i] = game.is_terminal(state)
    rewards[i, 0] = rewards[i, 1] = 0
    if over[i]:
        rewards[i, 0] = game.utility(state, 0)
        rewards[i, 1] = game.utility(state, 1)


@helper(forceinline=True)
def _count(game, i, states, plies, over, past):
    """Enter the position into what is remembered, and end the game if it is drawn by repetition."""
    count = count_position(game, states[i], past.keys[i], past.seen[i], plies[i])
    if count >= past.limit and not past.forbids:
        over[i] = True


@helper(forceinline=True)
def _slide(game, i, states, plies, frames):
    """Write the newest position before the earlier ones, as both players see it."""
    size = 1
    for side in frames.shape:
        size *= side
    last = frames.windows.shape[2] - size
    before = frames.first[i]
    first = before - frames.frame
    if plies[i] == 0:
        first = last
    elif first < 0:
        first = last - frames.frame
    frames.first[i] = first
    for player in range(2):
        window = frames.windows[i, player]
        if plies[i] == 0:
            window[:] = 0
        elif before < frames.frame:  # back to the right end
            earlier, later = window[before : before + size], window[last : last + size]
            for j in range(size - 1, -1, -1):
                later[j] = earlier[j]
        game.observe(states[i], player, window[first : first + size].reshape(frames.shape))


@helper(forceinline=True)
def _remember(game, i, states, plies, over, past, frames):
    """Bring what is remembered up to the present position."""
    if past is not None:
        _count(game, i, states, plies, over, past)
    if frames is not None:
        _slide(game, i, states, plies, frames)


@helper(forceinline=True)
def _mask(game, i, states, masks, plies, over, past, actions, after, scratch):
    for action in range(masks.shape[1]):
        masks[i, action] = 0
    if past is not None and past.forbids and not over[i]:
        keys, seen, most = past.keys[i], past.seen[i], past.limit - 1
        allow_new(game, states[i], actions, after, scratch, keys, seen, plies[i], most, past.exempt, masks[i])
    else:
        for j in range(game.legal_actions(states[i], actions)):
            masks[i, actions[j]] = 1


@helper(forceinline=True)
def _show(game, i, states, observations, flat, frames, seat):
    """Write what the player ``seat`` sees; ``flat`` are the ``observations`` as [games, values]."""
    if frames is None:
        for j in range(flat.shape[1]):
            flat[i, j] = 0
        game.observe(states[i], seat, observations[i])
    else:
        window, row = frames.windows[i, seat, frames.first[i] :], flat[i]
        for j in range(row.size):
            row[j] = window[j]


@kernel
def play(game, states, players, plies, over, rewards, rows, actions, first, last):
    """Play a legal action in each row, and see what that leads to."""
    for place in range(first, last):
        _play(game, rows[place], states, players, plies, over, rewards, actions[place])


@kernel
def update(game, states, masks, plies, over, past, frames, actions, after, scratch, rows, first, last):
    """Bring what is remembered of the rows, and what the players to move may play, up to the present positions.

    Games that are drawn by repetition end. The mask of a finished game is what `Game.legal_actions` says.
    """
    masks, past, frames = borrowed((masks, past, frames))
    actions, after, scratch = borrowed((actions, after, scratch))
    for place in range(first, last):
        i = rows[place]
        _remember(game, i, states, plies, over, past, frames)
        _mask(game, i, states, masks, plies, over, past, actions, after, scratch)


@kernel
def show(game, states, observations, frames, rows, seats, first, last):
    """Write what the player ``seats[place]`` sees in each row."""
    observations, frames = borrowed(observations), borrowed(frames)
    flat = observations.reshape(observations.shape[0], -1)
    for place in range(first, last):
        _show(game, rows[place], states, observations, flat, frames, seats[place])


@kernel
def advance(
    game,
    start,
    states,
    players,
    plies,
    over,
    rewards,
    masks,
    observations,
    terminations,
    final_observations,
    past,
    frames,
    played,
    actions,
    after,
    scratch,
    first,
    last,
):
    """Play a legal action in each row, begin those games anew that end, from ``start``, and show all."""
    masks, past, frames = borrowed((masks, past, frames))
    actions, after, scratch = borrowed((actions, after, scratch))
    observations, final_observations = borrowed(observations), borrowed(final_observations)
    flat, flat_final = observations.reshape(players.size, -1), final_observations.reshape(players.size, -1)
    for i in range(first, last):
        _play(game, i, states, players, plies, over, rewards, played[i])
        _remember(game, i, states, plies, over, past, frames)
        terminations[i] = over[i]
        if over[i]:
            _show(game, i, states, final_observations, flat_final, frames, players[i])
            states[i] = start
            players[i] = game.player(states[i])
            plies[i], over[i] = 0, False
            _remember(game, i, states, plies, over, past, frames)
        _mask(game, i, states, masks, plies, over, past, actions, after, scratch)
        _show(game, i, states, observations, flat, frames, players[i])
