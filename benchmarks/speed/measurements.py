"""What is measured, against whom, and with which aim.

Both sides do the same work from the start position: the same depth, the same number of simulations, in one thread. They
also play by the same rules, with differences that a rate cannot make up for:

- Go. Our random rollouts do not fill own eyes, for which they look at each move, and end when nothing else is left.
  OpenSpiel's moves are uniform, the pass among them; it remembers all boards, and one that comes again ends its game.
  On 9x9 ours take 111 plies on average and OpenSpiel's 122, on 19x19 455 and 608. Counting plies leaves only the cost
  of a ply to compare, but a simulation of UCT is about a tenth shorter here. Both are cut at the same length.
- Training. Both sides train with their defaults: the tutorial's way has one environment, a smaller network, and ten
  epochs on its experience, where we have four.
- Checkers. OpenSpiel draws after 40 plies without a jump, we after 80 without a jump or a move of a man. Random games
  take 68 plies on average there and 73 here, and only plies are counted.
- Networks. Both sides ask the same network of torch, in one thread; alone, it sees the same positions again and again.
- Nets of the package. The first backend that is installed of OpenVINO, ONNX Runtime and torch, in 16 bits where the
  processor multiplies these, against torch in 32.
- Batches of Go. Our masks leave out what superko forbids, for which each move is looked up among all positions of the
  game; pgx's do not, and a move that superko forbids loses there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from benchmarks.speed import network, ours, peers, ppo
from benchmarks.speed.harness import Measurement

__all__ = ["MEASUREMENTS"]

# Of UCT, the same on both sides, because the depth of the tree depends on it: OpenSpiel's own default.
EXPLORATION = 2.0


@dataclass(frozen=True)
class Game:
    """What of a game is measured. A ratio, ours to theirs, is what we want at least; None where none is promised.

    Attributes:
        title: its name in the table.
        ours: our spec.
        open_spiel: OpenSpiel's spec; empty: random rollouts are not measured.
        pgx: pgx's name; empty: batches are not measured.
        classic: the module of ``pettingzoo.classic``, as a spec; empty: the AEC loop is not measured.
        depth: of alpha-beta; 0: it is not measured. Deep enough that the time goes into the search and not into the
            call. Without table and move ordering, and with an evaluation that is always zero, both searches visit
            nearly the same tree in the same order; ours looks no further once a win is certain, and visits a few per
            cent less. A node is the start, or a position that came from playing a move in the search: both sides count
            these.
        simulations: of UCT, in one search, which should take OpenSpiel less than a second; 0: it is not measured.
        loop_aim: ratio of the AEC loops.
        rollouts_aim: ratio of the random rollouts.
        alphabeta_aim: ratio of the alpha-beta searches.
        uct_aim: ratio of the UCT searches.
        batch_aim: ratio of the steps of batches.
    """

    title: str
    ours: str
    open_spiel: str = ""
    pgx: str = ""
    classic: str = ""
    depth: int = 0
    simulations: int = 0
    loop_aim: float | None = None
    rollouts_aim: float | None = None
    alphabeta_aim: float | None = None
    uct_aim: float | None = None
    batch_aim: float | None = None


GAMES = [
    Game(
        title="Connect Four",
        ours="connect_four",
        open_spiel="connect_four",
        pgx="connect_four",
        classic="connect_four_v3",
        depth=10,
        simulations=10_000,
        loop_aim=6,
        rollouts_aim=20,
        alphabeta_aim=50,
        uct_aim=7,
        batch_aim=3,
    ),
    Game(title="Tic-tac-toe", ours="tictactoe", pgx="tic_tac_toe", classic="tictactoe_v3", batch_aim=2),
    Game(
        title="Othello",
        ours="othello",
        open_spiel="othello",
        pgx="othello",
        simulations=2_000,
        rollouts_aim=30,
        uct_aim=30,
        batch_aim=8,
    ),
    Game(title="Gomoku 15x15", ours="gomoku", open_spiel="gomoku(size=15)", rollouts_aim=5),
    Game(
        title="Go 9x9",
        ours="go(board_size=9)",
        open_spiel="go(board_size=9,komi=7.5,max_game_length=324)",
        pgx="go_9x9",
        classic="go_v5(board_size=9)",
        simulations=2_000,
        loop_aim=4,
        rollouts_aim=8,
        uct_aim=8,
        batch_aim=20,
    ),
    Game(
        title="Go 19x19",
        ours="go(board_size=19)",
        open_spiel="go(board_size=19,komi=7.5,max_game_length=1444)",
        rollouts_aim=8,
    ),
    Game(title="Checkers", ours="checkers", open_spiel="checkers", rollouts_aim=15),
    Game(
        title="Chess",
        ours="chess",
        open_spiel="chess",
        pgx="chess",
        classic="chess_v6",
        simulations=500,
        loop_aim=30,
        rollouts_aim=20,
        uct_aim=20,
    ),
]


def _measurements(game: Game) -> Iterator[Measurement]:
    """Yield those of ``game`` that its table entry asks for."""
    if game.classic:
        yield Measurement(
            game=game.title,
            name="AEC loop",
            unit="steps/s",
            ours=lambda: ours.environment_loop(game.ours),
            peer=lambda: peers.pettingzoo_loop(game.classic),
            peer_name=f"PettingZoo {game.classic.partition('(')[0]}",
            aim=game.loop_aim,
        )
    if game.open_spiel:
        yield Measurement(
            game=game.title,
            name="random rollouts",
            unit="plies/s",
            ours=lambda: ours.random_rollouts(game.ours),
            peer=lambda: peers.open_spiel_rollouts(game.open_spiel),
            peer_name="OpenSpiel rollouts (C++)",
            aim=game.rollouts_aim,
        )
    if game.depth:
        yield Measurement(
            game=game.title,
            name=f"alpha-beta, depth {game.depth}",
            unit="nodes/s",
            ours=lambda: ours.alphabeta(game.ours, game.depth),
            peer=lambda: peers.open_spiel_alphabeta(game.open_spiel, game.depth),
            peer_name="OpenSpiel minimax (Python)",
            aim=game.alphabeta_aim,
        )
    if game.simulations:
        yield Measurement(
            game=game.title,
            name=f"UCT, {game.simulations:,} simulations",
            unit="sims/s",
            ours=lambda: ours.uct(game.ours, game.simulations, EXPLORATION),
            peer=lambda: peers.open_spiel_uct(game.open_spiel, game.simulations, EXPLORATION),
            peer_name="OpenSpiel MCTSBot (C++)",
            aim=game.uct_aim,
        )
    if game.pgx:
        yield Measurement(
            game=game.title,
            name="batch, random actions",
            unit="steps/s",
            ours=lambda: ours.batch(game.ours),
            peer=lambda: peers.pgx_batch(game.pgx),
            peer_name="pgx (jax, one thread)",
            aim=game.batch_aim,
        )


TRAINING = Measurement(
    game="Connect Four",
    name="training by MaskablePPO",
    unit="moves/s",
    ours=ppo.ours,
    peer=ppo.tutorial,
    peer_name="PettingZoo's tutorial",
    aim=5,
)
NETWORKS = [
    Measurement(
        game=title,
        name=f"PUCT, batches of {network.BATCH}",
        unit="leaves/s",
        ours=partial(network.search, spec),
        peer=partial(network.alone, spec),
        peer_name="the network alone",
        aim=0.85,
    )
    for title, spec in (("Connect Four", "connect_four"), ("Go 9x9", "go(board_size=9)"))
]
BACKENDS = [
    Measurement(
        game=title,
        name=f"small net, batches of {network.BATCH}",
        unit="positions/s",
        ours=partial(network.asked, spec, "auto", "auto"),
        peer=partial(network.asked, spec, "torch", "f32"),
        peer_name="torch, 32 bits",
    )
    for title, spec in (("Connect Four", "connect_four"), ("Go 9x9", "go(board_size=9)"))
]
MEASUREMENTS = [*(measurement for game in GAMES for measurement in _measurements(game)), TRAINING, *NETWORKS, *BACKENDS]
