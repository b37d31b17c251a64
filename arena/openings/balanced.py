"""Openings after which neither side is ahead, as a solver or a search sees it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from ...agents import Solver, as_agent
from ...envs import Game, State
from ...envs.outside.arguments import checked_whole
from ...envs.vector.opponents import prepare
from ..wording import counted
from .drawn import fit_lines

__all__ = ["balanced_openings"]

_ATTEMPTS = 10_000  # lines that are tried for one opening


def balanced_openings(
    game: Game, opening_plies: int, judge: str = "alphabeta(depth=8)", most: float = 0.05, seed: int = 0
) -> Iterator[list[int]]:
    """Return an endless iterator over openings of random moves that leave neither side ahead.

    No two lead to the same position, nor to one that is the other's mirror image, where the game knows its symmetries.

    Args:
        game: the game.
        opening_plies: moves of each.
        judge: the agent, of those that tell values, whose word counts: ``"solver"`` for exact values.
        most: how far ahead a side may be, in the game's utility.
        seed: the seed of the moves.

    Raises:
        ValueError: an argument is out of its range, the judge tells no values, or no such opening is found in 10,000
            lines; the first is looked for at once to see that.
    """
    plies = checked_whole("opening_plies", opening_plies, 0, game.max_plies)
    if not most >= 0:
        raise ValueError(f"most must be at least 0, got {most!r}")
    agent = as_agent(judge, game)
    if not hasattr(agent, "analyse"):
        raise ValueError(f"{judge} tells no values of positions: expected a search, such as 'alphabeta(depth=8)'")
    prepare(agent)
    openings = _openings(game, plies, agent, most, seed)
    return itertools.chain([next(openings)], openings)


def _openings(game: Game, plies: int, judge: Any, most: float, seed: int) -> Iterator[list[int]]:
    def is_balanced(state: State) -> bool:
        return abs(_value(judge, state)) <= most

    count = 0
    for moves in fit_lines(game, plies, seed, is_balanced, game.canonical_key, _ATTEMPTS, _ATTEMPTS):
        count += 1
        yield moves
    unit = game.max_utility
    share = f" ({most / unit:g} of the largest win)" if unit != 1 and math.isfinite(unit) else ""
    raise ValueError(
        f"found no more than {counted(count, 'balanced opening')} of {counted(plies, 'ply', 'plies')} in {game.spec}: "
        f"{f'ask for {count}, ' if count else ''}allow more than {most:g}{share}, or use another number of plies"
    )


def _value(judge: Any, state: State) -> float:
    """Return the value of a position, for which a solver need not look at each move."""
    return judge.value(state)[0] if isinstance(judge, Solver) else judge.analyse(state).value
