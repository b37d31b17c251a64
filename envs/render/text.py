"""Boards as text."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["draw_grid"]


def draw_grid(cells: Sequence[Sequence[str]], columns: Sequence[str] = (), rows: Sequence[str] = ()) -> str:
    """Draw a board: one string a cell, top row first, with optional labels under the columns and left of the rows."""
    width = max(len(cell) for row in [*cells, columns] for cell in row)
    margin = max((len(label) for label in rows), default=0)
    lines = [
        f"{label:>{margin}} " * bool(rows) + " ".join(f"{cell:>{width}}" for cell in row)
        for row, label in zip(cells, rows or [""] * len(cells), strict=True)
    ]
    if columns:
        lines.append(" " * (margin + bool(rows)) + " ".join(f"{label:>{width}}" for label in columns))
    return "\n".join(lines)
