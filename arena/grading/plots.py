"""Pictures of learning curves, calibration and ratings over time. Matplotlib is imported when the first is drawn.

The figures are made without pyplot: no window, no global state, the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from math import nan
from pathlib import Path
from typing import Any

from ...envs.outside.extras import how_to_install
from ...envs.outside.messages import cut
from ..wording import told_ends
from .calibration import Calibration

__all__ = ["can_plot", "plot_calibration", "plot_curve", "plot_history"]

_COLOURS = {"preserving": "#1e8449", "optimal": "#2471a3", "score": "#c0392b"}
_NAMES = {"preserving": "moves that preserve the value", "optimal": "optimal moves", "score": "score on the ladder"}
_FORMATS = (".png", ".svg")
_LONGEST = 44  # characters of a name in a legend


def can_plot() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def plot_curve(rows: Sequence[dict[str, Any]], title: str, path: Path) -> list[Path]:
    """Draw a learning curve as PNG and SVG, from the rows of `curve_row`, and return the files.

    Shares of moves have bands of 95 %, and dotted lines at the shares that random play is expected to have.

    Args:
        rows: the rows, in the order of the steps. There is a gap where a value is missing.
        title: the title of the picture.
        path: the name of the files, without its ending.

    Raises:
        ImportError: matplotlib is not installed.
    """
    figure, axes = _figure(title)
    steps = [row["steps"] for row in rows]
    for name, colour in _COLOURS.items():
        having = next((row for row in rows if name in row), None)
        if having is None:
            continue
        axes.plot(steps, [row.get(name, nan) for row in rows], "o-", color=colour, ms=4, label=_NAMES[name])
        if f"{name}_low" in having:
            low, high = ([row.get(f"{name}_{end}", nan) for row in rows] for end in ("low", "high"))
            axes.fill_between(steps, low, high, color=colour, alpha=0.15, lw=0)
            axes.axhline(having[f"{name}_by_chance"], color=colour, ls=":", lw=1)
    axes.set(xlabel="steps of training", ylabel="share", ylim=(0, 1))
    axes.set_xlim(left=0)
    axes.locator_params(axis="x", nbins=6)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(loc="lower right")
    return _saved(figure, path)


def plot_calibration(found: Sequence[Calibration], title: str, path: Path) -> list[Path]:
    """Draw predicted against true scores as PNG and SVG, and return the files. Dots grow with their positions.

    Raises:
        ImportError: matplotlib is not installed.
    """
    figure, axes = _figure(title, (5.2, 5.2))
    axes.plot([0, 1], [0, 1], color="#999999", ls=":", lw=1)
    for one, colour in zip(found, ("#2471a3", "#c0392b"), strict=False):
        predicted, scores = [bin_.predicted for bin_ in one.bins], [bin_.score for bin_ in one.bins]
        sizes = [12 + 400 * bin_.positions / one.positions for bin_ in one.bins]
        axes.plot(
            predicted,
            scores,
            "o-",
            color=colour,
            lw=1,
            ms=3,
            clip_on=False,
            label=f"{one.against}: error {one.error:.3f}",
        )
        axes.scatter(predicted, scores, s=sizes, color=colour, alpha=0.6, clip_on=False)
    axes.set(xlabel="predicted expected score", ylabel="true expected score", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.legend(loc="upper left")
    return _saved(figure, path)


def plot_history(found: Mapping[str, Any], axis: str, path: Path) -> list[Path]:
    """Draw ratings by time as PNG and SVG, with a band for each interval that is known, and return the files.

    Args:
        found: the ratings, as `plyground ratings --over-time --json` has them.
        axis: what times are.
        path: the name of the files, without its ending.

    Raises:
        ImportError: matplotlib is not installed.
    """
    figure, axes = _figure(f"Ratings over time: {found['game']}")
    for player in found["players"]:
        times, elo = ([one[key] for one in player["ratings"]] for key in ("time", "elo"))
        low, high = zip(*(told_ends(one["elo"], one["low"], one["high"]) for one in player["ratings"]), strict=True)
        (line,) = axes.plot(times, elo, "o-", ms=4, label=_plain(cut(player["name"], _LONGEST)))
        axes.fill_between(times, low, high, color=line.get_color(), alpha=0.15, lw=0)
    axes.set(xlabel=axis, ylabel="Elo")
    axes.locator_params(axis="x", nbins=6, integer=True)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    figure.legend(fontsize=8, loc="outside lower center", ncols=2)  # below the lines, which it would hide
    return _saved(figure, path)


def _figure(title: str, size: tuple[float, float] = (7.2, 4.5)) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(f"plots need matplotlib ({error}): {how_to_install('plots')}") from error
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(_plain(title), fontsize=10)
    axes.grid(color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def _plain(text: str) -> str:
    """Return a text of which matplotlib reads nothing as TeX."""
    return text.replace("$", r"\$")


def _saved(figure: Any, path: Path) -> list[Path]:
    files = [path.with_name(path.name + ending) for ending in _FORMATS]
    for file in files:
        figure.savefig(file, dpi=150)
    return files
