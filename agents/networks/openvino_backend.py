"""Networks run by OpenVINO, on the CPU.

The model is built operation by operation: to convert it from torch would take several times as long, and self-play
takes new weights every few seconds.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset13 as opset

from .backend import Backend
from .config import NetworkConfig
from .graph import Weights, build

__all__ = ["OpenVino"]

_DYNAMIC = 64  # positions: batches from here on may be of several sizes


@cache
def _core() -> ov.Core:
    """Return the library's core, one for the whole process, which is never freed.

    Each core gives signals a stack of its own, and gives the one before back when it goes. Where cores come and go in
    another order, a stack that was freed is left behind, and the next signal, such as Ctrl-C, crashes the process.
    """
    return ov.Core()


class OpenVino(Backend):
    """See `make_inference`."""

    def __init__(self, batch: int, threads: int, precision: str) -> None:
        self._core = _core()
        can = "BF16" in self._core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        self.precision: Literal["f32", "bf16"] = (
            "bf16" if precision == "bf16" or (precision == "auto" and can) else "f32"
        )
        self._settings = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "INFERENCE_PRECISION_HINT": self.precision,
            "ENABLE_CPU_PINNING": False,  # two processes pinned to one core would halve each other
        }
        # OpenVINO prepares for each size of a batch by itself, which takes 10 ms: so there are eight sizes. A model of
        # one size takes a third of the time where the batch is small.
        self._batch, self._step = batch, batch if batch < _DYNAMIC else -(-batch // 8)
        self._request: Any = None
        self._inputs: dict[int, tuple[NDArray[np.float32], ov.Tensor]] = {}

    def load(self, config: NetworkConfig, weights: Weights) -> None:
        """Take a network and its weights."""
        model = _model(config, weights, -1 if self._step < self._batch else self._batch)
        self._request = self._core.compile_model(model, "CPU", self._settings).create_infer_request()
        if not self._inputs:
            buffer = np.zeros((self._batch, *config.observation_shape), np.float32)
            for end in range(self._step, self._batch + self._step, self._step):
                part = buffer[: min(end, self._batch)]
                self._inputs[-(-end // self._step)] = part, ov.Tensor(part, shared_memory=True)

    def run(self, planes: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [n, num_actions] and values [n]."""
        count = len(planes)
        array, tensor = self._inputs[-(-count // self._step)]
        array[:count] = planes
        self._request.set_input_tensor(tensor)
        self._request.infer()
        logits, values = (self._request.get_output_tensor(index).data for index in (0, 1))
        return logits[:count], values[:count, 0]


def _model(config: NetworkConfig, weights: Weights, batch: int) -> ov.Model:
    shape = [batch, *config.observation_shape]
    planes = opset.parameter(shape, np.float32, "planes")
    logits, values = build(config, weights, _Opset(), planes)
    model: Any = ov.Model  # its two classes of that name confuse type checkers
    return model([logits, values], [planes], "network")


class _Opset:
    """The `Operations` of OpenVINO."""

    def convolution(self, x: Any, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> Any:
        around = [weight.shape[2] // 2] * 2
        y = opset.convolution(x, opset.constant(weight), [1, 1], around, around, [1, 1])
        return opset.add(y, opset.constant(bias.reshape(1, -1, 1, 1)))

    def linear(self, x: Any, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> Any:
        return opset.add(opset.matmul(x, opset.constant(weight), False, True), opset.constant(bias.reshape(1, -1)))

    def add(self, x: Any, y: Any) -> Any:
        return opset.add(x, y)

    def multiply(self, x: Any, factor: float) -> Any:
        return opset.multiply(x, opset.constant(np.array([factor], np.float32)))

    def relu(self, x: Any) -> Any:
        return opset.relu(x)

    def tanh(self, x: Any) -> Any:
        return opset.tanh(x)

    def softmax(self, x: Any) -> Any:
        return opset.softmax(x, 1)

    def concatenate(self, parts: list[Any]) -> Any:
        return opset.concat(parts, 1)

    def mean(self, x: Any) -> Any:
        return opset.reduce_mean(x, _integers([2, 3]))

    def maximum(self, x: Any) -> Any:
        return opset.reduce_max(x, _integers([2, 3]))

    def over_board(self, x: Any, channels: int) -> Any:
        return opset.reshape(x, _integers([-1, channels, 1, 1]), False)

    def flatten(self, x: Any, units: int) -> Any:
        return opset.reshape(x, _integers([-1, units]), False)

    def channels_first(self, x: Any) -> Any:
        return opset.transpose(x, _integers([0, 3, 1, 2]))


def _integers(values: list[int]) -> Any:
    return opset.constant(np.array(values, np.int64))
