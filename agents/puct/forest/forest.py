"""Many games searched side by side, one tree each, whose leaves are evaluated together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....envs import Game
from ....envs.jit import bind
from ....envs.jit.prng import new_rng, seed_sequence
from ....envs.outside.arguments import checked_flag, checked_whole, is_between, is_positive
from ....envs.outside.limits import MOST_THREADS
from ....envs.vector.checks import checked_actions, checked_rows
from ....envs.vector.pieces import Pieces
from ...repetitions import are_watched, compile_past
from .cache import EvaluationCache
from .checks import (
    MOST_NUMBER,
    Root,
    check_number,
    checked_answer,
    checked_budgets,
    checked_decisive,
    checked_root,
    checked_states,
)
from .gumbel import GumbelRule
from .passes import absorb, begin_gumbel, begin_puct, select_gumbel, select_puct, show
from .pasts import Keys, Pasts
from .priors import PuctRule
from .results import Searched, finish_gumbel, finish_puct, keep
from .trees import MOST_EDGES, new_trees, size_of_trees

__all__ = ["Evaluate", "Forest", "Root", "Searched"]

# planes [leaves, *observation_shape], masks bool [leaves, num_actions] -> logits float32 [leaves, num_actions], values
# float32 [leaves] for the players to move, from -1 to 1. The next pass writes into the same planes and masks: copy what
# is to be kept.
Evaluate = Callable[[NDArray[Any], NDArray[np.bool_]], tuple[NDArray[np.float32], NDArray[np.float32]]]

# Edges of a node on average, for which there is room. Games of ours with more legal moves than these, such as Go on
# 19x19, have the most of them at the start, and get room for so many.
_MOST_EDGES = 128
_NOTHING = np.zeros((0, 0), np.bool_)


class Forest:
    """Search trees side by side, a row for each of many games.

    In each pass every tree selects a leaf, and all leaves are evaluated together: so there is no virtual loss, batches
    are as large as there are games, and a row depends on its own position and random numbers alone, whatever the number
    of threads. A simulation that comes to the end of a game is backed up without the evaluator. Proved results go up
    the trees, and a row whose root is proved searches no further.

    The root is ``"gumbel"`` (Danihelka et al. 2022), which improves the policy even with few simulations, or ``"puct"``
    (Silver et al. 2018, with the forced playouts of Wu 2019): see `gumbel` and `priors` in this room.

    Args:
        game: the game.
        num_trees: how many trees there are.
        simulations: the most simulations of a search; a row may have fewer. The evaluation of a root is not one.
        root: how the root divides its simulations, and what is selected below.
        considered: candidates at a Gumbel root, at most.
        c_visit, c_scale: the constants of Gumbel's σ, for values from 0 to 1.
        noise: ε of the Dirichlet noise at a PUCT root, ``(1 - ε) P + ε η``; above 0, a Gumbel root draws Gumbel noise.
        noise_alpha: α of the Dirichlet distribution of η; None: 10 over the number of actions that may be played there.
        c, c_base, fpu: the numbers of PUCT, as in `PUCT`. But for c_base and fpu, numbers are 1e30 at most.
        forced: k of the forced playouts at a PUCT root; 0 for none.
        proofs: whether results of finished games go up the trees as far as they prove something.
        decisive: whether a leaf where a move wins at once, as much as can be won, is proved, and the evaluator not
            asked (F. Teytaud, O. Teytaud, "On the huge impact of decisive moves in Monte-Carlo tree search algorithms",
            CIG 2010): all of its moves are tried. Needs proofs. None: in all games but those that count cells.
        superko: whether the trees leave out what would bring a position back, in games that forbid that; see `search`.
        repetitions: whether the trees know draws by repetition, in games that have them, as `MCTS` does; see `search`.
        leaves: leaves of a tree that are evaluated together, at most. Candidates of one round of sequential halving do
            not know each other's results, so more than one changes nothing that a Gumbel root finds but saves passes;
            a PUCT root has one.
        cache_mb: memory for answers of the evaluator, in MB, which are not asked for again: an `EvaluationCache`. Clear
            it when the evaluator has changed.
        threads: threads that advance the trees.
        seed: the seed of the noise; None takes one from the system's entropy.

    Attributes:
        rngs: uint64 [num_trees, 1] the state of each row's random numbers, see `plyground.envs.jit.prng`.
        cache: the answers that are kept, with counts of hits; None if there is no memory for them.
        pasts: the positions of the games; None where it does not matter that they come again.
        nbytes: the memory of the trees, in bytes; they never grow.
        simulations_done: simulations in all searches so far.
        evaluations: positions that the evaluator was asked about so far.

    Raises:
        ValueError: an argument is out of its range; the message names it.
    """

    def __init__(
        self,
        game: Game,
        num_trees: int,
        *,
        simulations: int = 32,
        root: Root = "gumbel",
        considered: int = 16,
        c_visit: float = 50.0,
        c_scale: float = 1.0,
        noise: float = 0.25,
        noise_alpha: float | None = 0.3,
        c: float = 1.25,
        c_base: float = 19652.0,
        fpu: float = 0.0,
        forced: float = 2.0,
        proofs: bool = True,
        decisive: bool | None = False,
        superko: bool = True,
        repetitions: bool = True,
        leaves: int = 1,
        cache_mb: float = 0.0,
        threads: int = 1,
        seed: int | np.random.SeedSequence | None = None,
    ) -> None:
        self.game = game
        self.root: Root = checked_root(root)
        self.num_trees = checked_whole("num_trees", num_trees, 1)
        self.simulations = checked_whole("simulations", simulations, 1)
        self.considered = checked_whole("considered", considered, 1)
        self.threads = checked_whole("threads", threads, 1, MOST_THREADS)
        leaves = checked_whole("leaves", leaves, 1) if root == "gumbel" else 1
        for name, value, least in (
            ("c_visit", c_visit, 0), ("c_scale", c_scale, 0), ("c", c, 0), ("forced", forced, 0),
            ("noise_alpha", noise_alpha or 0, 0), ("fpu", fpu, -math.inf), ("cache_mb", cache_mb, 0),
        ):  # fmt: skip
            check_number(name, value, least, math.inf if name == "fpu" else MOST_NUMBER)
        if not is_positive(c_base, math.inf):
            raise ValueError(f"c_base must be a number above 0, got {c_base!r}")
        if not is_between(noise, 0, 1):
            raise ValueError(f"noise must be a number from 0 to 1, got {noise!r}")
        if not game.max_utility < math.inf:
            raise ValueError(f"a forest counts values as shares of the largest utility, and that of {game.spec} is inf")
        self.noise, self.noise_alpha = float(noise), None if noise_alpha is None else float(noise_alpha)
        largest = float(game.max_utility)
        proofs = checked_flag("proofs", proofs)
        tries = checked_decisive(game, decisive, proofs)
        self._gumbel = GumbelRule(float(c_visit), float(c_scale), largest, proofs, tries)
        self._puct = PuctRule(float(c), float(c_base), float(fpu), float(forced), largest, proofs, tries)
        nodes = 2 * self.simulations + 1  # those of a search, and as many that were kept
        most = max(_MOST_EDGES, len(game.actions(game.new_state())))
        edges = game.num_actions + nodes * min(game.num_actions, most)
        if edges > MOST_EDGES:
            raise ValueError(f"simulations={self.simulations} need {edges} edges a tree, and it can have {MOST_EDGES}")
        self.trees = new_trees(game, self.num_trees, nodes, edges, leaves, min(self.considered, game.num_actions))
        flags = checked_flag("superko", superko), checked_flag("repetitions", repetitions)
        self.pasts = Pasts(game, self.num_trees, nodes) if are_watched(game, *flags) else None
        self.cache = EvaluationCache(game, cache_mb) if cache_mb else None
        self.rngs = np.zeros((self.num_trees, 1), np.uint64)
        self.seed(seed)
        self.simulations_done = self.evaluations = 0
        self._frames, self._frame = game.history or (1, 0)
        values = math.prod(game.observation_shape)
        window = values + (self._frames - 1) * self._frame
        self._windows = [
            np.zeros(window, game.observation_dtype) if self._frames > 1 else None for _ in range(self.threads)
        ]
        self._planes = np.zeros((0, *game.observation_shape), game.observation_dtype)
        self._allowed = np.zeros((0, game.num_actions), np.bool_)
        self._renumbered = np.zeros((1, nodes), np.int32)
        self._bound: dict[Any, Callable[..., Any]] = {}
        self._pieces = Pieces(self.threads)

    @property
    def nbytes(self) -> int:
        """The memory of the trees, in bytes."""
        return size_of_trees(self.trees) + (0 if self.pasts is None else self.pasts.nbytes)

    @property
    def _keys(self) -> Keys | None:
        return None if self.pasts is None else self.pasts.keys

    def seed(self, seed: int | np.random.SeedSequence | None) -> None:
        """Start the random numbers of all rows anew."""
        sequence = seed_sequence(seed)
        for row, child in zip(self.rngs, sequence.spawn(self.num_trees), strict=True):
            row[:] = new_rng(child)

    def prepare(self) -> None:
        """Compile all that a search needs, or load it from the cache on disk; no tree and no random number changes."""
        watch = self.pasts is not None
        other = Forest(
            self.game, 1, simulations=1, root=self.root, noise=self.noise, superko=watch, repetitions=watch, seed=0
        )
        shown = np.zeros((1, 2, *self.game.observation_shape), self.game.observation_dtype)

        def nothing(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            return np.zeros(masks.shape, np.float32), np.zeros(len(masks), np.float32)

        found = other.search(self.game.initial, nothing, shown=shown)
        if watch:
            compile_past(self.game)
        other.keep(found.actions)

    def forget(self, rows: NDArray[np.intp] | None = None) -> None:
        """Let the trees of these rows begin anew; default: all."""
        self.trees.rows["nodes"][slice(None) if rows is None else rows] = 0

    def keep(self, actions: ArrayLike, rows: NDArray[np.intp] | None = None) -> None:
        """Keep of the trees in these ``rows`` (default: all) what is below these ``actions`` [rows], which are played.

        A search of another position than the one after the action finds nothing kept, and begins anew.

        Raises:
            ValueError: these are not different rows of the forest, or there is not one action of the game for each.
        """
        rows = np.arange(self.num_trees) if rows is None else checked_rows(rows, self.num_trees)
        played = checked_actions(self.game, rows, actions).astype(np.int32)
        if self._renumbered.shape[0] < rows.size:
            self._renumbered = np.zeros((self.num_trees, self.trees.nodes.shape[1]), np.int32)
        known = rows[self.trees.rows["nodes"][rows] > 0]
        left = None if self.pasts is None else self.pasts.keys.key[known, 0]
        self._run(keep, rows.size, self._keys, self._renumbered, rows, played)
        if self.pasts is not None and left is not None:
            self.pasts.go_on(known, left)

    def search(
        self,
        states: NDArray[Any],
        evaluate: Evaluate,
        *,
        masks: NDArray[Any] | None = None,
        simulations: ArrayLike | None = None,
        noisy: NDArray[np.bool_] | None = None,
        shown: NDArray[Any] | None = None,
        past: Sequence[ArrayLike | None] | None = None,
        rows: NDArray[np.intp] | None = None,
        interrupted: Callable[[], bool] | None = None,
    ) -> Searched:
        """Search these positions, none of them finished.

        A row whose tree is of the same position goes on in it, with as many simulations more. A full tree stays as it
        is: leaves that have no room are evaluated again when they are met again.

        Args:
            states: [rows] the positions.
            evaluate: gives logits and values of what the players to move see, see `Evaluate`.
            masks: [rows, num_actions] what may be played there; default: what is legal.
            simulations: how many, for all or [rows] for each; default: as many as the forest has room for.
            noisy: bool [rows] whose root has the forest's noise and forced playouts; default: all have.
            shown: [rows, players, *observation_shape] what both players see there; needed where observations show
                earlier positions, or that a position has come again.
            past: [rows] the `repetition_key` of each position that the games have had, as `GameBatch.pasts` has them;
                None for one, or for all, of which that is not known. Of use with ``superko`` and ``repetitions``; a
                tree of another game begins anew.
            rows: [rows] the numbers of the trees that search them; default: the first ones.
            interrupted: asked between passes; if it says True, the search ends with what it has.

        Raises:
            ValueError: an argument does not fit, or the evaluator's answer; a position is finished, or its mask
                leaves no legal action. After any error in a search that has begun, these trees begin anew.
        """
        states = checked_states(self.game, states)
        rows = self._searched(rows, states.size)
        each = checked_budgets(self.simulations if simulations is None else simulations, rows, self.simulations)
        shape, values = self.game.observation_shape, math.prod(self.game.observation_shape)
        root_masks = _NOTHING if masks is None else np.ascontiguousarray(masks, np.bool_)
        if masks is not None and root_masks.shape != (rows.size, self.game.num_actions):
            raise ValueError(f"masks must have shape {(rows.size, self.game.num_actions)}, got {root_masks.shape}")
        seen = np.zeros((0, 0, 0), self.game.observation_dtype)
        if self.game.shows_past:
            if shown is None:
                raise ValueError(f"observations of {self.game.spec} tell of earlier positions: a search needs `shown`")
            if shown.shape != (rows.size, 2, *shape):
                raise ValueError(f"shown must have shape {(rows.size, 2, *shape)}, got {shown.shape}")
            seen = np.ascontiguousarray(shown, self.game.observation_dtype).reshape(rows.size, 2, values)
        noisy = np.ones(rows.size, np.bool_) if noisy is None else np.ascontiguousarray(noisy, np.bool_)
        if noisy.shape != rows.shape:
            raise ValueError(f"noisy must have shape {rows.shape}, got {noisy.shape}")
        try:
            self._begin(rows, states, root_masks, each, noisy, past)
            self._advance(rows, states, evaluate, root_masks, seen, interrupted)
            self.simulations_done += int((each - self.trees.rows["left"][rows]).sum())
            return self._finish(rows)
        except BaseException:  # Ctrl-C, too: what has begun and not ended, such as noise at a root, is not kept
            self.forget(rows)
            raise

    def _advance(
        self,
        rows: NDArray[np.intp],
        states: NDArray[Any],
        evaluate: Evaluate,
        root_masks: NDArray[np.bool_],
        seen: NDArray[Any],
        interrupted: Callable[[], bool] | None,
    ) -> None:
        """Run passes until no tree has a leaf, or the search is ``interrupted``."""
        shape, values = self.game.observation_shape, math.prod(self.game.observation_shape)
        select, rule = (select_gumbel, self._gumbel) if self.root == "gumbel" else (select_puct, self._puct)
        considered = self.trees.candidates.shape[1] if self.root == "gumbel" else -1

        def ask(planes: NDArray[Any], allowed: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            answer = checked_answer(evaluate(planes, allowed), len(planes), self.game.num_actions)
            self.evaluations += len(planes)
            return answer

        while True:
            self._run(select, rows.size, self._keys, states, rule, rows)
            leaves = self.trees.rows["leaves"][rows]
            offsets = np.cumsum(leaves) - leaves
            count = int(leaves.sum())
            if count == 0:
                break
            if count > len(self._planes):  # kept, as fresh memory for each pass costs time
                self._planes = np.zeros((count, *shape), self.game.observation_dtype)
                self._allowed = np.zeros((count, self.game.num_actions), np.bool_)
            planes, allowed = self._planes[:count], self._allowed[:count]
            self._run(
                show, rows.size, self._keys, root_masks, seen, self._frames, self._frame, self._windows, shape, rows,
                offsets, planes.reshape(count, values), allowed,
            )  # fmt: skip
            answer = ask(planes, allowed) if self.cache is None else self.cache.answer(planes, allowed, ask)
            self._run(absorb, rows.size, self._keys, *answer, rows, offsets, considered, self.noise)
            if interrupted is not None and interrupted():
                break

    def _searched(self, given: NDArray[np.intp] | None, count: int) -> NDArray[np.intp]:
        """Return the numbers of the trees that search ``count`` positions, by default the first ones.

        Raises:
            ValueError: they are not different rows of the forest, or others than so many.
        """
        if given is None:
            if count > self.num_trees:
                raise ValueError(f"a forest of {self.num_trees} trees searches as many positions at most, got {count}")
            return np.arange(count)
        rows = checked_rows(given, self.num_trees)
        if rows.size != count:
            raise ValueError(f"{count} positions need as many rows, got {rows.size}")
        return rows

    def _begin(
        self,
        rows: NDArray[np.intp],
        states: NDArray[Any],
        masks: NDArray[np.bool_],
        simulations: NDArray[np.int32],
        noisy: NDArray[np.bool_],
        past: Sequence[ArrayLike | None] | None,
    ) -> None:
        """Let the searches begin, in trees of which nothing is kept that is of other positions or actions.

        Raises:
            ValueError: there is nothing to search.
        """
        known = np.flatnonzero(self.trees.rows["nodes"][rows])
        self.forget(rows[known[self.trees.states[rows[known], 0] != states[known]]])
        if self.pasts is not None:
            self.forget(self.pasts.enter(rows, self.trees.rows["nodes"][rows] > 0, past))
        if self.root == "gumbel":
            numbers = self.trees.candidates.shape[1], 1.0 if self.noise > 0 else 0.0
            self._run(begin_gumbel, rows.size, states, masks, self.rngs, simulations, noisy, rows, *numbers)
        else:
            numbers = -1.0 if self.noise_alpha is None else self.noise_alpha, self.noise
            self._run(begin_puct, rows.size, states, masks, self.rngs, simulations, noisy, rows, *numbers)
        empty = np.flatnonzero(self.trees.rows["left"][rows] < 0)
        if empty.size:
            text = self.game.text(states[empty[0]])
            raise ValueError(f"nothing may be played in position {empty[0]}, there is nothing to search:\n{text}")

    def _finish(self, rows: NDArray[np.intp]) -> Searched:
        count, actions = rows.size, self.game.num_actions
        found = Searched(
            np.zeros(count, np.int32),
            np.zeros((count, actions), np.float32),
            np.zeros(count, np.float32),
            self.trees.nodes["proved"][rows, 0].copy(),
            np.zeros((count, actions), np.int32),
            np.zeros(count, np.float32),
        )
        kernel, rule = (finish_gumbel, self._gumbel) if self.root == "gumbel" else (finish_puct, self._puct)
        self._run(kernel, count, rule, rows, found.actions, found.policies, found.values, found.visits, found.surprise)
        return found

    def _run(self, kernel: Callable[..., Any], count: int, *arguments: Any) -> None:
        """Run a kernel over ``count`` places, divided among the threads; lists have an argument for each thread."""
        key = (kernel, tuple(array.flags.c_contiguous for array in arguments if isinstance(array, np.ndarray)))
        parts = [
            (self.game, self.trees, *(each[part] if isinstance(each, list) else each for each in arguments))
            for part in range(self.threads)
        ]
        if key not in self._bound:
            self._bound[key] = bind(kernel, *parts[0], 0, count)
        bound = self._bound[key]
        self._pieces.spread(count, lambda part, first, last: bound(*parts[part], first, last))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_bound": {}}
