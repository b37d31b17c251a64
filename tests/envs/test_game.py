"""What a Game promises: parameters, copies, keys, clear errors, and the check of its rules."""

from __future__ import annotations

import copy
import pickle
from typing import Any, cast
from unittest.mock import patch

import cloudpickle
import gymnasium
import numpy as np
import pettingzoo
import pytest

from plyground.agents import AlphaBeta
from plyground.envs import (
    BoardGameEnv,
    Game,
    Knowledge,
    Repetition,
    as_game,
    check_game,
    connect_four,
    game_factory,
    game_names,
    go,
    make_game,
    register_game,
    registry,
    state_dtype,
    tictactoe,
)
from plyground.envs.jit.keys import key_rule


class TestGames:
    def test_names_and_parameters(self) -> None:
        assert game_names() == [
            "checkers",
            "chess",
            "connect_four",
            "go",
            "gomoku",
            "minichess",
            "mnk",
            "othello",
            "tictactoe",
        ]
        assert make_game("connect_four") is connect_four() is make_game("connect_four(rows=6)")
        assert (
            make_game("connect_four", rows=5, columns=6)
            is make_game("connect_four(rows=5, columns=6)")
            is connect_four(5, 6)
        )
        assert connect_four(5, 6).spec == "connect_four(rows=5, columns=6)"
        assert connect_four(rows=5).spec == "connect_four(rows=5)"
        assert (connect_four().spec, connect_four().parameters) == ("connect_four", {"rows": 6, "columns": 7})

    def test_presets(self) -> None:
        assert make_game("go_9x9") is make_game("go(board_size=9)")
        assert make_game("go_9x9", komi=5.5) is go(9, 5.5)

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("conect_four", "unknown game 'conect_four': did you mean 'connect_four'"),
            (
                "shogi",
                "unknown game 'shogi': Choose from: checkers, chess, connect_four, go, go_9x9, gomoku, minichess, mnk",
            ),
            ("connect_four(row=5)", "unknown parameter 'row' of game 'connect_four': did you mean 'rows'"),
            ("tictactoe(rows=5)", "unknown parameter 'rows' of game 'tictactoe': it takes none"),
            ("connect_four(rows=x)", "rows of connect_four must be of type int, got 'x'"),
            ("connect_four(rows=5.0)", "rows of connect_four must be of type int, got 5.0"),
            ("connect_four(rows=True)", "rows of connect_four must be of type int, got True"),
            ("connect_four(5, 6, 7)", "too many positional arguments"),
            ("connect_four(rows=2)", "got rows=2"),
        ],
    )
    def test_unknown(self, spec: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            make_game(spec)

    def test_as_game(self) -> None:
        assert as_game(tictactoe()) is tictactoe()
        with pytest.raises(TypeError, match="expected a Game or the name of one, got 3"):
            as_game(3)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="cannot be given beside the game"):
            as_game(tictactoe(), rows=3)

    def test_copies_are_the_same_game(self, game: Game) -> None:
        assert pickle.loads(pickle.dumps(game)) is game
        assert copy.deepcopy(game) is copy.copy(game) is game
        changed = game.replace(evaluate=_nothing)
        assert changed != game
        assert pickle.loads(pickle.dumps(changed)) == changed
        assert hash(pickle.loads(pickle.dumps(changed))) == hash(changed)
        assert repr(game) == f"<Game {game.spec}>"

    @patch.dict(registry._factories)
    @patch.dict(gymnasium.registry)
    @patch.dict(pettingzoo.aec_registry)
    @patch.dict(pettingzoo.parallel_registry)
    def test_registered_once_for_all(self) -> None:
        register_game(_coin, title="Coin", namespace="test")
        register_game(_coin, namespace="test")  # again, as a notebook cell does
        assert make_game("_coin").name == "coin"
        assert "test/Coin-v0" in gymnasium.registry
        assert "test/_coin-v0" in pettingzoo.aec_registry

        @game_factory
        def tictactoe() -> Game:
            raise AssertionError

        with pytest.raises(ValueError, match=r"already registered by plyground\.envs\.games\.tictactoe"):
            register_game(tictactoe)
        with pytest.raises(ValueError, match="expected a function decorated with game_factory"):
            register_game(lambda: connect_four())

    def test_parameters_that_cannot_be_looked_up(self) -> None:
        @game_factory
        def heaps(sizes: Any = None) -> Game:
            return Game(**_COIN)

        assert heaps((3, 4)) is heaps((3, 4)) is not heaps()
        assert heaps((3, 4)).spec == "coin(sizes=(3, 4))"
        with pytest.raises(
            ValueError, match=r"sizes of heaps must be hashable, such as a number or a tuple, got \[3\]"
        ):
            heaps([3])

    def test_a_game_has_one_spec_however_its_numbers_are_written(self) -> None:
        @game_factory
        def heaps(share: float = 0.5, sizes: Any = None) -> Game:
            return Game(**_COIN)

        for first, second in (heaps(7), heaps(7.0)), (heaps(8.0), heaps(8)), (heaps(0), heaps(-0.0)):
            assert first is second
        assert heaps(7).spec == "coin(share=7.0)"
        assert type(heaps(7).parameters["share"]) is float
        assert heaps(0.5).spec == heaps().spec == "coin"
        specs = [heaps(sizes=sizes).spec for sizes in (1, 1.0, True, (1, 2), (True, 2))]
        assert specs == [f"coin(sizes={sizes})" for sizes in ("1", "1.0", "True", "(1, 2)", "(True, 2)")]
        with pytest.raises(ValueError, match="share of heaps must be of type float, got True"):
            heaps(True)
        with pytest.raises(ValueError, match="share of heaps must be a number that a float holds, got 1000"):
            heaps(10**400)

    def test_a_factory_that_gives_the_game_of_another_one_leaves_that_as_it_is(self) -> None:
        @game_factory
        def ours(depth: int = 3) -> Game:
            return tictactoe()

        assert ours(4).spec == "tictactoe(depth=4)"
        assert (tictactoe().spec, tictactoe().parameters) == ("tictactoe", {})
        assert ours(4) is ours(4)

    def test_one_without_a_factory(self) -> None:
        game = Game(**_COIN)
        assert pickle.loads(cloudpickle.dumps(game)) == game
        assert AlphaBeta(game, depth=1).analyse(game.new_state()).best_action == 1
        env = BoardGameEnv(game)
        env.reset()
        env.step(0)
        assert env.rewards == {"player_0": -1, "player_1": 1}
        with pytest.raises(ValueError, match="cannot rebuild a state"):
            game.state_from_observation(np.zeros(1))

    @pytest.mark.parametrize(
        ("change", "error", "message"),
        [
            ({"name": "Coin Toss"}, ValueError, "name must be lower case"),
            ({"num_actions": 0}, ValueError, "num_actions must be a whole number, at least 1, got 0"),
            ({"num_actions": 2.0}, ValueError, r"num_actions must be a whole number, at least 1, got 2\.0"),
            ({"max_plies": float("inf")}, ValueError, "max_plies must be a whole number, at least 1, got inf"),
            ({"max_utility": 0}, ValueError, "max_utility of coin must be a number above 0, got 0"),
            ({"max_utility": float("nan")}, ValueError, "max_utility of coin must be a number above 0, got nan"),
            ({"observation_shape": ()}, ValueError, "observation_shape of coin must have a size at least"),
            ({"observation_shape": (2, 0)}, ValueError, "size of the observation_shape of coin must be .*, got 0"),
            ({"observation_high": 300}, ValueError, "observation_high of coin .* from 0 to 127, .* int8 hold, got 300"),
            ({"observation_dtype": "U3"}, ValueError, "observation_dtype of coin must be of integers or floats"),
            ({"history": (1,)}, ValueError, r"history must be \(frames, planes\), two numbers, got \(1,\)"),
            (
                {"fixed": ("heap",)},
                ValueError,
                r"fixed of coin must be names of fields, \['x', 'ply'\], got \['heap'\]",
            ),
            ({"players": (0, 1)}, ValueError, "players must be two names such as 'player_0'"),
            ({"decode": True}, TypeError, "decode of coin must be a function, got True"),
            ({"observe": None}, TypeError, "observe of coin must be a function, got None"),
            ({"symmetries": [([0.5], [1, 0])]}, ValueError, "two lists of whole numbers"),
            ({"symmetries": [([0], [1, 0]), ([1, 0], [1, 0])]}, ValueError, "cells of a symmetry of coin .* 0 to 0"),
            ({"players": ("white", "black")}, ValueError, "players must be two names such as 'player_0'"),
            ({"players": ("player_0", "player_0")}, ValueError, "players must be two names such as 'player_0'"),
            ({"symmetries": [([0], [0, 0])]}, ValueError, "actions of a symmetry of coin must be .* from 0 to 1, each"),
            ({"symmetries": [([1, 2], [1, 0])]}, ValueError, "cells of a symmetry of coin .* from 0 to 1, each once"),
            ({"repetition": ("draw", 3)}, TypeError, "repetition of coin must be a Repetition"),
            (
                {"repetition": Repetition(cast(Any, "forbid"))},
                ValueError,
                "must be 'forbidden' or 'draw', got 'forbid'",
            ),
            ({"repetition": Repetition("draw", 1)}, ValueError, "times of a repetition must be .* at least 2, got 1"),
            ({"repetition": Repetition("draw", exempt=(2,))}, ValueError, "exempt action .* from 0 to 1, got 2"),
            ({"repetition": Repetition("draw", memory=0)}, ValueError, "memory of a repetition must be .*, got 0"),
            ({"repetition": Repetition("draw", channel=1)}, ValueError, "channel of a repetition .* 0 to 0, got 1"),
            ({"state": np.dtype("i4")}, TypeError, "state must be a record dtype"),
            ({"state": np.dtype([("x", "i4")])}, TypeError, "state must be a record dtype"),
            ({"play": lambda state: None}, TypeError, r"rule 'play' of coin must take \(state, action\), but takes 1"),
            ({"state": state_dtype(x="f8", ply="i4")}, ValueError, "field 'x' of the state has dtype float64"),
        ],
    )
    def test_bad_definitions(self, change: dict[str, Any], error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            Game(**{**_COIN, **change})

    def test_planes_of_another_game(self) -> None:
        with pytest.raises(ValueError, match=r"has shape \(6, 7, 2\), got \(3, 3, 2\): does it come from another game"):
            connect_four().state_from_observation(np.zeros((3, 3, 2)))


def _nothing(state: Any, player: int) -> float:
    return 0.0


def _call(state: Any, action: int) -> None:
    state.x = action
    state.ply += 1


def _two(state: Any, actions: Any) -> int:
    actions[0], actions[1] = 0, 1
    return 2


def _won(state: Any, player: int) -> float:
    return 1.0 if (state.x == 1) == (player == 0) else -1.0


def _see(state: Any, player: int, planes: Any) -> None:
    planes[0] = state.ply


def _turn(state: Any) -> int:
    return state.ply & 1


def _over(state: Any) -> bool:
    return state.ply == 1


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


def _far_features(state: Any, last: int, before: int, actions: Any, features: Any) -> int:
    actions[0], features[0, 0] = 1, 3
    return 1


def _bad_priors(state: Any, last: int, before: int, actions: Any, count: int, visits: Any, values: Any) -> None:
    visits[:] = -1


_COIN: dict[str, Any] = {  # the first player names the side that the coin shows, and should say 1
    "name": "coin",
    "state": state_dtype(x="i4", ply="i4"),
    "num_actions": 2,
    "max_plies": 1,
    "observation_shape": (1,),
    "player": _turn,
    "legal_actions": _two,
    "play": _call,
    "is_terminal": _over,
    "utility": _won,
    "observe": _see,
}


@game_factory
def _coin() -> Game:
    return Game(**_COIN)


class TestCheckGame:
    def test_good_games(self, game: Game) -> None:
        check_game(game, games=5)

    def test_a_good_game_of_one_ply(self) -> None:
        check_game(Game(**_COIN))

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"player": lambda state: 2}, "'player' of coin: must be 0 or 1, got 2"),
            ({"legal_actions": lambda state, actions: 0}, "'legal_actions' of coin: must write ids of 0 to 1"),
            ({"legal_actions": lambda state, actions: 2}, r"got 2: \[-1, -1\]"),
            ({"num_actions": 1}, r"must write ids of 0 to 0, ascending, and return how many, got 2: \[0, 1\]"),
            ({"is_terminal": lambda state: False}, "'max_plies' of coin: a game must end after 1 plies"),
            ({"utility": lambda state, player: 1.0}, r"'utility' of coin: must be .* opposite .* got 1\.0 and 1\.0"),
            ({"max_utility": 0.5}, r"'utility' of coin: must be up to ±0\.5"),
            ({"evaluate": lambda state, player: 1.0 - 2 * player}, r"'evaluate' of coin: must be inside ±1\.0"),
            (
                {"observe": lambda state, player, planes: planes.fill(3)},
                "'observe' of coin: values must be 0 to 1, got 3 to 3",
            ),
            ({"decode": lambda planes, state: state.__setattr__("x", 5)}, "'decode' of coin: must give back"),
            ({"text": lambda state: 3}, "'text' of coin: must return a string, got 3"),
            ({"str_to_action": lambda text: 0}, r"str_to_action\('1'\) of coin must be 1, got 0"),
            ({"fixed": ("ply",)}, "'fixed' of coin: no move may change 'ply', 0 at the start"),
            ({"noisy_actions": _other}, r"'noisy_actions' of coin: must write legal actions, .* \[0, 1\], got \[2\]"),
            ({"observe": _count_looks}, r"'observe' of coin: must not change the state, in state \(0, 0\)"),
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
            ({"stakes": lambda state, action: 1.0}, "'stakes' of coin: must return two numbers, got 1.0"),
            ({"exchange": lambda state, action, least: None}, "'exchange' of coin: must return a number, got None"),
            ({"passed": _pass_on}, "'passed' of coin: the other player must be to move"),
            (
                {"symmetries": [([0], [1, 0])], "observe": lambda state, player, planes: planes.fill(state.x)},
                "'symmetries' of coin: the image of the moves must lead to the image of the position",
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
                {"keys_after": _wrong_positions},
                "'keys_after' of coin: must be what `repetition_key` is after action",
            ),
        ],
    )
    def test_broken_promises(self, change: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            check_game(Game(**{**_COIN, **change}))

    def test_planes_that_count_on_zeros(self) -> None:
        def observe(state: Any, player: int, planes: Any) -> None:
            planes[0, 0, 0] = 1

        with pytest.raises(ValueError, match=r"'observe' of go.*: must write every value of the newest position"):
            check_game(go(board_size=2).replace(observe=observe, decode=None))


class TestKeys:
    def test_small_records_are_packed_exactly(self) -> None:
        layout = state_dtype(a="i2", b=("u1", (3,)), c="?")
        key = key_rule(layout)
        states = np.zeros(3, layout)
        states[1].a, states[2].b = -1, (0, 0, 1)
        states[2].c = True
        assert [int(key(state)) for state in states] == [0, 0xFFFF_0000_0000, 0x0000_0000_0101]

    def test_large_records_are_mixed(self) -> None:
        layout = state_dtype(board=("i1", (20,)), ply="i4")
        key = key_rule(layout)
        states = np.zeros(21, layout)
        for i in range(20):
            states[i].board[i] = 1
        with np.errstate(over="ignore"):
            assert len({int(key(state)) for state in states}) == 21

    def test_one_field_of_64_bits_is_its_own_key(self) -> None:
        layout = state_dtype(board="u8")
        state = np.zeros(1, layout)[0]
        state.board = 2**63 + 5
        assert int(key_rule(layout)(state)) == 2**63 + 5
