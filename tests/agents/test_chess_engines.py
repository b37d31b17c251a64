"""Programs that play chess, by UCI and XBoard: scripted ones, which do what tests want of them, and misbehave."""

from __future__ import annotations

import asyncio
import copy
import pickle
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess.engine
import numpy as np
import pytest

from plyground.agents import make
from plyground.agents.engines import ChessEngine, EngineError
from plyground.agents.engines.chess_protocols import ChessProcess
from plyground.agents.scores import Scale, score_words
from plyground.arena import play
from plyground.envs import BoardGameEnv, make_game
from tests.helpers.programs import ends

CHESS = make_game("chess")

# Plays the moves that it was started with, one after the other; the second argument is a log.
ENGINE = r"""
import subprocess, sys, time
moves, log = sys.argv[1].split(","), open(sys.argv[2], "a")
print("a banner", flush=True)
for line in sys.stdin:
    line = line.strip()
    print(line, file=log, flush=True)
    if line == "uci":
        print("id name scripted\noption name Skill type spin default 3 min 0 max 20\nuciok", flush=True)
    elif line == "isready":
        print("readyok", flush=True)
    elif line.startswith("go"):
        move = moves.pop(0)
        if move == "crash":
            print("out of luck", file=sys.stderr, flush=True)
            sys.exit(3)
        if move == "hang":
            time.sleep(60)
        if move == "child":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            print("child", child.pid, file=log, flush=True)
            move = "e2e4"
        move, _, score = move.partition(":")
        score, _, line = score.partition("=")
        line = f" pv {line.replace('_', ' ')}" if line else ""
        print(f"info depth 3 nodes 40 score {score.replace('_', ' ') or 'cp 100'}{line}\nbestmove {move}", flush=True)
    elif line == "quit":
        break
"""


# Plays the moves that it was started with by XBoard; it has a limit of nodes.
XBOARD = r"""
import sys
moves, log = sys.argv[1].split(","), open(sys.argv[2], "a")
for line in sys.stdin:
    command, *words = line.split() or [""]
    print(line.strip(), file=log, flush=True)
    if command == "protover":
        print("feature ping=1 setboard=1 usermove=1 nps=1 done=1", flush=True)
    elif command == "ping":
        print("pong", *words, flush=True)
    elif command == "go":
        print("move", moves.pop(0), flush=True)
    elif command == "quit":
        break
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def script(tmp_path: Path, log: Path) -> Any:
    """Gives the command that starts the scripted program with these moves."""
    (tmp_path / "engine.py").write_text(ENGINE)
    return lambda *moves: f"{sys.executable} {tmp_path / 'engine.py'} {','.join(moves)} {log}"


def first_legal(observation: Any, info: Any) -> int:
    return int(observation["action_mask"].argmax())


class TestUCI:
    def test_a_game_with_all_its_moves(self, script: Any, log: Path) -> None:
        engine = ChessEngine(CHESS, script("e2e4", "f1c4", "d1h5", "h5f7"), nodes=50, skill=7)
        replies = iter(["e7e5", "b8c6", "g8f6"])
        record = play(
            BoardGameEnv(CHESS),
            [engine, lambda observation, info: CHESS.move_of(info["state"], next(replies))],
            0,
        )
        assert (record.outcome, record.ending) == ([1, -1], "finished")
        told = log.read_text().splitlines()
        assert "setoption name Skill value 7" in told
        assert [line for line in told if line.startswith("position")] == [
            "position startpos",
            "position startpos moves e2e4 e7e5",
            "position startpos moves e2e4 e7e5 f1c4 b8c6",
            "position startpos moves e2e4 e7e5 f1c4 b8c6 d1h5 g8f6",
        ]
        assert all(line == "go nodes 50" for line in told if line.startswith("go"))
        assert engine.last_analysis is not None
        assert 0.1 < engine.last_analysis.value < 0.9  # a pawn ahead
        assert (engine.last_analysis.depth, engine.last_analysis.nodes) == (3, 40)
        engine.close()

    def test_a_clock_for_several_moves(self) -> None:
        engine = ChessEngine(CHESS, "program")
        engine.set_clock(300.0, 200.0, 0.0, 40)
        limit, _ = engine._limit(False)
        assert (limit.time, limit.remaining_moves, limit.white_clock, limit.black_clock) == (None, 40, 200.0, 300.0)
        engine.set_clock(2.0, 2.0, 0.0, 1)
        limit, _ = engine._limit(False)
        assert (limit.time, limit.remaining_moves, limit.white_clock) == (1.9, None, None)

    def test_time_for_a_move_beside_a_clock(self) -> None:
        """It was told to think for longer than there was time, or than it is waited for."""
        engine = ChessEngine(CHESS, "program", seconds=90)
        assert engine._limit(True)[1] == 150.0
        engine.set_clock(4.0, 5.0, 1.0, 0)
        limit, _ = engine._limit(True)
        assert (limit.time, limit.white_clock, limit.black_clock, limit.white_inc) == (3.8, 4.0, 5.0, 1.0)
        engine.set_clock(90.0, 90.0, 0.0, 1)
        assert engine._limit(True)[1] == 150.0  # the clock is over before: its margin may be used
        engine = ChessEngine(CHESS, "program", "xboard", seconds=5)  # which takes one of the two
        assert engine._limit(True)[0].time == 5
        engine.set_clock(3.0, 4.0, 1.0, 0)
        assert engine._limit(True)[0] == chess.engine.Limit(
            white_clock=3.0, black_clock=4.0, white_inc=1.0, black_inc=1.0
        )

    def test_a_clock_is_that_of_one_move(self, script: Any, log: Path) -> None:
        engine, env = ChessEngine(CHESS, script("e2e4", "e2e4"), nodes=7), BoardGameEnv(CHESS)
        env.reset()
        observation, _, _, _, info = env.last()
        engine.set_clock(2.0, 2.0, 0.0, 1)
        for _ in range(2):
            engine.act(observation, info)
        assert [line for line in log.read_text().splitlines() if line.startswith("go")] == [
            "go nodes 7 movetime 1900", "go nodes 7",
        ]  # fmt: skip
        engine.close()

    @pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
    @pytest.mark.parametrize("how", ["closed", "forgotten"])
    def test_its_children_end_with_it(self, script: Any, log: Path, how: str) -> None:
        engine, env = ChessEngine(CHESS, script("child"), nodes=7), BoardGameEnv(CHESS)
        env.reset()
        observation, _, _, _, info = env.last()
        engine.act(observation, info)
        (child,) = (int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("child"))
        if how == "closed":
            engine.close()
        else:
            del engine  # nobody refers to it any longer
        assert ends(child)

    def test_positions_where_nobody_tells_of_moves(self, script: Any, log: Path) -> None:
        engine = ChessEngine(CHESS, script("e8c8"), depth=2)
        state = CHESS.state_from_fen("r3k3/8/8/8/8/8/8/4K3 b q - 0 1")
        env: Any = BoardGameEnv(CHESS)
        env.reset(options={"fen": "r3k3/8/8/8/8/8/8/4K3 b q - 0 1"})
        observation, _, _, _, info = env.last()
        assert CHESS.move_name(state, engine.act(observation, info)) == "e8c8"
        assert "position fen r3k3/8/8/8/8/8/8/4K3 b q - 0 1" in log.read_text()
        engine.close()

    def test_a_game_that_begins_elsewhere(self, script: Any, log: Path) -> None:
        start, env = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", BoardGameEnv(CHESS, max_cycles=2)
        black = ChessEngine(CHESS, script("e8e7", "e7e8"), depth=1)
        play(env, [ChessEngine(CHESS, script("a1a2", "a2a1"), depth=1), black], 0, options={"fen": start})
        assert sorted(line for line in log.read_text().splitlines() if line.startswith("position")) == [
            "position fen 4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
            "position fen 4k3/8/8/8/8/8/8/R3K3 w - - 0 1 moves a1a2 e8e7",
            "position fen 4k3/8/8/8/8/8/R7/4K3 b - - 1 1",
            "position fen 4k3/8/8/8/8/8/R7/4K3 b - - 1 1 moves e8e7 a2a1",
        ]
        black.reset()
        assert black._board(CHESS.new_state()).root() == chess.Board()

    def test_a_game_of_chess960_that_begins_elsewhere(self, script: Any) -> None:
        game = make_game("chess(chess960=518)")
        engine, state = ChessEngine(game, script()), game.state_from_fen("1r2k3/8/8/8/8/8/8/1R2K2R w BH - 0 1")
        for name in ("e1b1", "b8b4"):
            board = engine._board(state)
            action = game.move_of(state, name)
            game.play(state, action)
            engine.watch(action)
        assert board.chess960
        board = engine._board(state)
        assert board.root().fen() == "1r2k3/8/8/8/8/8/8/1R2K2R w KQ - 0 1"
        assert [board.uci(move) for move in board.move_stack] == ["e1b1", "b8b4"]

    def test_a_clock(self, script: Any, log: Path) -> None:
        env: Any = BoardGameEnv(CHESS)
        play(env, [first_legal, ChessEngine(CHESS, script("e7e5", "none"))], 0, time="30+2", failures=EngineError)
        play(env, [ChessEngine(CHESS, script("e2e4", "none")), first_legal], 0, time="2/move", failures=EngineError)
        told = [line for line in log.read_text().splitlines() if line.startswith("go")]
        assert told[0].startswith("go wtime 3")
        assert "btime 30000 winc 2000 binc 2000" in told[0]
        assert told[2] == "go movetime 1900"

    @pytest.mark.parametrize(
        ("score", "value", "told"),
        [
            ("cp 31", 0.089, "cp 31"),
            ("cp -900", -0.989, "cp -900"),
            ("cp 5000", 0.99999, "cp 2120"),  # a guess, whatever it is
            ("mate 2", 1.0, "mate 2"),
            ("mate -1", -1.0, "mate -1"),
            ("mate 0", -1.0, "mate -1"),
            ("mate 9", 1.0, "mate 9"),
            ("mate -7", -1.0, "mate -7"),
        ],
    )
    def test_scores_are_told_as_they_were(self, script: Any, score: str, value: float, told: str) -> None:
        engine, env = ChessEngine(CHESS, script(f"e2e4:{score.replace(' ', '_')}")), BoardGameEnv(CHESS, max_cycles=1)
        judgement = (play(env, [engine, first_legal], 0, analyses=True).analyses or [None])[0]
        found = engine.last_analysis
        assert judgement is not None
        assert found is not None
        assert found.value == pytest.approx(value, abs=1e-3)
        assert (abs(found.value) == 1) == (abs(judgement.value) == 1) == score.startswith("mate")
        assert judgement.sampled  # so that records tell pawns
        assert score_words(Scale(CHESS), CHESS, CHESS.new_state(), found) == told
        engine.close()

    def test_it_analyses_a_position(self, script: Any, log: Path) -> None:
        """`plyground analyse` said that programs do not search."""
        engine = ChessEngine(CHESS, script("e7e5:cp_31=e7e5_g1f3_b8c6", "d7d5:mate_2", "e7e5:cp_5=d7d5"), depth=3)
        state = CHESS.play_moves(["e4"])
        found = engine.analyse(state)
        assert CHESS.line_names(found.pv, state) == ["e7e5", "g1f3", "b8c6"]
        assert found.values == {found.best_action: found.value}
        assert 0 < found.value < 0.2
        assert found is engine.last_analysis
        only = CHESS.line_of(["d5"], state)
        assert engine.analyse(state, np.isin(np.arange(CHESS.num_actions), only)).pv == tuple(only)
        assert CHESS.line_names(engine.analyse(state).pv, state) == ["e7e5"]  # the line begins with another move
        told = log.read_text().splitlines()
        assert [line for line in told if line.startswith("go")] == [
            "go depth 3", "go depth 3 searchmoves d7d5", "go depth 3"
        ]  # fmt: skip
        with pytest.raises(ValueError, match="the mask leaves no action"):
            engine.analyse(state, np.zeros(CHESS.num_actions, np.int8))
        with pytest.raises(ValueError, match="the game of chess is over"):
            engine.analyse(CHESS.play_moves(["f3", "e5", "g4", "Qh4#"]))
        engine.close()

    @pytest.mark.parametrize(
        ("moves", "error"),
        [
            (("crash",), "python[^ ]* has ended; the last line of its standard error: out of luck"),
            pytest.param(("hang",), r"did not move in 2 s", marks=pytest.mark.slow),
            (("e2e5",), "illegal"),
        ],
    )
    def test_faults_lose_the_game_and_the_next_is_played(self, script: Any, moves: tuple[str, ...], error: str) -> None:
        engine = ChessEngine(CHESS, script(*moves), answer_seconds=2 if moves == ("hang",) else 30)
        for _ in range(2):
            record = play(BoardGameEnv(CHESS), [engine, first_legal], 0, failures=EngineError)
            assert (record.outcome, record.ending, record.moves) == ([-1, 1], "failed", [])
            assert record.reason is not None
            assert re.search(error, record.reason)
        engine.close()

    def test_arguments(self, script: Any) -> None:
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"protocol": "ucci"}, "unknown protocol 'ucci': did you mean 'uci'"),
            ({"answer_seconds": 0}, "answer_seconds must be a number above 0"),
            ({"answer_seconds": "3"}, "answer_seconds must be a number above 0, got '3'"),
            ({"answer_seconds": None}, "answer_seconds must be a number above 0, got None"),
            ({"start_seconds": 0}, "start_seconds must be a number above 0, got 0"),
            ({"seconds": -1}, "^seconds must be a number above 0"),
            ({"nodes": 0}, "nodes must be"),
            (
                {"protocol": "xboard", "nodes": 5, "seconds": 2},
                "nodes or seconds, not both, got nodes=5 and seconds=2: leave one out",
            ),
        ]
        for options, error in wrong:
            with pytest.raises(ValueError, match=error):
                ChessEngine(CHESS, script("e2e4"), **options)
        with pytest.raises(ValueError, match="play chess here, got othello"):
            ChessEngine("othello", script("e2e4"))
        with pytest.raises(ValueError, match="has no option 'Skil': did you mean 'Skill'"):
            ChessEngine(CHESS, script("e2e4"), Skil=3).prepare()
        with pytest.raises(ValueError, match="at most 20, got: 30"):
            ChessEngine(CHESS, script("e2e4"), Skill=30).prepare()
        with pytest.raises(ValueError, match=r"Skill must be a whole number, got 3\.7"):
            ChessEngine(CHESS, script("e2e4"), Skill=3.7).prepare()
        with pytest.raises(EngineError, match="cannot start 'no-such-program'"):
            ChessEngine(CHESS, "no-such-program").prepare()
        with pytest.raises(
            EngineError, match=r"by xboard in 1 s: check its command, or try protocol=uci; start_seconds"
        ):
            ChessEngine(CHESS, script("e2e4"), "xboard", start_seconds=1).prepare()
        with pytest.raises(ValueError, match="play go, gomoku, othello here, got minichess"):
            make("engine(program, depth=5)", "minichess")
        with pytest.raises(ValueError, match="options are told to programs by UCI and XBoard, got Skill for GTP"):
            make("engine('gnugo --mode gtp', Skill=3)", "go")

    def test_copies_have_programs_of_their_own(self, script: Any) -> None:
        engine = ChessEngine(CHESS, script("e2e4"))
        engine.prepare()
        for other in (copy.deepcopy(engine), pickle.loads(pickle.dumps(engine))):
            assert other._process is None
            other.prepare()
            assert other._process is not engine._process
            other.close()
        engine.close()


def first_seen() -> tuple[Any, Any]:
    """Return the observation and the info of the first move of a game."""
    env = BoardGameEnv(CHESS)
    env.reset()
    observation, _, _, _, info = env.last()
    return observation, info


class TestXBoard:
    @pytest.fixture
    def program(self, tmp_path: Path, log: Path) -> Callable[..., str]:
        """Return what gives the command of a program that plays these moves by XBoard."""
        (tmp_path / "xboard.py").write_text(XBOARD)
        return lambda *moves: f"{sys.executable} {tmp_path / 'xboard.py'} {','.join(moves)} {log}"

    @pytest.mark.parametrize("time", ["60+1", "5/move"])
    def test_nodes_have_no_clock_beside_them(self, time: str, program: Any, log: Path) -> None:
        engine, env = ChessEngine(CHESS, program("e2e4", "f1c4"), "xboard", nodes=50), BoardGameEnv(CHESS, max_cycles=2)
        record = play(env, [engine, first_legal], 0, time=time)
        assert (record.ending, len(record.moves)) == ("truncated", 4)
        told = log.read_text().splitlines()
        assert told.count("st 50") == 2
        assert not [line for line in told if line.startswith(("level", "time", "otim"))]
        engine.close()

    def test_limits_of_one_move_are_not_those_of_the_next(self, program: Any, log: Path) -> None:
        engine = ChessEngine(CHESS, program(*["e2e4"] * 4), "xboard", seconds=3)
        observation, info = first_seen()
        for engine.nodes, engine.depth in ((None, 4), (50, None), (None, None), (None, None)):
            engine.act(observation, info)
        told = [line for line in log.read_text().splitlines() if re.match("new|nps|s[dt] ", line)]
        assert told == ["new", "st 3", "sd 4", "new", "nps 1", "st 50", "new", "st 3", "st 3"]
        engine.close()

    def test_a_move_that_was_not_asked_for_is_no_fault(self, program: Any) -> None:
        """XBoard cannot tell which moves are; the program was ended, and said to play against the rules."""
        engine = ChessEngine(CHESS, program("e2e4"), "xboard", depth=1)
        observation, info = first_seen()
        mask = np.zeros_like(observation["action_mask"])
        mask[wanted := CHESS.move_of(CHESS.new_state(), "a2a3")] = 1
        assert engine.act({**observation, "action_mask": mask}, {**info, "action_mask": mask}) == wanted
        assert engine._process is not None
        engine.close()


def test_asyncio_alone_asks_whether_a_program_has_ended(script: Any) -> None:
    process = ChessProcess(script("e2e4"), "uci", 60)
    protocol, asked = process._protocol, list[int]()
    protocol.transport.get_extra_info("subprocess").poll = lambda: asked.append(1)
    process._end()

    async def ended() -> int:
        return await protocol.returncode

    assert asyncio.run_coroutine_threadsafe(ended(), process._loop).result(60) == -signal.SIGKILL
    assert protocol.transport.is_closing()
    assert not asked


@pytest.mark.slow
def test_a_program_that_speaks_no_xboard_is_not_logged(script: Any, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(EngineError, match=r"did not introduce itself|did not declare required feature"):
        ChessEngine(CHESS, script("e2e4"), "xboard", start_seconds=4).prepare()
    assert not [record for record in caplog.records if record.name.startswith("chess")]
