"""Where things are in the picture of a board, and the shapes they consist of.

Cells are numbered row by row from the top left, as in `plyground.envs.definition.board`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import partial

from ..definition.board import Board
from .chessmen import chessman
from .shapes import Circle, Line, Point, Polygon, Rectangle, Shape, Text
from .styles import Style, contrast, mix, star_points

__all__ = ["Layout"]

# A crown from -1 to 1 in both directions, y downwards.
_CROWN = [(-0.8, 0.75), (-1, -0.55), (-0.42, 0.05), (0, -0.85), (0.42, 0.05), (1, -0.55), (0.8, 0.75)]


class Layout:
    """A board on its page.

    Attributes:
        width, height: size of the page, without captions.
        label: font size of labels and captions.
    """

    def __init__(self, board: Board, style: Style) -> None:
        self.board, self.style = board, style
        unit = max(board.rows, board.columns) / 8  # margins scale with the board: they look alike in all pictures
        self.label = min(0.42, 0.3 * unit)
        self.frame = min(0.16, 0.1 * unit)
        margin = self.frame + min(0.3, 0.18 * unit)
        self.left = margin + (1.3 * self.label if board.row_labels else 0)
        self.top = margin
        self.width = self.left + board.columns + margin
        self.height = self.top + board.rows + margin + (1.2 * self.label if board.column_labels else 0)

    def centre(self, cell: int) -> Point:
        """Return the middle of a cell."""
        row, column = divmod(cell, self.board.columns)
        return self._at(row, column)

    def ground(self, cell: int) -> str:
        """Return the colour of a cell."""
        return self.style.cell_colour(*divmod(cell, self.board.columns))

    def _at(self, row: float, column: float) -> Point:
        return self.left + column + 0.5, self.top + row + 0.5

    # -- the board -----------------------------------------------------------------------------------------------------

    def surface(self) -> list[Shape]:
        """Return the board without anything on it."""
        board, style = self.board, self.style
        rows, columns, left, top = board.rows, board.columns, self.left, self.top
        shapes: list[Shape] = []
        if style.surface != "lines":  # the plate; below squares too, so that no seam is seen round them
            frame, corner = self.frame, 0.25 if style.surface == "holes" else 0.6 * self.frame
            width, height = columns + 2 * frame, rows + 2 * frame
            shapes.append(Rectangle(left - frame, top - frame, width, height, style.frame, radius=corner))
        if style.surface == "holes":
            for cell in range(rows * columns):
                shapes.append(Circle(*self.centre(cell), 0.43, self.ground(cell), style.line, style.line_width))
        elif style.surface == "squares":
            shapes.append(Rectangle(left, top, columns, rows, style.cell[0]))
            shapes += [
                Rectangle(left + column, top + row, 1, 1, style.cell[1])
                for row in range(rows)
                for column in range(columns)
                if style.cell_colour(row, column) != style.cell[0]
            ]
        shapes += self._lines()
        if style.surface == "squares":  # after the lines, whose round ends it covers
            half = self.frame / 2
            box = left - half, top - half, columns + self.frame, rows + self.frame
            shapes.append(Rectangle(*box, None, style.frame, self.frame, 0.1 * self.frame))
        radius = 0.07 if style.surface == "squares" else 0.11
        for row, column in star_points(style, rows, columns):
            shapes.append(Circle(*self._at(row, column), radius, style.line))
        return shapes

    def _lines(self) -> list[Shape]:
        style, rows, columns = self.style, self.board.rows, self.board.columns
        if not style.line_width or style.surface == "holes":
            return []
        edge = 0.5 if style.surface == "squares" else 0.0  # lines between squares run along the edges of cells
        inner = int(style.surface == "squares")  # squares have lines between them only
        across = [
            Line(self._at(row - edge, -edge), self._at(row - edge, columns - 1 + edge), style.line, style.line_width)
            for row in range(inner, rows)
        ]
        down = [
            Line(self._at(-edge, column - edge), self._at(rows - 1 + edge, column - edge), style.line, style.line_width)
            for column in range(inner, columns)
        ]
        return [*across, *down]

    def labels(self) -> list[Shape]:
        """Return the labels of rows and columns."""
        board, style = self.board, self.style
        x = self.left - self.frame - 0.75 * self.label
        y = self.top + board.rows + self.frame + 0.75 * self.label
        beside = [(x, self._at(row, 0)[1], text) for row, text in enumerate(board.row_labels)]
        beneath = [(self._at(0, column)[0], y, text) for column, text in enumerate(board.column_labels)]
        return [Text(x, y, text, self.label, style.ink) for x, y, text in beside + beneath]

    def square_numbers(self, colours: Mapping[int, str]) -> list[Shape]:
        """Return the numbers of the squares of the second colour, from 1, small at their upper edges.

        There they are beside pieces and arrows, which move along the diagonals.

        Args:
            colours: colours of cells that do not have their usual colour.
        """
        if not self.style.numbered:
            return []
        cells = range(self.board.rows * self.board.columns)
        shapes: list[Shape] = []
        for number, cell in enumerate((c for c in cells if sum(divmod(c, self.board.columns)) % 2), start=1):
            x, y = self.centre(cell)
            ground = colours.get(cell, self.ground(cell))
            shapes.append(Text(x - 0.2, y - 0.41, str(number), 0.17, mix(ground, contrast(ground), 0.8)))
        return shapes

    # -- what is on it -------------------------------------------------------------------------------------------------

    def piece(self, cell: int, code: int, ghost: bool = False) -> list[Shape]:
        """Return a piece, by its code in a `Board`; a ghost is a pale disc that has room for a number."""
        style = self.style
        look = style.pieces[(code - 1) % 2]
        x, y = self.centre(cell)
        radius = style.radius if not ghost else 0.8 * style.radius if look.shape == "disc" else 0.33
        fill, edge = (mix(c, self.ground(cell), 0.25 if ghost else 0) for c in (look.fill, look.edge))
        if look.shape == "cross" and not ghost:
            return [
                Line((x - radius, y - side * radius), (x + radius, y + side * radius), fill, 0.42 * radius)
                for side in (1, -1)
            ]
        if look.shape == "ring" and not ghost:
            return [Circle(x, y, 1.05 * radius, None, fill, 0.42 * radius)]
        if look.shape == "chessman" and not ghost:
            return chessman((code - 1) // 2, x, y, look)
        shapes: list[Shape] = []
        if style.surface != "holes" and not ghost:
            shapes.append(Circle(x + 0.02, y + 0.045, radius, "#000000", opacity=0.28))
        shapes.append(Circle(x, y, radius, fill, edge, 0.03))
        if style.ridged and not ghost:
            shapes.append(Circle(x, y, 0.72 * radius, None, edge, 0.035))
        if code > 2:
            size = 0.5 * radius
            shapes.append(Polygon(tuple((x + size * dx, y + size * dy) for dx, dy in _CROWN), look.mark))
        return shapes

    def border(self, cell: int) -> list[Shape]:
        """Return the mark of a square that the last move touched."""
        x, y = self.centre(cell)
        return [Rectangle(x - 0.46, y - 0.46, 0.92, 0.92, None, self.style.accent, 0.07, 0.03)]

    def danger(self, cell: int) -> list[Shape]:
        """Return the mark of a cell whose piece is threatened: a glow below it."""
        x, y = self.centre(cell)
        steps = [(0.46, 0.25), (0.4, 0.35), (0.33, 0.5)]
        return [Circle(x, y, radius, self.style.danger, opacity=opacity) for radius, opacity in steps]

    def ring(self, cell: int, code: int) -> list[Shape]:
        """Return the mark of the piece that moved last, or a smaller mark on the cell that it left (code 0)."""
        style = self.style
        if code:
            return [Circle(*self.centre(cell), 0.48 * style.radius, None, style.pieces[(code - 1) % 2].mark, 0.06)]
        return [Circle(*self.centre(cell), 0.3 * style.radius, None, style.accent, 0.05)]

    def arrow(self, cells: Sequence[int], colour: str) -> list[Shape]:
        """Return an arrow along cells, with a light edge, that ends a little before the middle of the last."""
        *path, target = [self.centre(cell) for cell in cells]
        return [
            Polygon(outline, fill)
            for fill, grow in (("#ffffff", 0.025), (colour, 0.0))
            for outline in (
                *itertools.starmap(partial(_shaft, grow), itertools.pairwise(path)),
                _arrow(grow, path[-1], target),
            )
        ]


def _shaft(grow: float, start: Point, end: Point) -> tuple[Point, ...]:
    return _along(start, end, [(0, 0.05 + grow), (math.dist(start, end), 0.05 + grow)])


def _arrow(grow: float, start: Point, end: Point) -> tuple[Point, ...]:
    tip = math.dist(start, end) - 0.15
    head = tip - 0.26
    return _along(
        start,
        end,
        [(-grow, 0.05 + grow), (head - grow, 0.05 + grow), (head - grow, 0.16 + 1.6 * grow), (tip + 2 * grow, 0)],
    )


def _along(start: Point, end: Point, half: Sequence[Point]) -> tuple[Point, ...]:
    """Return an outline that is the same on both sides of the way from start to end.

    ``half`` gives the points on one side, as distances along the way and away from it.
    """
    length = math.dist(start, end)
    dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    outline = [*half, *((along, -aside) for along, aside in reversed(half))]
    return tuple((start[0] + along * dx - aside * dy, start[1] + along * dy + aside * dx) for along, aside in outline)
