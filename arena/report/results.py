"""Who won: the cross table, ratings as a plot, and the share of points of everyone against everyone in colours."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..ratings import Payoffs, RatingList, cycles
from ..tables import format_seconds
from ..tournaments import Standing
from ..wording import counted, interval_of, told_ends
from .markup import Html, elo, listed, named, percent, section, share_text, table, tag
from .pairs import Pair, player_share
from .plots import Scale, interval_plot

__all__ = ["HEAT", "cross_table_section", "payoff_section", "ratings_section"]

MOST = 60  # players that a table of everyone against everyone shows
HEAT = 11  # colours of the heat map, an odd number: the middle one is an even score


def cross_table_section(table_of: Sequence[Standing], pairs: Sequence[Pair]) -> Html:
    """Return the cross table, the best player first."""
    shown = table_of[:MOST]
    head = ["Player", *map(str, range(1, len(shown) + 1)), "Points", "Share, 95 %", "Won–drawn–lost", "Per move"]
    rows = []
    for number, line in enumerate(shown, start=1):
        cells: list[str | Html] = [named(line.name, number)]
        for other in shown:
            score = line.against.get(other.name)
            cells.append("·" if score is None else f"{score.points:g}")
        total = line.total
        cells += [
            tag("strong", f"{total.points:g}"),
            share_text(*_interval(pairs, line.name)),
            f"{total.wins}–{total.draws}–{total.losses}",
            format_seconds(line.seconds_per_move),
        ]
        rows.append(cells)
    leader, share = shown[0], player_share(pairs, shown[0].name)
    lead = f"{leader.name} has the largest share of its points: {share_text(share.share, share.low, share.high)}."
    equals = [line.name for line in table_of if line.total.share == share.share]
    if len(equals) > 1:
        lead = f"{listed(equals)} have the largest share of their points, each {percent(share.share)}."
    elif not pairs:
        lead = "No game has a result."
    note = "A win is one point, a draw half of one. Intervals count an opening from both sides as one observation."
    if any(line.broken_off for line in table_of):
        note += " Games that were broken off have no result, and count in no table of results, nor in ratings."
    return section(
        "results",
        "Cross table",
        tag("p", lead, class_="lead"),
        table(head, rows, "Points of each player, in the rows, against each other one, by number", "cross"),
        tag("p", f"{note}{_left_out(table_of)}", class_="note"),
    )


def _interval(pairs: Sequence[Pair], name: str) -> tuple[float, float, float]:
    share = player_share(pairs, name)
    return share.share, share.low, share.high


def _left_out(table_of: Sequence[Standing]) -> str:
    return f" The first {MOST} of {len(table_of)} players are shown." if len(table_of) > MOST else ""


def ratings_section(found: RatingList) -> Html:
    """Return the ratings, the best first, each with its interval as a line."""
    ratings = found.ratings
    told = [told_ends(one.elo, one.low, one.high) for one in ratings]
    scale = Scale([*(one.elo for one in ratings), *(end for ends in told for end in ends)])
    rows = []
    for one, (low, high) in zip(ratings, told, strict=True):
        numbers = f"{elo(one.elo)} ({interval_of(low, high, elo)})"
        rows.append(_row(one.name, interval_plot(scale, one.elo, low, high), numbers))
    ticks = [tag("span", elo(tick), style=f"left:{scale(tick)}%", class_="at") for tick in scale.ticks()]
    rows.append(tag("li", [tag("span", ""), tag("span", ticks, class_="axis"), tag("span", "")], aria_hidden="true"))
    best = ratings[0]
    lead = f"{best.name} is rated highest, at {elo(best.elo)} Elo."
    equals = [one.name for one in ratings if best.elo - one.elo < 0.5]  # as far as it is shown
    if len(equals) > 1:
        lead = f"{listed(equals)} are rated highest, each at {elo(best.elo)} Elo."
    elif len(ratings) > 1:
        chance = f"{100 * found.superior_to_next[0]:.3g} %"
        second = ratings[1]
        lead = f"{best.name} is rated highest, {best.elo - second.elo:.0f} Elo above {second.name}, and stronger with "
        lead += f"probability {chance}."
    note = (
        "Dots are the most likely ratings by all games (Bradley and Terry, with draws and the advantage of the first "
        "move), lines their 95 % intervals, by pairs of games. The mean of all ratings is 0."
    )
    if any(math.isinf(end) for ends in told for end in ends):
        note += " Ends farther than 1000 Elo from a rating are left out: so few games do not bound it."
    return section(
        "ratings",
        "Ratings",
        tag("p", lead, class_="lead"),
        tag("ul", rows, class_="intervals", aria_label="Ratings in Elo, with 95 % intervals"),
        tag("p", note, class_="note"),
    )


def _row(name: str, plot: Html, numbers: str) -> Html:
    return tag("li", [tag("span", named(name), class_="name"), plot, tag("span", numbers, class_="numbers")])


def payoff_section(table_of: Sequence[Standing], payoffs: Payoffs) -> Html:
    """Return the heat map: the share of the points of each player against each other one."""
    shown = [line for line in table_of if line.total.games][:MOST]  # the others stand last
    places = [payoffs.names.index(line.name) for line in shown]
    rows = []
    for number, (line, i) in enumerate(zip(shown, places, strict=True), start=1):
        cells: list[str | Html] = [named(line.name, number)]
        for column, (other, j) in enumerate(zip(shown, places, strict=True)):
            if i == j or not payoffs.games[i, j]:
                cells.append(Html('<td class="none">·</td>'))
                continue
            score, share = line.against[other.name], payoffs.scores[i, j]
            range_ = tag("small", f"{100 * payoffs.low[i, j]:.0f}–{100 * payoffs.high[i, j]:.0f}")
            what = f"{score.wins}–{score.draws}–{score.losses} in {counted(score.games, 'game')}: show them"
            link = tag("a", [f"{100 * share:.3g}", range_], href=f"#pair-{number - 1}-{column}", title=what)
            cells.append(tag("td", link, class_=f"heat h{round(share * (HEAT - 1))}"))
        rows.append(cells)
    head = ["Player", *map(str, range(1, len(shown) + 1))]
    legend = [tag("span", "", class_=f"heat h{level}") for level in range(HEAT)]
    return section(
        "payoffs",
        "Who beats whom",
        tag("p", _order(payoffs, places), class_="lead"),
        table(head, rows, "Per cent of the points that the player in the row got from the one in the column", "payoff"),
        tag("p", [tag("span", ["0 % ", *legend, " 100 %"], class_="legend"), " Small: 95 % intervals."], class_="note"),
    )


def _order(payoffs: Payoffs, places: Sequence[int]) -> str:
    """Return whether players beat each other in a cycle, or one who stands above, the most clearly."""
    if found := cycles(payoffs):
        cycle = found[0]
        beats = ", ".join(f"{one} beats {other}" for one, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        return f"There is a rock-paper-scissors cycle, beyond chance: {beats}. So no list of ratings tells all."
    upsets = [(payoffs.scores[i, j], i, j) for number, i in enumerate(places) for j in places[:number]]
    share, i, j = max((one for one in upsets if one[0] > 0.5), default=(0.0, 0, 0))
    if share > 0.5:
        name, other = payoffs.names[i], payoffs.names[j]
        took = f"{name} got {100 * share:.3g} % of the points from {other}, who stands above"
        return f"{took}; there is no rock-paper-scissors cycle."
    return "Nobody got more than half of the points from a player who stands above."
