"""The features of every game, against slow and obvious counts on boards, and positions made by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from plyground.envs import Game, checkers, connect_four, gomoku, make_game, mnk, othello, tictactoe
from plyground.envs.games.tictactoe import open_lines
from tests.conftest import random_game
from tests.games.test_checkers import state_of
from tests.games.test_othello import OTHER, Lists, lists_of, outflanked, position
from tests.helpers.oracles import Board, board_of, decoded, lines, reachable

pytestmark = pytest.mark.rules

SPECS = ["checkers", "connect_four", "gomoku(size=7)", "mnk(5, 4, 4)", "othello", "othello(size=6)", "tictactoe"]


def share(own: float, other: float, most: float) -> float:
    return max(-1.0, min(1.0, (own - other) / most))


def check(game: Game, state: Any, expected: dict[str, float]) -> None:
    """Check the features, as the first player sees them, and what is made of them."""
    found = game.features_of(state, 0)
    assert list(found) == list(game.weights)
    assert found == pytest.approx(expected, abs=1e-12)
    assert game.features_of(state, 1) == {name: -value for name, value in found.items()}
    assert all(-1 <= value <= 1 for value in found.values())
    total = sum(game.weights[name] * value for name, value in expected.items())
    assert game.evaluate(state, 0) == pytest.approx(game.max_utility * total)
    assert game.evaluate(state, 1) == -game.evaluate(state, 0)


@pytest.mark.parametrize("spec", SPECS)
def test_symmetric_positions_have_equal_features(spec: str, rng: np.random.Generator) -> None:
    game = make_game(spec)
    assert game.symmetries or game.name == "checkers"
    for symmetry in game.symmetries:
        image_of = np.argsort(symmetry.actions)
        state, image = game.new_state(), game.new_state()
        while not game.is_terminal(state):
            assert game.features_of(image, 0) == game.features_of(state, 0)
            assert game.evaluate(image, 0) == game.evaluate(state, 0)
            action = int(rng.choice(game.actions(state)))
            game.play(state, action)
            game.play(image, int(image_of[action]))


class TestOthello:
    @staticmethod
    def features(lists: Lists) -> dict[str, float]:
        size = len(lists)
        cells = list(product(range(size), repeat=2))

        def around(row: int, column: int) -> list[tuple[int, int]]:
            return [(r, c) for r, c in cells if max(abs(r - row), abs(c - column)) == 1]

        def count(disc: str) -> dict[str, int]:
            own = [(r, c) for r, c in cells if lists[r][c] == disc]
            corners = [(r, c) for r, c in cells if {r, c} <= {0, size - 1}]
            held = set()
            for (row, column), along in product(corners, ("row", "column")):
                for i in range(size):
                    down, right = (0, i) if along == "row" else (i, 0)
                    cell = abs(row - down), abs(column - right)
                    if lists[cell[0]][cell[1]] != disc:
                        break
                    held.add(cell)
            risky = {
                cell: corner for corner in corners if lists[corner[0]][corner[1]] == "." for cell in around(*corner)
            }
            on_x = [c for c in own if c in risky and c[0] != risky[c][0] and c[1] != risky[c][1]]
            return {
                "moves": sum(lists[r][c] == "." and bool(outflanked(lists, r, c, disc)) for r, c in cells),
                "frontier": sum(any(lists[r][c] == "." for r, c in around(*cell)) for cell in own),
                "corners": sum(cell in corners for cell in own),
                "held": len(held),
                "on_x": len(on_x),
                "on_c": sum(cell in risky for cell in own) - len(on_x),
                "discs": len(own),
            }

        own, other = count("X"), count("O")
        lead = {name: own[name] - other[name] for name in own}
        return {
            "mobility": lead["moves"] / (own["moves"] + other["moves"] + 2),
            "frontier": -lead["frontier"] / (own["frontier"] + other["frontier"] + 2),
            "corners": share(own["corners"], other["corners"], 2),
            "stability": share(own["held"], other["held"], 8),
            "x_squares": share(other["on_x"], own["on_x"], 2),
            "c_squares": share(other["on_c"], own["on_c"], 4),
            "discs": share(own["discs"], other["discs"], size**2 / 4),
        }

    @pytest.mark.parametrize(("size", "by_discs"), [(4, False), (6, True), (8, False)])
    def test_random_games(self, size: int, by_discs: bool, rng: np.random.Generator) -> None:
        game = othello(size, by_discs)
        for _ in range(3):
            for state in random_game(game, rng)[:-1]:
                check(game, state, self.features(lists_of(game, state)))

    @pytest.mark.parametrize("size", [4, 6, 8])
    def test_random_boards(self, size: int, rng: np.random.Generator) -> None:
        game = othello(size)
        for _ in range(30):
            cells = rng.choice(list(".XO"), (size, size), p=rng.dirichlet((1, 2, 2)))
            state = position(game, "\n".join(map(" ".join, cells)), str(rng.choice(list(OTHER))))
            check(game, state, self.features(lists_of(game, state)))

    def test_by_hand(self) -> None:
        # X holds two corners and a1 to c1, a2 and d4 for good; O holds one, and stands next to the empty corner a4.
        game = othello(4)
        found = game.features_of(position(game, "X X X O\nX O O X\nO O X .\n. . . X"), 0)
        assert found["corners"] == (2 - 1) / 2
        assert found["stability"] == (5 - 1) / 8
        assert found["x_squares"] == 1 / 2  # b3
        assert found["c_squares"] == 1 / 4  # a3
        assert found["discs"] == (7 - 5) / 4
        # X has b1 and b2, c2, b3, and O has c3: each could move to three cells, and all discs are next to an empty one.
        found = game.features_of(game.play_moves(["b1"]), 0)
        assert found["mobility"] == 0
        assert found["frontier"] == (1 - 4) / (1 + 4 + 2)


class TestConnectFour:
    @staticmethod
    def features(board: Board) -> dict[str, float]:
        rows, columns = len(board), len(board[0])
        everything = list(lines(rows, columns, 4))
        empty = {(r, c) for r, c in product(range(rows), range(columns)) if board[r][c] == 0}
        landings = {cell for cell in empty if (cell[0] + 1, cell[1]) not in empty}
        found: list[dict[str, float]] = []
        wins: list[set[tuple[int, int]]] = []
        for stone in (1, 2):
            counts = [0] * 5
            completing = set()
            for line in everything:
                stones = [board[r][c] for r, c in line]
                if 3 - stone not in stones:
                    counts[stones.count(stone)] += 1
                    if stones.count(stone) == 3:
                        completing.add(line[stones.index(0)])
            middle = [c for c in range(columns) if abs(2 * c - (columns - 1)) <= 1]
            late = [cell for cell in completing - landings if (rows - cell[0]) % 2 == stone % 2]
            centre = sum(row[c] == stone for row in board for c in middle) / (rows * len(middle))
            wins.append(completing & landings)
            found.append({"1": counts[1], "2": counts[2], "3": counts[3], "centre": centre, "late": len(late)})
        first, second = found
        mover = sum(map(bool, np.ravel(board))) % 2
        winning = 1 if wins[mover] else -1 if len(wins[1 - mover]) > 1 else 0
        return {
            "ones": share(first["1"], second["1"], len(everything)),
            "twos": share(first["2"], second["2"], len(everything) / 2),
            "threes": share(first["3"], second["3"], len(everything) / 4),
            "centre": first["centre"] - second["centre"],
            "parity_threats": share(first["late"], second["late"], 5),
            "winning_move": -winning if mover else winning,
        }

    @pytest.mark.parametrize(("rows", "columns"), [(6, 7), (4, 4), (5, 8), (7, 6), (4, 10)])
    def test_random_games(self, rows: int, columns: int, rng: np.random.Generator) -> None:
        game = connect_four(rows, columns)
        seen = set()
        for _ in range(12):
            for state in random_game(game, rng)[:-1]:
                expected = self.features(board_of(game, state))
                check(game, state, expected)
                seen.add((expected["winning_move"], expected["parity_threats"] != 0))
        assert len(seen) >= 4

    def test_by_hand(self) -> None:
        game = connect_four()
        one_way = game.play_moves([1, 6, 2, 6])
        assert game.features_of(one_way, 0)["winning_move"] == 0
        three = game.play_moves([3], one_way)  # on columns 1 to 3 of the lowest row, open to both sides
        assert game.features_of(three, 0)["winning_move"] == 1  # the other can stop one way only
        assert game.features_of(three, 0)["threes"] == 2 / (69 / 4)
        assert game.features_of(three, 0)["centre"] == 1 / 6
        assert game.features_of(three, 0)["parity_threats"] == 0  # both can be taken now
        # The first player has three on the second row, and nobody a stone below the ends: cells in an even row.
        even = game.play_moves([1, 2, 3, 6, 1, 5, 3, 6, 2, 6])
        assert game.features_of(even, 0)["parity_threats"] == 0
        # The same, begun by the other player: for the second player even rows are good.
        odd = game.play_moves([2, 1, 6, 3, 5, 1, 6, 3, 6, 2])
        assert game.features_of(odd, 1)["parity_threats"] == 2 / 5


class TestStonesInARow:
    @staticmethod
    def features(board: Board, length: int) -> dict[str, float]:
        everything = list(lines(len(board), len(board[0]), length)) if length > 1 else []
        counts = np.zeros((3, length + 1), int)  # [owner, stones]
        for line in everything:
            stones = [board[r][c] for r, c in line]
            for owner in (1, 2):
                if 3 - owner not in stones:
                    counts[owner, stones.count(owner)] += 1
        names = [None, "ones", "twos", "threes", "fours", "fives", "sixes", "sevens"]
        found = {
            str(names[length - lacking]): share(counts[1, length - lacking], counts[2, length - lacking], most)
            for lacking, most in ((4, 80), (3, 40), (2, 10), (1, 5))
            if lacking < length
        }
        mover = 1 + sum(map(bool, np.ravel(board))) % 2
        own, other = (int(counts[owner, length - 1]) if length > 1 else 0 for owner in (mover, 3 - mover))
        winning = 1 if own else -1 if other > 1 else 0
        return {**found, "winning_move": winning if mover == 1 else -winning}

    @pytest.mark.parametrize(
        "game", [mnk(), mnk(4, 5, 4), mnk(6, 3, 3), mnk(8, 7, 7), mnk(2, 2, 2), gomoku(7), gomoku(6, True)], ids=str
    )
    def test_random_games(self, game: Game, rng: np.random.Generator) -> None:
        length = game.parameters.get("k", 5)
        for _ in range(4):
            for state in random_game(game, rng)[:-1]:
                check(game, state, self.features(board_of(game, state), length))

    def test_most_lines_there_can_be(self) -> None:
        # The counts are digits of one number, and must not run over into each other on the largest boards.
        for k, lacking in product((2, 3, 4, 5), (1, 2)):
            game = mnk(19, 19, k)
            row, column = np.indices((19, 19))
            stones = (row + column) % k >= lacking  # on most lines so many are lacking
            plane = np.stack([stones, np.zeros_like(stones)], axis=2).astype(np.int8)
            for planes in (plane, plane[:, :, ::-1]):
                state = decoded(game, planes)
                expected = self.features(board_of(game, state), k)
                assert game.features_of(state, 0) == pytest.approx(expected)

    def test_by_hand(self) -> None:
        # On the row of h8, open to both sides; the other side's stones stand far off.
        game = gomoku()
        four = game.play_moves(["h8", "a1", "i8", "a15", "j8", "o1", "k8"])
        assert game.features_of(four, 0)["fours"] == 2 / 5  # to either side
        assert game.features_of(four, 0)["winning_move"] == 1  # the other can stop one of them only
        three = game.play_moves(["h8", "a1", "i8", "a15", "j8", "o1"])
        assert game.features_of(three, 0)["threes"] == 3 / 10
        assert game.features_of(three, 0)["winning_move"] == 0
        to_move = game.play_moves(["h8", "a1", "i8", "a15", "j8", "o1", "k8", "o15"])
        assert game.features_of(to_move, 0)["winning_move"] == 1

    def test_first_move_wins_where_one_stone_is_enough(self) -> None:
        assert mnk(5, 4, 1).features_of(mnk(5, 4, 1).new_state(), 0) == {"winning_move": 0}


class TestCheckers:
    @staticmethod
    def features(grid: Any) -> dict[str, float]:
        counts = {"man": [0, 0], "king": [0, 0], "beyond": [0, 0], "home": [0, 0], "central": [0, 0]}
        for row, column in product(range(8), repeat=2):
            piece = int(grid[row, column])
            if piece == 0:
                continue
            side = (piece - 1) % 2
            if piece > 2:
                counts["king"][side] += 1
                counts["central"][side] += 2 <= row <= 5 and 2 <= column <= 5
            else:
                ahead = row if side == 0 else 7 - row
                counts["man"][side] += 1
                counts["beyond"][side] += ahead >= 4
                counts["home"][side] += ahead == 0
        black, white = (2 * counts["man"][side] + 3 * counts["king"][side] for side in (0, 1))
        return {
            "material": (black - white) / (black + white),
            "advance": share(counts["beyond"][0], counts["beyond"][1], 12),
            "back_row": share(counts["home"][0], counts["home"][1], 4),
            "king_centre": share(counts["central"][0], counts["central"][1], 8),
        }

    def test_random_games(self, rng: np.random.Generator) -> None:
        game = checkers()
        assert game.board is not None
        for _ in range(20):
            for state in random_game(game, rng)[:-1]:
                check(game, state, self.features(game.board.pieces(state)))

    def test_by_hand(self) -> None:
        game = checkers()
        assert set(game.features_of(game.new_state(), 0).values()) == {0.0}
        # Black: a king and a man that is neither beyond the middle nor at home. White: a man at home.
        found = game.features_of(state_of("B:W30:BK15,9"), 0)
        assert found == {"material": (5 - 2) / (5 + 2), "advance": 0, "back_row": -1 / 4, "king_centre": 1 / 8}
        # Black: a man beyond the middle. White: one as well, and one at home.
        found = game.features_of(state_of("W:W16,31:B17"), 1)
        assert found == {"material": (4 - 2) / (4 + 2), "advance": 0, "back_row": 1 / 4, "king_centre": 0}
        twelve_kings = state_of("B:W32:BK1,K2,K3,K4,K10,K11,K14,K15,K18,K19,K22,K23")
        assert game.features_of(twelve_kings, 0)["king_centre"] == 1
        assert game.evaluate(twelve_kings, 0) < 1


@pytest.mark.slow
def test_open_lines_of_tictactoe() -> None:
    game = tictactoe()
    for state in reachable(game).values():
        for player in (0, 1):
            assert game.features_of(state, player) == {"open_lines": open_lines(state, player) / 8}
            assert game.evaluate(state, player) == open_lines(state, player) / 9  # as in the text, made less than 1
