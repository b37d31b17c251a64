"""Drawing positions to grade players on, ply by ply, and solving them.

Games of random moves are unlike games that anybody plays, and few of them are still open late. So in each line all
moves, a half or a quarter of them are random, and a shallow search plays the others. Of each ply some won, some drawn
and some lost positions are kept, as far as there are any; no two are the same or mirror images. All of them tell
players apart: where the player can win or draw, some move loses value; where all is lost, some moves delay the end more
than others.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from ...agents import AlphaBeta, Solution, Solver
from ...agents.compiling import Stopwatch
from ...agents.solver.connect_four.scores import ConnectFourScores, is_connect_four
from ...envs import Game, State, as_game
from ...envs.position import Position
from ..openings import random_line
from .positions import SolvedPositions
from .size import is_large

__all__ = [
    "POSITIONS",
    "MoveValues",
    "different_lines",
    "draw_positions",
    "join_positions",
    "solvable_plies",
    "solve_positions",
]

POSITIONS = 20  # of each ply, by default

_SHARES = (1.0, 0.5, 0.25)  # shares of random moves in a line
_LOOKAHEAD = 4  # plies that the search looks ahead for the other moves
_QUOTAS = {1: 0.4, 0: 0.4, -1: 0.2}  # shares of positions by the sign of their value
_MOST_PLIES = 8  # plies that positions are drawn from, for games without committed positions
_GAMES = 20  # random ones, that show how long a game is
_TABLE_MB = 64  # a game that needs more is not small

_LOG = logging.getLogger("plyground")


class MoveValues(Protocol):
    """What each action of a position is worth, as a `Solution` has it."""

    @property
    def values(self) -> Mapping[int, float]:
        """The value of each action, for the player to move."""
        ...

    @property
    def distances(self) -> Mapping[int, int | None]:
        """Plies to the end of the game after each action, which counts as one; None without end."""
        ...


def solve_positions(
    game: Game | str,
    count: int = POSITIONS,
    seed: int = 0,
    *,
    seconds: float = math.inf,
    stop: Callable[[], bool] = lambda: False,
) -> SolvedPositions:
    """Draw and solve up to ``count`` positions of each of some plies of a small game.

    Args:
        game: the game, or its name.
        count: the number of positions of each ply.
        seed: the seed of the lines that lead to them.
        seconds: wall-clock time after which it is given up, about; compiling does not count. With such a limit nothing
            is compiled for a game that has too many positions, and the log says what takes the time.
        stop: asked now and then whether to give it up at once.

    Raises:
        ValueError: ``count`` is not positive, or the game cannot be solved, or not in ``seconds``, or too few of its
            positions can; or it was stopped.
    """
    game = as_game(game)
    solver = Solver(game, None if is_connect_four(game) else _TABLE_MB, seconds=0)
    if seconds < math.inf and is_large(game):
        raise ValueError(f"{game.spec} cannot be solved: it has too many positions")
    if seconds < math.inf:
        _LOG.info("solving positions of %s to grade moves in, for %g s at most …", game.spec, seconds)
    with Stopwatch() as clock:

        def check(*progress: object) -> None:
            if clock.seconds > seconds:
                raise ValueError(f"{game.spec} cannot be solved in {seconds:g} s")
            if stop():
                raise ValueError(f"solving positions of {game.spec} was stopped")

        solver.on_progress = check
        plies = solvable_plies(solver)
        parts = [part for ply in plies for part in draw_positions(solver, ply, count, seed, check=check)]
    if not parts:
        raise ValueError(f"found no positions of {game.spec} in which the moves differ in value")
    return join_positions(game, parts)


def join_positions(game: Game, found: Sequence[tuple[list[int], MoveValues]]) -> SolvedPositions:
    """Return lines and what their actions are worth as one set."""
    values = np.full((len(found), game.num_actions), np.nan)
    distances = np.full((len(found), game.num_actions), -1, np.int64)
    for i, (_, solution) in enumerate(found):
        for action, value in solution.values.items():
            distance = solution.distances[action]
            values[i, action], distances[i, action] = value, -1 if distance is None else distance
    return SolvedPositions(game, tuple(tuple(line) for line, _ in found), values, distances)


def solvable_plies(solver: Solver) -> list[int]:
    """Return up to 8 plies, spread over the game, from which it is soon solved.

    A game other than Connect Four is solved from its start, so the solver knows all that follows.

    Raises:
        ValueError: there are none: the game forbids repetition, or has too many positions.
    """
    game, first = solver.game, 0
    if is_connect_four(game):
        scores = ConnectFourScores(game, table_mb=1)
        # A position is solved through the positions after it. The book has the first plies, but not those that follow.
        first = max((ply for ply in range(game.max_plies) if not scores.is_soon_solved(ply)), default=0)
    else:
        try:
            solver.value(game.new_state())
        except MemoryError as error:
            raise ValueError(f"{game.spec} cannot be solved: {error}") from None
    last = max(first, _length(game) - 3)  # later there is hardly a choice
    return sorted(set(np.linspace(first, last, _MOST_PLIES).round().astype(int).tolist()))


def _length(game: Game) -> int:
    """Return the most plies of a game: those that it promises to have, unless they are many more than it ever has."""
    rng = np.random.default_rng(0)
    longest = max(len(random_line(game, game.max_plies, rng)[0]) for _ in range(_GAMES))
    return longest if 2 * longest < game.max_plies else game.max_plies


def draw_positions(
    solver: Solver,
    ply: int,
    count: int,
    seed: int = 0,
    *,
    attempts: int = 30,
    check: Callable[[], object] = lambda: None,
) -> list[tuple[list[int], Solution]]:
    """Return up to ``count`` lines of so many plies, and the solutions of the positions that they lead to.

    The same arguments give the same positions.

    Args:
        solver: the solver of the game.
        ply: the length of the lines.
        count: the number of positions wanted.
        seed: the seed of the lines.
        attempts: lines that are drawn for each position wanted, at most. If won, drawn or lost positions are too few
            after that, the others fill up.
        check: called before each line is drawn, and each position solved; what it raises ends the drawing.

    Raises:
        ValueError: ``count`` is not positive.
        MemoryError: a position is too large to solve.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    room = Counter({sign: round(share * count) for sign, share in _QUOTAS.items()})
    room[1] += count - room.total()
    kept: list[tuple[list[int], Solution]] = []
    spare: list[tuple[list[int], Solution]] = []  # positions of a kind of which there are enough
    for line, solution in _candidates(solver, ply, attempts * count, np.random.default_rng([seed, ply]), check):
        sign = int(np.sign(solution.value))
        if room[sign] > 0:
            room[sign] -= 1
            kept.append((line, solution))
        else:
            spare.append((line, solution))
        if len(kept) == count:
            break
    return kept + spare[: count - len(kept)]


def different_lines(
    game: Game,
    ply: int,
    attempts: int,
    rng: np.random.Generator,
    check: Callable[[], object] = lambda: None,
) -> Iterator[tuple[list[int], State]]:
    """Yield lines of so many plies, up to ``attempts``, to unfinished positions, no two the same or mirror images.

    A game that a repetition ends before is finished, too.

    All moves of a line, a half or a quarter of them are random; a search of 4 plies plays the others.
    ``check`` is called before each line.
    """
    search, seen = AlphaBeta(game, _LOOKAHEAD), set[int]()
    position = None if game.repetition is None else Position(game)
    for _ in range(attempts):
        check()
        share = float(rng.choice(_SHARES))

        def choose(state: State, share: float = share) -> int | None:
            return None if rng.random() < share else search.analyse(state).best_action

        line, state = random_line(game, ply, rng, choose)
        key = int(game.canonical_key(state))
        if key not in seen and not game.is_terminal(state) and _goes_on(position, game, line):
            seen.add(key)
            yield line, state


def _goes_on(position: Position | None, game: Game, line: Sequence[int]) -> bool:
    """Return whether no repetition has ended a game, or forbidden a move of it; None: none does."""
    if position is None:
        return True
    position.start(game.new_state())
    for action in line:
        if position.over or not position.mask[action]:
            return False
        position.play(action)
    return not position.over


def _candidates(
    solver: Solver, ply: int, attempts: int, rng: np.random.Generator, check: Callable[[], object]
) -> Iterator[tuple[list[int], Solution]]:
    """Yield different positions that tell players apart, with their solutions, from so many lines."""
    for line, state in different_lines(solver.game, ply, attempts, rng, check):
        check()
        solution = solver.solve(state)
        if _tells_apart(solution):
            yield line, solution


def _tells_apart(solution: Solution) -> bool:
    """Return whether some move loses value, or, where all is lost, ends the game sooner than another."""
    if len(solution.best_actions) < len(solution.values):
        return True
    return solution.value < 0 and len(set(solution.distances.values())) > 1
