"""The Connect Four solver against slow oracles, a solver of others, and its own book."""

from __future__ import annotations

import itertools
import pickle
import signal
import threading
from pathlib import Path
from typing import Any

import bitbully
import numpy as np
import pytest
from bitbully import bitbully_core

from plyground.agents.solver import Solver
from plyground.agents.solver.connect_four.book import make_book, opening_layers
from plyground.agents.solver.connect_four.scores import (
    Book,
    ConnectFourScores,
    canonical_key,
    distance_of,
    is_connect_four,
    load_book,
)
from plyground.envs import Game, State, connect_four, tictactoe
from tests.conftest import random_game
from tests.helpers.late_boards import is_won, openings, score_by_the_book, unfinished
from tests.helpers.oracles import board_of, connect_four_value


@pytest.mark.parametrize(("rows", "columns"), [(6, 7), (7, 8), (15, 4), (4, 12)])
def test_the_book_has_the_rules_of_the_game(rows: int, columns: int, rng: np.random.Generator) -> None:
    game = connect_four(rows, columns)
    for _ in range(5):
        for before, state in itertools.pairwise(random_game(game, rng)):
            cells = openings(int(before.mine | before.theirs), rows, columns)
            assert int(state.theirs) in [int(before.mine) | cell for cell in cells]
            assert len(cells) == len(game.actions(before))
            is_over = is_won(int(state.theirs), rows) or not openings(int(state.mine | state.theirs), rows, columns)
            assert game.is_terminal(state) == is_over
            assert game.utility(state, game.player(state)) == -is_won(int(state.theirs), rows)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (4, 5), (5, 4)])
def test_scores_are_those_of_minimax_on_small_boards(rows: int, columns: int, rng: np.random.Generator) -> None:
    game = connect_four(rows, columns)
    scores = ConnectFourScores(game, table_mb=1)
    known: dict[tuple[int, int], int] = {}
    for _ in range(100):
        state = unfinished(game, int(rng.integers(rows * columns - 10, rows * columns)), rng)
        assert scores.score(state) == score_by_the_book(game, state, known)
    state = unfinished(game, rows * columns - 11, rng)
    assert scores.score(state) == score_by_the_book(game, state, known)


@pytest.mark.slow
def test_late_positions_of_the_usual_board_against_the_oracle(rng: np.random.Generator) -> None:
    game = connect_four()
    scores = ConnectFourScores(game, table_mb=1, book=False)
    known: dict[Any, int] = {}
    for _ in range(60):
        state = unfinished(game, int(rng.integers(36, 42)), rng)
        assert np.sign(scores.score(state)) == connect_four_value(board_of(game, state), known)


@pytest.mark.slow
def test_the_value_of_each_small_board_is_known(textbook: Any) -> None:
    results = {"draw": 0.0, "first player wins": 1.0, "second player wins": -1.0}
    for size, result in textbook["known_values"]["connect_four_other_sizes"]["rows x columns"].items():
        game = connect_four(*map(int, size.split("x")))
        assert Solver(game).value(game.new_state())[0] == results[result], size


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns"), [(7, 8), (15, 4), (4, 12)])
def test_boards_that_fill_64_bits(rows: int, columns: int, rng: np.random.Generator) -> None:
    game = connect_four(rows, columns)
    scores = ConnectFourScores(game, table_mb=8)
    known: dict[tuple[int, int], int] = {}
    for _ in range(30):
        state = unfinished(game, rows * columns - 9, rng)
        assert scores.score(state) == score_by_the_book(game, state, known)


@pytest.mark.parametrize(
    ("plies", "count"), [(12, 2), (16, 10), (20, 100), (24, 200), pytest.param(28, 200, marks=pytest.mark.slow)]
)
def test_scores_are_those_of_bitbully(plies: int, count: int, rng: np.random.Generator) -> None:
    game = connect_four()
    scores = ConnectFourScores(game, book=False)
    peer = bitbully_core.BitBullyCore()
    for _ in range(count):
        state = unfinished(game, plies, rng)
        board = bitbully_core.BoardCore()
        board.setBoard(to_array(game, state))
        assert scores.score(state) == peer.mtdf(board, 0)


def to_array(game: Game, state: State) -> list[list[int]]:
    """Return the columns from the left, their cells from the bottom up, as bitbully has them."""
    return np.array(board_of(game, state))[::-1].T.tolist()


def test_positions_that_many_texts_solve() -> None:
    game = connect_four()
    solver = Solver(game, book=False)
    three_in_a_row = game.play_moves([3, 0, 3, 0, 3, 1])
    assert solver.value(three_in_a_row) == (1.0, 1)
    open_three = solver.solve(game.play_moves([3, 3, 2, 3, 4]))  # wins at 1 and 5 are threatened
    assert (open_three.value, open_three.distance) == (-1.0, 2)
    assert open_three.best_actions == (0, 1, 2, 3, 4, 5, 6)
    assert open_three.fastest_actions == tuple(
        action for action, distance in open_three.distances.items() if distance == 2
    )


def test_best_line_takes_as_long_as_it_is_said_to(rng: np.random.Generator) -> None:
    game = connect_four()
    solver = Solver(game, book=False)
    for plies in (20, 24, 28, 32):
        for _ in range(10):
            state = unfinished(game, plies, rng)
            found = solver.solve(state)
            assert len(found.pv) == found.distance
            end = game.play_moves(found.pv, state)
            assert game.is_terminal(end)
            assert game.utility(end, game.player(state)) == found.value
            assert set(found.fastest_actions) <= set(found.best_actions)
            assert found.pv[0] in found.fastest_actions


def test_mirrored_positions_have_mirrored_answers(rng: np.random.Generator) -> None:
    game = connect_four()
    solver = Solver(game, book=False)
    for _ in range(20):
        state = game.new_state()
        moves: list[int] = []
        while len(moves) < 22 and not game.is_terminal(state):
            moves.append(int(rng.choice(game.actions(state))))
            game.play(state, moves[-1])
        if game.is_terminal(state):
            continue
        twin = game.play_moves([6 - move for move in moves])
        assert canonical_key(game, state) == canonical_key(game, twin)
        found, mirrored = solver.solve(state), solver.solve(twin)
        assert found.distances == {6 - action: distance for action, distance in mirrored.distances.items()}
        assert found.value == mirrored.value


def test_distance_of_a_score() -> None:
    for left, distance in itertools.product(range(1, 43), range(1, 43)):
        if distance <= left:
            stones = (left - distance) // 2 + 1
            assert distance_of(stones if distance % 2 else -stones, left) == distance
    assert distance_of(0, 17) == 17


def test_what_is_in_the_table_changes_no_answer(rng: np.random.Generator) -> None:
    game = connect_four()
    kept, emptied = ConnectFourScores(game, 1, book=False), ConnectFourScores(game, 1, book=False)
    for state in random_game(game, rng, 40)[-2:14:-1]:
        emptied.clear()
        assert kept.score(state) == emptied.score(state)
    state, nodes, searched, expected = game.new_state(), 0, 0, 0
    while searched < 1000:  # so many positions visited that the table matters
        state, nodes = unfinished(game, 18, rng), kept.nodes
        expected, searched = kept.score(state), kept.nodes - nodes
    assert kept.score(state) == expected
    assert kept.nodes - nodes < 2 * searched
    kept.clear()
    nodes = kept.nodes
    assert kept.score(state) == expected
    assert kept.nodes - nodes > searched / 2


@pytest.mark.slow
def test_a_table_can_be_emptied_more_often_than_there_are_numbers(rng: np.random.Generator) -> None:
    game = connect_four(7, 8)  # of all boards these entries have the fewest bits left for the number
    scores = ConnectFourScores(game, 8)
    known: dict[tuple[int, int], int] = {}
    states = [unfinished(game, 48, rng) for _ in range(20)]
    for state in states * 10:
        scores.clear()
        assert scores.score(state) == score_by_the_book(game, state, known)


def test_interrupt_ends_a_long_search_and_leaves_a_sound_table(rng: np.random.Generator) -> None:
    game = connect_four()
    solver = Solver(game, book=False)
    solver.value(unfinished(game, 30, rng))  # compiled before the clock starts
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solver.value(game.new_state())
    fresh = Solver(game, book=False)
    for _ in range(20):
        state = unfinished(game, 20, rng)
        assert solver.value(state) == fresh.value(state)


def test_other_rules_are_not_taken_for_connect_four() -> None:
    game = connect_four()
    assert is_connect_four(game)
    assert is_connect_four(connect_four(5, 6))
    assert not is_connect_four(tictactoe())
    assert not is_connect_four(game.replace(is_terminal=lambda state: state.ply == 42))
    assert not is_connect_four(game.replace(utility=lambda state, player: 0.0))
    assert not is_connect_four(tictactoe().replace(name="connect_four"))


def test_connect_four_may_be_seen_and_evaluated_in_other_ways() -> None:
    game = connect_four()
    for other in (
        game.with_weights(centre=0.1),
        game.replace(evaluate=lambda state, player: 0.0),
        game.replace(observe=lambda state, player, planes: None, check=False),
    ):
        assert is_connect_four(other)
        assert Solver(other).value(other.new_state()) == (1.0, 41)


@pytest.mark.parametrize("megabytes", [1e12, 1.7e308])
def test_a_table_for_which_there_is_no_memory(megabytes: float) -> None:
    with pytest.raises(MemoryError, match=r"^there is no memory for table_mb=1.*: give less$"):
        Solver("connect_four", table_mb=megabytes).prepare()


def test_a_solver_can_be_sent_to_another_process(rng: np.random.Generator) -> None:
    game = connect_four()
    solver = Solver(game, 1, book=False)
    state = unfinished(game, 26, rng)
    value = solver.value(state)
    assert pickle.loads(pickle.dumps(solver)).value(state) == value


def test_opening_layers_are_all_positions_up_to_mirror_images(textbook: Any) -> None:
    counts = textbook["known_values"]["connect_four_7x6"]["positions_by_ply"][:5]
    game = connect_four()
    for layer, count in zip(opening_layers(4), counts, strict=True):
        images = {int(game.key(state)) for state in layer.values()}
        images |= {int(game.key(mirrored(game, state))) for state in layer.values()}
        assert len(images) == count


def mirrored(game: Game, state: State) -> State:
    return game.state_from_observation(game.observation(state, game.player(state))[:, ::-1])


def test_the_book_says_what_is_known_of_the_empty_board(textbook: Any) -> None:
    book = load_book()
    assert book is not None
    assert np.all(np.diff(book.keys.astype(np.int64)) > 0)
    assert book.keys.size == sum(map(len, opening_layers(book.plies)))
    game = connect_four()
    found = Solver(game).solve(game.new_state())
    words = {"win": 1.0, "draw": 0.0, "loss": -1.0}
    said = textbook["known_values"]["connect_four_7x6"]["first_move_values_by_column"].split(", ")
    assert list(found.values.values()) == [words[word] for word in said]
    assert (found.value, found.distance, found.best_actions) == (1.0, 41, (3,))
    assert found.pv == (3,) * book.plies  # and no further: that would take long
    assert found.nodes == 0


def test_the_book_is_that_of_bitbully() -> None:
    book, game, peer = load_book(), connect_four(), bitbully.BitBully()
    assert book is not None
    assert peer.is_book_loaded()
    for layer in opening_layers(book.plies):
        for key, state in layer.items():
            score = book.scores[np.searchsorted(book.keys, np.uint64(key))]
            assert score == peer.mtdf(bitbully.Board(to_array(game, state)))


@pytest.mark.parametrize("column", range(5))
def test_a_position_to_which_no_game_leads_is_not_in_the_book(column: int) -> None:
    game = connect_four(4, 5)
    keys = np.array(sorted(key for layer in opening_layers(3, game) for key in layer), np.uint64)
    plain, scores = ConnectFourScores(game, 1), ConnectFourScores(game, 1)
    scores._book = Book(3, keys, np.full(keys.size, 99, np.int8))
    assert scores.score(game.play_moves([column])) == 99
    state = game.new_state()
    state.ply, state.mine, state.theirs = 2, 2 << 5 * column, 1 << 5 * column  # the second stone was the first player's
    assert scores.score(state) == plain.score(state) != 99


def test_a_book_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        next(make_book(tmp_path / "nowhere" / "book.npz", 2))
    with pytest.raises(ValueError, match="1 to 12 plies, got 13"):
        next(make_book(tmp_path / "book.npz", 13))
    with pytest.raises(ValueError, match=r"jobs must be a number of processes, up to 10000, or -1 .*, got 100000$"):
        next(make_book(tmp_path / "book.npz", 2, jobs=100_000))


@pytest.mark.slow
def test_a_book_is_made_of_true_scores_and_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    game = connect_four(4, 5)
    path = tmp_path / "book.npz"
    running = make_book(path, 5, table_mb=1, game=game)
    stopped_at = [next(running).done for _ in range(5)][-1]
    running.close()
    assert not path.exists()
    resumed = list(make_book(path, 5, table_mb=1, game=game))
    assert resumed[0].done >= stopped_at > 0
    assert resumed[-1].done == resumed[-1].total
    assert [file.name for file in tmp_path.iterdir()] == ["book.npz"]
    book = load_book(path)
    assert book is not None
    scores = ConnectFourScores(game, table_mb=1)
    layers = opening_layers(5, game)
    assert sorted(key for layer in layers for key in layer) == book.keys.tolist()
    for layer in layers:
        for key, state in layer.items():
            assert book.scores[np.searchsorted(book.keys, np.uint64(key))] == scores.score(state)
