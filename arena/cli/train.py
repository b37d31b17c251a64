"""``plyground train``: a policy learns a game, in a folder from which it can go on after Ctrl-C or a crash.

The options are the fields of `TrainingConfig`, `AlphaZeroConfig` and `AlphaGoConfig`: their names, what they mean,
their ranges and defaults are from there.
"""

from __future__ import annotations

import inspect
import math
import re
import shlex
from collections.abc import Callable
from dataclasses import Field, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_origin

import typer
from typer.main import get_command

from ..lines import console, print_plain
from ..training.alphago.config import PARTS, AlphaGoConfig
from ..training.alphazero.config import AlphaZeroConfig
from ..training.config import ALGORITHMS, TrainingConfig
from ..training.settings import MACHINE, described, kind_of

__all__ = ["named_as_options", "option_name", "train"]

_console = console(stderr=True)
_ARGUMENTS = ("algorithm", "game")  # these two fields are no options
_PANELS = {
    TrainingConfig: "Options of ppo, a2c and dqn",
    AlphaZeroConfig: "Options of alphazero",
    AlphaGoConfig: "Options of alphago",
}
_NAMES = {AlphaZeroConfig: "alphazero", AlphaGoConfig: "alphago"}
_KINDS = {**{name: kind for kind, name in _NAMES.items()}, **dict.fromkeys(ALGORITHMS, TrainingConfig)}
# Options that some values of others leave without effect: where they have one, in words, and as a test.
_Effect = tuple[str, Callable[[Any], bool]]
_TESTED: _Effect = ("--ladder-every above 0", lambda config: config.ladder_every > 0)
_SELF_PLAY: _Effect = ("--self-play above 0", lambda config: config.self_play > 0)
_SNAPSHOTS: _Effect = (
    "--self-play above 0, and another --sampling than latest",
    lambda config: config.self_play > 0 and config.sampling != "latest",
)
_GUMBEL: _Effect = ("--root gumbel", lambda config: config.root == "gumbel")
_PUCT: _Effect = ("--root puct", lambda config: config.root == "puct")
_GATING: _Effect = ("--gating-games above 0", lambda config: config.gating_games > 0)
_EFFECTS: dict[type, dict[str, _Effect]] = {
    TrainingConfig: {
        "blocks": ("--network resnet", lambda config: config.network == "resnet"),
        "exploration_steps": ("dqn", lambda config: config.algorithm == "dqn"),
        "opponents": ("--self-play below 1", lambda config: config.self_play < 1),
        "sampling": _SELF_PLAY,
        **dict.fromkeys(("active_opponents", "snapshot_every", "pool"), _SNAPSHOTS),
        **dict.fromkeys(("ladder", "ladder_games"), _TESTED),
    },
    AlphaZeroConfig: {
        "cheap_simulations": ("--full-share below 1", lambda config: config.full_share < 1),
        "decay_after": ("--schedule inverse_root", lambda config: config.schedule == "inverse_root"),
        **dict.fromkeys(("considered", "c_visit", "c_scale"), _GUMBEL),
        **dict.fromkeys(("noise_alpha", "forced", "temperature_plies"), _PUCT),
        **dict.fromkeys(("gating_score", "gating_every"), _GATING),
        **dict.fromkeys(("ladder", "ladder_games", "positions"), _TESTED),
    },
}
_RESUMED = ("steps", "minutes", *MACHINE)  # fields that may be given with --resume


def _print_help(context: typer.Context, is_asked: bool) -> None:
    """Print the help and exit: of an algorithm that is named its own options and examples, else those of all."""
    if not is_asked:
        return
    command: Any = context.command
    kind = _KINDS.get(context.params["algorithm"])
    if kind is not None:

        def alone(**options: Any) -> None:
            pass

        alone.__signature__ = _signature(kind)  # pyright: ignore[reportFunctionMemberAccess]  (which typer reads)
        one = typer.Typer(add_completion=False)
        others = [f"train {name} " for name, its_kind in _KINDS.items() if its_kind is not kind]
        examples = [part for part in command.epilog.split("\n\n") if not any(other in part for other in others)]
        one.command(command.name, help=command.help, epilog="\n\n".join(examples))(alone)
        command = get_command(one)
    for option in command.params:
        option.secondary_opts = []  # they have a column of their own, which takes a quarter of the words' room
    typer.echo(command.get_help(context))
    raise typer.Exit


def train(
    algorithm: Annotated[
        str,
        typer.Argument(
            is_eager=True,  # the help asks for it
            help="The algorithm: alphazero, alphago, ppo (with masks), a2c or dqn; not with --resume.",
        ),
    ] = "",
    game: Annotated[str, typer.Argument(help="A game, as in 'connect_four(rows=5)', or './file.py:name'.")] = "",
    out: Annotated[Path | None, typer.Option(help="A new folder for the run. Default: ALGORITHM-GAME.")] = None,
    resume_from: Annotated[Path | None, typer.Option("--resume", help="Go on with the run in this folder.")] = None,
    step: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART",
            help=f"A part of alphago to train, alone: {', '.join(PARTS)}; give it again for more. Default: all.",
            rich_help_panel="Options of alphago",
        ),
    ] = None,
    asks_for_help: Annotated[
        bool,
        typer.Option(
            "--help",
            callback=_print_help,
            help="Show this message and exit. 'plyground train ALGORITHM --help' has the options of one alone.",
        ),
    ] = False,
    **options: Any,
) -> None:
    """Train a policy against itself, its past, and others. Ctrl-C saves; --resume goes on exactly where it was."""
    from ...envs.outside.messages import shown
    from ...envs.outside.spec import nearest
    from ..progress import train_with_progress
    from ..training import RunFolder, alphago, alphazero, check_unfinished
    from ..training import train as run
    from ..training.model import check_algorithm
    from .parts.trained import exit_if_unfinished, further, steps_of, tell_parts, tell_untaught

    given = {name: value for name, value in options.items() if not (value is None or value == [])}
    steps, minutes = given.get("steps"), given.get("minutes")
    if resume_from is not None:
        named = {"the algorithm": algorithm, "the game": game, "--out": out is not None}
        more = [what for what, is_given in named.items() if is_given]
        more += [option_name(name) for name in given if name not in _RESUMED]
        if more:
            free = ", ".join(map(option_name, _RESUMED))
            raise ValueError(
                f"--resume goes on with what its folder says: leave out {', '.join(more)}, and give no more than {free}"
            )
        _go_on(resume_from, step, **given)
        return
    if not algorithm or not game:
        raise ValueError("give an algorithm and a game, as in 'plyground train ppo connect_four', or --resume FOLDER")
    if algorithm not in _KINDS:
        raise ValueError(f"unknown algorithm {shown(algorithm)}: {nearest(algorithm, _KINDS)}")
    kind = _KINDS[algorithm]
    if step and kind is not AlphaGoConfig:
        raise ValueError(f"--step is no option of {algorithm}: it names a part of alphago")
    if kind is not AlphaGoConfig:  # whose parts have their steps and, all of them, minutes
        if minutes is not None:
            given.setdefault("steps", None)
        elif steps is not None:
            given["minutes"] = None
    _check_options(algorithm, kind, given)
    read = {name: _SPECIAL[name].read(value) if name in _SPECIAL else value for name, value in given.items()}
    config: Any = kind(game=game, algorithm=algorithm, **read)  # pyright: ignore[reportArgumentType]  (checked)
    _check_effects(config, given)
    config.check_names()
    folder = out or Path(f"{algorithm}-{_in_a_folder_name(game)}")
    RunFolder(folder).check_new()
    if kind is TrainingConfig:
        check_algorithm(config)
    if kind is AlphaGoConfig:

        def trained_from_records(report: Callable[[Any], object]) -> Any:
            report(alphago.AlphaGoProgress(0, 0.0, 0, 0.0, 0.0))  # no part yet: the records are read
            return alphago.train(config, folder, report, parts=step)

        train_with_progress(trained_from_records, minutes=config.minutes)
        tell_parts(folder)
        exit_if_unfinished(partial(alphago.check_unfinished, folder, parts=step))
        return
    begin, check = (run, check_unfinished) if kind is TrainingConfig else (alphazero.train, alphazero.check_unfinished)
    trained = train_with_progress(lambda report: begin(config, folder, report), config.steps, config.minutes)
    more = further(config, folder, steps_of(trained))
    done = f"{folder}: {steps_of(trained):,} steps; go on with --resume {shlex.quote(str(folder))}{more}"
    print_plain(_console, done)
    tell_untaught(folder, trained)
    exit_if_unfinished(partial(check, folder))


def _in_a_folder_name(game: str) -> str:
    """Return a spec as a part of a folder's name: a game of one's own without its file, as in ``nim(size=5)``."""
    from ...envs.outside.elsewhere import place_of

    place = place_of(game)
    named = game if place is None else game.strip().removeprefix(place.rpartition(":")[0] + ":")
    return named.replace("/", "-")  # of an argument that is a path


def _go_on(
    folder: Path, step: list[str] | None, steps: int | None = None, minutes: float | None = None, **machine: Any
) -> None:
    """Go on with the run in a folder."""
    from ..progress import train_with_progress
    from ..training import alphago, alphazero, check_unfinished, resume
    from .parts.trained import exit_if_unfinished, kept, steps_of, tell_parts, tell_untaught

    if alphago.is_run(folder):
        if steps is not None:
            raise ValueError("--steps is no option of alphago: its parts have their own, in the folder's config.json")
        check = partial(alphago.check_unfinished, folder, parts=step, minutes=minutes, **machine)
        check()
        train_with_progress(
            lambda report: alphago.resume(folder, report, parts=step, minutes=minutes, **machine),
            minutes=minutes or kept(folder, "minutes"),
        )
        tell_parts(folder)
        exit_if_unfinished(check)
        return
    if step:
        raise ValueError(f"--step names a part of a run of alphago, and {str(folder)!r} holds none")
    is_ours = alphazero.is_run(folder)
    left = alphazero.check_unfinished if is_ours else check_unfinished
    check = partial(left, folder, steps=steps, minutes=minutes, **machine)
    check()
    go_on: Any = alphazero.resume if is_ours else resume
    trained = train_with_progress(
        lambda report: go_on(folder, report, steps=steps, minutes=minutes, **machine),
        steps or kept(folder, "steps"),
        minutes or kept(folder, "minutes"),
    )
    print_plain(_console, f"{folder}: {steps_of(trained):,} steps")
    tell_untaught(folder, trained)
    exit_if_unfinished(check)


def _check_options(algorithm: str, kind: type[Any], given: dict[str, Any]) -> None:
    """Check that the options which are given are those of the algorithm."""
    from ...envs.outside.spec import nearest

    known = [option_name(one.name) for one in fields(kind) if one.name not in _ARGUMENTS]
    for name in map(option_name, given):
        if name not in known:
            raise ValueError(f"{name} is no option of {algorithm}: {nearest(name, known)}")


def _check_effects(config: Any, given: dict[str, Any]) -> None:
    """Raise `ValueError` for an option that is given and does nothing in this configuration."""
    for name, (where, has_effect) in _EFFECTS.get(type(config), {}).items():
        if name in given and not has_effect(config):
            raise ValueError(f"{option_name(name)} is for {where}: here it would do nothing, so leave it out")


# -- options out of fields ---------------------------------------------------------------------------------------------


class _Special(NamedTuple):
    """How an option is written whose field is more than a number, a choice or a switch."""

    option: str
    form: str  # as in the help
    kind: Any
    more: str  # how it is given, in the help
    read: Callable[[Any], Any]


def _read_shares(texts: list[str]) -> dict[str, float]:
    """Read ``SPEC`` and ``SPEC*SHARE``.

    Raises:
        ValueError: a share is no finite number, or a spec is given twice.
    """
    shares: dict[str, float] = {}
    for text in texts:
        spec, star, share = text.rpartition("*")
        spec = spec.strip() if star else text
        if spec in shares:
            raise ValueError(f"--opponent gives {spec!r} twice: give it once, with its share, as in 'random*0.5'")
        try:
            shares[spec] = float(share) if star else 1.0
        except ValueError:
            shares[spec] = math.nan
        if not math.isfinite(shares[spec]):  # words such as "nan" are numbers for Python
            raise ValueError(f"cannot read the share in {text!r}: expected a number, as in 'random*0.5'")
    return shares


def _read_settings(text: str) -> dict[str, Any]:
    """Read ``key=value, …``."""
    from ...envs.outside.spec import parse_spec

    _, unnamed, named = parse_spec(f"settings({text})")
    if unnamed:
        raise ValueError(f"cannot read the settings {text!r}: expected KEY=VALUE, …, as in 'n_epochs=8'")
    return named


_SPECIAL = {
    "opponents": _Special("--opponent", "SPEC*SHARE", list[str], "Give it again for more.", _read_shares),
    "ladder": _Special("--ladder", "SPEC", list[str], "Give it again for more.", tuple),
    "records": _Special("--records", "FILE", list[str], "Give it again for more.", tuple),
    "settings": _Special("--settings", "KEY=VALUE", str, "As in 'learning_rate=3e-4, n_epochs=8'.", _read_settings),
}


_FIELDS = re.compile("|".join(rf"\b{one.name}\b" for kind in _PANELS for one in fields(kind) if "_" in one.name))


def option_name(field: str) -> str:
    """Return the option of a field, as in ``--num-envs``."""
    return _SPECIAL[field].option if field in _SPECIAL else f"--{field.replace('_', '-')}"


def _option(name: str, *configurations: type[Any]) -> inspect.Parameter:
    """Return the option of fields of this name. If it is not given, it is None: the default is the configuration's."""
    kinds = [kind for kind in configurations if name in kind.__dataclass_fields__]
    own = {kind: kind.__dataclass_fields__[name] for kind in kinds}
    kind, form = kind_of(kinds[0], name), None
    what = _in_words(own)
    option = option_name(name)
    if special := _SPECIAL.get(name):
        form, kind, what = special.form, special.kind, f"{what} {special.more}"
    elif kind is bool:
        without = f"--no-{name.replace('_', '-')}"
        option = f"{option}/{without}"
        if any(one.default is not False for one in own.values()):
            what += f" {without} turns it off."
    elif get_origin(kind) is Literal:
        kind = str  # its values are told, and checked, by the configuration
    if name == "steps":
        what += " A new run with --minutes alone has no such limit; --resume changes the limits that are given."
    if name == "minutes" and AlphaGoConfig not in kinds:
        what += " A new run with --steps alone has no such limit."
    if name in MACHINE:
        what += " --resume takes it, too, in place of the run's own."
    if len(configurations) == 1 and (source := own[kinds[0]].metadata["source"]):
        what += f" Source: {source}."
    panel = _PANELS[kinds[0]] if len(kinds) == 1 else None
    made: Any = typer.Option(option, metavar=form, help=what, show_default=False, rich_help_panel=panel)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, made]
    )


def _in_words(own: dict[type, Field[Any]]) -> str:
    """Return what fields of one name are, by their configurations, once if they are the same; as options are named."""
    told: dict[str, str] = {}
    for kind, one in own.items():
        told.setdefault(named_as_options(described(one), one.name), f"Of {_NAMES[kind]}: " if told else "")
    return " ".join(f"{whose}{what}" for what, whose in told.items())


def named_as_options(text: str, field: str) -> str:
    """Return what is said of a field, with all others of two words and more, such as ``num_envs``, named as options."""
    return _FIELDS.sub(lambda found: found[0] if found[0] == field else option_name(found[0]), text)


def _signature(*kinds: type[Any]) -> inspect.Signature:
    """Return the parameters of the command that are of use to these configurations."""
    own = [one for one in _own if one.name != "step" or AlphaGoConfig in kinds]
    names = dict.fromkeys(one.name for kind in kinds for one in fields(kind) if one.name not in _ARGUMENTS)
    return inspect.Signature([*own, *(_option(name, *kinds) for name in names)])


_own = [one for one in inspect.signature(train, eval_str=True).parameters.values() if one.name != "options"]
train.__signature__ = _signature(*_PANELS)  # pyright: ignore[reportFunctionMemberAccess]  (which typer reads)
