"""PUCT with a Gumbel root and with proofs, by a forest of one tree; without them it visits what a forest visits."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents import Minimax, as_agent
from plyground.agents.puct import PUCT, ObservationEvaluator
from plyground.agents.puct.forest import Forest
from plyground.envs import BoardGameEnv, Game, go, make_game, tictactoe
from tests.helpers.forest_games import answers, harvest, lottery, positions
from tests.helpers.oracles import worth_after

SMALL = "connect_four(rows=4, columns=5)"


def evaluator(game: Game) -> ObservationEvaluator:
    """The forest's evaluator as one of an agent: probabilities in place of logits, values in the units of utility."""

    def asked(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        logits, values = answers(planes, masks)
        return np.exp(logits.astype(float)) * masks, game.max_utility * values.astype(float)

    return ObservationEvaluator(asked)


@pytest.mark.parametrize("how", [{}, {"c": 0.7, "c_base": 30.0}, {"c_base": 0.5}, {"fpu": -0.4}])
@pytest.mark.parametrize("name", [SMALL, pytest.param("harvest", marks=pytest.mark.slow)])
def test_visits_are_those_of_a_forest(name: str, how: dict[str, Any]) -> None:
    game = harvest() if name == "harvest" else make_game(name)
    states = positions(game, 10)
    agent = PUCT(game, 150, evaluator=evaluator(game), batch=1, **how)
    forest = Forest(game, 10, simulations=150, root="puct", forced=0, noise=0, proofs=False, **how)
    found = forest.search(states, answers)
    for state, visits in zip(states, found.visits, strict=True):
        assert agent.analyse(state).visits == {action: visits[action] for action in game.actions(state)}


@pytest.mark.parametrize("root", ["gumbel", "puct"])
@pytest.mark.parametrize("name", [SMALL, pytest.param("harvest", marks=pytest.mark.slow)])
def test_a_forest_of_one_tree_is_the_tree(name: str, root: Any) -> None:
    game = harvest() if name == "harvest" else make_game(name)
    states = positions(game, 8)
    agent = PUCT(game, 90, root=root, proofs=True, evaluator=evaluator(game))
    forest = Forest(game, 8, simulations=90, root=root, forced=0, noise=0)
    found = forest.search(states, answers)
    for row, state in enumerate(states):
        one = agent.analyse(state)
        assert one.visits == {action: found.visits[row, action] for action in game.actions(state)}
        assert one.best_action == found.actions[row]
        assert one.exact == found.proved[row]
        if one.exact:
            assert one.value == pytest.approx(game.max_utility * found.values[row])
            assert one.best_action in one.best_actions
        else:
            assert one.value == one.values.get(one.best_action, one.value)
        game.play_moves(one.pv, state)


@pytest.mark.parametrize("how", [{"root": "gumbel"}, {"proofs": True}])
def test_other_simulations_can_be_set(how: dict[str, Any]) -> None:
    """As engines are told of nodes, and of no limit: it kept to those that it was made with."""
    agent, state = PUCT(SMALL, 20, **how), make_game(SMALL).new_state()
    assert agent.analyse(state).leaves == 20
    agent.simulations = 33
    assert agent.analyse(state).leaves == 33
    agent.simulations, agent.seconds = None, 0.2
    assert agent.analyse(state).leaves > 33
    agent.simulations, agent.seconds = 10**9, 0.05  # as many as there is room for
    assert agent.analyse(state).leaves > 0


def test_as_many_simulations_have_room_as_tree_mb_says() -> None:
    """The ways to the leaves of the first simulations were counted for each: 3,959 had room, and took 2 MB."""
    agent = PUCT("connect_four", 20_000, root="gumbel", batch=1024, tree_mb=64)
    assert agent._planted().forest.nbytes < 64 * 2**20
    with pytest.raises(ValueError, match=r"2000000 simulations need more than tree_mb=64, in which \d{5,} have room"):
        PUCT("connect_four", 2_000_000, root="gumbel", batch=1024, tree_mb=64)


def test_a_forest_runs_in_plain_python() -> None:
    code = (
        "from plyground.agents.puct import PUCT\n"
        "print(PUCT('tictactoe', 20, proofs=True).analyse(__import__('plyground').envs.tictactoe().new_state()).leaves)"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "20\n", done.stderr


ALMOST = 1 - 1e-9  # in 32 bits it is 1


@pytest.mark.parametrize("root", [pytest.param("gumbel", marks=pytest.mark.slow), "puct"])
@pytest.mark.parametrize(
    "prizes",
    [
        (-1, -ALMOST, ALMOST, 0, 0, 1, -0.5, 0.5),
        pytest.param((-3, -2, -1, 0, 1, 2, 3, -1), marks=pytest.mark.slow),
        pytest.param((49, -49, 1, -1, 0, 0.1, -0.1, 0.3), marks=pytest.mark.slow),
    ],
)
def test_what_is_exact_is_a_utility_to_the_bit(prizes: tuple[float, ...], root: Any) -> None:
    exact = 0
    for seed in range(12):
        game = lottery(prizes, seed)
        start, known = game.new_state(), dict[bytes, float]()
        found = PUCT(game, 1000, root=root, proofs=True, c=9, c_scale=0.01, seed=seed).analyse(start)
        true = {action: worth_after(game, start, action, known) for action in game.actions(start)}
        assert found.proved is not None
        assert {action: found.values[action] for action in found.proved} == {
            action: true[action] for action in found.proved
        }
        if found.exact:
            exact += 1
            assert str(found.value) == str(max(true.values()) + 0.0)  # and no -0
            assert found.best_action in found.best_actions
            assert all(true[action] == found.value for action in found.best_actions)
            assert found.value == Minimax(game).analyse(start).value
    assert exact > 8


@pytest.mark.slow
def test_a_spec_and_rollouts() -> None:
    agent = as_agent("puct(simulations=100, root='gumbel', proofs=True, seed=1)", tictactoe())
    found = agent.analyse(tictactoe().play_moves([0, 3, 1, 4]))  # type: ignore[attr-defined]
    assert (found.best_action, found.value, found.exact) == (2, 1, True)
    assert found.leaves < 100


def test_seconds_and_memory() -> None:
    game = make_game(SMALL)
    for root in ("gumbel", "puct"):
        agent = PUCT(game, root=root, proofs=True, seconds=0.2, evaluator=evaluator(game))
        agent.prepare()
        begun = time.perf_counter()
        found = agent.analyse(game.new_state())
        assert 0.15 < time.perf_counter() - begun < 5
        assert found.leaves == sum(found.visits.values()) > 50
    agent = PUCT(game, root="gumbel", seconds=60, tree_mb=0.1, evaluator=evaluator(game))
    found = agent.analyse(game.new_state())  # a full tree ends it
    assert 64 < found.leaves < 2000
    with pytest.raises(ValueError, match="need more than tree_mb"):
        PUCT(game, 10_000, root="gumbel", tree_mb=0.1)
    with pytest.raises(ValueError, match="did you mean 'gumbel'"):
        PUCT(game, 10, root="gumbell")  # type: ignore[arg-type]


def test_the_tree_is_kept() -> None:
    game = make_game(SMALL)
    agent = PUCT(game, 80, root="gumbel", reuse_tree=True, evaluator=evaluator(game))
    found = agent.analyse(game.new_state())
    reply = found.pv[1]
    kept = agent.analyse(game.play_moves(found.pv[:2]))
    assert kept.statistics["simulations kept"] > 0
    assert sum(kept.visits.values()) == kept.statistics["simulations kept"] + kept.leaves
    assert reply in game.actions(game.play_moves(found.pv[:1]))
    copy = pickle.loads(pickle.dumps(PUCT(game, 80, root="gumbel", seed=1)))
    assert copy.analyse(game.new_state()) == replace(
        PUCT(game, 80, root="gumbel", seed=1).analyse(game.new_state()), seconds=ANY
    )
    agent.reset()
    assert agent.analyse(game.new_state()).visits == found.visits


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_a_full_tree_is_kept(root: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game(SMALL)
    agent = PUCT(game, 30, root=root, proofs=True, batch=1, reuse_tree=True, evaluator=evaluator(game))
    for kept in (0, 30, 60, 90):  # there is room for twice the simulations
        found = agent.analyse(game.new_state())
        assert found.statistics["simulations kept"] == kept
        assert sum(found.visits.values()) == kept + found.leaves == kept + 30
    assert found.statistics["full trees"] == 1
    assert found.statistics["nodes in memory"] == 61
    # time ends at once, but not before the first new simulation
    monkeypatch.setattr(agent, "_is_over", lambda start, done: done > 0)
    assert agent.analyse(game.new_state()).leaves == 1


def test_what_a_mask_forgets_does_not_count_as_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game(SMALL)
    agent = PUCT(game, 30, root="gumbel", batch=1, reuse_tree=True, evaluator=evaluator(game))
    agent.analyse(game.new_state())
    monkeypatch.setattr(agent, "_is_over", lambda start, done: done > 0)
    found = agent.analyse(game.new_state(), np.array([1, 0, 1, 1, 0]))
    assert (found.statistics["simulations kept"], found.leaves) == (0, 1)


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_rollouts_are_told_the_latest_actions(root: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    game, told = make_game(SMALL), []

    def both(states: NDArray[Any], seen: Any, rng: Any, generator: Any, latest: NDArray[np.int64], masks: Any) -> Any:
        told.extend(zip(states.copy(), latest.tolist(), strict=True))
        return np.ones((states.size, game.num_actions)), np.zeros(states.size)

    agent = PUCT(game, 60, root=root, proofs=True, evaluator=evaluator(game))
    monkeypatch.setattr(agent._values, "both", both)
    agent.analyse(game.play_moves([2]))
    trees = agent._planted().forest.trees
    lines: dict[int, tuple[int, ...]] = {0: (2,)}
    for number, (state, latest) in enumerate(told):  # each has become a node, in this order
        line, node = lines[number], trees.nodes[0, number]
        for edge in trees.edges[0, node["first"] : node["first"] + node["count"]]:
            lines[int(edge["child"])] = (*line, int(edge["action"]))
        assert game.play_moves(line) == state
        assert latest == [*line[:0:-1], -1, -1][:2]
    assert max(map(len, lines.values())) > 4


def test_masks_noise_and_temperature() -> None:
    game = make_game(SMALL)
    agent = PUCT(game, 30, root="gumbel", c_scale=0.01, noise=1.0, temperature=1.0, evaluator=evaluator(game), seed=4)
    mask = np.array([1, 0, 1, 1, 0])
    drawn = [agent.analyse(game.new_state(), mask).best_action for _ in range(20)]
    assert set(drawn) <= {0, 2, 3}
    assert len(set(drawn)) > 1
    agent.reset(4)
    assert [agent.analyse(game.new_state(), mask).best_action for _ in range(20)] == drawn


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_where_all_that_was_visited_loses_another_action_is_played(root: Any) -> None:
    game = make_game(SMALL)
    state = game.play_moves([1, 0, 1, 0, 2, 0])  # the other side wins in column 0

    def asked(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        return masks * np.array([100, 10, 0.1, 0.1, 0.1]), np.zeros(len(masks))

    how: dict[str, Any] = {"root": root, "proofs": True, "considered": 1, "evaluator": ObservationEvaluator(asked)}
    mask = np.array([0, 1, 1, 1, 1])
    for temperature in (0.0, 1.0):
        found = PUCT(game, 2, temperature=temperature, seed=0, **how).analyse(state, mask)
        assert found.values == {1: -1}
        assert found.best_action == 2


@pytest.mark.slow
def test_a_network_is_shown_earlier_positions() -> None:
    game = go(board_size=3, superko="simple")
    env: Any = BoardGameEnv(game)
    env.reset(options={"moves": [0, 4, 8]})
    shown: list[NDArray[Any]] = []

    def asked(planes: NDArray[Any], masks: NDArray[np.bool_]) -> Any:
        shown.append(planes)
        return masks.astype(float), np.zeros(len(planes))

    observation, *_, info = env.last()
    PUCT(game, 20, root="gumbel", evaluator=ObservationEvaluator(asked)).act(observation, info)
    np.testing.assert_array_equal(shown[0][0], observation["observation"])
    assert (shown[1][:, :, :, 2:4] == observation["observation"][:, :, [1, 0]]).all()  # one ply later, to the other
