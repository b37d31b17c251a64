"""What a training run is told: one typed record, with every default stated, kept as JSON beside the model.

What a field means and may be stands in its metadata, once: the command line and the documentation have it from there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal

from .settings import (
    CHECKPOINT_MINUTES,
    GAME,
    LADDER_GAMES,
    MINUTES,
    NUM_ENVS,
    Settings,
    about,
    check_opening_plies,
    check_players,
    check_settings,
    documented,
    most_threads,
)

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

Algorithm = Literal["ppo", "a2c", "dqn"]
Sampling = Literal["latest", "uniform", "prioritised"]
Network = Literal["mlp", "resnet"]

_LADDER = ("random", "alphabeta(depth=2)", "alphabeta(depth=4)", "mcts(simulations=100)")


def _opponents() -> dict[str, float]:
    searches = "alphabeta(depth=1)", "alphabeta(depth=2)", "alphabeta(depth=3)", "mcts(simulations=100)"
    return {"random": 0.3, **dict.fromkeys(searches, 1.0)}


@documented
@dataclass(frozen=True)
class TrainingConfig(Settings):
    """The configuration of a run.

    A *step* is one move of the learner in one of its games. With None for ``steps`` or ``minutes`` there is no such
    limit; None for another field is its default.

    Raises:
        ValueError: a value is out of its range. The game's and players' specs are read when the training begins.
    """

    game: str = field(metadata=GAME)
    algorithm: Algorithm = field(
        default="ppo",
        metadata=about(
            "ppo (MaskablePPO), a2c or dqn. Only ppo sees the mask while it learns; the others lose the game by an "
            "illegal move."
        ),
    )
    steps: int | None = field(
        default=1_000_000, metadata=about("Moves of the learner, in all, after which training ends.", least=1)
    )
    minutes: float | None = field(default=None, metadata=MINUTES)
    seed: int = field(
        default=0,
        metadata=about(
            "Seed of the weights, the games, the opponents and the exploration; the same seed gives the same run.",
            least=0,
            most=2**32 - 1,  # stable-baselines3 seeds NumPy's global numbers
        ),
    )
    num_envs: int = field(default=256, metadata=NUM_ENVS)
    threads: int = field(default=1, metadata=about("Threads that advance the games.", least=1, most=most_threads))
    # With torch's default, and other work on the same cores, PPO ran 30 times slower on 2 of them.
    network_threads: int = field(
        default=1,
        metadata=about(
            "Threads of torch, on whose number the last digits of the weights depend. More than one pay for a resnet "
            "with as many idle cores to itself; where other work runs on these, all is slower by far.",
            least=1,
            most=most_threads,
        ),
    )
    opening_plies: int | None = field(
        default=None,
        metadata=about(
            "Random plies, at most, that open each game, so that the learner meets positions of all kinds. If not "
            "given: half of the longest game, but no more than 24.",
            least=0,
        ),
    )
    self_play: float = field(
        default=0.3,
        metadata=about("Share of the games against the learner itself, as it is or as it was.", least=0, most=1),
    )
    # prioritised: weights of (1 - score)².
    sampling: Sampling = field(
        default="prioritised",
        metadata=about(
            "How the learner's opponents are drawn from itself: latest, as it is; uniform, as it is or at any of its "
            "snapshots; prioritised, the same, and those it scores worst against most often.",
            "Vinyals et al. 2019, for prioritised",
        ),
    )
    active_opponents: int = field(
        default=3,
        metadata=about(
            "Snapshots, the learner as it is among them, in play at a time. They are drawn anew when each game has "
            "had 32 steps, or for each batch of experience if that is longer.",
            least=1,
        ),
    )
    snapshot_every: int = field(
        default=250_000, metadata=about("Steps from one snapshot of the learner to the next.", least=1)
    )
    pool: int = field(
        default=16,
        metadata=about(
            "Snapshots that are kept, at most. When there is one too many, every second one is dropped, so that the "
            "others are spread over the whole run.",
            least=2,
        ),
    )
    opponents: Mapping[str, float] = field(
        default_factory=_opponents,
        metadata=about("Specs of the players in the other games, and their shares, relative to each other."),
    )
    network: Network = field(
        default="mlp", metadata=about("mlp, or resnet, a small residual convolution net for boards of any size.")
    )
    width: int | None = field(
        default=None,
        metadata=about(
            "Units in each of the mlp's two layers, or channels of the resnet. If not given: 256, or 16.", least=1
        ),
    )
    blocks: int = field(default=1, metadata=about("Residual blocks of the resnet.", least=1))
    exploration_steps: int = field(
        default=250_000,
        metadata=about("Steps over which dqn's share of random moves falls from 1 to its last value.", least=1),
    )
    symmetry: bool = field(
        default=False,
        metadata=about("Show the learner each game through one of the board's symmetries, drawn at random."),
    )
    checkpoint_every: int = field(default=1_000_000, metadata=about("Steps from one checkpoint to the next.", least=1))
    checkpoint_minutes: float | None = field(default=2.0, metadata=CHECKPOINT_MINUTES)
    ladder: tuple[str, ...] = field(
        default=_LADDER, metadata=about("Specs of the players against which the learner is scored now and then.")
    )
    ladder_every: int = field(
        default=500_000, metadata=about("Steps from one test against the ladder to the next; 0 for no tests.", least=0)
    )
    ladder_games: int = field(default=100, metadata=LADDER_GAMES)
    settings: Mapping[str, Any] = field(
        default_factory=dict,
        metadata=about(
            "Settings of the algorithm, as stable-baselines3 names them, in place of plyground's (ALGORITHMS in "
            "plyground.arena.training.config) and of the library's."
        ),
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if self.steps is None and self.minutes is None:
            raise ValueError("give steps, or minutes, or both: else training would never end")
        if self.self_play < 1 and not self.opponents:
            raise ValueError(f"self_play is {self.self_play}, so {1 - self.self_play:g} of the games need opponents")
        for spec, share in self.opponents.items():
            if not isinstance(share, Real) or not 0 < share < math.inf:
                raise ValueError(f"the share of opponent {spec!r} must be above 0, got {share!r}")

    def anywhere(self) -> TrainingConfig:
        """Return this configuration with the games and players of one's own files found from any folder.

        Raises:
            ValueError: two opponents are one, written in two ways.
        """
        from ...envs.outside.elsewhere import absolute

        written: dict[str, str] = {}
        for spec in self.opponents:
            other = written.setdefault(absolute(spec), spec)
            if other != spec:
                raise ValueError(f"opponents {other!r} and {spec!r} are one: give one share for it")
        return replace(
            self,
            game=absolute(self.game),
            opponents={found: float(self.opponents[spec]) for found, spec in written.items()},
            ladder=tuple(map(absolute, self.ladder)),
        )

    def check_names(self) -> None:
        """Check what the game and the players are called, before anything is written.

        Raises:
            ValueError: a name is unknown, and the nearest is suggested; or games are not as long as their openings.
        """
        from ...envs import make_game

        game = make_game(self.game)
        check_opening_plies(game, self.opening_plies)
        check_players(game, {*self.opponents, *self.ladder})
