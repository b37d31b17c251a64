"""``plyground explain``: searches of small trees step by step, and exercises on them with their solutions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ...agents.teaching.alphabeta_trace import trace_alphabeta
from ...agents.teaching.drawing import alphabeta_drawing, mcts_drawing
from ...agents.teaching.exercises import EXERCISES
from ...agents.teaching.mcts_trace import MCTSNode, MCTSTrace, trace_mcts
from ...agents.teaching.text import alphabeta_steps, alphabeta_summary, alphabeta_text, mcts_steps, mcts_text
from ...agents.teaching.trees import GameNode, ListedNode, TreeNode
from ...envs import make_game
from ...envs.outside.files import check_writable
from ...envs.outside.spec import nearest
from ...envs.render.drawing import Drawing, picture_format
from ..grading.files import as_data
from .options import Json, print_json
from .positions import position_data, read_moves

__all__ = ["explain"]

_out = Console()


def explain(
    tree: Annotated[
        str | None, typer.Option(help="Search a tree of leaf values, as in '((3 12 8) (2 ? ?) (14 5 2))'.")
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", "-g", help="Search a game, as in 'tictactoe', in place of a tree.")
    ] = None,
    exercise: Annotated[bool, typer.Option("--exercise", help="Make a random exercise.")] = False,
    kind: Annotated[str, typer.Option(help=f"Kind of the exercise: {' or '.join(EXERCISES)}.")] = "alphabeta",
    root: Annotated[str, typer.Option(help="The player at the root of a tree, max or min.")] = "max",
    moves: Annotated[str, typer.Option(help="Moves of the game that lead to the position.")] = "",
    depth: Annotated[int | None, typer.Option(help="Plies that alpha-beta looks ahead in a game. Default: 2.")] = None,
    simulations: Annotated[
        int | None, typer.Option(help="Simulations of Monte Carlo tree search in a game, in place of alpha-beta.")
    ] = None,
    c: Annotated[float, typer.Option(help="How much Monte Carlo tree search explores.")] = 1.4,
    seed: Annotated[int, typer.Option(min=0, help="Seed of an exercise, or of the random rollouts.")] = 0,
    pruning: Annotated[bool, typer.Option(help="Prune by alpha-beta; --no-pruning searches by plain minimax.")] = True,
    steps: Annotated[bool, typer.Option(help="List the steps, one by one.")] = True,
    solution: Annotated[bool, typer.Option(help="Print the solution of an exercise.")] = True,
    size: Annotated[int, typer.Option(help="Pixels of the picture's longer side.")] = 1200,
    out: Annotated[Path | None, typer.Option(help="A .svg or .png file to draw the tree to.")] = None,
    as_json: Json = False,
) -> None:
    """Show a search of a small tree step by step, or make an exercise."""
    if (tree is not None) + (game is not None) + exercise != 1:
        raise ValueError("give one of --tree, --game and --exercise, as in --tree '((3 12 8) (2 ? ?) (14 5 2))'")
    if out is not None:
        picture_format(out)
        check_writable(out)
    if exercise:
        text, drawing, data = _exercise(kind, seed, solution)
    elif game is not None:
        text, drawing, data = _game(game, moves, depth, simulations, c, seed, pruning, steps)
    else:
        assert tree is not None
        if root not in ("max", "min"):
            raise ValueError(f"--root must be max or min, got {root!r}")
        text, drawing, data = _alphabeta(ListedNode(tree, root == "max"), pruning, steps)
    if out is not None:
        drawing.save(out, size)
    if as_json:
        print_json(data)
        return
    _out.print(text, markup=False, highlight=False, soft_wrap=True)
    if out is not None:
        _out.print(f"saved {out}", markup=False, highlight=False, soft_wrap=True)


def _exercise(kind: str, seed: int, solution: bool) -> tuple[str, Drawing, dict[str, Any]]:
    if kind not in EXERCISES:
        raise ValueError(f"unknown exercise {kind!r}: {nearest(kind, EXERCISES)}")
    made = EXERCISES[kind](seed)
    data = {"kind": kind, "seed": seed, "question": made.question}
    if not solution:
        return made.question, made.question_drawing, data
    text = f"{made.question}\n\n{'-' * 40}\nSolution\n\n{made.solution}"
    return text, made.solution_drawing, {**data, "solution": made.solution}


def _game(
    name: str,
    moves: str,
    depth: int | None,
    simulations: int | None,
    c: float,
    seed: int,
    pruning: bool,
    steps: bool,
) -> tuple[str, Drawing, dict[str, Any]]:
    game = make_game(name)
    state = game.play_moves(read_moves(game, moves))
    if game.is_terminal(state):
        raise ValueError(f"the game of {game.name} is over, there is nothing to search:\n{game.text(state)}")
    board = f"{game.text(state)}\n{game.players[int(game.player(state))]} to move\n\n"
    if simulations is None:
        depth = 2 if depth is None else depth
        if depth < 1:
            raise ValueError(f"--depth must be at least 1, got {depth}")
        text, drawing, data = _alphabeta(GameNode(game, state, depth), pruning, steps)
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


def _alphabeta(root: TreeNode, pruning: bool, steps: bool) -> tuple[str, Drawing, dict[str, Any]]:
    trace = trace_alphabeta(root, pruning=pruning)
    parts = [alphabeta_text(trace), *([alphabeta_steps(trace)] if steps else []), alphabeta_summary(trace)]
    line = [node.move for node in trace.best_line]
    data = {"value": trace.value, "line": line, "leaves": [node.name for node in trace.leaves]}
    data |= {"pruned": [node.name for node in trace.pruned], "root": as_data(trace.root), "steps": as_data(trace.steps)}
    return "\n\n".join(parts), alphabeta_drawing(trace), data
