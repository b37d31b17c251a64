"""Text at the terminal: names and paths, which are printed as they are, with brackets and unbroken; signed numbers.

Names and reasons come from files of strangers. What would give the terminal orders is left out of them: it might change
its title, take lines away, or turn the writing round. Colours may stay, for boards of one's own games may have some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

__all__ = ["console", "print_plain", "signed", "without_orders"]

# Escape, but for colours; the other control characters, but for tabs and ends of lines; changes of direction.
_ORDERS = re.compile(r"\x1b(?!\[[0-9;:]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class _Console(Console):
    """A console whose text gives the terminal no orders; those of Rich itself are marked as such."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is printed; what is left out has no width, so nothing else moves."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control or not _ORDERS.search(text) else Segment(without_orders(text), style)


def without_orders(text: str) -> str:
    """Return text without the characters that would give orders to a terminal, or turn the writing round after it."""
    return _ORDERS.sub("", text)


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


def signed(value: float, digits: int) -> str:
    """Return a number with its sign; of what is rounded to zero that is a plus."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"
