"""Values in centipawns and back, and mates counted in moves."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from plyground.agents import Analysis
from plyground.agents.scores import (
    Scale,
    centipawns_of_result,
    mate_in,
    pawn_value,
    result_of_centipawns,
    score_words,
)
from plyground.envs import make_game
from plyground.envs.jit.bits import popcount

CHESS = make_game("chess")
FOUND = Analysis(0, 0.0, (0,), {}, (0,), 1, 1, 1, False, 0.0)


def material(state: Any, player: int) -> float:
    lead = popcount(state.own & state.pawns) - popcount(state.other & state.pawns)
    return (lead if player == state.turn else -lead) * 0.013


def found(value: float, **changes: Any) -> Analysis:
    return replace(FOUND, value=value, **changes)


class TestExpectedResults:
    def test_known_values(self) -> None:
        assert centipawns_of_result(0.0) == 0
        assert centipawns_of_result(2 * 0.64 - 1) == 100  # 64 % of the points
        assert centipawns_of_result(2 * 10 / 11 - 1) == 400  # Elo: ten to one
        assert centipawns_of_result(1.0) == 3720  # a result that is not proved
        assert centipawns_of_result(-1.0) == -3720

    def test_back_again(self) -> None:
        for centipawns in range(-1500, 1501, 7):
            result = result_of_centipawns(centipawns)
            assert -1 < result < 1
            assert centipawns_of_result(result) == centipawns
        assert -1 < result_of_centipawns(-1e9) < result_of_centipawns(1e9) < 1


class TestEvaluations:
    GAME = CHESS.replace(evaluate=material)

    def test_a_pawn_is_a_hundred(self) -> None:
        assert pawn_value(self.GAME) == pytest.approx(0.013)
        scale = Scale(self.GAME)
        assert scale.centipawns(0.013) == 100
        assert scale.centipawns(-0.039) == -300
        assert scale.centipawns(1e9) == 20_000
        for centipawns in range(-2000, 2001, 13):
            assert scale.centipawns(scale.value(centipawns)) == centipawns
        assert -1 < scale.value(-1e9) < scale.value(1e9) < 1

    def test_expected_results_have_another_unit(self) -> None:
        scale = Scale(self.GAME)
        assert scale.centipawns(0.28, is_result=True) == 100
        assert scale.value(100, is_result=True) == pytest.approx(0.28, abs=1e-3)
        assert score_words(scale, self.GAME, self.GAME.new_state(), found(0.28, visits={0: 3})) == "cp 100"
        assert score_words(scale, self.GAME, self.GAME.new_state(), found(0.026)) == "cp 200"

    def test_what_thinks_nothing_of_pawns(self) -> None:
        assert pawn_value(CHESS.replace(evaluate=lambda state, player: 0.5)) == 0


@pytest.mark.parametrize(
    ("fen", "value", "pv", "depth", "mate"),
    [
        ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", 1.0, ["e1e8"], 1, 1),
        ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", 1.0, ["e1e8"], 9, 1),  # the line ends the game, whatever the depth
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 1.0, ["a2a7"], 3, 2),  # it does not: the plies that were looked ahead
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 1.0, ["a2a7", "h8g8", "b1b8"], 7, 2),
        ("7k/R7/8/8/8/8/8/1R5K b - - 0 1", -1.0, ["h8g8", "b1b8"], 2, -1),
        ("7k/R7/8/8/8/8/8/1R5K b - - 0 1", -1.0, [], 4, -2),
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 1.0, ["a2a7", "h8g8", "a7a6", "g8g7"], 3, 3),  # longer than was looked ahead
        ("7k/R7/8/8/8/8/8/1R5K b - - 0 1", -1.0, ["h8g8", "a7a6", "g8g7"], 2, -2),
        ("7k/R7/8/8/8/8/8/1R5K b - - 0 1", -1.0, ["h8g8", "a7a6"], 2, -2),
        ("7k/R7/8/8/8/8/8/1R5K b - - 0 1", -0.99, ["h8g8", "b1b8"], 2, None),
        ("7k/R7/8/8/8/8/8/1R5K b - - 0 1", 0.0, [], 2, None),
    ],
)
def test_mates(fen: str, value: float, pv: list[str], depth: int, mate: int | None) -> None:
    state = CHESS.state_from_fen(fen)
    line = CHESS.line_of(pv, state)
    assert mate_in(CHESS, state, found(value, pv=tuple(line), depth=depth)) == mate


def test_samples_that_prove_nothing() -> None:
    state = CHESS.state_from_fen("7k/8/8/8/8/8/R7/1R5K w - - 0 1")
    (action,) = CHESS.line_of(["a2a7"], state)
    won = found(1.0, pv=(action,), best_action=action, best_actions=(action,), visits={action: 3}, depth=1)
    assert mate_in(CHESS, state, won) is None
    assert score_words(Scale(CHESS), CHESS, state, won).startswith("cp ")
    assert mate_in(CHESS, state, replace(won, exact=True)) == 2


def test_an_evaluation_that_proves_nothing() -> None:
    game = CHESS.replace(max_utility=math.inf, features=None, weights=None)
    assert mate_in(game, CHESS.new_state(), found(30.0)) is None
