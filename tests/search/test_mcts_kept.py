"""What UCT keeps: the tree from move to move, trees of several threads, and how much memory they take."""

from __future__ import annotations

import copy
import time
from typing import Any

import numpy as np

from plyground.agents import MCTS
from plyground.agents.mcts.reuse import find, subtree
from plyground.agents.mcts.searcher import Searcher
from plyground.agents.mcts.tree import new_tree
from plyground.agents.mcts.uct import NEUTRAL
from plyground.arena import play
from plyground.envs import BoardGameEnv, connect_four, tictactoe
from plyground.envs.jit.prng import new_rng
from tests.helpers.oracles import reachable
from tests.search.test_alphabeta import take_twice
from tests.search.test_mcts_threads import check_trees


class TestReuse:
    def test_the_subtree_is_kept(self) -> None:
        game = connect_four()
        agent = MCTS(game, 2000, reuse_tree=True, seed=0)
        first = agent.analyse(game.new_state())
        mine, reply = first.pv[:2]
        tree = agent._searchers[0].tree
        assert tree is not None
        node = find(game, tree, game.new_state(), game.play_moves([mine, reply]))
        assert node is not None
        known = int(tree.visits[node])
        second = agent.analyse(game.play_moves([mine, reply]))
        assert second.statistics["simulations kept"] == known > 50
        assert sum(second.visits.values()) == 2000 + known - 1  # the node's own first simulation went no deeper
        assert second.leaves == 2000

    def test_one_agent_may_play_both_sides_and_be_asked_again(self) -> None:
        game = connect_four()
        agent = MCTS(game, 500, reuse_tree=True, seed=0)
        agent.analyse(game.new_state())
        again = agent.analyse(game.new_state())
        assert sum(again.visits.values()) == 1000
        assert agent.analyse(game.play_moves([3])).statistics["simulations kept"] > 0

    def test_reset_and_other_positions_forget(self) -> None:
        game = connect_four()
        agent = MCTS(game, 500, reuse_tree=True, seed=0)
        agent.analyse(game.play_moves([3]))
        assert agent.analyse(game.play_moves([0, 0])).statistics["simulations kept"] == 0
        agent.analyse(game.new_state())
        agent.reset()
        assert agent.analyse(game.new_state()).statistics["simulations kept"] == 0
        assert MCTS(game, 500, seed=0).analyse(game.new_state()).statistics["simulations kept"] == 0

    def test_the_copy_is_the_subtree(self) -> None:
        game = tictactoe()
        searcher = Searcher(game, NEUTRAL, 1.4, new_rng(0))
        state = game.new_state()
        searcher.start(state, np.array(game.actions(state), np.int32), False)
        searcher.run(3000, None, lambda: False)
        old = searcher.tree
        assert old is not None
        target = game.play_moves([4, 0])
        node = find(game, old, state, target)
        assert node is not None
        new = new_tree(old.visits.size, 9)
        assert subtree(old, node, np.array([0], np.int32), new) is None  # 0 is taken
        origin = subtree(old, node, np.array(game.actions(target), np.int32), new)
        assert origin is not None
        assert origin.size == new.size[0] > 50

        def lines(tree: Any, at: int) -> Any:
            children = range(tree.first_child[at], tree.first_child[at] + tree.child_count[at])
            below = {int(tree.action[child]): lines(tree, child) for child in children}
            return int(tree.visits[at]), float(tree.total[at]), int(tree.mover[at]), below

        assert lines(new, 0) == lines(old, node)
        some = new_tree(old.visits.size, 9)
        assert subtree(old, node, np.array([1, 8], np.int32), some) is not None
        whole, part = lines(new, 0), lines(some, 0)
        assert part[3] == {action: whole[3][action] for action in part[3]}
        assert set(part[3]) == {1, 8}
        assert part[0] == 1 + sum(child[0] for child in part[3].values())

    def test_turns_that_do_not_alternate(self) -> None:
        game, followed = take_twice(), [0, 0]
        for state in reachable(game).values():
            for action in [] if game.is_terminal(state) else game.actions(state):
                follow = game.play_moves([action], state)
                if game.is_terminal(follow):
                    continue
                # `fpu` asks for the kernel that the solver's test needs, and changes nothing.
                agent = MCTS(game, 300, c=1.0, reuse_tree=True, fpu=1e300, seed=0)
                agent.analyse(state)
                assert check_trees(game, agent, state) == 300
                tree = agent._searchers[0].tree
                assert tree is not None
                node = find(game, tree, state, follow)
                assert node is not None
                kept = agent.analyse(follow).statistics["simulations kept"]
                assert kept == tree.visits[node] > 0
                assert check_trees(game, agent, follow, was_kept=True) == 300 + kept
                followed[int(game.player(follow) == game.player(state))] += 1
        assert min(followed) > 5

    def test_a_match_plays_on(self) -> None:
        env = BoardGameEnv("connect_four")
        record = play(env, [MCTS("connect_four", 200, reuse_tree=True, solver=True), MCTS("connect_four", 50)], 3)
        assert record.ending == "finished"


class TestThreads:
    def test_the_trees_vote_with_all_visits(self) -> None:
        game = connect_four()
        found = MCTS(game, 1001, threads=4, seed=0).analyse(game.new_state())
        assert sum(found.visits.values()) == 1001
        assert found.best_action == 3

    def test_the_first_tree_is_that_of_one_thread(self) -> None:
        game = connect_four()
        agent = MCTS(game, 600, threads=2, seed=9)
        agent.analyse(game.new_state())
        tree = agent._searchers[0].tree
        assert tree is not None
        alone = MCTS(game, 300, seed=9).analyse(game.new_state()).visits
        assert {int(tree.action[i]): int(tree.visits[i]) for i in range(1, 8)} == alone

    def test_time(self) -> None:
        start = time.perf_counter()
        found = MCTS("connect_four", seconds=0.1, threads=2).analyse(connect_four().new_state())
        assert found.leaves > 100
        assert time.perf_counter() - start < 5

    def test_copies_search_alike(self) -> None:
        agent = MCTS("connect_four", 200, threads=2, seed=1)
        twin = copy.deepcopy(agent)
        start = connect_four().new_state()
        assert twin.analyse(start).visits == agent.analyse(start).visits


class TestMemory:
    def test_a_full_tree_with_proofs_stays_as_it_is(self) -> None:
        game = connect_four()
        found = MCTS(game, 20_000, tree_mb=0.02, seed=0, solver=True).analyse(game.new_state())
        assert found.leaves == 20_000 == sum(found.visits.values())
        assert found.statistics["full trees"] == 1
        assert found.statistics["nodes in memory"] <= 0.02 * 2**20 / 25  # bytes
        assert found.best_action == 3

    def test_a_root_and_its_children_always_fit(self) -> None:
        game = connect_four()
        found = MCTS(game, 500, tree_mb=1e-6, seed=0).analyse(game.new_state())
        assert found.nodes == 8
        assert sum(found.visits.values()) == 500

    def test_it_grows_again_from_what_is_kept(self) -> None:
        game = connect_four()
        agent = MCTS(game, 5000, tree_mb=0.1, reuse_tree=True, seed=0)
        first = agent.analyse(game.new_state())
        assert first.statistics["full trees"] == 1
        second = agent.analyse(game.play_moves(first.pv[:2]))
        assert second.statistics["simulations kept"] > 0
        assert second.depth >= first.depth - 2
