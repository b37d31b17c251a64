"""The rules of every game. These tests also run as plain Python, with coverage (`make coverage`)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from plyground.envs import Game, connect_four, tictactoe
from plyground.envs.games.tictactoe import open_lines
from plyground.envs.repetition import new_scratch
from tests.conftest import random_game
from tests.helpers.oracles import board_of, drop, identity, lines, open_columns, reachable, stone_to_move, winner

pytestmark = pytest.mark.rules


def count_games(game: Game, state: Any, outcomes: Counter[float]) -> None:
    if game.is_terminal(state):
        outcomes[game.utility(state, 0)] += 1
        return
    for action in game.actions(state):
        child = state.copy()
        game.play(child, action)
        count_games(game, child, outcomes)


def test_states_are_independent_copies(game: Game, rng: np.random.Generator) -> None:
    for state in random_game(game, rng)[:-1]:
        before = identity(state)
        for action in game.actions(state):
            game.play(state.copy(), action)
        assert identity(state) == before


def test_legal_actions_are_ascending_and_in_range(game: Game, rng: np.random.Generator) -> None:
    for state in random_game(game, rng)[:-1]:
        actions = game.actions(state)
        assert actions == sorted(set(actions))
        assert actions
        assert 0 <= actions[0] <= actions[-1] < game.num_actions


def test_games_end_in_time_and_are_zero_sum(game: Game, rng: np.random.Generator) -> None:
    for _ in range(20):
        states = random_game(game, rng)
        assert len(states) - 1 <= game.max_plies
        assert game.utility(states[-1], 0) == -game.utility(states[-1], 1)
        assert abs(game.utility(states[-1], 0)) <= game.max_utility


def test_keys_after_are_those_of_played_moves(game: Game, rng: np.random.Generator) -> None:
    actions, keys, scratch = new_scratch(game)
    for _ in range(3):
        states = random_game(game, rng)
        for state in [*states[:-1:5], states[-1]]:
            count = game.keys_after(state, actions, keys, scratch)
            assert actions[:count].tolist() == game.actions(state)
            if not game.is_terminal(state):
                played = [game.repetition_key(game.play_moves([action], state)) for action in game.actions(state)]
                assert keys[:count].tolist() == played


def test_evaluation_is_antisymmetric_and_between_loss_and_win(game: Game, rng: np.random.Generator) -> None:
    for _ in range(5):
        for state in random_game(game, rng)[:-1]:
            value = game.evaluate(state, 0)
            assert value == -game.evaluate(state, 1)
            assert abs(value) < game.max_utility


def test_state_can_be_rebuilt_from_what_the_mover_observes(game: Game, rng: np.random.Generator) -> None:
    if game.history is not None:
        pytest.skip("takes what an environment remembers: see the game's own tests")
    for _ in range(10):
        for state in random_game(game, rng)[:-1]:
            planes = game.observation(state, game.player(state))
            assert game.state_from_observation(planes) == state
            assert game.state_from_observation(planes.ravel()) == state


def test_both_players_see_the_same_board_with_the_planes_swapped(game: Game, rng: np.random.Generator) -> None:
    if game.observation_shape[-1] != 2:
        pytest.skip("shows more than stones: see the game's own tests")
    for state in random_game(game, rng):
        np.testing.assert_array_equal(game.observation(state, 0), game.observation(state, 1)[:, :, ::-1])


@pytest.mark.slow
def test_images_share_their_canonical_key_and_nothing_else_does(game: Game, rng: np.random.Generator) -> None:
    folds = game.canonical_key is not game.key
    assert folds or game.name in ("checkers", "chess", "go", "minichess")
    orbits: dict[int, set[int]] = {}  # folded key -> the keys of the images
    for _ in range(10):
        line: list[int] = []
        states = [game.new_state() for _ in range(1 + folds * len(game.symmetries))]
        turns = [np.arange(game.num_actions), *(np.argsort(symmetry.actions) for symmetry in game.symmetries)]
        while not game.is_terminal(states[0]):
            keys = {int(game.key(state)) for state in states}
            assert len({int(game.canonical_key(state)) for state in states}) == 1
            assert orbits.setdefault(int(game.canonical_key(states[0])), keys) == keys
            line.append(int(rng.choice(game.actions(states[0]))))
            for state, turn in zip(states, turns, strict=False):
                game.play(state, int(turn[line[-1]]))


def test_symmetries_commute_with_play_and_observe(game: Game, rng: np.random.Generator) -> None:
    assert game.symmetries or game.name in ("checkers", "chess", "minichess")
    for symmetry in game.symmetries:
        image_of = np.argsort(symmetry.actions)  # where an action goes
        state, image = game.new_state(), game.new_state()
        while True:
            planes = game.observation(state, 0).reshape(-1, game.observation_shape[-1])
            np.testing.assert_array_equal(planes[symmetry.cells], game.observation(image, 0).reshape(planes.shape))
            assert game.is_terminal(state) == game.is_terminal(image)
            if game.is_terminal(state):
                break
            assert sorted(image_of[game.actions(state)]) == game.actions(image)
            assert game.evaluate(state, 0) == pytest.approx(game.evaluate(image, 0))
            action = int(rng.choice(game.actions(state)))
            game.play(state, action)
            game.play(image, int(image_of[action]))
        assert game.utility(state, 0) == game.utility(image, 0)


def test_different_positions_have_different_keys(game: Game, rng: np.random.Generator) -> None:
    def position(state: Any) -> tuple[Any, ...]:
        return game.text(state), game.player(state), tuple(game.actions(state))  # a record has more than the position

    known: dict[int, Any] = {}
    plies = 0
    while plies < 1000:
        for state in random_game(game, rng):
            shown = position(state)
            assert known.setdefault(int(game.key(state)), shown) == shown
            plies += 1
    assert len(known) > plies // 20


def test_pieces_land_where_the_board_says(game: Game, rng: np.random.Generator) -> None:
    board = game.board
    assert board is not None
    for state in random_game(game, rng)[:-1]:
        before = board.pieces(state).ravel()
        assert before.shape == (board.rows * board.columns,)
        for action in game.actions(state):
            child = state.copy()
            game.play(child, action)
            after, cells = board.pieces(child).ravel(), board.cells(state, action)
            if not cells:  # a pass
                np.testing.assert_array_equal(before, after)
                continue
            assert before[cells[-1]] == 0 or (
                game.name in ("chess", "minichess") and (before[cells[-1]] - 1) % 2 != game.player(state)  # a capture
            )
            assert (after[cells[-1]] - 1) % 2 == game.player(state)
            for left in cells[:-1]:
                assert before[left]
                assert not after[left]


def test_actions_are_parsed_as_they_are_printed(game: Game) -> None:
    for action in range(game.num_actions):
        assert game.str_to_action(game.action_to_str(action)) == action
    with pytest.raises(ValueError, match="no action 'z9'"):
        game.str_to_action("z9")


def test_moves_are_checked(game: Game) -> None:
    with pytest.raises(ValueError, match="at index 1 is illegal"):
        game.play_moves([game.actions(game.new_state())[0], game.num_actions])


class TestTicTacToe:
    def test_counts_of_the_textbook(self, textbook: Any) -> None:
        game, expected = tictactoe(), textbook["known_values"]["tictactoe"]
        states = reachable(game)
        assert len(states) == expected["positions"]
        images = [np.arange(9), *(symmetry.cells for symmetry in game.symmetries)]
        boards = {min(tuple(np.ravel(board_of(game, s))[image]) for image in images) for s in states.values()}
        assert len(boards) == textbook["tictactoe_evaluation"]["positions_up_to_symmetry"]

    def test_open_lines_of_the_textbook(self, textbook: Any) -> None:
        # Cells: 4 is the centre, 1 an edge, 0 a corner.
        cells = {"centre": 4, "an edge": 1, "a corner": 0}
        for position in textbook["tictactoe_evaluation"]["positions"]:
            state = tictactoe().new_state()
            for seat, side in enumerate(("x", "o")):
                state.stones[seat] = sum(1 << cells[cell] for cell in position[side])
            own, other = position["terms"]
            assert open_lines(state, 0) == own - other == position["value"]
            assert open_lines(state, 1) == -position["value"]

    def test_every_position_against_the_oracle(self) -> None:
        game = tictactoe()
        for state in reachable(game).values():
            board = board_of(game, state)
            won = winner(board, 3)
            assert game.is_terminal(state) == (won != 0 or all(map(all, board)))
            assert game.utility(state, 0) == {0: 0, 1: 1, 2: -1}[won]

    def test_text(self) -> None:
        assert tictactoe().text(tictactoe().play_moves([4, 0, 8])) == "O 3 6\n1 X 7\n2 5 X"


class TestConnectFour:
    @pytest.mark.parametrize(("rows", "columns"), [(6, 7), (4, 4), (5, 5), (7, 8), (4, 10)])
    def test_random_games_against_the_oracle(self, rows: int, columns: int, rng: np.random.Generator) -> None:
        game = connect_four(rows, columns)
        for _ in range(10):
            state, board = game.new_state(), ((0,) * columns,) * rows
            while not game.is_terminal(state):
                assert game.actions(state) == open_columns(board)
                action = int(rng.choice(game.actions(state)))
                board = drop(board, action, stone_to_move(board))
                game.play(state, action)
                assert board_of(game, state) == board
                assert game.is_terminal(state) == (winner(board, 4) != 0 or not open_columns(board))
            assert game.utility(state, 0) == {0: 0, 1: 1, 2: -1}[winner(board, 4)]

    def test_every_line_wins(self) -> None:
        game = connect_four()
        found = 0
        for line in lines(6, 7, 4):
            state = game.new_state()
            state.theirs = sum(1 << (7 * c + 5 - r) for r, c in line)
            state.ply = 7  # the first player has just moved
            assert game.is_terminal(state)
            assert (game.utility(state, 0), game.utility(state, 1)) == (1, -1)
            found += 1
        assert found == 69

    def test_positions_by_ply(self, textbook: Any) -> None:
        game = connect_four()
        level = {identity(game.new_state()): game.new_state()}
        for count in textbook["known_values"]["connect_four_7x6"]["positions_by_ply"][:5]:
            assert len(level) == count
            children: dict[bytes, Any] = {}
            for state in level.values():
                for action in () if game.is_terminal(state) else game.actions(state):
                    child = state.copy()
                    game.play(child, action)
                    children[identity(child)] = child
            level = children

    def test_drawn_game(self) -> None:
        game = connect_four(4, 4)
        state = game.play_moves([0, 1, 0, 1, 1, 0, 1, 0, 2, 3, 2, 3, 3, 2, 3, 2])
        assert game.is_terminal(state)
        assert game.utility(state, 0) == game.utility(state, 1) == 0

    def test_text(self) -> None:
        rows = connect_four(4, 4).text(connect_four(4, 4).play_moves([1, 1, 2])).splitlines()
        assert rows == [". . . .", ". . . .", ". O . .", ". X X .", "0 1 2 3"]

    @pytest.mark.parametrize(("rows", "columns"), [(3, 7), (6, 3), (8, 8), (20, 20)])
    def test_impossible_boards(self, rows: int, columns: int) -> None:
        with pytest.raises(ValueError, match=f"got rows={rows}, columns={columns}"):
            connect_four(rows, columns)
