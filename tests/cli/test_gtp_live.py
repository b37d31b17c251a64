"""What `plyground gtp` tells of a search while it goes on."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from plyground.agents import MCTS
from plyground.agents.engines import vertices_of
from plyground.arena.engine import GTPServer
from plyground.arena.engine.analysis import kata_line, lz_line
from plyground.arena.engine.live import _interval
from tests.cli.conftest import GO


def told(server: GTPServer, *lines: str) -> list[str]:
    out = io.StringIO()
    server.run([f"{line}\n" for line in lines], out)
    return out.getvalue().removesuffix("\n\n").split("\n\n")


def test_analysis_goes_on_until_the_next_command() -> None:
    server, out = GTPServer("mcts(simulations=50)", GO), io.StringIO()  # which it plays with

    def lines() -> Iterator[str]:
        yield "play b c3\n"
        yield "7 lz-analyze w 5\n"
        time.sleep(1.5)
        yield "kata-analyze interval 5\n"
        time.sleep(0.5)
        yield "8 lz-analyze b\n"
        yield "genmove w\n"

    server.run(lines(), out)
    first, second, third, fourth, fifth = out.getvalue().split("\n\n")[:5]
    assert first == "="
    head, *infos = second.splitlines()
    assert head == "=7"
    assert len(infos) >= 2
    found = re.match(r"info move ([A-E][1-5]) visits (\d+) winrate (\d+) prior \d+ lcb \d+ order 0 pv \1", infos[-1])
    assert found is not None
    assert int(found[2]) > 100
    assert 0 <= int(found[3]) <= 10_000
    assert re.match(r"info move \S+ visits \d+ utility -?[\d.]+ winrate 0\.\d+ ", third.splitlines()[1])
    assert fourth == "?8 only the player to move is analysed"
    assert fifth.startswith("= ")


def test_the_interval_is_no_number_of_another_option() -> None:
    told = {"": 50, "20": 20, "b 30": 30, "maxmoves 5": 50, "B maxmoves 5 interval 70": 70, "30 minmoves 5": 30}
    assert {words: round(100 * _interval(words.split())) for words in told} == told


@pytest.mark.parametrize("line_of", [lz_line, kata_line])
def test_of_moves_that_were_not_tried_nothing_is_told(line_of: Callable[..., str]) -> None:
    found = MCTS(GO, simulations=5, seed=0).analyse(GO.new_state())
    assert list(found.visits.values()).count(0) > 10
    counts = [int(one) for one in re.findall(r" visits (\d+) ", line_of(GO, found, vertices_of(GO)))]
    assert counts
    assert min(counts) > 0


@pytest.mark.parametrize(("place", "told"), [("prepare", "?5 MemoryError\n\n"), ("analyse", "=5\nMemoryError\n\n")])
def test_an_analysis_that_fails_ends(server: GTPServer, place: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def prepare(self) -> None:
            self.fail("prepare")

        def analyse(self, *seen: Any) -> None:
            self.fail("analyse")

        def fail(self, where: str) -> None:
            if where == place:
                raise MemoryError

    monkeypatch.setattr("plyground.arena.engine.live.make", lambda player, game: Failing())
    out = io.StringIO()
    server.run(["5 lz-analyze 10\n", "6 protocol_version\n"], out)
    assert out.getvalue() == f"{told}=6 2\n\n"


def test_an_analysis_is_told_what_the_game_has_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its tree may hold what superko forbids."""
    told, analyse = list[int](), MCTS.analyse

    def watched(self: MCTS, *seen: Any, past: Any = ()) -> Any:
        told.append(len(past))
        return analyse(self, *seen, past=past)

    monkeypatch.setattr(MCTS, "analyse", watched)
    GTPServer("mcts(simulations=5)", GO).run(["play b A1\n", "play w B1\n", "lz-analyze 10\n"], io.StringIO())
    assert told == [3]


def test_who_does_not_analyse_says_so(server: GTPServer) -> None:
    assert told(server, "5 lz-analyze 10") == ["?5 random does not analyse"]


class TestMoves:
    @pytest.mark.parametrize("clock", ["kgs-time_settings none", "time_settings 20 0 0"])
    def test_a_move_is_told_of_while_it_is_searched_for(self, clock: str) -> None:
        server = GTPServer("mcts(seconds=0.3, seed=0)", GO)
        _, answer, board = told(server, clock, "3 kata-genmove_analyze w 10", "showboard")
        head, *infos, last = answer.splitlines()
        assert head == "=3"
        assert len(infos) >= 2
        visits = [sum(map(int, re.findall(r" visits (\d+) ", line))) for line in infos]
        assert visits == sorted(visits)
        best = re.match(r"info move ([A-E][1-5]) ", infos[-1])
        assert best is not None
        assert last == f"play {best[1]}"
        assert board.count("O") == 1
        assert server.seat.clock.told(1) is None or server.seat.clock.told(1)[0] < 20  # pyright: ignore[reportOptionalSubscript]

    def test_without_any_time_left_it_moves_at_once(self) -> None:
        server = GTPServer("mcts(seconds=9)", GO)
        answer = told(server, "time_settings 60 0 0", "time_left b 0 0", "lz-genmove_analyze b 10")[-1]
        assert re.fullmatch(r"=\n(info .+\n)+play ([A-E][1-5]|PASS)", answer)

    def test_it_is_the_move_of_a_silent_search(self) -> None:
        server = GTPServer("mcts(simulations=300, seed=3)", GO)
        loud = told(server, "lz-genmove_analyze b 1")[0]
        assert server.answer("clear_board") == "="
        assert server.answer("set_random_seed 3") == "="
        assert server.answer("genmove b") == f"= {loud.splitlines()[-1].removeprefix('play ')}"

    def test_who_does_not_analyse_moves_all_the_same(self, server: GTPServer) -> None:
        answer, undone = told(server, "lz-genmove_analyze b 10", "undo")
        assert re.fullmatch(r"=\nplay ([A-E][1-5]|PASS)", answer)
        assert undone == "="

    def test_nobody_moves_once_the_game_is_over(self, server: GTPServer) -> None:
        assert told(server, "play b pass", "play w pass", "kata-genmove_analyze b 10")[-1] == "=\nplay PASS"

    @pytest.mark.parametrize("arguments", ["", "5", "green 5", "b interval x"])
    def test_what_is_not_understood_changes_nothing(self, server: GTPServer, arguments: str) -> None:
        board = server.answer("showboard")
        assert told(server, f"7 lz-genmove_analyze {arguments}", "showboard") == ["?7 syntax error", board]
