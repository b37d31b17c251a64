"""Two implementations of one game, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from plyground.envs import Game, make_game
from plyground.envs.jit import kernel
from plyground.envs.position import Position

__all__ = ["Pair"]


@dataclass(frozen=True)
class Pair:
    """A game of ours and the same game in OpenSpiel.

    Attributes:
        name: of the pair, on the command line.
        game: our spec.
        peer: OpenSpiel's, with parameters, as ``pyspiel.load_game`` takes it.
        translate: ``translate(game, state, action)`` gives OpenSpiel's number of our action, in that state.
        games: how many random games the full comparison plays.
        sample: how many the test suite plays.
        outcome: ``outcome(game, state)`` gives what OpenSpiel should say the first player got, in a finished state.
    """

    name: str
    game: str
    peer: str
    translate: Callable[[Game, Any, int], int] = lambda game, state, action: action
    games: int = 20_000
    sample: int = 200
    outcome: Callable[[Game, Any], float] = lambda game, state: float(game.utility(state, 0))

    def run(self, games: int, seed: int = 0) -> Iterator[int]:
        """Play random games in both implementations, and yield the length of each game, in plies.

        Raises:
            AssertionError: they differ in the player to move, the legal actions, the end or the outcome; the message
                has the moves that lead there.
            ModuleNotFoundError: OpenSpiel is not installed.
        """
        game, peer_game = make_game(self.game), import_module("pyspiel").load_game(self.peer)
        rng = np.random.default_rng(seed)
        buffer = np.empty(game.num_actions, np.int32)
        superko = _Superko(game)
        for _ in range(games):
            state, peer, moves = game.new_state(), peer_game.new_initial_state(), []
            superko.start()
            while True:
                count, player = _look(game, state, buffer)
                _compare(game, moves, "end", count < 0, peer.is_terminal())
                if count < 0:
                    break
                _compare(game, moves, "player to move", player, peer.current_player())
                translated = {action: self.translate(game, state, action) for action in buffer[:count].tolist()}
                _compare(game, moves, "legal actions", sorted(translated.values()), peer.legal_actions())
                allowed = superko.allowed(list(translated))
                for action in set(translated) - set(allowed):
                    _compare(game, moves, "superko", True, peer.child(translated[action]).is_terminal())
                action = allowed[int(rng.integers(len(allowed)))]
                _play(game, state, action)
                superko.play(action)
                peer.apply_action(translated[action])
                moves.append(action)
            _compare(game, moves, "outcome", self.outcome(game, state), peer.returns()[0])
            yield len(moves)


class _Superko:
    """What a game's superko allows, which the rules of a state do not know; all else where there is none."""

    def __init__(self, game: Game) -> None:
        self._game = game
        applies = game.repetition is not None and game.repetition.effect == "forbidden"
        self._position = Position(game) if applies else None

    def start(self) -> None:
        if self._position is not None:
            self._position.start(self._game.new_state())

    def allowed(self, actions: list[int]) -> list[int]:
        return actions if self._position is None else np.flatnonzero(self._position.mask).tolist()

    def play(self, action: int) -> None:
        if self._position is not None:
            self._position.play(action)


@kernel
def _look(game, state, actions):
    """Return the number of legal actions (-1: the game is over) and the player to move."""
    return (-1 if game.is_terminal(state) else game.legal_actions(state, actions)), game.player(state)


@kernel
def _play(game, state, action):
    game.play(state, action)


def _compare(game: Game, moves: list[int], what: str, ours: Any, theirs: Any) -> None:
    assert ours == theirs, f"{game.spec}, after {moves}: {what} {ours}, OpenSpiel has {theirs}"
