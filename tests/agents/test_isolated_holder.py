"""What stands in the process of an isolated player, without the process: what it tells, and what it is sent."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import cloudpickle
import numpy as np
import pytest

from plyground.agents import Isolated, Minimax, Random, register_agent
from plyground.agents.engines import EngineError
from plyground.agents.isolation.child import Holder, _answered
from plyground.agents.isolation.process import Fault, PlayerProcess
from plyground.envs import BoardGameEnv, Game, make_game
from tests.helpers.registries import registries_kept

GAME = make_game("tictactoe")


class Talker:
    """Finds something that only its own file knows, and fails without a word where it is told to."""

    last_analysis: Any = None
    game: Game = GAME

    def reset(self, seed: int | None = None) -> None:
        if seed == 13:
            raise UntoldError(None)

    def act(self, observation: Any, info: Any = None) -> int:
        self.last_analysis = lambda: "something"
        return int(np.argmax(observation["action_mask"]))


class UntoldError(Exception):
    def __str__(self) -> str:
        return self.args[0].text


def held(player: Any) -> Holder:
    holder = Holder()
    holder.make(cloudpickle.dumps((player, GAME, {})), 100.0, None)
    return holder


def test_only_an_analysis_of_ours_is_told() -> None:
    observation = {"observation": np.zeros((3, 3, 2), np.int8), "action_mask": np.ones(9, np.int8)}
    answer = pickle.loads(_answered(held(Talker()), pickle.dumps(("act", (observation, {}, None)))))
    assert answer == (0, None)


def test_an_error_without_a_text_is_told_by_its_name() -> None:
    fault = pickle.loads(_answered(held(Talker()), pickle.dumps(("reset", (13,)))))
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.text) == ("UntoldError", "")


def test_a_kind_that_only_this_process_knows_goes_on_in_another() -> None:
    """Workers lost all its games: the kind was looked up where the agent had come to."""
    with registries_kept():
        register_agent("only_here", lambda game: Random())
        data = cloudpickle.dumps(Isolated(GAME, "only_here"))
    player, game, constructors = pickle.loads(pickle.loads(data)._parcel())
    assert (player, game) == ("only_here", GAME)
    assert isinstance(constructors["only_here"](GAME), Random)


def test_what_was_found_before_is_not_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mixture that searched in one game, and drew in the next, showed the analysis of the one before."""
    agent = Isolated(GAME, "random")
    monkeypatch.setattr(PlayerProcess, "__init__", lambda process, name: None)
    monkeypatch.setattr(PlayerProcess, "is_running", True)
    answers: list[Any] = [False, (0, Minimax(GAME, depth=1).analyse(GAME.new_state())), (1, None)]
    monkeypatch.setattr(PlayerProcess, "ask", lambda *_: answers.pop(0))
    observation, known = {"action_mask": np.ones(9, np.int8)}, list[bool]()
    for _ in range(2):
        agent.act(observation)
        known.append(agent.last_analysis is not None)
    assert known == [True, False]
    agent.last_analysis, agent._process = Minimax(GAME, depth=1).analyse(GAME.new_state()), None
    answers.append(False)
    agent.prepare()  # in a new process
    assert agent.last_analysis is None


@pytest.mark.slow
def test_an_info_that_cannot_be_sent_is_an_error_of_the_move() -> None:
    agent, env = Isolated(GAME, "random", answer_seconds=120), BoardGameEnv(GAME)
    env.reset(seed=0)
    observation, _, _, _, info = env.last()
    with pytest.raises(EngineError, match="random cannot be told what it is asked when it was to move: cannot pickle"):
        agent.act(observation, {**info, "lock": threading.Lock()})
    assert observation is not None
    assert 0 <= agent.act(observation, info) < 9  # in a new process
    agent.close()
