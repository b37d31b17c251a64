"""Positions that may not come again, inside the tree: for games that forbid repetitions, such as Go with superko.

A state does not know its past. Each node of the tree therefore has the key of its position, and a node gets no child
whose position is on the way to it, or was in the game before the root. Rollouts do not look: their positions are too
many, and the game bounds their length.

The agent sees one position for each of its moves. As long as each follows from the last by its own move and an answer,
it knows the game since it joined.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ...envs.jit import bind, helper, kernel

__all__ = ["Followed", "Superko", "forbids", "legal_below", "new_superko", "note"]


class Superko(NamedTuple):
    """What the tree must know of positions, beside `Tree`."""

    key: NDArray[np.uint64]  # [nodes] the repetition key of each visited node
    past: NDArray[np.uint64]  # [positions] those of the game before the root
    exempt: NDArray[np.bool_]  # [num_actions] actions that may lead to any position
    after: NDArray[np.uint64]  # [num_actions] scratch


def forbids(game: Game) -> bool:
    """Return whether the game forbids that a position comes again."""
    return game.repetition is not None and game.repetition.effect == "forbidden" and game.repetition.times == 2


def new_superko(game: Game, nodes: int) -> Superko:
    """Return room for so many nodes, and a game without a past."""
    assert game.repetition is not None
    exempt = np.zeros(game.num_actions, np.bool_)
    exempt[list(game.repetition.exempt)] = True
    none = np.zeros(0, np.uint64)
    return Superko(np.zeros(nodes, np.uint64), none, exempt, np.zeros(game.num_actions, np.uint64))


@helper
def legal_below(game: Any, tree: Any, length: int, state: Any, superko: Any, actions: Any, look: Any) -> int:
    """Write the actions that are legal at the end of the path, where ``state`` is, and return how many there are.

    Args:
        game: the game.
        tree: the `Tree`.
        length: the number of nodes on the path.
        state: the state at its end.
        superko: a `Superko`, or None where all legal actions may be played.
        actions: [num_actions] is written to.
        look: [1] scratch.
    """
    if superko is None:
        return game.legal_actions(state, actions)
    count = 0
    for i in range(game.keys_after(state, actions, superko.after, look)):
        action, key = actions[i], superko.after[i]
        if superko.exempt[action] or is_new(tree, length, superko, key):
            actions[count] = action
            count += 1
    return count


@helper
def is_new(tree: Any, length: int, superko: Any, key: Any) -> bool:
    """Return whether no position on the path, nor before it, has this key."""
    for i in range(length):
        if superko.key[tree.path[i]] == key:
            return False
    found = 0
    for i in range(superko.past.size):
        found += superko.past[i] == key
    return found == 0


@helper
def note(game: Any, node: Any, state: Any, superko: Any) -> None:
    """Remember the position at a node."""
    if superko is not None:
        superko.key[node] = game.repetition_key(state)


@kernel
def _is_answer(game, before, after, states, actions):
    """Return whether ``after`` is ``before``, or follows from it by one action."""
    key = game.key(after)
    if game.key(before) == key:
        return True
    if game.is_terminal(before):
        return False
    for i in range(game.legal_actions(before, actions)):
        states[0] = before
        game.play(states[0], actions[i])
        if game.key(states[0]) == key:
            return True
    return False


@kernel
def _repetition_key(game, state):
    return game.repetition_key(state)


@kernel
def _play(game, state, action):
    game.play(state, action)


class Followed:
    """The positions of a game as an agent sees it, one for each of its moves.

    Args:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._keys: list[int] = []
        self._last = np.zeros(1, game.dtype)  # the position after the agent's last move
        self._is_known = False

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_keys": [], "_is_known": False}

    def forget(self) -> None:
        """Know nothing of what was before the next position."""
        self._keys, self._is_known = [], False

    def compile(self) -> None:
        """Compile what `past` and `play` call."""
        game, state, actions = self._game, self._game.new_state(), np.zeros(self._game.num_actions, np.int32)
        bind(_is_answer, game, state, state, self._last, actions)
        bind(_repetition_key, game, state)
        bind(_play, game, state, 0)

    def past(self, state: State) -> NDArray[np.uint64]:
        """Return the keys of the positions before ``state`` that are known to be of the same game."""
        scratch, actions = np.zeros(1, self._game.dtype), np.zeros(self._game.num_actions, np.int32)
        if not (self._is_known and _is_answer(self._game, self._last[0], state, scratch, actions)):
            self.forget()
        return np.array(self._keys, np.uint64)

    def play(self, state: State, action: int) -> None:
        """Remember ``state``, and what the agent plays there."""
        self._keys.append(int(_repetition_key(self._game, state)))
        self._last[0] = state
        _play(self._game, self._last[0], action)
        self._keys.append(int(_repetition_key(self._game, self._last[0])))
        self._is_known = True
