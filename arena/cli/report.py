"""``plyground report``: games and their results as one page for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ..lines import console, print_plain
from ..wording import counted, size_of
from .options import GamesFile

__all__ = ["report"]

_out = console()


def report(
    file: GamesFile,
    out: Annotated[Path, typer.Option(help="The page to write; an earlier page of that name is replaced.")] = Path(
        "report.html"
    ),
    game: Annotated[
        str | None, typer.Option("--game", "-g", help="The game to report on, where the file has several.")
    ] = None,
    title: Annotated[str, typer.Option(help="The heading. Default: the game and how many games there are.")] = "",
    blunders: Annotated[
        float, typer.Option(min=0, help="Seconds of exact solving, to find the worst moves; 0 for none.")
    ] = 20,
    megabytes: Annotated[
        float,
        typer.Option(
            min=0, help="Room for games that can be stepped through, inf for all; the page says what is left out."
        ),
    ] = 4,
) -> None:
    """Write games and their results as one page for a browser, which needs no server."""
    from ...envs.outside.spec import nearest, same_spec
    from ..formats import read_games
    from ..report.page import check_page, write_report

    check_page(out)
    with console(stderr=True).status(Text(f"reading {file.name} …")):
        records = list(read_games(file))
    if game is not None:
        found = {record.game for record in records}
        chosen = {one for one in found if any(same_spec(one, name) for name in _names_of(game))}
        if not chosen:
            raise ValueError(f"{file} has no games of {game!r}: {nearest(game, found)}")
        records = [record for record in records if record.game in chosen]
    with console(stderr=True).status(Text(f"writing {out.name} …")):
        write_report(out, records, title=title, blunder_seconds=blunders, games_bytes=1e6 * megabytes)
    print_plain(_out, f"saved {out}, {counted(len(records), 'game')}, {size_of(out.stat().st_size)}")


def _names_of(game: str) -> list[str]:
    """Return what records may call the game that a user names, as ``go_9x9``, which they call by its arguments."""
    from ...envs import make_game

    try:
        return [game, make_game(game).source, make_game(game).spec]
    except (ValueError, OSError, ImportError):  # a game of others, of which there may be no rules here
        return [game]
