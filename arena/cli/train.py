"""``plyground train``: a policy learns a game, in a folder from which it can go on after Ctrl-C or a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ...envs.spec import parse_spec
from ..progress import train_with_progress
from ..training import RunFolder, TrainingConfig, resume
from ..training import train as run

__all__ = ["train"]

_console = Console(stderr=True)
_DEFAULT = TrainingConfig("connect_four")


def train(
    algorithm: Annotated[str, typer.Argument(help="ppo (with masks), a2c or dqn; not with --resume.")] = "",
    game: Annotated[str, typer.Argument(help="A game, as in 'connect_four(rows=5)'.")] = "",
    out: Annotated[Path | None, typer.Option(help="A new folder for the run. Default: ALGORITHM-GAME.")] = None,
    resume_from: Annotated[Path | None, typer.Option("--resume", help="Go on with the run in this folder.")] = None,
    steps: Annotated[
        int | None, typer.Option(help=f"Moves of the learner, in all. Default: {_DEFAULT.steps:,}, if no minutes.")
    ] = None,
    minutes: Annotated[float | None, typer.Option(help="Of training, in all.")] = None,
    num_envs: Annotated[int, typer.Option(help="Games side by side.")] = _DEFAULT.num_envs,
    threads: Annotated[int, typer.Option(help="That advance them.")] = _DEFAULT.threads,
    network_threads: Annotated[
        int, typer.Option(help="Of the network: more pay for a resnet on as many idle cores.")
    ] = _DEFAULT.network_threads,
    self_play: Annotated[
        float, typer.Option(help="Share of games against itself, now or earlier.")
    ] = _DEFAULT.self_play,
    sampling: Annotated[str, typer.Option(help="Of itself: latest, uniform or prioritised.")] = _DEFAULT.sampling,
    opponent: Annotated[
        list[str] | None,
        typer.Option(help="One of the other opponents, 'SPEC' or 'SPEC*SHARE'; again for more.", metavar="SPEC"),
    ] = None,
    network: Annotated[str, typer.Option(help="mlp or resnet.")] = _DEFAULT.network,
    width: Annotated[int | None, typer.Option(help="Units of a layer (256), or channels (16).")] = None,
    blocks: Annotated[int, typer.Option(help="Of the resnet.")] = _DEFAULT.blocks,
    symmetry: Annotated[
        bool, typer.Option("--symmetry", help="Each game is seen through a symmetry of the board.")
    ] = False,
    checkpoint_every: Annotated[int, typer.Option(help="Steps.")] = _DEFAULT.checkpoint_every,
    settings: Annotated[
        str, typer.Option(help="Of the algorithm, as in 'learning_rate=3e-4, n_epochs=8'.", metavar="KEY=VALUE, …")
    ] = "",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same run.")] = 0,
) -> None:
    """Train a policy against itself, its past, and others. Ctrl-C saves; --resume goes on exactly where it was."""
    if resume_from is not None:
        if algorithm or game or out is not None:
            raise ValueError("--resume goes on with what its folder says: give no algorithm, no game and no --out")
        RunFolder(resume_from).state()
        model = train_with_progress(
            lambda report: resume(resume_from, report, steps=steps, minutes=minutes), steps, minutes
        )
        _console.print(f"{resume_from}: {model.num_timesteps:,} steps", highlight=False)
        return
    if not algorithm or not game:
        raise ValueError("give an algorithm and a game, as in 'plyground train ppo connect_four', or --resume FOLDER")
    config = TrainingConfig(
        game=game,
        algorithm=algorithm,
        steps=_DEFAULT.steps if steps is None and minutes is None else steps,
        minutes=minutes,
        seed=seed,
        num_envs=num_envs,
        threads=threads,
        network_threads=network_threads,
        self_play=self_play,
        sampling=sampling,  # pyright: ignore[reportArgumentType]  (checked there)
        opponents=dict(map(_share, opponent)) if opponent else _DEFAULT.opponents,
        network=network,  # pyright: ignore[reportArgumentType]
        width=width,
        blocks=blocks,
        symmetry=symmetry,
        checkpoint_every=checkpoint_every,
        settings=_settings(settings),
    )
    config.check_names()
    folder = out or Path(f"{algorithm}-{game}")
    RunFolder(folder).check_new()
    model = train_with_progress(lambda report: run(config, folder, report), config.steps, minutes)
    _console.print(f"{folder}: {model.num_timesteps:,} steps; go on with --resume {folder}", highlight=False)


def _settings(text: str) -> dict[str, Any]:
    """Read ``key=value, …``."""
    _, unnamed, named = parse_spec(f"settings({text})")
    if unnamed:
        raise ValueError(f"cannot read the settings {text!r}: expected KEY=VALUE, …, as in 'n_epochs=8'")
    return named


def _share(text: str) -> tuple[str, float]:
    """Read ``SPEC`` or ``SPEC*SHARE``."""
    spec, star, share = text.rpartition("*")
    if not star:
        return text, 1.0
    try:
        return spec.strip(), float(json.loads(share))
    except ValueError:
        raise ValueError(f"cannot read the share in {text!r}: expected a number, as in 'random*0.5'") from None
