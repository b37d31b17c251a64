"""``plyground train``: a policy learns a game, in a folder from which it can go on after Ctrl-C or a crash.

The options are the fields of `TrainingConfig`: their names, what they mean, their ranges and defaults are from there.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import Field, fields
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_origin

import typer
from rich.console import Console

from ...envs.outside.spec import parse_spec
from ..progress import train_with_progress
from ..training import RunFolder, TrainingConfig, check_unfinished, resume
from ..training import train as run
from ..training.model import check_algorithm
from ..training.settings import described, kind_of

__all__ = ["train"]

_console = Console(stderr=True)
_ARGUMENTS = ("algorithm", "game")  # these two fields are no options


def train(
    algorithm: Annotated[
        str, typer.Argument(help="The algorithm: ppo (with masks), a2c or dqn; not with --resume.")
    ] = "",
    game: Annotated[str, typer.Argument(help="A game, as in 'connect_four(rows=5)', or './nim.py:nim'.")] = "",
    out: Annotated[Path | None, typer.Option(help="A new folder for the run. Default: ALGORITHM-GAME.")] = None,
    resume_from: Annotated[Path | None, typer.Option("--resume", help="Go on with the run in this folder.")] = None,
    **options: Any,
) -> None:
    """Train a policy against itself, its past, and others. Ctrl-C saves; --resume goes on exactly where it was."""
    given = {name: value for name, value in options.items() if not (value is None or value is False or value == [])}
    steps, minutes = given.get("steps"), given.get("minutes")
    if resume_from is not None:
        if algorithm or game or out is not None or set(given) - {"steps", "minutes"}:
            raise ValueError("--resume goes on with what its folder says: give no more than --steps and --minutes")
        check_unfinished(resume_from, steps=steps, minutes=minutes)
        model = train_with_progress(
            lambda report: resume(resume_from, report, steps=steps, minutes=minutes), steps, minutes
        )
        _console.print(f"{resume_from}: {model.num_timesteps:,} steps", highlight=False)
        return
    if not algorithm or not game:
        raise ValueError("give an algorithm and a game, as in 'plyground train ppo connect_four', or --resume FOLDER")
    if minutes is not None:
        given.setdefault("steps", None)
    read = {name: _SPECIAL[name].read(value) if name in _SPECIAL else value for name, value in given.items()}
    config = TrainingConfig(game=game, algorithm=algorithm, **read)  # pyright: ignore[reportArgumentType]  (checked)
    config.check_names()
    folder = out or Path(f"{algorithm}-{game}")
    RunFolder(folder).check_new()
    check_algorithm(config)
    model = train_with_progress(lambda report: run(config, folder, report), config.steps, minutes)
    _console.print(
        f"{folder}: {model.num_timesteps:,} steps; go on with --resume {folder}", highlight=False, soft_wrap=True
    )


# -- options out of fields ---------------------------------------------------------------------------------------------


class _Special(NamedTuple):
    """How an option is written whose field is more than a number, a choice or a switch."""

    option: str
    form: str  # as in the help
    kind: Any
    more: str  # how it is given, in the help
    read: Callable[[Any], Any]


def _read_shares(texts: list[str]) -> dict[str, float]:
    """Read ``SPEC`` and ``SPEC*SHARE``."""
    shares = {}
    for text in texts:
        spec, star, share = text.rpartition("*")
        try:
            shares[spec.strip() if star else text] = float(json.loads(share)) if star else 1.0
        except ValueError:
            raise ValueError(f"cannot read the share in {text!r}: expected a number, as in 'random*0.5'") from None
    return shares


def _read_settings(text: str) -> dict[str, Any]:
    """Read ``key=value, …``."""
    _, unnamed, named = parse_spec(f"settings({text})")
    if unnamed:
        raise ValueError(f"cannot read the settings {text!r}: expected KEY=VALUE, …, as in 'n_epochs=8'")
    return named


_SPECIAL = {
    "opponents": _Special("--opponent", "SPEC*SHARE", list[str], "Give it again for more.", _read_shares),
    "ladder": _Special("--ladder", "SPEC", list[str], "Give it again for more.", tuple),
    "settings": _Special("--settings", "KEY=VALUE, …", str, "As in 'learning_rate=3e-4, n_epochs=8'.", _read_settings),
}


def _option(one: Field[Any]) -> inspect.Parameter:
    """Return the option of a field. One that is not given is None, or False: the configuration has the default."""
    name, form, what, default = f"--{one.name.replace('_', '-')}", None, described(one), None
    kind = kind_of(TrainingConfig, one.name)
    if special := _SPECIAL.get(one.name):
        name, form, kind, what = special.option, special.form, special.kind, f"{what} {special.more}"
    elif kind is bool:
        default = False
    elif get_origin(kind) is Literal:
        kind = str  # its values are told, and checked, by the configuration
    if one.name == "steps":
        what += " With --minutes alone there is no limit."
    made: Any = typer.Option(name, metavar=form, help=what, show_default=False)
    annotation = Annotated[kind if kind is bool else kind | None, made]
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


_own = [one for one in inspect.signature(train, eval_str=True).parameters.values() if one.name != "options"]
train.__signature__ = inspect.Signature(  # pyright: ignore[reportFunctionMemberAccess]  (which typer reads)
    [*_own, *(_option(one) for one in fields(TrainingConfig) if one.name not in _ARGUMENTS)]
)
