"""A session of a run of AlphaZero: self-play and learning by turns, and what is done between two turns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ....envs import make_game
from ..folder import StateFolder
from ..model import compile_players
from ..session import Progress, numbers_of
from ..settings import have_passed
from ..states import UNREADABLE, plain_of
from .actors import Actors
from .board import ScalarLog
from .config import AlphaZeroConfig
from .examination import Examination
from .gating import score_of
from .ray_actors import RayActors
from .replay import ReplayBuffer
from .self_play import Counts
from .sources import OwnPlay, Source, evaluate_by, new_inference

__all__ = ["AlphaZeroProgress", "AlphaZeroSession", "OnProgress"]

_SMOOTH = 0.98  # of the losses that are reported: means over some fifty steps


@dataclass(frozen=True)
class AlphaZeroProgress(Progress):
    """How far a run of AlphaZero is; rates are those of this session.

    Attributes:
        simulations_per_second: simulations of the search per second.
        samples: samples played so far.
        window: samples that are learned from at present.
        learned: steps of learning so far.
        learning_rate: the present learning rate.
        cache_hits: the share of positions that the cache answered, in place of the net; None where it answered none.
        losses: means of the last losses, by name.
        shares: shares of the time in search, in the net, in learning, and in all else.
        marks: the shares of moves that keep the value in the last test by solved positions.
    """

    simulations_per_second: float = 0.0
    samples: int = 0
    window: int = 0
    learned: int = 0
    learning_rate: float = 0.0
    cache_hits: float | None = None
    losses: dict[str, float] = field(default_factory=dict)
    shares: dict[str, float] = field(default_factory=dict)
    marks: dict[str, float] = field(default_factory=dict)

    def line(self) -> str:
        """Return how far the run is in two lines, and in a third how well the net plays, when that was tested."""
        rates = (
            f"{self.games_per_second:.1f} games/s, {self.steps_per_second:,.0f} steps/s, "
            f"{self.simulations_per_second:,.0f} simulations/s"
        )
        if self.cache_hits is not None:
            rates += f", cache {100 * self.cache_hits:.0f} %"
        times = ", ".join(f"{name} {100 * share:.0f} %" for name, share in self.shares.items())
        losses = ", ".join(f"{name} {loss:.3f}" for name, loss in self.losses.items() if name != "gradient")
        marks = {"keeps value": self.marks["preserving"]} if self.marks else {}
        scores = ", ".join(f"{name} {100 * score:.0f} %" for name, score in (self.ladder | marks).items())
        lines = [f"{self.steps:,} steps, {rates}", f"time: {times} | losses: {losses or 'none yet'}"]
        return "\n".join([*lines, scores] if scores else lines)


OnProgress = Callable[[AlphaZeroProgress], object]


class AlphaZeroSession:
    """Plays and learns by turns, tests, saves, reports, and says when the training is over.

    Args:
        config: the run's configuration.
        folder: the folder that keeps the run.
        on_progress: called with the progress after each turn.

    Attributes:
        steps: moves of self-play so far.
        playing: the net that plays in self-play, and that is saved.
        progress: what was reported last.
        interrupted: if set to True, the session ends after the turn in progress.

    Raises:
        ImportError: torch is not installed.
    """

    def __init__(self, config: AlphaZeroConfig, folder: StateFolder, on_progress: OnProgress | None) -> None:
        from ....agents.networks import AUXILIARY, new_network  # it says how torch is installed, which torch does not

        self.config, self.folder, self.on_progress = config, folder, on_progress
        import torch

        from .learner import Learner

        torch.set_num_threads(config.threads_each)
        self.game = game = make_game(config.game)
        auxiliary = tuple(name for name in AUXILIARY if getattr(config, name) > 0)
        size, self.batch_size = config.size(game.spec)
        net = new_network(game, size, seed=config.seed, value=config.value, auxiliary=auxiliary)
        self.learner = Learner(game, config, net)
        self.playing = deepcopy(self.learner.average) if config.gating_games else self.learner.average
        self.buffer = ReplayBuffer(folder.path / "replay", game, config.window_of, load=False)
        self.rng = np.random.default_rng(np.random.SeedSequence([config.seed, 1]))
        self.source: Source = self._new_source()
        self.examination = Examination(game, config, folder.path)
        self.log = ScalarLog(folder.tensorboard)
        self.counts, self.first_counts = Counts(), Counts()
        self.before, self.started = 0.0, time.perf_counter()
        self.losses: dict[str, float] = {}
        self.ladder: dict[str, float] = {}
        self.marks: dict[str, float] = {}
        self.tested = self.kept = self.gated = 0  # the steps at which each of these was done last
        self.seconds_learning = 0.0  # of this session
        self.progress = AlphaZeroProgress(0, 0.0, 0, 0.0, 0.0)
        self._player = ThreadPoolExecutor(1) if config.threads > 1 and not config.actors else None
        self.interrupted = False
        self._saved = self.started  # when the run was saved last

    def _new_source(self) -> Source:
        game, config, net = self.game, self.config, self.playing
        if config.ray:
            return RayActors(game, config, net)
        return Actors(game, config, net, self.folder.path) if config.actors else OwnPlay(game, config, net)

    @property
    def steps(self) -> int:
        """Moves of self-play so far."""
        return self.counts.moves

    @property
    def seconds(self) -> float:
        """The time of training, over all sessions."""
        return self.before + time.perf_counter() - self.started

    def run(self) -> None:
        """Play and learn until the training is over, or interrupted."""
        try:
            if self.config.ladder_every:
                compile_players(self.config.game, self.config.ladder)
                if not self.steps:  # else the positions are loaded, or could not be solved when the run began
                    self.examination.load()
                    self.examination.solve(lambda: self.interrupted)
            self.source.prepare()  # at last: actors play from here on
            self.started = self._saved = time.perf_counter()  # what comes before takes no time from the training
            while not self.between():
                self.turn()
        finally:
            self.source.close()  # before its thread is waited for: it may be in a turn that nobody asks for any more
            if self._player is not None:
                self._player.shutdown()
            self.log.close()

    def turn(self) -> None:
        """Play some plies, learn from what has been played, and let self-play have the new weights.

        With more threads than one both happen at the same time: then the net learns from what was played before this
        turn, whichever of the two is faster.
        """
        if self._player is None:
            samples, done = self.source.collect()
            self.buffer.append(samples)
            steps = self._learn()
        else:
            playing = self._player.submit(self.source.collect)
            steps = self._learn()
            samples, done = playing.result()
            self.buffer.append(samples)
        self.counts += done
        if steps and not self.config.gating_games:
            self.source.publish(self.playing)

    def _learn(self) -> int:
        """Take the steps of learning that are due by what has been played, and return their number."""
        start = time.perf_counter()
        config, total = self.config, self.buffer.total
        due = int(config.replay_ratio * total / self.batch_size) if total >= config.learn_after else 0
        steps = 0
        while self.learner.steps < due:
            batch = self.buffer.sample(self.batch_size, self.rng, symmetry=config.symmetry)
            for name, loss in self.learner.learn(batch).items():
                self.losses[name] = _SMOOTH * self.losses.get(name, loss) + (1 - _SMOOTH) * loss
            steps += 1
        self.seconds_learning += time.perf_counter() - start
        return steps

    def between(self) -> bool:
        """Do what is due between two turns, and return whether the training is over."""
        over = self._is_over()
        at_the_end = over and not self.interrupted  # whoever presses Ctrl-C does not wait for a test
        if self.config.gating_games and self._is_due(self.gated, self.config.gating_every):
            self.gated = self.steps
            self.gate()
        if self.config.ladder_every and self._is_due(self.tested, 1 if at_the_end else self.config.ladder_every):
            self.tested = self.steps
            self.test()
        every = self.config.checkpoint_every
        is_checkpoint = self._is_due(self.kept, 1 if over else every or math.inf)
        is_time = self._is_time_to_save()
        is_checkpoint |= every is None and self.steps > self.kept and is_time
        if is_checkpoint:
            self.kept = self.steps
            self.folder.add_checkpoint(self.steps, self._write_net)
        if is_checkpoint or over or self.steps == 0 or is_time:
            self.save()
        self.report(last=over)
        return over

    def _is_over(self) -> bool:
        steps = self.config.steps
        is_enough = steps is not None and self.steps >= steps
        return self.interrupted or is_enough or have_passed(self.config.minutes, self.seconds)

    def _is_time_to_save(self) -> bool:
        return have_passed(self.config.checkpoint_minutes, time.perf_counter() - self._saved)

    def _is_due(self, last: int, every: float) -> bool:
        """Return whether ``every`` steps have passed since ``last``; at the start of a session nothing is due."""
        return self.steps > self.first_counts.moves and self.steps - last >= every

    def test(self) -> None:
        """Let the net that plays be examined, and note the scores in the folder."""
        net = new_inference(self.config, self.playing)
        self.ladder, self.marks = self.examination.ladder(net), self.examination.marks(net)
        line = {"steps": self.steps, "seconds": round(self.seconds, 1), "ladder": self.ladder, **self.marks}
        self.folder.note(line)

    def gate(self) -> None:
        """Let the net that learns play against the one that plays, and replace it if it is better."""
        config = self.config
        nets = [evaluate_by(new_inference(config, net)) for net in (self.learner.average, self.playing)]
        # By seed + steps neighbouring runs would share openings. 3: the session's numbers have 1, its actors' have 2.
        seed = int(np.random.SeedSequence([config.seed, 3, self.steps]).generate_state(1)[0])
        score = score_of(self.game, config, nets[0], nets[1], seed)
        self.folder.note({"steps": self.steps, "seconds": round(self.seconds, 1), "gating": score})
        if score >= config.gating_score:
            self.playing.load_state_dict(self.learner.average.state_dict())
            self.source.publish(self.playing)

    def save(self) -> None:
        """Write the net and the state of the run, and remove the samples that no kept state needs."""
        self.folder.write(self.steps, self.state_dict(), {self.folder.model.name: self._write_net})
        self.buffer.drop_before(int(min(map(_samples_of, self.folder.states()))))
        self._saved = time.perf_counter()

    def _write_net(self, path: Any) -> None:
        from ....agents.networks import save_network

        notes = {"steps": self.steps, "seconds": round(self.seconds, 1), "config": asdict(self.config)}
        save_network(path, self.playing, notes=notes)

    def state_dict(self) -> dict[str, Any]:
        """Return all that the run goes on from: arrays, tensors, numbers and texts in nested dicts."""
        state = {
            "seconds": self.seconds,
            "counts": asdict(self.counts),
            "losses": dict(self.losses),
            "ladder": dict(self.ladder),
            "marks": dict(self.marks),
            "tested": self.tested,
            "kept": self.kept,
            "gated": self.gated,
            "random": self.rng.bit_generator.state,
            "replay": self.buffer.state_dict(),
            "learner": self.learner.state_dict(),
            "source": self.source.state_dict(),
        }
        return state | ({"playing": dict(self.playing.state_dict())} if self.config.gating_games else {})

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where a session of the same configuration was.

        Args:
            state: what `state_dict` returned.

        Raises:
            ValueError: it is of another game, or of another number of games, or samples are missing or damaged.
        """
        self.before, self.started = float(state["seconds"]), time.perf_counter()
        self._saved = self.started
        self.counts = self.first_counts = Counts.of(state["counts"])
        self.losses, self.ladder, self.marks = (numbers_of(state[name]) for name in ("losses", "ladder", "marks"))
        self.tested, self.kept, self.gated = (int(state[name]) for name in ("tested", "kept", "gated"))
        self.rng.bit_generator.state = state["random"]
        self.buffer.load_state_dict(state["replay"])
        self.learner.load_state_dict(state["learner"])
        if self.config.gating_games:
            self.playing.load_state_dict(state["playing"])
        self.source.load_state_dict(state["source"])
        if not self.config.actors:  # these are told when they are started
            self.source.publish(self.playing)

    def report(self, *, last: bool = False) -> None:
        """Tell the log and ``on_progress`` how far the run is, at the ``last`` whatever the log was told before."""
        seconds = max(self.seconds - self.before, 1e-9)
        done = self.counts - self.first_counts
        processes = max(1, self.config.actors)  # shares of the time of those that play, and of that which learns
        shares = {
            "search": done.seconds_search / seconds / processes,
            "net": done.seconds_net / seconds / processes,
            "learning": self.seconds_learning / seconds,
        }
        progress = AlphaZeroProgress(
            steps=self.steps,
            seconds=self.seconds,
            games=self.counts.games,
            steps_per_second=done.moves / seconds,
            games_per_second=done.games / seconds,
            ladder=self.ladder,
            simulations_per_second=done.simulations / seconds,
            samples=self.buffer.total,
            window=len(self.buffer),
            learned=self.learner.steps,
            learning_rate=self.learner.learning_rate,
            cache_hits=done.hits / (done.asked + done.hits) if done.hits else None,
            losses=dict(self.losses),
            shares=shares if self.config.actors else shares | {"other": max(0.0, 1 - sum(shares.values()))},
            marks=self.marks,
        )
        self.progress = progress
        self.log.add(progress, last=last)
        if self.on_progress is not None:
            self.on_progress(progress)


def _samples_of(state: Path) -> float:
    """Return how many samples had been played in a state; infinitely many where that cannot be read: it needs none."""
    try:
        return int(plain_of(state)["replay"]["total"])
    except UNREADABLE:
        return math.inf
