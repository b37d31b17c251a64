"""What rooks and bishops attack, by four methods, ``python -m benchmarks.speed.chess_sliding``: nanoseconds for both.

The methods are those of the chess programming wiki. Each is asked for the same random squares and occupied squares, of
boards as full as in games, in a loop whose every question depends on the last answer.

- Classical: rays cut off at the first piece, for each of eight directions.
- Hyperbola quintessence: ``o ^ (o - 2r)``, and the same with the board reversed.
- Obstruction difference: what is chosen, see `plyground.envs.games.chess.attacks`.
- Magics: a table of 841 kB, by multiplication; the factors are searched for here.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numba import njit

from plyground.envs.games.chess.attacks import diagonal_attacks, straight_attacks
from plyground.envs.games.chess.squares import DIRECTIONS, RAYS
from plyground.envs.jit.bits import highest, lowest

ZERO, ONE = np.uint64(0), np.uint64(1)
STRAIGHT = tuple(number for number, (x, y) in enumerate(DIRECTIONS) if x * y == 0)
DIAGONAL = tuple(number for number, (x, y) in enumerate(DIRECTIONS) if x * y != 0)
STEPS = tuple(8 * x + y for x, y in DIRECTIONS)
QUESTIONS = 20_000_000
_ODD, _PAIRS, _NIBBLES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES, _WORDS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
_1, _2, _4, _8, _16, _32 = (np.uint64(n) for n in (1, 2, 4, 8, 16, 32))


@njit(inline="always")
def classical(square: int, occupied: Any) -> Any:
    found = ZERO
    for direction in range(8):
        ray = RAYS[square, direction]
        blockers = ray & occupied
        if blockers != ZERO:
            first = lowest(blockers) if STEPS[direction] > 0 else highest(blockers)
            ray ^= RAYS[first, direction]
        found |= ray
    return found


@njit(inline="always")
def reversed_bits(bits: Any) -> Any:
    bits = ((bits >> _1) & _ODD) | ((bits & _ODD) << _1)
    bits = ((bits >> _2) & _PAIRS) | ((bits & _PAIRS) << _2)
    bits = ((bits >> _4) & _NIBBLES) | ((bits & _NIBBLES) << _4)
    bits = ((bits >> _8) & _BYTES) | ((bits & _BYTES) << _8)
    bits = ((bits >> _16) & _WORDS) | ((bits & _WORDS) << _16)
    return (bits >> _32) | (bits << _32)


MASKS = np.array([[RAYS[s, d] | RAYS[s, 7 - d] for d in range(4)] for s in range(64)], np.uint64)


@njit(inline="always")
def hyperbola(square: int, occupied: Any) -> Any:
    found, here = ZERO, ONE << np.uint64(square)
    back = ONE << np.uint64(63 - square)
    turned = reversed_bits(occupied)
    for line in range(4):
        mask = MASKS[square, line]
        up = (occupied & mask) - (here << ONE)
        down = reversed_bits((turned & reversed_bits(mask)) - (back << ONE))
        found |= (up ^ down) & mask
    return found


@njit(inline="always")
def difference(square: int, occupied: Any) -> Any:
    return straight_attacks(square, occupied) | diagonal_attacks(square, occupied)


def walked(square: int, occupied: int, directions: tuple[int, ...]) -> int:
    """Return what is attacked, square by square."""
    found = 0
    for direction in directions:
        x, y = DIRECTIONS[direction]
        file, rank = square // 8 + x, square % 8 + y
        while 0 <= file < 8 and 0 <= rank < 8:
            found |= 1 << (8 * file + rank)
            if occupied >> (8 * file + rank) & 1:
                break
            file, rank = file + x, rank + y
    return found


@njit
def fills(entries: Any, sets: Any, attacks: Any, factor: Any, shift: Any) -> bool:
    """Fill in the entries, and return whether no two that differ have the same place."""
    for i in range(sets.size):
        place = (sets[i] * factor) >> shift
        if entries[place] != ZERO and entries[place] != attacks[i]:
            return False
        entries[place] = attacks[i]
    return True


def magics(directions: tuple[int, ...], rng: np.random.Generator) -> tuple[Any, Any, Any, Any, Any]:
    """Return masks, factors, shifts, where the entries of each square begin, and the entries."""
    masks, factors, shifts, starts, table = [], [], [], [], []
    for square in range(64):
        mask = 0
        for direction in directions:
            ray = int(RAYS[square, direction])
            mask |= ray & ~(1 << max((s for s in range(64) if ray >> s & 1), key=lambda s: abs(s - square), default=0))
        bits = [s for s in range(64) if mask >> s & 1]
        sets = np.array(
            [sum(1 << b for i, b in enumerate(bits) if n >> i & 1) for n in range(1 << len(bits))], np.uint64
        )
        attacks = np.array([walked(square, int(one), directions) for one in sets], np.uint64)
        shift = np.uint64(64 - len(bits))
        while True:
            factor = np.bitwise_and.reduce(rng.integers(0, 2**64, 3, np.uint64, endpoint=False))
            entries = np.zeros(1 << len(bits), np.uint64)
            if fills(entries, sets, attacks, factor, shift):
                break
        masks.append(mask)
        factors.append(factor)
        shifts.append(shift)
        starts.append(sum(map(len, table)))
        table.append(entries)
    return (
        np.array(masks, np.uint64),
        np.array(factors, np.uint64),
        np.array(shifts, np.uint64),
        np.array(starts, np.uint64),
        np.concatenate(table),
    )


def timed(name: str, attacks: Any, *tables: Any) -> None:
    """Print how long a question takes, and check the answers."""

    @njit
    def loop(count, tables):
        seed, total = np.uint64(88172645463325252), ZERO
        for _ in range(count):
            seed ^= seed << np.uint64(13)
            seed ^= seed >> np.uint64(7)
            seed ^= seed << np.uint64(17)
            occupied = seed & (seed >> np.uint64(23)) | ((seed >> np.uint64(41)) & (seed << np.uint64(9)))
            square = np.int64((seed ^ total) >> np.uint64(58))
            total ^= attacks(square, occupied, tables)
        return total

    loop(10, tables)
    seconds, total = [], ZERO
    for _ in range(3):
        start = time.perf_counter()
        total = loop(QUESTIONS, tables)
        seconds.append(time.perf_counter() - start)
    size = sum(one.nbytes for table in tables for one in table)
    print(f"{name:24} {min(seconds) / QUESTIONS * 1e9:6.1f} ns   {size / 1000:7.1f} kB   {int(total):016x}")


def main() -> None:
    """Print a line for each method; the last column is the same for all."""
    rng = np.random.default_rng(64)
    rooks, bishops = magics(STRAIGHT, rng), magics(DIAGONAL, rng)

    @njit(inline="always")
    def by_magic(square, occupied, tables):
        found = ZERO
        for kind in range(2):
            masks, factors, shifts, starts, entries = tables[kind]
            place = ((occupied & masks[square]) * factors[square]) >> shifts[square]
            found |= entries[starts[square] + place]
        return found

    @njit(inline="always")
    def by_classical(square, occupied, tables):
        return classical(square, occupied)

    @njit(inline="always")
    def by_hyperbola(square, occupied, tables):
        return hyperbola(square, occupied)

    @njit(inline="always")
    def by_difference(square, occupied, tables):
        return difference(square, occupied)

    timed("classical", by_classical, (RAYS,))
    timed("hyperbola quintessence", by_hyperbola, (MASKS,))
    timed("obstruction difference", by_difference, (MASKS, MASKS))
    timed("magics", by_magic, rooks, bishops)


if __name__ == "__main__":
    main()
