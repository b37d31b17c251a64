"""Tournaments under load and misfortune: ``python -m benchmarks.faults.misfortunes load``, and the other parts by name.

Each part plays tournaments by the command line, in processes of their own, and compares every game with those of a run
that nothing has disturbed. It ends with an error if one differs.

========  =============================================================================================================
load      100,000 games in two processes: rate, peak memory, size of the file
kills     the process killed at random, 50 times, and resumed
disk      a disk that is full, and then is not
readonly  a file that may not be written
shared    two tournaments, and twice the same one, in one file at the same time
clock     a wall clock that jumps
fork      an engine with children that dies in each game
========  =============================================================================================================
"""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import typer

from plyground.arena import read_records
from plyground.arena.store import check_store, tournaments_in

from .tournaments import (
    FORMATS,
    Games,
    command,
    count,
    finished,
    folder,
    games_of,
    kills,
    load,
    require,
    table,
    without_speed,
)

app = typer.Typer(help=(__doc__ or "").partition("\n")[0], add_completion=False)
app.command()(load)
app.command()(kills)


# -- files that cannot be written --------------------------------------------------------------------------------------


@app.command()
def disk(games: Games = 200, kilobytes: int = 400) -> None:
    """Fill a disk with games, then make room and resume."""
    for suffix in FORMATS:
        with folder() as place:
            table(f"a disk of {kilobytes} KB, {suffix}", list(filled(place, suffix, games, kilobytes).items()))


def filled(place: Path, suffix: str, games: int, kilobytes: int) -> dict[str, str]:
    """Play until there is no room, and then with room, on a small file system; with short files if none can be made."""
    whole = place / f"whole{suffix}"
    code, expected, said = finished(command(whole, games))
    require(code == 0, said)
    with small_disk(place, kilobytes) as small:
        path = (small or place) / f"games{suffix}"
        limit = None if small else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes << 10, kilobytes << 10))
        code, _, said = finished(command(path, games), preexec_fn=limit)
        require(code == 2 and str(path) in said, f"it ended with {code}: {said}")
        kept = count(path)
        if small:
            subprocess.run(["mount", "-o", "remount,size=100m", str(small)], check=True)
        code, table, said_then = finished(command(path, games, resume=True))
        require(code == 0, said_then)
        require(games_of(path) == games_of(whole), "the games differ from those of the run that nothing disturbed")
        require(without_speed(table) == without_speed(expected), "the table differs")
    return {
        "kind": "a small file system (tmpfs)" if small else "a limit on the length of files",
        "said": said.replace(str(path), path.name),
        "games until then": f"{kept} of {len(games_of(whole))}",
        "resumed with room": "all games, and the table, as in the run that nothing disturbed",
    }


@app.command()
def readonly(games: Games = 10) -> None:
    """Go on with a file that may not be written."""
    for suffix in FORMATS:
        with folder() as place, small_disk(place, 10_000) as small:
            path = (small or place) / f"games{suffix}"
            if not small and os.geteuid() == 0:  # who may write what others may only read
                print("readonly: it needs the right to mount, or another user than root")
                return
            require(finished(command(path, games))[0] == 0, "the first run has failed")
            before = path.read_bytes()
            if small:
                subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
            else:
                path.chmod(0o444)
                place.chmod(0o555)
            try:
                code, _, said = finished(command(path, games + 10, resume=True))
                require(code == 2 and str(path) in said, f"it ended with {code}: {said}")
                require(path.read_bytes() == before, "the file has changed")
                require(len(games_of(path)) > 0, "it cannot be read")
            finally:
                place.chmod(0o755)
            table(f"a file that is read-only, {suffix}", [("said", said.replace(str(path), path.name))])


@contextlib.contextmanager
def small_disk(place: Path, kilobytes: int) -> Iterator[Path | None]:
    """Mount a file system of that size; None where that is not allowed."""
    small = place / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(small)]
    is_mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield small if is_mounted else None
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(small)], capture_output=True, check=False)


# -- company -----------------------------------------------------------------------------------------------------------


@app.command()
def shared(games: Games = 200) -> None:
    """Play two tournaments, and twice the same one, in one file at the same time."""
    with folder() as place:
        alone = [place / f"{seed}.db" for seed in (0, 1)]
        for seed, path in enumerate(alone):
            require(finished(command(path, games, seed))[0] == 0, "a tournament alone has failed")
        path = place / "both.db"
        for words in zip(
            *both(command(path, games, 0, resume=True), command(path, games, 1, resume=True)), strict=True
        ):
            require(words[0] == 0, f"it ended with {words[0]}: {words[1]}")
        titles = {one.title: one.number for one in tournaments_in(path)}
        for other in alone:
            (one,) = tournaments_in(other)
            require(games_of(path, titles[one.title]) == games_of(other), "the games differ")
        path, words = place / "same.db", command(place / "same.db", games, resume=True)
        codes, said = both(words, words)
        require(codes == (0, 0), f"they ended with {codes}: {said}")
        require(games_of(path) == games_of(alone[0]), "the games differ")
        require(check_store(path) == len(games_of(path)), "a game is there twice")
        runs = tournaments_in(path)[0].runs
        path = place / "same.jsonl"
        codes, said = both(command(path, games, 0), command(path, games, 1))
        require(sorted(codes) == [0, 2], f"they ended with {codes}: {said}")
        refused = said[codes.index(2)].replace(str(path), path.name)
        table(
            "two processes, one file",
            [
                ("two tournaments, .db", f"all games of both, {len(games_of(alone[0]))} each"),
                ("twice the same, .db", f"{len(games_of(alone[0]))} games, none twice, by {runs} processes"),
                ("two tournaments, .jsonl", f"one of them plays; the other: {refused}"),
            ],
        )


def both(one: list[str], other: list[str]) -> tuple[tuple[int, int], tuple[str, str]]:
    """Run two commands at the same time, and return their exit codes and last lines of errors."""
    running = [
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for words in (one, other)
    ]
    said = [process.communicate()[1].strip().splitlines()[-1] for process in running]
    return (running[0].returncode, running[1].returncode), (said[0], said[1])


# -- clocks and engines ------------------------------------------------------------------------------------------------

JUMPING = """
import random, sys, time
random.seed(1)
time.time = lambda: random.uniform(-1e9, 1e10)
time.time_ns = lambda: int(1e9 * time.time())
from plyground.arena.cli import main
main()
"""


@app.command()
def clock(games: Games = 10) -> None:
    """Play under a wall clock that jumps by decades, with budgets in seconds too."""
    with folder() as place:
        whole, path, timed = (place / name for name in ("whole.db", "jumping.db", "timed.db"))
        require(finished(command(whole, games))[0] == 0, "the first run has failed")
        words = [sys.executable, "-c", JUMPING]
        require(finished([*words, *command(path, games, jobs=2)[3:]])[0] == 0, "a run under such a clock has failed")
        require(games_of(path) == games_of(whole), "the games differ")
        seconds = 0.02
        match = [
            "match",
            f"mcts(seconds={seconds})",
            "random",
            "-g",
            "connect_four",
            "--games",
            "2",
            "--out",
            str(timed),
        ]
        code, _, said = finished([*words, *match, "--json"])
        require(code == 0, said)
        taken = [
            second
            for record in read_records(timed)
            for second, mover in zip(record.seconds, record.movers, strict=True)
            if mover >= 0 and record.players[mover] != "random"
        ]
        require(
            min(taken) > 0 and float(np.median(taken)) < 10 * seconds, f"its moves took {min(taken)} to {max(taken)} s"
        )
        shown = f"{1e3 * float(np.median(taken)):.1f} ms a move, {1e3 * max(taken):.1f} at most"
        table("a wall clock that jumps", [("games", "as without"), (f"mcts(seconds={seconds})", shown)])


FORKING = r"""
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1], "a") as file:
    print(os.getpid(), child.pid, file=file)
moves = 0
for line in sys.stdin:
    name = line.split()[1]
    if name == "genmove":
        moves += 1
        if moves == 2:
            os._exit(1)
    print("=" + line.split()[0], {"genmove": "PASS", "known_command": "true"}.get(name, ""), end="\n\n", flush=True)
"""


@app.command()
def fork(games: Games = 20) -> None:
    """Play against an engine that starts a child, and dies in each game."""
    with folder() as place:
        script, log, path = place / "forking.py", place / "processes", place / "games.db"
        script.write_text(FORKING)
        engine = f"engine('{sys.executable} {script} {log}')"
        words = [sys.executable, "-m", "plyground.arena", "match", engine, "random", "-g", "go(board_size=5)"]
        code, _, said = finished([*words, "--games", str(games), "--out", str(path), "--json"])
        require(code == 0, said)
        records = list(read_records(path))
        started = [int(word) for word in log.read_text().split()]
        alive = [process for process in started if is_running(process)]
        require(not alive, f"{alive} of the processes {started} are still there")
        require({record.ending for record in records} == {"failed"}, "a game was finished")
        table(
            "an engine that starts a child, and dies",
            [
                ("games", f"{len(records)} of {games}, each lost by it; it is withdrawn after three"),
                ("reason", records[0].reason or ""),
                ("processes", f"{len(started)} were started, its own and children: none is left"),
            ],
        )


def is_running(process: int) -> bool:
    """Return whether a process is there, and has not merely not been waited for."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


if __name__ == "__main__":
    app()
