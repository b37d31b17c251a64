"""What is measured, against whom, and with which aim.

The game is Connect Four from the start position, unless the name of the measurement says otherwise. Both sides do the
same work: the same rules, the same depth, the same number of simulations, in one thread.
"""

from __future__ import annotations

import ours
import peers
from harness import Measurement

__all__ = ["MEASUREMENTS"]

ROLLOUTS = 10_000  # in one call of OpenSpiel, which takes some 0.1 s

# Deep enough that the time goes into the search and not into the call. Without table and move ordering, and with an
# evaluation that is always zero, both searches visit nearly the same tree in the same order; ours looks no further once
# a win is certain, and visits a few per cent less. A node is the start, or a position that came from playing a move in
# the search: both sides count these.
DEPTH = 10

SIMULATIONS = 10_000
# The same on both sides, because the depth of the tree depends on it: OpenSpiel's own default.
EXPLORATION = 2.0

MEASUREMENTS = [
    Measurement(
        name="AEC loop",
        unit="steps/s",
        ours=ours.connect_four_loop,
        peer=lambda: peers.pettingzoo_loop("connect_four_v3"),
        peer_name="PettingZoo connect_four_v3",
        aim=6,
    ),
    Measurement(
        name="AEC loop, tic-tac-toe",
        unit="steps/s",
        ours=ours.tictactoe_loop,
        peer=lambda: peers.pettingzoo_loop("tictactoe_v3"),
        peer_name="PettingZoo tictactoe_v3",
    ),
    Measurement(
        name="random playouts",
        unit="plies/s",
        ours=ours.random_playouts,
        peer=lambda: peers.open_spiel_playouts(ROLLOUTS, ours.mean_game_length()),
        peer_name="OpenSpiel rollouts (C++)",
        aim=20,
    ),
    Measurement(
        name=f"alpha-beta, depth {DEPTH}",
        unit="nodes/s",
        ours=lambda: ours.alphabeta(DEPTH),
        peer=lambda: peers.open_spiel_alphabeta(DEPTH),
        peer_name="OpenSpiel minimax (Python)",
        aim=50,
    ),
    Measurement(
        name=f"UCT, {SIMULATIONS:,} simulations",
        unit="sims/s",
        ours=lambda: ours.uct(SIMULATIONS, EXPLORATION),
        peer=lambda: peers.open_spiel_uct(SIMULATIONS, EXPLORATION),
        peer_name="OpenSpiel MCTSBot (C++)",
        aim=7,
    ),
]
