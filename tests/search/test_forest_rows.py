"""Rows of a forest: independent of each other, of threads and of batches; what they prove, show, refuse and take."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents.puct.forest import Forest, Searched
from plyground.envs import BoardGameEnv, Game, connect_four, go, make_game, tictactoe
from tests.helpers.forest_games import answers, positions
from tests.helpers.oracles import minimax_value, worth_after
from tests.helpers.trees import leaf_tree

SMALL = "connect_four(rows=4, columns=5)"


def moves_of(game: Game, states: NDArray[Any], trees: Forest, rows: NDArray[np.intp] | None = None) -> list[Searched]:
    """Three searches, each of the positions after the moves of the one before."""
    states, found = states.copy(), []
    for _ in range(3):
        found.append(trees.search(states, answers, simulations=np.arange(states.size) % 3 * 12 + 7, rows=rows))
        trees.keep(found[-1].actions, rows)
        for state, action in zip(states, found[-1].actions, strict=True):
            if not game.is_terminal(state):
                game.play(state, action)
        states = np.where([game.is_terminal(state) for state in states], game.initial, states)
    return found


def same(one: list[Searched], other: list[Searched]) -> bool:
    return all(
        (a == b).all() for first, second in zip(one, other, strict=True) for a, b in zip(first, second, strict=True)
    )


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_threads_change_nothing(root: Any) -> None:
    game = make_game(SMALL)
    states = positions(game, 30)
    found = [moves_of(game, states, Forest(game, 30, root=root, decisive=True, threads=n, seed=5)) for n in (1, 2, 3)]
    assert same(found[0], found[1])
    assert same(found[0], found[2])
    assert not same(found[0], moves_of(game, states, Forest(game, 30, root=root, decisive=True, seed=6)))


@pytest.mark.parametrize("decisive", [False, True])
def test_leaves_that_are_evaluated_together_change_nothing(decisive: bool) -> None:
    game = make_game(SMALL)
    states = positions(game, 30)
    sizes: list[tuple[int, int]] = []
    runs: list[Searched] = []
    nodes: list[NDArray[Any]] = []
    for leaves in (1, 3, 8):
        batches: list[int] = []

        def watched(planes: Any, masks: Any, batches: list[int] = batches) -> Any:
            batches.append(len(planes))
            return answers(planes, masks)

        trees = Forest(game, 30, leaves=leaves, considered=4, decisive=decisive, seed=5)
        found = trees.search(states, watched)
        sizes.append((len(batches), sum(batches)))
        runs.append(found)
        nodes.append(trees.trees.nodes.copy())
    assert same(runs[:1], runs[1:2])
    assert same(runs[:1], runs[2:])
    assert (nodes[0] == nodes[1]).all()
    assert (nodes[0] == nodes[2]).all()
    passes, evaluations = zip(*sizes, strict=True)
    assert len(set(evaluations)) == 1
    assert passes[2] <= passes[1] < 0.6 * passes[0]


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_rows_do_not_depend_on_each_other(root: Any) -> None:
    game = make_game(SMALL)
    states = positions(game, 12)
    together = Forest(game, 12, root=root, seed=5).search(states, answers)
    alone = Forest(game, 12, root=root, seed=5)
    order = np.random.default_rng(0).permutation(12)
    for rows in (order[:1], order[1:5], order[5:]):
        found = alone.search(states[rows], answers, rows=rows)
        assert all((a == b[rows]).all() for a, b in zip(found, together, strict=True))


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_rows_that_are_not_to_have_it_are_without_noise_and_forced_playouts(root: Any) -> None:
    def level(planes: Any, masks: Any) -> Any:  # leaves all to the noise
        return np.zeros(masks.shape, np.float32), answers(planes, masks)[1]

    game = make_game(SMALL)
    states, noisy = positions(game, 12), np.arange(12) % 2 == 0
    how: dict[str, Any] = {"root": root, "considered": 2, "seed": 5}
    loud = Forest(game, 12, **how).search(states, level)
    calm = Forest(game, 12, **how, noise=0, forced=0).search(states, level)
    mixed = Forest(game, 12, **how).search(states, level, noisy=noisy)
    for found, rows, others in ((loud, noisy, ~noisy), (calm, ~noisy, noisy)):
        assert all((a[rows] == b[rows]).all() for a, b in zip(found, mixed, strict=True))
        assert (found.visits[others] != mixed.visits[others]).any()


@pytest.mark.parametrize("decisive", [False, True])
@pytest.mark.parametrize("root", ["gumbel", "puct"])
@pytest.mark.parametrize(("name", "stones"), [(SMALL, 10), pytest.param("tictactoe", 2, marks=pytest.mark.slow)])
def test_what_is_proved_is_the_minimax_value(name: str, stones: int, root: Any, decisive: bool) -> None:
    game = make_game(name)
    known: dict[bytes, float] = {}
    states = positions(game, 150, seed=4)
    states = states[[np.count_nonzero(game.observation(state, 0)) >= stones for state in states]]
    trees = Forest(game, states.size, root=root, simulations=400, decisive=decisive, seed=0)
    found = trees.search(states, answers)
    assert found.proved.mean() > 0.2
    assert (trees.trees.rows["left"][found.proved] > 0).any()  # what is proved is searched no further
    for state, action, policy, value in zip(
        *(part[found.proved] for part in (states, found.actions, found.policies, found.values)), strict=True
    ):
        assert value == minimax_value(game, state, known)
        for move in {int(action), *np.flatnonzero(policy).tolist()}:
            assert worth_after(game, state, move, known) == value


@pytest.mark.slow
def test_shows_a_network_what_the_environment_shows() -> None:
    game = go(board_size=5, superko="simple")
    rng, env = np.random.default_rng(0), BoardGameEnv(game)
    begun: list[list[int]] = []
    states, shown = np.zeros(5, game.dtype), np.zeros((5, 2, *game.observation_shape), game.observation_dtype)
    for row in range(5):
        env.reset()
        for _ in range(4 * row):
            env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        states[row] = env.infos[env.agent_selection]["state"]
        shown[row] = [env.observe(name)["observation"] for name in env.possible_agents]
        begun.append([int(move) for move in env.moves])
    trees = Forest(game, 5, simulations=80, leaves=3, considered=2, c_scale=0.1, seed=0)
    deepest, count = 0, 0

    def watched(planes: NDArray[Any], masks: NDArray[np.bool_]) -> Any:
        nonlocal deepest, count
        place = 0
        for r in range(5):
            for slot in range(trees.trees.rows["leaves"][r]):
                path = trees.trees.path_edges[r, slot, : trees.trees.lengths[r, slot]]
                env.reset(options={"moves": [*begun[r], *trees.trees.edges[r]["action"][path].tolist()]})
                seen = env.last()[0]
                np.testing.assert_array_equal(planes[place], seen["observation"])
                np.testing.assert_array_equal(masks[place], seen["action_mask"] != 0)
                deepest, place, count = max(deepest, len(path)), place + 1, count + 1
        assert place == len(planes)
        logits, values = answers(planes, masks)
        return 3 * logits, values  # deep rather than broad

    trees.search(states, watched, shown=shown)
    assert deepest > 8
    assert count > 300
    with pytest.raises(ValueError, match="needs `shown`"):
        trees.search(states, answers)
    with pytest.raises(ValueError, match="shown must have shape"):
        trees.search(states, answers, shown=shown[:, :1])


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_an_interrupted_search_answers_with_what_it_has(root: Any) -> None:
    game, passes = make_game(SMALL), iter([False, False, True])
    trees = Forest(game, 4, root=root, seed=0)
    found = trees.search(np.repeat(game.initial, 4), answers, interrupted=lambda: next(passes))
    assert found.visits.sum(axis=1).tolist() == [2] * 4  # the first pass is the roots'
    assert (trees.simulations_done, trees.evaluations) == (8, 12)
    assert found.policies.sum(axis=1) == pytest.approx(1)
    again = trees.search(np.repeat(game.initial, 4), answers, interrupted=lambda: True)
    assert again.visits.sum(axis=1).tolist() == [3] * 4  # it goes on in the same trees
    trees.forget()
    found = trees.search(np.repeat(game.initial, 4), answers, interrupted=lambda: True)
    assert not found.visits.any()
    assert all(policy[action] > 0 for policy, action in zip(found.policies, found.actions, strict=True))


def test_another_position_begins_anew() -> None:
    game = make_game(SMALL)
    trees, fresh = Forest(game, 1, noise=0, seed=0), Forest(game, 1, noise=0, seed=0)
    start, other = game.initial.copy(), np.array([game.play_moves([2, 2, 3])], game.dtype)
    trees.search(start, answers)
    trees.keep([2])
    assert same([trees.search(other, answers)], [fresh.search(other, answers)])
    # So does the same position with other actions.
    mask = np.array([[True, False, True, True, True]])
    found = trees.search(other, answers, masks=mask)
    fresh.forget()
    assert same([found], [fresh.search(other, answers, masks=mask)])
    fresh.forget()
    assert same([trees.search(other, answers)], [fresh.search(other, answers)])


@pytest.mark.parametrize("mode", [None, "r"])
def test_positions_of_a_file(mode: Any, tmp_path: Path) -> None:
    game = make_game(SMALL)  # whose states are padded, which the file does not say
    states = positions(game, 6)
    np.save(tmp_path / "states.npy", states)
    loaded = np.load(tmp_path / "states.npy", mmap_mode=mode)
    assert not loaded.dtype.isalignedstruct
    for root in ("gumbel", "puct"):
        one, other = (Forest(game, 6, root=root, simulations=20, seed=0) for _ in range(2))
        assert same([one.search(states, answers)], [other.search(loaded, answers)])
        assert same([one.search(states[::-1], answers)], [other.search(loaded[::-1], answers)])


def test_priors_that_underflow_and_logits_that_say_nothing() -> None:
    game = connect_four()

    def sure(planes: Any, masks: Any) -> Any:
        logits = np.full(masks.shape, -np.inf, np.float32)
        if (planes == root_planes).all():
            logits[0, 3] = 500.0
            logits[0, 0] = -500.0
        return logits, np.zeros(len(planes), np.float32)

    # All moves but one lose at once, and the network is sure of one that does; in one row it says nothing.
    states = np.array([game.play_moves([0, 1, 0, 1, 4, 1])] * 2, game.dtype)
    root_planes = game.observation(states[0], int(game.player(states[0])))
    for root in ("gumbel", "puct"):
        found = Forest(game, 2, root=root, simulations=400, seed=0).search(states, sure)
        assert found.actions.tolist() == [1, 1]
        assert np.isfinite(found.policies).all()
        assert found.policies.sum(axis=1) == pytest.approx(1)
        assert np.isfinite(found.surprise).all()


def test_an_evaluator_that_raises_leaves_no_tree_behind() -> None:
    game = tictactoe()
    trees, fresh = (Forest(game, 2, root="puct", noise=0, seed=0) for _ in range(2))
    states = np.repeat(game.initial, 2)
    asked = 0

    def tired(planes: Any, masks: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked > 5:
            raise RuntimeError("tired")
        return answers(planes, masks)

    with pytest.raises(RuntimeError, match="tired"):
        trees.search(states, tired)
    assert same([trees.search(states, answers)], [fresh.search(states, answers)])


def test_copies_by_pickle_go_on_alike() -> None:
    game = tictactoe()
    trees = Forest(game, 3, threads=2, seed=0)
    states = np.repeat(game.initial, 3)
    found = trees.search(states, answers, simulations=9)
    copy = pickle.loads(pickle.dumps(trees))
    trees.keep(found.actions)
    copy.keep(found.actions)
    states = np.array([game.play_moves([action]) for action in found.actions], game.dtype)
    assert same([trees.search(states, answers)], [copy.search(states, answers)])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"root": "gumbal"}, "did you mean 'gumbel'"),
        ({"num_trees": 0}, "num_trees must be a whole number, at least 1"),
        ({"simulations": 0}, "simulations must be a whole number, at least 1"),
        ({"considered": 1.5}, "considered must be a whole number"),
        ({"leaves": 0}, "leaves must be"),
        ({"threads": 0}, "threads must be"),
        ({"c_visit": -1}, "c_visit must be a number, at least 0"),
        ({"noise": 1.5}, "noise must be a number from 0 to 1"),
        ({"noise_alpha": float("nan")}, "noise_alpha must be a number"),
        ({"noise_alpha": float("inf")}, "noise_alpha must be a number, at least 0 and at most 1e"),
        ({"c_visit": float("inf")}, "c_visit must be a number, at least 0 and at most 1e"),
        ({"c_scale": 1e308}, "c_scale must be a number, at least 0 and at most 1e"),
        ({"c": float("inf")}, "c must be a number"),
        ({"forced": float("inf")}, "forced must be a number"),
        ({"c_base": 0}, "c_base must be a number above 0, got"),
        ({"fpu": float("nan")}, "fpu must be a number"),
    ],
)
def test_bad_arguments(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Forest(tictactoe(), **{"num_trees": 2, **given})


@pytest.mark.parametrize(
    "given",
    [
        {"c_visit": 1e30, "c_scale": 1e30},
        {"root": "puct", "c": 1e30, "forced": 1e30, "noise_alpha": 1e30},
        {"root": "puct", "c_base": np.inf, "fpu": np.inf},
        {"root": "puct", "c_base": np.inf, "fpu": -np.inf},
    ],
)
def test_the_largest_numbers(given: dict[str, Any]) -> None:
    game = make_game(SMALL)
    states = positions(game, 12)
    found = Forest(game, 12, simulations=100, seed=0, **given).search(states, answers)
    assert np.isfinite(found.policies).all()
    assert found.policies.sum(axis=1) == pytest.approx(1)
    assert all(action in game.actions(state) for state, action in zip(states, found.actions, strict=True))


@pytest.mark.parametrize("proofs", [True, False])
def test_scores_that_are_no_numbers_choose_an_edge_all_the_same(proofs: bool) -> None:
    game = make_game(SMALL)
    states = positions(game, 12)
    trees = Forest(game, 12, simulations=100, proofs=proofs, seed=0)
    trees._gumbel = trees._gumbel._replace(c_scale=np.inf)
    found = trees.search(states, answers)
    assert all(action in game.actions(state) for state, action in zip(states, found.actions, strict=True))
    assert trees.trees.rows["deepest"].max() < 20


def test_utilities_without_bound_are_refused() -> None:
    with pytest.raises(ValueError, match="largest utility"):
        Forest(leaf_tree([1.0, 2.0], 2), 1)


def test_bad_searches() -> None:
    game = tictactoe()
    trees = Forest(game, 4, simulations=8)
    states = np.repeat(game.initial, 2)
    given: dict[str, Any]
    for given, message in (
        ({"simulations": 9}, "from 0 to 8"),
        ({"simulations": [1, 2, 3]}, "one or 2"),
        ({"simulations": 2.5}, "whole numbers"),
        ({"rows": np.array([1, 1])}, "rows must be different rows from 0 to 3"),
        ({"rows": np.array([1, 4])}, "rows must be different rows from 0 to 3"),
        ({"rows": np.array([1])}, "need as many rows"),
        ({"rows": np.array([0.2, 1.7])}, "rows must be different rows"),
        ({"rows": np.array([True, False])}, "rows must be different rows"),
        ({"rows": np.array([[0, 1]])}, "rows must be different rows"),
        ({"noisy": np.ones(3, np.bool_)}, r"noisy must have shape \(2,\), got \(3,\)"),
        ({"masks": np.ones((2, 5))}, "masks must have shape"),
        ({"masks": np.zeros((2, 9))}, "nothing may be played in position 0"),
    ):
        with pytest.raises(ValueError, match=message):
            trees.search(states, answers, **given)
    with pytest.raises(ValueError, match="an array"):
        trees.search(np.zeros(2), answers)
    with pytest.raises(ValueError, match="nothing may be played in position 1"):
        trees.search(np.array([game.new_state(), game.play_moves([0, 3, 1, 4, 2])], game.dtype), answers)
    with pytest.raises(ValueError, match="a forest of 4 trees searches as many positions at most, got 5"):
        trees.search(np.repeat(game.initial, 5), answers)
    for actions, rows, message in (
        ([0.2, 1.7], np.array([0, 3]), "actions must be 2 integers"),
        ([1, 9], np.array([0, 3]), "action 9 in game 3 is no action of tictactoe"),
        ([1, 2**32 + 1], np.array([0, 3]), "is no action of tictactoe"),  # in 32 bits it would be another one
        ([1, 2], None, "actions must be 4 integers"),
    ):
        with pytest.raises(ValueError, match=message):
            trees.keep(actions, rows)
    ones = np.ones((2, 9), np.float32)
    for answer, message in (
        ((ones[:, :8], ones[:, 0]), "must return logits"),
        ((ones, ones[:1, 0]), "must return logits"),
        ((ones * np.nan, ones[:, 0]), "below infinity"),
        ((ones, ones[:, 0] * np.inf), "finite"),
    ):
        with pytest.raises(ValueError, match=message):
            trees.search(states, lambda planes, masks, answer=answer: answer)
