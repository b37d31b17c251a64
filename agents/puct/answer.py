"""What `PUCT` reads off its tree: the move to play, and what is known of each."""

from __future__ import annotations

import numpy as np

from ..analysis import Analysis
from ..mcts.report import children_of, most_visited_line, standard_error
from .tree import PriorTree

__all__ = ["answer_of"]


def answer_of(
    tree: PriorTree,
    top: float,
    counts: tuple[int, int, int],
    seconds: float,
    temperature: float,
    generator: np.random.Generator,
) -> Analysis:
    """Return what was found.

    Args:
        tree: the tree.
        top: the largest utility of the game.
        counts: the simulations of this search, those that were kept of earlier ones, and the batches of leaves.
        seconds: how long it took.
        temperature: τ: the move is drawn with probability ∝ N^(1/τ); 0: the most visited one.
        generator: draws it.
    """
    simulations, kept, batches = counts
    children = sorted(children_of(tree, 0), key=lambda n: tree.action[n])
    priors = {int(tree.action[n]): float(tree.prior[n]) for n in children}
    visits = {int(tree.action[n]): int(tree.visits[n]) for n in children}
    values = {int(tree.action[n]): float(tree.total[n] / tree.visits[n]) for n in children if tree.visits[n]}
    best = max(values, key=lambda action: (visits[action], values[action], priors[action]))
    if temperature > 0:
        logits = np.log([visits[action] for action in values])
        with np.errstate(over="ignore"):  # a tiny temperature leaves only the most visited
            weights = np.exp((logits - logits.max()) / temperature)
        best = int(generator.choice(list(values), p=weights / weights.sum()))
    pv = most_visited_line(tree, best)
    return Analysis(
        best_action=best,
        value=values[best],
        best_actions=(best,),
        values=values,
        visits=visits,
        priors=priors,
        pv=pv,
        depth=len(pv),
        nodes=int(np.count_nonzero(tree.visits[: int(tree.size[0])])),
        leaves=simulations,
        exact=False,
        seconds=seconds,
        standard_error=standard_error(values[best], visits[best], top),
        selective_depth=int(tree.deepest[0]),
        statistics={
            "simulations kept": kept,
            "evaluated batches": batches,
            "nodes in memory": int(tree.size[0]),
            "full trees": int(tree.full[0]),
        },
    )
