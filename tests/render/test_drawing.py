"""The display list as an SVG document, as pixels, and in files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from plyground.envs import make_game
from plyground.envs.render import picture
from plyground.envs.render.drawing import Drawing
from plyground.envs.render.shapes import Circle, Line, Polygon, Rectangle, Text
from tests.helpers.shapes import after, rgb


def test_svg_is_well_formed_and_tells_what_it_shows() -> None:
    game, state, last = after("connect_four", 3, 3, 2)
    caption = "a < b & \"c\" > 'd' é"
    drawing = picture(game, state, last=last, caption=caption)
    root = ElementTree.fromstring(drawing.to_svg(size=300))
    space = {"svg": "http://www.w3.org/2000/svg"}
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["role"] == "img"
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    assert max(width, height) == 300
    left, top, box_width, box_height = map(float, root.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    assert width / height == pytest.approx(box_width / box_height, rel=0.01)
    title, desc = root.find("svg:title", space), root.find("svg:desc", space)
    assert title is not None
    assert title.text == "connect_four"
    assert desc is not None
    assert desc.text == f"{game.text(state)}\nLast move: 2\n{caption}"
    assert caption in [element.text for element in root.iterfind("svg:text", space)]
    for element in root.iterfind("svg:circle", space):
        x, y, radius = (float(element.attrib[name]) for name in ("cx", "cy", "r"))
        assert radius <= x <= box_width - radius
        assert radius <= y <= box_height - radius
    assert drawing._repr_svg_() == drawing.to_svg()


def test_a_drawing_is_one_line_at_the_prompt() -> None:
    game, state, _ = after("chess", "e2e4")
    drawing = picture(game, state)
    width, height = drawing.width, drawing.height
    assert repr(drawing) == f"<Drawing 'chess': {width:g} by {height:g}, {len(drawing.shapes)} shapes>"


def test_svg_is_well_formed_whatever_the_text() -> None:
    game, state, _ = after("connect_four", 3)
    caption = "a\x00\x01\x0b\x1b[0m\x7f\ud800\ufffe😀 b"
    root = ElementTree.fromstring(picture(game, state, caption=caption).to_svg().encode())
    shown = "a\ufffd\ufffd \ufffd[0m\x7f\ufffd\ufffd😀 b"
    assert shown in [element.text for element in root.iterfind("{http://www.w3.org/2000/svg}text")]


def test_text_is_painted_in_the_middle_of_its_place() -> None:
    drawing = Drawing(4, 2, [Text(1, 1, "8", 1.0, "#000000"), Text(3, 1, "8", 1.0, "#ff0000", bold=True)])
    image = drawing.to_array(400)
    dark = image.max(axis=2) < 128
    rows, columns = np.nonzero(dark)
    assert abs((rows.min() + rows.max()) / 2 - 100) < 5
    assert abs((columns.min() + columns.max()) / 2 - 100) < 5
    assert 55 < np.ptp(rows) < 85
    red = (image[:, :, 0] > 128) & (image[:, :, 1] < 128)
    assert np.count_nonzero(red) > 1.1 * np.count_nonzero(dark)  # bold


def test_signs_that_the_font_lacks_are_drawn() -> None:
    def ink(text: str) -> np.ndarray:
        return Drawing(2, 1, [Text(1, 0.5, text, 0.8, "#000000")]).to_array(200).max(axis=2) < 128

    less, at_most, infinity, missing = (ink(text) for text in ("<", "≤", "∞", "\uffff"))
    rows = np.flatnonzero((at_most & ~less).any(axis=1))
    assert rows.min() > np.flatnonzero(less.any(axis=1)).max() - 3  # a line below the sign
    assert (ink("≥")[rows.max() - 2] & at_most[rows.max() - 2]).any()
    assert np.abs(infinity.astype(int) - infinity[:, ::-1]).mean() < 0.02  # two rings, alike
    assert infinity[54, 72]
    assert not infinity[54, 85]  # the hole of the left one
    assert (infinity != missing).any()
    for text, written in (("µ", "u"), ("é", "e"), ("n\u0303", "n"), ("2×3", "2x3"), ("0–1", "0-1")):  # they were boxes
        assert (ink(text) == ink(written)).all()


def test_translucent_and_stroked_shapes() -> None:
    shapes = [
        Rectangle(0.5, 0.5, 1, 1, "#0000ff", "#00ff00", 0.2),
        Circle(3, 1, 0.5, "#ff0000", "#000000", 0.2),
        Circle(3, 1, 0.2, "#ffffff", opacity=0.5),
        Polygon(((0, 1.7), (4, 1.7), (4, 2), (0, 2)), "#123456"),
        Line((0.5, 0.2), (3.5, 0.2), "#ff00ff", 0.2),
    ]
    image = Drawing(4, 2, shapes, background="#eeeeee").to_array(400)
    pixels = {(100, 100): "#0000ff", (42, 100): "#00ff00", (58, 100): "#00ff00", (38, 100): "#eeeeee"}
    pixels |= {(300, 55): "#000000", (300, 64): "#ff0000", (300, 100): "#ff8080", (200, 190): "#123456"}
    pixels |= {(200, 20): "#ff00ff", (200, 8): "#eeeeee", (44, 20): "#ff00ff"}
    for (x, y), colour in pixels.items():
        assert np.abs(image[y, x].astype(int) - rgb(colour)).max() <= 1, (x, y)


def test_shapes_smaller_than_a_pixel_do_not_stop_a_picture() -> None:
    shapes = [Rectangle(50, 50, 0.3, 0.02, "#ff0000"), Rectangle(20, 20, 0.01, 0.3, "#ff0000", radius=0.1)]
    for size in (16, 100, 800):  # as in the picture of a tree with hundreds of leaves
        assert Drawing(400, 100, [*shapes, Rectangle(0, 0, 400, 50, "#00ff00")]).to_array(size)[0, 0, 0] == 0


def test_files(tmp_path: Path) -> None:
    game, state, _ = after("connect_four", 3)
    drawing = picture(game, state)
    for name in ("board.png", "board.PNG"):
        drawing.save(tmp_path / name, size=120)
        with Image.open(tmp_path / name) as image:
            assert (np.array(image) == drawing.to_array(120)).all()
    drawing.save(str(tmp_path / "board.svg"), size=120)
    assert (tmp_path / "board.svg").read_text(encoding="utf-8") == drawing.to_svg(120)
    for name in ("board.jpg", "board"):
        with pytest.raises(ValueError, match=rf"{name}': give the file the suffix \.svg or \.png"):
            drawing.save(tmp_path / name)
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize("size", [0, 15, 8193])
def test_sizes_out_of_range(size: int) -> None:
    drawing = picture(make_game("tictactoe"), make_game("tictactoe").new_state())
    for render in (drawing.to_svg, drawing.to_array):
        with pytest.raises(ValueError, match=f"size, .* from 16 to 8192, got {size}"):
            render(size)
