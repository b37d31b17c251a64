"""Slips in rules that only show elsewhere: results not written, fractions lost, random numbers, turns that do not pass.

`check_game` looks for them first, for otherwise it finds a game without an end, or blames a rule that nobody wrote. So
it does with errors that a rule raises: `raised` finds whose they are.
"""

from __future__ import annotations

import numbers
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..definition.identity import PLAIN
from ..definition.terms import State
from ..game import Game
from ..jit.faults import KEYS
from ..jit.game_type import rules_of

__all__ = [
    "Keys",
    "broken",
    "check_fractions",
    "check_same_actions",
    "check_turns",
    "other_position",
    "played",
    "raised",
]

_NO_LOTS = "rules draw no random numbers"
_EVIDENCE = 40  # plies of one player, and none of the other


def broken(game: Game, state: State, rule: str, fault: str) -> ValueError:
    """Return an error that names the rule, what is wrong with it, and where."""
    return ValueError(f"{rule!r} of {game.spec}: {fault}, in state {state}")


def played(game: Game, state: State, action: int) -> State:
    """Return the state after an action.

    Raises:
        ValueError: ``play`` returns something, leaves the state as it was, or goes elsewhere when it is asked again.
    """
    after, again = state.copy(), state.copy()
    if (returned := game.play(after, action)) is not None:
        raise broken(game, state, "play", f"must change the state in place, and return nothing, got {returned}")
    if after == state and game.repetition is None:
        raise broken(game, state, "play", f"must change the state in place, and action {action} leaves it as it is")
    game.play(again, action)
    if again != after:
        fault = f"action {action} must always lead to the same state, got {after} and {again}: {_NO_LOTS}"
        raise broken(game, state, "play", fault)
    return after


def other_position(game: Game, state: State, action: int, told: int, found: int) -> ValueError:
    """Return an error for keys that ``keys_after`` told and that were found: where no one wrote it, it has played."""
    if game._fields["keys_after"] is None:
        fault = f"action {action} must always lead to the same state, got one with the key {told}: {_NO_LOTS}"
        return broken(game, state, "play", fault)
    fault = f"must be what `repetition_key` is after action {action}, {found}, got {told}"
    return broken(game, state, "keys_after", fault)


def check_same_actions(game: Game, state: State, actions: list[int]) -> None:
    """Check that ``legal_actions`` writes the same as before."""
    if (again := game.actions(state)) != actions:
        fault = f"must always be the same in a state, got {actions} and {again}: {_NO_LOTS}"
        raise broken(game, state, "legal_actions", fault)


def check_fractions(game: Game, state: State, seat: int) -> None:
    """Check that ``observe`` writes no fractions into planes of integers, which would cut them off."""
    planes: NDArray[Any] = np.zeros(game.observation_shape)
    try:
        game.observe(state, seat, planes)
    except (IndexError, TypeError):  # it reads its planes, as indices or for their bits, and floats are neither
        return
    if (fractions := planes[planes % 1 != 0]).size:
        fault = f"planes of {game.observation_dtype} hold whole numbers, got {fractions[0]}"
        raise broken(game, state, "observe", f"{fault}: give observation_dtype=np.float32, or write whole numbers")


def check_turns(game: Game, moved: Mapping[int, int], games: int, most: int) -> None:
    """Check that both players have moved in some games of up to ``most`` plies.

    Few plies are no evidence: who moves may hang on what was played, or on chance before the game.

    Args:
        game: the game.
        moved: the plies of each player.
        games: how many games were played.
        most: the plies of the longest.
    """
    if len(moved) == 1 and most > 1:
        ((player, plies),) = moved.items()
        if plies >= _EVIDENCE:
            raise ValueError(
                f"'player' of {game.spec}: only player {player} has moved in {games} games of up to {most} plies: "
                "`play` must change whose turn it is"
            )


class Keys:
    """The keys of the positions that games had, where the game has rules of its own for them."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._rules = [rule for rule in KEYS if game._fields[rule] is not None]
        self._known: dict[int, tuple[State, tuple[int, list[int]]]] = {}

    def check(self, state: State, actions: list[int]) -> None:
        """Check that the keys of an unfinished state are numbers of 64 bits, and that states of one key play alike.

        Raises:
            ValueError: one is not, or there is another state of the same key, with another player or other actions.
        """
        for rule in self._rules:
            with np.errstate(over="ignore"):
                key = getattr(self._game, rule)(state)
            if not isinstance(key, numbers.Integral) or not 0 <= int(key) < 2**64:
                fault = f"must be a whole number from 0 to 2**64 - 1, such as a np.uint64, got {key!r}"
                raise broken(self._game, state, rule, fault)
        if "key" in self._rules:
            key, plays = int(self._game.key(state)), (int(self._game.player(state)), actions)
            other, known = self._known.setdefault(key, (state.copy(), plays))
            if known != plays:
                fault = f"must differ for positions that play differently, got {key} here and in state {other}"
                raise broken(self._game, state, "key", fault)


def raised(game: Game, error: Exception) -> ValueError | None:
    """Return in one line that a rule, the board or a name raised an error, and where; None if it was none of them."""
    functions = {rule: getattr(game, rule) for rule in rules_of(game)}
    functions |= {name: function for name in PLAIN if (function := game._fields[name]) is not None}
    if game.board is not None:
        functions |= {f"board.{name}": getattr(game.board, name) for name in ("pieces", "cells", "threatened")}
    codes = {}
    for rule, function in functions.items():
        codes.setdefault(getattr(getattr(function, "py_func", function), "__code__", None), rule)
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    for code, _ in reversed(frames):  # a rule that another one calls is the one at fault
        if code in codes:
            line = [line for other, line in frames if other.co_filename == code.co_filename][-1]
            place = f"{Path(code.co_filename).name}:{line}"
            return ValueError(f"{codes[code]!r} of {game.spec} raised {type(error).__name__} ({place}): {error}")
    return None
