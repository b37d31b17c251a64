"""Multi-armed bandits: which arm to pull next, when each pull pays a reward and only pulling tells what an arm pays.

Rewards lie between 0 and 1. All strategies have one interface: `Bandit.select` names an arm, `Bandit.update` tells what
it paid. What a strategy does is written once, for arrays of any number of runs, so `regret` measures many at a time.

Sources: P. Auer, N. Cesa-Bianchi and P. Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine
Learning 47 (2002), for UCB1, UCB1-Tuned, ε-greedy and the regret; W. R. Thompson, "On the likelihood that one unknown
probability exceeds another", Biometrika 25 (1933); O. Chapelle and L. Li, "An empirical evaluation of Thompson
sampling", NIPS 2011; T. L. Lai and H. Robbins, "Asymptotically efficient adaptive allocation rules", Advances in
Applied Mathematics 6 (1985), for what no strategy can beat.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...envs.outside.arguments import checked_whole

__all__ = [
    "UCB1",
    "Bandit",
    "EpsilonGreedy",
    "ThompsonSampling",
    "UCB1Tuned",
    "lai_robbins_bound",
    "regret",
    "ucb1_bound",
]

Floats = NDArray[np.float64]


class Bandit(ABC):
    """A strategy, with what it knows of its arms so far.

    Of arms with equal scores the first is chosen.

    Attributes:
        counts: how often each arm was pulled, [arms].
        sums: the sum of the rewards of each arm, [arms].
        squares: the sum of the squared rewards of each arm, [arms].

    Args:
        arms: the number of arms, numbered from 0.
        seed: the seed of the strategy's random choices; None takes one from the system's entropy.

    Raises:
        ValueError: there is no arm.
    """

    def __init__(self, arms: int, seed: int | None = None) -> None:
        if not isinstance(arms, (int, np.integer)) or isinstance(arms, bool) or arms < 1:
            raise ValueError(f"arms must be a whole number of at least 1, got {arms!r}")
        self.counts = np.zeros(arms, np.int64)
        self.sums, self.squares = np.zeros(arms), np.zeros(arms)
        self._rng = np.random.default_rng(seed)

    @property
    def means(self) -> Floats:
        """The mean reward of each arm, [arms]; nan for an arm that was never pulled."""
        return np.divide(self.sums, self.counts, out=np.full(self.counts.size, np.nan), where=self.counts > 0)

    @abstractmethod
    def scores(self, counts: NDArray[np.int64], sums: Floats, squares: Floats, rng: np.random.Generator) -> Floats:
        """Return a score for each arm, [runs, arms]; in each run the arm with the highest one is pulled next.

        Args:
            counts: the pulls of each arm in each run, [runs, arms]; all rows have the same total.
            sums: the sum of the rewards of each arm, [runs, arms].
            squares: the sum of the squared rewards of each arm, [runs, arms].
            rng: a generator, for strategies that choose at random.
        """

    def select(self) -> int:
        """Return the arm to pull."""
        rows = (self.counts[np.newaxis], self.sums[np.newaxis], self.squares[np.newaxis])
        return int(self.scores(*rows, self._rng)[0].argmax())

    def update(self, arm: int, reward: float) -> None:
        """Record the reward that an arm paid.

        Raises:
            ValueError: there is no such arm, or the reward is not between 0 and 1.
        """
        arm = checked_whole("arm", arm, 0, self.counts.size - 1)  # NumPy takes True for all arms
        if not 0 <= reward <= 1:
            raise ValueError(f"a reward must be between 0 and 1, got {reward!r}: scale the rewards to that range")
        self.counts[arm] += 1
        self.sums[arm] += reward
        self.squares[arm] += reward * reward


class EpsilonGreedy(Bandit):
    """ε-greedy: any arm with probability ε, else the one with the best mean. Arms never pulled come first.

    With a constant ε the regret grows linearly. With ``decay`` the n-th pull has ε = min(1, decay · arms / n), Auer et
    al.'s ε_n-greedy, whose regret is logarithmic if ``decay`` is large enough for the gap d between the best two arms
    (their c / d² with c > 5; their experiments use far less). It then starts with pulls at random.

    Args:
        arms: the number of arms.
        epsilon: ε, if it is constant.
        decay: how slowly ε falls, see above; None for a constant ε.
        seed: the seed of the random choices.

    Raises:
        ValueError: ``epsilon`` is no probability, or ``decay`` not positive.
    """

    def __init__(self, arms: int, epsilon: float = 0.1, decay: float | None = None, seed: int | None = None) -> None:
        super().__init__(arms, seed)
        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon must be a probability, 0 to 1, got {epsilon!r}")
        if decay is not None and not 0 < decay < math.inf:
            raise ValueError(f"decay must be a number above 0, or None, got {decay!r}")
        self.epsilon, self.decay = epsilon, decay

    def scores(self, counts: Any, sums: Any, squares: Any, rng: np.random.Generator) -> Floats:
        """Return the means, or in the rows that explore, random numbers."""
        runs, arms = counts.shape
        epsilon = self.epsilon
        if self.decay is not None:
            epsilon = min(1.0, self.decay * arms / (int(counts[0].sum()) + 1))
        explores = rng.random((runs, 1)) < epsilon
        return np.where(explores, rng.random((runs, arms)), _means_or_infinity(counts, sums))


class UCB1(Bandit):
    """Pulls the arm with the highest ``mean + c · sqrt(ln n / n_j)``, after n pulls, n_j of them of this arm.

    ``c = √2`` is UCB1 as published, whose regret is logarithmic: `ucb1_bound`. Texts that write
    ``mean + C · sqrt(2 ln n / n_j)`` have C = c / √2. Arms never pulled come first. Nothing is random.

    Args:
        arms: the number of arms.
        c: how much to explore.

    Raises:
        ValueError: ``c`` is negative.
    """

    def __init__(self, arms: int, c: float = math.sqrt(2)) -> None:
        super().__init__(arms)
        if not 0 <= c < math.inf:
            raise ValueError(f"c must be a number of at least 0, got {c!r}")
        self.c = c

    def scores(self, counts: Any, sums: Any, squares: Any, rng: np.random.Generator) -> Floats:
        """Return the upper confidence bounds (Auer et al. 2002, figure 1)."""
        pulls = np.maximum(counts, 1)
        bonus = self.c * np.sqrt(_log_total(counts) / pulls)
        return _means_or_infinity(counts, sums) + bonus


class UCB1Tuned(Bandit):
    """UCB1 with a bonus that also knows the variance: ``mean + sqrt(ln n / n_j · min(1/4, V_j))``.

    V_j is the variance of the arm's rewards plus ``sqrt(2 ln n / n_j)``, and 1/4 the most that a reward between 0 and 1
    can vary. No bound on its regret is proven; in experiments it does better than UCB1 (Auer et al. 2002, section 4).

    Args:
        arms: the number of arms.
    """

    def __init__(self, arms: int) -> None:
        super().__init__(arms)

    def scores(self, counts: Any, sums: Any, squares: Any, rng: np.random.Generator) -> Floats:
        """Return the tuned upper confidence bounds."""
        pulls = np.maximum(counts, 1)
        ratio = _log_total(counts) / pulls
        variance = np.maximum(squares / pulls - (sums / pulls) ** 2, 0.0) + np.sqrt(2 * ratio)
        return _means_or_infinity(counts, sums) + np.sqrt(ratio * np.minimum(0.25, variance))


class ThompsonSampling(Bandit):
    """Draws a mean for each arm from the belief about it, and pulls the arm with the highest draw.

    The belief is the Beta distribution with ``prior`` plus the successes and failures seen: exact where rewards are 0
    or 1 (Chapelle and Li 2011, algorithm 2). A reward between 0 and 1 counts as that part of a success.

    Args:
        arms: the number of arms.
        prior: successes and failures before the first pull; (1, 1) is uniform.
        seed: the seed of the draws.

    Raises:
        ValueError: the prior is not two positive numbers.
    """

    def __init__(self, arms: int, prior: Sequence[float] = (1.0, 1.0), seed: int | None = None) -> None:
        super().__init__(arms, seed)
        if len(prior) != 2 or not all(0 < number < math.inf for number in prior):
            raise ValueError(f"prior must be two numbers above 0, got {prior!r}")
        self.prior = (float(prior[0]), float(prior[1]))

    def scores(self, counts: Any, sums: Any, squares: Any, rng: np.random.Generator) -> Floats:
        """Return one draw for each arm."""
        successes, failures = self.prior
        return rng.beta(sums + successes, np.maximum(counts - sums, 0.0) + failures)


def regret(bandit: Bandit, means: ArrayLike, pulls: int, *, runs: int = 100, seed: int | None = 0) -> Floats:
    """Return the cumulative regret after each pull in independent runs, [runs, pulls].

    The regret of n pulls is n · μ* − Σ μ of the arms pulled: what was lost against pulling the best arm always (Auer et
    al. 2002, section 1). An arm pays 1 with the probability of its mean, else 0.

    Args:
        bandit: the strategy. All runs start anew; what it knows is neither used nor changed.
        means: the mean reward of each arm, [arms].
        pulls: pulls in each run.
        runs: the number of runs.
        seed: the seed of the rewards and of the strategy's random choices.

    Raises:
        ValueError: the means are not one probability for each arm, or ``pulls`` or ``runs`` is not positive.
    """
    arms = bandit.counts.size
    probabilities = _probabilities(means)
    if probabilities.shape != (arms,):
        raise ValueError(f"means must be {arms} probabilities, one for each arm, got {means!r}")
    pulls, runs = checked_whole("pulls", pulls, 1), checked_whole("runs", runs, 1)
    rng = np.random.default_rng(seed)
    counts = np.zeros((runs, arms), np.int64)
    sums = np.zeros((runs, arms))
    gaps = probabilities.max() - probabilities
    lost = np.empty((pulls, runs))
    rows = np.arange(runs)
    for pull in range(pulls):
        chosen = bandit.scores(counts, sums, sums, rng).argmax(axis=1)  # rewards of 0 and 1 are their own squares
        counts[rows, chosen] += 1
        sums[rows, chosen] += rng.random(runs) < probabilities[chosen]
        lost[pull] = gaps[chosen]
    return np.ascontiguousarray(lost.cumsum(axis=0).T)


def ucb1_bound(means: ArrayLike, pulls: ArrayLike) -> Floats:
    """Return a bound on UCB1's expected regret after ``pulls``: Auer et al. 2002, theorem 1.

    It is 8 · Σ ln n / Δ + (1 + π² / 3) · Σ Δ over the arms that fall short of the best by Δ > 0.

    Raises:
        ValueError: the means are not probabilities.
    """
    probabilities = _probabilities(means)
    gaps = probabilities.max() - probabilities
    gaps = gaps[gaps > 0]
    return 8 * np.log(pulls) * (1 / gaps).sum() + (1 + math.pi**2 / 3) * gaps.sum()


def lai_robbins_bound(means: ArrayLike, pulls: ArrayLike) -> Floats:
    """Return the regret ln n · Σ Δ / KL(μ, μ*), below which no consistent strategy stays in the long run.

    It holds in the limit, for arms that pay 0 or 1 with means strictly between (Lai and Robbins 1985, theorem 2).

    Raises:
        ValueError: a mean is not between 0 and 1.
    """
    probabilities = _probabilities(means)
    if not ((probabilities > 0) & (probabilities < 1)).all():
        raise ValueError(f"means must lie between 0 and 1, got {means!r}")
    best = probabilities.max()
    worse = probabilities[probabilities < best]
    divergence = worse * np.log(worse / best) + (1 - worse) * np.log((1 - worse) / (1 - best))
    return np.log(pulls) * ((best - worse) / divergence).sum()


def _probabilities(means: ArrayLike) -> Floats:
    """Return the mean reward of each arm, [arms]."""
    probabilities = np.asarray(means, np.float64)
    if probabilities.ndim != 1 or not probabilities.size or not ((probabilities >= 0) & (probabilities <= 1)).all():
        raise ValueError(f"means must be probabilities, one for each arm, got {means!r}")
    return probabilities


def _means_or_infinity(counts: NDArray[np.int64], sums: Floats) -> Floats:
    return np.divide(sums, counts, out=np.full(counts.shape, np.inf), where=counts > 0)


def _log_total(counts: NDArray[np.int64]) -> Floats:
    """Return the logarithm of the pulls so far, [runs, 1]; 0 before the first."""
    return np.log(np.maximum(counts.sum(axis=1, keepdims=True), 1))
