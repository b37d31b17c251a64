"""Stones in a row: the same rules and numbers. OpenSpiel too has m for the columns and n for the rows."""

from .pair import Pair

__all__ = ["GOMOKU", "MNK"]

GOMOKU = [
    Pair("gomoku", "gomoku", "gomoku", games=20_000, sample=40),
    Pair("gomoku9", "gomoku(size=9)", "gomoku(size=9)", games=20_000, sample=100),
    Pair("gomoku19", "gomoku(size=19)", "gomoku(size=19)", games=1_000, sample=10),
]

MNK = [
    Pair("mnk", "mnk", "mnk(m=3,n=3,k=3)"),
    *(
        Pair(f"mnk{m}-{n}-{k}", f"mnk(m={m}, n={n}, k={k})", f"mnk(m={m},n={n},k={k})")
        for m, n, k in [(4, 3, 3), (3, 5, 4), (7, 2, 5), (1, 6, 3), (6, 7, 5), (8, 6, 1)]
    ),
]
