"""Self-play, the match of two nets, and players of many games tell their searches of the past, where it matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents.puct.forest import Forest, Searched
from plyground.arena.training.alphazero.config import AlphaZeroConfig
from plyground.arena.training.alphazero.gating import score_of
from plyground.arena.training.alphazero.self_play import SelfPlay
from plyground.envs import GameBatch
from tests.helpers.forest_games import answers
from tests.helpers.repeats import circle, edges_of, key_of, wrong_nodes

GAME = circle()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[list[list[int]]]:
    """Return what each search of a forest is told, row by row, and check what its trees make of it."""
    found, search = list[list[list[int]]](), Forest.search

    def watched(self: Forest, states: NDArray[Any], *arguments: Any, past: Any = None, **how: Any) -> Searched:
        searched = search(self, states, *arguments, past=past, **how)
        if past is None:  # to compile
            return searched
        rows = how.get("rows")
        found.append([keys.tolist() for keys in past])
        for place, row in enumerate(range(len(states)) if rows is None else rows):
            assert found[-1][place][-1] == key_of(GAME, states[place])
            assert wrong_nodes(GAME, states[place], edges_of(self.trees, row), set(found[-1][place])) == 0
        return searched

    monkeypatch.setattr(Forest, "search", watched)
    return found


@pytest.mark.slow
def test_self_play(told: list[list[list[int]]]) -> None:
    config = AlphaZeroConfig("tictactoe", num_envs=6, simulations=12, opening_plies=0, cheap_simulations=6)
    play = SelfPlay(GAME, config, 0)
    games: list[list[int]] = [[] for _ in range(6)]
    for _ in range(15):  # more than the 12 plies of a game
        for row, keys in enumerate(games):
            if play.batch.plies[row] == 0:
                keys.clear()
            keys.append(key_of(GAME, play.batch.states[row]))
        play.play(answers, 1)
        assert told[-1] == games
    assert play.stats.games > 0


@pytest.mark.slow
def test_a_match_of_two_nets(told: list[list[list[int]]]) -> None:
    config = AlphaZeroConfig("tictactoe", simulations=8, cheap_simulations=4, gating_games=4)
    assert 0 <= score_of(GAME, config, answers, answers, 0) <= 1
    assert max(len(keys) for rows in told for keys in rows) > 6


@pytest.mark.slow
def test_a_player_of_many_games(told: list[list[list[int]]]) -> None:
    pytest.importorskip("torch")
    from plyground.agents import AlphaZero
    from plyground.agents.networks import new_network

    players = AlphaZero(GAME, new_network(GAME, "mlp", seed=1), 10).batched()
    batch = GameBatch(GAME, 4, opening_plies=(5, 5), seed=0)
    assert players is not None
    players.prepare(batch)  # type: ignore[attr-defined]
    rows = np.array([3, 0])
    actions = players.act(batch, rows)
    assert batch.masks[rows, actions].all()
    past = [batch.past_of(row) for row in (3, 0)]
    assert told == [[keys.tolist() for keys in past if keys is not None]]
