"""Network bodies for boards, as features extractors of stable-baselines3.

This module can be imported without torch; nothing in it can be made without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...envs import Game

if TYPE_CHECKING:
    import torch
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from torch import nn
else:
    try:
        import torch
        from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
        from torch import nn
    except ImportError:  # said when a model is made
        torch = nn = None
        BaseFeaturesExtractor = object

__all__ = ["ResidualNetwork", "network_settings"]


class ResidualNetwork(BaseFeaturesExtractor):
    """A small residual convolution net over H×W×C planes, flat or not, of any board size.

    A 3×3 convolution, ``blocks`` residual blocks of two more, and a layer of ``4 * width`` units. Source: D. Silver et
    al., "Mastering the game of Go without human knowledge", Nature 550 (2017), Methods; here without batch
    normalization, since batches of experience and the positions that opponents ask about are mixed differently.

    Args:
        observation_space: the environment's.
        shape: the shape H×W×C of the planes.
        width: the number of channels.
        blocks: the number of residual blocks.
    """

    def __init__(self, observation_space: Any, shape: tuple[int, int, int], width: int, blocks: int) -> None:
        super().__init__(observation_space, features_dim=4 * width)
        self.shape = tuple(shape)
        rows, columns, channels = self.shape
        self.first = nn.Conv2d(channels, width, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.ModuleList((nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)))
            for _ in range(blocks)
        )
        self.last = nn.Linear(rows * columns * width, 4 * width)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the features [games, 4 width] of observations [games, …]."""
        planes = torch.relu(self.first(observations.reshape(-1, *self.shape).permute(0, 3, 1, 2)))
        for pair in self.blocks:
            one, other = pair.children()
            planes = torch.relu(planes + other(torch.relu(one(planes))))
        return torch.relu(self.last(planes.flatten(1)))


def network_settings(game: Game, network: str, width: int, blocks: int) -> dict[str, Any]:
    """Return the ``policy_kwargs`` that give a policy its body.

    Args:
        game: the game whose planes the network sees.
        network: ``"mlp"``, two layers of ``width`` units, for policy and value apart; or ``"resnet"``, see
            `ResidualNetwork`, shared by both.
        width: units of an MLP's layer, or channels of a residual net.
        blocks: the residual net's blocks.

    Raises:
        ValueError: a residual net cannot see the planes.
    """
    if network == "mlp":
        return {"net_arch": [width, width], "activation_fn": nn.ReLU}
    if len(game.observation_shape) != 3:
        raise ValueError(
            f"a residual net needs planes H×W×C, and those of {game.spec} have the shape {game.observation_shape}: "
            "choose network mlp"
        )
    body = {"shape": game.observation_shape, "width": width, "blocks": blocks}
    return {"net_arch": [], "features_extractor_class": ResidualNetwork, "features_extractor_kwargs": body}
