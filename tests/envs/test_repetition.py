"""Draws by repetition, which environments see to."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from plyground.arena import play
from plyground.envs import BoardGameEnv, GameBatch, Repetition, checkers, checkers_v0
from plyground.envs.position import Position

# Two kings walk to and fro: the position of a black king on 1 and a white one on 32, black to move.
CYCLE = ["1-6", "32-27", "6-1", "27-32"]


def two_kings(game: Any) -> Any:
    state = game.new_state()
    state.sides = (1, 1 << 34)
    state.kings = 1 | 1 << 34
    return state


def walk(env: Any, moves: list[str]) -> None:
    for move in moves:
        assert not env.terminations[env.agent_selection]
        env.step(env.game.str_to_action(move))


def test_the_third_time_is_a_draw() -> None:
    env: Any = BoardGameEnv("checkers", render_mode="ansi")
    env.reset(options={"state": two_kings(env.game)})
    walk(env, 2 * CYCLE)  # with the start, the third time
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.truncations == {"player_0": False, "player_1": False}
    assert env.rewards == {"player_0": 0, "player_1": 0}
    assert "draw after 8 plies" in env.render()
    for _ in range(2):
        env.step(None)
    assert env.agents == []


def test_a_capture_or_another_position_is_no_repetition() -> None:
    env: Any = BoardGameEnv("checkers")
    env.reset(options={"state": two_kings(env.game)})
    walk(env, [*CYCLE, "1-6", "32-28", "6-1", "28-32"][:-1])
    assert not env.terminations["player_0"]


@pytest.mark.parametrize(
    ("times", "cycles"),
    [(2, 1), pytest.param(5, 4, marks=pytest.mark.slow), pytest.param(0, 20, marks=pytest.mark.slow)],
)
def test_how_often_is_a_parameter(times: int, cycles: int) -> None:
    env: Any = checkers_v0.env(repetition=times)
    env.reset(options={"state": two_kings(env.game)})
    walk(env, cycles * CYCLE)  # without repetition the game goes on, up to the 40 moves without progress
    assert env.terminations["player_0"]
    assert len(env.moves) == 4 * cycles


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_remember(copied: Any) -> None:
    env: Any = BoardGameEnv("checkers")
    env.reset(options={"state": two_kings(env.game)})
    walk(env, CYCLE)
    twin = copied(env)
    walk(twin, CYCLE)
    assert twin.terminations["player_0"]
    assert not env.terminations["player_0"]
    walk(env, CYCLE[:2])
    assert not env.terminations["player_0"]


def test_a_new_game_forgets() -> None:
    env: Any = BoardGameEnv("checkers")
    for _ in range(3):
        env.reset(options={"state": two_kings(env.game)})
        walk(env, CYCLE)
    assert not env.terminations["player_0"]


def test_a_line_of_moves_counts_from_its_start() -> None:
    game = checkers()
    env: Any = BoardGameEnv(game)
    options = {"state": two_kings(game), "moves": [*CYCLE, *CYCLE[:3]]}
    env.reset(options=options)
    walk(env, CYCLE[3:])
    assert env.terminations["player_0"]
    with pytest.raises(ValueError, match="cannot start a game of checkers from a finished position"):
        env.reset(options={"state": two_kings(game), "moves": 2 * CYCLE})
    with pytest.raises(ValueError, match="move '1-6' at index 8 comes after the end of the game of checkers"):
        env.reset(options={"state": two_kings(game), "moves": [*2 * CYCLE, "1-6"]})
    assert len(env.moves) == 1  # nothing is changed


@pytest.mark.parametrize("memory", [4, 5, None])  # plies; the filters are then changed every 5 or 6, or never
def test_a_repetition_is_forbidden_whichever_filter_it_is_in(memory: int | None) -> None:
    game = checkers().replace(repetition=Repetition("forbidden", memory=memory))
    position = Position(game)
    for _ in range(2):
        position.start(two_kings(game))
        for ply in range(30):
            legal, move = game.actions(position.state), game.str_to_action(CYCLE[ply % 4])
            forbidden = set(legal) - set(np.flatnonzero(position.mask).tolist())
            if ply < 3:
                assert not forbidden  # the fourth move is the first that leads back
            else:
                assert move in forbidden
                assert len(forbidden) < len(legal)
            position.play(move)
            assert not position.over


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("effect", ["forbidden", "draw"])
def test_counts_are_those_of_a_list(effect: Any, times: int, rng: np.random.Generator) -> None:
    # Two kings that walk at random, and come back often.
    game = checkers(max_quiet_plies=255).replace(repetition=Repetition(effect, times=times))
    position = Position(game)
    again = 0
    for _ in range(20):
        position.start(two_kings(game))
        seen = list[int]()
        for _ in range(200):
            state = position.state
            key = int(game.repetition_key(state))
            seen.append(key)
            drawn = effect == "draw" and seen.count(key) >= times
            assert position.over == (drawn or game.is_terminal(state))
            if position.over:
                break
            actions = game.actions(state)
            after = [int(game.repetition_key(game.play_moves([action], state))) for action in actions]
            allowed = [effect == "draw" or seen.count(key) < times - 1 for key in after]
            assert position.mask[actions].tolist() == allowed
            position.play(int(rng.choice(actions)))
        again += len(seen) - len(set(seen))
    assert again > (100 if effect == "forbidden" else 20 * (times - 1) // 2)


# Plies; of 5 keys the oldest is soon written over.
@pytest.mark.parametrize("memory", [pytest.param(4, marks=pytest.mark.slow), None])
def test_batches_show_what_has_come_again(memory: int | None, rng: np.random.Generator) -> None:
    # A game without history: its planes are written anew each time that they are shown.
    game = checkers(max_quiet_plies=20)
    *board, channels = game.observation_shape
    repetition = Repetition("draw", times=3, memory=memory, channel=channels)
    game = game.replace(observation_shape=(*board, channels + 1), repetition=repetition)
    options = {"state": two_kings(game), "moves": CYCLE}
    batch, env = GameBatch(game, 2), BoardGameEnv(game)
    batch.reset(options=options)
    env.reset(options=options)
    assert (batch.observations[..., channels] == 1).all()
    marked = list[bool]()
    for _ in range(60):
        action = int(rng.choice(np.flatnonzero(batch.masks[0])))
        batch.step([action, action])
        env.step(action)
        seen = env.observe(env.agent_selection)["observation"]
        marked.append(bool(seen[..., channels].all()))
        if over := env.terminations[env.agent_selection]:
            assert (batch.final_observations == seen).all()
            env.reset(options=options)
            seen = env.observe(env.agent_selection)["observation"]
        assert batch.terminations.tolist() == [over] * 2
        assert (batch.observations == seen).all()
    assert 0 < sum(marked) < len(marked)


def test_records_tell_of_a_draw() -> None:
    class Scripted:
        def __init__(self, moves: list[str]) -> None:
            self._moves = iter(moves)

        def reset(self, seed: int | None = None) -> None: ...

        def act(self, observation: Any, info: Any = None) -> int:
            return checkers().str_to_action(next(self._moves))

    env = BoardGameEnv("checkers")
    players = [Scripted(2 * CYCLE[::2]), Scripted(2 * CYCLE[1::2])]
    record = play(env, players, options={"state": two_kings(env.game)})
    assert (record.outcome, record.ending, len(record.moves)) == ([0, 0], "finished", 8)
