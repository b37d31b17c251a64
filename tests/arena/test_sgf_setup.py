"""Positions that SGF files set up, as moves of Go: stones of a handicap, and boards in the midst of a game."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.arena.records.replay import Replay
from plyground.arena.records.sgf import read_sgf_moves
from plyground.envs import Game, make_game

PASS = 25  # on five rows
RULES = make_game("go(board_size=5, komi=0, superko='positional')")


def loaded(path: Path, text: str) -> tuple[Game, list[int], list[int]]:
    (path / "game.sgf").write_text(text)
    return read_sgf_moves(path / "game.sgf")


def board(game: Game, moves: list[int]) -> tuple[Any, int]:
    """Return the stones after some moves, all of which must be legal, and who is to move."""
    replay = Replay(game, moves=moves)
    assert replay.moves == moves
    assert game.board is not None
    return game.board.pieces(replay.state).ravel(), replay.player


def points(cells: Any) -> str:
    return "".join(f"[{chr(97 + cell % 5)}{chr(97 + cell // 5)}]" for cell in cells)


@pytest.mark.parametrize(
    ("text", "placed", "moves"),
    [
        ("HA[2]AB[bb][dd];W[cc];B[aa]", [6, PASS, 18], [12, 0]),
        ("HA[2]AB[bb][dd]", [6, PASS, 18], []),
        ("HA[2]AB[bb][dd];B[cc]", [6, PASS, 18, PASS], [12]),
        (";HA[2]AB[bb][dd];W[cc]", [6, PASS, 18], [12]),  # as Sabaki does where a game is edited
        ("AB[bb][dd]PL[B]", [6, PASS, 18, PASS], []),
        ("AB[bb:cd]", [6, PASS, 7, PASS, 11, PASS, 12, PASS, 16, PASS, 17], []),
        ("AB[bb][dd];AE[dd];W[cc]", [6], [12]),
        ("AW[bb][dd][cc]AB[aa]", [PASS, 6, PASS, 18, 0, 12], []),
        ("AW[bb][dd][cc]AB[aa];W[ee]", [PASS, 6, PASS, 18, PASS, 12, 0], [24]),
        (";W[bb];B[aa]", [PASS], [6, 0]),
        ("PL[W]", [PASS], []),
        ("PL[B];B[aa]", [], [0]),
    ],
)
def test_stones_are_placed_by_turns(text: str, placed: list[int], moves: list[int], tmp_path: Path) -> None:
    game, *found = loaded(tmp_path, f"(;GM[1]SZ[5]KM[0.5]{text})")
    assert game.spec == "go(board_size=5, komi=0.5, superko='simple')"
    assert found == [placed, moves]
    board(RULES, placed)


def test_any_position_of_a_game_is_set_up_by_moves_that_no_rule_forbids(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sizes = []
    for _ in range(60):
        replay, length = Replay(RULES), rng.integers(1, 60)
        while replay.legal and len(replay.moves) < length:
            action = int(rng.choice(replay.legal[:-1] or replay.legal))
            replay.play(action, "")
        assert RULES.board is not None
        stones, turn = RULES.board.pieces(replay.state).ravel(), int(rng.integers(2))
        black, white = (np.flatnonzero(stones == side).tolist() for side in (1, 2))
        text = "".join(f"{name}{points(cells)}" for name, cells in (("AB", black), ("AW", white)) if cells)
        _, placed, _ = loaded(tmp_path, f"(;GM[1]SZ[5]{text}PL[{'BW'[turn]}])")
        assert PASS not in [one for one, other in itertools.pairwise(placed) if one == other]
        assert len(placed) <= 2 * max(len(black), len(white)) + 1
        found, player = board(RULES, placed)
        assert found.tolist() == stones.tolist()
        assert player == turn
        sizes.append(len(black) + len(white))
    assert max(sizes) > 20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AB[aa][aa]", "AB have a point twice"),
        ("AB[aa]AW[aa]", "AB and AW have a point twice"),
        ("AB[ff]", r"AB\[ff\] is no point of a board of 5x5"),
        ("AB[]", r"AB\[\] is no point of a board of 5x5"),
        ("AB[cc:aa]", r"AB\[cc:aa\] is no point of a board of 5x5"),
        ("AB[aa:bb:cc]", r"AB\[aa:bb:cc\] is no point"),
        ("PL[green]AB[aa]", "the property PL cannot be read: expected B or W, got 'GREEN'"),
        ("AB[aa]AW[ab][ba]", "the position that is set up has stones without a liberty: take them out of AB and AW"),
        ("AB[aa:ee]", "the position that is set up has stones without a liberty"),
        ("AB[aa];W[bb]AW[cc]", "AW after 0 moves: handicap stones and set-up positions are not supported"),
        ("AB[aa];W[bb];AE[aa]", "AE after 1 move: handicap stones and set-up positions are not supported"),
        ("AW[bb];W[];B[aa]", r"move 2, B\[aa\], comes after the end of the game"),  # black has passed before
        ("AB[aa];W[aa]", r"move 1, W\[aa\], is illegal in go"),
    ],
)
def test_what_cannot_be_set_up(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"game.sgf, line 1, game 1: {message}"):
        loaded(tmp_path, f"(;GM[1]SZ[5]{text})")


def test_other_games_have_no_handicap(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="AB after 0 moves: handicap stones and set-up positions are not supported"):
        loaded(tmp_path, "(;GM[4]AB[hh])")
    game, *found = loaded(tmp_path, "(;GM[2]AB[d5][e4]AW[d4][e5];B[d3])")  # where every game begins
    assert (game.name, found) == ("othello", [[], [19]])
