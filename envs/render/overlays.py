"""What a search found out about a position, drawn on its board.

A heat map shows actions on the cells where their pieces land: the share of the visits where a search counts them, else
the value for the player to move, from red-brown (a loss) to teal (a win), which colour-blind people tell apart too. Of
actions that land on the same cell the visits are added up, and the best value counts. Shares are shown of the most
visited actions only; on the crossings of lines their discs have areas in proportion.

The principal variation is shown as numbered ghost pieces, or as numbered arrows where pieces move, up to `PV_PLIES`. On
a ghost there is room for the first action's share or value, beneath its number; those of later actions are left out.
Arrows leave room for shares and values, and their numbers for pieces. Values have as many digits as tell them apart:
those of an evaluation are often small.
The caption names actions without a cell, such as a pass, and a legend below it says what is shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..definition.terms import State
from ..game import Game
from .layout import Layout
from .shapes import Circle, Point, Rectangle, Shape, Text
from .styles import contrast, mix

__all__ = ["PV_PLIES", "Overlay", "OverlayShapes", "draw_overlay"]

PV_PLIES = 8  # longer lines cover the board

_BAD, _EVEN, _GOOD = "#c4480c", "#f5f3ee", "#067a8a"
_ARROWS = ("#0b4f96", "#b8430a")  # colours for the moves of the player to move, and of the other
_LEAST_SHARE = 0.02  # share of the visits below which an action is not drawn
_MOST_SHARES = 12  # cells with a share, the most visited ones
_RADIUS, _LEAST_RADIUS = 0.47, 0.2  # of the disc of the most visited action on lines, and of the smallest
_MOST_NUMBERS = 40  # cells that get a number, the best ones
_LEAST_PART = 0.005  # part of a win's utility below which a value is not drawn, where there are more cells than that
_MOST_DIGITS = 4  # of a value, after the point
_NUMBER = 0.16  # radius of the number on an arrow
_MOST_WITHOUT_CELL = 3  # actions without a cell that the caption names


class Overlay(Protocol):
    """What can be drawn on a position; ``plyground.agents.Analysis`` is one. Any of the three may be empty.

    Attributes:
        values: values of actions for the player to move, in the units of the game's utility.
        visits: visits of actions by the search.
        pv: the principal variation, as actions.
    """

    @property
    def values(self) -> Mapping[int, float]: ...  # noqa: D102
    @property
    def visits(self) -> Mapping[int, int]: ...  # noqa: D102
    @property
    def pv(self) -> Sequence[int]: ...  # noqa: D102


@dataclass
class OverlayShapes:
    """An overlay as shapes.

    Attributes:
        colours: colours of the cells in the heat map.
        below: shapes that are painted before the pieces.
        above: shapes that are painted after the pieces.
        captions: texts for the caption below the board.
        legend: what the overlay shows; empty if it shows nothing.
    """

    colours: dict[int, str] = field(default_factory=dict)
    below: list[Shape] = field(default_factory=list)
    above: list[Shape] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    legend: str = ""


def draw_overlay(game: Game, layout: Layout, state: State, overlay: Overlay) -> OverlayShapes:
    """Return the shapes of an overlay on a position of ``game``, which is not changed.

    Raises:
        ValueError: the overlay has an action that is illegal in this position.
    """
    _check(game, state, (*overlay.values, *overlay.visits))
    occupied = np.ravel(layout.board.pieces(state)) != 0
    heat = _heat_map(game, layout, state, overlay)
    line = _line(game, layout, state, overlay.pv, occupied)
    free = [cell for cell in heat.texts if cell not in line.ghosts and not occupied[cell]]
    places = {cell: _place(layout, cell, line.arrows) for cell in free}
    shapes = OverlayShapes(heat.colours, captions=heat.captions + line.captions, legend=_legend(overlay, heat, line))
    for cell, colour in heat.colours.items():
        shapes.below.append(_heated(layout, cell, colour, heat.radii.get(cell, _RADIUS)))
    for cell, (number, code) in line.ghosts.items():
        shapes.above += layout.piece(cell, code, ghost=True)
        shapes.above += _number(layout, cell, number, code, number == 1 and cell in heat.texts)
        if number == 1 and cell in heat.texts:  # below the number of the ghost
            x, y = layout.centre(cell)
            text = heat.texts[cell]
            shapes.above.append(Text(x, y + 0.17, text, _fitting(text, 0.22, 0.56), _ink_on(layout, code)))
    for arrow in reversed(line.arrows):  # the first ones on top
        shapes.above += layout.arrow(arrow.cells, arrow.colour)
    for cell, (x, y) in places.items():
        text, colour = heat.texts[cell], heat.colours[cell]
        size = _fitting(text, 0.24 if line.arrows else 0.3, 1.6 * heat.radii.get(cell, 0.5))
        if line.arrows:  # one may cross it
            width = 0.56 * len(text) * size
            shapes.above.append(Rectangle(x - width / 2, y - 0.4 * size, width, 0.8 * size, colour, radius=0.04))
        shapes.above.append(Text(x, y, text, size, contrast(colour)))
    pieces = [layout.centre(int(cell)) for cell in np.flatnonzero(occupied)]
    shapes.above += _arrow_numbers(layout, line.arrows, pieces, list(places.values()))
    return shapes


def _place(layout: Layout, cell: int, arrows: Sequence[_Arrow]) -> Point:
    """Return where a cell has its text: in the middle, or, where there are arrows, on the other side of their heads."""
    x, y = layout.centre(cell)
    from_below = [layout.centre(arrow.cells[-2])[1] > y for arrow in arrows if arrow.cells[-1] == cell]
    return x, y + (0 if not arrows else -0.17 if from_below and all(from_below) else 0.3)


def _legend(overlay: Overlay, heat: _HeatMap, line: _Line) -> str:
    """Return what the heat map and the numbers are, in a few words."""
    parts = []
    if sum(overlay.visits.values()) > 0:
        parts.append(f"%: share of the visits, from {_LEAST_SHARE:.0%} on")
    elif heat.texts:
        parts.append("+/-: value for the player to move")
    if line.ghosts or line.arrows:
        parts.append("1, 2, ...: expected line")
    return "; ".join(parts)


def _check(game: Game, state: State, actions: Iterable[int]) -> None:
    legal = set() if game.is_terminal(state) else set(game.actions(state))
    for action in actions:
        if action not in legal:
            raise ValueError(
                f"action {action!r} is illegal in this position of {game.spec}: the overlay must be of the same state, "
                f"with actions of {sorted(legal)}"
            )


# -- the heat map ------------------------------------------------------------------------------------------------------


@dataclass
class _HeatMap:
    colours: dict[int, str] = field(default_factory=dict)  # cell -> colour
    texts: dict[int, str] = field(default_factory=dict)  # cell -> share or value
    radii: dict[int, float] = field(default_factory=dict)  # cell -> radius of its disc, where that has a meaning
    captions: list[str] = field(default_factory=list)


def _heat_map(game: Game, layout: Layout, state: State, overlay: Overlay) -> _HeatMap:
    total = sum(overlay.visits.values())
    if total > 0:
        amounts: Mapping[int, float] = overlay.visits
    else:
        amounts = {action: float(value) for action, value in overlay.values.items() if math.isfinite(value)}
    by_cell: dict[int, float] = {}
    without_cell: list[tuple[float, int]] = []
    for action, amount in amounts.items():
        cells = layout.board.cells(state, action)
        if len(cells) == 0:
            without_cell.append((amount, action))
        elif cells[-1] not in by_cell:
            by_cell[cells[-1]] = amount
        else:
            before = by_cell[cells[-1]]
            by_cell[cells[-1]] = before + amount if total > 0 else max(before, amount)
    if total > 0:
        least = _LEAST_SHARE * total
        by_cell = {cell: count / total for cell, count in by_cell.items() if count >= least}
        without_cell = [(count / total, action) for count, action in without_cell if count >= least]
    heat = _HeatMap()
    ranked = sorted(by_cell.values(), reverse=True)
    if total > 0:
        shown = sorted(by_cell, key=lambda cell: (-by_cell[cell], cell))[:_MOST_SHARES]
        by_cell = {cell: by_cell[cell] for cell in shown}
    is_crowded = len(by_cell) > _MOST_NUMBERS
    digits = _digits(game, [*by_cell.values(), *(amount for amount, _ in without_cell)])
    for cell, amount in by_cell.items():
        part = amount / (ranked[0] if total > 0 else game.max_utility)
        if is_crowded and abs(part) < _LEAST_PART:
            continue
        heat.colours[cell] = _colour(layout, cell, part, total > 0)
        if total > 0 and layout.style.surface == "lines":
            heat.radii[cell] = max(_LEAST_RADIUS, _RADIUS * math.sqrt(part))
        if not is_crowded or amount > ranked[_MOST_NUMBERS]:
            heat.texts[cell] = _text(amount, digits, total > 0)
    for amount, action in sorted(without_cell, key=lambda pair: (-pair[0], pair[1]))[:_MOST_WITHOUT_CELL]:
        heat.captions.append(f"{game.move_name(state, action)} {_text(amount, digits, total > 0)}")
    return heat


def _digits(game: Game, values: Iterable[float]) -> int:
    """Return after how many digits values are cut off: the largest that is no win and no loss has two that count."""
    least = 2 if game.max_utility <= 1 else 1
    largest = max((abs(value) for value in values if abs(value) < game.max_utility), default=0.0)
    return least if largest == 0 else max(least, min(_MOST_DIGITS, 1 - math.floor(math.log10(largest))))


def _colour(layout: Layout, cell: int, part: float, is_share: bool) -> str:
    """Return the colour of a cell for a part of the most visits, 0 to 1, or of the utility of a win, -1 to 1."""
    ground = layout.ground(cell)
    part = max(-1.0, min(1.0, part))
    strength = math.sqrt(abs(part))  # the root: small differences near 0 can be seen
    if is_share:
        return mix(ground, layout.style.heat, 0.12 + 0.83 * strength)
    even = ground if layout.style.surface == "lines" else _EVEN  # on wood, that would look like a white stone
    return mix(even, _GOOD if part > 0 else _BAD, strength)


def _text(amount: float, digits: int, is_share: bool) -> str:
    if is_share:
        return f"{amount:.0%}"
    rounded = round(amount, digits)
    return f"{rounded:+.{digits}f}" if rounded else f"{0:.{digits}f}"  # no "-0.00"


def _heated(layout: Layout, cell: int, colour: str, radius: float) -> Shape:
    x, y = layout.centre(cell)
    if layout.style.surface == "squares":
        return Rectangle(x - 0.46, y - 0.46, 0.92, 0.92, colour, radius=0.06)
    return Circle(x, y, radius if layout.style.surface == "lines" else 0.405, colour)


# -- the principal variation -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Arrow:
    cells: Sequence[int]
    number: int  # of the ply
    colour: str


@dataclass
class _Line:
    ghosts: dict[int, tuple[int, int]] = field(default_factory=dict)  # cell -> (number of the ply, code of the piece)
    arrows: list[_Arrow] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)


def _line(game: Game, layout: Layout, state: State, pv: Sequence[int], occupied: NDArray[np.bool_]) -> _Line:
    board, line = layout.board, _Line()
    position = state.copy()
    mover = game.player(state)
    for number, action in enumerate(pv[:PV_PLIES], start=1):
        _check(game, position, [action])
        cells = board.cells(position, action)
        colour = _ARROWS[int(game.player(position) != mover)]
        seat, name = game.player(position), game.move_name(position, action)
        game.play(position, action)
        if len(cells) > 1:
            line.arrows.append(_Arrow(cells, number, mix(colour, "#ffffff", 0.04 * (number - 1))))
        elif len(cells) == 0 or occupied[cells[0]] or cells[0] in line.ghosts:
            line.captions.append(f"ply {number}: {name}")
        else:
            code = np.ravel(board.pieces(position))[cells[0]] or seat + 1  # it may have taken itself away
            line.ghosts[cells[0]] = number, int(code)
    return line


def _number(layout: Layout, cell: int, number: int, code: int, has_text_below: bool) -> list[Shape]:
    x, y = layout.centre(cell)
    return [Text(x, y - 0.1 * has_text_below, str(number), 0.34, _ink_on(layout, code), bold=True)]


def _arrow_numbers(
    layout: Layout, arrows: Sequence[_Arrow], pieces: Iterable[Point], texts: Iterable[Point]
) -> list[Shape]:
    """Return the numbers of arrows, each on its arrow, where it covers neither pieces nor texts nor other numbers."""
    taken = [(point, 0.33) for point in pieces]  # with their radii, about
    taken += [((x + right, y), 0.14) for x, y in texts for right in (-0.2, 0, 0.2)]
    shapes: list[Shape] = []
    for arrow in arrows:
        start, end = (layout.centre(cell) for cell in arrow.cells[-2:])
        length = math.dist(start, end)
        last = max(0.5 * length, length - 0.6)  # the head comes then
        parts = np.arange(0.4, last + 0.01, 0.05) / length
        points = [(start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])) for part in parts]
        rooms = [min((math.dist(point, other) - radius for other, radius in taken), default=1.0) for point in points]
        free = np.minimum(rooms, _NUMBER)
        x, y = points[np.lexsort((np.abs(parts - 0.45), -free))[0]]  # of the freest, the one nearest the middle
        taken.append(((x, y), _NUMBER))
        shapes += [
            Circle(x, y, _NUMBER, arrow.colour, "#ffffff", 0.02),
            Text(x, y, str(arrow.number), 0.24, "#ffffff", bold=True),
        ]
    return shapes


def _ink_on(layout: Layout, code: int) -> str:
    """Return the colour of a number on a ghost."""
    return contrast(layout.style.pieces[(code - 1) % 2].fill)


def _fitting(text: str, size: float, width: float) -> float:
    """Return a font size, ``size`` at most, at which the text is not wider than ``width``."""
    return min(size, width / (0.56 * len(text)))
