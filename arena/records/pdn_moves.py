"""Moves of checkers as PDN writes them, ``11-15`` and ``15x22x29``, and our actions, steps and single jumps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...envs import Game

__all__ = ["notation", "resolve"]


def notation(game: Game, state: Any, actions: list[int]) -> str:
    """Return a move as PDN writes it: its first and last square, or all squares where that could be several moves."""
    squares = [_squares(game, actions[0])[0], *(_squares(game, action)[1] for action in actions)]
    if "-" in game.action_to_str(actions[0]):
        return f"{squares[0]}-{squares[1]}"
    try:
        short = resolve(game, state, [squares[0], squares[-1]]) == actions
    except ValueError:
        short = False
    return "x".join(map(str, [squares[0], squares[-1]] if short else squares))


def resolve(game: Game, state: Any, squares: list[int]) -> list[int]:
    """Return the actions of the move that visits ``squares``: all its squares, or the first, the last and any between.

    Raises:
        ValueError: no move fits, or several.
    """
    moves = list(_moves(game, state, squares[0]))
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
    names = ", ".join(game.action_to_str(action) for action in game.actions(state))
    raise ValueError(f"is illegal: expected one that begins with {names}")


def _fits(squares: list[int], visited: list[int]) -> bool:
    rest = iter(visited)
    return visited[-1] == squares[-1] and all(square in rest for square in squares)


def _moves(game: Game, state: Any, origin: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the squares and the actions of each move from a square, with all its jumps."""
    for action in game.actions(state):
        start, target = _squares(game, action)
        if start != origin:
            continue
        after = state.copy()
        game.play(after, action)
        if game.is_terminal(after) or game.player(after) != game.player(state):
            yield [start, target], [action]
        else:
            for visited, actions in _moves(game, after, target):
                yield [start, *visited], [action, *actions]


def _squares(game: Game, action: int) -> tuple[int, int]:
    start, target = re.findall(r"\d+", game.action_to_str(action))
    return int(start), int(target)
