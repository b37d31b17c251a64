"""Training runs: configuration, what a run writes, and what it learns."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from stable_baselines3.common.buffers import ReplayBuffer  # noqa: E402

from plyground.agents import Policy  # noqa: E402
from plyground.agents.networks import network_config  # noqa: E402
from plyground.arena import Progress, TrainingConfig, match, standings, train  # noqa: E402
from plyground.arena.training import RunFolder, new_model  # noqa: E402
from plyground.arena.training.alphago import AlphaGoConfig  # noqa: E402
from plyground.arena.training.alphazero import AlphaZeroConfig  # noqa: E402
from plyground.arena.training.model import check_algorithm  # noqa: E402
from plyground.arena.training.networks import ResidualNetwork, network_settings  # noqa: E402
from plyground.envs import Game, make_game  # noqa: E402
from tests.helpers.coin import COIN  # noqa: E402
from tests.helpers.training_runs import ALL, SMALL, assert_same  # noqa: E402


class TestConfig:
    def test_is_kept_as_json(self, tmp_path: Path) -> None:
        config = replace(SMALL, opponents={"random": 0.5, "alphabeta(depth=1)": 2.0}, minutes=1.5)
        config.save(tmp_path / "config.json")
        assert TrainingConfig.load(tmp_path / "config.json") == config

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"algorithm": "pop"}, "unknown algorithm 'pop': did you mean 'ppo'"),
            ({"sampling": "unifrom"}, "did you mean 'uniform'"),
            ({"network": "cnn"}, "unknown network 'cnn'"),
            ({"num_envs": 0}, "num_envs must be a whole number, at least 1, got 0"),
            ({"network_threads": 0}, "network_threads must be a whole number, from 1 to 1024, got 0"),
            ({"steps": 0}, "steps must be a whole number, at least 1, got 0"),
            ({"steps": None}, "give steps, or minutes"),
            ({"minutes": 0}, "minutes must be a number, above 0, got 0"),
            ({"minutes": float("inf")}, "minutes must be a finite number, above 0, got inf"),  # a number above 0 it is
            ({"self_play": 1.5}, "self_play must be a number, from 0 to 1, got 1.5"),
            ({"symmetry": 1}, "symmetry must be true or false, got 1"),
            ({"game": 7}, "game must be a text, got 7"),
            ({"threads": True}, "threads must be a whole number, from 1 to 1024, got True"),
            ({"opponents": {}}, "need opponents"),
            ({"opponents": {"random": -1.0}}, "share of opponent 'random' must be above 0"),
            ({"seed": -1}, "seed must be a whole number, from 0 to 4294967295, got -1"),
            ({"seed": 2**32}, "seed must be a whole number, from 0 to 4294967295, got 4294967296"),
            ({"ladder": "random"}, "ladder must be a tuple of texts, got 'random'"),
            ({"opponents": ["random"]}, "opponents must be a mapping from names, got"),
            ({"opponents": {5: 1.0}}, "opponents must be a mapping from names, got"),
            ({"settings": [1]}, "settings must be a mapping from names, got"),
        ],
    )
    def test_says_what_does_not_fit(self, change: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            replace(SMALL, **change)

    def test_both_ends_of_a_range_are_told(self) -> None:
        with pytest.raises(ValueError, match="full_share must be a number, above 0, at most 1, got 2"):
            AlphaZeroConfig("tictactoe", full_share=2)

    def test_a_residual_net_needs_a_board(self) -> None:
        with pytest.raises(ValueError, match=r"H×W×C, and those of coin have the shape \(1,\): choose network mlp"):
            network_settings(Game(**COIN), "resnet", 16, 1)
        with pytest.raises(ValueError, match=r"H×W×C, got the shape \(1,\): choose an mlp, as by size 'mlp'"):
            network_config(Game(**COIN), "small")
        assert network_config(Game(**COIN), "mlp8-8").kind == "mlp"

    def test_the_documentation_has_what_the_fields_say(self) -> None:
        documentation = " ".join((TrainingConfig.__doc__ or "").split())
        for one in fields(TrainingConfig):
            assert f" {one.name}: {one.metadata['what']}" in documentation
        assert "threads: Threads that advance the games. At least 1. Default: 1." in documentation
        assert "as it was. From 0 to 1. Default: 0.3." in documentation

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("{", "no configuration"),
            ('{"game": "go", "stpes": 3}', "did you mean 'steps'"),
            ("[]", "no configuration"),
            pytest.param(10**5 * "[", "no configuration", id="nested without end"),
        ],
    )
    def test_a_damaged_file_is_named(self, tmp_path: Path, text: str, message: str) -> None:
        path = tmp_path / "config.json"
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            TrainingConfig.load(path)

    @pytest.mark.parametrize(
        "change", [{"game": "tictactoo"}, {"opponents": {"rondom": 1.0}}, {"ladder": ("mcts(simulation=3)",)}]
    )
    def test_unknown_names_write_nothing(self, tmp_path: Path, change: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match="did you mean"):
            train(replace(SMALL, **change), tmp_path / "run")
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize(
        ("kind", "change"),
        [
            (TrainingConfig, {"opponents": {"human": 1.0}}),
            (TrainingConfig, {"ladder": ("human",)}),
            (AlphaZeroConfig, {"ladder": ("human",)}),
            (AlphaGoConfig, {"ladder": ("human",)}),
        ],
    )
    def test_nobody_is_asked_for_moves(self, kind: Any, change: dict[str, Any]) -> None:
        """Training began, and waited for somebody."""
        with pytest.raises(ValueError, match="'human' is a person, and a training asks for moves by itself"):
            kind("tictactoe", **change).check_names()

    def test_an_opponent_written_in_two_ways_is_one(self) -> None:
        """The share of the first was lost."""
        config = replace(SMALL, opponents={"./mine.py:Mine": 1.0, "mine.py:Mine": 3.0, "random": 1.0})
        with pytest.raises(ValueError, match=r"opponents '\./mine.py:Mine' and 'mine.py:Mine' are one"):
            config.anywhere()

    def test_unknown_settings_write_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="unknown setting 'n_step' of MaskablePPO: did you mean 'n_steps'"):
            train(replace(SMALL, settings={"n_step": 8}), tmp_path / "run")
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize(
        ("algorithm", "settings", "message"),
        [
            ("ppo", {"batch_size": "abc"}, "batch_size of MaskablePPO must be a whole number, at least 2, got 'abc'"),
            ("ppo", {"n_steps": 0}, "n_steps of MaskablePPO must be a whole number, at least 1, got 0"),
            ("ppo", {"n_epochs": 1.5}, "n_epochs of MaskablePPO must be a whole number, at least 1, got 1.5"),
            ("ppo", {"gamma": True}, "gamma of MaskablePPO must be a number, got True"),
            ("a2c", {"normalize_advantage": "no"}, "normalize_advantage of A2C must be true or false, got 'no'"),
            ("dqn", {"buffer_size": None}, "buffer_size of DQN must be a whole number, at least 1, got None"),
            ("ppo", {"learning_rate": None}, "learning_rate of MaskablePPO must be a number, got None"),
            ("ppo", {"clip_range": -0.2}, "clip_range of MaskablePPO must be above 0, got -0.2"),
            ("ppo", {"gamma": 7}, "gamma of MaskablePPO must be from 0 to 1, got 7"),
            ("dqn", {"tau": -3.0}, "tau of DQN must be from 0 to 1, got -3.0"),
            ("a2c", {"max_grad_norm": -1}, "max_grad_norm of A2C must be above 0, got -1"),
            ("ppo", {"target_kl": 0}, "target_kl of MaskablePPO must be above 0, or None, got 0"),
            ("ppo", {"clip_range_vf": 0}, "clip_range_vf of MaskablePPO must be above 0, or None, got 0"),
            ("ppo", {"batch_size": 1}, "batch_size of MaskablePPO must be a whole number, at least 2, got 1"),
            ("ppo", {"n_steps": 2, "batch_size": 31}, "a minibatch of one, .* give another batch_size than 31"),
            ("dqn", {"train_freq": (1, "episode")}, "train_freq of DQN must count steps where 16 games are played"),
            ("dqn", {"replay_buffer_class": 3}, "class of DQN must be a subclass of ReplayBuffer, or None, got 3"),
            ("ppo", {"rollout_buffer_class": "x"}, "rollout_buffer_class of MaskablePPO must be .* or None, got 'x'"),
            ("dqn", {"replay_buffer_kwargs": 3}, "kwargs of DQN must be a mapping from names, or None, got 3"),
            ("a2c", {"rollout_buffer_kwargs": [1]}, r"rollout_buffer_kwargs of A2C must be a mapping .* got \[1\]"),
            ("dqn", {"replay_buffer_kwargs": {"foo": 1}}, "kwargs of DQN must be what its buffer takes: .*foo"),
            ("ppo", {"tensorboard_log": 3}, "tensorboard_log of MaskablePPO must be a text, or None, got 3"),
            ("dqn", {"exploration_fraction": 0.1}, "a share of a length that is not known .* give exploration_steps"),
        ],
    )
    def test_settings_that_are_no_numbers_write_nothing(
        self, tmp_path: Path, algorithm: Any, settings: dict[str, Any], message: str
    ) -> None:
        """The libraries found some of them in the midst of a run."""
        with pytest.raises(ValueError, match=message):
            train(replace(ALL[algorithm], settings=settings), tmp_path / "run")
        assert not (tmp_path / "run").exists()

    def test_settings_that_cannot_be_kept_write_nothing(self, tmp_path: Path) -> None:
        """A run failed at its first file, after all was compiled; in loops of one's own they are welcome."""
        config = replace(SMALL, settings={**SMALL.settings, "learning_rate": lambda left: 1e-3 * left})
        with pytest.raises(ValueError, match="settings of a run are kept as JSON, and learning_rate is <function"):
            train(config, tmp_path / "run")
        assert not (tmp_path / "run").exists()
        assert new_model(config)[0].learning_rate is config.settings["learning_rate"]

    def test_settings_are_what_the_libraries_take(self) -> None:
        for algorithm, settings in (
            ("ppo", {"learning_rate": lambda left: 1e-3 * left, "target_kl": None, "batch_size": None, "gamma": 1}),
            ("dqn", {"train_freq": (4, "step"), "gradient_steps": -1, "learning_starts": 0, "tau": 0.5}),
            ("dqn", {"replay_buffer_class": ReplayBuffer, "replay_buffer_kwargs": {}, "tensorboard_log": "here"}),
            ("a2c", {"rollout_buffer_class": None, "rollout_buffer_kwargs": None, "tensorboard_log": None}),
        ):
            check_algorithm(replace(ALL[algorithm], settings=settings))

    def test_an_advantage_is_not_normalized_alone(self) -> None:
        """All weights became NaN, and the run ended at its next batch of experience."""
        for algorithm, normalizes, batch in (("ppo", True, {"batch_size": 64}), ("a2c", False, {})):
            alone = replace(ALL[algorithm], num_envs=1, settings={"n_steps": 1, **batch})
            settings = {**alone.settings, "normalize_advantage": not normalizes}
            for config, is_wrong in ((alone, normalizes), (replace(alone, settings=settings), not normalizes)):
                with pytest.raises(ValueError, match="give another n_steps") if is_wrong else nullcontext():
                    check_algorithm(config)

    def test_lists_of_a_file_are_the_tuples_that_the_libraries_take(self) -> None:
        dqn = ALL["dqn"]
        model, venv, _ = new_model(replace(dqn, settings={**dqn.settings, "train_freq": [4, "step"]}), 512)
        venv.close()
        assert model.train_freq.frequency == 4

    @pytest.mark.slow
    @pytest.mark.parametrize("algorithm", ALL)
    def test_settings_are_checked_first_of_all_in_a_process(self, algorithm: str) -> None:
        """Types in the signature of the library have names that only some of its other modules know."""
        code = (
            "from plyground.arena import TrainingConfig; from plyground.arena.training.model import check_algorithm; "
            f"check_algorithm(TrainingConfig('tictactoe', {algorithm!r}, settings={{'gamma': 0.9}}))"
        )
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert (result.returncode, result.stderr) == (0, "")


class TestRun:
    @pytest.mark.parametrize("algorithm", ALL)
    def test_keeps_model_checkpoints_and_progress(self, tmp_path: Path, algorithm: str) -> None:
        seen: list[Progress] = []
        model = train(replace(ALL[algorithm], ladder_every=256), tmp_path / "run", seen.append)
        assert model.num_timesteps >= 512
        run = RunFolder(tmp_path / "run")
        assert TrainingConfig.load(run.config).algorithm == algorithm
        assert run.model.is_file()
        steps = [int(path.stem.removeprefix("step_")) for path in sorted(run.checkpoints.iterdir())]
        assert len(steps) == 2
        assert steps[-1] == model.num_timesteps
        lines = [json.loads(line) for line in run.progress.read_text().splitlines()]
        assert [line["steps"] for line in lines] == steps
        assert all(0 <= line["ladder"]["random"] <= 1 for line in lines)
        assert seen[-1].steps == model.num_timesteps
        assert seen[-1].games > 100
        assert any(run.tensorboard.iterdir())

    def test_each_test_is_among_the_scalars_at_its_own_step(self, tmp_path: Path) -> None:
        """They stood a batch later, and the last one there and at its own."""
        events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
        train(replace(SMALL, ladder_every=128), tmp_path / "run")
        found = events.EventAccumulator(str(tmp_path / "run" / "tensorboard"))
        found.Reload()
        assert [one.step for one in found.Scalars("ladder/random")] == [128, 256, 384, 512]

    def test_the_model_can_learn_on(self, tmp_path: Path) -> None:
        """Its logger was closed."""
        model = train(replace(SMALL, steps=128), tmp_path / "run")
        assert model.learn(128, reset_num_timesteps=False).num_timesteps == 256

    def test_without_tensorboard_no_scalars_are_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("plyground.arena.training.run.find_spec", lambda name: None)
        monkeypatch.setattr("stable_baselines3.common.logger.SummaryWriter", None)
        assert train(replace(SMALL, steps=128), tmp_path / "run").num_timesteps == 128
        assert not any((tmp_path / "run" / "tensorboard").iterdir())

    def test_exploration_in_a_loop_of_ones_own_takes_the_steps_that_it_is_to_take(self) -> None:
        """Half of them, from 1 to 5 %; the share of random moves had ended after a thousandth of a percent."""
        config = replace(ALL["dqn"], exploration_steps=200)
        for model, _, _ in (new_model(config, 400), new_model(replace(config, steps=400))):
            rates = [model.exploration_schedule(left) for left in (1.0, 0.75, 0.5, 0.25)]
            assert rates == pytest.approx([1.0, 0.525, 0.05, 0.05])
        with pytest.raises(ValueError, match="steps must be a whole number, at least 1, got 0"):
            new_model(config, 0)

    @pytest.mark.slow
    def test_the_network_has_the_threads_it_was_given(self, tmp_path: Path) -> None:
        two = replace(SMALL, network_threads=2)
        one = train(two, tmp_path / "one")
        assert torch.get_num_threads() == 2
        assert_same(one, train(two, tmp_path / "other"))
        train(SMALL, tmp_path / "default")
        assert torch.get_num_threads() == 1

    def test_is_reproducible(self, tmp_path: Path) -> None:
        assert_same(train(SMALL, tmp_path / "one"), train(replace(SMALL, threads=2), tmp_path / "other"))

    @pytest.mark.parametrize("algorithm", ["ppo", "dqn"])
    def test_learning_that_has_diverged_says_so_and_is_not_saved(self, tmp_path: Path, algorithm: str) -> None:
        """Torch told of it in many lines, and DQN learned on with weights that were no numbers."""
        config = ALL[algorithm]
        config = replace(config, settings={**config.settings, "learning_rate": 1e30})
        with pytest.raises(ValueError, match=r"learning has diverged: .* are not all finite after .*; begin anew"):
            train(config, tmp_path / "run")
        run = RunFolder(tmp_path / "run")
        assert not any(run.checkpoints.iterdir())
        assert [state.name for state in run.states()] == ["step_000000000"]

    def test_tests_and_checkpoints_change_nothing(self, tmp_path: Path) -> None:
        often = replace(SMALL, ladder_every=1, checkpoint_every=1)
        assert_same(train(SMALL, tmp_path / "one"), train(often, tmp_path / "other"))

    @pytest.mark.slow
    def test_learns(self, tmp_path: Path) -> None:
        config = replace(SMALL, steps=100_000, num_envs=64, opening_plies=4, self_play=0.5, width=64)
        scores: list[float] = []
        model = train(
            replace(config, ladder_games=200, ladder_every=10**6, settings={"n_steps": 16, "batch_size": 256}),
            tmp_path / "run",
            lambda progress: scores.extend(progress.ladder.values()),
        )
        assert scores[-1] > 0.85  # a random player scores 0.5
        table = standings(match("tictactoe", [Policy("tictactoe", model), "random"], games=100))
        assert table[0].name == "Policy"
        assert table[0].total.points >= 80

    def test_a_folder_with_a_run_is_not_written_over(self, tmp_path: Path) -> None:
        train(replace(SMALL, steps=128), tmp_path / "run")
        before = (tmp_path / "run" / "model.zip").read_bytes()
        with pytest.raises(FileExistsError, match="holds a run already"):
            train(SMALL, tmp_path / "run")
        assert (tmp_path / "run" / "model.zip").read_bytes() == before

    @pytest.mark.parametrize("network", ["mlp", "resnet"])
    @pytest.mark.parametrize("game", ["connect_four", "go(board_size=5)"])
    def test_networks_for_all_boards(self, tmp_path: Path, game: str, network: Any) -> None:
        config = replace(SMALL, game=game, network=network, blocks=1, steps=128, symmetry=True)
        model = train(config, tmp_path / "run")
        bodies = [part for part in model.policy.modules() if isinstance(part, ResidualNetwork)]
        assert bool(bodies) is (network == "resnet")
        planes = math.prod(make_game(game).observation_shape)
        widths = {part.in_features for part in model.policy.modules() if isinstance(part, torch.nn.Linear)}
        assert (planes in widths) is (network == "mlp")  # all planes at once
