"""A pytest plugin: the fixture ``engine_script``, a program that speaks GTP and does what tests want of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# Answers commands, plays the moves that it was started with, one after the other, and then passes.
ENGINE = r"""
import subprocess, sys, time
moves = sys.argv[1].split(",") if len(sys.argv) > 1 and sys.argv[1] else []
log = open(sys.argv[2], "a") if len(sys.argv) > 2 else None
late = ""
print("a banner, and no answer", flush=True)
for line in sys.stdin:
    number, name, *arguments = line.split()
    if log:
        print(" ".join([name, *arguments]), file=log, flush=True)
    good, answer = "=", ""
    if name == "known_command":
        answer = "false" if arguments[0] == "set_game" else "true"
    elif name == "genmove":
        answer = moves.pop(0) if moves else "PASS"
        if answer == "CRASH":
            print("out of luck", file=sys.stderr, flush=True)
            sys.exit(3)
        if answer == "HANG":
            time.sleep(60)
    elif name == "play" and arguments[1] == ("E5" if log else "Z9"):
        good, answer = "?", "illegal move"
    elif name == "final_score":
        answer = "W+1.5"
    elif name == "showboard":
        answer = "a\n  board"
    elif name == "sleep":
        print("good night", flush=True)
        time.sleep(60)
    elif name == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        answer = f"{child.pid}"
    elif name == "die":
        print("why it died", file=sys.stderr, flush=True)
        sys.exit()
    elif name == "garbage":
        print("\x00\xff nonsense", flush=True)
        continue
    elif name == "slow":  # its answer comes with that to the next command
        late = f"={number} too late\n\n"
        continue
    elif name == "partial":  # in pieces
        sys.stdout.write(f"={number}")
        sys.stdout.flush()
        time.sleep(0.2)
        answer, good, number = "whole", "", ""
    sys.stdout.write(late)
    late = ""
    print(f"{good}{number} {answer}\n", flush=True)
    if name == "quit":
        break
"""


@pytest.fixture
def engine_script(tmp_path: Path) -> str:
    """The command that starts the scripted program; its first argument is the moves, the second a log."""
    (tmp_path / "engine.py").write_text(ENGINE)
    return f"{sys.executable} {tmp_path / 'engine.py'}"
