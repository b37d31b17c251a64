"""``plyground report`` and ``replay``, and bars of progress: games as a page, and at the terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from plyground.arena import elo_difference, pair_scores, play_with_progress, rating_list, read_records, write_records
from plyground.arena.cli.parts.replaying import Reel, browse
from plyground.arena.progress import watch_games
from plyground.arena.records.record import GameRecord
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

    def test_a_page_of_ours_is_replaced_and_no_other(self, run: Run, file: Path, tmp_path: Path) -> None:
        """Whatever else had that name was lost."""
        out = tmp_path / "page.html"
        words = ("report", str(file), "--out", str(out), "--blunders", "0", "--title")
        for title in ("May", "June"):
            run(*words, title)
            assert f"<title>{title}</title>" in out.read_text(encoding="utf-8")
        for text in ("", "<!doctype html>\n<title>My notes on plyground report</title>\n"):
            out.write_text(text)
            assert f"{out} exists already, and `plyground report` has not" in run(*words, "July", code=2)[1]
            assert out.read_text() == text

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
    wins = [a_game(f"[a] {other}", 1.0, (one,)) for one in range(9) for other in "bc"]
    losses = [a_game(f"{other} [a]", 1.0 if one < 3 else 0.0, (one,)) for one in range(9) for other in "bc"]
    games = [*wins, *losses]
    assert play_with_progress(iter(games), 36) == games
    text = terminal.getvalue()
    assert re.search(r" 36/36 +[\d.e+]+/s ", text)
    # By all games, those after the last look too; b and c, who have lost as much, are equals.
    best = rating_list(games, anchors={"b": 0}).ratings[0]
    assert f"[a] leads by {best.elo:.0f} Elo ({best.low:.0f} to {best.high:.0f})" in text


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
    assert "a leads; it is not known yet by how much" in terminal.getvalue()  # who moved first has won all games
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
    results = [("b a", 1.0), ("a b", -1.0), ("b a", 0.0), ("a b", 1.0)] * 5
    games = [a_game(names, result, (number // 2 % 9,)) for number, (names, result) in enumerate(results)]
    found: list[GameRecord] = []
    watch_games(iter(games[18:]), 20, found.append, after=games[:18])
    assert found == games[18:]
    text = terminal.getvalue()
    assert " 20/20 " in text
    assert " 2/20 " not in text
    best = rating_list(games, anchors={"a": 0}).ratings[0]
    assert f"b leads by {best.elo:.0f} Elo ({best.low:.0f} to {best.high:.0f})" in text
