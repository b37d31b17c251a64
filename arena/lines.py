"""Text at the terminal: names and paths, which are printed as they are, with brackets and unbroken; signed numbers.

Nothing that is printed gives the terminal orders, see `plyground.arena.wording`. Boards of one's own games may have
colours (`board_of`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.ansi import AnsiDecoder
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from .wording import ORDERS, without_orders

__all__ = ["TABLE", "board_of", "console", "print_plain", "print_prose", "signed", "title_of"]

# How tables look that have no lines between their cells.
TABLE: dict[str, Any] = {
    "title_justify": "left",
    "header_style": "bold underline",
    "box": None,
    "padding": (0, 1, 0, 0),
}


class _Console(Console):
    """A console whose text gives the terminal no orders; those of Rich itself are marked as such."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is printed without them; texts that stand in columns are to be `plain` before."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control or not ORDERS.search(text) else Segment(without_orders(text), style)


class _Title(Text):
    """A text that takes the width of the console, whatever it stands above."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[Segment]:
        return super().__rich_console__(console, options.update(width=options.size.width))


def board_of(text: str) -> Text:
    """Return a board as text; escape sequences in it are its colours."""
    colours = AnsiDecoder()
    return Text("\n").join(map(colours.decode_line, text.split("\n"))) if "\x1b" in text else Text(text)


def console(stderr: bool = False, highlight: bool = True) -> Console:
    """Return a console that shows text as it is: brackets are no markup, and ``:smile:`` is no picture.

    Tables are printed so, too. What is to have a style is `rich.text.Text`; so is a name beside a spinner, as in
    ``console().status(Text(name))``, for Rich reads markup there whatever the console says.

    Args:
        stderr: whether it is standard error, in place of standard output.
        highlight: whether numbers and paths have colours.
    """
    return _Console(stderr=stderr, highlight=highlight, markup=False, emoji=False)


def print_plain(out: Console, text: str | Text) -> None:
    """Print text as it is, on any console: without colours for numbers too, and no line is broken."""
    out.print(text, markup=False, emoji=False, highlight=False, soft_wrap=True)


def print_prose(out: Console, text: str) -> None:
    """Print sentences: at a terminal they are broken between words, and in a file not at all."""
    out.print(text, markup=False, emoji=False, highlight=False, soft_wrap=not out.is_terminal)


def signed(value: float, digits: int) -> str:
    """Return a number with its sign; of what is rounded to zero that is a plus."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def title_of(title: str) -> Text:
    """Return the title of a table, which is broken where the console ends, not where the table does."""
    return _Title(title, "table.title", justify="default")
