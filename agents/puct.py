"""PUCT: the tree search of AlphaGo and AlphaZero, with priors and values from any callable.

Sources: D. Silver et al., "Mastering the game of Go with deep neural networks and tree search", Nature 529 (2016); "A
general reinforcement learning algorithm that masters chess, shogi, and Go through self-play", Science 362 (2018).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, State
from ..envs.prng import new_rng
from .analysis import Analysis
from .puct_tree import (
    PriorTree,
    add_root_noise,
    back_up,
    collect,
    evaluations,
    expand,
    grown,
    new_prior_tree,
    playout_values,
)
from .search import SearchAgent, check_budget

__all__ = ["PUCT", "Evaluator"]

# states [batch] of the game's dtype -> priors [batch, num_actions], values [batch] for the player to move in each
Evaluator = Callable[[NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]

_NODES = 4096  # room in a new tree


class PUCT(SearchAgent):
    """Tree search guided by priors: each simulation selects by ``Q + C · P · sqrt(Σ N) / (1 + N)`` (Silver et al.).

    Leaves are collected in batches: a virtual loss on the way to each steers the next ones elsewhere, and is taken back
    when the batch is evaluated. The value of a leaf is ``lambda_ · value + (1 - lambda_) · rollout``; a finished game
    counts by its utility. C grows slowly, ``c + ln((1 + N + c_base) / c_base)``, as in AlphaZero.

    Without a budget there are 800 simulations. The same seed and number of simulations give the same move if the
    evaluator gives the same answers; seconds do not. The tree is not kept from move to move. In `analyse`, ``values``
    are the Q of the visited actions for the player to move, ``priors`` the P that were used, noise included.

    Args:
        game: the game, or its name.
        simulations: for each move.
        seconds: wall-clock time for each move. Of both budgets the first to run out ends the search.
        evaluator: ``evaluator(states) -> (priors, values)``: for the unfinished states [batch], of the game's dtype,
            the priors [batch, num_actions], not negative (illegal actions are dropped, the others scaled to sum to 1;
            all zero means uniform), and the values [batch] for the player to move, in the units of the utility. None:
            uniform priors, and the game's ``evaluate``.
        c: how much to explore along the priors.
        c_base: after about so many visits C has grown by ln 2; None: C stays ``c``, as in AlphaGo.
        lambda_: the share of the evaluator's value in the value of a leaf: 1 for no rollouts, 0 for rollouts only.
            (AlphaGo's paper has λ on the rollout, with 0.5 for the best mix.) None: 1 with an evaluator, 0 without.
        batch: leaves that are evaluated together, at most.
        virtual_loss: losses that a leaf counts for until it is evaluated.
        fpu: the Q of an action that was never visited.
        noise: ε of the Dirichlet noise at the root, ``(1 - ε) P + ε η``; AlphaZero's self-play has 0.25.
        alpha: of the Dirichlet distribution of η; AlphaZero has about 10 over the usual number of legal moves.
        temperature: τ: the move is drawn with probability ∝ N^(1/τ); 0 plays the most visited one (of equals the one
            with the better Q, then the lower number).
        seed: of noise, rollouts and drawn moves; None takes one from the system's entropy.

    Raises:
        ValueError: an argument is out of its range; the message names it.
    """

    def __init__(
        self,
        game: Game | str,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        evaluator: Evaluator | None = None,
        c: float = 1.25,
        c_base: float | None = 19652,
        lambda_: float | None = None,
        batch: int = 8,
        virtual_loss: int = 1,
        fpu: float = 0.0,
        noise: float = 0.0,
        alpha: float = 0.3,
        temperature: float = 0.0,
        seed: int | None = None,
    ) -> None:
        super().__init__(game)
        check_budget(simulations=simulations, seconds=seconds, batch=batch)
        if lambda_ is None:
            lambda_ = 0.0 if evaluator is None else 1.0
        for name, value, fits, expected in (
            ("c", c, c >= 0, "at least 0"),
            ("c_base", c_base, c_base is None or c_base > 0, "above 0, or None"),
            ("lambda_", lambda_, 0 <= lambda_ <= 1, "between 0 and 1"),
            ("virtual_loss", virtual_loss, virtual_loss >= 1, "at least 1"),
            ("noise", noise, 0 <= noise <= 1, "between 0 and 1"),
            ("alpha", alpha, alpha > 0, "above 0"),
            ("temperature", temperature, temperature >= 0, "at least 0"),
        ):
            if not fits:
                raise ValueError(f"{name} must be {expected}, got {value!r}")
        self.simulations = 800 if simulations is None and seconds is None else simulations
        self.seconds, self.evaluator = seconds, evaluator
        self.c, self.c_base, self.lambda_ = float(c), np.inf if c_base is None else float(c_base), float(lambda_)
        self.batch, self.virtual_loss, self.fpu = int(batch), int(virtual_loss), float(fpu)
        self.noise, self.alpha, self.temperature = float(noise), float(alpha), float(temperature)
        self._seed(seed)

    def reset(self, seed: int | None = None) -> None:
        """Start the random numbers anew, if a seed is given. No tree is kept from move to move."""
        if seed is not None:
            self._seed(seed)

    def _seed(self, seed: int | None) -> None:
        sequence = np.random.SeedSequence(seed)
        self._rng = new_rng(sequence)  # of the rollouts
        self._generator = np.random.default_rng(sequence.spawn(1)[0])  # of noise and drawn moves

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        start = time.perf_counter()
        tree = new_prior_tree(
            max(_NODES, (self.batch + 1) * self.game.num_actions + 1), self.game.max_plies, self.batch
        )
        root = np.zeros(1, self.game.dtype)
        root[0] = state
        leaves, scratch = np.zeros(self.batch, self.game.dtype), np.zeros(1, self.game.dtype)
        self._expand_root(tree, root, scratch, actions)
        done, batches, limit = 0, 0, 2**31 - 1 if self.simulations is None else self.simulations
        while done < limit and (done == 0 or self.seconds is None or time.perf_counter() - start < self.seconds):
            if int(tree.size[0]) + self.batch * self.game.num_actions > tree.visits.size:
                tree = grown(tree)
            wanted = min(self.batch, limit - done)
            found, ended = collect(
                self.game, root, leaves, tree, wanted, self.c, self.c_base, self.fpu, self.virtual_loss
            )
            done += found + ended
            if found:
                priors, values = self._evaluate(leaves[:found], scratch)
                expand(self.game, leaves, tree, found, priors, np.empty(self.game.num_actions, np.int32))
                back_up(self.game, leaves, tree, found, values)
                batches += 1
        return self._answer(tree, done, batches, time.perf_counter() - start)

    def _expand_root(
        self, tree: PriorTree, root: NDArray[Any], scratch: NDArray[Any], actions: NDArray[np.int32]
    ) -> None:
        """Give the root a child for each of ``actions``, with priors, noise among them."""
        priors, _ = self._evaluate(root, scratch, rollouts=False)
        masked = np.zeros_like(priors)
        masked[0, actions] = priors[0, actions]
        tree.mover[0] = 1 - self.game.player(root[0])  # as if the opponent had just moved
        tree.lengths[0] = 1  # the way to the root: node 0
        expand(self.game, root, tree, 1, masked, np.empty(self.game.num_actions, np.int32))
        count = int(tree.child_count[0])
        if count > actions.size:  # a mask: the children that it leaves, in the same order
            allowed = [i for i in range(1, count + 1) if tree.action[i] in actions]
            tree.action[1 : len(allowed) + 1] = tree.action[allowed]
            prior = tree.prior[allowed] if masked.any() else np.full(len(allowed), 1.0)
            tree.prior[1 : len(allowed) + 1] = prior / prior.sum()
            tree.child_count[0], tree.size[0] = len(allowed), len(allowed) + 1
        if self.noise:
            add_root_noise(tree, self.noise, self._generator.dirichlet(np.full(actions.size, self.alpha)))

    def _evaluate(
        self, states: NDArray[Any], scratch: NDArray[Any], rollouts: bool = True
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return priors [batch, num_actions] and mixed values [batch] for the player to move.

        Raises:
            ValueError: the evaluator's answer has another shape, or is not finite, or a prior is negative.
        """
        shape = (states.size, self.game.num_actions)
        if self.evaluator is None:
            priors = np.ones(shape)
            values = np.zeros(states.size)
            if self.lambda_ > 0:
                evaluations(self.game, states, values)
        else:
            found = self.evaluator(states.copy())
            priors, values = (np.asarray(array, np.float64) for array in found)
            if priors.shape != shape or values.shape != states.shape:
                raise ValueError(
                    f"the evaluator must return priors {shape} and values {states.shape}, "
                    f"got shapes {priors.shape} and {values.shape}"
                )
            if not (np.isfinite(priors).all() and np.isfinite(values).all() and (priors >= 0).all()):
                raise ValueError(f"priors must be finite and not negative, values finite: got {priors} and {values}")
        if rollouts and self.lambda_ < 1:
            results = np.empty(states.size)
            buffer = np.empty(self.game.num_actions, np.int32)
            playout_values(self.game, states, scratch, buffer, self._rng, results)
            values = self.lambda_ * values + (1 - self.lambda_) * results
        return priors, values

    def _answer(self, tree: PriorTree, simulations: int, batches: int, seconds: float) -> Analysis:
        children = range(1, int(tree.child_count[0]) + 1)
        visits = {int(tree.action[n]): int(tree.visits[n]) for n in sorted(children, key=lambda n: tree.action[n])}
        priors = {int(tree.action[n]): float(tree.prior[n]) for n in sorted(children, key=lambda n: tree.action[n])}
        values = {
            int(tree.action[n]): float(tree.total[n] / tree.visits[n])
            for n in sorted(children, key=lambda n: tree.action[n])
            if tree.visits[n]
        }
        best = max(values, key=lambda action: (visits[action], values[action], -action))
        if self.temperature > 0:
            tried = np.array(list(values))
            logits = np.log([visits[action] for action in values]) / self.temperature
            weights = np.exp(logits - logits.max())
            best = int(self._generator.choice(tried, p=weights / weights.sum()))
        node = next(n for n in children if tree.action[n] == best)
        pv = [best]
        while tree.child_count[node] > 0:
            first = int(tree.first_child[node])
            below = range(first, first + int(tree.child_count[node]))
            node = max(below, key=lambda n: (tree.visits[n], tree.total[n], -tree.action[n]))
            if tree.visits[node] == 0:
                break
            pv.append(int(tree.action[node]))
        return Analysis(
            best_action=best,
            value=values[best],
            best_actions=(best,),
            values=values,
            visits=visits,
            priors=priors,
            pv=tuple(pv),
            depth=len(pv),
            nodes=int(np.count_nonzero(tree.visits[: tree.size[0]])),
            leaves=simulations,
            exact=False,
            seconds=seconds,
            statistics={"evaluated batches": batches, "nodes in memory": int(tree.size[0])},
        )
