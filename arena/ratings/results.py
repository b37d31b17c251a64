"""What is read off the records of games: pairs of games of one opening, and results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..records.record import GameRecord

__all__ = ["game_results", "pair_scores"]


def pair_scores(records: Sequence[GameRecord]) -> list[float]:
    """Return the points, 0 to 2, that the first player of a match got in each pair of games.

    Raises:
        ValueError: these are not all the games of one match, in order.
    """
    if len(records) % 2:
        raise ValueError(f"expected every opening to be played from both sides, got {len(records)} games")
    results, pairs = list(game_results(records)), []
    for i in range(0, len(records), 2):
        (first, second, points), (other_first, other_second, other_points) = results[i : i + 2]
        openings = [record.beginning for record in records[i : i + 2]]
        if {(first, second), (other_second, other_first)} != {results[0][:2]} or openings[0] != openings[1]:
            raise ValueError(f"games {i} and {i + 1} are not one opening played from both sides by {results[0][:2]}")
        pairs.append(points + 1 - other_points)
    return pairs


def game_results(records: Iterable[GameRecord]) -> Iterator[tuple[str, str, float]]:
    """Yield the two players of each game, and the points of the first: 1 for a win, half for a draw, or 0."""
    for record in records:
        yield record.players[0], record.players[1], record.points[0]
