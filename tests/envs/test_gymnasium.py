"""The one-seat environment: Gymnasium's and stable-baselines3's checks, and whose reward is whose."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from plyground.agents import AlphaBeta, Random
from plyground.envs import Game, SoloEnv, as_opponents, connect_four, game_names
from tests.conftest import PLAYED


class Scripted:
    """Plays a list of moves."""

    def __init__(self, *moves: int) -> None:
        self.moves = moves

    def reset(self, seed: int | None = None) -> None:
        self.left = list(self.moves)

    def act(self, observation: Any, info: Any = None) -> int:
        return self.left.pop(0)


IDS = sorted(env_id for env_id in gymnasium.registry if env_id.startswith("plyground/"))
CHECKED = [  # the rules of two are compiled for these checks alone
    pytest.param(env_id, marks=pytest.mark.slow) if env_id in ("plyground/Go-v0", "plyground/Minichess-v0") else env_id
    for env_id in IDS
]


def test_every_game_has_an_id() -> None:
    games = {gymnasium.spec(env_id).kwargs["game"] for env_id in IDS}
    assert games == {*game_names(), "go(board_size=9)"}
    assert {"plyground/ConnectFour-v0", "plyground/TicTacToe-v0", "plyground/MNK-v0", "plyground/Go9x9-v0"} <= set(IDS)


@pytest.mark.parametrize("seat", ["first", "second", "random"])
@pytest.mark.parametrize("env_id", CHECKED)
def test_gymnasium_check(env_id: str, seat: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.envs.render.renderer.RENDER_FPS", 0)  # nobody watches
    check_env(gymnasium.make(env_id, opponent="random", seat=seat).unwrapped)


@pytest.mark.parametrize("env_id", CHECKED)
def test_stable_baselines3_check(env_id: str) -> None:
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
    sb3.check_env(gymnasium.make(env_id, opponent="random").unwrapped)


def test_what_an_illegal_move_returns_is_new() -> None:
    env = SoloEnv("connect_four", "random", seat="first")
    _, before = env.reset(options={"moves": [0, 0, 0, 0, 0, 0]})
    _, _, terminated, _, after = env.step(0)
    assert terminated
    for name in ("action_mask", "state"):
        np.testing.assert_array_equal(before[name], after[name])
        assert not np.shares_memory(before[name], after[name])


def test_what_is_done_to_the_infos_changes_no_game() -> None:
    env = SoloEnv("connect_four", Scripted(0, 1), seat="first", render_mode="svg")
    for illegal in (False, True):
        _, info = env.reset(options={"moves": [3] * 6})
        picture = env.render()
        info["action_mask"][:] = 1 - info["action_mask"]
        env.game.play(info["state"], 6)
        assert env.action_masks().tolist() == [True, True, True, False, True, True, True]
        assert env.render() == picture
        _, reward, over, _, info = env.step(3 if illegal else 6)
        assert (reward, over) == ((-1, True) if illegal else (0, False))
        assert info["state"].ply == (6 if illegal else 8)
        assert info["action_mask"].tolist() == [1, 1, 1, 0, 1, 1, 1]


def test_the_state_can_be_left_out_of_the_infos() -> None:
    seen = []

    def opponent(observation: Any, info: Any) -> int:
        seen.append("state" in info)
        return 0

    env = SoloEnv("connect_four", opponent, seat="first", info_state=False)
    assert set(env.reset()[1]) == {"action_mask"}
    assert set(env.step(1)[-1]) == {"action_mask"}
    assert seen == [True]
    made: Any = gymnasium.make("plyground/ConnectFour-v0", info_state=False)
    assert set(made.reset(seed=0)[1]) == {"action_mask"}


def test_made_by_name_without_the_import() -> None:
    code = (
        "import gymnasium; env = gymnasium.make('plyground.envs:plyground/ConnectFour-v0', opponent='random', rows=5);"
        "print(env.reset(seed=1)[0].shape, env.unwrapped.game.spec)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "(70,) connect_four(rows=5)\n"


def test_each_seat_gets_its_wins_and_its_losses() -> None:
    # The first player fills column 0 and wins with the fourth stone; the second player throws its stones into column 1.
    env = SoloEnv("connect_four", Scripted(1, 1, 1), seat="first")
    env.reset()
    assert [env.step(0)[1:3] for _ in range(4)] == [(0, False)] * 3 + [(1, True)]

    env = SoloEnv("connect_four", Scripted(0, 0, 0, 0), seat="second")
    env.reset()
    assert [env.step(1)[1:3] for _ in range(3)] == [(0, False)] * 2 + [(-1, True)]

    env = SoloEnv("connect_four", Scripted(2, 0, 0, 0, 0), seat="first")
    env.reset()
    assert [env.step(a)[1:3] for a in (1, 1, 1, 3, 6)] == [(0, False)] * 4 + [(-1, True)]

    env = SoloEnv("connect_four", Scripted(0, 0, 0, 2), seat="second")
    env.reset()
    assert [env.step(1)[1:3] for _ in range(4)] == [(0, False)] * 3 + [(1, True)]


def test_the_learner_sees_its_own_stones_and_the_position_after_the_reply() -> None:
    env = SoloEnv("connect_four", Scripted(6, 6), seat="first", flatten=False)
    env.reset()
    observation, _, _, _, info = env.step(2)
    assert observation[5, :, 0].tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert observation[5, :, 1].tolist() == [0, 0, 0, 0, 0, 0, 1]
    assert info["state"] == connect_four().play_moves([2, 6])


def test_illegal_move_loses_and_the_next_needs_a_reset() -> None:
    env = SoloEnv("tictactoe", Scripted(0, 1), seat="first")
    env.reset()
    env.step(4)
    before = env.render_mode, env.action_masks().tolist()
    _, reward, terminated, truncated, info = env.step(4)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1, True, False, 4)
    assert before[1] == [False, True, True, True, False, True, True, True, True]
    assert env.action_masks().all()
    with pytest.raises(ValueError, match="call reset"):
        env.step(5)


@pytest.mark.parametrize("game", PLAYED, indirect=True)
def test_masks_are_those_of_the_position(game: Game) -> None:
    env = SoloEnv(game, "random")
    for seed in range(5):
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            mask = env.action_masks()
            assert mask.dtype == bool
            assert np.flatnonzero(mask).tolist() == game.actions(info["state"])
            np.testing.assert_array_equal(mask, info["action_mask"])
            _, _, done, _, info = env.step(int(env.np_random.choice(np.flatnonzero(mask))))


def test_seed_fixes_seats_openings_and_opponent() -> None:
    def run() -> list[bytes]:
        env = SoloEnv("connect_four", "random", opening_plies=6)
        seen = []
        for game in range(10):
            observation, _ = env.reset(seed=7 if game == 0 else None)
            done = False
            while not done:
                seen.append(observation.tobytes())
                observation, _, done, _, _ = env.step(int(np.flatnonzero(env.action_masks())[0]))
        return seen

    assert run() == run()


def test_a_seat_that_is_set_counts_from_the_next_game() -> None:
    env = SoloEnv("connect_four", "random", seat="first")
    env.reset(seed=0)
    env.seat = "second"
    assert env.reset()[1]["state"].ply == 1
    env.seat = "third"  # pyright: ignore[reportAttributeAccessIssue]
    before = env.np_random.bit_generator.state
    with pytest.raises(ValueError, match="seat must be 'first', 'second' or 'random', got 'third'"):
        env.reset(seed=0)
    assert env.np_random.bit_generator.state == before
    assert env.action_masks().any()  # the game goes on


def test_random_seat_takes_both() -> None:
    env = SoloEnv("connect_four", "random")
    stones = {int(env.reset(seed=seed)[0].sum()) for seed in range(20)}
    assert stones == {0, 1}


def test_openings_are_played() -> None:
    env = SoloEnv("connect_four", "random", seat="first", opening_plies=4)
    plies = {int(env.reset(seed=seed)[1]["state"].ply) for seed in range(50)}
    assert plies == {0, 2, 4}


def test_openings_of_a_given_length() -> None:
    def openings(opening_plies: Any) -> list[list[int]]:
        env = SoloEnv("othello", "random", opening_plies=opening_plies)
        found = []
        for seed in range(30):
            _, info = env.reset(seed=seed)
            found.append(info["state"].tolist())
        return found

    assert openings(5) == openings((0, 5)) == openings([0, 5])
    env = SoloEnv("othello", "random", seat="first", opening_plies=(3, 5))
    assert {len(env._env.moves) for seed in range(30) if env.reset(seed=seed)} == {4, 6}  # with replies to 3 and 5


@pytest.mark.parametrize(
    "opponent",
    [
        as_opponents("random", connect_four()),
        as_opponents("minimax(depth=1)", connect_four()),
        lambda observations, masks: masks.argmax(axis=1),
    ],
    ids=["Opponents", "OneByOne", "function"],
)
def test_opponents_for_many_games_are_none_for_one(opponent: Any) -> None:
    """Each failed at its first move."""
    with pytest.raises(ValueError, match=r"plays many games at once: use it with gymnasium\.make_vec"):
        SoloEnv("connect_four", opponent)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"info_state": "no"}, "info_state must be True or False, got 'no'"),
        ({"seat": "third"}, "seat must be 'first', 'second' or 'random', got 'third'"),
        ({"opponent": "alphabet"}, "unknown agent 'alphabet': did you mean 'alphabeta'"),
        ({"opponent": 3}, "expected a spec string .*, an agent with act.* got 3"),
        ({"opening_plies": -1}, "opening_plies must be a whole number"),
        ({"render_mode": "rgb"}, "render_mode must be"),
        ({"game": "shogi"}, "unknown game 'shogi'"),
    ],
)
def test_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SoloEnv(**{"game": "connect_four", **arguments})


def test_step_needs_a_reset_and_an_action() -> None:
    env = SoloEnv("connect_four", Random())
    with pytest.raises(ValueError, match="call reset"):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action must be an integer from 0 to 6, got 7"):
        env.step(7)


def test_start_that_leaves_nothing_to_play() -> None:
    env = SoloEnv("connect_four", AlphaBeta("connect_four", depth=2), seat="second")
    with pytest.raises(ValueError, match="end before the learner can move"):
        env.reset(options={"moves": [0, 1, 0, 1, 0, 1]})


def test_a_bad_start_leaves_seat_and_random_numbers_alone() -> None:
    env = SoloEnv("tictactoe", "random", seat="random")
    for seed in range(4):
        env.reset(seed=seed)
        seat, numbers = env._learner, env.np_random.bit_generator.state
        for options in ({"moves": [99]}, {"state": 3}, {"moves": [0, 3, 1, 4, 2]}):
            with pytest.raises(ValueError, match=r"illegal|must be one state|finished position"):
                env.reset(seed=9, options=options)
            assert (env._learner, env.np_random.bit_generator.state) == (seat, numbers)
        for wrong in (-1, 1.5, True, "3"):
            with pytest.raises(ValueError, match="seed must be a whole number, at least 0, got"):
                env.reset(seed=wrong)  # pyright: ignore[reportArgumentType]
            assert (env._learner, env.np_random.bit_generator.state) == (seat, numbers)
        *_, info = env.step(int(env.action_masks().argmax()))
        assert "illegal_action" not in info  # a legal move is no illegal one of the other seat
    _, info = env.reset(options={"moves": iter([0, 1])})
    assert info["state"].ply >= 2


def test_seeds_may_be_numbers_of_numpy() -> None:
    one, other = (SoloEnv("tictactoe", "random", opening_plies=3) for _ in range(2))
    one.reset(seed=3)
    other.reset(seed=np.int64(3))  # pyright: ignore[reportArgumentType]
    assert one.np_random.bit_generator.state == other.np_random.bit_generator.state


def test_text_board() -> None:
    env = gymnasium.make("plyground/TicTacToe-v0", opponent=Scripted(0), seat="first", render_mode="ansi")
    env.reset()
    env.step(4)
    assert env.render() == "O 3 6\n1 X 7\n2 5 8\nplayer_1 to move"


def test_stock_policies_of_stable_baselines3_train_on_it() -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    contrib = pytest.importorskip("sb3_contrib")
    env = gymnasium.make("plyground/ConnectFour-v0", opponent="random")
    for algorithm, settings in (
        (sb3.PPO, {"n_steps": 64, "batch_size": 64}),
        (sb3.A2C, {}),
        (sb3.DQN, {"learning_starts": 32}),
        (contrib.MaskablePPO, {"n_steps": 64, "batch_size": 64}),
    ):
        algorithm("MlpPolicy", env, device="cpu", seed=0, **settings).learn(128)


class Interrupted(Scripted):
    """Is interrupted after its moves."""

    def act(self, observation: Any, info: Any = None) -> int:
        if not self.left:
            raise KeyboardInterrupt
        return super().act(observation, info)


@pytest.mark.parametrize("opponent", [Interrupted(0), Scripted(0, 99)], ids=["interrupted", "illegal"])
def test_a_game_in_which_the_opponent_fails_must_begin_anew(opponent: Any) -> None:
    """The learner's next move was an illegal one, which lost."""
    env = SoloEnv("connect_four", opponent, "first")
    env.reset(seed=0)
    env.step(3)
    with pytest.raises((KeyboardInterrupt, ValueError)):
        env.step(3)
    assert env.action_masks().all()
    with pytest.raises(ValueError, match=r"no game .* call reset\(\)"):
        env.step(3)
    env.reset()
    assert env.step(3)[1:3] == (0, False)


def test_an_interrupt_while_somebody_looks_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner's next move was played as the opponent's."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    env = SoloEnv("connect_four", "random", "first")
    env.reset(seed=0)
    monkeypatch.setattr(env, "_watch", interrupted)
    for ask in (lambda: env.step(3), lambda: env.reset(seed=0)):
        with pytest.raises(KeyboardInterrupt):
            ask()
        with pytest.raises(ValueError, match=r"no game .* call reset\(\)"):
            env.step(3)


class Unprepared(Scripted):
    """Cannot begin its second game, as a program that cannot be started."""

    games = 0

    def reset(self, seed: int | None = None) -> None:
        super().reset(seed)
        self.games += 1
        if self.games == 2:
            raise RuntimeError("not now")


def test_there_is_no_game_where_the_opponent_cannot_begin_one() -> None:
    env = SoloEnv("connect_four", Unprepared(3), seat="second")
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="not now"):
        env.reset()
    with pytest.raises(ValueError, match="no game of connect_four is being played"):
        env.step(3)
    env.reset()
    assert not env.opponent.left  # it has played its move, and the learner may


def test_another_opponent_plays_from_the_next_game_on() -> None:
    env = SoloEnv("connect_four", Scripted(0, 0), seat="first")
    env.reset()
    env.step(1)
    env.opponent = lambda observation, info: 6
    with pytest.raises(ValueError, match="no game of connect_four is being played"):
        env.step(1)
    env.reset()
    env.step(1)
    assert env._env.moves == [1, 6]
    opponent = env.opponent
    with pytest.raises(ValueError, match="did you mean 'alphabeta'"):
        env.opponent = "alfabeta"
    assert env.opponent is opponent
    env.step(2)
    assert env._env.moves == [1, 6, 2, 6]
    gymnasium.make("plyground/ConnectFour-v0").set_wrapper_attr("opponent", "random")
