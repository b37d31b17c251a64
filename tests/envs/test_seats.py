"""The one-seat form of a batch: each row is what `SoloEnv` would be, and threads and other rows change nothing."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from plyground.envs import Game, GameBatch, SeatBatch, SoloEnv


class Fixed:
    """An agent without chance, whose moves look random: they depend on all that it sees."""

    def reset(self, seed: int | None = None) -> None:
        pass

    def act(self, observation: Any, info: Any = None) -> int:
        legal = np.flatnonzero(observation["action_mask"])
        assert (observation["action_mask"] == info["action_mask"]).all()
        return int(legal[int(observation["observation"].astype(int).sum()) * 7 % legal.size])


class Noted:
    """Opponents who play at random and note what they are told."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.ended: list[tuple[int, float]] = []

    def begin(self, batch: GameBatch, rows: Any) -> None:
        assert not batch.over[rows].any()
        self.begun += rows.tolist()

    def act(self, batch: GameBatch, rows: Any) -> Any:
        assert not batch.over[rows].any()
        return batch.random_actions(rows)

    def end(self, batch: GameBatch, rows: Any, rewards: Any) -> None:
        self.ended += zip(rows.tolist(), rewards.tolist(), strict=True)


def some_actions(masks: Any, rng: np.random.Generator, illegal: float = 0.0) -> Any:
    """Return random actions, legal but for a share of illegal ones where there are any."""
    wrong = rng.random(len(masks)) < illegal
    return np.array(
        [
            rng.choice(np.flatnonzero(mask == 0) if forbidden and not mask.all() else np.flatnonzero(mask))
            for mask, forbidden in zip(masks, wrong, strict=True)
        ]
    )


@pytest.mark.parametrize("opponent", [Fixed(), "alphabeta(depth=1)"], ids=["agent", "kernel"])
def test_a_batch_is_as_many_environments(game: Game, opponent: Any, rng: np.random.Generator) -> None:
    ended = illegal = 0
    for number, seat in enumerate(("first", "second")):
        seats = SeatBatch(game, 4, opponent, seat)
        envs = [SoloEnv(game, opponent, seat, flatten=False) for _ in range(seats.num_envs)]
        seats.reset()
        assert seats.learners.tolist() == [number] * 4
        views = [env.reset() for env in envs]
        for _ in range(150):
            for row, (observation, info) in enumerate(views):
                assert (seats.observations[row] == observation).all()
                assert (seats.masks[row] == info["action_mask"]).all()
                assert seats.batch.states[row] == info["state"]
            actions = some_actions(seats.masks, rng, illegal=0.04)
            _, rewards, terminations = seats.step(actions)
            for row, env in enumerate(envs):
                observation, reward, over, _, info = env.step(int(actions[row]))
                assert (rewards[row], terminations[row]) == (reward, over)
                assert seats.illegal[row] == info.get("illegal_action", -1)
                if over:
                    ended += 1
                    illegal += "illegal_action" in info
                    assert (seats.final_observations[row] == observation).all()
                    assert seats.final_states[row] == info["state"]
                    observation, info = env.reset()
                views[row] = observation, info
    assert ended > illegal > 0


OPPONENTS = [
    "random",
    "alphabeta(depth=2)",
    "mcts(simulations=10)",
    "mixture(random, mcts(simulations=5), flat(simulations=20), weights=(2, 1, 1))",
]


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("name", ["connect_four", "checkers"])
def test_threads_change_nothing(name: str, opponent: str, rng: np.random.Generator) -> None:
    one, *others = (SeatBatch(name, 7, opponent, opening_plies=6, threads=threads, seed=3) for threads in (1, 2, 3))
    for seats in (one, *others):
        seats.reset()
    for _ in range(40):
        actions = some_actions(one.masks, rng, illegal=0.05)
        one.step(actions)
        for seats in others:
            seats.step(actions)
            for field in ("observations", "masks", "rewards", "terminations", "learners", "lengths"):
                assert (getattr(seats, field) == getattr(one, field)).all(), field
    assert set(one.learners.tolist()) == {0, 1}


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_games_depend_on_their_own_seed_alone(opponent: str, rng: np.random.Generator) -> None:
    few, many = (SeatBatch("connect_four", games, opponent, opening_plies=4) for games in (3, 9))
    few.reset(seed=5)
    many.reset(seed=5)
    for _ in range(30):
        actions = some_actions(many.masks, rng, illegal=0.05)
        few.step(actions[:3])
        many.step(actions)
        assert (few.observations == many.observations[:3]).all()
        assert (few.rewards == many.rewards[:3]).all()


def test_seeds_one_for_all_or_one_each() -> None:
    def start(seed: Any, rows: Any = None) -> Any:
        seats = SeatBatch("othello", 4, "random", opening_plies=8, seed=0)
        seats.reset()
        before = seats.batch.states.copy()
        seats.reset(seed=seed, rows=rows)
        return before, seats.batch.states.copy()

    before, all_anew = start(7)
    assert not (all_anew == before).all()
    for number in (7, np.int64(7), np.array(7)):
        assert (start(number)[1] == all_anew).all()
    assert len({state.tobytes() for state in all_anew}) == 4
    _, same = start([1, 1, 1, 1])
    assert len({state.tobytes() for state in same}) == 1
    _, each = start([4, 3, 2, 1])
    assert (each[3] == same[0], each[0] == same[0]) == (True, False)

    before, some = start(7, np.array([2, 0]))  # the others are as they were
    assert [some[row] == all_anew[row] for row in range(4)] == [True, False, True, False]
    assert [some[row] == before[row] for row in range(4)] == [False, True, False, True]
    numbers: Any = 7, np.array(7)  # as a tensor of torch, too
    one, other = (SeatBatch("othello", 4, seed=number).batch.rngs for number in numbers)
    assert (one == other).all()
    _, one = start([None, 1], np.array([3, 1]))
    assert one[1] == same[0]

    seats = SeatBatch("othello", 4, "random", opening_plies=8, seed=7)
    seats.reset()
    assert (seats.batch.states == all_anew).all()  # a seed at the start is one at the first reset


def test_finished_games_stay_until_they_are_reset() -> None:
    # The learner fills column 0, and the opponent column 6; in row 1 the learner throws its stones elsewhere.
    seats = SeatBatch("connect_four", 2, lambda observations, masks: np.full(len(masks), 6), "first")
    seats.reset()
    for actions in ([0, 0], [0, 1], [0, 2]):
        seats.step(actions, restart=False)
        assert not seats.terminations.any()
    _, rewards, terminations = seats.step([0, 1], restart=False)
    assert rewards.tolist() == [1, -1]
    assert terminations.tolist() == seats.over.tolist() == [True, True]
    assert seats.lengths.tolist() == [4, 4]
    assert (seats.final_observations == seats.observations).all()
    assert seats.masks.all()
    with pytest.raises(ValueError, match=r"no game of connect_four is being played in row 0: call reset\(\)"):
        seats.step([0, 0])
    before = seats.batch.states[0].copy()
    seats.reset(rows=np.array([1]))
    assert (seats.terminations.tolist(), seats.lengths.tolist()) == ([True, False], [4, 0])
    seats.step([3], rows=np.array([1]), restart=False)
    assert seats.batch.plies.tolist() == [7, 2]
    assert seats.batch.states[0] == before


def test_rewards_are_the_learners_in_either_seat() -> None:
    cases: Any = ("first", 0, 1, 4), ("second", 1, -1, 3)
    for seat, column, reward, length in cases:
        seats = SeatBatch("connect_four", 3, lambda observations, masks: np.full(len(masks), 6), seat)
        seats.reset()
        for _ in range(length):
            assert not seats.terminations.any()
            seats.step([column] * 3)
        assert seats.rewards.tolist() == [reward] * 3
        assert seats.lengths.tolist() == [length] * 3
        seats.step([column] * 3)
        assert seats.lengths.tolist() == [1] * 3


def test_an_illegal_move_loses() -> None:
    opponents = Noted()
    seats = SeatBatch("connect_four", 3, opponents, "first", seed=0)
    seats.reset(options={"moves": [0] * 6})
    before = seats.observations.copy()
    _, rewards, terminations = seats.step([1, 0, 2])
    assert rewards.tolist() == [0, -1, 0]
    assert terminations.tolist() == [False, True, False]
    assert seats.illegal.tolist() == [-1, 0, -1]
    assert (seats.final_observations[1] == before[1]).all()
    assert opponents.ended == [(1, -1.0)]
    assert seats.batch.plies[1] == 6  # the next game has begun, where the options say
    seats.step([1, 1, 1])
    assert seats.illegal.tolist() == [-1] * 3


def test_opponents_are_told_of_each_game(rng: np.random.Generator) -> None:
    opponents = Noted()
    seats = SeatBatch("tictactoe", 5, opponents, seed=1)
    seats.reset()
    assert sorted(opponents.begun) == [0, 1, 2, 3, 4]
    ended = []
    for _ in range(60):
        seats.step(some_actions(seats.masks, rng, illegal=0.05))
        ended += [(row, float(seats.rewards[row])) for row in np.flatnonzero(seats.terminations)]
    assert opponents.ended == ended
    assert len(opponents.begun) == 5 + len(ended)
    assert {reward for _, reward in ended} == {-1, 0, 1}


def test_a_player_may_move_several_times_in_a_row(rng: np.random.Generator) -> None:
    asked = np.zeros(8, int)

    class Counted(Noted):
        def act(self, batch: GameBatch, rows: Any) -> Any:
            asked[rows] += 1
            return super().act(batch, rows)

    seats = SeatBatch("checkers", 8, Counted(), "first", seed=0)
    seats.reset()
    replies = set()
    for _ in range(200):
        asked[:] = 0
        plies = seats.batch.plies.copy()
        seats.step(some_actions(seats.masks, rng))
        goes_on = ~seats.terminations
        assert (seats.batch.plies[goes_on] == plies[goes_on] + 1 + asked[goes_on]).all()
        assert (seats.batch.players == seats.learners).all()
        replies |= set(asked[goes_on].tolist())
    assert {0, 1, 2} <= replies  # the learner jumped on, the opponent replied, the opponent jumped on


def test_masks_always_have_a_legal_action(game: Game, rng: np.random.Generator) -> None:
    seats = SeatBatch(game, 5, "random", opening_plies=4, seed=0)
    assert seats.masks.all()  # before there are games, too
    seats.reset()
    for step in range(120):
        assert seats.masks.any(axis=1).all()
        seats.step(some_actions(seats.masks, rng), restart=step % 20 != 0)
        assert seats.masks[seats.over].all()
        seats.reset(rows=np.flatnonzero(seats.over))


def test_games_that_end_too_early_begin_anew() -> None:
    # The opponent is to move, and wins by 0.
    seats = SeatBatch("connect_four", 60, "random", "second", seed=0)
    seats.reset(options={"moves": [0, 1, 0, 1, 0, 1]})
    assert seats.batch.plies.tolist() == [7] * 60
    assert not seats.batch.states["mine"].tolist().count(0)
    assert not seats.over.any()
    seats = SeatBatch("connect_four", 2, "alphabeta(depth=1)", "second")
    with pytest.raises(ValueError, match=r"end before the learner can move, in rows \[0, 1\]"):
        seats.reset(options={"moves": [0, 1, 0, 1, 0, 1]})
    with pytest.raises(ValueError, match="call reset"):
        seats.step([0, 0])
    seats.reset(options={})
    seats.step([0, 0])


def test_games_begin_where_the_options_say_until_all_are_reset() -> None:
    seats = SeatBatch("connect_four", 2, "random", "first", seed=0)
    seats.reset(options={"moves": [0] * 6})
    seats.step([0, 1])  # row 0 has lost, and begins anew
    assert seats.batch.plies.tolist() == [6, 8]
    seats.reset(rows=np.array([1]))
    assert seats.batch.plies.tolist() == [6, 6]
    seats.reset(rows=np.array([1]), options={"moves": [0, 0]})
    assert seats.batch.plies.tolist() == [6, 2]
    seats.reset()
    assert seats.batch.plies.tolist() == [0, 0]


def test_a_copy_goes_on_by_itself(rng: np.random.Generator) -> None:
    seats = SeatBatch("connect_four", 4, "mixture(random, mcts(simulations=5), alphabeta(depth=1))", threads=2)
    seats.reset(seed=1)
    seats.step(some_actions(seats.masks, rng))
    copy: Any = pickle.loads(pickle.dumps(seats))
    for _ in range(20):
        actions = some_actions(seats.masks, rng)
        before = copy.observations.copy()
        seats.step(actions)
        assert (copy.observations == before).all()
        copy.step(actions)
        assert (copy.observations == seats.observations).all()
        assert (copy.masks == seats.masks).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs must be a whole number, at least 1, got 0"),
        ({"num_envs": 2.0}, "num_envs must be a whole number"),
        ({"seat": "third"}, "seat must be 'first', 'second' or 'random', got 'third'"),
        ({"opponent": "alphabet"}, "unknown agent 'alphabet': did you mean 'alphabeta'"),
        ({"opening_plies": -1}, "opening_plies must be a whole number"),
        ({"threads": 0}, "threads must be a whole number"),
        ({"game": "shogi"}, "unknown game 'shogi'"),
    ],
)
def test_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SeatBatch(**{"game": "connect_four", "num_envs": 2, **arguments})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda seats: seats.step([0, 1]), "actions must be 3 integers"),
        (lambda seats: seats.step([[0], [1], [2]]), "actions must be 3 integers"),
        (lambda seats: seats.step([0.0, 1.0, 2.0]), "actions must be 3 integers"),
        (lambda seats: seats.step([0, 7, 2]), "action 7 in game 1 is no action of connect_four: .* from 0 to 6"),
        (lambda seats: seats.step([0, -1, 2]), "action -1 in game 1"),
        (lambda seats: seats.step([0], rows=np.array([3])), "rows must be different rows from 0 to 2"),
        (lambda seats: seats.step([0, 0], rows=np.array([1, 1])), "rows must be different rows"),
        (lambda seats: seats.reset(rows=np.array([-1])), "rows must be different rows"),
        (lambda seats: seats.reset(rows=np.array([[1]])), "rows must be different rows"),
        (lambda seats: seats.reset(seed=[1, 2]), "one for each of 3 games, got 2"),
        (lambda seats: seats.reset(seed=-1), "seed must be a whole number, at least 0, .*got -1"),
        (lambda seats: seats.reset(seed=[1, 0.5, 2]), "seed must be a whole number, at least 0, .*got 0.5"),
        (lambda seats: seats.reset(seed=1, options={"moves": [9]}), "illegal"),
        (lambda seats: seats.reset(seed=1, options={"moves": [0, 1] * 3 + [0]}), "finished position"),
    ],
)
def test_bad_input_changes_nothing(call: Any, message: str) -> None:
    seats = SeatBatch("connect_four", 3, "random", seed=0)
    seats.reset()
    before = pickle.dumps(seats)
    with pytest.raises(ValueError, match=message):
        call(seats)
    assert pickle.dumps(seats) == before
    seats.step([3, 3, 3])
    assert seats.batch.plies.max() <= 4


def test_a_step_in_no_rows_changes_nothing() -> None:
    seats = SeatBatch("tictactoe", 2, seed=1)
    seats.reset()
    before = seats.batch.states.copy()
    seats.step([], rows=np.zeros(0, np.intp))
    assert (seats.batch.states == before).all()
