"""What a store knows of a game beside the game itself, in the words of PGN, PDN and SGF."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sgfmill import sgf

from plyground.arena import GameRecord, match, read_games, read_records, tournament, write_games
from plyground.arena.records.event import Event
from plyground.arena.records.tags import event_tags
from tests.arena.test_arena import without_times

GAME = "othello(size=4)"
EMPTY: Any = (["a", "b"], [], 0, [0.0, 0.0], "truncated", [], [], None)
PLAYERS = ["random", "mixture(random)", "minimax(depth=1)", "minimax(depth=2)"]


def played(path: Path, game: str = GAME, **options: Any) -> list[GameRecord]:
    """Return the games of a match that a store has."""
    match(game, PLAYERS[:2], 4, store=path, **options)
    return list(read_records(path))


def roots(path: Path) -> list[dict[str, Any]]:
    """Return the properties of the roots of the games in an SGF file."""
    texts = path.read_bytes().split(b"\n(;")
    first = [texts[0], *(b"(;" + text for text in texts[1:])]
    found = [sgf.Sgf_game.from_bytes(text).get_root() for text in first]
    return [{name: root.get(name) for name in root.properties() if name != "PLYGROUND"} for root in found]


def tags(path: Path) -> list[dict[str, str]]:
    """Return the tags of the games in a PDN file."""
    games = path.read_text().split("[Event ")[1:]
    return [dict(re.findall(r'^\[(\w+) "(.*)"\]$', f"[Event {game}", re.MULTILINE)) for game in games]


def today() -> str:
    return datetime.now(timezone.utc).date().isoformat()


def changed(path: Path, *statements: str) -> None:
    """Change a store behind its back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


class TestFormats:
    def test_pgn(self, tmp_path: Path) -> None:
        """Date and round were unknown, and every game was of the event "plyground"."""
        pgn = pytest.importorskip("chess.pgn")
        days, source = {today()}, tmp_path / "games.db"
        records = played(source, "chess", time="60+0.5")  # whose kernels other tests need, too
        days.add(today())
        write_games(tmp_path / "games.pgn", records)
        with (tmp_path / "games.pgn").open() as file:
            headers = [pgn.read_headers(file) for _ in records]
        assert [one["Round"] for one in headers] == ["1.1.1", "1.1.2", "1.1.3", "1.1.4"]
        for one, record in zip(headers, records, strict=True):
            assert one["Event"] == f"{record.game}, round_robin, seed 0: random, mixture(random); time 60+0.5"
            assert one["Date"].replace(".", "-") in days
            assert one["TimeControl"] == "60+0.5"
            assert (one["White"], one["Black"]) == tuple(record.players)
        assert without_times(list(read_games(tmp_path / "games.pgn"))) == without_times(records)

    def test_sgf(self, tmp_path: Path) -> None:
        days = {today()}
        tournament(GAME, PLAYERS, 2, store=tmp_path / "games.db#club ] night", format="swiss", time="0.5/move")
        days.add(today())
        records = list(read_records(tmp_path / "games.db"))
        write_games(tmp_path / "games.sgf", records)
        found = roots(tmp_path / "games.sgf")
        rounds = [f"{one}.{two}.{three}" for one in (1, 2) for two in (1, 2) for three in (1, 2)]
        assert [one["RO"] for one in found] == rounds
        assert {one["EV"] for one in found} == {"club ] night"}
        assert {one["DT"] for one in found} <= days
        assert {(one["TM"], one["OT"]) for one in found} == {(0.0, "1x0.5 byo-yomi")}
        assert without_times(list(read_games(tmp_path / "games.sgf"))) == without_times(records)

    def test_pdn(self, tmp_path: Path) -> None:
        days = {today()}
        records = played(tmp_path / "games.db", "checkers(max_quiet_plies=6)")
        days.add(today())
        write_games(tmp_path / "games.pdn", records)
        found = tags(tmp_path / "games.pdn")
        assert [one["Round"] for one in found] == ["1.1.1", "1.1.2", "1.1.3", "1.1.4"]
        assert {one["Date"].replace(".", "-") for one in found} <= days
        assert {one["TimeControl"] for one in found} == {"-"}
        assert without_times(list(read_games(tmp_path / "games.pdn"))) == without_times(records)

    @pytest.mark.parametrize(
        ("event", "in_tags", "in_sgf"),
        [
            (None, {"Event": "plyground"}, {}),
            (Event("a"), {"Event": "a"}, {"EV": "a"}),
            (Event("", "3 (final)", site="x"), {"Event": "?", "Site": "x", "Round": "3 (final)"}, {"RO": "3 (final)"}),
            (Event("a", date="May 1851"), {"Event": "a", "Date": "May 1851"}, {"EV": "a", "DT": "May 1851"}),
            (Event("a", date="2026"), {"Event": "a", "Date": "2026.??.??"}, {"EV": "a", "DT": "2026"}),
            (Event("a", date="2026-11"), {"Event": "a", "Date": "2026.11.??"}, {"EV": "a", "DT": "2026-11"}),
            (Event("a", time=""), {"Event": "a", "TimeControl": "-"}, {"EV": "a"}),
            (Event("a", time="60"), {"Event": "a", "TimeControl": "60"}, {"EV": "a", "TM": 60.0}),
            (
                Event("a", time="60+0.5"),
                {"Event": "a", "TimeControl": "60+0.5"},
                {"EV": "a", "TM": 60.0, "OT": "0.5 fischer"},
            ),
            (
                Event("a", time="0.2/move"),
                {"Event": "a", "TimeControl": "1/0.2"},
                {"EV": "a", "TM": 0.0, "OT": "1x0.2 byo-yomi"},
            ),
            (
                Event("a", time="2000000+12345.678"),
                {"Event": "a", "TimeControl": "2000000+12345.678"},
                {"EV": "a", "TM": 2e6, "OT": "12345.678 fischer"},
            ),
            (
                Event("a", time="1000000.5/move"),
                {"Event": "a", "TimeControl": "1/1000000.5"},
                {"EV": "a", "TM": 0.0, "OT": "1x1000000.5 byo-yomi"},
            ),
            (Event("a", time="60 cpu"), {"Event": "a"}, {"EV": "a"}),  # which is no time on a clock
        ],
    )
    def test_what_is_known_is_told(
        self, event: Event | None, in_tags: dict[str, str], in_sgf: dict[str, Any], tmp_path: Path
    ) -> None:
        record = GameRecord(GAME, *EMPTY, event=event)
        assert event_tags(record) == in_tags
        write_games(tmp_path / "games.sgf", [record])
        (found,) = roots(tmp_path / "games.sgf")
        assert {name: found[name] for name in ("EV", "DT", "RO", "TM", "OT") if name in found} == in_sgf

    @pytest.mark.parametrize(("suffix", "game"), [("pgn", "chess"), ("pdn", "checkers"), ("sgf", "go(board_size=5)")])
    @pytest.mark.parametrize("title", ["plyground", "?", "..."])
    def test_a_title_as_of_games_without_one_is_kept(self, title: str, suffix: str, game: str, tmp_path: Path) -> None:
        """A tournament with the title "plyground" had none when it was read back from PGN or PDN."""
        if suffix == "pgn":
            pytest.importorskip("chess")
        events = [Event(title), Event(title, "1.1.2", "2026-11-28"), Event("plyground night"), Event("", "2"), None]
        write_games(tmp_path / f"games.{suffix}", [GameRecord(game, *EMPTY, event=event) for event in events])
        assert [record.event for record in read_games(tmp_path / f"games.{suffix}")] == events


class TestFilesFromElsewhere:
    """Of a collection that was converted the event, the site, the date and the round of each game were lost."""

    @pytest.mark.parametrize("suffix", ["pgn", "pdn"])
    def test_tags(self, suffix: str, tmp_path: Path) -> None:
        if suffix == "pgn":
            pytest.importorskip("chess")
        moves = "1. e4 e5" if suffix == "pgn" else "1. 11-15 23-19"
        told = [
            {"Event": r"World \"98\"", "Site": "Reykjavik ISL", "Date": "1972.07.11", "Round": "29"},
            {"Event": "Casual", "Site": "https://example.org/1", "Date": "1851.??.??", "Round": "-"},
            {"Event": "?", "Site": "?", "Date": "1902.03.??", "Round": "?"},
            {"Event": "?", "Site": "London ENG", "Date": "1834.??.05", "Round": "1.2"},
            {"Event": "plyground", "Site": "?", "Date": "????.??.??", "Round": "?"},
        ]
        texts = ("".join(f'[{name} "{value}"]\n' for name, value in one.items()) for one in told)
        games = "".join(f'{text}[Result "1-0"]\n\n{moves} 1-0\n\n' for text in texts)
        (tmp_path / f"games.{suffix}").write_text(games)
        assert [record.event for record in read_games(tmp_path / f"games.{suffix}")] == [
            Event('World "98"', "29", "1972-07-11", site="Reykjavik ISL"),
            Event("Casual", "-", "1851", site="https://example.org/1"),
            Event("", date="1902-03"),
            Event("", "1.2", "1834.??.05", site="London ENG"),
            None,
        ]
        for target in convert_on(tmp_path, suffix):
            known = [{**dict.fromkeys(told[0], "?"), "Date": "????.??.??"} | one for one in tags(target)]
            assert [{name: one[name] for name in told[0]} for one in known] == told

    def test_properties(self, tmp_path: Path) -> None:
        event = r"EV[Honinbo \] final]PC[Tokyo]DT[1933-10-16,17]RO[3 (final)]"
        (tmp_path / "games.sgf").write_text(f"(;GM[1]SZ[5]{event}RE[B+R];B[aa];W[bb])(;GM[1]SZ[5]RE[W+R];B[aa])")
        expected = [Event("Honinbo ] final", "3 (final)", "1933-10-16,17", site="Tokyo"), None]
        for target in (tmp_path / "games.sgf", *convert_on(tmp_path, "sgf")):
            assert [record.event for record in read_games(target)] == expected

    def test_a_title_that_cannot_be_read_loses_no_game(self, tmp_path: Path) -> None:
        (tmp_path / "games.sgf").write_bytes(b"(;GM[1]SZ[5]CA[UTF-8]EV[Caf\xe9]DT[1999]RE[B+R];B[aa];W[bb])")
        assert [record.event for record in read_games(tmp_path / "games.sgf")] == [Event("", date="1999")]


def convert_on(folder: Path, suffix: str) -> list[Path]:
    """Return files of the same format that have the games of one: at once, and by way of JSON lines and a store."""
    for source, target in pairwise([f"games.{suffix}", "lines.jsonl", "store.db", f"far.{suffix}"]):
        write_games(folder / target, read_games(folder / source))
    write_games(folder / f"near.{suffix}", read_games(folder / f"games.{suffix}"))
    return [folder / f"near.{suffix}", folder / f"far.{suffix}"]


class TestStores:
    def test_the_event_is_no_part_of_the_game(self, tmp_path: Path) -> None:
        record = played(tmp_path / "games.db")[0]
        assert record.event is not None
        bare = replace(record, event=None)
        assert record == bare
        assert "event" not in json.loads(bare.to_json())  # whose keys in stores are those of earlier versions
        read = GameRecord.from_json(record.to_json())
        assert read == record
        assert read.event == record.event._replace(place="1.1.1", time=None)

    @pytest.mark.parametrize("event", ["Oslo", ["Oslo"], {"town": "Oslo"}, {"title": 3}, {"date": None}])
    def test_an_event_of_other_fields_is_refused(self, event: Any) -> None:
        line = json.dumps({**json.loads(GameRecord(GAME, *EMPTY).to_json()), "event": event})
        with pytest.raises(ValueError, match="event must be an object with title, site, date and round as texts"):
            GameRecord.from_json(line)

    def test_games_that_differ_in_their_event_alone_keep_theirs(self, tmp_path: Path) -> None:
        events = [Event("Oslo", date="2025-01-02"), Event("Oslo", date="2025-01-03"), Event("", site="Bergen"), None]
        for name, title in (("games.db", ""), ("games.db#club", "club")):
            write_games(tmp_path / name, [GameRecord(GAME, *EMPTY, event=event) for event in events])
            last = Event(title, site="Bergen"), Event(title) if title else None
            kept = read_games(tmp_path / (name if title else "games.db#games"))
            assert [record.event for record in kept] == [*events[:2], *last]

    @pytest.mark.parametrize("text", ["60", "60+0.5", "0.2/move", "60 cpu", "0.00001+1000000", "12345.678+1", None])
    def test_times_are_those_of_the_tournament(self, text: str | None, tmp_path: Path) -> None:
        match(GAME, ["random", "random(seed=1)"], 2, store=tmp_path / "games.db", time=text)
        records = list(read_records(tmp_path / "games.db"))
        assert [None if one.event is None else one.event.time for one in records] == [text or ""] * 2
        write_games(tmp_path / "games.sgf", records)  # ":g" made an exponent of a million, which could not be read

    def test_of_games_from_elsewhere_a_title_is_known(self, tmp_path: Path) -> None:
        records = [replace(record, event=None) for record in played(tmp_path / "played.db")]
        write_games(tmp_path / "games.db", records)
        write_games(tmp_path / "games.db#night", records)
        assert {one.event for one in read_games(tmp_path / "games.db#games")} == {None}
        assert {one.event for one in read_games(tmp_path / "games.db#night")} == {Event("night")}

    @pytest.mark.parametrize(
        ("began", "ended", "date"),
        [
            ("2026-11-27T23:59:58+00:00", "2026-11-27T23:59:59+00:00", "2026-11-27"),
            ("2026-11-27T23:59:58+00:00", "2026-11-28T00:00:00+00:00", "2026-11"),
            ("2026-11-27T23:59:58+00:00", "2026-12-27T23:59:58+00:00", "2026"),
            ("2026-12-31T23:59:58+00:00", "2027-01-01T00:00:00+00:00", None),
            ("yesterday", "2027-01-01T00:00:00+00:00", None),
            ("", "", None),
        ],
    )
    def test_a_date_is_told_as_far_as_it_is_sure(
        self, began: str, ended: str, date: str | None, tmp_path: Path
    ) -> None:
        played(tmp_path / "games.db")
        changed(tmp_path / "games.db", f"UPDATE runs SET began = '{began}', ended = '{ended}'")
        assert {one.event and one.event.date for one in read_records(tmp_path / "games.db")} == {date}

    def test_a_killed_run_had_ended_before_the_games_of_the_next(self, tmp_path: Path) -> None:
        path = tmp_path / "games.db"
        match(GAME, PLAYERS[:2], 2, store=path)
        changed(path, "UPDATE runs SET began = '2024-02-29T01:02:03+00:00', ended = NULL")
        known = [one.event and one.event.date for one in read_records(path)]
        assert known == [None, None]  # until now
        match(GAME, PLAYERS[:2], 4, store=path, resume=True)
        day = "2024-02-29T11:00:00+00:00"
        changed(path, f"UPDATE runs SET began = '{day}', ended = '{day}' WHERE id = 2")
        assert {one.event and one.event.date for one in read_records(path)} == {"2024-02-29"}
