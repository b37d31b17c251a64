"""Does ``plyground uci`` keep to its time? Games by all sorts of clocks, and stops at random times, by python-chess.

Both sides of a game are played by one engine, each by its own clock, which python-chess's process holds: whatever the
operating system and the pipe take counts as the engine's. A move that comes after the flag has fallen is a loss on
time, an illegal one is an error. On a machine that has other things to do a process may wait longer for a processor
than an increment lasts: ``--processor`` counts the time of the processor (on Linux), as on a machine that has not.
Needs the extra ``chess``.

    python -m benchmarks.faults.uci_clocks
    python -m benchmarks.faults.uci_clocks --processor
    python -m benchmarks.faults.uci_clocks --player 'mcts' --moves 200
    python -m benchmarks.faults.uci_clocks --only 60+1 --moves 10000
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

_LONGEST = 250  # plies of a game
CONTROLS = {"1+0.01": (1, 0.01), "2+0.02": (2, 0.02), "5+0.05": (5, 0.05), "10+0.1": (10, 0.1), "60+1": (60, 1)}


def opening(rng: random.Random, plies: int) -> Any:
    """Return a position after some random moves, in which there is a move."""
    import chess

    board = chess.Board()
    while len(board.move_stack) < plies:
        board.push(rng.choice([*board.legal_moves]))
        if not any(board.legal_moves):
            board = chess.Board()
    return board


def game(
    engine: Any, now: Callable[[], float], rng: random.Random, seconds: float, increment: float, most: int
) -> tuple[int, int, float, float]:
    """Play a game by a clock.

    Returns:
        The plies, the losses on time, the least that was left after a move, and the share of the time that was used.
    """
    import chess.engine

    board, clocks, lost, least, plies = opening(rng, 8), [float(seconds)] * 2, 0, float(seconds), 0
    token, used = object(), 0.0
    while any(board.legal_moves) and plies < most:  # repetitions do not end it: long games are the hard ones
        limit = chess.engine.Limit(
            white_clock=clocks[1], black_clock=clocks[0], white_inc=increment, black_inc=increment
        )
        start = now()
        move = engine.play(board, limit, game=token).move
        took = now() - start
        used += took
        left = clocks[board.turn] - took
        least = min(least, left)
        lost += left < 0
        clocks[board.turn] = max(left, 0.0) + increment
        assert move in board.legal_moves
        board.push(move)
        plies += 1
    return plies, lost, least, used / (2 * seconds + plies * increment)


def stops(engine: Any, rng: random.Random, moves: int) -> list[float]:
    """Return the seconds that the move took after each ``stop``, at a random time."""
    board, delays = opening(rng, 6), []
    while len(delays) < moves:
        with engine.analysis(board) as analysis:
            time.sleep(rng.random() * 0.05)
            start = time.perf_counter()
            analysis.stop()
            move = analysis.wait().move
            delays.append(time.perf_counter() - start)
        assert move in board.legal_moves
        board.push(move)
        if not any(board.legal_moves) or len(board.move_stack) > 100:
            board = opening(rng, 6)
    return sorted(delays)


def main() -> None:
    """Play, and print a line for each time control."""
    import chess.engine

    parser = argparse.ArgumentParser(description="Does plyground uci keep to its time?")
    parser.add_argument("--player", default="alphabeta")
    parser.add_argument("--moves", type=int, default=1000, help="of each time control (60+1: a tenth), and stops")
    parser.add_argument("--only", choices=CONTROLS, help="one time control, and no stops")
    parser.add_argument("--processor", action="store_true", help="count the time of the processor")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    command = [sys.executable, "-m", "plyground.arena", "uci", arguments.player]
    with chess.engine.SimpleEngine.popen_uci(command, timeout=600) as engine:
        engine.ping()
        engine.timeout = 120
        now = time.perf_counter
        if arguments.processor:
            # The clock of another process, as clock_getcpuclockid(3) of the GNU C library makes its number.
            identity = (~engine.transport.get_pid() << 3) | 2
            now = partial(time.clock_gettime, identity)
        if arguments.only is None:
            delays = stops(engine, rng, arguments.moves)
            print(
                f"{len(delays)} stops: the move after {1000 * delays[len(delays) // 2]:.1f} ms (median), "
                f"{1000 * delays[int(0.99 * len(delays))]:.1f} ms (99 %), {1000 * delays[-1]:.1f} ms (most)"
            )
        for name in [arguments.only] if arguments.only else CONTROLS:
            seconds, increment = CONTROLS[name]
            most = arguments.moves if seconds < 60 else max(1, arguments.moves // 10)
            plies = lost = games = 0
            least, shares = float(seconds), []
            while plies < most:
                played, late, left, share = game(engine, now, rng, seconds, increment, min(most - plies, _LONGEST))
                plies, lost, games, least = plies + played, lost + late, games + 1, min(least, left)
                shares.append(share)
            load = os.getloadavg()[0]
            print(
                f"{name}: {plies} moves in {games} games, {lost} lost on time, least left {least:.3f} s,"
                f" used {sum(shares) / games:.0%} of the time (load {load:.1f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
