"""Random openings that leave the game open, so that deterministic players do not play the same game twice."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from ...agents.foresight import Foresight
from ...envs import Game, State, as_game
from ...envs.outside.arguments import checked_whole
from ..wording import counted

__all__ = ["default_opening_plies", "fit_lines", "random_line", "random_openings"]

_LOOKAHEAD = 4  # plies; an opening is decided if they tell how the game ends
_ATTEMPTS = 1000  # lines that are tried to find an open position
_ATTEMPTS_NEW = 100  # the first of them, which must lead to a position that was not played yet
_PLACES = 100_000  # positions that are kept in memory, about


def default_opening_plies(game: Game) -> int:
    """Return how many random plies a game opens with by default: 4, or fewer in short games."""
    return min(4, game.max_plies // 4)


def random_openings(game: Game | str, opening_plies: int, seed: int) -> Iterator[list[int]]:
    """Return an endless iterator over openings of ``opening_plies`` random moves, none of them decided.

    An opening is decided if the next 4 plies tell how the game ends with best play. Positions repeat only where new
    ones are hard to find; then all may come again, once each. Without random moves there is nothing to choose: each
    opening is the initial position, decided or not.

    Raises:
        ValueError: ``opening_plies`` is negative or more than a game has, or no position is open; the first opening is
            drawn at once to see that.
    """
    game = as_game(game)
    plies = checked_whole("opening_plies", opening_plies, 0, game.max_plies)
    openings = _openings(game, plies, seed)
    return itertools.chain([next(openings)], openings)


def _openings(game: Game, plies: int, seed: int) -> Iterator[list[int]]:
    while not plies:
        yield []
    judge = Foresight(game, _LOOKAHEAD)

    def open_lines(plies: int) -> Iterator[list[int]]:
        return fit_lines(
            game, plies, seed, lambda state: not judge.is_decided(state), game.key, _ATTEMPTS, _ATTEMPTS_NEW
        )

    yield from open_lines(plies)
    fewer = plies // 2
    while fewer and next(open_lines(fewer), None) is None:
        fewer //= 2
    raise ValueError(
        f"found no open position of {game.name} after {counted(plies, 'random ply', 'random plies')}, for the next "
        f"{_LOOKAHEAD} decide all: give fewer, such as opening_plies={fewer} (--opening-plies {fewer})"
    )


def fit_lines(
    game: Game,
    plies: int,
    seed: int,
    is_fit: Callable[[State], bool],
    key: Callable[[State], int],
    attempts: int,
    attempts_new: int,
) -> Iterator[list[int]]:
    """Yield random lines of moves that lead to fitting positions. It ends when no more of them are found.

    No position comes twice while new ones are found: for each line, ``attempts_new`` random lines are tried that must
    lead to a new position. If none of them does, all positions count as new again.

    Args:
        game: the game.
        plies: the number of moves in a line.
        seed: the seed of the moves.
        is_fit: tells whether a position fits; it is not asked about positions in which the game is over.
        key: gives a number that is the same for positions that count as the same.
        attempts: how many random lines are tried to find one; if none of them will do, it ends.
        attempts_new: how many of these are tried before positions may come again.
    """
    lines = _Lines(game)
    rng = np.random.default_rng(seed)
    seen: set[int] = set()
    while True:
        for attempt in range(attempts):
            moves, place = lines.drawn(plies, rng)
            if not place.actions:
                continue
            if attempt == attempts_new:
                seen.clear()
            if place.key is None:
                place.key = int(key(place.state))
            if place.key in seen:
                continue
            if place.is_fit is None:
                place.is_fit = is_fit(place.state)
            if place.is_fit:
                break
        else:
            if not seen or attempts_new >= attempts:
                return
            seen.clear()  # later than it should be, for the line at which it was due ended the game
            continue
        seen.add(place.key)
        yield moves
        while not plies:  # there is no other
            yield []


class _Place:
    """A position to which a line of moves leads, and what is known of it."""

    __slots__ = ("actions", "after", "is_fit", "key", "state")

    def __init__(self, game: Game, state: State) -> None:
        self.state = state
        self.actions = [] if game.is_terminal(state) else game.actions(state)
        self.after: dict[int, _Place] = {}  # by the number of the action in ``actions``
        self.key: int | None = None  # what is known when somebody has asked
        self.is_fit: bool | None = None


class _Lines:
    """The lines that were drawn: near the start they come again and again, and rules run slowly as plain Python."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._start, self._size = _Place(game, game.new_state()), 1

    def drawn(self, plies: int, rng: np.random.Generator) -> tuple[list[int], _Place]:
        """Return random moves, and where they lead; there are fewer than ``plies`` if the game ends before."""
        if self._size > _PLACES:
            self._start, self._size = _Place(self._game, self._game.new_state()), 1
        place, moves = self._start, list[int]()
        while len(moves) < plies and place.actions:
            number = int(rng.integers(len(place.actions)))
            moves.append(place.actions[number])
            if number not in place.after:
                state = place.state.copy()
                self._game.play(state, moves[-1])
                place.after[number] = _Place(self._game, state)
                self._size += 1
            place = place.after[number]
        return moves, place


def random_line(
    game: Game, plies: int, rng: np.random.Generator, choose: Callable[[State], int | None] | None = None
) -> tuple[list[int], State]:
    """Return the moves of a game from its start, and the state after them.

    Args:
        game: the game.
        plies: the number of moves; there are fewer if the game ends before.
        rng: the generator that draws the moves.
        choose: gives the move instead of the generator, or None to have it drawn.
    """
    state = game.new_state()
    moves: list[int] = []
    while len(moves) < plies and not game.is_terminal(state):
        move = None if choose is None else choose(state)
        moves.append(int(rng.choice(game.actions(state))) if move is None else move)
        game.play(state, moves[-1])
    return moves, state
