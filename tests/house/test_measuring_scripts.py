"""Scripts that measure: what was stopped, or made with other settings, is never taken for a measurement."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from benchmarks import page
from benchmarks.learning import ablation, alphago, learning_curves
from benchmarks.strength import ablation as search_ablation
from benchmarks.strength import ladder, search_options
from plyground.agents.alphazero.nets import shipped
from plyground.agents.puct.forest.checks import checked_decisive
from plyground.arena import read_records
from plyground.arena.training.alphazero import self_play
from plyground.envs import make_game

STOPPED = SimpleNamespace(steps=100)


@pytest.mark.parametrize("script", [ablation, search_ablation, search_options])
def test_a_name_that_nothing_has_writes_nothing(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = tmp_path / "page.md"
    document.write_text("as it was")
    monkeypatch.setattr(page, "PAGE", document)
    app = typer.Typer()
    app.command()(script.main)
    more = ["alphazero", "--keep", str(tmp_path / "runs")] if script is ablation else []
    result = CliRunner().invoke(app, ["--only", "nullmove", "--write", *more])
    assert result.exit_code == 2
    assert "nullmove" in result.output
    assert document.read_text() == "as it was"


def test_runs_that_were_stopped_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = "plyground.arena.training.alphazero.train"
    monkeypatch.setattr(place, lambda config, folder, hear: STOPPED)
    with pytest.raises(SystemExit):
        ablation.one_run("defaults", 0, 5, False, str(tmp_path))

    def broken_off(config: Any, folder: str, hear: Any) -> Any:
        hear(SimpleNamespace(steps=100, seconds=70.0))
        return STOPPED

    monkeypatch.setattr(place, broken_off)
    with pytest.raises(SystemExit):
        learning_curves.one_run("alphazero", 2, 1, 0, str(tmp_path))
    assert not list(tmp_path.iterdir())
    learning_curves.one_run("alphazero", 1, 1, 0, str(tmp_path))
    assert json.loads((tmp_path / "minutes.json").read_text())[-1] == [100, 70 / 60]


def test_kept_runs_with_other_settings_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []
    monkeypatch.setattr(learning_curves.subprocess, "call", lambda command: called.append(command))
    run = tmp_path / "alphazero-10-1-0"
    run.mkdir()
    (run / "minutes.json").write_text("[]")
    config = learning_curves.config_of("alphazero", 10, 1, 0)
    config.save(run / "config.json")
    assert learning_curves.trained("alphazero", 10, 1, 0, tmp_path) == run
    assert not called
    kept = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(kept | {"cache_mb": 0.0}))
    assert learning_curves.trained("alphazero", 10, 1, 0, tmp_path) == run
    assert len(called) == 1
    assert not run.exists()


def test_games_that_were_broken_off_are_not_rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alphago, "play_with_progress", lambda played, total: [])
    field = alphago.Field("a field", {"one": "random", "other": "random"})
    with pytest.raises(typer.Exit):
        alphago.rows_of(field, "tictactoe", 4, 1, tmp_path / "games.db")


def test_a_ladder_has_networks_where_there_are_some() -> None:
    for spec in ladder.RUNGS:
        if make_game(spec).spec in shipped():
            assert ladder.rungs_for(make_game(spec)) == ladder.RUNGS[spec]
    for spec in ("othello(size=6)", "connect_four(rows=5)"):
        rungs = ladder.rungs_for(make_game(spec))
        assert len(rungs) > 5
        assert not any(rung.startswith(("network", "alphazero")) for rung in rungs)


def test_a_rung_is_placed_anew_on_the_others_as_they_are(tmp_path: Path) -> None:
    old = {"random": 0.0, "minimax(depth=1)": 100.0, "minimax(depth=9)": 400.0}
    about = {
        "game": "tictactoe",
        "games": 200,
        "seed": 1,
        "commit": "abc",
        "elo": old,
        "standard errors": dict.fromkeys(old, 9.0),
    }
    path = tmp_path / "ladder_tictactoe.json"
    path.write_text(json.dumps(about))
    folder = tmp_path / "games"
    told = {"place": ["minimax(depth=9)"], "games": 20, "folder": folder, "out": tmp_path}
    ladder.main(["tictactoe"], **told)
    found = json.loads(path.read_text())
    assert (found["games"], found["seed"], found["commit"]) == (200, 1, "abc")
    assert {rung: elo for rung, elo in found["elo"].items() if elo in (0, 100)} == {
        "random": 0,
        "minimax(depth=1)": 100,
    }
    assert 100 < found["elo"]["minimax(depth=9)"] != 400
    assert found["standard errors"]["minimax(depth=9)"] > 9
    (kept,) = folder.iterdir()
    assert len(kept.read_text().splitlines()) == 20
    ladder.main(["tictactoe"], **told)  # whose games are not played again
    assert len(kept.read_text().splitlines()) == 20
    assert json.loads(path.read_text()) == found


def test_neighbours_play_on_until_their_distance_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rungs = ladder.rungs_of("random mcts-3 mcts-10")
    monkeypatch.setitem(ladder.RUNGS, "tictactoe", rungs)
    told = {"games": 20, "folder": tmp_path, "out": tmp_path}
    games = tmp_path / "tictactoe.jsonl"
    ladder.main(["tictactoe"], **told)
    few = games.read_text().splitlines()
    assert len(few) == 3 * 20
    ladder.main(["tictactoe"], error=45, **told)
    records = [*read_records(games)]
    assert max(ladder.errors_of_steps(rungs, records)) <= 45
    assert games.read_text().splitlines()[: len(few)] == few
    played = Counter(frozenset(record.players) for record in records)
    assert played[frozenset({rungs[0], rungs[2]})] == 20  # no neighbours
    assert sum(played.values()) > 3 * 20
    found = (tmp_path / "ladder_tictactoe.json").read_text()
    ladder.main(["tictactoe"], error=45, **told)  # no game is played again
    assert len(games.read_text().splitlines()) == len(records)
    assert (tmp_path / "ladder_tictactoe.json").read_text() == found


@pytest.mark.parametrize("name", ablation.SETTINGS)
@pytest.mark.parametrize("own", [False, True])
def test_a_setting_changes_what_its_name_says(name: str, own: bool) -> None:
    game, config = make_game(ablation.GAME), ablation.config_of(name, 0, 5, own)
    assert (config.network == "small") is (not own and "network" not in name)
    assert None not in (config.network, config.batch_size)  # as a run keeps them: by that a finished one is known
    cache = self_play._cache_mb(game, config, config.num_envs)
    assert (cache == 64) is ("cache_mb=0" not in name)
    assert checked_decisive(game, config.decisive, config.proofs) is ("decisive=False" not in name)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", "alphazero(simulations=9)"),
        ("alphazero()", "alphazero(simulations=9)"),
        ("alphazero(az, decisive=true)", "alphazero(az, decisive=true, simulations=9)"),
    ],
)
def test_another_alphazero_than_the_packages_plays_beside_alphago(tmp_path: Path, given: str, expected: str) -> None:
    fields = alphago.fields_of(tmp_path, "connect_four", 9, 0.5, given)
    assert fields["simulations"].players["alphazero"] == expected
    assert fields["seconds"].players["alphazero"] == expected.replace("simulations=9", "seconds=0.5")
    of_a_run = alphago.fields_of(tmp_path, "connect_four(rows=4)", 9, 0.0, str(tmp_path))
    assert of_a_run["simulations"].players["alphazero"] == f"alphazero({tmp_path}, simulations=9)"
    assert "alphazero" not in alphago.fields_of(tmp_path, "connect_four(rows=4)", 9, 0.0)["simulations"].players


def test_an_alphazero_that_is_none_is_told_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"game": "connect_four"}')
    with pytest.raises(typer.BadParameter, match="unknown agent 'nowhere'"):
        alphago.main(tmp_path, keep=tmp_path / "keep", alphazero="nowhere")
    assert not (tmp_path / "keep").exists()
