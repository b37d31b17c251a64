"""Machine code of variants of a game, compiled by a process each, is not mixed up where another loads all of it.

Numba issue 10486: cached files of different functions with the same symbol names are merged by the linker.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from plyground.envs.games import tictactoe as tictactoe_file
from tests.conftest import as_own_file

pytestmark = pytest.mark.slow

# Plays random games and searches, in variants by their specs or by files of rules, and prints what it saw.
PLAY = """
import importlib, json, sys
import numpy as np
from plyground.agents import MCTS, AlphaBeta
from plyground.envs import GameBatch, make_game

def seen(name):
    game = importlib.import_module(name[1:]).tictactoe() if name[0] == "@" else make_game(name)
    batch = GameBatch(game, 4, seed=1)
    boards = []
    for _ in range(30):
        batch.step(batch.random_actions())
        boards.append([int(game.key(state)) for state in batch.states])
    state = game.play_moves([game.actions(game.new_state())[0]])
    searched = AlphaBeta(game, 3).analyse(state)
    grown = MCTS(game, 200, seed=1).analyse(state)
    visits = {str(action): count for action, count in grown.visits.items()}
    return [boards, str(searched.pv), searched.value, searched.nodes, visits, grown.value]

print(json.dumps([seen(name) for name in sys.argv[1:]]))
"""

VARIANTS = [
    ("connect_four", "connect_four(rows=5)"),
    ("gomoku(size=6)", "gomoku(size=9)"),
    ("go(board_size=5)", "go(board_size=9)", "go(board_size=5, komi=0.5)"),  # where komi differs, the code is shared
    ("othello", "othello(size=6)", "othello(size=4)", "othello(size=4, by_discs=True)"),
    ("checkers", "checkers(max_quiet_plies=12)"),
    ("@old_rules", "@new_rules"),
]


def play(cache: Path, rules: Path, *variants: str) -> list[object]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    environment["PYTHONPATH"] = os.pathsep.join([str(rules), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", PLAY, *variants]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, f"{variants}: exit code {done.returncode}\n{done.stderr[-2000:]}"
    return json.loads(done.stdout)


@pytest.mark.parametrize("variants", VARIANTS, ids=" and ".join)
def test_each_variant_plays_as_it_did_alone(variants: tuple[str, ...], tmp_path: Path) -> None:
    source = as_own_file(Path(str(tictactoe_file.__file__)).read_text())
    (tmp_path / "old_rules.py").write_text(source)
    (tmp_path / "new_rules.py").write_text(source.replace(", 0o421, 0o124]", "]"))  # no diagonals
    # Each compiles its own, all of it, so that both have counted the same functions; then their files lie together.
    alone = [play(tmp_path / str(number), tmp_path, variant)[0] for number, variant in enumerate(variants)]
    assert all(one != other for one, other in combinations(alone, 2))
    for number in range(len(variants)):
        shutil.copytree(tmp_path / str(number), tmp_path / "cache", dirs_exist_ok=True)
    assert play(tmp_path / "cache", tmp_path, *variants) == alone
    assert play(tmp_path / "cache", tmp_path, *reversed(variants)) == alone[::-1]
