"""A display list of `shapes`, and what becomes of it: an SVG document, pixels, a file.

Shapes are painted in order. In SVG, text appears in the reader's sans-serif font; in pixels, in the font of `raster`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from ..outside.arguments import checked_whole
from .raster import paint
from .shapes import BASELINE, Circle, Line, Polygon, Rectangle, Shape

__all__ = ["PIXELS", "SVG_UNIT", "Drawing", "picture_format", "svg_element", "svg_number"]

PIXELS = 16, 8192  # the fewest and the most on the longer side of a picture

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

SVG_UNIT = 100  # a board unit in the coordinates of SVG: some programs draw fonts of less than one unit badly


@dataclass(frozen=True, repr=False)
class Drawing:
    """A display list, and a description for those who cannot see it.

    Attributes:
        width, height: size of the drawing in board units.
        shapes: the shapes, in the order in which they are painted.
        background: colour of the page.
        title: a short name.
        description: the picture in words.
    """

    width: float
    height: float
    shapes: Sequence[Shape]
    background: str = "#ffffff"
    title: str = ""
    description: str = ""

    def __repr__(self) -> str:
        about = f" {self.title!r}" if self.title else ""  # not its shapes: a board has hundreds
        return f"<{type(self).__name__}{about}: {self.width:g} by {self.height:g}, {len(self.shapes)} shapes>"

    def size_in_pixels(self, size: int) -> tuple[int, int]:
        """Return width and height, so that the longer side has ``size`` pixels.

        Raises:
            ValueError: ``size`` is not 16 to 8192.
        """
        size = checked_whole("size, the pixels on the longer side of a picture,", size, *PIXELS)
        scale = size / max(self.width, self.height)
        return max(1, round(self.width * scale)), max(1, round(self.height * scale))

    def to_svg(self, size: int = 480) -> str:
        """Return the drawing as an SVG document.

        Args:
            size: pixels on the longer side, where nothing else scales the picture.

        Raises:
            ValueError: ``size`` is out of range.
        """
        width, height = self.size_in_pixels(size)
        box = f"0 0 {svg_number(self.width)} {svg_number(self.height)}"
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{width}" height="{height}" role="img"'
            ' font-family="Helvetica, Arial, sans-serif" text-anchor="middle" stroke-linecap="round">',
            f"<title>{_escaped(self.title)}</title>",
            f"<desc>{_escaped(self.description)}</desc>",
            f'<rect width="100%" height="100%" fill={quoteattr(self.background)}/>',
            *map(svg_element, self.shapes),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def to_array(self, size: int = 800) -> NDArray[np.uint8]:
        """Return the drawing as RGB pixels, uint8 [height, width, 3]; the longer side has ``size`` of them.

        The shorter side has an even number: videos of odd ones are played by few programs.

        Raises:
            ValueError: ``size`` is out of range.
        """
        return np.array(self._image(size))

    def save(self, path: str | Path, size: int = 800) -> None:
        """Write the drawing to a file, of the kind that its suffix names, with ``size`` pixels on the longer side.

        Raises:
            ValueError: the suffix is not .svg or .png, or ``size`` is out of range.
            OSError: the file cannot be written.
        """
        if picture_format(path) == "svg":
            Path(path).write_text(self.to_svg(size), encoding="utf-8", newline="\n")
        else:
            self._image(size).save(path, "PNG", optimize=True)

    def _image(self, size: int) -> Any:
        width, height = (side if side == size else side + side % 2 for side in self.size_in_pixels(size))  # for videos
        return paint(self.shapes, (width, height), size / max(self.width, self.height), self.background)

    def _repr_svg_(self) -> str:
        """Show the drawing in a notebook."""
        return self.to_svg()


def picture_format(path: str | Path) -> Literal["svg", "png"]:
    """Return what kind of picture the suffix of a file asks for.

    Raises:
        ValueError: the suffix is neither .svg nor .png.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".svg", ".png"):
        raise ValueError(f"cannot save a picture as {str(path)!r}: give the file the suffix .svg or .png")
    return "svg" if suffix == ".svg" else "png"


def svg_number(value: float) -> str:
    """Return a length in board units as a number in the coordinates of SVG."""
    return f"{round(value * SVG_UNIT, 2) + 0.0:g}"  # + 0.0: no "-0"


def svg_element(shape: Shape) -> str:
    """Return a shape as an element of SVG."""
    if isinstance(shape, Rectangle):
        attributes = _attributes(x=shape.x, y=shape.y, width=shape.width, height=shape.height)
        attributes += _attributes(rx=shape.radius) if shape.radius else ""
        return f"<rect{attributes}{_paint(shape.fill, shape.stroke, shape.stroke_width)}/>"
    if isinstance(shape, Circle):
        attributes = _attributes(cx=shape.x, cy=shape.y, r=shape.radius)
        return f"<circle{attributes}{_paint(shape.fill, shape.stroke, shape.stroke_width, shape.opacity)}/>"
    if isinstance(shape, Line):
        (x1, y1), (x2, y2) = shape.start, shape.end
        attributes = _attributes(x1=x1, y1=y1, x2=x2, y2=y2)
        return f"<line{attributes}{_paint(None, shape.stroke, shape.stroke_width)}/>"
    if isinstance(shape, Polygon):
        points = " ".join(f"{svg_number(x)},{svg_number(y)}" for x, y in shape.points)
        return f'<polygon points="{points}"{_paint(shape.fill, None, 0)}/>'
    attributes = _attributes(x=shape.x, y=shape.y + BASELINE * shape.size) + _attributes(font_size=shape.size)
    weight = ' font-weight="bold"' * shape.bold
    return f"<text{attributes}{weight} fill={quoteattr(shape.fill)}>{_escaped(shape.text)}</text>"


def _escaped(text: str) -> str:
    """Return text as XML has it, which cannot hold control characters, nor halves of surrogate pairs."""
    return escape(_NO_XML.sub("\ufffd", text))


def _attributes(**values: float) -> str:
    return "".join(f' {name.replace("_", "-")}="{svg_number(value)}"' for name, value in values.items())


def _paint(fill: str | None, stroke: str | None, stroke_width: float, opacity: float = 1.0) -> str:
    text = f" fill={quoteattr(fill or 'none')}"
    if stroke is not None:
        text += f" stroke={quoteattr(stroke)}" + _attributes(stroke_width=stroke_width)
    return text + (f' opacity="{opacity:g}"' if opacity != 1 else "")
