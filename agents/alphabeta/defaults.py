"""What is best for a game, of the options of alpha-beta that change the value.

An option that is not given is the game's own, which is off in all games that are not named here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["own_options"]

_OFF: dict[str, Any] = {
    "aspiration": None,
    "deeper_entries": False,
    "lmr": 0,
    "quiescence": 0,
    "captures": False,
    "countermoves": False,
    "penalties": False,
    "null_move": 0,
    "futility": 0.0,
    "late_pruning": 0,
    "deep_reductions": False,
    "internal_reductions": 0,
    "delta": 0.0,
    "exchange_pruning": False,
    "quiescence_table": False,
    "repetitions": False,
    "null_margin": 0.0,
    "razoring": 0.0,
    "quiet_exchange": 0.0,
    "table_static": False,
    "spare_checks": False,
    "unfinished": False,
}
_OWN: dict[str, dict[str, Any]] = {
    "chess": {
        "aspiration": 0.004,
        "deeper_entries": True,
        "lmr": 3,
        "quiescence": 32,
        "captures": True,
        "countermoves": True,
        "penalties": True,
        "null_move": 2,
        "futility": 0.013,
        "late_pruning": 4,
        "deep_reductions": True,
        "internal_reductions": 4,
        "delta": 0.026,
        "exchange_pruning": True,
        "quiescence_table": True,
        "repetitions": True,
        "null_margin": 0.026,
        "razoring": 0.026,
        "quiet_exchange": 0.0065,
        "table_static": True,
        "spare_checks": True,
        "unfinished": True,
    },
}
# In units of the game's features, whatever their weights: of no use with another evaluation.
_IN_UNITS = ("aspiration", "futility", "delta", "null_margin", "razoring", "quiet_exchange")
_FOLLOW = {  # nothing without one of these
    "deep_reductions": ("lmr",),
    "null_margin": ("null_move",),
    "delta": ("quiescence",),
    "exchange_pruning": ("quiescence",),
    "quiescence_table": ("quiescence",),
    "table_static": ("futility", "null_move", "razoring", "quiescence_table"),
    "spare_checks": ("lmr", "late_pruning", "quiet_exchange", "exchange_pruning"),
}


def own_options(game: str, given: Mapping[str, Any], is_own: bool = True, is_iterative: bool = True) -> dict[str, Any]:
    """Return the options, with the game's own for those that are None.

    Args:
        game: the name of the game; "": one that has none.
        given: the options that were asked for.
        is_own: whether the evaluation is one of weighed features, in the units of the utility.
        is_iterative: whether depths are searched one after the other: else there is no last value for a window.
    """
    own = {name: value for name, value in _OWN.get(game, {}).items() if is_own or name not in _IN_UNITS}
    options = {name: value if value is not None else own.get(name, _OFF[name]) for name, value in given.items()}
    for name, bases in _FOLLOW.items():
        if given[name] is None and not any(options[base] for base in bases):
            options[name] = _OFF[name]
    if given["exchange_pruning"] is None and not options["captures"]:
        options["exchange_pruning"] = False
    if given["aspiration"] is None and not is_iterative:
        options["aspiration"] = None
    return options
