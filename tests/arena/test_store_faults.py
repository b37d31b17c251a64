"""Misfortunes of stores and of files of games: kills, full disks, company."""

from __future__ import annotations

import codecs
import dataclasses
import itertools
import math
import os
import re
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.faults import misfortunes, tournaments
from plyground.arena import iter_match, match, read_records, write_records
from plyground.arena.formats import read_games, saved_records, write_games
from plyground.arena.records.files import add_texts
from plyground.arena.records.json_lines import mend
from plyground.arena.records.record import GameRecord
from plyground.arena.store import saved_in_store
from tests.arena.test_arena import without_times
from tests.arena.test_store import GAME, ODD, PLAYERS, RECORDS
from tests.helpers.command_line import Run
from tests.helpers.report_games import MATCH


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


class TestFaults:
    """Small versions of ``python -m benchmarks.faults.misfortunes``."""

    @pytest.mark.slow
    @pytest.mark.parametrize("suffix", tournaments.FORMATS)
    def test_killed_and_resumed(self, suffix: str, tmp_path: Path) -> None:
        found = tournaments.killed(tmp_path, suffix, times=3, games=60, rng=np.random.default_rng(0))
        assert (found["kills"], found["games"]) == (3, 480)

    @pytest.mark.slow
    @pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's limits")
    @pytest.mark.parametrize("suffix", tournaments.FORMATS)
    def test_a_full_disk(self, suffix: str, tmp_path: Path) -> None:
        assert "as in the run" in misfortunes.filled(tmp_path, suffix, games=60, kilobytes=60)["resumed with room"]

    @pytest.mark.parametrize("suffix", tournaments.FORMATS)
    def test_files_that_grow_no_longer(self, suffix: str, tmp_path: Path) -> None:
        path = tmp_path / f"games{suffix}"
        records = [dataclasses.replace(RECORDS["turns"], seed=seed) for seed in range(5000)]
        saved = []
        with (
            files_of_at_most(600_000),
            pytest.raises(OSError, match=rf"cannot (read or )?write .*{path.name}: .*") as caught,
        ):
            saved.extend(saved_records(path, records))
        assert "\n" not in str(caught.value)
        if suffix == ".jsonl":
            assert mend(path)
        before = list(read_records(path))
        assert 0 < len(before) < 5000
        assert before == records[: len(before)]
        write_records(path, records[len(before) :])
        assert list(read_records(path)) == records

    @pytest.mark.parametrize(("room", "kept"), [(20, b"(;)\n(;B[aa])\n"), (7, b"(;)")])
    def test_nothing_stays_of_a_text_that_finds_no_room(self, room: int, kept: bytes, tmp_path: Path) -> None:
        """Half a game stayed in the file, which could not be read, so that nobody could go on with it."""
        path = tmp_path / "games.sgf"
        path.write_bytes(b"(;)")  # of somebody else, whose last line has no end
        with files_of_at_most(room), pytest.raises(OSError, match="too large"):
            add_texts(path, [b"(;B[aa])\n", b"(;B[ab];W[bb])\n"])
        assert path.read_bytes() == kept
        add_texts(path, [b"(;B[ab];W[bb])\n"])
        assert path.read_bytes() == kept.rstrip() + b"\n(;B[ab];W[bb])\n"

    @pytest.mark.parametrize("suffix", [".jsonl", ".db", ".csv", ".sgf", ".parquet", ".html"])
    def test_a_new_file_that_finds_no_room_is_named_and_not_left(self, suffix: str, run: Run, tmp_path: Path) -> None:
        """It was not named, or "the games until now are in it" was said of a file that was removed."""
        if suffix == ".parquet":
            pytest.importorskip("pyarrow")
        source, out = tmp_path / "source.jsonl", tmp_path / f"new{suffix}"
        name = "of_others" if suffix == ".html" else "gomoku(size=7)"  # a page of which nothing is compiled
        one = dataclasses.replace(MATCH[0], game=name, moves=[0, 5, 1, 6, 2])
        write_records(source, (dataclasses.replace(one, seed=7**number % 2**60) for number in range(999)))
        if suffix != ".html":
            run("convert", str(source), str(out))  # what is compiled for it would find no room, either
            out.unlink()
        earlier = '<meta name="generator" content="plyground 0.1.0">an earlier page'
        with files_of_at_most(8000):
            if suffix == ".html":
                out.write_text(earlier)
                _, said = run("report", str(source), "--out", str(out), "--blunders", "0", code=2)
                assert out.read_text() == earlier
                out.unlink()
            else:
                _, said = run("convert", str(source), str(out), code=2)
        assert re.search(rf"error: cannot (read or )?write \S*/new{suffix}: ", said)
        assert "until now" not in said
        assert list(tmp_path.iterdir()) == [source]

    def test_files_that_may_not_be_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "games.db"
        write_records(path, [ODD])
        path.chmod(0o444)
        if os.access(path, os.W_OK):  # root may write all files
            monkeypatch.setattr(os, "access", lambda *_: False)
        for use in (lambda: write_records(path, [ODD]), lambda: match(GAME, PLAYERS, 2, store=path)):
            with pytest.raises(PermissionError, match=r"cannot write .*games\.db: it is read-only"):
                use()
        assert list(read_records(path)) == [ODD]

    def test_a_link_to_a_store_that_another_writes_has_its_last_games(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Who may not write into the folder saw none: they are in a file beside the store, and not beside the link."""
        store, link = tmp_path / "games.db", tmp_path / "elsewhere" / "link.db"
        link.parent.mkdir()
        link.symlink_to(store)
        write_records(store, [ODD])
        saving: Any = saved_records(store, [RECORDS["turns"], RECORDS["wide"]])
        next(saving)
        monkeypatch.setattr("plyground.arena.store.schema._may_write", lambda _: False)
        for path in (store, link):
            assert list(read_records(path)) == [ODD, RECORDS["turns"]]
        saving.close()

    def test_a_store_that_is_taken_away_ends_a_tournament(self, tmp_path: Path) -> None:
        # Its games went into a file without a name, and were gone at the end without a word.
        path, other = tmp_path / "games.db", tmp_path / "other.db"
        games = iter_match(GAME, PLAYERS, 8, store=path)
        next(games)
        path.rename(other)
        with pytest.raises(OSError, match=r"cannot write .*games\.db: the file was deleted, moved or replaced"):
            list(games)
        other.rename(path)
        assert without_times(match(GAME, PLAYERS, 8, store=path, resume=True)) == without_times(match(GAME, PLAYERS, 8))
        saving = saved_records(path, [ODD, RECORDS["turns"]])
        next(saving)
        write_records(other, [ODD])
        other.replace(path)
        with pytest.raises(OSError, match="was deleted, moved or replaced"):
            list(saving)

    @pytest.mark.skipif(os.name == "nt", reason="there, open files are not deleted")
    def test_json_lines_that_are_deleted_end_a_tournament(self, tmp_path: Path) -> None:
        path, other = tmp_path / "games.jsonl", tmp_path / "other.jsonl"
        saving = saved_records(path, list(RECORDS.values())[:2] * 2)
        next(saving)
        path.rename(other)
        next(saving)  # nothing is lost
        other.unlink()
        with pytest.raises(OSError, match=r"cannot write .*games\.jsonl: the file was deleted or replaced meanwhile"):
            next(saving)

    def test_the_wall_clock_does_not_matter(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = match(GAME, PLAYERS, 4)
        jumps = np.random.default_rng(0)
        monkeypatch.setattr(time, "time", lambda: jumps.uniform(-1e9, 1e10))
        path = tmp_path / "games.db"
        assert len(list(itertools.islice(iter_match(GAME, PLAYERS, 4, store=path), 2))) == 2
        records = match(GAME, PLAYERS, 4, store=path, resume=True)
        assert without_times(records) == without_times(whole)
        timed = match("connect_four", ["random", "mcts(seconds=0.01)"], 2)
        seconds = [s for one in timed for s, seat in zip(one.seconds, one.movers, strict=True) if seat >= 0]
        assert 0 < min(seconds) < max(seconds) < 5

    def test_a_torn_line_is_taken_away_and_its_game_played_again(self, run: Run, tmp_path: Path) -> None:
        out = tmp_path / "games.jsonl"
        arguments = ("match", *PLAYERS, "-g", GAME, "--games", "4", "--json", "--out", str(out))
        run(*arguments)
        records, whole, deep = list(read_records(out)), out.read_bytes(), b'{"game": "", "moves": ' + b"[" * 200_000
        out.write_bytes(whole[:-30])
        assert "is incomplete: it is taken away" in " ".join(run(*arguments, "--resume")[1].split())
        assert without_times(list(read_records(out))) == without_times(records)
        for data, torn, left in (
            *((whole, False, whole), (whole[:-1], False, whole), (b"", False, b"")),
            *((deep, True, b""), (whole + deep, True, whole), (whole + b"{", True, whole)),
            (codecs.BOM_UTF8 + whole[:-1], False, codecs.BOM_UTF8 + whole),
            (codecs.BOM_UTF8 + b'{"game": "tic', True, b""),  # the mark that was left made the next line unreadable
        ):
            out.write_bytes(data)
            assert mend(out) == torn
            assert out.read_bytes() == left

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"a text\nof mine", "line 1: .* it is no file of games: choose another file"),
            (b'a text\n{"game": "', "line 1: .* it is no file of games: choose another file"),
            (b"of mine", "is no file of games: it ends in 'of mine', expected a game or the beginning of one"),
            (RECORDS["turns"].to_json().encode() + b"\nof mine", "is no file of games: it ends in 'of mine'"),
            (bytes(range(256)).replace(b"\n", b""), "it has zero bytes; it is no file of games"),
        ],
    )
    def test_a_file_of_something_else_stays_as_it_is(self, data: bytes, message: str, run: Run, tmp_path: Path) -> None:
        out = tmp_path / "games.jsonl"
        out.write_bytes(data)
        with pytest.raises(ValueError, match=message):
            mend(out)
        words = ("match", "random", "random", "-g", "tictactoe", "--games", "2", "--out", str(out), "--resume")
        assert "no file of games" in " ".join(run(*words, code=2)[1].split())
        assert out.read_bytes() == data

    @pytest.mark.parametrize("suffix", [".db", ".csv", ".jsonl"])
    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    def test_games_before_an_error_are_written(self, suffix: str, error: type[BaseException], tmp_path: Path) -> None:
        def records() -> Iterator[GameRecord]:
            yield from RECORDS.values()
            raise error("no more")

        path = tmp_path / f"games{suffix}"
        with pytest.raises(error, match="no more"):
            write_games(path, records())
        assert list(read_games(path)) == list(RECORDS.values())

    def test_games_before_one_that_a_store_cannot_keep_are_written(self, tmp_path: Path) -> None:
        path = tmp_path / "games.db"
        with pytest.raises(OverflowError):
            write_games(path, [RECORDS["turns"], ODD, dataclasses.replace(ODD, moves=[2**64])])
        assert list(read_games(path)) == [RECORDS["turns"], ODD]

    @pytest.mark.parametrize("suffix", ["db", "jsonl", "csv"])
    def test_an_outcome_that_could_not_be_read_is_not_written(self, suffix: str, tmp_path: Path) -> None:
        # A store passed over such a game without a word; the other files could not be read any more.
        path, records = tmp_path / f"games.{suffix}", match("tictactoe", ["random", "random"], 4)
        records[2] = dataclasses.replace(records[2], outcome=[math.nan, 0.0])
        with pytest.raises(ValueError, match=r"must be two finite numbers, got \[nan, 0.0\]"):
            write_games(path, records)
        assert [record.moves for record in read_games(path)] == [record.moves for record in records[:2]]

    def test_games_that_could_not_be_saved_are_not_tried_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tried = []

        def add(_: Any, records: list[GameRecord]) -> None:
            tried.append(list(records))
            raise OSError("the disk is full")

        monkeypatch.setattr("plyground.arena.store.saving._Collection.add", add)
        monkeypatch.setattr("plyground.arena.store.saving._MOST", 1)
        with pytest.raises(OSError, match="the disk is full"):
            write_games(tmp_path / "games.db", [ODD, RECORDS["turns"]])
        assert tried == [[ODD]]

    def test_games_in_order_are_added_to_by_one_process(self, tmp_path: Path) -> None:
        """Two commands that generate the same games each added theirs, and nobody could go on with them."""
        out = tmp_path / "games.db"
        first = saved_in_store(out, [RECORDS["turns"], ODD], after=0)
        next(first)
        with pytest.raises(OSError, match=r"games\.db has 1 game, expected 0: another process adds to the same"):
            next(saved_in_store(out, [ODD], after=0))
        write_records(out, [ODD])
        with pytest.raises(OSError, match="has 2 games, expected 1"):
            next(first)
        assert list(read_records(out)) == [RECORDS["turns"], ODD]

    def test_json_lines_take_games_of_one_process(self, tmp_path: Path) -> None:
        out = tmp_path / "games.jsonl"
        first = saved_records(out, [RECORDS["turns"], ODD])
        next(first)
        with pytest.raises(
            OSError, match=r"another process adds games to it; play into another file, or both into a store"
        ):
            write_records(out, [ODD])
        assert list(first) == [ODD]
        write_records(out, [ODD])
        assert list(read_records(out)) == [RECORDS["turns"], ODD, ODD]
