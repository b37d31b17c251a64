"""Othello: against rules on lists, published counts and games, and positions made by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta
from plyground.envs import BoardGameEnv, Game, check_game, make_game, othello, othello_v0
from plyground.envs.jit import kernel
from plyground.envs.jit.prng import new_rng
from tests.helpers.oracles import decoded

rules = pytest.mark.rules

SIZES = [4, 6, 8]
OTHER = {"X": "O", "O": "X"}  # X is black, the first player
Lists = list[list[str]]


def initial_lists(size: int) -> Lists:
    lists = [["."] * size for _ in range(size)]
    half = size // 2
    lists[half - 1][half] = lists[half][half - 1] = "X"
    lists[half - 1][half - 1] = lists[half][half] = "O"
    return lists


def outflanked(lists: Lists, row: int, column: int, disc: str) -> list[tuple[int, int]]:
    """Walk from the cell in all directions, and return the discs that a new one there would turn."""
    size, found = len(lists), []
    for down, right in set(product((-1, 0, 1), repeat=2)) - {(0, 0)}:
        walked = []
        r, c = row + down, column + right
        while 0 <= r < size and 0 <= c < size and lists[r][c] == OTHER[disc]:
            walked.append((r, c))
            r, c = r + down, c + right
        if 0 <= r < size and 0 <= c < size and lists[r][c] == disc:
            found += walked
    return found


def legal(lists: Lists, disc: str) -> list[int]:
    """Return the legal actions; none when the game is over."""
    size = len(lists)

    def cells(disc: str) -> list[int]:
        return [
            size * r + c
            for r, c in product(range(size), repeat=2)
            if lists[r][c] == "." and outflanked(lists, r, c, disc)
        ]

    return cells(disc) or [size * size] * bool(cells(OTHER[disc]))


def place(lists: Lists, action: int, disc: str) -> Lists:
    size = len(lists)
    if action == size * size:
        return lists
    row, column = divmod(action, size)
    after = [list(cells) for cells in lists]
    for r, c in [*outflanked(lists, row, column, disc), (row, column)]:
        after[r][c] = disc
    return after


def lists_of(game: Game, state: Any) -> Lists:
    return [line.split()[1:] for line in game.text(state).splitlines()[:-1]]


def position(game: Game, text: str, to_move: str = "X") -> Any:
    """Return the state with this board, as `game.text` draws it without labels."""
    cells = np.array([line.split() for line in text.strip().splitlines()])
    planes = [cells == to_move, cells == OTHER[to_move], np.full(cells.shape, to_move == "O")]
    return decoded(game, np.stack(planes, axis=2).astype(np.int8))


def names(game: Game, state: Any) -> list[str]:
    return [game.action_to_str(action) for action in game.actions(state)]


@kernel
def perft(game, states, actions, depth):
    """Count the games that end within ``depth`` plies, and those that go on. ``states[depth]`` is where they start."""
    if depth == 0 or game.is_terminal(states[depth]):
        return 1
    games = 0
    for i in range(game.legal_actions(states[depth], actions[depth])):
        states[depth - 1] = states[depth]
        game.play(states[depth - 1], actions[depth, i])
        games += perft(game, states, actions, depth - 1)
    return games


def count(game: Game, depth: int) -> int:
    states = np.zeros(depth + 1, game.dtype)
    states[depth] = game.initial[0]
    return perft(game, states, np.zeros((depth + 1, game.num_actions), np.int32), np.int64(depth))


@kernel
def draw(game, state, actions, rng, counts, draws):
    for _ in range(draws):
        counts[game.random_action(state, actions, rng)] += 1


def drawn(game: Game, state: Any, draws: int) -> dict[int, int]:
    """Return how often each action came up."""
    counts = np.zeros(game.num_actions, np.int64)
    with np.errstate(over="ignore"):  # the generator multiplies modulo 2⁶⁴
        draw(game, state, np.empty(game.num_actions, np.int32), new_rng(5), counts, draws)
    return {int(action): int(counts[action]) for action in np.flatnonzero(counts)}


@rules
class TestAgainstLists:
    @pytest.mark.parametrize("size", SIZES)
    def test_random_games(self, size: int, rng: np.random.Generator) -> None:
        game, by_discs = othello(size), othello(size, by_discs=True)
        for _ in range({4: 60, 6: 15, 8: 6}[size]):
            state, lists, disc = game.new_state(), initial_lists(size), "X"
            while True:
                assert lists_of(game, state) == lists
                assert game.actions(state) == legal(lists, disc)
                assert game.player(state) == "XO".index(disc)
                assert game.is_terminal(state) == (not legal(lists, disc))
                if game.is_terminal(state):
                    break
                action = int(rng.choice(game.actions(state)))
                game.play(state, action)
                lists, disc = place(lists, action, disc), OTHER[disc]
            balance = sum(cells.count("X") - cells.count("O") for cells in lists)
            assert (by_discs.utility(state, 0), by_discs.utility(state, 1)) == (balance, -balance)
            assert (game.utility(state, 0), game.utility(state, 1)) == (np.sign(balance), -np.sign(balance))

    @pytest.mark.parametrize("size", SIZES)
    def test_counts_of_moves(self, size: int) -> None:
        level = [(initial_lists(size), "X")]
        for depth in range(1, 5):
            level = [(place(lists, a, disc), OTHER[disc]) for lists, disc in level for a in legal(lists, disc)]
            assert count(othello(size), depth) == len(level)


@rules
class TestPublishedGames:
    def test_end_with_both_colours_on_the_board(self) -> None:
        # W. D. Smith in the list math-fun, "othello puzzles": 11 moves, "ends B14, W1", and 49 cells stay empty.
        game = othello()
        state = game.play_moves(["f5", "f4", "c3", "e6", "f7", "g6", "g4", "e8", "g8", "g5", "h5"])
        board = """
        . . . . . . . .
        . . . . . . . .
        . . X . . . . .
        . . . X X X X .
        . . . X X X X X
        . . . . X . X .
        . . . . . X . .
        . . . . O . X .
        """
        assert lists_of(game, state) == [line.split() for line in board.strip().splitlines()]
        assert game.is_terminal(state)
        assert game.actions(state) == []
        assert (game.utility(state, 0), othello(by_discs=True).utility(state, 0)) == (1, 13)

    def test_game_with_23_passes(self) -> None:
        # From the same letter, white's moves in lower case. Black is wiped out, and loses by the discs on the board:
        # the five cells that nobody can fill any more count for nobody.
        moves = "F5d6C4g5D7c7H5d8B8b7B6a7b5A6a5b4B3c6E8f8C8a8e7a4b2A2c2D2d1e2F2c5c3a1a3e6d3f6F7f1g2H2e3F4b1g1c1e1"
        moves += "g8g7f3h1h3h4h6"
        game, passes = othello(by_discs=True), 0
        state = game.new_state()
        for move in (moves[i : i + 2] for i in range(0, len(moves), 2)):
            if game.player(state) != int(move.islower()):
                assert names(game, state) == ["pass"]
                state = game.play_moves(["pass"], state)
                passes += 1
            state = game.play_moves([move.lower()], state)
        assert passes == 23
        assert game.is_terminal(state)
        assert (game.utility(state, 0), game.utility(state, 1)) == (-59, 59)

    def test_perfect_game_on_6x6(self, textbook: Any) -> None:
        # The record leaves passes out; white wins 20 to 16. (To find that out took 4 * 10¹⁰ positions.)
        game = othello(6, by_discs=True)
        state = game.new_state()
        for move in textbook["known_values"]["othello_6x6"]["perfect_game"]:
            state = game.play_moves(["pass"] * (names(game, state) == ["pass"]) + [move], state)
        assert game.is_terminal(state)
        assert Counter(np.ravel(lists_of(game, state)).tolist()) == {"O": 20, "X": 16}
        assert game.utility(state, 0) == -4


class TestPublishedCounts:
    @pytest.mark.parametrize("size", [6, 8])
    def test_perft(self, size: int, textbook: Any) -> None:
        for depth, expected in enumerate(textbook["known_values"][f"othello_{size}x{size}_perft"]["counts"]):
            assert count(othello(size), depth) == expected

    def test_complete_games_on_4x4(self, textbook: Any) -> None:
        game = othello(4)
        assert count(game, game.max_plies) == textbook["known_values"]["othello_4x4"]["complete_games"]

    @pytest.mark.parametrize(("by_discs", "value"), [(True, -8), pytest.param(False, -1, marks=pytest.mark.slow)])
    def test_value_of_4x4(self, by_discs: bool, value: int, textbook: Any) -> None:
        assert textbook["known_values"]["othello_4x4"]["value"] == "white (second player) wins by 8 discs"
        game = othello(4, by_discs)
        found = AlphaBeta(game, depth=game.max_plies).analyse(game.new_state())
        assert (found.value, found.exact) == (value, True)


@rules
class TestPositions:
    def test_discs_turn_in_all_eight_directions_at_once(self) -> None:
        game = othello()
        board = """
        X . . X . . X O
        . O . O . O . .
        . . O O O . . .
        X O O . O O O X
        . . O O O . . .
        . O . O . O . .
        X . . O . . O .
        . . . X . . . X
        """
        after = """
        X . . X . . X O
        . X . X . X . .
        . . X X X . . .
        X X X X X X X X
        . . X X X . . .
        . X . X . X . .
        X . . X . . X .
        . . . X . . . X
        """
        state = game.play_moves(["d4"], position(game, board))
        assert state == position(game, after, "O")
        assert names(game, state) == ["f1"]

    @pytest.mark.parametrize("turns", range(4))
    @pytest.mark.parametrize("size", SIZES)
    def test_longest_runs_from_every_corner(self, size: int, turns: int) -> None:
        game, before = othello(size), np.full((size, size), ".")
        before[0, :] = before[:, 0] = before[range(size), range(size)] = list("." + "O" * (size - 2) + "X")
        after = np.where(before == "O", "X", before)
        after[0, 0] = "X"
        before, after = np.rot90(before, turns), np.rot90(after, turns)
        state = position(game, "\n".join(map(" ".join, before)))
        game.play(state, int(np.flatnonzero((before == ".") & (after == "X"))[0]))
        assert lists_of(game, state) == after.tolist()

    @pytest.mark.parametrize("size", SIZES)
    def test_boards_filled_at_random(self, size: int, rng: np.random.Generator) -> None:
        # Games seldom come to the edges with the empty cells that a run could wrap around to.
        game = othello(size)
        for share in np.linspace(0.05, 0.6, 12):
            lists = rng.choice(list(".XO"), (size, size), p=[share, (1 - share) / 2, (1 - share) / 2]).tolist()
            state = position(game, "\n".join(map(" ".join, lists)))
            assert game.actions(state) == legal(lists, "X")
            for action in game.actions(state):
                after = state.copy()
                game.play(after, action)
                assert lists_of(game, after) == place(lists, action, "X")
                assert game.actions(after) == legal(place(lists, action, "X"), "O")

    def test_forced_pass(self) -> None:
        game = othello(4)
        state = game.play_moves(["a2", "a3", "c4", "a1"])
        board = """
        O . . .
        O X X .
        O X X .
        . . X .
        """
        assert state == position(game, board, "X")
        assert not game.is_terminal(state)
        assert names(game, state) == ["pass"]
        assert drawn(game, state, 3) == {16: 3}
        state = game.play_moves(["pass"], state)
        assert state == position(game, board, "O")
        assert names(game, state) == ["c1", "d2", "d3", "d4"]

    def test_end_with_empty_cells(self) -> None:
        board = """
        . X . .
        O O O O
        . O O O
        . O O O
        """
        for to_move, by_discs in product("XO", (False, True)):
            game = othello(4, by_discs)
            state = position(game, board, to_move)
            assert game.is_terminal(state)
            assert game.actions(state) == []
            assert game.utility(state, 1) == -game.utility(state, 0) == (9 if by_discs else 1)

    def test_nine_moves_wipe_out_white(self) -> None:
        for by_discs in (False, True):
            game = othello(by_discs=by_discs)
            state = game.play_moves(["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"])
            assert Counter(np.ravel(lists_of(game, state)).tolist()) == {".": 51, "X": 13}
            assert game.is_terminal(state)
            assert game.utility(state, 0) == (13 if by_discs else 1)

    def test_draw(self) -> None:
        for by_discs in (False, True):
            game = othello(4, by_discs)
            state = position(game, "X X X X\n" * 2 + "O O O O\n" * 2)
            assert game.is_terminal(state)
            assert game.utility(state, 0) == game.utility(state, 1) == 0


@rules
class TestDescription:
    def test_white_sees_that_it_is_white(self) -> None:
        game = othello(4)
        state = game.new_state()
        black, white = (game.observation(state, player) for player in (0, 1))
        assert black.shape == (4, 4, 3)
        np.testing.assert_array_equal(black[:, :, :2], white[:, :, 1::-1])
        np.testing.assert_array_equal(black[:, :, 0], [[0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
        assert (black[:, :, 2].tolist(), white[:, :, 2].tolist()) == ([[0] * 4] * 4, [[1] * 4] * 4)

    def test_moves_of_random_rollouts_are_uniform(self) -> None:
        game, draws = othello(), 4000
        state = game.play_moves(["f5", "d6", "c3", "d3", "c4"])
        counts = drawn(game, state, draws)
        assert sorted(counts) == game.actions(state)
        mean = draws / len(counts)
        assert sum((count - mean) ** 2 / mean for count in counts.values()) < 3 * len(counts)

    def test_keys_of_similar_positions_differ(self) -> None:
        def changes(mine: int, theirs: int) -> Iterator[tuple[int, int]]:
            for bit in (1 << cell for cell in range(64)):
                for own, other in ((0, 0), (bit, 0), (0, bit)):
                    yield mine & ~bit | own, theirs & ~bit | other

        game = othello()
        state = game.play_moves(["f5", "d6", "c3", "d3", "c4", "f4", "f6", "b4"])
        similar = set(changes(int(state.mine), int(state.theirs)))  # up to one cell has changed
        similar |= {after for board in similar for after in changes(*board)}  # up to two
        assert len(similar) == 1 + 2 * 64 + 4 * (64 * 63 // 2)
        keys = set()
        for (state.mine, state.theirs), state.turn in product(similar, (0, 1)):
            keys.add(int(game.key(state)))
        assert len(keys) == 2 * len(similar)

    @pytest.mark.parametrize("size", SIZES)
    def test_names(self, size: int) -> None:
        game = othello(size)
        corner = "abcdefgh"[size - 1]
        assert [game.action_to_str(action) for action in (0, size - 1, size)] == ["a1", f"{corner}1", "a2"]
        assert game.str_to_action(f"{corner}{size}") == size * size - 1
        assert game.str_to_action("pass") == size * size
        assert names(othello(), othello().new_state()) == ["d3", "c4", "f5", "e6"]

    def test_text(self) -> None:
        expected = ["1 . X . .", "2 . X X .", "3 . X O .", "4 . . . .", "  a b c d"]
        assert othello(4).text(othello(4).play_moves(["b1"])).splitlines() == expected

    def test_cells_of_actions(self) -> None:
        game = othello(4)
        assert game.board is not None
        actions = np.array([1, 16])  # numbers of NumPy's, as analyses may have them
        assert [game.board.cells(game.new_state(), action) for action in actions] == [(1,), ()]

    @pytest.mark.slow
    @pytest.mark.parametrize("spec", ["othello(size=4)", "othello(size=6, by_discs=True)"])
    def test_checked(self, spec: str) -> None:
        game = make_game(spec)
        check_game(game, games=2)
        assert game.spec == spec

    @pytest.mark.parametrize("size", [2, 5, 7, 10])
    def test_impossible_sizes(self, size: int) -> None:
        with pytest.raises(ValueError, match=f"othello needs a size of 4, 6 or 8, got {size}"):
            othello(size)


def test_environment_forces_the_pass() -> None:
    env = othello_v0.env(size=4, by_discs=True)
    env.reset(options={"moves": ["a2", "a3", "c4", "a1"]})
    observation, *_ = env.last()
    assert observation["action_mask"].nonzero()[0].tolist() == [16]
    assert isinstance(env.unwrapped, BoardGameEnv)
    env.step(16)
    assert env.agent_selection == "player_1"
