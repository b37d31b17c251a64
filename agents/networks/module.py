"""The network itself, a module of torch: a residual net or an MLP, with heads for policy, value and more.

Sources: D. Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017), for body and heads;
D. J. Wu, "Accelerating self-play learning in Go" (2019), for global pooling, by which one net serves any board, and for
auxiliary heads; H. Zhang, Y. N. Dauphin, T. Ma, "Fixup initialization" (2019), for training without normalization: the
last convolution of a residual block starts at zero, and so do the last layers of the heads. A new net therefore gives
all actions the same prior, and each position the value 0.

`graph` builds the same network for other libraries, from the same weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...envs import Game
from ...envs.outside.arguments import checked_whole
from ...envs.outside.extras import how_to_install
from .config import NetworkConfig, network_config
from .graph import SCORE_SCALE, Weights, pool_scale

try:
    import torch
    from torch import nn
    from torch.nn.functional import softplus
except ImportError as error:
    raise ImportError(f"networks are trained by torch ({error}): {how_to_install('rl')}") from error

__all__ = ["Outputs", "PolicyValueNet", "new_network", "plies_unit", "restored"]

_MOST_SEED = 2**64 - 1  # that torch takes


def plies_unit(observation_shape: Sequence[int]) -> float:
    """Return the unit in which a network tells plies: half of the board.

    So a new one's guess is about a third of a game that fills it. The longest game is no measure: in chess it is a
    hundred times as long as a usual one.
    """
    return math.prod(observation_shape[:-1]) / 2


class Outputs(NamedTuple):
    """What a network says of positions, as the players to move see them."""

    logits: torch.Tensor  # [batch, num_actions], illegal actions included
    value: torch.Tensor  # [batch], -1 to 1: 1 is a sure win
    value_logits: torch.Tensor | None  # [batch, 3]: win, draw, loss
    plies_left: torch.Tensor | None  # [batch], above 0
    ownership: torch.Tensor | None  # [batch, H, W], -1 to 1: 1 is a cell that will be one's own
    score: torch.Tensor | None  # [batch], in points


class PolicyValueNet(nn.Module):
    """A network that tells priors and values of positions.

    Args:
        config: what it is made of.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        for name, shape in config.shapes().items():
            path, _, part = name.rpartition(".")
            if part == "weight":
                _place(self, path, _layer(shape))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights, by torch's global generator, as the head of this module says."""
        depth = max(1, self.config.blocks)
        for name, layer in self.named_modules():
            if not isinstance(layer, (nn.Conv2d, nn.Linear)):
                continue
            nn.init.zeros_(layer.bias)  # pyright: ignore[reportArgumentType]
            last = name.rpartition(".")[2]
            if last in ("two", "last", "passing", "plies_left", "ownership", "score"):
                nn.init.zeros_(layer.weight)
            else:
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
                if last == "one":
                    layer.weight.data.mul_(depth**-0.5)  # Fixup's factor for branches of two layers
                elif last == "pooled":
                    layer.weight.data.mul_(0.1)

    def forward(self, planes: torch.Tensor) -> Outputs:
        """Return what the network says.

        Args:
            planes: [batch, *observation_shape] as the environment gives them, H×W×C for a board; of policy ``"cells"``,
                H and W of any board. Floats.
        """
        body: Any = self  # layers are found by their names
        if self.config.kind == "mlp":
            hidden = torch.relu(body.first(planes.flatten(1)))
            if side := self.config.window:
                windows = planes.unfold(1, side, 1).unfold(2, side, 1)  # [batch, rows, columns, C, side, side]
                features = torch.relu(body.windows(windows.flatten(3)))
                hidden = torch.cat([hidden, features.flatten(1)], 1)
            for layer in getattr(self, "blocks", nn.ModuleDict()).children():
                hidden = torch.relu(layer(hidden))
            return self._outputs(body.policy.last(hidden), hidden, None, planes)
        x = torch.relu(body.first(planes.permute(0, 3, 1, 2)))
        for block in getattr(self, "blocks", nn.ModuleDict()).children():
            layers: Any = block
            inner = layers.one(x)
            if hasattr(layers, "pooled"):
                inner = inner + layers.pooled(_pool(x))[:, :, None, None]
            x = torch.relu(x + layers.two(torch.relu(inner)))
        seen = torch.relu(body.value.first(x))
        actions = body.policy.first(x)
        if self.config.policy == "dense":
            hidden = torch.relu(body.value.hidden(seen.flatten(1)))
            logits = body.policy.last(torch.relu(actions).flatten(1))
        else:
            pooled = _pool(seen)
            hidden = torch.relu(body.value.hidden(pooled))
            actions = torch.relu(actions + body.policy.pooled(pooled)[:, :, None, None])
            logits = body.policy.last(actions).flatten(1)
            if self.config.has_pass:
                logits = torch.cat([logits, body.policy.passing(hidden)], 1)
        return self._outputs(logits, hidden, seen, planes)

    def _outputs(
        self, logits: torch.Tensor, hidden: torch.Tensor, seen: torch.Tensor | None, planes: torch.Tensor
    ) -> Outputs:
        body: Any = self
        result = body.value.last(hidden)
        if self.config.value == "wdl":
            chances = result.softmax(1)
            value, value_logits = chances[:, 0] - chances[:, 2], result
        else:
            value, value_logits = torch.tanh(result[:, 0]), None
        plies_left = ownership = score = None
        if "plies_left" in self.config.auxiliary:
            plies_left = softplus(body.plies_left(hidden)[:, 0]) * plies_unit(planes.shape[1:])
        if "ownership" in self.config.auxiliary:
            ownership = torch.tanh(body.ownership(seen)[:, 0])
        if "score" in self.config.auxiliary:
            score = body.score(hidden)[:, 0] * SCORE_SCALE
        return Outputs(logits, value, value_logits, plies_left, ownership, score)

    def weights(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return copies of the weights, float32, by name."""
        return {name: tensor.detach().float().cpu().numpy().copy() for name, tensor in self.state_dict().items()}


def restored(config: NetworkConfig, weights: Weights) -> PolicyValueNet:
    """Return the network with these weights."""
    with torch.random.fork_rng(devices=[]):  # the first weights, which these replace, are drawn
        net = PolicyValueNet(config)
    net.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in weights.items()})
    return net


def _layer(shape: tuple[int, ...]) -> nn.Module:
    if len(shape) == 4:
        return nn.Conv2d(shape[1], shape[0], shape[2], padding=shape[2] // 2)
    return nn.Linear(shape[1], shape[0])


def _place(module: nn.Module, path: str, layer: nn.Module) -> None:
    """Put a layer where its name, such as ``blocks.0.one``, says."""
    *parents, name = path.split(".")
    for parent in parents:
        if parent not in dict(module.named_children()):
            module.add_module(parent, nn.Module())
        module = module.get_submodule(parent)
    module.add_module(name, layer)


def _pool(x: torch.Tensor) -> torch.Tensor:
    """Return what each channel is on the whole board [batch, 3 channels]: mean, mean by size of board, maximum."""
    mean = x.mean((2, 3))
    return torch.cat([mean, mean * pool_scale(x.shape[2], x.shape[3]), x.amax((2, 3))], 1)


def new_network(game: Game | str, size: str = "small", *, seed: int = 0, **changes: Any) -> PolicyValueNet:
    """Return an untrained network for ``game``.

    Args:
        game: the game whose planes it sees, or its spec.
        size: ``"tiny"``, ``"small"``, ``"medium"``, ``"mlp"`` or numbers, see `network_config`.
        seed: the seed of its weights.
        changes: other fields of `NetworkConfig` than the size gives, as in ``value="wdl"``.

    Raises:
        ValueError: there is no such game, size or field, or the seed is none.
    """
    seed = checked_whole("seed", seed, 0, _MOST_SEED)
    config = network_config(game, size, **changes)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return PolicyValueNet(config)
