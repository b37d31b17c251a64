"""What a network is made of, as data: enough to build it again for its saved weights."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from math import prod
from typing import Any, Literal

import numpy as np

from ...envs import Game, as_game
from ...envs.outside.messages import shown
from .sizes import parse_size

__all__ = ["AUXILIARY", "NetworkConfig", "network_config"]

AUXILIARY = ("plies_left", "ownership", "score")  # what a net may learn beside policy and value

# What a file may claim of each number.
_LIMITS = {
    "num_actions": (1, 1 << 20),
    "blocks": (0, 1000),
    "channels": (1, 1 << 16),
    "window": (0, 1 << 10),
    "features": (0, 1 << 16),
}
_LARGEST_SIDE = 1 << 20
_ADVICE = "give the game that it was made for (at the command line by --game), or another network"

_PLIES = 20  # that tell whether actions are cells


@dataclass(frozen=True)
class NetworkConfig:
    """What a network is made of.

    Attributes:
        game: the spec of the game, as `Game.spec`.
        observation_shape: the shape H×W×C of the planes that it sees. A net with policy ``"cells"`` takes other boards,
            too.
        num_actions: the number of actions; of policy ``"cells"``, H·W, or one more for a pass, on the board above.
        kind: ``"resnet"``, residual blocks of 3×3 convolutions, or ``"mlp"``, fully connected layers.
        blocks: residual blocks; of an MLP, hidden layers after the first.
        channels: channels of each layer; of an MLP, units.
        value: ``"tanh"``, one number from -1 to 1, or ``"wdl"``, the probabilities of win, draw and loss.
        policy: ``"cells"``, where an action is a cell of the board, or a pass, which makes the net fit any board; or
            ``"dense"``, a fully connected layer.
        pooling: every third residual block, from the second on, sees means and maxima over the whole board.
        auxiliary: what else the net learns to tell, which may improve its body: ``"plies_left"``, ``"ownership"`` (of
            each cell), ``"score"`` (in points).
        units: of an MLP whose layers differ, the units of each after the first; else empty.
        window: the side of the windows of an MLP, squares of cells; 0: it has none.
        features: units that see a window, for each of them, and the same of all windows: their weights are shared, as
            those of a convolution. They stand beside the units of the first layer, which see the whole board.
    """

    game: str
    observation_shape: tuple[int, ...]
    num_actions: int
    kind: Literal["resnet", "mlp"] = "resnet"
    blocks: int = 3
    channels: int = 32
    value: Literal["tanh", "wdl"] = "tanh"
    policy: Literal["cells", "dense"] = "dense"
    pooling: bool = True
    auxiliary: tuple[str, ...] = ()
    units: tuple[int, ...] = ()
    window: int = 0
    features: int = 0

    def __post_init__(self) -> None:
        for name, allowed in (("kind", ("resnet", "mlp")), ("value", ("tanh", "wdl")), ("policy", ("cells", "dense"))):
            if (value := getattr(self, name)) not in allowed:
                raise ValueError(f"{name} of a network must be {' or '.join(map(repr, allowed))}, got {shown(value)}")
        for name, (least, most) in _LIMITS.items():
            if not _is_whole(value := getattr(self, name)) or not least <= value <= most:
                raise ValueError(f"{name} of a network must be from {least} to {most}, got {shown(value)}")
        least, most = _LIMITS["channels"]
        if not isinstance(self.units, tuple) or not all(_is_whole(n) and least <= n <= most for n in self.units):
            raise ValueError(
                f"units of a network must be a tuple of numbers from {least} to {most}, got {shown(self.units)}"
            )
        if self.units and (self.kind != "mlp" or len(self.units) != self.blocks):
            raise ValueError(
                f"units are one number for each of the blocks of an MLP, got {shown(self.units)} for {self.blocks} "
                f"blocks of kind {self.kind!r}"
            )
        if not isinstance(self.game, str) or not isinstance(self.pooling, bool):
            raise ValueError(f"a network has a game's spec and pooling true or false, got {shown(self)}")
        shape = self.observation_shape
        if (
            not isinstance(shape, tuple)
            or not shape
            or not all(_is_whole(n) and 1 <= n <= _LARGEST_SIDE for n in shape)
        ):
            raise ValueError(f"observation_shape of a network must be a tuple of sizes, got {shown(shape)}")
        if not isinstance(self.auxiliary, tuple) or not set(self.auxiliary) <= set(AUXILIARY):
            raise ValueError(f"auxiliary of a network must be some of {', '.join(AUXILIARY)}, got {self.auxiliary!r}")
        if self.kind == "resnet" and len(shape) != 3:
            raise ValueError(
                f"a residual net needs planes H×W×C, got the shape {shape}: choose an mlp, as by size 'mlp'"
            )
        if self.policy == "cells" and (self.kind == "mlp" or self.num_actions - self.cells not in (0, 1)):
            raise ValueError(
                f"policy 'cells' needs a residual net, and an action for each of {self.cells} cells, with or without a "
                f"pass, got {self.num_actions} actions: choose policy='dense'"
            )
        if (self.window > 0) != (self.features > 0) or (self.window and self.kind != "mlp"):
            raise ValueError(
                f"an MLP has a window and features of it, or neither, other nets none, got window={self.window} and "
                f"features={self.features} of kind {self.kind!r}"
            )
        if self.window and (len(shape) != 3 or self.window > min(shape[:2])):
            raise ValueError(
                f"windows of {self.window}×{self.window} cells need planes H×W×C of at least that size, got the shape "
                f"{shape}: choose an mlp without, as by size 'mlp', or, on a board, a smaller window"
            )
        if self.kind == "mlp" and self.widths[0] > most:
            raise ValueError(
                f"a first layer of {self.channels} units and {self.features} features of each of {self.windows} "
                f"windows is wider than {most}: choose fewer features"
            )
        if self.kind == "mlp" and "ownership" in self.auxiliary:
            raise ValueError("an MLP knows no cells, so it cannot learn 'ownership'")

    @property
    def cells(self) -> int:
        """The number of cells of the board."""
        return self.observation_shape[0] * self.observation_shape[1] if len(self.observation_shape) == 3 else 0

    @property
    def has_pass(self) -> bool:
        """Whether the last action of a policy by cells is a pass."""
        return self.num_actions == self.cells + 1

    @property
    def windows(self) -> int:
        """The number of windows of an MLP, one at each place where it is whole on the board."""
        return prod(side - self.window + 1 for side in self.observation_shape[:2]) if self.window else 0

    @property
    def widths(self) -> tuple[int, ...]:
        """Units of each hidden layer of an MLP; of the first, features of all windows included."""
        return (self.channels + self.features * self.windows, *(self.units or (self.channels,) * self.blocks))

    @property
    def hidden(self) -> int:
        """Units of the layer before the value."""
        return self.widths[-1] if self.kind == "mlp" else max(64, self.channels)

    @property
    def head_channels(self) -> int:
        """Channels of a head: those of the body where it is pooled, few where each of its cells has weights."""
        return self.channels if self.policy == "cells" else 16

    def is_pooled(self, block: int) -> bool:
        """Tell whether a residual block sees the whole board."""
        return self.pooling and block % 3 == 1

    def on(self, game: Game) -> NetworkConfig:
        """Return the configuration of the same network, with the same weights, for ``game``: of its board's size.

        Raises:
            ValueError: the network is for another game, sees other planes, knows other actions, or is bound to the size
                of its board.
        """
        shape, actions = tuple(map(int, game.observation_shape)), int(game.num_actions)
        if self.game.partition("(")[0] != game.name:  # whose cells and actions have other numbers
            raise ValueError(f"the network was made for {self.game}, not for {game.spec}: {_ADVICE}")
        if (shape, actions) == (self.observation_shape, self.num_actions):
            return self
        if self.policy == "cells" and len(shape) == 3 and shape[2] == self.observation_shape[2]:
            passes = self.num_actions - self.cells
            if actions == shape[0] * shape[1] + passes:
                return replace(self, game=game.spec, observation_shape=shape, num_actions=actions)
        raise ValueError(
            f"the network was made for {self.game}, with planes {self.observation_shape} and {self.num_actions} "
            f"actions, and {game.spec} has planes {shape} and {actions} actions: {_ADVICE}"
        )

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each weight, by its name in the state dict of `PolicyValueNet`."""
        layers: dict[str, tuple[int, ...]] = {}
        channels, head, hidden = self.channels, self.head_channels, self.hidden
        outcomes = 3 if self.value == "wdl" else 1
        if self.kind == "mlp":
            layers["first"] = (channels, prod(self.observation_shape))
            if self.window:
                layers["windows"] = (self.features, self.window**2 * self.observation_shape[2])
            layers |= {f"blocks.{i}": (wide, before) for i, (before, wide) in enumerate(pairwise(self.widths))}
            layers["policy.last"] = (self.num_actions, hidden)
            layers["value.last"] = (outcomes, hidden)
        else:
            layers["first"] = (channels, self.observation_shape[2], 3, 3)
            for block in range(self.blocks):
                layers |= {f"blocks.{block}.{name}": (channels, channels, 3, 3) for name in ("one", "two")}
                if self.is_pooled(block):
                    layers[f"blocks.{block}.pooled"] = (channels, 3 * channels)
            layers["policy.first"] = layers["value.first"] = (head, channels, 1, 1)
            if self.policy == "cells":
                layers["policy.pooled"] = (head, 3 * head)
                layers["policy.last"] = (1, head, 1, 1)
                if self.has_pass:
                    layers["policy.passing"] = (1, hidden)
                layers["value.hidden"] = (hidden, 3 * head)
            else:
                layers["policy.last"] = (self.num_actions, head * self.cells)
                layers["value.hidden"] = (hidden, head * self.cells)
            layers["value.last"] = (outcomes, hidden)
        if "plies_left" in self.auxiliary:
            layers["plies_left"] = (1, hidden)
        if "ownership" in self.auxiliary:
            layers["ownership"] = (1, head, 1, 1)
        if "score" in self.auxiliary:
            layers["score"] = (1, hidden)
        return {
            f"{name}.{part}": shape if part == "weight" else shape[:1]
            for name, shape in layers.items()
            for part in ("weight", "bias")
        }

    def to_json(self) -> str:
        """Return the configuration as a line of JSON; older versions read it, too, where the net has nothing newer."""
        newer = ("units", "window", "features")
        return json.dumps({name: value for name, value in asdict(self).items() if name not in newer or value})

    @classmethod
    def from_json(cls, text: str) -> NetworkConfig:
        """Return the configuration that `to_json` wrote.

        Raises:
            ValueError: the text is no such JSON, or describes no network.
        """
        data = json.loads(text)
        if not isinstance(data, dict) or not set(data) <= {field.name for field in fields(cls)}:
            raise ValueError(f"a network's configuration was expected, got {shown(data)}")
        if not {"game", "observation_shape", "num_actions"} <= set(data):
            raise ValueError(f"a network's configuration names its game, shape and actions, got {shown(data)}")
        for name in ("observation_shape", "auxiliary", "units"):
            if isinstance(data.get(name), list):
                data[name] = tuple(data[name])
        return cls(**data)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def network_config(game: Game | str, size: str = "small", **changes: Any) -> NetworkConfig:
    """Return the configuration of a network for ``game``.

    Args:
        game: the game whose planes it sees, or its spec.
        size: ``"tiny"`` (one block of 16 channels), ``"small"`` (3 of 32), ``"medium"`` (5 of 64), ``"mlp"`` (two
            layers of 256 units), or other numbers of blocks and channels, ``"4x48"``, or of layers and units of an
            MLP, ``"mlp3x512"``, ``"mlp1024-256-256"``, or, with windows, ``"mlp64@4+256-256-256"``.
        changes: other fields of `NetworkConfig` than the size gives.

    Raises:
        ValueError: there is no such size or field, or they make no network.
    """
    game, of_size = as_game(game), parse_size(size)
    kind = changes.get("kind", of_size.kind)
    policy = "cells" if kind == "resnet" and _acts_on_cells(game) else "dense"
    shape = tuple(map(int, game.observation_shape))
    given = {**of_size._asdict(), "policy": policy, **changes}
    known = {field.name for field in fields(NetworkConfig)} - {"game", "observation_shape", "num_actions"}
    if unknown := set(given) - known:
        raise ValueError(f"a network has no {shown(min(unknown))}, only {', '.join(sorted(known))}")
    return NetworkConfig(game.spec, shape, int(game.num_actions), **given)


def _acts_on_cells(game: Game) -> bool:
    """Tell whether actions, but for a pass, are cells: each changes the planes there, in the plies of a random game."""
    if len(game.observation_shape) != 3:
        return False
    rows, columns, _ = game.observation_shape
    if game.num_actions - rows * columns not in (0, 1):
        return False
    rng, state = np.random.default_rng(0), game.new_state()
    for _ in range(_PLIES):
        if game.is_terminal(state):
            state = game.new_state()
        player, action = game.player(state), int(rng.choice(game.actions(state)))
        before = game.observation(state, player)
        game.play(state, action)
        if action < rows * columns:
            cell = divmod(action, columns)
            if (before[cell] == game.observation(state, player)[cell]).all():
                return False
    return True
