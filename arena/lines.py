"""Text at the terminal that is printed as it is: names and paths of users may have brackets, and are not broken."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

__all__ = ["print_plain"]


def print_plain(out: Console, text: str | Text) -> None:
    """Print text as it is: brackets are no markup, numbers have no colours, and no line is broken."""
    out.print(text, markup=False, highlight=False, soft_wrap=True)
