"""Tournaments by the command line, in processes of their own, for `misfortunes`: under load, and killed.

Here is also what its other parts need: to run such a tournament, and to compare its games with those of another run.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from plyground.arena import GameRecord, read_records
from plyground.arena.records.names import is_store
from plyground.arena.store import check_store, tournaments_in

__all__ = [
    "FORMATS",
    "Games",
    "command",
    "count",
    "finished",
    "folder",
    "games_of",
    "killed",
    "kills",
    "load",
    "require",
    "table",
    "without_speed",
]

PLAYERS = ["random", "minimax(depth=1)", "mcts(simulations=5)", "minimax(depth=2)", "alphabeta(depth=1)"]
FORMAT = "swiss(rounds=4)"
FORMATS = (".jsonl", ".db")
OUT = Console(highlight=False)
Games = Annotated[int, typer.Option(help="Games of each pairing.")]


def command(path: Path, games: int, seed: int = 0, jobs: int = 1, resume: bool = False) -> list[str]:
    """Return the command that plays the tournament of these tests."""
    arguments = ["tournament", *PLAYERS, "-g", "tictactoe", "-f", FORMAT, "--games", str(games), "--seed", str(seed)]
    options = ["--jobs", str(jobs), "--out", str(path), "--json", *(["--resume"] if resume else [])]
    return [sys.executable, "-m", "plyground.arena", *arguments, *options]


def finished(words: list[str], **options: Any) -> tuple[int, dict[str, Any], str]:
    """Run a command to its end; return its exit code, the table that it printed, and its last line of errors."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    said = done.stderr.strip().splitlines()
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, said[-1] if said else ""


def games_of(path: Path, tournament: int | None = None) -> list[tuple[Any, ...]]:
    """Return all games of a file in their order, without their times."""
    records = read_records(path if tournament is None else f"{path}#{tournament}")
    return [without_times(record) for record in records]


def without_times(record: GameRecord) -> tuple[Any, ...]:
    """Return what is the same in each run of a game."""
    moves, movers = tuple(record.moves), tuple(record.movers)
    return (record.game, *record.players, moves, record.opening, *record.outcome, record.ending, movers, record.seed)


def without_speed(table: dict[str, Any]) -> dict[str, Any]:
    """Return a printed table without the times of moves."""
    lines = [{name: value for name, value in line.items() if name != "seconds_per_move"} for line in table["players"]]
    return {**table, "players": lines}


def require(fact: bool, what: str) -> None:
    """End with an error if something is not so."""
    if not fact:
        OUT.print(f"[bold red]failed:[/] {what}")
        raise typer.Exit(1)


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        yield Path(name)


def table(title: str, rows: list[tuple[str, str]]) -> None:
    shown = Table(title=title, title_justify="left", show_header=False)
    for row in rows:
        shown.add_row(*row)
    OUT.print(shown)


# -- load --------------------------------------------------------------------------------------------------------------


def load(
    games: Games = 100_000,
    game: str = "connect_four",
    players: str = "alphabeta(depth=2) random",
    jobs: int = 2,
    suffix: str = ".db",
) -> None:
    """Many games by the command line: rate, peak memory, size of the file."""
    with folder() as place:
        path = place / f"games{suffix}"
        words = [sys.executable, "-m", "plyground.arena", "match", *shlex.split(players), "-g", game]
        words += ["--games", str(games), "--jobs", str(jobs), "--out", str(path), "--json"]
        start = time.perf_counter()
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        peaks: dict[int, int] = {}
        while process.poll() is None:
            for one in [process.pid, *descendants(process.pid)]:
                peaks[one] = max(peaks.get(one, 0), peak_memory(one))
            time.sleep(0.1)
        taken = time.perf_counter() - start
        require(process.returncode == 0, f"{shlex.join(words)} ended with {process.returncode}")
        size = path.stat().st_size
        if is_store(path):
            require(check_store(path) == games, f"the file has {check_store(path)} games")
        others = max(peak for one, peak in {**peaks, 0: 0}.items() if one != process.pid)
        table(
            f"{games:,} games of {game}, {players.replace(' ', ' v ')}, {jobs} processes, {suffix}",
            [
                ("time, with starting up", f"{taken:.0f} s"),
                ("rate", f"{games / taken:,.0f} games/s"),
                ("peak memory, the command", f"{peaks[process.pid] / 2**20:,.0f} MiB"),
                ("peak memory, largest other process", f"{others / 2**20:,.0f} MiB"),
                ("file", f"{size / 1e6:.1f} MB, {size / games:.0f} bytes a game"),
            ],
        )


def descendants(parent: int) -> list[int]:
    """Return the processes that a process has started, and those that these have."""
    found = []
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *descendants(child)]
    return found


def peak_memory(process: int) -> int:
    """Return the most memory that a process has had at a time, in bytes; 0 if it has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    return 0


# -- kills -------------------------------------------------------------------------------------------------------------


def kills(
    times: int = 50,
    games: Games = 1_500,
    seed: int = 0,
    only: Annotated[str, typer.Option(help="One kind of file: .jsonl or .db.")] = "",
) -> None:
    """Kill the process at random, and resume it, for both kinds of files."""
    for suffix in [only] if only else FORMATS:
        with folder() as place:
            found = killed(place, suffix, times, games, np.random.default_rng(seed))
        table(
            f"killed and resumed, {suffix}",
            [
                ("kills", f"{found['kills']}, of which {found['before']} before the first new game"),
                ("games", f"{found['games']:,}, in {found['runs']} runs; each as in the run that nothing disturbed"),
                ("games in the file at the kills", found["seen"]),
                ("table", "the same"),
            ],
        )


def killed(place: Path, suffix: str, times: int, games: int, rng: np.random.Generator) -> dict[str, Any]:
    """Kill and resume a tournament so often, and compare it with one that nothing disturbs."""
    whole, path = place / f"whole{suffix}", place / f"killed{suffix}"
    code, expected, said = finished(command(whole, games, resume=True))
    require(code == 0, said)
    done, before, seen = 0, 0, []
    while done < times:
        had = count(path)
        process = subprocess.Popen(
            command(path, games, jobs=1 + done % 2, resume=True),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        if rng.random() < 0.2:  # at any moment, that of starting too
            wait(process, rng.random() * 4)
        else:  # while it plays
            wait(process, 120, partial(has_more, path, had))
            wait(process, rng.random() * 0.4)
        if process.poll() is not None:
            _, errors = process.communicate()
            require(process.returncode == 0, f"it ended with {process.returncode}: {errors.strip()}")
            break
        process.kill()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # the workers
        process.communicate()
        done += 1
        seen.append(count(path))
        before += seen[-1] == had
    require(done == times, f"all games were played after {done} kills: play more of them with --games")
    require(seen == sorted(seen), f"games were lost: there were {seen}")
    code, table, said = finished(command(path, games, jobs=2, resume=True))
    require(code == 0, said)
    require(games_of(path) == games_of(whole), "the games differ from those of the run that nothing disturbed")
    require(without_speed(table) == without_speed(expected), "the table differs")
    if is_store(path):
        require(check_store(path) == len(games_of(path)), "a game is there twice")
    shown = f"{seen[0]}, {seen[len(seen) // 2]} at half-time, {seen[-1]}"
    return {"kills": done, "before": before, "games": len(games_of(path)), "runs": done + 1, "seen": shown}


def wait(process: subprocess.Popen[str], seconds: float, until: Callable[[], bool] = lambda: False) -> None:
    """Wait until the process has ended, something is so, or the time is over."""
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end and not until():
        time.sleep(0.02)


def has_more(path: Path, before: int) -> bool:
    return count(path) > before


def count(path: Path) -> int:
    """Return how many games a file has whole."""
    if not path.exists():
        return 0
    if is_store(path):
        return sum(one.games for one in tournaments_in(path))
    return path.read_bytes().count(b"\n")
