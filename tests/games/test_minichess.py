"""Gardner's minichess: against slow rules on a dict of squares, and positions made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.envs import BoardGameEnv, Game, minichess
from tests.conftest import random_game

pytestmark = pytest.mark.rules

Pieces = dict[tuple[int, int], str]  # by file and rank; white's are capital letters

STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
LEAPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
STEPS = {"N": LEAPS, "K": STRAIGHT + DIAGONAL, "B": DIAGONAL, "R": STRAIGHT, "Q": STRAIGHT + DIAGONAL}


def read(fen: str) -> tuple[Pieces, bool, int]:
    """Return the pieces, whether white is to move, and the quiet plies."""
    board, turn, _, _, quiet, _ = fen.split()
    pieces: Pieces = {}
    for row, line in enumerate(board.split("/")):
        squares = "".join("." * int(letter) if letter.isdigit() else letter for letter in line)
        assert len(squares) == 5
        pieces |= {(file, 4 - row): letter for file, letter in enumerate(squares) if letter != "."}
    return pieces, turn == "w", int(quiet)


def is_free(pieces: Pieces, square: tuple[int, int], is_white: bool) -> bool:
    """Return whether a side may move to a square: on the board, and without an own piece."""
    on_board = 0 <= square[0] < 5 and 0 <= square[1] < 5
    return on_board and (square not in pieces or pieces[square].isupper() != is_white)


def steps(pieces: Pieces, is_white: bool) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the moves of a side, whether or not they leave the king attacked."""
    found = []
    for (file, rank), letter in pieces.items():
        if letter.isupper() != is_white:
            continue
        if letter in "Pp":
            up = rank + (1 if is_white else -1)
            if (file, up) not in pieces:
                found.append(((file, rank), (file, up)))
            for x in (file - 1, file + 1):
                if (x, up) in pieces and pieces[x, up].isupper() != is_white:
                    found.append(((file, rank), (x, up)))
            continue
        for x, y in STEPS[letter.upper()]:
            for n in range(1, 2 if letter in "NnKk" else 5):
                where = file + n * x, rank + n * y
                if not is_free(pieces, where, is_white):
                    break
                found.append(((file, rank), where))
                if where in pieces:
                    break
    return found


def in_check(pieces: Pieces, is_white: bool) -> bool:
    king = next(square for square, letter in pieces.items() if letter == ("K" if is_white else "k"))
    # A pawn's step straight on captures nothing.
    return any(
        target == king and (pieces[origin] not in "Pp" or origin[0] != king[0])
        for origin, target in steps(pieces, not is_white)
    )


def moves(pieces: Pieces, is_white: bool) -> dict[str, Pieces]:
    """Return the pieces after each legal move, by its name."""
    found = {}
    for origin, target in steps(pieces, is_white):
        promotes = pieces[origin] in "Pp" and target[1] in (0, 4)
        for piece in "qnbr" if promotes else pieces[origin]:
            after = {square: letter for square, letter in pieces.items() if square != origin}
            after[target] = (piece.upper() if is_white else piece.lower()) if promotes else pieces[origin]
            if not in_check(after, is_white):
                name = f"{'abcde'[origin[0]]}{origin[1] + 1}{'abcde'[target[0]]}{target[1] + 1}"
                found[name + piece * promotes] = after
    return found


def nobody_can_mate(pieces: Pieces) -> bool:
    """Return whether there are kings alone, with one knight, or with bishops of one colour."""
    others = {square: letter.upper() for square, letter in pieces.items() if letter not in "Kk"}
    if set(others.values()) == {"B"}:
        return len({(file + rank) % 2 for file, rank in others}) == 1
    return list(others.values()) in ([], ["N"])


@pytest.fixture(scope="module")
def game() -> Game:
    return minichess()


@pytest.mark.parametrize("games", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_random_games_follow_the_slow_rules(game: Game, games: int, rng: np.random.Generator) -> None:
    seen = set()
    for _ in range(games):
        for state in random_game(game, rng):
            pieces, is_white, quiet = read(game.fen(state))
            expected = moves(pieces, is_white)
            names = {game.move_name(state, action): action for action in game.actions(state)}
            assert names.keys() == expected.keys(), game.fen(state)
            check = in_check(pieces, is_white)
            is_dead = nobody_can_mate(pieces)
            over = not expected or is_dead or quiet >= 100
            assert game.is_terminal(state) == over
            if over:
                mate = check and not expected
                assert game.utility(state, 0) == (0 if not mate else -1 if is_white else 1)
                seen.add("mate" if mate else "stalemate" if not expected else "dead" if is_dead else "quiet")
                continue
            noisy = np.empty(game.num_actions, np.int32)
            loud = {int(action) for action in noisy[: game.noisy_actions(state, noisy)]}
            for name, action in names.items():
                assert game.move_of(state, name) == action
                after = state.copy()
                game.play(after, action)
                assert read(game.fen(after))[:2] == (expected[name], not is_white)
                assert (action in loud) == (check or len(expected[name]) < len(pieces) or len(name) == 5)
            assert game.state_from_fen(game.fen(state)) == state
    assert seen


def perft(game: Game, state: Any, depth: int) -> int:
    total = 0
    for action in game.actions(state):
        if depth == 1:
            total += 1
            continue
        after = state.copy()
        game.play(after, action)
        total += perft(game, after, depth - 1)
    return total


def slow_perft(pieces: Pieces, is_white: bool, depth: int) -> int:
    after = moves(pieces, is_white).values()
    return len(after) if depth == 1 else sum(slow_perft(each, not is_white, depth - 1) for each in after)


@pytest.mark.parametrize(
    "fen",
    [
        "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1",
        "3k1/P4/5/4p/2K2 w - - 0 1",  # promotions, also by black, with and without captures
        "1r2k/2P2/5/3p1/K2Q1 b - - 0 1",
    ],
)
def test_perft(game: Game, fen: str) -> None:
    pieces, is_white, _ = read(fen)
    for depth in (1, 2, 3):
        assert perft(game, game.state_from_fen(fen), depth) == slow_perft(pieces, is_white, depth)


def test_by_hand(game: Game) -> None:
    state = game.new_state()
    assert game.fen(state) == "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1"
    assert {game.move_name(state, action) for action in game.actions(state)} == {
        *("a2a3", "b2b3", "c2c3", "d2d3", "e2e3"),
        *("b1a3", "b1c3"),
    }
    after = game.play_moves(["b2b3", "a4b3"])
    assert game.fen(after) == "rnbqk/1pppp/1p3/P1PPP/RNBQK w - - 0 2".replace("0 2", "0 1")
    mated = game.state_from_fen("4k/4Q/3K1/5/5 b - - 0 1")
    assert game.is_terminal(mated)
    assert game.utility(mated, 0) == 1
    stalemated = game.state_from_fen("k4/2Q2/5/5/4K b - - 0 1")
    assert game.is_terminal(stalemated)
    assert game.utility(stalemated, 0) == 0


@pytest.mark.parametrize(
    ("fen", "is_over"),
    [
        ("k4/5/5/5/B3K w - - 0 1", True),
        ("k4/5/2b2/5/B3K w - - 0 1", True),
        ("k4/5/4b/5/B3K b - - 0 1", True),
        ("k4/5/1B3/B4/B3K w - - 0 1", False),
        ("k4/5/3b1/5/B3K w - - 0 1", False),
        ("k4/5/2n2/5/B3K w - - 0 1", False),
        ("k4/5/5/5/N3K w - - 0 1", True),
        ("k4/5/2n2/5/N3K w - - 0 1", False),
        ("k4/5/2b2/4p/B3K w - - 0 1", False),
    ],
)
def test_who_cannot_mate(game: Game, fen: str, is_over: bool) -> None:
    assert nobody_can_mate(read(fen)[0]) == is_over
    assert game.is_terminal(game.state_from_fen(fen)) == is_over


START = "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it has 0 fields: expected 4 to 6"),
        (5, "expected text, as in"),
        ("k4/5/5/5/4K", "it has 1 field:"),
        (f"{START} 9", "it has 7 fields"),
        (START.replace(" w ", " x "), "the side to move must be w or b, got 'x'"),
        (START.replace("- -", "KQ -"), "nobody castles, .*: expected '- -' after the side to move, got .'KQ', '-'."),
        (START.replace("- -", "- a3"), "nobody castles, or captures en passant"),
        (START.replace("/5/", "/"), "it has 4 ranks: expected 5"),
        (START.replace("/5/", "/113/"), "rank 3 has two digits side by side: '113'"),
        (START.replace("/5/", "/4X/"), "rank 3 has 'X': expected one of PNBRQKpnbrqk or 1 to 5"),
        (START.replace("K", "\u212a"), "rank 1 has '\u212a'"),  # the sign of Kelvin
        (START.replace("/5/", "/6/"), "rank 3 has '6'"),
        (START.replace("/5/", "/4/"), "rank 3 has 4 squares, expected 5: '4'"),
        (START.replace("PPPPP", "PPPPPP"), "rank 2 has 6 squares"),
        (START.replace("K", "1"), "white has 0 kings: expected 1"),
        (START.replace("q", "k"), "black has 2 kings: expected 1"),
        (START.replace("/5/", "/p4/"), "black has 11 pieces, 6 of them pawns: expected 10 and 5 at most"),
        ("P3k/5/5/5/4K w - - 0 1", "a pawn stands on a5"),
        ("k4/5/5/5/2p1K w - - 0 1", "a pawn stands on c1"),
        ("k3R/5/5/5/4K w - - 0 1", "black is in check, and it is not black's move"),
        ("k4/5/5/5/r3K b - - 0 1", "white is in check, and it is not white's move"),
        (START.replace("0 1", "101 1"), "must be 0 to 100, got '101'"),
        (START.replace("0 1", "1e3 1"), "must be 0 to 100, got '1e3'"),
        (START.replace("0 1", "0 x"), "the number of the move must be a whole number of at most 5 digits, got 'x'"),
    ],
)
def test_bad_positions_are_refused(game: Game, text: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"the position .* cannot be read: .*{message}"):
        game.state_from_fen(text)


def test_counts_may_be_left_out(game: Game) -> None:
    assert game.state_from_fen(START.removesuffix(" 0 1")) == game.new_state()
    assert minichess(max_quiet_plies=255).state_from_fen(START.replace("0 1", "255 9999")).quiet == 255


def test_each_side_sees_its_own_first_rank_at_the_bottom(game: Game) -> None:
    state = game.new_state()
    for player in (0, 1):
        seen = game.observation(state, player)
        assert np.argwhere(seen[:, :, 5]).tolist() == [[4, 4]]  # the own king on the e-file
        assert np.argwhere(seen[:, :, 11]).tolist() == [[0, 4]]
    for moves in ([], ["b1a3"], ["b1a3", "b5c3"]):
        state = game.play_moves(moves)
        assert game.state_from_observation(game.observation(state, game.player(state))) == state


def test_positions_with_other_plies_left_have_other_keys() -> None:
    near = minichess(max_quiet_plies=6)
    state, keys = near.new_state(), set()
    for quiet in range(6):
        state.quiet = quiet
        keys.add(int(near.key(state)))
    assert len(keys) == 6


def test_environment_draws_by_repetition(game: Game) -> None:
    env, state = BoardGameEnv(game), game.new_state()
    env.reset()
    for name in ["b1c3", "b5a3", "c3b1", "a3b5"] * 2:
        assert not any(env.terminations.values())
        action = game.move_of(state, name)
        env.step(action)
        game.play(state, action)
    assert env.rewards == {"player_0": 0, "player_1": 0}
    assert all(env.terminations.values())


def test_features_by_hand(game: Game) -> None:
    found = game.features_of(game.state_from_fen("4k/5/1PN2/5/K4 w - - 0 1"), 0)
    assert found == {"material": pytest.approx(4 / 30), "advance": 1 / 10, "centre": 1 / 3}
    black = game.features_of(game.state_from_fen("k4/5/5/1pn2/1K3 b - - 0 1"), 1)
    assert black == {"material": pytest.approx(4 / 30), "advance": 2 / 10, "centre": 1 / 3}
