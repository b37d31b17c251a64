"""What is given to a search of PUCT, and set later: it is heeded or refused, and nothing is ignored."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents import MCTS, PUCT, AlphaGo, AlphaZero
from plyground.agents.mcts import FlatMonteCarlo
from plyground.agents.puct import ObservationEvaluator
from plyground.envs import connect_four, tictactoe


def uneven(states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Priors and values that differ from position to position, and are the same each time."""
    boards = np.array([int(tictactoe().key(state)) % 1009 for state in states])
    return 1.0 + (boards[:, None] * np.arange(1, 10)) % 7, (boards % 21 - 10) / 20


def alike(states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Priors and values that are the same for all."""
    return np.ones((len(states), 9)), np.zeros(len(states))


@pytest.mark.parametrize("how", [{}, {"root": "gumbel"}], ids=["a tree", "a forest"])
def test_another_batch_cannot_be_set(how: dict[str, Any]) -> None:
    """Compiled code wrote beyond the leaves for which there was room."""
    game = tictactoe()
    agent, fresh = (PUCT(game, 60, seed=0, batch=4, **how) for _ in range(2))
    assert agent.batch == 4
    for batch in (5000, 2, 0):
        with pytest.raises(AttributeError, match=rf"^batch of PUCT is given .* as in PUCT\(…, batch={batch}\)"):
            agent.batch = batch  # pyright: ignore[reportAttributeAccessIssue]
    assert agent.batch == 4
    assert agent.analyse(game.new_state()).visits == fresh.analyse(game.new_state()).visits


def test_another_evaluator_cannot_be_set() -> None:
    """It was shown as the agent's own, and never asked."""
    game = tictactoe()
    agent, fresh = (PUCT(game, 60, evaluator=uneven, seed=0) for _ in range(2))
    with pytest.raises(AttributeError, match=r"^evaluator of PUCT is given .* as in PUCT\(…, evaluator="):
        agent.evaluator = None  # pyright: ignore[reportAttributeAccessIssue]
    assert agent.evaluator is uneven
    assert agent.analyse(game.new_state()).visits == fresh.analyse(game.new_state()).visits


@pytest.mark.parametrize("how", [{"root": "gumbel"}, {"proofs": True}, {}], ids=["gumbel", "proofs", "a tree"])
def test_a_temperature_that_is_set_later_draws_the_moves(how: dict[str, Any]) -> None:
    game = tictactoe()
    given, later = (PUCT(game, 32, seed=0, temperature=tau, **how) for tau in (100.0, 0.0))
    later.temperature = 100.0
    drawn = [[agent.analyse(game.new_state()).best_action for _ in range(6)] for agent in (given, later)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn[1])) > 1


@pytest.mark.parametrize(
    ("how", "names"),
    [
        ({}, ("c", "c_base", "fpu", "noise", "noise_alpha")),
        ({"proofs": True}, ("c", "c_base", "fpu", "noise", "noise_alpha")),
        ({"root": "gumbel"}, ("noise",)),
    ],
    ids=["a tree", "proofs", "gumbel"],
)
def test_numbers_that_are_set_later_are_heeded(how: dict[str, Any], names: tuple[str, ...]) -> None:
    """A forest searched with those that it was made with."""
    game, start = tictactoe(), tictactoe().new_state()
    set_later: dict[str, Any] = {"c": 9, "c_base": 1, "fpu": -0.9, "noise": 0.9, "noise_alpha": 5}
    for name in names:
        more: dict[str, Any] = how | ({"noise": 0.5} if name == "noise_alpha" else {})
        given = PUCT(game, 60, evaluator=uneven, seed=0, **{**more, name: set_later[name]})
        later, never = (PUCT(game, 60, evaluator=uneven, seed=0, **more) for _ in range(2))
        setattr(later, name, set_later[name])
        found = later.analyse(start)
        assert found.visits == given.analyse(start).visits
        before = never.analyse(start)
        assert found.visits != before.visits, name
        setattr(never, name, set_later[name])  # between two searches
        assert never.analyse(start).visits != before.visits, name


@pytest.mark.parametrize("how", [{"root": "gumbel"}, {"proofs": True}, {}], ids=["gumbel", "proofs", "a tree"])
def test_random_numbers_go_on_whatever_is_set_and_copied(how: dict[str, Any]) -> None:
    """In a forest they began anew, so that an agent had the same noise in each search."""
    start, name = tictactoe().new_state(), "noise_alpha" if "root" in how else "fpu"

    def agent() -> PUCT:
        return PUCT(tictactoe(), 16, evaluator=alike, noise=1.0, seed=3, **how)

    left, changed, copied, pickled, again = (agent() for _ in range(5))
    found: list[list[Any]] = [[], [], [], [], []]
    for i in range(8):
        setattr(changed, name, getattr(left, name) + 1e-12 * (i % 2))  # too little to matter
        for one, moves in zip((left, changed, copied, pickled, again), found, strict=True):
            moves.append(one.analyse(start).visits)
        copied, pickled = copy.deepcopy(copied), pickle.loads(pickle.dumps(pickled))
        again.reset(seed=3)
    assert found[0] == found[1] == found[2] == found[3]
    assert len({str(visits) for visits in found[0]}) > 4
    assert found[4] == [found[0][0]] * 8
    left.reset()
    assert left.analyse(start).visits != found[0][0]


def test_a_copy_heeds_what_was_set() -> None:
    """It refused as many simulations as the original took."""
    agent = PUCT(tictactoe(), 16, seconds=0.05, root="gumbel")
    agent.simulations = 10**9  # as many as have room
    for one in (agent, copy.deepcopy(agent)):
        assert one.analyse(tictactoe().new_state()).leaves > 0


@pytest.mark.parametrize("how", [{}, {"proofs": True}, {"root": "gumbel"}], ids=str)
def test_priors_whose_sum_is_no_float_are_scaled(how: dict[str, Any]) -> None:
    """All became 0."""
    priors = np.full(9, 1e308)
    priors[4] = 1.7e308

    def huge(states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        return np.tile(priors, (len(states), 1)), np.zeros(len(states))

    found = PUCT(tictactoe(), 40, evaluator=huge, seed=0, **how).analyse(tictactoe().new_state())
    expected = priors / 1e308 / 9.7
    assert found.priors == pytest.approx(dict(enumerate(expected)), rel=1e-4)


@pytest.mark.parametrize("kind", [MCTS, PUCT, FlatMonteCarlo])
@pytest.mark.parametrize("simulations", [0, -1, 2.5])
def test_simulations_that_no_search_can_have_are_refused_when_they_are_set_later(kind: Any, simulations: Any) -> None:
    """Flat Monte Carlo searched without an end, and the others said that a sequence was empty."""
    agent = kind(tictactoe(), 8, seed=0)
    with pytest.raises(ValueError, match=f"^simulations must be a whole number above 0, got {simulations}"):
        agent.simulations = simulations
    assert agent.simulations == 8


def test_observations_come_with_masks() -> None:
    game = connect_four()
    shown: list[NDArray[Any]] = []

    def asked(observations: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        shown.append(observations.copy())
        return np.ones(masks.shape), np.zeros(len(masks))

    agent = PUCT(game, 10, evaluator=ObservationEvaluator(asked))
    observations, masks = np.ones((1, *game.observation_shape), np.int8), np.ones((1, 7), np.int8)
    for given, missing in (({"observations": observations}, "masks"), ({"masks": masks}, "observations")):
        with pytest.raises(ValueError, match=f"^{missing} are missing: give observations and masks, or neither"):
            agent.evaluate(game.initial, **given)
    with pytest.raises(ValueError, match=r"^masks must have shape \(1, 7\), a row for each state, got \(1, 6\)"):
        agent.evaluate(game.initial, observations, masks[:, :6])
    assert not shown
    agent.evaluate(game.initial, observations, masks)
    assert (shown[0] == observations).all()


@pytest.mark.parametrize("states", [connect_four().initial, np.zeros(3), tictactoe().new_state(), [1], None])
@pytest.mark.parametrize(
    "how", [{}, {"lambda_": 0.0}, {"evaluator": uneven}], ids=["rollouts", "evaluate", "evaluator"]
)
def test_only_states_of_the_game_are_evaluated(states: Any, how: dict[str, Any]) -> None:
    """Those of another game had answers, and others ended in errors of the compiler."""
    with pytest.raises(ValueError, match=r"^positions of tictactoe are an array \[rows\] of its dtype, as in"):
        PUCT(tictactoe(), 10, **how).evaluate(states)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"rollout": "heavy", "lambda_": 0},
            "rollout must be 'random' where lambda_ is 0: there are none, got 'heavy'",
        ),
        ({"rollout": "heavy", "evaluator": len}, "rollout must be 'random' where lambda_ is 0"),
        ({"batch": None}, "batch must be a whole number, at least 1, got None"),
        ({"batch": 0}, "batch must be a whole number, at least 1, got 0"),
        ({"batch": 2.5}, "batch must be a whole number, at least 1, got 2.5"),
    ],
)
def test_what_would_be_ignored_or_misread(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        PUCT("go_9x9", **arguments)


@pytest.mark.parametrize(("kind", "where"), [(AlphaGo, {"run": "nowhere"}), (AlphaZero, {"net": "nowhere"})])
def test_numbers_of_players_with_networks(kind: Any, where: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"^batch must be a whole number, at least 1, got None"):
        kind("tictactoe", **where, batch=None)
    with pytest.raises(ValueError, match=r"^threads must be a whole number, from 1 to 1024, got 0"):
        kind("tictactoe", **where, threads=0)


@pytest.mark.parametrize("how", [{}, {"root": "gumbel"}, {"proofs": True}], ids=str)
@pytest.mark.parametrize("observes", [False, True], ids=["states", "observations"])
def test_priors_of_illegal_actions_alone_prefer_none_of_the_legal_ones(how: dict[str, Any], observes: bool) -> None:
    """The legal action with the lowest number was the most visited."""

    def deluded(positions: NDArray[Any], *masks: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        return np.eye(9)[[4] * len(positions)], np.zeros(len(positions))

    game = tictactoe()
    evaluator: Any = ObservationEvaluator(deluded) if observes else deluded
    agent = PUCT(game, 3, batch=1, evaluator=evaluator, seed=1, **how)
    found = [agent.analyse(game.play_moves([4])) for _ in range(40)]
    assert {one.best_action for one in found} == set(range(9)) - {4}
    assert list(found[0].priors.values()) == pytest.approx([1 / 8] * 8, rel=1e-4)
