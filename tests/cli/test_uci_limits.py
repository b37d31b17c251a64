"""What ``go`` asks of players of ours as chess engines: among which moves to choose, and for how long to search."""

from __future__ import annotations

import pytest

from plyground.arena.engine import UCIServer
from plyground.envs import make_game
from tests.helpers.uci_dialogue import Dialogue, played, scores

CHESS = make_game("chess")
FORCED = "rn1qkbnr/p1ppp1pp/bp6/5p1Q/4P3/1P4P1/P1PP1P1P/RNB1KBNR b KQkq - 2 4"  # g7g6 is the only move


def test_only_some_moves(talk: Dialogue) -> None:
    lines = talk.ask("go depth 3 searchmoves a2a4 h2h4 e7e5 nonsense")
    assert played(lines) in ("a2a4", "h2h4")
    assert {line for line in lines if "string" in line} == {
        "info string searchmoves: e7e5 is illegal", "info string searchmoves: nonsense is illegal"
    }  # fmt: skip
    lines = talk.ask("go searchmoves b2b3 depth 2")
    assert played(lines) == "b2b3"


def test_moves_that_are_all_illegal_limit_nothing(talk: Dialogue) -> None:
    lines = talk.ask("go depth 1 searchmoves e7e5 nonsense")
    assert [line for line in lines if "string" in line] == [
        "info string searchmoves: e7e5 is illegal",
        "info string searchmoves: nonsense is illegal",
        "info string searchmoves: none of them is legal: all moves are searched",
    ]
    assert CHESS.move_of(talk.server.seat.state, played(lines)) in talk.server.seat.legal
    lines = talk.ask("position fen R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "go searchmoves g8f8")
    assert [line for line in lines if "string" in line] == ["info string searchmoves: g8f8 is illegal"]


@pytest.mark.parametrize(
    ("position", "go", "is_ended"),
    [
        (f"fen {FORCED}", "wtime 60000 btime 60000", True),  # the time is saved for other moves
        (f"fen {FORCED}", "movetime 300", False),
        ("startpos moves e2e4", "movetime 300 searchmoves e7e5", False),  # it ended at depth 1
        ("startpos moves e2e4", "wtime 20000 btime 20000 searchmoves e7e5", False),
    ],
)
def test_a_search_without_a_choice(talk: Dialogue, position: str, go: str, is_ended: bool) -> None:
    lines = talk.ask(f"position {position}", f"go {go}")
    depths = [int(line.split()[2]) for line in lines[:-1]]
    assert (depths == [1]) if is_ended else (max(depths) > 1)


def test_bad_limits(talk: Dialogue) -> None:
    lines = talk.ask("go depth x wtime nodes 100 btime nan fast")
    assert [line for line in lines if "string" in line] == [
        "info string depth needs a whole number from 1 on, got x",
        "info string wtime needs a number, got nodes",
        "info string btime needs a number, got nan",
        "info string unknown word 'fast' in go",
    ]
    assert played(lines)


@pytest.mark.parametrize("go", ["nodes 99999999999999999999", f"wtime 1{400 * '0'}", f"movetime 1{400 * '0'}"])
def test_numbers_beyond_all_bounds(talk: Dialogue, go: str) -> None:
    lines = talk.ask(f"go {go} depth 2")
    assert not [line for line in lines if "string" in line]
    assert scores(lines)


@pytest.mark.parametrize(
    ("go", "aim", "most"),
    [
        ("wtime 60000 btime 1", 59.9 / 40 - 0.01, 4 * (59.9 / 40 - 0.01)),
        ("wtime 60000 winc 1000", 59.9 / 40 + 1 - 0.01, 4 * (59.9 / 40 + 0.99)),
        ("wtime 10000 movestogo 2", 9.9 / 2 - 0.01, 0.7 * 9.9),
        ("wtime 3000 movestogo 1", 2.9 / 2 - 0.01, 0.7 * 2.9),  # what is left comes to the next moves
        ("movetime 500", 0.49, 0.49),
        ("movetime 500.9", 0.49, 0.49),
    ],
)
def test_time(talk: Dialogue, go: str, aim: float, most: float) -> None:
    lines = talk.ask("debug on", f"go {go} depth 1")
    (line,) = (line for line in lines if "string" in line)
    assert line == f"info string the move may take {aim:.3f} s, and {most:.3f} s at most"


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize(
    "go", ["wtime 0 btime 0", "wtime -5 btime -5", "wtime 0 winc 100", "wtime 0 movestogo 1", "movetime 0", "wtime 1"]
)
def test_without_any_time_it_sees_a_mate_in_one(talk: Dialogue, go: str, lines: int) -> None:
    """It searched nothing, and played the first move of all."""
    said = talk.ask(
        f"setoption name MultiPV value {lines}", "position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", f"go {go}"
    )
    assert played(said) == "a1a8"
    assert scores(said)[-lines][1] == "mate 1"
    assert not [line for line in said if "string" in line]


def test_the_players_own_time(talk: Dialogue) -> None:
    assert not [line for line in talk.ask("debug on", "go depth 1") if "string" in line]  # a second is no spec's
    own = Dialogue(UCIServer("alphabeta(seconds=0.2)", CHESS))
    own.said("debug on")
    for go in ("movetime 2000 depth 1", "wtime 60000 depth 1", "depth 1"):
        assert "info string the move may take 0.200 s, and 0.200 s at most" in own.ask(f"go {go}")
    assert "info string the move may take 0.090 s, and 0.090 s at most" in own.ask("go movetime 100 depth 1")
    own.end()
