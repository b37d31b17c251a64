"""The men of chess, drawn by polygons, circles and lines, in cells from the middle of a cell; y goes down."""

from __future__ import annotations

import itertools

from .shapes import Circle, Line, Point, Polygon, Shape
from .styles import Piece

__all__ = ["chessman"]

_EDGE = 0.045  # width of the outline
_BASE = ((-0.27, 0.37), (-0.27, 0.3), (-0.2, 0.25), (0.2, 0.25), (0.27, 0.3), (0.27, 0.37))


def _both_sides(*half: Point) -> tuple[Point, ...]:
    """Return an outline that is the same on both sides of the middle, from one side of it, bottom first."""
    return (*half, *((-x, y) for x, y in reversed(half)))


# Pawn, knight, bishop, rook, queen, king: their outlines, then circles as (x, y, radius), then lines inside.
_OUTLINES = (
    (_BASE, _both_sides((-0.18, 0.25), (-0.11, 0.15), (-0.06, -0.02), (-0.12, -0.06))),
    (
        _BASE,
        (
            *((-0.19, 0.25), (-0.15, 0.13), (-0.01, 0.02), (-0.03, -0.06), (-0.13, -0.01), (-0.2, 0.05)),
            *((-0.28, 0.02), (-0.3, -0.06), (-0.19, -0.21), (-0.13, -0.29), (-0.11, -0.38), (-0.03, -0.32)),
            *((0.1, -0.27), (0.2, -0.13), (0.24, 0.06), (0.21, 0.25)),
        ),
    ),
    (
        _BASE,
        _both_sides((-0.16, 0.25), (-0.08, 0.14), (-0.07, 0.06)),
        _both_sides((-0.07, 0.06), (-0.13, -0.02), (-0.14, -0.12), (-0.09, -0.23), (0.0, -0.32)),
    ),
    (
        _BASE,
        _both_sides((-0.19, 0.25), (-0.15, 0.17), (-0.13, -0.12)),
        _both_sides(
            *((-0.13, -0.12), (-0.21, -0.18), (-0.23, -0.35), (-0.12, -0.35), (-0.12, -0.28), (-0.05, -0.28)),
            (-0.05, -0.35),
        ),
    ),
    (
        _BASE,
        _both_sides(
            *((-0.17, 0.25), (-0.2, 0.1), (-0.3, -0.19), (-0.17, -0.01), (-0.155, -0.29), (-0.06, -0.03)),
            (0.0, -0.32),
        ),
    ),
    (
        _BASE,
        _both_sides((-0.025, -0.08), (-0.025, -0.27), (-0.09, -0.27), (-0.09, -0.32), (-0.025, -0.32), (-0.025, -0.39)),
        _both_sides((-0.17, 0.25), (-0.28, -0.02), (-0.24, -0.13), (-0.12, -0.16), (0.0, -0.07)),
    ),
)
_CIRCLES = (
    ((0.0, -0.16, 0.13),),
    (),
    ((0.0, -0.35, 0.04),),
    (),
    tuple((x, y, 0.04) for x, y in ((-0.3, -0.2), (-0.155, -0.3), (0.0, -0.34), (0.155, -0.3), (0.3, -0.2))),
    (),
)
_LINES = (
    (),
    (((-0.145, -0.185), (-0.13, -0.185)), ((0.04, -0.2), (0.13, -0.06)), ((0.13, -0.06), (0.15, 0.12))),
    (((0.0, -0.2), (0.07, -0.1)),),
    (((-0.13, -0.12), (0.13, -0.12)), ((-0.15, 0.17), (0.15, 0.17))),
    (((-0.19, 0.13), (0.19, 0.13)),),
    (((-0.2, 0.14), (0.2, 0.14)), ((0.0, -0.05), (0.0, 0.1))),
)


def chessman(kind: int, x: float, y: float, look: Piece) -> list[Shape]:
    """Return a piece.

    Args:
        kind: pawn, knight, bishop, rook, queen or king: 0 to 5.
        x: the middle of its cell, from the left.
        y: the middle of its cell, from the top.
        look: the colours: filled with ``fill``, outlined with ``edge``, lines inside with ``mark``.
    """
    outlines = [tuple((x + dx, y + dy) for dx, dy in outline) for outline in _OUTLINES[kind]]
    circles = [(x + dx, y + dy, radius) for dx, dy, radius in _CIRCLES[kind]]
    shapes: list[Shape] = [
        Line(start, end, look.edge, _EDGE)
        for outline in outlines
        for start, end in itertools.pairwise((*outline, outline[0]))
    ]
    shapes += [Circle(*circle, look.edge, look.edge, _EDGE) for circle in circles]
    shapes += [Polygon(outline, look.fill) for outline in outlines]
    shapes += [Circle(*circle, look.fill) for circle in circles]
    for start, end in _LINES[kind]:
        (x1, y1), (x2, y2) = start, end
        shapes.append(Line((x + x1, y + y1), (x + x2, y + y2), look.mark, 0.6 * _EDGE))
    return shapes
