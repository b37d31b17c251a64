"""Opponents in a batch: what is made into them, and that those in compiled code play what the agents play."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, AlphaBeta, Mixture, Policy, Random, make
from plyground.agents.alphabeta.batched import BatchedAlphaBeta
from plyground.agents.mcts.batched import BatchedMCTS
from plyground.envs import (
    Game,
    GameBatch,
    Opponents,
    RandomOpponents,
    SeatBatch,
    SoloEnv,
    as_game,
    as_opponents,
    make_game,
)
from plyground.envs.vector.opponents import FromFunction, OneByOne


def positions(game: Game | str, games: int, plies: int, threads: int = 1) -> tuple[GameBatch, Any]:
    """Return a batch of random positions of up to so many plies, and all its rows."""
    plies = min(plies, as_game(game).max_plies)
    return GameBatch(game, games, opening_plies=plies, threads=threads, seed=9), np.arange(games)


def one_by_one(agent: Any, batch: GameBatch) -> list[int]:
    """Return what the agent plays in each row, reset before each."""
    actions = []
    for state, mask in zip(batch.states, batch.masks, strict=True):
        agent.reset()
        actions.append(agent.act({"action_mask": mask}, {"state": state}))
    return actions


class Counting:
    """An agent that plays the n-th legal action at its n-th move, and so must not be shared by games."""

    def __init__(self) -> None:
        self.seeds: list[int | None] = []
        self.moves = 0

    def reset(self, seed: int | None = None) -> None:
        self.seeds.append(seed)
        self.moves = 0

    def act(self, observation: Any, info: Any = None) -> int:
        legal = np.flatnonzero(observation["action_mask"])
        self.moves += 1
        return int(legal[(self.moves - 1) % legal.size])


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_alphabeta_plays_the_agents_moves(game: Game, depth: int) -> None:
    agent = AlphaBeta(game, depth=depth, repetitions=False)
    batch, rows = positions(game, 16 if depth < 3 else 6, 20)
    opponents = as_opponents(agent, game)
    assert isinstance(opponents, BatchedAlphaBeta)
    assert opponents.act(batch, rows).tolist() == one_by_one(agent, batch)


@pytest.mark.parametrize(
    "options",
    [
        {"depth": 5},
        {"depth": 6, "table_mb": 0},
        {"depth": 5, "ordered": False, "pvs": False},
        {"depth": 4, "iterative": False},
        {"depth": 4, "all_best": True},
        {"depth": 5, "aspiration": 0.01},
        {"depth": 2, "aspiration": 0.001},
        {"depth": 4, "fold": True, "replacement": "always"},
        {"nodes": 300},
        {"nodes": 3},
        pytest.param({"depth": 3, "quiescence": 4}, marks=pytest.mark.slow),
        pytest.param(
            {"depth": 4, "lmr": 2, "singular": 0.1, "margin": 0.05, "deeper_entries": True}, marks=pytest.mark.slow
        ),
        pytest.param({"depth": 3, "weights": {"twos": 0.2}}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_alphabeta_with_its_options(options: dict[str, Any]) -> None:
    agent = AlphaBeta("connect_four", **options)
    batch, rows = positions("connect_four", 60, 30, threads=2)
    assert as_opponents(agent, batch.game).act(batch, rows).tolist() == one_by_one(agent, batch)


@pytest.mark.slow
def test_alphabeta_heeds_the_mask_of_the_batch() -> None:
    agent = AlphaBeta("go(board_size=5)", depth=2)
    batch, rows = positions("go(board_size=5)", 12, 20)
    favourites = as_opponents(agent, batch.game).act(batch, rows)
    batch.masks[rows, favourites] = 0
    batch.masks[~batch.masks.any(axis=1), -1] = 1
    again = as_opponents(agent, batch.game).act(batch, rows)
    assert batch.masks[rows, again].all()
    assert again.tolist() == one_by_one(agent, batch)


def test_mcts_plays_the_agents_moves(game: Game) -> None:
    batch, rows = positions(game, 8, 12)
    expected = []
    agent = MCTS(game, simulations=60, c=1.1, superko=False, repetitions=False)  # which many games at once do not know
    rngs = batch.rngs.copy()
    for row in rows:
        agent.reset(0)
        agent._searchers[0].rng = rngs[row]
        expected.append(agent.act({"action_mask": batch.masks[row]}, {"state": batch.states[row]}))
    opponents = as_opponents(MCTS(game, simulations=60, c=1.1, superko=False, repetitions=False), game)
    assert isinstance(opponents, BatchedMCTS)
    assert opponents.act(batch, rows).tolist() == expected
    several = batch.masks.sum(axis=1) > 1  # where there is one legal action, no number is drawn
    assert (batch.rngs[several] == rngs[several]).all()


def test_mcts_finds_the_win_in_one() -> None:
    batch = GameBatch("connect_four", 20, seed=0)
    batch.reset(options={"moves": [2, 2, 3, 3, 4]})
    batch.step([0] * 10 + [5] * 10)
    actions = as_opponents("mcts(simulations=200)", batch.game).act(batch, np.arange(20))
    assert set(actions[:10].tolist()) <= {1, 5}
    assert actions[10:].tolist() == [1] * 10


@pytest.mark.slow
def test_only_some_rows_are_asked() -> None:
    for spec in ("alphabeta(depth=2)", "mcts(simulations=20)", "random"):
        batch, rows = positions("othello", 9, 20)
        same, _ = positions("othello", 9, 20)
        opponents = as_opponents(spec, batch.game)
        some = np.array([7, 2, 4])
        found = opponents.act(batch, some)
        assert found.tolist() == opponents.act(same, rows)[some].tolist()


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("random", RandomOpponents),
        ("alphabeta(depth=2)", BatchedAlphaBeta),
        ("alphabeta(seconds=0.1)", OneByOne),
        ("alphabeta(depth=3, aspiration=0.1)", BatchedAlphaBeta),
        ("mcts(simulations=30)", BatchedMCTS),
        ("mcts(seconds=0.1)", OneByOne),
        ("mcts(simulations=30, rave=100)", OneByOne),
        ("mcts(simulations=30, final_move='value')", OneByOne),
        ("mcts(simulations=30, reuse_tree=true)", OneByOne),
        ("mcts(simulations=30, threads=2)", OneByOne),
        ("mcts(simulations=30, tree_mb=1)", OneByOne),
        ("mcts(simulations=10000000)", OneByOne),
        ("flat(simulations=10)", OneByOne),
    ],
)
def test_what_is_played_in_compiled_code(spec: str, expected: type) -> None:
    game = make_game("connect_four")
    opponents = as_opponents(spec, game)
    assert type(opponents) is expected
    assert isinstance(opponents, Opponents)
    assert as_opponents(opponents, game) is opponents


def test_each_game_has_its_own_agent() -> None:
    agent = Counting()
    seats = SeatBatch("connect_four", 3, agent, "first", seed=0)
    seats.reset()
    seats.step([6, 6, 6])
    seats.step([6, 6, 6])
    assert seats.batch.states["theirs"].tolist() == [1 | 1 << 7] * 3  # columns 0 and 1, in each row
    seats.reset(rows=np.array([1]))
    seats.step([6, 6, 6])
    assert seats.batch.states["theirs"].tolist()[1] == 1
    assert agent.seeds == []
    copies = seats.opponents._copies  # type: ignore[attr-defined]
    assert [len(copies[row].seeds) for row in range(3)] == [1, 2, 1]
    assert len({seed for row in range(3) for seed in copies[row].seeds}) == 4


def test_one_game_has_the_agent_itself() -> None:
    agent = Counting()
    SeatBatch("connect_four", 1, agent).reset()
    assert len(agent.seeds) == 1


def test_a_mixture_draws_for_each_game_and_asks_who_was_drawn() -> None:
    def constant(column: int) -> Any:
        return FromFunction(lambda observations, masks: np.full(len(masks), column))

    game = make_game("connect_four")
    mixture = Mixture(game, "random", "random", weights=(1, 3))
    opponents: Any = as_opponents(mixture, game)
    opponents.members = [constant(0), constant(1)]
    seats = SeatBatch(game, 2000, opponents, "first", seed=4)
    seats.reset()
    seats.step(np.full(2000, 6))
    seats.step(np.full(2000, 6))
    stones = seats.batch.states["theirs"]
    first, second = (stones == 0b11).sum(), (stones == 0b11 << 7).sum()
    assert first + second == 2000
    assert abs(first - 500) < 5 * np.sqrt(2000 * 0.25 * 0.75)


def test_a_mixture_tells_its_members_of_their_games_only() -> None:
    told: list[Any] = []

    class Member(RandomOpponents):
        def begin(self, batch: GameBatch, rows: Any) -> None:
            self.mine: set[int] = getattr(self, "mine", set()) | set(rows.tolist())

        def end(self, batch: GameBatch, rows: Any, rewards: Any) -> None:
            assert set(rows.tolist()) <= self.mine
            self.mine -= set(rows.tolist())
            told.extend(zip(rows.tolist(), rewards.tolist(), strict=True))

    game = make_game("tictactoe")
    opponents: Any = as_opponents("mixture(random, random)", game)
    opponents.members = [Member(), Member()]
    seats = SeatBatch(game, 8, opponents, seed=0)
    seats.reset()
    expected = []
    for _ in range(40):
        seats.step(seats.batch.random_actions())
        expected += [(row, seats.rewards[row]) for row in np.flatnonzero(seats.terminations)]
    assert sorted(told) == sorted(expected)
    assert len(told) > 20


@pytest.mark.parametrize("algorithm", ["PPO", "DQN"])
def test_a_policy_plays_the_same_moves_in_one_pass(algorithm: str) -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    game = make_game("connect_four")
    model = getattr(sb3, algorithm)("MlpPolicy", SoloEnv(game, "random"), device="cpu", seed=0)
    policy = Policy(game, model)
    batch, rows = positions(game, 50, 30)
    found = as_opponents(policy, game).act(batch, rows)
    expected = [
        policy.act({"observation": planes, "action_mask": mask})
        for planes, mask in zip(batch.observations, batch.masks, strict=True)
    ]
    assert found.tolist() == expected
    assert len(set(expected)) > 1


def test_a_policy_draws_from_its_distribution() -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    game = make_game("connect_four")
    model = sb3.PPO("MlpPolicy", SoloEnv(game, "random"), device="cpu", seed=0)
    policy = Policy(game, model, deterministic=False)
    batch = GameBatch(game, 3000, seed=2)
    batch.masks[:, 2] = 0
    found = as_opponents(policy, game).act(batch, np.arange(3000))
    weights = np.exp(policy.scores(batch.observations[0], batch.masks[0] != 0))
    weights[2] = 0
    np.testing.assert_allclose(np.bincount(found, minlength=7) / 3000, weights / weights.sum(), atol=0.04)
    again = GameBatch(game, 3000, seed=2)
    again.masks[:, 2] = 0
    assert (as_opponents(policy, game).act(again, np.arange(3000)) == found).all()


def test_a_function_sees_the_players_to_move() -> None:
    seen = []

    def function(observations: Any, masks: Any) -> Any:
        seen.append((observations.copy(), masks.copy()))
        return masks.argmax(axis=1)

    seats = SeatBatch("connect_four", 2, function, "first")
    seats.reset()
    seats.step([3, 4])
    ((observations, masks),) = seen
    assert observations[:, 5, :, 0].tolist() == [[0] * 7] * 2  # its own stones
    assert observations[:, 5, :, 1].argmax(axis=1).tolist() == [3, 4]
    assert masks.all()
    assert seats.observations[:, 5, 0, 1].tolist() == [1, 1]  # and the learner sees its own view again


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda observations, masks: np.full(len(masks), 7), "action 7 is illegal in game 0"),
        (lambda observations, masks: np.zeros(len(masks)), "actions must be 2 integers"),
        (lambda observations, masks: np.zeros(1, int), "actions must be 2 integers"),
    ],
)
def test_an_opponent_that_fails_is_named(answer: Any, message: str) -> None:
    seats = SeatBatch("connect_four", 2, answer, "first")
    seats.reset()
    with pytest.raises(ValueError, match=f"the opponent .*FromFunction.* failed: {message}"):
        seats.step([0, 0])


class Uncopied(Random):
    def __init__(self, kind: type[Exception]) -> None:
        super().__init__()
        self._kind = kind

    def __deepcopy__(self, memo: Any) -> Any:
        raise self._kind("a running program")

    def batched(self) -> Any:
        return None


class Model:
    """Has what a model of stable-baselines3 has."""

    def predict(self, observation: Any) -> Any:
        return 0, None


@pytest.mark.parametrize(
    ("opponent", "message"),
    [
        ("alphabet", "unknown agent 'alphabet': did you mean 'alphabeta'"),
        (3, "opponent must be a spec string, an agent with .* got 3"),
        (None, "opponent must be a spec string"),
        (Random, r"opponent must be a spec string, .*Random'>: make one of this class, as in Random\(…\)$"),
        (Model(), r"opponent must be a spec string, .*: a trained model plays as Policy\(game, model\)$"),
        (make("alphabeta(depth=2)", "othello"), "plays othello, expected a player of connect_four"),
        (make("random", "connect_four(rows=5)"), r"plays connect_four\(rows=5\), expected a player of connect_four"),
    ],
)
def test_what_cannot_be_an_opponent(opponent: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_opponents(opponent, make_game("connect_four"))


@pytest.mark.parametrize("kind", [TypeError, RuntimeError])
def test_an_agent_that_cannot_be_copied(kind: type[Exception]) -> None:
    seats = SeatBatch("connect_four", 2, Uncopied(kind))
    with pytest.raises(ValueError, match=r"cannot be copied \(a running program\), and 2 games need one each"):
        seats.reset()
    SeatBatch("connect_four", 1, Uncopied(kind)).reset()


class Last(Random):
    """A subclass whose moves are not those that the batched form of its parent plays."""

    def act(self, observation: Any, info: Any = None) -> int:
        return int(np.flatnonzero(observation["action_mask"])[-1])


def test_a_subclass_with_moves_of_its_own_plays_these() -> None:
    batch, rows = positions("connect_four", 3, 4)
    opponents = as_opponents(Last(), batch.game)
    opponents.begin(batch, rows)
    assert opponents.act(batch, rows).tolist() == [np.flatnonzero(mask)[-1] for mask in batch.masks]

    class Both(Last):
        def batched(self) -> Opponents:
            return RandomOpponents()

    assert isinstance(as_opponents(Both(), batch.game), RandomOpponents)


def test_tables_that_are_kept_are_there_before_a_game_is_begun() -> None:
    """Compiled code read beyond the tables: of a copy, which has none yet, and where nobody had called ``begin``."""
    batch, rows = positions("connect_four", 4, 6)
    begun = AlphaBeta(batch.game, depth=4, table_mb=1).copies()
    assert isinstance(begun, BatchedAlphaBeta)
    begun.begin(batch, rows)
    expected = begun.act(batch, rows).tolist()
    at_once = AlphaBeta(batch.game, depth=4, table_mb=1).copies()
    assert isinstance(at_once, BatchedAlphaBeta)
    for opponents in (at_once, copy.deepcopy(begun), pickle.loads(pickle.dumps(begun))):
        assert opponents.act(batch, rows).tolist() == expected
        assert len(opponents._tables.entries) == 4
    at_once.most_games = 5
    larger, rows = positions("connect_four", 6, 6)
    with pytest.raises(ValueError, match="expected at most 5 games, which have a table each, got 6"):
        at_once.act(larger, rows)
    at_once.most_games = 6
    assert (at_once.act(larger, rows) >= 0).all()  # two rows more have tables now
    assert len(at_once._tables.entries) == 6


def test_who_plays_many_games_may_be_named_by_a_place(tmp_path: Path) -> None:
    """A function of many positions was asked about one, with an info in place of the masks."""
    own = "def first(observations, masks): return masks.argmax(1)\n\nclass Last:\n    begin = end = lambda *_: None\n"
    (tmp_path / "own.py").write_text(
        f"{own}    def act(self, batch, rows): return 8 - batch.masks[rows, ::-1].argmax(1)\n"
    )
    for name, reply in (("first", 0), ("Last", 8)):
        seats = SeatBatch("tictactoe", 3, f"{tmp_path}/own.py:{name}", "first")
        seats.reset()
        seats.step([4, 4, 4])
        assert (seats.masks[:, reply] == 0).all()
        with pytest.raises(ValueError, match=r"many games at once|of many positions at once: .* in batches"):
            SoloEnv("tictactoe", f"{tmp_path}/own.py:{name}", "second").reset()
