"""Loading models that stable-baselines3 and sb3-contrib have saved, with the class found out from the file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from ..envs.outside.extras import how_to_install

__all__ = ["find_model", "load_model", "model_class"]

# The spec name of each family, and its classes.
_FAMILIES = {"ppo": ("PPO", "MaskablePPO"), "a2c": ("A2C",), "dqn": ("DQN",)}


def model_class(name: str) -> Any:
    """Return the class called ``name``: PPO, A2C, DQN or MaskablePPO.

    Raises:
        ImportError: the libraries are not installed; the message says how to get them.
    """
    try:
        import sb3_contrib
        import stable_baselines3
    except ImportError as error:
        raise ImportError(
            f"trained policies need stable-baselines3 and sb3-contrib ({error}): {how_to_install('rl')}"
        ) from error
    return getattr(sb3_contrib if name == "MaskablePPO" else stable_baselines3, name)


def load_model(path: str | Path, algorithm: str | None = None) -> Any:
    """Load a saved model on the CPU.

    Args:
        path: the zip file that ``model.save`` wrote; ``.zip`` may be left out. Or the folder of a training run.
        algorithm: the algorithm that must have trained it, ``"ppo"``, ``"a2c"`` or ``"dqn"``. Default: any of them.

    Raises:
        FileNotFoundError: there is no file at ``path``.
        ValueError: the file holds no model of this algorithm.
    """
    file = find_model(path)
    name = _class_name(file)
    expected = [cls for family, names in _FAMILIES.items() if algorithm in (None, family) for cls in names]
    if name not in expected:
        raise ValueError(f"{str(file)!r} holds a model of {name}, expected one of {', '.join(expected)}")
    cls = model_class(name)
    try:
        return cls.load(file, device="cpu")
    except Exception as error:
        raise ValueError(f"{str(file)!r} cannot be loaded as {name}: {type(error).__name__}: {error}") from error


def find_model(path: str | Path) -> Path:
    """Return the file of a model, by its name with ``.zip`` or without, or by the folder of its training run.

    Raises:
        FileNotFoundError: there is none.
    """
    file = Path(path)
    if file.is_dir():
        file /= "model.zip"
    if not file.is_file() and Path(f"{path}.zip").is_file():
        file = Path(f"{path}.zip")
    if not file.is_file() and file.with_name("model.safetensors").is_file() and Path(path).is_dir():
        raise FileNotFoundError(
            f"{str(path)!r} has a network, and no model of stable-baselines3: it plays as 'network({path})', with a "
            f"search as 'alphazero({path})'"
        )
    if not file.is_file():
        raise FileNotFoundError(f"no model file {str(path)!r}: train one with `plyground train ppo GAME --out FOLDER`")
    return file


def _class_name(file: Path) -> str:
    """Tell the class from the settings in the file, which are JSON, without unpickling anything."""
    with file.open("rb") as opened:
        try:
            with zipfile.ZipFile(opened) as archive:
                data = json.loads(archive.read("data"))
            policy = data["policy_class"]["__module__"]
        except Exception as error:  # where bytes are wrong, zipfile raises errors of many kinds
            raise ValueError(f"{str(file)!r} is not a model that stable-baselines3 saved: {error}") from None
    if "maskable" in policy:
        return "MaskablePPO"
    if "exploration_fraction" in data:
        return "DQN"
    return "PPO" if "clip_range" in data else "A2C"
