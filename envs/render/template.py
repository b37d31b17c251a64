"""A board as SVG in layers, which a page fills with the pieces of any position by itself.

A page that shows thousands of positions needs one board and one picture of each piece. The document has a ``<g id>``
for each, and three empty layers, below the labels:

=====================  =================================================================================
``data-layer``         what a page puts there
=====================  =================================================================================
``borders``            marks of squares that the last move touched, in styles that mark squares
``pieces``             pieces
``rings``              marks of pieces that the last move touched, in styles that mark pieces
=====================  =================================================================================

What is drawn on a cell is a ``<use>`` of that group, with ``x`` and ``y`` of `SVG_UNIT` for each column and row that
the cell is away from the first one. The ids are ``piece-1`` and on, by the codes of
`plyground.envs.definition.board`, and ``mark-0`` and on, by the code of what stands on a cell after the move.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from ..game import Game
from .drawing import SVG_UNIT, svg_element, svg_number
from .layout import Layout
from .pictures import board_of
from .shapes import Shape

__all__ = ["SVG_UNIT", "board_template"]

_WHITE = "#ffffff"


def board_template(game: Game, label: str) -> str:
    """Return the empty board of a game as an SVG element.

    Where a picture of the board has a white page, this one has none, and its labels have the colour of the text round
    it: so it fits a dark page too.

    Args:
        game: the game.
        label: the accessible name of the picture.

    Raises:
        ValueError: the game has no board, or one that cannot be drawn.
    """
    board, style = board_of(game)
    layout = Layout(board, style)
    marked, codes = style.last_move, len(board.marks)
    symbols = [_symbol(f"piece-{code}", layout.piece(0, code)) for code in range(1, codes)]
    symbols += [
        _symbol(f"mark-{code}", layout.ring(0, code) if marked == "ring" else layout.border(0)) for code in range(codes)
    ]
    labels = _drawn(layout.labels())
    page = f'<rect width="100%" height="100%" fill={quoteattr(style.page)}/>'
    if style.page == _WHITE:
        page, labels = "", labels.replace(f"fill={quoteattr(style.ink)}", 'fill="currentColor"')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {svg_number(layout.width)} {svg_number(layout.height)}" '
        f'role="img" aria-label={quoteattr(label)} data-mark="{marked}s" '
        'font-family="Helvetica, Arial, sans-serif" text-anchor="middle" stroke-linecap="round">'
        f"<defs>{''.join(symbols)}</defs>{page}{_drawn(layout.surface())}"
        '<g data-layer="borders"></g><g data-layer="pieces"></g><g data-layer="rings"></g>'
        f"{_drawn(layout.square_numbers({}))}{labels}</svg>"
    )


def _symbol(name: str, shapes: Iterable[Shape]) -> str:
    return f'<g id="{name}">{_drawn(shapes)}</g>'


def _drawn(shapes: Iterable[Shape]) -> str:
    return "".join(map(svg_element, shapes))
