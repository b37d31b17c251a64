"""How environments show themselves at the prompt, and how states of games that cannot be drawn are shown."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers import TimeLimit

import plyground.envs
from plyground.agents import AlphaBeta
from plyground.envs import (
    BoardGameEnv,
    BoardVectorEnv,
    FromFunction,
    GameBatch,
    RandomOpponents,
    SeatBatch,
    SoloEnv,
    as_opponents,
    connect_four,
    make_game,
    state_dtype,
)
from plyground.envs.definition.texts import fields_text


def test_a_game_says_how_far_it_is() -> None:
    env = BoardGameEnv("connect_four(rows=5)")
    assert repr(env) == "<BoardGameEnv connect_four(rows=5)>"  # PettingZoo's wrappers allow little before a reset
    env.reset()
    env.step(3)
    assert repr(env) == "<BoardGameEnv connect_four(rows=5): player_1 to move after 1 ply>"
    for action in (0, 3, 0, 3, 0, 3):
        env.step(action)
    assert repr(env) == "<BoardGameEnv connect_four(rows=5): player_0 won after 7 plies>"
    for _ in range(2):
        env.step(None)
    assert repr(env) == "<BoardGameEnv connect_four(rows=5): player_0 won after 7 plies>"
    assert str(env) == "connect_four_v0"  # PettingZoo's own


def test_environments_say_what_is_played_in_them() -> None:
    shown = {
        SoloEnv("tictactoe"): "<SoloEnv tictactoe seat='random' opponent=Random(tictactoe)>",
        SoloEnv("tictactoe", AlphaBeta("tictactoe", depth=2), "first"): (
            "<SoloEnv tictactoe seat='first' opponent=AlphaBeta(tictactoe, depth=2)>"
        ),
        GameBatch("tictactoe", 3): "<GameBatch tictactoe num_envs=3>",
        SeatBatch("tictactoe", 3, "minimax(depth = 1)"): (
            "<SeatBatch tictactoe num_envs=3 seat='random' opponent=minimax(depth=1)>"
        ),
        BoardVectorEnv("mnk(m=4, n=4)", 2, RandomOpponents(), "second"): (
            "<BoardVectorEnv mnk(m=4, n=4) num_envs=2 seat='second' opponent=RandomOpponents>"
        ),
    }
    assert [repr(env) for env in shown] == list(shown.values())


def test_environments_of_gymnasium_say_it_too() -> None:
    assert plyground.envs  # which registers the ids
    assert str(gymnasium.make("plyground/TicTacToe-v0").unwrapped) == "<SoloEnv<plyground/TicTacToe-v0>>"
    wrapped = TimeLimit(SoloEnv("mnk(m=4)", seat="first"), 5)  # it was shown as <TimeLimit<SoloEnv instance>>
    assert repr(wrapped) == "<TimeLimit<SoloEnv mnk(m=4) seat='first' opponent=Random(mnk(m=4))>>"
    envs = gymnasium.make_vec("plyground/MNK-v0", num_envs=2, m=4, opponent="random")
    assert repr(envs) == str(envs) == "<BoardVectorEnv mnk(m=4) num_envs=2 seat='random' opponent=random>"


def test_opponents_in_batches_say_what_they_are() -> None:
    def first(observations: Any, masks: Any) -> Any:
        return masks.argmax(axis=1)

    game = connect_four()
    assert repr(as_opponents(first, game)) == repr(FromFunction(first)) == "FromFunction(first)"
    assert repr(as_opponents("random", game)) == "RandomOpponents()"
    for spec, shown in {  # they were shown as objects at an address
        "alphabeta(depth=2)": "BatchedAlphaBeta(connect_four, depth=2)",
        "alphabeta(nodes=50)": "BatchedAlphaBeta(connect_four, nodes=50)",
        "mcts(simulations=20)": "BatchedMCTS(connect_four, simulations=20)",
        "mixture(random, random)": "BatchedMixture(RandomOpponents(), RandomOpponents())",
        "alphazero(simulations=4)": "AlphaZero(connect_four, simulations=4)",
    }.items():
        assert repr(as_opponents(spec, game)) == shown


def test_a_state_that_nobody_draws_is_shown_by_the_names_of_its_fields() -> None:
    """It was shown as ``(7, 0, [[0, 0, 0], [0, 0, 0]])``."""
    game = make_game("connect_four").replace(board=None, text=None)
    text = game.text(game.play_moves([3, 2]))
    assert [line.split(" = ")[0] for line in text.splitlines()] == list(game.dtype.names or ())
    record = np.zeros(1, state_dtype(left=np.int8, taken=(np.int8, (2, 3))))[0]
    record["left"] = 7
    assert fields_text(record) == "left = 7\ntaken = [[0 0 0]\n         [0 0 0]]"
