"""Replaying games: the first by plain Python, many by compiled code, with the same result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.arena.records import replay as replay_file
from plyground.arena.records.replay import Replay
from plyground.envs import Game, make_game
from plyground.envs.jit import PlainFirst


def replays(game: Game, rng: np.random.Generator) -> list[Any]:
    """Return what comes of a random game, with an illegal move at one ply, other movers and unfinished moves."""
    state, moves, movers = game.new_state(), list[int](), list[int]()
    while not game.is_terminal(state):
        movers.append(int(game.player(state)))
        moves.append(int(rng.choice(game.actions(state))))
        game.play(state, moves[-1])
    ends = [int(now != after) for now, after in zip(movers, [*movers[1:], -1], strict=True)]
    ply = int(rng.integers(len(moves)))
    found: list[Any] = []
    for wrong, others, last in (
        (moves, None, None),
        ([*moves[:ply], game.num_actions, *moves[ply:]], None, None),
        (moves, [*movers[:ply], 1 - movers[ply], *movers[ply + 1 :]], None),
        (moves, movers, ends),
        (moves, None, [*ends[:ply], 1 - ends[ply], *ends[ply + 1 :]]),
    ):
        replay = Replay(game)
        played = replay.play_all(wrong, others, last)
        found.append((played, replay.moves, replay.movers, replay.player, replay.legal, str(replay.state)))
        assert type(replay.player) is int  # as JSON wants it
    return found


def test_plain_and_compiled_replays_are_alike(
    game: Game, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = int(rng.integers(2**31))
    compiled, plain = replay_file._advance, replay_file._advanced._plain
    for i in range(5):
        monkeypatch.setattr(replay_file, "_advanced", compiled)
        monkeypatch.setattr(replay_file, "_STRETCH", 10**6)
        expected = replays(game, np.random.default_rng(seed + i))
        monkeypatch.setattr(replay_file, "_advanced", plain)
        monkeypatch.setattr(replay_file, "_STRETCH", 3)
        assert replays(game, np.random.default_rng(seed + i)) == expected
        (whole, line, *_), (stopped, *_) = expected[:2]
        assert whole == len(line) > stopped


def test_a_long_game_is_not_played_by_plain_python_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """After each stretch the time is looked at: a game of Go 19x19 took a second, and only then came the compiler."""
    game, plain, compiled = make_game("go(board_size=5)"), replay_file._advanced._plain, list[int]()

    def noted(game: Game, states: Any, moves: Any, *rest: Any) -> Any:
        compiled.append(len(moves))
        return plain(game, states, moves, *rest)

    advanced = PlainFirst(noted)
    advanced._plain = plain
    advanced._patience[game.numba_type].seconds = 1e-9  # over with the first stretch
    monkeypatch.setattr(replay_file, "_advanced", advanced)
    monkeypatch.setattr(replay_file, "_STRETCH", 4)
    assert Replay(game, moves=range(10)).moves == [*range(10)]
    assert compiled == [4, 2]
