"""Stones that an SGF file sets up before the first move of a game of Go, such as those of a handicap, as moves.

Each side puts its stones on the board while the other passes, or puts its own. In a position that can be, each chain
has a liberty; so has each part of it while other stones are missing. So nothing is captured on the way, no position
comes twice, and never do both pass one after the other. (Where no position may come again, those on the way count.)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from ...envs import Game
from ...envs.outside.messages import cut, shown
from .replay import Replay
from .sgf_points import Kind
from .sgf_tree import Node

__all__ = ["SETUP", "STONES", "set_up", "turn_told"]

STONES = ("AB", "AW", "AE")  # black stones, white stones, empty points
SETUP = frozenset((*STONES, "PL"))


def turn_told(node: Node) -> int | None:
    """Return whose turn a node says it is, 0 for black; None if it does not say.

    Raises:
        ValueError: it says something else.
    """
    if "PL" not in node:
        return None
    told = node["PL"][0].decode("ascii", "replace").strip().upper()
    if told not in ("B", "W"):
        raise ValueError(f"the property PL cannot be read: expected B or W, got {shown(told)}")
    return "BW".index(told)


def set_up(nodes: Sequence[Node], kind: Kind, size: int, game: Game) -> tuple[list[int], list[Node]]:
    """Return the moves that lead to what the nodes before the first move set up, and the nodes without that.

    Where they do not say whose turn it is, it is that of whoever moves first in the file; of a file without moves
    white's, if there are black stones alone, as after a handicap.

    Raises:
        ValueError: a point is none, or stands twice in a node; or a chain would have no liberty.
    """
    begun = next((number for number, node in enumerate(nodes) if "B" in node or "W" in node), len(nodes))
    stones: dict[int, int] = {}
    turn = None
    for node in nodes[:begun]:
        told = turn_told(node)
        turn = turn if told is None else told
        found = [(cell, stone) for stone, name in enumerate(STONES) for cell in _cells(node, name, kind, size)]
        if len(dict(found)) < len(found):
            raise ValueError(f"{' and '.join(name for name in STONES if name in node)} have a point twice")
        stones.update(found)
    black, white = ([cell for cell, stone in stones.items() if stone == side] for side in (0, 1))
    if turn is None:
        turn = int("B" not in nodes[begun] if begun < len(nodes) else bool(black) and not white)
    placed = _in_turn(black, white, turn, size * size)
    replay, board = Replay(game, moves=placed), game.board
    assert board is not None
    expected = {cell: stone + 1 for cell, stone in stones.items() if stone < 2}
    if expected != {cell: stone for cell, stone in enumerate(board.pieces(replay.state).ravel().tolist()) if stone}:
        raise ValueError("the position that is set up has stones without a liberty: take them out of AB and AW")
    rest = [{name: values for name, values in node.items() if name not in SETUP} for node in nodes[:begun]]
    return placed, [*rest, *nodes[begun:]]


def _cells(node: Node, name: str, kind: Kind, size: int) -> Iterator[int]:
    """Yield the points of a property, which may have rectangles, as in ``AB[dd:ee]``."""
    for value in node.get(name, ()):
        text = value.decode("ascii", "replace").strip()
        first, _, last = text.partition(":")
        corners = [kind.action(corner, size) for corner in (first, last or first)]
        one, other = (-1 if corner is None or corner == size * size else corner for corner in corners)
        (top, left), (bottom, right) = divmod(one, size), divmod(other, size)
        if min(one, other) < 0 or top > bottom or left > right:
            raise ValueError(f"{name}[{cut(text, 30)}] is no point of a board of {size}x{size}")
        yield from (row * size + column for row in range(top, bottom + 1) for column in range(left, right + 1))


def _in_turn(black: list[int], white: list[int], turn: int, passes: int) -> list[int]:
    """Return moves by turns, black's first, after which it is a player's turn; whoever has less to place passes first.

    So passes stand at the end only where one side has nothing to place.
    """
    last = max(len(white), len(black) - turn)  # of white's moves
    blacks = [passes] * (last + turn - len(black)) + black
    whites = [passes] * (last - len(white)) + white
    both = itertools.zip_longest(blacks, whites)
    return [action for pair in both for action in pair if action is not None]
