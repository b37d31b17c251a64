"""What it was worth to begin, over all games, for each player, and in each opening."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...envs.outside.messages import cut
from ..ratings.difference import share_interval
from ..ratings.lists import Advantage
from ..records.record import GameRecord
from ..wording import counted, interval_of, told_ends
from .markup import Html, Value, elo, named, section, share_text, table, tag
from .pairs import Beginning, Pair, Points, first_share

__all__ = ["sides_section"]

_MOST = 20  # openings that are shown
_LONGEST = 40  # moves of an opening that are named
_LONGEST_START = 100  # signs of a position


def sides_section(
    pairs: Sequence[Pair],
    names: Sequence[str],
    first_move: Advantage | None,
    line_names: Callable[[Sequence[int], str | None], list[str]],
) -> Html:
    """Return the results by side and by opening.

    Args:
        pairs: all games that have a result, as `in_pairs` gives them.
        names: the players, the best first.
        first_move: what the first move is worth beside the players' strength; None where that is not known.
        line_names: gives the names of moves from a start, None for the initial position.
    """
    if not pairs:
        return section("sides", "Who begins", tag("p", "No game has a result."))
    share = first_share(pairs)
    whole = sum(len(pair) == 2 for pair in pairs)
    lead = f"Whoever began got {_text(share)} of the points in {counted(share.games, 'game')}"
    even = share.low <= 0.5 <= share.high
    lead += "; an even share lies within the interval." if even else "; an even share lies outside of the interval."
    if first_move is not None:
        ends = told_ends(first_move.elo, first_move.low, first_move.high)
        if any(map(math.isfinite, ends)):
            worth = f"{elo(first_move.elo)} ({interval_of(*ends, elo)})"
            lead += f" Beside the players' strength, the first move was worth {worth} Elo."
        else:
            lead += " What the first move is worth beside the players' strength is not known yet."
    alone = len(pairs) - whole
    note = f"{2 * whole:,} games are pairs of one opening from both sides"
    has, them = ("has", "it") if alone == 1 else ("have", "them")
    note += f"; {alone:,} {has} no such counterpart, and who played {them} counts too." if alone else "."
    return section(
        "sides",
        "Who begins",
        tag("p", lead, class_="lead"),
        table(
            ["Player", "Begins: won–drawn–lost", "Share, 95 %", "Moves second: won–drawn–lost", "Share, 95 %"],
            _by_player(pairs, share, names),
            "Results by side",
        ),
        tag("p", note, class_="note"),
        _openings(pairs, line_names),
    )


def _text(share: Points) -> str:
    return share_text(share.share, share.low, share.high)


def _results(points: Sequence[float]) -> str:
    return f"{points.count(1)}–{points.count(0.5)}–{points.count(0)}"


def _by_player(pairs: Sequence[Pair], share: Points, names: Sequence[str]) -> list[list[Value]]:
    """Return the rows of all games, of which whoever began got this share, and of each player's."""
    records = _games_of(pairs)
    rows: list[list[Value]] = [
        [
            "All",
            _results([record.points[0] for record in records]),
            _text(share),
            _results([record.points[1] for record in records]),
            _text(share.rest),
        ]
    ]
    for name in names:
        row: list[Value] = [named(name)]
        for seat in (0, 1):
            own = [record for record in records if record.players[seat] == name]
            row.append(_results([record.points[seat] for record in own]))
            begun = first_share([(record,) for record in own])
            row.append(_text(begun if seat == 0 else begun.rest))
        rows.append(row)
    return rows


def _games_of(pairs: Sequence[Pair]) -> list[GameRecord]:
    return [record for pair in pairs for record in pair]


def _openings(pairs: Sequence[Pair], line_names: Callable[[Sequence[int], str | None], list[str]]) -> Html:
    by_opening: dict[Beginning, list[Pair]] = {}
    for pair in pairs:
        by_opening.setdefault(pair[0].beginning, []).append(pair)
    heading = tag("h3", "Openings")
    if by_opening.keys() == {(None, ())}:
        return Html(heading + tag("p", "All games began from the initial position."))
    shares = {opening: first_share(some) for opening, some in by_opening.items()}
    order = sorted(shares, key=lambda opening: (-shares[opening].games, -abs(shares[opening].share - 0.5)))
    rows = []
    for opening in order[:_MOST]:
        games = _games_of(by_opening[opening])
        points = [record.points[0] for record in games]
        lengths = [len(record.moves) for record in games]
        rows.append(
            [
                _named(opening, line_names),
                f"{len(points)}",
                _results(points),
                _text(shares[opening]),
                f"{sum(lengths) / len(lengths):.0f}",
            ]
        )
    sided = sum(share.low > 0.5 or share.high < 0.5 for share in shares.values())
    lead = _in_words(len(shares), sum(map(_can_tell, by_opening.values())), sided)
    left = (
        f" Shown are the {_MOST} with the most games, and among these the most one-sided." if len(order) > _MOST else ""
    )
    head = ["Opening", "Games", "First player: won–drawn–lost", "Share, 95 %", "Plies, mean"]
    return Html(heading + tag("p", f"{lead}{left}") + table(head, rows, "Results of the first player by opening"))


def _can_tell(pairs: Sequence[Pair]) -> bool:
    """Return whether the interval of an opening would be to one side of 50 % if whoever began had won all games."""
    games = np.array([float(len(pair)) for pair in pairs])
    return share_interval(games, games)[0] > 0.5


def _in_words(openings: int, telling: int, sided: int) -> str:
    """Return in how many openings one side has an advantage that is beyond chance, and what chance alone would do.

    Intervals of 95 % miss the truth in a twentieth of the openings that have enough games, or in fewer: those of a few
    pairs of games are wider than they need be. So that is the most that chance does.
    """
    if not telling:
        return f"{counted(openings, 'opening')}; none has games enough to tell whether it favours a side."
    text = f"{openings:,} openings; in {sided or 'none'} of them the interval of the share is to one side of 50 %."
    if openings == 1:
        text = f"1 opening; the interval of its share is {'' if sided else 'not '}to one side of 50 %."
    if telling < openings:
        text += f" {telling:,} {'has' if telling == 1 else 'have'} games enough for that."
    if sided and openings > 1:
        most = 0.05 * telling
        by_chance = "fewer than one" if most < 0.95 else f"about {most:,.0f} at most"
        text += f" If none favoured a side, chance alone would put {by_chance} there."
    return text


def _named(beginning: Beginning, line_names: Callable[[Sequence[int], str | None], list[str]]) -> str:
    start, opening = beginning
    if not opening:
        return "initial position" if start is None else cut(start, _LONGEST_START)
    try:
        text = " ".join(line_names(opening[:_LONGEST], start))
    except (ValueError, IndexError):  # no moves of this game
        text = " ".join(map(str, opening[:_LONGEST]))
    if start is not None:
        text = f"{cut(start, _LONGEST_START)}: {text}"
    return f"{text} … {len(opening)} moves" if len(opening) > _LONGEST else text
