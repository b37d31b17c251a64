"""Positions that may not come again, inside the trees of UCT and PUCT, and what these know of the game before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, PUCT
from plyground.agents.repetitions import Followed
from plyground.envs import BoardGameEnv, Game, GameBatch, go
from tests.helpers.repeats import Children, circle, edges_of, in_progress, nodes_of, past_of, wrong_nodes

HOW: list[Any] = [
    pytest.param("mcts", {"rollout": "random"}, id="mcts"),
    pytest.param("puct", {}, id="puct"),
    pytest.param("puct", {"noise": 0.5, "batch": 3}, id="puct, noise"),
    pytest.param("puct", {"root": "gumbel"}, id="gumbel"),
    pytest.param("puct", {"proofs": True}, id="proofs"),
]


def made(name: str, game: Game, simulations: int, **how: Any) -> Any:
    return (MCTS if name == "mcts" else PUCT)(game, simulations, seed=0, **how)


def looked_into(agent: Any) -> Children:
    """Return what looks into the tree of the last search."""
    if isinstance(agent, MCTS):
        return nodes_of(agent._searchers[0].tree)
    return nodes_of(agent._tree) if agent._forest is None else edges_of(agent._forest.forest.trees, 0)


def _played(moves: int, seed: int) -> tuple[Game, Any]:
    """Return a full board, on which captures bring positions back soon."""
    game, rng = go(board_size=2, superko="positional"), np.random.default_rng(seed)
    state = game.new_state()
    for _ in range(moves):
        game.play(state, int(rng.choice([a for a in game.actions(state) if a < 4] or [4])))
    return game, state


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("mcts", {"rollout": "random"}),
        ("mcts", {"rollout": "random", "rave": 100, "fpu": 1.0}),
        ("puct", {}),
        ("puct", {"root": "gumbel"}),
    ],
)
def test_no_position_comes_again_in_the_tree(name: str, how: dict[str, Any]) -> None:
    found = {True: 0, False: 0}
    for seed in range(4):
        game, state = _played(4, seed)
        for superko in found:
            agent = made(name, game, 800, superko=superko, **how)
            agent.analyse(state)
            found[superko] += wrong_nodes(game, state, looked_into(agent), set())
    assert found[True] == 0
    assert found[False] > 0


@pytest.mark.parametrize("told", [True, False], ids=["told", "followed"])
@pytest.mark.parametrize("reuse", [True, False], ids=["kept", "anew"])
@pytest.mark.parametrize(("name", "how"), HOW)
def test_nor_one_of_the_game_before_the_root(name: str, how: dict[str, Any], reuse: bool, told: bool) -> None:
    game, rng, kept = circle(), np.random.default_rng(1), 0
    for _ in range(3):
        agent = made(name, game, 60, reuse_tree=reuse, **how)
        (position,) = in_progress(game, [[]])
        while not position.over:
            past = past_of(position)
            found = agent.analyse(position.state, position.mask, past=past if told else None)
            kept += found.statistics["simulations kept"]
            assert wrong_nodes(game, position.state, looked_into(agent), set(past.tolist())) == 0
            # The agent plays its own moves; the opponent's are any, and the agent does not see them.
            position.play(found.best_action)
            if not position.over:
                position.play(int(rng.choice(np.flatnonzero(position.mask))))
    assert (kept > 0) == reuse


@pytest.mark.parametrize(("name", "how"), HOW)
def test_a_tree_of_another_game_is_not_kept(name: str, how: dict[str, Any]) -> None:
    game = circle()
    one, other = in_progress(game, [[0, 2], [2, 0]])  # to one field, over one of two others
    assert one.state == other.state
    agent = made(name, game, 40, reuse_tree=True, **how)

    def kept(past: Any) -> int:
        found = agent.analyse(one.state, one.mask, past=past)
        known = set(past_of(one).tolist()) if past is None else set(past.tolist())
        assert wrong_nodes(game, one.state, looked_into(agent), known) == 0
        return found.statistics["simulations kept"]

    assert kept(past_of(one)) == 0
    assert kept(past_of(one)) > 0
    assert kept(None) > 0  # nobody tells: it is the same game
    assert kept(past_of(other)) == 0


@pytest.mark.parametrize("name", ["mcts", "puct"])
def test_an_agent_that_joins_late_is_told_all(name: str) -> None:
    env: Any = BoardGameEnv(circle())
    env.reset(options={"moves": [0, 0, 2]})
    observation, *_, info = env.last()
    states = in_progress(env.game, [[0, 0, 2][:plies] for plies in range(4)])
    keys = [int(env.game.repetition_key(position.state)) for position in states]
    assert info["past"].tolist() == keys
    agent = made(name, env.game, 60)
    agent.act(observation, info)
    assert wrong_nodes(env.game, info["state"], looked_into(agent), set(keys)) == 0
    agent.reset()
    agent.act(observation, {"state": info["state"], "action_mask": info["action_mask"]})
    assert wrong_nodes(env.game, info["state"], looked_into(agent), set(keys)) > 0


@pytest.mark.parametrize("name", ["mcts", "puct"])
def test_a_tree_that_grows_knows_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = circle()
    roomy = made(name, game, 400).analyse(game.new_state())
    for place in ("mcts.searcher._NODES", "puct.agent._NODES", "puct.agent._ROOM"):
        monkeypatch.setattr(f"plyground.agents.{place}", 1)
    agent = made(name, game, 400)
    assert agent.analyse(game.new_state()).visits == roomy.visits
    assert wrong_nodes(game, game.new_state(), looked_into(agent), set()) == 0


def test_environments_tell_the_past_of_go() -> None:
    env: Any = BoardGameEnv(go(board_size=5))
    batch = GameBatch(env.game, 2)
    env.reset()
    keys = list[int]()
    for action in (4, 0, 25, 8):
        keys.append(int(env.game.repetition_key(env.infos[env.agent_selection]["state"])))
        assert env.infos[env.agent_selection]["past"].tolist() == keys
        found = batch.pasts(np.array([1, 0]))
        assert [None if past is None else past.tolist() for past in found] == [keys, keys]
        env.step(action)
        batch.step([action, action])
    assert keys[2] == keys[3]  # a pass may lead to any position
    assert GameBatch("tictactoe", 1).pasts(np.array([0])) == [None]


def test_many_games_at_once_are_played_without_it_alone() -> None:
    for superko in (True, False):
        agent = MCTS("go(board_size=3)", 10, rollout="random", superko=superko)
        assert (agent.copies() is None) is (agent.batched() is None) is superko


def test_the_past_is_that_of_one_game() -> None:
    game = go(board_size=3)
    followed, first = Followed(game), game.new_state()
    assert followed.past(first) is None
    followed.play(first, 4)
    after, answered = game.play_moves([4]), game.play_moves([4, 0])
    keys = [int(game.repetition_key(state)) for state in (first, after)]
    found = followed.past(answered)
    assert found is not None
    assert found.tolist() == keys
    followed.play(answered, 8)
    later = followed.past(game.play_moves([4, 0, 8, 2]))
    assert later is not None
    assert later.size == 4
    assert followed.past(game.play_moves([4, 1])) is None  # another game
    followed.play(first, 4)
    followed.forget()
    assert followed.past(answered) is None
    told = np.array([7, keys[0]], np.uint64)
    assert followed.past(first, told) is told  # what it is told counts, and it goes on from there
    followed.play(first, 4)
    found = followed.past(answered)
    assert found is not None
    assert found.tolist() == [7, keys[0], *keys]
