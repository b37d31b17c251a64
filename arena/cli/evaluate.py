"""``plyground evaluate``: how good a player is, by exact solving and on a ladder of other players."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ...agents import agent_names, make
from ...envs import make_game
from ...envs.outside.extras import how_to_install
from ...envs.outside.messages import shown
from ...envs.outside.spec import nearest, parse_spec
from ..grading.curve import CurvePoint, checkpoints, curve_row, game_of_run, learning_curve
from ..grading.evaluation import Evaluation, evaluate
from ..grading.files import as_data, save_evaluation, write_csv
from ..grading.plots import can_plot, plot_calibration, plot_curve
from ..grading.report import print_evaluation
from ..progress import collect_with_progress, play_with_progress
from ..records.record import write_records

__all__ = ["evaluate_player"]

_out = Console()
_err = Console(stderr=True)


@dataclass(frozen=True)
class _Named:
    """A player as the command line names it."""

    spec: str
    name: str | None  # the name to show, unless it is the spec
    game: str | None  # the game of its training run, if it comes from one


def evaluate_player(
    player: Annotated[
        str,
        typer.Argument(
            help="The player to grade, as in 'mcts(simulations=100)'; a model's file; or a training run's folder."
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", help="The game. Default: the training run's, else connect_four."),
    ] = None,
    positions: Annotated[
        str | None,
        typer.Option(
            help="Solved positions in which the player is asked: a set that comes with the package, standard, "
            "hard_openings, endgames, or all; or a number of each ply, 0 for none. Default: the standard set, or 20 of "
            "each ply that are solved now.",
        ),
    ] = None,
    ladder: Annotated[
        list[str] | None,
        typer.Option(
            help="Players to play against: quick, full, none, or a player; give it again for more, weakest first."
        ),
    ] = None,
    games: Annotated[int, typer.Option(help="Games against each rung of the ladder; even.")] = 40,
    opening_plies: Annotated[int | None, typer.Option(help="Random plies that open each game of the ladder.")] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of positions, openings and games: the same seed gives the same result.")
    ] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes that play; -1 for one on each core.")] = 1,
    blunders: Annotated[int, typer.Option(min=0, help="Number of the worst blunders that are shown with boards.")] = 5,
    curve: Annotated[bool, typer.Option("--curve", help="Grade every checkpoint of a training run.")] = False,
    out: Annotated[Path | None, typer.Option(help="A folder for tables as CSV, pictures, and games.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Grade a player: moves by exact solving, a rating on a ladder, and whether its values come true.

    A small policy in Connect Four takes about a minute with the quick ladder. Ctrl-C keeps what is done.
    """
    if out is not None:
        if out.exists() and not out.is_dir():
            raise FileExistsError(f"cannot save to {out}: it is a file, expected a folder")
        if not out.parent.is_dir():
            raise FileNotFoundError(f"cannot save to {out}: there is no folder {out.parent}")
    options: dict[str, Any] = {
        "positions": int(positions) if positions and positions.lstrip("-").isdecimal() else positions,
        "ladder": ladder or "quick",
        "games": games,
        "opening_plies": opening_plies,
        "seed": seed,
        "jobs": jobs,
        "watch_answers": lambda answers, total: collect_with_progress(
            answers, total, "grading", "positions", lambda part: len(part.actions)
        ),
        "watch_games": play_with_progress,
    }
    if curve:
        points = _curve(player, game, options)
        rows = [curve_row(point) for point in points]
        if as_json:
            print(
                json.dumps([{**as_data(row), "found": as_data(p.found)} for row, p in zip(rows, points, strict=True)])
            )
        else:
            _out.print(_curve_table(rows))
        if out is not None and rows:
            out.mkdir(exist_ok=True)
            _save_curve(out, rows, f"{player}: {points[0].found.game}, seed {seed}")
        return
    named = _named(player)
    made = make_game(game or named.game or "connect_four")
    if out is not None:  # an unknown player leaves no folder
        make(named.spec, made)
        out.mkdir(exist_ok=True)
    found = evaluate(named.spec, made, name=named.name, **options)
    if as_json:
        print(json.dumps(as_data(found), indent=2))
    else:
        print_evaluation(_out, made, found, blunders)
    if out is not None:
        _save(out, found)


def _named(text: str) -> _Named:
    """Tell a folder and a file from a spec."""
    path = Path(text)
    if path.is_dir():
        newest = path / "model.zip"
        newest = newest if newest.is_file() else checkpoints(path)[-1][1]
        return _Named(f"policy({str(newest)!r})", text, game_of_run(path) if (path / "config.json").is_file() else None)
    if path.is_file() or path.suffix == ".zip":
        runs = [folder for folder in (path.parent, path.parent.parent) if (folder / "config.json").is_file()]
        return _Named(f"policy({text!r})", text, game_of_run(runs[0]) if runs else None)
    try:
        name = parse_spec(text).name
    except ValueError:
        if path.name != text:  # a path of several parts
            raise FileNotFoundError(f"there is no folder or file {shown(text)}") from None
        raise
    if name not in agent_names():
        known = nearest(name, agent_names())
        raise ValueError(f"there is no agent, folder or file {shown(name)}: {known}")
    return _Named(text, None, None)


def _curve(run: str, game: str | None, options: dict[str, Any]) -> list[CurvePoint]:
    """Evaluate the checkpoints; after Ctrl-C, return the points that are done."""
    points: list[CurvePoint] = []
    every = len(checkpoints(run))
    for point in learning_curve(run, game, **options):
        if point.found.stopped:
            break
        points.append(point)
        _err.print(f"{point.path.name} done, {len(points)} of {every}", highlight=False)
    if not points:
        raise typer.Exit(130)
    return points


def _curve_table(rows: list[dict[str, Any]]) -> Table:
    names = {"preserving": "preserving", "optimal": "optimal", "lost": "value lost", "score": "score", "elo": "Elo"}
    table = Table(title="Learning curve", title_justify="left", header_style="bold underline", box=None)
    table.add_column("steps", justify="right")
    shown = [name for name in names if name in rows[0]]
    for name in shown:
        table.add_column(names[name], justify="right")
    formats = {"lost": "{:.3f}", "elo": "{:.0f}"}
    for row in rows:
        table.add_row(f"{row['steps']:,}", *(formats.get(name, "{:.1%}").format(row[name]) for name in shown))
    return table


def _save(out: Path, found: Evaluation) -> None:
    written = save_evaluation(out, found)
    if found.ladder is not None:
        (out / "games.jsonl").unlink(missing_ok=True)
        write_records(out / "games.jsonl", found.ladder.records)
        written.append(out / "games.jsonl")
    calibrations = [one for one in (found.calibration, found.outcomes) if one is not None]
    if calibrations:
        title = f"Calibration: {found.player}, {found.game}"
        written += _plotted(lambda: plot_calibration(calibrations, title, out / "calibration"))
    _say_saved(written)


def _save_curve(out: Path, rows: list[dict[str, Any]], title: str) -> None:
    write_csv(out / "curve.csv", rows)
    _say_saved([out / "curve.csv", *_plotted(lambda: plot_curve(rows, title, out / "curve"))])


def _plotted(draw: Any) -> list[Path]:
    if can_plot():
        return draw()
    _err.print(f"no pictures: they need matplotlib, {how_to_install('plots')}", markup=False, highlight=False)
    return []


def _say_saved(files: list[Path]) -> None:
    _err.print(f"saved {escape(', '.join(map(str, files)))}", highlight=False, soft_wrap=True)
