"""Evaluation functions that are linear in named features: e(s) = max_utility · Σ wᵢ fᵢ(s).

Features are between -1 and 1, and the sizes of the weights sum up to less than 1, so that no guess reaches a win. The
form is C. E. Shannon's ("Programming a computer for playing chess", Philosophical Magazine 41, 1950) and A. L. Samuel's
("Some studies in machine learning using the game of checkers", IBM Journal 3, 1959).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, reduce
from numbers import Real
from operator import add
from types import MappingProxyType
from typing import Any, NamedTuple

from ..jit import helper
from ..outside.spec import nearest

__all__ = ["Evaluation", "checked_features", "lead", "make_evaluation", "replaced_weights"]

_Rule = Callable[..., Any]


class Evaluation(NamedTuple):
    """An evaluation, the features it is made of, and their weights, read-only, in the order of the features."""

    evaluate: _Rule
    features: _Rule
    weights: Mapping[str, float]


@helper
def lead(own: Any, other: Any, most: float) -> float:
    """Return the difference of two counts as a feature: ±1 where it is ``most`` or more."""
    return min(max((own - other) / most, -1.0), 1.0)


def make_evaluation(
    game: str,
    max_utility: float,
    evaluate: _Rule | None,
    features: _Rule | None,
    weights: Mapping[str, float] | None,
) -> Evaluation:
    """Return the evaluation of a game: as a whole, or made of features and weights; 0 if it has neither.

    Args:
        game: the name of the game, for error messages.
        max_utility: the utility of the best possible result.
        evaluate: the rule ``evaluate``, if the game has one.
        features: the rule ``features``, if the game has one.
        weights: a weight for each feature, by name, in the order in which ``features`` returns the values.

    Raises:
        ValueError: ``evaluate`` and ``features`` are both given, ``features`` and ``weights`` are not given together,
            or a weight does not fit.
    """
    if evaluate is not None and (features is not None or weights is not None):
        raise ValueError(f"{game} has evaluate, and features or weights as well: give one or the other")
    if (features is None) != (weights is None):
        raise ValueError(f"{game} needs both features and weights, or neither: got {features=}, {weights=}")
    if features is None or weights is None:
        return Evaluation(evaluate or _no_evaluation, _no_features, MappingProxyType({}))
    checked = MappingProxyType(_checked_weights(game, weights))
    if not math.isfinite(max_utility):
        raise ValueError(f"features of {game} need a finite max_utility, which they are a part of: got {max_utility}")
    return Evaluation(_linear(features, tuple(checked.values()), max_utility), features, checked)


def replaced_weights(game: str, weights: Mapping[str, float], changes: Mapping[str, float]) -> dict[str, float]:
    """Return ``weights`` with ``changes``.

    Raises:
        ValueError: a feature is unknown; the message suggests the nearest.
    """
    if not isinstance(changes, Mapping):
        raise ValueError(f"weights of {game} must be a mapping such as {dict(weights)}, got {changes!r}")
    for name in changes:
        if name not in weights:
            known = nearest(str(name), weights) if weights else "its evaluation has no features"
            raise ValueError(f"{game} has no feature {name!r}: {known}")
    return {**weights, **changes}


def checked_features(game: str, weights: Mapping[str, float], values: Any) -> dict[str, float]:
    """Return the values of features by their names.

    Raises:
        ValueError: there is not one value for each weight.
    """
    if not isinstance(values, tuple) or len(values) != len(weights):
        raise ValueError(
            f"features of {game} must return a tuple of {len(weights)} numbers, for {', '.join(weights)}: got {values}"
        )
    for name, value in zip(weights, values, strict=True):
        if not isinstance(value, Real):
            raise ValueError(f"features of {game} must return numbers, got {value!r} for {name}")
    return {name: float(value) for name, value in zip(weights, values, strict=True)}


def _checked_weights(game: str, weights: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(weights, Mapping):
        raise ValueError(f"weights of {game} must be a mapping such as {{'mobility': 0.5}}, got {weights!r}")
    for name, weight in weights.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"a feature of {game} must have a name such as 'mobility', got {name!r}")
        if not isinstance(weight, Real) or isinstance(weight, bool) or not math.isfinite(weight):
            raise ValueError(f"weight {name!r} of {game} must be a finite number, got {weight!r}")
    checked = {name: float(weight) for name, weight in weights.items()}
    # Summed in the order of the evaluation: as rounding is monotonic, no sum of products can then be larger.
    # Python's own sum is more precise since 3.12.
    if not (total := reduce(add, map(abs, checked.values()), 0.0)) < 1:
        raise ValueError(
            f"the sizes of the weights of {game} must sum up to less than 1, so that no guess reaches a win, got "
            f"{total:g} of {checked}: make all of them smaller by the same factor"
        )
    return checked


def _no_evaluation(state: Any, player: Any) -> float:
    return 0.0


def _no_features(state: Any, player: Any) -> tuple[()]:
    return ()


def _linear(features: _Rule, weights: tuple[float, ...], scale: float) -> _Rule:
    """Return the rule e(s), with the weights as constants of the compiled code."""
    inlined, total = _inlined(features), _nothing
    for index, weight in enumerate(weights):
        if weight != 0:  # else the compiler would still compute what only this feature needs
            total = _plus(total, index, weight)

    def evaluate(state: Any, player: int) -> float:
        return scale * total(inlined(state, player))

    return evaluate


@cache
def _inlined(function: _Rule) -> _Rule:
    """Let compiled code call ``function``; Numba gets to know it once, however many weights it is used with."""
    return helper(getattr(function, "py_func", function))


@helper
def _nothing(values: Any) -> float:
    return 0.0


def _plus(rest: _Rule, index: int, weight: float) -> _Rule:
    """Return a sum with one more term. Each term has its own function, so that values may be of different types."""

    @helper
    def total(values: Any) -> float:
        return rest(values) + weight * values[index]

    return total
