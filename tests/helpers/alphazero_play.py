"""Self-play without search, for tests of what learns from it: random legal moves, and uniform policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plyground.arena.training.alphazero.config import AlphaZeroConfig
from plyground.arena.training.alphazero.samples import new_samples, pack
from plyground.arena.training.alphazero.self_play import Counts
from plyground.envs import Game, GameBatch

# A run on tic-tac-toe with one actor, as small as runs can be.
SMALL_RUN = AlphaZeroConfig(
    "tictactoe",
    actors=1,
    steps=1000,
    minutes=None,
    num_envs=16,
    simulations=4,
    network="tiny",
    backend="torch",
    batch_size=32,
    learn_after=64,
    ladder_every=0,
)


class RandomPlay:
    """Has the methods of `SelfPlay`; asks the net, and uses its value as that of the search."""

    def __init__(self, game: Game, config: AlphaZeroConfig, seed: int, num_envs: int = 16) -> None:
        self.game, self.batch = game, GameBatch(game, num_envs, seed=seed)
        self.stats = Counts()
        self.open: list[list[NDArray[Any]]] = [[] for _ in range(num_envs)]

    def play(self, evaluate: Callable[..., Any], *, moves: int) -> NDArray[Any]:
        batch, game, ended = self.batch, self.game, [new_samples(self.game, 0)]
        for _ in range(moves):
            samples, masks = new_samples(game, batch.num_envs), batch.masks.astype(bool)
            pack(game, samples, batch.observations, masks)
            samples["policy"] = masks / masks.sum(1, keepdims=True)
            samples["value"] = evaluate(batch.observations, masks)[1]
            samples["ply"], players = batch.plies, batch.players.copy()
            for row, one in enumerate(samples):
                one["result"] = players[row]  # until the game ends: who is to move
                self.open[row].append(one.copy())
            batch.step(batch.random_actions())
            self.stats.moves += batch.num_envs
            for row in np.flatnonzero(batch.terminations):
                line = np.array(self.open[row], samples.dtype)
                line["result"] = batch.rewards[row][line["result"].astype(int)]
                line["plies_left"], line["game"] = np.arange(len(line), 0, -1), self.stats.games
                self.stats.games += 1
                self.open[row] = []
                ended.append(line)
        return np.concatenate(ended)

    def state_dict(self) -> dict[str, Any]:
        lines = [np.array(line, new_samples(self.game, 0).dtype) for line in self.open]
        return {
            "batch": self.batch.state_dict(),
            "stats": dict(vars(self.stats)),
            "open": np.concatenate(lines),
            "lengths": np.array([len(line) for line in lines]),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.batch.load_state_dict(state["batch"])
        vars(self.stats).update(state["stats"])
        parts = np.split(state["open"], np.cumsum(state["lengths"])[:-1])
        self.open = [[one.copy() for one in part] for part in parts]
