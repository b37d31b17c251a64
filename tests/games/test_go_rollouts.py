"""Heavy rollouts of Go: positions made by hand, and every rule against a slow one with flood fill."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.envs import Game, go
from plyground.envs.games.go.heavy import RULES, heavy
from plyground.envs.games.go.patterns import shapes
from plyground.envs.games.go.tactics import tactics
from plyground.envs.games.points import points
from plyground.envs.jit import kernel
from plyground.envs.jit.prng import new_rng
from tests.conftest import random_game
from tests.helpers.go_oracle import Grid, after, grid_of, neighbours, region, state_of

Point = tuple[int, int]


def liberties(grid: Grid, row: int, column: int) -> set[Point]:
    chain, _ = region(grid, row, column)
    return {(r, c) for y, x in chain for r, c in neighbours(len(grid), y, x) if grid[r][c] == 0}


def chains_beside(grid: Grid, stones: set[Point], colour: int) -> list[Point]:
    """Return a stone of each chain of ``colour`` beside ``stones``."""
    found: dict[frozenset[Point], Point] = {}
    for stone in stones:
        for r, c in neighbours(len(grid), *stone):
            if grid[r][c] == colour:
                found[frozenset(region(grid, r, c)[0])] = (r, c)
    return list(found.values())


def taken(grid: Grid, point: Point, own: int) -> bool:
    return any(liberties(grid, *other) == {point} for other in chains_beside(grid, {point}, 3 - own))


def gives_away(grid: Grid, point: Point, own: int) -> bool:
    """Return whether a stone takes nothing, and its chain has one liberty at most."""
    if taken(grid, point, own):
        return False
    rows = [list(line) for line in grid]
    rows[point[0]][point[1]] = own
    return len(liberties(tuple(map(tuple, rows)), *point)) < 2


def is_eye(grid: Grid, point: Point, own: int) -> bool:
    size, (row, column) = len(grid), point
    if any(grid[r][c] != own for r, c in neighbours(size, row, column)):
        return False
    corners = [(row + dr, column + dc) for dr in (-1, 1) for dc in (-1, 1)]
    inside = [(r, c) for r, c in corners if 0 <= r < size and 0 <= c < size]
    return sum(grid[r][c] == 3 - own for r, c in inside) + (len(inside) < 4) < 2


def vital_points(grid: Grid, last: Point, own: int) -> set[Point]:
    """Return where a shape beside ``last`` that the opponent surrounds has its vital point."""
    found, size = set(), len(grid)
    eight = {(last[0] + dr, last[1] + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1)}
    if sum(0 <= r < size and 0 <= c < size and grid[r][c] == 0 for r, c in eight) > 5:
        return found
    for r, c in neighbours(len(grid), *last):
        if grid[r][c] == 0:
            space, border = region(grid, r, c)
            if border - {3 - own} or not 3 <= len(space) <= 6:
                continue
            inside = {p: sum(n in space for n in neighbours(len(grid), *p)) for p in space}
            most = max(inside.values())
            # Each row is a shape: how many neighbours in the space its points have.
            if tuple(sorted(inside.values())) in (
                (1, 1, 2),  # three in a row or bent
                (1, 1, 1, 3),  # pyramid
                (1, 2, 2, 2, 3),  # bulky five
                (1, 1, 1, 1, 4),  # crossed five
                (1, 1, 2, 2, 2, 4),  # rabbity six
            ):
                found |= {p for p in space if inside[p] == most}
    return found


def has_shape(grid: Grid, point: Point) -> bool:
    size, number = len(grid), 0
    places = [(-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)]
    for i, (dr, dc) in enumerate(places):
        r, c = point[0] + dr, point[1] + dc
        number |= (grid[r][c] if 0 <= r < size and 0 <= c < size else 3) << 2 * i
    return bool(shapes()[number])


def moves_of(grid: Grid, legal: set[Point], own: int, last: Point | None, before: Point | None) -> set[Point]:
    """Return the moves that the first rule that applies may draw; none: a pass."""
    if last is not None:
        if len(escape := liberties(grid, *last)) == 1 and escape <= legal:
            return escape
        saving = set()
        for chain in chains_beside(grid, {last}, own):
            if len(escape := liberties(grid, *chain)) == 1:
                saving |= {p for p in escape if not gives_away(grid, p, own)}
                for other in chains_beside(grid, region(grid, *chain)[0], 3 - own):
                    if len(found := liberties(grid, *other)) == 1:
                        saving |= found
        if saving & legal:
            return saving & legal
        if vital := vital_points(grid, last, own) & legal:
            return vital
        near = {(last[0] + dr, last[1] + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1)} & legal
        if fitting := {p for p in near if has_shape(grid, p) and not gives_away(grid, p, own)}:
            return fitting
    if before is not None:
        captures = set()
        for chain in chains_beside(grid, {before}, 3 - own):
            if len(found := liberties(grid, *chain)) == 1:
                captures |= found
        if captures & legal:
            return captures & legal
    rest = {p for p in legal if not is_eye(grid, p, own)}
    return {p for p in rest if not gives_away(grid, p, own)} or rest


def drawn(game: Game, state: Any, last: int = -1, before: int = -1, draws: int = 60) -> set[int]:
    """Return the moves of so many draws, in plain Python."""
    actions, rng = np.empty(game.num_actions, np.int32), new_rng(0)
    with np.errstate(over="ignore"):
        return {int(game.rollout_action(state, last, before, actions, rng)) for _ in range(draws)}


@pytest.mark.rules
@pytest.mark.parametrize("size", [3, 5, pytest.param(7, marks=pytest.mark.slow)])
def test_tactics_against_flood_fill(size: int, rng: np.random.Generator) -> None:
    game = go(board_size=size, superko="simple")
    rules, cell_of = tactics(size), points(size).cell_of.astype(int).reshape(size, size)
    for _ in range(3):
        for state in random_game(game, rng)[::3]:
            grid, own = grid_of(game, state), game.player(state) + 1
            for action in range(size * size):
                point = divmod(action, size)
                cell = int(cell_of[point])
                if grid[point[0]][point[1]]:
                    found = liberties(grid, *point)
                    expected = cell_of[found.pop()] if len(found) == 1 else 0
                    assert rules.last_liberty(state, int(state.head[cell])) == expected
                elif action in game.actions(state):
                    assert rules.is_capture(state, cell, own) == taken(grid, point, own)
                    assert rules.is_self_atari(state, cell, own) == gives_away(grid, point, own)
                    beside = chains_beside(grid, {point}, own)
                    assert rules.is_saving(state, cell, own) == any(liberties(grid, *one) == {point} for one in beside)
                    played = after(grid, *point, own)
                    assert played is not None
                    atari = any(
                        len(liberties(played, *chain)) == 1
                        for chain in chains_beside(grid, {point}, 3 - own)
                        if liberties(grid, *chain) != {point}
                    )
                    if not taken(grid, point, own):
                        assert rules.gives_atari(state, cell, own) == atari


@pytest.mark.rules
@pytest.mark.parametrize("size", [2, 5, pytest.param(7, marks=pytest.mark.slow)])
def test_every_draw_is_one_of_the_first_rule_that_applies(size: int, rng: np.random.Generator) -> None:
    game = go(board_size=size, superko="simple")
    met = 0
    for _ in range(4):
        state, last, before = game.new_state(), -1, -1
        while not game.is_terminal(state):
            legal = {divmod(a, size) for a in game.actions(state) if a < size * size}
            known = [divmod(a, size) if 0 <= a < size * size else None for a in (last, before)]
            moves = moves_of(grid_of(game, state), legal, game.player(state) + 1, *known)
            expected = {r * size + c for r, c in moves} or {size * size}
            found = drawn(game, state, last, before, 8)
            assert found <= expected
            if len(expected) <= 2:
                met += drawn(game, state, last, before, 30) == expected
            # A quarter of the moves are blind ones, which leave stones in danger.
            action = int(rng.choice(game.actions(state) if rng.random() < 0.25 else sorted(found)))
            last, before = action, last
            game.play(state, action)
    assert met > 10 or size == 2


@pytest.mark.rules
class TestPositions:
    GAME = go(board_size=5, superko="simple")

    def moves(self, diagram: str, last: str, before: str | None = None, to_move: int = 0) -> set[str]:
        game = self.GAME
        numbers = game.str_to_action(last), -1 if before is None else game.str_to_action(before)
        found = drawn(game, state_of(game, diagram, to_move), numbers[0], numbers[1], 200)
        return {game.action_to_str(action) for action in found}

    def test_takes_the_chain_of_the_last_move(self) -> None:
        diagram = """
            . . . . .
            . X X . .
            X O O . .
            . X X . .
            . . . . ."""
        assert self.moves(diagram, "C3") == {"D3"}

    def test_runs_out_of_atari(self) -> None:
        diagram = """
            . . . . .
            . . . . .
            . O X O .
            . . O . .
            . . . . ."""
        assert self.moves(diagram, "D3") == {"C4"}

    def test_does_not_run_where_it_stays_in_atari(self) -> None:
        diagram = """
            . O . . .
            O X . . .
            . O . . .
            . . . . .
            . . . . ."""
        assert self.moves(diagram, "B3") == {"C4"}
        walled = """
            O X . . .
            O O . . .
            . . . . .
            . . . . .
            . . . . ."""
        assert "C5" in self.moves(walled, "B4")  # it gives two liberties
        cornered = """
            . X O . .
            O O . . .
            . . . . .
            . . . . .
            . . . . ."""
        assert "A5" not in self.moves(cornered, "A4")

    def test_saves_by_taking_a_chain_beside(self) -> None:
        diagram = """
            . . . . .
            X O X . .
            O X O . .
            O . O . .
            . O . . ."""
        assert self.moves(diagram, "C3") == {"B5"}  # B2 would be suicide

    def test_plays_the_vital_point(self) -> None:
        diagram = """
            . . . O X
            O O O O X
            X X X X X
            . . . . .
            . . . . ."""
        assert self.moves(diagram, "D5") == {"B5"}

    def test_answers_a_cut_with_a_shape(self) -> None:
        diagram = """
            . . . . .
            . X O . .
            . O . . .
            . . . . .
            . . . . ."""
        assert "C3" in self.moves(diagram, "C4")

    def test_takes_beside_its_own_last_move(self) -> None:
        diagram = """
            . . . . O
            . X . . .
            X O X . .
            . . . . .
            . . . . ."""
        assert self.moves(diagram, "E5", "C3") == {"B2"}

    def test_fills_no_eye_and_passes_instead(self) -> None:
        diagram = """
            . X X X .
            X X X X X
            X X X X X
            X X X X X
            X X X X X"""
        assert self.moves(diagram, "pass") == {"pass"}


@kernel
def _rolled(game, state, last, before, actions, rng):
    plies = 0
    while not game.is_terminal(state):
        action = game.rollout_action(state, last, before, actions, rng)
        for i in range(game.legal_actions(state, actions)):
            if actions[i] == action:
                break
        else:
            return -1
        game.play(state, action)
        last, before = action, last
        plies += 1
    return plies


@pytest.mark.parametrize("size", [5, pytest.param(9, marks=pytest.mark.slow)])
def test_no_illegal_move_and_the_same_seed_the_same_game(size: int) -> None:
    game = go(board_size=size)
    actions, lengths = np.zeros(game.num_actions, np.int32), []
    for seed in (*range(200), *range(200)):
        lengths.append(_rolled(game, game.new_state(), -1, -1, actions, new_rng(seed)))
    assert min(lengths) > 0
    assert lengths[:200] == lengths[200:]
    assert np.mean(lengths) < game.max_plies / 2  # rollouts end by themselves


# For each rule a position in which it moves and none before it, with the last move and the one before.
MOVING = {
    "capture": ((". . . . .", ". X X . .", "X O O . .", ". X X . .", ". . . . ."), "C3", None),
    "save": ((". . . . .", ". . . . .", ". O X O .", ". . O . .", ". . . . ."), "D3", None),
    "nakade": ((". . . O X", "O O O O X", "X X X X X", ". . . . .", ". . . . ."), "D5", None),
    "patterns": ((". . . . .", ". X O . .", ". O . . .", ". . . . .", ". . . . ."), "C4", None),
    "capture again": ((". . . . O", ". X . . .", "X O X . .", ". . . . .", ". . . . ."), "E5", "C3"),
    "safe": ((". O . . .", ". . . . .", ". . . . .", ". . . . .", ". . . . ."), "pass", None),
}


@pytest.mark.rules
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_can_be_left_out(rule: str) -> None:
    diagram, *last = MOVING[rule]
    game = go(board_size=5, superko="simple")

    def moves(*rules: str) -> set[int]:
        some = game.replace(knowledge=game.knowledge._replace(action=heavy(5, rules)))
        assert (some.digest == game.digest) == (rules == RULES)
        numbers = (-1 if name is None else game.str_to_action(name) for name in last)
        return drawn(some, state_of(some, "\n".join(diagram)), *numbers, draws=200)

    assert moves(rule) == moves(*RULES)  # all others are silent here, so it alone moves in the same way
    assert moves(*(other for other in RULES if other != rule)) - moves(*RULES)
