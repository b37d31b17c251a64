"""Asking a network about many positions, as fast as this machine can, by OpenVINO, ONNX Runtime, torch or NumPy."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, as_game
from ...envs.outside.arguments import checked_whole
from ...envs.outside.extras import how_to_install
from ...envs.outside.limits import MOST_THREADS
from ...envs.outside.messages import shown
from .backend import Backend
from .files import SavedNetwork, read_network

if TYPE_CHECKING:
    from .module import PolicyValueNet

__all__ = ["BACKENDS", "Inference", "checked_backend", "computing", "make_inference"]

Precision = Literal["auto", "f32", "bf16"]

# Each backend, by name: the libraries that it needs, and the extra that installs them. The fastest comes first.
BACKENDS: dict[str, tuple[tuple[str, ...], str]] = {
    "openvino": (("openvino",), "fast"),
    "onnxruntime": (("onnxruntime", "onnx"), "onnx"),
    "torch": (("torch",), "rl"),
    "numpy": ((), ""),
}


class Inference:
    """A network, ready to be asked about many positions.

    Made by `make_inference`. Not for two threads at the same time. It can be pickled.

    Attributes:
        config: what the network is made of.
        backend: the name of the library that runs it.
        precision: ``"f32"`` or ``"bf16"``.
        batch: the number of positions that it is asked about at a time; more are split.
    """

    def __init__(self, network: SavedNetwork, runner: Backend, settings: dict[str, Any]) -> None:
        self.config = network.config
        self.backend, self.precision, self.batch = (settings[name] for name in ("backend", "precision", "batch"))
        self._network, self._runner, self._settings = network, runner, settings
        self._shape = tuple(self.config.observation_shape)
        self._logits = np.empty((self.batch, self.config.num_actions), np.float32)
        self._values = np.empty(self.batch, np.float32)
        runner.load(*network[:2])

    def __call__(self, planes: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [n, num_actions] and values [n] for the players to move; the next call overwrites both.

        Args:
            planes: [n, *observation_shape] of the game's dtype, any n.

        Raises:
            ValueError: they have another shape, which some backends would stretch to theirs.
        """
        if planes.ndim == 0 or planes.shape[1:] != self._shape:
            raise ValueError(
                f"planes must have shape (n, {', '.join(map(str, self._shape))}), a row for each position of "
                f"{self.config.game}, got {planes.shape}: show what the environment shows the player to move"
            )
        count = len(planes)
        if 0 < count <= self.batch:
            return self._runner.run(planes)
        if count > len(self._values):
            self._logits = np.empty((count, self._logits.shape[1]), np.float32)
            self._values = np.empty(count, np.float32)
        for start in range(0, count, self.batch):
            part = slice(start, min(start + self.batch, count))
            self._logits[part], self._values[part] = self._runner.run(planes[part])
        return self._logits[:count], self._values[:count]

    def update(self, net: PolicyValueNet | SavedNetwork) -> None:
        """Take other weights of the same network.

        Raises:
            ValueError: the network is made of something else.
        """
        if net.config.shapes() != self.config.shapes():
            raise ValueError(f"a network of {shown(self.config, 300)} was expected, got {shown(net.config, 300)}")
        self._network = SavedNetwork(self.config, _weights(net), {})
        self._runner.load(*self._network[:2])

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (self._network, self._settings)

    def __deepcopy__(self, memo: Any) -> Inference:
        return _made_again(self._network, self._settings)  # they share the weights, into which nobody writes


def checked_backend(backend: str, device: str = "cpu") -> str:
    """Return the name of the library that computes networks here: for ``"auto"``, the fastest that is installed.

    Raises:
        ValueError: there is no such backend, or it is not for this device.
        ImportError: it is not installed.
    """
    if backend not in ("auto", *BACKENDS):
        raise ValueError(f"backend must be one of auto, {', '.join(BACKENDS)}, got {shown(backend)}")
    on_cpu = device == "cpu"
    if not on_cpu and backend not in ("auto", "torch"):
        raise ValueError(f"{backend} runs here on the CPU only: for device {device!r} choose backend 'torch'")
    if backend == "auto":
        backend = next((name for name in BACKENDS if on_cpu and _installed(name)), "torch")
    if not _installed(backend):
        raise ImportError(f"backend {backend!r} is not installed: {how_to_install(BACKENDS[backend][1])}")
    return backend


def computing(backend: str = "auto", device: str = "cpu") -> dict[str, str]:
    """Return by what `make_inference` computes here, ``backend`` and ``precision``, without reading a network.

    Raises:
        ValueError: there is no such backend or device, or the one is not for the other.
        ImportError: the backend is not installed.
    """
    backend = checked_backend(backend, device)
    return {"backend": backend, "precision": _runner(backend, 1, 1, "auto", device)[1]}


def make_inference(
    net: PolicyValueNet | SavedNetwork | str | Path,
    backend: str = "auto",
    *,
    batch: int = 256,
    threads: int = 1,
    precision: Precision = "auto",
    device: str = "cpu",
    game: Game | str | None = None,
) -> Inference:
    """Make a network ready to be asked.

    Args:
        net: the network, or its file. It is copied: when it has learned, `Inference.update` takes its new weights.
        backend: ``"openvino"``, ``"onnxruntime"``, ``"torch"``, ``"numpy"``, or ``"auto"``, the first of them that is
            installed; on another device than the CPU, torch.
        batch: the number of positions to ask about at a time: a few are fastest with a small one, many with 256 to 512.
        threads: threads that compute, 1 to 1024; how many NumPy takes, its environment says (``OPENBLAS_NUM_THREADS``).
        precision: ``"f32"``, ``"bf16"`` (8 bits of mantissa, logits err by about 1 %), or ``"auto"``: bf16 where the
            processor computes it natively, and the backend offers it.
        device: ``"cpu"``, or a device of torch, as in ``"cuda"``.
        game: the game whose planes will be shown, or its spec. Default: the network's; one with policy ``"cells"``
            takes a board of another size.

    Raises:
        ValueError: there is no such backend or precision, it is not for this device, or the network not for this game;
            or a number is out of its range.
        ImportError: the backend is not installed.
        FileNotFoundError: there is no such file.
    """
    if isinstance(net, (str, Path)):
        net = read_network(net)
    elif not hasattr(net, "config"):
        raise ValueError(f"net must be a network, its file, or the folder of a training run, got {shown(net)}")
    batch, threads = checked_whole("batch", batch, 1), checked_whole("threads", threads, 1, MOST_THREADS)
    if precision not in ("auto", "f32", "bf16"):
        raise ValueError(f"precision must be auto, f32 or bf16, got {shown(precision)}")
    backend = checked_backend(backend, device)
    config = net.config if game is None else net.config.on(as_game(game))
    runner, precision = _runner(backend, batch, threads, precision, device)
    settings = {"backend": backend, "batch": batch, "threads": threads, "precision": precision, "device": device}
    return Inference(SavedNetwork(config, _weights(net), {}), runner, settings)


def _made_again(network: SavedNetwork, settings: dict[str, Any]) -> Inference:
    return make_inference(network, **settings)


def _runner(backend: str, batch: int, threads: int, precision: Precision, device: str) -> tuple[Backend, Precision]:
    """Return the backend, and the precision that it has chosen."""
    if backend == "openvino":
        from .openvino_backend import OpenVino

        runner = OpenVino(batch, threads, precision)
    elif backend == "onnxruntime":
        from .onnx_backend import OnnxRuntime

        runner = OnnxRuntime(threads, precision)
    elif backend == "numpy":
        from .numpy_backend import NumPy

        runner = NumPy(precision)
    else:
        from .torch_backend import Torch

        runner = Torch(threads, precision, device)
    return runner, runner.precision


def _installed(backend: str) -> bool:
    return all(importlib.util.find_spec(module) is not None for module in BACKENDS[backend][0])


def _weights(net: PolicyValueNet | SavedNetwork) -> dict[str, NDArray[np.float32]]:
    return net.weights if isinstance(net, SavedNetwork) else net.weights()
