"""Positions of checkers in PDN's FEN, and the commands that take them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from typer.testing import CliRunner

from plyground.arena.cli.group import app
from plyground.envs import checkers, make_game
from tests.conftest import random_game


def written(text: str) -> str:
    """Return a drawn board as FEN without the side to move: squares are numbered along the dark cells."""
    cells = [cell for line in text.splitlines() for cell in line.split()]
    dark = [cell for i, cell in enumerate(cells) if (i // 8 + i % 8) % 2]
    sides = {"B": "XK", "W": "Ok"}  # a man and a king
    return ":".join(
        side + ",".join("K" * (cell in "Kk") + str(n) for n, cell in enumerate(dark, 1) if cell in marks)
        for side, marks in sides.items()
    )


@pytest.mark.rules
def test_a_position_is_what_the_board_shows(rng: np.random.Generator) -> None:
    game = checkers()
    for _ in range(30):
        for state in random_game(game, rng)[:-1]:
            if state.jumper:
                continue  # in the middle of a move
            fen = f"{'BW'[game.player(state)]}:{written(game.text(state))}"
            found = game.state_from_fen(fen)
            assert game.fen(found) == game.fen(state)
            assert game.state_from_fen(game.fen(state)) == found
            found.quiet = state.quiet
            assert found == state


@pytest.mark.rules
def test_ways_to_write_it() -> None:
    game = checkers()
    assert (
        game.state_from_fen("B:W21-32:B1-12") == game.state_from_fen(" b:B1-5,6,7 , 8-12:W21-32. ") == game.new_state()
    )
    state = game.state_from_fen("W:WK1,21-22:B12")
    assert game.player(state) == 1
    assert state.quiet == 0


@pytest.mark.rules
def test_the_end_of_a_game() -> None:
    game = checkers()
    for start, move, fen in (("B:W18:B14", "14x23", "W:W:B23"), ("W:W18:B15", "18x11", "B:W11:B")):
        state = game.play_moves([move], game.state_from_fen(start))
        assert game.is_terminal(state)
        assert game.fen(state) == fen
        assert game.state_from_fen(fen) == state


@pytest.mark.rules
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("W18:B12", "cannot be read: expected as in 'B:W18"),
        ("B:W18:W12", "cannot be read: expected as in"),
        ("B:W18", "cannot be read: expected as in"),
        ("R:W18:B12", "cannot be read: expected as in"),
        ("B:W18,:B12", "cannot be read at ''"),
        ("W:W18:B", "cannot be read at ''"),
        ("WHITE:W18:B12", "cannot be read: expected as in"),
        ("B:W18:BQ12", "cannot be read at 'Q12'"),
        ("B:W18:BK1-4", "cannot be read at 'K1-4'"),
        ("B:W18:B0", "has a piece on 0: expected squares from 1 to 32"),
        ("B:W18:B12-9", "has a piece on 12-9: expected squares"),
        ("B:W33:B12", "has a piece on 33"),
        ("B:W12:B12", "has two pieces on 12"),
        ("B:W18:B1-13", "has 13 pieces of a side: expected 12 at most"),
        ("B:W18:B29", "has a man on 29, where he is a king: write K29"),
        ("B:W4:B12", "has a man on 4, where he is a king: write K4"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        checkers().state_from_fen(text)


@pytest.mark.rules
def test_other_games_have_none() -> None:
    with pytest.raises(ValueError, match="positions of othello cannot be read as text"):
        make_game("othello").state_from_fen("B:W18:B12")


def test_commands_begin_at_the_position() -> None:
    position = ["checkers", "--position", "B:WK1:BK14,K15"]
    solved = CliRunner().invoke(app, ["solve", *position])
    assert solved.exit_code == 0
    assert "Black to move: win in 17 plies" in solved.output
    assert len(re.search(r"line: (.*)", solved.output)[1].split()) == 17  # type: ignore[index]
    after = CliRunner().invoke(app, ["solve", *position, "--moves", "14-9 1-5"])
    assert "Black to move: win in 15 plies" in after.output
    drawn = CliRunner().invoke(app, ["solve", "checkers", "--position", "B:WK1:BK32"])
    assert "Black to move: draw\nbest moves: 32-27 32-28\nline: " in drawn.output
    assert " …\n" in drawn.output
    shown = CliRunner().invoke(app, ["show", *position, "--moves", "15-18"])
    assert ". k . . . . . ." in shown.output
    assert "White to move" in shown.output
    analysed = CliRunner().invoke(app, ["analyse", *position, "--agent", "alphabeta(depth=2)"])
    assert "14-9" in analysed.output
    wrong = CliRunner().invoke(app, ["show", *position, "--moves", "11-15"])
    assert "at index 0 is illegal" in str(wrong.exception)
