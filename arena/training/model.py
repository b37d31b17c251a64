"""What a run is made of: the model, the environments it learns in, and its opponents."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from numbers import Integral, Real
from types import NoneType
from typing import Any, get_args, get_origin

from ...agents.policies.models import model_class
from ...envs import SeatBatch, make_game
from ...envs.outside.arguments import checked_whole, is_between, is_text
from ...envs.outside.messages import shown
from ...envs.outside.spec import nearest
from .config import ALGORITHMS, TrainingConfig
from .league import League
from .settings import most_opening_plies

__all__ = ["SCHEDULED_STEPS", "check_algorithm", "compile_players", "new_games", "new_model", "training_class"]

SCHEDULED_STEPS = 10**9  # the length that the libraries are told, so that no schedule depends on when a run ends
_WIDTHS = {"mlp": 256, "resnet": 16}
_OURS = {"policy", "env", "policy_kwargs", "seed", "device", "_init_setup_model"}  # what the configuration says itself
# The least of whole numbers where it is not 1; the advantages of one sample have no deviation to divide by.
_LEAST = {"learning_starts": 0, "gradient_steps": -1, "sde_sample_freq": -1, "verbose": 0, "MaskablePPO.batch_size": 2}
# The ranges of other numbers: from 0 to 1, or above 0.
_SHARES = {"gamma", "gae_lambda", "tau", "exploration_initial_eps", "exploration_final_eps", "exploration_fraction"}
_POSITIVE = {"clip_range", "clip_range_vf", "learning_rate", "max_grad_norm", "rms_prop_eps", "target_kl"}
_CLASSES = {"ppo": "MaskablePPO", "a2c": "A2C", "dqn": "DQN"}


def training_class(config: TrainingConfig) -> Any:
    """Return the class of the algorithm.

    Raises:
        ImportError: stable-baselines3 is not installed.
    """
    return model_class(_CLASSES[config.algorithm])


def check_algorithm(config: TrainingConfig) -> None:
    """Check that the algorithm is installed, and knows its settings, and that each is something that it can use.

    Raises:
        ValueError: a setting is unknown, and the nearest is suggested; or it is nothing that can be used here.
        ImportError: stable-baselines3 is not installed.
    """
    cls = training_class(config)
    # Not `typing.get_type_hints`, which looks for names that the library has for type checkers only.
    parameters = inspect.signature(cls, eval_str=True).parameters
    known = parameters.keys() - _OURS
    for name in config.settings:
        if name not in known:
            raise ValueError(f"unknown setting {shown(name)} of {cls.__name__}: {nearest(name, known)}")
    for name, value in config.settings.items():
        kind = parameters[name].annotation
        kinds = get_args(kind) or (kind,)
        least = _LEAST.get(f"{cls.__name__}.{name}", _LEAST.get(name, 1))
        if expected := _expected(value, kinds, least) or _expected_range(name, value, kinds):
            raise ValueError(f"setting {name} of {cls.__name__} must be {expected}, got {shown(value)}")
        if name == "train_freq" and isinstance(value, (tuple, list)) and "episode" in value and config.num_envs > 1:
            raise ValueError(
                f"setting {name} of {cls.__name__} must count steps where {config.num_envs} games are played side by "
                f"side, got {shown(value)}"
            )
    _check_minibatches(config, parameters)


def _check_minibatches(config: TrainingConfig, parameters: Mapping[str, inspect.Parameter]) -> None:
    """Check that no advantage is normalized alone: it has no deviation to divide by, and all weights become NaN.

    Raises:
        ValueError: a batch of experience is one step, or leaves one over in its last minibatch.
    """
    settings = {**ALGORITHMS[config.algorithm], **config.settings}
    if "normalize_advantage" not in parameters:
        return
    if not settings.get("normalize_advantage", parameters["normalize_advantage"].default):
        return
    steps = config.num_envs * settings["n_steps"]
    minibatch = settings.get("batch_size") or steps
    if steps == 1 or steps % minibatch == 1:
        raise ValueError(
            f"{config.num_envs} games by n_steps={settings['n_steps']} are {steps} steps of experience, which leaves a "
            f"minibatch of one, whose advantage cannot be normalized: give another "
            f"{'n_steps' if steps == 1 else 'batch_size than ' + str(minibatch)}, or normalize_advantage=False"
        )


def _expected(value: Any, kinds: tuple[Any, ...], least: int) -> str:
    """Return what a setting must be that is neither a number nor what else it may be; empty if nothing is wrong.

    The libraries find what is wrong when they need it, with errors of all kinds, and check nothing else than numbers.
    """
    if bool in kinds:
        return "" if isinstance(value, bool) else "true or false"
    if not {int, float} & set(kinds):
        return _expected_no_number(value, kinds)
    if any(_is_of(value, get_origin(kind) or kind) for kind in set(kinds) - {int, float}):
        return ""
    is_number = is_between(value, least if int in kinds else -sys.float_info.max) and not isinstance(value, bool)
    if int in kinds:
        return "" if is_number and isinstance(value, Integral) else f"a whole number, at least {least}"
    return "" if is_number else "a number"


def _expected_no_number(value: Any, kinds: tuple[Any, ...]) -> str:
    """Return what a setting must be that is never a number; empty if nothing is wrong, or if nobody here can tell."""
    expected = []
    for kind in kinds:
        if kind is NoneType:
            fits, words = value is None, "None"
        elif kind is str:
            fits, words = isinstance(value, str), "a text"
        elif get_origin(kind) is dict:
            fits, words = isinstance(value, Mapping) and all(map(is_text, value)), "a mapping from names"
        elif get_origin(kind) is type and isinstance(base := get_args(kind)[0], type):
            fits, words = isinstance(value, type) and issubclass(value, base), f"a subclass of {base.__name__}"
        else:
            return ""
        if fits:
            return ""
        expected.append(words)
    return ", or ".join(expected)


def _expected_range(name: str, value: Any, kinds: tuple[Any, ...]) -> str:
    """Return the range that a number is out of; empty for what is in it, and for what is no number."""
    if not isinstance(value, Real):  # a schedule, or None where the library takes it
        return ""
    if name in _SHARES and not 0 <= float(value) <= 1:
        return "from 0 to 1"
    if name in _POSITIVE and float(value) <= 0:
        return "above 0, or None" if NoneType in kinds else "above 0"
    return ""


def _is_of(value: Any, kind: Any) -> bool:
    return isinstance(value, (tuple, list) if kind is tuple else kind)  # files of settings have lists alone


def new_model(config: TrainingConfig, steps: int | None = None) -> tuple[Any, Any, League]:
    """Return an untrained model, the environments that it will learn in, and its opponents.

    For training loops of your own, such as ``model.learn(steps)``. The opponents then stay as they are drawn first,
    since only `train` takes snapshots.

    Args:
        config: the configuration; its limit on the time, and what it says about files and tests, play no part.
        steps: what ``learn`` will be told, of which DQN knows its ``exploration_steps`` as a share. Default: the
            configuration's.

    Raises:
        ValueError: a name in the configuration, or a setting of the algorithm, is unknown.
        ImportError: stable-baselines3 is not installed.
    """
    check_algorithm(config)  # before anything is compiled
    cls = training_class(config)
    from .networks import network_settings

    game = make_game(config.game)  # what it has not is told before its opponents are compiled
    body = network_settings(game, config.network, config.width or _WIDTHS[config.network], config.blocks)
    venv, league = new_games(config)
    settings = {**ALGORITHMS[config.algorithm], **config.settings}
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
    if config.algorithm == "dqn":
        length = config.steps or SCHEDULED_STEPS if steps is None else checked_whole("steps", steps, 1)
        settings.setdefault("exploration_fraction", min(1.0, config.exploration_steps / length))
    try:
        model = cls("MlpPolicy", venv, policy_kwargs=body, seed=config.seed, device="cpu", **settings)
    except TypeError as error:
        venv.close()
        for name in settings:
            if name.endswith("_buffer_kwargs") and settings[name]:  # which the class of the buffer alone can judge
                raise ValueError(
                    f"setting {name} of {cls.__name__} must be what its buffer takes: {error}, got "
                    f"{shown(settings[name])}"
                ) from None
        raise
    league.follow(model.policy)
    return model, venv, league


def new_games(config: TrainingConfig) -> tuple[Any, League]:
    """Return the environments of a run, and the opponents whom the learner meets in them."""
    import torch

    from ...envs.vector.stable_baselines import BoardVecEnv
    from .symmetries import SymmetricVecEnv, checked_images

    torch.set_num_threads(config.network_threads)
    game = make_game(config.game)
    if config.symmetry:
        checked_images(game)
    league = League(game, config)
    venv = BoardVecEnv(
        game,
        config.num_envs,
        league,
        opening_plies=most_opening_plies(game, config.opening_plies),
        threads=config.threads,
        seed=config.seed,
    )
    return SymmetricVecEnv(venv) if config.symmetry else venv, league


def compile_players(game: str, players: Iterable[str]) -> None:
    """Let every player make a move, so that compiling takes no time from the training."""
    for spec in dict.fromkeys(players):
        with closing(SeatBatch(make_game(game), 1, spec, "second", seed=0)) as seats:
            seats.reset()
