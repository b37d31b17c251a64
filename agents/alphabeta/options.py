"""The options of an alpha-beta search: their checks, and the record in which the kernels read them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from ...envs.outside.arguments import is_between, is_positive
from ..repetitions import times_of
from ..search import DEEPEST
from ..settings import check_arguments, check_flags
from .workspace import STATUS

__all__ = ["FIRST_LIMIT", "Lengths", "Options", "check_given", "check_options", "line_lengths", "new_status"]

FIRST_LIMIT = 20_000  # positions of the first depth, in a search with a budget: it seldom has a third of these


class Options(NamedTuple):
    """How to search. `AlphaBeta` says what each option means."""

    ordered: bool
    hash_move: bool
    killers: bool
    history: bool
    fold: bool
    replacement: Literal["depth", "always"]
    pvs: bool
    aspiration: float | None
    iterative: bool
    all_best: bool
    deeper_entries: bool
    margin: float
    lmr: int
    quiescence: int
    singular: float | None
    unfinished: bool
    captures: bool
    countermoves: bool
    penalties: bool
    null_move: int
    check_extensions: bool
    futility: float
    late_pruning: int
    deep_reductions: bool
    internal_reductions: int
    delta: float
    exchange_pruning: bool
    quiescence_table: bool
    repetitions: bool
    null_margin: float
    razoring: float
    quiet_exchange: float
    table_static: bool
    spare_checks: bool

    @property
    def selective(self) -> np.int64 | None:
        """1 if an option changes the value, else None, for which the kernels are compiled without these options."""
        changed = self.deeper_entries or self.margin or self.lmr or self.quiescence or self.singular is not None
        changed = changed or self.null_move or self.check_extensions or self.futility or self.late_pruning
        changed = changed or self.internal_reductions or self.unfinished or self.razoring or self.quiet_exchange
        return np.int64(1) if changed else None

    @property
    def pruning(self) -> np.int64 | None:
        """1 if one of the options from ``captures`` on is in use, else None, for kernels without these options."""
        used = self[self._fields.index("captures") :]
        return np.int64(1) if any(used) else None


class Lengths(NamedTuple):
    """How many plies the lines of a search may have."""

    deepest: int  # plies of the main search
    longest: int  # plies with extensions
    plies: int  # plies with extensions and noisy moves


# Those that order the moves, and are off without `ordered`; and those that are whole numbers.
_ORDER = ("hash_move", "killers", "history", "captures", "countermoves")
_WHOLE = ("lmr", "quiescence", "null_move", "late_pruning", "internal_reductions")
_FLAGS = (
    *("ordered", "hash_move", "killers", "history", "fold", "pvs", "iterative", "all_best", "deeper_entries"),
    *("captures", "countermoves", "penalties", "check_extensions", "deep_reductions", "exchange_pruning"),
    *("repetitions", "unfinished", "quiescence_table", "table_static", "spare_checks"),
)
_SIZES = ("futility", "delta", "null_margin", "razoring", "quiet_exchange")
# Those that stand in the record as they are.
_COPIED = (
    *("fold", "pvs", "all_best", "deeper_entries", "margin", "lmr", "quiescence", "null_move"),
    *("futility", "late_pruning", "deep_reductions", "internal_reductions", "delta", "exchange_pruning"),
    *("check_extensions", "unfinished", "quiescence_table", "null_margin", "razoring"),
    *("quiet_exchange", "table_static", "spare_checks"),
)


def check_options(options: Options) -> None:
    """Check each option, and that they go together.

    Raises:
        ValueError: an option is out of its range, or there is a window for ``aspiration`` and ``iterative`` is False.
    """
    aspiration, margin, singular = options.aspiration, options.margin, options.singular
    check_flags(**{name: getattr(options, name) for name in _FLAGS})
    whole = {name: getattr(options, name) for name in _WHOLE}
    sizes = {name: getattr(options, name) for name in _SIZES}
    check_arguments(
        ("replacement", options.replacement, options.replacement in ("depth", "always"), "'depth' or 'always'"),
        (
            "aspiration",
            aspiration,
            aspiration is None or is_positive(aspiration, math.inf),
            "above 0, or None for the game's own",
        ),
        ("margin", margin, is_between(margin, 0), "a finite number, at least 0"),
        ("singular", singular, singular is None or is_between(singular, 0), "a finite number, at least 0"),
        *(
            (
                name,
                plies,
                _is_whole(plies) and 0 <= plies < DEEPEST,
                f"a whole number from 0, which is off, to {DEEPEST - 1}",
            )
            for name, plies in whole.items()
        ),
        *(
            (name, size, is_between(size, 0), "a finite number, at least 0, which is off")
            for name, size in sizes.items()
        ),
    )
    if options.exchange_pruning and not (options.captures and options.ordered):
        raise ValueError("exchange_pruning needs captures=True and ordered=True: the order finds out which moves lose")
    for name in ("delta", "exchange_pruning", "quiescence_table"):
        if getattr(options, name) and not options.quiescence:
            raise ValueError(f"{name} needs quiescence above 0: it is of use there alone")
    if options.deep_reductions and not options.lmr:
        raise ValueError("deep_reductions needs lmr above 0: it reduces the same moves, by more")
    if options.null_margin and not options.null_move:
        raise ValueError("null_margin needs null_move above 0: it searches less deep after a pass")
    if options.table_static and not (
        options.futility or options.null_move or options.razoring or options.quiescence_table
    ):
        raise ValueError(
            "table_static needs futility, null_move, razoring or quiescence_table: the others ask for no evaluation"
        )
    if options.spare_checks and not (
        options.lmr or options.late_pruning or options.quiet_exchange or options.exchange_pruning
    ):
        raise ValueError(
            "spare_checks needs lmr, late_pruning, quiet_exchange or exchange_pruning: else there is nothing to spare"
        )
    if aspiration is not None and not options.iterative:
        raise ValueError("aspiration needs iterative=True: the window is laid round the value of the last depth")


def check_given(
    given: Mapping[str, Any], *, ordered: bool, history: bool, table_mb: float, iterative: bool = True
) -> None:
    """Check that what was asked for is of use. Options that are the game's own go without what they need.

    Args:
        given: the options that were asked for; None, False or 0 for those that were not.
        ordered: whether moves are ordered.
        history: whether by history, too.
        table_mb: megabytes of the table.
        iterative: whether depths are searched one after the other.

    Raises:
        ValueError: an option does nothing without another.
    """
    order, table = (ordered, "ordered=True"), (table_mb > 0, "table_mb above 0")
    needs = {
        "captures": order,
        "countermoves": order,
        "penalties": (ordered and history, "ordered=True and history=True"),
        "fold": table,
        "deeper_entries": table,
        "internal_reductions": table,
        "quiescence_table": table,
        "table_static": table,
        "singular": table,
        "unfinished": (iterative, "iterative=True"),
    }
    for name, (is_there, what) in needs.items():
        if given[name] and not is_there:
            raise ValueError(f"{name} needs {what}: it does nothing without")


def line_lengths(game: Game, options: Options, depth: int | None) -> Lengths:
    """Return how long the lines get that a search to ``depth`` looks at; None: to the end of the game."""
    most = min(game.max_plies, DEEPEST)
    deepest = min(depth or most, most)
    longest = min(2 * deepest, most) if options.singular is not None or options.check_extensions else deepest
    noisy = int(options.quiescence)  # a small number of NumPy's would overflow in the sum
    return Lengths(deepest, longest, min(longest + noisy, most))


def new_status(game: Game, options: Options, longest: int) -> NDArray[Any]:
    """Return the record [1] that each search begins with: the options, no budget, and nothing counted."""
    record = np.zeros(1, STATUS)
    status = record[0]
    for name in _ORDER:
        status[name] = options.ordered and getattr(options, name)
    status.ordered = any(status[name] for name in _ORDER)
    status.penalties = options.penalties and status.history
    for name in _COPIED:
        status[name] = getattr(options, name)
    status.goes_on = options.quiescence > 0 or options.check_extensions
    status.times = times_of(game) if options.repetitions else 0
    status.by_depth = options.replacement == "depth"
    status.lengthens = not options.fold  # the table may know the move of an image, which is another one
    status.singular = -1 if options.singular is None else options.singular
    status.aspiration = options.aspiration or 0
    status.top, status.longest = game.max_utility, longest
    status.budget = status.first_limit = np.iinfo(np.int64).max
    status.nodes, status.deepest = 1, 1
    return record


def _is_whole(number: Any) -> bool:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)
