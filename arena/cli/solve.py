"""``plyground solve``: the result of perfect play from a position; and the opening book of Connect Four."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import MofNCompleteColumn, TimeElapsedColumn, TimeRemainingColumn

from ..bars import Bar, status
from ..lines import board_of, console, print_plain
from ..wording import counted, size_of
from .options import GameArgument, Json, Moves, PositionOption, print_json

__all__ = ["solve"]

_out = console()
_MODES = {
    "--make-book": ("plies", "out", "jobs"),
    "a position": ("moves", "position", "book", "seconds", "as_json"),
}


def solve(
    context: typer.Context,
    game: GameArgument = "connect_four",
    moves: Moves = "",
    position: PositionOption = "",
    table_mb: Annotated[float | None, typer.Option(help="Megabytes of memory for the table.")] = None,
    book: Annotated[bool, typer.Option(help="Use the opening book of Connect Four.")] = True,
    make_book: Annotated[bool, typer.Option("--make-book", help="Rebuild the opening book, then exit.")] = False,
    seconds: Annotated[
        float, typer.Option(min=0, help="Seconds that alpha-beta may take where memory is not enough; 0 for none.")
    ] = 60,
    plies: Annotated[int, typer.Option(help="Plies of the positions in the book to make.")] = 3,
    out: Annotated[Path | None, typer.Option(help="File of the book to make. Default: the package's own.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes that make the book; -1 for all cores.")] = 1,
    as_json: Json = False,
) -> None:
    """Solve a position: its value with best play, all best moves, and the line."""
    from .parts.modes import check_options

    check_options(context, "--make-book" if make_book else "a position", _MODES)
    if make_book:
        if game != "connect_four":
            raise ValueError(f"there is a book of connect_four only, got {game!r}")
        _make_book(out, plies, 128 if table_mb is None else table_mb, jobs)
        return
    from ...agents.solver.agent import Solver
    from ...envs import make_game
    from ..openings import read_moves
    from .parts.positions import position_data, start_of
    from .parts.solution import in_a_line, in_words, names_of, solution_data

    made = make_game(game)
    start = start_of(made, position)
    state = made.play_moves(read_moves(made, moves, start), start)
    solver = Solver(made, table_mb, book=book, seconds=seconds)
    solver.prepare()
    with status(console(stderr=True), "solving …") as tell:
        solver.on_progress = lambda progress: tell(in_a_line(progress))
        try:
            found = solver.solve(state)
        except MemoryError as error:
            raise ValueError(str(error)) from None
    if as_json:
        print_json({**position_data(made, state), **solution_data(made, state, found)})
        return
    print_plain(_out, board_of(f"{made.text(state)}\n{in_words(made, state, found)}"))
    if found.best_actions:
        known = "best moves that are known" if found.value > 0 and not found.complete else "best moves"
        _print(f"{known}: {names_of(made, state, found.best_actions)}")
        if found.fastest_actions != found.best_actions:
            _print(f"{'soonest' if found.value > 0 else 'latest'} end: {names_of(made, state, found.fastest_actions)}")
        is_whole = made.is_terminal(made.play_moves(found.pv, state))
        _print(f"line: {' '.join(made.line_names(found.pv, state))}{'' if is_whole else ' …'}")
        _print(f"{counted(found.nodes, 'position')} in {found.seconds:.3f} s")


def _make_book(out: Path | None, plies: int, table_mb: float, jobs: int) -> None:
    from ...agents.solver.connect_four.book import make_book
    from ...agents.solver.connect_four.scores import BOOK

    path = BOOK if out is None else out
    columns: Any = (
        *Bar.get_default_columns()[:2],
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console(stderr=True)) as progress:
        task = progress.add_task("positions", total=None)
        for step in make_book(path, plies, table_mb=table_mb, jobs=jobs):
            progress.update(task, completed=step.done, total=step.total)
    _print(f"saved {path}, {size_of(path.stat().st_size)}")


def _print(text: str) -> None:
    print_plain(_out, text)
