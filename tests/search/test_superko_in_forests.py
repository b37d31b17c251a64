"""Positions that may not come again, or are drawn, in trees of PUCT and forests: they find what plain Python finds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents import PUCT
from plyground.agents.puct import ObservationEvaluator
from plyground.agents.puct.forest import Forest
from plyground.agents.puct.forest.trees import DRAWN
from plyground.envs import Game, go, make_game
from plyground.envs.position import Position
from tests.helpers.forest_games import answers
from tests.helpers.forest_oracle import Options, OracleTree
from tests.helpers.repeats import REST, circle, edges_of, in_progress, past_of, random_lines, wrong_nodes
from tests.search.test_forest import compare, forest, noise_of

# White has sent two stones to B1, which Black took at C1, and may not take back there: the board would be as it was
# before, with Black to move again.
SENT = ["A2", "B1", "B2", "C2", "E5", "D1", "pass", "A1", "C1"]
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("go 5x5", "go 2x2")]
ALIKE = {"go 5x5": ("go 5x5", "go 5x5, situational")}
ENDS = [pytest.param(name, marks=pytest.mark.slow) for name in ("drawn", "no way out", "drawn at once")]


class Case(NamedTuple):
    """Games in progress, and what an evaluator is shown and prefers."""

    game: Game
    positions: list[Position]
    channels: list[int]  # of the present position
    preferred: list[int]

    def evaluate(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Answer by the present position and what may be played there, and prefer what leads to a repetition."""
        shown = [planes[..., self.channels].reshape(len(planes), -1), masks]
        logits, values = answers(np.concatenate(shown, axis=1), masks)
        logits[:, self.preferred] += 4
        return logits, values

    def ask(self, state: Any, legal: list[int]) -> tuple[Any, float]:
        """The same for the oracle."""
        masks = np.zeros((1, self.game.num_actions), np.bool_)
        masks[0, legal] = True
        logits, values = self.evaluate(self.game.observation(state, int(self.game.player(state)))[None], masks)
        return logits[0], float(values[0])

    def search(self, trees: Forest, rows: NDArray[np.intp], **how: Any) -> Any:
        """Search these games in a forest, each in its row."""
        some = [self.positions[row] for row in rows]
        return trees.search(
            np.array([position.state for position in some], self.game.dtype),
            self.evaluate,
            masks=np.array([position.mask for position in some]) != 0,
            shown=np.array([position.planes for position in some]) if self.game.shows_past else None,
            past=[past_of(position) for position in some],
            rows=rows,
            **how,
        )

    def analyse(self, agent: PUCT, position: Position) -> Any:
        """Search one of these games in a tree of an agent."""
        shown = position.planes[position.player]
        return agent.analyse(position.state, position.mask, shown, past_of(position))


def case(name: str) -> Case:
    if name == "circle":
        game = circle()
        return Case(game, in_progress(game, random_lines(game, 8, 5)), [0, 1], [])
    if name.startswith("drawn"):
        game = circle(draw=3 if name == "drawn" else 2)
        return Case(game, in_progress(game, random_lines(game, 8, 5)), [0, 1], [])
    if name == "no way out":
        game = circle(exempt=())
        return Case(game, in_progress(game, [[], [0], [2, 0]]), [0, 1], [])
    size = 5 if "5x5" in name else 2
    game = go(board_size=size, superko="situational" if "situational" in name else "positional")
    lines = random_lines(game, 8, 12)
    preferred = list[int]()
    if size == 5:
        moves = [game.str_to_action(move) for move in SENT]
        lines, preferred = [moves[:plies] for plies in range(5, 10)], [game.str_to_action("B1"), *moves[-2:]]
    return Case(game, in_progress(game, lines), [0, 1, 16], preferred)


def forbidden(trees: Forest, game: Game) -> int:
    """Return how many nodes below the roots lack a legal action, or have one that leads to a draw by repetition."""
    count = 0
    for row in range(trees.num_trees):
        for node in range(1, int(trees.trees.rows["nodes"][row])):
            legal = game.actions(trees.trees.states[row, node])
            count += trees.trees.nodes["count"][row, node] < len(legal)
            count += any(child == DRAWN for _, child in edges_of(trees.trees, row)(node))
    return count


@pytest.mark.parametrize(
    "options",
    [Options(), Options("puct"), Options(decisive=True), Options("puct", decisive=True, forced=0.0, noise=0.0)],
    ids=["gumbel", "puct", "decisive", "puct, decisive"],
)
@pytest.mark.parametrize("name", ["circle", *ENDS, *SLOW])
def test_a_forest_finds_what_plain_python_finds(name: str, options: Options) -> None:
    # Both rules of superko share their code: in tests of their own two processes compiled it at the same time.
    for one in ALIKE.get(name, (name,)):
        check_against_the_oracle(case(one), options)


def check_against_the_oracle(one: Case, options: Options) -> None:
    game, positions = one.game, one.positions
    trees = forest(game, options, rows=len(positions), simulations=80)
    oracles = [OracleTree(game, one.ask, options) for _ in positions]
    lacking = 0
    for _ in range(3):  # each with what is kept of the search before
        rows = np.array([row for row, position in enumerate(positions) if not position.over and position.mask.any()])
        rngs = trees.rngs.copy()
        found = one.search(trees, rows, simulations=40)
        lacking += forbidden(trees, game)
        for place, row in enumerate(rows.tolist()):
            position = positions[row]
            noise = noise_of(trees, row, rngs[row], int(position.mask.sum()))
            past = past_of(position).tolist()
            compare(found, place, oracles[row].search(position.state, 40, noise, position.mask, past))
        trees.keep(found.actions, rows)
        for row, action in zip(rows.tolist(), found.actions.tolist(), strict=True):
            oracles[row].keep(action)
            positions[row].play(action)
    assert lacking > 0
    assert trees.evaluations == sum(oracle.evaluations for oracle in oracles)


@pytest.mark.parametrize("root", ["single", "puct", "gumbel"])
@pytest.mark.parametrize("name", [pytest.param("circle", marks=pytest.mark.slow), "drawn", *SLOW])
def test_a_tree_of_an_agent_is_that_of_a_forest(name: str, root: str) -> None:
    for one in ALIKE.get(name, (name,)):
        check_a_tree(case(one), root)


def check_a_tree(one: Case, root: str) -> None:
    game, rows = one.game, np.arange(len(one.positions))

    def asked(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        logits, values = one.evaluate(planes, masks)
        return np.exp(logits.astype(float)) * masks, values.astype(float)

    how: dict[str, Any] = {"evaluator": ObservationEvaluator(asked), "batch": 1}
    if root != "single":
        how |= {"root": root, "proofs": True}
    rule: Any = "puct" if root == "single" else root
    trees = Forest(game, rows.size, simulations=80, root=rule, forced=0, noise=0, proofs=root != "single")
    found = one.search(trees, rows)
    agents = [PUCT(game, 80, **how), PUCT(game, 80, superko=False, repetitions=False, **how)]
    differs = False
    for row, position in enumerate(one.positions):
        visits = {action: int(found.visits[row, action]) for action in np.flatnonzero(position.mask)}
        known, unknown = (one.analyse(agent, position).visits for agent in agents)
        assert known == visits
        differs |= unknown != visits
    assert differs


@pytest.mark.parametrize("root", ["gumbel", "puct"])
@pytest.mark.parametrize("name", ["circle", "drawn"])
def test_threads_and_rows_change_nothing(name: str, root: Any) -> None:
    one = case(name)
    rows = np.arange(len(one.positions))
    alone, shared = (Forest(one.game, 8, root=root, threads=threads, seed=5) for threads in (1, 3))
    whole = one.search(alone, rows)
    for a, b in zip(whole, one.search(shared, rows), strict=True):
        assert (a == b).all()
    alone = Forest(one.game, 8, root=root, seed=5)
    for some in (rows[5:6], rows[[4, 0, 7]]):
        for a, b in zip(one.search(alone, some), whole, strict=True):
            assert (a == b[some]).all()


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_a_row_of_another_game_begins_anew(root: Any) -> None:
    game = circle()
    ways = in_progress(game, [[0, 2], [2, 0], [0, 2], [0, 2]])  # to one field, over one of two others
    states = np.array([position.state for position in ways], game.dtype)
    assert (states == states[0]).all()
    told, other = past_of(ways[0]), past_of(ways[1])

    def searched(past: Any, known: list[Any]) -> NDArray[np.int32]:
        trees.search(states, answers, past=past, simulations=20)
        for row, keys in enumerate(known):
            assert wrong_nodes(game, states[row], edges_of(trees.trees, row), set(keys.tolist())) == 0
        return trees.trees.rows["nodes"].copy()

    trees = Forest(game, 4, simulations=40, root=root, noise=0, proofs=False)
    new = searched([told] * 4, [told] * 4)
    # The order of the positions does not matter, and nobody says that the third row is of another game.
    kept = searched([told, other, None, np.flip(told)], [told, other, told, told])
    assert (kept[[0, 2, 3]] > new[[0, 2, 3]]).all()
    assert kept[1] <= 21
    assert (searched(None, [told, other, told, told]) > kept).all()


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_a_row_goes_on_with_its_game(root: Any, told: bool) -> None:
    game = circle()
    trees = Forest(game, 1, simulations=60, root=root, noise=0, proofs=False)
    (position,) = in_progress(game, [[]])
    trees.search(np.array([position.state], game.dtype), answers, past=[past_of(position)])
    for _ in range(2):
        children = edges_of(trees.trees, 0)(0)
        action = next(action for action, child in children if child > 0 and action != REST)
        trees.keep([action])
        position.play(action)
    kept = sum(int(trees.trees.edges["visits"][0, e]) for e in range(len(edges_of(trees.trees, 0)(0))))
    past = [past_of(position)] if told else None
    state, masks = np.array([position.state], game.dtype), position.mask[np.newaxis]
    found = trees.search(state, answers, masks=masks, past=past, simulations=30)
    assert found.visits.sum() == kept + 30 > 30
    assert wrong_nodes(game, position.state, edges_of(trees.trees, 0), set(past_of(position).tolist())) == 0


def test_where_positions_may_come_again_nothing_is_compiled_for_it() -> None:
    specs = "tictactoe", "checkers(repetition=0)", "chess(repetition=0)"
    for game in (*map(make_game, specs), go(board_size=5, superko="simple")):
        assert Forest(game, 1, simulations=1).pasts is None
        agent = PUCT(game, 1)
        assert agent._repeats is agent._followed is None
    game = circle()
    assert Forest(game, 1, superko=False).pasts is None
    assert PUCT(game, 1, superko=False)._repeats is None
    for player in (Forest, PUCT):
        wrong: Any = "no"
        with pytest.raises(ValueError, match="superko must be"):
            player(game, 1, superko=wrong)


def test_a_past_that_is_none() -> None:
    game = circle()
    trees, states = Forest(game, 2, simulations=4), np.repeat(game.initial, 2)
    none = np.zeros(0, np.uint64)
    for past, message in (
        ([none], "past must have the keys of each of 2 games, or None, got 1"),
        ([none, np.zeros(2)], r"past must be the repetition_key of each .* got float64 of shape \(2,\)"),
        ([np.zeros((1, 1), np.uint64), none], r"got uint64 of shape \(1, 1\)"),
    ):
        with pytest.raises(ValueError, match=message):
            trees.search(states, answers, past=past)
    trees.search(states, answers, past=[none, None])
    with pytest.raises(ValueError, match=r"got int64 of shape \(1,\)"):
        PUCT(game, 4).analyse(game.new_state(), past=[1])


def test_memory_counts_the_keys() -> None:
    game = circle()
    with_keys, without = (Forest(game, 3, simulations=10, superko=superko).nbytes for superko in (True, False))
    assert with_keys - without == 8 * 3 * (21 + game.num_actions)
