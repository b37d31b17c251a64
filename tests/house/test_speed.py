"""The script that measures speed: its libraries are installed with it, and what cannot be measured is left out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed import run
from benchmarks.speed.harness import Measurement

ROOT = Path(__file__).parents[2]


def measurement(name: str, ours: Any, peer: Any) -> Measurement:
    return Measurement("A game", name, "steps/s", ours, peer, "a peer")


def lacks(what: str, kind: type[ImportError]) -> Any:
    def side() -> Any:
        raise kind(f"{what} is not installed: pip install '.[rl]'")

    return side


@pytest.mark.slow
def test_what_cannot_be_measured_is_left_out_and_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> Any:
        return lambda: 1

    rows = [
        measurement("both", work, work),
        measurement("ours alone", work, lacks("the peer", ModuleNotFoundError)),
        measurement("neither", lacks("torch", ImportError), work),
        measurement("no module", lacks("openvino", ModuleNotFoundError), work),
    ]
    monkeypatch.setattr(run, "MEASUREMENTS", rows)
    monkeypatch.setattr(run, "QUICK", {"rounds": 1, "seconds": 0.001})
    run.main(quick=True)
    out = capsys.readouterr().out
    table, _, below = out.partition("without ")
    assert re.search(r"both .*×", table)
    assert re.search(r"ours alone .* not installed", table)
    assert "neither" not in table
    said = " ".join(f"without {below}".split())
    assert "without A game: neither: torch is not installed: pip install '.[rl]'" in said
    assert "without A game: no module: openvino is not installed" in said


def test_programs_that_are_not_installed_are_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("chess")
    from benchmarks.speed import chess_nodes

    monkeypatch.setattr(chess_nodes, "ours", lambda fen, seconds: 1e6)
    chess_nodes.main(seconds=0.1, stockfish="no-such-stockfish", sunfish="no-such-sunfish")
    rows = [line for line in capsys.readouterr().out.splitlines() if "1,000.0" in line]
    assert len(rows) == len(chess_nodes.WANTED)
    for row in rows:
        assert row.count("not installed") == 2
        assert re.search(r"\d\.\d \(0\.\d+×\)", row)


def test_what_is_installed_for_it_is_enough_for_our_side() -> None:
    project = (ROOT / "pyproject.toml").read_text()  # read by hand: Python 3.10 has no tomllib
    listed = project.partition("\nbench = [")[2].partition("\ndev = [")[0]
    own = re.search(r'"plyground\[([\w,]+)\]"', listed)
    assert own is not None
    assert {"fast", "rl"} <= set(own[1].split(","))
