"""Moves of chess as people write them: Standard Algebraic Notation, SAN (S. J. Edwards, "PGN Standard", 1994, 8.2.3).

``e4``, ``Nbd7``, ``exd8=Q+``, ``O-O#``. What is written is the shortest form that is not ambiguous. What is read may
also be as it is often seen elsewhere: more of the origin than is needed, zeros for castling, no ``x``, ``+`` or ``=``,
and marks such as ``!?``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...definition.terms import State
from ...game import Game
from .legal import is_check
from .moves import BISHOP, CASTLING, KING, KNIGHT, PAWN, PLANES, PROMOTED, QUEEN, ROOK, STEPS, UNDERPROMOTION, action_in
from .position import kind_at
from .squares import square_name

__all__ = ["read_move", "read_san", "san_of"]

_LETTERS = {PAWN: "", KNIGHT: "N", BISHOP: "B", ROOK: "R", QUEEN: "Q", KING: "K"}
_SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)[x:-]?([a-h][1-8])(?:=?\(?([NBRQ])\)?)?")
_CASTLING = re.compile(r"[O0o]-?[O0o](-?[O0o])?")
_UCI = re.compile(r"\s*[a-h][1-8][a-h][1-8][nbrq]?\s*")
_MARKS = re.compile(r"(?<![+#!?\s.])(?:[+#!?\s]|e\.p\.)*$")  # looked for where they begin alone


def san_of(game: Game, state: State, action: int) -> str:
    """Return the name of a legal move in ``state``.

    Args:
        game: chess, with any parameters.
        state: the position, which is not changed.
        action: the move.
    """
    after = state.copy()
    game.play(after, action)
    mark = ""
    if is_check(after):
        mark = "+" if game.actions(after) else "#"
    return _name(game.actions(state), state, action) + mark


def read_san(game: Game, state: State, text: str) -> int:
    """Return the legal action that ``text`` names in ``state``.

    Raises:
        ValueError: it is no name of a move, or of none that is legal, or of several; the message says which.
    """
    return _read(text, _bare(text), state, game.actions(state))


def read_move(state: State, text: str, legal: Callable[[State], Sequence[int]]) -> int:
    """Return the action that ``text`` names in ``state``, in the notation of UCI, or, if it is legal, in SAN.

    Args:
        state: the position.
        text: the name.
        legal: returns the legal actions; it is called for SAN alone.

    Raises:
        ValueError: no move has that name, or none or several of the legal ones that SAN names; the message says which.
    """
    try:
        return action_in(state, text)
    except ValueError:
        if _UCI.fullmatch(text):
            raise
    name = _bare(text)
    if not (_SAN.fullmatch(name) or _CASTLING.fullmatch(name)):
        raise ValueError(f"chess has no action {text!r}: expected a name such as e2e4, e7e8q, Nf3 or O-O")
    return _read(text, name, state, legal(state))


def _bare(text: str) -> str:
    """Return a name without the marks behind it."""
    return _MARKS.sub("", text.strip()) if isinstance(text, str) else ""


def _read(text: str, name: str, state: State, legal: Sequence[int]) -> int:
    if castling := _CASTLING.fullmatch(name):
        side = 0 if castling[1] else 1
        found = [action for action in legal if _castling_side(state, action) == side]
    else:
        parts = _SAN.fullmatch(name)
        if parts is None:
            raise ValueError(f"{text!r} names no move: expected one such as e4, Nf3, exd5, e8=Q or O-O")
        found = [action for action in legal if _fits(state, action, parts)]
    if len(found) > 1:
        names = ", ".join(_name(legal, state, action) for action in found)
        raise ValueError(f"the move {text!r} is ambiguous: {names} are legal")
    if not found:
        promotes = [action for action in legal if _name(legal, state, action).split("=")[0] == name]
        why = f"does not say what the pawn becomes: write {name}=Q" if promotes else "is illegal here"
        raise ValueError(f"the move {text!r} {why}")
    return found[0]


def _parts(state: State, action: int) -> tuple[int, int, int]:
    """Return the origin and the target of a move, and the kind of the piece."""
    origin, plane = divmod(action, PLANES)
    kind = KING if origin == int(state.king) else int(kind_at(state, origin))
    return origin, origin + int(STEPS[plane]), kind


def _castling_side(state: State, action: int) -> int:
    """Return 0 if a move castles on the left, 1 on the right, else -1."""
    origin, target, kind = _parts(state, action)
    if kind != KING or not (int(state.own) >> target & 1 or action % PLANES in CASTLING):
        return -1
    return int(target > origin)


def _promotion(state: State, action: int) -> str:
    """Return the letter of what a pawn becomes, empty if the move is no promotion."""
    _, target, kind = _parts(state, action)
    plane = action % PLANES
    return _LETTERS[int(PROMOTED[plane])] if kind == PAWN and (target & 7 == 7 or plane >= UNDERPROMOTION) else ""


def _name(legal: Sequence[int], state: State, action: int) -> str:
    """Return the name of a legal move, without a mark of check."""
    side = _castling_side(state, action)
    if side >= 0:
        return "O-O" if side else "O-O-O"
    turn = int(state.turn)
    origin, target, kind = _parts(state, action)
    from_name, to_name = square_name(origin, turn), square_name(target, turn)
    captures = "x" if int(state.other) >> target & 1 else ""
    if kind == PAWN:
        promotion = _promotion(state, action)
        captures = "x" if from_name[0] != to_name[0] else ""
        return from_name[0] * bool(captures) + captures + to_name + (f"={promotion}" if promotion else "")
    others = [
        square_name(_parts(state, other)[0], turn)
        for other in legal
        if other != action and _parts(state, other)[1:] == (target, kind) and _castling_side(state, other) < 0
    ]
    start = ""
    if others:
        if all(other[0] != from_name[0] for other in others):
            start = from_name[0]
        else:
            start = from_name[1] if all(other[1] != from_name[1] for other in others) else from_name
    return _LETTERS[kind] + start + captures + to_name


def _fits(state: State, action: int, parts: re.Match[str]) -> bool:
    """Return whether a legal move is one that the parts of a name allow."""
    piece, file, rank, square, promotion = (part or "" for part in parts.groups())
    origin, target, kind = _parts(state, action)
    turn = int(state.turn)
    start = square_name(origin, turn)
    return (
        _LETTERS[kind] == piece
        and square_name(target, turn) == square
        and file in ("", start[0])
        and rank in ("", start[1])
        and _promotion(state, action) == promotion
        and _castling_side(state, action) < 0
        # A pawn that captures must be named by its file.
        and not (kind == PAWN and not file and start[0] != square[0])
    )
