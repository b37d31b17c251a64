"""The state of a run as files: nested dicts of arrays, tensors and what JSON knows, a file for each of these kinds."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .whole_files import is_whole_zip, write_file

__all__ = ["UNREADABLE", "Write", "by_memory", "plain_of", "read_state", "write_state"]

Write = Callable[[Path], object]  # writes a file

# What reading a file of JSON raises that is damaged, is nested without end, or has something else in it.
UNREADABLE = (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError)


def write_state(folder: Path, state: Mapping[str, Any]) -> None:
    """Write a state to three files, one for each kind of thing in it."""
    import torch

    plain, arrays, tensors = {}, {}, {}
    _sort(state, "", plain, arrays, tensors)
    write_file(folder / "state.json", json.dumps(plain).encode())
    by_memory(lambda file: np.savez(file, **arrays))(folder / "arrays.npz")
    by_memory(lambda file: torch.save(tensors, file))(folder / "tensors.pt")


def by_memory(save: Callable[[Any], object]) -> Write:
    """Return what writes a file that ``save`` makes in memory: if torch itself writes, a full disk is no `OSError`."""

    def write(path: Path) -> None:
        content = io.BytesIO()
        save(content)
        write_file(path, content.getbuffer())

    return write


def _sort(
    state: Mapping[str, Any], path: str, plain: dict[str, Any], arrays: dict[str, Any], tensors: dict[str, Any]
) -> None:
    """Put what a state holds into ``plain`` dicts of the same shape, or by its path into ``arrays`` or ``tensors``."""
    import torch

    for name, value in state.items():
        if isinstance(value, torch.Tensor):
            tensors[f"{path}{name}"] = value
        elif isinstance(value, np.ndarray):
            arrays[f"{path}{name}"] = value
        elif isinstance(value, Mapping):
            _sort(value, f"{path}{name}/", plain.setdefault(name, {}), arrays, tensors)
        else:
            plain[name] = value


def plain_of(folder: Path) -> dict[str, Any]:
    """Return what JSON knows of a state."""
    return json.loads((folder / "state.json").read_text())


def read_state(folder: Path) -> dict[str, Any]:
    """Return what `write_state` wrote. A damaged file is told by errors of many kinds."""
    import torch

    state = plain_of(folder)
    with (folder / "arrays.npz").open("rb") as file, np.load(file, allow_pickle=False) as saved:
        parts = {path: saved[path] for path in saved.files}
    tensors = folder / "tensors.pt"
    if tensors.exists() and not is_whole_zip(tensors):  # torch compares no checksums: weights would be others
        raise ValueError(f"{str(tensors)!r} is damaged")
    parts |= torch.load(tensors, map_location="cpu", weights_only=True)  # their device may be missing
    for path, value in parts.items():
        *parents, name = path.split("/")
        place = state
        for parent in parents:
            place = place[parent]
        place[name] = value
    return state
