"""What options of alpha-beta are worth in chess and checkers: ``python -m benchmarks.strength.search_options``.

In chess each option is taken away from what the game has of its own; in checkers each is added to a quiescence search.
Nodes are those of searches of the same positions to the same depth, each from an empty table. Elo is that of a match at
equal time against the player without the option, in paired openings, with its 95 % interval. ``--write`` puts the
tables into docs/measurements.md, between its markers. Matches are for a machine on which nothing else runs: with
``--openings 0`` none are played, and the nodes, which hang on nothing else, are told alone. With ``--keep games.db`` a
run that was broken off goes on where it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.page import check_all, markdown_table, write_section
from benchmarks.strength.ablation import positions
from plyground.agents import AlphaBeta
from plyground.arena import match
from plyground.arena.ratings import elo_difference, pair_scores

WIDTH, SEED = 110, 0
HEAD = ("option", "nodes without", "nodes with", "×", "games", "Elo gained", "95 % interval")


class Study(NamedTuple):
    """A game, and the options that are looked at."""

    game: str
    depth: int
    base: dict[str, Any]  # of both players
    options: dict[str, tuple[dict[str, Any], dict[str, Any]]]  # by their names: with, and without


STUDIES = [
    Study(
        "chess",
        7,
        {},
        {
            "`captures`, `exchange_pruning`": ({}, {"captures": False, "exchange_pruning": False}),
            "`exchange_pruning`": ({}, {"exchange_pruning": False}),
            "`quiescence`": ({}, {"quiescence": 0}),
            "`delta`": ({}, {"delta": 0.0}),
            "`null_move`": ({}, {"null_move": 0}),
            "`null_margin`": ({}, {"null_margin": 0.0}),
            "`razoring`": ({}, {"razoring": 0.0}),
            "`quiet_exchange`": ({}, {"quiet_exchange": 0.0}),
            "`table_static`": ({}, {"table_static": False}),
            "`spare_checks`": ({}, {"spare_checks": False}),
            "`check_extensions=True`": ({"check_extensions": True}, {}),
            "`futility`": ({}, {"futility": 0.0}),
            "`singular=0.0065`": ({"singular": 0.0065}, {}),
            "`late_pruning`": ({}, {"late_pruning": 0}),
            "`lmr`, `deep_reductions`": ({}, {"lmr": 0}),
            "`deep_reductions`": ({}, {"deep_reductions": False}),
            "`internal_reductions`": ({}, {"internal_reductions": 0}),
            "`countermoves`": ({}, {"countermoves": False}),
            "`penalties`": ({}, {"penalties": False}),
            "`quiescence_table`": ({}, {"quiescence_table": False}),
            "`repetitions`": ({}, {"repetitions": False}),
            "`aspiration`": ({}, {"aspiration": 2.0}),
            "`unfinished`": ({}, {"unfinished": False}),
            "`deeper_entries`": ({}, {"deeper_entries": False}),
        },
    ),
    Study(
        "checkers",
        10,
        {"quiescence": 16},
        {
            "`captures=True`": ({"captures": True}, {}),
            "`countermoves=True`": ({"countermoves": True}, {}),
            "`delta=0.1`": ({"delta": 0.1}, {}),
            "`null_move=2`": ({"null_move": 2}, {}),
            "`check_extensions=True`": ({"check_extensions": True}, {}),
            "`futility=0.05`": ({"futility": 0.05}, {}),
            "`late_pruning=4`": ({"late_pruning": 4}, {}),
            "`lmr=3, deep_reductions=True`": ({"lmr": 3, "deep_reductions": True}, {}),
            "`repetitions=True`": ({"repetitions": True}, {}),
        },
    ),
]


def spec(options: dict[str, Any], seconds: float) -> str:
    """Return the spec of a player."""
    return f"alphabeta({', '.join(f'{name}={value!r}' for name, value in {'seconds': seconds, **options}.items())})"


def nodes(study: Study, options: dict[str, Any]) -> int:
    """Return how many nodes the searches of all positions visit."""
    agent, total = AlphaBeta(study.game, study.depth, **study.base, **options), 0
    for state in positions(study.game):
        agent.reset()
        total += agent.analyse(state).nodes
    return total


def row(study: Study, name: str, seconds: float, openings: int, keep: Path | None) -> tuple[str, ...]:
    """Measure one option."""
    with_it, without = study.options[name]
    visited = nodes(study, without), nodes(study, with_it)
    ratio = f"{visited[1] / visited[0]:.2f}"
    counted = name, f"{visited[0]:,}", f"{visited[1]:,}", ratio
    if openings == 0:
        return counted
    players = [spec({**study.base, **options}, seconds) for options in (with_it, without)]
    games = match(study.game, players, 2 * openings, SEED, store=keep, resume=keep is not None)
    found = elo_difference(pair_scores(games))
    interval = f"{found.low:+.0f} to {found.high:+.0f}"
    return *counted, str(found.games), f"{found.elo:+.0f}", interval


def main(
    only: Annotated[str, typer.Option(metavar="TEXT", help="Only rows with this text in 'game: option'.")] = "",
    seconds: Annotated[float, typer.Option(help="For each move.")] = 0.02,
    openings: Annotated[int, typer.Option(help="Of each match, each played from both sides; 0: no match.")] = 50,
    keep: Annotated[Path | None, typer.Option(dir_okay=False, help="A store of games, to go on with.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the tables into docs/measurements.md.")] = False,
) -> None:
    """Measure what each option is worth, in nodes and in Elo."""
    console, lines = Console(width=WIDTH), []
    wanted = [(study, [name for name in study.options if only in f"{study.game}: {name}"]) for study in STUDIES]
    if not any(chosen for _, chosen in wanted):
        raise typer.BadParameter(f"no option has {only!r} in its name", param_hint="--only")
    check_all(write, only, "options")
    for study, chosen in wanted:
        if not chosen:
            continue
        title = f"{study.game}, depth {study.depth}" + (f", and {seconds:g} s a move" if openings else "")
        head, rows = HEAD if openings else HEAD[:4], []
        for name in chosen:
            rows.append(row(study, name, seconds, openings, keep))
            console.print(*rows[-1], sep="  ", highlight=False)
        table = Table(*head, title=title, title_justify="left")
        for one in rows:
            table.add_row(*one)
        console.print(table)
        lines += [f"{title}:", "", *markdown_table(head, rows), ""]
    if write:
        write_section("search options", lines[:-1])


if __name__ == "__main__":
    typer.run(main)
