"""Shapes painted as pixels, by Pillow, which is imported with the first picture: few programs need it.

Edges are smooth because everything is painted larger, and then averaged. The font comes with Pillow, and has the
characters of ASCII and few more; those of `DRAWN` are drawn.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .shapes import BASELINE, Circle, Line, Polygon, Rectangle, Shape, Text

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

__all__ = ["DRAWN", "paint"]

DRAWN = "≤≥∞"  # characters that the font lacks
_SIMILAR = str.maketrans("≤≥µ×–—−", "<>ux---")  # what is written for others that it lacks


def paint(shapes: Iterable[Shape], size: tuple[int, int], scale: float, background: str) -> Image.Image:
    """Return an RGB image with the shapes.

    Args:
        shapes: shapes in the order in which they are painted.
        size: width and height of the image in pixels.
        scale: pixels to a board unit.
        background: colour of the page.
    """
    from PIL import Image, ImageDraw

    longer = max(size)
    factor = 4 if longer <= 400 else 3 if longer <= 1600 else 2
    image = Image.new("RGB", (size[0] * factor, size[1] * factor), background)
    painter = _Painter(ImageDraw.Draw(image, "RGBA"), scale * factor, factor)
    for shape in shapes:
        painter.paint(shape)
    return image.reduce(factor)


class _Painter:
    """Paints shapes on a large image.

    Args:
        draw: Pillow's painter; in the mode RGBA it blends translucent colours with what is there.
        scale: pixels to a board unit.
        factor: pixels, along a side, that become one pixel of the final image.
    """

    def __init__(self, draw: ImageDraw.ImageDraw, scale: float, factor: int) -> None:
        self._draw, self._scale, self._factor = draw, scale, factor

    def paint(self, shape: Shape) -> None:
        if isinstance(shape, Rectangle):
            self._rectangle(shape)
        elif isinstance(shape, Circle):
            self._circle(shape)
        elif isinstance(shape, Line):
            self._line(shape)
        elif isinstance(shape, Polygon):
            self._draw.polygon([(x * self._scale, y * self._scale) for x, y in shape.points], shape.fill)
        else:
            self._text(shape)

    def _rectangle(self, shape: Rectangle) -> None:
        scale = self._scale
        stroke = self._stroke(shape.stroke_width) if shape.stroke else 0
        left, top = shape.x * scale - stroke / 2, shape.y * scale - stroke / 2
        width, height = shape.width * scale + stroke, shape.height * scale + stroke
        right, bottom = left + max(width - 1, 0), top + max(height - 1, 0)  # Pillow paints both ends, and refuses none
        radius = shape.radius * scale + stroke / 2 if shape.radius else 0
        self._draw.rounded_rectangle((left, top, right, bottom), radius, shape.fill, shape.stroke, stroke)

    def _circle(self, shape: Circle) -> None:
        centre = (shape.x * self._scale, shape.y * self._scale)
        radius = shape.radius * self._scale
        if shape.fill:
            self._draw.circle(centre, radius, _translucent(shape.fill, shape.opacity))
        if shape.stroke:
            stroke = self._stroke(shape.stroke_width)
            self._draw.circle(centre, radius + stroke / 2, None, _translucent(shape.stroke, shape.opacity), stroke)

    def _line(self, shape: Line) -> None:
        start, end = ((x * self._scale, y * self._scale) for x, y in (shape.start, shape.end))
        stroke = self._stroke(shape.stroke_width)
        self._draw.line((start, end), shape.stroke, stroke)
        for point in (start, end):
            self._draw.circle(point, stroke / 2, shape.stroke)

    def _text(self, shape: Text) -> None:
        from PIL import ImageFont

        size = max(1.0, shape.size * self._scale)
        x, y = shape.x * self._scale, shape.y * self._scale + BASELINE * size
        weight = round(size / 40) if shape.bold else 0
        font = ImageFont.load_default(size)
        parts = [part for part in re.split(f"([{DRAWN}])", shape.text) if part]
        widths = [0.9 * size if part == "∞" else font.getlength(_written(part)) for part in parts]
        x -= sum(widths) / 2
        for part, width in zip(parts, widths, strict=True):
            middle = x + width / 2
            if part == "∞":
                self._infinity(middle, y - 0.3 * size, size, shape)
            else:
                self._draw.text((middle, y), _written(part), shape.fill, font, anchor="ms", stroke_width=weight)
            if part in "≤≥":
                half, below = 0.42 * width, y + 0.08 * size
                self._draw.line((middle - half, below, middle + half, below), shape.fill, max(1, round(0.08 * size)))
            x += width

    def _infinity(self, x: float, y: float, size: float, shape: Text) -> None:
        """Paint ∞ as two rings side by side."""
        radius, stroke = 0.2 * size, max(1, round((0.11 if shape.bold else 0.08) * size))
        for side in (-1, 1):
            self._draw.circle((x + side * (radius - stroke / 2), y), radius, None, shape.fill, stroke)

    def _stroke(self, width: float) -> int:
        """Return a width in pixels; lines that would be too thin to see are made a little wider."""
        return max(round(width * self._scale), round(0.6 * self._factor))


def _written(part: str) -> str:
    """Return what the font has of a text: letters without accents, and of ≤ and ≥ the sign above the line."""
    letters = unicodedata.normalize("NFD", part)
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).translate(_SIMILAR)


def _translucent(colour: str, opacity: float) -> str:
    return colour if opacity == 1 else f"{colour}{round(255 * opacity):02x}"
