"""Moves of checkers as PDN writes them, ``11-15`` and ``15x22x29``, and our actions, steps and single jumps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ...envs import Game
from .replay import Replay

__all__ = ["actions_by_name", "notation", "resolve"]


@cache
def _names(game: Game) -> list[str]:
    """Return what PDN calls each action as a move of its own, such as ``11-15`` and ``15x22``."""
    return [game.action_to_str(action) for action in range(game.num_actions)]


@cache
def _squares(game: Game) -> list[tuple[int, int]]:
    """Return the squares, from and to, of each action."""
    return [(int(start), int(target)) for start, target in (re.findall(r"\d+", name) for name in _names(game))]


@cache
def actions_by_name(game: Game) -> dict[str, int]:
    """Return the actions by what PDN may call them, as in ``15-22``, ``15x22`` and ``15:22``."""
    return {f"{a}{sign}{b}": action for action, (a, b) in enumerate(_squares(game)) for sign in "-x:"}


def notation(before: Replay, actions: list[int]) -> str:
    """Return a move as PDN writes it: its first and last square, or all squares where that could be several moves.

    Args:
        before: the game before the move; only a move of several jumps looks at it.
        actions: the move's step, or its jumps.
    """
    if len(actions) == 1:
        return _names(before.game)[actions[0]]
    steps = [_squares(before.game)[action] for action in actions]
    squares = [steps[0][0], *(target for _, target in steps)]
    try:
        short = resolve(before, [squares[0], squares[-1]]) == actions
    except ValueError:
        short = False
    return "x".join(map(str, [squares[0], squares[-1]] if short else squares))


def resolve(replay: Replay, squares: list[int]) -> list[int]:
    """Return the actions of the move that visits ``squares``: all its squares, or the first, the last and any between.

    Raises:
        ValueError: no move fits, or several.
    """
    moves = list(_moves(replay, squares[0]))
    for visited, actions in moves:
        if visited == squares:
            return actions
    fitting = [(visited, actions) for visited, actions in moves if _fits(squares, visited)]
    if len(fitting) > 1:
        choices = ", ".join("x".join(map(str, visited)) for visited, _ in fitting)
        raise ValueError(f"is ambiguous: expected one of {choices}")
    if fitting:
        return fitting[0][1]
    for visited, actions in moves:  # the first jumps of a move
        if visited[: len(squares)] == squares:
            return actions[: len(squares) - 1]
    names = ", ".join(replay.game.action_to_str(action) for action in replay.legal)
    raise ValueError(f"is illegal: expected one that begins with {names}")


def _fits(squares: list[int], visited: list[int]) -> bool:
    rest = iter(visited)
    return visited[-1] == squares[-1] and all(square in rest for square in squares)


def _moves(replay: Replay, origin: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the squares and the actions of each move from a square, with all its jumps."""
    for action in replay.legal:
        start, target = _squares(replay.game)[action]
        if start != origin:
            continue
        after = Replay(replay.game, replay.state, [action])
        if not after.legal or after.player != replay.player:
            yield [start, target], [action]
        else:
            for visited, actions in _moves(after, target):
                yield [start, *visited], [action, *actions]
