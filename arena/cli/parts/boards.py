"""A board at the terminal, for people who play: colours, the last move in brackets, check, and the numbers to type."""

from __future__ import annotations

import numpy as np
from rich.text import Text

from ....envs import Game, State
from ....envs.definition.board import MARKS, sides_of
from ....envs.render.styles import STYLES
from ...lines import board_of

__all__ = ["counts", "drawn", "mark_of", "side_name"]

_STYLES = ("dim", "bold red", "bold cyan")  # of the marks: of nothing, of the first player, of the second
_NAMES = {"othello": "discs", "holes": "discs", "lines": "stones", "marks": "marks"}  # of pieces, by the board's style


def drawn(game: Game, state: State, last: tuple[State, int] | None = None, unicode: bool = False) -> Text:
    """Return a position as text.

    Args:
        game: the game; without a `Board` it is drawn by its own ``text``.
        state: the position.
        last: the state before the last move, and that move, whose piece is put into brackets.
        unicode: whether pieces are drawn by their symbols, if they have any.
    """
    board = game.board
    if board is None:
        return board_of(game.text(state))
    pieces = np.asarray(board.pieces(state)).ravel()
    marks = board.symbols if unicode and board.symbols else board.marks
    touched = board.cells(*last) if last is not None else ()
    danger = board.threatened(state) if board.threatened is not None else ()
    labels = _labels(game, state)
    width = max(map(len, labels.values()), default=0) + int(STYLES[board.style].numbered)
    margin = max(map(len, board.row_labels), default=0)
    text = Text()
    for row in range(board.rows):
        label = board.row_labels[row] if board.row_labels else ""
        text.append(f"{label:>{margin}}" if margin else "", "dim")
        for cell in range(row * board.columns, (row + 1) * board.columns):
            piece = int(pieces[cell])
            mark = marks[piece]
            if cell in labels:
                mark = mark + labels[cell] if piece else labels[cell]
            elif STYLES[board.style].numbered:
                mark = ""  # a square that is never used
            mark = f"{mark:^{max(1, width)}}"
            text.append("[" if cell in touched[-1:] else " ")
            text.append(mark, _STYLES[(piece - 1) % 2 + 1 if piece else 0])
            text.append("]" if cell in touched[-1:] else "+" if cell in danger else " ")
        text.append(f" {label}\n" if margin else "\n", "dim")
    if board.column_labels:
        text.append(" " * margin + "".join(f" {name:^{max(1, width)}} " for name in board.column_labels), "dim")
    else:
        text.right_crop(1)
    return text


def counts(game: Game, state: State) -> str:
    """Return how many pieces each player has on the board, as in ``"X 12, O 8 discs"``; empty without a `Board`."""
    board = game.board
    if board is None:
        return ""
    pieces = np.asarray(board.pieces(state))
    first, second = (int(((pieces > 0) & (pieces % 2 == odd)).sum()) for odd in (1, 0))
    names = board.marks[1:3] if board.marks == MARKS else sides_of(game)
    return f"{names[0]} {first}, {names[1]} {second} {_NAMES.get(board.style, 'pieces')}"


def side_name(game: Game, player: int) -> str:
    """Return what people call a player at the board, with its mark there: ``"White"``, ``"Black (X)"``, or ``"X"``."""
    side = sides_of(game)[player]
    return side if side == MARKS[1 + player] else f"{side}{mark_of(game, player)}"


def mark_of(game: Game, player: int) -> str:
    """Return what stands behind a player's name, as in ``" (X)"``; nothing where pieces have marks of their own."""
    is_marked = game.board is not None and game.board.marks == MARKS
    return f" ({MARKS[1 + player]})" if is_marked else ""


def _labels(game: Game, state: State) -> dict[int, str]:
    """Return what stands in cells for people to type, where no letters and numbers stand beside the board."""
    board = game.board
    if board is None or board.column_labels:
        return {}
    if STYLES[board.style].numbered:
        cells = range(board.rows * board.columns)
        dark = [cell for cell in cells if sum(divmod(cell, board.columns)) % 2]
        return {cell: str(number) for number, cell in enumerate(dark, start=1)}
    if game.is_terminal(state):
        return {}
    moves = {action: board.cells(state, action) for action in game.actions(state)}
    return {cells[0]: game.move_name(state, action) for action, cells in moves.items() if len(cells) == 1}
