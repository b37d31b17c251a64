"""What stands behind ``#`` where games are added to a store: a title, or the number of what is there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from plyground.arena import match, read_records, tournament, write_records
from plyground.arena.store import check_store, collection_in, tournaments_in
from plyground.arena.tournaments.formats import canonical_format, same_format
from tests.arena.test_store import GAME, ODD, PLAYERS, RECORDS, counting, rows
from tests.helpers.command_line import Run

MATCH = ("match", *PLAYERS, "-g", GAME, "--games", "4", "--json")
GENERATE = ("generate", GAME, "random", "--games")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def listed() -> list[tuple[int, str, int]]:
    return [(one.number, one.title, one.games) for one in tournaments_in("games.db")]


class TestCollections:
    def test_a_title_may_end_as_a_file_does(self) -> None:
        write_records("games.db#old.db", [ODD])
        assert [path.name for path in Path().iterdir()] == ["games.db"]
        assert listed() == [(1, "old.db", 1)]
        assert list(read_records("games.db#old.db")) == [ODD]

    def test_blanks_around_a_title_are_none_of_it(self) -> None:
        for title in ("night", " night", "night "):
            write_records(f"games.db#{title}", [ODD])
        assert listed() == [(1, "night", 3)]
        assert len(list(read_records("games.db# night"))) == 3

    def test_a_number_goes_on_with_what_is_read_by_it(self, run: Run) -> None:
        run(*MATCH, "--out", "games.db")
        run(*GENERATE, "2", "--out", "games.db#club night")
        assert "has 2 games already" in run(*GENERATE, "4", "--out", "games.db#2", code=2)[1]
        run(*GENERATE, "4", "--out", "games.db#2", "--resume")
        assert [(one, games) for one, _, games in listed()] == [(1, 4), (2, 4)]
        assert collection_in("games.db#2") == collection_in("games.db#club night") == list(read_records("games.db#2"))
        write_records("games.db#2", [ODD])
        assert listed()[1:] == [(2, "club night", 5)]
        assert check_store("games.db") == 9

    def test_where_there_is_nothing_to_go_on_with(self, run: Run) -> None:
        """Another collection was begun in silence."""
        run(*GENERATE, "2", "--out", "games.db#club night")
        begins = "there is nothing to go on with under 'games.db', which begins: 1: club night (2 games)"
        assert begins in " ".join(run(*GENERATE, "1", "--out", "games.db", "--resume")[1].split())
        assert listed() == [(1, "club night", 2), (2, "games", 1)]
        said = run("rate", "random", "-g", GAME, "--games", "2", "--out", "games.db#clubs", "--resume")[1]
        assert "there is nothing to go on with under 'games.db#clubs'" in " ".join(said.split())
        for out in ("new.db", "games.db#club night"):  # what is new has nothing that could have been meant
            assert "nothing to go on with" not in run(*GENERATE, "3", "--out", out, "--resume")[1]

    @pytest.mark.parametrize(
        ("out", "message"),
        [
            ("games.db#1", "games.db#1 is a tournament, to which no games are added"),
            (
                "games.db#night",
                "games.db#night is a tournament, to which no games are added (1: night): choose",
            ),
            (
                "games.db#3",
                "games.db has no tournament 3, which a whole number means: choose a title with a letter, as",
            ),
            ("games.db# 03 ", "games.db has no tournament 03, "),
            ("new.db#2", "new.db has no tournament 2, "),
        ],
    )
    def test_other_numbers_and_titles_are_refused(self, run: Run, out: str, message: str) -> None:
        run(*MATCH, "--out", "games.db#night")
        write_records("games.db", [ODD])
        write_records("games.jsonl", [ODD])
        before = listed()
        said = run(*GENERATE, "2", "--out", out, "--resume", code=2)[1]
        assert message in " ".join(said.split())
        rate = ("rate", "random", "-g", GAME, "--games", "2")
        assert message in " ".join(run(*rate, "--out", out, "--resume", code=2)[1].split())
        for _ in range(2):
            with pytest.raises(ValueError, match=out.partition("#")[0]):
                write_records(out, [ODD])
        if out.startswith("new"):
            assert message in " ".join(run("convert", "games.jsonl", out, code=2)[1].split())
        assert listed() == before
        assert not Path("new.db").exists()

    def test_the_whole_title_is_read_before_a_part_of_another(self) -> None:
        for title, record in {"night": ODD, "night 2": RECORDS["turns"]}.items():
            write_records(f"games.db#{title}", [record])
        assert list(read_records("games.db#night")) == [ODD]
        assert list(read_records("games.db#night 2")) == [RECORDS["turns"]]


class TestTournaments:
    def test_a_name_is_the_title(self, run: Run) -> None:
        points = [one["points"] for one in json.loads(run(*MATCH)[0])["players"]]
        run(*MATCH, "--out", "games.db#night")
        assert listed() == [(1, "night", 4)]
        assert "game 4, tictactoe: minimax(depth=1)" in run("replay", "games.db#night", "4")[0]
        run(*MATCH, "--seed", "1", "--out", "games.db#day")
        run("tournament", *MATCH[1:], "--seed", "2", "--out", "games.db")
        run("sprt", *PLAYERS, "-g", GAME, "--max-games", "2", "--seed", "3", "--out", "games.db#test")
        assert [title for _, title, _ in listed()] == [
            *("night", "day", "tictactoe, round_robin, seed 2: random, minimax(depth=1)", "test")
        ]
        assert "4 of 4 games, all are played" in run("watch", "games.db#day", "--once")[0]
        for out in ("games.db#night", "games.db#1", "games.db"):
            assert "has 4 games of this tournament already" in run(*MATCH, "--out", out, code=2)[1]
            again = json.loads(run(*MATCH, "--out", out, "--resume")[0])["players"]
            assert [one["points"] for one in again] == points
        assert listed()[0] == (1, "night", 4)

    def test_what_is_there_is_not_played_again(self) -> None:
        calls: list[str] = []
        players = [counting("one", calls), counting("two", calls)]
        match(GAME, players, 4, store="games.db#night")
        played = len(calls)
        assert match(GAME, players, 4, store="games.db#night", resume=True) == list(read_records("games.db#night"))
        assert len(calls) == played
        match(GAME, players, 6, store="games.db#night", resume=True)
        assert listed() == [(1, "night", 6)]
        assert played < len(calls) < 2 * played

    def test_a_name_of_another_is_refused(self) -> None:
        match(GAME, PLAYERS, 2, store="games.db")
        match(GAME, PLAYERS, 2, seed=1, store="games.db#day")
        write_records("games.db#club", [ODD])
        before = listed()
        for seed, name, message in (
            (
                0,
                "night",
                r"games.db#night is not this tournament, which is games.db#1 \(tictactoe, round_robin",
            ),
            (0, "2", "games.db#2 is not this tournament, which is games.db#1 "),
            (2, "2", r"games.db#2 is another tournament \(2: day\) than this one \(tictactoe, round_robin, seed 2"),
            (2, "day", r"games.db#day is another tournament \(2: day\) than this one"),
            (2, "club", r"games.db#club is another tournament \(3: club\) than this one"),
            (2, "4", "games.db has no tournament 4, which a whole number means: choose a title with a letter"),
        ):
            with pytest.raises(ValueError, match=message):
                match(GAME, PLAYERS, 2, seed=seed, store=f"games.db#{name}", resume=True)
        assert listed() == before
        assert rows(Path("games.db"), "SELECT count(*) FROM tournaments") == [(3,)]
        with pytest.raises(ValueError, match=r"new\.db has no tournament 1"):
            match(GAME, PLAYERS, 2, store="new.db#1")
        assert not Path("new.db").exists()

    def test_one_that_ended_before_its_first_game_takes_another_title(self) -> None:
        def broken(observation: object, info: object) -> int:
            raise RuntimeError("not today")

        for name in ("night", "day"):
            with pytest.raises(RuntimeError, match="not today"):
                match(GAME, ["random", broken], 2, store=f"games.db#{name}")
        assert rows(Path("games.db"), "SELECT title FROM tournaments") == [("day",)]
        match(GAME, PLAYERS, 2, store="games.db#night")
        assert listed() == [(2, "night", 2)]


class TestTitles:
    def test_what_is_not_as_usual_is_told(self) -> None:
        """Tournaments that differed in a clock had the same title, and a message listed it twice."""
        what = "tictactoe, round_robin, seed 0: random, minimax(depth=1)"
        given: list[tuple[dict[str, Any], str]] = [
            ({}, ""),
            ({"time": "60+0.5"}, "; time 60+0.5"),
            ({"adjudication": ["draw"]}, "; adjudication draw(score="),
            ({"opening_plies": 0}, "; opening plies 0"),
            ({"openings": [[0], [4]]}, "; 2 openings ("),
            ({"openings": [[0], [8]]}, "; 2 openings ("),
            ({"max_failures": 1}, "; max_failures 1"),
            ({"time": 60, "max_failures": 9}, "; time 60; max_failures 9"),
        ]
        for options, _ in given:
            match(GAME, PLAYERS, 2, store="games.db", **options)
        titles = [title for _, title, _ in listed()]
        assert len(set(titles)) == len(given)
        for title, (_, end) in zip(titles, given, strict=True):
            assert title.startswith(what + end)
        assert len(list(read_records(f"games.db#{what}"))) == 2  # the whole title of one, and a part of the others

    def test_the_number_of_games_is_told_where_another_is_another_tournament(self) -> None:
        for games in (2, 4):
            tournament(GAME, PLAYERS, games, format="knockout", store="games.db")
        assert [title for _, title, _ in listed()] == [
            f"tictactoe, knockout, seed 0: random, minimax(depth=1); {games} games of each pairing" for games in (2, 4)
        ]


class TestFormats:
    @pytest.mark.parametrize(
        ("spelt", "canonical"),
        [
            (" round_robin", "round_robin"),
            ("round_robin()", "round_robin"),
            ("gauntlet( seeds = 1 )", "gauntlet"),
            ("gauntlet(seeds=2,)", "gauntlet(seeds=2)"),
            ("swiss(rounds=None)", "swiss"),
            ("swiss(rounds= 7)", "swiss(rounds=7)"),
        ],
    )
    def test_there_is_one_spelling(self, spelt: str, canonical: str) -> None:
        assert canonical_format(spelt) == canonical_format(canonical) == canonical
        assert same_format(spelt, canonical)

    def test_what_is_none(self) -> None:
        assert not same_format("swiss", "knockout")
        assert not same_format("league", "league")
        with pytest.raises(ValueError, match="unknown format 'leage'"):
            canonical_format("leage")
        for wrong in ("gauntlet(1)", "gauntlet(players=3)", "gauntlet(seed=1)"):
            with pytest.raises(
                ValueError, match=f"cannot make a tournament of '{re.escape(wrong)}': gauntlet takes seeds=…"
            ):
                canonical_format(wrong)
            assert not same_format(wrong, wrong)

    def test_another_spelling_is_no_other_tournament(self) -> None:
        tournament(GAME, PLAYERS, 2, format="gauntlet(seeds=1)", store="games.db")
        for spelt in ("gauntlet", " gauntlet"):
            with pytest.raises(ValueError, match="has 2 games of this tournament already"):
                tournament(GAME, PLAYERS, 2, format=spelt, store="games.db")
        tournament(GAME, PLAYERS, 4, format="gauntlet", store="games.db", resume=True)
        assert [one.arguments["format"] for one in tournaments_in("games.db")] == ["gauntlet"]

    def test_a_tournament_of_an_earlier_version_is_found_however_it_is_spelt(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as earlier:
            earlier.setattr("plyground.arena.matches.canonical_format", str)
            for spelt in ("gauntlet(seeds=1)", " swiss"):
                tournament(GAME, PLAYERS, 2, format=spelt, store="games.db")
        before = listed()
        for spelt in ("gauntlet(seeds=1)", "gauntlet", "swiss"):
            with pytest.raises(ValueError, match="has 2 games of this tournament already"):
                tournament(GAME, PLAYERS, 2, format=spelt, store="games.db")
        tournament(GAME, PLAYERS, 4, format="gauntlet", store="games.db", resume=True)
        assert [(number, games) for number, _, games in listed()] == [(1, 4), (2, 2)]
        assert [title for _, title, _ in listed()] == [title for _, title, _ in before]


def test_a_number_is_no_part_of_a_title() -> None:
    write_records("games.db#night 2 of 7", [ODD])
    for number in ("2", "7", " 2 "):
        with pytest.raises(ValueError, match=r"games\.db has no tournament"):
            list(read_records(f"games.db#{number}"))
    assert list(read_records("games.db#1")) == list(read_records("games.db#2 of")) == [ODD]
