"""``plyground solve``: the result of perfect play from a position; and the opening book of Connect Four."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import MofNCompleteColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from ...agents.solver.agent import Progress, Solution, Solver
from ...agents.solver.connect_four.book import make_book
from ...agents.solver.connect_four.scores import BOOK
from ...envs import Game, State, make_game
from .options import GameArgument, Json, Moves, print_json
from .positions import PositionOption, position_data, read_moves, start_of

__all__ = ["in_a_line", "in_words", "solve"]

_out = Console()


def solve(
    game: GameArgument = "connect_four",
    moves: Moves = "",
    position: PositionOption = "",
    table_mb: Annotated[float | None, typer.Option(help="Megabytes of memory for the table.")] = None,
    book: Annotated[bool, typer.Option(help="Use the opening book of Connect Four.")] = True,
    make_book: Annotated[bool, typer.Option("--make-book", help="Make the opening book anew, and stop.")] = False,
    seconds: Annotated[
        float, typer.Option(min=0, help="Seconds that alpha-beta may take where memory is not enough; 0 for none.")
    ] = 60,
    plies: Annotated[int, typer.Option(help="Plies of the positions in the book to make.")] = 3,
    out: Annotated[Path, typer.Option(help="File of the book to make.")] = BOOK,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes that make the book; -1 for all cores.")] = 1,
    as_json: Json = False,
) -> None:
    """Solve a position: its value with best play, all best moves, and the line."""
    if make_book:
        if game != "connect_four":
            raise ValueError(f"there is a book of connect_four only, got {game!r}")
        _make_book(out, plies, table_mb or 128, jobs)
        return
    made = make_game(game)
    start = start_of(made, position)
    state = made.play_moves(read_moves(made, moves, start), start)
    solver = Solver(made, table_mb, book=book, seconds=seconds)
    solver.prepare()
    with Console(stderr=True).status("solving …") as status:
        solver.on_progress = lambda progress: status.update(in_a_line(progress))
        try:
            found = solver.solve(state)
        except MemoryError as error:
            raise ValueError(str(error)) from None
    if as_json:
        print_json({**position_data(made, state), **_data(made, found)})
        return
    _print(f"{made.text(state)}\n{in_words(made, state, found)}")
    if found.best_actions:
        known = "best moves that are known" if found.value > 0 and not found.complete else "best moves"
        _print(f"{known}: {_names(made, found.best_actions)}")
        if found.fastest_actions != found.best_actions:
            _print(f"{'soonest' if found.value > 0 else 'latest'} end: {_names(made, found.fastest_actions)}")
        _print(f"line: {_names(made, found.pv)}{'' if len(found.pv) == found.distance else ' …'}")
        _print(f"{found.nodes} positions in {found.seconds:.3f} s")


def in_a_line(progress: Progress) -> str:
    """Return how far a solver is, as in ``"alpha-beta, 9 plies, 1,200,000 positions, 512 MB"``."""
    ahead = f", {progress.depth} plies" if progress.depth else ""
    return f"{progress.way}{ahead}, {progress.positions:,} positions, {progress.megabytes:,.0f} MB"


def in_words(game: Game, state: State, found: Solution) -> str:
    """Return who wins and when, as in ``"player_0 to move: win in 7 plies"``, or ``"… draw without end"``."""
    result = "draw" if found.value == 0 else "win" if found.value > 0 else "loss"
    if abs(found.value) not in (0, 1):
        result += f" by {abs(found.value):g}"
    if found.distance is None:
        return f"{game.players[int(game.player(state))]} to move: {result}{' without end' if found.complete else ''}"
    if found.distance == 0:
        return f"the game is over: {result} of {game.players[int(game.player(state))]}" if found.value else "a draw"
    plies = f"{found.distance} {'ply' if found.distance == 1 else 'plies'}"
    return f"{game.players[int(game.player(state))]} to move: {result} in {plies}"


def _data(game: Game, found: Solution) -> dict[str, Any]:
    """Return a solution for JSON; values are those for the player to move."""
    return {
        "value": found.value,
        "distance": found.distance,
        "best_moves": [game.action_to_str(action) for action in found.best_actions],
        "fastest_moves": [game.action_to_str(action) for action in found.fastest_actions],
        "values": {game.action_to_str(action): value for action, value in found.values.items()},
        "distances": {game.action_to_str(action): plies for action, plies in found.distances.items()},
        "line": [game.action_to_str(action) for action in found.pv],
        "nodes": found.nodes,
        "seconds": found.seconds,
    }


def _make_book(path: Path, plies: int, table_mb: float, jobs: int) -> None:
    columns: Any = (
        *Bar.get_default_columns()[:2],
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("positions", total=None)
        for step in make_book(path, plies, table_mb=table_mb, jobs=jobs):
            progress.update(task, completed=step.done, total=step.total)
    _print(f"saved {path}, {path.stat().st_size} bytes")


def _names(game: Game, actions: tuple[int, ...]) -> str:
    return " ".join(map(game.action_to_str, actions))


def _print(text: str) -> None:
    _out.print(text, markup=False, highlight=False, soft_wrap=True)
