"""Fields of a configuration that say for themselves what they mean and what they may be.

Each is written once, ``field(default=…, metadata=about("What it is.", "Wu 2019", least=1))``: the checks
(`check_settings`), the documentation (`documented`), the options of the command line, the table of the documentation,
and the file of JSON (`Settings`) are made of that.
"""

from __future__ import annotations

import inspect
import json
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, fields, replace
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from ...envs import Game

__all__ = [
    "AVERAGING",
    "BACKEND",
    "CHECKPOINT_MINUTES",
    "DEVICE",
    "GAME",
    "LADDER_GAMES",
    "LEARNING_RATE",
    "MACHINE",
    "MINUTES",
    "NETWORKS",
    "NUM_ENVS",
    "PRECISION",
    "SEED",
    "SYMMETRY",
    "WEIGHT_DECAY",
    "Settings",
    "about",
    "check_machine",
    "check_opening_plies",
    "check_players",
    "check_settings",
    "default_of",
    "described",
    "documented",
    "have_passed",
    "kind_of",
    "most_opening_plies",
    "most_threads",
    "resumed",
    "sourced",
]

# Fields that say by what a run is computed, and not what: it goes on with other values, but no longer bit for bit.
MACHINE = ("threads", "network_threads", "device", "backend")

# What sizes of nets are called, for configurations that have one.
NETWORKS = (
    "Size of a net: tiny (1 residual block of 16 channels), small (3x32), medium (5x64), others as 4x48; or mlp, two "
    "layers of 256 units, others as mlp3x512, mlp1024-256-256, or, with 64 features of each window of 4x4 cells, "
    "mlp64@4+256-256-256."
)

_WIDTH = 112  # of the documentation
_OPENING = 24  # random plies by default, at most
_NAMES = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}

Class = TypeVar("Class", bound=type)
Kind = TypeVar("Kind", bound="Settings")


@dataclass(frozen=True)
class Settings:
    """A configuration that is kept as a file of JSON."""

    def save(self, path: str | Path) -> None:
        """Write the configuration as JSON."""
        from ...envs.outside.whole_files import write_whole  # the help of ``train`` reads settings, and needs no games

        write_whole(Path(path), (json.dumps(asdict(self), indent=2) + "\n").encode())

    @classmethod
    def load(cls: type[Kind], path: str | Path) -> Kind:
        """Read a configuration.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it is no configuration, or a value is out of its range.
        """
        try:
            values = json.loads(Path(path).read_text())
            if not isinstance(values, dict):
                from ...envs.outside.messages import shown

                raise ValueError(f"expected an object of JSON, got {shown(values)}")
            known = [one.name for one in fields(cls)]
            for name in values:
                if name not in known:
                    from ...envs.outside.spec import nearest

                    raise ValueError(f"unknown setting {name!r}: {nearest(name, known)}")
            for one in fields(cls):
                if one.name not in values and one.default is MISSING and one.default_factory is MISSING:
                    raise ValueError(f"the setting {one.name!r} is missing")
            return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{str(path)!r} is no configuration of a training run: {error}") from None


def resumed(config: Kind, limits: Mapping[str, Any], machine: Mapping[str, Any]) -> Kind:
    """Return the configuration with which a run goes on; what is None stays as it was.

    Args:
        config: the configuration until now.
        limits: new limits on the whole run.
        machine: new values of fields of `MACHINE`, as far as the run has them.

    Raises:
        ValueError: a value is out of its range, or of a field that stays.
    """
    free = [*limits, *(name for name in MACHINE if hasattr(config, name))]
    for name in machine:
        if name not in free:
            raise ValueError(f"a run goes on with the {name} that it has: only {', '.join(free)} may be given anew")
    given = {**limits, **machine}
    return replace(config, **{name: value for name, value in given.items() if value is not None})


def about(
    what: str,
    source: str = "",
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | Callable[[], float] | None = None,
) -> dict[str, Any]:
    """Return the metadata of a field.

    Args:
        what: one sentence or more that say what it is.
        source: where the idea, or the default, is from, as in ``"Wu 2019, section 3.1"``: names of `papers.PAPERS`, or
            "ours", and semicolons between several. Empty: it needs none.
        least: the smallest value that a number may have.
        above: the value that a number must exceed.
        most: the largest value that a number may have, or a function that tells it: then the help does not.
    """
    return {"what": what, "source": source, "least": least, "above": above, "most": most}


# Metadata of fields that several configurations have.
AVERAGING = about(
    "Decay of the mean of the weights, which plays and is saved; 0: no mean.",
    "Izmailov et al. 2018; Wu 2019, section 2; ours: at each step",
    least=0,
    most=0.999999,
)
BACKEND = about(
    "What computes the net in self-play: openvino, onnxruntime, torch, numpy; auto: the first of these here."
)
CHECKPOINT_MINUTES = about(
    "Minutes after which the run is saved, whatever its steps: a run that is killed loses no more.", above=0
)
DEVICE = about("Where the net is computed and learns: cpu or cuda.")
GAME = about("The game, as in 'connect_four(rows=5)'.")
LADDER_GAMES = about(
    "Games of a test against each player of the ladder. They open with fewer random plies, as matches do.", least=2
)
LEARNING_RATE = about("Highest learning rate, of AdamW.", "ours, measured in docs/alphazero.md", above=0)
MINUTES = about("Minutes of training, in all, after which it ends.", above=0)
NUM_ENVS = about("Games played side by side.", least=1)
PRECISION = about("Numbers of that computation, and of learning: f32, bf16, or auto, which the machine decides.")
SEED = about(
    "Seed of the weights, the games and the samples; the same seed gives the same run.", least=0, most=2**63 - 1
)
SYMMETRY = about(
    "Learn each sample through one of the board's symmetries, drawn at random.",
    "Silver et al. 2016, Methods; Silver et al. 2017, Methods",
)
WEIGHT_DECAY = about("AdamW's decay of the weights.", "Loshchilov and Hutter 2019", least=0)


def kind_of(cls: type, name: str) -> Any:
    """Return the type of a field, without the None that it may be instead."""
    hint = _hints(cls)[name]
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    return kinds[0] if NoneType in get_args(hint) and len(kinds) == 1 else hint


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def check_settings(config: Any) -> None:
    """Check the numbers, texts and choices of a configuration, each by itself; other numbers become Python's own.

    Raises:
        ValueError: one is of another type, out of its range, or no choice; the message names it.
    """
    cls = type(config)
    for one in fields(config):
        value, kind = getattr(config, one.name), kind_of(cls, one.name)
        if value is None and NoneType in get_args(_hints(cls)[one.name]):
            continue
        if get_origin(kind) is Literal:
            if value not in get_args(kind):
                from ...envs.outside.spec import nearest

                raise ValueError(f"unknown {one.name} {value!r}: {nearest(str(value), get_args(kind))}")
        elif get_origin(kind) is tuple and not _is_texts(value):
            raise ValueError(f"{one.name} must be a tuple of texts, got {value!r}")
        elif get_origin(kind) is Mapping and not (isinstance(value, Mapping) and _is_texts(list(value))):
            raise ValueError(f"{one.name} must be a mapping from names, got {value!r}")
        elif kind in _NAMES and not (_is(value, kind) and _is_in_range(value, one.metadata)):
            span = _range(one.metadata["least"], one.metadata["above"], _most(one.metadata))
            is_finite = kind is not float or not isinstance(value, Real) or math.isfinite(value)
            expected = ", ".join(filter(None, (_NAMES[kind] if is_finite else "a finite number", span)))
            raise ValueError(f"{one.name} must be {expected}, got {value!r}")
        elif (kind is float and not isinstance(value, (int, float))) or (kind is int and type(value) is not int):
            # One of NumPy's, say, of which JSON knows nothing.
            object.__setattr__(config, one.name, kind(getattr(config, one.name)))


def check_machine(device: str, backend: str) -> None:
    """Check that nets can be computed on a device, and by a library; torch is imported for other devices than the CPU.

    Raises:
        ValueError: it has not, or what computes nets is not for this device.
        ImportError: torch, or what computes nets, is not installed.
    """
    from ...agents.networks.inference import checked_backend

    checked_backend("torch")  # which learns: it says how it is installed
    checked_backend(backend, device)
    if device != "cpu":
        from ...agents.networks.torch_backend import checked_device

        checked_device(device)


def have_passed(minutes: float | None, seconds: float) -> bool:
    """Return whether so many minutes are over after these seconds; None never are."""
    return minutes is not None and seconds >= 60 * minutes


def check_opening_plies(game: Game, given: int | None) -> None:
    """Check that games are as long as the random plies that are given to open them.

    Raises:
        ValueError: they are not.
    """
    if given is not None and given > game.max_plies:
        raise ValueError(f"opening_plies must be from 0 to {game.max_plies}, got {given}")


def check_players(game: Game, specs: Iterable[str]) -> None:
    """Check that players are there whom a training can ask for moves.

    Raises:
        ValueError: a name is unknown, and the nearest is suggested; or it is that of a person.
    """
    from ...agents import Human, make

    for spec in specs:
        if isinstance(make(spec, game), Human):
            raise ValueError(f"{spec!r} is a person, and a training asks for moves by itself: name another player")


def most_opening_plies(game: Game, given: int | None) -> int:
    """Return how many random plies open a game that is learned from, at most: those given, or the default."""
    return min(_OPENING, game.max_plies // 2) if given is None else given


def _is_texts(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and all(isinstance(text, str) for text in value)


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, Integral if kind is int else kind) and (kind is bool or not isinstance(value, bool))


def _is_in_range(value: Any, metadata: Mapping[str, Any]) -> bool:
    least, above, most = metadata["least"], metadata["above"], _most(metadata)
    return (least is None or value >= least) and (above is None or value > above) and (most is None or value <= most)


def most_threads() -> int:
    """Return the most threads that may be asked for. To know it, all games are imported: it takes a second."""
    from ...envs.outside.limits import MOST_THREADS

    return MOST_THREADS


def _most(metadata: Mapping[str, Any]) -> Any:
    most = metadata["most"]
    return most() if callable(most) else most


def _range(least: float | None, above: float | None, most: float | None) -> str:
    """Return the range of a number in words; empty if there is none."""
    if least is not None and most is not None:
        return f"from {least} to {most}"
    bounds = {"at least": least, "above": above, "at most": most}
    return ", ".join(f"{words} {bound}" for words, bound in bounds.items() if bound is not None)


def described(one: Field[Any]) -> str:
    """Return what a field is, its range if it is a number, and its default if there is one to tell."""
    least, above, most = (one.metadata[name] for name in ("least", "above", "most"))
    limits, default = _range(least, above, None if callable(most) else most), default_of(one)
    parts = one.metadata["what"], limits and f"{limits[0].upper()}{limits[1:]}.", default and f"Default: {default}."
    return " ".join(filter(None, parts))


def sourced(one: Field[Any]) -> str:
    """Return what `described` does, and where the idea or the default is from if that is told."""
    source = one.metadata["source"]
    return f"{described(one)} Source: {source}." if source else described(one)


def default_of(one: Field[Any]) -> str:
    """Return the default of a field as people type it; empty if there is none, or it says nothing."""
    default = one.default if one.default_factory is MISSING else one.default_factory()
    if isinstance(default, Mapping):
        return ", ".join(f"{name}*{share:g}" for name, share in default.items())
    if isinstance(default, tuple):
        return ", ".join(default)
    if default is True:
        return "on"
    if isinstance(default, float):
        return f"{default:g}"  # 60, and not 60.0
    return "" if default is MISSING or default is None or default is False else str(default)


def documented(cls: Class) -> Class:
    """Add the fields of a configuration to its documentation: a class decorator."""
    lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Attributes:"]
    for one in fields(cls):
        lines += textwrap.wrap(
            f"{one.name}: {sourced(one)}", _WIDTH, initial_indent="    ", subsequent_indent="        "
        )
    cls.__doc__ = "\n".join(lines)
    return cls
