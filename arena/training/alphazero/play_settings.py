"""What self-play is told in a run of AlphaZero: how long, by how many threads and processes, and how it searches.

`config` has the rest, and says where what a field means is told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..settings import GAME, MINUTES, NUM_ENVS, SEED, Settings, about, most_threads

__all__ = ["PlaySettings"]


@dataclass(frozen=True)
class PlaySettings(Settings):
    """The part of an `AlphaZeroConfig` that tells how games are played."""

    game: str = field(metadata=GAME)
    algorithm: Literal["alphazero"] = field(default="alphazero", metadata=about("alphazero."))
    steps: int | None = field(
        default=None, metadata=about("Moves of self-play, in all, after which training ends.", least=1)
    )
    minutes: float | None = field(default=60.0, metadata=MINUTES)
    seed: int = field(default=0, metadata=SEED)
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

    num_envs: int = field(default=512, metadata=NUM_ENVS)
    turn_plies: int = field(default=8, metadata=about("Plies of each game between two turns of learning.", least=1))
    simulations: int = field(
        default=32, metadata=about("Simulations of a full search.", "ours, measured in docs/alphazero.md", least=2)
    )
    # 600 and 100, a quarter of the moves full. Cheap searches are without noise and forced playouts there, too.
    cheap_simulations: int = field(
        default=8,
        metadata=about(
            "Simulations of a cheap search, without noise, whose position is not learned.",
            "Wu 2019, section 3.1",
            least=2,
        ),
    )
    full_share: float = field(
        default=1.0,
        metadata=about(
            "Share of the moves that a full search finds: their positions are learned.",
            "Wu 2019, section 3.1; ours, measured in docs/alphazero.md",
            above=0,
            most=1,
        ),
    )
    root: Literal["gumbel", "puct"] = field(
        default="gumbel",
        metadata=about(
            "How the root's actions are tried: gumbel, by sequential halving; or puct, with noise.",
            "Danihelka et al. 2022, section 3.4; Silver et al. 2018",
        ),
    )
    considered: int = field(
        default=16,
        metadata=about("Actions that a gumbel root tries, at most.", "Danihelka et al. 2022, section 3.4", least=2),
    )
    # For values from 0 to 1.
    c_visit: float = field(
        default=50.0,
        metadata=about(
            "Gumbel's c_visit: visits added to the most visited.", "Danihelka et al. 2022, section 3.4", least=0
        ),
    )
    c_scale: float = field(
        default=1.0,
        metadata=about(
            "Gumbel's c_scale: the weight of values against logits.", "Danihelka et al. 2022, section 3.4", above=0
        ),
    )
    noise: float = field(
        default=0.25,
        metadata=about(
            "Share of a puct root's priors that is noise; above 0, a gumbel root has Gumbel noise.",
            "Silver et al. 2017, Methods; Danihelka et al. 2022, section 3.3",
            least=0,
            most=1,
        ),
    )
    # 10.83 / legal actions in Wu 2019: as much as in Silver et al. 2017 on the empty board of Go.
    noise_alpha: float | None = field(
        default=None,
        metadata=about(
            "Dirichlet's α of that noise. If not given: 10 / legal actions.",
            "Silver et al. 2018; Wu 2019, section 2",
            above=0,
        ),
    )
    forced: float = field(
        default=2.0,
        metadata=about(
            "k of the forced playouts at a puct root with noise, which the policy's target does without; 0: none.",
            "Wu 2019, section 3.2",
            least=0,
        ),
    )
    # The first 30 moves, in games without a random opening.
    temperature_plies: int = field(
        default=8,
        metadata=about(
            "First plies after the opening whose moves a puct root draws in proportion to their visits.",
            "Silver et al. 2017, Methods",
            least=0,
        ),
    )
    # There the net's own policy draws these moves.
    opening_plies: int | None = field(
        default=None,
        metadata=about(
            "Random plies, at most, that open each game, so that the net meets positions of all kinds. If not given: "
            "half of the longest game, but no more than 24.",
            "Wu 2019, appendix D; ours, measured in docs/alphazero.md",
            least=0,
        ),
    )
    # 160 on 19×19. MiniGo's pull request 928: else White learns to pass.
    pass_after: int | None = field(
        default=None,
        metadata=about(
            "Plies of a game before which nobody passes who can do something else, lest whoever is behind learn to do "
            "nothing. If not given: two fifths of the cells, in games that count them and have one action more.",
            "Tian et al. 2019",
            least=0,
        ),
    )
    # There 5 % of the games go on in another way from an early position.
    earlier_openings: float = field(
        default=0.0,
        metadata=about(
            "Share of the games that begin at a position of an earlier game.", "Wu 2019, appendix D", least=0, most=1
        ),
    )
