"""Text that is printed as it is."""

from __future__ import annotations

import io
import math

import pytest
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from plyground.arena import Score, Standing, cross_table
from plyground.arena.lines import board_of, console, print_plain, print_prose, signed
from plyground.arena.progress import watch_with_progress
from plyground.arena.records.judgements import Judgement
from plyground.arena.wording import counted, decimal_of, estimated, size_of

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


@pytest.mark.parametrize(("is_terminal", "lines"), [(True, ["The first move is", "worth [something]."]), (False, [])])
def test_sentences_are_broken_between_words_at_a_terminal_alone(is_terminal: bool, lines: list[str]) -> None:
    """They were broken in the midst of words."""
    out = Console(file=io.StringIO(), width=20, force_terminal=is_terminal)
    print_prose(out, "The first move is worth [something].")
    assert isinstance(out.file, io.StringIO)
    said = [line.rstrip() for line in out.file.getvalue().splitlines()]
    assert said == (lines or ["The first move is worth [something]."])


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


def test_titles_of_tables_end_where_the_console_does() -> None:
    """They were cut off there, and had no room beyond that of the table to begin with."""
    title = "connect_four, 12,345 games, 12,344 of them in pairs"
    table = cross_table([Standing("a"), Standing("b")], title)
    for width, lines in ((200, [title]), (40, ["connect_four, 12,345 games, 12,344 of", "them in pairs"])):
        out = Console(file=io.StringIO(), width=width)
        out.print(table)
        assert isinstance(out.file, io.StringIO)
        assert [line.rstrip() for line in out.file.getvalue().splitlines()][: len(lines)] == lines


def test_names_give_the_terminal_no_orders(capsys: pytest.CaptureFixture[str]) -> None:
    name = "A\x1b]0;title\x07\x1b[2J\x9b1A\x00\u202eB"  # a title, an empty screen, a line up, text from right to left
    out = console()
    out.width = 60
    out.print(cross_table([Standing(name), Standing("random")], title=name))
    print_plain(out, f"{name}\nnext")
    print_plain(out, Text(name, "bold"))
    printed = capsys.readouterr().out
    assert printed.count("A]0;titleB") == 4
    assert all(sign.isprintable() or sign == "\n" for sign in printed)


def test_names_in_colours_and_of_several_lines_shift_no_columns(capsys: pytest.CaptureFixture[str]) -> None:
    """Colours have no width at a terminal, but were counted as text; a line more in a name was a row more."""
    name = "\x1b[1;31mred\x1b[0m\nand\u2028blue"
    lines = [Standing(one, Score(1), {other: Score(1)}) for one, other in ((name, "random"), ("random", name))]
    console().print(cross_table(lines, title=f"a \x1b[4m{name}"))
    _, *rows = printed = capsys.readouterr().out.splitlines()
    assert printed[0].rstrip() == "a red and blue"
    assert rows[1].startswith("1 red and blue ")
    assert {len(row) for row in rows} == {len(rows[0])}


def test_boards_of_ones_own_have_colours_at_a_terminal_and_no_wider_columns() -> None:
    board = board_of("\x1b[31mX\x1b[0m O\n\x1b[31m.")
    assert board.plain == "X O\n."
    out = console()
    out.file = io.StringIO()
    print_plain(out, board)
    assert out.file.getvalue() == "X O\n.\n"
    terminal = Console(file=io.StringIO(), color_system="standard", force_terminal=True)
    print_plain(terminal, board)
    assert isinstance(terminal.file, io.StringIO)
    assert terminal.file.getvalue() == "\x1b[31mX\x1b[0m O\n\x1b[31m.\x1b[0m\n"
    assert board_of("[red] X\n").plain == "[red] X\n"


def test_numbers_of_things_and_sizes_are_told_as_people_tell_them() -> None:
    assert [counted(number, "game") for number in (0, 1, 2, 1200)] == ["0 games", "1 game", "2 games", "1,200 games"]
    assert (counted(1, "ply", "plies"), counted(7, "ply", "plies")) == ("1 ply", "7 plies")
    sizes = (1, 999, 1000, 41_800, 999_400, 999_600, 4_200_000, 1_234_000_000, 5 * 10**13)
    told = ["1 byte", "999 bytes", "1.0 kB", "41.8 kB", "999 kB", "1.0 MB", "4.2 MB", "1.2 GB", "50,000 GB"]
    assert list(map(size_of, sizes)) == told


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


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((12.0, -3.0, 27.0), "+12 (-3 to +27)"),
        ((12.0, -3.0, math.inf), "+12 (-3 or more)"),
        ((-12.0, -math.inf, 3.0), "-12 (+3 or less)"),
        ((math.inf, 20.0, math.inf), "+20 or more"),
        ((-math.inf, -math.inf, -20.0), "-20 or less"),
        ((338.0, -math.inf, math.inf), "not known yet"),
        ((math.inf, -math.inf, math.inf), "not known yet"),
        ((12.0, -2000.0, 300.0), "+12 (+300 or less)"),
        ((12.0, -1500.0, 1012.0), "not known yet"),
    ],
)
def test_what_nothing_bounds_is_no_number(numbers: tuple[float, float, float], text: str) -> None:
    assert estimated(*numbers, lambda value: signed(value, 0)) == text


@pytest.mark.parametrize(
    "text",
    ["60", "0.5", "0.1", "0", "1000000", "12345.678", "0.0000001", "100000000000000000000", "0.30000000000000004"],
)
def test_decimals_read_back_as_the_same(text: str) -> None:
    assert decimal_of(float(text)) == text


def test_values_of_draws_have_no_minus() -> None:
    """A search has them from the other side, as -0.0."""
    assert Judgement(-0.0, 3, 10, []).text == "value +0, depth 3, 10 nodes"
