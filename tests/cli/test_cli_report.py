"""``plyground report``, ``replay`` and ``watch``: files of games at the terminal, and as a page."""

from __future__ import annotations

import io
import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from plyground.arena import elo_difference, pair_scores, play_with_progress, rating_list, read_records, write_records
from plyground.arena.cli.parts.replaying import Reel, browse
from plyground.arena.cli.parts.watching import Follower, Pace, follow
from plyground.arena.formats import saved_records
from plyground.arena.progress import watch_games
from plyground.arena.records.record import GameRecord
from plyground.arena.store import tournaments_in
from plyground.arena.wording import size_of
from plyground.envs import make_game
from tests.helpers.command_line import Run
from tests.helpers.report_games import MATCH, a_game


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_records(tmp_path / "games.jsonl", MATCH)
    return tmp_path / "games.jsonl"


class TestReport:
    def test_a_page_is_written(self, run: Run, file: Path, tmp_path: Path) -> None:
        out = tmp_path / "page.html"
        said, _ = run("report", str(file), "--out", str(out), "--blunders", "0", "--title", "May")
        assert said == f"saved {out}, 6 games, {size_of(out.stat().st_size)}\n"
        assert "<title>May</title>" in out.read_text(encoding="utf-8")

    def test_room_for_all_games(self, run: Run, file: Path, tmp_path: Path) -> None:
        """No limit was a traceback."""
        out = tmp_path / "page.html"
        words = ("report", str(file), "--out", str(out), "--blunders", "0", "--megabytes")
        run(*words, "0")
        assert "0 of 6 games can be stepped through" in out.read_text(encoding="utf-8")
        run(*words, "inf")
        assert "All 6 games can be stepped through" in out.read_text(encoding="utf-8")

    @pytest.mark.parametrize("name", ["games.jsonl", "others.CSV", "games.db"])
    def test_no_file_of_games_is_replaced(self, run: Run, file: Path, name: str) -> None:
        before = file.read_bytes()
        _, said = run("report", str(file), "--out", str(file.with_name(name)), "--blunders", "0", code=2)
        assert "called as games are: choose a name that ends in .html" in said
        assert file.read_bytes() == before

    def test_one_game_of_several(self, run: Run, file: Path, tmp_path: Path) -> None:
        write_records(file, [a_game("a b", 1.0, game="mnk(m=3, n=3, k=3)")])
        out = tmp_path / "page.html"
        arguments = ("report", str(file), "--out", str(out), "--blunders", "0")
        assert "tictactoe (6), mnk(m=3, n=3, k=3) (1): choose one" in run(*arguments, code=2)[1]
        assert not out.exists()
        assert "6 games" in run(*arguments, "--game", "tictactoe")[0]
        assert "has no games of 'tictacto'" in run(*arguments, "--game", "tictacto", code=2)[1]
        write_records(file, [a_game("a b", 1.0, game="go(board_size=9)")])
        assert ", 1 game, " in run(*arguments, "--game", "go_9x9")[0]

    def test_files_that_are_no_games(self, run: Run, tmp_path: Path) -> None:
        assert "there is no such file" in run("report", str(tmp_path / "none.jsonl"), code=2)[1]
        (tmp_path / "bad.jsonl").write_text("{}\n")
        assert "line 1" in run("report", str(tmp_path / "bad.jsonl"), "--out", str(tmp_path / "x.html"), code=2)[1]


class TestReplay:
    def test_every_position_where_nobody_can_press_keys(self, run: Run, file: Path) -> None:
        out, _ = run("replay", str(file), "1")
        heading, *frames = out.split("\n\n")
        assert heading == "game 1, tictactoe: a (X) v b (O), 1-0, a wins after 5 moves"
        assert len(frames) == 6
        assert frames[0].startswith("initial position, 5 moves to come\n 0  3  6 ")
        assert frames[1].startswith("1/5 opening: 0\n[X] 3  6 \n 1  4  7 ")
        assert frames[2].startswith("2/5 b (O): 4 (1 ms)\n X  3  6 \n 1 [O] 7 ")
        assert frames[5].startswith("5/5 a (X): 2 (1 ms)\na wins\n X  O  . \n X  O  . \n[X] .  . ")
        noisy = replace(next(read_records(file)), movers=[-1, 1, -1, 1, 0])
        assert Reel(noisy, 1).line(3).startswith("3/5 at random: ")  # `generate --noise` played it, and not the player

    def test_pieces_with_marks_of_their_own(self, run: Run, file: Path) -> None:
        chess = make_game("chess")
        first = chess.move_of(chess.new_state(), "e2e4")
        moves = [first, chess.move_of(chess.play_moves([first]), "e7e5")]
        write_records(file, [a_game("a b", 0.0, game="chess", moves=moves, movers=[-1, 1], seconds=[0.0, 0.0])])
        heading, *frames = run("replay", str(file), "7")[0].split("\n\n")
        assert heading.startswith("game 7, chess: a v b, ")  # no X and no O is on that board
        assert frames[2].startswith("2/2 b: e7e5\n")
        wrong = chess.move_of(chess.play_moves([first]), "e7e4")
        record = a_game("a b", 1.0, game="chess", moves=[first, wrong], ending="illegal")
        assert Reel(record, 1).line(2).startswith("2/2 b: e7e4 (1 ms)\n")

    def test_one_position(self, run: Run, file: Path, tmp_path: Path) -> None:
        out, _ = run("replay", str(file), "2", "--ply", "2")
        assert out.split("\n\n")[1].startswith("2/6 a (O): 4 (1 ms)\n")
        assert out.count("\n\n") == 1
        picture = tmp_path / "position.svg"
        assert run("replay", str(file), "2", "--svg", str(picture))[0] == f"saved {picture}\n"
        assert "6/6 a (O): 5 (1 ms): a wins" in picture.read_text()

    def test_games_that_ended_by_a_fault(self, run: Run, file: Path) -> None:
        illegal = a_game("a b", -1.0, moves=[0, 4, 4], seconds=[0.0, 0.1, 0.1], movers=[-1, 1, 0], ending="illegal")
        write_records(file, [illegal, a_game("b a", 1.0, ending="failed", reason="no answer for 5 s")])
        out, _ = run("replay", str(file), "7")
        assert "3/3 a (X): 4 (100 ms)\na loses by an illegal move\n" in out
        assert "a loses by an error: no answer for 5 s" in run("replay", str(file), "8")[0]

    def test_games_that_the_rules_did_not_end(self, run: Run, file: Path) -> None:
        """They looked like games that were won on the board, and the reason was shown nowhere."""
        kinds = [(-1.0, "time", "a took 2 s"), (1.0, "adjudicated", "b resigns"), (0.0, "adjudicated", "a dead end")]
        write_records(file, [a_game("a b", own, ending=ending, reason=why) for own, ending, why in kinds])
        told = [run("replay", str(file), str(number))[0] for number in (7, 8, 9)]
        for text, how in zip(
            told,
            ("a loses on time: a took 2 s", "a wins, adjudicated: b resigns", "a draw, adjudicated: a dead end"),
            strict=True,
        ):
            assert how in text

    def test_names_and_reasons_of_strangers_are_told_in_a_line(self, run: Run, file: Path) -> None:
        """A reason of two lines broke the heading, and colours stayed on behind a name."""
        write_records(file, [a_game("\x1b[31ma b", -1.0, ending="failed", reason="Error: one\r\ntwo\x1b[2J")])
        ends = "a loses by an error: Error: one two"
        heading = run("replay", str(file), "7", "--ply", "5")[0].splitlines()[0]
        assert heading == f"game 7, tictactoe: a (X) v b (O), 0-1, {ends} after 6 moves"
        assert f"\nlast: a v b, 0-1, {ends}\n" in run("watch", str(file), "--once")[0]

    def test_what_is_not_there(self, run: Run, file: Path) -> None:
        assert "has 6 games: there is no game 7" in run("replay", str(file), "7", code=2)[1]
        assert "has 5 moves: there is no position after 6" in run("replay", str(file), "1", "--ply", "6", code=2)[1]
        assert ".svg or .png" in run("replay", str(file), "1", "--svg", "x.gif", code=2)[1]
        write_records(file, [a_game("a b", 1.0, game="chess_v6")])
        assert "the boards of chess_v6 cannot be drawn" in run("replay", str(file), "7", code=2)[1]
        write_records(file, [replace(a_game("a b", 1.0, game="othello"), moves=[99], movers=[0], seconds=[0.0])])
        assert "move 1, 99, is illegal in othello" in run("replay", str(file), "8", code=2)[1]  # a traceback

    def test_keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def shown(keys: list[str]) -> str:
            pressed: Iterator[str] = iter(keys)
            monkeypatch.setattr("typer.getchar", lambda: next(pressed))
            console = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
            browse(console, Reel(MATCH[0], 1))
            output: Any = console.file
            return output.getvalue().split("a wins after 5 moves\n")[-1]  # what stays when the screen is given back

        assert shown(["q"]).startswith("initial position")
        assert shown(["n", " ", "\x1b[C", "q"]).startswith("3/5 ")
        assert shown(["n", "n", "p", "q"]).startswith("1/5 ")
        assert shown(["G", "\x1b[D", "x", "q"]).startswith("4/5 ")
        assert shown(["G", "n", "g", "p", "\x03"]).startswith("initial position")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What bars of progress write to."""
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, width=120, color_system=None)
    monkeypatch.setattr("plyground.arena.progress.CONSOLE", console)
    return output


def test_the_bar_of_a_match_tells_the_rate_and_who_leads(terminal: io.StringIO) -> None:
    games = [a_game(f"[a] {other}", 1.0, (one,)) for one in (0, 8) for other in "bc"]
    assert play_with_progress(iter(games), 4) == games
    text = terminal.getvalue()
    assert re.search(r" 4/4 +[\d.e+]+/s ", text)
    assert "[a] leads; it is not known yet by how much" in text  # a has always been the first to move


def test_the_lead_in_a_match_is_that_over_the_other_player(terminal: io.StringIO) -> None:
    results = [("a b", 1.0), ("b a", -1.0), ("a b", 0.0), ("b a", 0.0)] * 10
    games = [a_game(names, result, (number // 2 % 9,)) for number, (names, result) in enumerate(results)]
    play_with_progress(iter(games), 40)
    lead, low, high = map(int, re.findall(r"a leads by (\d+) Elo \((\d+) to (\d+)\)", terminal.getvalue())[-1])
    above_both = rating_list(games).ratings[0].elo  # the mean is 0
    assert lead == pytest.approx(2 * above_both, abs=1)
    expected = elo_difference(pair_scores(games))  # of another model, without a prior
    assert low < expected.elo < high


def test_the_bar_of_a_match_that_has_ended_names_who_won_it(terminal: io.StringIO) -> None:
    games = [a_game(names, 1.0, (number,)) for number, names in enumerate(["b a", "a b", "b a", "a b", "a b", "a b"])]
    play_with_progress(iter(games), 6)
    assert re.findall(r"(\w) leads", terminal.getvalue())[-1] == "a"
    play_with_progress(iter([a_game("a b", 1.0), a_game("b a", 1.0)]), 2)
    assert re.findall(r"(\w+) leads", terminal.getvalue())[-1] == "nobody"


@pytest.mark.parametrize("kind", [KeyboardInterrupt, OSError])
def test_the_bar_of_a_match_that_was_stopped_names_who_leads_by_all_its_games(
    terminal: io.StringIO, kind: type[BaseException]
) -> None:
    """Beside the number of all games stood who had led after the first of them."""

    def stopped() -> Iterator[GameRecord]:
        for number, names in enumerate(["b a", "a b", "b a", "a b", "a b", "a b"]):
            yield a_game(names, 1.0, (number,))
        raise kind

    with suppress(OSError):
        play_with_progress(stopped(), 8)
    assert re.findall(r"(\w) leads", terminal.getvalue())[-1] == "a"


def test_the_bar_of_a_match_that_goes_on_begins_with_the_games_before(terminal: io.StringIO) -> None:
    games = [a_game(names, 1.0, (number,)) for number, names in enumerate(["b a", "a b", "b a", "b a"] * 5)]
    found: list[GameRecord] = []
    watch_games(iter(games[18:]), 20, found.append, after=games[:18])
    assert found == games[18:]
    text = terminal.getvalue()
    assert " 20/20 " in text
    assert " 2/20 " not in text
    assert rating_list(games, anchors={"a": 0}).ratings[0].low < -1000  # the second player has won nearly all games
    assert "b leads; it is not known yet by how much" in text


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
