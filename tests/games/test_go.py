"""The rules of Go: positions made by hand, an oracle, and known counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import AlphaBeta
from plyground.envs import BoardGameEnv, Game, GameBatch, go
from plyground.envs.jit import kernel
from plyground.envs.jit.prng import new_rng
from plyground.envs.repetition import new_scratch
from tests.conftest import random_game
from tests.helpers.go_oracle import after, area, grid_of, state_of


def play(game: Game, state: Any, *moves: str) -> Any:
    return game.play_moves(moves, state)


def legal(game: Game, state: Any) -> set[str]:
    return {game.action_to_str(action) for action in game.actions(state)}


def keys_after(game: Game, state: Any) -> dict[int, int]:
    """Return the positions after all legal actions."""
    actions, keys, scratch = new_scratch(game)
    count = game.keys_after(state, actions, keys, scratch)
    return dict(zip(actions[:count].tolist(), keys[:count].tolist(), strict=True))


@pytest.mark.rules
@pytest.mark.parametrize("superko", ["positional", "situational"])
def test_keys_after_a_pass(superko: str) -> None:
    game = go(board_size=3, superko=superko)
    once, twice = (play(game, game.new_state(), *passes) for passes in (["pass"], ["pass", "pass"]))
    assert keys_after(game, once)[9] == game.repetition_key(twice)
    assert (game.repetition_key(once) == game.repetition_key(twice)) == (superko == "positional")
    assert list(keys_after(game, twice)) == game.actions(twice) == [9]  # over


@kernel
def _draw(game, state, actions, rng):
    return game.random_action(state, actions, rng)


def drawn(game: Game, state: Any) -> set[int]:
    """Return the actions that rollouts choose."""
    actions, rng = np.empty(game.num_actions, np.int32), new_rng(0)
    with np.errstate(over="ignore"):  # of the generator, as plain Python
        return {int(_draw(game, state, actions, rng)) for _ in range(300)}


@pytest.mark.rules
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_random_games_against_the_oracle(size: int, rng: np.random.Generator) -> None:
    game = go(board_size=size, komi=0.5, superko="simple")
    for _ in range(3 if size > 3 else 20):
        states = random_game(game, rng)
        for before, state in zip([states[0], *states], states, strict=False):
            grid, earlier = grid_of(game, state), grid_of(game, before)
            own = game.player(state) + 1
            boards = {
                f"{'ABCDEFGHJ'[c]}{size - r}": after(grid, r, c, own)
                for r in range(size)
                for c in range(size)
                if grid[r][c] == 0
            }
            # The simple ko: what was on the board before the last move may not come back at once.
            expected = {name for name, board in boards.items() if board is not None and board != earlier}
            if not game.is_terminal(state):
                assert legal(game, state) == expected | {"pass"}
            assert game.utility(state, 0) == np.sign(area(grid) - 0.5)
            assert game.owners is not None
            assert game.owners(state).sum() == area(grid)


@pytest.mark.slow
@pytest.mark.parametrize("size", [14, 15, 19])  # up to 14, cells are numbered in one byte, above in two
def test_large_boards_against_the_oracle(size: int) -> None:
    game = go(board_size=size, superko="simple")
    batch = GameBatch(game, 1, seed=size)
    for ply in range(size * size):
        earlier, own = grid_of(game, batch.states[0]), 2 - int(batch.players[0])
        mask = batch.masks[0].copy()
        mask[-1] = not mask[:-1].any()  # no passes, of which two would end the game
        batch.step([int(np.random.default_rng(ply).choice(np.flatnonzero(mask)))])
        if ply % 40 == 39:
            grid = grid_of(game, batch.states[0])
            for action in range(size * size):
                row, column = divmod(action, size)
                board = after(grid, row, column, own) if grid[row][column] == 0 else None
                assert batch.masks[0, action] == (board is not None and board != earlier)
    assert batch.plies[0] == size * size


@pytest.mark.rules
class TestByHand:
    game = go(board_size=5, komi=0.5)

    def test_ko(self) -> None:
        state = state_of(
            self.game,
            """
            . . . . .
            . X O . .
            X . X O .
            . X O . .
            . . . . .
            """,
            to_move=1,
        )
        state = play(self.game, state, "B3")
        assert grid_of(self.game, state)[2] == (1, 2, 0, 2, 0)
        assert "C3" not in legal(self.game, state)
        for elsewhere in ("A1", "pass"):
            assert "C3" in legal(self.game, play(self.game, state, elsewhere, "E5"))

    def test_a_ko_is_seen_in_an_observation(self) -> None:
        env: Any = BoardGameEnv(self.game)
        env.reset(options={"moves": ["C4", "D4", "B3", "E3", "C2", "D2", "A5", "C3", "D3"]})
        state = env.infos[env.agent_selection]["state"]
        assert state.ko
        assert "C3" not in legal(self.game, state)
        decoded = self.game.state_from_observation(env.last()[0]["observation"])
        assert legal(self.game, decoded) == legal(self.game, state)
        assert self.game.key(decoded) == self.game.key(state)

    def test_a_pass_is_seen_in_an_observation(self) -> None:
        env: Any = BoardGameEnv(self.game)
        for moves in (["C3", "pass"], ["pass"], ["C3", "D3", "pass"]):
            env.reset(options={"moves": moves})
            decoded = self.game.state_from_observation(env.last()[0]["observation"])
            assert decoded.passes == 1
            assert self.game.key(decoded) == self.game.key(env.infos[env.agent_selection]["state"])

    def test_a_game_that_two_passes_ended_is_seen_to_be_over(self) -> None:
        env: Any = BoardGameEnv(self.game)
        for moves in (["C3", "pass", "pass"], ["C3", "D3", "pass", "pass"], ["pass", "C3", "pass", "pass"]):
            env.reset(options={"moves": moves[:-1]})
            env.step(self.game.num_actions - 1)
            player = env.possible_agents[len(moves) % 2]
            decoded = self.game.state_from_observation(env.observe(player)["observation"])
            assert (decoded.passes, self.game.is_terminal(decoded)) == (2, True)

    def test_a_liberty_amid_others_is_not_the_last(self) -> None:
        # The chain's liberties are B5, C5 and D5: three in a row, whose mean is the one in the middle.
        state = state_of(
            self.game,
            """
            . . . . .
            O X X X O
            . O O O .
            . . . . .
            . . . . .
            """,
            to_move=1,
        )
        assert self.game.text(play(self.game, state, "C5")).count("X") == 3
        assert self.game.text(play(self.game, state, "C5", "A1", "B5", "A2", "D5")).count("X") == 2  # A1 and A2
        for action in self.game.actions(state):
            assert keys_after(self.game, state)[action] == self.game.repetition_key(
                self.game.play_moves([action], state)
            )

    def test_chains_met_on_two_sides_are_taken_once(self) -> None:
        # On C3 white takes two chains: one is met above and on the left, the other below.
        state = state_of(
            self.game,
            """
            . O O O .
            O X X O .
            O X . O .
            . O X O .
            . . O . .
            """,
            to_move=1,
        )
        taken = self.game.play_moves(["C3"], state)
        assert self.game.text(taken).count("X") == 0
        action = self.game.str_to_action("C3")
        assert keys_after(self.game, state)[action] == self.game.repetition_key(taken)

    def test_snapback(self) -> None:
        state = state_of(
            self.game,
            """
            . . . . .
            . . . . .
            X X . . .
            O O X . .
            . . X . .
            """,
        )
        state = play(self.game, state, "A1", "B1")  # white takes the stone at A1 ...
        assert grid_of(self.game, state)[4] == (0, 2, 1, 0, 0)
        state = play(self.game, state, "A1")  # ... and loses three
        assert grid_of(self.game, state)[3:] == ((0, 0, 1, 0, 0), (1, 0, 1, 0, 0))

    def test_one_stone_takes_three_chains(self) -> None:
        state = state_of(
            self.game,
            """
            . . . . .
            . X X X .
            X O . O X
            . X O X .
            . . X . .
            """,
        )
        state = play(self.game, state, "C3")
        assert self.game.text(state).count("O") == 0
        assert self.game.text(state).count("X") == 9
        assert state.empties == 25 - 9

    def test_suicide_is_illegal_for_stones_and_for_chains(self) -> None:
        diagram = """
            . O . . .
            O O . . .
            X X O . .
            . X O . .
            X O . . .
            """
        assert not legal(self.game, state_of(self.game, diagram)) & {"A5", "A2"}
        white = state_of(self.game, diagram, to_move=1)
        assert {"A5", "A2"} <= legal(self.game, white)
        assert self.game.text(play(self.game, white, "A2")).count("X") == 0

    def test_seki(self) -> None:
        diagram = """
            X X . O O
            X X X O O
            X X X O O
            X X X O O
            X X . O O
            """
        # The chains share their last two liberties: who plays on one of them is taken, and both are nobody's.
        state = state_of(self.game, diagram)
        assert self.game.text(play(self.game, state, "C5", "C1")).count("X") == 0
        assert self.game.text(play(self.game, state, "pass", "C5", "C1")).count("O") == 0
        for komi, winner in ((2.5, 0), (3.5, 1)):
            game = go(board_size=5, komi=komi)
            assert game.utility(play(game, state_of(game, diagram), "pass", "pass"), winner) == 1  # 13 to 10

    def test_the_score_decides_at_the_end(self) -> None:
        for komi, expected in ((0.0, 0), (-0.5, 1), (0.5, -1), (25.0, -1), (-30.0, 1)):
            game = go(board_size=5, komi=komi)
            state = game.play_moves(["C3", "pass", "pass"] if abs(komi) > 1 else ["pass", "pass"])
            assert game.is_terminal(state)
            assert legal(game, state) == {"pass"}  # as go_v5 shows it
            expected = 0 if komi == 25 else expected
            assert (game.utility(state, 0), game.utility(state, 1)) == (expected, -expected)

    def test_komi_counts_in_compiled_code_that_all_komi_share(self) -> None:
        for komi, expected in ((0.5, -1), (-0.5, 1)):
            game = go(board_size=5, komi=komi)
            env: Any = BoardGameEnv(game)
            env.reset(options={"moves": ["pass"]})
            assert game.state_from_observation(env.last()[0]["observation"]).komi == komi
            env.step(25)
            batch = GameBatch(game, 1)
            for _ in range(2):
                batch.step([25])
            assert env.rewards["black_0"] == batch.rewards[0, 0] == expected

    def test_a_long_game_is_scored_as_it_stands(self) -> None:
        game = go(board_size=2, superko="simple")
        state = game.new_state()
        state.ply = game.max_plies - 1
        assert not game.is_terminal(state)
        assert game.key(state) != game.key(game.new_state())  # few plies are left: that is another position
        state = game.play_moves(["A1"], state)
        assert game.is_terminal(state)
        assert game.utility(state, 0) == -1

    def test_random_rollouts_fill_no_eyes(self, rng: np.random.Generator) -> None:
        state = state_of(
            self.game,
            """
            . X O O .
            X X O O O
            X X O O O
            X X O . O
            . X O O O
            """,
        )
        assert drawn(self.game, state) == {25}
        assert legal(self.game, state) == {"A5", "A1", "pass"}

    def test_random_rollouts_draw_each_other_point_alike(self) -> None:
        # At first most points are free, in the end few: then they are listed. Both ways must give all of them.
        assert drawn(self.game, self.game.new_state()) == set(range(25))
        diagram = ". X O O .\n" + "X X O O O\n" + "X X . O O\n" + "X X O . O\n" + ". X O O O"
        for to_move in (0, 1):
            assert drawn(self.game, state_of(self.game, diagram, to_move)) == {12}

    def test_a_false_eye_is_filled(self) -> None:
        state = state_of(
            self.game,
            """
            . X O O .
            X O O O O
            X X O O O
            X X O . O
            . X O O O
            """,
        )
        assert drawn(self.game, state) == {0}

    def test_names(self) -> None:
        game = go()
        assert (game.action_to_str(0), game.action_to_str(8), game.action_to_str(360)) == ("A19", "J19", "T1")
        assert (game.str_to_action(" q16 "), game.str_to_action("PASS")) == (3 * 19 + 15, 361)
        for wrong in ("I5", "Z1", "A20", "", "5"):
            with pytest.raises(ValueError, match="without the letter I, or pass"):
                game.str_to_action(wrong)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"board_size": 0}, "board_size of go must be from 1 to 19, got 0"),
            ({"board_size": 20}, "got 20"),
            ({"superko": "natural"}, "must be 'positional', 'situational' or 'simple', got 'natural'"),
            ({"komi": float("nan")}, "komi of go must be a number of points, got nan"),
        ],
    )
    def test_bad_parameters(self, arguments: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            go(**arguments)


@kernel
def _count_positions(game, states, actions, point, points):
    """Count the legal positions that differ from ``states[point]`` in the points from ``point`` on.

    Stones are put down in order, the players passing where the colour asks for it. A stone that cannot be put down, or
    that captures, belongs to no legal position, because all parts of a legal position are legal.
    """
    if point == points:
        return 1
    found = 0
    for stone in range(3):
        states[point + 1] = states[point]
        state = states[point + 1]
        if stone > 0:
            if game.player(state) != stone - 1:
                game.play(state, points)
            state.passes = 0
            is_legal = False
            for i in range(game.legal_actions(state, actions)):
                is_legal = is_legal or actions[i] == point
            left = state.empties - 1
            if is_legal:
                game.play(state, point)
            if not is_legal or state.empties != left:
                continue
        found += _count_positions(game, states, actions, point + 1, points)
    return found


@pytest.mark.parametrize("size", ["1x1", "2x2", "3x3", pytest.param("4x4", marks=pytest.mark.slow)])
def test_number_of_legal_positions(size: str, textbook: Any) -> None:
    game = go(board_size=int(size[0]))
    points = game.num_actions - 1
    states = np.zeros(points + 1, game.dtype)
    states[0] = game.initial[0]
    actions = np.empty(game.num_actions, np.int32)
    found = _count_positions(game, states, actions, np.int64(0), np.int64(points))
    assert found == textbook["known_values"]["go_legal_positions"][size]


@pytest.mark.slow
def test_search_leaves_a_seki_alone() -> None:
    diagram = "X X . O O\n" + 3 * "X X X O O\n" + "X X . O O"
    game = go(board_size=5, komi=2.5)
    found = AlphaBeta(game, depth=4).analyse(state_of(game, diagram))
    assert found.best_action == 25
    assert found.value > 0


def test_a_state_with_another_komi_is_one_of_another_game() -> None:
    state = go(board_size=5, komi=0.5).new_state()
    with pytest.raises(ValueError, match="not a valid state of go"):
        AlphaBeta("go(board_size=5)", depth=1).analyse(state)
