"""The script that measures the first search: which games and agents it takes, and what it writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from benchmarks import page
from benchmarks.speed import compile_times
from plyground.agents import make
from plyground.envs import make_game

APP = typer.Typer()
APP.command()(compile_times.main)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(APP, arguments)


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, str]]:
    """Replace the processes, and return the list of their agents, games and caches; the n-th takes n seconds."""
    asked: list[tuple[str, str, str]] = []

    def in_new_process(*arguments: Any) -> float:
        asked.append(arguments)
        return float(len(asked))

    monkeypatch.setattr(compile_times, "in_new_process", in_new_process)
    return asked


def test_all_games_and_agents_can_be_made() -> None:
    for game in compile_times.GAMES:
        for spec in compile_times.AGENTS.values():
            assert make(spec, make_game(game))


def test_the_second_process_has_the_cache_of_the_first(seconds: list[tuple[str, str, str]]) -> None:
    result = run("--games", "tictactoe,othello", "--agents", "puct")
    assert result.exit_code == 0, result.output
    assert [one[:2] for one in seconds] == [
        ("puct(simulations=2)", game) for game in ("tictactoe", "othello") for _ in "ab"
    ]
    caches = [cache for _, _, cache in seconds]
    assert caches[0] == caches[1] != caches[2] == caches[3]
    assert not any(Path(cache).exists() for cache in caches)
    lines = [line.split() for line in result.output.splitlines()]
    assert ["│", "tictactoe", "│", "1.00", "│", "2.00", "│"] in lines
    assert ["│", "othello", "│", "3.00", "│", "4.00", "│"] in lines


def test_table_is_written(seconds: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "page.md"
    document.write_text("<!-- first search: begin -->\nearlier\n<!-- first search: end -->\n")
    monkeypatch.setattr(page, "PAGE", document)
    assert run("--write").exit_code == 0
    written = document.read_text()
    assert "earlier" not in written
    assert "| game | `mcts(simulations=2)`, cold | `mcts(simulations=2)`, warm |" in written
    assert "| `tictactoe` | 1.00 | 2.00 | 3.00 | 4.00 | 5.00 | 6.00 |\n| `connect_four` | 7.00 |" in written


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--games", "shogi"), "'shogi' is none of tictactoe"),
        (("--agents", "minimax"), "'minimax' is none of mcts"),
        (("--write", "--agents", "mcts"), "leave out --games and --agents"),
    ],
)
def test_what_it_does_not_take(arguments: tuple[str, ...], message: str, seconds: list[Any]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())
    assert not seconds
