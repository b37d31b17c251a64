"""``plyground rate``: the file of its games, which is its own for as long as it plays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plyground.arena import read_records, write_records
from plyground.arena.cli.ratings import _in_words
from plyground.arena.grading import placing
from plyground.arena.grading.anchors import ladder_of, save_anchors
from plyground.arena.grading.placing import Placing
from plyground.arena.ratings import Ratings, rate_against
from plyground.envs import tictactoe
from tests.arena.test_arena import without_times
from tests.helpers.command_line import Run

LADDER = {"random": 0.0, "minimax(depth=1)": 150.0}
PLAYER = "mcts(simulations=2)"
TITLE = f"rate {PLAYER} on tictactoe, seed 0"


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.chdir(tmp_path)
    save_anchors(Path("ladder.json"), tictactoe(), Ratings(LADDER, dict.fromkeys(LADDER, 9.0)), 200, 1)
    return ("rate", PLAYER, "-g", "tictactoe", "--ladder", "ladder.json", "--width", "1", "--games", "6", "--out")


@pytest.mark.parametrize("out", ["games.jsonl", "games.db"])
def test_no_other_process_adds_games_in_between(
    run: Run, words: tuple[str, ...], out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two wrote in turns, and nothing could go on with what there was."""
    real, refused = placing.iter_place, []

    def disturbed(*arguments: Any, **options: Any) -> Iterator[Any]:
        for number, found in enumerate(real(*arguments, **options), start=1):
            yield found
            if number == 2:  # it is in the file
                try:
                    write_records(f"{out}#{TITLE}" if out.endswith(".db") else out, [found[0]])
                except OSError as error:
                    refused.append(str(error))

    monkeypatch.setattr(placing, "iter_place", disturbed)
    if out == "games.jsonl":
        run(*words, out)
        assert refused == [
            "cannot write games.jsonl: another process adds games to it; play into another file, or both into a store, "
            ".db"
        ]
        assert len(list(read_records(out))) == 6
        monkeypatch.undo()
        return
    said = " ".join(run(*words, out, code=2)[1].split())
    assert f"games.db#{TITLE} has 3 games, expected 2: another process adds to the same collection" in said


def test_a_file_that_another_holds_is_refused_before_a_game(
    run: Run, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl, asked = pytest.importorskip("fcntl"), []

    def played(*arguments: Any) -> Iterator[Any]:
        asked.append(arguments)
        yield from real(*arguments)

    real = placing._played
    monkeypatch.setattr(placing, "_played", played)
    with open("games.jsonl", "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        said = run(*words, "games.jsonl", code=2)[1]
    assert "cannot write games.jsonl: another process adds games to it" in " ".join(said.split())
    assert Path("games.jsonl").read_bytes() == b""
    assert not asked
    run(*words, "games.jsonl")
    assert asked


def test_the_games_are_played_as_the_options_say(run: Run, words: tuple[str, ...]) -> None:
    """Other seeds and openings give other games, and the same ones as in Python."""
    run(*words, "games.jsonl", "--seed", "5", "--opening-plies", "3")
    games, ladder = tictactoe(), ladder_of(tictactoe(), Path("ladder.json"))
    found = list(placing.iter_place(PLAYER, games, ladder, 6, 1, 5, opening_plies=3))
    records = list(read_records("games.jsonl"))
    assert without_times(records) == without_times([record for record, _ in found])
    assert {(record.opening, len(record.moves) > 3) for record in records} == {(3, True)}


def test_a_place_that_few_games_do_not_bound_has_no_numbers() -> None:
    """It was "Elo +inf (-inf to +inf) ± inf"."""
    wins = Placing(rate_against({"rung": 100.0}, {"rung": [2.0]}), {"rung": 2})
    assert _in_words(wins) == "Elo not known yet"
    nearly = Placing(rate_against({"rung": 100.0}, {"rung": [2.0, 2.0, 2.0, 1.5]}), {"rung": 8})
    assert _in_words(nearly) == "Elo +570 (+9 or more)"
    even = Placing(rate_against({"rung": 100.0}, {"rung": [1.0, 1.5, 0.5] * 20}), {"rung": 120})
    assert re.fullmatch(r"Elo \+100 \(\+\d+ to \+\d+\) ± \d+", _in_words(even))


def test_help_says_that_the_width_is_a_mean_of_both_sides(run: Run) -> None:
    assert "to either side, on average" in " ".join(run("rate", "--help")[0].replace("│", " ").split())
