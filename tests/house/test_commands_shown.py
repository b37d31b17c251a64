"""Commands that pages and help show: the files that they name are there, and the example game and player are right."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from plyground.arena.cli.commands import COMMANDS
from plyground.arena.cli.group import _loaded
from plyground.envs import Game, State, check_game, make_game
from tests.conftest import random_game
from tests.helpers.command_line import Run

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
SOURCES = [
    path for room in ("envs", "agents", "arena", "examples", "benchmarks") for path in ROOT.glob(f"{room}/**/*.py")
]
MADE = {("add_a_game.md", "./nim.py"), ("write_an_agent.md", "./mine.py")}  # the pages say how
FORMS = {"./file.py"}  # stand for any file
PLACE = "./examples/breakthrough.py:breakthrough"


def shown(pattern: str) -> Iterator[tuple[Path, str]]:
    """Yield what matches a pattern in pages and sources, but for the changelog: it tells of the past."""
    for path in (*PAGES, *SOURCES):
        if path.name != "CHANGELOG.md":
            for found in re.findall(pattern, path.read_text(encoding="utf-8")):
                yield path, found


def test_files_of_ones_own_are_there_or_the_page_says_how_they_are_made() -> None:
    found = list(shown(r"\./[\w/]+\.py"))
    assert len(found) > 20
    for path, file in found:
        assert file in FORMS or (path.name, file) in MADE or (ROOT / file).is_file(), (path.name, file)


def test_scripts_are_there() -> None:
    found = list(shown(r"python -m ((?:benchmarks|tests)[\w.]*)"))
    assert len(found) > 30
    for path, module in found:
        file = ROOT / module.rstrip(".").replace(".", "/")
        assert file.with_suffix(".py").is_file() or (file / "__main__.py").is_file(), (path.name, module)


def test_commands_of_pages_can_be_read() -> None:
    blocks = [(path, block) for path, block in shown(r"(?ms)^```\w+\n(.*?)^```$") if path in PAGES]
    whole = [(path, block.replace("\\\n", " ")) for path, block in blocks]  # a long command goes on in the next line
    found = [(path, line) for path, block in whole for line in re.findall(r"(?m)^(?:\$ )?plyground (.*)$", block)]
    assert len(found) > 60
    for path, line in found:
        name, *words = shlex.split(line.partition(" | ")[0], comments=True)
        assert name in COMMANDS, (path.name, line)
        try:
            _loaded(name).make_context(name, words)
        except Exception as error:
            pytest.fail(f"{path.name}: plyground {line}: {error!r}")


@pytest.fixture
def breakthrough(monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.chdir(ROOT)
    return make_game(PLACE)


def moves(state: State, size: int) -> set[str]:
    """Return the legal moves of Breakthrough by their names."""
    own, ahead = (2, 1) if state.ply & 1 else (1, -1)
    found = set[str]()
    for row, column in np.argwhere(state.board == own).tolist():
        for side, way in ((-1, "l"), (0, "f"), (1, "r")):
            if 0 <= row + ahead < size and 0 <= column + side < size:
                there = state.board[row + ahead, column + side]
                if there == 0 or (side != 0 and there == 3 - own):
                    found.add(f"{'abcdefgh'[column]}{size - row}{way}")
    return found


def test_breakthrough_has_the_moves_that_its_rules_say(breakthrough: Game, rng: np.random.Generator) -> None:
    ends = list[float]()
    for size in (5, 8):
        game = breakthrough if size == 8 else make_game(PLACE, size=size)
        for _ in range(5):
            states = random_game(game, rng)
            for state in states[:-1]:
                assert {game.action_to_str(action) for action in game.actions(state)} == moves(state, size)
                assert state.pieces.tolist() == [np.count_nonzero(state.board == player) for player in (1, 2)]
                assert not (state.board[0] == 1).any()
                assert not (state.board[-1] == 2).any()
            last = states[-1]
            won = bool((last.board[0] == 1).any()) or not (last.board == 2).any()
            assert won != (bool((last.board[-1] == 2).any()) or not (last.board == 1).any())
            ends.append(game.utility(last, 0))
            assert ends[-1] == (1 if won else -1)
    assert {-1.0, 1.0} == set(ends)


def test_counts_of_breakthrough(breakthrough: Game) -> None:
    states = [breakthrough.new_state()]
    for count in (22, 484, 11132):  # those of OpenSpiel, too
        assert sum(len(breakthrough.actions(state)) for state in states) == count
        if count < 11132:
            states = [breakthrough.play_moves([a], state) for state in states for a in breakthrough.actions(state)]


@pytest.mark.slow
def test_breakthrough_keeps_its_promises(breakthrough: Game) -> None:
    check_game(breakthrough)


def test_the_example_player_beats_a_random_one(run: Run, breakthrough: Game) -> None:
    out, _ = run("match", "random", "./examples/greedy.py:Greedy", "--game", f"{PLACE}(size=5)", "--games", "4")
    assert re.search(r"1 \./examples/greedy\.py:Greedy .* 4-0-0", out)
