"""How boards look: one style for each kind of board, as data for `plyground.envs.render.pictures`.

Colours are ``"#rrggbb"``, lengths are in cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from .shapes import Point

__all__ = ["STYLES", "Piece", "Style", "contrast", "mix", "star_points"]

_DARK, _LIGHT = "#16191d", "#ffffff"


@dataclass(frozen=True)
class Piece:
    """The pieces of one player.

    Attributes:
        shape: a disc, one of the marks of tic-tac-toe, or the men of chess.
        fill: colour of the pieces.
        edge: colour of the line round a disc, and of the ridge inside it.
        mark: colour of the crown on a king, and of the ring on the piece that has just moved.
    """

    shape: Literal["disc", "cross", "ring", "chessman"]
    fill: str
    edge: str
    mark: str


@dataclass(frozen=True)
class Style:
    """A kind of board.

    Attributes:
        surface: a plate with holes, squares, or lines with the pieces on their crossings.
        cell: two colours of cells, the second for every other cell: of holes, of squares, or of the wood below lines.
        frame: colour of the plate, or of the frame round squares.
        line: colour of the lines.
        line_width: width of the lines.
        page: colour of the page round the board.
        ink: colour of the labels.
        accent: colour of the marks of the last move on the board itself.
        danger: colour of the mark of a king in check.
        heat: colour of the action that a search has visited most.
        pieces: looks of the first player's pieces, and of the second player's.
        radius: radius of a piece.
        last_move: mark of the last move: a ring on the piece, or a border inside the squares that it touched.
        stars: whether the board has dots, see `star_points`.
        ridged: whether discs have a ridge inside their edge.
        numbered: whether every other square has a number, as in records of checkers.
    """

    surface: Literal["holes", "squares", "lines"]
    cell: tuple[str, str]
    frame: str
    line: str
    line_width: float
    page: str
    ink: str
    accent: str
    heat: str
    pieces: tuple[Piece, Piece]
    radius: float
    last_move: Literal["ring", "border"]
    stars: bool = False
    ridged: bool = False
    numbered: bool = False
    danger: str = "#d7263d"

    def cell_colour(self, row: int, column: int) -> str:
        """Return the colour of a cell; the cell at the top left has the first colour."""
        return self.cell[(row + column) % 2]


_BLACK = Piece("disc", "#1e2125", "#3d434a", "#f4f5f6")
_WHITE = Piece("disc", "#f7f6f2", "#b9b6ac", "#22262b")

STYLES: dict[str, Style] = {
    # Connect Four. As in pettingzoo.classic the plate is blue and the first player red; the second is not black there
    # but yellow, as in the shops.
    "holes": Style(
        surface="holes",
        cell=("#f3f6fb", "#f3f6fb"),
        frame="#1f4fb5",
        line="#173d8f",
        line_width=0.05,
        page="#ffffff",
        ink="#4a5361",
        accent="#16191d",
        heat="#0e7a5f",
        pieces=(Piece("disc", "#d7263d", "#a3172b", "#ffffff"), Piece("disc", "#f9c80e", "#c99a00", "#16191d")),
        radius=0.41,
        last_move="ring",
        ridged=True,
    ),
    # tic-tac-toe and its kin
    "marks": Style(
        surface="squares",
        cell=("#ffffff", "#ffffff"),
        frame="#39424e",
        line="#39424e",
        line_width=0.025,
        page="#ffffff",
        ink="#4a5361",
        accent="#f2b134",
        heat="#2b6f4e",
        pieces=(Piece("cross", "#0b66b0", "#0b66b0", "#f2b134"), Piece("ring", "#c8452e", "#c8452e", "#f2b134")),
        radius=0.28,
        last_move="border",
    ),
    "othello": Style(
        surface="squares",
        cell=("#2f8f5b", "#2f8f5b"),
        frame="#1c3a2a",
        line="#1f6b42",
        line_width=0.025,
        page="#ffffff",
        ink="#4a5361",
        accent="#e4572e",
        heat="#123f8c",
        pieces=(_BLACK, _WHITE),
        radius=0.4,
        last_move="ring",
        stars=True,
    ),
    # Go and gomoku
    "lines": Style(
        surface="lines",
        cell=("#e3b66b", "#e3b66b"),
        frame="#e3b66b",
        line="#5b421c",
        line_width=0.03,
        page="#e3b66b",
        ink="#5b421c",
        accent="#c4311e",
        heat="#0b4f96",
        pieces=(_BLACK, _WHITE),
        radius=0.46,
        last_move="ring",
        stars=True,
    ),
    "chess": Style(
        surface="squares",
        cell=("#eeddc3", "#b08a66"),
        frame="#5d4430",
        line="#5d4430",
        line_width=0.0,
        page="#ffffff",
        ink="#4a5361",
        accent="#4f8f3a",
        heat="#0b4f96",
        pieces=(
            Piece("chessman", "#fbfaf6", "#25292e", "#25292e"),
            Piece("chessman", "#2b2f34", "#0d0f11", "#eceae4"),
        ),
        radius=0.4,
        last_move="border",
    ),
    "checkers": Style(
        surface="squares",
        cell=("#f0dcbc", "#a4713f"),
        frame="#5a3a1e",
        line="#5a3a1e",
        line_width=0.0,
        page="#ffffff",
        ink="#4a5361",
        accent="#ffd23f",
        heat="#0b4f96",
        pieces=(replace(_BLACK, mark="#ffc933"), replace(_WHITE, mark="#a8321f")),
        radius=0.35,
        last_move="border",
        ridged=True,
        numbered=True,
    ),
}


def star_points(style: Style, rows: int, columns: int) -> list[Point]:
    """Return the dots of a board as ``(row, column)``, where whole numbers are the middles of cells.

    On lines these are the star points (hoshi) of a square board of odd size: the third line from 7 lines on, the fourth
    from 13, with the middles of the sides on 19, and the centre. On squares they are the four crossings two cells from
    the corners, as on boards of Othello.
    """
    size = rows
    if not style.stars or rows != columns or size < 5:
        return []
    if style.surface == "squares":
        return [(row, column) for row in (1.5, size - 2.5) for column in (1.5, size - 2.5)] if size >= 6 else []
    if size % 2 == 0:
        return []
    near, middle = (3 if size >= 13 else 2), size // 2
    far = size - 1 - near
    points: set[Point] = {(middle, middle)}
    if size >= 7:
        points |= {(near, near), (near, far), (far, near), (far, far)}
    if size >= 19:
        points |= {(near, middle), (middle, near), (middle, far), (far, middle)}
    return sorted(points)


def mix(colour: str, other: str, share: float) -> str:
    """Return ``colour`` mixed with a share, 0 to 1, of the ``other``."""
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(_rgb(colour), _rgb(other), strict=True))


def contrast(ground: str) -> str:
    """Return the colour, nearly black or white, in which text is read better on this ground."""
    # The ratio of W3C's WCAG 2.2: (lighter + 0.05) / (darker + 0.05), with relative luminances.
    light = _luminance(ground) + 0.05
    return _LIGHT if (_luminance(_LIGHT) + 0.05) / light > light / (_luminance(_DARK) + 0.05) else _DARK


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _rgb(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
