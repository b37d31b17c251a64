"""Pictures of positions: against labels and moves, as golden SVG files, and as pixels.

``python -m tests.render.test_pictures`` writes the golden files anew, to be looked at before they are kept.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plyground.envs import Board, Game, make_game
from plyground.envs.render import picture
from plyground.envs.render.drawing import Drawing
from plyground.envs.render.layout import Layout
from plyground.envs.render.shapes import Circle, Line, Polygon, Rectangle, Text
from plyground.envs.render.styles import STYLES, contrast, mix, star_points
from tests.conftest import DATA, random_game
from tests.helpers.shapes import BLACK, RED, WHITE, YELLOW, Found, after, discs, kings, linear, rgb, rings, texts


def test_connect_four_is_filled_from_below_red_first() -> None:
    game, state, last = after("connect_four", 3, 3, 2)
    drawing = picture(game, state, last=last)
    labels = texts(drawing)
    floor = max(y for _, y in discs(drawing, RED))
    assert discs(drawing, RED) == [(pytest.approx(labels["2"][0]), floor), (pytest.approx(labels["3"][0]), floor)]
    assert discs(drawing, YELLOW) == [(pytest.approx(labels["3"][0]), pytest.approx(floor - 1))]
    assert floor < labels["3"][1]  # the labels are below the lowest row, with nothing but the plate in between
    assert labels["3"][1] - floor < 1
    assert rings(drawing, "#ffffff") == [(pytest.approx(labels["2"][0]), pytest.approx(floor))]
    assert [labels[str(column)][0] for column in range(7)] == sorted(labels[str(column)][0] for column in range(7))


@pytest.mark.parametrize(
    "spec", [pytest.param("go", marks=pytest.mark.slow), "go(board_size=9)", "gomoku", "othello", "mnk(m=4, n=6, k=3)"]
)
def test_a_move_lands_where_its_name_says(spec: str) -> None:
    game = make_game(spec)
    for action in game.actions(game.new_state()):
        name = game.action_to_str(action)
        if name == "pass":
            continue
        before, state = game.new_state(), game.play_moves([action])
        drawing = picture(game, state, last=(before, action))
        labels = texts(drawing)
        x, y = labels[name[0]][0], labels[name[1:]][1]
        if game.board.style == "marks":  # type: ignore[union-attr]
            accent = STYLES["marks"].accent
            marked = [s for s in drawing.shapes if isinstance(s, Rectangle) and s.stroke == accent]
            assert [(s.x + s.width / 2, s.y + s.height / 2) for s in marked] == [(pytest.approx(x), pytest.approx(y))]
            crosses = [s for s in drawing.shapes if isinstance(s, Line) and s.stroke == STYLES["marks"].pieces[0].fill]
            middles = [((s.start[0] + s.end[0]) / 2, (s.start[1] + s.end[1]) / 2) for s in crosses]
            assert middles == [(pytest.approx(x), pytest.approx(y))] * 2
        else:
            assert (pytest.approx(x), pytest.approx(y)) in discs(drawing, BLACK)
            assert rings(drawing, "#f4f5f6") == [(pytest.approx(x), pytest.approx(y))]


def test_labels_run_as_on_real_boards() -> None:
    go = texts(picture(make_game("go"), make_game("go").new_state()))
    assert "I" not in go
    assert go["1"][1] > go["19"][1]  # from the bottom up
    assert go["A"][0] < go["T"][0]
    othello = texts(picture(make_game("othello"), make_game("othello").new_state()))
    assert othello["1"][1] < othello["8"][1]  # from the top down


def test_othello_begins_with_the_diagonals() -> None:
    game = make_game("othello")
    drawing = picture(game, game.new_state())
    labels = texts(drawing)
    at = {name: (pytest.approx(labels[name[0]][0]), pytest.approx(labels[name[1]][1])) for name in ("d4", "e4", "d5")}
    at["e5"] = (pytest.approx(labels["e"][0]), pytest.approx(labels["5"][1]))
    assert discs(drawing, BLACK) == [at["d5"], at["e4"]]
    assert discs(drawing, WHITE) == [at["d4"], at["e5"]]


def test_tictactoe_has_crosses_first() -> None:
    game, state, last = after("tictactoe", 0, 3)  # PettingZoo numbers down the columns: 3 is right of 0
    drawing = picture(game, state, last=last)
    cross, ring = STYLES["marks"].pieces
    (noughts,) = rings(drawing, ring.fill)
    lines = [shape for shape in drawing.shapes if isinstance(shape, Line) and shape.stroke == cross.fill]
    assert len(lines) == 2
    for line in lines:
        assert (line.start[0] + line.end[0]) / 2 == pytest.approx(noughts[0] - 1)
        assert (line.start[1] + line.end[1]) / 2 == pytest.approx(noughts[1])


def test_checkers_numbers_and_sides() -> None:
    game = make_game("checkers")
    before = game.new_state()
    action = game.str_to_action("11-15")
    drawing = picture(game, game.play_moves([action]), last=(before, action))
    numbers = texts(drawing)
    assert list(numbers) == [str(number) for number in range(1, 33)]
    corner = numbers["1"][0] - 1.17, numbers["1"][1] - 0.15  # of the board, about: square 1 is the second of its row
    black = sorted(
        (y, x) for x, y in ((round(x - corner[0] - 0.5), round(y - corner[1] - 0.5)) for x, y in discs(drawing, BLACK))
    )
    on_board = [(row, column) for row in range(8) for column in range(8) if (row + column) % 2]  # in order of number
    assert black == sorted({*on_board[:10], on_board[11], on_board[14]})
    assert len(discs(drawing, WHITE)) == 12
    assert min(y for _, y in discs(drawing, WHITE)) > max(y for _, y in discs(drawing, BLACK))
    accent = STYLES["checkers"].accent
    borders = [shape for shape in drawing.shapes if isinstance(shape, Rectangle) and shape.stroke == accent]
    assert len(borders) == 2  # origin and target
    for border, number in zip(borders, ("11", "15"), strict=True):
        x, y = numbers[number]
        assert border.x < x < border.x + border.width / 2
        assert border.y < y < border.y + border.height / 2


def test_kings_have_crowns_of_their_own_colours() -> None:
    game = kings()
    drawing = picture(game, game.new_state())
    crowns = {shape.fill: shape.points for shape in drawing.shapes if isinstance(shape, Polygon)}
    black, white = STYLES["checkers"].pieces
    assert set(crowns) == {black.mark, white.mark}
    for fill, mark in ((BLACK, black.mark), (WHITE, white.mark)):
        ((x, y),) = discs(drawing, fill)
        across, down = np.array(crowns[mark]).T - [[x], [y]]
        assert max(abs(across).max(), abs(down).max()) < 0.25  # inside the disc
        assert min(np.ptp(across), np.ptp(down)) > 0.25  # and large enough to be seen


def test_the_last_move_is_marked_where_a_piece_landed(game: Game, rng: np.random.Generator) -> None:
    assert game.board is not None
    layout = Layout(game.board, STYLES[game.board.style])
    states = random_game(game, rng, plies=40)
    for before, state in itertools.pairwise(states):
        (action,) = [a for a in game.actions(before) if game.play_moves([a], before) == state][:1]
        drawing = picture(game, state, last=(before, action))
        if game.name in ("chess", "minichess"):  # whose pieces land on others, and two of them when castling
            assert _marks(game, drawing) == {layout.centre(cell) for cell in game.board.cells(before, action)}
            continue
        was, stands = (game.board.pieces(s).ravel() != 0 for s in (before, state))
        marked = _marks(game, drawing)
        landed = {layout.centre(int(cell)) for cell in np.flatnonzero(~was & stands)}
        assert landed <= marked
        assert marked - landed <= {layout.centre(int(cell)) for cell in np.flatnonzero(was & ~stands)}
        assert len(marked) <= 2


def _marks(game: Game, drawing: Drawing) -> set[tuple[float, float]]:
    style = STYLES[game.board.style]  # type: ignore[union-attr]
    if style.last_move == "border":
        boxes = [s for s in drawing.shapes if isinstance(s, Rectangle) and s.stroke == style.accent]
        return {(s.x + s.width / 2, s.y + s.height / 2) for s in boxes}
    return {at for colour in {style.accent, *(p.mark for p in style.pieces)} for at in rings(drawing, colour)}


def test_what_left_the_board_has_a_small_ring() -> None:
    game, state, last = after("go(board_size=5)", "A1", "B2")  # A1 as if it were a move from there to B2
    board = game.board
    assert board is not None
    moving = Board(
        5, 5, lambda s: board.pieces(s) * (np.arange(25).reshape(5, 5) != 20), lambda s, a: (20, 16), "lines"
    )
    drawing = picture(game.replace(board=moving), state, last=last)
    (ring,) = [s for s in drawing.shapes if isinstance(s, Circle) and s.stroke == STYLES["lines"].accent]
    assert (ring.x, ring.y) == Layout(moving, STYLES["lines"]).centre(20)
    assert rings(drawing, "#22262b") == [Layout(moving, STYLES["lines"]).centre(16)]


def test_star_points() -> None:
    def stars(size: int, rows: int | None = None) -> list[tuple[float, float]]:
        return star_points(STYLES["lines"], rows or size, size)

    assert stars(19) == [(r, c) for r in (3, 9, 15) for c in (3, 9, 15)]
    assert stars(15) == [(3, 3), (3, 11), (7, 7), (11, 3), (11, 11)]
    assert stars(13) == [(3, 3), (3, 9), (6, 6), (9, 3), (9, 9)]
    assert stars(9) == [(2, 2), (2, 6), (4, 4), (6, 2), (6, 6)]
    assert stars(5) == [(2, 2)]
    assert stars(8) == stars(3) == stars(9, rows=7) == star_points(STYLES["marks"], 9, 9) == []
    assert star_points(STYLES["othello"], 8, 8) == [(1.5, 1.5), (1.5, 5.5), (5.5, 1.5), (5.5, 5.5)]
    assert star_points(STYLES["othello"], 4, 4) == []
    game = make_game("go(board_size=9)")
    drawing = picture(game, game.new_state())
    labels = texts(drawing)
    points = sorted((labels[name[0]][0], labels[name[1]][1]) for name in ("C3", "C7", "E5", "G3", "G7"))
    assert discs(drawing, STYLES["lines"].line) == [(pytest.approx(x), pytest.approx(y)) for x, y in points]


def test_marks_and_labels_stand_out() -> None:
    def ratio(colour: str, ground: str) -> float:  # of the WCAG
        dark, light = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) + 0.05 for c in (colour, ground))
        return light / dark

    for style in STYLES.values():
        assert ratio(style.ink, style.page) >= 4.5  # what the WCAG asks for text
        for piece in style.pieces:
            if piece.shape == "disc":
                assert ratio(piece.mark, piece.fill) >= 3  # and for pictures


def test_text_is_readable_on_any_ground() -> None:
    assert contrast("#ffffff") == contrast("#f9c80e") == contrast("#ffff00") == "#16191d"
    assert contrast("#000000") == contrast("#0000ff") == contrast("#d7263d") == "#ffffff"
    assert mix("#000000", "#ff8000", 0.5) == "#804000"


def golden() -> dict[str, Drawing]:
    """Return the pictures that are kept as golden files."""
    four = after("connect_four", 3, 3, 2, 4)
    noughts = after("tictactoe", 4, 0, 8)
    othello = after("othello", "d3", "c3")
    go = after("go(board_size=9)", "E5", "C3", "G7")
    gomoku = after("gomoku(size=9)", "e5", "d5")
    checkers = make_game("checkers")
    point, passing = (go[0].str_to_action(name) for name in ("D4", "pass"))
    steps = [checkers.str_to_action(name) for name in ("11-15", "23-19")]
    return {
        "connect_four": picture(four[0], four[1], last=four[2], overlay=Found({0: -0.25, 5: 0.5}, {}, [5, 5])),
        "tictactoe": picture(noughts[0], noughts[1], last=noughts[2], caption="player_2 to move"),
        "othello": picture(othello[0], othello[1], last=othello[2]),
        "go": picture(go[0], go[1], last=go[2], overlay=Found(visits={point: 3, passing: 1}, pv=[point, passing])),
        "gomoku": picture(gomoku[0], gomoku[1], last=gomoku[2]),
        "checkers": picture(checkers, checkers.new_state(), overlay=Found(visits={steps[0]: 1}, pv=steps)),
        "kings": picture(kings(), kings().new_state(), caption="black to move"),
        **{name: _of_chess(line) for name, line in CHESS.items()},
    }


def _of_chess(line: str) -> Drawing:
    game, state, last = after("chess", *line.split())
    return picture(game, state, last=last)


# What moves other men than one to another cell, or marks one that did not move.
CHESS = {
    "castling": "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1",
    "en_passant": "e2e4 a7a6 e4e5 d7d5 e5d6",
    "promotion": "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6 b7a8q",
    "check": "e2e4 f7f5 d1h5",
}


@pytest.mark.parametrize("name", ["connect_four", "tictactoe", "othello", "go", "gomoku", "checkers", "kings", *CHESS])
def test_golden(name: str) -> None:
    assert golden()[name].to_svg() == (DATA / "pictures" / f"{name}.svg").read_text(encoding="utf-8")


def test_every_shape_is_on_the_page(game: Game, rng: np.random.Generator) -> None:
    state = random_game(game, rng, plies=20)[-1]
    drawing = picture(game, state, caption="a long caption, " * 12)
    texts_ = [shape for shape in drawing.shapes if isinstance(shape, Text)]
    assert len([shape for shape in texts_ if "caption" in shape.text]) > 1  # it is wrapped
    for shape in texts_:
        half = 0.28 * shape.size * len(shape.text)
        assert half <= shape.x <= drawing.width - half, shape
        assert shape.size / 2 <= shape.y <= drawing.height - shape.size / 2, shape


@pytest.mark.parametrize("size", [64, 200, 800])
def test_pixels_have_the_size_asked_for(game: Game, size: int) -> None:
    image = picture(game, game.new_state()).to_array(size)
    assert image.dtype == np.uint8
    assert image.shape[2] == 3
    assert max(image.shape) == size
    assert min(image.shape[:2]) > 0.5 * size
    assert not any(side % 2 for side in image.shape[:2])  # browsers played no video of chess, 767 pixels wide
    assert image.flags.writeable


def test_pixels_show_the_shapes(game: Game, rng: np.random.Generator) -> None:
    state = random_game(game, rng, plies=12)[-1]
    drawing = picture(game, state)
    image = drawing.to_array(600).astype(int)
    scale = 600 / max(drawing.width, drawing.height)
    looks = [piece.fill for piece in STYLES[game.board.style].pieces]  # type: ignore[union-attr]
    tried = 0
    for shape in drawing.shapes:
        if isinstance(shape, Circle) and shape.fill in looks and shape.radius > 0.1:
            point, colour = (shape.x - 0.82 * shape.radius, shape.y), shape.fill
        elif isinstance(shape, Line) and shape.stroke in looks:
            point, colour = ((shape.start[0] + shape.end[0]) / 2, (shape.start[1] + shape.end[1]) / 2), shape.stroke
        else:
            continue
        assert np.abs(image[int(point[1] * scale), int(point[0] * scale)] - rgb(colour)).max() < 12, shape
        tried += 1
    assert tried > 0
    assert image[0, 0].tolist() == image[-1, -1].tolist() == list(rgb(drawing.background))


@pytest.mark.parametrize("spec", ["connect_four", "checkers", "othello", "tictactoe"])
@pytest.mark.parametrize("size", [200, 555, 800])
def test_the_page_does_not_shine_through_the_board(spec: str, size: int) -> None:
    game = make_game(spec)
    drawing = picture(game, game.new_state())
    images = [replace(drawing, background=page).to_array(size) for page in ("#ffffff", "#000000")]
    scale = size / max(drawing.width, drawing.height)
    layout = Layout(game.board, STYLES[game.board.style])  # type: ignore[arg-type,union-attr]
    (left, top), (right, bottom) = (layout.centre(cell) for cell in (0, game.board.rows * game.board.columns - 1))  # type: ignore[union-attr]
    margin = 0.5 + layout.frame / 2
    rows = slice(int((top - margin) * scale) + 1, int((bottom + margin) * scale))
    columns = slice(int((left - margin) * scale) + 1, int((right + margin) * scale))
    first, second = (image[rows, columns][3:-3, 3:-3] for image in images)  # without the round corners
    assert (first == second).all()


def test_pixels_are_smooth_and_always_the_same() -> None:
    game, state, last = after("connect_four", 3, 3, 2)
    first, second = (picture(game, state, last=last, caption="x").to_array(200) for _ in range(2))
    assert (first == second).all()
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 100  # colours between those of the shapes
    moved = picture(game, game.play_moves([3, 3, 4])).to_array(200)
    assert first.shape != moved.shape or (first != moved).any()


def test_a_game_without_a_board_has_text_only() -> None:
    game = make_game("tictactoe").replace(board=None)
    assert game.text(game.new_state()).startswith("0 3 6")
    with pytest.raises(ValueError, match=r"tictactoe can be shown as text only: for pictures, pass board=Board\(…\)"):
        picture(game, game.new_state())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"style": "lanes"}, "unknown style 'lanes' of the board of tictactoe: did you mean 'lines'"),
        ({"rows": 4}, r"must be an array of shape \(4, 3\) with numbers 0 to 4, got shape \(3, 3\)"),
        ({"pieces": lambda state: np.full((3, 3), 5)}, "numbers 0 to 4, got shape"),
        ({"pieces": lambda state: np.full((3, 3), -1)}, "numbers 0 to 4, got shape"),
        ({"row_labels": ("1", "2")}, r"row_labels of the board of tictactoe must be 3 or none, got \('1', '2'\)"),
        ({"column_labels": ("a",)}, "column_labels of the board of tictactoe must be 3 or none"),
    ],
)
def test_boards_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    tictactoe = make_game("tictactoe")
    board = tictactoe.board
    assert board is not None
    fields = {"rows": 3, "columns": 3, "pieces": board.pieces, "cells": board.cells, "style": "marks", **changes}
    with pytest.raises(ValueError, match=message):
        picture(tictactoe.replace(board=Board(**fields)), tictactoe.new_state())


def test_programs_that_draw_nothing_load_no_drawing_library() -> None:
    code = (
        "import sys, plyground.envs, plyground.envs.render.pictures\n"
        "print(sorted({'PIL', 'pygame'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


if __name__ == "__main__":
    (DATA / "pictures").mkdir(exist_ok=True)
    for name, drawing in golden().items():
        (DATA / "pictures" / f"{name}.svg").write_text(drawing.to_svg(), encoding="utf-8", newline="\n")
