"""What the tests of pictures have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from plyground.envs import Board, Game, State, make_game
from plyground.envs.render.drawing import Drawing
from plyground.envs.render.shapes import Circle, Text

RED, YELLOW = "#d7263d", "#f9c80e"
BLACK, WHITE = "#1e2125", "#f7f6f2"


@dataclass
class Found:
    """What a search would have found out."""

    values: Mapping[int, float] = field(default_factory=dict)
    visits: Mapping[int, int] = field(default_factory=dict)
    pv: Sequence[int] = ()


def after(spec: str, *moves: int | str) -> tuple[Game, State, tuple[State, int]]:
    """Return a game, its state after some moves, and the last of them as `picture` takes it."""
    game = make_game(spec)
    before = game.play_moves(moves[:-1])
    action = game.checked_action(before, moves[-1], len(moves) - 1)
    return game, game.play_moves([action], before), (before, action)


def texts(drawing: Drawing) -> dict[str, tuple[float, float]]:
    """Return where each text is, without the bold numbers of plies; texts must differ."""
    found = [shape for shape in drawing.shapes if isinstance(shape, Text) and not shape.bold]
    assert len({shape.text for shape in found}) == len(found)
    return {shape.text: (shape.x, shape.y) for shape in found}


def discs(drawing: Drawing, fill: str) -> list[tuple[float, float]]:
    found = [shape for shape in drawing.shapes if isinstance(shape, Circle)]
    return sorted((round(s.x, 6), round(s.y, 6)) for s in found if s.fill == fill)


def rings(drawing: Drawing, stroke: str) -> list[tuple[float, float]]:
    found = [shape for shape in drawing.shapes if isinstance(shape, Circle) and shape.fill is None]
    return [(s.x, s.y) for s in found if s.stroke == stroke]


def kings() -> Game:
    """Return checkers whose board shows a king of each side, and nothing else."""
    pieces = np.zeros((8, 8), np.int8)
    pieces[0, 1], pieces[7, 6] = 4, 3
    return make_game("checkers").replace(board=Board(8, 8, lambda state: pieces, lambda state, action: (), "checkers"))


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


def linear(colour: str) -> np.ndarray:
    values = np.array(rgb(colour)) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(linear: np.ndarray) -> np.ndarray:
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(to_xyz @ linear / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
