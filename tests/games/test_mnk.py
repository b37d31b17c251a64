"""Stones in a row, against slow and obvious rules, and against what is known of small boards."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta
from plyground.envs import Game, check_game, gomoku, gomoku_v0, mnk, mnk_v0
from plyground.envs.games import mnk as mnk_file
from plyground.envs.jit import kernel
from plyground.envs.jit.prng import below, new_rng
from tests.conftest import random_game
from tests.helpers.oracles import Board, board_of, lines, winner

BOARDS = [(3, 3, 3), (4, 3, 3), (3, 5, 4), (7, 2, 5), (1, 6, 3), (6, 1, 6), (2, 2, 2), (1, 1, 1), (5, 4, 1), (5, 6, 4)]


def exact_winner(board: Board, length: int) -> int:
    """Return 1 or 2 if that player has a line that no equal stone makes longer, else 0."""
    for line in lines(len(board), len(board[0]), length):
        (first_row, first_column), (row, column) = line[0], line[1]
        step = row - first_row, column - first_column
        stones = [board[r][c] for r, c in line]
        beyond = [(first_row - step[0], first_column - step[1]), (line[-1][0] + step[0], line[-1][1] + step[1])]
        ends = [board[r][c] for r, c in beyond if 0 <= r < len(board) and 0 <= c < len(board[0])]
        if stones[0] and stones.count(stones[0]) == length and stones[0] not in ends:
            return stones[0]
    return 0


def check_against_oracle(game: Game, state: Any, length: int, exact: bool = False) -> None:
    board = board_of(game, state)
    empty = [cell for cell, stone in enumerate(np.ravel(board)) if stone == 0]
    won = exact_winner(board, length) if exact else winner(board, length)
    assert game.player(state) == (game.num_actions - len(empty)) % 2
    assert game.actions(state) == empty
    assert game.is_terminal(state) == (won != 0 or not empty)
    if game.is_terminal(state):
        assert (game.utility(state, 0), game.utility(state, 1)) == {0: (0, 0), 1: (1, -1), 2: (-1, 1)}[won]


def played(game: Game, *actions: int) -> Any:
    """Return the state after moves that are known to be legal, without the checks that `Game.play_moves` makes."""
    state = game.new_state()
    for action in actions:
        assert not game.is_terminal(state)
        game.play(state, action)
    return state


def with_stones(game: Game, first: list[str]) -> Any:
    """Return the state after the first player put these stones, in turn with stones of the second that do no harm."""
    size = game.observation_shape[0]
    others = [f"{column}{row}" for row in (size, size - 1) for column in "acegikm"]
    return game.play_moves([move for pair in zip(first, others, strict=False) for move in pair][:-1])


@pytest.mark.rules
class TestRules:
    @pytest.mark.parametrize(("m", "n", "k"), BOARDS)
    def test_random_games_against_the_oracle(self, m: int, n: int, k: int, rng: np.random.Generator) -> None:
        game = mnk(m, n, k)
        assert game.observation_shape == (n, m, 2)
        for _ in range(15):
            for state in random_game(game, rng):
                check_against_oracle(game, state, k)

    @pytest.mark.parametrize("exact", [pytest.param(False, marks=pytest.mark.slow), True])
    def test_games_with_overlines_against_the_oracle(self, exact: bool, rng: np.random.Generator) -> None:
        # Each player likes one half of the board better, so that long rows come about.
        game = gomoku(8, exact)
        overlines = 0
        for _ in range(12):
            state = game.new_state()
            while not game.is_terminal(state):
                actions = np.array(game.actions(state))
                liked = actions[(actions < 32) == (game.player(state) == 0)]
                game.play(state, int(rng.choice(liked if len(liked) and rng.random() < 0.9 else actions)))
                check_against_oracle(game, state, 5, exact)
                overlines += winner(board_of(game, state), 6) != 0
        assert overlines

    @pytest.mark.parametrize("game", [mnk(4, 3, 3), mnk(3, 6, 4), gomoku(7), gomoku(6, exact=True)], ids=str)
    def test_every_line_wins_whichever_stone_comes_last(self, game: Game, rng: np.random.Generator) -> None:
        rows, columns, _ = game.observation_shape
        length = game.parameters.get("k", 5)
        for line in lines(rows, columns, length):
            cells = [row * columns + column for row, column in line]
            rest = [cell for cell in range(game.num_actions) if cell not in cells]
            for last in range(length):
                own = cells[:last] + cells[last + 1 :] + [cells[last]]
                other = rng.permutation(rest)[:length].tolist()
                won = played(game, *np.ravel([own, other], "F")[:-1].tolist())  # the other has one stone less
                assert game.is_terminal(won)
                assert (game.utility(won, 0), game.utility(won, 1)) == (1, -1)
                lost = played(game, *np.ravel([self.without_a_line(game, rest, length, rng), own], "F").tolist())
                assert game.is_terminal(lost)
                assert (game.utility(lost, 0), game.utility(lost, 1)) == (-1, 1)

    @staticmethod
    def without_a_line(game: Game, cells: list[int], length: int, rng: np.random.Generator) -> list[int]:
        rows, columns, _ = game.observation_shape
        while True:
            chosen = rng.permutation(cells)[:length].tolist()
            board = np.zeros(rows * columns, int)
            board[chosen] = 1
            if not winner(tuple(map(tuple, board.reshape(rows, columns).tolist())), length):
                return chosen

    @pytest.mark.parametrize(
        "row",
        [
            ["b3", "c3", "d3", "f3", "g3", "e3"],  # 3 + 1 + 2
            ["b3", "c3", "d3", "e3", "g3", "f3"],
            ["e2", "e3", "e4", "e5", "e7", "e6"],
            ["b2", "c3", "d4", "f6", "g7", "e5"],
            ["b8", "c7", "d6", "f4", "g3", "e5"],
            ["b2", "c3", "d4", "e5", "g7", "h8", "i9", "j10", "f6"],  # 4 + 1 + 4
        ],
    )
    def test_overline(self, row: list[str]) -> None:
        free, exact = gomoku(), gomoku(exact=True)
        assert free.utility(with_stones(free, row), 0) == 1
        state = with_stones(exact, row)
        assert not exact.is_terminal(state)
        assert exact.actions(state)
        assert abs(exact.evaluate(state, 0)) < 1

    def test_five_and_six_at_once_win(self) -> None:
        # The last stone, e5, makes six along its row and five along its column.
        stones = ["b5", "c5", "d5", "f5", "g5", "e3", "e4", "e6", "e7", "e5"]
        for game in (gomoku(), gomoku(exact=True)):
            state = with_stones(game, stones)
            assert game.is_terminal(state)
            assert game.utility(state, 0) == 1

    def test_a_row_does_not_go_on_at_the_other_side(self) -> None:
        # On 5 columns these are cells 3, 4, 5, along the rows; 3, 9, 15, down right; and 1, 5, 9, down left.
        game = mnk(5, 4, 3)
        for one, two, three in (("d4", "e4", "a3"), ("d4", "e3", "a1"), ("b4", "a3", "e3")):
            assert not game.is_terminal(game.play_moves([one, "c1", two, "c2", three]))

    @pytest.mark.parametrize(("free", "by_scan"), [(25, False), (4, False), (3, True), (2, True), (1, True)])
    def test_random_moves_are_uniform(
        self, free: int, by_scan: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        game, draws, bounds = gomoku(5), 1000, set[int]()
        state = game.new_state()
        while len(game.actions(state)) > free:
            # Rows of two and two, shifted by one row for the next two rows: nobody gets five in a row.
            mover = game.player(state)
            wanted = [a for a in game.actions(state) if (a % 5 + 2 * (a // 5)) % 4 // 2 == mover]
            game.play(state, int(rng.choice(wanted or game.actions(state))))
        assert not game.is_terminal(state)
        generator, buffer = new_rng(7), np.empty(25, np.int32)
        monkeypatch.setattr(mnk_file, "below", lambda rng, bound: bounds.add(int(bound)) or below(rng, bound))
        with np.errstate(over="ignore"):  # the generator multiplies modulo 2⁶⁴
            found = Counter(int(game.random_action(state, buffer, generator)) for _ in range(draws))
        assert sorted(found) == game.actions(state)
        assert bounds == {free if by_scan else 25}  # a place among the free cells, or any cell until it is free
        mean = draws / free
        assert sum((count - mean) ** 2 / mean for count in found.values()) < free - 1 + 5 * np.sqrt(2 * free)  # χ²

    def test_keys_do_not_depend_on_the_order_of_moves(self) -> None:
        game = gomoku()
        one, other = game.play_moves(["h8", "a1", "i9", "b2"]), game.play_moves(["i9", "b2", "h8", "a1"])
        assert one == other
        assert game.key(one) == game.key(other)
        assert game.key(one) != game.key(game.play_moves(["a1", "h8", "b2", "i9"]))  # the colours swapped

    @pytest.mark.parametrize("spec", [(3, 3, 3), (2, 2, 2), (4, 2, 3), (2, 4, 3), (6, 1, 3), (1, 6, 3), (1, 1, 1)])
    def test_symmetries(self, spec: tuple[int, int, int], rng: np.random.Generator) -> None:
        m, n, _ = spec
        game = mnk(*spec)
        images = {tuple(symmetry.cells) for symmetry in game.symmetries}
        assert tuple(range(m * n)) not in images
        assert len(images) == len(game.symmetries) == (0 if m == n == 1 else 7 if m == n else 1 if 1 in (m, n) else 3)
        for symmetry in game.symmetries:
            image_of = np.argsort(symmetry.actions)
            actions = rng.permutation(m * n).tolist()
            state, image = game.new_state(), game.new_state()
            while not game.is_terminal(state):
                action = actions.pop()
                game.play(state, action)
                game.play(image, int(image_of[action]))
                planes = game.observation(state, 1).reshape(-1, 2)
                np.testing.assert_array_equal(planes[symmetry.cells], game.observation(image, 1).reshape(-1, 2))
                assert game.is_terminal(image) == game.is_terminal(state)
                assert game.evaluate(image, 0) == game.evaluate(state, 0)

    def test_names_and_text(self) -> None:
        game = gomoku()
        assert game.str_to_action("h8") == 7 * 15 + 7
        assert [game.action_to_str(action) for action in (0, 14, 224)] == ["a15", "o15", "o1"]
        assert gomoku(19).action_to_str(19 * 19 - 1) == "s1"
        small = mnk(4, 3, 3)
        state = small.play_moves(["b2", "a1", "d3"])
        assert small.text(state) == "3 . . . X\n2 . X . .\n1 O . . .\n  a b c d"
        assert small.board is not None
        assert small.board.cells(state, 6) == (6,)

    @pytest.mark.slow
    def test_checked(self) -> None:
        for game in (mnk(4, 2, 3), mnk(1, 1, 1), gomoku(6, True)):
            with np.errstate(over="ignore"):
                check_game(game, games=3)

    @pytest.mark.parametrize("spec", [(0, 3, 3), (3, 20, 3), (3, 3, 0), (3, 4, 5), (-1, -1, -1)])
    def test_impossible_boards(self, spec: tuple[int, int, int]) -> None:
        m, n, k = spec
        with pytest.raises(ValueError, match=f"got m={m}, n={n}, k={k}"):
            mnk(m, n, k)

    @pytest.mark.parametrize("size", [4, 20])
    def test_impossible_sizes(self, size: int) -> None:
        with pytest.raises(ValueError, match=f"gomoku needs a size from 5 to 19, got size={size}"):
            gomoku(size)

    def test_specs(self) -> None:
        assert (mnk().spec, mnk(5, 4, 4).spec) == ("mnk", "mnk(m=5, n=4, k=4)")
        assert (gomoku().spec, gomoku(9, exact=True).spec) == ("gomoku", "gomoku(size=9, exact=True)")
        assert gomoku() != gomoku(exact=True)


def test_modules() -> None:
    assert mnk_v0.raw_env(m=4, n=3).game is mnk(4, 3)
    env: Any = gomoku_v0.env(exact=True)
    assert env.game is gomoku(exact=True)
    env.reset(options={"moves": ["h8"]})
    assert env.observe("player_1")["observation"][7, 7].tolist() == [0, 1]


@kernel
def count_games(game, states, actions, ply, outcomes):
    """Count the games from ``states[ply]`` by what the first player gets: loss, draw, win."""
    if game.is_terminal(states[ply]):
        outcomes[1 + int(game.utility(states[ply], 0))] += 1
        return
    for i in range(game.legal_actions(states[ply], actions[ply])):
        states[ply + 1] = states[ply]
        game.play(states[ply + 1], actions[ply, i])
        count_games(game, states, actions, ply + 1, outcomes)


def test_number_of_games(textbook: Any) -> None:
    expected = textbook["known_values"]["tictactoe"]
    outcomes = np.zeros(3, np.int64)
    count_games(mnk(), np.zeros(10, mnk().dtype), np.zeros((10, 9), np.int32), np.int64(0), outcomes)
    assert outcomes.tolist() == [expected["games_won_by_o"], expected["games_drawn"], expected["games_won_by_x"]]
    assert outcomes.sum() == expected["games"]


def with_symmetric_key(game: Game) -> Game:
    """Return the game with one key for a position and its images, which a search then looks at only once."""
    cells = game.num_actions
    places = np.array([np.flatnonzero(game.play_moves([action])["board"])[0] for action in range(cells)])
    images = np.array([places, *(places[symmetry.cells] for symmetry in game.symmetries)])  # [images, cells]
    hashes = np.random.PCG64(1).random_raw(33 * cells).reshape(33, cells)  # [what stands there, cells]
    number = len(images)

    def key(state: Any) -> Any:
        largest = np.uint64(0)
        for image in range(number):
            found = np.uint64(0)
            for cell in range(cells):
                found ^= hashes[state.board[images[image, cell]], cell]
            largest = max(largest, found)
        return largest

    return game.replace(key=key, check=False)  # which would find that images share it


# Without the symmetric key 5,4,4 takes four times as long; with it each of the others is compiled for longer than it is
# searched. 5,5,4 is left out: it takes more than 20 minutes even so.
@pytest.mark.slow
@pytest.mark.parametrize("spec", ["3,3,3", "4,3,3", "4,4,3", "4,4,4", "5,4,4"])
def test_known_values(spec: str, textbook: Any) -> None:
    game = mnk(*map(int, spec.split(",")))
    searched = with_symmetric_key(game) if spec == "5,4,4" else game
    searcher = AlphaBeta(searched, game.max_plies, iterative=False, table_mb=512)
    found = searcher.analyse(game.new_state())
    assert found.exact
    assert found.value == {"draw": 0, "first player wins": 1}[textbook["known_values"]["mnk"][spec]]


@pytest.mark.slow
def test_search_blocks_a_four_and_makes_a_five() -> None:
    game = gomoku(9)
    searcher = AlphaBeta(game, depth=2)
    closed_four = game.play_moves(["c5", "b5", "d5", "a1", "e5", "a2", "f5"])
    assert game.action_to_str(searcher.analyse(closed_four).best_action) == "g5"
    game.play(closed_four, game.str_to_action("a3"))
    assert game.action_to_str(searcher.analyse(closed_four).best_action) == "g5"
    assert searcher.analyse(closed_four).value == 1
