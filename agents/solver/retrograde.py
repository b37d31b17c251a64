"""Retrograde analysis: exact values where positions come again, so that a search forwards would never end.

All positions that play can reach are listed first, breadth first, each once, and the moves between them. Then the
values go backwards from the ends of games to the positions before them (K. Thompson, "Retrograde analysis of certain
endgames", ICCA Journal 9, 1986). A position that no end decides is a draw by play without end (J. Schaeffer et al.,
"Checkers is solved", Science 317, 2007, where such positions are most of the database).

Utilities may be any numbers, and play without end is worth 0. From the largest utility down, each step settles the
positions in which a player can force that utility: where he is to move and one move leads to such a position, and where
the other is to move and all moves do. Positions where he could force more, or the other could force less than 0, are
settled before. Positions that are left in the end are worth 0.

Distances are those of `plyground.agents.solver.solving`: with a win in hand a player ends the game as soon as possible;
otherwise as late as possible, by moves that are worth the same. Positions of one value are settled in the order of
their distances, so the first of the winner's moves to be settled leads to his soonest end, and the last of the loser's
to his latest. A draw has a distance if the game ends although both players put the end off.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.jit import helper, kernel
from .solving import DONE, ENDLESS, FREE, slot_of

__all__ = [
    "ENDS",
    "LISTED",
    "MOVES",
    "STATES",
    "STOPPED",
    "TABLE",
    "Backwards",
    "Graph",
    "list_moves",
    "settle",
    "turn_round",
    "write_values",
]

LISTED, STOPPED, TABLE, STATES, MOVES, ENDS = range(6)  # how listing ended: what was full


class Graph(NamedTuple):
    """Positions in the order in which they were found, and their moves. The table has the number of each."""

    players: NDArray[np.int8]  # [positions] the players to move
    open: NDArray[np.int32]  # [positions] the number of moves; later of moves to positions that are not settled
    targets: NDArray[np.int32]  # [moves] the position that each move leads to; or ~i for the end with utility i
    ends: NDArray[np.float64]  # [ends] the different utilities for player 0
    states: NDArray[Any]  # [room] the states of the positions whose moves are not listed yet
    # [6] positions found, positions whose moves are listed, moves, ends, the number of states[0], whether to give up
    counts: NDArray[np.int64]


class Backwards(NamedTuple):
    """The moves sorted by where they lead, and what is known. Nodes are the positions, and after them the ends."""

    starts: NDArray[np.int64]  # [nodes + 2] where the moves to each node begin in ``parents``
    parents: NDArray[np.int32]  # [moves] the position before each move
    values: NDArray[np.float64]  # [nodes] the values for player 0
    distances: NDArray[np.int32]  # [nodes] plies to the end; -1: not settled
    queue: NDArray[np.int32]  # [nodes] the nodes in the order in which they are settled


@helper
def _number_of(game: Any, state: Any, table: Any, graph: Any) -> Any:
    """Return the number of an unfinished position, a new one if it is not in the table."""
    counts = graph.counts
    key = game.canonical_key(state)
    slot = slot_of(table, key)
    if table.marks[slot] == FREE:
        table.keys[slot], table.marks[slot] = key, DONE + np.int32(counts[0])
        graph.players[counts[0]] = game.player(state)
        counts[0] += 1
    return table.marks[slot] - DONE


@helper
def _end_of(graph: Any, utility: Any) -> Any:
    """Return the number of the end with this utility, a new one if there is none."""
    counts = graph.counts
    for i in range(counts[3]):
        if graph.ends[i] == utility:
            return i
    graph.ends[counts[3]] = utility
    counts[3] += 1
    return counts[3] - 1


@kernel
def list_moves(game, table, graph, actions):
    """List positions and moves, from the unfinished ``graph.states[0]`` on, until all are there or something is full.

    A full array must be replaced by a larger one; then this goes on.
    """
    counts = graph.counts
    if counts[0] == 0:
        _number_of(game, graph.states[0], table, graph)
    while counts[1] < counts[0]:
        if counts[5] != 0:
            return STOPPED
        state = graph.states[counts[1] - counts[4]]
        count = game.legal_actions(state, actions)
        if counts[0] + count > graph.players.size:
            return TABLE
        if counts[0] - counts[4] + count >= graph.states.size:
            if 2 * (counts[1] - counts[4]) < graph.states.size:
                return STATES
            # Half of the states are no longer needed.
            for i in range(counts[1], counts[0]):
                graph.states[i - counts[1]] = graph.states[i - counts[4]]
            counts[4] = counts[1]
            continue
        if counts[2] + count > graph.targets.size:
            return MOVES
        if counts[3] + count > graph.ends.size:
            return ENDS
        for i in range(count):
            # The child stands where the next new position has its place, and stays there if it is one.
            graph.states[counts[0] - counts[4]] = state
            child = graph.states[counts[0] - counts[4]]
            game.play(child, actions[i])
            if game.is_terminal(child):
                graph.targets[counts[2]] = ~_end_of(graph, game.utility(child, 0))
            else:
                graph.targets[counts[2]] = _number_of(game, child, table, graph)
            counts[2] += 1
        graph.open[counts[1]] = count
        counts[1] += 1
    return LISTED


@kernel
def turn_round(graph, starts, parents):
    """Sort the moves by where they lead, by counting."""
    counts, targets = graph.counts, graph.targets
    for i in range(counts[2]):
        node = targets[i] if targets[i] >= 0 else counts[0] + ~targets[i]
        starts[node + 2] += 1
    for node in range(2, starts.size):
        starts[node] += starts[node - 1]
    i = 0
    for position in range(counts[0]):
        for _ in range(graph.open[position]):
            node = targets[i] if targets[i] >= 0 else counts[0] + ~targets[i]
            parents[starts[node + 1]] = position
            starts[node + 1] += 1
            i += 1


@helper
def _spread(graph: Any, back: Any, end: Any, winner: int) -> None:
    """Settle the positions that have the value of an end: where ``winner`` can force it; -1: where nobody can do else.

    ``open`` of the others' positions counts their moves to positions that are not settled.
    """
    value = back.values[end]
    back.queue[0], back.distances[end] = end, 0
    head, tail = 0, 1
    while head < tail and graph.counts[5] == 0:
        node = back.queue[head]
        head += 1
        for i in range(back.starts[node], back.starts[node + 1]):
            parent = back.parents[i]
            if back.distances[parent] >= 0:
                continue
            if graph.players[parent] != winner:
                graph.open[parent] -= 1
                if graph.open[parent] > 0:
                    continue
            back.values[parent], back.distances[parent] = value, back.distances[node] + 1
            back.queue[tail] = parent
            tail += 1


@kernel
def settle(graph, back, order):
    """Settle all positions. ``order`` [ends] lists the ends, the largest utilities of either sign first."""
    counts = graph.counts
    positions = counts[0]
    # Step 1. The ends have their values, and no distance as long as their turn has not come.
    for i in range(counts[3]):
        back.values[positions + i] = graph.ends[i]
    back.distances[:] = -1
    # Step 2. Wins. Those of one player take nothing from `open` of positions in which the other can win.
    for i in order:
        if graph.ends[i] != 0:
            _spread(graph, back, positions + i, 0 if graph.ends[i] > 0 else 1)
    # Step 3. The rest is worth 0. Its distances: `open` counts the moves that keep this value.
    for position in range(positions):
        if back.distances[position] < 0:
            graph.open[position] = 0
    for node in range(positions + counts[3]):
        if back.distances[node] < 0:
            for i in range(back.starts[node], back.starts[node + 1]):
                graph.open[back.parents[i]] += 1
    for i in order:
        if graph.ends[i] == 0:
            _spread(graph, back, positions + i, -1)
    # Step 4. What is not settled now can go on for ever.
    for position in range(positions):
        if back.distances[position] < 0:
            back.distances[position] = ENDLESS


@kernel
def write_values(table, back):
    """Replace the numbers of positions in the table by their values and distances."""
    for slot in range(table.keys.size):
        if table.marks[slot] != FREE:
            position = table.marks[slot] - DONE
            table.values[slot] = back.values[position]
            table.marks[slot] = DONE + back.distances[position]
