"""A network on a GPU as CUDA graphs: all that it computes for so many positions, recorded once and started as one.

Started one by one, the fifty small operations of a network keep a core busy for longer than the GPU. See "Accelerating
PyTorch with CUDA Graphs" (PyTorch's blog, 2021), and `torch.cuda.graph`. This module needs torch when it is imported.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from .module import PolicyValueNet

__all__ = ["CudaGraphs"]

_LEAST = 8  # positions of the smallest graph
_FIRST = 3  # calls before the recording, in which libraries choose how to compute


class _Recorded(NamedTuple):
    """What was recorded for a number of positions, with its memory."""

    graph: torch.cuda.CUDAGraph
    shown: torch.Tensor  # [positions, *observation_shape] on the GPU
    answers: torch.Tensor  # [positions, num_actions + 1] float32 on the GPU: logits, then the value
    planes: torch.Tensor  # as `shown`, in memory that the GPU reads by itself
    answered: torch.Tensor  # as `answers`, in memory that the GPU writes by itself


class CudaGraphs:
    """A network's answers on a GPU, from a graph for each power of two positions.

    Args:
        net: the network, on its device; its weights may be overwritten, and graphs then compute with the new ones.
        dtype: of its weights.
    """

    def __init__(self, net: PolicyValueNet, dtype: torch.dtype) -> None:
        self._net, self._dtype = net, dtype
        self._device = next(net.parameters()).device
        self._memory: Any = torch.cuda.graph_pool_handle()  # of all graphs: no two are started at once
        self._recorded: dict[int, _Recorded] = {}

    def __call__(self, planes: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [n, num_actions] and values [n] of planes [n, *board]."""
        count = len(planes)
        size = max(_LEAST, 1 << (count - 1).bit_length())
        with torch.cuda.device(self._device):
            if size not in self._recorded:
                self._recorded[size] = self._record(size, planes)
            its = self._recorded[size]
            its.planes.numpy()[:count] = planes
            its.shown[:count].copy_(its.planes[:count], non_blocking=True)
            its.graph.replay()
            its.answered[:count].copy_(its.answers[:count], non_blocking=True)
            torch.cuda.current_stream().synchronize()
        answered = its.answered.numpy()[:count]
        return answered[:, :-1].copy(), answered[:, -1].copy()

    @torch.no_grad()
    def _record(self, size: int, planes: NDArray[Any]) -> _Recorded:
        """Record what the network computes for ``size`` positions, such as ``planes``."""
        shape = size, *planes.shape[1:]
        host = torch.from_numpy(np.zeros(shape, planes.dtype)).pin_memory()
        shown = host.to(self._device)
        now, beside = torch.cuda.current_stream(), torch.cuda.Stream()
        beside.wait_stream(now)
        with torch.cuda.stream(beside):
            for _ in range(_FIRST):
                answers = self._answers(shown)
        now.wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        # Another thread may learn on the GPU meanwhile: what it does there is no part of the recording.
        with torch.cuda.graph(graph, pool=self._memory, capture_error_mode="thread_local"):
            answers = self._answers(shown)
        return _Recorded(graph, shown, answers, host, torch.empty(answers.shape).pin_memory())

    def _answers(self, shown: torch.Tensor) -> torch.Tensor:
        outputs = self._net(shown.to(self._dtype))
        return torch.cat([outputs.logits.float(), outputs.value.float().reshape(-1, 1)], 1)
