"""``plyground sprt``: counts from elsewhere, and matches that stop by themselves and go on."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from plyground.arena import Sprt, iter_match, match, read_records
from tests.arena.test_arena import without_times
from tests.helpers.command_line import Run

MATCH = ("sprt", "minimax", "random", "-g", "tictactoe", "--elo1", "100", "--opening-plies", "1")


def test_judges_counts(run: Run) -> None:
    counts = ("--pentanomial", "39 8843 26675 9240 44", "--elo0", "0.5", "--elo1", "2.5")
    found = json.loads(run("sprt", *counts, "--model", "normalized", "--json")[0])
    assert found["llr"] == pytest.approx(2.941675, abs=5e-7)
    assert (found["decision"], found["pairs"]) == (None, 44841)
    out, _ = run("sprt", *counts)
    assert "LLR +2.94, bounds -2.94 and +2.94\nundecided: the games do not tell whether" in out
    assert "normalised Elo +3.5 (+1.2 to +5.8, 95 %)" in out
    even, _ = run("sprt", "--pentanomial", "10 20 30 20 10")
    assert "normalised Elo +0.0 (" in even  # it said -0.0
    assert "LLR +0.00" in run("sprt", "--pentanomial", "10 20 30 20 10", "--elo0", "-20")[0]


@pytest.mark.parametrize(
    ("counts", "line", "numbers"),
    [
        ("0 0 0 0 5", "normalised Elo +7.5 or more (95 %)", (None, 7.486, None)),
        ("5 0 0 0 0", "normalised Elo -7.5 or less (95 %)", (None, None, -7.486)),
        ("0 0 1 1 0", "normalised Elo not known yet", (242.651, -2021.823, None)),
        ("1 0 0 0 0", "normalised Elo not known yet", (None, None, None)),
        ("0 0 1 0 0", "normalised Elo not known yet", (0.0, None, None)),
    ],
)
def test_says_what_nothing_bounds_yet(
    run: Run, counts: str, line: str, numbers: tuple[float | None, float | None, float | None]
) -> None:
    """It said "-inf (-inf to +inf, 95 %)"."""
    out, _ = run("sprt", "--pentanomial", counts)
    assert line in out
    assert "inf" not in out
    text, _ = run("sprt", "--pentanomial", counts, "--json")
    assert "Infinity" not in text
    found = json.loads(text)
    assert [found[name] for name in ("elo", "elo_low", "elo_high")] == [
        None if one is None else pytest.approx(one, abs=1e-3) for one in numbers
    ]


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "said"),
    [
        (
            "39 8843 26675 9240 44",
            "0",
            "20",
            "H0 is accepted: the first player is not stronger by 20; its lead is nearer to 0",
        ),
        ("0 0 0 0 60", "0", "20", "H1 is accepted: the first player is stronger; its lead is nearer to 20"),
        (
            "3 6 6 5 2",
            "-20",
            "0",
            "undecided: the games do not tell whether the first player's lead is nearer to -20 or",
        ),
        ("300 600 600 500 200", "-20", "0", "H0 is accepted: the first player is weaker; its lead is nearer to -20"),
        ("30 60 60 99 99", "-20", "0", "H1 is accepted: the first player is not weaker by 20; its lead is nearer to 0"),
    ],
)
def test_says_plainly_what_is_concluded(run: Run, counts: str, elo0: str, elo1: str, said: str) -> None:
    """Of players that are equal it said "H0, stronger by 0 rather than by 20"."""
    assert said in run("sprt", "--pentanomial", counts, "--elo0", elo0, "--elo1", elo1)[0]


def test_the_chances_of_errors_are_those_of_the_options(run: Run) -> None:
    words = ("sprt", "--pentanomial", "3 8 20 12 6", "--elo1", "50", "--alpha", "0.01", "--beta", "0.1", "--json")
    found, expected = json.loads(run(*words)[0]), Sprt(0, 50, 0.01, 0.1, counts=[3, 8, 20, 12, 6])
    assert (found["alpha"], found["beta"]) == (0.01, 0.1)
    assert (found["lower"], found["upper"]) == pytest.approx((expected.lower, expected.upper))


def test_the_scale_of_elo_is_that_of_the_options(run: Run) -> None:
    words = ("sprt", "--pentanomial", "3 8 20 12 6", "--elo1", "50", "--model", "logistic")
    found, expected = json.loads(run(*words, "--json")[0]), Sprt(0, 50, model="logistic", counts=[3, 8, 20, 12, 6])
    assert found["model"] == "logistic"
    assert found["llr"] == pytest.approx(expected.llr)
    assert found["llr"] != pytest.approx(Sprt(0, 50, counts=[3, 8, 20, 12, 6]).llr, rel=0.01)
    assert f"logistic Elo {expected.estimate().elo:+.1f} (" in run(*words)[0]


def test_the_games_are_played_as_the_options_say(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The player that fails from the third move on loses each game, and nothing ends with its error."""
    monkeypatch.chdir(tmp_path)
    Path("book.txt").write_text("0 4\n8 4\n")
    Path("broken.py").write_text(
        "def player(observation, info):\n"
        "    if observation['action_mask'].sum() < 5:\n"
        "        raise RuntimeError('out of luck')\n"
        "    return int(observation['action_mask'].argmax())\n"
    )
    words = ("minimax(depth=1)", "./broken.py:player", "-g", "tictactoe", "--model", "logistic", "--seed", "3")
    words = (*words, "--openings", "book.txt", "--keep-going", "--max-games", "4", "--out", "games.jsonl", "--json")
    assert json.loads(run("sprt", *words)[0])["model"] == "logistic"
    records = list(read_records("games.jsonl"))
    players = ["minimax(depth=1)", "./broken.py:player"]
    expected = match("tictactoe", players, 4, seed=3, openings="book.txt", failures=Exception)
    assert without_times(records) == without_times(expected)
    assert {tuple(record.moves[:2]) for record in records} == {(0, 4), (8, 4)}
    assert "failed" in {record.ending for record in records}


def test_plays_until_it_is_decided_and_goes_on_from_a_file(run: Run, tmp_path: Path) -> None:
    whole = json.loads(run(*MATCH, "--json")[0])
    assert whole["decision"] == "H1"
    out, _ = run(*MATCH)
    assert re.search(r"^minimax v random\ntictactoe, \d+ games, seed 0\n", out)  # it was broken in two
    assert "the first player is stronger; its lead is nearer to 100 normalised Elo than to 0" in out
    games = tmp_path / "games.jsonl"
    run(*MATCH, "--max-games", "4", "--out", str(games))
    lines = games.read_text().splitlines()
    games.write_text("\n".join(lines[:3]) + "\n")  # as if stopped in the middle of a pair
    assert json.loads(run(*MATCH, "--out", str(games), "--resume", "--json")[0]) == whole
    assert len(games.read_text().splitlines()) == 2 * whole["pairs"]
    assert json.loads(run(*MATCH, "--out", str(games), "--resume", "--json")[0]) == whole
    assert "go on with them by --resume" in run(*MATCH, "--out", str(games), code=2)[1]


def test_shows_how_fast_it_is_and_elo_so_far(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("plyground.arena.cli.sprt.status", lambda console: nullcontext(told.append))
    monkeypatch.setattr("plyground.arena.cli.sprt._APART", 0.0)
    words = (*MATCH, "--out", str(tmp_path / "games.jsonl"))
    run(*words, "--max-games", "6")
    run(*words, "--resume")
    rate, number = r"[\d.e+]+ a (second|minute)", r"[+-][\d.]+"
    elo = rf"normalised Elo {number} \({number} (to {number}|or more), 95 %\)"
    for count, line in [(6, told[5]), (6, told[11]), (7, told[12])]:
        speed = "" if line is told[11] else f"{rate}, "  # until a new game has come
        assert re.fullmatch(rf"{count} games, {speed}LLR [+-][\d.]+ \(-2\.94 to 2\.94\), {elo}", line), line


def test_ctrl_c_prints_what_is_done_and_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its exit code is 130, by which a script knows; it was 0."""

    def interrupted(*arguments: Any, **options: Any) -> Any:
        played = iter_match(*arguments, **options)
        yield from (next(played) for _ in range(4))
        raise KeyboardInterrupt

    monkeypatch.setattr("plyground.arena.matches.iter_match", interrupted)
    out, err = run(*MATCH, "--json", code=130)
    assert json.loads(out)["pairs"] == 2
    assert "stopped after 4 games" in err


def test_tells_who_lost_by_illegal_moves(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It said who is stronger, and nothing of a player that is broken."""
    monkeypatch.chdir(tmp_path)
    Path("stubborn.py").write_text("def four(observation, info):\n    return 4\n")
    words = ("minimax", "./stubborn.py:four", "-g", "tictactoe", "--opening-plies", "1", "--elo1", "200")
    out, err = run("sprt", *words, "--json")
    assert json.loads(out)["decision"] == "H1"
    assert f"./stubborn.py:four lost {2 * json.loads(out)['pairs']} games by illegal moves" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give two players, or the results"),
        (("random", "minimax", "--pentanomial", "1 2 3 4 5"), "give two players, or the results"),
        (("random",), "it takes two players, got 1: random"),
        (("--pentanomial", "1 2 3"), "takes five whole numbers"),
        (("--pentanomial", "1 2 3 4 x"), "takes five whole numbers"),
        (("--pentanomial", f"{10**400} 1 1 1 1"), "counts must be five whole numbers of pairs, each from 0 to 2**53"),
        (("--pentanomial", "0 0 0 0 0"), "nothing to estimate before the first pair"),
        (("random", "minimax", "--elo1", "-5"), "elo1 must be above elo0"),
        (("random", "minimax", "--model", "elo"), "unknown model 'elo'"),
    ],
)
def test_what_makes_no_sense_is_said(run: Run, words: tuple[str, ...], message: str) -> None:
    assert message in run("sprt", *words, code=2)[1].replace("\n", " ")
