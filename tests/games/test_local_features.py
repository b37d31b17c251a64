"""Local features of moves, and linear policies that are learned from records."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from plyground.agents.mcts import LinearPolicy
from plyground.agents.mcts.fitting import Examples, LinearLearner, examples_of, learn_linear, quality_of, ranks_of
from plyground.envs import Game, connect_four, go, make_game, mnk, tictactoe
from plyground.envs.definition.terms import images_of
from plyground.envs.games.go.local import pattern_numbers
from tests.conftest import random_game
from tests.helpers.go_oracle import state_of

pytestmark = pytest.mark.rules


def seen(game: Game, state: Any, last: int = -1, before: int = -1) -> dict[int, tuple[int, ...]]:
    """Return the features of the candidates."""
    actions = np.zeros(game.num_actions, np.int32)
    features = np.full((game.num_actions, game.knowledge.slots), -1, np.int32)
    count = game.local_features(state, last, before, actions, features)
    assert count > 0
    rows = features[:count]
    if game.name != "go":
        rows[:, :4].sort(axis=1)  # the directions, of which an image has others
    assert rows.min() >= 0
    assert rows.max() < game.knowledge.num_weights
    return {int(a): tuple(row.tolist()) for a, row in zip(actions, rows, strict=False)}


@pytest.mark.parametrize(
    "spec", ["go(board_size=5)", "go(board_size=2)", "connect_four", "mnk(m=5,n=4,k=4)", "gomoku(size=7)"]
)
def test_images_of_a_board_have_the_same_features(spec: str, rng: np.random.Generator) -> None:
    game = make_game(spec)
    images = images_of(game)
    assert images is not None
    for _ in range(2):
        line, state = [], game.new_state()
        turned = [(np.argsort(actions), game.new_state()) for actions in images.actions]  # where each action goes
        while not game.is_terminal(state):
            last, before = [*[-1] * 2, *line][-1:-3:-1]
            found = seen(game, state, last, before)
            assert found.keys() <= set(game.actions(state))
            if game.name != "go":
                assert len(found) == len(game.actions(state))
            for to, image in turned:
                moved = [int(to[move]) if move >= 0 else -1 for move in (last, before)]
                assert seen(game, image, moved[0], moved[1]) == {int(to[a]): row for a, row in found.items()}
            line.append(int(rng.choice(game.actions(state))))
            game.play(state, line[-1])
            for to, image in turned:
                game.play(image, int(to[line[-1]]))


def test_colours_swapped_have_the_same_features() -> None:
    game = go(board_size=5)
    diagram = """
        . . . X .
        . X O . .
        O . . X .
        . . X O O
        . O . . ."""
    swapped = diagram.translate(str.maketrans("XO", "OX"))
    assert seen(game, state_of(game, diagram, 0)) == seen(game, state_of(game, swapped, 1))


def test_signs_of_go() -> None:
    game = go(board_size=5)
    diagram = """
        . . . . .
        . X O . .
        X O X O .
        . . . . .
        . . . . ."""
    found = seen(game, state_of(game, diagram, 0), last=game.str_to_action("D3"), before=-1)
    danger = {name: found[game.str_to_action(name)][4] for name in ("B2", "C2", "E5", "D4")}
    base = danger["E5"]
    assert danger["B2"] - base == 1 + 4 - 4  # takes B3
    assert danger["C2"] - base == 2  # saves C3
    assert danger["D4"] - base == 4  # C4 has C5 left
    far = {name: found[game.str_to_action(name)][2] for name in ("D2", "E2", "A1")}
    assert (far["E2"] - far["D2"], far["A1"] - far["D2"]) == (1, 6)  # distances 2, 3 and 8


def test_pattern_numbers() -> None:
    _, count = pattern_numbers()
    # By Burnside's lemma: (3^8 + 2·3^2 + 3^4 + 4·3^5) / 8 inside, (3^5 + 3^3) / 2 at an edge, (3^3 + 3^2) / 2 in a
    # corner; and more where the board is so small that a point touches two edges at once.
    inside = (3**8 + 2 * 3**2 + 3**4 + 4 * 3**5) // 8
    edge, corner, between, end, alone = (3**5 + 3**3) // 2, (3**3 + 3**2) // 2, 6, 3, 1
    assert count == 1 + inside + edge + corner + between + end + alone


def test_stones_in_a_row() -> None:
    game = mnk(m=5, n=5, k=4)
    state = game.play_moves(["b3", "a1", "c3", "a5"])
    found = seen(game, state)
    rows = [found[game.str_to_action(name)] for name in ("a3", "d3", "e3")]
    assert [row[3] for row in rows] == [4 * 13, 4 * 13, 0]  # two own stones, open behind, and nothing on the other side
    found = seen(game, game.play_moves(["d3"], state))
    rows = [found[game.str_to_action(name)] for name in ("a3", "e3", "c4")]
    assert [row[3] for row in rows[:2]] == [12 * 13, 12 * 13]  # three of the other side, open behind
    assert rows[2][1:4] == (8 * 13, 8 * 13, 8 * 13)  # b3, c3 and d3, each alone and open behind
    found = seen(game, game.play_moves(["a3", "e5"]))
    rows = [found[game.str_to_action(name)][3] for name in ("b3", "d4")]
    assert rows == [1 * 13, 7 * 13]  # an own stone, and one of the other side, with the edge behind


def test_threats_of_connect_four() -> None:
    game = connect_four()
    state = game.play_moves([0, 0, 1, 1, 2, 2])  # three and three in a row, one above the other
    found = seen(game, state)
    above = {action: row[4] - 169 for action, row in found.items()}
    assert above == {0: 0, 1: 0, 2: 0, 3: 2, 4: 0, 5: 0, 6: 0}  # on top of 3, the other side would complete four


def _lines(game: Game, policy: LinearPolicy, games: int, rng: np.random.Generator) -> list[list[int]]:
    lines = []
    for _ in range(games):
        state, line = game.new_state(), list[int]()
        while not game.is_terminal(state):
            last, before = [*[-1] * 2, *line][-1:-3:-1]
            line.append(int(rng.choice(game.num_actions, p=policy.probabilities(state, last, before))))
            game.play(state, line[-1])
        lines.append(line)
    return lines


def test_learns_the_policy_that_played(rng: np.random.Generator) -> None:
    game = connect_four(rows=4, columns=5)
    weights = rng.normal(size=game.knowledge.num_weights)
    teacher = LinearPolicy(game, weights)
    train, test = (examples_of(game, _lines(game, teacher, games, rng)) for games in (150, 60))
    untaught = quality_of(LinearPolicy(game), test)
    found = quality_of(learn_linear(game, train, epochs=10), test)
    best = quality_of(teacher, test)
    assert untaught.log_likelihood + 0.2 < found.log_likelihood <= best.log_likelihood + 0.02
    assert found.log_likelihood > best.log_likelihood - 0.12
    assert found.top_1 > untaught.top_1 + 0.1
    assert found.top_1 <= found.top_5 <= 1
    again = learn_linear(game, train, epochs=10)
    assert (learn_linear(game, train, epochs=10).weights == again.weights).all()


def test_probabilities_of_examples_are_those_of_the_policy(rng: np.random.Generator) -> None:
    game = go(board_size=3)
    policy = LinearPolicy(game, rng.normal(size=game.knowledge.num_weights))
    states = random_game(game, rng, 12)
    line = []
    for before, after in pairwise(states):
        line += [a for a in game.actions(before) if game.play_moves([a], before) == after][:1]
    examples = examples_of(game, [line])
    assert sorted([*examples.missed, *examples.plies]) == list(range(len(line)))
    found, expected = ranks_of(policy, examples)[1], []
    for ply, move in enumerate(line):
        last, before = [*[-1] * 2, *line[:ply]][-1:-3:-1]
        if (share := policy.probabilities(game.play_moves(line[:ply]), last, before)[move]) > 0:
            expected.append(np.log(share))
    assert found == pytest.approx(expected)


def test_learns_along_the_gradient_of_the_log_likelihood(rng: np.random.Generator) -> None:
    """Against differences of its own probabilities, and against what it then predicts."""
    game, line = connect_four(rows=4, columns=5), [2, 2, 1, 3, 0, 4]
    learner = LinearLearner(game)
    learner.weights[:] = rng.normal(size=learner.weights.size)
    weights = learner.weights.copy()
    first = examples_of(game, [line], [[True, *[False] * 5]])
    assert (first.plies.tolist(), len(first), first.missed.size) == ([0], 1, 0)
    slope, _ = learner.gradient(first, np.arange(1))
    for number in np.flatnonzero(slope)[:4]:
        step = np.zeros_like(weights)
        step[number] = 1e-3
        low, high = (
            np.log(LinearPolicy(game, weights + sign * step).probabilities(game.new_state())[line[0]])
            for sign in (-1, 1)
        )
        assert slope[number] == pytest.approx((high - low) / 2e-3, abs=1e-2)
    examples = examples_of(game, [line])
    before = ranks_of(learner.policy(), examples)[1].mean()
    for _ in range(300):
        learner.step(examples, np.arange(len(examples)))
    ranks, likelihoods = ranks_of(learner.policy(), examples)
    assert examples.plies.tolist() == list(range(6))
    assert likelihoods.mean() > before + 0.3
    assert ranks.among(1).mean() > 0.5  # of five moves
    alike = quality_of(LinearPolicy(game), first)  # which had found all of five, and none of one
    assert (alike.top_1, alike.top_5) == pytest.approx((1 / 5, 1))
    other = LinearLearner(game)
    other.load_state_dict(learner.state_dict())
    assert other.step(examples, np.arange(3)) == learner.step(examples, np.arange(3))
    np.testing.assert_array_equal(other.weights, learner.weights)


def test_errors() -> None:
    game = connect_four()
    with pytest.raises(ValueError, match="line 1: move 9 at index 0"):
        examples_of(game, [[3, 3], [9]])
    with pytest.raises(ValueError, match="line 0: move 3 at index 6 is illegal"):
        examples_of(game, [[3] * 7])
    with pytest.raises(ValueError, match="line 0: move 3 at index 7 comes after the end"):
        examples_of(game, [[0, 1, 0, 1, 0, 1, 0, 3]])
    with pytest.raises(ValueError, match=r"line 0: expected action ids, got \[0.5\]"):
        examples_of(game, [[0.5]])  # pyright: ignore[reportArgumentType]
    empty = examples_of(game, [])
    for examples in (empty, Examples(*empty[:4], missed=np.arange(4))):
        with pytest.raises(ValueError, match="no examples to learn from"):
            learn_linear(game, examples)
        with pytest.raises(ValueError, match="no examples to grade"):
            quality_of(LinearPolicy(game), examples)
    with pytest.raises(ValueError, match="epochs and batch_size must be at least 1"):
        learn_linear(game, examples_of(game, [[3]]), epochs=0)
    with pytest.raises(ValueError, match=r"weight_decay at least 0: got .*weight_decay=-1"):
        learn_linear(game, examples_of(game, [[3]]), weight_decay=-1)
    for wanted, more in (([True], "lines"), (3 * [True], "entries of wanted")):
        with pytest.raises(ValueError, match=f"there are {min(len(wanted), 2)} of both, then more {more}"):
            examples_of(game, [[3], [2]], wanted)
    with pytest.raises(ValueError, match="tictactoe has no local features"):
        examples_of(tictactoe(), [[4]])
