"""Learning linear rollout policies from the moves of records: their likelihood is raised by stochastic gradients.

The policy plays the candidate a with probability exp(s_a) / Σ exp(s_b), where s is the sum of the weights of a move's
features. The gradient of the log-likelihood of a move is its features minus those expected by the policy. Each weight
has a step size of its own, which falls with the gradients that it has seen (Adagrad: J. Duchi, E. Hazan, Y. Singer,
JMLR 12, 2011), since patterns are as rare as they are different.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat, zip_longest
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...envs import Game, as_game
from ...envs.jit import kernel
from ...envs.outside.messages import shown
from .linear import LinearPolicy

__all__ = ["Examples", "LinearLearner", "Quality", "Ranks", "examples_of", "learn_linear", "quality_of", "ranks_of"]


class Examples(NamedTuple):
    """Moves of records, each among the candidates of its position. The candidates of all positions stand in a row."""

    features: NDArray[np.int32]  # [candidates, slots]
    first: NDArray[np.int64]  # [positions + 1] where the candidates of a position begin; the last one is their number
    chosen: NDArray[np.int64]  # [positions] which of its candidates was played, from 0
    plies: NDArray[np.int64]  # [positions] plies since the start of the game
    missed: NDArray[np.int64]  # plies of the moves of the records that are no candidates

    def __len__(self) -> int:
        return self.chosen.size


class Ranks(NamedTuple):
    """How many choices a policy prefers to each move, and how many others it likes as much as the move."""

    better: NDArray[Any]  # [positions]
    equal: NDArray[Any]  # [positions]

    @classmethod
    def joined(cls, parts: Iterable[Ranks]) -> Ranks:
        """Return the ranks of several sets of positions, one after the other."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def among(self, choices: int) -> NDArray[np.float64]:
        """Return the chance [positions] that a move is among so many first choices, with equal ones in random order."""
        return np.clip((choices - self.better) / (self.equal + 1), 0, 1)


class Quality(NamedTuple):
    """How well a policy tells the moves of records."""

    positions: int
    top_1: float  # the share of moves that were its most probable candidate; of equal ones, one drawn at random
    top_5: float  # the share of moves among its five most probable ones
    log_likelihood: float  # the mean of the log of the probability of the move played


@kernel
def _collect(game, states, moves, wanted, actions, row, features, first, chosen, plies):
    """Play a line, write the examples, and return how many positions and candidates there are; -1, -1 if it cannot."""
    states[0] = states[1]
    state = states[0]
    last, before = np.int64(-1), np.int64(-1)
    positions = candidates = 0
    for ply in range(moves.size):
        move = moves[ply]
        place, legal = 0, game.legal_actions(state, actions)
        while place < legal and actions[place] != move:
            place += 1
        if place == legal or game.is_terminal(state):
            return -1, -1
        count = game.local_features(state, last, before, actions, row) if wanted[ply] else 0
        for i in range(count):
            if actions[i] == move:
                chosen[positions] = i
                first[positions] = candidates
                plies[positions] = ply
                positions += 1
                for j in range(count):
                    for slot in range(row.shape[1]):
                        features[candidates + j, slot] = row[j, slot]
                candidates += count
                break
        game.play(state, move)
        last, before = np.int64(move), last
    return positions, candidates


def examples_of(
    game: Game | str, lines: Iterable[Sequence[int]], wanted: Iterable[ArrayLike] | None = None
) -> Examples:
    """Return the examples of games from the initial state, given as lines of legal moves.

    Args:
        game: a game that has local features, or its name.
        lines: the moves of each game.
        wanted: whether each move is an example, game by game. Default: all are.

    Raises:
        ValueError: the game has no local features, a move is illegal (named by line and index), or ``wanted`` has
            more or fewer entries than there are lines.
    """
    game = LinearPolicy(game).game
    slots = game.knowledge.slots
    actions, row = np.zeros(game.num_actions, np.int32), np.zeros((game.num_actions, slots), np.int32)
    found, firsts, chosens, plies, missed = [list[Any]() for _ in range(5)]
    total = 0
    pairs = zip(lines, repeat(True)) if wanted is None else zip_longest(lines, wanted)
    states = np.concatenate((game.initial, game.initial))
    for number, (line, mask) in enumerate(pairs):
        if line is None or mask is None:
            more = "lines" if mask is None else "entries of wanted"
            raise ValueError(f"wanted must have an entry for each line: there are {number} of both, then more {more}")
        moves = np.asarray(line)
        if moves.size and moves.dtype.kind not in "iu":
            raise ValueError(f"line {number}: expected action ids, got {shown(line)}")
        moves = moves.astype(np.int64)
        is_wanted = np.broadcast_to(np.asarray(mask, np.bool_), moves.shape).copy()
        features = np.zeros((int(is_wanted.sum()) * game.num_actions, slots), np.int32)
        first, chosen, ply = np.zeros((3, moves.size), np.int64)
        positions, candidates = _collect(game, states, moves, is_wanted, actions, row, features, first, chosen, ply)
        if positions < 0:
            _raise_illegal(game, number, line)
        found.append(features[:candidates].copy())
        firsts += (first[:positions] + total).tolist()
        chosens.append(chosen[:positions])
        plies.append(ply[:positions])
        missed.append(np.setdiff1d(np.flatnonzero(is_wanted), ply[:positions]))
        total += candidates
    if not found:
        none = np.zeros(0, np.int64)
        return Examples(np.zeros((0, slots), np.int32), np.zeros(1, np.int64), none, none, none)
    first = np.array([*firsts, total], np.int64)
    return Examples(np.concatenate(found), first, *map(np.concatenate, (chosens, plies, missed)))


def _raise_illegal(game: Game, number: int, line: Sequence[int]) -> NoReturn:
    """Raise the error of the first illegal move of a line."""
    try:
        game.play_moves(line)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None
    raise AssertionError(f"the compiled rules of {game.spec} call {shown(line)} illegal, and its own do not")


def _log_probabilities(weights: NDArray[np.float64], features: NDArray[np.int32], sizes: NDArray[np.int64]) -> NDArray:
    """Return the log of each candidate's probability; ``sizes`` are the numbers of candidates of the positions."""
    scores = weights[features].sum(axis=1)
    first = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    scores -= np.repeat(np.maximum.reduceat(scores, first), sizes)
    return scores - np.repeat(np.log(np.add.reduceat(np.exp(scores), first)), sizes)


def _rows(examples: Examples, positions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the candidates of some positions, and how many each has."""
    begins, sizes = examples.first[positions], np.diff(examples.first)[positions]
    shift = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    return np.repeat(begins - shift, sizes) + np.arange(sizes.sum()), sizes


class LinearLearner:
    """The weights of a linear policy, and what improves them.

    Args:
        game: a game, or its name; without local features there are no weights.
        learning_rate: the first step size.
        weight_decay: how strongly weights are drawn to zero (L2).
    """

    def __init__(self, game: Game | str, learning_rate: float = 0.1, weight_decay: float = 1e-6) -> None:
        self.game, self.learning_rate, self.weight_decay = as_game(game), learning_rate, weight_decay
        self.weights = np.zeros(self.game.knowledge.num_weights)
        self._seen = np.full(self.weights.size, 1e-8)

    def gradient(self, examples: Examples, positions: NDArray[np.int64]) -> tuple[NDArray[np.float64], float]:
        """Return the gradient of the mean log likelihood of some ``positions`` of ``examples``, and that mean."""
        rows, sizes = _rows(examples, positions)
        features = examples.features[rows]
        logs = _log_probabilities(self.weights, features, sizes)
        own = np.concatenate(([0], np.cumsum(sizes)[:-1])) + examples.chosen[positions]
        expected, gradient = np.exp(logs), np.zeros(self.weights.size)
        for slot in range(features.shape[1]):
            gradient += np.bincount(features[own, slot], minlength=gradient.size)
            gradient -= np.bincount(features[:, slot], expected, gradient.size)
        return gradient / positions.size, float(logs[own].mean())

    def step(self, examples: Examples, positions: NDArray[np.int64]) -> float:
        """Learn some ``positions`` of ``examples``; return the mean log likelihood of their moves before."""
        gradient, likelihood = self.gradient(examples, positions)
        gradient -= self.weight_decay * self.weights
        self._seen += gradient**2
        self.weights += self.learning_rate * gradient / np.sqrt(self._seen)
        return likelihood

    def policy(self) -> LinearPolicy:
        """Return the policy."""
        return LinearPolicy(self.game, self.weights)

    def state_dict(self) -> dict[str, NDArray[np.float64]]:
        """Return all that learning goes on from."""
        return {"weights": self.weights.copy(), "seen": self._seen.copy()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self.weights[:], self._seen[:] = state["weights"], state["seen"]


def learn_linear(
    game: Game | str,
    examples: Examples,
    epochs: int = 5,
    learning_rate: float = 0.1,
    weight_decay: float = 1e-6,
    batch_size: int = 256,
    seed: int = 0,
) -> LinearPolicy:
    """Return the policy that was learned from examples. The same arguments give the same policy.

    Args:
        game: a game that has local features, or its name.
        examples: moves of records, of `examples_of`.
        epochs: how often each example is seen.
        learning_rate: the first step size.
        weight_decay: how strongly weights are drawn to zero (L2).
        batch_size: examples for each step.
        seed: the seed of the order of the examples.

    Raises:
        ValueError: there are no examples, or a number is out of its range.
    """
    game = as_game(game)
    if not len(examples):
        raise ValueError("there are no examples to learn from: the records have no moves that are candidates")
    if epochs < 1 or batch_size < 1 or not learning_rate > 0 or not weight_decay >= 0:
        raise ValueError(
            "epochs and batch_size must be at least 1, learning_rate above 0, weight_decay at least 0: got "
            f"{epochs=}, {batch_size=}, {learning_rate=}, {weight_decay=}"
        )
    learner = LinearLearner(game, learning_rate, weight_decay)
    rng = np.random.default_rng(seed)
    for _ in range(epochs):
        order = rng.permutation(len(examples))
        for begin in range(0, order.size, batch_size):
            learner.step(examples, order[begin : begin + batch_size])
    return learner.policy()


def ranks_of(policy: LinearPolicy, examples: Examples) -> tuple[Ranks, NDArray[np.float64]]:
    """Return how many candidates are preferred to each move, and its log likelihood [positions]."""
    sizes = np.diff(examples.first)
    logs = _log_probabilities(policy.weights.astype(np.float64), examples.features, sizes)
    own = logs[examples.first[:-1] + examples.chosen]
    limits, begins = np.repeat(own, sizes), examples.first[:-1]
    better = np.add.reduceat((logs > limits + 1e-9).astype(float), begins)
    equal = np.add.reduceat((np.abs(logs - limits) <= 1e-9).astype(float), begins) - 1
    return Ranks(better, equal), own


def quality_of(policy: LinearPolicy, examples: Examples) -> Quality:
    """Return how well a policy tells the moves of ``examples``."""
    if not len(examples):
        raise ValueError("there are no examples to grade the policy with")
    ranks, own = ranks_of(policy, examples)
    top_1, top_5 = (float(ranks.among(choices).mean()) for choices in (1, 5))
    return Quality(len(examples), top_1, top_5, float(own.mean()))
