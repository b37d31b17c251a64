"""What a Game promises: parameters, copies, keys, and clear errors."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any, cast

import cloudpickle
import numpy as np
import pytest

from plyground.agents import Minimax
from plyground.arena.training.alphazero.samples import sample_dtype
from plyground.envs import (
    Board,
    BoardGameEnv,
    Game,
    Knowledge,
    Repetition,
    as_game,
    connect_four,
    game_factory,
    game_names,
    go,
    make_game,
    state_dtype,
    tictactoe,
)
from plyground.envs.jit.keys import key_rule
from plyground.envs.repetition import new_past
from tests.helpers.coin import COIN

BOARD = cast(Board, connect_four().board)


_SHOWN: dict[str, Any] = {"observation_shape": (2, 2, 3)}  # four cells


def _listing(rows: Any) -> Any:
    return lambda state: str(rows)


class Rows:
    def __init__(self, rows: int) -> None:
        self.rows = rows

    def pieces(self, state: Any) -> Any:
        return np.zeros((self.rows, 7), np.int8)


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
        assert make_game("go_9x9", komi=5.5) is make_game(" go_9x9(komi=5.5)") is go(9, 5.5)

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
            ("connect_four(5, 6, 7)", r"too many positional arguments; expected connect_four\(rows=6, columns=7\)$"),
            ("connect_four(rows=2)", "got rows=2"),
            ("go_9x9(5)", r"'go_9x9' is short for 'go\(board_size=9\)': give parameters by name, got 'go_9x9\(5\)'"),
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

    @pytest.mark.parametrize(
        "changes",
        [
            {"observation_dtype": np.float32},
            {"observation_high": 3},
            {"observation_shape": (6, 7, 3)},
            {"players": ("red_0", "blue_0")},
            {"symmetries": ()},
            {"board": None},
            {"board": dataclasses.replace(BOARD, marks=".AB")},
            {"board": dataclasses.replace(BOARD, threatened=lambda state: (0,))},
            {"history_turned": True},
            {"history_swap": (1, 0)},
            {"fixed": ("ply",)},
            {"owners": lambda state: np.zeros(42, np.int8)},
            {"action_to_str": "column {}".format},
            {"knowledge": Knowledge(num_weights=5)},
            {"text": _listing(range(3))},
        ],
    )
    def test_what_differs_in_anything_is_another_game(self, changes: dict[str, Any]) -> None:
        game = connect_four().replace(history=(1, 2))
        assert game.replace(**changes) != game
        assert game.replace(**changes) == game.replace(**changes)

    def test_what_texts_and_boards_reach_counts(self) -> None:
        """Games were equal that show other rows, or other pieces."""
        for one, other in ((range(3), range(6)), (slice(0, 3), slice(3, 6)), (Rows(3), Rows(6))):
            games = [connect_four().replace(text=_listing(rows)) for rows in (one, other, copy.deepcopy(one))]
            assert games[0] == games[2] != games[1]
        boards = [dataclasses.replace(BOARD, pieces=Rows(rows).pieces) for rows in (3, 6, 3)]
        games = [connect_four().replace(board=board) for board in boards]
        assert games[0] == games[2] != games[1]

    def test_what_is_made_twice_is_one_game(self) -> None:
        game = connect_four()
        again: Any = inspect.unwrap(connect_four)()  # other functions, which are the same
        assert again is not game
        assert again == game
        assert hash(again) == hash(game)
        given = {"symmetries": [(one.cells.tolist(), one.actions.tolist()) for one in game.symmetries]}
        assert game.replace(observation_dtype="int8", **given) == game

    def test_caches_tell_games_apart(self) -> None:
        game = connect_four()
        sizes = [sample_dtype(one)["observation"].shape for one in (game, game.replace(observation_high=3))]
        assert sizes == [(11,), (84,)]

    def test_lists_and_numbers_of_numpy_are_kept_as_pythons_own(self) -> None:
        """Such games could not be hashed, or had no past."""
        memory: Any = np.int64(4)
        exempt: list[Any] = [[1], (1,)]
        games = [Game(**COIN, repetition=Repetition("forbidden", exempt=one, memory=memory)) for one in exempt]
        assert len({*map(hash, games)}) == 1
        assert new_past(games[0], 1) is not None
        deep: dict[str, Any] = {**COIN, "observation_shape": (1, 1, 2)}
        assert hash(Game(**deep, history=cast(Any, [2, 1]))) == hash(Game(**deep, history=(2, 1)))

    def test_parameters_may_be_numbers_of_numpy(self) -> None:
        rows: Any = np.int64(5)
        assert connect_four(rows=rows) is connect_four(rows=5)
        assert make_game("go", board_size=np.uint8(5), komi=np.float32(0.5)).spec == "go(board_size=5, komi=0.5)"
        for odd in (np.float64(5), np.bool_(True)):
            with pytest.raises(ValueError, match="rows of connect_four must be of type int"):
                make_game("connect_four", rows=odd)

    def test_parameters_that_cannot_be_looked_up(self) -> None:
        @game_factory
        def heaps(sizes: Any = None) -> Game:
            return Game(**COIN)

        assert heaps((3, 4)) is heaps((3, 4)) is not heaps()
        assert heaps((3, 4)).spec == "coin(sizes=(3, 4))"
        assert heaps(tuple(np.arange(3, 5))) is heaps((3, 4))
        with pytest.raises(
            ValueError, match=r"sizes of heaps must be hashable, such as a number or a tuple, got \[3\]"
        ):
            heaps([3])
        with pytest.raises(TypeError, match=r"^heaps\(\): got an unexpected keyword argument 'size'$"):
            heaps(size=3)  # pyright: ignore[reportCallIssue]

    def test_a_game_has_one_spec_however_its_numbers_are_written(self) -> None:
        @game_factory
        def heaps(share: float = 0.5, sizes: Any = None) -> Game:
            return Game(**COIN)

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
        game = Game(**COIN)
        assert pickle.loads(cloudpickle.dumps(game)) == game
        assert Minimax(game, depth=1).analyse(game.new_state()).best_action == 1
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
            ({"max_plies": float("inf")}, ValueError, "max_plies must be a whole number, from 1 to 2147483647, got"),
            (
                {"max_plies": 2**31},
                ValueError,
                "max_plies must be a whole number, from 1 to 2147483647, got 2147483648",
            ),
            ({"max_utility": 0}, ValueError, "max_utility of coin must be a number above 0, got 0"),
            ({"max_utility": float("nan")}, ValueError, "max_utility of coin must be a number above 0, got nan"),
            ({"observation_shape": ()}, ValueError, "observation_shape of coin must have a size at least"),
            ({"observation_shape": 27}, ValueError, r"observation_shape of coin must be a tuple, as in .*, got 27"),
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
            ({"symmetries": [5]}, ValueError, r"must be Symmetry\(cells, actions\), two lists .*, got 5"),
            ({"symmetries": [([0], [1, 0]), ([1, 0], [1, 0])]}, ValueError, "cells of a symmetry of coin .* 0 to 0"),
            ({"players": ("white", "black")}, ValueError, "players must be two names such as 'player_0'"),
            ({"players": ("player_0", "player_0")}, ValueError, "players must be two names such as 'player_0'"),
            ({"symmetries": [([0], [0, 0])]}, ValueError, "actions of a symmetry of coin must be .* from 0 to 1, each"),
            ({"symmetries": [([1, 2], [1, 0])]}, ValueError, "cells of a symmetry of coin .* from 0 to 0, each once"),
            ({"repetition": ("draw", 3)}, TypeError, "repetition of coin must be a Repetition"),
            (
                {"repetition": Repetition(cast(Any, "forbid"))},
                ValueError,
                "must be 'forbidden' or 'draw', got 'forbid'",
            ),
            ({"repetition": Repetition("draw", 2**64)}, ValueError, "times of a repetition must be .*, got 18446744"),
            ({"repetition": Repetition("draw", memory=2**64)}, ValueError, "memory of a repetition .*, got 18446744"),
            ({"repetition": Repetition("draw", 1)}, ValueError, "times of a repetition must be .* from 2 to .*, got 1"),
            ({"repetition": Repetition("forbidden", exempt=(2,))}, ValueError, "exempt action .* from 0 to 1, got 2"),
            ({"repetition": Repetition("draw", exempt=(1,))}, ValueError, r"'forbidden': a draw has none, got \(1,\)"),
            ({"repetition": Repetition("forbidden", announced=True)}, ValueError, "announced is for effect 'draw'"),
            ({"repetition": Repetition("draw", memory=0)}, ValueError, "memory of a repetition must be .*, got 0"),
            ({"repetition": Repetition("draw", channel=1)}, ValueError, "channel of a repetition .* 0 to 0, got 1"),
            ({"state": np.dtype("i4")}, TypeError, "state must be a record dtype"),
            ({"players": 5}, ValueError, "players must be a tuple, as in .*, got 5"),
            ({"fixed": 5}, ValueError, "fixed must be a tuple, as in .*, got 5"),
            ({**_SHOWN, "symmetries": [([0, 2, 1], [1, 0])]}, ValueError, "cells of a symmetry of coin .* from 0 to 3"),
            (
                {**_SHOWN, "symmetries": [([1, 0, 2, 3, 4], [1, 0])]},
                ValueError,
                "cells of a symmetry of .* from 0 to 3",
            ),
            ({"symmetries": 5}, ValueError, "symmetries must be a tuple, as in .*, got 5"),
            ({"state": np.dtype([("x", "i4")])}, TypeError, "state must be a record dtype"),
            ({"state": state_dtype(size="i4")}, ValueError, "a state of coin has a field 'size', and records of NumPy"),
            ({"play": lambda state: None}, TypeError, r"rule 'play' of coin must take \(state, action\), but takes 1"),
            ({"state": state_dtype(x="f8", ply="i4")}, ValueError, "field 'x' of the state has dtype float64"),
        ],
    )
    def test_bad_definitions(self, change: dict[str, Any], error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            Game(**{**COIN, **change})

    def test_planes_of_another_game(self) -> None:
        with pytest.raises(ValueError, match=r"has shape \(6, 7, 2\), got \(3, 3, 2\): does it come from another game"):
            connect_four().state_from_observation(np.zeros((3, 3, 2)))


def _nothing(state: Any, player: int) -> float:
    return 0.0


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
