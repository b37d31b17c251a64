"""``plyground ratings --over-time``: by tournament and by the steps of checkpoints, as table, JSON and picture."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plyground.arena import write_games
from plyground.arena.grading import plots
from plyground.arena.ratings import ratings_over_time
from tests.arena.test_rating_lists import GAMES, game, tournament
from tests.helpers.command_line import Run

pytest.importorskip("whr")

TRUTHS = [{"learner": 90.0 * time, "rung": 60.0, "random": 0.0} for time in range(4)]
ROUNDS = [tournament(truth, 6, time) for time, truth in enumerate(TRUTHS)]


def checkpoint(step: int) -> str:
    return f"network('az/checkpoints/step_{step:09}.safetensors')"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The names of four files, each with the games of a time, the latest first in the alphabet."""
    paths = [tmp_path / f"{letter}.jsonl" for letter in "dcba"]
    for path, records in zip(paths, ROUNDS, strict=True):
        write_games(path, records)
    return [str(path) for path in paths]


@pytest.fixture
def checkpoints(tmp_path: Path) -> str:
    """The name of a store of two tournaments, each with a checkpoint, and games that are of no one step."""
    for step, records in ((50_000, ROUNDS[0]), (200_000, ROUNDS[3])):
        renamed = [
            replace(
                one,
                players=[name.replace("learner", checkpoint(step)) for name in one.players],
                moves=[one.moves[0] + step],
            )
            for one in records
        ]
        more = [game(checkpoint(50_000), checkpoint(200_000), 1, step)]
        write_games(tmp_path / f"games.db#after {step}", renamed + more)
    return str(tmp_path / "games.db")


def test_tournaments_in_the_order_of_the_files(run: Run, files: list[str]) -> None:
    found = json.loads(run("ratings", *files, "--over-time", "tournaments", "--drift", "4000", "--json")[0])
    expected = ratings_over_time(dict(enumerate(ROUNDS, start=1)), drift=4000)
    assert [one["title"] for one in found["times"]] == ["d.jsonl", "c.jsonl", "b.jsonl", "a.jsonl"]
    assert [(one["time"], one["games"]) for one in found["times"]] == [(1, 36), (2, 36), (3, 36), (4, 36)]
    assert [one["name"] for one in found["players"]] == ["learner", "rung", "random"]  # who is best in the end
    for player in found["players"]:
        for one, other in zip(player["ratings"], expected[player["name"]], strict=True):
            assert one["time"] == other.time
            assert one["elo"] == pytest.approx(other.elo, abs=0.01)
            half = 1.96 * other.error
            assert (one["low"], one["high"]) == pytest.approx((other.elo - half, other.elo + half), abs=0.1)


@pytest.mark.parametrize(
    ("words", "options"), [(("--no-first-move",), {"first_move": False}), (("--drift", "9000"), {"drift": 9000.0})]
)
def test_options_are_those_of_the_function(
    run: Run, files: list[str], words: tuple[str, ...], options: dict[str, Any]
) -> None:
    def last(**given: Any) -> float:
        return ratings_over_time(dict(enumerate(ROUNDS, start=1)), **given)["learner"][-1].elo

    found = json.loads(run("ratings", *files, "--over-time", "tournaments", *words, "--json")[0])
    assert found["players"][0]["ratings"][-1]["elo"] == pytest.approx(last(**options), abs=0.01)
    assert last(**options) != pytest.approx(last(), abs=0.1)


def test_a_table_for_people(run: Run, files: list[str]) -> None:
    out, _ = run("ratings", *files, "--over-time", "tournaments", "--confidence", "0.5")
    days = ratings_over_time(dict(enumerate(ROUNDS, start=1)))["learner"]
    line = next(line for line in out.splitlines() if " learner " in line)
    for one in days:
        assert f"{one.elo:+.0f} ± {0.6745 * one.error:.0f}" in line
    assert "g, 144 games" in out
    assert "an interval of 50 % as if games were independent" in out
    assert "3: b.jsonl, 36 games" in out
    assert "Games left out" not in out


def test_what_few_games_do_not_bound_has_no_half(run: Run, tmp_path: Path) -> None:
    """It was a half of more than a thousand Elo, and the band in the picture as wide."""
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for number, path in enumerate(paths):
        write_games(path, [game("a", "b", 0, number), game("b", "a", 2, number)])
    options = ("--drift", "1e6", "--confidence", str(1 - 1e-13))
    words = ("ratings", *map(str, paths), "--over-time", "tournaments", *options)
    last = json.loads(run(*words, "--json")[0])["players"][0]["ratings"][-1]
    assert last["high"] - last["elo"] > 1000
    line = next(line for line in run(*words)[0].splitlines() if " a " in line)
    assert "not known yet" in line
    assert "±" not in line


def test_tournaments_of_a_store_share_no_game(run: Run, tmp_path: Path) -> None:
    write_games(tmp_path / "games.db#one", GAMES)
    write_games(tmp_path / "games.db#two", [*GAMES[:20], *ROUNDS[0], game("a", "learner", 0)])
    out, err = run("ratings", str(tmp_path / "games.db"), "--over-time", "tournaments", "--json")
    found = json.loads(out)
    assert f"20 games of {tmp_path / 'games.db'}#2 are in an earlier file or tournament" in err  # it was not said
    assert found["times"] == [
        {"time": 1, "games": 180, "title": "games.db#1: one"},
        {"time": 2, "games": 37, "title": "games.db#2: two"},
    ]
    assert [day["time"] for one in found["players"] if one["name"] == "a" for day in one["ratings"]] == [1, 2]


def test_steps_of_checkpoints(run: Run, checkpoints: str) -> None:
    found = json.loads(run("ratings", checkpoints, "--over-time", "steps", "--json")[0])
    names = {one["name"]: [day["time"] for day in one["ratings"]] for one in found["players"]}
    star = "network('az/checkpoints/step_*.safetensors')"
    assert names == {name: [50_000, 200_000] for name in (star, "rung", "random")}
    assert found["times"] == [{"time": 50_000, "games": 24}, {"time": 200_000, "games": 24}]
    assert found["left_out"] == 26  # twelve of rung and random at either time, and one of two checkpoints
    leads = {one["name"]: one["ratings"][1]["elo"] - one["ratings"][0]["elo"] for one in found["players"]}
    assert leads[star] > max(leads["rung"], leads["random"])
    out, _ = run("ratings", checkpoints, "--over-time", "steps")
    assert "50,000" in out
    assert "Games left out, without a checkpoint or of checkpoints of different steps: 26." in out


@pytest.mark.slow
def test_a_picture(run: Run, checkpoints: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    _, err = run("ratings", checkpoints, "--over-time", "steps", "--plot", str(tmp_path / "az.v2"))
    assert f"saved {tmp_path / 'az.v2.png'}, {tmp_path / 'az.v2.svg'}" in err
    assert (tmp_path / "az.v2.png").read_bytes().startswith(b"\x89PNG")
    drawn = (tmp_path / "az.v2.svg").read_text()
    for text in ("steps of training", "step_*", "200,000", "Ratings over time: g"):
        assert text in drawn


def test_why_tournaments_are_missing(run: Run, files: list[str], tmp_path: Path) -> None:
    """They were not mentioned."""
    broken = str(tmp_path / "broken.jsonl")
    write_games(broken, [replace(one, ending="truncated", outcome=[0.0, 0.0]) for one in GAMES])
    given = "give more files, or a store of several"
    for names, found in (
        ((files[0], broken), "got one: d.jsonl; the others have no game with a result"),
        ((broken,), "got none; no game has a result"),
    ):
        said = " ".join(run("ratings", *names, "--over-time", "tournaments", code=2)[1].split())
        assert f"two tournaments or more, {found}; {given}" in said


def test_what_cannot_be(run: Run, files: list[str], checkpoints: str, tmp_path: Path) -> None:
    over = "--over-time", "tournaments"
    for words, message in (
        ((files[0], *over), "take two tournaments or more, got one: d.jsonl; give more files, or a store of several"),
        ((f"{checkpoints}#1", *over), "two tournaments or more, got one: games.db#1: after 50000; give"),
        (
            (*files, "--over-time", "steps"),
            "checkpoints of two steps or more, got none; a checkpoint has its step",
        ),
        ((f"{checkpoints}#2", "--over-time", "steps"), "steps or more, got those of step 200000 alone; a checkpoint"),
        ((*files, "--over-time", "step"), "unknown times 'step': did you mean 'steps'"),
        (
            (*files, *over, "--anchor", "random=0"),
            "--anchor is for ratings without --over-time, not for ratings --over-time",
        ),
        ((*files, *over, "--cycles"), "--cycles is for ratings without --over-time, not for ratings --over-time"),
        ((*files, "--drift", "9"), "--drift is for ratings --over-time, not for ratings without --over-time"),
        ((*files, *over, "--drift", "0"), "drift must be a number above 0, in Elo² for a unit of time, got 0.0"),
        ((*files, *over, "--confidence", "95"), "confidence must be between 0 and 1, got 95.0"),
        ((*files, *over, "--plot", str(tmp_path / "no" / "a")), f"there is no folder {tmp_path / 'no'}"),
        ((*files, files[0], *over), "are the same games, which would count twice"),
    ):
        assert message in " ".join(run("ratings", *words, code=2)[1].split())


def test_the_legend_of_a_plot_hides_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It lay on the last ratings of the weakest of eight players."""
    pytest.importorskip("matplotlib")
    figures: list[Any] = []
    monkeypatch.setattr(plots, "_saved", lambda figure, path: figures.append(figure))
    times = [{"time": time, "elo": 0.0, "low": -9.0, "high": 9.0} for time in (1, 2)]
    found = {"game": "othello", "players": [{"name": name, "ratings": times} for name in (100 * "x", 100 * "y")]}
    plots.plot_history(found, "tournament", tmp_path / "plot")
    figures[0].draw_without_rendering()
    (axes,) = figures[0].axes
    (legend,) = (one.get_window_extent() for one in figures[0].legends)
    assert legend.y1 <= axes.get_tightbbox().y0
    assert (legend.x0, legend.x1) == pytest.approx(sorted((legend.x0, figures[0].bbox.width - legend.x0)))
    assert legend.x0 >= 0  # however long the names are
