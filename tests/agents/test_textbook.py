"""The numbers of the texts, from tests/data/textbook.json."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta, Minimax
from plyground.agents.mcts.tree import backpropagate, new_tree, select_child, ucb
from plyground.envs import tictactoe
from plyground.envs.games.tictactoe import open_lines
from plyground.envs.jit import kernel
from tests.helpers.trees import leaf_tree, perfectly_ordered_tree

PLAIN = {"table_mb": 0, "ordered": False, "pvs": False, "iterative": False}

WATCH_LEAVES = """
import json, sys
from plyground.agents import AlphaBeta
from tests.helpers.trees import leaf_tree

tree = json.loads(sys.argv[1])
looked_at = []
game = leaf_tree([0 if isinstance(leaf, str) else leaf for node in tree for leaf in node], 3, looked_at.append)
agent = AlphaBeta(game, depth=2, table_mb=0, ordered=False, pvs=False, iterative=False)
agent.prepare()  # checks the game by random play
looked_at.clear()
found = agent.analyse(game.new_state())
leaves = [leaf for node in tree for leaf in node]
print(json.dumps([found.value, found.best_action, found.leaves, [leaves[i] for i in looked_at]]))
"""


class TestThreeByThreeTree:
    @pytest.mark.parametrize("unknown", [-1000, 0, 1000])
    def test_value_best_child_and_count(self, textbook: Any, unknown: float) -> None:
        expected = textbook["minimax_tree"]
        leaves = [unknown if isinstance(leaf, str) else leaf for node in expected["tree"] for leaf in node]
        game = leaf_tree(leaves, 3)
        found = AlphaBeta(game, depth=2, **PLAIN).analyse(game.new_state())
        assert (found.value, found.best_action) == (expected["root_value"], expected["best_child"])
        assert found.leaves == 9 - expected["alpha_beta_left_to_right"]["leaves_pruned"]

    def test_exactly_the_stated_leaves_are_looked_at(self, textbook: Any) -> None:
        import json

        expected = textbook["minimax_tree"]
        result = subprocess.run(
            [sys.executable, "-c", WATCH_LEAVES, json.dumps(expected["tree"])],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        )
        order = expected["alpha_beta_left_to_right"]["leaves_evaluated"]
        assert json.loads(result.stdout) == [expected["root_value"], expected["best_child"], len(order), order]

    def test_minimax_looks_at_all(self, textbook: Any) -> None:
        game = leaf_tree([3, 12, 8, 2, 4, 6, 14, 5, 2], 3)
        found = Minimax(game).analyse(game.new_state())
        assert (found.value, found.best_action, found.leaves, found.nodes) == (3, 0, 9, 13)
        assert found.values == {0: 3, 1: 2, 2: 2}
        assert found.pv == (0, 0)


@pytest.mark.slow
def test_leaf_counts_with_perfect_ordering(textbook: Any) -> None:
    examples = textbook["alpha_beta_leaf_counts"]["perfect_ordering_examples"]
    for b, h, leaves in [(e["b"], e["h"], e["leaves"]) for e in examples] + [(4, 5, 79), (6, 1, 6), (1, 4, 1)]:
        game = perfectly_ordered_tree(b, h)
        found = AlphaBeta(game, depth=h, **PLAIN).analyse(game.new_state())
        assert found.leaves == leaves == b ** math.ceil(h / 2) + b ** (h // 2) - 1
        assert found.value == 0
        assert Minimax(game, depth=h).analyse(game.new_state()).leaves == b**h


class TestTicTacToe:
    def test_number_of_complete_games(self, textbook: Any) -> None:
        game = tictactoe()
        expected = textbook["known_values"]["tictactoe"]
        outcomes = np.zeros(3, np.int64)
        _count_outcomes(game, np.zeros(10, game.dtype), np.empty((10, 9), np.int32), np.int64(0), outcomes)
        drawn, won_by_x, won_by_o = outcomes.tolist()
        assert (won_by_x, won_by_o, drawn) == tuple(
            expected[k] for k in ("games_won_by_x", "games_won_by_o", "games_drawn")
        )
        assert Minimax(game).analyse(game.new_state()).leaves == expected["games"] == outcomes.sum()

    def test_two_plies_with_open_lines_choose_the_centre(self, textbook: Any) -> None:
        expected = textbook["tictactoe_evaluation"]["two_ply_from_empty"]
        game = tictactoe()
        for agent in (Minimax(game, depth=2, evaluate=open_lines), AlphaBeta(game, depth=2, evaluate=open_lines)):
            found = agent.analyse(game.new_state())
            assert found.value == expected["backed_up_value"]
            assert found.best_action == 4
            assert expected["best_first_move"] == "centre"

    def test_value_of_the_game(self, textbook: Any) -> None:
        game = tictactoe()
        found = AlphaBeta(game, depth=9).analyse(game.new_state())
        assert found.exact
        assert found.value == textbook["tictactoe_evaluation"]["game_value"]
        assert found.nodes < textbook["tictactoe_evaluation"]["bound_on_nodes"]


@kernel
def _count_outcomes(game, states, moves, ply, outcomes):
    """Count the complete games below ``states[ply]`` by the first player's utility: 0, 1, -1."""
    if game.is_terminal(states[ply]):
        outcomes[int(game.utility(states[ply], 0))] += 1
        return
    for i in range(game.legal_actions(states[ply], moves[ply])):
        states[ply + 1] = states[ply]
        game.play(states[ply + 1], moves[ply, i])
        _count_outcomes(game, states, moves, ply + 1, outcomes)


class TestUCB:
    """The worked example: black to move at the root, 12 wins of 21; all win counts are black's."""

    def test_scores(self, textbook: Any) -> None:
        example = textbook["ucb"]["worked_example"]
        # The text takes ln 21, of the root's visits, at every level. At a level where white is to move, black's wins
        # are white's losses.
        for level, white_to_move in (
            ("root_children", 0),
            ("below_7_10_white_to_move", 1),
            ("below_2_4_black_to_move", 0),
        ):
            for child in example[level]:
                mean = child["wins"] / child["visits"]
                if white_to_move:
                    mean = 1 - mean
                assert ucb(mean, child["visits"], math.log(21), 1.0) == pytest.approx(child["ucb"], abs=6e-4)

    def test_path_and_counts_after_back_propagation(self, textbook: Any) -> None:
        example = textbook["ucb"]["worked_example"]
        tree = new_tree(16, 8)
        black = 0

        def add_children(parent: int, mover: int, counts: list[dict[str, float]]) -> int:
            """Append the children of a node, moved to by ``mover``, and return the first."""
            first = int(tree.size[0])
            tree.first_child[parent], tree.child_count[parent] = first, len(counts)
            tree.size[0] += len(counts)
            for node, count in enumerate(counts, start=first):
                balance = 2 * count["wins"] - count["visits"]  # wins minus losses, black's
                tree.visits[node], tree.mover[node] = count["visits"], mover
                tree.total[node] = balance if mover == black else -balance
            return first

        tree.visits[0], tree.mover[0], tree.total[0] = 21, 1 - black, -(2 * 12 - 21)
        seven_of_ten = add_children(0, black, example["root_children"])
        two_of_four = add_children(seven_of_ten, 1 - black, example["below_7_10_white_to_move"])
        add_children(two_of_four, black, example["below_2_4_black_to_move"])

        def wins_and_visits(node: int) -> str:
            balance = tree.total[node] if tree.mover[node] == black else -tree.total[node]
            return f"{(tree.visits[node] + balance) / 2:g}/{tree.visits[node]}"

        # c = 2 for wins of ±1 is the example's c = 1 for wins of 0 and 1.
        path = [0]
        while tree.child_count[path[-1]]:
            path.append(int(select_child(tree, path[-1], 2.0)))
        assert [wins_and_visits(node) for node in path[1:]] == example["path_chosen"]

        path.append(add_children(path[-1], 1 - black, [{"wins": 0, "visits": 0}]))  # expansion: one new node
        tree.path[: len(path)] = path
        backpropagate(tree, len(path), -1.0)  # white wins the simulation
        assert [wins_and_visits(node) for node in path] == ["12/22", "7/11", "2/5", "1/2", "0/1"]
        assert all(
            text in example["after_white_wins_the_simulation"] for text in ("0/1", "7/11", "2/5", "1/2", "12/22")
        )


@pytest.mark.parametrize("ply", [5, 6, 7, 8])
def test_connect_four_positions_by_ply(textbook: Any, ply: int) -> None:
    from plyground.envs import connect_four

    game = connect_four()
    level = np.array([game.new_state()], game.dtype)
    for _ in range(ply):
        children = np.empty(level.size * 7, game.dtype)
        children = children[: _children(game, level, children, np.empty(7, np.int32))]
        _, first = np.unique(np.stack([children["mine"], children["theirs"]]), axis=1, return_index=True)
        level = children[first]
    assert level.size == textbook["known_values"]["connect_four_7x6"]["positions_by_ply"][ply]


@kernel
def _children(game, states, children, actions):
    count = 0
    for i in range(states.size):
        if game.is_terminal(states[i]):
            continue
        for j in range(game.legal_actions(states[i], actions)):
            children[count] = states[i]
            game.play(children[count], actions[j])
            count += 1
    return count


@pytest.mark.parametrize("size", ["4x5", *(pytest.param(size, marks=pytest.mark.slow) for size in ("4x4", "5x4"))])
def test_solved_connect_four_boards(textbook: Any, size: str) -> None:
    from plyground.envs import connect_four

    assert textbook["known_values"]["connect_four_other_sizes"]["rows x columns"][size] == "draw"
    rows, columns = map(int, size.split("x"))
    game = connect_four(rows, columns)
    found = AlphaBeta(game, depth=rows * columns, table_mb=64).analyse(game.new_state())
    assert found.exact
    assert found.value == 0
