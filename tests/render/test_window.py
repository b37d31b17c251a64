"""The window of ``render_mode="human"``, on SDL's driver without a screen."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from plyground.envs import BoardGameEnv, make_game
from plyground.envs.render import picture
from plyground.envs.render.window import Window

pygame = pytest.importorskip("pygame")


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    Window._owner = None
    pygame.display.quit()


def image(height: int = 60, width: int = 80) -> np.ndarray:
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[:10, :, 0] = 255  # red at the top
    pixels[:, :20, 2] = 200  # blue at the left
    return pixels


def on_screen() -> np.ndarray:
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def test_it_opens_with_the_first_picture() -> None:
    window = Window("tictactoe")
    assert not pygame.display.get_init()
    assert window.update()
    assert window.show(image())
    assert pygame.display.get_caption()[0] == "tictactoe"
    assert (on_screen() == image()).all()
    window.close()
    assert not pygame.display.get_init()


def test_it_shows_a_board_and_takes_its_size() -> None:
    game = make_game("connect_four")
    window = Window("connect_four")
    for size, moves in ((200, [3]), (200, [3, 3]), (120, [3, 3])):
        pixels = picture(game, game.play_moves(moves)).to_array(size)
        assert window.show(pixels)
        assert (on_screen() == pixels).all()
    window.close()


def test_a_person_closes_it() -> None:
    window = Window("a")
    assert window.show(image())
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert not window.show(image())
    assert window.closed
    assert not pygame.display.get_init()
    assert not window.show(image())  # it does not open again
    assert not window.update()
    assert not pygame.display.get_init()
    window.close()
    again = Window("a")
    assert again.show(image())


def test_closing_is_noticed_while_a_program_thinks() -> None:
    window = Window("a")
    assert window.show(image())
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_a, unicode="a", mod=0, scancode=0))
    assert window.update()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert not window.update()
    assert window.closed


def test_another_program_part_shut_pygame_down() -> None:
    window = Window("a")
    assert window.show(image())
    pygame.quit()  # as PettingZoo's environments do when they close
    assert not window.show(image())
    assert window.closed


def test_two_windows_share_the_screen() -> None:
    first, second = Window("first"), Window("second")
    assert first.show(image())
    assert second.show(image(40, 50))
    assert on_screen().shape == (40, 50, 3)
    assert pygame.display.get_caption()[0] == "second"
    first.close()  # not its screen any more
    assert pygame.display.get_init()
    assert second.show(image(40, 50))
    third = Window("third")
    assert third.show(image())
    assert second.show(image())
    assert pygame.display.get_caption()[0] == "second"
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert third.update()  # the person has closed the other one
    assert not second.update()


def test_pictures_a_second() -> None:
    window = Window("a", fps=20)
    start = time.perf_counter()
    for _ in range(5):
        window.show(image())
    assert time.perf_counter() - start >= 0.18  # four waits of 1/20 s, measured by pygame in milliseconds


def test_the_first_picture_is_seen_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Window._screen

    def slow(self: Window, *arguments: Any) -> Any:
        time.sleep(0.1)
        return opened(self, *arguments)

    window, start = Window("a", fps=20), time.perf_counter()
    with monkeypatch.context() as patch:
        patch.setattr(Window, "_screen", slow)
        window.show(image())
    window.show(image())
    assert time.perf_counter() - start >= 0.14  # to open it, and then 1/20 s, measured by pygame in milliseconds


def test_no_needless_waiting() -> None:
    slow, fast = Window("a", fps=0.05), Window("b")
    start = time.perf_counter()
    slow.show(image())  # the first picture is shown at once
    slow.close()
    for _ in range(3):
        slow.show(image())  # a closed window costs no time
        fast.show(image())  # nor does one without a limit
    assert time.perf_counter() - start < 10  # half of a wait


@pytest.mark.parametrize("bad", [np.zeros((5, 5), np.uint8), np.zeros((5, 5, 4), np.uint8), np.zeros((5, 5, 3))])
def test_images_that_are_none(bad: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"an image must be uint8 \[height, width, 3\], got"):
        Window("a").show(bad)


def test_negative_fps() -> None:
    with pytest.raises(ValueError, match=r"fps must be 0 \(no limit\) or more, got -1"):
        Window("a", fps=-1)


def test_no_screen_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "nowhere")
    with pytest.raises(RuntimeError, match=r"cannot open a window .*use render_mode='rgb_array', 'svg' or 'ansi'"):
        Window("a").show(image())


def test_no_screen_but_a_driver_that_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """SDL falls back on such a driver by itself: nothing was shown, and nothing was said."""
    monkeypatch.delenv("SDL_VIDEODRIVER")
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    monkeypatch.setattr(pygame.display, "init", lambda: None)
    with pytest.raises(RuntimeError, match=r"no screen, and fell back on its driver 'offscreen'\): without a screen"):
        Window("a").show(image())


def test_an_environment_without_a_screen_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The game had begun, or the move was played, and whoever tried again moved for the other player."""
    env = BoardGameEnv("tictactoe", render_mode="human")
    env.reset()
    env.step(4)
    env.close()
    monkeypatch.setenv("SDL_VIDEODRIVER", "nowhere")
    with pytest.raises(RuntimeError, match="cannot open a window"):
        env.step(0)
    with pytest.raises(RuntimeError, match="cannot open a window"):
        env.reset()
    assert env.moves == [4]
    assert env.agent_selection == "player_2"


def test_pygame_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"needs pygame .*pip install '.\[render\]'"):
        Window("a").show(image())


def test_pygame_is_imported_late_and_says_nothing() -> None:
    code = (
        "import sys, numpy, plyground.envs.render.window as w; window = w.Window('a'); window.update();"
        "assert 'pygame' not in sys.modules; window.show(numpy.zeros((20, 20, 3), numpy.uint8)); window.close()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
