"""Players of ours as chess engines, driven by python-chess in other processes: games by a clock, and sudden stops."""

from __future__ import annotations

import random
import shlex
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from plyground.arena import match, play
from plyground.envs import BoardGameEnv, make_game
from tests.helpers.programs import installed

chess: Any = pytest.importorskip("chess", reason="python-chess is not installed: pip install '.[chess]'")
pytest.importorskip("chess.engine")

pytestmark = pytest.mark.slow

CHESS = make_game("chess")
LATE = 0.3  # seconds that a move may be late, of which other processes on this machine take what they like


def command(player: str) -> list[str]:
    return [sys.executable, "-m", "plyground.arena", "uci", player]


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    with chess.engine.SimpleEngine.popen_uci(command("alphabeta"), timeout=300) as engine:
        engine.timeout = 300
        engine.ping()
        engine.timeout = 60
        yield engine


def opening(rng: random.Random, plies: int) -> Any:
    """Return a position after some random moves, in which there is a move."""
    board = chess.Board()
    while len(board.move_stack) < plies:
        board.push(rng.choice([*board.legal_moves]))
        if not any(board.legal_moves):
            board = chess.Board()
    return board


def test_it_introduces_itself(engine: Any) -> None:
    assert engine.id["name"].startswith("plyground ")
    assert {"Hash", "Threads", "MultiPV", "UCI_Chess960", "UCI_AnalyseMode"} <= set(engine.options)


@pytest.mark.parametrize(("name", "value"), [("depth", 3), ("nodes", 2000), ("time", 0.05), ("mate", 2), ("depth", 1)])
def test_limits(engine: Any, name: str, value: Any) -> None:
    board = opening(random.Random(3), 8)
    played = engine.play(board, chess.engine.Limit(**{name: value}), info=chess.engine.INFO_ALL)
    assert played.move in board.legal_moves
    assert played.info["pv"][0] == played.move
    assert played.info["score"].relative.score(mate_score=10_000) is not None
    assert played.info.get("depth", 0) >= 1


def test_several_lines_and_only_some_moves(engine: Any) -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1")
    infos = engine.analyse(board, chess.engine.Limit(depth=3), multipv=3)
    assert [info["multipv"] for info in infos] == [1, 2, 3]
    assert infos[0]["score"].relative == chess.engine.Mate(1)
    assert len({info["pv"][0] for info in infos}) == 3
    some = [chess.Move.from_uci("e1e2"), chess.Move.from_uci("a1b1")]
    assert engine.play(board, chess.engine.Limit(depth=2), root_moves=some).move in some


def test_a_thousand_moves_and_sudden_stops(engine: Any) -> None:
    rng, moves = random.Random(1), 0
    while moves < 1000:
        board = opening(rng, rng.randrange(20))
        for _ in range(60):
            if rng.random() < 0.1:
                with engine.analysis(board) as analysis:
                    time.sleep(rng.random() * 0.02)
                    analysis.stop()
                    move = analysis.wait().move
            else:
                move = engine.play(board, chess.engine.Limit(nodes=rng.choice([1, 30, 300, 2000]))).move
            moves += 1
            assert move in board.legal_moves  # and python-chess has looked, too
            board.push(move)
            if not any(board.legal_moves):
                break


@pytest.mark.parametrize(("seconds", "increment", "plies"), [(1, 0.01, 120), (0.2, 0.0, 60), (3, 0.05, 40), (60, 1, 3)])
def test_no_clock_runs_out(engine: Any, seconds: float, increment: float, plies: int) -> None:
    """See benchmarks/faults/uci_clocks.py for whole games."""
    board = opening(random.Random(plies), 6)
    clocks = [float(seconds), float(seconds)]  # black's, white's
    for _ in range(plies):
        limit = chess.engine.Limit(
            white_clock=clocks[1], black_clock=clocks[0], white_inc=increment, black_inc=increment
        )
        start = time.perf_counter()
        move = engine.play(board, limit).move
        took = time.perf_counter() - start
        assert took < clocks[board.turn] + LATE
        clocks[board.turn] = max(clocks[board.turn] - took, 0.0) + increment
        assert move in board.legal_moves
        board.push(move)
        if not any(board.legal_moves):
            break


def test_chess960(engine: Any) -> None:
    rng = random.Random(5)
    with chess.engine.SimpleEngine.popen_uci(command("mcts(simulations=20, seed=0)"), timeout=300) as sampler:
        castled = 0
        for number in range(40):
            if castled and number >= 4:
                break
            board = chess.Board.from_chess960_pos(rng.randrange(960))
            for _ in range(60):
                castling = [*board.generate_castling_moves()]
                root = castling or None
                move = sampler.play(board, chess.engine.Limit(nodes=20), root_moves=root).move
                assert move in board.legal_moves
                castled += board.is_castling(move)
                board.push(move)
                if not any(board.legal_moves):
                    break
        assert castled > 0


@pytest.mark.parametrize("time_control", [None, "20+0.2"])
def test_a_game_through_our_own_player(time_control: str | None) -> None:
    ours = shlex.join(command("alphabeta(depth=2)"))
    players = [f"engine({ours!r}, protocol=uci, depth=2, answer_seconds=300, start_seconds=300)", "random"]
    record = play(BoardGameEnv(CHESS, max_cycles=15), players, 1, time=time_control)
    assert record.ending in ("finished", "truncated")
    assert len(record.moves) >= 20


@pytest.mark.skipif(installed("stockfish") is None, reason="needs Stockfish: apt-get install stockfish")
def test_a_match_with_stockfish() -> None:
    ours = shlex.join(command("alphabeta(depth=2)"))
    players = [f"engine({ours!r}, depth=2, answer_seconds=300, start_seconds=300)", "engine('stockfish', depth=1)"]
    records = match(CHESS, players, 2, seed=1, opening_plies=4)
    assert {record.ending for record in records} == {"finished"}
