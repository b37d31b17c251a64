"""UCT on a small game, recorded simulation by simulation: plain Python, for people to follow.

The four steps are those of C. Browne et al., "A survey of Monte Carlo tree search methods", IEEE TCIAIG 4 (2012),
section 3.1, and of `plyground.agents.MCTS`. Here the actions of a node are tried in the order of their numbers, so that
only the rollouts are left to chance.

N counts the visits of a node, W sums the utilities of the player who moved into it, and Q = W / N.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...envs import Game, State
from ...envs.outside.arguments import checked_whole

__all__ = ["MCTSNode", "MCTSTrace", "Option", "Selection", "Simulation", "Update", "trace_mcts"]


@dataclass
class MCTSNode:
    """A node of the tree.

    Attributes:
        moves: the moves that lead here from the root.
        mover: the player, 0 or 1, who chose the last move.
        state: the position.
        untried: actions that have no child yet.
        visits: N, the visits of the node.
        total: W, the sum of the mover's utilities.
        children: the children, in the order in which they were added.
    """

    moves: tuple[str, ...]
    mover: int
    state: State
    untried: list[int]
    visits: int = 0
    total: float = 0.0
    children: list[MCTSNode] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The moves, or ``"root"``."""
        return " ".join(self.moves) or "root"

    @property
    def mean(self) -> float:
        """Q = W / N."""
        return self.total / self.visits

    def walk(self) -> Iterator[MCTSNode]:
        """Yield the node and all nodes below it."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Option:
    """A child among which selection chooses: UCB = Q + c · sqrt(ln N(parent) / N)."""

    move: str
    visits: int
    total: float
    mean: float
    bonus: float  # c · sqrt(ln N(parent) / N)

    @property
    def score(self) -> float:
        """The upper confidence bound."""
        return self.mean + self.bonus


@dataclass(frozen=True)
class Selection:
    """One step down the tree, from a node all of whose actions have been tried."""

    node: str
    visits: int
    options: tuple[Option, ...]
    chosen: str  # the move to the child that was selected


@dataclass(frozen=True)
class Update:
    """What back-propagation added to one node: a visit, and the utility of the player who moved into it."""

    node: str
    mover: int
    utility: float
    visits: int  # N after the update
    total: float  # W after the update


@dataclass(frozen=True)
class Simulation:
    """The four steps of one simulation.

    Attributes:
        number: the number of the simulation, from 1.
        selections: the steps of selection, from the root down.
        expanded: the name of the new node, or None where the game was over.
        path: the moves from the root to the node from which the game was played out.
        rollout: the random moves of the rollout.
        utility: the first player's utility at the end of the game.
        updates: the steps of back-propagation, from the last node up to the root.
    """

    number: int
    selections: tuple[Selection, ...]
    expanded: str | None
    path: tuple[str, ...]
    rollout: tuple[str, ...]
    utility: float
    updates: tuple[Update, ...]


@dataclass(frozen=True)
class MCTSTrace:
    """A recorded search: the game, the simulations, and the tree that they built."""

    game: Game
    c: float  # that of the bounds: how much to explore, times the game's largest utility
    root: MCTSNode
    simulations: tuple[Simulation, ...]

    @property
    def best(self) -> MCTSNode:
        """The child of the root with the most visits (of equals the one with the better mean, then the first)."""
        return max(self.root.children, key=lambda child: (child.visits, child.total))


def trace_mcts(game: Game, state: State, simulations: int, *, c: float = 1.4, seed: int | None = 0) -> MCTSTrace:
    """Search a position by UCT, and return all that happened. The state is not changed.

    Args:
        game: the game.
        state: the position.
        simulations: the number of simulations; more of them do not change the first ones.
        c: how much to explore, in units of the game's ``max_utility``, as in `plyground.agents.MCTS`.
        seed: the seed of the rollouts.

    Raises:
        ValueError: the game is over, there is no simulation to do, or ``c`` is negative.
    """
    state = game.state_check.checked(state)
    if game.is_terminal(state):
        raise ValueError(f"the game of {game.name} is over, there is nothing to search:\n{game.text(state)}")
    simulations = checked_whole("simulations", simulations, 1)
    if not 0 <= c < math.inf:
        raise ValueError(f"c must be a number of at least 0, got {c!r}")
    c *= float(game.max_utility) if game.max_utility < math.inf else 1.0
    rng = np.random.default_rng(seed)
    root = MCTSNode((), 1 - int(game.player(state)), state.copy(), game.actions(state))
    done = tuple(_simulate(game, root, c, rng, i + 1) for i in range(simulations))
    return MCTSTrace(game, c, root, done)


def _simulate(game: Game, root: MCTSNode, c: float, rng: np.random.Generator, number: int) -> Simulation:
    # Step 1, selection
    path, selections = [root], []
    while not path[-1].untried and path[-1].children:
        chosen, selection = _select(path[-1], c)
        path.append(chosen)
        selections.append(selection)
    # Step 2, expansion
    expanded = None
    if path[-1].untried:
        path.append(_expand(game, path[-1]))
        expanded = path[-1].name
    # Step 3, simulation
    state, rollout = path[-1].state.copy(), []
    while not game.is_terminal(state):
        action = int(rng.choice(game.actions(state)))
        rollout.append(game.move_name(state, action))
        game.play(state, action)
    # Step 4, back-propagation
    updates = []
    for node in reversed(path):
        utility = float(game.utility(state, node.mover))
        node.visits += 1
        node.total += utility
        updates.append(Update(node.name, node.mover, utility, node.visits, node.total))
    return Simulation(
        number=number,
        selections=tuple(selections),
        expanded=expanded,
        path=path[-1].moves,
        rollout=tuple(rollout),
        utility=float(game.utility(state, 0)),
        updates=tuple(updates),
    )


def _select(node: MCTSNode, c: float) -> tuple[MCTSNode, Selection]:
    """Return the child with the highest UCB, the first of equals, and the terms of all children."""
    log_visits = math.log(node.visits)
    options = tuple(
        Option(child.moves[-1], child.visits, child.total, child.mean, c * math.sqrt(log_visits / child.visits))
        for child in node.children
    )
    best = max(range(len(options)), key=lambda i: options[i].score)
    return node.children[best], Selection(node.name, node.visits, options, options[best].move)


def _expand(game: Game, node: MCTSNode) -> MCTSNode:
    """Give the node a child for its next untried action, and return it."""
    action = node.untried.pop(0)
    state = node.state.copy()
    mover, name = int(game.player(state)), game.move_name(state, action)
    game.play(state, action)
    untried = [] if game.is_terminal(state) else game.actions(state)
    node.children.append(MCTSNode((*node.moves, name), mover, state, untried))
    return node.children[-1]
