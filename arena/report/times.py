"""How long games and moves took."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..records.record import GameRecord
from ..tables import format_seconds
from ..wording import counted
from .markup import Html, Value, listed, named, section, table, tag
from .plots import Scale, bars, interval_plot

__all__ = ["lengths_section", "times_section"]

_BINS = 24
_SHORTEST = 1e-9  # seconds: no clock tells less


def lengths_section(records: Sequence[GameRecord]) -> Html:
    """Return how many plies games lasted."""
    plies = np.array([len(record.moves) for record in records])
    edges, counts = _histogram(plies)
    rows: list[list[Value]] = []
    drawn = np.array([record.outcome[0] == record.outcome[1] for record in records])
    broken = np.array([record.ending in ("illegal", "failed") for record in records])
    late = np.array([record.ending == "time" for record in records])
    ended = ~(broken | late)
    for name, some in (
        ("All", np.ones(len(plies), bool)),
        ("Decided by the rules, or adjudicated", ended & ~drawn),
        ("Drawn, or broken off", ended & drawn),
        ("Lost on time", late),
        ("Lost by an illegal move or an error", broken),
    ):
        if (own := plies[some]).size:
            low, middle, high = np.percentile(own, (5, 50, 95))
            mean = f"{own.mean():.1f}"
            rows.append([name, own.size, mean, f"{middle:g}", f"{low:.0f}–{high:.0f}", f"{own.min()}–{own.max()}"])
    most = int(np.argmax(counts))
    half = float(np.median(plies))
    lead = f"Half of the games lasted {half:g} {'ply' if half == 1 else 'plies'} or fewer; the longest {plies.max()}."
    figure = tag(
        "figure",
        [
            bars(counts.tolist()),
            tag(
                "div",
                [tag("span", int(edges[0])), tag("span", "plies"), tag("span", int(edges[-1]) - 1)],
                class_="ends",
            ),
            tag("figcaption", _in_words(edges, counts, most), class_="note"),
        ],
    )
    head = ["Games", "Number", "Mean", "Median", "5–95 %", "Shortest–longest"]
    return section(
        "lengths", "Length of games", tag("p", lead, class_="lead"), figure, table(head, rows, "Plies of the games")
    )


def _histogram(plies: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges of bins of whole plies, and how many games fall into each bin."""
    low, high = int(plies.min()), int(plies.max()) + 1
    width = max(1, -(-(high - low) // _BINS))
    edges = np.arange(low, high + width, width)
    return edges, np.histogram(plies, edges)[0]


def _in_words(edges: NDArray[np.int64], counts: NDArray[np.int64], most: int) -> str:
    width = int(edges[1] - edges[0])
    bar = f"{width} plies" if width > 1 else "length"
    longest = f"{edges[most]} to {edges[most + 1] - 1}" if width > 1 else f"{edges[most]}"
    highest = counted(int(counts[most]), "game")
    of = "1 ply" if longest == "1" else f"{longest} plies"
    return f"Games by length; a bar for each {bar}. The highest has {highest}, of {of}."


def times_section(records: Sequence[GameRecord], names: Sequence[str]) -> Html:
    """Return how long players took for their moves."""
    taken: dict[str, list[float]] = {name: [] for name in names}
    for record in records:
        for seconds, mover in zip(record.seconds, record.movers, strict=True):
            if mover >= 0:
                taken[record.players[mover]].append(seconds)
    if not any(map(any, taken.values())):
        return section("times", "Time per move", tag("p", "These games have no times: their file keeps none."))
    spans = {name: np.percentile(times, (5, 50, 95)) for name, times in taken.items() if times}
    least = max(_SHORTEST, min(value for times in taken.values() for value in times if value > 0))
    scale = Scale([max(least, float(value)) for span in spans.values() for value in span], is_logarithmic=True)
    items, rows = [], list[list[Value]]()
    for name, (low, middle, high) in spans.items():
        times = np.array(taken[name])
        plot = interval_plot(scale, *(max(least, float(value)) for value in (middle, low, high)))
        numbers = f"{format_seconds(middle)} ({format_seconds(low)} to {format_seconds(high)})"
        items.append(tag("li", [tag("span", named(name), class_="name"), plot, tag("span", numbers, class_="numbers")]))
        longest = format_seconds(times.max())
        rows.append(
            [named(name), f"{times.size:,}", format_seconds(times.mean()), longest, format_seconds(times.sum())]
        )
    ticks = [tag("span", format_seconds(tick), style=f"left:{scale(tick)}%", class_="at") for tick in scale.ticks()]
    items.append(tag("li", [tag("span", ""), tag("span", ticks, class_="axis"), tag("span", "")], aria_hidden="true"))
    means = {name: float(np.mean(taken[name])) for name in spans}
    mean = format_seconds(max(means.values()))
    slowest = [name for name, value in means.items() if format_seconds(value) == mean]
    lead = f"{listed(slowest)} took longest, each" if len(slowest) > 1 else f"{slowest[0]} took longest,"
    return section(
        "times",
        "Time per move",
        tag("p", f"{lead} {mean} a move on average.", class_="lead"),
        tag("ul", items, class_="intervals", aria_label="Median time of a move, and the span of 90 % of the moves"),
        tag("p", "Dots are medians, lines the span of 90 % of the moves; the scale is logarithmic.", class_="note"),
        table(["Player", "Moves", "Mean", "Longest", "In all"], rows, "Time of moves, openings left out"),
    )
