"""Networks run by NumPy, which is always here.

A small MLP is asked about single positions as fast as by OpenVINO; convolutions take two to four times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from .backend import Backend
from .config import NetworkConfig
from .graph import Weights, build

__all__ = ["NumPy"]

_Array = NDArray[np.float32]


class NumPy(Backend):
    """See `make_inference`. NumPy's BLAS decides how many threads multiply: ``OPENBLAS_NUM_THREADS`` tells it."""

    def __init__(self, precision: str) -> None:
        if precision == "bf16":
            raise ValueError(
                "numpy computes in f32: choose precision 'f32', or backend 'openvino' or 'torch', if they are installed"
            )
        self.precision: Literal["f32", "bf16"] = "f32"
        self._steps: list[_Step] = []
        self._outputs = (0, 0)

    def load(self, config: NetworkConfig, weights: Weights) -> None:
        """Take a network and its weights."""
        steps = _Steps()
        self._outputs = build(config, weights, steps, 0)
        self._steps = steps.steps

    def run(self, planes: NDArray[Any]) -> tuple[_Array, _Array]:
        """Return logits [n, num_actions] and values [n]."""
        arrays = [planes.astype(np.float32)]
        for function, inputs in self._steps:
            arrays.append(function(*(arrays[number] for number in inputs)))
        logits, values = (arrays[number] for number in self._outputs)
        return logits, values[:, 0]


_Step = tuple[Callable[..., _Array], tuple[int, ...]]


class _Steps:
    """The `Operations` of NumPy: each notes what is to be done, and returns the number of the array that it makes.

    So whatever depends on the weights alone is computed once. Array 0 are the planes.
    """

    def __init__(self) -> None:
        self.steps: list[_Step] = []

    def _note(self, function: Callable[..., _Array], *inputs: int) -> int:
        self.steps.append((function, inputs))
        return len(self.steps)

    def convolution(self, x: int, weight: _Array, bias: _Array) -> int:
        outputs, _, size, _ = weight.shape
        matrix = np.ascontiguousarray(weight.transpose(2, 3, 1, 0).reshape(-1, outputs))

        def convolve(board: _Array) -> _Array:
            board = board.transpose(0, 2, 3, 1)  # as it lies in memory, so that windows are copied by rows of channels
            count, rows, columns, channels = board.shape
            if size > 1:
                bordered = np.zeros((count, rows + size - 1, columns + size - 1, channels), np.float32)
                inner = slice(size // 2, -(size // 2))
                bordered[:, inner, inner] = board
                seen = np.lib.stride_tricks.sliding_window_view(bordered, (size, size), (1, 2))
                board = seen.transpose(0, 1, 2, 4, 5, 3)
            products = board.reshape(-1, len(matrix)) @ matrix + bias
            return products.reshape(count, rows, columns, outputs).transpose(0, 3, 1, 2)

        return self._note(convolve, x)

    def linear(self, x: int, weight: _Array, bias: _Array) -> int:
        matrix = np.ascontiguousarray(weight.T)
        return self._note(lambda units: units @ matrix + bias, x)

    def add(self, x: int, y: int) -> int:
        return self._note(np.add, x, y)

    def multiply(self, x: int, factor: float) -> int:
        number = np.float32(factor)
        return self._note(lambda units: units * number, x)

    def relu(self, x: int) -> int:
        return self._note(lambda units: np.maximum(units, 0), x)

    def tanh(self, x: int) -> int:
        return self._note(np.tanh, x)

    def softmax(self, x: int) -> int:
        return self._note(lambda units: special.softmax(units, 1), x)

    def concatenate(self, parts: list[int]) -> int:
        return self._note(lambda *arrays: np.concatenate(arrays, 1), *parts)

    def mean(self, x: int) -> int:
        return self._note(lambda board: board.mean((2, 3)), x)

    def maximum(self, x: int) -> int:
        return self._note(lambda board: board.max((2, 3)), x)

    def over_board(self, x: int, channels: int) -> int:
        return self._note(lambda units: units.reshape(-1, channels, 1, 1), x)

    def flatten(self, x: int, units: int) -> int:
        return self._note(lambda board: board.reshape(len(board), units), x)

    def channels_first(self, x: int) -> int:
        return self._note(lambda planes: planes.transpose(0, 3, 1, 2), x)
