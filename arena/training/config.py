"""What a training run is told: one typed record, with every default stated, kept as JSON beside the model."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from numbers import Real
from pathlib import Path
from typing import Any, Literal, get_args

from ...envs import make_game
from ...envs.spec import nearest

__all__ = ["ALGORITHMS", "TrainingConfig"]

# The settings of each algorithm where they differ from the library's.
ALGORITHMS: Mapping[str, Mapping[str, Any]] = {
    "ppo": {
        "n_steps": 32,
        "batch_size": 1024,
        "n_epochs": 4,
        "learning_rate": 1e-3,
        "ent_coef": 0.01,
        "gamma": 1.0,
        "gae_lambda": 0.9,
    },
    "a2c": {"n_steps": 16, "learning_rate": 1e-3, "ent_coef": 0.01, "gamma": 1.0},
    "dqn": {
        "learning_rate": 5e-4,
        "learning_starts": 10_000,
        "buffer_size": 200_000,
        "batch_size": 512,
        "train_freq": 1,
        "gradient_steps": 4,
        "target_update_interval": 4000,
        "gamma": 0.99,
    },
}

Sampling = Literal["latest", "uniform", "prioritised"]
Network = Literal["mlp", "resnet"]


def _opponents() -> dict[str, float]:
    searches = "alphabeta(depth=1)", "alphabeta(depth=2)", "alphabeta(depth=3)", "mcts(simulations=100)"
    return {"random": 0.3, **dict.fromkeys(searches, 1.0)}


@dataclass(frozen=True)
class TrainingConfig:
    """The configuration of a run.

    A *step* is one move of the learner in one of its games. Shares are relative to each other.

    Attributes:
        game: as `plyground.envs.make_game` takes it.
        algorithm: ``"ppo"`` (MaskablePPO), ``"a2c"`` or ``"dqn"``. Only the first sees the mask while it learns; the
            others lose the game by an illegal move.
        steps: after which training ends; None: no limit.
        minutes: of training, after which it ends; None: no limit.
        seed: of the weights, the games, the opponents and the exploration.
        num_envs: games played side by side.
        threads: that advance them.
        network_threads: torch's, in this process. The weights depend on how many there are, in the last digits. More
            than one pays for a residual net with as many idle cores to itself; where other work runs on these, threads
            wait for each other: with torch's default PPO ran 30 times slower on 2 cores.
        opening_plies: each game opens with up to so many random plies: so the learner meets positions of all kinds, and
            ends early on. Default: half of the longest game, but no more than 24.
        self_play: the share, from 0 to 1, of games against the learner itself, as it is or as it was.
        sampling: which of these: ``"latest"``, only as it is; ``"uniform"``, it and all its past snapshots alike; or
            ``"prioritised"``, those it scores worst against most often, with a weight of (1 - score)² (O. Vinyals et
            al., "Grandmaster level in StarCraft II using multi-agent reinforcement learning", Nature 575, 2019).
        active_opponents: how many of these are in play at a time. They are drawn anew for each batch of experience.
        snapshot_every: steps from one snapshot to the next.
        pool: how many snapshots are kept, at most. When there is one too many, every second one is dropped, so that
            those that are left are spread over the whole run.
        opponents: in the other games: specs of players, and their shares.
        network: ``"mlp"``, or ``"resnet"``, a small residual convolution net for boards of any size.
        width: units in each of the MLP's two layers, 256 by default; or channels of the residual net, 16 by default.
        blocks: of the residual net.
        exploration_steps: over which DQN's share of random moves falls from 1 to its last value.
        symmetry: each game is seen by the learner through one of the board's symmetries, drawn at random.
        checkpoint_every: steps from one checkpoint to the next.
        ladder: specs of players against which the learner is scored now and then.
        ladder_every: steps from one such test to the next; 0: no tests.
        ladder_games: games against each, which open with fewer random plies, as matches do.
        settings: of the algorithm, in place of ours (`ALGORITHMS`) and of the library's.

    Raises:
        ValueError: a value is out of its range. The game's and players' specs are read when the training begins.
    """

    game: str
    algorithm: str = "ppo"
    steps: int | None = 1_000_000
    minutes: float | None = None
    seed: int = 0
    num_envs: int = 256
    threads: int = 1
    network_threads: int = 1
    opening_plies: int | None = None
    self_play: float = 0.3
    sampling: Sampling = "prioritised"
    active_opponents: int = 3
    snapshot_every: int = 250_000
    pool: int = 16
    opponents: Mapping[str, float] = field(default_factory=_opponents)
    network: Network = "mlp"
    width: int | None = None
    blocks: int = 1
    exploration_steps: int = 250_000
    symmetry: bool = False
    checkpoint_every: int = 1_000_000
    ladder: tuple[str, ...] = ("random", "alphabeta(depth=2)", "alphabeta(depth=4)", "mcts(simulations=100)")
    ladder_every: int = 500_000
    ladder_games: int = 100
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"unknown algorithm {self.algorithm!r}: {nearest(self.algorithm, ALGORITHMS)}")
        for name, options in (("sampling", Sampling), ("network", Network)):
            if getattr(self, name) not in get_args(options):
                raise ValueError(
                    f"unknown {name} {getattr(self, name)!r}: {nearest(getattr(self, name), get_args(options))}"
                )
        least = {
            "num_envs": 1,
            "threads": 1,
            "network_threads": 1,
            "opening_plies": 0,
            "active_opponents": 1,
            "snapshot_every": 1,
            "pool": 2,
            "seed": 0,
        }
        least |= {
            "width": 1,
            "blocks": 1,
            "exploration_steps": 1,
            "checkpoint_every": 1,
            "ladder_every": 0,
            "ladder_games": 2,
        }
        least["steps"] = 1
        for name, value in least.items():
            given = getattr(self, name)
            if given is None and name in ("steps", "opening_plies", "width"):
                continue
            if not isinstance(given, int) or isinstance(given, bool) or given < value:
                raise ValueError(f"{name} must be a whole number, at least {value}, got {given!r}")
        if self.steps is None and self.minutes is None:
            raise ValueError("give steps, or minutes, or both: else training would never end")
        if self.minutes is not None and not 0 < self.minutes < math.inf:
            raise ValueError(f"minutes must be above 0, got {self.minutes!r}")
        if not 0 <= self.self_play <= 1:
            raise ValueError(f"self_play must be a share from 0 to 1, got {self.self_play!r}")
        if self.self_play < 1 and not self.opponents:
            raise ValueError(f"self_play is {self.self_play}, so {1 - self.self_play:g} of the games need opponents")
        for spec, share in self.opponents.items():
            if not isinstance(share, Real) or not 0 < share < math.inf:
                raise ValueError(f"the share of opponent {spec!r} must be above 0, got {share!r}")

    def save(self, path: str | Path) -> None:
        """Write the configuration as JSON."""
        Path(path).write_text(json.dumps(asdict(self), indent=2) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> TrainingConfig:
        """Read a configuration.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it is no configuration, or a value is out of its range.
        """
        try:
            values = json.loads(Path(path).read_text())
            known = [one.name for one in fields(cls)]
            for name in values:
                if name not in known:
                    raise ValueError(f"unknown setting {name!r}: {nearest(name, known)}")
            return cls(**{**values, "ladder": tuple(values.get("ladder", cls.ladder))})
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{str(path)!r} is no configuration of a training run: {error}") from None

    def check_names(self) -> None:
        """Check what the game and the players are called, before anything is written.

        Raises:
            ValueError: a name is unknown; the nearest is suggested.
        """
        from ...agents import make

        game = make_game(self.game)
        for spec in {*self.opponents, *self.ladder}:
            make(spec, game)
