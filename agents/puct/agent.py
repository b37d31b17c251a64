"""PUCT: the tree search of AlphaGo and AlphaZero, with priors and values from any callable.

Sources: D. Silver et al., "Mastering the game of Go with deep neural networks and tree search", Nature 529 (2016); "A
general reinforcement learning algorithm that masters chess, shogi, and Go through self-play", Science 362 (2018).
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...envs import Game, State
from ...envs.jit import bind
from ...envs.jit.prng import new_rng, seed_sequence
from ...envs.outside.arguments import checked_flag, checked_whole, is_between, is_positive
from ..agent import Observation
from ..analysis import Analysis
from ..mcts.linear import LinearPolicy
from ..mcts.memory import bytes_per_node, grown, most_nodes
from ..mcts.reuse import compile_reuse
from ..repetitions import Followed, are_watched, compile_past, forbids, new_repeats, with_past
from ..search import SearchAgent, in_turn
from ..settings import MOST_SIMULATIONS, Budget, Checked, Setting, check_arguments, check_flags
from .answer import answer_of
from .evaluators import Evaluator, ObservationEvaluator
from .forest import Root
from .forest.checks import check_gumbel, checked_decisive, checked_root, checked_states
from .forest_search import ForestSearch
from .observing import Observer
from .reuse import tree_below
from .tree import PriorTree, absorb, add_root_noise, collect, new_prior_tree
from .values import LeafValues, latest_actions

__all__ = ["PUCT", "Evaluator"]

_NODES = 4096  # room in a new tree, at least
_ROOM = 1 << 20  # and at most: memory that is not written to costs nothing, and to copy a tree that grows does


class PUCT(SearchAgent):
    """Tree search guided by priors: each simulation selects by ``Q + C · P · sqrt(Σ N) / (1 + N)`` (Silver et al.).

    Leaves are collected in batches: a virtual loss on the way to each steers the next ones elsewhere, and is taken back
    when the batch is evaluated. The value of a leaf is ``(1 - lambda_) · value + lambda_ · rollout``; a finished game
    counts by its utility. C grows slowly, ``c + ln((1 + N + c_base) / c_base)``, as in AlphaZero.

    Without a budget there are 800 simulations. The same seed and number of simulations give the same move if the
    evaluator gives the same answers; seconds do not. In `analyse`, ``values`` are the Q of the visited actions for the
    player to move, ``visits`` their N, those kept from earlier moves included, and ``priors`` the P that were used,
    noise included (in a forest without); ``standard_error`` is a bound of that of independent leaves, as in `MCTS`.

    Args:
        game: the game, or its name.
        simulations, seconds: for each move, the seconds of wall-clock time. The first to run out ends the search.
        evaluator: ``evaluator(states) -> (priors, values)``: for the unfinished states [batch], of the game's dtype,
            the priors [batch, num_actions], not negative (illegal actions are dropped, the others scaled to sum to 1;
            zero for all legal ones means uniform, ties at the root broken at random), and the values [batch] for the
            player to move, in the units of the utility. Or an `ObservationEvaluator`, such as `torch_evaluator` and
            `policy_evaluator` make of networks, which is shown what the environment would show the player to move.
            None: uniform priors, and values by rollouts; where ``lambda_`` is below 1, by the game's ``evaluate``.
        c: how much to explore along the priors.
        c_base: after about so many visits C has grown by ln 2; None: C stays ``c``, as in AlphaGo.
        lambda_: λ, the share of the rollout in the value of a leaf, as in AlphaGo's paper, which found 0.5 best: 0 for
            no rollouts, 1 for rollouts only. None: 0 with an evaluator, 1 without.
        rollout: what draws the moves of rollouts, as for `MCTS`: ``"random"``, ``"heavy"``, a linear policy or file.
        batch: leaves that are evaluated together, at most.
        virtual_loss: losses that a leaf counts for until it is evaluated. A batch ends where a leaf is met again, so
            with 0 there is one leaf in it, as the same way is always the best.
        fpu: the Q of an action that was never visited, in shares of the largest utility, as all Q in the formula.
        noise: ε of the Dirichlet noise at the root, ``(1 - ε) P + ε η``; AlphaZero's self-play has 0.25.
        noise_alpha: α of the Dirichlet distribution of η; AlphaZero has about 10 over the usual number of legal moves.
        temperature: τ: the move is drawn with probability ∝ N^(1/τ); 0 plays the most visited one (of equals the one
            with the better Q, then the higher prior; in a forest that with the higher prior).
        reuse_tree: keep what is known of the position that the game has come to. It is found by its state, and adds to
            the ``simulations`` of the move; the root gets fresh noise. `reset` forgets.
        superko, repetitions: as for `MCTS`: whether the tree leaves out what would bring a position back, where that is
            forbidden, and whether it knows draws by repetition, where there are any.
        tree_mb: megabytes for the tree, about. A full tree stays as it is, and the search goes on in it: leaves without
            room for children are evaluated again when they are met again. None: no limit.
        root: ``"gumbel"`` divides the simulations at the root by sequential halving, and selects below it without
            chance (Danihelka et al. 2022): better than ``"puct"`` with few simulations. ``noise`` above 0 then draws
            Gumbel noise, ``temperature`` draws from the improved policy, ``batch`` changes nothing that is found; c,
            c_base, virtual_loss, fpu and noise_alpha are not used. With seconds alone, searches double in size.
        proofs: results of finished games go up the tree as far as they prove something (Winands et al. 2008), and a
            proved root ends the search. A root of PUCT then has no batches.
        decisive: a leaf where a move wins at once is proved, see `Forest`; it needs ``proofs``.
        considered, c_visit, c_scale: candidates at a Gumbel root, and σ's constants for values of 0 to 1; 1e30 at most.
        seed: the seed of noise, ties, rollouts and drawn moves; None takes one from the system's entropy.

    A tree with a Gumbel root or proofs has its room from the start, for twice the simulations: ``tree_mb`` must suffice
    for these, and ends a search that has seconds alone. None stands for a gigabyte there.

    Raises:
        ValueError: an argument is out of its range; the message names it. Or the evaluator is for another game, or
            cannot be shown the observations of this one.
    """

    hears = True
    seconds = Budget()
    c = Setting(lambda c: is_between(c, 0), "a finite number, at least 0", float)
    c_base: Setting = Setting(
        lambda b: b is None or is_positive(b, np.inf), "above 0, or None", lambda b: float(b or np.inf)
    )
    virtual_loss = Checked(lambda name, losses: checked_whole(name, losses, 0, 2**31 - 1))
    fpu = Setting(lambda fpu: is_between(fpu, -np.inf, np.inf), "a number", float)
    noise = Setting(lambda share: is_between(share, 0, 1), "between 0 and 1", float)
    noise_alpha = Setting(is_positive, "a finite number above 0", float)
    temperature = Setting(lambda temperature: is_between(temperature, 0, np.inf), "at least 0", float)
    reuse_tree, proofs = Checked(checked_flag), Checked(checked_flag)
    root = Checked(lambda _, root: checked_root(root))

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
        rollout: str | LinearPolicy = "random",
        batch: int = 8,
        virtual_loss: int = 1,
        fpu: float = 0.0,
        noise: float = 0.0,
        noise_alpha: float = 0.3,
        temperature: float = 0.0,
        reuse_tree: bool = False,
        superko: bool = True,
        repetitions: bool = True,
        tree_mb: float | None = None,
        root: Root = "puct",
        proofs: bool = False,
        decisive: bool | None = False,
        considered: int = 16,
        c_visit: float = 50.0,
        c_scale: float = 1.0,
        seed: int | None = None,
    ) -> None:
        super().__init__(game)
        batch = checked_whole("batch", batch, 1)
        lambda_ = float(evaluator is None) if lambda_ is None else lambda_
        check_arguments(
            ("evaluator", evaluator, evaluator is None or callable(evaluator), "a function of states, or None"),
            ("lambda_", lambda_, is_between(lambda_, 0, 1), "between 0 and 1"),
            ("rollout", rollout, lambda_ != 0 or rollout == "random", "'random' where lambda_ is 0: there are none"),
            ("tree_mb", tree_mb, tree_mb is None or is_positive(tree_mb), "a finite number above 0, or None"),
        )
        check_flags(superko=superko, repetitions=repetitions)
        check_gumbel(considered, c_visit, c_scale)
        self.simulations = 800 if simulations is None and seconds is None else simulations
        self.seconds, self.reuse_tree, self.root, self.proofs = seconds, reuse_tree, root, proofs
        self.c, self.c_base, self.virtual_loss, self.fpu = c, c_base, virtual_loss, fpu
        self.noise, self.noise_alpha, self.temperature = noise, noise_alpha, temperature
        self._tree_mb = tree_mb
        self._observer: Observer | None = None
        self._shown: Observation | None = None  # what the environment shows at the root
        if isinstance(evaluator, ObservationEvaluator):
            evaluator.check(self.game)
            self._observer = Observer(self.game)
        self._values = LeafValues(self.game, evaluator, float(lambda_), rollout)
        decisive = checked_decisive(self.game, decisive, proofs)
        watch = are_watched(self.game, superko, repetitions)
        self._repeats = new_repeats(self.game, 1) if watch else None  # of the tree
        self._followed = Followed(self.game) if superko and forbids(self.game) else None
        self._before: NDArray[np.uint64] | None = None  # the positions before the root, as far as they are known
        self._for_forest = {"considered": considered, "c_visit": c_visit, "c_scale": c_scale, "decisive": decisive}
        self._for_forest |= {"forced": 0.0, "superko": watch, "repetitions": watch}
        node_bytes = sum(map(bytes_per_node, filter(None, (new_prior_tree(1, 1, 1, 1), self._repeats))))
        self._most = most_nodes(self.game, tree_mb, node_bytes)
        self._tree: PriorTree | None = None  # of the last search, from the state `_root`
        self._clean = np.empty(0)  # the priors at its root without noise, child by child
        self._root, self._leaves, self._look = (np.zeros(size, self.game.dtype) for size in (1, batch, 1))
        self._seed(seed)
        if self._in_forest:
            self._planted(is_strict=True)

    @in_turn
    def reset(self, seed: int | None = None) -> None:
        """Forget the tree, and start the random numbers anew if a seed is given."""
        self._tree = None
        if self._followed is not None:
            self._followed.forget()
        if self._forest is not None:
            self._forest.forest.forget()
        if seed is not None:
            self._seed(seed)

    @property
    def batch(self) -> int:
        """Leaves that are evaluated together, at most; fixed when the search is made."""
        return self._leaves.size

    @property
    def evaluator(self) -> Evaluator | None:
        """What gives priors and values; fixed when the search is made: one that is to change can ask whom it likes."""
        return self._values.evaluator

    def _analyse(self, state: State, mask: ArrayLike | None, observation: Observation | None) -> Analysis:
        self._shown = observation
        return super()._analyse(state, mask, observation)

    def evaluate(
        self,
        states: NDArray[Any],
        observations: NDArray[Any] | None = None,
        masks: NDArray[Any] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what the ``evaluator`` says of unfinished states [batch], or what stands for it if there is none.

        Args:
            states: the states.
            observations: [batch, *observation_shape] what the environment shows the players to move. An
                `ObservationEvaluator` needs them in games whose observations have earlier positions.
            masks: [batch, num_actions] the environment's; given with the observations.

        Returns:
            Priors [batch, num_actions], and values [batch] for the player to move, in the units of the utility.

        Raises:
            ValueError: the states are none of this game; the evaluator's answer has another shape, or is not finite, or
                a prior is negative; or observations are needed, or given without masks, or masks without observations.
        """
        if (observations is None) != (masks is None):
            missing = "observations" if observations is None else "masks"
            raise ValueError(f"{missing} are missing: give observations and masks, or neither")
        seen, states = None, checked_states(self.game, states)
        if observations is not None and masks is not None:
            seen = np.asarray(observations), np.asarray(masks) != 0
        elif self._observer is not None:
            seen = self._observer.of_states(states)
        return self._values.evaluated(states, seen)

    def __getstate__(self) -> dict[str, Any]:
        repeats = None if self._repeats is None else new_repeats(self.game, 1)
        return {**super().__getstate__(), "_tree": None, "_repeats": repeats, "_shown": None, "_forest": None}

    def _seed(self, seed: int | None) -> None:
        sequence = seed_sequence(seed)
        self._rng = new_rng(sequence)  # of the rollouts
        drawn, planted = sequence.spawn(2)
        self._generator = np.random.default_rng(drawn)  # of noise and drawn moves
        row = seed_sequence(int(planted.generate_state(1, np.uint64)[0])).spawn(1)[0]
        self._forest_rngs = new_rng(row)[np.newaxis]  # [1, 1] of the noise in a forest, whichever is made
        self._forest: ForestSearch | None = None

    @property
    def reports(self) -> bool:
        """Whether a listener hears of a search that goes on: it does not in a forest whose simulations are given."""
        return not self._in_forest or self.simulations is None

    @property
    def _in_forest(self) -> bool:
        """Whether the tree is one of a forest."""
        return self.root == "gumbel" or self.proofs

    def _planted(self, is_strict: bool = False) -> ForestSearch:
        """Return the forest of one tree, which is made when it is needed first, and anew where numbers were set."""
        names = "simulations", "root", "proofs", "noise", "noise_alpha", "c", "c_base", "fpu"
        asked: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self._forest is None or not asked.items() <= self._forest.asked.items():
            self._forest = ForestSearch(
                self.game, self._values, self._observer, megabytes=self._tree_mb, leaves=self.batch,
                is_strict=is_strict, rngs=self._forest_rngs, **asked, **self._for_forest,
            )  # fmt: skip
        return self._forest

    @property
    def _how(self) -> tuple[float, float, float, int, float]:
        """The numbers that selection needs; where the largest utility is infinite, it takes values as they are."""
        return self.c, self.c_base, self.fpu, self.virtual_loss, 1 / float(self.game.max_utility) or 1.0

    def _compile(self) -> None:
        if self._followed is not None:
            self._followed.compile()
        self._values.compile()
        tree, numbers = new_prior_tree(1, 1, 1, 1), np.zeros((1, 1))
        if self._observer is not None:
            self._observer.compile(tree)
        if self._in_forest:
            self._planted().forest.prepare()
            return
        bind(collect, self.game, self._root, self._leaves, tree, 1, self._how, self._repeats, self._look)
        bind(absorb, self.game, self._leaves, tree, 1, numbers, numbers[0], self._repeats)
        if self._repeats is not None:
            compile_past(self.game)
        if self.reuse_tree:
            compile_reuse(self.game, tree)

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        start = time.perf_counter()
        self._before = self._past if self._followed is None else self._followed.past(state, self._past)
        found = (self._search_forest if self._in_forest else self._search_tree)(state, actions, start)
        if self._followed is not None:
            self._followed.play(state, found.best_action)
        return found

    def _search_tree(self, state: State, actions: NDArray[np.int32], start: float) -> Analysis:
        tree = self._moved_root(state, actions) if self.reuse_tree else None
        kept = 0 if tree is None else int(tree.visits[0])
        self._tree, self._root[0] = None, state  # an evaluator that raises leaves no tree behind
        if self._observer is not None:
            self._observer.begin(self._root, self._shown)
        tree = self._new_tree(actions) if tree is None else tree
        self._clean = tree.prior[1 : 1 + actions.size].copy()
        if self.noise:
            eta = self._generator.dirichlet(np.full(actions.size, self.noise_alpha))
            self._clean = add_root_noise(tree, self.noise, eta, self._repeats)
        tree, done, batches = self._run(tree, kept, start)
        self._tree = tree
        return self._answer(tree, (done, kept, batches), time.perf_counter() - start, self.temperature)

    def _search_forest(self, state: State, actions: NDArray[np.int32], start: float) -> Analysis:
        planted = self._planted()
        if not self.reuse_tree:
            planted.forest.forget()
        if self._observer is not None:
            self._root[0] = state
            self._observer.begin(self._root, self._shown)
        is_late = partial(self._is_over, start)
        return planted.search(
            state, actions, self._before, self._rng, self._generator, self.temperature, is_late, self.listener
        )

    def _is_over(self, start: float, done: int) -> bool:
        """Return whether a search that began at ``start`` has no time left, or is to end; one is ``done`` at least."""
        is_stopped = self.listener is not None and self.listener.is_stopped
        return done > 0 and (is_stopped or (self.seconds is not None and time.perf_counter() - start >= self.seconds))

    def _moved_root(self, state: State, actions: NDArray[np.int32]) -> PriorTree | None:
        """Return what the tree of the last search knows of ``state``, with these actions, or None for nothing."""
        if self._tree is None:
            return None
        states = self._root[0], state
        found = tree_below(self.game, self._tree, self._repeats, states, actions, self._clean, self._before)
        if found is None:
            return None
        tree, self._repeats = found
        return tree

    def _new_tree(self, actions: NDArray[np.int32]) -> PriorTree:
        """Return a tree of the root and a child for each of ``actions``, with priors."""
        children = self.game.num_actions
        expected = 0 if self.simulations is None else min(self.simulations * children, _ROOM)
        nodes = min(max(_NODES, expected, (self.batch + 1) * children + 1), self._most)
        tree = new_prior_tree(nodes, self.game.max_plies, self.batch, children)
        if self._repeats is not None:
            self._repeats = with_past(new_repeats(self.game, nodes), self._before)
        tree.mover[0] = 1 - self.game.player(self._root[0])  # as if the opponent had just moved
        tree.lengths[0] = 1  # the way to the root: node 0
        tree.legal[0, : actions.size], tree.counts[0] = actions, actions.size
        seen = None if self._observer is None else self._observer.at_root(self._root[0], actions)
        priors, _ = self._values.evaluated(self._root, seen, self._generator, np.isin(np.arange(children), actions))
        absorb(self.game, self._root, tree, 1, priors, np.zeros(0), self._repeats)
        return tree

    def _run(self, tree: PriorTree, kept: int, start: float) -> tuple[PriorTree, int, int]:
        """Run new simulations; return the tree, which may have grown, their number, and that of evaluated batches."""
        done, batches = 0, 0
        limit = min(MOST_SIMULATIONS if self.simulations is None else self.simulations, MOST_SIMULATIONS - kept)
        observer, told = self._observer, start

        def is_late() -> bool:
            return self._is_over(start, done)

        while done < limit and not is_late():
            room = tree.visits.size
            if int(tree.size[0]) + self.batch * self.game.num_actions > room and room < self._most:
                nodes = min(2 * room, self._most)
                larger = grown(tree, nodes, is_late)
                keys = None if self._repeats is None else grown(self._repeats, nodes, is_late)
                if larger is None or (keys is None and self._repeats is not None):
                    break
                tree, self._repeats = larger, keys
            found, ended = collect(
                *(self.game, self._root, self._leaves, tree, min(self.batch, limit - done)),
                *(self._how, self._repeats, self._look),
            )
            done += found + ended
            if found:
                seen = None if observer is None else observer.at_leaves(self._root, tree, self._leaves, found)
                latest = latest_actions(tree.paths[:found, 1:], tree.lengths[:found] - 1, tree.action)
                priors, values = self._values.both(self._leaves[:found], seen, self._rng, self._generator, latest)
                absorb(self.game, self._leaves, tree, found, priors, values, self._repeats)
                batches += 1
            now = time.perf_counter()
            if self.listener is not None and now - told >= self.listener.every:
                self.listener.hear(self._answer(tree, (done, kept, batches), now - start))
                told = now
        return tree, done, batches

    def _answer(
        self, tree: PriorTree, counts: tuple[int, int, int], seconds: float, temperature: float = 0.0
    ) -> Analysis:
        return answer_of(tree, float(self.game.max_utility), counts, seconds, temperature, self._generator)
