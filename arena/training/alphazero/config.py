"""What a run of AlphaZero is told: one typed record, with every default stated, kept as JSON beside the net.

What a field means and may be stands in its metadata, once: the command line and the documentation have it from there.
Where an idea comes from stands above its field:

- AlphaZero: D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through
  self-play", Science 362 (2018).
- AlphaGo Zero: D. Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017).
- Gumbel: I. Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022.
- KataGo: D. J. Wu, "Accelerating self-play learning in Go", arXiv 1902.10565 (2019), and KataGo's methods, its page
  ``docs/KataGoMethods.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from ..settings import NETWORKS, Settings, about, check_machine, check_settings, documented, most_threads
from .sizes import BY_BOARD, Size, size_of, window_size

__all__ = ["AlphaZeroConfig"]

_BY_BOARD = ", ".join(f"{size.network} for {game}" for game, size in BY_BOARD.items())
_LADDER = ("random", "alphabeta(depth=2)", "alphabeta(depth=4)")


@documented
@dataclass(frozen=True)
class AlphaZeroConfig(Settings):
    """The configuration of a run of AlphaZero.

    A *step* is one move of self-play in one of its games. With None for ``steps`` or ``minutes`` there is no such
    limit; None for another field is its default.

    Raises:
        ValueError: a value is out of its range. The game's and players' specs are read when the training begins.
    """

    game: str = field(metadata=about("The game, as in 'connect_four(rows=5)'."))
    algorithm: Literal["alphazero"] = field(default="alphazero", metadata=about("alphazero."))
    steps: int | None = field(
        default=None, metadata=about("Moves of self-play, in all, after which training ends.", least=1)
    )
    minutes: float | None = field(
        default=60.0, metadata=about("Minutes of training, in all, after which it ends.", above=0)
    )
    seed: int = field(
        default=0,
        metadata=about(
            "Seed of the weights, the games and the samples; the same seed gives the same run.", least=0, most=2**63 - 1
        ),
    )
    threads: int = field(
        default=1,
        metadata=about(
            "Threads, one for each idle core. With one, self-play and learning take turns; with more they go on side "
            "by side, with half of the threads each.",
            least=1,
            most=most_threads,
        ),
    )

    actors: int = field(
        default=0,
        metadata=about(
            "Processes that play, beside the one that learns; each plays num_envs games, and takes half of the "
            "threads, as that does. 0: one process plays and learns by turns, and goes on bit for bit after a break.",
            least=0,
            most=most_threads,
        ),
    )
    ray: bool = field(
        default=False,
        metadata=about("Let the actors play on a Ray cluster: that of RAY_ADDRESS, or one that runs on this machine."),
    )

    # -- self-play -----------------------------------------------------------------------------------------------------

    num_envs: int = field(default=512, metadata=about("Games played side by side.", least=1))
    turn_plies: int = field(default=8, metadata=about("Plies of each game between two turns of learning.", least=1))
    simulations: int = field(default=32, metadata=about("Simulations of a full search.", least=2))
    # KataGo, section 3.1, "playout cap randomization": 600 and 100, a quarter of the moves full. The cheap searches are
    # without noise and forced playouts, and their positions are not recorded.
    cheap_simulations: int = field(
        default=8,
        metadata=about("Simulations of a cheap search, without noise, whose position is not learned.", least=2),
    )
    full_share: float = field(
        default=1.0,
        metadata=about("Share of the moves that a full search finds: their positions are learned.", above=0, most=1),
    )
    root: Literal["gumbel", "puct"] = field(
        default="gumbel",
        metadata=about(
            "How the root's actions are tried: gumbel, by sequential halving (Danihelka et al. 2022); or puct, with "
            "noise (AlphaZero)."
        ),
    )
    # Gumbel, section 5 and its appendix: m = 16, c_visit = 50, c_scale = 1 for values rescaled to [0, 1].
    considered: int = field(default=16, metadata=about("Actions that a gumbel root tries, at most.", least=2))
    c_visit: float = field(default=50.0, metadata=about("Gumbel's c_visit: visits added to the most visited.", least=0))
    c_scale: float = field(
        default=1.0, metadata=about("Gumbel's c_scale: the weight of values against logits.", above=0)
    )
    # AlphaZero: noise in proportion to the inverse of the number of moves, 10 / moves; a quarter of the prior.
    noise: float = field(
        default=0.25,
        metadata=about(
            "Share of a puct root's priors that is noise; above 0, a gumbel root has Gumbel noise.", least=0, most=1
        ),
    )
    noise_alpha: float | None = field(
        default=None, metadata=about("Dirichlet's α of that noise. If not given: 10 / legal actions.", above=0)
    )
    # KataGo, section 3.2, "forced playouts and policy target pruning": k = 2.
    forced: float = field(
        default=2.0,
        metadata=about(
            "k of KataGo's forced playouts at a puct root with noise, which the policy's target does without; 0: none.",
            least=0,
        ),
    )
    # AlphaGo Zero: the first 30 moves in proportion to the visits. Its games have no random opening.
    temperature_plies: int = field(
        default=8,
        metadata=about(
            "First plies after the opening whose moves a puct root draws in proportion to their visits.", least=0
        ),
    )
    opening_plies: int | None = field(
        default=None,
        metadata=about(
            "Random plies, at most, that open each game, so that the net meets positions of all kinds. If not given: "
            "half of the longest game, but no more than 24.",
            least=0,
        ),
    )
    # ELF OpenGo (Y. Tian et al., ICML 2019): 160 on 19×19. MiniGo's pull request 928: else White learns to pass.
    pass_after: int | None = field(
        default=None,
        metadata=about(
            "Plies of a game before which nobody passes who can do something else, lest whoever is behind learn to do "
            "nothing. If not given: two fifths of the cells, in games that count them and have one action more.",
            least=0,
        ),
    )
    # KataGo's methods: a share of the games begins at positions of earlier ones.
    earlier_openings: float = field(
        default=0.0,
        metadata=about("Share of the games that begin at a position of an earlier game.", least=0, most=1),
    )

    # -- what is learned -----------------------------------------------------------------------------------------------

    # S. Willemsen, H. Baier, M. Kaisers, "Value targets in off-policy AlphaZero" (2020): mixtures learn fastest.
    root_value_share: float = field(
        default=0.5,
        metadata=about(
            "Share of the search's value, against the game's result, in what the net learns.", least=0, most=1
        ),
    )
    # M. H. M. Winands, Y. Björnsson, J.-T. Saito, "Monte-Carlo tree search solver", CG 2008; as targets: our own.
    proofs: bool = field(
        default=True, metadata=about("Let proved results go up the tree, and be learned in place of guesses.")
    )
    # F. Teytaud, O. Teytaud, "On the huge impact of decisive moves in Monte-Carlo tree search algorithms", CIG 2010.
    decisive: bool | None = field(
        default=None,
        metadata=about(
            "Take a leaf as proved, without asking the net, where a move wins at once; it needs proofs. If not given: "
            "in all games but those that count cells, such as Go."
        ),
    )
    # KataGo's methods, "policy surprise weighting": half of the weight by the divergence of the target from the prior.
    surprise_share: float = field(
        default=0.5,
        metadata=about(
            "Share of the samples that is given to positions in proportion to how much the search surprised the net.",
            least=0,
            most=1,
        ),
    )
    # AlphaGo Zero, Methods, "Domain knowledge": rotations and reflections of each position.
    symmetry: bool = field(
        default=True, metadata=about("Learn each sample through one of the board's symmetries, drawn at random.")
    )
    network: str | None = field(
        default=None,
        metadata=about(f"{NETWORKS} If not given, by the board: {_BY_BOARD}; for others, and with ownership, small."),
    )
    # AlphaGo Zero has tanh, Leela Chess Zero wdl.
    value: Literal["tanh", "wdl"] = field(
        default="tanh",
        metadata=about(
            "The net's value: tanh, one number; or wdl, chances of win, draw and loss, where games end in no other way."
        ),
    )
    # Leela Chess Zero, "moves left head".
    plies_left: float = field(
        default=0.0,
        metadata=about("Weight of learning how many plies are left; 0: the net has no such head.", least=0),
    )
    # KataGo, section 4.1: targets that tell which part of the board made the result.
    ownership: float = field(
        default=0.0,
        metadata=about(
            "Weight of learning whose each cell will be, where the game tells; 0: the net has no such head.", least=0
        ),
    )
    score: float = field(
        default=0.0,
        metadata=about(
            "Weight of learning by how many cells one wins, where the game tells whose they are; 0: no such head.",
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
    replay_ratio: float = field(default=4.0, metadata=about("Samples learned for each sample played.", above=0))
    learn_after: int = field(default=8192, metadata=about("Samples played before learning begins.", least=1))
    # KataGo, appendix C: c = 250,000, α = 0.75, β = 0.4.
    window: int = field(
        default=100_000,
        metadata=about("Newest samples that are learned from, at first: the window, which grows.", least=1),
    )
    window_power: float = field(
        default=0.75, metadata=about("Power of all samples by which the window grows.", above=0, most=1)
    )
    window_growth: float = field(
        default=0.4, metadata=about("Samples that the window grows by for each one played, at first.", least=0, most=1)
    )

    # -- learning ------------------------------------------------------------------------------------------------------

    learning_rate: float = field(default=5e-3, metadata=about("Highest learning rate, of AdamW.", above=0))
    warm_up: int = field(
        default=100, metadata=about("Steps of learning over which the learning rate rises from 0.", least=0)
    )
    # Neither schedule knows when the run ends. The inverse root: A. Vaswani et al., "Attention is all you need" (2017).
    schedule: Literal["constant", "inverse_root"] = field(
        default="inverse_root",
        metadata=about(
            "The learning rate after that: constant, or falling with the inverse root of the steps from decay_after on."
        ),
    )
    decay_after: int = field(
        default=2000, metadata=about("Steps of learning from which on the learning rate falls.", least=1)
    )
    # I. Loshchilov, F. Hutter, "Decoupled weight decay regularization", ICLR 2019.
    weight_decay: float = field(default=1e-4, metadata=about("AdamW's decay of the weights.", least=0))
    # R. Pascanu, T. Mikolov, Y. Bengio, "On the difficulty of training recurrent neural networks", ICML 2013.
    clip: float = field(default=1.0, metadata=about("Norm at which gradients are clipped.", above=0))
    value_weight: float = field(
        default=1.0, metadata=about("Weight of the value's loss against the policy's.", above=0)
    )
    # KataGo, appendix C, averages snapshots; here each step, as in B. Polyak and A. Juditsky (1992).
    averaging: float = field(
        default=0.999,
        metadata=about(
            "Decay of the mean of the weights, which plays and is saved; 0: no mean.", least=0, most=0.999999
        ),
    )
    # AlphaGo Zero: 400 games, 55 %. AlphaZero does without.
    gating_games: int = field(
        default=0,
        metadata=about("Games that a new net plays against the one that it would replace; 0: it always does.", least=0),
    )
    gating_score: float = field(
        default=0.55, metadata=about("Score from which on the new net replaces the other.", least=0, most=1)
    )
    gating_every: int = field(default=20_000, metadata=about("Steps from one such match to the next.", least=1))
    cache_mb: float | None = field(
        default=None,
        metadata=about(
            "Memory for what the net said of positions in this turn, in MB, in each process that plays: they come "
            "again, in one search after another; 0: none. If not given: 64, but none without symmetry, nor where the "
            "positions of one search of all games have no room in it, as in chess and minichess.",
            least=0,
        ),
    )
    backend: Literal["auto", "torch", "openvino", "onnxruntime"] = field(
        default="auto",
        metadata=about(
            "What computes the net in self-play: torch, openvino, onnxruntime; auto: the fastest installed."
        ),
    )
    precision: Literal["auto", "f32", "bf16"] = field(
        default="auto",
        metadata=about("Numbers of that computation, and of learning: f32, bf16, or auto, which the machine decides."),
    )
    device: str = field(default="cpu", metadata=about("Where the net is computed and learns: cpu or cuda."))

    # -- files and tests -----------------------------------------------------------------------------------------------

    checkpoint_every: int | None = field(
        default=None,
        metadata=about(
            "Steps from one checkpoint, a net that is kept, to the next. If not given: one whenever the run is saved "
            "after checkpoint_minutes.",
            least=1,
        ),
    )
    checkpoint_minutes: float | None = field(
        default=2.0,
        metadata=about(
            "Minutes after which the run is saved, whatever its steps: a run that is killed loses no more.", above=0
        ),
    )
    ladder: tuple[str, ...] = field(
        default=_LADDER,
        metadata=about("Specs of the players against which the net, without search, is scored now and then."),
    )
    ladder_every: int = field(
        default=100_000,
        metadata=about("Steps from one test, by the ladder and by solved positions, to the next; 0 for none.", least=0),
    )
    ladder_games: int = field(
        default=100,
        metadata=about(
            "Games of a test against each player of the ladder. They open with fewer random plies, as matches do.",
            least=2,
        ),
    )
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

    def check_names(self) -> None:
        """Check what the game and the players are called, and what the game must tell, before anything is written.

        Raises:
            ValueError: a name is unknown, and the nearest is suggested; or there is no such net for what the game
                shows, or it cannot learn whose cells are, or what a result is worth.
            ImportError: what computes nets is not installed.
        """
        from ....agents import make
        from ....agents.networks import network_config
        from ....envs import make_game

        game = make_game(self.game)
        network = network_config(game, self.size(game.spec).network)
        check_machine(self.device, self.backend)
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
        for spec in self.ladder:
            make(spec, game)
