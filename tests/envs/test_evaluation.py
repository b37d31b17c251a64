"""Evaluations that are linear in named features: what a game and a search promise of them."""

from __future__ import annotations

import copy
import io
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from plyground.agents import AlphaBeta, Minimax, make
from plyground.arena.cli.parts.analysis import feature_table
from plyground.envs import Game, check_game, connect_four, game_names, go, make_game, mnk, othello, tictactoe
from plyground.envs.definition.evaluation import lead
from plyground.envs.jit import helper, kernel
from tests.conftest import GAMES, random_game

SEARCH_PAGE = Path(__file__).parents[2] / "docs" / "search.md"


def turn_and_first_cell(state: Any, player: int) -> Any:
    """Two features of tic-tac-toe, an integer and a float: who moves, and who has cell 0."""
    sign = 1 - 2 * player
    first, second = state.stones[0] & 1, state.stones[1] & 1
    return sign * (1 - 2 * (state.ply & 1)), sign * (float(first) - float(second))


def one_feature(state: Any, player: int) -> Any:
    return (0.5 - player,)


def third(state: Any, player: int) -> float:
    return (1 - 2 * player) / 3


def made(**weights: float) -> Game:
    return tictactoe().replace(features=turn_and_first_cell, weights=weights or {"turn": 0.5, "cell": -0.25})


@kernel
def evaluate_all(game, states, values):
    for i in range(states.size):
        for player in range(2):
            values[i, player] = game.evaluate(states[i], player)


@kernel
def read_features(game, state, player, values):
    found = game.features(state, player)
    for i in range(len(found)):
        values[i] = found[i]
    return len(found)


@pytest.mark.parametrize("spec", GAMES)
def test_compiled_evaluation_is_the_sum_of_weighted_features(spec: str, rng: np.random.Generator) -> None:
    game = make_game(spec)
    rows = [state for _ in range(3) for state in random_game(game, rng, 40) if not game.is_terminal(state)]
    states = np.array(rows, game.dtype)
    values = np.empty((states.size, 2))
    evaluate_all(game, states, values)
    buffer = np.empty(len(game.weights))
    for state, found in zip(rows, values.tolist(), strict=True):
        assert found == [game.evaluate(state, 0), game.evaluate(state, 1)]
        for player in (0, 1):
            features = game.features_of(state, player)
            if game.weights:
                assert read_features(game, state, player, buffer) == len(features)
                assert buffer.tolist() == list(features.values())
                total = sum(weight * features[name] for name, weight in game.weights.items())
                assert found[player] == pytest.approx(game.max_utility * total)


def test_every_game_but_go_has_features() -> None:
    assert [name for name in game_names() if not make_game(name).weights] == ["go"]
    assert go(5).features_of(go(5).new_state(), 0) == {}
    assert go(5).features(go(5).new_state(), 0) == ()


class TestWeights:
    def test_can_be_read_and_not_written(self) -> None:
        game = made()
        assert dict(game.weights) == {"turn": 0.5, "cell": -0.25}
        with pytest.raises(TypeError, match="does not support item assignment"):
            game.weights["turn"] = 1.0  # type: ignore[index]

    def test_are_replaced_by_name(self) -> None:
        game = made()
        state = game.play_moves([0])
        assert game.features_of(state, 0) == {"turn": -1, "cell": 1}
        assert game.evaluate(state, 0) == -0.5 - 0.25
        changed = game.with_weights(cell=0.125)
        assert dict(changed.weights) == {"turn": 0.5, "cell": 0.125}
        assert changed.evaluate(state, 0) == -0.5 + 0.125 == -changed.evaluate(state, 1)
        assert game.evaluate(state, 0) == -0.75
        assert game.with_weights() == game

    def test_are_part_of_the_rules(self) -> None:
        game = othello()
        changed = game.with_weights(mobility=0.125)
        assert changed != game
        assert changed.numba_type != game.numba_type
        assert changed.with_weights(mobility=game.weights["mobility"]) == game
        for copied in (pickle.loads(pickle.dumps(changed)), copy.deepcopy(changed)):
            assert copied == changed
            assert hash(copied) == hash(changed)
            assert copied.weights == changed.weights
        assert pickle.loads(pickle.dumps(game.replace(weights=changed.weights))) == changed
        assert changed.spec == game.spec

    def test_reach_the_machine_code(self) -> None:
        # One ply ahead, for the first player: it takes cell 0, or anything but that.
        for weight, best in ((0.25, (0,)), (-0.25, tuple(range(1, 9)))):
            found = Minimax(made(), 1, weights={"cell": weight}).analyse(tictactoe().new_state())
            assert found.best_actions == best
            assert found.value == -0.5 + max(weight, 0)

    def test_of_nothing_leave_a_feature_out(self) -> None:
        game = made().with_weights(turn=0, cell=0.5)
        found = Minimax(game, 1).analyse(game.new_state())
        assert (found.value, found.best_actions) == (0.5, (0,))
        assert game.with_weights(cell=0).evaluate(game.play_moves([0]), 0) == 0

    def test_are_in_the_units_of_utility(self) -> None:
        game = othello(4, by_discs=True)
        state = game.play_moves(["b1"])
        assert game.max_utility == 16
        assert game.evaluate(state, 0) == pytest.approx(16 * othello(4).evaluate(state, 0))
        assert game.replace(max_utility=32.0).evaluate(state, 0) == 2 * game.evaluate(state, 0) != 0

    @pytest.mark.slow
    def test_sum_just_below_one_gives_no_win(self) -> None:
        # Rounded, 0.1 ten times is just below 1.
        def tens(state: Any, player: int) -> Any:
            x = 1.0 - 2.0 * player
            return (x, x, x, x, x, x, x, x, x, x)

        for scale in (1.0, 64.0, 3.0, 361.0):
            game = tictactoe().replace(features=tens, weights={f"f{i}": 0.1 for i in range(10)}, max_utility=scale)
            assert scale * 0.999 < game.evaluate(game.new_state(), 0) < scale

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ({"trun": 0.1}, "tictactoe has no feature 'trun': did you mean 'turn'"),
            ({"turn": "much"}, "weight 'turn' of tictactoe must be a finite number, got 'much'"),
            ({"turn": True}, "weight 'turn' of tictactoe must be a finite number, got True"),
            ({"turn": np.nan}, "weight 'turn' of tictactoe must be a finite number, got nan"),
            ({"turn": 0.75}, r"must sum up to less than 1.*got 1 of .*: make all of them smaller by the same factor"),
            ({"turn": 0.5, "cell": 0.7}, "got 1.2 of"),
        ],
    )
    def test_mistakes(self, weights: Any, message: str) -> None:
        game = made()
        with pytest.raises(ValueError, match=message):
            game.with_weights(**weights)
        for agent in (AlphaBeta, Minimax):
            with pytest.raises(ValueError, match=message):
                agent(game, 2, weights=weights)
        assert dict(game.weights) == {"turn": 0.5, "cell": -0.25}

    def test_of_a_game_without_features(self) -> None:
        with pytest.raises(ValueError, match="go has no feature 'area': its evaluation has no features"):
            go(5).with_weights(area=0.5)


class TestDefinitions:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"evaluate": third, "features": one_feature, "weights": {"x": 0.5}}, "give one or the other"),
            ({"evaluate": third, "weights": {"x": 0.5}}, "give one or the other"),
            ({"features": one_feature, "weights": None}, "tictactoe needs both features and weights, or neither"),
            ({"features": None}, "tictactoe needs both features and weights, or neither"),
            ({"features": one_feature, "weights": {"x": 0.5, "y": 0.1}}, "must return a tuple of 2 numbers, for x, y"),
            ({"features": third, "weights": {"x": 0.5}}, "must return a tuple of 1 numbers, for x: got 0.333"),
            ({"features": one_feature, "weights": {"king row": 0.5}}, "must have a name such as 'mobility', got 'king"),
            ({"max_utility": np.inf}, "features of tictactoe need a finite max_utility"),
            ({"features": one_feature, "weights": [0.5]}, "must be a mapping such as {'mobility': 0.5}, got .0.5"),
        ],
    )
    def test_mistakes(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            tictactoe().replace(**changes)
        with pytest.raises(TypeError, match=r"rule 'features' of tictactoe must take \(state, player\), but takes 1"):
            tictactoe().replace(features=lambda state: (1.0,))

    def test_an_evaluation_takes_the_place_of_features(self) -> None:
        whole = tictactoe().replace(evaluate=third)
        assert whole.weights == {}
        assert whole.evaluate(whole.new_state(), 1) == -1 / 3
        again = whole.replace(features=one_feature, weights={"x": 0.5})
        assert again.evaluate(again.new_state(), 0) == 0.25
        assert again.replace(weights={"x": 0.25}).evaluate(again.new_state(), 0) == 0.125
        assert pickle.loads(pickle.dumps(again.replace(name="other"))).weights == {"x": 0.5}

    @pytest.mark.slow
    def test_features_that_are_compiled_already(self) -> None:
        for features in (helper(one_feature), kernel(one_feature)):
            game = tictactoe().replace(features=features, weights={"x": 0.5})
            assert Minimax(game, 1).analyse(game.new_state()).value == 0.25
            assert Minimax(game, 1, weights={"x": 0.25}).analyse(game.new_state()).value == 0.125

    def test_are_checked(self) -> None:
        check_game(made(), games=2)
        for features, fault in (
            (lambda state, player: (2.0 - 4.0 * player,), "must be from -1 to 1"),
            (lambda state, player: (1.0,), "opposite for the players, got 1.0 and 1.0"),
            (lambda state, player: (np.nan,), "got nan and nan"),
        ):
            with pytest.raises(ValueError, match=f"'features' of tictactoe: 'x' .*{fault}"):
                check_game(tictactoe().replace(features=features, weights={"x": 0.25}), games=1)

    def test_lead(self) -> None:
        assert [lead(own, other, 4) for own, other in ((3, 1), (1, 3), (9, 1), (0, 5), (2, 2))] == [0.5, -0.5, 1, -1, 0]


class TestAgents:
    def test_weights_are_those_of_the_game(self) -> None:
        state = connect_four().play_moves([3, 3, 2, 4, 1])
        changes = {"centre": 0.0, "threes": 0.18}
        changed = connect_four().with_weights(**changes)
        for agent in (Minimax, AlphaBeta):
            assert agent("connect_four", 4, weights=changes).game == changed
            assert (
                agent("connect_four", 4, weights=changes).analyse(state).value == agent(changed, 4).analyse(state).value
            )
        assert AlphaBeta(changed, 4).analyse(state).value == Minimax(changed, 4).analyse(state).value
        assert AlphaBeta(changed, 4).analyse(state).value != AlphaBeta("connect_four", 4).analyse(state).value

    def test_spec(self) -> None:
        agent = make("alphabeta(depth=4, weights={'centre': 0, 'threes': 0.18})", "connect_four")
        assert isinstance(agent, AlphaBeta)
        assert agent.game == connect_four().with_weights(centre=0, threes=0.18)
        with pytest.raises(ValueError, match="'center': did you mean 'centre'"):
            make("minimax(2, weights={'center': 0})", "connect_four")

    @pytest.mark.parametrize("agent", [Minimax, AlphaBeta])
    def test_mistakes(self, agent: Any) -> None:
        with pytest.raises(ValueError, match="evaluate and weights are both given"):
            agent("connect_four", 2, evaluate=third, weights={"centre": 0.1})
        with pytest.raises(ValueError, match=r"weights of connect_four must be a mapping such as .*, got 0\.5"):
            agent("connect_four", 2, weights=0.5)
        with pytest.raises(ValueError, match="connect_four has no feature 3"):
            agent("connect_four", 2, weights={3: 0.5})


def test_table_of_features() -> None:
    game = othello(4, by_discs=True)
    state = game.play_moves(["b1"])
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(feature_table(game, state))
    rows = [line.split() for line in re.sub("[^-+.\\w\n ]", " ", console.export_text()).splitlines()]
    found = {row[0]: row[1:] for row in rows if row}
    features = game.features_of(state, 1)
    total = 0.0
    for name, value in features.items():
        assert found[name] == [f"{value:+.3f}", f"{game.weights[name]:g}", f"{16 * game.weights[name] * value:+.3f}"]
        total += float(found[name][2])
    assert found["evaluation"] == [f"{game.evaluate(state, 1):+.3f}"]
    assert float(found["evaluation"][0]) == pytest.approx(total, abs=0.005)


def test_page_has_the_weights_as_they_are() -> None:
    page = SEARCH_PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| .+ \| ([\d./]+) \|$", page, re.MULTILINE)
    told: dict[str, dict[str, float]] = {}
    for game, feature, weight in rows:
        above, _, below = weight.partition("/")
        told.setdefault(game, {})[feature] = float(above) / float(below or 1)
    assert told == {name: dict(make_game(name).weights) for name in told}
    assert sorted(told) == [name for name in game_names() if name not in ("go", "mnk")]
    assert mnk(9, 9, 5).weights == make_game("gomoku").weights
