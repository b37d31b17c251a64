"""Networks as files: weights as safetensors, and the configuration as JSON in their header.

Such a file holds numbers and text; reading it runs no code. Format: https://huggingface.co/docs/safetensors. A digest
in the header tells of damage that leaves the format whole; files of older versions have none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.outside.files import check_writable
from ...envs.outside.messages import cut
from ...envs.outside.whole_files import write_whole
from .config import NetworkConfig

if TYPE_CHECKING:
    from .module import PolicyValueNet

__all__ = ["SavedNetwork", "check_one_network", "file_of", "load_network", "read_network", "save_network"]

_FORMAT = "plyground network 1"
_OF_RUN = "model.safetensors"


class SavedNetwork(NamedTuple):
    """What a file holds."""

    config: NetworkConfig
    weights: dict[str, NDArray[np.float32]]  # by their names in the state dict
    notes: dict[str, Any]  # where the weights come from


def save_network(
    path: str | Path, net: PolicyValueNet, notes: dict[str, Any] | None = None, half: bool = False
) -> None:
    """Save a network. A file of that name is replaced when the new one is whole.

    Args:
        path: the file, as in ``"net.safetensors"``.
        net: the network.
        notes: what else to remember, as JSON: the recipe, the seed, the measured strength.
        half: keep 16 bits of each weight: half the size, and about three digits.

    Raises:
        FileNotFoundError: there is no folder to write it in.
        ValueError: a weight is not a finite number, or too large for 16 bits.
    """
    from safetensors.numpy import save

    path = Path(path)
    check_writable(path)
    with np.errstate(over="ignore"):
        weights = {name: array.astype(np.float16) if half else array for name, array in net.weights().items()}
    for name, array in weights.items():
        if not np.isfinite(array).all():
            raise ValueError(
                f"cannot save a network to {path}: weights {name} are not all finite{' in 16 bits' * half}"
            )
    header = {"format": _FORMAT, "config": net.config.to_json(), "notes": json.dumps(notes or {})}
    header["digest"] = _digest(header, weights)
    write_whole(path, save(weights, metadata=header))


def check_one_network(run: Path) -> None:
    """Refuse the folder of a run of alphago, whose parts have a network each, or of its rollout policy, which is none.

    Raises:
        FileNotFoundError: it is one; the message says how a part is named.
    """
    if (run / "model.npz").is_file():
        raise FileNotFoundError(
            f"{str(run)!r} is the rollout policy of a run of alphago, which is no network: it plays in a search, as in "
            f"\"mcts(rollout='{run}/model.npz')\""
        )
    if (run / "policy" / _OF_RUN).is_file():
        raise FileNotFoundError(
            f"{str(run)!r} is a run of alphago, which has several networks: name one, as in '{run}/policy', or all, as "
            f"in 'alphago({run})'"
        )


def file_of(place: Path) -> Path:
    """Return the file of a network: ``place`` itself, or, where that is the folder of a run, the file in it.

    Raises:
        FileNotFoundError: as `check_one_network`, or the folder is that of a run of stable-baselines3.
    """
    if not place.is_dir():
        return place
    path = place / _OF_RUN
    if not path.is_file():
        check_one_network(place)
        if (place / "model.zip").is_file():
            raise FileNotFoundError(
                f"{str(place)!r} has a model of stable-baselines3, and no network: it plays as 'policy({place})'"
            )
    return path


def read_network(path: str | Path) -> SavedNetwork:
    """Read a network's configuration and weights, without torch.

    Args:
        path: the file, or the folder of a training run: its newest network.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is damaged, or no network that `save_network` wrote.
    """
    from safetensors import SafetensorError, safe_open

    path = file_of(Path(path))
    if not path.is_file():
        raise FileNotFoundError(
            f"no network {str(path)!r}: train one with `plyground train alphazero GAME --out FOLDER`"
        )
    if path.suffix.lower() == ".onnx":
        raise ValueError(f"{str(path)!r} is for other programs: name the run, or the file, that it was exported from")
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            if header.get("format") != _FORMAT:
                raise ValueError(f"its header has no format {_FORMAT!r}")
            config = NetworkConfig.from_json(header["config"])
            notes = json.loads(header["notes"])
            kept = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (it is no dict)
        weights = {name: _weight(array, name) for name, array in kept.items()}
        _check_weights(config, weights)
        if not isinstance(notes, dict):
            raise ValueError("its notes are no dict")
        if "digest" in header and header["digest"] != _digest(header, kept):
            raise ValueError("its digest is that of other contents")
    except (ValueError, KeyError, TypeError, RecursionError, OSError, SafetensorError) as error:
        what = cut(f"{type(error).__name__}: {error}" if not isinstance(error, ValueError) else str(error), 200)
        raise ValueError(f"{str(path)!r} is no network of plyground, or damaged: {what}") from None
    return SavedNetwork(config, weights, notes)


def load_network(path: str | Path) -> PolicyValueNet:
    """Load a network, to train it or to look at it.

    Args:
        path: the file, or the folder of a training run: its newest network.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is damaged, or no network that `save_network` wrote.
        ImportError: torch is not installed.
    """
    from .module import restored

    config, weights, _ = read_network(path)
    return restored(config, weights)


def _weight(array: NDArray[Any], name: str) -> NDArray[np.float32]:
    if array.dtype not in (np.float16, np.float32):
        raise ValueError(f"weights {name} are {array.dtype}, not float16 or float32")
    if not np.isfinite(array).all():
        raise ValueError(f"weights {name} are not all finite")
    return array.astype(np.float32)


def _digest(header: Mapping[str, str], weights: Mapping[str, NDArray[Any]]) -> str:
    """Return a digest of all that a file says: its header, but for the digest itself, and its weights."""
    found = hashlib.blake2b(digest_size=16)
    for name, text in sorted(header.items()):
        if name != "digest":
            found.update(json.dumps([name, text]).encode())
    for name, array in sorted(weights.items()):
        found.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def _check_weights(config: NetworkConfig, weights: dict[str, NDArray[np.float32]]) -> None:
    """Raise a `ValueError` if these are not the weights of such a network."""
    expected = config.shapes()
    if weights.keys() != expected.keys():
        name = min(weights.keys() ^ expected.keys())
        raise ValueError(f"weights {name} are {'missing' if name in expected else 'not of its network'}")
    for name, array in weights.items():
        if array.shape != expected[name]:
            raise ValueError(f"weights {name} are {list(array.shape)}, expected {list(expected[name])}")
