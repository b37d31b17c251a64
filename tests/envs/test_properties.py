"""What holds in every position of every game, tried on positions that hypothesis looks for.

An example is a list of numbers, each of which picks a legal move, so that a failure shrinks to a short game.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyground.envs import BoardGameEnv, Game, State, make_game
from plyground.envs.jit import kernel
from tests.conftest import GAMES

LONGEST = 120  # plies; only Go and checkers have longer random games

every_game = pytest.mark.parametrize("spec", GAMES)
examples = settings(max_examples=40, deadline=None, derandomize=True)  # the same in every run


@cache
def picks(game: Game) -> st.SearchStrategy[list[int]]:
    """Return lists of numbers, of all lengths that a game may have: most lists of `st.lists` alone are short."""
    lengths = st.integers(0, min(game.max_plies, LONGEST))
    return lengths.flatmap(lambda plies: st.lists(st.integers(0, 999), min_size=plies, max_size=plies))


class Position(NamedTuple):
    """A state and the moves that lead there."""

    state: State
    moves: list[int]


@kernel
def play_numbers(game, state, numbers, plies, actions, moves):
    """Play up to ``plies`` moves, as the numbers pick them, over and over; return how many there were."""
    count = 0
    while count < plies and not game.is_terminal(state):
        legal = game.legal_actions(state, actions)
        moves[count] = actions[numbers[count % numbers.size] % legal]
        game.play(state, moves[count])
        count += 1
    return count


def position(game: Game, numbers: list[int], plies: int | None = None) -> Position:
    """Return where the numbers lead, after as many plies as there are numbers unless told."""
    state, moves = game.new_state(), np.empty(game.max_plies, np.int32)
    plies, picked = len(numbers) if plies is None else plies, np.array(numbers or [0], np.int64)
    count = play_numbers(game, state, picked, plies, np.empty(game.num_actions, np.int32), moves)
    return Position(state, moves[:count].tolist())


@cache
def environment(spec: str) -> Any:
    return BoardGameEnv(spec)


def play_in_environment(env: Any, numbers: list[int]) -> None:
    """Play the moves that the numbers pick of those that the environment allows, until the game is over."""
    env.reset()
    for number in numbers:
        if any(env.terminations.values()):
            return
        allowed = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(int(allowed[number % len(allowed)]))


@every_game
@examples
@given(data=st.data())
def test_playing_on_a_copy_leaves_the_original(spec: str, data: st.DataObject) -> None:
    game = make_game(spec)
    state, _ = position(game, data.draw(picks(game)))
    before, key = state.copy(), game.key(state)
    if not game.is_terminal(state):
        for action in game.actions(state):
            child = state.copy()
            game.play(child, action)
            assert child != before
    assert state == before
    assert game.key(state) == key


@every_game
@examples
@given(data=st.data())
def test_same_moves_lead_to_the_same_position_compiled_and_not(spec: str, data: st.DataObject) -> None:
    game = make_game(spec)
    compiled, moves = position(game, data.draw(picks(game)))
    state = game.new_state()
    for move in moves:
        game.play(state, move)
    assert state == compiled
    assert (state == game.new_state()) == (not moves)


@every_game
@examples
@given(data=st.data())
def test_masks_show_what_is_legal(spec: str, data: st.DataObject) -> None:
    env = environment(spec)
    play_in_environment(env, data.draw(picks(env.game)))
    if any(env.terminations.values()):
        return
    mover = env.agent_selection
    allowed = np.flatnonzero(env.observe(mover)["action_mask"]).tolist()
    legal = env.game.actions(env.infos[mover]["state"])
    if env.game.repetition is not None and env.game.repetition.effect == "forbidden":
        assert set(allowed) <= set(legal)
        assert allowed
    else:
        assert allowed == legal
    for agent in env.agents:
        assert env.infos[agent]["action_mask"].tolist() == env.observe(agent)["action_mask"].tolist()
        assert (agent == mover) == env.observe(agent)["action_mask"].any()


@pytest.mark.parametrize("spec", [spec for spec in GAMES if make_game(spec).symmetries])
@examples
@given(data=st.data())
def test_symmetries_commute_with_play_and_observe(spec: str, data: st.DataObject) -> None:
    game = make_game(spec)
    state, moves = position(game, data.draw(picks(game)))
    over = game.is_terminal(state)
    for symmetry in game.symmetries:
        image_of = np.argsort(symmetry.actions)  # where an action goes
        image = game.new_state()
        for move in moves:
            game.play(image, image_of[move])
        assert game.player(image) == game.player(state)
        assert game.is_terminal(image) == over
        assert game.actions(image) == sorted(image_of[game.actions(state)])
        for player in (0, 1):
            seen, expected = (
                game.observation(s, player).reshape(-1, game.observation_shape[-1]) for s in (image, state)
            )
            np.testing.assert_array_equal(seen, expected[symmetry.cells])
            if over:
                assert game.utility(image, player) == game.utility(state, player)
            else:
                assert game.evaluate(image, player) == pytest.approx(game.evaluate(state, player), abs=1e-12)


@every_game
@examples
@given(data=st.data())
def test_values_are_those_of_a_zero_sum_game(spec: str, data: st.DataObject) -> None:
    game = make_game(spec)
    numbers = data.draw(picks(game))
    state, _ = position(game, numbers)
    if not game.is_terminal(state):
        guess = game.evaluate(state, 0)
        assert guess == -game.evaluate(state, 1)
        assert -game.max_utility < guess < game.max_utility
    end, moves = position(game, numbers, game.max_plies)
    assert game.is_terminal(end), f"{len(moves)} plies"
    assert game.utility(end, 0) == -game.utility(end, 1)
    assert abs(game.utility(end, 0)) <= game.max_utility


@every_game
@examples
@given(data=st.data())
def test_actions_are_read_as_they_are_written(spec: str, data: st.DataObject) -> None:
    game = make_game(spec)
    _, moves = position(game, data.draw(picks(game)))
    names = [game.action_to_str(move) for move in moves]
    assert [game.str_to_action(name) for name in names] == moves
    assert len(set(names)) == len(set(moves))


@pytest.mark.parametrize("spec", [spec for spec in GAMES if make_game(spec).decode and not make_game(spec).history])
@examples
@given(data=st.data())
def test_what_the_mover_sees_tells_the_state(spec: str, data: st.DataObject) -> None:
    game = make_game(spec)
    state, _ = position(game, data.draw(picks(game)))
    if not game.is_terminal(state):
        assert game.state_from_observation(game.observation(state, game.player(state))) == state


@every_game
@pytest.mark.parametrize(
    "clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
@examples
@given(data=st.data())
def test_copies_of_an_environment_share_nothing(spec: str, clone: Callable[[Any], Any], data: st.DataObject) -> None:
    env = environment(spec)
    play_in_environment(env, data.draw(picks(env.game)))
    twin = clone(env)
    before = snapshot(env)
    assert snapshot(twin) == before
    if any(env.terminations.values()):
        twin.step(None)
    else:
        allowed = np.flatnonzero(twin.observe(twin.agent_selection)["action_mask"])
        twin.step(int(data.draw(st.sampled_from(allowed.tolist()))))
    assert snapshot(twin) != before
    assert snapshot(env) == before


def snapshot(env: Any) -> tuple[Any, ...]:
    """Return all that an environment shows."""
    seats = env.possible_agents
    shown = [array.tobytes() for agent in seats for array in env.observe(agent).values()]
    infos = {agent: (info["action_mask"].tolist(), info["state"].item()) for agent, info in env.infos.items()}
    rewards = {**env.rewards}, {agent: env.last()[1] for agent in env.agents}
    flags = {**env.terminations}, {**env.truncations}
    return env.agent_selection, [*env.agents], [*env.moves], shown, repr(infos), rewards, flags, env.state().tobytes()
