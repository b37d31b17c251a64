"""OpenSpiel's Monte Carlo tree search (C++) as a player in our loop. Needs ``open_spiel``.

Both searches are UCT, ``mean + c · sqrt(ln N / n)`` over utilities from -1 to 1, so one ``c`` is the same on both
sides; each adds one visited node a simulation, and plays the most visited move. What differs, by OpenSpiel 2.0:

* A visited child that ends the game scores its utility there, with no bonus for exploration, and is never tried again
  if it lost; at the root such a child also comes before or after all others. Ours treats it as any other child.
* With a single legal move its search ends after one simulation.
* Rollouts are uniform there. In Go ours fill no own eyes (`plyground.envs.games.go.game`), and OpenSpiel ends the game
  as a draw when a board comes again, where ours forbids the move.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from plyground.agents.agent import Info, Observation, mask_in, state_of
from plyground.agents.engines.following import moves_between
from plyground.envs import Game, State, as_game

__all__ = ["OpenSpielMCTS"]

MEMORY_MB = 1000  # for the tree: more than it takes


class OpenSpielMCTS:
    """OpenSpiel's ``MCTSBot`` with random rollouts and without its solver, for Connect Four, Othello and Go.

    OpenSpiel's states know their past, and ours do not: the bot follows the game, and finds the moves between the last
    position that it has seen and the one that it is shown.

    Args:
        game: the game, or its name.
        simulations: how many there are for each move.
        c: how much to explore, in the units of `plyground.agents.MCTS`.

    Raises:
        ValueError: the game is none of the three, or there are fewer than two simulations, the first of which only
            looks at the root.
        ModuleNotFoundError: OpenSpiel is not installed.
    """

    def __init__(self, game: Game | str, simulations: int = 1000, c: float = 1.4) -> None:
        if simulations < 2:
            raise ValueError(f"simulations must be at least 2, the first of which looks at the root, got {simulations}")
        self.game = as_game(game)
        self.simulations, self.c = simulations, c
        self.peer_spec = _peer_spec(self.game)
        self._spiel = import_module("pyspiel")
        self.reset(0)

    def reset(self, seed: int | None = None) -> None:
        """Start at the initial position. With a seed, start the random numbers anew; without, let them go on."""
        if seed is not None:
            spiel, (first, second) = self._spiel, np.random.SeedSequence(seed).generate_state(2) >> 1
            self._peer = spiel.load_game(self.peer_spec)
            evaluator = spiel.RandomRolloutEvaluator(1, int(first))
            self._bot = spiel.MCTSBot(
                self._peer, evaluator, self.c, self.simulations, MEMORY_MB, False, int(second), False
            )
        self.state = self.game.new_state()
        self.peer_state = self._peer.new_initial_state()

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the move that the bot would play, or the next best where superko forbids that, and count on it."""
        self.follow(state_of(self.game, observation, info))
        mask = mask_in(observation, info)
        numbers = {self._number(action): action for action in self.game.actions(self.state)}
        children = self._bot.mcts_search(self.peer_state).children
        allowed = [child for child in children if mask is None or mask[numbers[child.action]]]
        action = numbers[max(allowed, key=_final).action]
        self._play(action)
        return action

    def follow(self, target: State) -> None:
        """Play the moves that lead from the last position to ``target``, on both sides.

        Raises:
            ValueError: there are none.
        """
        for action in moves_between(self.game, self.state, target):
            self._play(action)

    def _play(self, action: int) -> None:
        self.peer_state.apply_action(self._number(action))
        self.game.play(self.state, action)

    def _number(self, action: int) -> int:
        """Return OpenSpiel's number of an action: it counts Go's points from the bottom left, others as we do."""
        if self.game.name != "go" or action == self.game.num_actions - 1:
            return action
        size = self.game.observation_shape[0]
        row, column = divmod(action, size)
        return (size - 1 - row) * size + column

    def __getstate__(self) -> dict[str, Any]:
        return {"game": self.game, "simulations": self.simulations, "c": self.c}

    def __setstate__(self, arguments: dict[str, Any]) -> None:
        self.__init__(**arguments)  # OpenSpiel's bots cannot be pickled: a copy starts anew


def _peer_spec(game: Game) -> str:
    if game.spec in ("connect_four", "othello"):
        return game.spec
    if game.name == "go":
        size, komi = game.observation_shape[0], game.parameters["komi"]
        return f"go(board_size={size},komi={komi},max_game_length={game.max_plies})"
    raise ValueError(f"OpenSpielMCTS plays connect_four, othello and go, got {game.spec}")


def _final(child: Any) -> tuple[float, int, float]:
    """Return what OpenSpiel orders the moves at the root by: the outcome where the game ends, visits, and reward."""
    return (child.outcome[child.player] if child.outcome else 0.0), child.explore_count, child.total_reward
