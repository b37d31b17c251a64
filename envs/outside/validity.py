"""States from outside, asked once whether they are states of the game, before compiled code reads them.

Compiled code checks no bounds: a state with a field out of range makes it read and write where it must not. So whatever
takes a state from outside (a reset, an analysis, a batch that is loaded) has it checked here, by the game's rule
``is_valid``, and nothing inside a game or a search asks again.

A record does not say which game made it. A state of other parameters (another size of the board, another komi) is
refused where it breaks the rules of this game or differs in a ``fixed`` field, and is a state of both games otherwise.
"""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import Patience, bind, kernel
from ..jit.digest import digest
from ..jit.game_type import GameType, game_type, register_game_class, remembered

__all__ = ["StateCheck", "initial_state"]

_MOST_CHARACTERS = 120  # of a state in an error message
_QUICK = 1e-3  # seconds, of a check that a game by a clock does not feel


def initial_state(game: str, layout: np.dtype[Any], setup: Callable[..., Any] | None) -> NDArray[Any]:
    """Return the initial state of a game as an array of one record [1], which ``setup`` has filled.

    Raises:
        ValueError: it raises an error, or returns something.
    """
    initial = np.zeros(1, layout)
    if setup is None:
        return initial
    try:
        returned = setup(initial[0])
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[1:]  # without this one
        lines = [one.lineno for one in frames if one.filename == frames[0].filename]
        place = f" ({Path(frames[0].filename).name}:{lines[-1]})" if lines else ""
        raise ValueError(f"'setup' of {game} raised {type(error).__name__}{place}: {error}") from error
    if returned is not None:
        raise ValueError(f"'setup' of {game} must fill the state in place, and return nothing, got {returned!r}")
    return initial


@kernel
def _is_valid(rules, state):
    return bool(rules.is_valid(state))


@kernel
def _show(rules, state, planes):
    if not rules.is_valid(state):
        return False
    rules.observe(state, rules.player(state), planes)
    return True


@kernel
def _first_invalid(rules, states):
    for i in range(states.size):
        if not rules.is_valid(states[i]):
            return i
    return -1


class StateCheck:
    """The rule ``is_valid`` of a game, compiled when it is asked often.

    The first states are checked by the rule as plain Python: a search or a game that begins once should not wait for
    the compiler. In kernels it is a type of its own, keyed by the few rules that it needs: games that differ in others
    share its code, and another evaluation compiles nothing anew.

    Args:
        game: the `Game`.
    """

    def __init__(self, game: Any) -> None:
        self.is_valid, self.player, self.observe = game.is_valid, game.player, game.observe
        self.name = f"states of {game.name}"
        self.digest = remembered(self, digest(game.dtype, self.is_valid, self.player, self.observe))
        self.game, self._dtype = game, game.dtype
        self._patience = Patience()  # a check by plain Python takes 10 µs to 2 ms

    @cached_property
    def numba_type(self) -> GameType:
        """The type of the rule inside kernels."""
        return game_type(self)

    @cached_property
    def _compiled(self) -> Any:
        return bind(_is_valid, self, np.zeros(1, self._dtype)[0])

    def record(self, given: Any, name: str = "state") -> Any:
        """Return the one record that is given, alone or as an array of one, without asking whether it is valid.

        Raises:
            ValueError: it is not one record of the game's dtype; the message calls it ``name``.
        """
        if type(given) is self._dtype.type and given.dtype is self._dtype:
            return given
        array = np.asarray(given) if isinstance(given, (np.ndarray, np.void)) else np.zeros(0)
        if array.size != 1 or array.dtype != self._dtype:
            raise ValueError(f"{name} must be one state of {self.game.spec}, got {_short(given)}")
        return array.reshape(1).view(self._dtype)[0]  # pickles and files may forget that the fields are aligned

    def checked(self, given: Any, name: str = "state") -> Any:
        """Return the one record that is given, alone or as an array of one.

        Raises:
            ValueError: it is not one record of the game's dtype, or not a state of the game; the message calls it
                ``name``.
        """
        state = self.record(given, name)
        if not self.accepts(state):
            raise ValueError(
                f"{name} is not a valid state of {self.game.spec}, by its rule is_valid: {_short(state)}; "
                "was it made by a game with other parameters, or changed?"
            )
        return state

    def prepare(self) -> None:
        """See to it that no check takes long in the midst of a game by a clock.

        Where plain Python checks the initial state in less than a millisecond, it checks all; else the rule is compiled
        now.
        """
        if "_compiled" not in vars(self) and min(self._plain_seconds() for _ in range(3)) < _QUICK:
            self._patience.seconds = math.inf
        else:
            self.compile()

    def _plain_seconds(self) -> float:
        began = time.perf_counter()
        Patience().plain(self.is_valid, self.game.initial[0])
        return time.perf_counter() - began

    def compile(self) -> None:
        """Compile the rule, if it is not yet, and ask it by compiled code alone from now on."""
        self._patience.seconds = 0.0
        _ = self._compiled

    def accepts(self, state: Any) -> bool:
        """Return whether a record of the game's dtype is a state of the game."""
        fixed, initial = self.game.fixed, self.game.initial[0]
        if any((state[name] != initial[name]).any() for name in fixed):
            return False
        if self._patience.seconds > 0:
            return bool(self._patience.plain(self.is_valid, state))
        return self._compiled(self, state)

    def first_invalid(self, states: NDArray[Any]) -> int:
        """Return the place of the first of ``states`` [states] that is not valid, or -1."""
        others = np.zeros(states.size, np.bool_)
        for name in self.game.fixed:
            differs = states[name] != self.game.initial[0][name]
            others |= differs.any(axis=tuple(range(1, differs.ndim)))  # a field may be an array
        return int(others.argmax()) if others.any() else _first_invalid(self, states)

    def rebuilt(self, planes: NDArray[Any]) -> Any:
        """Return the state in which the player to move observes ``planes``, of any shape with the right size.

        Raises:
            ValueError: the game has no ``decode``, the planes have another size, or the player to move sees them in no
                state of the game.
        """
        game = self.game
        if game.decode is None:
            raise ValueError(
                f"{game.name} cannot rebuild a state from an observation (it has no `decode`): "
                "pass the state, as in info['state']"
            )
        if planes.size != np.prod(game.observation_shape):
            raise ValueError(
                f"an observation of {game.name} has shape {game.observation_shape}, got {planes.shape}: "
                "does it come from another game?"
            )
        planes = planes.reshape(game.observation_shape)
        if planes.dtype.kind not in "biuf" or not ((planes >= 0) & (planes <= game.observation_high)).all():
            raise ValueError(
                f"an observation of {game.name} holds numbers from 0 to {game.observation_high}, and these planes hold "
                f"others ({planes.dtype})"
            )
        state = np.zeros(1, self._dtype)[0]
        if not self._decoded(planes, state):
            raise ValueError(
                f"no state of {game.spec} looks like these planes to the player to move: "
                "do they come from another game, or has the game ended?"
            )
        return state

    def _decoded(self, planes: NDArray[Any], state: Any) -> bool:
        """Fill a zeroed record from planes, and return whether it is a state that shows them."""
        game = self.game
        try:
            game.decode(planes, state)
        except ValueError:
            return False
        seen, newest = np.zeros(game.observation_shape, game.observation_dtype), game.newest_channels
        return _show(self, state, seen) and bool((seen[..., newest] == planes[..., newest]).all())


def _short(value: Any) -> str:
    """Return a value as a message shows it, on one line."""
    text = " ".join((str if isinstance(value, np.void) else repr)(value).split())
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


register_game_class(StateCheck)
