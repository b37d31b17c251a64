"""AlphaZero, DQN and PPO at equal time: ``python -m benchmarks.learning.learning_curves``, half an hour.

Each learns Connect Four for as many minutes, one after the other, with its defaults, the threads of ``--threads`` and
nothing else beside. Then each checkpoint, without search, is graded by the committed positions
(`plyground.arena.grading`). Printed are the shares of moves that preserve the value, and saved is their picture over
the minutes of training. Runs and grades are kept in the folder of ``--keep`` and not made again, so the script may be
stopped between two runs and started again.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.page import save_picture

GAME = "connect_four"
PICTURE = Path(__file__).parents[2] / "docs" / "images" / "learning_curves"
COLOURS = {"alphazero": "#c0392b", "dqn": "#2471a3", "ppo": "#1e8449"}
POINTS = 12  # checkpoints of a curve


def config_of(algorithm: str, minutes: float, threads: int, seed: int) -> Any:
    """Return the configuration of a run, by the defaults."""
    from plyground.arena.training import TrainingConfig
    from plyground.arena.training.alphazero import AlphaZeroConfig

    settings: dict[str, Any] = {"minutes": minutes, "seed": seed, "ladder_every": 0}
    settings |= {"checkpoint_minutes": minutes / POINTS, "steps": None}
    if algorithm == "alphazero":
        config = AlphaZeroConfig(GAME, threads=threads, checkpoint_every=10_000, **settings)
        return replace(config, **config.size(GAME)._asdict())  # as the run keeps it
    more = {"algorithm": algorithm, "network_threads": threads, "checkpoint_every": 50_000}
    return TrainingConfig(GAME, **settings, **more)


def is_of(config: Any, run: Path) -> bool:
    """Return whether a run has this configuration; one that has settings of another version has not."""
    try:
        return type(config).load(run / "config.json") == config
    except (OSError, ValueError):
        return False


def one_run(algorithm: str, minutes: float, threads: int, seed: int, folder: str) -> None:
    """Train, and write beside the run how many steps were done by which minute."""
    from plyground.arena.training import train as train_policy
    from plyground.arena.training.alphazero import train as train_net

    told: list[tuple[float, float]] = [(0.0, 0.0)]

    def hear(progress: Any) -> None:
        told.append((progress.steps, progress.seconds / 60))

    config: Any = config_of(algorithm, minutes, threads, seed)
    (train_net if algorithm == "alphazero" else train_policy)(config, folder, hear)
    if told[-1][1] < minutes:
        raise SystemExit(130)  # it was stopped, and is made anew
    (Path(folder) / "minutes.json").write_text(json.dumps(told))


def trained(algorithm: str, minutes: float, threads: int, seed: int, keep: Path) -> Path:
    """Return the folder of a run that is done; one that is not, or is of other defaults, a process of its own makes."""
    run = keep / f"{algorithm}-{minutes:g}-{threads}-{seed}"
    config = config_of(algorithm, minutes, threads, seed)
    if not (run / "minutes.json").is_file() or not is_of(config, run):
        shutil.rmtree(run, ignore_errors=True)
        call = f"one_run({algorithm!r}, {minutes}, {threads}, {seed}, {str(run)!r})"
        code = f"from benchmarks.learning.learning_curves import one_run; {call}"
        if subprocess.call([sys.executable, "-c", code]):
            raise typer.Exit(1)
    return run


def curve(run: Path) -> list[dict[str, float]]:
    """Return the minutes of some of a run's checkpoints, and their shares of moves that preserve the value."""
    from plyground.arena.grading import evaluate
    from plyground.arena.grading.curve import checkpoints, player_of

    kept = run / "curve.json"
    if not kept.is_file():
        steps, minutes = np.array(json.loads((run / "minutes.json").read_text())).T
        found = checkpoints(run)
        at = np.interp([one for one, _ in found], steps, minutes)
        chosen = sorted({int(np.abs(at - time).argmin()) for time in np.linspace(at[-1] / POINTS, at[-1], POINTS)})
        points = []
        for place in chosen:
            grades = evaluate(player_of(found[place][1]), GAME, ladder="none").grades
            assert grades is not None  # it is a game with solved positions
            share = grades.total.preserving
            points.append({"minutes": float(at[place]), "share": share.share, "low": share.low, "high": share.high})
        kept.write_text(json.dumps(points))
    return json.loads(kept.read_text())


def draw(curves: dict[str, list[dict[str, float]]], title: str, path: Path) -> None:
    """Save the picture, as SVG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for name, points in curves.items():
        minutes, shares, low, high = ([one[key] for one in points] for key in ("minutes", "share", "low", "high"))
        axes.plot(minutes, shares, "o-", color=COLOURS[name], ms=4, label=name)
        axes.fill_between(minutes, low, high, color=COLOURS[name], alpha=0.15, lw=0)
    axes.set(xlabel="minutes of training", ylabel="moves that preserve the value", ylim=(0.4, 1))
    axes.set_xlim(left=0)
    axes.set_title(title, fontsize=10)
    axes.grid(color="#dddddd", lw=0.6)
    axes.legend(loc="lower right")
    save_picture(figure, path.with_suffix(".svg"))


def main(
    minutes: Annotated[float, typer.Option(help="Minutes of each run.", min=0.1)] = 10.0,
    threads: Annotated[int, typer.Option(help="Threads of each run.", min=1)] = 2,
    seed: Annotated[int, typer.Option(help="Seed of each run.", min=0)] = 0,
    keep: Annotated[Path, typer.Option(help="The folder of finished runs.")] = Path("build/learning_curves"),
    out: Annotated[Path, typer.Option(help="The picture, without its ending.")] = PICTURE,
) -> None:
    """Train, grade, and draw."""
    keep.mkdir(parents=True, exist_ok=True)
    runs = {name: trained(name, minutes, threads, seed, keep) for name in COLOURS}
    curves = {name: curve(run) for name, run in runs.items()}
    table = Table("algorithm", "minutes", "moves that preserve the value")
    for name, points in curves.items():
        for point in points:
            limits = f"{point['share']:.1%} ({point['low']:.1%} to {point['high']:.1%})"
            table.add_row(name, f"{point['minutes']:.1f}", limits)
    Console(width=90).print(table)
    cores = "1 core" if threads == 1 else f"{threads} cores"
    draw(curves, f"Connect Four, networks alone, {minutes:g} minutes on {cores}, seed {seed}", out)


if __name__ == "__main__":
    typer.run(main)
