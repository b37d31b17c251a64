"""The script that counts the errors of sequential tests: players are as far apart as it says, and it writes a table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from benchmarks import page
from benchmarks.faults import sprt_errors

SCORES = np.linspace(0, 1, 5)


@pytest.mark.parametrize("kind", sprt_errors.SHARES)
@pytest.mark.parametrize("model", sprt_errors.MODELS)
@pytest.mark.parametrize("elo", [0.0, 40.0, -150.0])
def test_the_true_difference_is_that_of_the_model(kind: str, model: Any, elo: float) -> None:
    shares = sprt_errors.shifted(sprt_errors.SHARES[kind], elo, model)
    assert shares.sum() == pytest.approx(1)
    mean = float(shares @ SCORES)
    deviation = math.sqrt(float(shares @ (SCORES - mean) ** 2))
    by_score, by_deviation = 400 * math.log10(mean / (1 - mean)), (mean - 0.5) / deviation / math.sqrt(2) * 347.4356
    assert (by_score if model == "logistic" else by_deviation) == pytest.approx(elo, abs=1e-3)


@pytest.mark.slow
def test_the_table_has_each_case_and_wrong_answers_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "page.md"
    document.write_text("before\n<!-- sprt: begin -->\nan older table\n<!-- sprt: end -->\nbehind\n")
    monkeypatch.setattr(page, "PAGE", document)
    app = typer.Typer()
    app.command()(sprt_errors.main)
    options = ["--tests", "2", "--elo1", "400", "--logistic-elo1", "250", "--jobs", "1", "--write"]
    assert CliRunner().invoke(app, options).exit_code == 0
    text = document.read_text()
    assert "older" not in text
    assert "2 simulated tests in each row, of 0 against 400 normalised or 250 logistic Elo, α = β = 5 %:" in text
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"][2:]
    assert [row[:4] for row in rows] == [
        [model, kind, true, wrong]
        for model, most in (("normalized", "400"), ("logistic", "250"))
        for kind in ("drawish", "decisive")
        for true, wrong in (("0", "H1"), (most, "H0"))
    ]
    found = [("H1", 20, True), ("H0", 30, False), ("H0", 40, True), ("H0", 30, True)]
    told = sprt_errors.row("logistic", "drawish", 0.0, "H1", found)
    assert told == ["logistic", "drawish", "0", "H1", "25.0 % (0.6 % to 80.6 %)", "30", "75.0 %"]


def test_its_page_has_a_place_for_it() -> None:
    """The work of an hour would be lost otherwise."""
    text = page.PAGE.read_text()
    assert [text.count(f"<!-- sprt: {end} -->\n") for end in ("begin", "end")] == [1, 1]
