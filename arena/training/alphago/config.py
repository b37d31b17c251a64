"""What a run of AlphaGo's pipeline is told: one typed record, with every default stated, kept as JSON in its folder.

What a field means and may be, and where its idea is from, stands in its metadata. Numbers of the paper (`papers`) stand
above their fields: it had 50 GPUs, and weeks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..settings import (
    AVERAGING,
    BACKEND,
    CHECKPOINT_MINUTES,
    DEVICE,
    GAME,
    LEARNING_RATE,
    NETWORKS,
    PRECISION,
    SEED,
    SYMMETRY,
    WEIGHT_DECAY,
    Settings,
    about,
    check_machine,
    check_opening_plies,
    check_players,
    check_settings,
    documented,
    most_threads,
)

__all__ = ["PARTS", "AlphaGoConfig", "Descending"]

PARTS = ("policy", "rollout", "rl", "value")  # in the order in which they are made


class Descending(NamedTuple):
    """How one of the nets learns, as `plyground.arena.training.alphazero.descent` asks it."""

    learning_rate: float
    warm_up: int
    schedule: str
    decay_after: int
    weight_decay: float
    clip: float
    averaging: float
    precision: str
    device: str


@documented
@dataclass(frozen=True)
class AlphaGoConfig(Settings):
    """The configuration of a run of AlphaGo's pipeline.

    Its parts are: ``policy``, learned from records (the paper's SL policy network); ``rollout``, a fast one from the
    same records; ``rl``, which improves the policy by play against its past; and ``value``, which learns from the games
    of ``rl``.

    Raises:
        ValueError: a value is out of its range. The game's spec and the records are read when the training begins.
    """

    game: str = field(metadata=GAME)
    algorithm: Literal["alphago"] = field(default="alphago", metadata=about("alphago."))
    records: tuple[str, ...] = field(
        default=(), metadata=about("Files of games to learn from: .db, .jsonl, .sgf, .pdn, .pgn, .csv or .parquet.")
    )
    strict: bool = field(
        default=False,
        metadata=about("End with an error at the first game that cannot be used, in place of leaving it out."),
    )
    # The paper kept a million of 29.4 million positions.
    test_share: float = field(
        default=0.1,
        metadata=about(
            "Share of the games that are kept for tests, whole games.", "Silver et al. 2016, Methods", above=0, most=0.9
        ),
    )
    minutes: float | None = field(
        default=60.0, metadata=about("Minutes of training of each part, in all, after which it ends.", above=0)
    )
    seed: int = field(default=0, metadata=SEED)
    threads: int = field(default=1, metadata=about("Threads, one for each idle core.", least=1, most=most_threads))
    network: str = field(default="small", metadata=about(NETWORKS))
    symmetry: bool = field(default=True, metadata=SYMMETRY)
    batch_size: int = field(default=512, metadata=about("Samples of a step of learning.", least=1))
    learning_rate: float = field(default=5e-3, metadata=LEARNING_RATE)
    weight_decay: float = field(default=1e-4, metadata=WEIGHT_DECAY)
    averaging: float = field(default=0.999, metadata=AVERAGING)

    # -- the policies from records -------------------------------------------------------------------------------------

    # 340 million steps of 16 positions.
    policy_steps: int = field(
        default=4000,
        metadata=about("Steps of learning of the policy from records.", "Silver et al. 2016, Methods", least=1),
    )
    rollout_steps: int = field(
        default=4000, metadata=about("Steps of learning of the rollout policy.", "Silver et al. 2016, Methods", least=1)
    )

    # -- the policy by play --------------------------------------------------------------------------------------------

    # 10,000 minibatches of 128 games; a new opponent in the pool every 500.
    rl_steps: int = field(
        default=400, metadata=about("Updates of the policy by play.", "Silver et al. 2016, Methods", least=1)
    )
    rl_games: int = field(
        default=128,
        metadata=about("Games of an update; half of them in each seat.", "Silver et al. 2016, Methods", least=2),
    )
    rl_learning_rate: float = field(
        default=2e-4, metadata=about("Learning rate of the policy by play, of AdamW.", above=0)
    )
    pool_every: int = field(
        default=25,
        metadata=about(
            "Updates from one new opponent in the pool of past selves to the next.",
            "Silver et al. 2016, Methods",
            least=1,
        ),
    )
    baseline: Literal["mean", "value", "none"] = field(
        default="mean",
        metadata=about(
            "What REINFORCE subtracts from a result: mean, that of the other games in the same seat; value, what the "
            "net's own value head expects, which then learns beside; or none.",
            "Silver et al. 2016, Methods; Williams 1992; ours: the mean",
        ),
    )
    opening_plies: int | None = field(
        default=None,
        metadata=about(
            "Random plies, at most, that open a game of play. If not given: as many as open those of matches.", least=0
        ),
    )

    # -- the value network ---------------------------------------------------------------------------------------------

    # 30 million positions, each of another game.
    value_games: int = field(
        default=20_000,
        metadata=about(
            "Games for the value network, of each of which it learns one position.",
            "Silver et al. 2016, Methods",
            least=1,
        ),
    )
    value_steps: int = field(
        default=3000, metadata=about("Steps of learning of the value network.", "Silver et al. 2016, Methods", least=1)
    )
    contrast: bool = field(
        default=True,
        metadata=about(
            "Train a second value network on as many positions of whole games, to see how it memorises them.",
            "Silver et al. 2016",
        ),
    )

    # -- files and tests -----------------------------------------------------------------------------------------------

    ladder: tuple[str, ...] = field(
        default=("random", "alphabeta(depth=2)", "alphabeta(depth=4)"),
        metadata=about("Specs of the players against which the policies, without search, are scored."),
    )
    ladder_games: int = field(
        default=200,
        metadata=about("Games of such a test, and of rl against the policy from records.", least=2),
    )
    test_every: int = field(default=1000, metadata=about("Steps of a part from one test to the next.", least=1))
    solved: int = field(
        default=500,
        metadata=about("Held-out positions that are solved, at most, where the game can be; 0 for none.", least=0),
    )
    checkpoint_minutes: float | None = field(default=2.0, metadata=CHECKPOINT_MINUTES)
    backend: Literal["auto", "openvino", "onnxruntime", "torch", "numpy"] = field(default="auto", metadata=BACKEND)
    precision: Literal["auto", "f32", "bf16"] = field(default="auto", metadata=PRECISION)
    device: str = field(default="cpu", metadata=DEVICE)

    def __post_init__(self) -> None:
        check_settings(self)

    def descending(self, learning_rate: float | None = None, averaging: float | None = None) -> Descending:
        """Return how a net learns, by default as from records."""
        is_own = learning_rate is not None
        return Descending(
            learning_rate=self.learning_rate if learning_rate is None else learning_rate,
            warm_up=10 if is_own else 100,
            schedule="constant" if is_own else "inverse_root",
            decay_after=2000,
            weight_decay=self.weight_decay,
            clip=1.0,
            averaging=self.averaging if averaging is None else averaging,
            precision=self.precision,
            device=self.device,
        )

    def anywhere(self) -> AlphaGoConfig:
        """Return this configuration with files of one's own found from any folder."""
        from ....envs.outside.elsewhere import absolute

        records = tuple(str(Path(path).expanduser().resolve()) for path in self.records)
        return replace(self, game=absolute(self.game), records=records, ladder=tuple(map(absolute, self.ladder)))

    def check_names(self) -> None:
        """Check what the game and the players are called, and that the games are there, before anything is written.

        Raises:
            ValueError: a name is unknown, and the nearest is suggested; or there is no such device, or no such net for
                what the game shows; or games are not that long; or there are no files of games, or one of no known
                kind.
            OSError: a file of games is not there, or cannot be read.
            ImportError: what computes nets is not installed.
        """
        from ....agents.networks import network_config
        from ....envs import make_game
        from ...formats import read_games

        game = make_game(self.game)
        check_opening_plies(game, self.opening_plies)
        network_config(game, self.network)
        check_machine(self.device, self.backend)
        check_players(game, self.ladder)
        if not self.records:
            raise ValueError("give files of games to learn from: --records games.db; `plyground generate` plays some")
        for path in self.records:
            read_games(Path(path).expanduser())  # which looks for the file, and reads no game yet

    def inference_of(self, net: Any, batch: int) -> Any:
        """Return what computes a net, for so many positions at a time."""
        from ....agents.networks import make_inference

        return make_inference(
            net, self.backend, batch=batch, threads=self.threads, precision=self.precision, device=self.device
        )
