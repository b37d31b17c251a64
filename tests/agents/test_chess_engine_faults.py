"""Programs that play chess and misbehave: noise, slow answers, torn lines, answers to older questions, sudden ends."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("chess")

import chess.engine

from plyground.agents.engines import ChessEngine, EngineError
from plyground.arena import play
from plyground.envs import BoardGameEnv, make_game
from tests.agents.test_chess_engines import first_legal, first_seen
from tests.helpers.programs import ends

CHESS = make_game("chess")
BOTH = pytest.mark.parametrize("protocol", ["uci", "xboard"])

# Started with a log, how it introduces itself, and what it does whenever it is to move: a word and what belongs to it,
# divided by "+"; the second program of a test does what stands behind "/". It speaks UCI or XBoard, as it is spoken to.
ENGINE = r"""
import os, subprocess, sys, time
log, greeting, acts = open(sys.argv[1], "a+"), sys.argv[2], sys.argv[3].split("/")
log.seek(0)
acts = acts[log.read().count("started")].split()
print("started", file=log, flush=True)
answer, owed = "", ""


def say(*lines, end="\n"):
    os.write(1, ("\n".join(lines) + end).encode())  # at once, so that nothing can be asked in between


def noise():
    os.write(1, b"\x00\xff\xfe nonsense\n\n   \n")
    say("info", "info depth deep nodes many score", "info score cp", "info score pawns 3 pv z9z9", "best move e7e5")
    say("id", "feature", "readyok?", "1 2", "1 x 3 4", "Hint: z9z9", "pong 99999", "# comment", "tellics hi")


if greeting == "noise":
    noise()
if greeting == "early":
    say("bestmove a2a3", "move a2a3")
for line in sys.stdin:
    line = line.strip()
    print(line, file=log, flush=True)
    command = line.partition(" ")[0]
    if command in ("uci", "protover"):
        answer = "bestmove" if command == "uci" else "move"
        if greeting == "torn":
            print("it broke", file=sys.stderr, flush=True)
            say("id na" if command == "uci" else "feature pi", end="")
            sys.exit(3)
        if greeting == "option":
            say("option name Skill type spin default high min 0 max 20")
        if greeting == "noise":
            noise()
            if command == "protover":
                say("feature nonsense", "feature myname=\"unclosed", "feature option=\"x\"")
        say("id name faulty\nuciok" if command == "uci" else "feature ping=1 setboard=1 usermove=1 done=1")
    elif command == "ucinewgame" and owed:
        say(f"{answer} {owed}")
        owed = ""
    elif line == "isready":
        say("readyok")
    elif command == "ping":
        say(line.replace("ping", "pong"))
    elif command == "go":
        act, *words = acts.pop(0).split("+")
        move = words[0] if words else ""
        if act == "noise":
            noise()
            say("info depth 4 nodes 9 score cp 30" if answer == "bestmove" else "4 30 0 9 e2e4")
            say(f"{answer} {move}" + " ponder z9z9" * (answer == "bestmove"))
        elif act == "slow":
            time.sleep(0.2)
            say(f"{answer} {move}")
        elif act == "pieces":
            say(answer[:3], end="")
            time.sleep(0.1)
            say(f"{answer[3:]} {move[:2]}", end="")
            time.sleep(0.1)
            say(move[2:])
        elif act == "long":
            os.write(1, b"x" * 2**22)
            say("", f"{answer} {move}")
        elif act == "torn":
            print("out of luck", file=sys.stderr, flush=True)
            say(f"{answer} {move}", end="")
            sys.exit(3)
        elif act == "orphan":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            print("child", child.pid, file=log, flush=True)
            print("out of luck", file=sys.stderr, flush=True)
            os._exit(3)
        elif act == "twice":
            say(f"{answer} {move}", f"{answer} {words[1]}")
        elif act == "again":
            say(f"{answer} {move}")
            owed = words[1]
        elif act == "late":
            owed = move
        elif act == "score":
            say(" ".join(["info", *words[1:]]), f"{answer} {move}")
        else:
            say(f"{answer} {act}")
    elif line == "quit":
        if owed:
            say(f"{answer} {owed}")
            time.sleep(60)
        break
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def faulty(tmp_path: Path, log: Path) -> Iterator[Callable[..., ChessEngine]]:
    """Makes players whose program does this and that, and ends them."""
    (tmp_path / "engine.py").write_text(ENGINE)
    made: list[ChessEngine] = []

    def make(acts: str, protocol: str = "uci", greeting: str = "plain", answer_seconds: float = 30) -> ChessEngine:
        command = f"{sys.executable} {tmp_path / 'engine.py'} {log} {greeting} '{acts}'"
        made.append(ChessEngine(CHESS, command, protocol, answer_seconds=answer_seconds, depth=3))
        return made[-1]

    yield make
    for one in made:
        one.close()


def moved(engine: ChessEngine) -> str:
    """Return the program's first move of a game."""
    return CHESS.move_name(CHESS.new_state(), engine.act(*first_seen()))


@BOTH
def test_noise_is_passed_over_and_not_logged(faulty: Any, protocol: str, caplog: pytest.LogCaptureFixture) -> None:
    """A feature that could not be read broke python-chess off in the midst of what the program had written."""
    engine = faulty("noise+e2e4", protocol, "noise")
    assert moved(engine) == "e2e4"
    found = engine.last_analysis
    assert found is not None
    assert (found.depth, found.nodes) == (4, 9)
    assert 0 < found.value < 0.2
    assert not caplog.records


@BOTH
@pytest.mark.parametrize("act", ["slow", "pieces"])
def test_slow_answers_and_lines_in_pieces_count(faulty: Any, protocol: str, act: str) -> None:
    assert moved(faulty(f"{act}+e2e4", protocol)) == "e2e4"


@BOTH
def test_of_a_line_without_end_little_is_kept(faulty: Any, protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it was, until the program's time was over."""
    kept, receive = list[int](), chess.engine.Protocol.pipe_data_received

    def receiving(self: Any, fd: int, data: bytes) -> None:
        receive(self, fd, data)
        kept.append(len(self.buffer[fd]))

    monkeypatch.setattr(chess.engine.Protocol, "pipe_data_received", receiving)
    assert moved(faulty("long+e2e4", protocol)) == "e2e4"
    assert max(kept) < 2**20


def test_a_silent_program_is_given_up_soon() -> None:
    """It took a minute, as long as an answer may take, and it was not said what to do."""
    engine = ChessEngine(CHESS, f"{sys.executable} -c 'import time; time.sleep(300)'", start_seconds=0.5)
    assert ChessEngine(CHESS, "stockfish").start_seconds < engine.answer_seconds / 2
    message = r"python.* did not introduce itself by uci in 0\.5 s: check its command, or try protocol=xboard; start"
    with pytest.raises(EngineError, match=message):
        engine.prepare()


class TestOlderAnswers:
    @BOTH
    def test_before_the_first_question(self, faulty: Any, protocol: str) -> None:
        assert moved(faulty("e2e4", protocol, "early")) == "e2e4"

    def test_of_the_game_before(self, faulty: Any) -> None:
        """The second answer to the last question of a game was taken for that to the first of the next."""
        engine = faulty("again+e2e4+a2a3 d2d4")
        assert moved(engine) == "e2e4"
        engine.reset()
        assert moved(engine) == "d2d4"

    @BOTH
    def test_one_too_many(self, faulty: Any, log: Path, protocol: str) -> None:
        """By XBoard both were played on python-chess's board, and the program was told to take one back."""
        engine, env = faulty("twice+e2e4+e7e5 d2d4", protocol), BoardGameEnv(CHESS, max_cycles=2)
        moves = play(env, [engine, first_legal], 0).moves
        assert moves[0] == CHESS.move_of(CHESS.new_state(), "e2e4")
        assert moves[2] == CHESS.move_of(CHESS.play_moves(moves[:2]), "d2d4")
        assert "undo" not in log.read_text()

    @BOTH
    def test_after_the_time(self, faulty: Any, log: Path, protocol: str) -> None:
        """The program that owes an answer is ended: what it says when it is to quit is heard by nobody."""
        engine = faulty("late+a2a3/e2e4", protocol)
        engine.prepare()  # however slow the machine is
        engine.answer_seconds = 0.2
        with pytest.raises(EngineError, match=r"did not move in 0\.2 s"):
            engine.act(*first_seen())
        engine.answer_seconds = 30
        assert moved(engine) == "e2e4"
        assert log.read_text().count("started") == 2


class TestSuddenEnds:
    @BOTH
    def test_in_the_midst_of_a_line(self, faulty: Any, protocol: str) -> None:
        """Half a move may be a whole one, of a pawn that is promoted, say."""
        engine = faulty("torn+e2e4/d2d4", protocol)
        record = play(BoardGameEnv(CHESS), [engine, first_legal], 0, failures=EngineError)
        assert (record.outcome, record.ending, record.moves) == ([-1, 1], "failed", [])
        assert re.search("has ended; the last line of its standard error: out of luck", record.reason or "")
        assert moved(engine) == "d2d4"

    @BOTH
    def test_in_the_midst_of_its_introduction(self, faulty: Any, protocol: str) -> None:
        with pytest.raises(EngineError, match="has ended; the last line of its standard error: it broke"):
            faulty("", protocol, "torn").prepare()

    @pytest.mark.slow
    def test_nothing_is_left_of_an_introduction(self, faulty: Any, caplog: pytest.LogCaptureFixture) -> None:
        """Two seconds later python-chess complained that it had come to no end."""
        with pytest.raises(EngineError, match="has ended"):
            faulty("", "xboard", "torn").prepare()
        time.sleep(2.2)
        assert not caplog.records

    @pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
    @BOTH
    def test_though_a_child_keeps_its_pipes_open(self, faulty: Any, log: Path, protocol: str) -> None:
        """Its end was not seen: all the time that it had for an answer went by."""
        engine = faulty("orphan/e2e4", protocol)
        with pytest.raises(EngineError, match="has ended; the last line of its standard error: out of luck"):
            engine.act(*first_seen())
        (child,) = (int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("child"))
        assert ends(child)
        assert moved(engine) == "e2e4"


def test_an_option_that_cannot_be_read_is_told(faulty: Any) -> None:
    with pytest.raises(EngineError, match="expected integer for spin option 'Skill', got: 'high'"):
        faulty("e2e4", greeting="option").prepare()


@pytest.mark.parametrize(
    ("score", "value", "depth"),
    [
        (f"cp+{10**400}", 0.99999, 4),  # `OverflowError` was no fault of a program
        (f"cp+-{10**400}", -0.99999, 4),
        (f"mate+{10**400}", 1.0, 2**63 - 1),
        (f"mate+-{10**6}", -1.0, 2 * 10**6),
        ("mate+150000", 1.0, 299_999),  # it was lost: the moves outweighed the mate
    ],
    ids=["ahead", "behind", "mates", "is mated", "mates late"],
)
def test_absurd_scores(faulty: Any, score: str, value: float, depth: int) -> None:
    engine = faulty(f"score+e2e4+depth+4+nodes+-7+score+{score}")
    record = play(BoardGameEnv(CHESS, max_cycles=1), [engine, first_legal], 0, analyses=True)
    judgement = json.loads(record.to_json())["analyses"][0]
    assert judgement[:3] == [value, depth, 0]
