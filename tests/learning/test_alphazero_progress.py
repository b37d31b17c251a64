"""What runs of AlphaZero tell while they go on: what the cache answered, and how the net does in solved positions."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import ANY, Mock, call

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch")

from plyground.agents import Minimax
from plyground.agents.networks import inference
from plyground.arena.grading.evaluation import _positions
from plyground.arena.training.alphazero import AlphaZeroConfig, resume, run_folder, train
from plyground.arena.training.alphazero import examination as examining
from plyground.arena.training.alphazero.examination import Examination
from plyground.arena.training.alphazero.session import AlphaZeroProgress, AlphaZeroSession
from plyground.arena.training.alphazero.sources import OwnPlay
from plyground.arena.training.settings import check_machine
from plyground.envs import make_game
from tests.helpers.alphazero_play import SMALL_RUN

GAME = make_game("tictactoe")
PERFECT = Minimax(GAME)
CONFIG = replace(SMALL_RUN, actors=0, steps=320)
TESTED = replace(CONFIG, ladder=(), ladder_games=4, ladder_every=200, positions=2)

Said = tuple[NDArray[np.float32], NDArray[np.float32]]


def first(planes: NDArray[Any]) -> Said:
    """Prefers the first legal action."""
    return np.zeros((len(planes), 9), np.float32), np.zeros(len(planes), np.float32)


def best(planes: NDArray[Any]) -> Said:
    """Prefers the best actions."""
    logits, values = first(planes)
    for line, one in zip(logits, planes, strict=True):
        line[list(PERFECT.analyse(GAME.state_from_observation(one)).best_actions)] = 1
    return logits, values


def examination_of(run: Path, spec: str = "tictactoe", **changes: Any) -> Examination:
    made = Examination(make_game(spec), AlphaZeroConfig(spec, **changes), run)
    made.load()
    made.solve(lambda: False)
    return made


def lines_of(examination: Examination) -> tuple[tuple[int, ...], ...]:
    return examination._solved[0].lines


def test_the_line_tells_what_the_cache_answered() -> None:
    progress = AlphaZeroProgress(64, 1.0, 3, 64.0, 3.0, simulations_per_second=512.0, cache_hits=0.374)
    assert progress.line().splitlines()[0] == "64 steps, 3.0 games/s, 64 steps/s, 512 simulations/s, cache 37 %"
    assert "cache" not in replace(progress, cache_hits=None).line()
    assert replace(progress, losses={}).line().splitlines()[1].endswith(" | losses: none yet")


def test_a_run_tells_what_the_cache_answered_in_this_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, seen = Mock(), list[AlphaZeroProgress]()
    monkeypatch.setattr("plyground.arena.training.alphazero.board._new_writer", lambda folder, step: told)
    run = run_folder(tmp_path / "run")
    progress = train(replace(CONFIG, steps=150), run.path, seen.append)
    counts = run.read()["counts"]
    assert counts["hits"] > 0
    assert progress.cache_hits == counts["hits"] / (counts["hits"] + counts["asked"])
    assert seen[0].cache_hits is None  # nothing was asked before the first turn
    written = told.add_scalar.call_args_list
    assert call("run/cache_hits", progress.cache_hits, progress.steps) in written
    assert all(isinstance(one.args[1], (int, float)) for one in written)
    progress, later = resume(run.path, steps=320), run.read()["counts"]
    hits, asked = (later[name] - counts[name] for name in ("hits", "asked"))
    assert progress.cache_hits == hits / (hits + asked)


def test_without_a_cache_nothing_is_told_of_it(tmp_path: Path) -> None:
    progress = train(replace(CONFIG, steps=64, cache_mb=0.0), tmp_path / "run")
    assert progress.cache_hits is None
    assert run_folder(tmp_path / "run").read()["counts"]["asked"] > 0


def test_a_run_goes_on_that_counted_something_else(tmp_path: Path) -> None:
    """As one of an older version did."""
    run = run_folder(tmp_path / "run")
    train(replace(CONFIG, steps=64), run.path)
    state = json.loads((run.state() / "state.json").read_text())
    for counts in (state["counts"], state["source"]["stats"]):
        counts["evaluations"] = 7
        del counts["asked"], counts["hits"]
    (run.state() / "state.json").write_text(json.dumps(state))
    assert resume(run.path, steps=200).steps >= 200


def test_a_small_game_is_graded_in_the_positions_that_evaluate_asks_about(tmp_path: Path) -> None:
    examination = examination_of(tmp_path, positions=5)
    assert examination.marks(best) == {"preserving": 1.0, "keeping": 1.0}
    marks = examination.marks(first)
    assert 0 < marks["keeping"] < marks["preserving"] < 1
    ((_, asked),), _ = _positions(GAME, 5, 0)
    assert lines_of(examination) == asked.lines


@pytest.mark.parametrize(("spec", "plies"), [("tictactoe", 5), ("connect_four", 8)])
def test_positions_of_each_ply(tmp_path: Path, spec: str, plies: int) -> None:
    counts = Counter(map(len, lines_of(examination_of(tmp_path, spec, positions=3))))
    assert max(counts.values()) == 3
    assert len(counts) >= plies
    assert examination_of(tmp_path, spec, positions=0).marks(first) == {}


def test_a_game_that_cannot_be_solved_or_takes_too_long_is_not_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "_SECONDS", 0.0)
    assert examination_of(tmp_path).marks(first) == {}
    solve = Mock(side_effect=MemoryError)
    monkeypatch.setattr(examining, "solve_positions", solve)
    assert examination_of(tmp_path).marks(first) == {}
    solve.assert_called_once_with(GAME, 20, seconds=0.0, stop=ANY)
    assert not list(tmp_path.iterdir())


def test_solving_ends_at_ctrl_c(tmp_path: Path) -> None:
    examination = Examination(GAME, CONFIG, tmp_path)
    examination.solve(lambda: True)
    assert examination.marks(first) == {}
    assert not list(tmp_path.iterdir())


def test_a_run_solves_positions_once_before_it_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solve, turn, done = examining.solve_positions, AlphaZeroSession.turn, list[str]()

    def watched_solve(*arguments: Any, **more: Any) -> Any:
        done.append("solve")
        return solve(*arguments, **more)

    def watched_turn(session: AlphaZeroSession) -> None:
        done.append("turn")
        turn(session)

    monkeypatch.setattr(examining, "solve_positions", watched_solve)
    monkeypatch.setattr(AlphaZeroSession, "turn", watched_turn)
    config = replace(TESTED, ladder=("random",))
    whole = train(config, tmp_path / "whole")
    assert done == ["solve", *["turn"] * 3]
    assert whole.marks.keys() == {"preserving", "keeping"}
    assert re.fullmatch(r"random \d+ %, keeps value \d+ %", whole.line().splitlines()[-1])
    noted = (tmp_path / "whole" / "progress.jsonl").read_text().splitlines()
    assert json.loads(noted[-1])["preserving"] == whole.marks["preserving"]
    train(replace(config, steps=100), tmp_path / "parts")
    done.clear()
    assert resume(tmp_path / "parts", steps=320).marks == whole.marks
    assert done == ["turn"] * 2
    done.clear()
    assert train(replace(config, steps=64, ladder_every=0), tmp_path / "untested").marks == {}
    assert done == ["turn"]


def test_a_run_goes_on_without_positions_but_not_with_damaged_ones(tmp_path: Path) -> None:
    train(replace(TESTED, steps=64), tmp_path / "run")
    kept = tmp_path / "run" / "positions.npz"
    kept.write_bytes(kept.read_bytes()[:-9])
    config = run_folder(tmp_path / "run").config
    before = config.read_text()
    with pytest.raises(
        ValueError, match=r"positions\.npz' is no file of solved positions, .* remove it, and the run goes on"
    ):
        resume(tmp_path / "run", steps=200)
    assert config.read_text() == before
    kept.unlink()
    progress = resume(tmp_path / "run", steps=200)
    assert progress.steps == 256
    assert progress.marks == {}


def test_of_a_run_that_cannot_begin_no_positions_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: OwnPlay) -> None:
        assert (tmp_path / "run" / "positions.npz").is_file()
        raise MemoryError

    monkeypatch.setattr(OwnPlay, "prepare", fail)
    with pytest.raises(MemoryError):
        train(TESTED, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_positions_of_somebody_else_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "positions.npz").write_bytes(b"mine")
    with pytest.raises(FileExistsError, match=r"positions\.npz' is there already, where a run would keep its own"):
        train(TESTED, tmp_path)
    assert (tmp_path / "positions.npz").read_bytes() == b"mine"


def test_without_torch_a_run_on_a_gpu_says_how_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "_installed", lambda name: name != "torch")
    with pytest.raises(ImportError, match="backend 'torch' is not installed: pip install"):
        check_machine("cuda", "auto")
