"""Everything that can be added to plain UCT, each addition switched by a field of `Options`.

With the neutral options the search is plain UCT, number for number. Sources:

* first-play urgency: S. Gelly and Y. Wang, "Exploration exploitation in Go", NIPS 2006 workshop;
* solver: M. Winands, Y. Björnsson, J.-T. Saito, "Monte-Carlo tree search solver", CG 2008, in the form of T. Cazenave
  and A. Saffidine, "Score bounded Monte-Carlo tree search", CG 2010, which proves draws too: each node has a lower and
  an upper bound of its value;
* RAVE: S. Gelly and D. Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", Artificial
  Intelligence 175 (2011), the hand-selected schedule β = sqrt(k / (3 N + k)) of section 4.3, and the one of the least
  mean squared error, β = m / (n + m + 4 b² n m) for n visits and m all-moves-as-first visits of the child, 4.4;
* priors as equivalent experience: S. Gelly and D. Silver, "Combining online and offline knowledge in UCT", ICML 2007;
* progressive bias and progressive unpruning (widening): G. Chaslot et al., "Progressive strategies for Monte-Carlo tree
  search", New Mathematics and Natural Computation 4 (2008); widening with a power of the visits as in R. Coulom,
  "Computing Elo ratings of move patterns in the game of Go", ICGA Journal 30 (2007), and in A. Couëtoux et al.,
  "Continuous upper confidence trees", LION 2011.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.jit import helper
from .rollouts import Guided, value_after
from .tree import Tree, ucb

__all__ = [
    "NEUTRAL",
    "Extras",
    "Options",
    "back_up_amaf",
    "choose_child",
    "is_plain",
    "is_proved",
    "new_extras",
    "prepare_children",
    "prepare_root",
    "prove",
]


class Options(NamedTuple):
    """What is added to plain UCT. `NEUTRAL` adds nothing."""

    fpu: float = np.inf  # the score of a child that was never visited
    solver: bool = False
    rave: float = 0.0  # k, the visits at which AMAF and Monte Carlo count about alike; 0: none
    rollouts: int = 1  # from each leaf
    top: float = 1.0  # the highest utility of the game
    rave_bias: float = 0.0  # b, the bias of AMAF for the schedule that makes the error small; 0: the one of k
    prior: float = 0.0  # what the game's guesses of new nodes are worth, in times what it says; 0: nothing
    guided: Guided | None = None  # what asks the game's evaluation


NEUTRAL = Options()


def is_plain(options: Options) -> bool:
    """Return whether the options add nothing to plain UCT."""
    return options._replace(top=NEUTRAL.top) == NEUTRAL


class Extras(NamedTuple):
    """What a node needs beyond `Tree`. An array that no option asks for is empty (``played``: has one column)."""

    low: NDArray[np.float64]  # [nodes] a lower bound of the mover's value
    high: NDArray[np.float64]  # [nodes] an upper bound
    amaf_visits: NDArray[np.int32]  # [nodes] simulations through the parent in which the mover played the action later
    amaf_total: NDArray[np.float64]  # [nodes] the sum of the mover's utilities in these
    guess: NDArray[np.float64]  # [nodes] H: the evaluation of the position, for the mover
    prior_visits: NDArray[np.float64]  # [nodes] simulations that the game's guess of the node is worth
    prior_total: NDArray[np.float64]  # [nodes] the sum of the mover's utilities in these
    played: NDArray[np.int64]  # [2, num_actions + 1] marks of the moves of this simulation; the last column is the mark


def new_extras(options: Options, nodes: int, num_actions: int) -> Extras:
    """Return room for what ``options`` need of so many nodes."""
    orders = options.guided is not None and (options.guided.bias > 0 or options.guided.widening > 0)
    asked_for = (options.solver, options.rave > 0, orders, options.prior > 0)
    proofs, amaf, guesses, priors = (nodes if asked else 0 for asked in asked_for)
    return Extras(
        low=np.zeros(proofs),
        high=np.zeros(proofs),
        amaf_visits=np.zeros(amaf, np.int32),
        amaf_total=np.zeros(amaf),
        guess=np.zeros(guesses),
        prior_visits=np.zeros(priors),
        prior_total=np.zeros(priors),
        played=np.zeros((2, num_actions + 1 if options.rave > 0 else 1), np.int64),
    )


@helper
def mean_of(tree: Tree, extras: Extras, options: Options, child: int, beta: float) -> float:
    """Return the mean of a child's simulations, those of its prior and of AMAF included; without any, ``fpu``.

    ``beta`` is the share of AMAF, unless ``rave_bias`` asks for one that depends on the child.
    """
    known, total = float(tree.visits[child]), tree.total[child]
    guessed = extras.prior_visits[child] if options.prior > 0 else 0.0
    if guessed > 0:
        known, total = known + guessed, total + extras.prior_total[child]
    mean = total / known if known > 0 else options.fpu
    if options.solver and tree.visits[child] > 0:
        mean = min(max(mean, extras.low[child]), extras.high[child])
    if options.rave > 0 and extras.amaf_visits[child] > 0:
        met = float(extras.amaf_visits[child])
        amaf = extras.amaf_total[child]
        if guessed > 0:
            met, amaf = met + guessed, amaf + extras.prior_total[child]
        if known == 0:
            return amaf / met
        if options.rave_bias > 0:
            beta = met / (known + met + 4 * options.rave_bias**2 * known * met)
        mean = (1 - beta) * mean + beta * amaf / met
    return mean


@helper
def _considered(guided: Any, parent_visits: int, count: int) -> int:
    """Return how many of a node's children, the best by evaluation, may be chosen."""
    if guided is None or guided.widening == 0:
        return count
    return max(1, int(np.ceil(parent_visits**guided.widening)))


@helper
def _bias(guided: Any, extras: Extras, child: int, visits: int) -> float:
    """Return what the evaluation of a child adds to its score."""
    if guided is None or guided.bias == 0:
        return 0.0
    return guided.bias * extras.guess[child] / (visits + 1)


@helper
def choose_child(tree: Tree, node: int, how: tuple[Extras, Options, float]) -> int:
    """Step 1, selection: return the child with the highest score among those that are considered and not settled."""
    extras, options, c = how
    first, count = tree.first_child[node], tree.child_count[node]
    parent_visits = max(tree.visits[node], 1)
    log_visits = np.log(parent_visits)
    considered = _considered(options.guided, parent_visits, count)
    beta = np.sqrt(options.rave / (3 * parent_visits + options.rave)) if options.rave > 0 else 0.0
    floor = -np.inf  # what the player can have for certain
    if options.solver:
        for child in range(first, first + count):
            floor = max(floor, extras.low[child])
    best, best_score = -1, -np.inf
    for child in range(first, first + count):
        if child - first >= considered and best >= 0:
            break
        if options.solver and extras.high[child] <= max(floor, extras.low[child]):
            continue  # settled, or no better than what is certain
        visits = tree.visits[child]
        guessed = extras.prior_visits[child] if options.prior > 0 else 0.0
        if visits == 0 and guessed == 0 and options.fpu == np.inf:
            return child
        score = mean_of(tree, extras, options, child, beta)
        if visits > 0:
            score = ucb(score, visits, log_visits, c)
        score += _bias(options.guided, extras, child, visits)
        if score > best_score or best < 0:
            best, best_score = child, score
    return max(best, first)


@helper
def order_children(game: Any, tree: Tree, extras: Extras, guided: Any, node: int, state: Any, look: Any) -> None:
    """Evaluate the positions behind the children of ``node``, and put the children into that order, the best first.

    Nothing is done if no option asks for it.
    """
    if guided is None or extras.guess.size == 0:
        return
    first = tree.first_child[node]
    for child in range(first, first + tree.child_count[node]):
        action, player = tree.action[child], tree.mover[child]
        guess = value_after(game, state, action, player, look)
        place = child
        while place > first and extras.guess[place - 1] < guess:
            extras.guess[place], tree.action[place] = extras.guess[place - 1], tree.action[place - 1]
            place -= 1
        extras.guess[place], tree.action[place] = guess, action


@helper
def guess_children(
    game: Any, tree: Tree, extras: Extras, options: Options, node: int, state: Any, last: Any, before: Any
) -> None:
    """Ask the game what it thinks of the new children of ``node``."""
    first, last_child = tree.first_child[node], tree.first_child[node] + tree.child_count[node]
    visits, values = extras.prior_visits[first:last_child], extras.prior_total[first:last_child]
    game.priors(state, last, before, tree.action[first:last_child], tree.child_count[node], visits, values)
    for i in range(visits.size):
        visits[i] *= options.prior
        values[i] *= visits[i]


@helper
def prepare_children(
    game: Any,
    tree: Tree,
    extras: Extras,
    options: Options,
    node: int,
    state: Any,
    look: Any,
    last: Any,
    before: Any,
) -> None:
    """Note that nothing is known of the new children of ``node``, and order or guess them if an option asks for it."""
    for child in range(tree.first_child[node], tree.first_child[node] + tree.child_count[node]):
        if options.solver:
            extras.low[child], extras.high[child] = -options.top, options.top
        if options.rave > 0:
            extras.amaf_visits[child], extras.amaf_total[child] = 0, 0.0
    order_children(game, tree, extras, options.guided, node, state, look)
    if options.prior > 0:
        guess_children(game, tree, extras, options, node, state, last, before)


@helper
def prepare_root(game: Any, tree: Tree, extras: Extras, options: Options, state: Any, look: Any) -> None:
    """Prepare the root, which has its children and nothing else."""
    if options.solver:
        extras.low[0], extras.high[0] = -options.top, options.top
    prepare_children(game, tree, extras, options, 0, state, look, np.int64(-1), np.int64(-1))


@helper
def is_proved(extras: Extras, options: Options, node: int) -> bool:
    """Return whether the value of ``node`` is known."""
    return options.solver and extras.low[node] >= extras.high[node]


@helper
def bounds_of(tree: Tree, extras: Extras, node: int) -> tuple[float, float]:
    """Return the bounds of a node's value, for its mover, that follow from those of its children."""
    first = tree.first_child[node]
    low, high = -np.inf, -np.inf  # for the player to move, who takes the best
    for child in range(first, first + tree.child_count[node]):
        low, high = max(low, extras.low[child]), max(high, extras.high[child])
    if tree.mover[first] != tree.mover[node]:
        low, high = -high, -low
    return low, high


@helper
def prove(tree: Tree, extras: Extras, length: int, utility: float) -> None:
    """Note that the path ends the game with ``utility`` for player 0, and what that proves of the nodes before it."""
    leaf = tree.path[length - 1]
    own = utility if tree.mover[leaf] == 0 else -utility
    extras.low[leaf], extras.high[leaf] = own, own
    for i in range(length - 2, -1, -1):
        node = tree.path[i]
        low, high = bounds_of(tree, extras, node)
        if low == extras.low[node] and high == extras.high[node]:
            break
        extras.low[node], extras.high[node] = low, high


@helper
def back_up_amaf(tree: Tree, extras: Extras, length: int, utility: float) -> None:
    """Count the simulation for each child, along the path, whose mover played its action then or later."""
    played, mark = extras.played, extras.played[0, -1]
    for i in range(length - 2, -1, -1):
        node, chosen = tree.path[i], tree.path[i + 1]
        played[tree.mover[chosen], tree.action[chosen]] = mark
        for child in range(tree.first_child[node], tree.first_child[node] + tree.child_count[node]):
            if played[tree.mover[child], tree.action[child]] == mark:
                extras.amaf_visits[child] += 1
                extras.amaf_total[child] += utility if tree.mover[child] == 0 else -utility
