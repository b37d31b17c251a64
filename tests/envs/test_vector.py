"""The vector environment: what `gymnasium.make_vec` gives is what it would make of as many single environments."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

from plyground.envs import BoardVectorEnv, Game, Opponents, SoloEnv
from tests.envs.test_seats import Fixed, some_actions

MODES = list(AutoresetMode)


def same_states(ours: Any, theirs: Any) -> bool:
    """Compare records with objects that are records."""
    return all(one == other for one, other in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("mode", MODES)
def test_equals_gymnasiums_own_vector_of_single_environments(
    game: Game, mode: AutoresetMode, rng: np.random.Generator
) -> None:
    ours = BoardVectorEnv(game, 3, Fixed(), "second", autoreset_mode=mode)
    theirs = SyncVectorEnv([lambda: SoloEnv(game, Fixed(), "second")] * 3, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.single_action_space == theirs.single_action_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    found: Any = ours.reset(seed=1)
    expected: Any = theirs.reset(seed=1)
    ended = illegal = 0
    over = np.zeros(3, bool)
    for _ in range(150):
        (observations, infos), (their_observations, their_infos) = found, expected
        assert observations in ours.observation_space
        assert observations.dtype == their_observations.dtype
        assert (observations == their_observations).all()
        alive = infos["_action_mask"] & ~over
        assert (infos["action_mask"][alive] == their_infos["action_mask"][alive]).all()
        assert same_states(infos["state"][alive], their_infos["state"][alive])
        assert set(infos) <= set(their_infos)
        for name in infos:
            if name.startswith("_"):
                assert (infos[name] == their_infos[name]).all(), name
        actions = some_actions(ours.action_masks(), rng, illegal=0.04)
        *found, infos = ours.step(actions)
        *expected, their_infos = theirs.step(actions)
        for ours_found, theirs_found in zip(found, expected, strict=True):
            assert ours_found.shape == theirs_found.shape
            assert (ours_found == theirs_found).all()
        over = found[2]
        ended += over.sum()
        assert (
            ("final_obs" in infos) == ("final_obs" in their_infos) == (mode is AutoresetMode.SAME_STEP and over.any())
        )
        if "final_obs" in infos:
            final, their_final = infos.pop("final_info"), their_infos.pop("final_info")
            for ours_seen, theirs_seen in zip(infos.pop("final_obs"), their_infos.pop("final_obs"), strict=True):
                assert (ours_seen is None) == (theirs_seen is None)
                assert ours_seen is None or (ours_seen == theirs_seen).all()
            assert (infos.pop("_final_obs") == their_infos.pop("_final_obs")).all()
            assert set(final) == set(their_final)
            assert (final["_action_mask"] == their_final["_action_mask"]).all()
            assert same_states(final["state"][over], their_final["state"][over])
            if "illegal_action" in final:
                assert (final["illegal_action"] == their_final["illegal_action"]).all()
                assert (final["_illegal_action"] == their_final["_illegal_action"]).all()
            illegal += "illegal_action" in final
        assert ("illegal_action" in infos) == ("illegal_action" in their_infos)
        if "illegal_action" in infos:
            assert (infos["illegal_action"] == their_infos["illegal_action"]).all()
            illegal += 1
        found, expected = (found[0], infos), (expected[0], their_infos)
        if mode is AutoresetMode.DISABLED and over.any():
            found = ours.reset(options={"reset_mask": over})
            expected = theirs.reset(options={"reset_mask": over.copy()})
            over = np.zeros(3, bool)
    assert ended > 3
    assert illegal


def test_make_vec_gives_it_and_make_does_not() -> None:
    env = gymnasium.make_vec(
        "plyground/ConnectFour-v0", num_envs=5, opponent="alphabeta(depth=1)", rows=4, columns=5, seat="first"
    )
    assert isinstance(env, BoardVectorEnv)
    assert env.spec is not None
    assert env.game.spec == "connect_four(rows=4, columns=5)"
    assert env.observation_space.shape == (5, 40)
    again = gymnasium.make_vec(env.spec)
    assert isinstance(again, BoardVectorEnv)
    assert (again.num_envs, again.game) == (5, env.game)
    assert isinstance(gymnasium.make("plyground/ConnectFour-v0").unwrapped, SoloEnv)
    assert isinstance(gymnasium.make_vec("plyground/ConnectFour-v0", 2, vectorization_mode="sync"), SyncVectorEnv)


@pytest.mark.slow
def test_made_by_name_without_the_import() -> None:
    code = (
        "import gymnasium; env = gymnasium.make_vec('plyground.envs:plyground/TicTacToe-v0', num_envs=3);"
        "print(env.reset(seed=1)[0].shape, env.step([4, 4, 4])[1].shape)"
    )
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "(3, 18) (3,)\n"


@pytest.mark.parametrize("mode", MODES)
def test_masks_are_never_empty(mode: AutoresetMode, rng: np.random.Generator) -> None:
    env = BoardVectorEnv("tictactoe", 6, autoreset_mode=mode)
    _, infos = env.reset(seed=0)
    for _ in range(60):
        assert infos["action_mask"].any(axis=1).all()
        assert (env.action_masks() == infos["action_mask"]).all()
        *_, over, _, infos = env.step(some_actions(infos["action_mask"], rng))
        if mode is AutoresetMode.DISABLED and over.any():
            assert infos["action_mask"][over].all()
            _, infos = env.reset(options={"reset_mask": over})


def test_seeds_are_those_of_the_games() -> None:
    def run(seed: Any, games: int = 3) -> Any:
        env = BoardVectorEnv("connect_four", games, opening_plies=6)
        env.reset(seed=seed)
        seen = []
        for _ in range(20):
            observations, *_ = env.step(env.action_masks().argmax(axis=1))
            seen.append(observations)
        return np.array(seen)

    assert (run(5) == run(5)).all()
    assert (run(5) == run([5, 6, 7])).all()
    assert (run(5)[:, 1:] == run(6, 2)).all()
    assert not (run(5) == run(6)).all()


def test_a_partial_reset_leaves_the_others_alone() -> None:
    env = BoardVectorEnv("connect_four", 3, "random", "first", autoreset_mode="Disabled")
    env.reset(seed=0)
    before = env.step([0, 1, 2])[0]
    options = {"reset_mask": np.array([False, True, False])}
    after, infos = env.reset(options=options)
    assert list(options) == ["reset_mask"]
    assert (after[[0, 2]] == before[[0, 2]]).all()
    assert not after[1].any()
    assert infos["_action_mask"].tolist() == [False, True, False]


def test_options_that_nobody_knows_leave_the_start_alone() -> None:
    env = BoardVectorEnv("connect_four", 2, "random", "first", autoreset_mode="Disabled")
    begun, _ = env.reset(seed=0, options={"moves": [3, 3]})
    chosen = np.array([True, False])
    again, _ = env.reset(options={"reset_mask": chosen, "options": 1})  # PettingZoo's own tests give it
    assert (again == begun).all()
    with pytest.raises(ValueError, match=r"^unknown option 'colour': Choose from: fen, moves, reset_mask, state"):
        env.reset(options={"reset_mask": chosen, "colour": 1})


def test_a_finished_game_must_be_reset_where_nothing_else_does() -> None:
    env = BoardVectorEnv("tictactoe", 2, "random", "first", autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=0)
    env.step([0, 0])
    _, rewards, over, _, infos = env.step([0, env.action_masks()[1].argmax()])
    assert (rewards[0], over[0], infos["illegal_action"][0]) == (-1, True, 0)
    assert infos["_illegal_action"].tolist() == [True, False]
    with pytest.raises(ValueError, match=r"in row 0: call reset\(\)"):
        env.step([1, 1])


def test_copies_stay_and_views_do_not() -> None:
    for copy in (True, False):
        env = BoardVectorEnv("connect_four", 4, "random", copy=copy)
        first, infos = env.reset(seed=0)
        seen = first.copy(), infos["action_mask"].copy()
        observations, rewards, over, _, _ = env.step([0, 1, 2, 3])
        assert (seen[0] == first).all() == copy
        for array, own in ((observations, env.seats.observations), (rewards, env.seats.rewards)):
            assert np.shares_memory(array, own) != copy
        assert np.shares_memory(over, env.seats.terminations) != copy
        assert np.shares_memory(infos["action_mask"], env.seats.masks) != copy


def test_planes_stay_planes_on_request() -> None:
    env = BoardVectorEnv("connect_four", 2, flatten=False, autoreset_mode="SameStep")
    assert env.reset()[0].shape == env.observation_space.shape == (2, 6, 7, 2)
    for _ in range(40):
        infos = env.step([0, 0])[-1]
        if "final_obs" in infos:
            assert infos["final_obs"][infos["_final_obs"].argmax()].shape == (6, 7, 2)
            return
    pytest.fail("no game ended")


@pytest.mark.parametrize("mode", MODES[:2])
def test_gymnasiums_wrappers_take_it(mode: AutoresetMode, rng: np.random.Generator) -> None:
    made = gymnasium.make_vec("plyground/ConnectFour-v0", num_envs=6, autoreset_mode=mode)
    env: Any = wrappers.RecordEpisodeStatistics(made)
    env.reset(seed=0)
    games, lengths = 0, np.zeros(6, int)
    restarted = np.zeros(6, bool)
    for _ in range(80):
        actions = some_actions(made.action_masks(), rng)  # type: ignore[attr-defined]
        _, rewards, over, _, infos = env.step(actions)
        lengths[~restarted] += 1
        if over.any():
            assert (infos["episode"]["r"][over] == rewards[over]).all()
            assert (infos["episode"]["l"][over] == lengths[over]).all()
            games += over.sum()
        lengths[over] = 0
        restarted = over & (mode is AutoresetMode.NEXT_STEP)
    assert games > 10
    listed = wrappers.DictInfoToList(gymnasium.make_vec("plyground/ConnectFour-v0", num_envs=2))
    _, infos = listed.reset(seed=0)
    assert [info["action_mask"].tolist() for info in infos] == [[1] * 7] * 2


@pytest.mark.parametrize("mode", MODES)
def test_games_go_on_elsewhere(mode: AutoresetMode, rng: np.random.Generator) -> None:
    one, other = (
        BoardVectorEnv("tictactoe", 6, "mixture(random, mcts(simulations=5))", opening_plies=2, autoreset_mode=mode)
        for _ in range(2)
    )

    def step(env: BoardVectorEnv, numbers: np.random.Generator) -> Any:
        *found, infos = env.step(some_actions(env.action_masks(), numbers))
        if mode is AutoresetMode.DISABLED and found[2].any():
            found[0], infos = env.reset(options={"reset_mask": found[2]})
        return *found, infos["action_mask"]

    one.reset(seed=1)
    while not step(one, rng)[2].any():  # the next step of NEXT_STEP begins a game there
        pass
    other.load_state_dict(one.state_dict())
    for seed in range(30):
        found, expected = (step(env, np.random.default_rng(seed)) for env in (other, one))
        for ours, theirs in zip(found, expected, strict=True):
            assert (ours == theirs).all()


@pytest.mark.parametrize("mode", MODES)
def test_the_state_can_be_left_out_of_the_infos(mode: AutoresetMode) -> None:
    seen = []

    class Noting(Fixed):
        def act(self, observation: Any, info: Any = None) -> int:
            seen.append("state" in info)
            return super().act(observation, info)

    told: dict[str, Any] = {"opponent": Noting(), "autoreset_mode": mode, "info_state": False}
    env: Any = gymnasium.make_vec("plyground/TicTacToe-v0", 3, **told)
    _, infos = env.reset(seed=0)
    assert set(infos) == {"action_mask", "_action_mask"}
    *_, over, _, infos = env.step([4, 4, 4])
    while not over.any():
        *_, over, _, infos = env.step(env.action_masks().argmax(axis=1))
    assert not {"state", "_state"} & {*infos, *infos.get("final_info", {})}
    assert ("final_info" in infos) == (mode is AutoresetMode.SAME_STEP)
    assert seen
    assert all(seen)
    torch = pytest.importorskip("torch")
    for name, value in {**infos, **infos.get("final_info", {})}.items():
        assert name in ("final_obs", "final_info") or torch.as_tensor(value).shape[0] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs must be a whole number, at least 1"),
        ({"seat": "third"}, "seat must be 'first', 'second' or 'random'"),
        ({"autoreset_mode": "Never"}, "autoreset_mode must be one of 'NextStep', 'SameStep', 'Disabled', got 'Never'"),
        ({"render_mode": "human"}, "render_mode must be None"),
        ({"max_episode_steps": 0}, "max_episode_steps must be a whole number, at least 1, got 0"),
        ({"opponent": 3}, "opponent must be a spec string"),
    ],
)
def test_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BoardVectorEnv(**{"game": "connect_four", "num_envs": 2, **arguments})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda env: env.step([0]), "actions must be 2 integers"),
        (lambda env: env.step([0, 7]), "action 7 in game 1"),
        (lambda env: env.reset(seed=[1]), "expected one seed, or one for each of 2 games, got 1"),
        (lambda env: env.reset(options={"reset_mask": np.array([True])}), "must be 2 booleans"),
        (lambda env: env.reset(options={"reset_mask": np.array([False, False])}), "one of them True"),
        (lambda env: env.reset(options={"reset_mask": np.array([1, 0])}), "must be 2 booleans"),
        (lambda env: env.reset(options={"moves": [7]}), "illegal"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_bad_input_changes_nothing(mode: AutoresetMode, call: Any, message: str) -> None:
    env = BoardVectorEnv("connect_four", 2, "random", "first", autoreset_mode=mode)
    env.reset(seed=0, options={"moves": [0] * 6})
    if mode is not AutoresetMode.DISABLED:
        env.step([0, 1])  # row 0 has lost by an illegal move
    before = env.seats.batch.states.copy(), env.seats.batch.rngs.copy(), env.seats.terminations.copy()
    with pytest.raises(ValueError, match=message):
        call(env)
    assert (env.seats.batch.states == before[0]).all()
    assert (env.seats.batch.rngs == before[1]).all()
    assert (env.seats.terminations == before[2]).all()


class Starting(Opponents):
    """Has something running while it plays, and once cannot begin."""

    running = fails = False

    def begin(self, batch: Any, rows: Any) -> None:
        self.running = True
        if self.fails:
            raise RuntimeError("not now")

    def act(self, batch: Any, rows: Any) -> Any:
        return np.array([batch.masks[row].argmax() for row in rows])

    def end(self, batch: Any, rows: Any, rewards: Any) -> None:
        pass

    def close(self) -> None:
        self.running = False


def test_what_is_refused_changes_nothing() -> None:
    """It was taken for open again, and its random numbers began anew."""
    opponents = Starting()
    env = BoardVectorEnv("tictactoe", 2, opponents, "first")
    env.reset(seed=1)
    env.close()
    saved, numbers = env.state_dict(), env.np_random.bit_generator.state
    calls: list[Any] = [
        *(
            lambda options=options: env.reset(seed=9, options=options)
            for options in ({"state": 3}, {"moves": [99]}, {"moves": [0, 3, 1, 4, 2]}, {"fen": "x"})
        ),
        lambda: env.reset(seed=9, options={"moves": [99], "reset_mask": np.array([True, False])}),
        lambda: env.load_state_dict({}),
        lambda: env.load_state_dict({**saved, "learners": saved["learners"] + 2}),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"state|move|position"):
            call()
        assert env.closed
        assert env.np_random.bit_generator.state == numbers
        np.testing.assert_equal(env.state_dict(), saved)
    opponents.fails = True
    with pytest.raises(RuntimeError, match="not now"):
        env.load_state_dict(saved)
    assert env.closed
    assert not opponents.running
    opponents.fails = False
    env.load_state_dict(saved)
    assert not env.closed
    assert opponents.running
    env.close()
    assert not opponents.running
