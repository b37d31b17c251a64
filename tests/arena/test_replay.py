"""Replaying games: the first by plain Python, many by compiled code, with the same result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.arena.records import replay as replay_file
from plyground.arena.records.replay import Replay
from plyground.envs import Game


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
    ways = []
    for way in (replay_file._advance, replay_file._advanced._plain):
        monkeypatch.setattr(replay_file, "_advanced", way)
        ways.append([replays(game, np.random.default_rng(seed + i)) for i in range(5)])
    assert ways[0] == ways[1]
    assert ways[0][0][0][0] == len(ways[0][0][0][1]) > 0
    assert ways[0][0][1][0] < len(ways[0][0][0][1])
