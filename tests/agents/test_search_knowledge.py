"""What games tell a search beside their rules, by hand: checkers, endings of chess, and Go's guesses of moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.envs import Game, checkers, chess, go, make_game, minichess
from plyground.envs.games.chess.endings import image_key, is_over
from plyground.envs.games.features.chess_worth import worth
from plyground.envs.games.go.heavy import heavy
from plyground.envs.games.minichess_rules import king_of
from plyground.envs.jit.prng import new_rng
from tests.helpers.go_oracle import state_of

pytestmark = pytest.mark.rules


def action_of(game: Game, state: Any, name: str) -> int:
    return game.line_of([name], state)[0]


def test_checkers() -> None:
    game: Any = checkers()  # whose optional rules may be None for the type checker
    start = game.new_state()
    assert not game.is_forced(start)
    assert {game.stakes(start, action)[0] for action in game.actions(start)} == {0.0}
    after = start.copy()
    assert game.passed(after)
    assert (game.player(after), after.quiet) == (1, 1)
    jump = game.state_from_fen("B:W18,K19:BK15")
    assert game.is_forced(jump)
    assert not game.passed(jump.copy())
    prizes = sorted(game.stakes(jump, action) for action in game.actions(jump))
    man = game.stakes(start, game.actions(start)[0])[1]
    king = 1.5 * man
    assert prizes == [pytest.approx((man, king)), pytest.approx((king, king))]
    halfway = game.state_from_fen("B:W18,26:B14")
    game.play(halfway, game.actions(halfway)[0])
    with pytest.raises(ValueError, match="in the middle of a move cannot be written as FEN"):
        game.fen(halfway)


def test_endings_of_chess() -> None:
    game = chess()
    state = game.state_from_fen("8/8/8/8/8/2k5/8/K6R w - - 0 1")
    images = ("8/8/8/8/8/5k2/8/R6K w - - 0 1", "K6R/8/2k5/8/8/8/8/8 w - - 0 1", "k6r/8/2K5/8/8/8/8/8 b - - 0 1")
    assert {int(image_key(game.state_from_fen(text))) for text in images[:2]} == {int(image_key(state))}
    assert image_key(game.state_from_fen(images[2])) != image_key(state)  # the other side to move
    for text in ("8/8/8/8/8/2k5/P7/K7 w - - 0 1", "8/8/8/3pP3/8/2k5/8/K7 w - d6 0 2", "4k2r/8/8/8/8/8/8/K7 b k - 0 1"):
        one = game.state_from_fen(text)
        assert image_key(one) != image_key(state)
    mirrored = [
        game.state_from_fen(text) for text in ("8/8/8/8/8/2k5/P7/K7 w - - 0 1", "8/8/8/8/8/5k2/7P/7K w - - 0 1")
    ]
    assert image_key(mirrored[0]) == image_key(mirrored[1])
    assert not is_over(state)
    assert is_over(game.state_from_fen("8/8/8/8/8/1qk5/8/K7 w - - 0 1"))  # stalemate
    assert is_over(game.state_from_fen("8/8/8/8/8/2k5/8/K7 w - - 0 1"))  # two kings
    moves = np.zeros(game.num_actions, np.int32)
    checked = game.state_from_fen("4k3/8/8/8/8/8/4r3/4K2B w - - 0 1")
    assert game.noisy_actions(checked, moves) == len(game.actions(checked))  # in check: all of them
    assert game.noisy_actions(game.new_state(), moves) == 0


def guesses(game: Game, diagram: str, last: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return the guessed values of black's moves by name, and how much they count."""
    state = state_of(game, diagram)
    actions = np.array(game.actions(state), np.int32)
    visits, values = np.zeros((2, game.num_actions))
    game.priors(state, game.str_to_action(last) if last else -1, -1, actions, actions.size, visits, values)
    assert (abs(values) < 1).all()
    names = [game.action_to_str(action) for action in actions.tolist()]
    return dict(zip(names, values, strict=False)), dict(zip(names, visits, strict=False))


def test_guesses_of_go() -> None:
    found, weight = guesses(
        go(board_size=5),
        """
        . X . . .
        X . X . .
        O X . . .
        . O . . .
        . . . . .
        """,
        "B2",
    )
    assert min(weight.values()) >= 4
    assert found["B4"] < -0.5  # fills an eye
    assert found["A2"] > 0.2  # takes the stone at A3, and answers next to the last move
    assert found["E1"] < found["C2"]  # far from everything, on the first line
    diagram = """
        . . . . . . .
        . . O X . . .
        . O X . . O .
        . . O X . X O
        . . . . . . O
        O . . . . O X
        . O . . O X .
        """
    found, _ = guesses(go(board_size=7), diagram, "F5")
    assert min(found.values()) < -0.5  # puts itself in atari
    assert found["D5"] > 0.3  # saves C5, which had one liberty
    alone, _ = guesses(go(board_size=7), diagram, "")
    assert alone["E5"] < found["E5"]  # next to the last move, which is not known here
    assert alone["A7"] == found["A7"]  # far from it


def test_rollouts_of_go_without_any_rule_play_somewhere_legal() -> None:
    game, action = go(board_size=3), heavy(3, ())
    actions, rng = np.zeros(game.num_actions, np.int32), new_rng(1)
    with np.errstate(over="ignore"):  # of the generator, as plain Python
        drawn = {int(action(game.new_state(), 4, 0, actions, rng)) for _ in range(100)}
    assert drawn == set(range(9))


def test_terms_of_chess_are_counted_where_that_is_asked() -> None:
    trace = np.zeros((2, 400), np.int64)
    assert worth(7, 3, 0, trace, 1) == worth(7, 3, 0, None, 0) == 3 * worth(7, 1, 0, None, 0)
    assert (trace[1, 7], trace.sum()) == (3, 3)


def test_minichess_by_hand() -> None:
    with pytest.raises(ValueError, match="max_quiet_plies of minichess must be 1 to 255, got 0"):
        minichess(max_quiet_plies=0)
    with pytest.raises(ValueError, match="repetition of minichess must be 0"):
        minichess(repetition=1)
    game = make_game("minichess")
    state = game.new_state()
    with pytest.raises(ValueError, match="minichess has no move 'a9a9' here"):
        game.move_of(state, "a9a9")
    names = {game.move_name(state, action) for action in range(game.num_actions)}
    assert any("#" in name for name in names)  # what leads off the board
    assert action_of(game, state, game.move_name(state, game.actions(state)[0])) == game.actions(state)[0]
    assert king_of(np.zeros(25, np.int8), 1) == -1
    assert game.board is not None
    assert game.board.threatened is not None
    assert game.board.threatened(state) == ()
    checked = game.new_state()
    checked.cells[:] = 0
    checked.cells[2], checked.cells[22], checked.cells[12] = 6, -6, -4  # a rook between the kings, on one file
    assert len(game.board.threatened(checked)) == 1
