"""Players of ours as engines: each command, time, analysis, and games that GNU Go referees."""

from __future__ import annotations

import io
import itertools
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from plyground.agents import make
from plyground.agents.engines import GTPClient, gnugo
from plyground.agents.timing import playing
from plyground.arena import match
from plyground.arena.engine import GTPServer
from tests.cli.conftest import GO
from tests.helpers.programs import installed, needs_gnu_go

REQUIRED = {
    *("protocol_version", "name", "version", "known_command", "list_commands", "quit", "boardsize", "clear_board"),
    *("komi", "play", "genmove"),
}


def answers(server: GTPServer, *lines: str) -> list[str]:
    return [server.answer(line) for line in lines]


class Clocked:
    """Remembers what it is told of the clock, and forgets that when a game begins, as programs do."""

    def reset(self, seed: int | None = None) -> None:
        self.told: list[tuple[float, ...]] = []

    def set_clock(self, *clock: float) -> None:
        self.told.append(clock)

    def act(self, observation: Any, info: Any) -> int:
        return int(info["action_mask"].argmax())


@pytest.mark.parametrize(
    "player", [pytest.param("mcts(simulations=4, seed=0)", marks=pytest.mark.slow), "alphabeta(depth=2)"]
)
def test_all_is_compiled_before_the_first_command(compiled: list[str], player: str) -> None:
    server = GTPServer(player, GO)
    compiled.clear()
    assert server.answer("protocol_version") == "= 2"
    assert server.answer("genmove black").startswith("= ")
    assert server.answer("genmove white").startswith("= ")
    assert compiled == []


class TestCommands:
    def test_what_it_is(self, server: GTPServer) -> None:
        assert server.answer("protocol_version") == "= 2"
        assert server.answer("17 name") == "=17 plyground random"
        assert set(server.answer("list_commands")[2:].splitlines()) >= REQUIRED
        assert answers(server, "known_command genmove", "known_command lz-analyze", "known_command fly") == [
            "= true", "= true", "= false",
        ]  # fmt: skip
        assert server.answer("3 fly") == "?3 unknown command"
        assert answers(server, "", "# a comment", "  \t ") == ["", "", ""]
        assert server.answer("\x01 4\tname # who?\r") == "=4 plyground random"

    def test_moves(self, server: GTPServer) -> None:
        assert answers(server, "play b c3", "play W D4", "play black PASS", "play white a1") == ["="] * 4
        assert "X" in server.answer("showboard")
        assert server.answer("play b c3") == "? illegal move"
        assert answers(server, "play b z9", "play b", "play red a1", "play", "play b 33") == [
            "? illegal move", "? syntax error", "? syntax error", "? syntax error", "? syntax error",
        ]  # fmt: skip
        assert [len(line) for line in server.seat._moves] == [1, 1, 1, 1]

    def test_a_colour_that_plays_twice(self, server: GTPServer) -> None:
        answers(server, "play b c3", "play b d3")
        stones = server.seat.game.text(server.seat.seen[1]["state"])
        assert stones.count("X") == 2
        assert "O" not in stones.splitlines()[1]
        assert server.answer("undo") == "="
        assert server.seat.game.text(server.seat.seen[1]["state"]).count("X") == 1
        assert server.answer("undo") == "="
        assert server.answer("undo") == "? cannot undo"
        assert answers(server, "play b c3", "play w pass", "play w d4", "play b pass", "genmove b")[:4] == ["="] * 4
        assert server.seat.game.text(server.seat.seen[1]["state"]).count("O") == 1

    def test_it_plays(self, server: GTPServer) -> None:
        move = server.answer("genmove b")
        assert re.fullmatch(r"= ([A-E][1-5]|PASS)", move)
        assert server.answer(f"play white {move[2:]}").startswith("? illegal" if move != "= PASS" else "=")
        before = server.answer("showboard")
        assert server.answer("reg_genmove w")[0] == "="
        assert server.answer("showboard") == before

    def test_who_watches_knows_the_moves_whatever_was_taken_back(self, server: GTPServer) -> None:
        class Watching:
            def __init__(self) -> None:
                self.moves: list[int] = []

            def reset(self, seed: int | None = None) -> None:
                self.moves = []

            def watch(self, action: int) -> None:
                self.moves.append(action)

            def act(self, observation: Any, info: Any) -> int:
                assert server.seat.game.play_moves(self.moves) == info["state"]
                return int(observation["action_mask"].argmax())

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(server.seat, "agent", Watching())
            told = answers(server, "genmove b", "genmove w", "undo", "genmove w", "reg_genmove b", "undo", "undo")
            told += answers(server, "genmove b", "genmove b", "set_random_seed 5", "play w e5", "genmove b")
            told += answers(server, "clear_board", "genmove b")
            assert server.seat.agent.moves == []
        assert not [answer for answer in told if answer.startswith("?")]

    @pytest.mark.parametrize("fault", [ValueError("out of ideas"), KeyError("out of ideas"), MemoryError(), 12])
    def test_a_player_that_fails_changes_nothing(
        self, server: GTPServer, fault: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def act(observation: Any, info: Any = None) -> int:
            if isinstance(fault, Exception):
                raise fault
            return fault

        server.answer("play b c3")  # the number of this point is 12
        before = server.answer("showboard"), server.seat.to_move
        with monkeypatch.context() as patch:
            patch.setattr(server.seat.agent, "act", act)
            told = server.answer("genmove b")  # for which white would pass
        assert re.match(r"\? ('?out of ideas|MemoryError|.*is illegal)", told)
        assert (server.answer("showboard"), server.seat.to_move) == before

    def test_the_end_of_the_game(self, server: GTPServer) -> None:
        answers(server, "play b c3", "play w pass", "play b pass")
        assert server.seat.over
        assert server.answer("genmove w") == "= PASS"
        assert server.answer("play w c3") == "? illegal move"
        assert server.seat.over
        assert answers(server, "final_score", "undo") == ["= B+24.5", "="]
        assert server.seat.over  # what was taken back is the pass after the end, and none before it
        assert server.answer("undo") == "="
        assert not server.seat.over

    def test_two_passes_are_not_the_end_where_stones_are_in_dispute(self, server: GTPServer) -> None:
        answers(server, "play b c3", "play w a1", "play b pass", "play w pass")
        assert server.answer("reg_genmove b") == server.answer("genmove w") == "= PASS"
        assert answers(server, "play b a2", "play w pass", "play b b1") == ["="] * 3  # which takes the stone
        assert "O" not in server.seat.game.text(server.seat.seen[1]["state"])
        assert answers(server, "undo", "undo", "undo") == ["="] * 3
        assert server.seat.over
        assert answers(server, "play w b2", "play w pass", "play b pass", "play w pass", "play b b4") == ["="] * 5
        assert not server.seat.over

    def test_a_search_cleans_the_board(self) -> None:
        server = GTPServer("mcts(simulations=400, seed=0)", GO)
        border = [f"play b {point}" for point in ("a3", "b3", "c3", "d3", "e3", "c1")]  # white cannot make two eyes
        assert set(answers(server, *border, "play w a1", "play b pass", "play w pass")) == {"="}
        moves = []
        while "O" in server.seat.game.text(server.seat.seen[1]["state"]) and len(moves) < 20:
            moves.append(server.answer("kgs-genmove_cleanup b"))
            server.answer("play w pass")
        assert "= PASS" not in moves
        assert len(moves) < 20

    def test_the_board_and_the_komi(self, server: GTPServer) -> None:
        answers(server, "play b c3")
        assert server.answer("komi 6.5") == "="
        assert server.seat.game.parameters["komi"] == 6.5
        assert "X" in server.seat.game.text(server.seat.seen[1]["state"])  # the stones stay
        assert answers(server, "komi", "komi x", "komi nan") == ["? syntax error"] * 3
        assert server.answer("boardsize 9") == "="
        assert server.seat.game.parameters == {"board_size": 9, "komi": 6.5, "superko": "positional"}
        assert "X" not in server.seat.game.text(server.seat.seen[1]["state"])
        assert answers(server, "boardsize 0", "boardsize 99") == ["? unacceptable size"] * 2
        assert answers(server, "boardsize", "boardsize 5.5") == ["? syntax error"] * 2
        assert server.seat.game.parameters["board_size"] == 9


class TestConversation:
    def test_it_ends_with_quit(self, server: GTPServer) -> None:
        out = io.StringIO()
        server.run(["1 name\n", "\n", "quit\n", "2 name\n"], out)
        assert out.getvalue() == "=1 plyground random\n\n=\n\n"

    def test_lines_that_cannot_be_read_end_it(self, server: GTPServer) -> None:
        def lines() -> Iterator[str]:
            yield "1 protocol_version\n"
            raise UnicodeDecodeError("utf-8", b"\xf6", 0, 1, "invalid start byte")

        out = io.StringIO()
        thread = threading.Thread(target=server.run, args=(lines(), out), daemon=True)
        thread.start()
        thread.join(60)
        assert not thread.is_alive()
        assert out.getvalue() == "=1 2\n\n"


class TestTime:
    @pytest.mark.parametrize("spec", ["mcts(seconds=30)", "mixture(mcts(seconds=30))"])
    def test_it_keeps_to_the_time(self, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
        server: Any = GTPServer(spec, GO)
        search, told = playing(server.seat.agent), []

        def act(observation: Any, info: Any) -> int:
            told.append(search.seconds)
            return int(info["action_mask"].argmax())

        monkeypatch.setattr(search, "act", act)
        assert answers(server, "time_settings 0 4 20", "genmove b") == ["=", "= A5"]
        answers(server, "kgs-time_settings absolute 100", "time_left w 2 1", "genmove w")
        assert told == pytest.approx([4 * (3 / 20 - 0.1), 1.9])
        assert (search.seconds, search.listener) == (30, None)  # its own again
        answers(server, "kgs-time_settings none", "genmove b")
        assert told[2:] == [30]
        assert answers(server, "time_settings 1 2", "kgs-time_settings x", "time_left b", "time_settings -1 0 0") == [
            "? syntax error", "? syntax error", "? syntax error", "? syntax error: times and stones are at least 0",
        ]  # fmt: skip

    @pytest.mark.parametrize("spec", ["{}", "mixture('{}')"])
    def test_who_decides_by_itself_is_told_of_the_clock(self, spec: str) -> None:
        server: Any = GTPServer(spec.format(f"{__name__}:Clocked"), GO)
        answers(server, "time_settings 0 30 10", "time_left w 7 3", "genmove w", "time_left w 5 2", "genmove b")
        assert playing(server.seat.agent).told == [(7, 30, 0, 3), (30, 5, 0, 10)]

    @pytest.mark.parametrize("player", ["mcts(simulations=9)", "alphabeta(seconds=9)"])
    def test_where_no_time_is_left_it_moves_at_once(self, player: str) -> None:
        """It refused, which a controller takes for a breakdown; whole seconds are 0 in the last one of every period."""
        server: Any = GTPServer(player, GO)
        for settings, left in (("60 0 0", "0 0"), ("60 10 5", "0 3"), ("0 0 0", "0 0")):
            answers(server, "clear_board", f"time_settings {settings}", f"time_left b {left}", f"time_left w {left}")
            said = answers(server, "genmove b", "kgs-genmove_cleanup w", "reg_genmove b")
            assert [one[0] for one in said] == ["="] * 3
            assert len(server.seat.env.moves) == 2

    def test_no_time_is_for_less_than_no_moves(self) -> None:
        server: Any = GTPServer("random", GO)
        assert server.answer("time_left b 10 -1") == "? syntax error: stones are at least 0"
        assert server.seat.clock.allowance(0, 100) is None


class TestWithOthers:
    @pytest.fixture
    def ours(self) -> str:
        return f"{sys.executable} -m plyground.arena gtp random --game go_9x9"

    @pytest.mark.slow
    def test_as_a_process(self, ours: str) -> None:
        with GTPClient(ours, 60) as client:
            assert client.ask("boardsize 5") == ""
            assert client.ask("name") == "plyground random"
        games = match(GO, [f"engine('{ours}')", "random"], 2, opening_plies=2)
        assert all(record.ending == "finished" for record in games)

    @pytest.mark.slow
    @needs_gnu_go
    def test_a_search_plays_gnu_go_from_process_to_process(self) -> None:
        """A loop as that of twogtp: each is asked for its moves, and told those of the other, who may refuse them."""
        command = ("-m", "plyground.arena", "gtp", "mcts(simulations=50, seed=0)", "--game", "go(board_size=5)")
        theirs = f"{installed('gnugo')} --mode gtp --level 1 --positional-superko --never-resign --seed 1"
        with GTPClient(shlex.join([sys.executable, *command]), 120) as ours, GTPClient(theirs, 120) as other:
            for client in (ours, other):
                for line in ("boardsize 5", "komi 0.5", "clear_board"):
                    assert client.ask(line) == ""
            turns, played = itertools.cycle([("black", ours, other), ("white", other, ours)]), list[str]()
            while [move.lower() for move in played[-2:]] != ["pass", "pass"]:
                colour, player, opponent = next(turns)
                played.append(player.ask(f"genmove {colour}"))
                assert opponent.ask(f"play {colour} {played[-1]}") == ""
                assert len(played) < 200
            board = ours.ask("showboard")
            for colour, sign in (("black", "X"), ("white", "O")):
                assert board.count(sign) == len(other.ask(f"list_stones {colour}").split())

    @pytest.mark.slow
    @needs_gnu_go
    def test_gnu_go_referees_every_move(self, ours: str) -> None:
        """GNU Go, by the same rules, takes each move of a random player for legal, and sees the same stones."""
        referee = gnugo(GO, level=1)
        referee.reset()
        server, state = GTPServer("random", GO), GO.new_state()
        while not GO.is_terminal(state):
            colour = "bw"[GO.player(state)]
            move = server.answer(f"genmove {colour}")[2:]
            action = server.seat.actions[move]
            referee.tell(action)
            GO.play(state, action)
        for colour, sign in (("black", "X"), ("white", "O")):
            stones = referee.client.ask(f"list_stones {colour}").split()
            assert server.answer("showboard").count(sign) == len(stones)
            planes = GO.observation(state, "XO".index(sign))[..., 0].ravel()
            assert {server.seat.vertices[cell] for cell in planes.nonzero()[0]} == set(stones)
        referee.close()

    def test_the_command(self) -> None:
        command = [sys.executable, "-m", "plyground.arena", "gtp", "random", "--game", "othello"]
        strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}  # as where the locale is no plain C
        typed = b"1 name\n2 K\xf6nig\n3 quit\n"
        done = subprocess.run(command, input=typed, capture_output=True, env=strict, timeout=120, check=True)
        assert done.stdout.split() == b"=1 plyground random ?2 unknown command =3".split()


def test_a_player_that_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="unknown agent 'mtcs'"):
        GTPServer("mtcs", GO)
    agent: Any = make("random", GO)
    assert not hasattr(agent, "seconds")
