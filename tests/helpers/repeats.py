"""What tests of repetitions share: a game that forbids them or ends by them, games in progress, looks into trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plyground.envs import Game, Repetition, state_dtype
from plyground.envs.jit.bits import scattered
from plyground.envs.position import Position
from plyground.envs.repetition import keys_of

__all__ = ["REST", "allowed", "circle", "edges_of", "in_progress", "nodes_of", "past_of", "random_lines", "wrong_nodes"]

FIELDS, PLIES, REST = 9, 12, 4
Children = Callable[[int], list[tuple[int, int]]]  # the actions at a node of a tree, and the nodes they lead to, or -1


def circle(exempt: tuple[int, ...] = (REST,), draw: int = 0, plies: int = PLIES) -> Game:
    """Return a game in which both players walk one token round nine fields, and may step on no field a second time.

    They take one or two steps, forwards or backwards, or rest, which is always allowed. Where the token stands after
    so many ``plies`` says who wins. Or the game is drawn when the token stands on a field so many times, ``draw``. How
    many plies there are stands in the state, so that games of all lengths share compiled code.
    """
    steps, worth = np.array([1, -1, 2, -2, 0]), np.array([0, 1, -1, 1, -1, 0, 1, -1, 0])

    def setup(state: Any) -> None:
        state.last = plies

    def legal_actions(state: Any, actions: Any) -> int:
        for i in range(5):
            actions[i] = i
        return 5

    def play(state: Any, action: int) -> None:
        state.spot = (state.spot + steps[action]) % FIELDS
        state.ply += 1

    def observe(state: Any, player: int, planes: Any) -> None:
        for i in range(FIELDS):
            planes[0, i, 0] = state.spot == i
            planes[0, i, 1] = player

    return Game(
        name="circle",
        state=state_dtype(spot="i4", ply="i4", last="i4"),
        num_actions=5,
        max_plies=plies,
        observation_shape=(1, FIELDS, 2),
        setup=setup,
        player=lambda state: state.ply & 1,
        legal_actions=legal_actions,
        play=play,
        is_terminal=lambda state: state.ply == state.last,
        utility=lambda state, player: float(worth[state.spot] if player == 0 else -worth[state.spot]),
        observe=observe,
        repetition_key=lambda state: scattered(np.uint64(state.spot + 1)),
        repetition=Repetition("draw", times=draw) if draw else Repetition("forbidden", exempt=exempt),
    )


def in_progress(game: Game, lines: Sequence[Sequence[int]]) -> list[Position]:
    """Return games after these lines of moves, which may be played on."""
    positions = [Position(game) for _ in lines]
    for position, moves in zip(positions, lines, strict=True):
        position.start(game.new_state())
        for action in moves:
            assert position.mask[action]
            position.play(action)
    return positions


def random_lines(game: Game, count: int, plies: int, seed: int = 0) -> list[list[int]]:
    """Return lines of up to so many random moves, after which games go on; no move is exempt where another is left."""
    rng, lines = np.random.default_rng(seed), list[list[int]]()
    assert game.repetition is not None
    while len(lines) < count:
        position, moves = in_progress(game, [[]])[0], list[int]()
        for _ in range(int(rng.integers(plies + 1))):
            legal = np.flatnonzero(position.mask)
            others = np.setdiff1d(legal, game.repetition.exempt)
            moves.append(int(rng.choice(others if others.size else legal)))
            position.play(moves[-1])
            if position.over:
                break
        if not position.over:
            lines.append(moves)
    return lines


def past_of(position: Position) -> NDArray[np.uint64]:
    """Return the keys of the positions that a game has had."""
    assert position.past is not None
    return keys_of(position.past, 0, position.plies)


def key_of(game: Game, state: Any) -> int:
    return int(game.repetition_key(state))


def allowed(game: Game, state: Any, seen: set[int]) -> list[int]:
    """Return the actions that bring none of these positions back, or may bring back any; all if there are none."""
    assert game.repetition is not None
    found = []
    for action in game.actions(state):
        after = state.copy()
        game.play(after, action)
        if action in game.repetition.exempt or key_of(game, after) not in seen | {key_of(game, state)}:
            found.append(action)
    return found or game.actions(state)


def nodes_of(tree: Any) -> Children:
    """Return what looks into a tree of `MCTS` or `PUCT`."""

    def children(node: int) -> list[tuple[int, int]]:
        first = int(tree.first_child[node])
        return [(int(tree.action[child]), child) for child in range(first, first + int(tree.child_count[node]))]

    return children


def edges_of(trees: Any, row: int) -> Children:
    """Return what looks into a tree of a forest."""

    def children(node: int) -> list[tuple[int, int]]:
        if node < 0:
            return []
        first, count = (int(trees.nodes[name][row, node]) for name in ("first", "count"))
        edges = trees.edges[row, first : first + count]
        return list(zip(edges["action"].tolist(), edges["child"].tolist(), strict=True))

    return children


def wrong_nodes(game: Game, root: Any, children: Children, past: set[int]) -> int:
    """Return how many nodes below the root have other actions than those that may be played there.

    Args:
        game: the game.
        root: the state at the root.
        children: what looks into the tree.
        past: the keys of the positions before the root.
    """
    count, queue = 0, [(0, root.copy(), past)]
    while queue:
        node, state, before = queue.pop()
        if not (found := children(node)):
            continue
        if node > 0:
            count += {action for action, _ in found} != set(allowed(game, state, before))
        seen = before | {key_of(game, state)}
        for action, child in found:
            after = state.copy()
            game.play(after, action)
            queue.append((child, after, seen))
    return count
