"""Anything that acts is a player, at every table; and what is no action is an error that names who answered it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import Mixture, as_agent
from plyground.arena import match, play
from plyground.arena.grading.answers import ask
from plyground.envs import BoardGameEnv, SeatBatch, SoloEnv, make_game
from plyground.envs.players import checked_answer, player_name


def lowest(observation: Any, info: Any) -> int:
    return int(np.flatnonzero(observation["action_mask"])[0])


class Highest:
    """No more than ``act``."""

    def act(self, observation: Any, info: Any) -> Any:
        return np.flatnonzero(info["action_mask"])[-1]


class Counted(Highest):
    """Counts its games."""

    def __init__(self) -> None:
        self.games = 0

    def reset(self, seed: int | None = None) -> None:
        self.games += 1


def test_accepted_everywhere() -> None:
    records = match("tictactoe", [lowest, Highest()], games=2, opening_plies=0)
    assert [record.players for record in records] == [["lowest", "Highest"], ["Highest", "lowest"]]
    assert [record.moves for record in records] == [[0, 8, 1, 7, 2], [8, 0, 7, 1, 6]]
    assert match("tictactoe", [lowest, lowest], games=2)[0].players == ["lowest#1", "lowest#2"]
    assert play(BoardGameEnv("tictactoe"), [lowest, "minimax"]).players == ["lowest", "minimax"]
    counted = Counted()
    match("tictactoe", [counted, "random"], games=4)
    assert counted.games == 4

    for player in (Highest(), lowest, Mixture("tictactoe", lowest)):
        solo = SoloEnv("tictactoe", player, seat="first")
        solo.reset(seed=0)
        seats = SeatBatch("tictactoe", 3, player, "first", seed=0)
        seats.reset()
        mask = solo.step(4)[4]["action_mask"]
        assert not mask[8 if isinstance(player, Highest) else 0]
        seats.step([4, 4, 4])
        np.testing.assert_array_equal(seats.masks, [mask] * 3)

    assert ask(lowest, make_game("tictactoe"), [[0], [4]]).actions.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (" mcts( simulations = 5 , seed=1 ) ", "mcts(simulations=5,seed=1)"),
        ("mixture(random, network(a z), weights=[1, 2])", "mixture(random,network(a z),weights=[1,2])"),
        ("./my players.py:One", "./my players.py:One"),
        ('engine("gnugo --mode  gtp", seconds=1)', 'engine("gnugo --mode  gtp",seconds=1)'),
    ],
)
def test_blanks_that_are_part_of_a_name_stay(spec: str, name: str) -> None:
    assert player_name(spec) == name


class Model:
    """What stable-baselines3 trains, as far as it is asked here."""

    def predict(self, observation: Any, **_: Any) -> tuple[int, None]:
        return 0, None


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (Highest, r"got <class .*Highest'>: make one of this class, as in Highest\(…\)$"),
        (int, r"got <class 'int'>$"),
        (Model(), r"got <.*Model object .*>: a trained model plays as Policy\(game, model\)$"),
        ("MCTS", r"^unknown agent 'MCTS': did you mean 'mcts'\? Choose from"),
    ],
)
def test_what_is_nearly_an_agent(player: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_agent(player, "tictactoe")


def test_an_adapted_agent_has_what_its_player_has() -> None:
    player = Highest()
    player.analyse = lambda state: 3  # type: ignore[attr-defined]
    agent: Any = as_agent(player, "tictactoe")
    assert agent.analyse(None) == 3
    assert not hasattr(agent, "batched")
    assert player_name(agent) == "Highest"
    assert repr(agent) == repr(player)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "answered None: expected an action, a whole number from 0 to 8"),
        (0.5, "answered 0.5"),
        (True, "answered True"),
        (9, "answered 9"),
        (-1, "answered -1"),
        ("a", "answered 'a'"),
        (np.zeros(9, int), r"answered an array of shape \(9,\)"),
        (np.zeros(1), r"answered an array of shape \(1,\)"),
    ],
)
def test_nonsense_is_named(answer: Any, message: str) -> None:
    def confused(observation: Any, info: Any) -> Any:
        return answer

    with pytest.raises(ValueError, match=f"^confused {message}"):
        play(BoardGameEnv("tictactoe"), [confused, lowest])
    with pytest.raises(ValueError, match=f"^confused {message}"):
        SoloEnv("tictactoe", confused, seat="second").reset()
    with pytest.raises(ValueError, match=f"the opponent .*confused.* failed: confused {message}"):
        SeatBatch("tictactoe", 2, confused, "second").reset()


def test_an_illegal_action_is_named() -> None:
    def stubborn(observation: Any, info: Any) -> int:
        return 4

    for env in (SoloEnv("tictactoe", stubborn, seat="first"), SeatBatch("tictactoe", 1, stubborn, "first")):
        env.reset()
        step: Any = env.step
        with pytest.raises(ValueError, match=r"stubborn.* illegal"):
            step(4 if isinstance(env, SoloEnv) else [4])
    assert play(BoardGameEnv("tictactoe"), [stubborn, lowest]).ending == "illegal"  # PettingZoo's rule: it loses


def test_an_illegal_action_has_the_name_of_its_position() -> None:
    game = make_game("chess")
    wrong = game.move_of(game.play_moves(["e2e4"]), "d7d5")
    env = SoloEnv(game, lambda observation, info: wrong, seat="first")
    env.reset(options={"moves": ["e2e4", "d7d5"]})
    with pytest.raises(ValueError, match=rf"answered {wrong} \(d7d5\), which is illegal"):
        env.step(game.move_of(game.new_state(), "g1f3"))


def test_answers_that_are_actions() -> None:
    assert [checked_answer(a, "x") for a in (3, np.int8(3), np.array(3))] == [3, 3, 3]


def test_a_function_for_batches_says_what_it_takes() -> None:
    with pytest.raises(ValueError, match=r"takes \(a, b\): name its arguments \(observation, info\)"):
        SeatBatch("tictactoe", 2, lambda a, b: 0)
    with pytest.raises(ValueError, match="or a function of these two, got <function"):
        as_agent(lambda: 0, "tictactoe")  # pyright: ignore[reportArgumentType]
