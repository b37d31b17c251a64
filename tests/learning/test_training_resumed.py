"""Training runs that were interrupted, or crashed: they go on exactly where they were."""

from __future__ import annotations

import json
import shutil
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from plyground.arena import Progress, TrainingConfig, resume, train
from plyground.arena.training import RunFolder, check_unfinished
from tests.helpers.training_runs import ALL, SMALL, Stop, assert_same


class TestResume:
    @pytest.mark.parametrize(
        ("sampling", "symmetry"),
        [
            ("latest", False),
            ("uniform", True),
            ("prioritised", True),
            pytest.param("latest", True, marks=pytest.mark.slow),
            pytest.param("uniform", False, marks=pytest.mark.slow),
            pytest.param("prioritised", False, marks=pytest.mark.slow),
        ],
    )
    @pytest.mark.parametrize("algorithm", ALL)
    def test_goes_on_exactly(self, tmp_path: Path, algorithm: str, sampling: Any, symmetry: bool) -> None:
        config = replace(ALL[algorithm], sampling=sampling, symmetry=symmetry)
        whole = train(config, tmp_path / "whole")
        part = train(config, tmp_path / "part", Stop(200))
        assert part.num_timesteps < 512
        assert_same(resume(tmp_path / "part"), whole)

    @pytest.mark.slow
    def test_goes_on_exactly_against_all_kinds(self, tmp_path: Path) -> None:
        kinds = "minimax(depth=1)", "mcts(simulations=10)", "mixture(random, alphabeta(depth=2))"
        config = replace(SMALL, opponents=dict.fromkeys(kinds, 1.0), self_play=0.2)
        train(config, tmp_path / "part", Stop(200))
        assert_same(resume(tmp_path / "part"), train(config, tmp_path / "whole"))

    def test_ctrl_c_saves_without_a_test_before(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Hundreds of games against the ladder were played first: whoever pressed it again lost what was learned."""

        def impatient(*arguments: object) -> dict[str, float]:
            raise KeyboardInterrupt

        monkeypatch.setattr("plyground.arena.training.session.ladder_scores", impatient)
        model = train(replace(SMALL, ladder_every=10**6), tmp_path / "run", Stop(200))
        assert RunFolder(tmp_path / "run").done()[0] == model.num_timesteps < 512

    def test_after_a_crash_from_the_last_checkpoint(self, tmp_path: Path) -> None:
        whole = train(replace(SMALL, ladder_every=128), tmp_path / "whole")

        def crash(progress: Progress) -> None:
            if progress.steps > 300:
                raise RuntimeError("out of luck")

        with pytest.raises(RuntimeError, match="out of luck"):
            train(replace(SMALL, ladder_every=128), tmp_path / "part", crash)
        assert_same(resume(tmp_path / "part"), whole)
        for name in ("whole", "part"):  # what was noted after the checkpoint is not there twice
            lines = (tmp_path / name / "progress.jsonl").read_text().splitlines()
            assert [json.loads(line)["steps"] for line in lines] == [128, 256, 384, 512]

    def test_a_state_has_no_more_than_the_run_needs(self, tmp_path: Path) -> None:
        """Whatever room to work in a class has is not in it, so that a new one does not break old runs."""
        opponents = {"random": 1.0, "mixture(random, minimax(depth=1))": 1.0}
        train(replace(SMALL, steps=128, symmetry=True, game="go(board_size=5)", opponents=opponents), tmp_path / "run")
        batch = "states masks players plies over rngs start line past.keys past.seen frames.windows frames.first"
        seats = ["learners", "lengths", "terminations", *(f"batch/{name}" for name in batch.split())]
        league = ["opponents/seated", "opponents/others/1/drawn"]
        expected = ["random/torch", "random/numpy/state/key", "games/images"]
        expected += [f"games/venv/{name}" for name in (*seats, *league)]
        with np.load(RunFolder(tmp_path / "run").state() / "arrays.npz") as saved:
            assert sorted(saved.files) == sorted(expected)

    def test_a_state_that_does_not_fit_the_configuration(self, tmp_path: Path) -> None:
        train(replace(SMALL, steps=128), tmp_path / "run")
        run = RunFolder(tmp_path / "run")
        for change, message in (
            ({"opponents": {"random": 1.0, "alphabeta(depth=1)": 1.0}}, "the state is of 1 opponents, expected 2"),
            ({"num_envs": 8}, "expected|number of environments"),
        ):
            replace(SMALL, **change).save(run.config)
            with pytest.raises(ValueError, match=f"cannot go on from .*({message})") as told:
                resume(tmp_path / "run")
            assert "goes on from" not in str(told.value)  # an older state would fit no better

    def test_with_a_new_limit(self, tmp_path: Path) -> None:
        train(replace(SMALL, steps=256), tmp_path / "run")
        assert_same(resume(tmp_path / "run", steps=512), train(SMALL, tmp_path / "whole"))

    def test_compiling_takes_no_time_from_the_training(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        train(replace(SMALL, steps=128), tmp_path / "run")
        now, late = time.perf_counter, 0.0

        def compile_for_hours(*arguments: Any) -> None:
            nonlocal late
            late += 1e6

        monkeypatch.setattr("plyground.arena.training.run.compile_players", compile_for_hours)
        clock = SimpleNamespace(perf_counter=lambda: now() + late)
        monkeypatch.setattr("plyground.arena.training.session.time", clock)
        resume(tmp_path / "run", steps=256)
        assert late > 0
        assert RunFolder(tmp_path / "run").done()[1] < late

    def test_on_another_machine_with_other_threads(self, tmp_path: Path) -> None:
        train(replace(SMALL, steps=256), tmp_path / "run")
        check_unfinished(tmp_path / "run", steps=512, threads=2)
        with pytest.raises(ValueError, match="the device that it has: only steps, minutes, threads, network_threads"):
            resume(tmp_path / "run", steps=512, device="cuda")
        assert_same(resume(tmp_path / "run", steps=512, threads=2), train(SMALL, tmp_path / "whole"))
        assert TrainingConfig.load(tmp_path / "run" / "config.json").threads == 2

    def test_a_limit_that_is_not_given_stays(self, tmp_path: Path) -> None:
        train(replace(SMALL, steps=256, minutes=60.0), tmp_path / "run")
        check_unfinished(tmp_path / "run", steps=512)
        resume(tmp_path / "run", steps=512)
        config = TrainingConfig.load(tmp_path / "run" / "config.json")
        assert (config.steps, config.minutes) == (512, 60.0)

    def test_a_finished_run_stays(self, tmp_path: Path) -> None:
        model = train(SMALL, tmp_path / "run")
        assert_same(resume(tmp_path / "run"), model)

    def test_an_empty_folder(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError, match="no training run"):
            resume(tmp_path)

    @pytest.mark.parametrize("name", ["state.json", "arrays.npz", "tensors.pt", "model.zip"])
    def test_a_damaged_file_is_named(self, tmp_path: Path, name: str) -> None:
        train(replace(SMALL, steps=128), tmp_path / "run")
        path = RunFolder(tmp_path / "run").state() / name
        path.write_bytes(path.read_bytes()[:50])
        with pytest.raises(ValueError, match=r"cannot go on from .*without this folder the run goes on from step_0"):
            resume(tmp_path / "run")

    def test_a_buffer_that_is_gone_is_missed(self, tmp_path: Path) -> None:
        """DQN went on with an empty one, and so became another run."""
        train(replace(ALL["dqn"], steps=128), tmp_path / "run")
        (RunFolder(tmp_path / "run").state() / "replay.pkl").unlink()
        with pytest.raises(
            ValueError, match=r"cannot go on from .*replay.pkl.*without this folder the run goes on from"
        ):
            resume(tmp_path / "run", steps=256)

    def test_a_wrong_byte_in_a_buffer_is_found(self, tmp_path: Path) -> None:
        """A pickle has no checksum: DQN learned from it without a word, or ended in an error of Python's own."""
        config = replace(ALL["dqn"], checkpoint_every=10**9)
        whole = train(config, tmp_path / "whole")
        train(replace(config, steps=256), tmp_path / "run")
        path = RunFolder(tmp_path / "run").state() / "replay.pkl"
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        message = r"cannot go on from .*replay.pkl' is damaged; without this folder the run goes on from step_000000000"
        with pytest.raises(ValueError, match=message):
            resume(tmp_path / "run", steps=512)
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        path.with_name("replay.pkl.sha256").unlink()  # which older versions did not write
        assert_same(resume(tmp_path / "run", steps=512), whole)

    def test_a_finished_run_of_dqn_stays_whole(self, tmp_path: Path) -> None:
        """Its state is written once more, and a buffer that was read need not give the same pickle."""
        config = replace(ALL["dqn"], steps=128)
        train(config, tmp_path / "run")
        resume(tmp_path / "run")
        assert resume(tmp_path / "run", steps=256).num_timesteps == 256

    def test_a_model_that_is_cut_off_after_a_whole_part_is_damaged(self, tmp_path: Path) -> None:
        """The parts are zip files themselves, so the last one was taken for the whole."""
        train(replace(SMALL, steps=128), tmp_path / "run")
        path = RunFolder(tmp_path / "run").state() / "model.zip"
        with zipfile.ZipFile(path) as file:
            after = file.getinfo("policy.optimizer.pth").header_offset
        path.write_bytes(path.read_bytes()[:after])
        with pytest.raises(ValueError, match=r"cannot go on from .*without this folder the run goes on from step_0"):
            resume(tmp_path / "run", steps=256)

    @pytest.mark.parametrize("algorithm", ALL)
    def test_scalars_have_each_step_once(self, tmp_path: Path, algorithm: str) -> None:
        """What was written after the state that the run goes on from was there twice."""
        reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
        config = replace(ALL[algorithm], ladder_every=128)

        def crash(progress: Progress) -> None:
            if progress.steps > 300:
                raise RuntimeError("out of luck")

        with pytest.raises(RuntimeError, match="out of luck"):
            train(config, tmp_path / "run", crash)
        resume(tmp_path / "run")
        found = reader.EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
        steps = {tag: [event.step for event in found.Scalars(tag)] for tag in found.Tags()["scalars"]}
        assert steps["ladder/random"] == [128, 256, 384, 512]
        assert {tag: found for tag, found in steps.items() if len(set(found)) < len(found)} == {}

    def test_an_unfinished_state_is_not_used(self, tmp_path: Path) -> None:
        train(replace(SMALL, steps=128), tmp_path / "run")
        (tmp_path / "run" / "state" / "step_000000999.partial").mkdir()
        assert RunFolder(tmp_path / "run").state().name == "step_000000128"
        assert resume(tmp_path / "run", steps=256).num_timesteps == 256
        kept = sorted(path.name for path in (tmp_path / "run" / "state").iterdir())
        assert kept == ["step_000000000", "step_000000128", "step_000000256"]

    def test_it_is_saved_by_time_too_and_the_last_few_states_are_kept(self, tmp_path: Path) -> None:
        config = replace(SMALL, checkpoint_every=10**9, checkpoint_minutes=1e-6)
        whole = train(replace(config, checkpoint_minutes=None), tmp_path / "whole")

        def crash(progress: Progress) -> None:
            if progress.steps > 300:
                raise RuntimeError("out of luck")

        with pytest.raises(RuntimeError, match="out of luck"):
            train(config, tmp_path / "part", crash)
        run = RunFolder(tmp_path / "part")
        assert [path.name for path in run.states()] == [f"step_000000{steps}" for steps in (128, 256, 384)]
        damaged = run.state() / "tensors.pt"
        damaged.write_bytes(b"")
        with pytest.raises(ValueError, match="without this folder the run goes on from step_000000256"):
            resume(tmp_path / "part")
        shutil.rmtree(damaged.parent)
        assert_same(resume(tmp_path / "part"), whole)

    @pytest.mark.parametrize(
        ("limits", "message"),
        [
            ({"steps": 100}, "nothing left to do: 128 of 100 steps are done"),
            ({"minutes": 60.0}, "nothing left to do: 128 of 128 steps are done"),  # a limit that stays
            ({"steps": 256, "minutes": 1e-5}, r"nothing left to do: 0\.\d of 1e-05 minutes are done"),
        ],
    )
    def test_nothing_left_to_do(self, tmp_path: Path, limits: dict[str, Any], message: str) -> None:
        train(replace(SMALL, steps=128), tmp_path / "run")
        before = (tmp_path / "run" / "config.json").read_text()
        with pytest.raises(ValueError, match=message):
            resume(tmp_path / "run", **limits)
        with pytest.raises(ValueError, match=message):
            check_unfinished(tmp_path / "run", **limits)  # which the command line asks before anything is compiled
        with pytest.raises(ValueError, match="nothing left to do: 128 of 128 steps are done"):
            check_unfinished(tmp_path / "run")
        assert (tmp_path / "run" / "config.json").read_text() == before
