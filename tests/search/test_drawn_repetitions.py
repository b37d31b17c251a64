"""Draws by repetition inside the trees of UCT, PUCT and forests: who is ahead avoids them, who is behind seeks them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents import MCTS, PUCT
from plyground.agents.puct.forest import Forest
from plyground.agents.puct.forest.trees import DRAWN
from plyground.agents.puct.forest_search import ForestSearch
from plyground.agents.repetitions import kept_past
from plyground.arena.training.alphazero.config import AlphaZeroConfig
from plyground.arena.training.alphazero.self_play import SelfPlay
from plyground.envs import BoardGameEnv, Game, make_game
from tests.helpers.repeats import REST, circle, edges_of, in_progress, key_of, nodes_of, past_of, random_lines
from tests.search.test_superko_in_the_tree import HOW, made

MINICHESS = make_game("minichess")
AHEAD = "3k1/5/5/1R3/2K2 w - - 0 1"  # White has a rook more
SHUFFLE = ["b1a3", "b5c3", "a3b1", "c3b5"]  # knights, to and fro
PERPETUAL = "3k1/r2p1/r1p2/pb2Q/1n2K w - - 0 1"  # White is behind, and checks on b5 and e2 forever
PERPETUAL_CHECKS = ["e2b5", "d5e4", "b5e2", "e4d5"]
SHORT = 6  # plies of a game small enough to be searched to its end


class Seen(NamedTuple):
    """A node of a tree, and what plain Python says of it."""

    node: int
    state: Any
    drawn: bool
    in_game: bool  # whether the game has had its position
    children: list[int]


def nodes_below(game: Game, root: Any, tree: Any, past: NDArray[np.uint64], times: int) -> Iterator[Seen]:
    """Look at each visited node of a tree of `MCTS` or `PUCT`."""
    earlier = past.tolist() if past[-1:] == game.repetition_key(root) else [*past.tolist(), key_of(game, root)]
    queue: list[tuple[int, Any, list[int]]] = [(0, root.copy(), [])]
    while queue:
        node, state, line = queue.pop()
        key, found = key_of(game, state), nodes_of(tree)(node)
        drawn = node > 0 and not game.is_terminal(state) and (key in line or earlier.count(key) + 1 >= times)
        yield Seen(node, state, drawn, key in earlier, [child for _, child in found])
        for action, child in found:
            if tree.visits[child]:
                after = state.copy()
                game.play(after, action)
                queue.append((child, after, [*line, key] if node > 0 else line))


def tree_of(agent: Any) -> tuple[Any, Any]:
    """Return the tree of a search, and what it knows of positions."""
    if isinstance(agent, MCTS):
        return agent._searchers[0].tree, agent._searchers[0].repeats
    return agent._tree, agent._repeats


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize(("name", "how"), HOW[:3])
def test_nodes_are_drawn_where_plain_python_says_so(name: str, how: dict[str, Any], times: int) -> None:
    game, count = circle(draw=times), 0
    for position in in_progress(game, random_lines(game, 6, 6)):
        agent, past = made(name, game, 300, **how), past_of(position)
        agent.analyse(position.state, position.mask, past=past)
        tree, repeats = tree_of(agent)
        for seen in nodes_below(game, position.state, tree, past, times):
            if seen.node > 0 and tree.visits[seen.node]:
                assert repeats.drawn[seen.node] == seen.drawn
                assert not (seen.drawn and (seen.children or tree.total[seen.node]))
                count += seen.drawn
    assert count > 100


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize(("name", "how"), HOW[:3])
def test_what_is_no_longer_drawn_begins_anew(name: str, how: dict[str, Any], told: bool) -> None:
    game, anew = circle(draw=3, plies=SHORT), 0
    for line in random_lines(game, 4, 2):
        agent = made(name, game, 800, reuse_tree=True, **how)
        (position,) = in_progress(game, [line])
        past = past_of(position) if told else np.array([key_of(game, position.state)], np.uint64)
        agent.analyse(position.state, position.mask, past=past if told else None)
        for _ in range(2):
            tree, repeats = tree_of(agent)
            drawn = np.flatnonzero(repeats.drawn)
            action = max((tree.visits[child], action) for action, child in nodes_of(tree)(0) if action != REST)[1]
            position.play(action)
            if position.over:
                break
            past = past_of(position) if told else np.append(past, np.uint64(key_of(game, position.state)))
            found = agent.analyse(position.state, position.mask, past=past if told else None)
            assert found.statistics["simulations kept"] > 0
            assert drawn.size
            tree, repeats = tree_of(agent)
            for seen in nodes_below(game, position.state, tree, past, 3):
                assert abs(tree.total[seen.node]) <= tree.visits[seen.node]
                if seen.node > 0:
                    assert repeats.drawn[seen.node] or not seen.drawn
                    assert not (repeats.drawn[seen.node] and seen.children)
                    anew += bool(seen.children) and seen.in_game
                if seen.node > 0 and seen.children:  # a visit of its own, and those of its children
                    assert tree.visits[seen.node] == 1 + sum(int(tree.visits[child]) for child in seen.children)
    assert anew


def game_value(game: Game, state: Any, earlier: list[int], times: int, line: list[int] | None = None) -> float:
    """Return the value of a game for the player to move, by the environment's rule, or by that of the trees.

    Args:
        game: the game.
        state: the state.
        earlier: the keys of the positions that the game has had, the present one included.
        times: times that a position must stand on the board for a draw.
        line: for the rule of the trees, the keys of the positions below the root; not those of the root.
    """
    player, values = game.player(state), []
    for action in game.actions(state):
        after = state.copy()
        game.play(after, action)
        key = key_of(game, after)
        if game.is_terminal(after):
            values.append(game.utility(after, player))
        elif line is not None:
            drawn = key in line or earlier.count(key) + 1 >= times
            values.append(0.0 if drawn else -game_value(game, after, earlier, times, [*line, key]))
        else:
            drawn = earlier.count(key) + 1 >= times
            values.append(0.0 if drawn else -game_value(game, after, [*earlier, key], times))
    return max(values)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "how"),
    [("mcts", {"solver": True}), ("puct", {"root": "gumbel", "proofs": True}), ("puct", {"proofs": True})],
    ids=["mcts", "gumbel", "puct"],
)
def test_nothing_is_proved_by_a_repetition(name: str, how: dict[str, Any]) -> None:
    game, exact, wrong = circle(draw=3, plies=SHORT), 0, 0
    for position in in_progress(game, [line for line in random_lines(game, 60, 5) if len(line) > 2]):
        value = game_value(game, position.state, past_of(position).tolist(), 3)
        for repetitions in (True, False):
            agent = made(name, game, 300, repetitions=repetitions, **how)
            found = agent.analyse(position.state, position.mask, past=past_of(position))
            if found.exact and repetitions:
                exact += 1
                assert found.value == value
            wrong += found.exact and found.value != value
    assert exact
    assert wrong


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("mcts", {"rollout_depth": 0}),
        ("puct", {"lambda_": 0}),
        ("puct", {"lambda_": 0, "proofs": True}),
    ],
    ids=["mcts", "puct", "proofs"],
)
def test_searches_choose_as_exhaustive_search_does(name: str, how: dict[str, Any]) -> None:
    game, differ = circle(draw=3, plies=SHORT), 0
    for position in in_progress(game, [line for line in random_lines(game, 24, 4, seed=1) if len(line) > 1]):
        earlier, values, unaware = past_of(position).tolist(), {}, {}
        player = game.player(position.state)
        for action in game.actions(position.state):
            after = position.state.copy()
            game.play(after, action)
            key = key_of(game, after)
            unaware[action] = -game_value(game, after, [], 99) if not game.is_terminal(after) else 0.0
            values[action] = -game_value(game, after, earlier, 3, [key]) if not game.is_terminal(after) else 0.0
            if game.is_terminal(after):
                unaware[action] = values[action] = game.utility(after, player)
            elif earlier.count(key) + 1 >= 3:
                values[action] = 0.0
        found = made(name, game, 3000, **how).analyse(position.state, position.mask, past=past_of(position))
        assert values[found.best_action] == max(values.values())
        differ += values != unaware
    assert differ


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("mcts", {"rollout_depth": 0}),
        ("puct", {"lambda_": 0}),
        ("puct", {"lambda_": 0, "root": "gumbel"}),
        ("puct", {"lambda_": 0, "proofs": True}),
    ],
    ids=["mcts", "puct", "gumbel", "proofs"],
)
def test_who_is_ahead_avoids_the_third_time_and_who_is_behind_seeks_it(name: str, how: dict[str, Any]) -> None:
    game, agent = MINICHESS, made(name, MINICHESS, 200, **how)
    for fen in (AHEAD, AHEAD.replace(" w ", " b ")):
        state = game.state_from_fen(fen)
        is_ahead = " w " in fen
        free = agent.analyse(state)
        assert (free.value > 0) == is_ahead
        # The best move of who is ahead, and the worst of who is behind, bring a position back for the third time.
        action = free.best_action if is_ahead else min(free.values, key=lambda one: free.values[one])
        key = game.repetition_key(game.play_moves([action], state))
        for times in (1, 2):
            found = agent.analyse(state, past=np.array([key] * times, np.uint64))
            if times == 2:
                assert (found.best_action == action) != is_ahead
                assert found.values[action] == 0
            assert (found.value > 0) == is_ahead
            assert found.value == 0 if times == 2 and not is_ahead else found.value != 0
            assert not found.exact


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"root": "gumbel", "proofs": True}], ids=["puct", "gumbel"])
def test_the_side_behind_gives_perpetual_check(how: dict[str, Any]) -> None:
    """White checks on two squares in turn, which the evaluator prefers, though it says that White is behind."""
    game = MINICHESS
    state = game.state_from_fen(PERPETUAL)
    checks = [game.move_of(game.play_moves(PERPETUAL_CHECKS[:i], state), PERPETUAL_CHECKS[i]) for i in (0, 2)]

    def evaluate(states: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        priors = np.full((states.size, game.num_actions), 0.1)
        priors[:, checks] = 1.0
        return priors, np.array([-0.5 if game.player(one) == 0 else 0.5 for one in states])

    for repetitions in (True, False):
        agent = PUCT(game, 300, evaluator=evaluate, batch=1, repetitions=repetitions, seed=0, **how)
        found = agent.analyse(state)
        assert not found.exact
        assert (found.best_action == checks[0] and found.value > -0.3) == repetitions
    agents = (MCTS(game, 20_000, c=0.05, rollout_depth=0, repetitions=known, seed=0) for known in (True, False))
    known, unknown = (agent.analyse(state) for agent in agents)
    assert known.best_action == checks[0]
    assert known.value > -0.01 > -0.05 > unknown.value


@pytest.mark.slow
def test_environments_tell_of_the_positions() -> None:
    env: Any = BoardGameEnv(MINICHESS)
    env.reset(options={"moves": [*SHUFFLE, *SHUFFLE[:3]]})
    observation, *_, info = env.last()
    action = MINICHESS.move_of(info["state"], SHUFFLE[3])  # the start, for the third time
    for agent in (MCTS(MINICHESS, 60, rollout_depth=0), PUCT(MINICHESS, 60, lambda_=0)):
        agent.act(observation, info)
        tree, repeats = tree_of(agent)
        drawn = [found for found, child in nodes_of(tree)(0) if tree.visits[child] and repeats.drawn[child]]
        assert drawn == [action]
        agent.act(observation, {"state": info["state"], "action_mask": info["action_mask"]})
        tree, repeats = tree_of(agent)
        assert not any(repeats.drawn[child] for _, child in nodes_of(tree)(0))
    env.step(action)
    assert all(env.terminations.values())


@pytest.mark.slow
def test_self_play_of_minichess_sees_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first player, to whom each position is worth more than a draw, goes another way before the third time."""
    shuffles = [MINICHESS.move_of(MINICHESS.play_moves(SHUFFLE[:i]), move) for i, move in enumerate(SHUFFLE)]

    def evaluate(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        logits, is_first = np.zeros(masks.shape, np.float32), planes[:, 0, 0, 12] == 0
        for i, action in enumerate(shuffles):
            logits[is_first == (i % 2 == 0), action] = 4
        return logits, np.where(is_first, 0.5, -0.5).astype(np.float32)

    for knows in (True, False):
        config = AlphaZeroConfig("minichess", num_envs=2, simulations=48, full_share=1.0, opening_plies=0, noise=0.0)
        plays, met, ended = SelfPlay(MINICHESS, config, 0), False, 0
        if not knows:
            monkeypatch.setattr(plays.batch, "pasts", lambda rows: [None] * len(rows))
        for _ in range(8):
            ended += len(plays.play(evaluate, 1))
            met |= bool((plays.forest.trees.edges["child"] == DRAWN).any())
        assert met or not knows
        assert (ended > 0) != knows


def test_a_past_that_is_cut_is_that_of_the_same_game() -> None:
    game = make_game("minichess(max_quiet_plies=4)")
    keys = np.arange(10, 20, dtype=np.uint64)
    before, way = keys[:6], keys[5:9]  # the last of the past is the root
    for past in (keys[:8], keys[:9], keys[4:8], keys[4:9]):
        found = kept_past(game, before, way, past)
        assert found is not None
        assert (found == past).all()
    for known in (before, before[:5]):
        assert np.array_equal(kept_past(game, known, way, None), keys[:9])  # pyright: ignore[reportArgumentType]
    for past in (keys[5:9], keys[:7], keys[[4, 6, 5, 7]], keys[:0]):
        assert kept_past(game, before, way, past) is None


@pytest.mark.parametrize(
    ("name", "how"), [*HOW[:2], *(pytest.param(*one.values, id=one.id, marks=pytest.mark.slow) for one in HOW[2:])]
)
def test_a_tree_of_another_game_is_not_kept(name: str, how: dict[str, Any]) -> None:
    game = circle(draw=3)
    one, other = in_progress(game, [[0, 2], [2, 0]])  # to one field, over one of two others
    agent = made(name, game, 40, reuse_tree=True, **how)
    kept = [
        agent.analyse(one.state, one.mask, past=past).statistics["simulations kept"] > 0
        for past in (past_of(one), past_of(one), None, past_of(other))
    ]
    assert kept == [False, True, True, False]


@pytest.mark.parametrize("name", ["mcts", "puct"])
def test_a_tree_that_grows_knows_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = circle(draw=3)
    roomy = made(name, game, 400).analyse(game.new_state())
    for place in ("mcts.searcher._NODES", "puct.agent._NODES", "puct.agent._ROOM"):
        monkeypatch.setattr(f"plyground.agents.{place}", 1)
    assert made(name, game, 400).analyse(game.new_state()).visits == roomy.visits


def test_it_can_be_switched_off() -> None:
    game, wrong = circle(draw=3), ("no", "maybe")
    assert Forest(game, 1).pasts is not None
    assert Forest(game, 1, repetitions=False).pasts is None
    assert Forest(game, 1, superko=False).pasts is not None
    for repetitions in (True, False):
        agent = MCTS(game, 10, repetitions=repetitions)
        assert (agent.copies() is None) is (agent.batched() is None) is repetitions
        assert (agent._searchers[0].repeats is not None) == repetitions
        assert (PUCT(game, 10, repetitions=repetitions)._repeats is not None) == repetitions
        again = pickle.loads(pickle.dumps(PUCT(MINICHESS, 10, repetitions=repetitions)))
        assert (again._repeats is not None) == repetitions
    for player in (MCTS, PUCT, Forest):
        for value in wrong:
            with pytest.raises(ValueError, match="repetitions must be"):
                player(game, 1, repetitions=value)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("name", "how"), HOW[3:])
def test_the_clock_is_asked_by_simulations_whatever_visits_leave(
    name: str, how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By visits a search of a kept tree had done less than nothing for long, and heard neither clock nor stop."""
    told = list[int]()
    search: Any = ForestSearch.search

    def watched(planted: Any, *arguments: Any) -> Any:
        *before, _, listener = arguments
        return search(planted, *before, lambda done: bool(told.append(done)), listener)

    monkeypatch.setattr(ForestSearch, "search", watched)
    game, left = circle(draw=3, plies=SHORT), 0
    agent = made(name, game, 400, reuse_tree=True, lambda_=0, evaluator=None, **how)
    (position,) = in_progress(game, random_lines(game, 4, 2)[:1])
    for _ in range(3):
        told.clear()
        found = agent.analyse(position.state, position.mask, past=past_of(position))
        assert told == sorted(told)
        assert not told or told[0] >= 0
        left += found.statistics["simulations kept"] + found.leaves - sum(found.visits.values())
        position.play(found.best_action)
        if position.over:
            break
    assert left > 0


def test_a_forest_notes_draws_at_its_edges() -> None:
    game = circle(draw=2)
    trees = Forest(game, 1, simulations=40, noise=0)
    past = np.array([key_of(game, game.play_moves([action])) for action in (1, 2)], np.uint64)
    trees.search(np.repeat(game.initial, 1), _nothing, past=[past])
    assert {action for action, child in edges_of(trees.trees, 0)(0) if child == DRAWN} == {1, 2, REST}
    root = trees.trees.nodes[0, 0]
    edges = trees.trees.edges[0, root["first"] : root["first"] + root["count"]]
    assert (edges["exact"][edges["child"] == DRAWN] == -np.inf).all()


def _nothing(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return np.zeros(masks.shape, np.float32), np.zeros(len(masks), np.float32)
