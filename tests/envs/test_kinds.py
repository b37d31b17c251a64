"""Rules that return numbers of the wrong kind, and states and planes of the wrong one: told by name, in one line."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta
from plyground.envs import BoardGameEnv, Game, check_game, state_dtype
from plyground.envs.jit import kernel
from plyground.envs.jit.faults import compile_rules
from tests.helpers.coin import COIN

HERE = r"\(test_kinds.py:\d+\)"


def _counted(count: Any) -> Any:
    """Return a rule that writes both actions, and returns ``count``."""

    def legal_actions(state: Any, actions: Any) -> Any:
        actions[0], actions[1] = 0, 1
        return count

    return legal_actions


def _made(**change: Any) -> Game:
    return Game(**{**COIN, **change})


@pytest.mark.parametrize(
    ("rule", "written", "returns"),
    [
        ("player", lambda state: state.ply % 2 == 1, r"np\.False_"),
        ("player", lambda state: state.ply == 1 or False, "False"),
        ("player", lambda state: float(state.ply & 1), r"0\.0"),
        ("legal_actions", _counted(2.0), r"2\.0"),
        ("legal_actions", _counted(np.uint64(2)), r"np\.uint64\(2\)"),
        ("noisy_actions", lambda state, actions: 0.0, r"0\.0"),
        ("random_action", lambda state, actions, rng: 1.0, r"1\.0"),
        ("keys_after", lambda state, actions, keys, scratch: 2.0, r"2\.0"),
    ],
)
def test_no_whole_numbers(rule: str, written: Any, returns: str) -> None:
    """The check was silent, or failed itself, and searches with 50 to 154 lines of Numba's."""
    message = rf"^'{rule}' of coin {HERE} must return an int64, as np\.int64\(…\) gives, and returns {returns}"
    for use in (check_game, BoardGameEnv, lambda game: AlphaBeta(game, depth=1).analyse(game.new_state())):
        with pytest.raises(ValueError, match=message):
            use(_made(**{rule: written}))


@pytest.mark.parametrize("rule", ["key", "canonical_key", "repetition_key"])
def test_keys_that_have_a_sign_where_they_are_compiled(rule: str) -> None:
    game = _made(**{rule: lambda state: 2 * np.int64(state.x) + state.ply})
    message = rf"^'{rule}' of coin {HERE} must return a uint64, as np\.uint64\(…\) gives, and returns int64$"
    with pytest.raises(ValueError, match=message):
        check_game(game)
    if rule != "repetition_key":  # of which searches ask only where games repeat
        with pytest.raises(ValueError, match=message):
            AlphaBeta(game, depth=1).analyse(game.new_state())


@pytest.mark.parametrize(
    ("rule", "written", "returns"),
    [
        ("player", lambda state: state.ply % 2 == 1, "bool"),
        ("legal_actions", _counted(np.uint64(2)), "uint64"),
        ("key", lambda state: np.uint64(1) if state.ply else 0, "float64"),
    ],
)
def test_what_compiled_rules_return(rule: str, written: Any, returns: str) -> None:
    with pytest.raises(ValueError, match=rf"^'{rule}' of coin {HERE} must return an? u?int64, .* returns {returns}$"):
        compile_rules(_made(**{rule: written}))


def test_any_integer_that_kernels_can_use_is_fine() -> None:
    compile_rules(_made(player=lambda state: np.uint64(state.ply & 1), key=lambda state: np.uint32(state.x)))
    compile_rules(_made(player=lambda state: np.int8(0), legal_actions=_counted(np.uint8(2))))


@kernel
def _of_the_mover(game, state, numbers):
    return numbers[game.player(state)]


def test_a_kernel_that_is_called_as_it_is() -> None:
    """Batches with a search as the opponent said it on 166 lines: only kernels that were bound knew better."""
    numbers, state = np.arange(2), _made().new_state()
    assert _of_the_mover(_made(), state, numbers) == 0
    with pytest.raises(ValueError, match=rf"^'player' of coin {HERE} must return an int64, .*, and returns bool$"):
        _of_the_mover(game=_made(player=lambda state: state.ply == 1), state=state, numbers=numbers)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (("?", (3,)), r"\('\?', \(3,\)\)"),
        ("O", "object"),
        (">i2", ">i2"),
        (state_dtype(seen=("?", (2,))), ".*seen.*"),
    ],
)
def test_fields_that_numba_does_not_know(kind: Any, told: str) -> None:
    """Its errors named no field, the first none of ours."""
    message = rf"^field 'log' of a state of coin has dtype {told}, which Numba does not compile: .* 'u1' for booleans$"
    with pytest.raises(ValueError, match=message):
        _made(state=state_dtype(x="i4", log=kind, ply="i4"), key=lambda state: np.uint64(state.x))


def test_one_boolean_is_known() -> None:
    check_game(_made(state=state_dtype(x="?", ply="i4"), max_plies=1))


def test_rules_are_plain_functions() -> None:
    """The code that says which rule does not compile failed itself."""

    def call(side: int, state: Any, action: int) -> None:
        state.x, state.ply = action, side

    class Over:
        def __call__(self, state: Any) -> bool:
            return state.ply == 1

    for change in ({"play": partial(call, 1)}, {"is_terminal": Over()}, {"player": int}, {"is_valid": Over().__call__}):
        (rule,) = change
        with pytest.raises(TypeError, match=f"^rule '{rule}' of coin must be a plain function, .*, got "):
            _made(**change)


def test_fractions_that_planes_of_integers_cut_off() -> None:
    """A network saw ones at the start, and zeros for the rest of the game."""

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0] = state.ply / 2

    message = r"'observe' of coin: planes of int8 hold whole numbers, got 0\.5: give observation_dtype=np\.float32"
    with pytest.raises(ValueError, match=message):
        check_game(_made(observe=observe))
    check_game(_made(observe=observe, observation_dtype=np.float32))


def test_planes_of_integers_may_be_read_as_such() -> None:
    check_game(_made(observe=lambda state, player, planes: planes.fill(planes[0] | 1)))
    check_game(_made(observe=lambda state, player, planes: planes.fill((0, 1)[planes[0]])))
