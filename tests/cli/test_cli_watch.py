"""``plyground watch``: a file of games that grows."""

from __future__ import annotations

import io
import re
import threading
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from plyground.arena import write_records
from plyground.arena.cli.parts.watching import Follower, Pace, follow
from plyground.arena.formats import saved_records
from plyground.arena.records.record import GameRecord
from plyground.arena.store import read_store, tournaments_in
from plyground.arena.store.rows import record_of
from tests.helpers.command_line import Run
from tests.helpers.report_games import MATCH, a_game


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_records(tmp_path / "games.jsonl", MATCH)
    return tmp_path / "games.jsonl"


class TestWatch:
    def test_once(self, run: Run, file: Path) -> None:
        out, _ = run("watch", str(file), "--once", "--games", "12")
        assert "1 a" in out
        assert "tictactoe, 6 games, 6 of them in pairs" in out
        assert "6 of 12 games\nlast: a v c, 1/2-1/2, a draw\n" in out

    def test_a_name_with_brackets_is_shown_as_it_is(self, run: Run, file: Path) -> None:
        write_records(file, [a_game("[red]d a", 1.0), a_game("a [red]d", 1.0)])
        assert run("watch", str(file), "--once")[0].count("[red]d") == 3

    def test_a_game_with_brackets_is_shown_as_it_is(self, run: Run, tmp_path: Path) -> None:
        """They were taken for tags of rich, of which one that closes nothing is an error."""
        file = tmp_path / "all.jsonl"
        write_records(file, [a_game("a b", 1.0, game="of[/others] [v1]"), a_game("b a", 1.0, game="of[/others] [v1]")])
        assert "of[/others] [v1]\n" in re.sub(" +\n", "\n", run("watch", str(file), "--once")[0])
        assert "of[/others] [v1], 2 games" in run("ratings", str(file))[0]

    def test_all_games_of_a_file_stand_above_the_table(self, run: Run, file: Path) -> None:
        """The points of all were those of the last one."""
        write_records(file, [a_game("a b", 1.0, game="gomoku(size=7)")])
        assert "tictactoe, gomoku(size=7)\n" in re.sub(" +\n", "\n", run("watch", str(file), "--once")[0])

    @pytest.mark.slow
    def test_a_file_that_grows_until_nothing_comes(self, file: Path) -> None:
        def play() -> None:
            for outcome in (1.0, -1.0):
                time.sleep(0.3)
                write_records(file, [a_game("b c", outcome)])

        console = Console(file=io.StringIO(), width=100)
        player = threading.Thread(target=play)
        player.start()
        follow(console, file, planned=8, every=0.1, until_idle=2.0)
        player.join()
        output: Any = console.file
        text = output.getvalue()
        assert "8 of 8 games" in text
        assert "all are played" in text
        assert text.endswith("last: b v c, 0-1, c wins\n")

    def test_it_ends_when_nothing_comes(self, run: Run, file: Path) -> None:
        out, _ = run("watch", str(file), "--every", "0.1", "--until-idle", "0.2")
        assert out.rstrip("\n").endswith("6 games\nlast: a v c, 1/2-1/2, a draw")

    def test_only_whole_lines_are_read_and_each_once(self, tmp_path: Path) -> None:
        path = tmp_path / "games.jsonl"
        path.write_text("")
        follower = Follower(path)
        assert (follower.look(), follower.records) == (0, [])
        lines = [record.to_json() + "\n" for record in MATCH]
        with open(path, "a") as file:
            file.write(lines[0] + lines[1][:40])
            file.flush()
            assert follower.look() == 1
            file.write(lines[1][40:] + "\n" + lines[2])
        assert follower.look() == 2
        assert follower.records == MATCH[:3]
        path.write_text(lines[4])  # another file of the same name
        follower.look()
        assert follower.records == [MATCH[4]]
        with open(path, "a") as file:
            file.write("{}\n")
        with pytest.raises(ValueError, match=r"games.jsonl, line 2: expected an object with the fields"):
            follower.look()

    @pytest.mark.parametrize("more", [1, 4])
    def test_a_file_that_takes_the_place_of_another_is_read_anew(self, tmp_path: Path, more: int) -> None:
        """Where it was longer it was read from the middle of a line, or its first games were missing."""
        path = tmp_path / "games.jsonl"
        write_records(path, [a_game("b c", 1.0)])
        follower = Follower(path)
        follower.look()
        path.unlink()
        others = [a_game("a d", 1.0), *MATCH[:more]]
        write_records(path, others)
        follower.look()
        assert follower.records == others

    def test_files_of_other_formats_are_read_anew(self, tmp_path: Path, run: Run) -> None:
        games = [a_game("a b", 1.0, game="gomoku(size=7)", moves=[0, 7, 1, 8, 2])]
        write_records(tmp_path / "one.jsonl", games)
        path = tmp_path / "one.sgf"
        run("convert", str(tmp_path / "one.jsonl"), str(path))
        follower = Follower(path)
        assert (follower.look(), follower.look()) == (1, 0)
        path.write_text(2 * path.read_text())
        assert follower.look() == 1
        assert [record.players for record in follower.records] == [["a", "b"]] * 2

    def test_games_that_nobody_will_play_are_not_waited_for(self, run: Run, tmp_path: Path) -> None:
        """A tournament that was over stayed at 5 of 12 games."""
        (tmp_path / "own.py").write_text("def fail(observation, info):\n    raise RuntimeError\n")
        store, players = str(tmp_path / "games.db"), ["random", f"{tmp_path}/own.py:fail", "minimax(depth=1)"]
        options = ["--games", "4", "--keep-going", "--max-failures", "1", "--out", store]
        assert " 5/5 " in run("match", *players, "-g", "tictactoe", *options)[1]
        assert "5 of 5 games, all are played" in run("watch", store, "--once")[0]

    def test_a_store_tells_how_many_games_there_will_be(self, run: Run, tmp_path: Path) -> None:
        store = tmp_path / "games.db"
        run("match", "random", "minimax(depth=1)", "-g", "tictactoe", "--games", "4", "--out", str(store))
        assert "4 of 4 games, all are played\n" in run("watch", str(store), "--once")[0].replace("[K", "")
        assert "4 of 4 games" in run("watch", f"{store}#1", "--once")[0]
        (title,) = [one.title for one in tournaments_in(store)]
        assert "4 of 4 games" in run("watch", f"{store}#{title[:7]}", "--once")[0]  # a part of its title
        assert "game 4, tictactoe: " in run("replay", str(store), "4")[0]
        follower = Follower(store)
        assert (follower.look(), follower.look()) == (4, 0)
        run("match", "random", "minimax(depth=1)", "-g", "tictactoe", "--games", "6", "--out", str(store), "--resume")
        assert follower.look() == 2

    def test_games_of_a_store_are_read_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each look read all of them."""
        read: list[Any] = []

        def counting(*arguments: Any) -> GameRecord:
            read.append(arguments)
            return record_of(*arguments)

        monkeypatch.setattr("plyground.arena.store.reading.record_of", counting)
        store = tmp_path / "games.db"
        write_records(store, MATCH[:4])
        follower = Follower(store)
        assert (follower.look(), len(read)) == (4, 4)
        write_records(store, MATCH[4:])
        assert (follower.look(), len(read)) == (2, 6)
        assert follower.records == list(read_store(store))
        store.unlink()
        others = [replace(record, outcome=record.outcome[::-1]) for record in MATCH[:3]]
        write_records(store, others)  # games of the same numbers
        follower.look()
        assert [record.outcome for record in follower.records] == [record.outcome for record in others]

    def test_a_link_to_a_store_that_is_written_shows_what_is_new(self, tmp_path: Path) -> None:
        """Nothing new came until the end of the tournament: the log was looked for beside the link."""
        store, link = tmp_path / "games.db", tmp_path / "link.db"
        link.symlink_to(store)
        write_records(store, MATCH[:1])
        saving: Any = saved_records(store, MATCH[1:4])
        next(saving)
        follower = Follower(link)
        assert (follower.look(), follower.look()) == (2, 0)
        next(saving)
        assert follower.look() == 1
        saving.close()

    def test_a_test_that_stops_by_itself_has_no_plan(self, run: Run, tmp_path: Path) -> None:
        """The most games that it may take were told as those that there will be, and when they would end."""
        store = str(tmp_path / "games.db")
        words = ("minimax(depth=1)", "random", "-g", "tictactoe", "--out", store)
        run("sprt", *words, "--max-games", "4")
        shown = run("watch", store, "--once")[0]
        assert re.search(r"^4 games$", shown, re.MULTILINE), shown
        run("match", *words, "--games", "6", "--resume")  # the same games, and now there is a plan
        assert "6 of 6 games, all are played" in run("watch", store, "--once")[0]
        run("sprt", *words, "--max-games", "8", "--resume")
        assert re.search(r"^8 games$", run("watch", store, "--once")[0], re.MULTILINE)
        assert [one.number for one in tournaments_in(store)] == [1]

    def test_no_file(self, run: Run, tmp_path: Path) -> None:
        assert "there is no such file" in run("watch", str(tmp_path / "none.jsonl"), "--once", code=2)[1]
        for name in ("folder.jsonl", "folder.db"):
            (tmp_path / name).mkdir()
            assert f"{name}: it is a folder, expected a file" in run("watch", str(tmp_path / name), "--once", code=2)[1]
        assert "cannot tell the format" in run("watch", str(tmp_path / "none.txt"), "--once", code=2)[1]
        (tmp_path / "empty.jsonl").write_text("")
        assert run("watch", str(tmp_path / "empty.jsonl"), "--once")[0] == "no game has ended yet\n"

    def test_pace(self) -> None:
        pace, noon = Pace(300), datetime(2026, 5, 1, 12)
        pace.add(0.0, 100)
        assert pace.line(noon) == "100 of 300 games"
        pace.add(10.0, 150)
        assert pace.line(noon) == "150 of 300 games, 5 a second, 0:00:30 left, until 12:00:30"
        for second in range(20, 200, 10):  # nothing comes: the rate is that of the last minute
            pace.add(float(second), 150)
        assert pace.line(noon) == "150 of 300 games"
        pace.add(250.0, 151)  # one in the minute from 190 on
        assert pace.line(noon) == "151 of 300 games, 1 a minute, 2:29:00 left, until 14:29:00"
        pace.add(251.0, 300)
        assert pace.line(noon).endswith("a second, all are played")
        pace.add(260.0, 2)
        pace.add(270.0, 4)  # of a new file of the same name
        assert pace.line(noon) == "4 of 300 games, 12 a minute, 0:24:40 left, until 12:24:40"
        pace.planned = 20_004
        assert pace.line(noon).endswith("1 day, 3:46:40 left, until 2026-05-02 15:46:40")
        pace.planned = 10**12  # beyond the last year that a date may have
        assert pace.line(noon) == "4 of 1,000,000,000,000 games, 12 a minute"
        alone = Pace(None)
        alone.add(0.0, 7)
        assert alone.line(noon) == "7 games"
