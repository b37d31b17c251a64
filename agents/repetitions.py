"""Positions that come again, inside search trees: in games that forbid it, such as Go, or draw by it, such as chess.

A state does not know its past. Each node of a tree therefore has the key of its position.

Where repetitions are forbidden, a node gets no child whose position is on the way to it, or was in the game before the
root. What is played at the root is the caller's to say.

Where they draw, the rule is that of `plyground.agents.alphabeta.repeating`: a node whose position the way to it has had
below the root is drawn at once, and one of the game, the root included, when it stands on the board as often as the
rules say. Such a node ends its simulations with the value of a draw; it gets no children, and no evaluator is asked
about it. It proves nothing: the state may be worth something else after another past. Leaves are looked at each time
that they are reached, as what was below the root is of the game when the root has moved.

Rollouts do not look: their positions are too many, and the game bounds their length.

Environments tell the positions of the game, in ``info["past"]``. Where nobody does, and repetitions are forbidden, an
agent sees one for each of its moves: as long as each follows from the last by its own move and an answer, it knows the
game since it joined.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, State
from ..envs.jit import bind, helper, kernel
from ..envs.repetition import exempt_of, filters_of, times_among

__all__ = [
    "Followed",
    "Repeats",
    "are_watched",
    "compile_past",
    "forbids",
    "is_drawn",
    "kept_past",
    "legal_below",
    "mark_drawn",
    "moved",
    "new_repeats",
    "note",
    "per_node",
    "times_of",
    "with_past",
    "with_root",
]


class Repeats(NamedTuple):
    """What a tree must know of positions, beside its nodes."""

    key: NDArray[np.uint64]  # [nodes] the repetition key of each node that has children
    # [nodes] leaves whose visits were draws by repetition; None where repetitions do not draw, or others keep account
    drawn: NDArray[np.bool_] | None
    past: NDArray[np.uint64]  # [positions] those of the game before the root; the last may be the root itself
    seen: NDArray[np.uint64]  # [1, words] their filter
    exempt: NDArray[np.bool_]  # [num_actions] actions that may lead to any position
    after: NDArray[np.uint64]  # [num_actions] scratch; [0] where repetitions draw
    times: int | None  # times that a position of the game must stand on the board for a draw; None: it is forbidden


def forbids(game: Game) -> bool:
    """Return whether the game forbids that a position comes again."""
    return game.repetition is not None and game.repetition.effect == "forbidden" and game.repetition.times == 2


def times_of(game: Game) -> int:
    """Return how often a position must stand on the board for a draw; 0: repetitions do not draw this game."""
    repetition = game.repetition
    return repetition.times if repetition is not None and repetition.effect == "draw" else 0


def are_watched(game: Game, superko: bool, repetitions: bool) -> bool:
    """Return whether a tree with these options looks for positions that come again."""
    return (superko and forbids(game)) or (repetitions and times_of(game) > 0)


def new_repeats(game: Game, nodes: int) -> Repeats:
    """Return room for so many nodes, and a game without a past."""
    times = times_of(game) or None
    key, none = np.zeros(nodes, np.uint64), np.zeros(0, np.uint64)
    after = none if times else np.zeros(game.num_actions, np.uint64)
    drawn = None if times is None else np.zeros(nodes, np.bool_)
    return with_past(Repeats(key, drawn, none, none, exempt_of(game), after, times), None)


def with_past(repeats: Repeats, past: NDArray[np.uint64] | None) -> Repeats:
    """Return the same with these positions before the root, or without any."""
    past = np.zeros(0, np.uint64) if past is None else past
    return repeats._replace(past=past, seen=filters_of(past, np.array([past.size], np.int64))[0])


def compile_past(game: Game) -> None:
    """Compile what takes in a past."""
    with_past(new_repeats(game, 1), np.zeros(1, np.uint64))


def kept_past(
    game: Game, before: NDArray[np.uint64], way: NDArray[np.uint64], past: NDArray[np.uint64] | None
) -> NDArray[np.uint64] | None:
    """Return the positions before the root of a tree that goes on below a node, or None if the game is another one.

    What was found in the tree was found with the old root's past, and is right as long as the game has gone the way
    through the tree. Where a position may not come again, their order does not matter.

    Args:
        game: the game.
        before: the keys of the positions before the old root; the last may be the root itself.
        way: those of the nodes from there to the new one, both included.
        past: those of the positions before the new root, as the game tells them; None: they are those of the way.
    """
    if forbids(game):
        known = np.union1d(before, way)
        is_same = past is None or np.array_equal(known, np.union1d(past, way[-1:]))
    else:
        known = np.concatenate([with_root(before, way[0]), way[1:]])
        is_same = past is None or _agree(game, known, with_root(past, way[-1]))
    return (known if past is None else past) if is_same else None


def with_root(past: NDArray[np.uint64], root: np.uint64) -> NDArray[np.uint64]:
    """Return the positions of a game until the root, which may be the last of its past already."""
    return past if past.size and past[-1] == root else np.append(past, root)


def _agree(game: Game, *pasts: NDArray[np.uint64]) -> bool:
    """Return whether pasts are the same, as far back as a position can come again: environments tell no more."""
    assert game.repetition is not None
    memory = game.repetition.memory
    one, other = (past if memory is None else past[-memory - 1 :] for past in pasts)
    return np.array_equal(one, other)


def per_node(repeats: Repeats | None) -> dict[str, NDArray[Any]]:
    """Return, by their names, the arrays with an element for each node."""
    if repeats is None:
        return {}
    return {"key": repeats.key} if repeats.drawn is None else {"key": repeats.key, "drawn": repeats.drawn}


def moved(repeats: Repeats, origin: NDArray[np.int32], past: NDArray[np.uint64]) -> Repeats:
    """Return what is to be known of a tree, with these positions before its root, whose nodes were ``origin`` here."""
    new = {name: np.zeros_like(array) for name, array in per_node(repeats).items()}
    for name, array in per_node(repeats).items():
        new[name][: origin.size] = array[origin]
    return with_past(repeats._replace(**new), past)


@helper
def legal_below(game: Any, state: Any, path: Any, length: int, repeats: Any, actions: Any, look: Any) -> int:
    """Write the actions that may be played at a leaf, and return how many there are.

    Where each of them would bring a position back, which no game should let happen, all are written.

    Args:
        game: the game.
        state: the state at the leaf.
        path: the nodes on the way to it, from the root on.
        length: how many these are, without the leaf; 0 for the root, where all legal actions are written.
        repeats: a `Repeats`, or None where it does not matter that a position comes again.
        actions: [num_actions] is written to.
        look: [1] scratch.
    """
    if repeats is None:
        return game.legal_actions(state, actions)
    return _not_forbidden(game, state, path, length, repeats, repeats.times, actions, look)


@helper
def _not_forbidden(
    game: Any, state: Any, path: Any, length: int, repeats: Any, times: Any, actions: Any, look: Any
) -> int:
    if times is not None:
        return game.legal_actions(state, actions)
    legal = game.keys_after(state, actions, repeats.after, look)
    if length == 0:
        return legal
    own, count = game.repetition_key(state), 0
    for i in range(legal):
        action, key = actions[i], repeats.after[i]
        if repeats.exempt[action] or (key != own and _is_new(path, length, repeats, key)):
            actions[count] = action
            count += 1
    return count if count > 0 else legal


@helper
def _is_new(path: Any, length: int, repeats: Any, key: Any) -> bool:
    """Return whether no position on the path, nor before it, has this key."""
    for i in range(length):
        if repeats.key[path[i]] == key:
            return False
    return times_among(repeats.past, repeats.seen, key) == 0


@helper
def is_drawn(game: Any, state: Any, path: Any, length: int, repeats: Any) -> bool:
    """Return whether a leaf, which is not finished, is drawn because its position stands there once more.

    Args:
        game: the game.
        state: the state at the leaf.
        path: the nodes on the way to it, from the root on.
        length: how many these are, without the leaf; 0 for the root, which is never drawn.
        repeats: a `Repeats`, or None where it does not matter that a position comes again.
    """
    if repeats is None:
        return False
    return _stands_again(game, state, path, length, repeats, repeats.times)


@helper
def _stands_again(game: Any, state: Any, path: Any, length: int, repeats: Any, times: Any) -> bool:
    if times is None or length == 0:
        return False
    key = game.repetition_key(state)
    for i in range(1, length):
        if repeats.key[path[i]] == key:
            return True
    past, root = repeats.past, repeats.key[0]
    in_game = times_among(past, repeats.seen, key)
    if key == root and (past.size == 0 or past[past.size - 1] != root):
        in_game += 1
    return in_game + 1 >= times


@helper
def mark_drawn(tree: Any, path: Any, length: int, repeats: Any, drawn: bool) -> bool:
    """Note whether the leaf that is the last of the ``length`` nodes on a path is drawn by repetition.

    A leaf that was, and is no longer, begins anew: its visits, whose values sum to 0, leave the tree. Return whether
    this one does.
    """
    if repeats is None:
        return False
    return _mark_drawn(tree, path, length, repeats.drawn, drawn)


@helper
def _mark_drawn(tree: Any, path: Any, length: int, marks: Any, drawn: bool) -> bool:
    if marks is None:
        return False
    leaf = path[length - 1]
    visits = tree.visits[leaf]
    begins_anew = visits > 0 and marks[leaf] and not drawn
    if begins_anew:
        for i in range(length):
            tree.visits[path[i]] -= visits
    marks[leaf] = drawn
    return begins_anew


@helper
def note(game: Any, node: Any, state: Any, repeats: Any) -> None:
    """Remember the position at a node."""
    if repeats is not None:
        repeats.key[node] = game.repetition_key(state)


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
        game.play(states[0], np.int64(actions[i]))
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
        """Compile what `past` and `play` call."""
        game, state, actions = self._game, self._game.new_state(), np.zeros(self._game.num_actions, np.int32)
        bind(_is_answer, game, state, state, self._last, actions)
        bind(_play, game, state, 0, self._last, np.zeros(2, np.uint64))

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
