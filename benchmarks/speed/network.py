"""A network inside PUCT, and the same network alone: what the search around it costs; and backends of networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.harness import Work
from plyground.agents import PUCT, torch_evaluator
from plyground.agents.networks import make_inference, new_network
from plyground.agents.networks.inference import Precision
from plyground.envs import Game, make_game

__all__ = ["alone", "asked", "search"]

BATCH = 256  # positions in one pass through the network
SIMULATIONS = 20 * BATCH
WIDTH, BLOCKS = 32, 2  # channels and residual blocks: a small network, beside which the search weighs most


def search(spec: str) -> Work:
    """Return work that searches the start with the network, and counts simulations."""
    evaluator = torch_evaluator(_network(make_game(spec)), channels_first=True)
    agent = PUCT(spec, SIMULATIONS, evaluator=evaluator, batch=BATCH)
    start = agent.game.new_state()
    return lambda: agent.analyse(start).leaves


def alone(spec: str) -> Work:
    """Return work that asks the network about empty boards, and counts positions."""
    import torch

    game = make_game(spec)
    network = _network(game).eval()
    planes = torch.zeros(BATCH, *game.observation_shape).movedim(-1, 1)

    def work() -> int:
        with torch.inference_mode():
            for _ in range(SIMULATIONS // BATCH):
                network(planes)
        return SIMULATIONS

    return work


def asked(spec: str, backend: str, precision: Precision) -> Work:
    """Return work that asks the package's small network about random planes, and counts positions."""
    game = make_game(spec)
    inference = make_inference(new_network(game, "small"), backend, batch=BATCH, precision=precision)
    planes = np.random.default_rng(0).integers(0, 2, (BATCH, *game.observation_shape)).astype(game.observation_dtype)

    def work() -> int:
        inference(planes)
        return BATCH

    return work


def _network(game: Game) -> Any:
    """Return a residual network with a policy and a value, the same each time, in one thread."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(0)
    rows, columns, channels = game.observation_shape

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.other = (nn.Conv2d(WIDTH, WIDTH, 3, padding=1) for _ in range(2))

        def forward(self, planes: Any) -> Any:
            return torch.relu(planes + self.other(torch.relu(self.one(planes))))

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            first = nn.Conv2d(channels, WIDTH, 3, padding=1)
            self.body = nn.Sequential(first, nn.ReLU(), *(Block() for _ in range(BLOCKS)), nn.Flatten())
            self.policy = nn.Linear(WIDTH * rows * columns, game.num_actions)
            self.value = nn.Linear(WIDTH * rows * columns, 1)

        def forward(self, planes: Any) -> Any:
            body = self.body(planes)
            return self.policy(body), torch.tanh(self.value(body))

    return Network()
