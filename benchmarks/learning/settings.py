"""The settings of AlphaZero as a table, with their sources: ``python -m benchmarks.learning.settings --write``.

Each is told once, in the metadata of its field; ``--write`` puts the table into docs/alphazero.md.
"""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Annotated, Any

import typer

from benchmarks.page import PAGE, markdown_table, write_section
from plyground.arena.cli.train import named_as_options, option_name
from plyground.arena.training.alphazero import AlphaZeroConfig
from plyground.arena.training.papers import PAPERS, cited
from plyground.arena.training.settings import default_of

SECTION, DOCUMENT = "settings", PAGE.with_name("alphazero.md")


def row_of(one: Field[Any]) -> tuple[str, str, str, str]:
    """Return the option, its default, what it does, and its source."""
    default = default_of(one) or ("off" if one.default is False else "")
    source = one.metadata["source"].replace("in docs/alphazero.md", "here")
    return f"`{option_name(one.name)}`", default, named_as_options(one.metadata["what"], one.name), source


def lines_of_page() -> list[str]:
    """Return the table, and below it the papers that it cites."""
    settings = [one for one in fields(AlphaZeroConfig) if one.name not in ("algorithm", "game")]
    names = {name for one in settings for name in cited(one.metadata["source"])}
    papers = [f"- {name}: {paper}" for name, paper in PAPERS.items() if name in names]
    table = markdown_table(("option", "default", "what it does", "source"), list(map(row_of, settings)), texts=4)
    return [*table, "", *papers]


def main(
    write: Annotated[bool, typer.Option("--write", help="Write the table into docs/alphazero.md.")] = False,
) -> None:
    """Print the table, or write it into its page."""
    lines = lines_of_page()
    if write:
        write_section(SECTION, lines, DOCUMENT)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    typer.run(main)
