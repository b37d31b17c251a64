"""What PUCT keeps: the tree from move to move, and how much memory it takes."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents.mcts.reuse import find
from plyground.agents.puct import PUCT
from plyground.arena import play
from plyground.envs import BoardGameEnv, Game, connect_four, tictactoe
from tests.helpers.oracles import minimax_value, reachable, worth_after
from tests.search.test_alphabeta import take_twice
from tests.search.test_puct import Answer, lopsided, uniform


class TestReuse:
    def test_the_subtree_is_kept(self) -> None:
        game = connect_four()
        agent = PUCT(game, 600, evaluator=lopsided, reuse_tree=True)
        state = game.play_moves(agent.analyse(game.new_state()).pv[:2])
        assert agent._tree is not None
        node = find(game, agent._tree, game.new_state(), state)
        assert node is not None
        known, lines = int(agent._tree.visits[node]), below(agent._tree, node)
        monitor = PUCT(game, 1, evaluator=lopsided, reuse_tree=True)
        monitor._tree, monitor._root[0], monitor._clean = agent._tree, game.new_state(), agent._clean
        moved = monitor._moved_root(state, np.array(game.actions(state), np.int32))
        assert below(moved, 0) == lines
        found = agent.analyse(state)
        assert found.statistics["simulations kept"] == known > 20
        assert sum(found.visits.values()) == 600 + known - 1  # the evaluation of the node itself went no deeper
        assert found.leaves == 600
        fresh = PUCT(game, 1, evaluator=lopsided).analyse(state)
        assert found.priors == fresh.priors

    def test_what_was_kept_is_what_a_longer_search_would_have_found(self) -> None:
        # One move is forced, and so is the reply: the search below is the same whether it began there or two plies ago.
        game = tictactoe()
        mask = np.zeros(9, np.int8)
        mask[4] = 1
        agent = PUCT(game, 300, evaluator=uniform, batch=1, reuse_tree=True)
        agent.analyse(game.new_state(), mask)
        kept = agent.analyse(game.play_moves([4])).statistics["simulations kept"]
        assert kept == 300
        alone = PUCT(game, 599, evaluator=uniform, batch=1).analyse(game.play_moves([4]))
        agent.reset()
        agent.analyse(game.new_state(), mask)
        assert agent.analyse(game.play_moves([4])).visits == alone.visits

    def test_a_tree_that_has_not_come_so_far_keeps_nothing(self) -> None:
        game = tictactoe()
        agent = PUCT(game, 3, evaluator=uniform, batch=1, reuse_tree=True)
        first = agent.analyse(game.new_state()).best_action
        found = agent.analyse(game.play_moves([first, 8]))  # no reply was visited
        assert (found.statistics["simulations kept"], sum(found.visits.values())) == (0, 3)

    def test_noise_is_fresh_and_never_added_twice(self) -> None:
        game = connect_four()
        agent = PUCT(game, 300, evaluator=lopsided, reuse_tree=True, noise=0.25, seed=0)
        clean = PUCT(game, 1, evaluator=lopsided).analyse(game.new_state()).priors
        seen = []
        found = agent.analyse(game.new_state())
        for _ in range(3):
            found = agent.analyse(game.new_state())
            assert sum(found.priors.values()) == pytest.approx(1)
            eta = {action: (found.priors[action] - 0.75 * clean[action]) / 0.25 for action in clean}
            assert min(eta.values()) > -1e-9  # with noise on noise, it would not be a distribution
            assert sum(eta.values()) == pytest.approx(1)
            seen.append(found.priors)
        assert found.statistics["simulations kept"] == 900
        assert len({tuple(priors.values()) for priors in seen}) == 3
        reply = agent.analyse(game.play_moves(found.pv[:2]))
        below_clean = PUCT(game, 1, evaluator=lopsided).analyse(game.play_moves(found.pv[:2])).priors
        assert reply.statistics["simulations kept"] > 0
        assert all(reply.priors[action] >= 0.75 * below_clean[action] - 1e-12 for action in below_clean)

    def test_a_mask_of_the_new_root(self) -> None:
        game = connect_four()
        agent = PUCT(game, 300, evaluator=lopsided, reuse_tree=True)
        agent.analyse(game.new_state())
        mask = np.array([1, 0, 1, 0, 0, 0, 1])
        found = agent.analyse(game.new_state(), mask)
        assert found.statistics["simulations kept"] > 0
        assert sorted(found.visits) == [0, 2, 6]
        assert found.priors == pytest.approx(PUCT(game, 1, evaluator=lopsided).analyse(game.new_state(), mask).priors)
        wider = agent.analyse(game.new_state())  # children that were dropped are not known any more
        assert wider.statistics["simulations kept"] == 0

    def test_reset_other_positions_copies_and_errors_forget(self) -> None:
        game = connect_four()

        def kept(agent: PUCT, moves: list[int]) -> float:
            return agent.analyse(game.play_moves(moves)).statistics["simulations kept"]

        agent = PUCT(game, 100, evaluator=lopsided, reuse_tree=True, seed=0)
        assert kept(agent, [3]) == 0
        assert kept(agent, [0, 0]) == 0
        assert kept(agent, [0, 0]) == 100
        assert kept(pickle.loads(pickle.dumps(agent)), [0, 0]) == 0
        agent.reset()
        assert kept(agent, [0, 0]) == 0
        assert kept(PUCT(game, 100, seed=0), [0, 0]) == 0

        asked = 0

        def fails_once(states: NDArray[Any]) -> Answer:
            nonlocal asked
            asked += 1
            return lopsided(states) if asked != 20 else (np.ones(3), np.ones(3))

        agent = PUCT(game, 100, evaluator=fails_once, reuse_tree=True)
        assert kept(agent, [3]) == 0
        with pytest.raises(ValueError, match="priors"):
            agent.analyse(game.play_moves([3]))
        assert kept(agent, [3]) == 0

    def test_turns_that_do_not_alternate(self) -> None:
        game, followed = take_twice(), [0, 0]
        known: dict[bytes, float] = {}
        for state in reachable(game).values():
            for action in [] if game.is_terminal(state) else game.actions(state):
                follow = game.play_moves([action], state)
                if game.is_terminal(follow):
                    continue
                agent = PUCT(game, 400, c=7.0, reuse_tree=True, seed=0)
                agent.analyse(state)
                assert agent._tree is not None
                node = find(game, agent._tree, state, follow)
                assert node is not None
                visits = int(agent._tree.visits[node])
                found = agent.analyse(follow)
                assert found.statistics["simulations kept"] == visits > 0
                check_movers(game, agent._tree, follow)
                assert worth_after(game, follow, found.best_action, known) == minimax_value(game, follow, known)
                followed[int(game.player(follow) == game.player(state))] += 1
        assert min(followed) > 5

    def test_a_match(self) -> None:
        record = play(
            BoardGameEnv("tictactoe"), [PUCT("tictactoe", 60, reuse_tree=True, seed=0), PUCT("tictactoe", 60)], 1
        )
        assert record.ending == "finished"


class TestMemory:
    def test_a_full_tree_stays_as_it_is(self) -> None:
        game = connect_four()
        found = PUCT(game, 3000, evaluator=lopsided, tree_mb=0.02).analyse(game.new_state())
        assert found.leaves == sum(found.visits.values()) == 3000
        assert found.statistics["full trees"] == 1
        assert found.statistics["nodes in memory"] <= 0.02 * 2**20 / 37  # bytes
        game.play_moves(found.pv)
        roomy = PUCT(game, 3000, evaluator=lopsided).analyse(game.new_state())
        assert roomy.statistics["full trees"] == 0
        assert roomy.statistics["nodes in memory"] > 10_000

    def test_until_it_is_full_it_is_the_same_search(self) -> None:
        game = connect_four()
        for simulations in (50, 90):
            small, roomy = (
                PUCT(game, simulations, evaluator=lopsided, tree_mb=mb).analyse(game.new_state()) for mb in (0.03, None)
            )
            assert small.statistics["full trees"] == 0
            assert small.visits == roomy.visits

    def test_a_root_and_its_children_always_fit(self) -> None:
        game = connect_four()
        found = PUCT(game, 200, evaluator=lopsided, tree_mb=1e-6).analyse(game.new_state())
        assert found.nodes == 8
        assert found.selective_depth == 1
        assert sum(found.visits.values()) == 200

    def test_it_grows_again_from_what_is_kept(self) -> None:
        game = connect_four()
        agent = PUCT(game, 2000, evaluator=lopsided, tree_mb=0.1, reuse_tree=True)
        first = agent.analyse(game.new_state())
        assert first.statistics["full trees"] == 1
        second = agent.analyse(game.play_moves(first.pv[:2]))
        assert second.statistics["simulations kept"] > 0
        assert second.statistics["nodes in memory"] > 2000


def check_movers(game: Game, tree: Any, root: Any) -> None:
    """Check that each child is that of the player to move, and that none has won more than can be won."""
    queue = [(0, root)]
    while queue:
        node, state = queue.pop()
        for child in range(tree.first_child[node], tree.first_child[node] + tree.child_count[node]):
            assert tree.mover[child] == game.player(state)
            assert abs(tree.total[child]) <= game.max_utility * tree.visits[child]
            queue.append((child, game.play_moves([int(tree.action[child])], state)))


def below(tree: Any, node: int) -> Any:
    """Return all that is known below a node, by action."""
    children = range(tree.first_child[node], tree.first_child[node] + tree.child_count[node])
    found = {int(tree.action[child]): (float(tree.prior[child]), *below(tree, child)) for child in children}
    return int(tree.visits[node]), float(tree.total[node]), int(tree.mover[node]), found


def test_a_mask_leaves_the_likeliest_move_first() -> None:
    """Of moves that were not tried yet it took the one with the lowest number."""
    game, mask = tictactoe(), np.zeros(9, np.int8)
    mask[[2, 5, 7]] = 1

    def evaluator(states: NDArray[Any]) -> Answer:
        priors, values = uniform(states)
        priors[:, [4, 7]] = 6, 3
        return priors, values

    assert PUCT(game, 1, evaluator=evaluator).analyse(game.new_state(), mask).best_action == 7
