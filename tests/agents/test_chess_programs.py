"""Programs that others wrote, and that play chess: Stockfish and more, each where it is installed."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("chess")

from plyground.agents.engines import ChessEngine, EngineError
from plyground.arena import TimeControl, match, play
from plyground.envs import BoardGameEnv, make_game
from tests.helpers.programs import installed

CHESS = make_game("chess")


def lowest(observation: Any, info: Any) -> int:
    """Play the legal action with the lowest number."""
    return int(observation["action_mask"].argmax())


@pytest.mark.slow
@pytest.mark.skipif(installed("stockfish") is None, reason="needs Stockfish: apt-get install stockfish")
class TestStockfish:
    def test_it_beats_random(self) -> None:
        players = ["engine('stockfish', nodes=200, Threads=1, Hash=16)", "random"]
        records = match("chess", players, 2, seed=1, names=["stockfish", "random"])
        assert [one.outcome[one.players.index("stockfish")] for one in records] == [1, 1]

    def test_chess960_and_resignation(self) -> None:
        players = ["engine('stockfish', nodes=300)", "random"]
        rule = "resign(score=0.9, moves=2)"
        records = match("chess(chess960=77)", players, 2, seed=2, adjudication=rule, names=["stockfish", "random"])
        assert all(one.outcome[one.players.index("stockfish")] == 1 for one in records)

    def test_against_itself_with_a_clock(self) -> None:
        players = ["engine('stockfish')", "engine('stockfish', UCI_LimitStrength=true, UCI_Elo=1400)"]
        records = match("chess", players, 2, time=TimeControl(1, 0.02, margin=10))
        assert {record.ending for record in records} == {"finished"}


OTHERS = [("fairymax", "xboard"), ("phalanx", "xboard"), ("gnuchess --uci", "uci")]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "protocol"), OTHERS)
class TestOtherPrograms:
    @pytest.fixture
    def program(self, command: str, protocol: str, caplog: pytest.LogCaptureFixture) -> Any:
        name = command.split()[0]
        if installed(name) is None:
            pytest.skip(f"{name} is not installed: apt-get install {name}")
        engine = ChessEngine(CHESS, command, protocol, seconds=0.1, answer_seconds=30)
        yield engine
        engine.close()
        assert not caplog.records  # python-chess has not logged what the program chatters

    def test_games_with_both_colours(self, program: Any) -> None:
        for seat in (0, 1):
            players = [program, "random"] if seat == 0 else ["random", program]
            env: Any = BoardGameEnv(CHESS, max_cycles=8)
            record = play(env, players, seat, time="20+0.5" if seat else None)
            assert record.ending in ("finished", "truncated")
            assert len(record.moves) >= 5

    def test_positions(self, program: Any, command: str) -> None:
        env: Any = BoardGameEnv(CHESS)
        options = {"fen": "4k3/8/8/8/8/8/4q3/4K2R w K - 0 1"}
        if command == "fairymax":
            with pytest.raises(EngineError, match="cannot set up a position"):
                play(env, [program, lowest], 1, options=options)
        else:
            assert play(env, [program, lowest], 1, options=options).moves[0] == CHESS.move_of(
                CHESS.state_from_fen(options["fen"]), "e1e2"
            )
