"""Numbers and tables that rules use may change without a new definition: no code is ever kept, or used, for others."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pytest

from plyground.agents import search
from plyground.envs import Game, game_factory, helper
from plyground.envs.jit import bind
from plyground.envs.jit.digest import digest, digest_of_reached, reached
from tests.helpers.coin import COIN

LEAST = 0
SIDES = np.array([0, 1])
x = 1  # a variable with the name of a field


@helper
def side(number):
    return SIDES[number]


@game_factory
def tables(number: int = 1) -> Game:
    def legal_actions(state: Any, actions: Any) -> int:
        actions[0], actions[1] = SIDES[0], SIDES[1]
        return 2 if state.x == 0 else 1

    return Game(**{**COIN, "name": "tables", "legal_actions": legal_actions})


@game_factory
def helped(number: int = 1) -> Game:
    def legal_actions(state: Any, actions: Any) -> int:
        actions[0] = side(LEAST)
        return 1

    return Game(**{**COIN, "name": "helped", "legal_actions": legal_actions})


def listed(game: Game) -> list[int]:
    """The actions of the initial state, by a kernel, which it compiles."""
    state, actions = game.new_state(), np.zeros(2, np.int32)
    return actions[: bind(search._legal_actions, game, state, actions)(game, state, actions)].tolist()


def test_a_changed_table_makes_another_game_and_no_code_under_the_digest_of_the_old_one() -> None:
    """Code was kept on disk under that digest, with the new table in it, and later processes searched by it."""
    game = tables()
    assert tables() is game
    assert pickle.loads(pickle.dumps(game)) is game
    before = game.digest
    try:
        SIDES[0] = 1
        with pytest.raises(ValueError, match=r"^the rules of tables have changed since.*make the game anew$"):
            listed(game)
        other = tables()
        assert other != game
        assert other.digest != before
        assert listed(other) == [1, 1]
    finally:
        SIDES[0] = 0
    assert listed(game) == [0, 1]
    assert tables() == game
    assert game.state_check._compiled(game.state_check, game.new_state())


def test_a_helper_is_not_used_as_it_was_compiled_for_other_numbers() -> None:
    """What it had compiled to went into the code of the new game."""
    assert listed(helped()) == [0]
    try:
        SIDES[0] = 1
        with pytest.raises(ValueError, match=r"^'side' was compiled with other numbers.*run its definition again, or"):
            listed(helped())
    finally:
        SIDES[0] = 0
    assert listed(helped()) == [0]


def test_numbers_of_a_module_count_and_variables_with_the_name_of_a_field_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = tables(2)
    module = sys.modules[__name__]
    rules = game.digest, digest(game.legal_actions), digest_of_reached(game.legal_actions)
    monkeypatch.setattr(module, "x", 2)  # the rule asks for ``state.x``
    assert tables(2) is game
    assert digest(game.legal_actions) != rules[1]
    assert digest_of_reached(game.legal_actions) == rules[2]
    assert listed(game) == [0, 1]
    other = helped(2)
    monkeypatch.setattr(module, "LEAST", 1)
    assert helped(2) is not other
    assert listed(helped(2)) == [1]
    assert side in reached(other.legal_actions)
