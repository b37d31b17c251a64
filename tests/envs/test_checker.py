"""What `check_game` finds by playing: the promises of rules, broken one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from plyground.envs import Board, Game, Knowledge, Repetition, check_game, go
from tests.helpers.coin import COIN


def _other(state: Any, actions: Any) -> int:
    actions[0] = 2
    return 1


def _wrong_positions(state: Any, actions: Any, keys: Any, scratch: Any) -> int:
    actions[:2], keys[:2] = (0, 1), (1, 2)
    return 2


def _count_looks(state: Any, player: int, planes: Any) -> None:
    state.x += 1


def _two_at_first(state: Any, actions: Any) -> int:
    actions[0], actions[1] = 0, 7 if state.ply else 1
    return 2


def _pass_on(state: Any) -> bool:
    state.x = 5
    return True


def _no_features(state: Any, last: int, before: int, actions: Any, features: Any) -> None:
    pass


def _far_features(state: Any, last: int, before: int, actions: Any, features: Any) -> int:
    actions[0], features[0, 0] = 1, 3
    return 1


def _bad_priors(state: Any, last: int, before: int, actions: Any, count: int, visits: Any, values: Any) -> None:
    visits[:] = -1


def _around(state: Any, action: int) -> None:
    state.x = (state.x + 1 + action) % 3
    state.ply += 1


def _half(state: Any, actions: Any) -> float:
    actions[0] = 0
    return 1.5


def _one_ply_on(planes: Any, state: Any) -> None:
    state.ply = planes[0] + 1


def _beyond(planes: Any, state: Any) -> None:
    state.ply = planes[1]


def _no_pieces(state: Any) -> Any:
    return state.x[0]


def _no_cells(state: Any, action: int) -> Any:
    return [(0,)][action + 1]


def _called(state: Any, action: int) -> str:
    return f"side {action}"


def _last(state: Any) -> tuple[int, ...]:
    return (9,)


def _two_plies_on() -> Any:
    state = Game(**COIN).new_state()
    state.ply = 2
    return state


def _at_random(state: Any, action: int) -> None:
    state.x = np.random.default_rng().integers(2**30)
    state.ply += 1


def _now_x(state: Any, action: int) -> None:
    state.x, state.ply = next(_PLAYS) // 2, 1  # the same when it is asked twice in a row


def _now_and_then(state: Any, actions: Any) -> int:
    actions[0], actions[1] = 0, 1
    return 2 - next(_TURNS) % 2


_TURNS, _PLAYS = itertools.count(), itertools.count()

RING: dict[str, Any] = {  # three places, from each of which one can go to the others
    "play": _around,
    "max_plies": 9,
    "is_terminal": lambda state: state.ply == 9,
    "utility": lambda state, player: 0.0,
    "observe": lambda state, player, planes: planes.fill(0),
    "repetition_key": lambda state: np.uint64(state.x),
}


_ALONE: dict[str, Any] = {**RING, "repetition_key": None}


def test_good_games(game: Game) -> None:
    check_game(game, games=1 if "chess" in game.name else 5)  # chess as plain Python takes seconds a game


def test_few_plies_of_one_player_are_no_fault() -> None:
    """Who moves may be chosen by chance: a lottery was refused whose first games the first player had for itself."""
    check_game(Game(**{**COIN, **_ALONE, "player": lambda state: 0}), games=2)


def test_a_good_game_of_one_ply() -> None:
    check_game(Game(**COIN))


def test_not_every_position_needs_a_text() -> None:
    def fen_of(state: Any) -> str:
        raise ValueError("in the middle of a move")

    check_game(Game(**COIN, fen_of=fen_of, read_fen=lambda text: _two_plies_on()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"player": lambda state: 2}, "'player' of coin: must be 0 or 1, got 2"),
        ({"legal_actions": lambda state, actions: 0}, "must write one at least: `is_terminal` says the game goes on"),
        ({"legal_actions": lambda state, actions: -1}, "'legal_actions' of coin: must write ids of 0 to 1"),
        ({"legal_actions": lambda state, actions: 2}, r"got 2: \[-1, -1\]"),
        ({"num_actions": 1}, r"must write ids of 0 to 0, ascending, and return how many, got 2: \[0, 1\]"),
        ({"legal_actions": _half}, r"'legal_actions' of coin \(.*\) must return an int64, .*, and returns 1\.5"),
        ({"is_terminal": lambda state: False}, "'max_plies' of coin: a game must end after 1 plies"),
        ({"utility": lambda state, player: 1.0}, r"'utility' of coin: must be .* opposite .* got 1\.0 and 1\.0"),
        ({"max_utility": 0.5}, r"'utility' of coin: must be up to ±0\.5"),
        ({"evaluate": lambda state, player: 1.0 - 2 * player}, r"'evaluate' of coin: must be inside ±1\.0"),
        (
            {"observe": lambda state, player, planes: planes.fill(3)},
            "'observe' of coin: values must be 0 to 1, got 3 to 3",
        ),
        ({"decode": lambda planes, state: state.__setattr__("x", 5)}, "'decode' of coin: must give back"),
        ({"decode": _one_ply_on}, r"'decode' of coin: must give back .* got \(0, 1\), in state \(0, 0\)"),
        ({"decode": _beyond}, r"'decode' of coin raised IndexError \(test_checker.py:\d+\): index 1 is out of bounds"),
        ({"text": lambda state: state.y}, r"'text' of coin raised AttributeError \(test_checker.py:\d+\): .* 'y'"),
        ({"action_to_str": lambda action: "a"[action]}, "'action_to_str' of coin raised IndexError"),
        ({"text": lambda state: 3}, "'text' of coin: must return a string, got 3"),
        ({"str_to_action": lambda text: 0}, r"str_to_action\('1'\) of coin must be 1, got 0"),
        ({"fixed": ("ply",)}, "'fixed' of coin: no move may change 'ply', 0 at the start"),
        ({"noisy_actions": _other}, r"'noisy_actions' of coin: must write legal actions, .* \[0, 1\], got \[2\]"),
        ({"observe": _count_looks}, r"'observe' of coin: must not change the state, in state \(0, 0\)"),
        (
            {"move_name": _called, "move_of": lambda state, text: 0},
            "'move_of' of coin: must be 1 for 'side 1', .* got 0",
        ),
        ({"move_name": _called}, "coin has no action 'side [01]'"),
        ({"move_name": lambda state, action: state.y}, "'move_name' of coin raised AttributeError"),
        ({"move_name": _called, "move_of": lambda state, text: [][0]}, "'move_of' of coin raised IndexError"),
        (
            {"fen_of": lambda state: str(state.ply), "read_fen": lambda text: _two_plies_on()},
            r"'read_fen' of coin: must give back the position that is written '0', got \(0, 2\)",
        ),
        ({"fen_of": lambda state: "x", "read_fen": lambda text: "y"}, r"read_fen\('x'\) must be one state of coin"),
        ({"fen_of": lambda state: "x", "read_fen": lambda text: [][0]}, "'read_fen' of coin raised IndexError"),
        ({"fen_of": lambda state: [][0], "read_fen": lambda text: [][0]}, "'fen_of' of coin raised IndexError"),
        (
            {
                "board": Board(
                    1, 1, lambda state: np.zeros((1, 1), np.int8), lambda state, action: (0,), threatened=_last
                )
            },
            r"'board' of coin: threatened\(state\) must be a tuple of cells, numbers from 0 to 0, got \(9,\)",
        ),
        (
            {"legal_actions": _two_at_first},
            r"'legal_actions' of coin: must write ids of 0 to 1, .* got 2: \[0, 7\]",
        ),
        (
            {"random_action": lambda state, actions, rng: 2},
            r"'random_action' of coin: must return a legal action, one of \[0, 1\], got 2",
        ),
        (
            {"knowledge": Knowledge(action=lambda state, last, before, actions, rng: -1)},
            "'rollout_action' of coin: must return a legal action",
        ),
        (
            {"knowledge": Knowledge(local_features=_far_features, slots=1, num_weights=3)},
            r"'local_features' of coin: must write indices of 0 to 2, got \[\[3\]\]",
        ),
        ({"knowledge": Knowledge(priors=_bad_priors)}, "'priors' of coin: must write visits from 0 on"),
        ({"is_forced": lambda state: True}, r"'is_forced' of coin: all legal actions \[0, 1\] must be noisy"),
        (
            {"knowledge": Knowledge(local_features=_no_features, slots=1, num_weights=3)},
            r"'local_features' of coin \(.*\) must return an int64, .*, and returns None",
        ),
        ({"stakes": lambda state, action: 1.0}, "'stakes' of coin: must return two numbers, got 1.0"),
        ({"stakes": lambda state, action: (None, 1.0)}, r"must return two numbers, got \(None, 1.0\)"),
        ({"exchange": lambda state, action, least: None}, "'exchange' of coin: must return a number, got None"),
        ({"passed": _pass_on}, "'passed' of coin: the other player must be to move"),
        (
            {"symmetries": [([0], [1, 0])], "observe": lambda state, player, planes: planes.fill(state.x)},
            "'symmetries' of coin: the image of the moves must lead to the image of the position",
        ),
        (
            {"symmetries": [([0], [1, 0])], "legal_actions": _two_at_first},
            "'legal_actions' of coin: must write ids of 0 to 1",
        ),
        (
            {"symmetries": [([0], [1, 0])], "canonical_key": lambda state: np.uint64(state.x)},
            r"'canonical_key' of coin: must be the same for the image \(\d, 1\)",
        ),
        (
            {"keys_after": lambda state, actions, keys, scratch: 0},
            r"'keys_after' of coin: must write the actions that `legal_actions` writes, \[0, 1\], got \[\]",
        ),
        (
            {"play": lambda state, action: 1},
            "'play' of coin: must change the state in place, and return nothing",
        ),
        (
            {"play": lambda state, action: None},
            "'play' of coin: must change the state in place, and action [01] leaves it as it is",
        ),
        ({"play": _at_random}, "'play' of coin: action [01] must always lead to the same state, .* no random numbers"),
        ({"play": _now_x}, "'play' of coin: action [01] must always lead to the same state, got one with the key"),
        ({"legal_actions": _now_and_then}, r"'legal_actions' of coin: must always be the same in a state, got \[0"),
        ({"observe": lambda state, player, planes: 1}, "'observe' of coin: must write into the planes, and return"),
        ({"is_terminal": lambda state: True}, "'is_terminal' of coin: the game must not be over before the first move"),
        (
            {**_ALONE, "player": lambda state: 0},
            "^'player' of coin: only player 0 has moved in 20 games of up to 9",
        ),
        ({"key": lambda state: -1}, r"'key' of coin: must be a whole number from 0 to 2\*\*64 - 1, .* got -1"),
        ({"key": lambda state: 1.5}, r"'key' of coin: must be a whole number .* got 1\.5"),
        (
            {**_ALONE, "key": lambda state: np.uint64(1)},
            "'key' of coin: must differ for positions that play differently, got 1 here and in state",
        ),
        (
            {"action_to_str": lambda action: "x"},
            "action_to_str of coin gives actions 0 and 1 the same name, 'x'",
        ),
        (
            {"keys_after": _wrong_positions},
            "'keys_after' of coin: must be what `repetition_key` is after action",
        ),
    ],
)
def test_broken_promises(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_game(Game(**{**COIN, **change}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"pieces": lambda state: np.zeros(2, np.int8)},
            r"pieces\(state\) .* of coin must be .* \(1, 2\) .* got shape \(2,\)",
        ),
        ({"pieces": lambda state: np.zeros((1, 2))}, r"numbers 0 to 4, got shape \(1, 2\) of float64"),
        ({"pieces": lambda state: np.full((1, 2), -1)}, "numbers 0 to 4, got shape"),
        ({"cells": lambda state, action: action}, r"'board' of coin: cells\(state, [01]\) must be a tuple of cells"),
        ({"cells": lambda state, action: (action, 2)}, r"numbers from 0 to 1, got \([01], 2\), in state"),
        ({"cells": lambda state, action: (-1,)}, r"numbers from 0 to 1, got \(-1,\), in state"),
        ({"pieces": _no_pieces}, r"'board.pieces' of coin raised IndexError \(test_checker.py:\d+\): invalid index"),
        ({"cells": _no_cells}, r"'board.cells' of coin raised IndexError \(test_checker.py:\d+\): "),
        ({"row_labels": ("1", "2")}, "row_labels of the board of coin must be 1 or none"),
        ({"style": "lanes"}, "unknown style 'lanes' of the board of coin"),
    ],
)
def test_boards_that_do_not_fit(change: dict[str, Any], message: str) -> None:
    """Text and pictures of such games raised errors of Python, or drew other pieces."""
    good: dict[str, Any] = {
        "pieces": lambda state: np.array([[state.ply, 0]]),
        "cells": lambda state, action: (action,),
    }
    check_game(Game(**COIN, board=Board(1, 2, **good)))
    with pytest.raises(ValueError, match=message):
        check_game(Game(**COIN, board=Board(1, 2, **{**good, **change})))


def test_a_rule_that_does_not_compile_in_a_game_that_decodes() -> None:
    """Numba's own error came, on many lines."""

    def turn(state: Any) -> int:
        return state.ply & 1

    def player(state: Any) -> int:
        return turn(state)

    game = Game(**{**COIN, "player": player}, decode=lambda planes, state: state.__setattr__("ply", planes[0]))
    with pytest.raises(ValueError, match=r"^'player' of coin does not compile \(.*\): Untyped global name 'turn'.*$"):
        check_game(game)


def _two_sides(state: Any, player: int, planes: Any) -> None:
    planes[state.x] = state.ply


def test_what_is_wrong_with_a_setup() -> None:
    """A number too large ended a command with a traceback; what was returned was lost, and the state was zeros."""

    def setup(state: Any) -> None:
        state.x = 2**40

    with pytest.raises(ValueError, match=r"^'setup' of coin raised OverflowError \(test_checker.py:\d+\): "):
        Game(**COIN, setup=setup)
    with pytest.raises(ValueError, match=r"^'setup' of coin must fill the state in place, and return nothing"):
        Game(**COIN, setup=lambda state: (7, 0))


@pytest.mark.parametrize("shape", [(2,), (2, 1)])
def test_symmetries_of_observations_that_are_no_boards(shape: tuple[int, ...]) -> None:
    """They were looked at only where an observation was a board."""
    coin: dict[str, Any] = {**COIN, "observation_shape": shape, "observe": _two_sides}
    check_game(Game(**{**coin, "symmetries": [([1, 0], [1, 0])]}))
    with pytest.raises(ValueError, match="'symmetries' of coin: the image of the moves must lead to the image"):
        check_game(Game(**{**coin, "symmetries": [([0, 1], [1, 0])]}))
    with pytest.raises(ValueError, match="cells of a symmetry of coin must be the numbers from 0 to"):
        Game(**{**coin, "symmetries": [([2, 1, 0], [1, 0])]})


def test_planes_that_count_on_zeros() -> None:
    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0, 0, 0] = 1

    with pytest.raises(ValueError, match=r"'observe' of go.*: must write every value of the newest position"):
        check_game(go(board_size=2).replace(observe=observe, decode=None))


def test_a_player_whom_a_rule_of_repetition_leaves_no_move() -> None:
    """Environments had no legal action to show, in a game that went on."""
    game = Game(**{**COIN, **RING, "repetition": Repetition("forbidden")})
    with pytest.raises(ValueError, match=r"'repetition' of coin: forbids all of the legal actions \[0, 1\]"):
        check_game(game)
    check_game(game.replace(repetition=Repetition("forbidden", exempt=(1,))))
    check_game(game.replace(repetition=Repetition("draw")))
