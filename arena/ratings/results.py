"""What is read off the records of games: pairs of games of one opening, and results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..records.record import GameRecord

__all__ = ["game_results", "pair_scores"]


def pair_scores(records: Sequence[GameRecord]) -> list[float]:
    """Return the points, 0 to 2, that the first player of a match got in each pair of games.

    A pair with a game that was broken off, and has no result, is left out.

    Raises:
        ValueError: these are not all the games of one match, in order.
    """
    if len(records) % 2:
        raise ValueError(f"expected every opening to be played from both sides, got {len(records)} games")
    pairs = []
    for i in range(0, len(records), 2):
        one, other = records[i : i + 2]
        players = records[0].players
        if [one.players, other.players[::-1]] != [players, players] or one.beginning != other.beginning:
            raise ValueError(f"games {i} and {i + 1} are not one opening played from both sides by {tuple(players)}")
        if one.has_result and other.has_result:
            pairs.append(one.points[0] + other.points[1])
    return pairs


def game_results(records: Iterable[GameRecord]) -> Iterator[tuple[str, str, float]]:
    """Yield the two players of each game, and the points of the first: 1 for a win, half for a draw, or 0.

    Games that were broken off have no result, and are left out.
    """
    for record in records:
        if record.has_result:
            yield record.players[0], record.players[1], record.points[0]
