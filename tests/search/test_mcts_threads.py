"""Several threads, a tree each: no simulation is lost, and each tree holds together when walked beside the rules."""

from __future__ import annotations

import pytest

from plyground.agents import MCTS
from plyground.agents import make as make_agent
from plyground.agents.mcts.tree import Tree
from plyground.arena import play
from plyground.envs import BoardGameEnv, Game, State, connect_four, tictactoe
from tests.helpers.oracles import minimax_value


def check_tree(game: Game, tree: Tree, root: State, was_kept: bool = False) -> int:
    """Walk the whole tree, as plain Python, beside the rules; return the number of simulations that it holds.

    The root of a tree that was kept has rollouts of its own, from when it was none.
    """
    size = int(tree.size[0])
    assert size == 1 + tree.child_count[:size].sum() <= tree.visits.size  # each node has one parent
    stack = [(0, root.copy())]
    while stack:
        node, state = stack.pop()
        children = range(tree.first_child[node], tree.first_child[node] + tree.child_count[node])
        own = int(tree.visits[node]) - sum(int(tree.visits[child]) for child in children)
        assert own >= (1 if node and tree.visits[node] else 0)  # its own rollouts; the root has none
        if node == 0 and not was_kept:
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


def check_trees(game: Game, agent: MCTS, root: State, was_kept: bool = False) -> int:
    """Check the tree of each thread, and return the number of simulations in all of them."""
    trees = [searcher.tree for searcher in agent._searchers]
    assert len(trees) == agent.threads
    return sum(check_tree(game, tree, root, was_kept) for tree in trees if tree is not None)


@pytest.mark.parametrize("threads", [2, *(pytest.param(threads, marks=pytest.mark.slow) for threads in (1, 3))])
class TestThreads:
    def test_nothing_is_lost(self, threads: int) -> None:
        game = tictactoe()
        agent = MCTS(game, 30_001, threads=threads, seed=0)
        found = agent.analyse(game.new_state())
        assert found.leaves == sum(found.visits.values()) == check_trees(game, agent, game.new_state()) == 30_001
        assert found.best_action == 4

    def test_in_a_tree_that_grows(self, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("plyground.agents.mcts.searcher._NODES", 1)
        game = connect_four()
        agent = MCTS(game, 5000, threads=threads, seed=0)
        assert agent.analyse(game.new_state()).leaves == check_trees(game, agent, game.new_state()) == 5000

    def test_in_a_tree_that_is_full(self, threads: int) -> None:
        game = connect_four()
        agent = MCTS(game, 20_000, threads=threads, tree_mb=0.02, seed=0)
        found = agent.analyse(game.new_state())
        assert found.leaves == sum(found.visits.values()) == check_trees(game, agent, game.new_state()) == 20_000
        assert found.statistics["full trees"] == threads
        assert found.statistics["nodes in memory"] <= 0.02 * 2**20 / 25  # bytes
        assert found.best_action == 3

    def test_the_subtree_is_kept(self, threads: int) -> None:
        game = connect_four()
        agent = MCTS(game, 3000, threads=threads, reuse_tree=True, seed=0)
        state = game.play_moves(agent.analyse(game.new_state()).pv[:2])
        found = agent.analyse(state)
        assert found.statistics["simulations kept"] > 50
        # The visits of a root that is kept count one more than those of its children: its own rollout, once.
        assert sum(found.visits.values()) == 3000 + found.statistics["simulations kept"] - threads


@pytest.mark.parametrize("threads", [2, pytest.param(1, marks=pytest.mark.slow)])  # test_mcts_options.py has three
class TestAnswers:
    def test_finds_the_win_and_the_defence(self, threads: int) -> None:
        game = connect_four()
        agent = MCTS(game, 4000, threads=threads, seed=0)
        assert agent.analyse(game.play_moves([0, 6, 1, 6, 2])).best_action == 3
        winning = agent.analyse(game.play_moves([0, 6, 1, 6, 2, 6]))
        assert (winning.best_action, winning.value) == (3, 1)

    def test_value_comes_near_the_minimax_value(self, threads: int) -> None:
        game = tictactoe()
        known: dict[bytes, float] = {}
        for moves in ([4], [0, 1], [4, 1], [0, 1, 4, 8]):
            state = game.play_moves(moves)
            found = MCTS(game, 60_000, threads=threads, seed=0).analyse(state)
            assert found.value == pytest.approx(minimax_value(game, state, known), abs=0.12)


def test_a_match() -> None:
    players = [make_agent("mcts(simulations=100, threads=2)", "connect_four"), MCTS("connect_four", 50)]
    assert play(BoardGameEnv("connect_four"), players, 3).ending == "finished"


def test_more_threads_than_simulations() -> None:
    game = tictactoe()
    found = MCTS(game, 1, threads=3, seed=0).analyse(game.new_state())
    assert sum(found.visits.values()) == 1
    assert found.pv == (found.best_action,)


def test_another_number_of_threads_cannot_be_set() -> None:
    """A search with more of them than trees ended in an error about the lengths of lists."""
    agent = MCTS(tictactoe(), 60, threads=2, seed=0)
    with pytest.raises(AttributeError, match=r"^threads of MCTS is given .* as in MCTS\(…, threads=3\), and not set"):
        agent.threads = 3  # pyright: ignore[reportAttributeAccessIssue]
    assert agent.threads == 2
