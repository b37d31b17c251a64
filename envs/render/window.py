"""The window in which ``render_mode="human"`` shows a board, by pygame.

Pygame has one window a process. It belongs to the `Window` that showed a picture last; another one takes it over.

A window that a person closes stays closed: `Window.closed` is then true and `Window.show` does nothing, so that a
program can play on without it. A new `Window` opens again.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..outside.extras import how_to_install

__all__ = ["Window", "check_screen"]

_UNSEEN = ("dummy", "offscreen")  # drivers of SDL with which nobody sees a window


def check_screen() -> None:
    """Start pygame's display, as a window needs it, or say why there is none.

    Raises:
        ImportError: pygame is not installed.
        RuntimeError: there is no screen: SDL has no driver, or only one without a screen that nobody has asked for.
    """
    pygame = _pygame()
    try:
        pygame.display.init()
    except pygame.error as error:
        raise _no_window(error) from None
    driver = pygame.display.get_driver()
    if driver in _UNSEEN and not os.environ.get("SDL_VIDEODRIVER"):
        pygame.display.quit()
        raise _no_window(f"SDL found no screen, and fell back on its driver {driver!r}")


class Window:
    """A window for pictures, which opens with the first one.

    Args:
        title: title of the window.
        fps: most pictures a second: `show` waits until the picture before has been seen that long. 0: it never waits.

    Attributes:
        closed: whether the window is closed for good, by a person or by `close`.
    """

    _owner: Window | None = None  # the `Window` that has pygame's only window

    def __init__(self, title: str, fps: float = 0) -> None:
        if fps < 0:
            raise ValueError(f"fps must be 0 (no limit) or more, got {fps!r}")
        self.title, self.fps = title, fps
        self.closed = False
        self._clock: Any = None

    def show(self, image: NDArray[np.uint8]) -> bool:
        """Show a picture, and see whether the window was closed meanwhile.

        Args:
            image: RGB pixels, uint8 [height, width, 3]; the window takes its size.

        Returns:
            Whether the window is open.

        Raises:
            ValueError: the image has another shape or type.
            ImportError: pygame is not installed.
            RuntimeError: there is no screen.
        """
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise ValueError(f"an image must be uint8 [height, width, 3], got {image.dtype} {image.shape}")
        if self.closed or not self.update():
            return False
        pygame = _pygame()
        if self.fps and self._clock is not None:
            self._clock.tick(self.fps)  # the picture before is seen for as long
        screen = self._screen(pygame, (image.shape[1], image.shape[0]))
        pygame.surfarray.blit_array(screen, image.swapaxes(0, 1))
        pygame.display.flip()
        self._clock = self._clock or pygame.time.Clock()  # it runs from when the first picture is seen
        return self.update()

    def update(self) -> bool:
        """Let the window answer to the person, as a program with long pauses between its pictures should now and then.

        Returns:
            Whether the window is still open, or yet to be opened.
        """
        if Window._owner is self:
            pygame = _pygame()
            if not pygame.display.get_init() or any(event.type == pygame.QUIT for event in pygame.event.get()):
                self.close()
        return not self.closed

    def close(self) -> None:
        """Close the window. A second call does nothing."""
        self.closed = True
        if Window._owner is self:
            Window._owner = None
            _pygame().display.quit()

    def _screen(self, pygame: Any, size: tuple[int, int]) -> Any:
        """Return the surface of the window; open it, or take it over from another one, as needed."""
        screen = pygame.display.get_surface() if pygame.display.get_init() else None
        if screen is not None and Window._owner is self and screen.get_size() == size:
            return screen
        check_screen()
        try:
            screen = pygame.display.set_mode(size)
        except pygame.error as error:
            raise _no_window(error) from None
        pygame.display.set_caption(self.title)
        Window._owner = self
        return screen


def _no_window(why: Any) -> RuntimeError:
    return RuntimeError(f"cannot open a window ({why}): without a screen, use render_mode='rgb_array', 'svg' or 'ansi'")


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # else it prints a greeting
    try:
        import pygame
    except ImportError as error:
        raise ImportError(f"render_mode='human' needs pygame ({error}): {how_to_install('render')}") from None
    return pygame
