"""Text that is printed as it is."""

from __future__ import annotations

import io

from rich.console import Console
from rich.text import Text

from plyground.arena.lines import print_plain


def test_names_with_brackets_and_long_paths_stay_what_they_are() -> None:
    out = Console(file=io.StringIO(), width=20, color_system="standard", force_terminal=True)
    print_plain(out, "saved /runs/[bold]/a folder with a long name/games.jsonl, 12 games")
    print_plain(out, Text("[/] 3 of 4, of a text with styles of its own"))
    assert isinstance(out.file, io.StringIO)
    assert out.file.getvalue() == (
        "saved /runs/[bold]/a folder with a long name/games.jsonl, 12 games\n"
        "[/] 3 of 4, of a text with styles of its own\n"
    )
