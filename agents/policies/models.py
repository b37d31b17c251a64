"""Loading models that stable-baselines3 and sb3-contrib have saved, with the class found out from the file."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

from ...envs.outside.extras import how_to_install
from ...envs.outside.messages import listed

__all__ = ["LIBRARIES", "check_alone", "find_model", "load_model", "load_normalization", "model_class"]

# The spec name of each family, and its classes. ``policy`` plays all of them.
_FAMILIES = {"ppo": ("PPO", "MaskablePPO"), "a2c": ("A2C",), "dqn": ("DQN",), "trpo": ("TRPO",)}
_CONTRIBUTED = {"MaskablePPO", "TRPO"}  # the classes of sb3-contrib
# A setting by which a class is known, in this order: DQN's are settings of QRDQN, too.
_OWN_SETTINGS = {
    "n_quantiles": "QRDQN",
    "exploration_fraction": "DQN",
    "cg_max_steps": "TRPO",
    "n_delta": "ARS",
    "target_entropy": "SAC",
    "policy_delay": "TD3",
    "clip_range": "PPO",
}
LIBRARIES = ("stable_baselines3.", "sb3_contrib.")  # where classes are that are nobody's own


def model_class(name: str) -> Any:
    """Return the class called ``name``: PPO, A2C, DQN, MaskablePPO or TRPO.

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
    return getattr(sb3_contrib if name in _CONTRIBUTED else stable_baselines3, name)


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
    name, is_own = _class_name(file)
    expected = [cls for family, names in _FAMILIES.items() if algorithm in (None, family) for cls in names]
    if name not in expected:
        raise ValueError(f"{str(file)!r} holds a model of {name}, expected one of {', '.join(expected)}")
    cls = model_class(name)
    try:
        if name == "PPO" and is_own:
            cls = _ppo_of(file)
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


def check_alone(file: Path) -> None:
    """Check that no statistics of a `VecNormalize` stand beside the file of a model, which would play badly without.

    They are known by their names: ``vec_normalize.pkl`` in stable-baselines3's pages, in a folder named as the model in
    the RL Zoo's, and with ``_vecnormalize_`` beside each model of a `CheckpointCallback`.

    Raises:
        ValueError: there are.
    """
    pattern = "*[nN]ormalize*.pkl"
    found = sorted(map(str, (*file.parent.glob(pattern), *file.with_suffix("").glob(pattern))))
    if found:
        raise ValueError(
            f"{str(file)!r} stands beside {listed(found, 3)}: a model that learned in a VecNormalize plays with its "
            f"statistics only: give them, as in normalization={found[0]!r}, or normalization=False if it learned "
            "without"
        )


def load_normalization(path: str | Path) -> Any:
    """Load the statistics of observations that a `VecNormalize` has saved, as a `VecNormalize` without environments.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file holds something else, or what is given is the name of none.
    """
    from stable_baselines3.common.vec_env import VecNormalize

    if not isinstance(path, (str, Path)):
        raise ValueError(
            f"normalization must be a file that VecNormalize.save wrote, or False for a model that learned without, "
            f"got {path!r}"
        )
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"no file {str(path)!r}: expected one that VecNormalize.save wrote")
    try:
        found = pickle.loads(file.read_bytes())
    except Exception as error:  # whatever bytes that are no pickle raise
        raise ValueError(
            f"{str(path)!r} cannot be loaded as a VecNormalize: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(found, VecNormalize):
        raise ValueError(f"{str(path)!r} holds a {type(found).__name__}, expected what VecNormalize.save wrote")
    return found


def _class_name(file: Path) -> tuple[str, bool]:
    """Tell the class from the settings in the file, which are JSON, without unpickling anything.

    Returns:
        Its name, and whether its policy is of somebody's own class: its place does not tell of MaskablePPO then.
    """
    with file.open("rb") as opened:
        try:
            with zipfile.ZipFile(opened) as archive:
                data = json.loads(archive.read("data"))
            policy = str(data["policy_class"]["__module__"])
        except Exception as error:  # where bytes are wrong, zipfile raises errors of many kinds
            raise ValueError(f"{str(file)!r} is not a model that stable-baselines3 saved: {error}") from None
    name = next((name for setting, name in _OWN_SETTINGS.items() if setting in data), "A2C")
    if name == "PPO" and policy.startswith(LIBRARIES):
        name = "MaskablePPO" if ".maskable." in policy else "RecurrentPPO" if ".recurrent." in policy else name
    return name, not policy.startswith(LIBRARIES)


def _ppo_of(file: Path) -> Any:
    """Return the class of PPO that learned a policy of one's own class, which is unpickled."""
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.save_util import load_from_zip_file

    data, _, _ = load_from_zip_file(file, device="cpu")
    is_maskable = data is not None and issubclass(data["policy_class"], MaskableActorCriticPolicy)
    return model_class("MaskablePPO" if is_maskable else "PPO")
