"""What a search found out, drawn on the position."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, Minimax
from plyground.envs import Board, Game, make_game
from plyground.envs.render import overlays, picture
from plyground.envs.render.layout import Layout
from plyground.envs.render.overlays import PV_PLIES
from plyground.envs.render.shapes import Circle, Polygon, Rectangle, Text
from plyground.envs.render.styles import STYLES, mix
from tests.conftest import random_game
from tests.helpers.shapes import RED, Found, after, discs, lab, linear, rgb, texts


def test_shares_of_visits() -> None:
    game = make_game("connect_four")
    drawing = picture(game, game.new_state(), overlay=Found(values={3: 0.9}, visits={3: 620, 2: 375, 0: 5}, pv=[3]))
    where = texts(drawing)
    assert where["62%"][0] == pytest.approx(where["3"][0])
    floor = max(y for _, y in discs(drawing, STYLES["holes"].cell[0]))
    assert where["38%"] == (pytest.approx(where["2"][0]), pytest.approx(floor))
    assert not {"0%", "1%", "+0.90"} & set(where)  # too few visits; and values give way to visits


def test_the_number_of_the_first_ply_stands_above_its_share() -> None:
    game = make_game("mnk")
    names = {name: game.str_to_action(name) for name in ("b2", "a1", "c3")}
    found = Found(visits={names["b2"]: 3, names["c3"]: 1}, pv=[names["b2"], names["a1"], names["c3"]])
    drawing = picture(game, game.new_state(), overlay=found)
    numbers = [shape for shape in drawing.shapes if isinstance(shape, Text) and shape.bold]
    labels = texts(drawing)
    assert [shape.text for shape in numbers] == ["1", "2", "3"]
    assert [shape.x for shape in numbers] == [pytest.approx(labels[column][0]) for column in "bac"]
    assert [shape.y for shape in numbers[1:]] == [pytest.approx(labels[row][1]) for row in "13"]
    assert numbers[0].y < labels["2"][1] < labels["75%"][1]
    assert "25%" not in labels  # its ply is the third
    first, second = STYLES["marks"].pieces
    ghosts = [s.fill for s in drawing.shapes if isinstance(s, Circle) and s.fill]
    assert ghosts == [mix(piece.fill, "#ffffff", 0.25) for piece in (first, second, first)]


def test_values_are_coloured_by_sign_and_size() -> None:
    game = make_game("tictactoe")
    found = Found(values={0: 1.0, 1: -1.0, 2: -0.004, 3: 0.25, 4: 0.0, 5: float("nan"), 6: float("-inf")})
    drawing = picture(game, game.new_state(), overlay=found)
    written = [shape.text for shape in drawing.shapes if isinstance(shape, Text)]
    assert written == ["+1.00", "-1.00", "0.00", "+0.25", "0.00", "+/-: value for the player to move"]
    fills = [s.fill for s in drawing.shapes if isinstance(s, Rectangle) and s.width == pytest.approx(0.92)]
    good, bad, nearly_even, better, even = (np.array(rgb(fill or "")) for fill in fills)
    assert good[2] > good[0]  # bluish
    assert bad[0] > bad[2]  # reddish
    assert np.abs(nearly_even - even).max() < 20
    assert (np.abs(better - good) < np.abs(even - good)).all()


def test_larger_utilities_have_one_digit() -> None:
    game = make_game("othello(by_discs=True)")
    d3 = game.actions(game.new_state())[0]
    assert "+12.3" in texts(picture(game, game.new_state(), overlay=Found(values={d3: 12.34})))


def test_actions_that_land_on_the_same_cell() -> None:
    tictactoe = make_game("tictactoe")
    board = Board(3, 3, tictactoe.board.pieces, lambda state, action: (action // 2,), "marks")  # type: ignore[union-attr]
    game = tictactoe.replace(board=board)
    both = picture(game, game.new_state(), overlay=Found(visits={0: 1, 1: 2, 2: 1}))
    assert [s.text for s in both.shapes if isinstance(s, Text)][:2] == ["75%", "25%"]
    many = picture(game, game.new_state(), overlay=Found(visits={0: 97, 1: 1, 2: 1, 3: 1}))
    assert [s.text for s in many.shapes if isinstance(s, Text)][:2] == ["98%", "2%"]
    best = picture(game, game.new_state(), overlay=Found(values={0: -0.5, 1: 0.5, 2: -1.0}))
    assert [s.text for s in best.shapes if isinstance(s, Text)][:2] == ["+0.50", "-1.00"]


def test_pieces_may_be_lists() -> None:
    tictactoe = make_game("tictactoe")
    board: Any = tictactoe.board
    game = tictactoe.replace(board=replace(board, pieces=lambda state: board.pieces(state).tolist()))
    state = game.play_moves([4])
    found = Found(values={0: 0.5}, pv=(0, 1))
    assert picture(game, state, overlay=found).shapes == picture(tictactoe, state, overlay=found).shapes


def test_shares_on_lines_have_areas_and_only_the_first_are_shown() -> None:
    game = make_game("go_9x9")
    visits = {0: 400, 1: 100, 2: 4, 3: 19} | dict.fromkeys(range(10, 30), 21)
    drawing = picture(game, game.new_state(), overlay=Found(visits=visits))
    radii = {s.x: s.radius for s in drawing.shapes if isinstance(s, Circle) and s.radius >= 0.2 and s.y < 1.5}
    assert sorted(radii.values()) == [pytest.approx(0.235), pytest.approx(0.47)]  # a quarter of the visits
    shares = [s.text for s in drawing.shapes if isinstance(s, Text) and s.text.endswith("%")]
    assert shares.count("2%") == 10  # twelve in all; 19 of 943 would be 2.01 %, but is not among them
    assert {"42%", "11%"} <= set(shares)
    few = picture(game, game.new_state(), overlay=Found(visits={0: 98, 1: 2, 2: 1}))
    assert [s.text for s in few.shapes if isinstance(s, Text) and s.text.endswith("%")] == ["97%"]
    assert few.shapes[-1] == next(s for s in few.shapes if isinstance(s, Text) and s.text.startswith("%: share"))
    assert "%: share of the visits, from 2% on" in few.description


def test_no_piece_covers_the_number_of_a_square() -> None:
    game = make_game("checkers")
    drawing = picture(game, game.new_state(), overlay=Found(pv=game.actions(game.new_state())[:1]))
    shapes = list(drawing.shapes)
    numbers = [s for s in shapes if isinstance(s, Text) and s.text.isdigit() and not s.bold]
    assert [s.text for s in numbers] == [str(number) for number in range(1, 33)]
    assert all(not isinstance(s, (Circle, Polygon)) for s in shapes[shapes.index(numbers[0]) :])  # they are on top
    layout, radius = Layout(game.board, STYLES["checkers"]), STYLES["checkers"].radius  # type: ignore[arg-type]
    for text, cell in zip(numbers, [cell for cell in range(64) if sum(divmod(cell, 8)) % 2], strict=True):
        x, y = layout.centre(cell)
        corner = (text.x + 0.25 * text.size * len(text.text) - x, text.y + 0.36 * text.size - y)
        assert np.hypot(*corner) > radius - 0.01


def test_the_line_is_played_forward() -> None:
    game, state, _ = after("connect_four", 3)
    drawing = picture(game, state, overlay=Found(pv=[3, 3, 2]))
    numbers = {s.text: s for s in drawing.shapes if isinstance(s, Text) and s.bold}
    ((x, y),) = discs(drawing, RED)
    assert [(numbers[n].x, numbers[n].y) for n in "123"] == [
        (pytest.approx(x), pytest.approx(y - 1)),
        (pytest.approx(x), pytest.approx(y - 2)),
        (pytest.approx(x - 1), pytest.approx(y)),
    ]
    assert state == game.play_moves([3])


def test_a_long_line_is_cut() -> None:
    game = make_game("go")
    drawing = picture(game, game.new_state(), overlay=Found(pv=range(0, 40, 2)))
    numbers = [shape.text for shape in drawing.shapes if isinstance(shape, Text) and shape.bold]
    assert numbers == [str(number) for number in range(1, PV_PLIES + 1)]


def test_what_has_no_cell_is_in_the_caption() -> None:
    game = make_game("go(board_size=5)")
    point, passing = game.str_to_action("C3"), game.str_to_action("pass")
    found = Found(visits={point: 3, passing: 1}, pv=[point, passing])
    drawing = picture(game, game.new_state(), overlay=found, caption="black to move")
    assert "black to move · pass 25% · ply 2: pass" in texts(drawing)
    assert "pass 25%" in drawing.description
    without = picture(game, game.new_state(), overlay=Found(visits={point: 1}, pv=[point]))
    assert without.height < drawing.height


@pytest.mark.parametrize("point", ["A1", "A2"])
def test_a_ply_on_a_taken_stone_is_in_the_caption(point: str) -> None:
    game = make_game("go(board_size=5)")
    state = game.play_moves(["A2", "B1", "E5", "D5", "E4", "C4"])
    # Black adds A1 to A2, and White takes both; then there is a ghost on A1, and on A2 the stone of the position.
    pv = [game.str_to_action(name) for name in ("A1", "C5", "E3", "B2", "D3", "A3", "C3", point)]
    drawing = picture(game, state, overlay=Found(pv=pv))
    assert [text for text in texts(drawing) if "ply" in text] == [f"ply 8: {point}"]
    assert [s.text for s in drawing.shapes if isinstance(s, Text) and s.bold] == list("1234567")


def test_moving_pieces_have_arrows() -> None:
    game = make_game("checkers")
    pv = [game.str_to_action(name) for name in ("11-15", "23-19")]
    drawing = picture(game, game.new_state(), overlay=Found(visits={pv[0]: 1}, pv=pv))
    arrows = [shape for shape in drawing.shapes if isinstance(shape, Polygon) and shape.fill != "#ffffff"]
    layout = Layout(game.board, STYLES["checkers"])  # type: ignore[arg-type]
    assert len(arrows) == 2
    for arrow, action in zip(reversed(arrows), pv, strict=True):  # the first move is painted last, on top
        origin, target = (np.array(layout.centre(c)) for c in game.board.cells(game.new_state(), action))  # type: ignore[union-attr]
        points = np.array(arrow.points)
        tip = points[np.linalg.norm(points - origin, axis=1).argmax()]
        tail = points[np.linalg.norm(points - target, axis=1).argmax()]
        assert np.linalg.norm(tail - origin) < 0.1
        assert 0.1 < np.linalg.norm(tip - target) < 0.2
        assert np.dot(tip - origin, target - origin) > 0
    assert arrows[0].fill != arrows[1].fill


@pytest.mark.parametrize(
    ("name", "moves", "first"),
    [
        ("checkers", ["12-16"], ["9-14", "10-15"]),
        ("checkers", ["11-15", "22-18", "15x22", "26x17"], ["12-16"]),  # over pieces, away from values, to and fro
        ("chess", ["e2e4", "d7d5", "e4d5", "d8d5", "b1c3"], ["a2a3", "d2d4", "g1f3"]),
        ("minichess", ["a2a3"], ["b2b3", "e2e3"]),
    ],
)
def test_numbers_of_arrows_cover_neither_pieces_nor_values(name: str, moves: list[str], first: list[str]) -> None:
    """On short arrows they hid the value of the action, or the foot of the piece."""
    game = make_game(name)
    state, board = game.new_state(), game.board
    assert board is not None
    pv = game.line_of(moves)
    values = dict.fromkeys((pv[0], *(game.move_of(state, one) for one in first)), -0.0125)
    drawing = picture(game, state, overlay=Found(values=values, pv=pv))
    layout, shapes = Layout(board, STYLES[board.style]), list(drawing.shapes)
    numbers = {shape.text: shape for shape in shapes if isinstance(shape, Text) and shape.bold}
    assert list(numbers) == [str(ply) for ply in range(1, len(pv) + 1)]
    written = [shape for shape in shapes if isinstance(shape, Text) and shape.text == "-0.013"]
    assert len(written) == len(values)
    pieces = [layout.centre(int(cell)) for cell in np.flatnonzero(board.pieces(state))]
    for number in numbers.values():
        assert min(np.hypot(number.x - x, number.y - y) for x, y in pieces) > 0.45
        assert all(abs(number.y - one.y) > 0.24 or abs(number.x - one.x) > 0.45 for one in written)


def test_a_value_stands_beyond_the_head_of_the_arrow_that_comes_to_it() -> None:
    game = make_game("chess")
    state, board = game.new_state(), game.board
    assert board is not None
    action, other = game.line_of(["a2a3"])[0], game.line_of(["b2b3"])[0]
    drawing = picture(game, state, overlay=Found(values={action: 0.5, other: -0.5}, pv=[action]))
    shapes, layout = list(drawing.shapes), Layout(board, STYLES["chess"])
    above, below = (layout.centre(board.cells(state, one)[-1])[1] for one in (action, other))
    placed = {shape.text: shape for shape in shapes if isinstance(shape, Text)}
    assert placed["+0.50"].y < above
    assert placed["-0.50"].y > below
    plate = shapes[shapes.index(placed["+0.50"]) - 1]  # over an arrow that goes on from there
    assert isinstance(plate, Rectangle)
    assert plate.y < placed["+0.50"].y < plate.y + plate.height


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.41, 0.0012], ["+0.41", "0.00"]),
        ([1.0, -1.0, 0.0], ["+1.00", "-1.00", "0.00"]),
        ([1.0, 0.034, -0.0123], ["+1.000", "+0.034", "-0.012"]),
        ([0.00213, -0.00034], ["+0.0021", "-0.0003"]),
        ([0.0000213, -0.000034], ["0.0000", "0.0000"]),
    ],
)
def test_values_have_as_many_digits_as_tell_them_apart(values: list[float], expected: list[str]) -> None:
    """Those of chess, where a pawn is worth 0.02, were 0.00 for nearly all moves of an opening."""
    game = make_game("tictactoe")
    drawing = picture(game, game.new_state(), overlay=Found(values=dict(enumerate(values))))
    assert [shape.text for shape in drawing.shapes if isinstance(shape, Text)][: len(values)] == expected


@pytest.mark.parametrize("name", ["tictactoe", "connect_four", "minichess", "checkers", "chess", "othello", "go_9x9"])
def test_the_legend_fits_a_line(name: str) -> None:
    """Its last word stood on a line of its own."""
    game = make_game(name)
    actions = game.actions(game.new_state())
    for found in (Found(values={actions[0]: 0.5}, pv=actions[:1]), Found(visits={actions[0]: 1}, pv=actions[:1])):
        *_, last = picture(game, game.new_state(), overlay=found).shapes
        assert isinstance(last, Text)
        assert last.text.endswith("; 1, 2, ...: expected line")


def test_a_king_that_castles_where_it_stands_shows_the_way_of_the_rook() -> None:
    game = make_game("chess(chess960=0)")
    for fen, move, squares in (
        ("4k3/8/8/8/8/8/8/R5KR w KQ - 0 1", "g1h1", [63, 61]),
        ("r1k5/8/8/8/8/8/8/4K3 b q - 0 1", "c8a8", [0, 3]),
        ("4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1", "f1h1", [61, 62]),
    ):
        state = game.state_from_fen(fen)
        action = game.move_of(state, move)
        assert list(game.board.cells(state, action)) == squares  # type: ignore[union-attr]
        drawing = picture(game, state, overlay=Found(visits={action: 1}, pv=[action]))
        assert "1" in texts(drawing)


def test_a_path_of_several_cells_is_one_arrow() -> None:
    game = make_game("checkers")
    board = game.board
    assert board is not None
    game = game.replace(board=Board(8, 8, board.pieces, lambda state, action: (17, 26, 35), "checkers"))
    drawing = picture(game, game.new_state(), overlay=Found(pv=game.actions(game.new_state())[:1]))
    assert len([shape for shape in drawing.shapes if isinstance(shape, Polygon)]) == 4  # two parts, each with its edge


def test_crowded_boards_have_numbers_on_the_best_cells_only() -> None:
    game = make_game("gomoku")
    values = {action: action / 1000 for action in range(225)}
    written = [
        s.text for s in picture(game, game.new_state(), overlay=Found(values=values)).shapes if isinstance(s, Text)
    ]
    numbers = [text for text in written if text.startswith(("+0", "0.", "-"))]
    assert len(numbers) == 40
    assert "+0.22" in numbers
    assert "0.00" not in numbers
    even = picture(game, game.new_state(), overlay=Found(values=dict.fromkeys(range(225), 0.0)))
    assert even.shapes == picture(game, game.new_state()).shapes


def test_real_searches_can_be_drawn(game: Game, rng: np.random.Generator) -> None:
    state = random_game(game, rng, plies=3)[-1]
    plain = len(picture(game, state).shapes)
    untouched = state.copy()
    for agent in (MCTS(game, simulations=50, seed=0), Minimax(game, depth=1)):
        assert len(picture(game, state, overlay=agent.analyse(state)).shapes) > plain
    assert state == untouched


@pytest.mark.parametrize("found", [Found(visits={3: 1}), Found(values={9: 1.0}), Found(pv=[3]), Found(pv=[0, 0])])
def test_an_overlay_of_another_position_is_refused(found: Found) -> None:
    game, state, _ = after("tictactoe", 3)
    with pytest.raises(ValueError, match=r"action \d is illegal in this position of tictactoe: the overlay must be of"):
        picture(game, state, overlay=found)


def test_good_and_bad_can_be_told_apart_by_the_colour_blind() -> None:
    # Machado, Oliveira & Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009),
    # table 1, severity 1.0, on linear RGB.
    protan = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    deutan = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    for matrix in (np.eye(3), np.array(protan), np.array(deutan)):
        good, bad = (lab(np.clip(matrix @ linear(c), 0, 1)) for c in (overlays._GOOD, overlays._BAD))
        assert np.linalg.norm(good - bad) > 30  # a difference of 2.3 is just noticeable
