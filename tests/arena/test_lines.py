"""Text that is printed as it is."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from plyground.arena import Standing, cross_table
from plyground.arena.lines import console, print_plain, signed
from plyground.arena.progress import watch_with_progress
from plyground.arena.records.judgements import Judgement

NAME = "a :smile: with [bold]brackets[/bold]"


def test_names_with_brackets_and_long_paths_stay_what_they_are() -> None:
    out = Console(file=io.StringIO(), width=20, color_system="standard", force_terminal=True)
    print_plain(out, "saved /runs/[bold]/a folder with a long name/games.jsonl, 12 games")
    print_plain(out, Text("[/] 3 of 4, of a text with styles of its own"))
    assert isinstance(out.file, io.StringIO)
    assert out.file.getvalue() == (
        "saved /runs/[bold]/a folder with a long name/games.jsonl, 12 games\n"
        "[/] 3 of 4, of a text with styles of its own\n"
    )


def test_consoles_show_names_in_tables_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("player", NAME, title=NAME)
    table.add_row(NAME, "1")
    for stderr in (False, True):
        out = console(stderr=stderr)
        out.width = 200
        out.print(NAME, table)
        captured = capsys.readouterr()
        assert (captured.err if stderr else captured.out).count(NAME) == 4


def test_tables_of_results_do_so_on_any_console() -> None:
    out = Console(file=io.StringIO(), width=200)
    out.print(cross_table([Standing(NAME), Standing("random")], title=NAME))
    assert isinstance(out.file, io.StringIO)
    assert out.file.getvalue().count(NAME) == 2


def test_names_give_the_terminal_no_orders(capsys: pytest.CaptureFixture[str]) -> None:
    name = "A\x1b]0;title\x07\x1b[2J\x9b1A\x00\u202eB"  # a title, an empty screen, a line up, text from right to left
    out = console()
    out.width = 60
    out.print(cross_table([Standing(name), Standing("random")], title=name))
    print_plain(out, f"{name}\nnext")
    print_plain(out, Text(name, "bold"))
    printed = capsys.readouterr().out
    assert printed.count("A]0;title[2J1AB") == 4
    assert all(sign.isprintable() or sign == "\n" for sign in printed)
    print_plain(out, "\x1b[31mX\x1b[0m O")  # colours, as boards of one's own may have
    assert capsys.readouterr().out == "\x1b[31mX\x1b[0m O\n"


def test_what_moves_on_a_screen_still_moves(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTY_INTERACTIVE", "1")  # as where somebody looks on
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    out = console()
    out.width = 60
    with Live(Text("one\x1b[2J\ntwo"), console=out, auto_refresh=False) as live:
        live.update(Text("three\nfour"), refresh=True)
    printed = capsys.readouterr().out
    assert "\x1b[1A" in printed  # up, to write anew
    assert "\x1b[2J" not in printed


def test_progress_bars_do_so(monkeypatch: pytest.MonkeyPatch) -> None:
    out = console()
    out.file, out.width = io.StringIO(), 200
    monkeypatch.setattr("plyground.arena.progress.CONSOLE", out)
    watch_with_progress([1], 1, NAME, "games", lambda _: None, note=lambda _: f"{NAME} leads")
    assert isinstance(out.file, io.StringIO)
    assert out.file.getvalue().count(NAME) == 2


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (-0.0, 1, "+0.0"),
        (-0.04, 1, "+0.0"),
        (-0.4, 0, "+0"),
        (-0.05, 2, "-0.05"),
        (12.34, 1, "+12.3"),
        (float("-inf"), 1, "-inf"),
    ],
)
def test_nothing_is_a_negative_zero(value: float, digits: int, text: str) -> None:
    assert signed(value, digits) == text


def test_values_of_draws_have_no_minus() -> None:
    """A search has them from the other side, as -0.0."""
    assert Judgement(-0.0, 3, 10, []).text == "value +0, depth 3, 10 nodes"
