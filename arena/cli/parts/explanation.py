"""What ``plyground explain`` shows: searches of small trees step by step, and exercises, as text, picture and JSON."""

from __future__ import annotations

from typing import Any

from ....agents.teaching.alphabeta_trace import trace_alphabeta
from ....agents.teaching.drawing import alphabeta_drawing, mcts_drawing
from ....agents.teaching.exercises import EXERCISES
from ....agents.teaching.mcts_trace import MCTSNode, MCTSTrace, trace_mcts
from ....agents.teaching.text import alphabeta_steps, alphabeta_summary, alphabeta_text, mcts_steps, mcts_text
from ....agents.teaching.trees import GameNode, TreeNode
from ....envs import make_game
from ....envs.outside.spec import nearest
from ....envs.render.drawing import Drawing
from ...grading.files import as_data
from ...openings import read_moves
from .positions import position_data, status_of

__all__ = ["Explanation", "of_exercise", "of_game", "of_tree"]

Explanation = tuple[str, Drawing, dict[str, Any]]  # as text, as a picture, and for JSON


def of_exercise(kind: str, seed: int, solution: bool) -> Explanation:
    """Return an exercise, with or without its solution.

    Raises:
        ValueError: there is no such kind; the message suggests the nearest.
    """
    if kind not in EXERCISES:
        raise ValueError(f"unknown exercise {kind!r}: {nearest(kind, EXERCISES)}")
    made = EXERCISES[kind](seed)
    data = {"kind": kind, "seed": seed, "question": made.question}
    if not solution:
        return made.question, made.question_drawing, data
    text = f"{made.question}\n\n{'-' * 40}\nSolution\n\n{made.solution}"
    return text, made.solution_drawing, {**data, "solution": made.solution}


def of_game(
    name: str,
    moves: str,
    depth: int | None,
    simulations: int | None,
    c: float,
    seed: int,
    pruning: bool,
    steps: bool,
) -> Explanation:
    """Return a search of a position, by alpha-beta, or by Monte Carlo tree search if ``simulations`` are given.

    Args:
        name: the game.
        moves: the moves that lead to the position, as people type them.
        depth: plies that alpha-beta looks ahead. Default: 2.
        simulations: simulations of Monte Carlo tree search.
        c: how much it explores.
        seed: the seed of its random rollouts.
        pruning: False searches by plain minimax.
        steps: whether the steps are listed.

    Raises:
        ValueError: a move is illegal, the game is over, or depth and simulations do not fit.
    """
    game = make_game(name)
    state = game.play_moves(read_moves(game, moves))
    if game.is_terminal(state):
        raise ValueError(f"the game of {game.name} is over, there is nothing to search:\n{game.text(state)}")
    board = f"{game.text(state)}\n{status_of(game, state)}\n\n"
    if simulations is None:
        depth = 2 if depth is None else depth
        if depth < 1:
            raise ValueError(f"--depth must be at least 1, got {depth}")
        text, drawing, data = of_tree(GameNode(game, state, depth), pruning, steps)
        return board + text, drawing, {**position_data(game, state), **data}
    if depth is not None:
        raise ValueError("give --depth for alpha-beta or --simulations for Monte Carlo tree search, not both")
    trace = trace_mcts(game, state, simulations, c=c, seed=seed)
    parts = [mcts_text(trace), *([mcts_steps(trace)] if steps else []), f"plays {trace.best.moves[-1]}, of most visits"]
    data = {**position_data(game, state), **_mcts_data(trace)}
    return board + "\n\n".join(parts), mcts_drawing(trace), data


def _mcts_data(trace: MCTSTrace) -> dict[str, Any]:
    """Return a recorded Monte Carlo tree search for JSON."""

    def node_data(node: MCTSNode) -> dict[str, Any]:
        children = [node_data(child) for child in node.children]
        return {"moves": node.moves, "visits": node.visits, "total": node.total, "children": children}

    best = trace.best.moves[-1]
    return {"c": trace.c, "best_move": best, "root": node_data(trace.root), "simulations": as_data(trace.simulations)}


def of_tree(root: TreeNode, pruning: bool, steps: bool) -> Explanation:
    """Return a search of a tree by alpha-beta, or by plain minimax.

    Args:
        root: the root of the tree.
        pruning: False searches by plain minimax.
        steps: whether the steps are listed.
    """
    trace = trace_alphabeta(root, pruning=pruning)
    parts = [alphabeta_text(trace), *([alphabeta_steps(trace)] if steps else []), alphabeta_summary(trace)]
    line = [node.move for node in trace.best_line]
    data = {"value": trace.value, "line": line, "leaves": [node.name for node in trace.leaves]}
    data |= {"pruned": [node.name for node in trace.pruned], "root": as_data(trace.root), "steps": as_data(trace.steps)}
    return "\n\n".join(parts), alphabeta_drawing(trace), data
