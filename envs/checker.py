"""A check of a game's rules: random games in plain Python, in which every promise is tested at every ply.

Compiled code checks neither bounds nor promises, so run this on your own game before anything else.
"""

from __future__ import annotations

import numpy as np

from .arguments import checked_whole
from .game import Game, State
from .registry import as_game
from .repetition import new_scratch

__all__ = ["check_game"]


def check_game(game: Game | str, games: int = 20, seed: int = 0) -> None:
    """Play random games and check what `Game` says of its rules.

    Args:
        game: the game to check, or its name.
        games: number of random games to play.
        seed: seed for the choice of moves.

    Raises:
        ValueError: a rule breaks its promise; the message names the rule, what it gave, and the state.
    """
    game, games = as_game(game), checked_whole("games", games, 1)
    rng = np.random.default_rng(seed)
    for action in range(game.num_actions):
        text = game.action_to_str(action)
        if game.str_to_action(text) != action:
            raise ValueError(f"str_to_action({text!r}) of {game.name} must be {action}, got {game.str_to_action(text)}")
    for _ in range(games):
        state = game.new_state()
        plies = 0
        while True:
            _check_validity(game, state)
            _check_view(game, state)
            if game.is_terminal(state):
                break
            _check_guess(game, state)
            actions = _checked_actions(game, state)
            after = _checked_positions(game, state, actions)
            i = int(rng.integers(len(actions)))
            game.play(state, actions[i])
            if after[i] != game.repetition_key(state):
                key = game.repetition_key(state)
                fault = f"must be what `repetition_key` is after action {actions[i]}, {key}, got {after[i]}"
                raise _broken(game, state, "keys_after", fault)
            plies += 1
            if plies > game.max_plies:
                raise _broken(game, state, "max_plies", f"a game must end after {game.max_plies} plies, and goes on")
        _check_end(game, state)


def _broken(game: Game, state: State, rule: str, fault: str) -> ValueError:
    return ValueError(f"{rule!r} of {game.spec}: {fault}, in state {state}")


def _checked_actions(game: Game, state: State) -> list[int]:
    before = state.copy()
    buffer = np.full(game.num_actions + 1, -1, np.int64)
    count = game.legal_actions(state, buffer)
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


def _check_validity(game: Game, state: State) -> None:
    before = state.copy()
    if not game.is_valid(state):
        raise _broken(game, before, "is_valid", "must accept every state of a game")
    if state != before:
        raise _broken(game, before, "is_valid", "must not change the state")
    if not game.state_check.accepts(state):
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
        first, second = (game.observation(state, seat)[..., : game.history[1]] for seat in (0, 1))
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
    first, second = (float(game.evaluate(state, player)) for player in (0, 1))
    if not -game.max_utility < first < game.max_utility or first != -second:
        fault = f"must be inside ±{game.max_utility}, and opposite for the players, got {first} and {second}"
        raise _broken(game, state, "evaluate", fault)


def _check_end(game: Game, state: State) -> None:
    first, second = (float(game.utility(state, player)) for player in (0, 1))
    if abs(first) > game.max_utility or first != -second:
        fault = f"must be up to ±{game.max_utility}, and opposite for the players, got {first} and {second}"
        raise _broken(game, state, "utility", fault)
