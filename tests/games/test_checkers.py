"""Checkers, against published counts of move sequences, a slow oracle on coordinates, and positions made by hand.

Positions are written as in game records (PDN): the side to move, then the squares of each side, K for a king.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from plyground.envs import Game, Repetition, checkers
from plyground.envs.jit import kernel
from tests.conftest import DATA, random_game

# Sequences of so many whole moves from the start: a jump to its end is one move, and two ways to the same end count
# as two (there are none this early). A. Bik, "perft for 8x8 checkers", talkchess.com, 8 May 2009.
PERFT = json.loads((DATA / "textbook.json").read_text())["known_values"]["checkers_perft"]["counts"]


def state_of(text: str, quiet: int = 0) -> Any:
    """Return the state of a position such as ``"B:W25,K30:B21"``."""
    turn, *sides = text.split(":")
    boards, kings = [0, 0], 0
    for side in sides:
        for piece in side[1:].split(","):
            index = int(piece.lstrip("K")) - 1
            bit = 1 << index + index // 8
            boards["BW".index(side[0])] |= bit
            kings |= bit if piece.startswith("K") else 0
    state = checkers().new_state()
    state.sides, state.kings, state.turn, state.quiet = boards, kings, "BW".index(turn), quiet
    return state


def names(state: Any, game: Game | None = None) -> set[str]:
    game = game or checkers()
    return {game.action_to_str(action) for action in game.actions(state)}


def after(state: Any, *moves: str, game: Game | None = None) -> Any:
    return (game or checkers()).play_moves(moves, state.copy())


class Oracle:
    """The rules on a dictionary from (row, column) to one of "b", "w", "B", "W", as a referee would apply them."""

    def __init__(self) -> None:
        cells = [(row, column) for row in range(8) for column in range(8) if (row + column) % 2]
        self.board = dict(zip(cells, "b" * 12 + "." * 8 + "w" * 12, strict=True))
        self.number = {cell: index + 1 for index, cell in enumerate(cells)}
        self.side, self.jumping, self.quiet = "b", None, 0

    def moves(self) -> dict[str, tuple[Any, Any, Any]]:
        """Return the legal moves, by name: from, to, and the cell jumped over."""
        steps, jumps = {}, {}
        for (row, column), piece in self.board.items():
            if piece.lower() != self.side or self.jumping not in (None, (row, column)):
                continue
            for down in [1, -1] if piece.isupper() else [1 if piece == "b" else -1]:
                for right in (-1, 1):
                    near, far = (row + down, column + right), (row + 2 * down, column + 2 * right)
                    if self.board.get(near) == ".":
                        steps[f"{self.number[row, column]}-{self.number[near]}"] = ((row, column), near, None)
                    elif self.board.get(near, ".").lower() in {"b", "w"} - {self.side} and self.board.get(far) == ".":
                        jumps[f"{self.number[row, column]}x{self.number[far]}"] = ((row, column), far, near)
        return jumps or ({} if self.jumping else steps)

    def play(self, name: str) -> None:
        start, end, jumped = self.moves()[name]
        piece = self.board[start]
        self.quiet = self.quiet + 1 if piece.isupper() and not jumped else 0
        self.board[start] = "."
        self.board[end] = piece.upper() if end[0] == {"b": 7, "w": 0}[self.side] else piece
        if jumped:
            self.board[jumped] = "."
            self.jumping = end
            if self.board[end] == piece and self.moves():
                return
        self.side, self.jumping = "bw"[self.side == "b"], None

    def grid(self) -> list[list[int]]:
        return [[".bwBW".index(self.board.get((row, column), ".")) for column in range(8)] for row in range(8)]


@pytest.mark.rules
@pytest.mark.parametrize(("limit", "outcomes"), [(80, {-1, 1}), (15, {-1, 0, 1})])
def test_random_games_against_the_oracle(limit: int, outcomes: set[float], rng: np.random.Generator) -> None:
    game, found = checkers(max_quiet_plies=limit), set()
    assert game.board is not None
    for _ in range(15):
        state, oracle = game.new_state(), Oracle()
        while not game.is_terminal(state):
            moves = oracle.moves()
            assert names(state) == set(moves)
            assert game.player(state) == "bw".index(oracle.side)
            action = int(rng.choice(game.actions(state)))
            name = game.action_to_str(action)
            assert game.board.cells(state, action) == tuple(8 * row + column for row, column in moves[name][:2])
            game.play(state, action)
            oracle.play(name)
            assert game.board.pieces(state).tolist() == oracle.grid()
            assert state.quiet == oracle.quiet
        drawn = oracle.quiet == limit and bool(oracle.moves())
        assert drawn or not oracle.moves()
        assert game.utility(state, 0) == (0 if drawn else -1 if oracle.side == "b" else 1)
        found.add(game.utility(state, 0))
    assert found >= outcomes


@kernel
def _perft(game, states, actions, ply, depth):
    """Count the sequences of ``depth`` whole moves from ``states[ply]``: the depth falls when the player changes."""
    state, child = states[ply], states[ply + 1]
    total = 0
    for i in range(game.legal_actions(state, actions[ply])):
        states[ply + 1] = state
        game.play(child, actions[ply, i])
        left = depth if game.player(child) == game.player(state) else depth - 1
        total += 1 if left == 0 else _perft(game, states, actions, ply + 1, left)
    return total


def perft(state: Any, depth: int) -> int:
    game = checkers()
    states, actions = np.zeros(64, game.dtype), np.empty((64, game.num_actions), np.int32)
    states[0] = state
    return _perft(game, states, actions, np.int64(0), np.int64(depth))


@pytest.mark.parametrize("depth", range(1, len(PERFT)))
def test_sequences_of_moves(depth: int) -> None:
    assert perft(checkers().new_state(), depth) == PERFT[depth]


@pytest.mark.rules
class TestRules:
    def test_start(self) -> None:
        game, state = checkers(), checkers().new_state()
        assert names(state) == {"9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"}
        assert names(after(state, "11-15")) == {"21-17", "22-17", "22-18", "23-18", "23-19", "24-19", "24-20"}
        assert game.text(state).splitlines() == [
            ". X . X . X . X",
            "X . X . X . X .",
            ". X . X . X . X",
            ". . . . . . . .",
            ". . . . . . . .",
            "O . O . O . O .",
            ". O . O . O . O",
            "O . O . O . O .",
        ]

    def test_actions_are_numbered_steps_first(self) -> None:
        game = checkers()
        text = [game.action_to_str(action) for action in range(game.num_actions)]
        assert (sum("-" in name for name in text), sum("x" in name for name in text)) == (98, 72)
        assert text == sorted(text, key=lambda name: "x" in name)
        assert text[0] == "1-5"
        assert [game.str_to_action(name) for name in text] == list(range(170))

    def test_men_move_forward_only_and_kings_both_ways(self) -> None:
        assert names(state_of("B:W32:B14,K19")) == {"14-17", "14-18", "19-15", "19-16", "19-23", "19-24"}
        assert names(state_of("W:W14,K19:B1")) == {"14-9", "14-10", "19-15", "19-16", "19-23", "19-24"}

    def test_who_can_jump_must_but_chooses_freely(self) -> None:
        # 2x9 takes one piece, 10x19 begins to take two: either will do, and no step is allowed.
        state = state_of("B:W6,15,24:B2,10,21")
        assert names(state) == {"2x9", "10x19"}
        assert names(after(state, "10x19")) == {"19x28"}
        assert checkers().player(after(state, "2x9")) == 1

    def test_men_jump_forward_only_and_kings_both_ways(self) -> None:
        assert names(state_of("B:W10,18:B15")) == {"15x22"}
        assert names(state_of("B:W10,18:BK15")) == {"15x6", "15x22"}
        assert names(state_of("W:W18:B15,22")) == {"18x11"}
        assert names(state_of("W:WK18:B15,22")) == {"18x11", "18x25"}

    def test_a_jump_goes_on_with_the_same_piece_and_a_choice(self) -> None:
        # From 2 over 7 to 11, and there over 15 or 16; meanwhile the king on 32 may not jump over 27.
        game, state = checkers(), state_of("B:W7,15,16,27:B2,K32")
        assert names(state) == {"2x11", "32x23"}
        state = after(state, "2x11")
        assert game.player(state) == 0
        assert names(state) == {"11x18", "11x20"}
        state = after(state, "11x18")
        assert game.player(state) == 1
        assert not game.is_terminal(state)
        assert state == state_of("W:W16,27:B18,K32")

    def test_triple_jump(self) -> None:
        state = after(state_of("B:W6,14,22,32:B1"), "1x10")
        state = after(state, "10x17")
        assert checkers().player(state) == 0
        assert after(state, "17x26") == state_of("W:W32:B26")

    def test_crowning_ends_the_move_in_the_middle_of_a_jump(self) -> None:
        # From 31 a king could jump over 27; a man that is crowned there may not, a king that comes there must.
        assert after(state_of("B:W26,27:B22"), "22x31") == state_of("W:W27:BK31")
        state = after(state_of("B:W26,27:BK22"), "22x31")
        assert checkers().player(state) == 0
        assert names(state) == {"31x24"}
        assert after(state_of("W:W11:B6,7"), "11x2") == state_of("B:WK2:B6")

    def test_crowning_by_a_step(self) -> None:
        assert after(state_of("B:W12:B25"), "25-30") == state_of("W:W12:BK30")
        assert after(state_of("W:W6:B12"), "6-1") == state_of("B:WK1:B12")

    def test_a_king_jumps_in_a_circle_and_no_piece_twice(self) -> None:
        state = state_of("B:W9,10,17,18,32:BK6")
        assert names(state) == {"6x13", "6x15"}
        end = state_of("W:W32:BK6")
        assert after(state, "6x15", "15x22", "22x13", "13x6") == end
        assert after(state, "6x13", "13x22", "22x15", "15x6") == end

    @pytest.mark.parametrize("position", ["B:W25,30:B21", "B:W19,24,27,32:B20,K28"])
    def test_who_cannot_move_loses(self, position: str) -> None:
        game, state = checkers(), state_of(position)
        assert game.is_terminal(state)
        assert game.actions(state) == []
        assert (game.utility(state, 0), game.utility(state, 1)) == (-1, 1)

    def test_who_has_no_piece_left_loses(self) -> None:
        game, state = checkers(), after(state_of("W:W14:B9"), "14x5")
        assert game.is_terminal(state)
        assert (game.utility(state, 0), game.utility(state, 1)) == (-1, 1)


@pytest.mark.rules
class TestDraws:
    def test_forty_moves_of_each_side(self) -> None:
        game, state = checkers(), state_of("B:WK32:BK1")
        moves = ["1-6", "32-27", "6-1", "27-32"] * 20
        state = after(state, *moves[:79])
        assert not game.is_terminal(state)
        state = after(state, moves[79])
        assert game.is_terminal(state)
        assert game.utility(state, 0) == game.utility(state, 1) == 0

    @pytest.mark.parametrize(
        ("position", "move", "reset", "without_men"),
        [
            ("B:WK32:BK1,12", "1-6", 41, 41),
            ("B:WK32:BK1,12", "12-16", 0, 41),
            ("B:WK32:B25,K1", "25-30", 0, 41),
            ("B:W10,K32:BK6", "6x15", 0, 0),
            ("B:W10,K32:B6", "6x15", 0, 0),
            ("W:W16,K32:BK1", "16-11", 0, 41),
        ],
    )
    def test_what_starts_the_count_anew(self, position: str, move: str, reset: int, without_men: int) -> None:
        state = state_of(position, quiet=40)
        assert after(state, move).quiet == reset
        assert after(state, move, game=checkers(men_reset=False)).quiet == without_men

    def test_the_last_move_before_the_draw_may_win(self) -> None:
        # White's man on 32 then has kings before it on 27 and 28, and the square behind 27, on 23, is taken.
        game = checkers()
        state = after(state_of("B:W32:BK19,K24,K23,K28", quiet=79), "24-27")
        assert state.quiet == 80
        assert game.is_terminal(state)
        assert (game.utility(state, 0), game.utility(state, 1)) == (1, -1)

    def test_the_count_is_part_of_the_key_but_not_of_the_position(self) -> None:
        game, early, late = checkers(), state_of("B:WK32:BK1"), state_of("B:WK32:BK1", quiet=4)
        assert game.key(early) != game.key(late)
        assert (
            game.repetition_key(early)
            == game.repetition_key(late)
            == game.repetition_key(after(early, "1-6", "32-27", "6-1", "27-32"))
        )

    def test_repetition(self) -> None:
        assert checkers().repetition == Repetition("draw", 3, memory=80)
        assert checkers(repetition=2).repetition == Repetition("draw", 2, memory=80)
        assert checkers(repetition=0).repetition is None

    def test_bounds_on_the_length(self) -> None:
        assert checkers().max_plies == 168 * 80
        assert checkers(max_quiet_plies=40, men_reset=False).max_plies == 24 * 40

    @pytest.mark.parametrize(
        ("parameter", "value"),
        [("max_quiet_plies", 0), ("max_quiet_plies", 256), ("repetition", 1), ("repetition", -1)],
    )
    def test_impossible_parameters(self, parameter: str, value: int) -> None:
        with pytest.raises(ValueError, match=f"{parameter} of checkers must be .*, got {value}"):
            checkers(**{parameter: value})  # pyright: ignore[reportArgumentType]


@pytest.mark.rules
class TestViews:
    def test_planes(self) -> None:
        game = checkers()
        state = after(state_of("B:W7,15,16,K27:B2,K31"), "2x11")  # 11 is in the middle of a jump
        state.quiet = 5
        squares = {1: (0, 1), 11: (2, 5), 15: (3, 4), 16: (3, 6), 27: (6, 5), 31: (7, 4)}
        own = {0: [11], 1: [31], 2: [15, 16], 3: [27], 4: [11]}
        for player, order in ((0, (0, 1, 2, 3, 4)), (1, (2, 3, 0, 1, 4))):
            planes = game.observation(state, player)
            assert planes.shape == (8, 8, 13)
            for plane, content in zip(order, own.values(), strict=True):
                assert {tuple(cell) for cell in np.argwhere(planes[:, :, plane])} == {squares[s] for s in content}
            assert (planes[:, :, 5] == player).all()
            assert (planes[:, :, 6:] == [1, 0, 1, 0, 0, 0, 0]).all()

    @pytest.mark.parametrize("limit", [1, 80, 255])
    def test_every_count_can_be_read_from_the_planes(self, limit: int) -> None:
        game = checkers(max_quiet_plies=limit)
        for quiet in {0, limit // 2, limit}:
            state = state_of("W:WK32:BK1", quiet)
            assert game.state_from_observation(game.observation(state, 1)) == state

    def test_text_marks_kings(self) -> None:
        assert checkers().text(state_of("B:W32,K29:B1,K4")).splitlines()[::7] == [". X . . . . . K", "k . . . . . O ."]

    def test_the_sides_have_the_same_rules(self, rng: np.random.Generator) -> None:
        # Half a turn of the board that swaps the colours takes square n to 33 - n.
        game = checkers()
        states = [state for _ in range(5) for state in random_game(game, rng)]
        for state in states:
            turned = state.copy()
            boards = [int(f"{int(board):035b}"[::-1], 2) for board in (*state.sides[::-1], state.kings, state.jumper)]
            turned.sides, turned.kings, turned.jumper = boards[:2], boards[2], boards[3]
            turned.turn = 1 - state.turn
            assert {"-".join(str(33 - int(n)) for n in name.replace("x", "-").split("-")) for name in names(state)} == {
                name.replace("x", "-") for name in names(turned)
            }
            assert game.is_terminal(state) == game.is_terminal(turned)
            assert game.utility(state, 0) == game.utility(turned, 1)
            assert game.evaluate(state, 0) == game.evaluate(turned, 1)

    def test_different_states_have_different_keys(self, rng: np.random.Generator) -> None:
        game, known = checkers(), {}
        for _ in range(30):
            for state in random_game(game, rng):
                assert known.setdefault(int(game.key(state)), state) == state
        jumping = after(state_of("B:W7,15,16:B2,K31"), "2x11")
        waiting = state_of("B:W15,16:B11,K31")
        assert game.key(jumping) != game.key(waiting)
        assert game.repetition_key(jumping) != game.repetition_key(waiting)
