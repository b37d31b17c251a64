"""Endings of checkers: against an oracle that knows squares and kings only, against the search with the count of quiet
plies, and against what the books say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from plyground.agents.solver import Solver
from plyground.agents.solver.endings import Endings
from plyground.agents.solver.exhaustive import AllPositions
from plyground.agents.solver.solving import new_table
from plyground.envs import Game, State, make_game

pytestmark = pytest.mark.slow

# -- kings on squares ----------------------------------------------------------------------------------------------

Kings = tuple[frozenset[int], frozenset[int], int, int]  # black, white, who is to move, the king that jumps or 0


@cache
def beside(square: int) -> tuple[tuple[int, int], ...]:
    """Return the neighbours of a square on the diagonals, each with the square behind it, or 0."""

    def number(row: int, column: int) -> int:
        return 4 * row + column // 2 + 1 if 0 <= row < 8 and 0 <= column < 8 else 0

    row, place = divmod(square - 1, 4)
    column = 2 * place + (row + 1) % 2
    found = [(number(row + dr, column + dc), number(row + 2 * dr, column + 2 * dc)) for dr in (1, -1) for dc in (1, -1)]
    return tuple((near, far) for near, far in found if near)


def children(position: Kings) -> Iterator[Kings]:
    """Yield the positions after each move or single jump."""
    black, white, turn, jumper = position
    own, other = (black, white) if turn == 0 else (white, black)

    def jumps(square: int, other: frozenset[int], own: frozenset[int]) -> list[tuple[int, int]]:
        return [(n, f) for n, f in beside(square) if n in other and f and f not in other and f not in own]

    moved = False
    for square in [jumper] if jumper else own:
        for near, far in jumps(square, other, own):
            moved = True
            left, now = other - {near}, own - {square} | {far}
            goes_on = bool(jumps(far, left, now))
            sides = (now, left) if turn == 0 else (left, now)
            yield (*sides, turn, far) if goes_on else (*sides, 1 - turn, 0)
    for square in () if moved else own:
        for near, _ in beside(square):
            if near not in own and near not in other:
                now = own - {square} | {near}
                yield (now, white, 1, 0) if turn == 0 else (black, now, 0, 0)


def kings_solved(start: Kings) -> dict[Kings, tuple[float, int | None]]:
    """Return value and distance of all positions: won or lost in 0 plies, in 1, in 2, and so on; drawn are the rest."""
    following, todo = {}, [start]
    while todo:
        position = todo.pop()
        if position not in following:
            following[position] = list(children(position))
            todo += following[position]
    solved: dict[Kings, tuple[float, int | None]] = {}
    plies, new = 0, {position: -1.0 for position, after in following.items() if not after}
    while new:
        solved |= {position: (value, plies) for position, value in new.items()}
        plies, new = plies + 1, {}
        for position, after in following.items():
            if position in solved:
                continue
            values = [
                None if child not in solved else solved[child][0] * (1 if child[2] == position[2] else -1)
                for child in after
            ]
            if 1.0 in values:
                new[position] = 1.0
            elif all(value == -1.0 for value in values):
                new[position] = -1.0
    return {position: solved.get(position, (0.0, None)) for position in following}


def state_of(game: Game, position: Kings) -> State:
    def bits(squares: Any) -> int:
        return sum(1 << (square - 1 + (square - 1) // 8) for square in squares)

    state = game.new_state()
    state.sides = [bits(position[0]), bits(position[1])]
    state.kings = bits(position[0] | position[1])
    state.turn = position[2]
    state.jumper = bits([position[3]] if position[3] else [])
    return state


def test_two_kings_against_one_are_solved_as_by_the_oracle() -> None:
    game = make_game("checkers")
    known = kings_solved((frozenset({14, 15}), frozenset({1}), 0, 0))
    assert len(known) > 16_000
    solver = Solver(game)
    for position in list(known)[::3]:
        assert solver.value(state_of(game, position)) == known[position]
    assert max(distance or 0 for _, distance in known.values()) == 34
    # Who has the two kings, and the move, wins, unless one of them is lost at once.
    drawn = [p for p, (value, _) in known.items() if value == 0 and (len(p[0]), p[2]) == (2, 0)]
    assert drawn
    for position in drawn:
        assert any(len(child[0]) == 1 for after in children(position) for child in children(after))


# -- with the count ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("men_reset", [True, False])
def test_values_are_those_of_the_search_with_the_count(men_reset: bool, rng: np.random.Generator) -> None:
    game = make_game(f"checkers(max_quiet_plies=9, men_reset={men_reset})")
    endings, counted = Endings(game, 512), AllPositions(game, 512)
    seen = set()
    for _ in range(400):
        state = game.new_state()
        man, king, other = (1 << (square + square // 8) for square in rng.choice(28, 3, replace=False).tolist())
        state.sides = [man | king, other]
        state.kings, state.turn, state.quiet = king | other, rng.integers(2), rng.integers(9)
        if game.is_terminal(state):
            continue
        value, distance = counted.value(state)
        assert endings.value(state) == (value, distance if value else None)
        late = bool(value) and distance is not None and state.quiet + distance > 9
        seen.add((value, late))
    # Wins that are in time only because the count starts anew, and states that were solved with the count.
    assert {(1.0, True), (-1.0, True), (0.0, False)} <= seen if men_reset else {(1.0, False), (0.0, False)} <= seen
    assert endings._counts[0] > 0
    assert 0 < endings._counted.nodes < counted.nodes


def test_the_count_decides() -> None:
    game = make_game("checkers")
    solver = Solver(game)
    state = game.state_from_fen("B:WK1:BK14,K15")
    assert solver.value(state) == (1.0, 17)
    state.quiet = 63
    assert solver.value(state) == (1.0, 17)  # the last ply that the rule allows
    state.quiet = 64
    assert solver.value(state) == (0.0, None)


def test_the_count_of_changed_rules_decides() -> None:
    """They were taken for the real ones."""
    game = make_game("checkers")
    short = game.replace(is_terminal=make_game("checkers(max_quiet_plies=6)").is_terminal)
    assert Solver(short).value(short.state_from_fen("B:WK1:BK14,K15"))[0] == 0


def test_an_interrupt_is_heard_where_the_count_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(function: Any, stop: Any, tell: Any = None) -> None:
        stop[0] = 1
        assert function() == -1  # ends at once
        raise KeyboardInterrupt

    game = make_game("checkers")
    endings, state = Endings(game, 512), game.state_from_fen("B:WK1:BK14,K15")
    assert endings.value(state) == (1.0, 17)
    state.quiet = 64
    with monkeypatch.context() as patched:
        patched.setattr("plyground.agents.solver.endings.run_with_stop", interrupted)
        with pytest.raises(KeyboardInterrupt):
            endings.value(state)
    assert endings.value(state) == (0.0, None)


def test_memory_is_one_limit_for_both_ways() -> None:
    game = make_game("checkers")
    with pytest.raises(MemoryError, match="checkers is too large to solve with table_mb=2"):
        Solver(game, table_mb=2, seconds=0).value(game.new_state())
    endings = Endings(game, 2)
    assert endings.value(game.state_from_fen("B:WK1:BK14,K15")) == (1.0, 17)
    assert endings._free.megabytes + endings._counted.megabytes <= 2
    endings.clear()
    assert endings._free.megabytes + endings._counted.megabytes < 0.2
    endings._counted.table = new_table(1 << 16)  # what one way has found leaves too little to the other
    assert endings.value(game.state_from_fen("B:WK1:BK14,K15")) == (1.0, 17)


# -- from books ----------------------------------------------------------------------------------------------------


def test_first_position() -> None:
    # E. Lasker, "Chess and Checkers: the Way to Mastership", 1918, diagram 93: White to move wins; Black to move draws.
    game = make_game("checkers")
    solver = Solver(game)
    assert solver.value(game.state_from_fen("W:WK19,K23:BK28,12"))[0] == 1
    assert solver.value(game.state_from_fen("B:WK19,K23:BK28,12")) == (0.0, None)

    # The American Checker Federation's solution (acfcheckers.com, "Standard Positions"). All of White's moves win.
    # Where N. Banks played 15-18 in a match, H. Henderson drew. It takes 81 plies from the first move: more than the
    # rule allows, if no man had to move.
    state = game.state_from_fen("W:WK15,20:B12,K28")
    assert solver.value(state) == (1.0, 81)
    white = "15-19 20-16 16-11 11-7 7-3 3-7 7-10 10-15 15-18 18-23 23-27 19-23 27-32 23-18 18-15 32-28 15-18 28-32 "
    white += "18-15 15-11 32-27 27-31 11-15"
    black = "28-32 32-28 28-32 32-28 28-32 32-28 28-32 32-28 28-32 32-28 28-32 32-28 28-24 24-28 28-24 24-27 12-16 "
    black += "27-24 24-28 16-19 28-32 32-28"
    for move, reply in zip(white.split(), [*black.split(), None], strict=True):
        best = solver.optimal_actions(state)
        assert game.str_to_action(move) in best
        if move == "15-11":
            assert game.str_to_action("15-18") in game.actions(state)
            assert game.str_to_action("15-18") not in best
        state = game.play_moves([move] if reply is None else [move, reply], state)
    assert solver.value(state)[0] == -1


@pytest.mark.parametrize(
    ("position", "value"),
    [
        ("B:WK1:BK14,K15", 1),  # two kings against one, in the double corner
        ("W:WK1:BK14,K15", -1),
        ("B:WK1:BK32", 0),  # one against one
        ("B:WK18:BK14", 1),  # who can jump
        ("B:WK22:BK29", -1),  # in the single corner, with the move, which leads before the other's king
    ],
)
def test_few_kings(position: str, value: int) -> None:
    game = make_game("checkers")
    assert Solver(game).value(game.state_from_fen(position))[0] == value
