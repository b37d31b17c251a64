"""``plyground match`` and others where something is not played: players that fail, and Ctrl-C."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command_line import Run

LUCKY, WEAK, BROKEN = (f"./players.py:{name}" for name in ("lucky", "weak", "broken"))
PLAYERS = """
def lucky(observation, info):
    "Wins against weak as the first to move, and fails as the second."
    if observation["action_mask"].sum() % 2 == 0:
        raise RuntimeError("out of luck")
    return int(observation["action_mask"].argmax())

def weak(observation, info):
    return 8 - int(observation["action_mask"][::-1].argmax())

def broken(observation, info):
    raise RuntimeError("never moves")
"""
OPTIONS = ("-g", "tictactoe", "--opening-plies", "0", "--keep-going")


@pytest.fixture(autouse=True)
def _players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("players.py").write_text(PLAYERS)


def test_who_never_moved_has_no_time(run: Run) -> None:
    words = ("match", BROKEN, WEAK, *OPTIONS, "--games", "2")
    table, _ = run(*words)
    (line,) = (line for line in table.splitlines() if "broken" in line)
    assert line.split()[-1] == "–"  # it was "0 µs"
    times = [one["seconds_per_move"] for one in json.loads(run(*words, "--json")[0])["players"]]
    assert times[0] > 0  # in the game that it began
    assert times[1] is None


def test_who_is_withdrawn_stands_last(run: Run) -> None:
    """All three have half of their points."""
    words = ("tournament", LUCKY, WEAK, WEAK, *OPTIONS, "--games", "2", "--max-failures", "1")
    table, _ = run(*words)
    assert "3 ./players.py:lucky" in table
    assert "./players.py:lucky is withdrawn, and so last: it failed too often" in table
    found = json.loads(run(*words, "--json")[0])
    assert found["withdrawn"] == [LUCKY]
    assert [one["points"] for one in found["players"]] == [2, 1, 1]
    assert found["players"][-1]["name"] == LUCKY


def test_failures_of_earlier_runs_are_not_told_as_new(run: Run) -> None:
    words = ("match", LUCKY, WEAK, *OPTIONS, "--max-failures", "9")
    assert "lost 2 games by errors\n" in run(*words, "--games", "4", "--out", "games.jsonl")[1]
    games = Path("games.jsonl").read_text().splitlines(keepends=True)
    Path("games.jsonl").write_text("".join(games[:2]))
    resumed = ("--games", "4", "--out", "games.jsonl", "--resume")
    assert "lost 2 games by errors, 1 in earlier runs" in run(*words, *resumed)[1]
    assert "lost 2 games by errors, all in earlier runs" in run(*words, *resumed)[1]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_failures_of_games_in_a_store_are_not_told_as_new(run: Run, jobs: str) -> None:
    words = ("match", LUCKY, WEAK, *OPTIONS, "--max-failures", "9", "--out", "games.db", "--jobs", jobs)
    assert "lucky fails in game 2" in run(*words, "--games", "2")[1]
    _, err = run(*words, "--games", "4", "--resume")
    assert "lucky fails in game 2" not in err
    assert "lucky fails in game 4" in err
    assert "lost 2 games by errors, with those that were in games.db before" in err


def test_who_watches_a_store_sees_the_points_of_those_who_sat_out(run: Run) -> None:
    run("tournament", "random", WEAK, WEAK, *OPTIONS, "--format", "swiss", "--games", "2", "--out", "games.db")
    table, _ = run("watch", "games.db", "--once")
    assert "points bye total" in table


@pytest.mark.parametrize("moment", ["compiling", "playing"])
@pytest.mark.parametrize(
    ("command", "place", "what"),
    [("match", "arena.cli.parts.competition", "game"), ("sprt", "arena.matches", "pair of games")],
)
def test_ctrl_c_before_the_first_game_is_told(
    run: Run, command: str, place: str, what: str, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There was nothing but the exit code."""

    def compiling(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    def playing(*arguments: Any, **options: Any) -> Any:
        yield from compiling()

    monkeypatch.setattr(f"plyground.{place}.iter_match", {"compiling": compiling, "playing": playing}[moment])
    out, err = run(command, "random", WEAK, "-g", "tictactoe", "--json", code=130)
    assert not out
    assert f"no {'game' if moment == 'compiling' else what} was finished: the same command begins again\n" in err
    Path("games.jsonl").touch()
    resumed = run(command, "random", WEAK, "-g", "tictactoe", "--out", "games.jsonl", "--resume", code=130)[1]
    again = "--resume goes on with the file" if moment == "compiling" else "the same command begins again"
    assert f"was finished: {again}\n" in resumed


def test_ctrl_c_before_the_first_generated_game_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """There was nothing but the exit code while players were compiled."""

    def compiling(agent: Any) -> None:
        raise KeyboardInterrupt

    words = ("generate", "tictactoe", "random", "--games", "2", "--out", "games.jsonl")
    with monkeypatch.context() as patched:
        patched.setattr("plyground.arena.generation.prepare", compiling)
        assert "no game was finished: the same command begins again\n" in run(*words, code=130)[1]
        assert "no game was finished: --resume goes on with the file\n" in run(*words, "--resume", code=130)[1]
    assert "2 games" in run(*words)[0]


@pytest.mark.parametrize("command", ["match", "tournament", "sprt", "rate"])
def test_players_are_made_before_openings_are_drawn(run: Run, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To say that there is no such player took the time of compiling what openings need."""

    def compiled(*arguments: Any) -> Any:
        raise AssertionError("compiles")

    monkeypatch.setattr("plyground.arena.openings.drawn.Foresight", compiled)
    players = ["alphazero"] if command == "rate" else ["alphazero", "random"]
    assert "no network for tictactoe" in run(command, *players, "-g", "tictactoe", code=2)[1]
