"""Monte Carlo tree search: UCT, with all that can be added to it, over the kernels of `tree` and `uct`."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, Opponents, State
from ...envs.jit.prng import new_rng, seed_sequence
from ...envs.outside.arguments import checked_flag, checked_whole, is_between, is_positive
from ...envs.outside.limits import MOST_THREADS
from ..analysis import Analysis
from ..repetitions import Followed, are_watched, forbids
from ..search import SearchAgent, in_turn
from ..settings import MOST_SIMULATIONS, Budget, Checked, Setting, check_arguments, check_flags
from .batched import BatchedMCTS, nodes_for
from .defaults import settings
from .final_move import Child, FinalMove, agreed, chosen
from .linear import LinearPolicy, policy_of
from .report import most_visited_line, standard_error
from .rollouts import Guided
from .searcher import Searcher
from .tree import exploration
from .uct import Options, is_plain

__all__ = ["MCTS"]

_EPSILON = 0.1
_BATCHED_NODES = 1 << 21  # nodes of the largest tree that a thread gets when it plays many games


class MCTS(SearchAgent):
    """UCT. Each simulation selects by ``mean + c · sqrt(ln N / n)``, expands, plays at random to the end, and backs up.

    By default this is plain UCT, and the move with the most visits is played (of equals the one with the better mean,
    then one at random). Every addition is an option. Where the game knows good moves, as Go does, and none of ``c``,
    ``rollout``, ``rave``, ``rave_bias`` and ``prior`` is given, the default has what `defaults` lists: so
    ``rollout="random"`` alone is plain UCT there. Without a budget there are 1000 simulations. The same seed,
    simulations and threads give the same move; seconds do not.

    In `analyse`, ``values`` are the means of the simulations through each action, for the player to move (exact where
    the solver has proved them), and ``visits`` are the numbers of these simulations, those kept from earlier moves
    included. ``nodes`` counts the visited nodes of the tree, and ``leaves`` the new simulations. ``exact`` says that
    the solver proved the value. It proves from the rules of a state alone, and so does not know what an environment
    forbids or ends because of earlier positions; a draw by repetition proves nothing. ``standard_error`` is an upper
    bound: that of independent simulations which all end in a win or a loss. It does not bound the distance to the
    minimax value.

    Args:
        game: the game, or its name.
        simulations: simulations for each move.
        seconds: wall-clock time for each move. Of both budgets the first to run out ends the search.
        c: how much to explore, 1.4 by default, in units of the game's ``max_utility``. The means run from -1 to 1 of
            these, twice the range for which UCB1's √2 is meant. (Of utilities without a limit, the unit is 1.)
        final_move: ``"visits"``, the robust child; ``"value"``, the max child; or ``"robust-max"``, the child that is
            both. Where no child is both, the search goes on for up to as many simulations again (not beyond
            ``seconds``), and then takes the robust child (Chaslot et al. 2008; Coulom 2006).
        reuse_tree: keep what is known of the position that the game has come to. The search finds it by its state, and
            adds the ``simulations`` of the move to it. `reset` forgets it.
        fpu: first-play urgency, the score of a child that was never visited, in units of the mean. None: infinite, so
            that each child is tried before any is tried again.
        solver: back up proved wins, losses and draws (MCTS-Solver), and stop when the root is proved, each thread in
            its own tree.
        rollout: ``"random"``, by the game's ``random_action``; ``"heavy"``, by rules that the game has for rollouts;
            ``"greedy"``, to the position that the game's ``evaluate`` likes best one ply ahead; or a linear policy, or
            the path of its file.
        epsilon: the share of random moves in greedy rollouts, which alone have any use for it.
        rollouts: rollouts from each leaf; their mean counts as one visit.
        rollout_depth: plies after which a rollout is cut and ``evaluate`` taken instead. 0: no rollout; None: no cut.
        rave: k of RAVE, the number of visits at which a child's own mean and its all-moves-as-first mean weigh about
            the same. 0: no RAVE.
        rave_bias: b of RAVE's other schedule, where the share of AMAF is ``m / (n + m + 4 b² n m)`` for n visits
            of a child and m of its AMAF. Above 0 it takes the place of the schedule of k, for any ``rave`` above 0.
        prior: how much the game's guesses of the moves at new nodes count, as a factor of the simulations that the game
            says they are worth. 0: not at all.
        bias: weight of the progressive bias ``bias · evaluate / (n + 1)``; children are then tried in the order of
            their evaluation. 0: no bias.
        widening: α of progressive widening, above 0 and at most 1: after N visits, ⌈N^α⌉ children are considered, in
            the order of their evaluation. None: all.
        superko: in a game that forbids a position to come again, as Go does, whether the tree leaves such moves out.
            It is told of the game by ``info["past"]``, or ``past`` of `analyse`; where nobody tells, it knows the game
            from the agent's first move on. False: the tree knows the rules of a state alone.
        repetitions: in a game that repetitions draw, as chess, whether a node is drawn whose position the way to it has
            had below the root, or that stands on the board as often as `Game.repetition` says. The tree is told of the
            game as of superko; where nobody tells, it knows the way to a node alone. Rollouts do not look.
        threads: threads that share the simulations. Each grows a tree of its own, and the trees vote with all their
            visits (root parallelization, Chaslot et al. 2008).
        tree_mb: megabytes for all trees together, about. A full tree stays as it is, and the search goes on in it.
            None: no limit.
        seed: the seed of the rollouts; None takes one from the system's entropy.

    Raises:
        ValueError: an argument is out of its range; the message names it.
    """

    hears = True
    seconds = Budget()
    c = Setting(lambda c: is_between(c, 0), "a finite number, at least 0", float)
    reuse_tree = Checked(checked_flag)
    final_move: Setting = Setting(lambda rule: rule in get_args(FinalMove), f"one of {', '.join(get_args(FinalMove))}")

    def __init__(
        self,
        game: Game | str,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        c: float | None = None,
        final_move: FinalMove = "visits",
        reuse_tree: bool = False,
        fpu: float | None = None,
        solver: bool = False,
        rollout: str | LinearPolicy | None = None,
        epsilon: float = _EPSILON,
        rollouts: int = 1,
        rollout_depth: int | None = None,
        rave: float | None = None,
        rave_bias: float | None = None,
        prior: float | None = None,
        bias: float = 0,
        widening: float | None = None,
        superko: bool = True,
        repetitions: bool = True,
        threads: int = 1,
        tree_mb: float | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(game)
        c, rollout, rave, rave_bias, prior = settings(self.game, c, rollout, rave, rave_bias, prior)
        threads = checked_whole("threads", threads, 1, MOST_THREADS)
        rollouts = checked_whole("rollouts", rollouts, 1, MOST_SIMULATIONS)
        rollout_depth = None if rollout_depth is None else checked_whole("rollout_depth", rollout_depth, 0, 2**31 - 1)
        check_arguments(
            ("fpu", fpu, fpu is None or is_between(fpu, -math.inf, math.inf), "a number, or None"),
            ("epsilon", epsilon, is_between(epsilon, 0, 1), "between 0 and 1"),
            ("epsilon", epsilon, rollout == "greedy" or epsilon == _EPSILON, f"{_EPSILON} without greedy rollouts"),
            ("rollouts", rollouts, rollouts == 1 or not rave, "1 with rave, which marks the moves of one rollout"),
            ("rave", rave, is_between(rave, 0), "a finite number, at least 0"),
            ("rave_bias", rave_bias, is_between(rave_bias, 0), "a finite number, at least 0"),
            ("rave_bias", rave_bias, rave_bias == 0 or rave != 0, "0 without rave"),
            ("prior", prior, is_between(prior, 0), "a finite number, at least 0"),
            (
                "prior",
                prior,
                prior == 0 or self.game.knowledge.has_priors,
                f"0 in {self.game.spec}, which has no priors",
            ),
            ("bias", bias, is_between(bias, 0), "a finite number, at least 0"),
            ("widening", widening, widening is None or is_positive(widening, 1), "above 0 and at most 1, or None"),
            ("tree_mb", tree_mb, tree_mb is None or is_positive(tree_mb), "a finite number above 0, or None"),
        )
        check_flags(solver=solver, superko=superko, repetitions=repetitions)
        policy = policy_of(rollout, self.game, greedy=True)
        self.simulations = 1000 if simulations is None and seconds is None else simulations
        self.seconds, self.c, self.reuse_tree, self.final_move = seconds, c, reuse_tree, final_move
        guided = Guided(
            bias=float(bias),
            widening=float(widening or 0),
            depth=-1 if rollout_depth is None else rollout_depth,
            epsilon=float(epsilon) if rollout == "greedy" else 1.0,
        )
        self.options = Options(
            fpu=np.inf if fpu is None else float(fpu),
            solver=bool(solver),
            rave=float(rave),
            rave_bias=float(rave_bias),
            prior=float(prior),
            rollouts=rollouts,
            top=float(self.game.max_utility),
            guided=guided if guided != Guided() else None,
        )
        self._limited = tree_mb is not None
        share = None if tree_mb is None else tree_mb / threads
        self._is_watched = are_watched(self.game, superko, repetitions)
        self._followed = Followed(self.game) if superko and forbids(self.game) else None
        self._searchers = [
            Searcher(self.game, self.options, self.c, rng, share, policy() if policy else None, self._is_watched)
            for rng in _rngs(seed, threads)
        ]

    @property
    def threads(self) -> int:
        """Threads that share the simulations; fixed when the search is made, as each has its tree."""
        return len(self._searchers)

    @in_turn
    def reset(self, seed: int | None = None) -> None:
        """Forget the tree, and start the random numbers anew if a seed is given."""
        for searcher in self._searchers:
            searcher.forget()
        if self._followed is not None:
            self._followed.forget()
        if seed is not None:
            for searcher, rng in zip(self._searchers, _rngs(seed, self.threads), strict=True):
                searcher.rng = rng

    def batched(self) -> Opponents | None:
        """Return players of many games at once: see `plyground.envs.as_opponents`.

        Only plain UCT has them, and none whose tree looks for positions that come again: for that it follows the game.
        """
        return self._batched(forced=False)

    def copies(self) -> Opponents | None:
        """Return players of many games at once who play each as this agent does: see `plyground.agents.agent`."""
        return self._batched(forced=True)

    def _batched(self, forced: bool) -> BatchedMCTS | None:
        if self.simulations is None or self.seconds is not None or self._limited or self.reuse_tree:
            return None
        plain = (
            is_plain(self.options)
            and self._searchers[0].policy is None
            and not self._is_watched
            and self.threads == 1
            and self.final_move == "visits"
        )
        if not plain or nodes_for(self.game, self.simulations) > _BATCHED_NODES:
            return None
        return BatchedMCTS(self.game, int(self.simulations), exploration(self.c, self.game), forced)

    def _compile(self) -> None:
        self._searchers[0].compile(self.reuse_tree)
        if self._followed is not None:
            self._followed.compile()

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        start = time.perf_counter()
        past = self._past if self._followed is None else self._followed.past(state, self._past)
        for searcher in self._searchers:
            searcher.c = exploration(self.c, self.game)  # c may have been set since the last search
        kept = sum(searcher.start(state, actions, self.reuse_tree, past) for searcher in self._searchers)
        # What is known of the position was looked for in the time of the move.
        done = self._run_and_tell(kept, start)
        # Robust-max: more simulations, an eighth at a time, until the robust child is the max child.
        limit = self.simulations if self.final_move == "robust-max" and self.simulations is not None else 0
        extra = 0
        while extra < limit and not agreed(self._children()) and not self._is_stopped():
            left = self._left(start)
            if left is not None and left <= 0:
                break
            ran = sum(self._run(self._shares(min(max(1, limit // 8), limit - extra)), left))
            if ran == 0:
                break
            extra += ran
        found = self._answer(done + extra, kept, time.perf_counter() - start)
        if self._followed is not None:
            self._followed.play(state, found.best_action)
        return found

    def _left(self, start: float) -> float | None:
        """Return the seconds that are left to a search that began at ``start``; None without a budget."""
        return None if self.seconds is None else self.seconds - (time.perf_counter() - start)

    def _is_stopped(self) -> bool:
        return self.listener is not None and self.listener.is_stopped

    def _run_and_tell(self, kept: int, start: float) -> int:
        """Run the simulations of the move, tell a listener what was found meanwhile, and return their number."""
        shares, done = self._shares(self.simulations), 0
        if self.listener is None:
            return sum(self._run(shares, self._left(start)))
        while True:
            left = self._left(start)
            ran = self._run(shares, self.listener.every if left is None else min(left, self.listener.every))
            # A tree that was quick has less left, and no more in all; one that has proved the root is done.
            parts = zip(self._searchers, shares, ran, strict=True)
            shares = [0 if searcher.proved else share - part for searcher, share, part in parts]
            done += sum(ran)
            is_enough = self.listener.hear(self._answer(done, kept, time.perf_counter() - start))
            left = self._left(start)
            if is_enough or not any(shares) or not any(ran) or (left is not None and left <= 0):
                return done

    def _shares(self, simulations: int | None) -> list[int]:
        """Return how many of these simulations each tree runs."""
        total = MOST_SIMULATIONS if simulations is None else simulations
        return [total // self.threads + (i < total % self.threads) for i in range(self.threads)]

    def _run(self, shares: list[int], seconds: float | None) -> list[int]:
        """Run so many new simulations in each tree, and return how many were done."""
        if self.threads == 1:
            return [self._searchers[0].run(shares[0], seconds, self._is_stopped)]
        stop = False
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                runs = [
                    pool.submit(searcher.run, share, seconds, lambda: stop or self._is_stopped())
                    for searcher, share in zip(self._searchers, shares, strict=True)
                ]
                return [run.result() for run in runs]
            finally:
                stop = True  # Ctrl-C: the others end too

    def _children(self) -> list[Child]:
        """Return what is known of each action at the root, in the order of the first tree."""
        rows = self._searchers[0].children()
        if len(self._searchers) > 1:
            known: dict[int, tuple[int, int, float, float, float]] = {}
            for action, visits, total, low, high in chain(*(searcher.children() for searcher in self._searchers)):
                _, n, w, floor, ceiling = known.get(action, (action, 0, 0.0, -math.inf, math.inf))
                known[action] = action, n + visits, w + total, max(low, floor), min(high, ceiling)
            rows = list(known.values())
        if not self.options.solver:
            return [Child(a, n, w / n if n else math.nan, low, high) for a, n, w, low, high in rows]
        return [
            Child(a, n, min(max(w / n, low), high) + 0.0 if n else math.nan, low, high) for a, n, w, low, high in rows
        ]

    def _answer(self, simulations: int, kept: int, seconds: float) -> Analysis:
        children = self._children()
        best = chosen(children, self.final_move)
        children.sort()
        tried, top = [child for child in children if child.visits], float(self.game.max_utility)
        if best.visits:
            value, error = best.value, standard_error(best.value, best.visits, top)
        else:  # nothing is known of it alone: the mean of all simulations
            value, error = sum(one.visits * one.value for one in tried) / sum(one.visits for one in tried), None
        exact = best.low == best.high and all(child.high <= best.low for child in children)
        # With fewer simulations than threads, some trees have nothing but a root.
        trees = [searcher.tree for searcher in self._searchers if searcher.tree and searcher.tree.child_count[0]]
        pv = max([most_visited_line(tree, best.action) for tree in trees], key=len)
        return Analysis(
            best_action=best.action,
            value=value,
            best_actions=tuple([child.action for child in children if child.low == value]) if exact else (best.action,),
            values={child.action: child.value for child in tried},
            visits={child.action: child.visits for child in children},
            proved=tuple([child.action for child in children if child.low == child.high]),
            pv=pv,
            depth=len(pv),
            nodes=sum([int(np.count_nonzero(tree.visits[: int(tree.size[0])])) for tree in trees]),
            leaves=simulations,
            exact=exact,
            seconds=seconds,
            standard_error=0.0 if exact else error,
            selective_depth=max([int(tree.deepest[0]) for tree in trees]),
            statistics={
                "simulations kept": kept,
                "nodes in memory": sum([int(tree.size[0]) for tree in trees]),
                "full trees": sum([int(tree.full[0]) for tree in trees]),
            },
        )


def _rngs(seed: int | None, count: int) -> list[NDArray[np.uint64]]:
    """Return a generator for each tree. The first does not depend on how many there are."""
    sequence = seed_sequence(seed)
    return [new_rng(sequence), *map(new_rng, sequence.spawn(count - 1))]
