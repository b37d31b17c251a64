"""Observations that show earlier positions, too: the planes as a window that slides along a longer array.

A game with a ``history`` shows its last ``frames`` positions, the newest first, each in a ``frame`` of channels. As one
row of values, an observation that begins ``frame`` values to the left of another shows the same positions one place
further back. So nothing is moved when a game goes on: the window slides to the left by a frame, and `Game.observe`
writes the newest position, and the channels before and after all positions, over what is there.

`Frames` are the windows of games in progress, which `slide` moves on. A search, which begins where such a game is and
looks ahead, writes with `show_way` what is seen at the end of a line.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .game import Game
from .jit import helper
from .repetition import mark

__all__ = ["Frames", "copy_frames", "new_frames", "show_frames", "show_way", "slide"]

_SLIDES = 64  # plies after which a window is moved back to the right end


class Frames(NamedTuple):
    """What both players see in each of some games."""

    windows: NDArray[Any]  # [games, players, length]
    first: NDArray[np.int64]  # [games] where the windows begin
    shape: tuple[int, ...]  # the shape of an observation
    frame: int  # the number of channels of one position


def new_frames(game: Game, games: int) -> Frames | None:
    """Return empty planes, or None for a game whose observations show only the present."""
    if game.history is None:
        return None
    _, frame = game.history
    length = math.prod(game.observation_shape) + _SLIDES * frame
    windows = np.zeros((games, 2, length), game.observation_dtype)
    return Frames(windows, np.zeros(games, np.int64), game.observation_shape, frame)


def copy_frames(planes: NDArray[Any], frames: Frames, rows: NDArray[np.intp]) -> None:
    """Let both players of ``rows`` [some] see ``planes`` [players, *observation_shape]."""
    last = frames.windows.shape[2] - math.prod(frames.shape)
    frames.windows[rows, :, last:] = planes.reshape(2, -1)
    frames.first[rows] = last


@helper(forceinline=True)
def slide(game, state, ply, past, frames, row, times):
    """Write the newest position of a game before the earlier ones, as both players see it.

    Args:
        game: the game.
        state: the position.
        ply: plies since the start of the game; at 0 there are no earlier positions.
        past: a `Past`, or None for a game without repetitions.
        frames: the `Frames`.
        row: the row of the game in ``frames``.
        times: how often the position has stood on the board.
    """
    size = 1
    for side in frames.shape:
        size *= side
    last = frames.windows.shape[2] - size
    before = frames.first[row]
    first = before - frames.frame
    if ply == 0:
        first = last
    elif first < 0:
        first = last - frames.frame
    frames.first[row] = first
    for player in range(2):
        window = frames.windows[row, player]
        if ply == 0:
            window[:] = 0
        elif before < frames.frame:  # back to the right end
            earlier, later = window[before : before + size], window[last : last + size]
            for j in range(size - 1, -1, -1):
                later[j] = earlier[j]
        game.observe(state, player, window[first : first + size].reshape(frames.shape))
        mark(past, window[first : first + size].reshape(-1, frames.shape[-1]), times)


@helper(forceinline=True)
def show_frames(frames, row, player, planes):
    """Write what a player sees in a game into ``planes`` [values]."""
    window = frames.windows[row, player, frames.first[row] :]
    for j in range(planes.size):
        planes[j] = window[j]


@helper(forceinline=True)
def show_way(game, observe, way, plies, player, shown, frames, frame, shape, window, planes):
    """Write what a player sees at the end of a line, earlier positions included.

    Args:
        game: the game.
        observe: ``observe(game, way, ply, player, planes)`` writes what the player sees of the position after so many
            plies, the last ``frames`` of them, in their order.
        way: what ``observe`` needs to know the line.
        plies: the length of the line.
        player: 0 or 1.
        shown: [values] what the player sees where the line begins.
        frames: positions in an observation.
        frame: channels of each.
        shape: the shape of an observation.
        window: [values + (frames - 1) · frame] scratch.
        planes: [values], which are overwritten.
    """
    values = planes.size
    if plies < frames:  # else nothing is seen any more of where the line began
        before = window[plies * frame : plies * frame + values]
        for j in range(values):
            before[j] = shown[j]
    for left in range(min(plies, frames) - 1, -1, -1):  # positions between one and the end, which it is older than
        newest = window[left * frame : left * frame + values].reshape(shape)
        observe(game, way, plies - left, player, newest)
    for j in range(values):
        planes[j] = window[j]
