"""Learning linear rollout policies from the moves of records: their likelihood is raised by stochastic gradients.

The policy plays the candidate a with probability exp(s_a) / Σ exp(s_b), where s is the sum of the weights of a move's
features. The gradient of the log-likelihood of a move is its features minus those expected by the policy. Each weight
has a step size of its own, which falls with the gradients that it has seen (Adagrad: J. Duchi, E. Hazan, Y. Singer,
JMLR 12, 2011), since patterns are as rare as they are different.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, as_game
from ...envs.jit import kernel
from .linear import LinearPolicy

__all__ = ["Examples", "Quality", "examples_of", "learn_linear", "quality_of"]


class Examples(NamedTuple):
    """Moves of records, each among the candidates of its position. The candidates of all positions stand in a row."""

    features: NDArray[np.int32]  # [candidates, slots]
    first: NDArray[np.int64]  # [positions + 1] where the candidates of a position begin; the last one is their number
    chosen: NDArray[np.int64]  # [positions] which of its candidates was played, from 0
    skipped: int  # moves of the records that are no candidates

    def __len__(self) -> int:
        return self.chosen.size


class Quality(NamedTuple):
    """How well a policy tells the moves of records."""

    positions: int
    top_1: float  # the share of moves that were its most probable candidate
    top_5: float  # the share of moves among its five most probable ones
    log_likelihood: float  # the mean of the log of the probability of the move played


@kernel
def _collect(game, states, moves, actions, row, features, first, chosen):
    """Play a line, write the examples, and return how many positions and candidates there are."""
    states[0] = states[1]
    state = states[0]
    last, before = np.int64(-1), np.int64(-1)
    positions = candidates = 0
    for move in moves:
        count = game.local_features(state, last, before, actions, row)
        for i in range(count):
            if actions[i] == move:
                chosen[positions] = i
                first[positions] = candidates
                positions += 1
                for j in range(count):
                    for slot in range(row.shape[1]):
                        features[candidates + j, slot] = row[j, slot]
                candidates += count
                break
        game.play(state, move)
        last, before = np.int64(move), last
    return positions, candidates


def examples_of(game: Game | str, lines: Iterable[Sequence[int]]) -> Examples:
    """Return the examples of games from the initial state, given as lines of legal moves.

    Raises:
        ValueError: the game has no local features, or a move is illegal (named by line and index).
    """
    game = LinearPolicy(game).game
    slots = game.knowledge.slots
    actions, row = np.zeros(game.num_actions, np.int32), np.zeros((game.num_actions, slots), np.int32)
    found, firsts, chosens, skipped, total = list[NDArray[np.int32]](), list[int](), list[NDArray[np.int64]](), 0, 0
    states = np.concatenate((game.initial, game.initial))
    for number, line in enumerate(lines):
        try:
            game.play_moves(line)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        moves = np.asarray(line, np.int64)
        features = np.zeros((moves.size * game.num_actions, slots), np.int32)
        first, chosen = np.zeros((2, moves.size), np.int64)
        positions, candidates = _collect(game, states, moves, actions, row, features, first, chosen)
        found.append(features[:candidates].copy())
        firsts += (first[:positions] + total).tolist()
        chosens.append(chosen[:positions])
        skipped += moves.size - positions
        total += candidates
    if not found:
        return Examples(np.zeros((0, slots), np.int32), np.zeros(1, np.int64), np.zeros(0, np.int64), 0)
    return Examples(np.concatenate(found), np.array([*firsts, total], np.int64), np.concatenate(chosens), skipped)


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


def learn_linear(
    game: Game | str,
    examples: Examples,
    epochs: int = 5,
    rate: float = 0.1,
    decay: float = 1e-6,
    batch: int = 256,
    seed: int = 0,
) -> LinearPolicy:
    """Return the policy that was learned from examples. The same arguments give the same policy.

    Args:
        game: a game that has local features, or its name.
        examples: moves of records, of `examples_of`.
        epochs: how often each example is seen.
        rate: the first step size.
        decay: how strongly weights are drawn to zero (L2).
        batch: examples for each step.
        seed: of the order of the examples.

    Raises:
        ValueError: there are no examples, or a number is out of its range.
    """
    game = as_game(game)
    if not len(examples):
        raise ValueError("there are no examples to learn from: the records have no moves that are candidates")
    if epochs < 1 or batch < 1 or rate <= 0 or decay < 0:
        raise ValueError(
            f"epochs and batch must be at least 1, rate above 0: got {epochs=}, {batch=}, {rate=}, {decay=}"
        )
    weights = np.zeros(game.knowledge.num_weights)
    seen = np.full(weights.size, 1e-8)
    rng = np.random.default_rng(seed)
    for _ in range(epochs):
        order = rng.permutation(len(examples))
        for begin in range(0, order.size, batch):
            positions = order[begin : begin + batch]
            rows, sizes = _rows(examples, positions)
            features = examples.features[rows]
            expected = np.exp(_log_probabilities(weights, features, sizes))
            gradient = np.zeros(weights.size)
            played = examples.features[examples.first[positions] + examples.chosen[positions]]
            for slot in range(features.shape[1]):
                gradient += np.bincount(played[:, slot], minlength=weights.size)
                gradient -= np.bincount(features[:, slot], expected, weights.size)
            gradient = gradient / positions.size - decay * weights
            seen += gradient**2
            weights += rate * gradient / np.sqrt(seen)
    return LinearPolicy(game, weights)


def quality_of(policy: LinearPolicy, examples: Examples) -> Quality:
    """Return how well a policy tells the moves of ``examples``. Of equally probable ones half count as better."""
    if not len(examples):
        raise ValueError("there are no examples to grade the policy with")
    sizes = np.diff(examples.first)
    logs = _log_probabilities(policy.weights.astype(np.float64), examples.features, sizes)
    own = logs[examples.first[:-1] + examples.chosen]
    limits = np.repeat(own, sizes)
    begins = examples.first[:-1]
    better = np.add.reduceat((logs > limits + 1e-9).astype(float), begins)
    equal = np.add.reduceat((np.abs(logs - limits) <= 1e-9).astype(float), begins) - 1
    rank = better + equal / 2
    return Quality(len(examples), float((rank < 1).mean()), float((rank < 5).mean()), float(own.mean()))
