"""What a store knows of a game beside the game itself, in the words of PGN, PDN and SGF."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from sgfmill import sgf

from plyground.arena import GameRecord, TimeControl, match, read_games, read_records, tournament, write_games
from plyground.arena.records.event import Event
from plyground.arena.records.tags import event_tags
from tests.arena.test_arena import without_times

GAME = "othello(size=4)"
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
            (Event("a", time="60 cpu"), {"Event": "a"}, {"EV": "a"}),  # which is no time on a clock
        ],
    )
    def test_what_is_known_is_told(
        self, event: Event | None, in_tags: dict[str, str], in_sgf: dict[str, Any], tmp_path: Path
    ) -> None:
        record = GameRecord(GAME, ["a", "b"], [], 0, [0.0, 0.0], "truncated", [], [], None, event=event)
        assert event_tags(record) == in_tags
        write_games(tmp_path / "games.sgf", [record])
        (found,) = roots(tmp_path / "games.sgf")
        assert {name: found[name] for name in ("EV", "DT", "RO", "TM", "OT") if name in found} == in_sgf


class TestStores:
    def test_the_event_is_no_part_of_the_game(self, tmp_path: Path) -> None:
        record = played(tmp_path / "games.db")[0]
        assert record.event is not None
        bare = replace(record, event=None)
        assert record == bare
        assert record.to_json() == bare.to_json()
        assert GameRecord.from_json(record.to_json()).event is None
        with pytest.raises(ValueError, match="expected an object with the fields"):
            GameRecord.from_json('{"event": null, ' + record.to_json()[1:])

    @pytest.mark.parametrize("text", ["60", "60+0.5", "0.2/move", "60 cpu", "1e-05+1e+06", None])
    def test_times_are_those_of_the_tournament(self, text: str | None, tmp_path: Path) -> None:
        control = TimeControl(1e-5, 1e6) if text == "1e-05+1e+06" else text
        match(GAME, ["random", "random(seed=1)"], 2, store=tmp_path / "games.db", time=control)
        events = [record.event for record in read_records(tmp_path / "games.db")]
        assert [None if event is None else event.time for event in events] == [text or ""] * 2

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
