"""The board of chess as one of the two sides sees it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...definition.terms import Rule
from ...jit import helper

__all__ = ["View", "foe_pawn_attacks", "pawn_attacks", "turned", "view_of"]

_7, _9 = np.uint64(7), np.uint64(9)


class View(NamedTuple):
    """The bitboards of a state and the squares of the kings, as seen by the side whose pawns move up."""

    own: Any
    other: Any
    pawns: Any  # of both sides, and so on
    knights: Any
    diagonals: Any
    straights: Any
    king: Any
    foe: Any  # the other king


@helper
def view_of(state: Any) -> View:
    """Return the board as the player to move sees it."""
    return View(
        state.own,
        state.other,
        state.pawns,
        state.knights,
        state.diagonals,
        state.straights,
        np.int64(state.king),
        np.int64(state.other_king),
    )


@helper
def turned(flipped: Rule, view: View) -> View:
    """Return the board as the other side sees it."""
    return View(
        flipped(view.other),
        flipped(view.own),
        flipped(view.pawns),
        flipped(view.knights),
        flipped(view.diagonals),
        flipped(view.straights),
        view.foe ^ 7,
        view.king ^ 7,
    )


@helper
def pawn_attacks(pawns: Any) -> Any:
    """Return the squares that own pawns attack."""
    return (pawns << _9) | (pawns >> _7)


@helper
def foe_pawn_attacks(pawns: Any) -> Any:
    """Return the squares that pawns of the other side attack."""
    return (pawns << _7) | (pawns >> _9)
