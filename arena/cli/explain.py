"""``plyground explain``: searches of small trees step by step, and exercises on them with their solutions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..lines import board_of, console, print_plain
from .options import Json, print_json

__all__ = ["explain"]

_out = console()
_MODES = {
    "--tree": ("root", "pruning", "steps"),
    "--game": ("moves", "depth", "simulations", "c", "seed", "pruning", "steps"),
    "--exercise": ("kind", "seed", "solution"),
}
_SEARCHES = {"alpha-beta": ("pruning",), "--simulations": ("c", "seed")}  # of a game


def explain(
    context: typer.Context,
    tree: Annotated[
        str | None, typer.Option(help="Search a tree of leaf values, as in '((3 12 8) (2 ? ?) (14 5 2))'.")
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", "-g", help="Search a game, as in 'tictactoe', in place of a tree.")
    ] = None,
    exercise: Annotated[bool, typer.Option("--exercise", help="Make a random exercise.")] = False,
    kind: Annotated[str, typer.Option(help="Kind of the exercise: alphabeta or mcts.")] = "alphabeta",
    root: Annotated[str, typer.Option(help="The player at the root of a tree, max or min.")] = "max",
    moves: Annotated[str, typer.Option(help="Moves of the game that lead to the position.")] = "",
    depth: Annotated[int | None, typer.Option(help="Plies that alpha-beta looks ahead in a game. Default: 2.")] = None,
    simulations: Annotated[
        int | None, typer.Option(help="Simulations of Monte Carlo tree search in a game, in place of alpha-beta.")
    ] = None,
    c: Annotated[float, typer.Option(help="How much the simulations explore, in units of the largest utility.")] = 1.4,
    seed: Annotated[int, typer.Option(min=0, help="Seed of an exercise, or of the random rollouts.")] = 0,
    pruning: Annotated[bool, typer.Option(help="Prune by alpha-beta; --no-pruning searches by plain minimax.")] = True,
    steps: Annotated[bool, typer.Option(help="List the steps, one by one.")] = True,
    solution: Annotated[bool, typer.Option(help="Print the solution of an exercise.")] = True,
    size: Annotated[int, typer.Option(help="Pixels of the picture's longer side.")] = 1200,
    out: Annotated[Path | None, typer.Option(help="A .svg or .png file to draw the tree to.")] = None,
    as_json: Json = False,
) -> None:
    """Show a search of a small tree step by step, or make an exercise."""
    from ...agents.teaching.trees import ListedNode
    from ...envs.outside.arguments import checked_whole
    from ...envs.outside.files import check_writable
    from ...envs.render.drawing import PIXELS, picture_format
    from .parts.explanation import of_exercise, of_game, of_tree
    from .parts.modes import check_options

    if (tree is not None) + (game is not None) + exercise != 1:
        raise ValueError("give one of --tree, --game and --exercise, as in --tree '((3 12 8) (2 ? ?) (14 5 2))'")
    check_options(context, "--tree" if tree is not None else "--exercise" if exercise else "--game", _MODES)
    if game is not None:
        check_options(context, "alpha-beta" if simulations is None else "--simulations", _SEARCHES)
    check_options(context, "text" if out is None else "--out", {"--out": ("size",)})
    if out is not None:
        picture_format(out)
        check_writable(out)
        checked_whole("--size", size, *PIXELS)
    if exercise:
        text, drawing, data = of_exercise(kind, seed, solution)
    elif game is not None:
        text, drawing, data = of_game(game, moves, depth, simulations, c, seed, pruning, steps)
    else:
        assert tree is not None
        if root not in ("max", "min"):
            raise ValueError(f"--root must be max or min, got {root!r}")
        text, drawing, data = of_tree(ListedNode(tree, root == "max"), pruning, steps)
    if out is not None:
        drawing.save(out, size)
    if as_json:
        print_json(data)
        return
    print_plain(_out, board_of(text))
    if out is not None:
        print_plain(_out, f"saved {out}")
