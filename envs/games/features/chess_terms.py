"""The terms of the evaluation of chess: what is counted, and what each is worth by the phase of the game.

A term is a thing that can stand on the board, such as a knight on f3 or an isolated pawn. It has two values, one with
all pieces on the board and one with none but kings and pawns; between, it is interpolated by the phase. Values are in
thousandths of a pawn. All terms have a place in one list, in groups, each of them a range of places:

=================  ==================================================================================================
material           a pawn, a knight, a bishop, a rook, a queen
..._squares        a piece on a square; left and right are alike, so half a board, rank by rank: 4 to a rank
..._mobility       a piece by the number of squares that it attacks, without own pieces and what pawns of the other side
                   attack
doubled_pawn       a pawn with another of its side ahead of it on its file
isolated_pawn      a pawn without own pawns on the files beside it
backward_pawn      a pawn that no own pawn beside or behind could ever protect, with an attacked square ahead of it
supported_pawn     a pawn that an own pawn protects, by its rank
abreast_pawn       a pawn with an own pawn beside it, by its rank
passed_pawn        a pawn that no pawn of the other side can stop or take, by its rank
blocked_pawn       the same, with a piece of the other side on the square ahead of it
free_pawn          a passed pawn, with the square ahead of it empty, and not attacked by the other side
king_from_passed   each step of the own king to the square ahead of a passed pawn, by the rank of the pawn
foe_from_passed    each step of the other king to it
outpost            a knight, a bishop on the fourth to the sixth rank that a pawn protects, and that no pawn of the
                   other side can ever attack from the files it is on
bishop_pair        two bishops or more
open_file          a rook on a file without pawns
half_open_file     a rook on a file without own pawns
shield             each own pawn before the king, on his file and those beside: one rank ahead, two ranks ahead
storm              each pawn of the other side on these files, one to three ranks ahead
bare_file          each of these files without own pawns
king_attack        the attack on the other king, by its strength: each square on or beside him, or ahead of these, that
                   a knight, bishop or rook attacks is 1, and 2 for a queen; each of them that is attacked, and that
                   only the king protects, or nothing, is 1; each kind of pieces that can check on a square that the
                   other side does not attack is 2 for knights and bishops, 3 for rooks and queens; the sum is halved
                   without an own queen, and 0 unless two pieces or more attack
threat             a pawn that attacks a minor piece, a rook, a queen; a minor piece that attacks a rook, a queen; a
                   rook that attacks a queen; and where no pawn protects them, a minor piece that attacks a pawn, a
                   minor piece, and a rook that attacks either; first those of the player to move, then of the other
hanging            a pawn, a minor piece, a rook or queen that is attacked, and that nothing protects; of the
                   player to move, then of the other
push               a knight, bishop, rook or queen that no pawn attacks yet, and that one would attack after a step or
                   two, to a square that no pawn attacks, nor another piece unless an own one protects it; of the player
                   to move, then of the other
tempo              the right to move
=================  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["COUNT", "MOST_ATTACK", "PHASES", "PLACES", "SIZES", "by_phase", "values_of"]

PHASES = 24  # of all pieces: 1 for each knight and bishop, 2 for a rook, 4 for a queen
MOST_ATTACK = 29  # a stronger attack on the king is worth no more
SIZES = {
    "material": 5,
    "pawn_squares": 32,
    "knight_squares": 32,
    "bishop_squares": 32,
    "rook_squares": 32,
    "queen_squares": 32,
    "king_squares": 32,
    "knight_mobility": 9,
    "bishop_mobility": 14,
    "rook_mobility": 15,
    "queen_mobility": 28,
    "doubled_pawn": 1,
    "isolated_pawn": 1,
    "backward_pawn": 1,
    "supported_pawn": 8,
    "abreast_pawn": 8,
    "passed_pawn": 8,
    "blocked_pawn": 8,
    "free_pawn": 8,
    "king_from_passed": 8,
    "foe_from_passed": 8,
    "outpost": 2,
    "bishop_pair": 1,
    "open_file": 1,
    "half_open_file": 1,
    "shield": 2,
    "storm": 3,
    "bare_file": 1,
    "king_attack": MOST_ATTACK + 1,
    "threat": 18,
    "hanging": 6,
    "push": 2,
    "tempo": 1,
}
COUNT = sum(SIZES.values())
PLACES = {
    name: int(place) for name, place in zip(SIZES, np.cumsum([0, *SIZES.values()])[:-1], strict=True)
}  # the first place of each group


def values_of(values: Mapping[str, tuple[str, str]]) -> NDArray[np.float64]:
    """Return what each term is worth with all pieces, and with none but kings and pawns.

    Args:
        values: by group these two, as numbers separated by blanks, in thousandths of a pawn. Those of squares begin
            with the last rank, as a board is drawn.

    Returns:
        [2, terms] in thousandths of a pawn.

    Raises:
        ValueError: a group is missing, or has not as many numbers as terms.
    """
    found = np.zeros((2, COUNT))
    for name, size in SIZES.items():
        if name not in values:
            raise ValueError(f"values of chess lack the group {name!r}")
        for row, text in zip(found, values[name], strict=True):
            numbers = np.array(text.split(), float)
            if numbers.size != size:
                raise ValueError(f"{name} of chess has {size} terms, got {numbers.size} values: {text!r}")
            if name.endswith("_squares"):
                numbers = numbers.reshape(8, 4)[::-1].ravel()
            row[PLACES[name] : PLACES[name] + size] = numbers
    return found


def by_phase(values: Mapping[str, tuple[str, str]]) -> NDArray[np.int32]:
    """Return what each term is worth in each phase: [phases, terms], see `values_of`."""
    middle, end = values_of(values)
    share = np.arange(PHASES + 1)[:, np.newaxis] / PHASES
    return np.rint(share * middle + (1 - share) * end).astype(np.int32)
