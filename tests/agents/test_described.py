"""An agent shows itself as the call that makes it, whatever state it is in."""

from __future__ import annotations

import inspect
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, PUCT, AlphaBeta, Human, Isolated, Minimax, Mixture, Policy, Random, Solver, as_agent
from plyground.agents.adapted import Adapted, FunctionAgent
from plyground.envs import make_game
from plyground.envs.players import player_name


def lowest(observation: Any, info: Any) -> int:
    return int(np.flatnonzero(observation["action_mask"])[0])


class Deep(AlphaBeta):
    """A search of one's own, with a constructor of its own."""

    def __init__(self, game: str, plies: int = 3) -> None:
        super().__init__(game, depth=plies)


class Unready(Random):
    """An agent that looks at itself before it is made, and cannot be made."""

    def __init__(self, game: str) -> None:
        raise ValueError(repr(self))


def test_agents_show_how_they_are_made() -> None:
    search, game = AlphaBeta("connect_four", 4), make_game("connect_four")
    shown = {
        search: "AlphaBeta(connect_four, depth=4)",
        AlphaBeta(game, evaluate=lowest, table_mb=np.float64(2)): (
            "AlphaBeta(connect_four, evaluate=lowest, table_mb=2.0, depth=8)"
        ),
        AlphaBeta("connect_four(rows=5)", seconds=1.5): "AlphaBeta(connect_four(rows=5), seconds=1.5)",
        Minimax("tictactoe"): "Minimax(tictactoe)",
        MCTS("tictactoe", seed=0, rollout="greedy"): "MCTS(tictactoe, seed=0, rollout='greedy', simulations=1000)",
        PUCT("tictactoe", 5, c_base=None): "PUCT(tictactoe, simulations=5, c_base=None)",
        Solver("tictactoe"): "Solver(tictactoe)",
        Random(): "Random()",
        Random("tictactoe", 3): "Random(tictactoe, seed=3)",
        Human("tictactoe"): "Human(tictactoe)",
        Mixture(game, "random", search): "Mixture(connect_four, 'random', AlphaBeta(connect_four, depth=4))",
        Mixture(game, *["random"] * 3, weights=[1, 2, 3]): (
            "Mixture(connect_four, 'random', 'random', 'random', weights=[1, 2, 3])"
        ),
        Isolated(game, search): "Isolated(connect_four, player=AlphaBeta(connect_four, depth=4))",
        Isolated(game, "random", answer_seconds=3): "isolated(random)",
        Deep("tictactoe"): "Deep(tictactoe)",
        Deep("tictactoe", 2): "Deep(tictactoe, plies=2)",
    }
    for agent, text in shown.items():
        assert repr(agent) == text
        assert repr(deepcopy(agent)) == text
        assert player_name(agent) == getattr(agent, "__name__", type(agent).__name__)  # as records have it
    assert repr(as_agent(lowest, "tictactoe")) == "FunctionAgent(lowest)"
    assert list(inspect.signature(Deep).parameters) == ["game", "plies"]


def test_agents_show_what_was_set_since() -> None:
    agent = PUCT("tictactoe", 5, c=2)
    agent.simulations, agent.seconds, agent.c, agent.virtual_loss = None, 0.5, 3.0, 2
    assert repr(agent) == "PUCT(tictactoe, simulations=None, c=3.0, seconds=0.5, virtual_loss=2)"
    deep = Deep("tictactoe")
    deep.plies = 4  # pyright: ignore[reportAttributeAccessIssue]  (of a class of one's own nothing is known)
    assert repr(deep) == "Deep(tictactoe)"


def test_what_cannot_be_set_later_is_refused() -> None:
    """It was ignored."""
    for agent, name, value in (
        (AlphaBeta("tictactoe"), "pvs", False),
        (MCTS("tictactoe"), "rollout", "greedy"),
        (PUCT("tictactoe"), "lambda_", 0.5),
        (Mixture("tictactoe", "random"), "weights", [2]),
        (Random("tictactoe"), "seed", 3),
    ):
        kind = type(agent).__name__
        with pytest.raises(AttributeError, match=rf"^{name} of {kind} is given .* as in {kind}\(…, {name}="):
            setattr(agent, name, value)
        agent.noted = value  # pyright: ignore[reportAttributeAccessIssue]  (one's own name)
    deep = Deep("tictactoe")
    deep.plies = 7  # pyright: ignore[reportAttributeAccessIssue]  (of a class of one's own nothing is known)


@pytest.mark.parametrize("seed", [-1, 1.5, "a"])
def test_seeds_that_are_none_are_named(seed: Any) -> None:
    for agent in (Mixture("tictactoe", "random"), Random()):
        with pytest.raises(ValueError, match=r"^seed must be a whole number, at least 0"):
            agent.reset(seed=seed)


def test_masks_of_several_positions_are_none_of_one() -> None:
    """The first action of another row was taken for one of the first, and could be beyond all actions."""
    masks = np.zeros((2, 9), np.int8)
    masks[1, 3] = 1
    with pytest.raises(ValueError, match=r"^act\(\) answers for one position, .* got shape \(2, 9\): give a row of it"):
        Random("tictactoe").act({"action_mask": masks})


def test_agents_that_are_half_made_show_what_is_known() -> None:
    for kind in (AlphaBeta, FunctionAgent, Human, Isolated, Mixture, Policy, Random):
        assert repr(kind.__new__(kind)) == f"{kind.__name__}()"
    with pytest.raises(ValueError, match=r"^Unready\('tictactoe'\)$"):
        Unready("tictactoe")
    assert "Adapted" in repr(Adapted.__new__(Adapted))
