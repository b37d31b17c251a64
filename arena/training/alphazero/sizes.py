"""How large a run is where it is not told: the net, the samples of a step of learning, and the window of them.

docs/alphazero.md has the comparisons of nets, in equal time on the same processor. An MLP with windows was ahead of
``small`` in Connect Four, and against strong opponents in Othello; in gomoku on 9×9 it was not. Other boards, and other
sizes of these, were not measured: they have the residual net. The MLPs learned from 1,024 samples at a time.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BY_BOARD", "Size", "size_of", "window_size"]


class Size(NamedTuple):
    """What is learned, and from how many samples at a time; see the fields of `AlphaZeroConfig`."""

    network: str
    batch_size: int


BY_BOARD = {"connect_four": Size("mlp64@4+256-192-128", 1024), "othello": Size("mlp48@4+128-144-128", 1024)}
_ELSEWHERE = Size("small", 512)


def size_of(game: str, network: str | None, batch_size: int | None, ownership: float) -> Size:
    """Return what is given, and in place of None what is best by our measurements.

    Args:
        game: the spec of the game.
        network: the size of the net.
        batch_size: the samples of a step.
        ownership: the weight of learning whose cells are, which an MLP cannot.
    """
    found = _ELSEWHERE if ownership > 0 else BY_BOARD.get(game, _ELSEWHERE)
    if network is not None:
        found = _ELSEWHERE._replace(network=network)
    return found if batch_size is None else found._replace(batch_size=batch_size)


def window_size(total: int, least: int, power: float, growth: float) -> int:
    """Return how many of the newest of ``total`` samples are learned from.

    D. J. Wu, "Accelerating self-play learning in Go", appendix C: c (1 + β ((N / c)^α - 1) / α), where c is ``least``,
    α ``power`` and β ``growth``. A sample that has left the window never comes back.
    """
    if total <= least:
        return total
    return int(least * (1 + growth * ((total / least) ** power - 1) / power))
