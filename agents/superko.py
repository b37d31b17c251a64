"""Positions that may not come again, inside search trees: for games that forbid repetitions, such as Go with superko.

A state does not know its past. Each node of a tree therefore has the key of its position, and a node gets no child
whose position is on the way to it, or was in the game before the root. What is played at the root is the caller's to
say. Rollouts do not look: their positions are too many, and the game bounds their length.

Environments tell the positions of the game, in ``info["past"]``. Where nobody does, an agent sees one for each of its
moves: as long as each follows from the last by its own move and an answer, it knows the game since it joined.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, State
from ..envs.jit import bind, helper, kernel
from ..envs.repetition import contains, exempt_of, filters_of

__all__ = [
    "Followed",
    "Superko",
    "forbids",
    "kept_past",
    "legal_below",
    "moved",
    "new_superko",
    "note",
    "with_past",
]


class Superko(NamedTuple):
    """What a tree must know of positions, beside its nodes."""

    key: NDArray[np.uint64]  # [nodes] the repetition key of each node that has children
    past: NDArray[np.uint64]  # [positions] those of the game before the root
    seen: NDArray[np.uint64]  # [1, words] their filter
    exempt: NDArray[np.bool_]  # [num_actions] actions that may lead to any position
    after: NDArray[np.uint64]  # [num_actions] scratch


def forbids(game: Game) -> bool:
    """Return whether the game forbids that a position comes again."""
    return game.repetition is not None and game.repetition.effect == "forbidden" and game.repetition.times == 2


def new_superko(game: Game, nodes: int) -> Superko:
    """Return room for so many nodes, and a game without a past."""
    none, after = np.zeros(0, np.uint64), np.zeros(game.num_actions, np.uint64)
    return with_past(Superko(np.zeros(nodes, np.uint64), none, none, exempt_of(game), after), None)


def with_past(superko: Superko, past: NDArray[np.uint64] | None) -> Superko:
    """Return the same with these positions before the root, or without any."""
    past = np.zeros(0, np.uint64) if past is None else past
    return superko._replace(past=past, seen=filters_of(past, np.array([past.size], np.int64))[0])


def kept_past(
    before: NDArray[np.uint64], way: NDArray[np.uint64], past: NDArray[np.uint64] | None
) -> NDArray[np.uint64] | None:
    """Return the positions before the root of a tree that goes on below a node, or None if the game is another one.

    What may be played in the tree was found out with the old root's past, and is right as long as the game has gone the
    way through the tree.

    Args:
        before: the keys of the positions before the old root.
        way: those of the nodes from there to the new one, both included.
        past: those of the positions before the new root, as the game tells them; None: they are those of the way.
    """
    known = np.union1d(before, way)
    if past is None:
        return known
    return past if np.array_equal(known, np.union1d(past, way[-1:])) else None


def moved(superko: Superko, origin: NDArray[np.int32], past: NDArray[np.uint64]) -> Superko:
    """Return what is to be known of a tree, with these positions before its root, whose nodes were ``origin`` here."""
    key = np.zeros_like(superko.key)
    key[: origin.size] = superko.key[origin]
    return with_past(superko._replace(key=key), past)


@helper
def legal_below(game: Any, state: Any, path: Any, length: int, superko: Any, actions: Any, look: Any) -> int:
    """Write the actions that may be played at a leaf, and return how many there are.

    Where each of them would bring a position back, which no game should let happen, all are written.

    Args:
        game: the game.
        state: the state at the leaf.
        path: the nodes on the way to it, from the root on.
        length: how many these are, without the leaf; 0 for the root, where all legal actions are written.
        superko: a `Superko`, or None where positions may come again.
        actions: [num_actions] is written to.
        look: [1] scratch.
    """
    if superko is None:
        return game.legal_actions(state, actions)
    legal = game.keys_after(state, actions, superko.after, look)
    if length == 0:
        return legal
    own, count = game.repetition_key(state), 0
    for i in range(legal):
        action, key = actions[i], superko.after[i]
        if superko.exempt[action] or (key != own and _is_new(path, length, superko, key)):
            actions[count] = action
            count += 1
    return count if count > 0 else legal


@helper
def _is_new(path: Any, length: int, superko: Any, key: Any) -> bool:
    """Return whether no position on the path, nor before it, has this key."""
    for i in range(length):
        if superko.key[path[i]] == key:
            return False
    return not contains(superko.past, superko.seen, key)


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
def _play(game, state, action, after, keys):
    """Write the position after an action into ``after`` [1], and the keys of both positions into ``keys`` [2]."""
    after[0] = state
    game.play(after[0], action)
    keys[0], keys[1] = game.repetition_key(state), game.repetition_key(after[0])


class Followed:
    """The positions of a game that an agent is told of, or sees, one for each of its moves.

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
        """Compile what `past` and `play` call, and what takes in a past."""
        game, state, actions = self._game, self._game.new_state(), np.zeros(self._game.num_actions, np.int32)
        bind(_is_answer, game, state, state, self._last, actions)
        bind(_play, game, state, 0, self._last, np.zeros(2, np.uint64))
        with_past(new_superko(game, 1), np.zeros(1, np.uint64))

    def past(self, state: State, told: NDArray[np.uint64] | None = None) -> NDArray[np.uint64] | None:
        """Return the keys of the positions before ``state``, as far as they are known; None: not at all.

        Args:
            state: the position.
            told: the keys of the positions that the game has had, as an environment tells them, if one does.
        """
        if told is not None:
            self._keys, self._is_known = told.tolist(), False
            return told
        scratch, actions = np.zeros(1, self._game.dtype), np.zeros(self._game.num_actions, np.int32)
        if not (self._is_known and _is_answer(self._game, self._last[0], state, scratch, actions)):
            self.forget()
            return None
        return np.array(self._keys, np.uint64)

    def play(self, state: State, action: int) -> None:
        """Remember ``state``, and what the agent plays there."""
        keys = np.zeros(2, np.uint64)
        _play(self._game, state, action, self._last, keys)
        self._keys += keys.tolist()
        self._is_known = True
