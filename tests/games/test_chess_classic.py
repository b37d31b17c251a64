"""Chess beside ``pettingzoo.classic.chess_v6``: the same with ``classic=True``, and each difference without it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from plyground.agents.puct.observing import Observer
from plyground.envs import BoardGameEnv, GameBatch, chess_v0, make_game

pytest.importorskip("chess")
pytest.importorskip("pygame")

from pettingzoo.classic import chess_v6

from tests.helpers.chess_games import STEERINGS
from tests.helpers.classic_chess import classic_games


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*Illegal move made:UserWarning")
def test_a_random_game_is_identical_record_by_record() -> None:
    for found in classic_games(2, seed=1):
        assert found["plies"] > 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*Illegal move made:UserWarning")
def test_steered_games_are_identical_record_by_record() -> None:
    found: Counter[str] = sum(classic_games(63), Counter())
    for name in STEERINGS:
        assert found[name] == 9
    for name in ("promotion", "castled", "en passant taken", "mate", "dead", "third time", "50 moves", "illegal"):
        assert found[name] > 0, name


def test_spaces_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.envs.position.bind", lambda *arguments: None)  # nothing is played, nor compiled
    for parameters in ({}, {"classic": True}):
        env, classic = chess_v0.env(**parameters), chess_v6.env()
        assert env.possible_agents == classic.possible_agents
        for agent in env.possible_agents:
            assert env.observation_space(agent) == classic.observation_space(agent)
            assert env.action_space(agent) == classic.action_space(agent)


def both(moves: list[str]) -> tuple[Any, Any]:
    """Return our environment and the classic one after some moves."""
    ours, theirs = chess_v0.env(), chess_v6.env()
    ours.reset()
    theirs.reset()
    for move in moves:
        action = ours.game.move_of(ours.infos[ours.agent_selection]["state"], move)
        agent = theirs.agent_selection
        assert agent is not None
        seen: Any = theirs.observe(agent)
        assert seen["action_mask"][action]
        ours.step(action)
        theirs.step(action)
    return ours, theirs


def planes(env: Any, agent: str = "player_0") -> np.ndarray[Any, Any]:
    return env.observe(agent)["observation"]


def test_the_first_observation_shows_the_pieces() -> None:
    ours, theirs = both([])
    assert planes(ours)[:, :, 7:19].sum() == 32
    assert planes(theirs)[:, :, 7:].sum() == 0
    ours, theirs = both(["e2e4"])
    assert planes(ours)[:, :, 20:32].sum() == 32  # the start, as the position before
    assert planes(theirs)[:, :, 20:].sum() == 0


def test_only_pawns_that_can_be_captured_are_marked() -> None:
    ours, theirs = both(["e2e4"])
    assert planes(ours)[4, 4, 7]
    assert planes(theirs)[7, 4, 7]
    ours, theirs = both(["e2e4", "a7a6", "e4e5", "d7d5"])
    for env in (ours, theirs):
        assert planes(env)[0, 3, 13]
        assert not planes(env)[3, 3, 13]


def test_the_clock_is_the_same_for_both() -> None:
    ours, theirs = both(["g1f3", "g8f6"])
    assert np.argwhere(planes(ours)[:, :, 5]).tolist() == [[7, 1]]
    assert np.argwhere(planes(ours, "player_1")[:, :, 5]).tolist() == [[7, 1]]
    assert np.argwhere(planes(theirs)[:, :, 5]).tolist() == [[7, 1]]
    assert np.argwhere(planes(theirs, "player_1")[:, :, 5]).tolist() == [[0, 1]]


def test_a_game_goes_on_until_the_position_is_there_for_the_third_time() -> None:
    moves = ["g1f3", "g8f6", "f3g1", "f6g8"] * 2
    ours, theirs = both(moves[:-1])  # black could now bring the start for the third time
    assert not any(ours.terminations.values())
    assert all(theirs.terminations.values())
    ours.step(ours.game.move_of(ours.infos["player_1"]["state"], moves[-1]))
    assert all(ours.terminations.values())
    assert ours.rewards == {"player_0": 0, "player_1": 0}
    assert planes(ours)[:, :, 19].all()


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["chess", "chess(classic=True, repetition=4)"])
def test_batches_show_what_the_environment_shows(spec: str, rng: np.random.Generator) -> None:
    env, batch = BoardGameEnv(spec), GameBatch(make_game(spec), 2)
    env.reset()
    batch.reset()
    moves = ["e2e4", "e7e6", *["g1f3", "g8f6", "f3g1", "f6g8"] * 2]
    ply = 0
    for ply in range(120):
        agent = env.agent_selection
        seen = env.observe(agent)
        for seat, name in enumerate(env.possible_agents):
            batch.show(np.array([0]), np.array([seat]))
            np.testing.assert_array_equal(batch.observations[0], planes(env, name))
        np.testing.assert_array_equal(batch.masks[0], seen["action_mask"])
        if env.terminations[agent]:
            break
        if ply < len(moves) and (ply < 9 or spec != "chess"):
            action = env.game.move_of(env.infos[agent]["state"], moves[ply])
        else:
            action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        assert not batch.over[0]
        env.step(action)
        batch.play(np.array([0]), np.array([action]))
    assert batch.over[0] == env.terminations["player_0"]
    assert ply >= 9


def test_a_search_knows_earlier_positions_as_both_players_see_them() -> None:
    env = chess_v0.env()
    env.reset(options={"moves": ["e2e4", "e7e6", "g1f3", "g8f6", "f3g1", "f6g8"]})
    observer = Observer(env.game)
    root = np.array([env.infos["player_0"]["state"]], env.game.dtype)
    observer.begin(root, env.observe("player_0"))
    for seat, name in enumerate(env.possible_agents):
        np.testing.assert_array_equal(observer.shown[seat], planes(env, name))
    assert observer.shown[1][:, :, 19].all()
