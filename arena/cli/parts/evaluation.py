"""What ``plyground evaluate`` does: players as they are named, a learning curve with its table, and what is saved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.table import Table

from ....agents import agent_names
from ....envs.outside.elsewhere import place_of
from ....envs.outside.extras import how_to_install
from ....envs.outside.messages import shown
from ....envs.outside.spec import nearest, parse_spec
from ...formats import write_records
from ...grading.curve import CurvePoint, checkpoints, game_of_run, learning_curve, player_of
from ...grading.evaluation import Evaluation
from ...grading.failing import LadderError
from ...grading.files import save_evaluation, write_csv
from ...grading.plots import can_plot, plot_calibration, plot_curve
from ...lines import TABLE, console, print_plain
from .losses import Losses

__all__ = ["Named", "curve_table", "graded_curve", "named", "save", "save_curve", "tell_losses"]

_err = console(stderr=True)
_MODELS = ("model.zip", "model.safetensors")  # the newest of a run


@dataclass(frozen=True)
class Named:
    """A player as the command line names it."""

    spec: str
    name: str | None  # the name to show, unless it is the spec
    game: str | None  # the game of its training run, if it comes from one


def named(text: str) -> Named:
    """Tell a folder and a file of a run from a spec, which may be that of a player of one's own, by its place."""
    path = Path(text)
    if path.is_dir():
        newest = next((one for one in map(path.joinpath, _MODELS) if one.is_file()), None)
        newest = newest or checkpoints(path)[-1][1]
        return Named(player_of(newest), text, game_of_run(path) if (path / "config.json").is_file() else None)
    if path.suffix in (".zip", ".safetensors") or (path.is_file() and path.suffix != ".py"):
        runs = [folder for folder in (path.parent, path.parent.parent) if (folder / "config.json").is_file()]
        return Named(player_of(path), text, game_of_run(runs[0]) if runs else None)
    if place_of(text) is not None:  # which says what is missing of a Python file alone, too
        return Named(text, None, None)
    try:
        name = parse_spec(text).name
    except ValueError:
        if path.name != text:  # a path of several parts
            raise FileNotFoundError(f"there is no folder or file {shown(text)}") from None
        raise
    if name not in agent_names():
        known = nearest(name, agent_names())
        raise ValueError(f"there is no agent, folder or file {shown(name)}: {known}")
    return Named(text, None, None)


def graded_curve(run: str, game: str | None, options: dict[str, Any]) -> tuple[list[CurvePoint], int]:
    """Evaluate the checkpoints, and return the points that are done, and the code to exit with.

    It is 0, or 130 where Ctrl-C has ended that, or 2 where the rungs of the ladder fail, as is then said.

    Raises:
        LadderError: they do so before there is a point.
    """
    points: list[CurvePoint] = []
    code = 0
    every = len(checkpoints(run))
    try:
        for point in learning_curve(run, game, **options):
            if point.found.stopped:
                code = 130
                break
            points.append(point)
            tell_losses(point.found)
            for note in point.found.notes:
                print_plain(_err, f"{point.path.name}: {note}")
            print_plain(_err, f"{point.path.name} done, {len(points)} of {every}")
    except KeyboardInterrupt:  # while a checkpoint is loaded, say
        code = 130
    except LadderError as error:
        if not points:
            raise
        print_plain(_err, f"ended after {len(points)} of {every}: {error}")
        code = 2
    if not points:
        raise typer.Exit(code)
    return points, code


def tell_losses(found: Evaluation) -> None:
    """Say who lost games of the ladder otherwise than by the rules."""
    losses = Losses()
    for record in () if found.ladder is None else found.ladder.records:
        losses.add(record)
    losses.tell()


def curve_table(rows: list[dict[str, Any]]) -> Table:
    """Return a learning curve as a table, a row for each checkpoint, with a dash where it has no such value."""
    names = {"preserving": "preserving", "optimal": "optimal", "lost": "value lost", "score": "score", "elo": "Elo"}
    table = Table(title="Learning curve", **TABLE)
    table.add_column("steps", justify="right")
    shown = [name for name in names if any(name in row for row in rows)]
    for name in shown:
        table.add_column(names[name], justify="right")
    formats = {"lost": "{:.3f}", "elo": "{:.0f}"}
    for row in rows:
        cells = (formats.get(name, "{:.1%}").format(row[name]) if name in row else "–" for name in shown)
        table.add_row(f"{row['steps']:,}", *cells)
    return table


def save(out: Path, found: Evaluation) -> None:
    """Save an evaluation in place of an earlier one in a folder: tables, games, and pictures if matplotlib is there."""
    is_again = (out / "evaluation.json").exists()
    written = save_evaluation(out, found)
    for name in ("games.jsonl", "calibration.png", "calibration.svg") if is_again else ():
        (out / name).unlink(missing_ok=True)
    if found.ladder is not None:
        write_records(out / "games.jsonl", found.ladder.records)
        written.append(out / "games.jsonl")
    calibrations = [one for one in (found.calibration, found.outcomes) if one is not None]
    if calibrations:
        title = f"Calibration: {found.player}, {found.game}"
        written += _plotted(lambda: plot_calibration(calibrations, title, out / "calibration"))
    _say_saved(written)


def save_curve(out: Path, rows: list[dict[str, Any]], title: str) -> None:
    """Save a learning curve into a folder: a table, and a picture if matplotlib is there."""
    write_csv(out / "curve.csv", rows)
    _say_saved([out / "curve.csv", *_plotted(lambda: plot_curve(rows, title, out / "curve"))])


def _plotted(draw: Any) -> list[Path]:
    if can_plot():
        return draw()
    print_plain(_err, f"no pictures: they need matplotlib, {how_to_install('plots')}")
    return []


def _say_saved(files: list[Path]) -> None:
    print_plain(_err, f"saved {', '.join(map(str, files))}")
