"""Us and the peers, side by side in one run: ``python -m benchmarks.speed.run``, several minutes.

The rates are of one thread, the best of a few rounds; the ratio is what should be seen on other machines too. A peer
that is not installed is left out, and so is a row for which our own side lacks a library, which is said below the table
(``pip install '.[bench]'`` installs all).
"""

from __future__ import annotations

import json
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.speed.harness import Result, describe_machine, measure
from benchmarks.speed.measurements import MEASUREMENTS

FULL = {"rounds": 5, "seconds": 0.8}
QUICK = {"rounds": 3, "seconds": 0.3}
WIDTH = 110  # columns that the table needs; a file or a pipe has no width of its own


def main(
    json_file: Annotated[
        Path | None, typer.Option("--json", dir_okay=False, writable=True, help="Write the results to this file too.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter rounds: noisier, in a third of the time.")] = False,
    only: Annotated[
        str,
        typer.Option(metavar="TEXT", help="Measure only those with this text in game or measurement: 'go 9', 'uct'."),
    ] = "",
) -> None:
    """Measure plyground against its peers, side by side, and print one table."""
    chosen = [one for one in MEASUREMENTS if only.lower() in f"{one.game}: {one.name}".lower()]
    if not chosen:
        known = "".join(f"\n  {one.game}: {one.name}" for one in MEASUREMENTS)
        raise typer.BadParameter(f"no measurement has {only!r} in its name; there are:{known}", param_hint="--only")
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    settings = QUICK if quick else FULL
    machine = describe_machine()
    results: list[Result] = []
    lacking: list[str] = []
    with console.status("") as status:
        for measurement in chosen:
            status.update(f"Measuring {measurement.game}: {measurement.name}, against {measurement.peer_name} …")
            try:
                results.append(measure(measurement, int(settings["rounds"]), settings["seconds"]))
            except ImportError as error:
                lacking.append(f"without {measurement.game}: {measurement.name}: {error}")
    console.print(table(results))
    for line in lacking:
        console.print(line, markup=False, highlight=False)
    versions = ", ".join(f"{name} {version}" for name, version in machine.items() if name != "cpu" and version)
    console.print(f"{machine['cpu']}\n{versions}", highlight=False)
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(report(results, machine, settings), indent=2) + "\n")
        console.print(f"Written to {json_file}", highlight=False)


def table(results: list[Result]) -> Table:
    out = Table(title="Rates of one thread", box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1, 0, 0))
    for column in ("measurement", "unit", "against"):
        out.add_column(column, no_wrap=True)
    for column in ("ours", "peer", "ratio", "aim"):
        out.add_column(column, justify="right", no_wrap=True)
    game = ""
    for result in results:
        what = result.measurement
        if what.game != game:
            game = what.game
            out.add_section()
            out.add_row(f"[bold]{game}")
        aim = "-" if what.aim is None else f"≥ {what.aim:g}×"
        if result.peer_rate is None or result.ratio is None:
            theirs, ratio = "not installed", "-"
        else:
            theirs = short(result.peer_rate)
            colour = "default" if what.aim is None else "green" if result.ratio >= what.aim else "red"
            ratio = f"[{colour}]{result.ratio:.{1 if result.ratio >= 1.95 else 2}f}×"
        out.add_row(f"  {what.name}", what.unit, what.peer_name, short(result.our_rate), theirs, ratio, aim)
    return out


def short(rate: float) -> str:
    """Write a rate with three digits, as in 2.47 M or 135 k."""
    for factor, suffix in ((1e6, " M"), (1e3, " k")):
        if rate >= factor:
            scaled = rate / factor
            return f"{scaled:.{max(0, 3 - len(str(int(scaled))))}f}{suffix}"
    return f"{rate:.3g}"


def report(results: list[Result], machine: dict[str, str | None], settings: dict[str, float]) -> dict[str, Any]:
    """Return everything that was measured, for `json`. Rates are in units per second."""
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": machine,
        "settings": settings,
        "results": [
            {
                "game": result.measurement.game,
                "measurement": result.measurement.name,
                "unit": result.measurement.unit,
                "peer": result.measurement.peer_name,
                "our_rate": result.our_rate,
                "peer_rate": result.peer_rate,
                "ratio": result.ratio,
                "aim": result.measurement.aim,
                "our_rounds": result.ours,
                "peer_rounds": result.theirs,
            }
            for result in results
        ],
    }


if __name__ == "__main__":
    typer.run(main)
