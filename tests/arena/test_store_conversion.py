"""Stores, CSV and Parquet: games come back as they were."""

from __future__ import annotations

import csv
import itertools
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plyground.arena import GameRecord
from plyground.arena.formats import read_games, write_games
from tests.arena.test_arena import without_times
from tests.arena.test_store import ODD, RECORDS
from tests.helpers.command_line import Run


class TestConversion:
    @pytest.mark.parametrize("suffix", [".db", ".csv", ".parquet"])
    def test_all_is_kept(self, suffix: str, tmp_path: Path) -> None:
        if suffix == ".parquet":
            pytest.importorskip("pyarrow")
        records = [one for name, one in RECORDS.items() if name != "seeds"]  # a seed of 200 bits
        file = tmp_path / f"games{suffix}"
        write_games(file, records)
        assert list(read_games(file)) == records
        with pytest.raises(FileNotFoundError, match=r"cannot save to .*: there is no folder"):
            write_games(tmp_path / "no" / file.name, records)

    def test_from_one_to_the_next_and_back(self, run: Run, tmp_path: Path) -> None:
        pytest.importorskip("pyarrow")
        game = "othello(size=4)"
        run("match", "random", "random", "-g", game, "--games", "4", "--out", str(tmp_path / "0.db"))
        names = ["0.db", "1.parquet", "2.jsonl", "3.csv", "4.db", "5.sgf", "6.db", "7.jsonl"]
        for source, target in itertools.pairwise(tmp_path / name for name in names):
            assert "4 games" in run("convert", str(source), str(target))[0]
        first, *others = (list(read_games(tmp_path / name)) for name in names)
        assert all(one == first for one in others[:4])
        assert without_times(others[-1]) == without_times(first)
        assert "exists already" in run("convert", str(tmp_path / "1.parquet"), str(tmp_path / "0.db"), code=2)[1]
        run("match", "random", "random", "-g", game, "--games", "2", "--seed", "1", "--out", str(tmp_path / "0.db"))
        assert "has 2 tournaments: say which" in run("convert", str(tmp_path / "0.db"), "8.csv", code=2)[1]
        assert "2 games" in run("convert", f"{tmp_path / '0.db'}#2", str(tmp_path / "8.csv"))[0]
        assert not Path("8.csv").exists()

    def test_csv_is_read_by_others(self, tmp_path: Path) -> None:
        write_games(tmp_path / "games.csv", RECORDS.values())
        write_games(tmp_path / "games.csv", [RECORDS["turns"]])
        with (tmp_path / "games.csv").open(newline="") as file:
            lines = list(csv.DictReader(file))
        assert len(lines) == len(RECORDS) + 1
        assert lines[-1] == {
            "game": "odd",
            "first": "a",
            "second": "b",
            "moves": "1 2 255",
            "opening": "1",
            "outcome_first": "0.0",
            "outcome_second": "0.0",
            "ending": "finished",
            "seconds": "0.0 0.5 2.0",
            "movers": "-1 1 0",
            "seed": "7",
            "reason": "",
            "start": "",
        }

    def test_csv_with_a_mark_of_utf_8_takes_more_games(self, tmp_path: Path) -> None:
        file = tmp_path / "games.csv"
        write_games(file, [ODD])
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
        write_games(file, [ODD])
        assert list(read_games(file)) == [ODD, ODD]

    def test_parquet_is_read_by_others(self, tmp_path: Path) -> None:
        parquet = pytest.importorskip("pyarrow.parquet")
        write_games(tmp_path / "games.parquet", [RECORDS["turns"]] * 2500)
        table = parquet.read_table(tmp_path / "games.parquet")
        assert (table.num_rows, table["moves"][2499].as_py(), table["seed"][0].as_py()) == (2500, [1, 2, 255], 7)
        assert not list(tmp_path.glob("*.part"))

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (("game,first,second,", ""), "line 1: column 1 is 'moves', expected 'game'"),
            ((",reason,start", ""), "line 1: column 12 is missing, expected 'reason'"),
            (("first", "third"), "line 1: column 2 is 'third', expected 'first'"),
            (("game,", '"game,'), "line 1: unexpected end of data"),
            (("game", "\xff"), "line 1: 'utf-8' codec can't decode"),
            (("game", "\xff\xfe"), "line 1: the file is UTF-16, expected UTF-8"),
            (("1 2 255", "1 2 x"), "line 2: expected a whole number, got 'x'"),
            (("1 2 255", "1 2"), "line 2: seconds has 3 entries for 2 moves"),
            (("0.0,0.0", "0.0,"), "line 2: expected a number, got ''"),
            (("finished", "won"), "line 2: ending must be"),
            (("odd,", "odd,x,"), "line 2: the line has 14 cells, expected 13"),
            (("odd", '"odd'), "line 2: unexpected end of data"),
            (("odd", "\xff"), "line 2: 'utf-8' codec can't decode"),
        ],
    )
    def test_csv_that_cannot_be_read(self, tmp_path: Path, change: tuple[str, str], message: str) -> None:
        file = tmp_path / "games.csv"
        write_games(file, [RECORDS["turns"]])
        file.write_bytes(file.read_text().replace(*change).encode("latin-1"))
        with pytest.raises(ValueError, match=message) as caught:
            list(read_games(file))
        assert str(file) in str(caught.value)
        if Path("/proc/self/fd").is_dir():  # it is closed, though the error knows all frames of the reader
            assert str(file) not in map(os.path.realpath, Path("/proc/self/fd").iterdir())
        if "line 1" in message:
            with pytest.raises(ValueError, match=message):
                write_games(file, [ODD])

    @pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
    def test_csv_that_is_empty(self, data: bytes, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "empty.csv"
        file.write_bytes(data)
        for words in (("ratings", str(file)), ("report", str(file), "--out", str(tmp_path / "page.html"))):
            assert "empty.csv, line 1: the file is empty, expected" in " ".join(run(*words, code=2)[1].split())

    def test_no_games_are_no_file_where_none_would_read_it(self, run: Run, tmp_path: Path) -> None:
        source = tmp_path / "none.jsonl"
        source.write_text("")
        for suffix in ("sgf", "pdn", "pgn"):
            if suffix == "pgn":
                pytest.importorskip("chess")
            target = tmp_path / f"games.{suffix}"
            message = f"games.{suffix}: there are no games, and files in .{suffix} have some"
            assert message in " ".join(run("convert", str(source), str(target), code=2)[1].split())
            with pytest.raises(ValueError, match=message):
                write_games(target, [])
            assert not target.exists()
        for name in ("games.db", "games.csv", "games.jsonl"):
            assert "0 games" in run("convert", str(source), str(tmp_path / name))[0]
            assert list(read_games(tmp_path / name)) == []

    def test_a_game_that_a_format_does_not_hold_is_named(self, run: Run, tmp_path: Path) -> None:
        """Nobody could tell which one it was."""
        good = GameRecord("gomoku(size=7)", ["a", "b"], [0], 0, [0.0, 0.0], "truncated", [0.0], [0], None)
        source, target = tmp_path / "games.jsonl", tmp_path / "games.sgf"
        write_games(source, [good, good, replace(good, moves=[49])])
        error = " ".join(run("convert", str(source), str(target), code=2)[1].split())
        assert f"game 3 of {source} cannot be written to {target}: move 1, 49, is illegal in gomoku(size=7)" in error
        assert not target.exists()

    def test_no_more_games_leave_a_file_as_it_is(self, tmp_path: Path) -> None:
        file = tmp_path / "games.sgf"
        write_games(file, [GameRecord("gomoku(size=7)", ["a", "b"], [0], 0, [0.0, 0.0], "finished", [0.0], [0], None)])
        before = file.read_bytes()
        write_games(file, [])
        assert file.read_bytes() == before

    def test_parquet_that_cannot_be_read_or_written(self, tmp_path: Path) -> None:
        pytest.importorskip("pyarrow")
        file = tmp_path / "games.parquet"
        with pytest.raises(ValueError, match="a game does not fit a Parquet file"):
            write_games(file, [RECORDS["seeds"]])
        assert not list(tmp_path.iterdir())
        file.write_text("no Parquet")
        with pytest.raises(ValueError, match="cannot be read as Parquet"):
            list(read_games(file))
        with pytest.raises(ValueError, match="cannot add games to"):
            write_games(file, [ODD])

    def test_damaged_parquet(self, run: Run, tmp_path: Path, rng: np.random.Generator) -> None:
        """Games were altered in silence, or an error did not name the file."""
        parquet = pytest.importorskip("pyarrow.parquet")
        records = [replace(RECORDS["turns"], seed=number) for number in range(1500)]
        good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
        write_games(good, records)
        data, faults = good.read_bytes(), []
        for _ in range(60):
            damaged = bytearray(data)
            damaged[rng.integers(len(data))] = rng.integers(256)
            bad.write_bytes(damaged if rng.random() < 0.9 else damaged[: rng.integers(len(data))])
            try:
                assert list(read_games(bad)) == records
            except ValueError as error:
                faults.append(str(error))
        assert len(faults) > 50
        assert all(one.startswith(str(bad)) for one in faults)
        chunk = parquet.ParquetFile(good).metadata.row_group(1).column(0)
        end = chunk.data_page_offset + chunk.total_compressed_size
        bad.write_bytes(data[: end - 3] + b"xxx" + data[end:])
        message = (
            f"{bad} cannot be read as Parquet, or is damaged: .*; `plyground convert --partial` keeps the 1,000 games"
        )
        with pytest.raises(ValueError, match=message):
            list(read_games(bad))
        run("convert", "--partial", str(bad), str(tmp_path / "kept.jsonl"), code=2)
        assert list(read_games(tmp_path / "kept.jsonl")) == records[:1000]

    @pytest.mark.parametrize(("suffix", "game"), [("sgf", "go(board_size=5)"), ("pdn", "checkers"), ("pgn", "chess")])
    def test_names_that_look_alike_stay_apart(self, tmp_path: Path, suffix: str, game: str) -> None:
        if suffix == "pgn":
            pytest.importorskip("chess")
        file = tmp_path / f"games.{suffix}"
        names = ["x y", "x  y", " x y", "x\ty", "x\ny", "x\r\ny", "x\u2028y", "", "?", " ", '"', "\\", "]", "é"]
        records = [
            GameRecord(game, [name, "b"], [], 0, [0.0, 0.0], "failed", [], [], None, reason=f"no {name}")
            for name in names
        ]
        write_games(file, records)
        assert list(read_games(file)) == records
        with pytest.raises(ValueError, match="a name in a game has a zero byte"):
            write_games(file, [replace(records[0], players=["a\0", "b"])])
        assert list(read_games(file)) == records
