"""What ``render()`` of an environment returns or shows, in each of its modes."""

from __future__ import annotations

from typing import Any

from ..definition.terms import State
from ..game import Game
from ..outside.arguments import checked_whole
from .drawing import PIXELS
from .pictures import picture
from .window import Window, check_screen

__all__ = ["RENDER_FPS", "RENDER_MODES", "Renderer", "render_modes"]

RENDER_MODES = ("ansi", "svg", "rgb_array", "human")
RENDER_FPS = 2  # pictures a second in a window: a game that people can follow


def render_modes(game: Game) -> list[str]:
    """Return the modes in which a game can be shown; pictures need a `Board`."""
    return [mode for mode in RENDER_MODES if game.board is not None or mode in ("ansi", "human")]


class Renderer:
    """Shows positions in one mode.

    Args:
        game: the game to show.
        mode: ``"ansi"``: the board as text; ``"svg"``: a picture as an SVG document; ``"rgb_array"``: a picture as
            uint8 [height, width, 3]; ``"human"``: a window, by pygame, or for games without a `Board` printed text.
        size: pixels on the longer side of a picture.

    Raises:
        ValueError: an argument is not one of the values above.
    """

    def __init__(self, game: Game, mode: str, size: int) -> None:
        if mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be None, {', '.join(map(repr, RENDER_MODES))}, got {mode!r}")
        if mode not in render_modes(game):
            raise ValueError(f"render_mode {mode!r} draws pictures, for which {game.spec} needs a board=Board(…)")
        self._game, self._mode, self._size = game, mode, checked_whole("screen_size", size, *PIXELS)
        self._window: Window | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_window": None}  # a copy opens its own

    def render(self, state: State, last: tuple[State, int] | None, status: str) -> Any:
        """Show a position, the last move in it (the state before and the action), and a line of text.

        Returns:
            A string, an array, or None for a window.
        """
        text = f"{self._game.text(state)}\n{status}"
        if self._mode == "ansi":
            return text
        if self._game.board is None:
            print(text)
            return None
        drawing = picture(self._game, state, last=last, caption=status)
        if self._mode == "svg":
            return drawing.to_svg(self._size)
        pixels = drawing.to_array(self._size)
        if self._mode == "rgb_array":
            return pixels
        if self._window is None:
            self._window = Window(self._game.spec, RENDER_FPS)
        self._window.show(pixels)
        return None

    def check_screen(self) -> None:
        """Check that a window can be opened, if one is to be; what has been shown once is not checked again.

        Raises:
            ImportError, RuntimeError: there is no pygame, or no screen.
        """
        if self._mode == "human" and self._game.board is not None and self._window is None:
            check_screen()

    def close(self) -> None:
        """Close the window, if there is one; the next picture opens another."""
        if self._window is not None:
            self._window.close()
            self._window = None
