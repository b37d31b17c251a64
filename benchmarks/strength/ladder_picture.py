"""Draw the ladders that come with the package: ``python -m benchmarks.strength.ladder_picture``.

Each game has a column of its own, and each player its place by its rating, with the standard error. There are two rows
of columns, so that labels can be read at the width of a page.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.page import save_picture
from benchmarks.strength.ladder import FOLDER

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "ladders.svg"
COLOURS = {"random": "#777777", "flat": "#ca8f1b", "mcts": "#c0392b", "alphabeta": "#2471a3", "gnugo": "#7d3c98"}
COLOURS |= dict.fromkeys(("network", "alphazero"), "#1e8449")
WITH = {"": "", ", rollout_depth=0": ", no rollout", ", rollout_depth=8": ", short", ", selective=false": ", plain"}
NEAREST = 0.031  # of the height: what labels keep between them
ROWS = 2


def label_of(spec: str) -> str:
    """Return the label of a player: ``mcts 1000`` of ``mcts(simulations=1000)``."""
    return re.sub(r"\(\w+=(\d+)(.*)\)", lambda found: f" {found[1]}{WITH[found[2]]}", spec)


def spread(heights: list[float], least: float) -> list[float]:
    """Return heights that are at least so far apart, near the given ones, which rise."""
    groups: list[list[float]] = []  # of heights that stand at their distance, as one
    for height in heights:
        groups.append([height])
        while len(groups) > 1 and bottom_of(groups[-1], least) < bottom_of(groups[-2], least) + least * len(groups[-2]):
            groups[-2:] = [groups[-2] + groups[-1]]
    return [bottom_of(group, least) + least * place for group in groups for place in range(len(group))]


def bottom_of(group: list[float], least: float) -> float:
    """Return where the lowest of a group stands whose middle is the mean of its heights."""
    return sum(group) / len(group) - least * (len(group) - 1) / 2


def draw(ladders: list[dict[str, Any]], path: Path) -> None:
    """Save the picture, as SVG."""
    from matplotlib.figure import Figure

    top = max(max(ladder["elo"].values()) for ladder in ladders)
    columns = -(-len(ladders) // ROWS)
    figure = Figure(figsize=(1 + 1.75 * columns, 5 * ROWS), layout="constrained")
    for row, axes in enumerate(figure.subplots(ROWS, squeeze=False, sharey=True)[:, 0]):
        draw_row(axes, ladders[row * columns : (row + 1) * columns], top)
        axes.set(ylabel="Elo above random play", xlim=(-0.3, columns - 0.1))
    save_picture(figure, path)


def draw_row(axes: Any, ladders: list[dict[str, Any]], top: float) -> None:
    """Draw ladders side by side; the highest rung of all has the rating ``top``."""
    for column, ladder in enumerate(ladders):
        rungs = sorted(ladder["elo"].items(), key=lambda rung: rung[1])
        heights = spread([elo for _, elo in rungs], NEAREST * top)
        for (spec, elo), height in zip(rungs, heights, strict=True):
            colour = COLOURS[re.split(r"\W", spec)[0]]
            error = ladder["standard errors"][spec]
            axes.errorbar(column, elo, error, fmt="o", color=colour, ms=4, lw=1, capsize=2)
            axes.plot([column + 0.04, column + 0.13], [elo, height], color=colour, lw=0.5)
            axes.text(column + 0.15, height, label_of(spec), color=colour, fontsize=8, va="center")
    axes.set_xticks(range(len(ladders)), [ladder["game"].replace("(", "\n(") for ladder in ladders])
    axes.grid(axis="y", color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)


def main(
    folder: Annotated[Path, typer.Option(file_okay=False, help="Where the ratings are.")] = FOLDER,
    out: Annotated[Path, typer.Option(dir_okay=False, help="The picture.")] = PICTURE,
) -> None:
    """Draw all ladders of a folder."""
    draw([json.loads(path.read_text()) for path in sorted(folder.glob("ladder_*.json"))], out)


if __name__ == "__main__":
    typer.run(main)
