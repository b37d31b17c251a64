"""Recorded searches as pictures: trees of `plyground.envs.render.drawing`, which become SVG or pixels.

Triangles that point up are MAX's, those that point down MIN's; boxes are leaves. Above a node stands the window
``[α, β]`` with which the search came to it, and below a leaf its place in the order of the search. Grey branches with a
double stroke were pruned, thick ones are best play. In a tree of Monte Carlo tree search a circle shows W / N. A legend
below says so. Values are rounded, so that they can be read; the text beside has them to four decimals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...envs.definition.board import sides_of
from ...envs.render.drawing import Drawing
from ...envs.render.shapes import Circle, Line, Point, Polygon, Rectangle, Shape, Text
from ...envs.render.styles import contrast
from .alphabeta_trace import AlphaBetaTrace, TracedNode
from .mcts_trace import MCTSNode, MCTSTrace
from .text import alphabeta_text, mcts_text
from .trees import number

__all__ = ["alphabeta_drawing", "mcts_drawing"]

# Lengths are in the units of the drawing; a leaf is 0.8 wide.
_SLOT, _LEVEL, _LEFT, _TOP = 1.3, 1.9, 1.2, 1.2
_HALF, _TALL = 0.55, 0.48  # half the width and half the height of a triangle

_INK, _GREY, _CUT, _PAGE = "#222222", "#b4b4b4", "#c4480c", "#ffffff"
_MAX, _MIN, _LEAF = "#067a8a", "#8a4b9b", "#f1ede3"
_MOVERS = ("#067a8a", "#8a4b9b")  # colours of the first and of the second player


def alphabeta_drawing(trace: AlphaBetaTrace, *, solved: bool = True) -> Drawing:
    """Return a picture of the tree.

    Args:
        trace: the recorded search.
        solved: False shows only what is known before the search: the tree and its leaves.
    """
    places = _places(trace.root, lambda node: node.children)
    best = {id(node) for node in trace.best_line} if solved else set()
    shapes: list[Shape] = []
    for node in trace.root.walk():
        for child in node.children:
            is_cut = solved and child.is_pruned
            shapes += _edge(
                places[id(node)], places[id(child)], is_cut, id(child) in best, is_cut and not node.is_pruned
            )
    for node in trace.root.walk():
        shapes += _alphabeta_node(node, places[id(node)], trace.is_minimax, solved)
    shapes += _level_names(trace.root, places)
    title = "minimax" if trace.is_minimax else "alpha-beta"
    legend = []
    if solved:
        legend = ["thick: best play", "#: order of the leaves"]
        if not trace.is_minimax:
            legend += ["[ , ]: window of alpha and beta", "crossed out: pruned"]
    return _drawing(shapes, places, title, alphabeta_text(trace, solved=solved), [(text, None) for text in legend])


def mcts_drawing(trace: MCTSTrace) -> Drawing:
    """Return a picture of the tree that the simulations built: W / N of each node, for the player who moved into it."""
    places = _places(trace.root, lambda node: node.children)
    best = {id(node) for node in _most_visited(trace)}
    shapes: list[Shape] = []
    for node in trace.root.walk():
        for child in node.children:
            shapes += _edge(places[id(node)], places[id(child)], False, id(child) in best, False)
    for node in trace.root.walk():
        x, y = places[id(node)]
        fill = _INK if not node.moves else _MOVERS[node.mover]
        label = f"{_short(node.total)}/{node.visits}" if node.moves else f"N={node.visits}"
        shapes.append(Circle(x, y, 0.46, fill))
        shapes.append(Text(x, y, label, _fitting(label, 0.3, 0.78), _PAGE))
        if node.moves:
            shapes += _tag(x, y - 0.66, node.moves[-1], _INK)
    movers = [(f"{name} moved", colour) for name, colour in zip(sides_of(trace.game), _MOVERS, strict=True)]
    legend = [*movers, ("W/N: the mover's sum of results, visits", None), ("thick: most visited", None)]
    return _drawing(shapes, places, "Monte Carlo tree search", mcts_text(trace), legend)


def _most_visited(trace: MCTSTrace) -> Sequence[MCTSNode]:
    line, node = [trace.best], trace.best
    while node.children:
        node = max(node.children, key=lambda child: (child.visits, child.total))
        line.append(node)
    return line


def _places(root: Any, children: Callable[[Any], Sequence[Any]]) -> dict[int, Point]:
    """Return where each node stands, by its id: leaves side by side, parents above the middle of their children."""
    places: dict[int, Point] = {}
    slots = 0

    def place(node: Any, level: int) -> float:
        nonlocal slots
        below = [place(child, level + 1) for child in children(node)]
        if below:
            x = (below[0] + below[-1]) / 2
        else:
            x = _LEFT + _SLOT * (slots + 0.5)
            slots += 1
        places[id(node)] = (x, _TOP + _LEVEL * level)
        return x

    place(root, 0)
    return places


def _alphabeta_node(node: TracedNode, at: Point, is_minimax: bool, solved: bool) -> list[Shape]:
    x, y = at
    is_pruned = solved and node.is_pruned
    grey_or_ink = _GREY if is_pruned else _INK
    if node.is_leaf:
        text = "?" if node.value is None else _short(node.value)
        shapes: list[Shape] = [
            Rectangle(x - 0.4, y - 0.3, 0.8, 0.6, _PAGE if is_pruned else _LEAF, grey_or_ink, 0.025, radius=0.08),
            Text(x, y, text, _fitting(text, 0.34, 0.7), grey_or_ink),
            *_tag(x - _SLOT / 2, y - 0.22, node.move, grey_or_ink, 0.42),
        ]
        if solved and node.order:
            shapes.append(Text(x, y + 0.5, f"#{node.order}", 0.2, _INK))
        return shapes
    up = -1 if node.is_max else 1
    corners = ((x, y + up * _TALL), (x - _HALF, y - up * _TALL), (x + _HALF, y - up * _TALL))
    fill = _GREY if is_pruned else _MAX if node.is_max else _MIN
    shapes = _tag(x - 0.5, y + up * 0.3, node.move, grey_or_ink, 0.4)
    shapes.append(Polygon(corners, fill))
    if solved and not is_pruned and node.value is not None:
        text = node.relation.replace("=", "") + _short(node.value)
        shapes.append(Text(x, y - up * 0.17, text, _fitting(text, 0.3, 0.62), contrast(fill), bold=True))
        if not is_minimax:
            window = f"[{_short(node.alpha)}, {_short(node.beta)}]"
            shapes += _tag(x, y - _TALL - 0.22, window, _INK)
    return shapes


def _edge(start: Point, end: Point, is_pruned: bool, is_best: bool, is_marked: bool) -> list[Shape]:
    """Return the line from a parent to a child, with a double stroke across it where it was cut."""
    shapes: list[Shape] = [Line(start, end, _GREY if is_pruned else _INK, 0.1 if is_best else 0.03)]
    if is_marked:
        (x1, y1), (x2, y2) = start, end
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        across = (-(y2 - y1) / length * 0.16, (x2 - x1) / length * 0.16)
        for part in (0.5, 0.55):
            x, y = x1 + part * (x2 - x1), y1 + part * (y2 - y1)
            shapes.append(Line((x - across[0], y - across[1]), (x + across[0], y + across[1]), _CUT, 0.05))
    return shapes


def _tag(x: float, y: float, text: str, ink: str, room: float = _SLOT - 0.1) -> list[Shape]:
    """Return text on a strip of the page's colour, so that no line runs through it."""
    if not text:
        return []
    size = _fitting(text, 0.22, room)
    width = 0.58 * size * len(text) + 0.04
    return [Rectangle(x - width / 2, y - 0.13, width, 0.26, _PAGE), Text(x, y, text, size, ink)]


def _level_names(root: TracedNode, places: dict[int, Point]) -> list[Shape]:
    """Return MAX and MIN at the left, on levels on which the same side moves everywhere."""
    players: dict[float, set[str]] = {}
    for node in root.walk():
        if not node.is_leaf:
            players.setdefault(places[id(node)][1], set()).add(node.player)
    return [Text(0.5, y, names.pop(), 0.26, _INK, bold=True) for y, names in players.items() if len(names) == 1]


def _drawing(
    shapes: list[Shape],
    places: dict[int, Point],
    title: str,
    description: str,
    legend: Sequence[tuple[str, str | None]],
) -> Drawing:
    """Return the drawing, with a legend of texts, some beside a patch of their colour, in lines below the tree."""
    size, left = 0.22, 0.4
    rooms = [0.5 * size * len(text) + (0.3 if colour else 0) for text, colour in legend]
    width = max(*(x + _SLOT / 2 + 0.3 for x, _ in places.values()), *(left + room + 0.4 for room in rooms), 0)
    height = max(y for _, y in places.values()) + 0.9
    x = left
    for (text, colour), room in zip(legend, rooms, strict=True):
        if x > left and x + room > width - 0.2:
            x, height = left, height + 0.4
        if colour:
            shapes.append(Rectangle(x, height - 0.1, 0.2, 0.2, colour, radius=0.05))
        shapes.append(Text(x + room / 2 + (0.15 if colour else 0), height, text, size, _INK))
        x += room + 0.4
    return Drawing(width, height + (0.4 if legend else 0), shapes, _PAGE, title, description)


def _short(value: float) -> str:
    """Return a value as it is read in a small box: whole, or with two digits after the point or three in all."""
    if math.isinf(value) or value == round(value):
        return number(value)
    return number(round(value, 2)) if abs(value) < 10 else f"{value:.3g}"


def _fitting(text: str, size: float, width: float) -> float:
    """Return a font size, ``size`` at most, at which the text is not wider than ``width``."""
    return min(size, width / (0.58 * max(len(text), 1)))
