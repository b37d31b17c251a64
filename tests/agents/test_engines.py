"""Programs that others wrote as players: a scripted one that misbehaves and, where they are installed, real ones."""

from __future__ import annotations

import copy
import pickle
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from benchmarks.strength.gnugo import cells, play_game, played_games
from plyground.agents import make
from plyground.agents.engines import (
    DisagreementError,
    Engine,
    EngineError,
    GTPClient,
    GTPRefusalError,
    gnugo,
    gtp,
    process,
)
from plyground.agents.engines.following import moves_between
from plyground.agents.engines.process import EngineProcess
from plyground.arena import match
from plyground.envs import BoardGameEnv, make_game
from tests.helpers.programs import ends, installed, needs_gnu_go

GAME = make_game("go(board_size=5, komi=0.5)")


@pytest.fixture
def client(engine_script: str) -> Iterator[GTPClient]:
    with GTPClient(engine_script, 20) as started:
        yield started


class TestClient:
    def test_answers(self, client: GTPClient) -> None:
        assert not client.is_running  # nobody has asked yet
        assert client.ask("boardsize 5") == ""
        assert client.ask("showboard") == "a\n  board"
        assert client.ask("partial") == "whole"
        with pytest.raises(GTPRefusalError, match="refuses 'play black Z9': illegal move"):
            client.ask("play black Z9")
        assert client.ask("final_score") == "W+1.5"
        assert not client.knows("set_game")

    @pytest.mark.parametrize(("command", "said"), [("sleep", "good night"), ("garbage", "nonsense")])
    def test_no_answer_in_time(self, engine_script: str, command: str, said: str) -> None:
        client = GTPClient(engine_script, 20)
        assert client.ask("final_score") == "W+1.5"  # it has started, however slow the machine is
        client.answer_seconds = 1
        with pytest.raises(EngineError, match=f"did not answer '{command}' in 1 s; it said '.*{said}"):
            client.ask(command)
        assert not client.is_running
        client.answer_seconds = 20
        assert client.ask("final_score") == "W+1.5"  # of a new one
        client.close()

    def test_who_says_nothing_at_first_is_told_of_soon(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        """For a minute nothing was said, and then not what the program had written to its standard error."""
        monkeypatch.setattr(gtp, "_PATIENCE", 0.1)
        client = GTPClient(["sh", "-c", "echo loading weights >&2; exec sleep 60"], 2)
        error = "sh did not answer 'boardsize 5' in 2 s; the last line of its standard error: loading weights"
        with caplog.at_level("INFO", "plyground"), pytest.raises(EngineError, match=f"^{error}$"):
            client.ask("boardsize 5")
        assert caplog.messages == ["sh has not answered 'boardsize 5' yet; it has 2 s"]

    @pytest.mark.parametrize("line", ["nonsense", "", "=1 an answer without an end"])
    def test_who_writes_without_pause_is_ended_in_time(self, line: str) -> None:
        """Nobody looked at the clock while there was a line to read, so this went on for ever."""
        client = GTPClient(["yes", line], 0.3)
        asking = threading.Thread(target=pytest.raises, args=(EngineError, client.ask, "name"), daemon=True)
        asking.start()
        asking.join(20)
        assert not asking.is_alive()
        assert not client.is_running

    def test_what_nobody_reads_is_not_kept_for_ever(self) -> None:
        """A line without an end, or lines that nobody asks for, filled the memory: a gigabyte in a second."""
        program = EngineProcess(["sh", "-c", "seq 100000; head -c 200000 /dev/zero | tr '\\0' x | tee /dev/stderr"])
        program.exit_code(20)
        for reader, _ in program._readers:
            reader.join(20)
        lines = [program.read(time.monotonic() + 20) or "" for _ in range(4096 - 1)]
        with pytest.raises(EngineError, match="has ended"):  # which the last place says
            program.read(time.monotonic() + 20)
        assert [len(line) for line in lines[-5:]] == [6, 65536, 65536, 65536, 200_000 - 3 * 65536]
        assert [len(line) for line in program.errors] == [200] * 4

    def test_an_answer_to_an_older_question_is_known(self, engine_script: str) -> None:
        client = GTPClient(engine_script, 20)
        client.process.write("77 slow")
        assert client.ask("final_score") == "W+1.5"
        client.close()

    def test_the_program_ends(self, client: GTPClient) -> None:
        with pytest.raises(EngineError, match=r"has ended; .*: why it died \(when it was asked to 'die'\)"):
            client.ask("die")
        assert not client.is_running
        assert client.ask("final_score") == "W+1.5"

    def test_last_words_that_are_read_late_are_waited_for(
        self, engine_script: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Where the end of its answers was seen before its standard error was read, they were missing.
        ended, read, keep = threading.Event(), process._read, process._keep

        def read_first(stream: IO[str], lines: Any) -> None:
            read(stream, lines)
            ended.set()

        def keep_later(stream: IO[str], lines: Any) -> None:
            ended.wait(20)
            time.sleep(0.02)
            keep(stream, lines)

        monkeypatch.setattr(process, "_read", read_first)
        monkeypatch.setattr(process, "_keep", keep_later)
        with pytest.raises(EngineError, match=r"has ended; .*: why it died"):
            GTPClient(engine_script, 20).ask("die")

    def test_its_end_is_seen_though_a_child_keeps_its_pipes_open(self, client: GTPClient) -> None:
        client.ask("child")
        started = time.monotonic()
        with pytest.raises(EngineError, match="has ended"):
            client.ask("die")
        assert time.monotonic() - started < 10  # of the 20 seconds for an answer

    @pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
    def test_its_children_end_with_it(self, engine_script: str) -> None:
        client = GTPClient(engine_script, 20)
        children = [int(client.ask("child"))]
        client.close()
        children.append(int(client.ask("child")))
        del client  # nobody refers to it any longer
        assert all(ends(child) for child in children)

    def test_no_such_program(self) -> None:
        with pytest.raises(EngineError, match="cannot start 'no-such-program --mode gtp': No such file"):
            GTPClient("no-such-program --mode gtp").ask("name")
        with pytest.raises(ValueError, match="as in a shell, for example 'gnugo --mode gtp'"):
            GTPClient(" ").ask("name")
        with pytest.raises(ValueError, match="cannot read the command 'gnugo \"--mode gtp': No closing quotation"):
            GTPClient('gnugo "--mode gtp').ask("name")


class TestEngine:
    @pytest.fixture
    def engine(self, engine_script: str, tmp_path: Path) -> Iterator[Any]:
        """Starts scripted players, and ends them."""
        started: list[Engine] = []

        def start(*moves: str, game: Any = GAME, **options: Any) -> Engine:
            started.append(Engine(game, f"{engine_script} '{','.join(moves)}' {tmp_path / 'log'}", **options))
            return started[-1]

        yield start
        for one in started:
            one.close()

    def seen(self, *moves: str, game: Any = GAME) -> Any:
        env: Any = BoardGameEnv(game)
        env.reset(options={"moves": list(moves)})
        observation, _, _, _, info = env.last()
        return observation, info

    def test_it_is_told_of_the_moves(self, engine: Any, tmp_path: Path) -> None:
        agent = engine("C3", "b2", "resign")
        agent.reset(7)
        (tmp_path / "log").write_text("")
        answers = [
            GAME.action_to_str(agent.act(*self.seen(*moves)))
            for moves in (("A1", "pass"), ("A1", "pass", "C3", "D4"), ("A1", "pass", "C3", "D4", "B2", "A5"))
        ]
        assert answers == ["C3", "B2", "pass"]
        assert agent.resigned
        told = (tmp_path / "log").read_text().splitlines()
        assert told == [
            "play black A1", "play white PASS", "genmove black", "play white D4", "genmove black", "play white A5",
            "genmove black", "play black PASS",
        ]  # fmt: skip
        agent.reset(8)
        assert (tmp_path / "log").read_text().splitlines()[len(told) :] == [
            "boardsize 5", "clear_board", "komi 0.5", "known_command set_random_seed", "set_random_seed 8",
        ]  # fmt: skip
        assert not agent.resigned

    def test_gomoku_and_othello_in_terms_of_gtp(self, engine: Any, tmp_path: Path) -> None:
        gomoku = engine("J9", game="gomoku", seconds=3)
        assert gomoku.game.action_to_str(gomoku.act(*self.seen("h8", "i8", game="gomoku"))) == "i9"  # GTP has no I
        told = (tmp_path / "log").read_text().splitlines()
        assert told[:4] == ["known_command set_game", "boardsize 15", "clear_board", "time_settings 0 3 1"]
        assert told[4:] == ["play black H8", "play white J8", "genmove black"]
        othello = engine("C3", game="othello")
        assert othello.game.action_to_str(othello.act(*self.seen("d3", game="othello"))) == "c3"

    @pytest.mark.slow
    def test_who_watches_follows_any_opening(self, engine: Any, tmp_path: Path) -> None:
        agent, names = engine("A5", "B5"), ("A1", "B1", "C1", "D1", "E1", "A2", "pass", "C2", "D2", "E2")
        with pytest.raises(ValueError, match="no moves were found that lead from"):
            agent.act(*self.seen(*names))
        agent.reset()
        (tmp_path / "log").write_text("")
        for name in names:
            agent.watch(GAME.str_to_action(name))
        for more in ((), ("A5", "pass")):
            for name in more:
                agent.watch(GAME.str_to_action(name))
            agent.act(*self.seen(*names, *more))
        told = [line.split()[-1] for line in (tmp_path / "log").read_text().splitlines()]
        assert told == [name.upper() for name in names] + ["black", "PASS", "black"]
        agent.close()  # and another program is told of all moves again
        (tmp_path / "log").write_text("")
        for name in ("B5", "pass"):
            agent.watch(GAME.str_to_action(name))
        with pytest.raises(DisagreementError, match="plays 'A5'"):  # its first answer, again
            agent.act(*self.seen(*names, "A5", "pass", "B5", "pass"))
        told = [line.split()[-1] for line in (tmp_path / "log").read_text().splitlines()]
        assert told[-15:-1] == [name.upper() for name in (*names, "A5", "pass", "B5", "pass")]

    @pytest.mark.parametrize(
        ("fault", "message"),
        [("CRASH", "has ended.*out of luck"), pytest.param("HANG", "did not answer", marks=pytest.mark.slow)],
    )
    def test_it_is_told_everything_again_by_another_program(
        self, engine: Any, tmp_path: Path, fault: str, message: str
    ) -> None:
        agent = engine("C3", fault, seconds=2, answer_seconds=3)
        agent.act(*self.seen("A1", "B1"))
        with pytest.raises(EngineError, match=message):
            agent.act(*self.seen("A1", "B1", "C3", "D4"))
        (tmp_path / "log").write_text("")
        agent.reset()
        assert agent.act(*self.seen("A1", "B1")) == GAME.str_to_action("C3")
        told = (tmp_path / "log").read_text().splitlines()
        assert told[:4] == ["boardsize 5", "clear_board", "komi 0.5", "time_settings 0 2 1"]

    def test_another_program_is_told_of_the_clock(self, engine: Any, tmp_path: Path) -> None:
        agent = engine("C3", "C3")
        agent.set_clock(30, 20, 0, 0)
        agent.act(*self.seen("A1", "B1"))
        agent.close()
        (tmp_path / "log").write_text("")
        agent.set_clock(29, 19, 0, 0)
        agent.act(*self.seen("A1", "B1"))
        told = (tmp_path / "log").read_text().splitlines()
        assert "time_settings 29 0 0" in told
        assert told[-1] == "genmove black"
        (tmp_path / "log").write_text("")
        agent.reset()  # a game without a clock, in which the program went on by the old one
        assert (tmp_path / "log").read_text().splitlines()[-1] == "time_settings 0 1 0"
        (tmp_path / "log").write_text("")
        agent.reset()
        assert "time_settings" not in (tmp_path / "log").read_text()

    def test_a_clock_is_told_as_no_more_than_it_has(self, engine: Any, tmp_path: Path) -> None:
        """Programs that know no `time_left` took the whole second, and lost on time."""
        agent = engine("C3", seconds=90)
        assert agent._tell_time() == agent.client.answer_seconds + 90
        agent.set_clock(2.5, 2.5, 0, 1)
        agent.act(*self.seen("A1", "B1"))
        assert "time_settings 0 2 1" in (tmp_path / "log").read_text().splitlines()

    def test_it_is_waited_for_beyond_its_clock(self, engine: Any, tmp_path: Path) -> None:
        """It was ended with its clock: the margin of the clock could not be used, and the record said "failed"."""
        agent = engine("C3", seconds=20)
        agent.reset()
        agent.client.answer_seconds = 1.0
        agent.set_clock(90, 90, 0, 1)
        assert agent._tell_time() == 91
        told = (tmp_path / "log").read_text().splitlines()
        assert "time_settings 0 20 1" in told  # of both the smaller one
        assert not any(line.startswith("time_left black 90") for line in told)

    def test_copies_have_programs_of_their_own(self, engine: Any) -> None:
        agent = engine("C3", "D4")
        agent.act(*self.seen())
        for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
            assert other.act(*self.seen()) == GAME.str_to_action("C3")
            other.close()
        assert agent.act(*self.seen("C3", "A1")) == GAME.str_to_action("D4")

    def test_disagreements(self, engine: Any) -> None:
        with pytest.raises(DisagreementError, match=r"our rules allow E5: .*illegal move"):
            engine().act(*self.seen("E5"))
        with pytest.raises(DisagreementError, match="plays 'A1', which is illegal by our rules"):
            engine("A1").act(*self.seen("A1"))
        with pytest.raises(DisagreementError, match="plays 'J9'"):
            engine("J9").act(*self.seen())

    def test_arguments(self, engine_script: str) -> None:
        with pytest.raises(ValueError, match="play go, gomoku, othello here, got connect_four"):
            Engine("connect_four", engine_script)
        with pytest.raises(ValueError, match=r"unknown protocol 'gpt'.*gtp"):
            make(f"engine('{engine_script}', protocol=gpt)", GAME)
        text: Any = "3"
        for seconds in (0, -1, float("nan"), float("inf"), text):
            with pytest.raises(ValueError, match="answer_seconds must be a number above 0"):
                Engine(GAME, engine_script, answer_seconds=seconds)
        wrong: Any = 1.5
        for seconds in (0, wrong):
            with pytest.raises(ValueError, match=r"^seconds must be"):
                Engine(GAME, engine_script, seconds=seconds)

    def test_a_match_by_its_spec(self, engine_script: str) -> None:
        games = match(GAME, [f"engine('{engine_script}')", "random"], 2, seed=4, opening_plies=2)
        assert [record.players[number] for number, record in enumerate(games)] == [f"engine('{engine_script}')"] * 2
        assert all(record.ending == "finished" for record in games)

    @pytest.mark.parametrize("fault", ["CRASH", "Z9,Z9,Z9"])
    def test_who_fails_loses_and_is_withdrawn_at_last(
        self, engine_script: str, fault: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        games = match(GAME, [f"engine('{engine_script} {fault}')", "random"], 10, names=["program", "random"])
        assert [record.ending for record in games] == ["failed"] * 3
        assert all(record.outcome[record.players.index("program")] == -1 for record in games)
        said = "has ended; the last line of its standard error: out of luck" if fault == "CRASH" else "plays 'Z9'"
        assert all(said in str(record.reason) for record in games)
        assert "program has failed too often: it is withdrawn" in caplog.text

    @pytest.mark.skipif(installed("gtp-rhino") is None, reason="needs GRhino: apt-get install grhino")
    @pytest.mark.slow
    def test_grhino(self) -> None:
        """Whole games of Othello, among them some in which one side must pass, by the same rules."""
        games = match("othello", ["engine('gtp-rhino', answer_seconds=30)", "random"], 10, seed=0, opening_plies=8)
        assert all(record.ending == "finished" for record in games)
        assert any(make_game("othello").num_actions - 1 in record.moves for record in games)
        won = sum(record.outcome[number % 2] > 0 for number, record in enumerate(games))
        assert won >= 9


class TestMatch:
    def test_games(self, engine_script: str) -> None:
        def peer(*moves: str) -> Engine:
            return Engine(GAME, f"{engine_script} {','.join(moves)}")

        # White has the komi: it wins the empty board by our rules, and by the count of the program.
        passes = make("random", GAME)
        passes.act = lambda observation, info=None: GAME.num_actions - 1  # type: ignore[method-assign]
        found = [play_game(GAME, passes, peer(), number, 0) for number in (0, 1)]
        assert [(one["won"], one["disagreement"], one["resigned"]) for one in found] == [
            (False, None, False),
            (True, None, False),
        ]
        one = play_game(GAME, passes, peer("C3"), 1, 0)  # all of the board is black's
        assert (one["won"], one["disagreement"]) == (False, "it counts W+1.5, and by our rules black wins")
        one = play_game(GAME, passes, peer("resign"), 0, 0)
        assert (one["won"], one["resigned"]) == (True, True)
        one = play_game(GAME, passes, peer("C3", "C3"), 1, 0)
        assert one["won"] is None
        assert "illegal by our rules" in one["disagreement"]
        assert cells("pass", 1, [*found, one])[2:5] == ("3", "50 (9–91)", "0 (0–79)")
        assert cells("pass", 1, [*found, one])[-1] == "1"

    def test_a_match_goes_on(self, engine_script: str, tmp_path: Path) -> None:
        keep, about = tmp_path / "games.jsonl", {"player": "random", "seed": 3}
        first = list(played_games(GAME, "random", engine_script, about, 2, keep, []))
        assert len(keep.read_text().splitlines()) == 2
        again = list(played_games(GAME, "random", engine_script, about, 3, keep, first))
        assert again[:2] == first
        assert len(keep.read_text().splitlines()) == 3
        other = list(played_games(GAME, "random", engine_script, {**about, "seed": 4}, 1, None, again))
        assert other[0] not in again

    @needs_gnu_go
    @pytest.mark.slow
    def test_gnu_go(self) -> None:
        engine = gnugo(GAME, level=1)
        found = play_game(GAME, make("random", GAME), engine, 0, 0)
        engine.close()
        assert found["won"] is False
        assert found["disagreement"] is None


def test_moves_between() -> None:
    before = GAME.play_moves(["C3"])
    moves = [GAME.str_to_action(name) for name in ("pass", "A1", "B2")]
    assert moves_between(GAME, before, GAME.play_moves(moves, before)) == moves
    assert moves_between(GAME, before, before) == []
    with pytest.raises(ValueError, match="no moves were found that lead from"):
        moves_between(
            make_game("tictactoe"), make_game("tictactoe").play_moves([0]), make_game("tictactoe").new_state()
        )
