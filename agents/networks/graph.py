"""The network of `module` once more, for libraries that only run it: policy and value, from weights in NumPy arrays.

What a library calls its operations is behind `Operations`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .config import NetworkConfig

__all__ = ["SCORE_SCALE", "Operations", "Weights", "build", "pool_scale"]

Weights = Mapping[str, NDArray[np.float32]]

SCORE_SCALE = 20.0  # points: outputs of layers are about 1


def pool_scale(rows: int, columns: int) -> float:
    """Return the factor of the second mean of a pooled channel: it tells boards of other sizes apart (Wu 2019)."""
    return ((rows * columns) ** 0.5 - 9.0) / 10.0


class Operations(Protocol):
    """The operations of a library on its tensors. A board is [batch, channels, H, W], all else [batch, units]."""

    def convolution(self, x: Any, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> Any:
        """Return the convolution of boards, with zeros around them."""
        ...

    def linear(self, x: Any, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> Any:
        """Return ``x @ weight.T + bias``."""
        ...

    def add(self, x: Any, y: Any) -> Any:
        """Return the sum."""
        ...

    def multiply(self, x: Any, factor: float) -> Any:
        """Return the product with a number."""
        ...

    def relu(self, x: Any) -> Any:
        """Return max(x, 0)."""
        ...

    def tanh(self, x: Any) -> Any:
        """Return the hyperbolic tangent."""
        ...

    def softmax(self, x: Any) -> Any:
        """Return the softmax over units."""
        ...

    def concatenate(self, parts: list[Any]) -> Any:
        """Return the units of all parts, one after the other."""
        ...

    def mean(self, x: Any) -> Any:
        """Return the mean of each channel over the board, [batch, channels]."""
        ...

    def maximum(self, x: Any) -> Any:
        """Return the maximum of each channel over the board, [batch, channels]."""
        ...

    def over_board(self, x: Any, channels: int) -> Any:
        """Return units [batch, channels] as boards of one cell, which can be added to any."""
        ...

    def flatten(self, x: Any, units: int) -> Any:
        """Return boards as units [batch, channels · H · W]."""
        ...

    def channels_first(self, x: Any) -> Any:
        """Return planes [batch, H, W, C] as boards."""
        ...


def build(config: NetworkConfig, weights: Weights, ops: Operations, planes: Any) -> tuple[Any, Any]:
    """Return logits [batch, num_actions] and values [batch, 1].

    Args:
        config: what the network is made of.
        weights: its weights, by name.
        ops: the operations of a library.
        planes: its tensor of planes, float32 [batch, *observation_shape].
    """
    board = config.observation_shape

    def layer(name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return weights[f"{name}.weight"], weights[f"{name}.bias"]

    def pool(x: Any) -> Any:
        mean = ops.mean(x)
        return ops.concatenate([mean, ops.multiply(mean, pool_scale(board[0], board[1])), ops.maximum(x)])

    if config.kind == "mlp":
        hidden = ops.relu(ops.linear(ops.flatten(planes, math.prod(board)), *_first_layer(config, weights)))
        for block in range(config.blocks):
            hidden = ops.relu(ops.linear(hidden, *layer(f"blocks.{block}")))
        return ops.linear(hidden, *layer("policy.last")), _value(config, layer, ops, hidden)

    cells, head = board[0] * board[1], config.head_channels
    x = ops.relu(ops.convolution(ops.channels_first(planes), *layer("first")))
    for block in range(config.blocks):
        inner = ops.convolution(x, *layer(f"blocks.{block}.one"))
        if config.is_pooled(block):
            bias = ops.linear(pool(x), *layer(f"blocks.{block}.pooled"))
            inner = ops.add(inner, ops.over_board(bias, config.channels))
        x = ops.relu(ops.add(x, ops.convolution(ops.relu(inner), *layer(f"blocks.{block}.two"))))
    seen = ops.relu(ops.convolution(x, *layer("value.first")))
    actions = ops.convolution(x, *layer("policy.first"))
    if config.policy == "dense":
        hidden = ops.relu(ops.linear(ops.flatten(seen, head * cells), *layer("value.hidden")))
        logits = ops.linear(ops.flatten(ops.relu(actions), head * cells), *layer("policy.last"))
    else:
        pooled = pool(seen)
        hidden = ops.relu(ops.linear(pooled, *layer("value.hidden")))
        bias = ops.over_board(ops.linear(pooled, *layer("policy.pooled")), head)
        logits = ops.flatten(ops.convolution(ops.relu(ops.add(actions, bias)), *layer("policy.last")), cells)
        if config.has_pass:
            logits = ops.concatenate([logits, ops.linear(hidden, *layer("policy.passing"))])
    return logits, _value(config, layer, ops, hidden)


def _first_layer(config: NetworkConfig, weights: Weights) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return weight and bias of the first layer of an MLP, with the features of each window as units of their own.

    One product of matrices then computes it, which on small boards is faster than to cut windows out.
    """
    weight, bias = weights["first.weight"], weights["first.bias"]
    if not config.window:
        return weight, bias
    shared, inputs = weights["windows.weight"], np.arange(weight.shape[1]).reshape(config.observation_shape)
    seen = np.lib.stride_tricks.sliding_window_view(inputs, (config.window, config.window), (0, 1))
    seen = seen.reshape(config.windows, 1, -1)  # the numbers of the inputs that each window sees
    features = np.zeros((config.windows, config.features, inputs.size), np.float32)
    np.put_along_axis(features, seen, shared[None], 2)
    of_windows = np.tile(weights["windows.bias"], config.windows)
    return np.concatenate([weight, features.reshape(-1, inputs.size)]), np.concatenate([bias, of_windows])


def _value(config: NetworkConfig, layer: Any, ops: Operations, hidden: Any) -> Any:
    result = ops.linear(hidden, *layer("value.last"))
    if config.value == "tanh":
        return ops.tanh(result)
    worth = np.array([[1, 0, -1]], np.float32)  # of win, draw, loss
    return ops.linear(ops.softmax(result), worth, np.zeros(1, np.float32))
