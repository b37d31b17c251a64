"""The main lines of the games in an SGF collection, as raw properties.

`sgfmill` reads the whole tree of a game, at 25 µs a node. Records need the main line alone, so variations are skipped
here by one regular expression, and so are comments, times and the like in the main line. Text between games is skipped,
and small letters in the names of properties are left out, as FF[4] says of old files.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import NamedTuple

from .files import Lines

__all__ = ["Node", "Tree", "read_trees"]

Node = dict[str, list[bytes]]  # the values of each property, without the brackets

_VALUE = rb"\[[^\\\]]*(?:\\.[^\\\]]*)*\]"
_START = re.compile(rb"\(\s*;")
_NOT_KEPT = rb"(?:[C-OQ-VX-Z][A-Z]*|(?!(?:B|W|AB|AW|AE|PL)\s*\[)[ABPW][A-Z]*)"  # the name of a property
_NODE = re.compile(  # a whole one, with a move or none first, and then what records do not keep
    rb"\s*;(?:\s*([BW])\s*\[([^\\\]]*)\])?(?:\s*" + _NOT_KEPT + rb"(?:\s*" + _VALUE + rb")+)*(?=\s*[;()])",
    re.DOTALL,
)
_PROPERTY = re.compile(rb"\s*([A-Za-z]+)\s*((?:" + _VALUE + rb"\s*)+)", re.DOTALL)
_EACH_VALUE = re.compile(_VALUE, re.DOTALL)
_SIGN = re.compile(rb"\s*([;()])")
_OTHER = re.compile(rb"(?:[^()\[\]\\]|" + _VALUE + rb")*", re.DOTALL)  # of a variation, until a bracket
_SMALL = string.ascii_lowercase.encode()
_COLOURS = {b"B": "B", b"W": "W"}


class Tree(NamedTuple):
    """A game as the file has it."""

    nodes: list[Node]  # the main line: the root, and then the nodes with a move or a position
    line: int  # of the file, from 1, in which it begins
    end: int  # bytes of the file until its end


def read_trees(data: bytes) -> Iterator[Tree]:
    """Yield the games of a collection.

    Raises:
        ValueError: there is none, or the file breaks the grammar; the message has the line.
    """
    lines, position = Lines(data), 0
    start = _START.search(data)
    if start is None:
        raise ValueError("line 1: cannot be read as SGF: expected a game, such as '(;GM[1]SZ[9];B[ee])'")
    while start is not None:
        line = lines(start.start())
        nodes, position = _main_line(data, start.start(), lines)
        yield Tree(nodes, line, position)
        start = _START.search(data, position)


def _main_line(data: bytes, position: int, lines: Lines) -> tuple[list[Node], int]:
    """Return the nodes of the main line of the game that begins at ``position``, and where the game ends."""
    nodes: list[Node] = []
    depth = 0
    opened = False  # whether the last sign was a bracket, after which a node begins
    while True:
        sign = _SIGN.match(data, position)
        if sign is None:
            raise _fault(data, position, lines)
        if sign[1] != b";" and opened:
            raise _fault(data, position, lines)
        position = sign.end()
        if sign[1] == b"(":
            depth, opened = depth + 1, True
        elif sign[1] == b")":
            return nodes, _end(data, position, depth - 1, lines)
        else:
            opened = False
            node: Node = {}
            while found := _PROPERTY.match(data, position):
                name = found[1].translate(None, _SMALL).decode("ascii")
                values = [value[1:-1] for value in _EACH_VALUE.findall(found[2])]
                node[name] = node.get(name, []) + values
                position = found.end()
            nodes.append(node)
            while match := _NODE.match(data, position):
                position = match.end()
                colour, value = match.groups()
                if colour:
                    nodes.append({_COLOURS[colour]: [value]})


def _end(data: bytes, position: int, depth: int, lines: Lines) -> int:
    """Return where the game ends, of which ``depth`` brackets are open at ``position``."""
    while depth > 0:
        match = _OTHER.match(data, position)
        position = position if match is None else match.end()
        sign = data[position : position + 1]
        if sign not in (b"(", b")"):
            raise _fault(data, position, lines)
        depth += 1 if sign == b"(" else -1
        position += 1
    return position


def _fault(data: bytes, position: int, lines: Lines) -> ValueError:
    text = data[position : position + 20].decode("ascii", "replace").strip()
    if not text:
        return ValueError(f"line {lines(len(data))}: cannot be read as SGF: the file ends in the middle of a game")
    return ValueError(f"line {lines(position)}: cannot be read as SGF at {text!r}: expected a node or a property")
