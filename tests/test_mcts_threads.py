"""Several threads in one tree: with one they are plain UCT; with more, no count is lost and no node is torn."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS
from plyground.agents import make as make_agent
from plyground.agents.mcts.shared_searcher import SharedSearcher
from plyground.agents.mcts.tree import new_tree
from plyground.agents.mcts.tree_parallel import Selection, add_result, choose_child, take, try_to_expand
from plyground.arena import play
from plyground.envs import BoardGameEnv, Game, State, connect_four, make_game, tictactoe
from plyground.envs.jit import kernel
from plyground.envs.jit.prng import new_rng

from .conftest import random_game
from .oracles import minimax_value


def shared(agent: MCTS) -> SharedSearcher:
    (searcher,) = agent._searchers
    assert isinstance(searcher, SharedSearcher)
    assert searcher.tree is not None
    return searcher


def check_tree(game: Game, agent: MCTS, root: State) -> int:
    """Walk the whole tree, as plain Python, beside the rules; return the number of simulations that it holds."""
    searcher = shared(agent)
    tree: Any = searcher.tree
    size = int(tree.size[0])
    assert not searcher._pending.any()  # no virtual loss is left
    assert size == 1 + tree.child_count[:size].sum() <= tree.visits.size  # each node has one parent
    stack = [(0, root.copy())]
    while stack:
        node, state = stack.pop()
        children = range(tree.first_child[node], tree.first_child[node] + tree.child_count[node])
        own = int(tree.visits[node]) - sum(int(tree.visits[child]) for child in children)
        assert own >= (1 if node and tree.visits[node] else 0)  # its own rollouts; the root has none
        if node == 0:
            assert own == 0
        if game.is_terminal(state):
            assert not children
            assert tree.total[node] == tree.visits[node] * game.utility(state, int(tree.mover[node]))
            continue
        below = sum(
            float(tree.total[child]) * (1 if tree.mover[child] == tree.mover[node] else -1) for child in children
        )
        assert abs(tree.total[node] - below) <= own * game.max_utility
        if children:
            assert sorted(tree.action[children.start : children.stop].tolist()) == game.actions(state)
        for child in children:
            assert tree.mover[child] == game.player(state)
            after = state.copy()
            game.play(after, int(tree.action[child]))
            stack.append((child, after))
    return int(tree.visits[0])


class TestOneThread:
    @pytest.mark.parametrize("spec", ["tictactoe", "connect_four", "othello", "go(board_size=5)"])
    @pytest.mark.parametrize("virtual_loss", [0, 3])
    def test_is_plain_uct_number_for_number(self, spec: str, virtual_loss: int, rng: np.random.Generator) -> None:
        game = make_game(spec)
        states = random_game(game, rng)[:-1]
        for state in states[:: max(1, len(states) // 3)]:
            plain = MCTS(game, 1500, seed=2).analyse(state)
            same = MCTS(game, 1500, seed=2, parallel="tree", virtual_loss=virtual_loss).analyse(state)
            assert (same.visits, same.values, same.pv) == (plain.visits, plain.values, plain.pv)
            assert (same.nodes, same.selective_depth) == (plain.nodes, plain.selective_depth)

    @pytest.mark.parametrize(
        "options", [{"fpu": 0.4}, {"reuse_tree": True}, {"final_move": "robust-max"}, {"tree_mb": 0.03}]
    )
    def test_with_options_too(self, options: dict[str, Any]) -> None:
        game = connect_four()
        agents = [MCTS(game, 2000, seed=4, **options), MCTS(game, 2000, seed=4, parallel="tree", **options)]
        if "tree_mb" in options:  # a node has four bytes more
            agents[0] = MCTS(game, 2000, seed=4, tree_mb=0.03 * 25 / 29)
        for moves in ([], [3, 3], [3, 3, 2]):
            plain, same = (agent.analyse(game.play_moves(moves)) for agent in agents)
            assert (same.visits, same.values, same.pv) == (plain.visits, plain.values, plain.pv)
            assert same.statistics == plain.statistics

    def test_copies_and_seeds(self) -> None:
        game = connect_four()
        agent = MCTS(game, 300, parallel="tree", seed=1)
        first = agent.analyse(game.new_state()).visits
        twins = [agent, copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))]
        second = [twin.analyse(game.new_state()).visits for twin in twins]
        assert first != second[0] == second[1] == second[2]
        agent.reset(seed=1)
        assert agent.analyse(game.new_state()).visits == first


@pytest.mark.parametrize("threads", [2, 3, 4])
class TestManyThreads:
    @pytest.mark.parametrize("virtual_loss", [0, 1, 4])
    def test_nothing_is_lost(self, threads: int, virtual_loss: int) -> None:
        game = tictactoe()
        agent = MCTS(game, 30_001, threads=threads, parallel="tree", virtual_loss=virtual_loss, seed=0)
        found = agent.analyse(game.new_state())
        assert found.leaves == sum(found.visits.values()) == check_tree(game, agent, game.new_state()) == 30_001
        assert found.best_action == 4

    def test_in_a_tree_that_grows(self, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("plyground.agents.mcts.searcher._NODES", 1)
        game = connect_four()
        agent = MCTS(game, 5000, threads=threads, parallel="tree", seed=0)
        assert agent.analyse(game.new_state()).leaves == check_tree(game, agent, game.new_state()) == 5000
        assert shared(agent)._pending.size > 5000

    def test_in_a_tree_that_is_full(self, threads: int) -> None:
        game = connect_four()
        agent = MCTS(game, 20_000, threads=threads, parallel="tree", tree_mb=0.02, seed=0)
        found = agent.analyse(game.new_state())
        assert found.leaves == check_tree(game, agent, game.new_state()) == 20_000
        assert found.statistics["full trees"] == 1
        assert found.statistics["nodes in memory"] <= 0.02 * 2**20 / 29  # bytes
        assert found.best_action == 3

    def test_the_subtree_is_kept(self, threads: int) -> None:
        game = connect_four()
        agent = MCTS(game, 3000, threads=threads, parallel="tree", reuse_tree=True, seed=0)
        state = game.play_moves(agent.analyse(game.new_state()).pv[:2])
        found = agent.analyse(state)
        assert found.statistics["simulations kept"] > 50
        assert sum(found.visits.values()) == 3000 + found.statistics["simulations kept"] - 1

    def test_finds_the_win_and_the_defence(self, threads: int) -> None:
        game = connect_four()
        agent = MCTS(game, 4000, threads=threads, parallel="tree", seed=0)
        assert agent.analyse(game.play_moves([0, 6, 1, 6, 2])).best_action == 3
        winning = agent.analyse(game.play_moves([0, 6, 1, 6, 2, 6]))
        assert (winning.best_action, winning.value) == (3, 1)

    def test_value_comes_near_the_minimax_value(self, threads: int) -> None:
        game = tictactoe()
        known: dict[bytes, float] = {}
        for moves in ([4], [0, 1], [4, 1], [0, 1, 4, 8]):
            state = game.play_moves(moves)
            found = MCTS(game, 60_000, threads=threads, parallel="tree", seed=0).analyse(state)
            assert found.value == pytest.approx(minimax_value(game, state, known), abs=0.12)


def test_time_and_a_match() -> None:
    found = MCTS("connect_four", seconds=0.1, threads=2, parallel="tree").analyse(connect_four().new_state())
    assert found.leaves > 100
    players = [make_agent("mcts(simulations=100, threads=2, parallel=tree)", "connect_four"), MCTS("connect_four", 50)]
    assert sum(play(BoardGameEnv("connect_four"), players, 3).outcome) == 0


@kernel
def _choose(tree, pending, how, node):
    return choose_child(tree, pending, how, node)


@kernel
def _expand(game, tree, node, state, actions, rng):
    return try_to_expand(game, tree, node, state, actions, rng)


@kernel
def _add(tree, pending, how, length, utility):
    add_result(tree, pending, how, length, utility)


@kernel
def _take(left):
    return take(left)


class TestStepsByHand:
    """Three children with N = 9, 4, 3 and W = 4.5, 0, 1.5 of N = 16: means 0.5, 0, 0.5; c = 0.5."""

    def tree(self) -> Any:
        tree = new_tree(16, 4)
        tree.first_child[0], tree.child_count[0], tree.size[0] = 1, 3, 4
        tree.visits[:4], tree.total[1:4] = (16, 9, 4, 3), (4.5, 0, 1.5)
        return tree

    def test_virtual_loss(self) -> None:
        tree, pending = self.tree(), np.zeros(16, np.int32)
        how = Selection(0.5, np.inf, 1, 1.0)
        # √ln 16 = 1.665: 0.5 + 0.833/3 = 0.778; 0.833/2 = 0.416; 0.5 + 0.833/√3 = 0.981
        assert _choose(tree, pending, how, 0) == 3
        pending[3] = 1  # (1.5 - 1)/4 + 0.833/2 = 0.541
        assert _choose(tree, pending, how, 0) == 1
        pending[1] = 2  # (4.5 - 2)/11 + 0.833/√11 = 0.478
        assert _choose(tree, pending, how, 0) == 3
        assert _choose(tree, pending, how._replace(loss=0), 0) == 3
        # Losses of 4 each: the first -3.5/17 + 0.833/√17 = -0.004, the last -2.5/7 + 0.833/√7 = -0.042
        assert _choose(tree, pending, how._replace(loss=4), 0) == 2
        # A loss of -10: 0.478 becomes (4.5 - 20)/11 + 0.251 < 0, 0.541 becomes (1.5 - 10)/4 + 0.416 < 0
        assert _choose(tree, pending, how._replace(top=10.0), 0) == 2

    def test_a_child_that_was_never_visited(self) -> None:
        tree, pending = self.tree(), np.zeros(16, np.int32)
        tree.visits[2] = 0
        assert _choose(tree, pending, Selection(0.5, np.inf, 1, 1.0), 0) == 2
        assert _choose(tree, pending, Selection(0.5, 0.9, 1, 1.0), 0) == 3
        assert _choose(tree, pending, Selection(0.5, 1.0, 1, 1.0), 0) == 2
        pending[2] = 1  # another thread is there: -1/1 + 0.833
        assert _choose(tree, pending, Selection(0.5, np.inf, 1, 1.0), 0) == 3
        assert _choose(tree, pending, Selection(0.5, np.inf, 0, 1.0), 0) == 2

    def test_expansion(self) -> None:
        game = tictactoe()
        tree, state, actions, rng = self.tree(), game.play_moves([0]), np.empty(9, np.int32), new_rng(0)
        tree.child_count[2] = -1  # another thread is at it
        assert not _expand(game, tree, 2, state, actions, rng)
        assert (tree.child_count[2], tree.size[0]) == (-1, 4)
        assert _expand(game, tree, 1, state, actions, rng)
        assert (tree.first_child[1], tree.child_count[1], tree.size[0]) == (4, 8, 12)
        assert sorted(tree.action[4:12].tolist()) == list(range(1, 9))
        assert tree.mover[4:12].tolist() == [1] * 8
        assert _expand(game, tree, 1, state, actions, rng)  # done by another in the meantime
        assert tree.size[0] == 12
        assert not _expand(game, tree, 3, state, actions, rng)  # no room for nine
        assert (tree.child_count[3], tree.size[0]) == (0, 12)

    def test_back_propagation(self) -> None:
        tree, pending = self.tree(), np.zeros(16, np.int32)
        tree.mover[:4], tree.path[:2], pending[2] = (1, 0, 0, 0), (0, 2), 2
        _add(tree, pending, Selection(0.5, np.inf, 1, 1.0), 2, 0.5)
        assert tree.visits[:4].tolist() == [17, 9, 5, 3]
        assert tree.total[:4].tolist() == [-0.5, 4.5, 0.5, 1.5]
        assert pending[:4].tolist() == [0, 0, 1, 0]

    def test_simulations_are_taken_in_blocks(self) -> None:
        left = np.array([37])
        assert [_take(left) for _ in range(4)] == [16, 16, 5, 0]
        assert left[0] == 0


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"solver": True}, "solver"),
        ({"rollout": "greedy"}, "rollout"),
        ({"rollouts": 2}, "rollouts"),
        ({"rollout_depth": 0}, "rollout_depth"),
        ({"rave": 1}, "rave"),
        ({"bias": 0.5}, "bias"),
        ({"widening": 0.5}, "widening"),
    ],
)
def test_options_that_one_tree_does_not_have_are_named(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be .* with parallel='tree', got"):
        MCTS("tictactoe", threads=2, parallel="tree", **arguments)


@pytest.mark.parametrize("arguments", [{"parallel": "leaf"}, {"virtual_loss": -1}, {"virtual_loss": 0.5}])
def test_wrong_arguments_are_named(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^{next(iter(arguments))} must be "):
        MCTS("tictactoe", **arguments)
