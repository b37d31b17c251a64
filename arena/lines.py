"""Text at the terminal: names and paths, which are printed as they are, with brackets and unbroken; signed numbers."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

__all__ = ["console", "print_plain", "signed"]


def console(stderr: bool = False, highlight: bool = True) -> Console:
    """Return a console that shows text as it is: brackets are no markup, and ``:smile:`` is no picture.

    Tables are printed so, too. What is to have a style is `rich.text.Text`; so is a name beside a spinner, as in
    ``console().status(Text(name))``, for Rich reads markup there whatever the console says.

    Args:
        stderr: whether it is standard error, in place of standard output.
        highlight: whether numbers and paths have colours.
    """
    return Console(stderr=stderr, highlight=highlight, markup=False, emoji=False)


def print_plain(out: Console, text: str | Text) -> None:
    """Print text as it is, on any console: without colours for numbers too, and no line is broken."""
    out.print(text, markup=False, emoji=False, highlight=False, soft_wrap=True)


def signed(value: float, digits: int) -> str:
    """Return a number with its sign; of what is rounded to zero that is a plus."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"
