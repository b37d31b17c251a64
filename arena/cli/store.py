"""``plyground store``: which tournaments a file of games has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..lines import console, print_plain
from ..wording import counted, plain
from .options import Json, print_json

__all__ = ["store"]

_LEAST = 16  # cells of a title in a line: it has many words

_out = console()


def store(
    file: Annotated[
        Path,
        typer.Argument(
            help="A store, as matches and tournaments make it by --out games.db; games.db#2 for one tournament alone."
        ),
    ],
    check: Annotated[bool, typer.Option("--check", help="Verify each game against its checksum.")] = False,
    as_json: Json = False,
) -> None:
    """List the tournaments of a store of games, games.db."""
    from ..records.names import is_store, split_name
    from ..store import check_store, players_in, tournaments_in
    from ..tables import Parted

    if not is_store(file):
        raise ValueError(f"{file} is no store: expected a name that ends in .db")
    found = tournaments_in(file)
    file = split_name(file)[0]
    sound = check_store(file) if check else None
    if as_json:
        data: dict[str, Any] = {
            "file": str(file),
            "bytes": file.stat().st_size,
            "tournaments": [one._asdict() for one in found],
            "players": players_in(file),
        }
        print_json(data if sound is None else {**data, "sound": sound})
        return
    table = Parted(str(file), heads=2, least=_LEAST)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("tournament", overflow="fold")  # the only column that is broken where there is no room
    table.add_column("games", justify="right", no_wrap=True)
    for name in ("of these", "runs", "begun (UTC)"):
        table.add_column(name, no_wrap=True)
    for one in found:
        parts = [f"{games:,} {name}" for name, games in one.endings.items()]
        parts += [f"{one.analysed:,} analysed"] if one.analysed else []
        begun = (one.began or "")[:16].replace("T", "\n")
        cells = f"{one.games:,}", "\n".join(parts), str(one.runs or ""), begun
        table.add_row(str(one.number), plain(one.title), *cells)
    _out.print(table)
    if sound is not None:
        print_plain(_out, f"{counted(sound, 'game')}, each as it was when it was saved")
