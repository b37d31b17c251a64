"""``plyground ratings``: the list, for people and for programs, and what cannot be rated."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.arena import rating_list, write_games, write_records
from tests.arena.test_payoffs import circle
from tests.arena.test_rating_lists import GAMES, game
from tests.helpers.command_line import Run


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Return the names of two files that have the same games as `GAMES`; pairs are torn apart between them."""
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    write_records(paths[0], GAMES[::2])
    write_records(paths[1], GAMES[1::2])
    return [str(path) for path in paths]


def test_for_programs(run: Run, files: list[str]) -> None:
    found = json.loads(run("ratings", *files, "--json", "--los")[0])
    expected = rating_list(GAMES)
    assert (found["games"], found["pairs"], found["relative_to"]) == (180, 90, "mean")
    assert [one["name"] for one in found["players"]] == [one.name for one in expected.ratings]
    for one, other in zip(found["players"], expected.ratings, strict=True):
        assert (one["elo"], one["low"], one["high"]) == pytest.approx(other[1:4], abs=0.01)
    np.testing.assert_allclose(found["superiority"], expected.superiority, atol=1e-4)
    assert found["players"][0]["superior_to_next"] == pytest.approx(expected.superiority[0, 1], abs=1e-4)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (("--prior", "5"), {"prior": 5.0}),
        (("--no-first-move",), {"first_move": False}),
        (("--confidence", "0.5"), {"confidence": 0.5}),
        (("--anchor", "a=100"), {"anchors": {"a": 100.0}}),
    ],
)
def test_options_are_those_of_the_function(
    run: Run, files: list[str], words: tuple[str, ...], options: dict[str, Any]
) -> None:
    def told(**given: Any) -> list[float]:
        found = rating_list(GAMES, **given)
        return [*(number for one in found.ratings for number in (one.elo, one.low, one.high)), found.first_move.elo]

    found = json.loads(run("ratings", *files, *words, "--json")[0])
    numbers = [number for one in found["players"] for number in (one["elo"], one["low"], one["high"])]
    assert [*numbers, found["first_move"]["elo"]] == pytest.approx(told(**options), abs=0.01)
    assert told(**options) != pytest.approx(told(), abs=0.1)


def test_for_people(run: Run, files: list[str]) -> None:
    out, _ = run("ratings", *files, "--los")
    best = rating_list(GAMES).ratings[0]
    assert f"{best.elo:+.0f}" in out
    assert f"{best.low:+.0f} to {best.high:+.0f}" in out
    assert "g, 180 games, 180 of them in pairs" in out
    assert "the lead on the mean of all players" in out
    assert "How likely each is stronger" in out
    narrow, _ = run("ratings", *files, "--anchor", "c=1000", "--confidence", "0.5")
    assert "fixed" in narrow
    assert "The first move is worth " in narrow
    assert "The first move is taken to be worth nothing; draws" in run("ratings", *files, "--no-first-move")[0]
    assert "the lead on the anchors (c)" in narrow


def test_games_count_once(run: Run, files: list[str], tmp_path: Path) -> None:
    again = f"{tmp_path}/../{tmp_path.name}/one.jsonl"
    refused = run("ratings", *files, again, code=2)[1]
    assert f"{files[0]} and {again} are the same games, which would count twice" in refused
    for title, games in (("one", GAMES[::2]), ("two", GAMES[1::2])):
        write_games(tmp_path / f"games.db#{title}", games)
    store = str(tmp_path / "games.db")
    same = (f"{store}#one", f"{store}#one"), (f"{store}#1", f"{store}#one"), (f"{store}#tw", f"{store}#2")
    for pair in ((store, f"{store}#two"), (f"{store}#one", store), *same):
        assert f"{pair[0]} and {pair[1]} are the same games" in run("ratings", *pair, code=2)[1]
    assert "180 games" in run("ratings", f"{store}#one", f"{store}#two")[0]


def test_games_that_tournaments_of_a_store_share_count_once(run: Run, tmp_path: Path) -> None:
    """Each was there once, and counted as often as there were tournaments of it: intervals were too narrow."""
    store = f"{tmp_path}/games.db"
    write_games(f"{store}#one", GAMES)
    write_games(f"{store}#two", [*GAMES[:20], game("a", "b", 0, 999), game("a", "b", 0, 999)])
    found = json.loads(run("ratings", f"{store}#one", f"{store}#two", "--json", "--cycles")[0])
    expected = rating_list([*GAMES, *[game("a", "b", 0, 999)] * 2])
    assert (found["games"], found["pairs"]) == (expected.games, expected.pairs) == (182, 90)
    assert [(one["name"], one["games"]) for one in found["players"]] == [(x.name, x.games) for x in expected.ratings]
    assert json.loads(run("ratings", f"{store}#two", f"{store}#one", "--json")[0])["games"] == 182
    words = ("random", "minimax(depth=1)", "-g", "tictactoe", "--games", "4", "--out", f"{tmp_path}/g.db")
    run("match", *words)
    run("tournament", *words, "-f", "gauntlet")
    assert json.loads(run("ratings", f"{tmp_path}/g.db#1", f"{tmp_path}/g.db#2", "--json")[0])["games"] == 4
    assert "has 2 tournaments: say which one" in run("ratings", f"{tmp_path}/g.db", code=2)[1]


def test_games_of_a_copy_in_another_format_count_once(run: Run, tmp_path: Path) -> None:
    """They counted twice, without a word: all intervals were too narrow by a factor of √2."""
    games = [replace(one, seconds=[0.1 + i / 7] * len(one.moves)) for i, one in enumerate(GAMES)]
    one, two, three = (f"{tmp_path}/games{suffix}" for suffix in (".jsonl", ".db", ".csv"))
    write_games(one, games)
    write_games(two, games[:50])
    write_games(three, [*games[40:70], replace(games[0], seed=-5), *GAMES[:2]])  # the last are without times
    out, err = run("ratings", one, two, three, "--json")
    assert json.loads(out)["games"] == 183
    assert f"50 games of {two} are in an earlier file or tournament, too, and count once" in err
    assert f"30 games of {three} are in an earlier file or tournament, too, and count once" in err
    out, err = run("ratings", two, three, "--json")
    assert json.loads(out)["games"] == 73
    assert f"10 games of {three}" in err


def test_copies_without_times_count_once(run: Run, tmp_path: Path) -> None:
    """SGF and PDN files have no times, PGN files have milliseconds: such a copy counted twice."""
    seeds = [replace(one, seconds=[0.1 + i / 7], seed=i) for i, one in enumerate(GAMES)]
    long = [
        replace(one, moves=[i] * 12, seconds=[0.0] * 12, movers=[-1, -1] + [0, 1] * 5) for i, one in enumerate(GAMES)
    ]
    chance = GAMES[:30]  # of a move each, without seeds: nobody knows
    one, two, three = (tmp_path / name for name in ("one.jsonl", "two.jsonl", "three.csv"))
    write_games(one, [*seeds[:90], *long[:90], *chance])
    write_games(two, [replace(game, seconds=[0.0]) for game in seeds[80:100]])
    write_games(
        three, [*(replace(game, seconds=[round(game.seconds[0], 3)]) for game in seeds[:40]), *long[85:], *chance]
    )
    out, err = run("ratings", str(one), str(two), str(three), "--json")
    assert json.loads(out)["games"] == 90 + 90 + 30 + 10 + 90 + 30
    assert f"10 games of {two} are in an earlier" in err
    assert f"45 games of {three} are in an earlier" in err
    out, err = run("ratings", str(two), str(one), "--json")
    assert json.loads(out)["games"] == 20 + 80 + 90 + 30
    assert f"10 games of {one} are in an earlier" in err


def test_circles(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "circle.jsonl"
    write_records(file, circle())
    found = json.loads(run("ratings", str(file), "--cycles", "--json")[0])
    assert len(found["cycles"]) == 1
    assert set(found["cycles"][0]) == set("abc")
    last = found["order"].index("d")
    assert found["nash"][last]["share"] < 1e-6
    assert found["nash"][last]["elo"] < -100
    assert sum(found["alpha_rank"]) == pytest.approx(1)
    out, _ = run("ratings", str(file), "--cycles")
    assert " beats ".join([*found["cycles"][0], found["cycles"][0][0]]) in out
    write_records(tmp_path / "torn.jsonl", [record for record in circle() if set(record.players) != {"a", "d"}])
    assert (
        "have not met: cycles, Nash averaging and α-rank take games of everyone"
        in run("ratings", str(tmp_path / "torn.jsonl"), "--cycles", code=2)[1]
    )


def test_files_of_any_format(run: Run, tmp_path: Path) -> None:
    for suffix in ("jsonl", "csv", "db"):
        write_games(tmp_path / f"games.{suffix}", GAMES)
    listed = [run("ratings", str(tmp_path / f"games.{suffix}"), "--json")[0] for suffix in ("jsonl", "csv", "db")]
    assert listed[0] == listed[1] == listed[2]


def test_what_cannot_be_rated(run: Run, files: list[str], tmp_path: Path) -> None:
    for words, message in (
        ((*files, "--anchor", "cc=5"), "the anchor 'cc' has no games: did you mean 'c'"),
        ((*files, "--anchor", "c"), "--anchor takes a player's name and its rating, as in 'random=0', got 'c'"),
        ((*files, "--anchor", "c=0", "--anchor", "c=100"), "--anchor gives 'c' two ratings, 0 and 100: give it one"),
        ((*files, "--anchor", "mcts(simulations=x)"), "--anchor takes a player's name"),
        ((*files, "--confidence", "95"), "confidence must be between 0 and 1, got 95.0"),
        ((str(tmp_path / "none.jsonl"),), "no such file"),
    ):
        assert message in " ".join(run("ratings", *words, code=2)[1].split())


def test_two_games_bound_no_rating_on_both_sides(run: Run, tmp_path: Path) -> None:
    """The interval of a player who had won both ended at +1550, far beyond what two games can tell."""
    games = tmp_path / "games.jsonl"
    run("match", "minimax", "random", "-g", "tictactoe", "--games", "2", "--opening-plies", "0", "--out", str(games))
    text, _ = run("ratings", str(games))
    assert re.search(r"minimax +\+140 -307 or more +2 100\.0%", text)
    assert re.search(r"random +-140 \+307 or less +2 +0\.0%", text)
    assert "The first move is of a worth that is not known yet" in text
