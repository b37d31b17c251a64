"""Machine code of variants of a game, compiled by a process each, is not mixed up where another loads all of it.

Numba issue 10486: cached files of different functions with the same symbol names are merged by the linker.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest

from plyground.envs.games import tictactoe as tictactoe_file
from tests.conftest import as_own_file
from tests.helpers.forks import forks, needs_fork

pytestmark = [pytest.mark.slow, needs_fork]

IMPORTS = """
import importlib, json
import numpy as np
from plyground.agents import MCTS, AlphaBeta
from plyground.envs import GameBatch, make_game
"""

# Plays random games or searches, in variants by their specs or by files of rules, and prints what it saw. All kernels
# are asked in one game. In the others one is enough: it has the rules, whose variants are what might be mixed up.
PLAY = f"""{IMPORTS}
KERNELS = {{"connect_four": ["batch", "alphabeta", "mcts"], "gomoku": ["alphabeta"]}}

def boards(game):
    batch = GameBatch(game, 4, seed=1)
    for _ in range(200):
        batch.step(batch.random_actions())
        yield [batch.rewards.tolist(), [int(game.key(state)) for state in batch.states]]

def seen(name):
    game = importlib.import_module(name[1:]).tictactoe() if name[0] == "@" else make_game(name)
    state, found = game.play_moves([game.actions(game.new_state())[0]]), []
    kernels = KERNELS.get(game.name, ["batch"])
    if "batch" in kernels:
        found += boards(game)
    if "alphabeta" in kernels:
        searched = AlphaBeta(game, 3).analyse(state)
        found += [str(searched.pv), searched.value, searched.nodes]
    if "mcts" in kernels:
        grown = MCTS(game, 200, seed=1).analyse(state)
        found += [str(grown.visits), grown.value]
    return found

print(json.dumps([seen(name) for name in VARIANTS]))
"""

VARIANTS = [
    ("connect_four", "connect_four(rows=5)"),
    ("gomoku(size=6)", "gomoku(size=9)"),
    ("go(board_size=5)", "go(board_size=9)", "go(board_size=5, komi=0.5)"),
    ("othello", "othello(size=4)", "othello(size=4, by_discs=True)"),
    ("checkers", "checkers(max_quiet_plies=12)"),
    ("@old_rules", "@new_rules"),
]
SHARED = {"go(board_size=5, komi=0.5)": 0}  # the code is that of the variant in this place

Play = Callable[..., list[object]]


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Play]:
    """A function that returns what a process with its compiled code in this folder sees of these variants.

    The processes are forked: all have counted the same functions, those of the imports, when they begin.
    """
    folder = tmp_path_factory.mktemp("variants")
    source = as_own_file(Path(str(tictactoe_file.__file__)).read_text())
    (folder / "old_rules.py").write_text(source)
    (folder / "new_rules.py").write_text(source.replace(", 0o421, 0o124]", "]"))  # no diagonals
    link = folder / "cache"  # Numba asks where code is kept as it is imported
    link.symlink_to(tmp_path_factory.mktemp("nothing"))
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    with forks(IMPORTS, NUMBA_CACHE_DIR=str(link), PYTHONPATH=paths) as run:

        def played(cache: Path, *variants: str) -> list[object]:
            cache.mkdir(exist_ok=True)
            link.unlink()
            link.symlink_to(cache)
            return json.loads(run(PLAY.replace("VARIANTS", repr(variants))))

        yield played


@pytest.mark.parametrize("variants", VARIANTS, ids=" and ".join)
def test_each_variant_plays_as_it_did_alone(variants: tuple[str, ...], play: Play, tmp_path: Path) -> None:
    # Each compiles its own, all of it, so that both have counted the same functions; then their files lie together.
    alone = []
    for number, variant in enumerate(variants):
        cache = tmp_path / str(number)
        if variant in SHARED:
            shutil.copytree(tmp_path / str(SHARED[variant]), cache)
        before = set(cache.rglob("*.nbc"))
        alone += play(cache, variant)
        assert (set(cache.rglob("*.nbc")) == before) == (variant in SHARED)
        shutil.copytree(cache, tmp_path / "cache", dirs_exist_ok=True)
    assert all(one != other for one, other in combinations(alone, 2))
    assert play(tmp_path / "cache", *variants) == alone
    assert play(tmp_path / "cache", *reversed(variants)) == alone[::-1]
