"""Networks run by torch, on any of its devices."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from .backend import Backend
from .config import NetworkConfig
from .cuda_graphs import CudaGraphs
from .graph import Weights
from .module import PolicyValueNet, restored

__all__ = ["Torch", "checked_device", "multiplies_bf16"]


def checked_device(name: str) -> torch.device:
    """Return a device of torch that is here.

    Raises:
        ValueError: torch knows no such device, or has none here; it raises errors of many kinds for that.
    """
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, TypeError) as error:
        why = str(error).partition("\n")[0]
        raise ValueError(f"device must be 'cpu', or one that torch has here, got {name!r}: {why[:200]}") from None
    return device


class Torch(Backend):
    """See `make_inference`."""

    def __init__(self, threads: int, precision: str, device: str) -> None:
        self._device = checked_device(device)
        on_cpu = self._device.type == "cpu"
        self._threads = threads if on_cpu else None
        self.precision: Literal["f32", "bf16"] = (
            "bf16" if precision == "bf16" or (precision == "auto" and multiplies_bf16(self._device)) else "f32"
        )
        self._dtype = torch.bfloat16 if self.precision == "bf16" else torch.float32
        self._net: PolicyValueNet | None = None
        self._graphs: CudaGraphs | None = None

    def load(self, config: NetworkConfig, weights: Weights) -> None:
        """Take a network and its weights."""
        if self._net is None:
            net: Any = restored(config, weights).requires_grad_(False).eval()
            self._net = net.to(self._device, self._dtype, memory_format=torch.channels_last)
            if self._device.type == "cuda":
                self._graphs = CudaGraphs(net, self._dtype)
        else:
            self._net.load_state_dict({name: torch.from_numpy(np.asarray(array)) for name, array in weights.items()})

    def run(self, planes: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [n, num_actions] and values [n]."""
        assert self._net is not None
        if self._graphs is not None:
            return self._graphs(planes)
        before = torch.get_num_threads()
        if self._threads is not None and self._threads != before:
            torch.set_num_threads(self._threads)
        try:
            with torch.inference_mode():
                # A copy: an array that must not be written to makes torch warn. And torch takes no views that go back.
                shown = torch.tensor(np.ascontiguousarray(planes), device=self._device)
                outputs = self._net(shown.to(self._dtype))
                return outputs.logits.float().cpu().numpy(), outputs.value.float().cpu().numpy()
        finally:
            if torch.get_num_threads() != before:
                torch.set_num_threads(before)


def multiplies_bf16(device: torch.device) -> bool:
    """Tell whether a device multiplies bfloat16 by itself; by emulation, that takes longer than float32.

    Processors that do so with AMX do so with AVX-512, too; NVIDIA's GPUs do from compute capability 8.0 on.
    """
    if device.type == "cuda":  # `is_bf16_supported` of torch counts emulation
        return torch.cuda.get_device_capability(device) >= (8, 0)
    if device.type != "cpu":
        return False
    try:
        return bool(torch.cpu._is_avx512_bf16_supported())
    except AttributeError:
        return False
