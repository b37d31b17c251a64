"""PettingZoo's own tests, and what our environment promises beyond them."""

from __future__ import annotations

import copy
import os
import pickle
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.classic import connect_four_v3, tictactoe_v3
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test, test_save_obs
from pettingzoo.test.state_test import test_state, test_state_space

from plyground import envs
from plyground.agents import AlphaBeta
from plyground.envs import BoardGameEnv, Game, connect_four, connect_four_v0, game_names, make_game, tictactoe_v0
from tests.conftest import PLAYED

for imported in (test_save_obs, test_state, test_state_space):
    vars(imported)["__test__"] = False  # called below; pytest must not collect them

THIRD_PARTY = {  # said of every dict observation space that is not on PettingZoo's own list
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}


def messages(test: Callable[[], object]) -> set[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        test()
    return {str(warning.message) for warning in caught}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(connect_four_v0, connect_four_v3), (tictactoe_v0, tictactoe_v3)],
    ids=["connect_four", "tictactoe"],
)
@pytest.mark.parametrize("make", ["env", "raw_env"])
def test_api(ours: Any, theirs: Any, make: str) -> None:
    # The board is empty at first, and full after a draw: PettingZoo warns of that in its own environments too.
    allowed = messages(lambda: api_test(getattr(theirs, make)(), num_cycles=1000))
    assert messages(lambda: api_test(getattr(ours, make)(), num_cycles=1000)) <= allowed | THIRD_PARTY


@pytest.mark.parametrize("game", PLAYED, indirect=True)
@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_api_of_every_game(game: Game, illegal: Any) -> None:
    allowed = messages(lambda: api_test(connect_four_v3.env(), num_cycles=1000))
    assert messages(lambda: api_test(BoardGameEnv(game, illegal=illegal), num_cycles=1000)) <= allowed | THIRD_PARTY


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_a_module_and_an_id(name: str) -> None:
    module = import_module(f"plyground.envs.{name}_v0")
    assert vars(envs)["__getattr__"](f"{name}_v0") is module  # which nobody else may have imported
    assert f"import {name}_v0 as {name}_v0\n" in Path(envs.__file__).read_text()  # for type checkers
    made: Any = [module.env(), module.raw_env()]
    if hasattr(pettingzoo, "register"):  # since 1.27
        made.append(pettingzoo.make("aec", f"plyground/{name}-v0"))
    for env in made:
        assert env.unwrapped.game is make_game(name)
        assert str(env) == f"{name}_v0"
    assert [env.unwrapped.illegal for env in made[:2]] == ["lose", "raise"]


@pytest.mark.parametrize("game", PLAYED, indirect=True)
def test_seeds(game: Game) -> None:
    seed_test(lambda: BoardGameEnv(game), num_cycles=500)


@pytest.mark.parametrize("game", PLAYED, indirect=True)
def test_state_and_its_space(game: Game) -> None:
    env = BoardGameEnv(game)
    test_state_space(env)
    test_state(env, num_cycles=100)


def test_save_observations(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test_save_obs(BoardGameEnv("connect_four"))  # says that planes are no pictures, and saves none
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("game", PLAYED, indirect=True)
def test_render(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.envs.render.renderer.RENDER_FPS", 0)  # nobody watches
    make: Any = lambda **kwargs: BoardGameEnv(game, **kwargs)  # noqa: E731
    render_test(make)


@pytest.mark.slow
def test_performance_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    performance_benchmark(connect_four_v0.env())
    assert "turns per second" in capsys.readouterr().out


def test_max_cycles_truncates_both_players_after_so_many_turns(rng: np.random.Generator) -> None:
    env: Any = pettingzoo.make("aec", "plyground/connect_four-v0", max_cycles=3)
    env.reset()
    turns = dict.fromkeys(env.possible_agents, 0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        assert reward == 0
        assert not terminated
        turns[agent] += not truncated
        env.step(None if truncated else int(rng.integers(7)))
    assert turns == {"player_0": 3, "player_1": 3}


def test_registered_with_pettingzoo() -> None:
    env: Any = pettingzoo.make("aec", "plyground/connect_four-v0", rows=5, columns=6)
    assert env.game == connect_four(5, 6)
    assert str(env) == "connect_four_v0"
    assert str(pettingzoo.make("aec", "plyground/tictactoe-v0")) == "tictactoe_v0"


class TestChecks:
    """Bad input is refused, and leaves the environment as it was."""

    @pytest.fixture
    def env(self) -> BoardGameEnv:
        env = connect_four_v0.raw_env()
        env.reset(options={"moves": [3, 3, 3, 3, 3, 3]})
        return env

    @pytest.mark.parametrize("action", [-1, 7, 3.0, None, "3", [3], np.float32(2)])
    def test_no_action_of_the_game(self, env: BoardGameEnv, action: Any) -> None:
        before = pickle.dumps(env)
        with pytest.raises(ValueError, match="action must be an integer from 0 to 6"):
            env.step(action)
        assert pickle.dumps(env) == before

    def test_illegal_action(self, env: BoardGameEnv) -> None:
        before = pickle.dumps(env)
        with pytest.raises(
            ValueError, match=r"action 3 \(3\) is illegal for player_0: expected one of \[0, 1, 2, 4, 5, 6\]"
        ):
            env.step(3)
        assert pickle.dumps(env) == before

    @pytest.mark.parametrize("kind", [int, np.int32, np.uint8, np.int64, lambda a: np.array(a)])
    def test_any_kind_of_integer_is_an_action(self, env: BoardGameEnv, kind: Any) -> None:
        env.step(kind(2))
        assert env.moves == [2]

    def test_after_the_end(self) -> None:
        env = connect_four_v0.env()
        env.reset()
        for move in (0, 1, 0, 1, 0, 1, 0):
            env.step(move)
        with pytest.raises(ValueError, match="the only action left for player_1 is None, got 2"):
            env.step(2)
        env.step(None)
        env.step(None)
        assert env.agents == []
        with pytest.raises(ValueError, match=r"is over, and step\(2\) comes after it: call reset"):
            env.step(2)

    @pytest.mark.parametrize("use", ["agents", "rewards", "infos", "agent_selection", "num_agents"])
    def test_before_reset(self, use: str) -> None:
        with pytest.raises(AttributeError, match=r"cannot be accessed before reset"):
            getattr(connect_four_v0.env(), use)

    def test_methods_before_reset(self) -> None:
        env = connect_four_v0.env()
        for call in (
            lambda: env.step(0),
            env.last,
            lambda: env.observe("player_0"),
            env.state,
            lambda: list(env.agent_iter()),
        ):
            with pytest.raises(AttributeError, match="before reset"):
                call()

    def test_loop_without_a_step(self, env: BoardGameEnv) -> None:
        with pytest.raises(AssertionError, match=r"need to call step\(\) or reset\(\)"):
            for _ in env.agent_iter():
                pass

    def test_unknown_agent(self, env: BoardGameEnv) -> None:
        for asked in (env.observe, env.observation_space, env.action_space):
            with pytest.raises(ValueError, match=r"agent must be one of .* got 'player_7'"):
                asked("player_7")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"render_mode": "rgb"}, "render_mode must be"),
            ({"max_cycles": 0}, "max_cycles must be"),
            ({"illegal": "ignore"}, "illegal must be"),
            ({"rows": "six"}, "rows of connect_four must be of type int, got 'six'"),
            ({"row": 5}, "did you mean 'rows'"),
        ],
    )
    def test_arguments(self, arguments: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            connect_four_v0.env(**arguments)


class TestStartAnywhere:
    def test_from_moves_and_from_a_state(self) -> None:
        game, moves = connect_four(), [3, 3, 2, 4]
        env = BoardGameEnv(game)
        env.reset(options={"moves": moves})
        by_moves = env.state()
        env.reset(options={"state": game.play_moves(moves)})
        np.testing.assert_array_equal(env.state(), by_moves)
        env.reset(options={"state": game.play_moves(moves[:2]), "moves": moves[2:]})
        np.testing.assert_array_equal(env.state(), by_moves)
        assert env.agent_selection == "player_0"

    def test_the_given_state_is_not_touched(self) -> None:
        state = connect_four().new_state()
        env = BoardGameEnv("connect_four")
        env.reset(options={"state": state})
        env.step(0)
        assert state == connect_four().new_state()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"moves": [0, 0, 0, 0, 0, 0, 0]}, "move 0 at index 6 is illegal"),
            ({"moves": [0, 9]}, "move 9 at index 1 is illegal"),
            ({"moves": ["x"]}, "no action 'x'"),
            ({"moves": [0, 1, 0, 1, 0, 1, 0]}, "from a finished position"),
            ({"moves": [0, 1, 0, 1, 0, 1, 0, 1]}, "at index 7 comes after the end"),
            ({"state": np.zeros(3)}, "must be one state of connect_four"),
            ({"state": "start"}, "must be one state of connect_four"),
            *((falsy, "options must be a dict such as .*, got") for falsy in ([], "", 0, False)),
        ],
    )
    def test_impossible_starts_change_nothing(self, options: Any, message: str) -> None:
        env = BoardGameEnv("connect_four")
        env.reset(options={"moves": [1, 2]})
        before = pickle.dumps(env)
        with pytest.raises(ValueError, match=message):
            env.reset(options=options)
        assert pickle.dumps(env) == before


def continue_game(env: Any, moves: list[int]) -> list[Any]:
    seen = []
    for move in moves:
        env.step(move)
        observation, reward, terminated, truncated, info = env.last()
        seen.append((env.agent_selection, reward, terminated, truncated, env.moves[:], info["state"].item().__repr__()))
        seen.append(tuple(a.tobytes() for a in (*observation.values(), info["action_mask"], env.state())))
    return seen


@pytest.mark.parametrize(
    "clone",
    [
        copy.deepcopy,
        pytest.param(lambda env: pickle.loads(pickle.dumps(env)), marks=pytest.mark.slow),
    ],
    ids=["deepcopy", "pickle"],
)
def test_copies_continue_identically_from_every_ply(game: Game, clone: Any, rng: np.random.Generator) -> None:
    env = BoardGameEnv(game)
    env.reset()
    moves = []
    while not any(env.terminations.values()):
        moves.append(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
        env.step(moves[-1])
    for ply in range(0, len(moves), 1 + len(moves) // 25):  # of long games not each
        env.reset(options={"moves": moves[:ply]})
        env.moves = []
        twin, witness = clone(env), clone(env)
        expected = continue_game(env, moves[ply:])
        assert continue_game(twin, moves[ply:]) == expected
        assert witness.state().tobytes() != env.state().tobytes()  # playing on in one leaves the others
        assert continue_game(witness, moves[ply:]) == expected


def arrays_of(env: BoardGameEnv) -> list[np.ndarray[Any, Any]]:
    """Return all arrays of an environment that it writes into, or hands out."""
    place = env._position
    state = np.frombuffer(place.state, np.uint8)  # pyright: ignore[reportArgumentType]
    kept = *(place.past or ()), *(place._frames or ()), *place._scratch
    own = state, place.planes, place.mask, place.utilities, *kept
    told = [value for info in env.infos.values() for value in info.values()]
    return [one for one in (*own, *told) if isinstance(one, np.ndarray)]


@pytest.mark.parametrize("game", ["connect_four", "checkers", "go(board_size=5)"])
def test_copies_share_no_memory(game: str) -> None:
    env = BoardGameEnv(game)
    env.reset()
    pairs = list(zip(arrays_of(env), arrays_of(copy.deepcopy(env)), strict=True))
    assert len(pairs) > 5
    for one, other in pairs:
        assert one.size
        assert not np.shares_memory(one, other)


def test_shown_arrays_are_the_callers_own() -> None:
    env = BoardGameEnv("connect_four")
    env.reset()
    observation, _, _, _, info = env.last()
    for shown in (observation["observation"], observation["action_mask"], info["action_mask"]):
        shown[...] = 1
    env.game.play(info["state"], 0)
    assert not env.state().any()  # no stone, and the first player is to move
    env.step(3)
    assert env.state()[..., :2].sum() == 1
    assert env.moves == [3]


def test_playing_on_in_the_state_that_is_shown_changes_no_picture_and_no_message() -> None:
    played, expected = (BoardGameEnv("connect_four", render_mode="svg") for _ in range(2))
    for env in (played, expected):
        env.reset(options={"moves": [3]})
        env.step(3)
    for _ in range(2):  # the cell of the next move is found in the state before it
        played.game.play(played.infos["player_0"]["state"], 3)
    for env in (played, expected):
        env.step(3)
    assert played.render() == expected.render()
    assert played._repr_svg_() == expected._repr_svg_()
    chess = BoardGameEnv("chess", illegal="raise")
    chess.reset()
    action = chess.game.move_of(chess.game.new_state(), "e2e5")
    chess.game.play(chess.infos["player_0"]["state"], chess.game.move_of(chess.game.new_state(), "d2d4"))
    with pytest.raises(ValueError, match=rf"action {action} \(e2e5\) is illegal for player_0"):  # as white names it
        chess.step(action)


def test_state_can_be_left_out_of_the_infos() -> None:
    env, with_state = connect_four_v0.env(info_state=False), connect_four_v0.env()
    search, same = AlphaBeta("connect_four", depth=4), AlphaBeta("connect_four", depth=4)
    env.reset()
    with_state.reset()
    while not with_state.terminations[with_state.agent_selection]:
        (observation, *_, info), (expected, *_, full) = env.last(), with_state.last()
        assert set(full) - set(info) == {"state"}
        action = same.act(expected, full)
        assert search.act(observation, info) == action  # a search rebuilds the state from the observation
        env.step(action)
        with_state.step(action)
    assert [set(info) for info in env.infos.values()] == [{"action_mask"}] * 2
    assert env.rewards == with_state.rewards


def test_state_shows_board_and_turn() -> None:
    env = BoardGameEnv("connect_four")
    env.reset(options={"moves": [3]})
    state = env.state()
    assert state.shape == (6, 7, 3)
    assert state in env.state_space
    assert state[5, 3].tolist() == [1, 0, 1]
    assert (state[:, :, 2] == 1).all()


def test_text_board() -> None:
    env = BoardGameEnv("tictactoe", render_mode="ansi")
    env.reset(options={"moves": [4, 0]})
    assert env.render() == "O 3 6\n1 X 7\n2 5 8\nplayer_1 to move"
    env.step(3)
    env.step(1)
    env.step(5)
    assert env.render() == "O X 6\nO X 7\n2 X 8\nplayer_1 won after 3 plies"
    for _ in range(2):  # the agents leave, and what tells of truncation with them
        env.step(None)
    assert env.status() == "player_1 won"
    env.reset()
    env.step(4)
    assert env.status() == "player_2 to move"
    env.step(4)
    assert env.render().endswith("stopped after 1 ply")
    env.step(None)
    env.step(None)
    assert env.status() == "stopped"
    silent = BoardGameEnv("tictactoe")
    silent.reset()
    with pytest.warns(UserWarning, match="needs a render_mode"):
        assert silent.render() is None


def test_why_there_is_no_parallel_environment() -> None:
    from plyground.envs import go_v0

    assert not hasattr(go_v0, "parallel_env")
    with pytest.raises(AttributeError, match="the players take turns, so there is no parallel environment"):
        _ = go_v0.parallel_env  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValueError, match=r"^the players take turns"):
        pettingzoo.make("parallel", "plyground/go-v0")
