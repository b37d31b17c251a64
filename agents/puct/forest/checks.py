"""Checks of what a forest is given, made once and before compiled code reads it: that checks no bounds."""

from __future__ import annotations

import math
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....envs import Game
from ....envs.outside.arguments import checked_flag, checked_whole, is_between
from ....envs.outside.messages import shown
from ....envs.outside.spec import nearest

__all__ = [
    "MOST_NUMBER",
    "Root",
    "check_gumbel",
    "check_number",
    "checked_answer",
    "checked_budgets",
    "checked_decisive",
    "checked_root",
    "checked_states",
    "two_arrays",
]

Root = Literal["gumbel", "puct"]

MOST_NUMBER = 1e30  # the products of such numbers stay below infinity: where scores are infinite, no edge has the best


def check_number(name: str, value: float, least: float, most: float = MOST_NUMBER) -> None:
    """Check that a number is from ``least`` to ``most``.

    Raises:
        ValueError: it is not; the message calls it ``name``.
    """
    if not is_between(value, least, most):
        end = "" if most == math.inf else f" and at most {most:g}"
        raise ValueError(f"{name} must be a number, at least {least}{end}, got {value!r}")


def check_gumbel(considered: int, c_visit: float, c_scale: float) -> None:
    """Check the arguments of a Gumbel root.

    Raises:
        ValueError: one is out of its range; the message names it.
    """
    check_number("c_visit", c_visit, 0)
    check_number("c_scale", c_scale, 0)
    checked_whole("considered", considered, 1)


def checked_root(root: str) -> Root:
    """Return the name of a rule for the root.

    Raises:
        ValueError: there is no such rule.
    """
    if root not in get_args(Root):
        raise ValueError(f"unknown root {root!r}: {nearest(str(root), get_args(Root))}")
    return cast(Root, root)


def checked_decisive(game: Game, decisive: bool | None, proofs: bool) -> bool:
    """Return whether leaves are proved where a move wins at once; for None, in all games but those that count cells.

    In games such as Go hardly any move wins at once, and all would be tried.

    Raises:
        ValueError: it is no truth value, or there are no proofs.
    """
    if decisive is None:
        return bool(proofs) and game.owners is None
    if checked_flag("decisive", decisive) and not proofs:
        raise ValueError("decisive moves prove positions: leave decisive, or give proofs=True")
    return bool(decisive)


def checked_states(game: Game, states: NDArray[Any]) -> NDArray[Any]:
    """Return positions [rows] as kernels take them; nothing is asked about what is in them.

    Raises:
        ValueError: they are not an array [rows] of the game's dtype.
    """
    if not isinstance(states, np.ndarray) or states.dtype != game.dtype or states.ndim != 1:
        found = shown(states.dtype if isinstance(states, np.ndarray) else states)
        raise ValueError(
            f"positions of {game.spec} are an array [rows] of its dtype, as in np.array([state], game.dtype), got "
            f"{found}"
        )
    # Pickles and files may forget that the fields are aligned, and give arrays that cannot be written to.
    return np.require(np.asarray(states).view(game.dtype), requirements=["C", "A", "W"])


def checked_budgets(given: ArrayLike, rows: NDArray[np.intp], most: int) -> NDArray[np.int32]:
    """Return the simulations of these rows, from one number or one for each.

    Raises:
        ValueError: they are no whole numbers from 0 to ``most``, or more or fewer.
    """
    each = np.asarray(given)
    fits = each.dtype.kind in "iu" and each.shape in ((), rows.shape)
    if not fits or (each.size and not 0 <= each.min() <= each.max() <= most):
        raise ValueError(f"simulations must be whole numbers from 0 to {most}, one or {rows.size}, got {given!r}")
    return np.broadcast_to(each, rows.shape).astype(np.int32)


def two_arrays(answer: Any, first: str, shape: tuple[int, int], dtype: type[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return an evaluator's answer as arrays of one layout, for which the kernels are compiled.

    An evaluator may return views, or arrays that cannot be written to.

    Args:
        answer: what it returned.
        first: what the first array holds, in a word; the second holds values [rows].
        shape: the shape of the first, (rows, num_actions).
        dtype: the numbers that the kernels take.

    Raises:
        ValueError: it is no pair of arrays, or they have another shape, or hold no numbers.
    """
    expected = f"{first} {shape} and values {shape[:1]}"
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise ValueError(f"the evaluator must return two arrays, {expected}, got {shown(answer)}")
    try:
        one, values = (np.require(array, dtype, ["C", "W"]) for array in answer)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the evaluator must return numbers, {expected}, got {shown(answer)}: {error}") from None
    if one.shape != shape or values.shape != shape[:1]:
        raise ValueError(f"the evaluator must return {expected}, got shapes {one.shape} and {values.shape}")
    return one, values


def checked_answer(answer: Any, count: int, num_actions: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return an evaluator's answer about ``count`` leaves as kernels take it: minus infinity is let through as a logit.

    Raises:
        ValueError: it is no pair of arrays, or they have another shape, or hold other numbers.
    """
    logits, values = two_arrays(answer, "logits", (count, num_actions), np.float32)
    if not ((logits < np.inf).all() and np.isfinite(values).all()):
        raise ValueError(
            f"logits must be numbers below infinity, values finite: got {shown(logits)} and {shown(values)}"
        )
    return logits, values
