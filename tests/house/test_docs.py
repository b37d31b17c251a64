"""The page on adding a game is one script, which is run here. What the pages say is checked, and where links lead."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import reduce
from operator import xor
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numba.core.errors import TypingError
from pettingzoo.test import api_test

from benchmarks.strength.elo_rows import ROWS
from plyground.agents import AlphaBeta, Minimax
from plyground.arena import match
from plyground.envs import BoardGameEnv, Game, SoloEnv, game_names, make_game, registry
from plyground.envs.jit import kernel
from tests.helpers.oracles import reachable
from tests.helpers.registries import registries_kept

PAGE = Path(__file__).parents[2] / "docs" / "add_a_game.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = sorted([*PAGE.parent.glob("*.md"), *PAGE.parents[1].glob("*.md")])
MODULE = "add_a_game"
THIRD_PARTY = {  # said of every dict observation space that is not on PettingZoo's own list
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}


class Block(NamedTuple):
    code: str
    output: str  # as the page shows it
    line: int  # of the page, where the code begins


def blocks(path: Path) -> list[Block]:
    page = path.read_text(encoding="utf-8")
    fences = [(fence[1], fence[2], page.count("\n", 0, fence.start(2))) for fence in FENCE.finditer(page)]
    found = []
    for (language, code, line), (next_language, output, _) in zip(fences, [*fences[1:], ("", "", 0)], strict=True):
        if language == "python":
            found.append(Block(code, output if next_language == "text" else "", line))
        else:
            assert language in ("text", "sh", "bash", "toml")
    return found


BLOCKS = blocks(PAGE)
GAME_BLOCK = BLOCKS[0].code
INTEGRATIONS = blocks(PAGE.with_name("integrations.md"))
LEARNING = [*blocks(PAGE.with_name("learning.md")), *blocks(PAGE.with_name("alphazero.md"))]
README = blocks(PAGE.parents[1] / "README.md")
SEARCH = blocks(PAGE.with_name("search.md"))


def run(block: Block, namespace: dict[str, Any]) -> str:
    """Execute a block, with the page's own line numbers in tracebacks, and return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * block.line + block.code, str(PAGE), "exec", dont_inherit=True), namespace)
    return printed.getvalue()


@pytest.fixture(scope="module")
def page() -> Iterator[tuple[ModuleType, list[str]]]:
    """Run the page as a module, and yield it with what its blocks printed. Afterwards the game is unknown again."""
    module = ModuleType(MODULE)
    with pytest.MonkeyPatch.context() as monkeypatch, registries_kept():
        monkeypatch.setitem(sys.modules, MODULE, module)
        yield module, [run(block, vars(module)) for block in BLOCKS]


@pytest.fixture(scope="module")
def nim(page: tuple[ModuleType, list[str]]) -> Any:
    return page[0].nim


@pytest.fixture(scope="module")
def game(nim: Any) -> Game:
    return nim()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for scripts, which has the game as a file for them to import, and their compiled code."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "nim.py").write_text(GAME_BLOCK, encoding="utf-8")
    return folder


def python(folder: Path, code: str, **environment: str) -> str:
    """Run a script of this code in the folder, in another process, and return what it prints."""
    (folder / "script.py").write_text(code, encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), **environment}
    result = subprocess.run(
        [sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, env=environment, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def bouton(heaps: Any) -> float:
    """Return the value for the player to move: a loss if and only if the XOR of the heaps is 0."""
    return 1.0 if reduce(xor, map(int, heaps)) else -1.0


def anchors(page: Path) -> set[str]:
    """Return what the headings of a page are called in links."""
    headings = re.findall(r"^#+ (.+)$", re.sub(FENCE, "", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", text) + re.findall(r'src="([^"]+)"', text):
        if not link.startswith(("https://", "http://")):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.is_file(), link
            assert not anchor or anchor in anchors(target), link


def test_page_of_measurements_has_a_place_for_each_table() -> None:
    page = PAGE.with_name("measurements.md").read_text(encoding="utf-8")
    begins, ends = (re.findall(rf"^<!-- (.+): {mark} -->$", page, re.MULTILINE) for mark in ("begin", "end"))
    assert begins == ends
    assert len(set(begins)) == len(begins)
    assert {name for name in begins if name.startswith("strength")} == {f"strength {row.section}" for row in ROWS}


@pytest.mark.parametrize("block", README, ids=lambda block: f"line {block.line}")
def test_readme_runs_block_by_block(block: Block) -> None:
    """Each block stands alone, and prints something."""
    namespace: dict[str, Any] = {"__name__": "readme"}
    printed = run(block, namespace)
    if "standings" in namespace:
        assert {line.split()[0] for line in printed.splitlines()} == {"alphabeta(depth=4)", "mcts(simulations=200)"}
    elif "agent_iter" in block.code:
        assert {line.split()[0] for line in printed.splitlines()} == {"player_0", "player_1"}
    elif "found" in namespace:
        assert namespace["found"].best_action in namespace["game"].actions(namespace["state"])
    assert printed


def test_readme_converts_the_match_before() -> None:
    page = (PAGE.parents[1] / "README.md").read_text(encoding="utf-8")
    (game,) = re.findall(r"^plyground match .*--game (\w+) .*--out games\.jsonl", page, re.MULTILINE)
    (suffix,) = re.findall(r"^plyground convert games\.jsonl games\.(\w+)", page, re.MULTILINE)
    assert (game, suffix) in {("othello", "sgf"), ("go_9x9", "sgf"), ("gomoku", "sgf"), ("checkers", "pdn")}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version == 1.24.3:UserWarning")
@pytest.mark.parametrize("block", INTEGRATIONS, ids=lambda block: f"line {block.line}")
def test_page_on_integrations_runs_block_by_block(block: Block) -> None:
    """Each block stands alone. It is skipped where a library that it imports is not installed."""
    for node in ast.walk(ast.parse(block.code)):
        if isinstance(node, ast.ImportFrom):
            pytest.importorskip(str(node.module))
    assert run(block, {"__name__": "integrations"}) == block.output


@pytest.mark.slow
@pytest.mark.parametrize("block", LEARNING, ids=lambda block: f"line {block.line}")
def test_page_on_learning_runs_block_by_block(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("stable_baselines3")
    monkeypatch.chdir(tmp_path)  # it trains a policy, and keeps it
    assert run(block, {"__name__": "learning"}) == block.output


def test_page_on_agents_runs_from_top_to_bottom() -> None:
    namespace: dict[str, Any] = {"__name__": "write_an_agent"}
    for block in blocks(PAGE.with_name("write_an_agent.md")):
        assert run(block, namespace) == block.output, block.line


@pytest.mark.slow
@pytest.mark.parametrize("block", SEARCH, ids=lambda block: f"line {block.line}")
def test_page_on_search_runs_block_by_block(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "torch" in block.code or "new_network" in block.code:
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)  # it saves a network
    assert run(block, {"__name__": "search"})


def test_page_on_stores_shows_what_is_found(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    players = ["random", "mcts(simulations=20)", "minimax(depth=2)"]
    match("tictactoe", players, games=20, store=store)
    match("tictactoe", players[:2], games=40, seed=1, store=store)
    page = PAGE.with_name("store.md").read_text(encoding="utf-8")
    asked = re.findall(r'^\$ sqlite3 -box games\.db "(.*?)"\n(.*?)^```$', page, re.DOTALL | re.MULTILINE)
    assert len(asked) == 3
    with contextlib.closing(sqlite3.connect(store)) as connection:
        for query, table in asked:
            found = [["" if cell is None else str(cell) for cell in row] for row in connection.execute(query)]
            rows = [line for line in table.splitlines() if line.startswith("│")][1:]
            assert found == [[cell.strip() for cell in row.split("│")[1:-1]] for row in rows]


def test_page_on_reports_writes_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = blocks(PAGE.with_name("report.md"))
    run(block, {"__name__": "report"})
    assert "<title>Tic-tac-toe</title>" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_page_prints_what_it_shows(page: tuple[ModuleType, list[str]]) -> None:
    assert page[1] == [block.output for block in BLOCKS]


def test_page_is_as_short_as_it_says() -> None:
    assert len(GAME_BLOCK.splitlines()) < 80
    last = next(i for i, block in enumerate(BLOCKS) if "import match" in block.code)
    lines = [line for block in BLOCKS[: last + 1] for line in block.code.splitlines() if line.strip()]
    assert len(lines) < 80


@pytest.mark.slow
def test_page_runs_again_in_the_same_process(page: tuple[ModuleType, list[str]], nim: Any) -> None:
    again: dict[str, Any] = {"__name__": MODULE}
    assert [run(block, again) for block in BLOCKS[:4]] == page[1][:4]
    assert again["nim"] is not nim
    assert make_game("nim") is again["nim"]()  # the new one has taken the place of the old one
    registry.register_game(nim)
    assert make_game("nim") is nim()
    assert game_names().count("nim") == 1


@pytest.mark.slow
def test_page_runs_as_a_script(folder: Path) -> None:
    assert python(folder, "\n\n".join(block.code for block in BLOCKS)) == "".join(block.output for block in BLOCKS)


@pytest.mark.slow
def test_value_is_that_of_bouton_in_every_reachable_position(game: Game) -> None:
    minimax, alphabeta = Minimax(game), AlphaBeta(game, depth=game.max_plies)
    states = list(reachable(game).values())
    # 4 x 5 x 6 triples of heaps, with either player to move; but where no heap has lost more than one counter, in
    # 2 x 2 x 2 of them, the number of moves is known, and with it the player.
    assert len(states) == 2 * 120 - 8
    for state in states:
        if game.is_terminal(state):
            assert not any(state.heaps)
            # Without a counter left the XOR is 0, too: the player to move has lost.
            assert game.utility(state, game.player(state)) == bouton(state.heaps) == -1
            continue
        expected = minimax.analyse(state)
        found = alphabeta.analyse(state)
        assert expected.exact
        assert found.exact
        assert found.value == expected.value == bouton(state.heaps)
        assert found.best_action in expected.best_actions
        child = state.copy()
        game.play(child, found.best_action)
        assert bouton(child.heaps) == -found.value


@pytest.mark.slow
def test_evaluation_of_the_page_is_a_guess_within_the_utilities(page: tuple[ModuleType, list[str]], game: Game) -> None:
    evaluate = page[0].evaluate
    for state in reachable(game).values():
        mover = game.player(state)
        assert evaluate(state, mover) == 0.5 * bouton(state.heaps) == -evaluate(state, 1 - mover)


@pytest.mark.slow
@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_pettingzoo_check(game: Game, illegal: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(BoardGameEnv(game, illegal=illegal), num_cycles=1000)
    # The last plane tells whose turn it is: without a counter left, and with the first player to move, all is zero.
    assert {str(warning.message) for warning in caught} <= THIRD_PARTY | {"Observation numpy array is all zeros."}


@pytest.mark.slow
@pytest.mark.parametrize("seat", ["first", "second", "random"])
def test_gymnasium_check(game: Game, seat: str) -> None:
    env = gymnasium.make("plyground/Nim-v0", opponent="alphabeta(depth=12)", seat=seat).unwrapped
    assert isinstance(env, SoloEnv)
    assert env.game is game
    check_env(env)


@pytest.mark.slow
def test_perfect_players_win_the_games_that_the_theory_gives_them(game: Game) -> None:
    players = ["minimax", "alphabeta(depth=12)"]
    for record in match("nim", players, games=20, seed=0):
        state = game.play_moves(record.moves[: record.opening])
        winner = game.player(state) if bouton(state.heaps) == 1 else 1 - game.player(state)
        assert record.outcome == [1.0 if seat == winner else -1.0 for seat in (0, 1)]


@pytest.mark.slow
def test_edited_rule_is_noticed(game: Game) -> None:
    rule = "return -1.0 if player == state.turn else 1.0"
    assert rule in GAME_BLOCK
    edited: dict[str, Any] = {"__name__": MODULE}
    exec(compile(GAME_BLOCK.replace(rule, "return 1.0 if player == state.turn else -1.0"), str(PAGE), "exec"), edited)
    misere = edited["nim"]()  # whoever takes the last counter loses
    assert misere.spec == game.spec
    assert misere != game

    alphabeta = AlphaBeta(misere, depth=misere.max_plies)
    for state in reachable(misere).values():
        if misere.is_terminal(state):
            continue
        # Bouton's misère game: as the normal one while a heap of two or more is left, and the other way round after.
        expected = bouton(state.heaps) if max(state.heaps) > 1 else -bouton(state.heaps)
        assert alphabeta.analyse(state).value == expected


@pytest.mark.slow
@pytest.mark.parametrize("definition", ["from nim import nim\n", GAME_BLOCK], ids=["imported", "in the script"])
def test_worker_processes_get_the_game(folder: Path, definition: str) -> None:
    code = (
        f"{definition}\n"
        "from plyground.arena import match\n"
        "for jobs in (1, 2):\n"
        "    print([record.moves for record in match(nim(), ['alphabeta(depth=12)', 'random'], games=4, jobs=jobs)])\n"
    )
    one, two = python(folder, code).splitlines()
    assert one == two


@pytest.mark.slow
def test_plain_python_finds_the_same(folder: Path, nim: Any) -> None:
    code = (
        "from nim import nim\n"
        "from plyground.agents import MCTS, AlphaBeta, Minimax\n"
        "game = nim((1, 2))\n"
        "for agent in (Minimax(game), AlphaBeta(game), MCTS(game, 100, seed=0)):\n"
        "    found = agent.analyse(game.new_state())\n"
        "    print(found.best_action, found.value, found.nodes, found.pv)\n"
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code.replace("from nim import nim\n", ""), {"nim": nim})
    assert python(folder, code, NUMBA_DISABLE_JIT="1") == printed.getvalue()


@pytest.mark.slow
def test_undecorated_helper_is_named_in_the_error(game: Game) -> None:
    def helper(state: Any) -> int:
        return state.turn

    def player(state: Any) -> int:
        return helper(state)

    with pytest.raises(ValueError, match=r"'player' of .* does not compile .*: Untyped global name 'helper'") as caught:
        BoardGameEnv(game.replace(player=player))
    assert isinstance(caught.value.__cause__, TypingError)


def test_integers_are_as_wide_as_the_page_says() -> None:
    @kernel
    def add(values):  # type: ignore[no-untyped-def]
        return values[0] + values[1]

    small = np.array([100, 100], np.int8)
    assert add(small) == 200
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert small[0] + small[1] == -56
    assert isinstance(np.uint64(1) + np.int64(1), np.float64)
