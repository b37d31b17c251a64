"""What a run of AlphaZero is told: one typed record, with every default stated, kept as JSON beside the net.

What a field means and may be, and where its idea is from, stands in its metadata, once: the command line and the
documentation have it from there. Numbers of the papers that are not ours stand above the fields. `PlaySettings` has
the fields that tell how games are played.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from ..settings import (
    AVERAGING,
    BACKEND,
    CHECKPOINT_MINUTES,
    DEVICE,
    LADDER_GAMES,
    LEARNING_RATE,
    NETWORKS,
    PRECISION,
    SYMMETRY,
    WEIGHT_DECAY,
    about,
    check_machine,
    check_opening_plies,
    check_players,
    check_settings,
    documented,
)
from .play_settings import PlaySettings
from .sizes import BY_BOARD, Size, size_of, window_size

if TYPE_CHECKING:
    from ...cluster import Cluster

__all__ = ["AlphaZeroConfig"]

_BY_BOARD = ", ".join(f"{size.network} for {game}" for game, size in BY_BOARD.items())
_LADDER = ("random", "alphabeta(depth=2)", "alphabeta(depth=4)")


@documented
@dataclass(frozen=True)
class AlphaZeroConfig(PlaySettings):
    """The configuration of a run of AlphaZero.

    A *step* is one move of self-play in one of its games. With None for ``steps`` or ``minutes`` there is no such
    limit; None for another field is its default.

    Raises:
        ValueError: a value is out of its range. The game's and players' specs are read when the training begins.
    """

    # -- what is learned -----------------------------------------------------------------------------------------------

    root_value_share: float = field(
        default=0.5,
        metadata=about(
            "Share of the search's value, against the game's result, in what the net learns.",
            "Willemsen et al. 2021; ours, measured in docs/alphazero.md",
            least=0,
            most=1,
        ),
    )
    proofs: bool = field(
        default=True,
        metadata=about(
            "Let proved results go up the tree, and be learned in place of guesses.",
            "Winands et al. 2008; ours: that they are learned",
        ),
    )
    decisive: bool | None = field(
        default=None,
        metadata=about(
            "Take a leaf as proved, without asking the net, where a move wins at once; it needs proofs. If not given: "
            "in all games but those that count cells, such as Go.",
            "Teytaud and Teytaud 2010",
        ),
    )
    surprise_share: float = field(
        default=0.5,
        metadata=about(
            "Share of the samples that is given to positions in proportion to how much the search surprised the net.",
            "KataGo's methods, Policy Surprise Weighting",
            least=0,
            most=1,
        ),
    )
    symmetry: bool = field(default=True, metadata=SYMMETRY)
    network: str | None = field(
        default=None,
        metadata=about(
            f"{NETWORKS} If not given, by the board: {_BY_BOARD}; for others, and with ownership, small.",
            "Silver et al. 2017; Wu 2019, section 3.3; ours, measured in docs/alphazero.md",
        ),
    )
    value: Literal["tanh", "wdl"] = field(
        default="tanh",
        metadata=about(
            "The net's value: tanh, one number; or wdl, chances of win, draw and loss, where games end in no other "
            "way.",
            "Silver et al. 2017, Methods; Leela Chess Zero, for wdl",
        ),
    )
    plies_left: float = field(
        default=0.0,
        metadata=about(
            "Weight of learning how many plies are left; 0: the net has no such head.", "Leela Chess Zero", least=0
        ),
    )
    ownership: float = field(
        default=0.0,
        metadata=about(
            "Weight of learning whose each cell will be, where the game tells; 0: the net has no such head.",
            "Wu 2019, section 4.1",
            least=0,
        ),
    )
    score: float = field(
        default=0.0,
        metadata=about(
            "Weight of learning by how many cells one wins, where the game tells whose they are; 0: no such head.",
            "Wu 2019, section 4.1",
            least=0,
        ),
    )
    batch_size: int | None = field(
        default=None,
        metadata=about(
            "Samples of a step of learning. If not given: 1024 for the mlp that a board has by itself, else 512.",
            least=1,
        ),
    )
    replay_ratio: float = field(
        default=4.0,
        metadata=about("Samples learned for each sample played.", "ours, measured in docs/alphazero.md", above=0),
    )
    learn_after: int = field(default=8192, metadata=about("Samples played before learning begins.", least=1))
    # 250,000 at first.
    window: int = field(
        default=100_000,
        metadata=about(
            "Newest samples that are learned from, at first: the window, which grows.", "Wu 2019, appendix C", least=1
        ),
    )
    window_power: float = field(
        default=0.75,
        metadata=about("Power of all samples by which the window grows.", "Wu 2019, appendix C", above=0, most=1),
    )
    window_growth: float = field(
        default=0.4,
        metadata=about(
            "Samples that the window grows by for each one played, at first.", "Wu 2019, appendix C", least=0, most=1
        ),
    )

    # -- learning ------------------------------------------------------------------------------------------------------

    learning_rate: float = field(default=5e-3, metadata=LEARNING_RATE)
    # Neither schedule knows when the run ends.
    warm_up: int = field(
        default=100,
        metadata=about(
            "Steps of learning over which the learning rate rises from 0.", "Vaswani et al. 2017, section 5.3", least=0
        ),
    )
    schedule: Literal["constant", "inverse_root"] = field(
        default="inverse_root",
        metadata=about(
            "The learning rate after that: constant, or inverse_root, which lets it fall with the inverse root of the "
            "steps from decay_after on.",
            "Vaswani et al. 2017, section 5.3",
        ),
    )
    decay_after: int = field(
        default=2000, metadata=about("Steps of learning from which on the learning rate falls.", least=1)
    )
    weight_decay: float = field(default=1e-4, metadata=WEIGHT_DECAY)
    clip: float = field(
        default=1.0, metadata=about("Norm at which gradients are clipped.", "Pascanu et al. 2013", above=0)
    )
    value_weight: float = field(
        default=1.0,
        metadata=about("Weight of the value's loss against the policy's.", "Silver et al. 2017, Methods", above=0),
    )
    averaging: float = field(default=0.999, metadata=AVERAGING)
    # 400 games there, and none in Silver et al. 2018.
    gating_games: int = field(
        default=0,
        metadata=about(
            "Games that a new net plays against the one that it would replace; 0: it always does.",
            "Silver et al. 2017, Methods; Wu 2019, appendix E",
            least=0,
        ),
    )
    gating_score: float = field(
        default=0.55,
        metadata=about(
            "Score from which on the new net replaces the other.", "Silver et al. 2017, Methods", least=0, most=1
        ),
    )
    gating_every: int = field(default=20_000, metadata=about("Steps from one such match to the next.", least=1))
    cache_mb: float | None = field(
        default=None,
        metadata=about(
            "Memory for what the net said of positions in this turn, in MB, in each process that plays: they come "
            "again, in one search after another; 0: none. If not given: 64, but none without symmetry, nor where the "
            "positions of one search of all games have no room in it, as in chess and minichess.",
            "ours, measured in docs/alphazero.md",
            least=0,
        ),
    )
    backend: Literal["auto", "openvino", "onnxruntime", "torch", "numpy"] = field(default="auto", metadata=BACKEND)
    precision: Literal["auto", "f32", "bf16"] = field(default="auto", metadata=PRECISION)
    device: str = field(default="cpu", metadata=DEVICE)

    # -- files and tests -----------------------------------------------------------------------------------------------

    checkpoint_every: int | None = field(
        default=None,
        metadata=about(
            "Steps from one checkpoint, a net that is kept, to the next. If not given: one whenever the run is saved "
            "after checkpoint_minutes.",
            least=1,
        ),
    )
    checkpoint_minutes: float | None = field(default=2.0, metadata=CHECKPOINT_MINUTES)
    ladder: tuple[str, ...] = field(
        default=_LADDER,
        metadata=about("Specs of the players against which the net, without search, is scored now and then."),
    )
    ladder_every: int = field(
        default=100_000,
        metadata=about("Steps from one test, by the ladder and by solved positions, to the next; 0 for none.", least=0),
    )
    ladder_games: int = field(default=100, metadata=LADDER_GAMES)
    positions: int | None = field(
        default=None,
        metadata=about(
            "Solved positions of each ply in which these tests grade the net's moves, 0 for none. If not given: those "
            "that come with the package; or 20, solved before the run begins, where a minute suffices for that.",
            least=0,
        ),
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if self.steps is None and self.minutes is None:
            raise ValueError("give steps, or minutes, or both: else training would never end")
        if self.decisive and not self.proofs:
            raise ValueError("decisive needs proofs: leave one of them as it is")
        if self.ray and not self.actors:
            raise ValueError("ray needs actors, the processes that play on the cluster: give their number")
        if self.full_share < 1 and self.cheap_simulations > self.simulations:
            raise ValueError(
                f"cheap_simulations must be at most simulations, {self.simulations}, got {self.cheap_simulations}"
            )

    @property
    def threads_each(self) -> int:
        """The threads of self-play, and as many of learning."""
        return max(1, self.threads // 2)

    def window_of(self, total: int) -> int:
        """Return how many of the newest of ``total`` samples are learned from."""
        return window_size(total, self.window, self.window_power, self.window_growth)

    def size(self, game: str) -> Size:
        """Return the size of the net and the samples of a step: those given, else those of the game of this spec."""
        return size_of(game, self.network, self.batch_size, self.ownership)

    def anywhere(self) -> AlphaZeroConfig:
        """Return this configuration with the games and players of one's own files found from any folder."""
        from ....envs.outside.elsewhere import absolute

        return replace(self, game=absolute(self.game), ladder=tuple(map(absolute, self.ladder)))

    def check_machine(self) -> None:
        """Check that what the run is computed with is here, before it waits for any of it.

        Raises:
            ValueError: the device is not here, or what computes nets is not for it.
            ImportError: what computes nets, or Ray where actors play on a cluster, is not installed.
        """
        check_machine(self.device, self.backend)
        if self.ray:
            self.cluster()

    def cluster(self) -> Cluster:
        """Return the Ray cluster that the actors play on, not joined yet.

        Raises:
            ImportError: Ray is not installed.
        """
        from ...cluster import Cluster

        return Cluster("actors on a cluster")

    def check_names(self) -> None:
        """Check what the game and the players are called, and what the game must tell, before anything is written.

        Raises:
            ValueError: a name is unknown, and the nearest is suggested; or there is no such net for what the game
                shows, or it cannot learn whose cells are, or what a result is worth; or games are not as long as
                their openings.
            ImportError: what computes nets, or Ray where actors play on a cluster, is not installed.
        """
        from ....agents.networks import network_config
        from ....envs import make_game

        game = make_game(self.game)
        network = network_config(game, self.size(game.spec).network)
        check_opening_plies(game, self.opening_plies)
        self.check_machine()
        for name in ("ownership", "score"):
            if getattr(self, name) > 0 and game.owners is None:
                raise ValueError(f"{name} must be 0: {game.spec} does not tell whose cells are, by a rule `owners`")
        if self.pass_after and not network.has_pass:
            raise ValueError(f"pass_after must be 0: {game.spec} has no pass, one action more than cells")
        if self.ownership > 0 and network.kind == "mlp":
            raise ValueError("ownership must be 0 for an mlp, which knows no cells: choose another network")
        if self.value == "wdl" and game.max_utility != 1:  # one that counts no more than wins has no reason for others
            raise ValueError(
                f"value must be tanh: wdl tells wins, draws and losses apart, which are worth 1, 0 and -1, and results "
                f"of {game.spec} go up to {game.max_utility:g}"
            )
        check_players(game, self.ladder)
