"""Programs that speak the Go Text Protocol as players, with a scripted one and, where it is installed, with GNU Go."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.following import moves_between
from benchmarks.gnugo import PROGRAM, cells, play_game, played_games
from benchmarks.gtp import DisagreementError, GTPAgent, GTPError, GTPProcess, GTPRefusalError
from plyground.agents import make
from plyground.envs import BoardGameEnv, make_game

GAME = make_game("go(board_size=5, komi=0.5)")
GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")

# Answers commands, plays the moves that it was started with, one after the other, and then passes.
ENGINE = r"""
import subprocess, sys, time
moves = sys.argv[1].split(",") if len(sys.argv) > 1 and sys.argv[1] else []
log = open(sys.argv[2], "a") if len(sys.argv) > 2 else None
for line in sys.stdin:
    name, *arguments = line.split()
    if log:
        print(line.strip(), file=log, flush=True)
    answer = "= "
    if name == "known_command":
        answer = "= true"
    elif name == "genmove":
        answer = "= " + (moves.pop(0) if moves else "PASS")
    elif name == "play" and arguments[1] == "E5":
        answer = "? illegal move"
    elif name == "final_score":
        answer = "= W+1.5"
    elif name == "showboard":
        answer = "= a\n  board"
    elif name == "sleep":
        time.sleep(60)
    elif name == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        answer = f"= {child.pid}"
    elif name == "die":
        sys.exit()
    print(answer + "\n", flush=True)
    if name == "quit":
        break
"""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Any]:
    """Starts scripted programs, and ends them."""
    script, started = tmp_path / "engine.py", []
    script.write_text(ENGINE)

    def start(*moves: str, seconds: float = 20) -> GTPProcess:
        command = [sys.executable, str(script), ",".join(moves), str(tmp_path / "log")]
        started.append(GTPProcess(command, seconds))
        return started[-1]

    yield start
    for process in started:
        process.close()


def lives(pid: int) -> bool:
    """Whether a process runs: one that ended and was not waited for does not."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


class TestProcess:
    def test_answers(self, engine: Any) -> None:
        process = engine()
        assert process.ask("boardsize 5") == ""
        assert process.ask("showboard") == "a\n  board"
        with pytest.raises(GTPRefusalError, match="refuses 'play black E5': illegal move"):
            process.ask("play black E5")
        assert process.ask("final_score") == "W+1.5"

    def test_no_answer_in_time(self, engine: Any) -> None:
        process = engine(seconds=1)
        with pytest.raises(GTPError, match="did not answer 'sleep' in 1 s"):
            process.ask("sleep")
        with pytest.raises(GTPError, match="has ended"):
            process.ask("name")

    def test_the_program_ends(self, engine: Any) -> None:
        process = engine()
        with pytest.raises(GTPError, match="ended when it was asked to 'die'"):
            process.ask("die")
        with pytest.raises(GTPError, match="ended"):
            process.ask("name")

    @pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
    def test_its_children_end_with_it(self, engine: Any) -> None:
        process = engine()
        child = int(process.ask("child"))
        assert lives(child)
        process.close()
        deadline = time.monotonic() + 10
        while lives(child) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not lives(child)

    def test_no_such_program(self) -> None:
        with pytest.raises(GTPError, match="cannot start 'no-such-program --mode gtp'"):
            GTPProcess("no-such-program --mode gtp")


class TestAgent:
    def seen(self, *moves: str) -> Any:
        env: Any = BoardGameEnv(GAME)
        env.reset(options={"moves": list(moves)})
        observation, _, _, _, info = env.last()
        return observation, info

    def test_it_is_told_of_the_moves(self, engine: Any, tmp_path: Path) -> None:
        agent = GTPAgent(GAME, engine("C3", "b2", "resign"))
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
            "play black A1", "play white pass", "genmove black", "play white D4", "genmove black", "play white A5",
            "genmove black", "play black pass",
        ]  # fmt: skip
        agent.reset(8)
        assert (tmp_path / "log").read_text().splitlines()[len(told) :] == [
            "known_command set_random_seed", "set_random_seed 8", "boardsize 5", "clear_board", "komi 0.5",
        ]  # fmt: skip
        assert not agent.resigned

    def test_disagreements(self, engine: Any) -> None:
        with pytest.raises(DisagreementError, match=r"our rules allow E5: .*illegal move"):
            GTPAgent(GAME, engine()).act(*self.seen("E5"))
        with pytest.raises(DisagreementError, match="plays A1, which is illegal by our rules"):
            GTPAgent(GAME, engine("A1")).act(*self.seen("A1"))
        with pytest.raises(DisagreementError, match="plays 'J9'"):
            GTPAgent(GAME, engine("J9")).act(*self.seen())

    def test_other_games(self, engine: Any) -> None:
        with pytest.raises(ValueError, match="play go here, got othello"):
            GTPAgent("othello", engine())


class TestMatch:
    def test_games(self, engine: Any) -> None:
        # White has the komi: it wins the empty board by our rules, and by the count of the program.
        passes = make("random", GAME)
        passes.act = lambda observation, info=None: GAME.num_actions - 1  # type: ignore[method-assign]
        found = [play_game(GAME, passes, GTPAgent(GAME, engine()), number, 0) for number in (0, 1)]
        assert [(one["won"], one["disagreement"], one["resigned"]) for one in found] == [
            (False, None, False),
            (True, None, False),
        ]
        one = play_game(GAME, passes, GTPAgent(GAME, engine("C3")), 1, 0)  # all of the board is black's
        assert (one["won"], one["disagreement"]) == (False, "it counts W+1.5, and by our rules black wins")
        one = play_game(GAME, passes, GTPAgent(GAME, engine("resign")), 0, 0)
        assert (one["won"], one["resigned"]) == (True, True)
        one = play_game(GAME, passes, GTPAgent(GAME, engine("C3", "C3")), 1, 0)
        assert one["won"] is None
        assert "illegal by our rules" in one["disagreement"]
        assert cells("pass", 1, [*found, one])[2:5] == ("3", "50 (9–91)", "0 (0–79)")
        assert cells("pass", 1, [*found, one])[-1] == "1"

    def test_a_match_goes_on(self, engine: Any, tmp_path: Path) -> None:
        keep, about = tmp_path / "games.jsonl", {"player": "random", "seed": 3}
        command = f"{sys.executable} {tmp_path / 'engine.py'}"
        engine()
        first = list(played_games(GAME, "random", command, about, 2, keep, []))
        assert len(keep.read_text().splitlines()) == 2
        again = list(played_games(GAME, "random", command, about, 3, keep, first))
        assert again[:2] == first
        assert len(keep.read_text().splitlines()) == 3
        other = list(played_games(GAME, "random", command, {**about, "seed": 4}, 1, None, again))
        assert other[0] not in again

    @pytest.mark.skipif(GNUGO is None, reason="needs GNU Go")
    @pytest.mark.slow
    def test_gnu_go(self) -> None:
        command = PROGRAM.format(level=1).replace("gnugo", str(GNUGO), 1)
        with GTPProcess(command) as process:
            found = play_game(GAME, make("random", GAME), GTPAgent(GAME, process), 0, 0)
        assert found["won"] is False
        assert found["disagreement"] is None


def test_moves_between() -> None:
    before = GAME.play_moves(["C3"])
    moves = [GAME.str_to_action(name) for name in ("pass", "A1", "B2")]
    assert moves_between(GAME, before, GAME.play_moves(moves, before)) == moves
    assert moves_between(GAME, before, before) == []
    with pytest.raises(ValueError, match="no moves lead from"):
        moves_between(
            make_game("tictactoe"), make_game("tictactoe").play_moves([0]), make_game("tictactoe").new_state()
        )
