"""What a search found, in the words of UCI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...agents import Analysis
from ...agents.scores import Scale, score_words
from .chess_seat import ChessSeat

__all__ = ["hashfull", "info_lines", "ranked"]

_MOST_MOVES = 40  # of a line
_SAMPLE = 1000  # slots of the table


def info_lines(seat: ChessSeat, scale: Scale, found: Sequence[Analysis], seconds: float, full: int | None) -> list[str]:
    """Return a line for each of the best moves.

    Args:
        seat: the position.
        scale: how values are told.
        found: what was found of each of the best moves, the best first.
        seconds: the time since the search began.
        full: thousandths of the table that are in use, if that is known.
    """
    lines = []
    for number, one in enumerate(found, 1):
        words = [f"depth {one.depth} seldepth {max(one.selective_depth, one.depth)} multipv {number}"]
        words += [f"score {score_words(scale, seat.game, seat.state, one)} nodes {one.nodes}"]
        words += [f"nps {round(one.nodes / one.seconds) if one.seconds > 0 else 0}"]
        words += [] if full is None else [f"hashfull {full}"]
        words += [f"time {round(1000 * seconds)} pv {' '.join(seat.line_names(one.pv[:_MOST_MOVES]))}"]
        lines.append(f"info {' '.join(words)}")
    return lines


def ranked(found: Analysis, lines: int) -> list[Analysis]:
    """Return what a search that samples found of each of the best moves, the best first; of others what was found."""
    if lines == 1 or not found.visits:
        return [found]
    others = sorted(
        (action for action in found.values if action != found.best_action),
        key=lambda action: (-found.visits.get(action, 0), -found.values[action]),
    )
    parts = [
        Analysis(
            best_action=action,
            value=found.values[action],
            best_actions=(action,),
            values={action: found.values[action]},
            visits={action: found.visits.get(action, 0)},
            pv=(action,),
            depth=found.depth,
            nodes=found.nodes,
            leaves=found.leaves,
            exact=found.kind_of(action) == "exact",
            seconds=found.seconds,
            selective_depth=found.selective_depth,
        )
        for action in others[: lines - 1]
    ]
    return [found, *parts]


def hashfull(agent: Any) -> int | None:
    """Return how many of a thousand slots of the transposition table are in use; None without a table."""
    workspace = getattr(agent, "workspace", None)
    table = None if workspace is None else workspace[0].table
    if table is None or not table.size:
        return None
    sample = table["bound"][:_SAMPLE]
    return round(1000 * float((sample != 0).mean()))
