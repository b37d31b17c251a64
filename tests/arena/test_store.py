"""Stores: games in one SQLite file, which goes on after anything, and refuses what it cannot trust."""

from __future__ import annotations

import dataclasses
import itertools
import logging
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.arena import GameRecord, iter_match, match, rating_list, read_records, tournament, write_records
from plyground.arena.formats import saved_records
from plyground.arena.generation import check_first_games, generate
from plyground.arena.records.names import is_store
from plyground.arena.store import Session, read_store, schema, tournaments_in
from plyground.envs import Game, game_factory, tictactoe
from tests.arena.test_arena import without_times

GAME = "tictactoe"
PLAYERS = ["random", "minimax(depth=1)"]
ODD = GameRecord("odd", ["a", "b"], [], 0, [0.0, 0.0], "finished", [], [], None)
RECORDS = {
    "empty": ODD,
    "turns": dataclasses.replace(ODD, moves=[1, 2, 255], opening=1, seconds=[0.0, 0.5, 2.0], movers=[-1, 1, 0], seed=7),
    "wide": dataclasses.replace(ODD, moves=[0, 256], seconds=[0.25, 1.0], movers=[0, 1], outcome=[1.0, -1.0]),
    "wider": dataclasses.replace(ODD, moves=[70_000], seconds=[0.25], movers=[1]),
    "negative": dataclasses.replace(ODD, moves=[-1, 2**62], seconds=[1e9, 0.5], movers=[0, 0], ending="illegal"),
    "seeds": dataclasses.replace(ODD, seed=2**200, outcome=[0.5, -0.0]),
    "reason": dataclasses.replace(ODD, ending="failed", reason="äöü: 'out of luck'", outcome=[-1.0, 1.0]),
    "opening": dataclasses.replace(ODD, moves=[3, 4], opening=2, seconds=[1.0, 0.0], movers=[-1, -1]),
}


def counting(name: str, calls: list[str]) -> Callable[[Any, Any], int]:
    """Return a player that takes the first legal action, and notes each call."""

    def player(observation: Any, info: Any) -> int:
        calls.append(name)
        return int(np.argmax(info["action_mask"]))

    player.__name__ = player.__qualname__ = name
    return player


def moves_of(name: str, records: list[GameRecord]) -> int:
    """Return how many moves a player has chosen."""
    return sum(seat >= 0 and one.players[seat] == name for one in records for seat in one.movers)


def rows(path: Path, query: str) -> list[Any]:
    """Ask SQLite itself."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


class TestRecords:
    @pytest.mark.parametrize("name", RECORDS)
    def test_come_back_as_they_were(self, name: str, tmp_path: Path) -> None:
        write_records(tmp_path / "games.db", [RECORDS[name]])
        assert list(read_records(tmp_path / "games.db")) == [RECORDS[name]]

    def test_come_back_in_order_and_as_often_as_they_were_added(self, tmp_path: Path) -> None:
        records = [*RECORDS.values(), RECORDS["turns"], *RECORDS.values()]
        path = tmp_path / "games.db"
        assert list(saved_records(path, records[:5])) == records[:5]
        write_records(path, iter(records[5:]))
        assert list(read_records(path)) == records
        assert rows(path, "SELECT count(*) FROM games") == [(len(RECORDS),)]
        assert not list(tmp_path.glob("games.db-*"))  # one file, when nobody has it open

    def test_times_have_seven_digits(self, tmp_path: Path) -> None:
        seconds = np.random.default_rng(0).lognormal(-9, 5, 50).tolist()
        record = dataclasses.replace(ODD, moves=[0] * 50, seconds=seconds, movers=[0, 1] * 25)
        write_records(tmp_path / "games.db", [record])
        (back,) = read_records(tmp_path / "games.db")
        assert back.seconds == pytest.approx(seconds, rel=1e-7)
        assert dataclasses.replace(back, seconds=seconds) == record
        long = dataclasses.replace(ODD, moves=[0, 0], seconds=[1e300, 0.1], movers=[0, 0])  # more than four bytes hold
        write_records(tmp_path / "long.db", [long])
        assert list(read_records(tmp_path / "long.db")) == [long]

    def test_are_small(self, tmp_path: Path) -> None:
        rng, movers = np.random.default_rng(0), [-1, -1, 0, 1, 0, 1, 0]
        records = [
            GameRecord(
                GAME, PLAYERS, [*range(7)], 2, [1.0, -1.0], "finished", [0, 0, *rng.random(5).tolist()], movers, n
            )
            for n in range(2000)
        ]
        for name in ("games.db", "games.jsonl"):
            write_records(tmp_path / name, records)
        assert (tmp_path / "games.db").stat().st_size < 200 * len(records)
        assert (tmp_path / "games.jsonl").stat().st_size > 270 * len(records)


class TestTournaments:
    def test_are_the_same_kept_or_not_and_go_on_after_any_game(self, tmp_path: Path) -> None:
        players = [*PLAYERS, "random"]
        whole = tournament(GAME, players, 4, format="swiss", seed=1)
        for stop in range(0, len(whole) + 1, 3):
            path = tmp_path / f"{stop}.db"
            played = iter_match(GAME, players, 4, 1, format="swiss", store=path)
            assert len(list(itertools.islice(played, stop))) == stop
            again = tournament(GAME, players, 4, format="swiss", seed=1, store=path, resume=True)
            assert without_times(again) == without_times(whole) == without_times(list(read_records(path)))
            assert rows(path, "SELECT count(*) FROM games") == [(len(whole),)]

    def test_play_only_what_is_missing(self, tmp_path: Path) -> None:
        calls: list[str] = []
        path, players = tmp_path / "games.db", [counting("one", calls), counting("two", calls)]
        first = match(GAME, players, 4, store=path)
        played = len(calls)
        assert match(GAME, players, 4, store=path, resume=True) == list(read_records(path))
        assert len(calls) == played
        more = match(GAME, players, 8, store=path, resume=True)  # the same tournament, with more games
        assert without_times(more[:4]) == without_times(first)
        assert [one.number for one in tournaments_in(path)] == [1]
        assert tournaments_in(path)[0].arguments["games"] == 8
        del calls[:]
        three = [*players, counting("three", calls)]
        records = match(GAME, three, 8, store=path)  # another one, which shares games with the first
        assert calls.count("three") == moves_of("three", records)
        assert calls.count("one") == moves_of("one", records[8:16])
        assert without_times(records) == without_times(match(GAME, three, 8))
        assert [(one.number, one.games) for one in tournaments_in(path)] == [(1, 8), (2, 24)]
        assert rows(path, "SELECT count(*) FROM games") == [(24,)]
        assert list(read_records(f"{path}#1")) == list(read_records(f"{path}#2"))[:8]

    def test_go_on_where_the_spec_of_the_game_was_written_in_another_way(self, tmp_path: Path) -> None:
        @game_factory
        def scored(komi: float = 0.5) -> Game:
            return tictactoe().replace(name="scored")

        game, path = scored(7), tmp_path / "games.db"
        earlier = game.replace()
        earlier.spec = "scored(komi=7)"
        records = match(earlier, PLAYERS, 2, seed=1, store=path)
        again = match(game, PLAYERS, 4, seed=1, store=path, resume=True)
        assert [one.games for one in tournaments_in(path)] == [4]
        assert {record.game for record in read_records(path)} == {"scored(komi=7)"}
        with pytest.raises(ValueError, match="has 4 games of this tournament already"):
            match(game, PLAYERS, 4, seed=1, store=path)
        after = list(iter_match(game, PLAYERS, 4, seed=1, after=records))
        assert [one.moves for one in after] == [one.moves for one in again[2:]]
        assert {one.game for one in after} == {"scored(komi=7.0)"}
        assert rating_list([*records, *after]).games == 4
        generated = list(generate(earlier, PLAYERS, 2))
        check_first_games(game, PLAYERS, 0, generated)
        with pytest.raises(ValueError, match=r"its game is scored\(komi=7\), expected scored\(komi=6.0\)"):
            check_first_games(scored(6), PLAYERS, 0, generated)

    @pytest.mark.slow
    def test_are_the_same_from_several_processes(self, tmp_path: Path) -> None:
        players, path = [*PLAYERS, "random"], tmp_path / "games.db"
        whole = match(GAME, players, 6)
        for record in itertools.islice(iter_match(GAME, players, 6, jobs=2, store=path), 5):
            assert record.game == GAME
        assert rows(path, "SELECT count(*) FROM games")[0][0] >= 5
        with sqlite3.connect(path) as connection:  # a game in the middle, as if it had not come back
            connection.execute("DELETE FROM entries WHERE number > 1")
            connection.execute("DELETE FROM games WHERE id = 2")
        connection.close()
        assert without_times(match(GAME, players, 6, jobs=2, store=path, resume=True)) == without_times(whole)
        assert without_times(list(read_records(path))) == without_times(whole)

    def test_errors_in_the_file_end_a_match_of_several_processes(self, tmp_path: Path) -> None:
        path = tmp_path / "games.db"
        match(GAME, PLAYERS, 4, store=path)
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE games SET moves = x'0102' WHERE id = 3")
        connection.close()
        with pytest.raises(ValueError, match=r"games\.db is damaged \(malformed: a game is not what it was"):
            match(GAME, PLAYERS, 8, jobs=2, store=path, resume=True)

    @pytest.mark.parametrize("look", [True, False])
    def test_two_at_once_store_no_game_twice_and_agree(
        self, tmp_path: Path, look: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "games.db"
        if not look:  # as if both had played each game at the same time
            monkeypatch.setattr(Session, "find", lambda *_: None)
        one, two = (iter_match(GAME, PLAYERS, 6, store=path) for _ in range(2))
        for a, b in [(next(one), next(two)) for _ in range(6)]:
            assert a.seconds == pytest.approx(b.seconds, rel=1e-6)  # the game that was saved first counts
            assert without_times([a]) == without_times([b])
        assert [next(one, None), next(two, None)] == [None, None]
        assert rows(path, "SELECT count(*) FROM games") == rows(path, "SELECT count(*) FROM entries") == [(6,)]
        assert tournaments_in(path)[0].runs == 2
        assert rows(path, "SELECT count(*) FROM runs WHERE ended IS NULL") == [(0,)]

    def test_who_asks_for_no_game_plays_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "games.db"
        for _ in range(2):
            iter_match(GAME, PLAYERS, 2, store=path)  # and nothing of it
        assert rows(path, "SELECT count(*) FROM runs") == [(0,)]
        games = iter_match(GAME, PLAYERS, 2, store=path)
        next(games)
        assert rows(path, "SELECT ended IS NULL FROM runs") == [(1,)]
        del games  # after a game
        assert rows(path, "SELECT ended IS NULL FROM runs") == [(0,)]

    def test_are_told_apart(self, tmp_path: Path) -> None:
        path = tmp_path / "games.db"
        for seed, games in ((0, 2), (1, 4)):
            match(GAME, PLAYERS, games, seed, store=path)
        with pytest.raises(
            ValueError, match=r"has 2 tournaments: say which one, as in '.*#2'; 1: tictactoe, round_robin"
        ):
            list(read_records(path))
        assert len(list(read_records(f"{path}#2"))) == len(list(read_store(path, tournament="seed 1"))) == 4
        with pytest.raises(ValueError, match="no tournament '3': expected the number of one"):
            list(read_records(f"{path}#3"))
        with pytest.raises(ValueError, match="several tournaments 'random'"):
            list(read_store(path, tournament="random"))
        with pytest.raises(ValueError, match="has 2 games of this tournament already"):
            match(GAME, PLAYERS, 2, store=path)
        with pytest.raises(ValueError, match="give a store or the games"):
            match(GAME, PLAYERS, 2, store=path, after=list(read_records(f"{path}#1")))
        with pytest.raises(ValueError, match=r"cannot keep games in games\.jsonl"):
            match(GAME, PLAYERS, 2, store="games.jsonl")

    def test_a_player_whose_file_has_changed_is_another(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "changing.py").write_text(
            "def player(observation, info):\n    return int(info['action_mask'].argmax())\n"
        )
        players = ["random", "./changing.py:player"]
        first = match(GAME, players, 4, store="games.db")
        with (tmp_path / "changing.py").open("a") as file:
            file.write("# trained a little longer\n")
        with caplog.at_level(logging.WARNING, "plyground"):
            assert without_times(match(GAME, players, 4, store="games.db", resume=True)) == without_times(first)
        assert "games.db has games of another ./changing.py:player, whose spec or files have changed" in caplog.text
        assert [one.games for one in tournaments_in("games.db")] == [4, 4]
        assert rows(tmp_path / "games.db", "SELECT count(*) FROM games") == [(8,)]
        found = rows(
            tmp_path / "games.db", "SELECT json_extract(configuration, '$.files') FROM players WHERE name LIKE '%.py%'"
        )
        assert len(set(found)) == 2

    def test_a_player_of_a_collection_is_known_by_its_name_alone_and_may_be_the_same(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        write_records(tmp_path / "games.db", match(GAME, PLAYERS, 2))
        with caplog.at_level(logging.WARNING, "plyground"):
            match(GAME, PLAYERS, 2, store=tmp_path / "games.db")
        assert caplog.text == ""

    def test_who_is_withdrawn_earlier_with_more_games_has_no_later_ones(self, tmp_path: Path) -> None:
        def failing(observation: Any, info: Any) -> int:
            raise ConnectionResetError

        path, players = tmp_path / "games.db", ["random", failing, "minimax(depth=1)"]

        def played(games: int, **options: Any) -> list[GameRecord]:
            return match(GAME, players, games, failures=Exception, store=path, **options)

        assert len(played(2)) == 5  # it fails for the third time against the last player
        more = played(4, resume=True)  # and now against the first one
        assert len(more) == 7
        assert without_times(list(read_records(path))) == without_times(more)
        kept = rows(path, "SELECT count(*) FROM games")
        assert len(played(2, resume=True)) == 5  # whoever asks for fewer takes nothing away
        assert without_times(list(read_records(path)))[:7] == without_times(more)
        assert len(played(4, max_failures=1)) == 5  # another tournament, of games that are there already
        assert [one.arguments.get("max_failures") for one in tournaments_in(path)] == [None, 1]
        assert rows(path, "SELECT count(*) FROM games") == kept

    def test_another_version_is_told(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        path = tmp_path / "games.db"
        match(GAME, PLAYERS, 2, store=path)
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE runs SET version = '0.0.1'")
        connection.close()
        with caplog.at_level(logging.INFO, "plyground"):
            match(GAME, PLAYERS, 2, store=path, resume=True)
        assert "2 games are in" in caplog.text
        assert "games.db has games that were played by plyground 0.0.1, and this is" in caplog.text
        caplog.clear()
        match(GAME, [*PLAYERS, "minimax(depth=2)"], 2, store=path)  # which shares these games
        assert "games.db has games that were played by plyground 0.0.1" in caplog.text

    def test_numbers_of_numpy_are_numbers(self, tmp_path: Path) -> None:
        """They ended the match, and left a file without games."""
        path = tmp_path / "games.db"
        match(GAME, PLAYERS, 2, opening_plies=np.int64(2), store=path)  # pyright: ignore[reportArgumentType]
        assert len(match(GAME, PLAYERS, 2, opening_plies=2, store=path, resume=True)) == 2
        assert len(tournaments_in(path)) == 1


class TestFiles:
    @pytest.fixture
    def kept(self, tmp_path: Path) -> Path:
        path = tmp_path / "games.db"
        write_records(path, RECORDS.values())
        return path

    def refused(self, path: Path, message: str, kind: type[Exception] = ValueError) -> None:
        """Check that a file is neither read nor written, and stays as it is."""
        before = path.read_bytes() if path.is_file() else None
        for use in (
            lambda: list(read_records(path)),
            lambda: write_records(path, [ODD]),
            lambda: match(GAME, PLAYERS, 2, store=path),
        ):
            with pytest.raises(kind, match=message) as caught:
                use()
            assert str(path) in str(caught.value)
            assert "\n" not in str(caught.value)
        assert (path.read_bytes() if path.is_file() else None) == before

    def test_not_ours(self, tmp_path: Path) -> None:
        path = tmp_path / "games.db"
        path.write_text("no database at all, but text that is long enough to be one. " * 20)
        self.refused(path, "is no store of games: expected an SQLite file that plyground has made")
        path.unlink()
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE recipes (name)")
        connection.close()
        self.refused(path, "is an SQLite file of another program, not a store of games")

    def test_newer(self, kept: Path) -> None:
        with sqlite3.connect(kept) as connection:
            connection.execute("PRAGMA user_version = 99")
        connection.close()
        self.refused(kept, "is a store of version 99, and this plyground knows those up to .*: update plyground")

    def test_cut_off(self, kept: Path) -> None:
        kept.write_bytes(kept.read_bytes()[:9000])
        self.refused(kept, r"is damaged \(.*malformed.*\): `sqlite3 .* \.recover`")

    def test_a_wrong_byte_is_found_or_does_no_harm(self, kept: Path, tmp_path: Path) -> None:
        whole, rng, found = kept.read_bytes(), np.random.default_rng(0), 0
        for place in rng.integers(100, len(whole), 300):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << rng.integers(8)
            path = tmp_path / "damaged.db"
            path.write_bytes(damaged)
            try:
                records = list(read_records(path))
            except ValueError:
                found += 1
                continue
            for one in records:  # names are in other tables, without a checksum
                if (
                    one.players == ODD.players
                    and one.game == ODD.game
                    and one.ending in ("finished", "illegal", "failed")
                ):
                    assert one in RECORDS.values()
        assert found > 5

    def test_missing_and_empty(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError, match="there is no such file"):
            list(read_records(tmp_path / "games.db"))
        with pytest.raises(IsADirectoryError):
            list(read_records(tmp_path.rename(tmp_path.with_name("folder.db"))))
        path = tmp_path.with_name("folder.db") / "games.db"
        path.touch()
        assert list(read_records(path)) == tournaments_in(path) == []
        write_records(path, [ODD])
        assert list(read_records(path)) == [ODD]

    def test_older_files_are_brought_to_this_version_at_once_or_not_at_all(
        self, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        step = "ALTER TABLE games ADD COLUMN judged REAL;\nUPDATE games SET judged = plies / 2.0;\n"
        latest = len(schema.MIGRATIONS) + 1
        copy = Path(shutil.copy(kept, tmp_path / "copy.db"))
        monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, step + "SELECT nonsense FROM games;\n"])
        with pytest.raises(ValueError, match=r"damaged \(no such column: nonsense\)"):
            list(read_records(kept))
        assert kept.read_bytes() == copy.read_bytes()
        monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS[:-1], step])
        assert list(read_records(kept)) == list(RECORDS.values())
        assert rows(kept, "PRAGMA user_version") == [(latest + 1,)]
        assert rows(kept, "SELECT judged FROM games WHERE plies = 3") == [(1.5,)]
        monkeypatch.undo()
        self.refused(kept, f"is a store of version {latest + 1}")

    def test_names(self) -> None:
        assert all(map(is_store, ("a.db", "a.db#2", Path("b/a.sqlite"), "a.DB", "a.sqlite3#club night")))
        assert not any(map(is_store, ("a.jsonl", "db", ".db/x", "a.db.jsonl")))
