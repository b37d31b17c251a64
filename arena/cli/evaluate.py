"""``plyground evaluate``: how good a player is, by exact solving and on a ladder of other players."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..lines import console
from .options import Json, print_json

__all__ = ["evaluate_player"]

_out = console()


def evaluate_player(
    context: typer.Context,
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
    as_json: Json = False,
) -> None:
    """Grade a player: moves by exact solving, a rating on a ladder, and whether its values come true.

    A small policy in Connect Four takes about a minute with the quick ladder. Ctrl-C keeps what is done.
    """
    from ...envs import make_game
    from ...envs.outside.files import check_access
    from ..grading.curve import curve_row
    from ..grading.evaluation import evaluate
    from ..grading.files import as_data
    from ..grading.ladder import ladder_rungs
    from ..grading.report import print_evaluation
    from ..progress import collect_with_progress, play_with_progress
    from .parts.evaluation import curve_table, graded_curve, named, save, save_curve, tell_losses
    from .parts.modes import check_options

    is_without = not ladder_rungs(ladder or "quick")
    check_options(context, "--ladder none" if is_without else "a ladder", {"a ladder": ("games", "opening_plies")})
    is_ungraded = positions is not None and positions.isdecimal() and int(positions) == 0
    check_options(context, "--positions 0" if is_ungraded else "graded positions", {"graded positions": ("blunders",)})
    check_options(context, "--curve" if curve else "--json" if as_json else "text", {"text": ("blunders",)})
    if out is not None:
        if out.exists() and not out.is_dir():
            raise FileExistsError(f"cannot save to {out}: it is a file, expected a folder")
        if not out.parent.is_dir():
            raise FileNotFoundError(f"cannot save to {out}: there is no folder {out.parent}")
        check_access(out, f"cannot save to {out}")
        if (out / "games.jsonl").exists() and not (out / "evaluation.json").exists():
            raise FileExistsError(f"{out / 'games.jsonl'} holds games of something else: choose another folder")
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
        points, code = graded_curve(player, game, options)
        rows = [curve_row(point) for point in points]
        if as_json:
            print_json([{**as_data(row), "found": as_data(p.found)} for row, p in zip(rows, points, strict=True)])
        else:
            _out.print(curve_table(rows))
        if out is not None and rows:
            out.mkdir(exist_ok=True)
            save_curve(out, rows, f"{player}: {points[0].found.game}, seed {seed}")
        if code:
            raise typer.Exit(code)
        return
    asked = named(player)
    made = make_game(game or asked.game or "connect_four")
    found = evaluate(asked.spec, made, name=asked.name, **options)
    tell_losses(found)
    if as_json:
        print_json(as_data(found))
    else:
        print_evaluation(_out, made, found, blunders)
    if out is not None:  # only now: a mistake leaves no folder
        out.mkdir(exist_ok=True)
        save(out, found)
    if found.stopped:
        raise typer.Exit(130)
