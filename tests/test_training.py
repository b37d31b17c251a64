"""Training runs: configuration, opponents, interruption, and going on exactly where a run was."""

from __future__ import annotations

import json
import os
import shutil
import signal
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete

torch = pytest.importorskip("torch")

from plyground.agents import Policy  # noqa: E402
from plyground.arena import Progress, TrainingConfig, match, resume, standings, train  # noqa: E402
from plyground.arena.training import RunFolder, check_unfinished  # noqa: E402
from plyground.arena.training.league import League  # noqa: E402
from plyground.envs import Game, make_game  # noqa: E402
from plyground.envs.vector.seats import SeatBatch  # noqa: E402

SMALL = TrainingConfig(
    "tictactoe",
    steps=512,
    num_envs=16,
    opening_plies=2,
    opponents={"random": 1.0},
    width=16,
    snapshot_every=128,
    checkpoint_every=256,
    ladder=("random",),
    ladder_every=0,
    ladder_games=10,
    settings={"n_steps": 8, "batch_size": 64},
)
A2C = replace(SMALL, algorithm="a2c", settings={"n_steps": 8})
DQN = replace(
    SMALL,
    algorithm="dqn",
    settings={"learning_starts": 64, "train_freq": 4, "gradient_steps": 1, "batch_size": 32, "buffer_size": 1000},
)
ALL = {"ppo": SMALL, "a2c": A2C, "dqn": DQN}


def weights(model: Any) -> dict[str, Any]:
    return model.policy.state_dict()


def assert_same(one: Any, other: Any) -> None:
    assert one.num_timesteps == other.num_timesteps
    for name, tensor in weights(one).items():
        assert torch.equal(tensor, weights(other)[name]), name


class Stop:
    """Interrupts a run, as Ctrl-C does, as soon as it has made so many steps."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def __call__(self, progress: Progress) -> None:
        if progress.steps >= self.steps:
            self.steps = 10**9
            os.kill(os.getpid(), signal.SIGINT)


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
            ({"self_play": 1.5}, "self_play must be a number, from 0 to 1, got 1.5"),
            ({"symmetry": 1}, "symmetry must be true or false, got 1"),
            ({"game": 7}, "game must be a text, got 7"),
            ({"threads": True}, "threads must be a whole number, from 1 to 1024, got True"),
            ({"opponents": {}}, "need opponents"),
            ({"opponents": {"random": -1.0}}, "share of opponent 'random' must be above 0"),
            ({"seed": -1}, "seed must be a whole number, at least 0"),
        ],
    )
    def test_says_what_does_not_fit(self, change: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            replace(SMALL, **change)

    def test_the_documentation_has_what_the_fields_say(self) -> None:
        documentation = " ".join((TrainingConfig.__doc__ or "").split())
        for one in fields(TrainingConfig):
            assert f" {one.name}: {one.metadata['what']}" in documentation
        assert "threads: Threads that advance the games. From 1 to 1024. Default: 1." in documentation

    @pytest.mark.parametrize(
        ("text", "message"),
        [("{", "no configuration"), ('{"game": "go", "stpes": 3}', "did you mean 'steps'"), ("[]", "no configuration")],
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

    def test_unknown_settings_write_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="unknown setting 'n_step' of MaskablePPO: did you mean 'n_steps'"):
            train(replace(SMALL, settings={"n_step": 8}), tmp_path / "run")
        assert not (tmp_path / "run").exists()


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

    def test_the_network_has_the_threads_it_was_given(self, tmp_path: Path) -> None:
        two = replace(SMALL, network_threads=2)
        one = train(two, tmp_path / "one")
        assert torch.get_num_threads() == 2
        assert_same(one, train(two, tmp_path / "other"))
        train(SMALL, tmp_path / "default")
        assert torch.get_num_threads() == 1

    def test_is_reproducible(self, tmp_path: Path) -> None:
        assert_same(train(SMALL, tmp_path / "one"), train(replace(SMALL, threads=2), tmp_path / "other"))

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
        with pytest.raises(FileExistsError, match="holds a training run already"):
            train(SMALL, tmp_path / "run")
        assert (tmp_path / "run" / "model.zip").read_bytes() == before

    @pytest.mark.parametrize("network", ["mlp", "resnet"])
    @pytest.mark.parametrize("game", ["connect_four", "go(board_size=5)"])
    def test_networks_for_all_boards(self, tmp_path: Path, game: str, network: Any) -> None:
        train(replace(SMALL, game=game, network=network, blocks=1, steps=128, symmetry=True), tmp_path / "run")


class TestResume:
    @pytest.mark.parametrize("symmetry", [False, True])
    @pytest.mark.parametrize("sampling", ["latest", "uniform", "prioritised"])
    @pytest.mark.parametrize("algorithm", ALL)
    def test_goes_on_exactly(self, tmp_path: Path, algorithm: str, sampling: Any, symmetry: bool) -> None:
        config = replace(ALL[algorithm], sampling=sampling, symmetry=symmetry)
        whole = train(config, tmp_path / "whole")
        part = train(config, tmp_path / "part", Stop(200))
        assert part.num_timesteps < 512
        assert_same(resume(tmp_path / "part"), whole)

    def test_goes_on_exactly_against_all_kinds(self, tmp_path: Path) -> None:
        kinds = "minimax(depth=1)", "mcts(simulations=10)", "mixture(random, alphabeta(depth=2))"
        config = replace(SMALL, opponents=dict.fromkeys(kinds, 1.0), self_play=0.2)
        train(config, tmp_path / "part", Stop(200))
        assert_same(resume(tmp_path / "part"), train(config, tmp_path / "whole"))

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
            with pytest.raises(ValueError, match=f"cannot go on from .*({message})"):
                resume(tmp_path / "run")

    def test_with_a_new_limit(self, tmp_path: Path) -> None:
        train(replace(SMALL, steps=256), tmp_path / "run")
        assert_same(resume(tmp_path / "run", steps=512), train(SMALL, tmp_path / "whole"))

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
        with pytest.raises(ValueError, match="cannot go on from"):
            resume(tmp_path / "run")

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
            ({"minutes": 1e-5}, r"nothing left to do: 0\.\d of 1e-05 minutes are done"),
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


class TestLeague:
    @staticmethod
    def league(**changes: Any) -> League:
        league = League(make_game("tictactoe"), replace(SMALL, **changes))
        league.follow(Counting(league.game))
        return league

    def test_the_pool_keeps_the_oldest_and_spreads(self) -> None:
        league = self.league(pool=4)
        for steps in range(0, 1000, 10):
            league.add(steps)
            league.draw()
            ages = [league.snapshots[number].steps for number in league.pool]
            assert min(2, 1 + steps // 10) <= len(ages) <= 4
            assert ages[0] == 0
            assert ages[-1] == steps
            gaps = np.diff(ages)  # all alike, but the last may be shorter
            assert (gaps[:-1] == gaps[:1]).all()
            assert (gaps <= gaps[:1]).all()
        assert set(league.snapshots) == {*league.pool, *league.active_opponents} - {-1}

    def test_prioritised_prefers_whom_it_loses_to(self) -> None:
        league = self.league(pool=8, active_opponents=1)
        for steps in range(4):
            league.add(steps)
        league.scores = {-1: 1.0, 0: 1.0, 1: 1.0, 2: 0.0, 3: 1.0}
        active_opponents = []
        for _ in range(200):
            league.draw()
            active_opponents += league.active_opponents
        assert active_opponents.count(2) > 190

    def test_shares(self) -> None:
        league = self.league(self_play=0.25, opponents={"random": 3.0, "alphabeta(depth=1)": 1.0}, num_envs=4000)
        seats = SeatBatch(league.game, 4000, league, seed=0)
        league.seated[:] = 99
        league.begin(seats.batch, np.arange(4000))
        share = {number: float(np.mean(league.seated == number)) for number in (-1, -2, -3)}
        assert share == pytest.approx({-1: 0.25, -2: 0.75 * 0.75, -3: 0.25 * 0.75}, abs=0.03)

    def test_scores_are_means_of_the_last_games(self) -> None:
        league = self.league()
        batch = SeatBatch(league.game, 16, league, seed=0).batch
        league.seated[:] = [-1] * 8 + [-2] * 8
        rewards = np.array([1] * 8 + [0] * 8, np.float32)
        league.end(batch, np.arange(16), rewards)
        assert league.scores == {-1: 1.0, -2: 0.5}
        for _ in range(2000):
            league.end(batch, np.arange(8), np.full(8, -1, np.float32))
        assert league.scores[-1] < 0.01


class Counting(torch.nn.Module):  # pyright: ignore[reportUntypedBaseClass]
    """Stands for a network, as far as the pool is concerned."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        self.game = game
        self.observation_space, self.action_space = game.observation_space(), Discrete(game.num_actions)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {"game": self.game}

    def set_training_mode(self, mode: bool) -> None:
        self.train(mode)


def test_symmetry_shows_each_game_through_an_image(tmp_path: Path) -> None:
    from plyground.arena.training.symmetries import SymmetricVecEnv
    from plyground.envs.vector.stable_baselines import BoardVecEnv

    game = make_game("go(board_size=5)")
    plain, seen = (BoardVecEnv(game, 32, "random", "first", seed=3) for _ in range(2))
    env = SymmetricVecEnv(seen)
    shape = (32, *game.observation_shape)
    images = [(np.arange(25), np.arange(26)), *((one.cells, one.actions) for one in game.symmetries)]
    rng = np.random.default_rng(0)
    env.reset()
    ended = 0
    for _ in range(60):
        planes, masks = seen.seats.observations.reshape(32, 25, -1), seen.seats.masks
        shown, shown_masks = env._seen(seen._view(seen.seats.observations), np.arange(32)), env.action_masks()
        for row, image in enumerate(env.images):
            cells, actions = images[image]
            assert (shown.reshape(shape)[row].reshape(25, -1) == planes[row][cells]).all()
            assert (shown_masks[row] == masks[row][actions]).all()
        chosen = np.array([rng.choice(np.flatnonzero(mask)) for mask in shown_masks])
        expected = np.array([images[image][1][action] for image, action in zip(env.images, chosen, strict=True)])
        before = seen.seats.batch.states.copy()
        legal = seen.seats.masks[np.arange(32), expected]
        assert legal.all()
        _, _, dones, infos = env.step(chosen)
        ended += int(dones.sum())
        assert all("terminal_observation" in infos[row] for row in np.flatnonzero(dones))
        assert (before != seen.seats.batch.states).any()
    assert ended > 0
    assert len(set(env.images.tolist())) == 8
    assert plain.num_envs == env.num_envs
    with pytest.raises(ValueError, match="no symmetries"):
        SymmetricVecEnv(BoardVecEnv("checkers", 1))
