"""Games that are registered, under names and presets that fit; what does not fit leaves nothing registered."""

from __future__ import annotations

from typing import Any

import gymnasium
import pettingzoo
import pytest

from plyground.envs import Game, connect_four, game_factory, game_names, go, make_game, register_game
from plyground.envs.registry import game_presets
from tests.helpers.coin import COIN

pytestmark = pytest.mark.usefixtures("registries")


@game_factory
def coin() -> Game:
    return Game(**COIN)


def test_registered_once_for_all() -> None:
    register_game(coin, title="Penny", namespace="test")
    register_game(coin, namespace="test")  # again, as a notebook cell does
    assert make_game("coin").name == "coin"
    assert "test/Penny-v0" in gymnasium.registry
    assert "test/coin-v0" in pettingzoo.aec_registry

    @game_factory
    def tictactoe() -> Game:
        raise AssertionError

    with pytest.raises(ValueError, match=r"already registered by plyground\.envs\.games\.tictactoe"):
        register_game(tictactoe)
    with pytest.raises(ValueError, match="expected a function decorated with game_factory"):
        register_game(lambda: connect_four())


def test_registered_by_the_name_of_the_game() -> None:
    @game_factory
    def nickel() -> Game:
        return Game(**COIN)

    @game_factory
    def dime(plies: int) -> Game:
        return Game(**{**COIN, "name": "dime" if plies == 1 else "coin"})

    with pytest.raises(ValueError, match=r"factory 'nickel' makes a game named 'coin', .*: give both the same name"):
        register_game(nickel)
    register_game(dime)  # which makes no game without being told more
    assert make_game(make_game("dime(1)").spec) is make_game("dime", plies=1)
    with pytest.raises(ValueError, match="factory 'dime' makes a game named 'coin'"):
        make_game("dime(2)")
    assert "nickel" not in game_names()


def test_names_that_are_taken() -> None:
    @game_factory
    def go_9x9() -> Game:
        return Game(**{**COIN, "name": "go_9x9"})

    ids = {*gymnasium.registry}
    with pytest.raises(ValueError, match=r"'go_9x9' stands for 'go\(board_size=9\)' already: choose another name"):
        register_game(go_9x9)
    with pytest.raises(ValueError, match="'chess' is a game already: choose another name"):
        register_game(coin, presets={"chess": "coin"})
    assert make_game("go_9x9") is go(board_size=9)
    assert {*gymnasium.registry} == ids
    register_game(coin, namespace="test")
    for _ in range(2):  # as in a notebook, whose cell is run again; new names count then, too
        register_game(coin, presets={"heads": "coin"}, namespace="test")
    assert make_game("heads") is coin()
    assert "test/Heads-v0" in gymnasium.registry
    with pytest.raises(ValueError, match="'heads' stands for 'coin' already: choose another name"):
        register_game(coin, presets={"heads": "othello"}, namespace="test")


def test_presets_are_specs_of_the_game() -> None:
    """They were registered, and an error came when one was made."""
    before = {*gymnasium.registry}, {*pettingzoo.aec_registry}, game_presets()
    wrong: dict[str, Any] = {
        "a preset of 'coin' has the name of the game": {"coin": "coin"},
        "preset 'heads' of 'coin' must be a spec of that game, got 'chess'": {"heads": "chess"},
        "preset 'heads' of 'coin' must be a spec of that game, got 'coim'": {"heads": "coim"},
        "preset 'heads' of 'coin' must be a spec, such as .*, got 3": {"heads": 3},
        r"cannot read 'coin\('": {"heads": "coin("},
        "unknown parameter 'side' of game 'coin'": {"heads": "coin(side=1)"},
        r"cannot make 'coin\(1\)'": {"heads": "coin(1)"},
    }
    for message, presets in wrong.items():
        with pytest.raises(ValueError, match=message):
            register_game(coin, presets={"tails": "coin", **presets}, namespace="test")
        assert ({*gymnasium.registry}, {*pettingzoo.aec_registry}, game_presets()) == before
        assert "coin" not in game_names()


def test_names_that_can_be_no_ids_leave_nothing_registered() -> None:
    """The game was known then, and its ids were not: a second call registered none."""
    before = {*gymnasium.registry}, {*pettingzoo.aec_registry}
    wrong: dict[str, Any] = {
        "title of 'coin' must be letters, digits, _ and -, .*, got 'A coin'": {"title": "A coin"},
        "title of 'coin' must be .*, got 3": {"title": 3},
        "namespace of 'coin' must be .*, got 'my games'": {"namespace": "my games"},
        "preset of 'coin' must be .*, got 'two sides'": {"presets": {"two sides": "coin"}},
    }
    for message, names in wrong.items():
        with pytest.raises(ValueError, match=message):
            register_game(coin, **names)
    for refused in ("test/Coin", "test/Heads"):  # beside which none with a version may stand
        gymnasium.register(refused, "plyground.envs.solo:SoloEnv")
        with pytest.raises(gymnasium.error.RegistrationError):
            register_game(coin, namespace="test", presets={"heads": "coin"})
        del gymnasium.registry[refused]
        assert ({*gymnasium.registry}, {*pettingzoo.aec_registry}) == before
        assert "test/coin-v0" not in pettingzoo.parallel_registry
        assert "coin" not in game_names()
        assert "heads" not in game_presets()
    register_game(coin, namespace="test", presets={"heads": "coin"})
    assert {"test/Coin-v0", "test/Heads-v0"} <= set(gymnasium.registry)
