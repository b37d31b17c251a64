"""What a progress bar says."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console
from rich.progress import TaskID

from plyground.arena import GameRecord, Progress, bars, progress
from plyground.arena.bars import in_lines
from plyground.arena.progress import train_with_progress, watch_with_progress
from plyground.arena.tournaments.course import Course
from plyground.arena.tournaments.formats import expected_games, schedule_of
from plyground.arena.training.alphago.part import AlphaGoProgress
from plyground.envs import make_game
from tests.helpers.report_games import a_game

WAIT = 0.25  # seconds, at least, before the first item


@pytest.mark.parametrize(("new", "done"), [(40, 0), (10, 990)])
def test_the_rate_is_that_since_the_beginning(new: int, done: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Items by the bundle, as from other processes, come in no time; what was done before is no part of the rate."""

    def items() -> Iterator[int]:
        time.sleep(WAIT)
        yield from range(new)

    total, begun = done + new, time.monotonic()
    assert not watch_with_progress(items(), total, "counting", "numbers", lambda item: None, done=done)
    said = capsys.readouterr().err
    found = re.search(rf"{total}/{total} ([\d.e+]+)/s", said)
    assert found is not None, said
    assert 0.99 * new / (time.monotonic() - begun) <= float(found[1]) <= new / WAIT  # it has three digits


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_a_note_stands_below_its_bar(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was folded beside it, to two letters a line on a narrow terminal."""
    monkeypatch.setattr(bars, "_APART", 60.0)
    monkeypatch.setenv("TERM", "dumb")  # nothing is drawn over
    monkeypatch.setattr(progress, "CONSOLE", Console(stderr=True, width=width, height=20, force_terminal=True))
    watch_with_progress(iter([1]), 1, "playing", "games", lambda item: None, note=lambda item: "a leads " * 8)
    said = capsys.readouterr().err
    bar, note, *rest = said.split("\n")
    assert "1/1" in bar
    assert note.startswith("a leads a leads a leads")
    assert len(note.rstrip()) <= width
    assert len(rest) == 2  # an empty line ends the bar


def test_items_stay_whole() -> None:
    line = "120 steps, 9 games/s | random 97 %, mcts(simulations=10, seed=3) 5 %\nkeeps value 81 %"
    assert in_lines(line, 80) == line
    assert in_lines(line, 60).splitlines() == [
        "120 steps, 9 games/s | random 97 %,",
        "mcts(simulations=10, seed=3) 5 %",
        "keeps value 81 %",
    ]
    assert in_lines(line, 30).splitlines()[:2] == ["120 steps, 9 games/s |", "random 97 %,"]


@pytest.mark.parametrize("width", [60, 80, 100])
def test_who_leads_is_told_in_a_line(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long name the middle is left out, and not how far it is ahead."""
    monkeypatch.setattr(progress, "CONSOLE", Console(stderr=True, width=width))
    name, leader = f"./players/{'x' * 100}.py:Player", progress._Leader()
    for game in (a_game("a b", 1.0), a_game("b a", -1.0)):
        leader.count(replace(game, players=[name if player == "a" else player for player in game.players]))
    assert len(leader.now()) <= width
    assert re.fullmatch(r"\./play.* … .*:Player leads by \d+ Elo \(-\d+ or more\)", leader.now())


def test_no_line_of_a_log_is_broken(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The note went on under itself, in a second line."""
    monkeypatch.setattr(bars, "_APART", 0.0)
    monkeypatch.setattr(progress, "CONSOLE", Console(stderr=True, width=80))
    watch_with_progress(iter([1]), 1, "playing", "games", lambda item: None, note=lambda item: "a leads " * 8)
    lines = capsys.readouterr().err.splitlines()
    assert [line.count("a leads") for line in lines] == [8, 8]


@pytest.mark.parametrize(("apart", "lines"), [(0.0, 4), (60.0, 1)])
def test_a_log_has_a_line_now_and_then(
    apart: float, lines: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rich shows nothing before the end where it cannot draw over a bar: a log would be empty for hours."""
    monkeypatch.setattr(bars, "_APART", apart)
    watch_with_progress(iter(range(3)), 3, "counting", "numbers", lambda item: None)
    said = capsys.readouterr().err
    assert re.findall(r"(\d)/3", said) == ["1", "2", "3", "3"][-lines:]
    with bars.status(Console(stderr=True, markup=False), "counting …") as tell:
        for number in range(3):
            tell(f"[{number}] of 3")
    assert capsys.readouterr().err == ("[0] of 3\n[1] of 3\n[2] of 3\n" if lines > 1 else "")


def test_the_bar_of_training_is_at_the_nearer_limit_and_of_parts_at_that_of_the_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bar of a run of alphago stayed at nothing."""
    shown: list[tuple[float, bool]] = []

    class Watched(bars.Bar):
        def update(self, task_id: TaskID, **changes: Any) -> None:
            super().update(task_id, **changes)
            shown.append((self.tasks[0].completed, self.tasks[0].finished))

    def whole(report: Callable[[Progress], object]) -> None:
        for steps, seconds in ((25, 6.0), (25, 30.0), (200, 31.0)):
            report(Progress(steps, seconds, 0, 0.0, 0.0))

    def parts(report: Callable[[Progress], object]) -> None:
        for part, steps, total, seconds in (("policy", 1, 4, 6.0), ("policy", 4, 4, 9.0), ("rollout", 0, 0, 0.0)):
            report(AlphaGoProgress(7, seconds, 0, 0.0, 0.0, part=part, part_steps=steps, part_total=total))
        report(AlphaGoProgress(8, 30.0, 0, 0.0, 0.0, part="rl", part_steps=1, part_total=10))

    monkeypatch.setattr(progress, "Bar", Watched)
    train_with_progress(whole, steps=100, minutes=1.0)
    assert shown == [(0.25, False), (0.5, False), (1.0, True)]
    shown.clear()
    train_with_progress(parts, minutes=1.0)
    assert shown == [(0.25, False), (1.0, True), (1.0, True), (0.5, False)]


@pytest.mark.parametrize(
    ("format", "results", "expected"),
    [
        # The first player fails twice, and does not meet the third.
        ("round_robin", ["-failed", "+failed", "+", "-", "+", "-"], [12, 12, 6, 6, 6, 6, 6]),
        ("gauntlet", ["-failed", "+failed"], [8, 8, 2]),
        # Of the first pairing each wins twice: it is played again. The third player sits out.
        ("knockout", [*"++++", *"+-+-", *"+-+-"], [8] * 8 + [12] * 5),
    ],
)
def test_how_many_games_there_will_be_is_told_anew(format: str, results: list[str], expected: list[int]) -> None:
    """A bar ended at 87 of 112, or at 16 of 12."""
    course = Course(make_game("tictactoe"), ["a", "b", "c"], schedule_of(format, 3), 4, max_failures=2)
    found = [expected_games(course, format)]
    for result in results:
        first = 1.0 if result[0] == "+" else -1.0
        course.add(GameRecord("tictactoe", [], [], 0, [first, -first], result[1:] or "finished", [], [], None))
        found.append(expected_games(course, format))
    assert (found, course.is_over) == (expected, True)
