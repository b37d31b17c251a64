"""The shapes that a drawing consists of.

Coordinates and widths are in board units, the side of a cell, from the top left corner of the drawing; colours are
``"#rrggbb"``. A stroke lies half inside and half outside its shape, as in SVG.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BASELINE", "Circle", "Line", "Point", "Polygon", "Rectangle", "Shape", "Text"]

Point = tuple[float, float]

BASELINE = 0.36  # in font sizes: how far the baseline lies below the middle of digits and capitals


@dataclass(frozen=True)
class Rectangle:
    """A rectangle, given by its top left corner; ``radius`` rounds its corners."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None
    stroke: str | None = None
    stroke_width: float = 0.0
    radius: float = 0.0


@dataclass(frozen=True)
class Circle:
    """A circle round ``(x, y)``; ``opacity`` is that of its fill and its stroke."""

    x: float
    y: float
    radius: float
    fill: str | None
    stroke: str | None = None
    stroke_width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True)
class Line:
    """A straight line with round ends."""

    start: Point
    end: Point
    stroke: str
    stroke_width: float


@dataclass(frozen=True)
class Polygon:
    """A filled polygon."""

    points: tuple[Point, ...]
    fill: str


@dataclass(frozen=True)
class Text:
    """One line of text, its middle at ``(x, y)``; ``size`` is that of the font."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    bold: bool = False


Shape = Rectangle | Circle | Line | Polygon | Text
