"""An agent's own evaluation: what it may return, and what is said of one that a search cannot count with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta, Minimax
from plyground.agents.search import check_evaluation
from plyground.envs import GameBatch, as_opponents, tictactoe


def never_negated(state: Any, player: int) -> float:
    return 0.9


def first_stones(state: Any, player: int) -> float:
    return float(state.stones[0] & 1)  # as the first player sees it, and 0 until the corner is taken


def in_another_order(state: Any, player: int) -> float:
    """A sum whose last digits depend on who asks: about 5e-17 for the first player, 0 for the second."""
    return 0.1 + 0.2 - 0.3 if player == 0 else 0.3 - 0.3


def nothing(state: Any, player: int) -> None:
    pass


def sometimes_nothing(state: Any, player: int) -> float | None:
    return None if state.stones[0] & 1 else 0.0


def whole(state: Any, player: int) -> int:
    return 300 if player == 0 else -300


def truth(state: Any, player: int) -> bool:
    return False


ONE_SIDED = r"^evaluate\(state, player\) must be opposite for the players, got .* of tictactoe"
NO_NUMBER = r"^'evaluate' of tictactoe \(.*\) must return a number, and can return None$"


@pytest.mark.parametrize("kind", [AlphaBeta, Minimax])
@pytest.mark.parametrize(
    ("evaluate", "message"),
    [
        (never_negated, ONE_SIDED),
        (first_stones, ONE_SIDED),
        (nothing, NO_NUMBER),
        (sometimes_nothing, NO_NUMBER),
    ],
)
def test_it_is_a_number_and_opposite_for_the_players(kind: Any, evaluate: Any, message: str) -> None:
    """Alpha-beta and minimax ask for different players, and their values differed in sign. Minimax named no rule."""
    agent = kind("tictactoe", depth=2, evaluate=evaluate)
    with pytest.raises(ValueError, match=message):
        agent.analyse(tictactoe().new_state())


def test_many_games_at_once_ask_for_the_same() -> None:
    agent = AlphaBeta("tictactoe", depth=2, evaluate=never_negated)
    with pytest.raises(
        ValueError, match=r"must be opposite for the players, got 0\.9 for player 0 and 0\.9 for player 1"
    ):
        as_opponents(agent, tictactoe())
    good = as_opponents(AlphaBeta("tictactoe", depth=2, evaluate=whole), tictactoe())
    assert good.act(GameBatch(tictactoe(), 1), np.zeros(1, np.intp)).shape == (1,)


@pytest.mark.parametrize("evaluate", [in_another_order, whole, truth])
@pytest.mark.parametrize("kind", [AlphaBeta, Minimax])
def test_numbers_of_any_kind_that_are_opposite_but_for_their_last_digits(kind: Any, evaluate: Any) -> None:
    found = kind("tictactoe", depth=1, evaluate=evaluate).analyse(tictactoe().new_state())
    assert found.value == pytest.approx(300 if evaluate is whole else 0)


def test_the_evaluation_of_a_game_is_not_asked() -> None:
    """A game is checked as a whole, or is trusted."""
    game = tictactoe().replace(evaluate=never_negated, check=False)
    assert Minimax(game, depth=1).analyse(game.new_state()).value == -0.9
    with pytest.raises(ValueError, match="must be opposite"):
        check_evaluation(game)
