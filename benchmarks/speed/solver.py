"""The Connect Four solver against bitbully (C++, from PyPI), on the same random positions, and whether they agree.

    python -m benchmarks.speed.solver             # times, on a few positions of each ply
    python -m benchmarks.speed.solver --full      # and scores of 1,000 positions of each ply

With ``--write`` the table goes into docs/measurements.md.

One thread, no opening book, and the table emptied before each position on both sides; that is not timed. What is timed
is a call from Python that returns the score of a position, ``ConnectFourScores.score`` and ``BitBullyCore.mtdf``. The
sides take turns, 20 positions each: emptying bitbully's table also empties the processor's cache, and the other side
would pay for it. The time is the process's own, so that a busy machine does not count.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np

from benchmarks.page import markdown_table, write_section
from plyground.agents.solver.connect_four.scores import ConnectFourScores
from plyground.envs import State, connect_four

COUNTS = {12: 100, 16: 300, 20: 1000, 24: 1000, 28: 1000}  # plies played: positions that are timed
CHECKED = 1000  # positions of each ply with --full
_TURN = 20


def random_positions(plies: int, count: int, seed: int = 0) -> list[tuple[State, list[int]]]:
    """Return unfinished positions after so many random moves, in which nobody can win at once, and their moves."""
    game, rng = connect_four(), np.random.default_rng([seed, plies])
    found: list[tuple[State, list[int]]] = []
    while len(found) < count:
        state, moves = game.new_state(), []
        while len(moves) < plies and not game.is_terminal(state):
            moves.append(int(rng.choice(game.actions(state))))
            game.play(state, moves[-1])
        if not game.is_terminal(state) and not any(
            game.is_terminal(game.play_moves([action], state)) for action in game.actions(state)
        ):
            found.append((state, moves))
    return found


def compare(plies: int, count: int) -> tuple[list[float], list[float], int]:
    """Return the seconds that each side took for each position, and how many scores differ."""
    from bitbully import bitbully_core

    ours, peer = ConnectFourScores(connect_four(), book=False), bitbully_core.BitBullyCore()
    our_seconds, peer_seconds, scores, expected = [], [], [], []
    positions = random_positions(plies, count)
    for first in range(0, count, _TURN):
        for state, _ in positions[first : first + _TURN]:
            ours.clear()
            start = time.process_time()
            scores.append(ours.score(state))
            our_seconds.append(time.process_time() - start)
        for _, moves in positions[first : first + _TURN]:
            board: Any = bitbully_core.BoardCore()
            board.play(moves)
            peer.resetTranspositionTable()
            start = time.process_time()
            expected.append(peer.mtdf(board, 0))
            peer_seconds.append(time.process_time() - start)
    return our_seconds, peer_seconds, sum(a != b for a, b in zip(scores, expected, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help=f"compare the scores of {CHECKED} positions of each ply")
    parser.add_argument("--plies", type=int, nargs="+", choices=COUNTS, default=list(COUNTS))
    parser.add_argument("--write", action="store_true", help="write the table into docs/measurements.md")
    chosen, rows = parser.parse_args(), []
    if chosen.write and chosen.plies != list(COUNTS):
        parser.error("--write: the page shows all plies: leave out --plies")
    head = ("plies", "positions", "ours, ms", "bitbully, ms", "ratio", "scores that differ")
    print("  ".join(head))
    for plies in chosen.plies:
        count = CHECKED if chosen.full else COUNTS[plies]
        ours, peer, different = compare(plies, count)
        mean, other = 1000 * statistics.mean(ours), 1000 * statistics.mean(peer)
        row = (f"{plies}", f"{count}", f"{mean:.4f}", f"{other:.4f}", f"{mean / other:.2f}", f"{different}")
        print("  ".join(text.rjust(len(name)) for text, name in zip(row, head, strict=True)), flush=True)
        rows.append(row)
    if chosen.write:
        write_section("solver", markdown_table(head, rows, texts=0))


if __name__ == "__main__":
    main()
