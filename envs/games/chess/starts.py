"""The 960 arrays from which Chess960 begins, by their numbers (R. Scharnagl, "Fischer-Random-Schach", 2004).

The number is divided by 4, 4 and 6 in turn. The remainders place the bishop on light squares, the one on dark squares,
and the queen on the free files; what is left places the knights on two of the five free files, and the rest is rook,
king, rook. Number 518 is the array of chess.
"""

from __future__ import annotations

import itertools

__all__ = ["CHESS", "back_rank"]

CHESS = 518


def back_rank(number: int) -> str:
    """Return the pieces of the first rank, from the left, such as ``"RNBQKBNR"``.

    Args:
        number: 0 to 959.
    """
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    files = [""] * 8
    files[2 * light + 1], files[2 * dark] = "B", "B"

    def free() -> list[int]:
        return [file for file in range(8) if not files[file]]

    files[free()[queen]] = "Q"
    left, right = list(itertools.combinations(range(5), 2))[knights]
    empty = free()
    files[empty[left]] = files[empty[right]] = "N"
    for file, piece in zip(free(), "RKR", strict=True):
        files[file] = piece
    return "".join(files)
