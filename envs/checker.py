"""A check of a game's rules: random games in plain Python, in which every promise is tested at every ply.

Compiled code checks neither bounds nor promises, so run this on your own game before anything else. A game that nobody
has checked is checked for a moment when it is registered, or first searched: see `check_once`.

Plain Python sees an index that is too large. A negative one counts from the end, there as in compiled code.
"""

from __future__ import annotations

import math
import numbers
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from .definition.terms import State
from .game import Game
from .jit.faults import compile_rules
from .jit.game_type import rules_of
from .outside.arguments import checked_whole
from .repetition import new_scratch

__all__ = ["check_game", "check_once"]

_PACKAGE = __name__.rpartition(".")[0]
_MOMENT = 0.5  # seconds


def check_game(game: Game, games: int = 20, seed: int = 0) -> None:
    """Play random games and check what `Game` says of its rules, then compile each rule.

    Args:
        game: the game to check.
        games: number of random games to play.
        seed: seed for the choice of moves.

    Raises:
        ValueError: a rule breaks its promise or does not compile; the message names the rule, what it gave, and the
            state, or the line of the source.
    """
    if not isinstance(game, Game):
        raise TypeError(f"expected a Game, such as make_game('connect_four'), got {game!r}")
    games = checked_whole("games", games, 1)
    _play_checked(game, games, seed, math.inf)
    compile_rules(game)
    game.is_checked = True


def check_once(game: Game) -> None:
    """Check a game that nobody has checked by random games, for half a second at most.

    Games whose rules are all of this package are trusted, and those made with ``check=False``.

    Raises:
        ValueError: as `check_game`; the message says how to do without the check.
    """
    if game.is_checked:
        return
    if not _is_own(game):
        try:
            _play_checked(game, 5, 0, _MOMENT)
        except ValueError as error:
            raise ValueError(f"{error}; Game(…, check=False) would play all the same") from error.__cause__
    game.is_checked = True


def _is_own(game: Game) -> bool:
    """Return whether all rules of a game are of this package."""
    rules = [getattr(game, rule) for rule in rules_of(game)]
    return all(str(getattr(rule, "__module__", "")).startswith(f"{_PACKAGE}.") for rule in rules)


def _play_checked(game: Game, games: int, seed: int, seconds: float) -> None:
    """Play up to so many random games, for so long, and check the rules at each ply."""
    try:
        _play_random(game, games, seed, time.perf_counter() + seconds)
    except Exception as error:
        fault = _raised(game, error)
        if fault is None:
            raise
        raise fault from error


def _raised(game: Game, error: Exception) -> ValueError | None:
    """Return in one line that a rule raised an error, and where; None if it was not raised in a rule."""
    codes = {}
    for rule in rules_of(game):
        function = getattr(game, rule)
        codes.setdefault(getattr(getattr(function, "py_func", function), "__code__", None), rule)
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    for code, _ in reversed(frames):  # a rule that another one calls is the one at fault
        if code in codes:
            line = [line for other, line in frames if other.co_filename == code.co_filename][-1]
            place = f"{Path(code.co_filename).name}:{line}"
            return ValueError(f"{codes[code]!r} of {game.spec} raised {type(error).__name__} ({place}): {error}")
    return None


def _play_random(game: Game, games: int, seed: int, end: float) -> None:
    """Play random games until there are so many, or until the time ``end``."""
    rng = np.random.default_rng(seed)
    for action in range(game.num_actions):
        if time.perf_counter() > end:
            break
        text = game.action_to_str(action)
        if game.str_to_action(text) != action:
            raise ValueError(f"str_to_action({text!r}) of {game.name} must be {action}, got {game.str_to_action(text)}")
    for _ in range(games):
        state = game.new_state()
        plies = 0
        while True:
            _check_validity(game, state, compiled=math.isinf(end))
            _check_view(game, state)
            if _number(game, state, "is_terminal", game.is_terminal(state)):
                break
            _check_guess(game, state)
            actions = _checked_actions(game, state)
            after = _checked_positions(game, state, actions)
            _check_noisy(game, state, actions)
            i = int(rng.integers(len(actions)))
            game.play(state, actions[i])
            if after[i] != game.repetition_key(state):
                key = game.repetition_key(state)
                fault = f"must be what `repetition_key` is after action {actions[i]}, {key}, got {after[i]}"
                raise _broken(game, state, "keys_after", fault)
            plies += 1
            if plies > game.max_plies:
                raise _broken(game, state, "max_plies", f"a game must end after {game.max_plies} plies, and goes on")
            if time.perf_counter() > end:
                return
        _check_end(game, state)


def _broken(game: Game, state: State, rule: str, fault: str) -> ValueError:
    return ValueError(f"{rule!r} of {game.spec}: {fault}, in state {state}")


def _number(game: Game, state: State, rule: str, found: Any) -> float:
    """Return what a rule gave, if it is a number."""
    if not isinstance(found, (numbers.Real, np.number, np.bool_)):
        raise _broken(game, state, rule, f"must return a number, got {found!r}")
    return float(found)


def _checked_actions(game: Game, state: State) -> list[int]:
    before = state.copy()
    buffer = np.full(game.num_actions + 1, -1, np.int64)
    count = int(_number(game, state, "legal_actions", game.legal_actions(state, buffer)))
    actions = buffer[: max(count, 0)].tolist()
    if not actions or actions != sorted(set(actions)) or not 0 <= actions[0] <= actions[-1] < game.num_actions:
        fault = f"must write ids of 0 to {game.num_actions - 1}, ascending, and return how many, got {count}: {actions}"
        raise _broken(game, state, "legal_actions", fault)
    if state != before:
        raise _broken(game, before, "legal_actions", "must not change the state")
    return actions


def _checked_positions(game: Game, state: State, actions: list[int]) -> list[int]:
    before = state.copy()
    listed, keys, scratch = new_scratch(game)
    count = game.keys_after(state, listed, keys, scratch)
    if listed[:count].tolist() != actions:
        fault = f"must write the actions that `legal_actions` writes, {actions}, got {listed[:count].tolist()}"
        raise _broken(game, state, "keys_after", fault)
    if state != before:
        raise _broken(game, before, "keys_after", "must not change the state")
    return keys[:count].tolist()


def _check_noisy(game: Game, state: State, actions: list[int]) -> None:
    before = state.copy()
    buffer = np.full(game.num_actions, -1, np.int64)
    count = int(_number(game, state, "noisy_actions", game.noisy_actions(state, buffer)))
    noisy = buffer[: max(count, 0)].tolist()
    if noisy != [action for action in actions if action in noisy]:
        fault = f"must write legal actions, ascending, some of {actions}, got {noisy}"
        raise _broken(game, state, "noisy_actions", fault)
    if state != before:
        raise _broken(game, before, "noisy_actions", "must not change the state")


def _check_validity(game: Game, state: State, *, compiled: bool) -> None:
    """Check the rule ``is_valid``, ``compiled`` too where there is time: to compile it takes longer than a moment."""
    before = state.copy()
    if not game.is_valid(state):
        raise _broken(game, before, "is_valid", "must accept every state of a game")
    if state != before:
        raise _broken(game, before, "is_valid", "must not change the state")
    for name in game.fixed:
        if state[name] != game.initial[0][name]:
            raise _broken(game, state, "fixed", f"no move may change {name!r}, {game.initial[0][name]} at the start")
    if compiled and not game.state_check.accepts(state):
        raise _broken(game, before, "is_valid", "must be the same compiled as in plain Python: it refuses this one")


def _check_view(game: Game, state: State) -> None:
    player = game.player(state)
    if player not in (0, 1):
        raise _broken(game, state, "player", f"must be 0 or 1, got {player}")
    for seat in (0, 1):
        planes = np.zeros(game.observation_shape, np.int64)
        game.observe(state, seat, planes)
        if planes.min() < 0 or planes.max() > game.observation_high:
            span = f"{planes.min()} to {planes.max()}"
            raise _broken(game, state, "observe", f"values must be 0 to {game.observation_high}, got {span}")
        if game.history is not None:
            again = np.full_like(planes, -1)
            game.observe(state, seat, again)
            newest = game.newest_channels
            if (again[..., newest] != planes[..., newest]).any():
                fault = "must write every value of the newest position, and of what comes after the earlier ones"
                raise _broken(game, state, "observe", fault)
    if game.history is not None and game.history_swap is not None:
        newest = slice(game.history_first, game.history_first + game.history[1])
        first, second = (game.observation(state, seat)[..., newest] for seat in (0, 1))
        if game.history_turned:
            first = first[::-1]
        if (first[..., list(game.history_swap)] != second).any():
            fault = f"must show one player what the other sees, with the channels in the order {game.history_swap}"
            raise _broken(game, state, "observe", fault)
    if game.decode is not None and game.history is None and not game.is_terminal(state):
        decoded = game.state_from_observation(game.observation(state, player))
        if decoded != state:
            raise _broken(game, state, "decode", f"must give back what the player to move observes, got {decoded}")
    if not isinstance(game.text(state), str):
        raise _broken(game, state, "text", f"must return a string, got {game.text(state)!r}")


def _check_guess(game: Game, state: State) -> None:
    seen = [game.features_of(state, player) for player in (0, 1)]
    for name, value in seen[0].items():
        if not -1 <= value <= 1 or value != -seen[1][name]:
            fault = f"{name!r} must be from -1 to 1, and opposite for the players, got {value} and {seen[1][name]}"
            raise _broken(game, state, "features", fault)
    first, second = (_number(game, state, "evaluate", game.evaluate(state, player)) for player in (0, 1))
    if not -game.max_utility < first < game.max_utility or first != -second:
        fault = f"must be inside ±{game.max_utility}, and opposite for the players, got {first} and {second}"
        raise _broken(game, state, "evaluate", fault)


def _check_end(game: Game, state: State) -> None:
    first, second = (_number(game, state, "utility", game.utility(state, player)) for player in (0, 1))
    if abs(first) > game.max_utility or first != -second:
        fault = f"must be up to ±{game.max_utility}, and opposite for the players, got {first} and {second}"
        raise _broken(game, state, "utility", fault)
    if game.owners is not None:
        owners, cells = np.asarray(game.owners(state)), math.prod(game.observation_shape[:2])
        if owners.shape != (cells,) or not np.isin(owners, (-1, 0, 1)).all():
            fault = f"must be 1, -1 or 0 for each of {cells} cells, got {owners.tolist()}"
            raise _broken(game, state, "owners", fault)
