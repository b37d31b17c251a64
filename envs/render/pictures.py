"""Pictures of positions, for every game that has a `Board`.

>>> picture(game, state).save("board.svg")
>>> pixels = picture(game, state, last=(before, action), caption="white_0 to move").to_array(size=800)

A picture can show the last move, and what a search found out: ``picture(game, state, overlay=agent.analyse(state))``,
see `plyground.envs.render.overlays`. In a notebook a picture shows itself.
"""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..definition.board import Board
from ..definition.terms import State
from ..game import Game
from ..outside.arguments import checked_whole
from ..outside.messages import shown
from ..outside.spec import nearest
from .drawing import Drawing
from .layout import Layout
from .overlays import Overlay, OverlayShapes, draw_overlay
from .shapes import Shape, Text
from .styles import STYLES, Style

__all__ = ["board_of", "codes_of", "picture"]


def picture(
    game: Game,
    state: State,
    *,
    last: tuple[State, int] | None = None,
    overlay: Overlay | None = None,
    caption: str = "",
) -> Drawing:
    """Draw a position.

    Args:
        game: the game.
        state: the position, which is not changed.
        last: the last move, which is marked: the state before it, and the action.
        overlay: what a search found out about ``state``, as an agent's ``analyse`` returns it.
        caption: text below the board, such as whose turn it is; long text is wrapped. Pixels can show little more than
            ASCII.

    Raises:
        ValueError: the game has no board or one that does not fit, the state is of another game, or the overlay belongs
            to another position.
        TypeError: ``game`` is no `Game`.
    """
    state, last = _checked(game, state, last, overlay, caption)
    board, style = board_of(game)
    codes = codes_of(game, board, state)
    layout = Layout(board, style)
    over = OverlayShapes() if overlay is None else draw_overlay(game, layout, state, overlay)
    touched = () if last is None else board.cells(*last)
    shapes = layout.surface() + over.below
    if style.last_move == "border":
        shapes += [shape for cell in touched for shape in layout.border(cell)]
    if board.threatened is not None:
        shapes += [shape for cell in board.threatened(state) for shape in layout.danger(cell)]
    for cell, code in enumerate(codes):
        shapes += layout.piece(cell, code) if code else []
    if style.last_move == "ring":
        shapes += [shape for cell in touched for shape in layout.ring(cell, codes[cell])]
    shapes += over.above + layout.square_numbers(over.colours) + layout.labels()
    captions = [text for text in (caption, *over.captions) if text]
    below, height = _captions(layout, " · ".join(captions), over.legend)
    words = [
        game.text(state),
        *([f"Last move: {game.move_name(*last)}"] if last is not None else []),
        *captions,
        over.legend,
    ]
    return Drawing(layout.width, height, (*shapes, *below), style.page, game.spec, "\n".join(filter(None, words)))


def _checked(game: Any, state: Any, last: Any, overlay: Any, caption: Any) -> tuple[State, tuple[State, int] | None]:
    """Return the position and the last move as records of the game; whether they are valid is not asked."""
    if not isinstance(game, Game):
        raise TypeError(f"expected a Game, such as make_game('connect_four'), got {shown(game)}")
    if last is not None:
        if not isinstance(last, tuple) or len(last) != 2:
            raise ValueError(f"last must be the state before the last move, and its action, got {shown(last)}")
        last = game.state_check.record(last[0], "last[0]"), checked_whole("last[1]", last[1], 0, game.num_actions - 1)
    if overlay is not None and not all(hasattr(overlay, part) for part in ("values", "visits", "pv")):
        raise ValueError(f"overlay must be what an agent's analyse returns, got {shown(overlay)}")
    if not isinstance(caption, str):
        raise ValueError(f"caption must be a text, got {shown(caption)}")
    return game.state_check.record(state), last


def board_of(game: Game) -> tuple[Board, Style]:
    """Return the board of a game, and the style in which it is drawn.

    Raises:
        ValueError: there is no board, or one that cannot be drawn.
    """
    board = game.board
    if board is None:
        raise ValueError(
            f"{game.spec} can be shown as text only: for pictures, pass board=Board(…) to its Game(…), "
            "see plyground.envs.Board"
        )
    if board.style not in STYLES:
        raise ValueError(f"unknown style {board.style!r} of the board of {game.spec}: {nearest(board.style, STYLES)}")
    for labels, count, name in (
        (board.row_labels, board.rows, "row_labels"),
        (board.column_labels, board.columns, "column_labels"),
    ):
        if len(labels) not in (0, count):
            raise ValueError(f"{name} of the board of {game.spec} must be {count} or none, got {labels!r}")
    return board, STYLES[board.style]


def codes_of(game: Game, board: Board, state: State) -> list[int]:
    """Return what stands on each cell.

    Raises:
        ValueError: the board does not say so for each cell.
    """
    pieces: NDArray[np.int8] = np.asarray(board.pieces(state))
    most, shape = len(board.marks) - 1, (board.rows, board.columns)
    if pieces.shape != shape or pieces.dtype.kind not in "iu" or pieces.min() < 0 or pieces.max() > most:
        raise ValueError(
            f"pieces(state) of the board of {game.spec} must be an array of shape {shape} with "
            f"numbers 0 to {most}, got shape {pieces.shape} of {pieces.dtype}:\n{pieces}"
        )
    return pieces.ravel().tolist()


def _captions(layout: Layout, text: str, legend: str) -> tuple[list[Shape], float]:
    """Return the lines below the board, those of the legend smaller, and the height of the page with them."""
    shapes: list[Shape] = []
    bottom = layout.height
    for part, size in ((text, layout.label), (legend, 0.75 * layout.label)):
        for line in textwrap.wrap(part, max(4, int(layout.width / (0.58 * size)))):
            shapes.append(Text(layout.width / 2, bottom + 0.4 * size, line, size, layout.style.ink))
            bottom += 1.4 * size
    return shapes, bottom
