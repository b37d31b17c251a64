"""Whether the compiled rules do what they do as plain Python.

Both languages look alike, but count differently: in NumPy the sum of two small integers wraps around, and in Numba it
has 64 bits; ``int()`` of an unsigned integer stays unsigned there, so 1 - 2 is a huge number.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import config

from ..definition.terms import State
from ..game import Game
from ..jit import bind, kernel
from ..jit.faults import KEYS
from .slips import broken

__all__ = ["check_compiled"]

_NUMBERS = ("player", "is_terminal", "utility", "evaluate")
_LISTS = ("legal_actions", "noisy_actions")
_RELATIVE, _ABSOLUTE = 1e-6, 1e-9  # by which sums of floats may differ
_EACH = 32  # plies of which each is compared; of as many more each second, of as many more each third, and so on
_ADVICE = "Numba keeps int() of an unsigned integer unsigned, and adds small ones in 64 bits: use np.int64()"


@kernel
def _ask(game, state, after, action, numbers, keys, lists, counts, planes):
    """Write what the rules say of a state, and play ``action`` in ``after``, a copy of it, unless it is negative."""
    over = game.is_terminal(state)
    numbers[0, :] = game.player(state)
    numbers[1, :] = 1 if over else 0
    for player in range(2):
        if over:
            numbers[2, player] = game.utility(state, player)
        else:
            numbers[3, player] = game.evaluate(state, player)
        game.observe(state, player, planes[player])
    keys[0], keys[1], keys[2] = game.key(state), game.canonical_key(state), game.repetition_key(state)
    counts[0] = game.legal_actions(state, lists[0])
    if action >= 0:
        counts[1] = game.noisy_actions(state, lists[1])
        game.play(after, action)


def check_compiled(game: Game, games: int, seed: int) -> None:
    """Play random games, and ask the compiled rules about each position what plain Python is asked.

    Args:
        game: a game whose rules keep their promises as plain Python, and compile.
        games: how many games to play.
        seed: seed for the choice of moves.

    Raises:
        ValueError: a compiled rule gives something else; the message names the rule, both results, and the state.
    """
    if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
        return
    rng = np.random.default_rng(seed)
    state = game.new_state()
    ask = bind(_ask, game, state, state, 0, *_buffers(game))
    for _ in range(games):
        state = game.new_state()
        for ply in range(game.max_plies + 1):  # moves that superko forbids are played here
            action = -1 if game.is_terminal(state) else int(rng.choice(game.actions(state)))
            plain = state.copy()
            if action < 0 or ply % (1 + ply // _EACH) == 0:
                compiled = state.copy()
                with np.errstate(over="ignore"):
                    expected = _asked(_ask_plain, game, state, plain, action)
                    found = _asked(ask, game, state, compiled, action)
                _compare(game, state, expected, found)
                if compiled != plain:
                    raise _differs(game, state, "play", f"action {action} leads to {compiled}, not to {plain}")
            else:
                game.play(plain, action)
            if action < 0:
                break
            state = plain


_ask_plain: Any = getattr(_ask, "py_func", _ask)


def _buffers(game: Game) -> tuple[Any, ...]:
    lists, counts = np.zeros((2, game.num_actions), np.int32), np.zeros(2, np.int64)
    planes = np.zeros((2, *game.observation_shape), game.observation_dtype)
    return np.zeros((len(_NUMBERS), 2)), np.zeros(len(KEYS), np.uint64), lists, counts, planes


def _asked(ask: Any, game: Game, state: State, after: State, action: int) -> dict[str, Any]:
    """Return what each rule says of the state, by the name of the rule."""
    numbers, keys, lists, counts, planes = buffers = _buffers(game)
    ask(game, state.copy(), after, action, *buffers)
    written = {rule: lists[row, : counts[row]].tolist() for row, rule in enumerate(_LISTS)}
    said = {rule: numbers[row].tolist() for row, rule in enumerate(_NUMBERS)}
    return {**said, **written, **dict(zip(KEYS, keys.tolist(), strict=True)), "observe": planes}


def _compare(game: Game, state: State, expected: dict[str, Any], found: dict[str, Any]) -> None:
    for rule, one in found.items():
        other = expected[rule]
        if rule == "observe":
            if not np.allclose(one, other, _RELATIVE, _ABSOLUTE, equal_nan=True):
                raise _differs(game, state, rule, "the planes are others")
        elif one == other:
            continue
        elif rule in _NUMBERS:
            for player in (0, 1):
                if not math.isclose(one[player], other[player], rel_tol=_RELATIVE, abs_tol=_ABSOLUTE):
                    seen = f" for player {player}" if rule in ("utility", "evaluate") else ""
                    raise _differs(game, state, rule, f"got {one[player]:g}{seen}, not {other[player]:g}")
        else:
            raise _differs(game, state, rule, f"got {one}, not {other}")


def _differs(game: Game, state: State, rule: str, fault: str) -> ValueError:
    return broken(game, state, rule, f"must be the same compiled as in plain Python: {fault}; {_ADVICE}")
