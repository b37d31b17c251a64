"""What the parts of AlphaZero are worth at equal time: ``python -m benchmarks.learning.ablation``, over two hours.

Each setting differs from the defaults in what its name says: where it takes another part away with it, the name says
so, and there is a row without that part alone. The defaults are those of most boards, with the net `small`; with
``--own`` they are those of Connect Four itself, whose net has windows. Each trains on Connect Four for five minutes,
with two seeds side by side, each on a core of its own. The minutes are those of the processor, so that a little work
beside takes nothing from a run. Then the net, alone and with a search, is graded by the committed positions
(`plyground.arena.grading`). Finished runs are kept in the folder of ``--keep`` and not made again, so the script may be
stopped and started. ``--write alphazero`` puts the table into that section of docs/measurements.md.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.learning.learning_curves import is_of
from benchmarks.page import markdown_table, write_section
from plyground.arena.training.alphazero import AlphaZeroConfig
from plyground.arena.training.alphazero.sizes import BY_BOARD

GAME = "connect_four"
MOST_BOARDS: dict[str, Any] = {"network": "small", "batch_size": 512}
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "`root=puct`": {"root": "puct"},
    "`simulations=8`": {"simulations": 8},
    "`simulations=16`": {"simulations": 16},
    "`simulations=64`": {"simulations": 64},
    "`simulations=200`": {"simulations": 200},
    "`full_share=0.25, simulations=64`": {"full_share": 0.25, "simulations": 64},
    "`proofs=False, decisive=False`": {"proofs": False, "decisive": False},
    "`opening_plies=0`": {"opening_plies": 0},
    "`symmetry=False, cache_mb=0`": {"symmetry": False, "cache_mb": 0.0},
    "`root_value_share=0`": {"root_value_share": 0.0},
    "`root_value_share=1`": {"root_value_share": 1.0},
    "`surprise_share=0`": {"surprise_share": 0.0},
    "`network=tiny`": {"network": "tiny"},
    "`network=medium`": {"network": "medium"},
    "`network=mlp`": {"network": "mlp"},
    "`opening_plies=8`": {"opening_plies": 8},
    "`opening_plies=36`": {"opening_plies": 36},
    "`earlier_openings=0.25`": {"earlier_openings": 0.25},
    "`value=wdl`": {"value": "wdl"},
    "`plies_left=0.1`": {"plies_left": 0.1},
    "`replay_ratio=2`": {"replay_ratio": 2.0},
    "`replay_ratio=8`": {"replay_ratio": 8.0},
    "`averaging=0`": {"averaging": 0.0},
    "`cache_mb=0`": {"cache_mb": 0.0},
    "`decisive=False`": {"decisive": False},
    "`network=mlp1024-256-256`": {"network": "mlp1024-256-256"},
}
MARKS = {"standard": "standard", "hard_openings": "hard openings", "hard_openings_100": "the same, 100 simulations"}
WIDTH = 110


def config_of(name: str, seed: int, minutes: float, own: bool) -> AlphaZeroConfig:
    """Return the configuration of a setting, whose run ends by the processor's time long before that of the clock."""
    base = BY_BOARD[GAME]._asdict() if own else MOST_BOARDS
    changes = {**base, "ladder_every": 0, "minutes": 60 * minutes, "seed": seed} | SETTINGS[name]
    return AlphaZeroConfig(GAME, **changes)


def is_done(run: Path, config: AlphaZeroConfig) -> bool:
    """Return whether a run with this configuration, by the defaults of today, is kept and graded."""
    return (run / "grade.json").exists() and is_of(config, run)


def one_run(name: str, seed: int, minutes: float, own: bool, folder: str) -> None:
    """Train with a setting on the first of this process's cores, and write what the net is worth beside the run."""
    from plyground.arena.grading import evaluate
    from plyground.arena.training.alphazero import train

    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let processes in the background ignore it
    run, ends = Path(folder), [math.nan]

    def hear(progress: Any) -> None:
        if math.isnan(ends[-1]):
            ends.append(time.process_time() + 60 * minutes)  # from the first turn on: all is compiled by then
        elif time.process_time() >= ends[-1]:
            ends.append(math.inf)
            os.kill(os.getpid(), signal.SIGINT)  # it ends after this turn, and is saved

    steps = train(config_of(name, seed, minutes, own), run, hear).steps
    if ends[-1] != math.inf:
        raise SystemExit(130)  # it was stopped, and is made anew
    found = {"steps": steps}
    for player, more in ((f"network({run})", ""), (f"alphazero({run})", "_100")):
        graded = evaluate(player, GAME, positions="all", ladder="none")
        found |= {f"{one.name}{more}": one.total.preserving.share for one in graded.sets}
    (run / "grade.json").write_text(json.dumps(found))


def seeds_side_by_side(name: str, seeds: int, minutes: float, own: bool, keep: Path) -> list[dict[str, float]]:
    """Return the grades of a setting's runs; those that are not kept are made, each on a core of its own."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    place = re.sub(r"[^\w.=-]+", "_", name).strip("_")
    folders = [keep / f"{'own-' * own}{place}-{minutes:g}-{seed}" for seed in range(seeds)]
    waiting = [seed for seed in range(seeds) if not is_done(folders[seed], config_of(name, seed, minutes, own))]
    while waiting:
        processes = []
        for core, seed in zip(cores, waiting, strict=False):
            shutil.rmtree(folders[seed], ignore_errors=True)
            call = f"one_run({name!r}, {seed}, {minutes}, {own}, {str(folders[seed])!r})"
            code = "from benchmarks.learning.ablation import one_run; "
            if hasattr(os, "sched_setaffinity"):
                code = f"import os; os.sched_setaffinity(0, {{{core}}}); {code}"
            processes.append(subprocess.Popen([sys.executable, "-c", code + call]))
        codes = [process.wait() for process in processes]
        if any(codes):
            raise typer.Exit(1)
        waiting = waiting[len(processes) :]
    return [json.loads((folder / "grade.json").read_text()) for folder in folders]


def in_words(shares: list[float]) -> str:
    """Return the mean of some shares in percent, with their range in parentheses."""
    mean, low, high = (100 * one for one in (sum(shares) / len(shares), min(shares), max(shares)))
    return f"{mean:.1f} ({low:.1f} to {high:.1f})"


def main(
    minutes: Annotated[float, typer.Option(help="Minutes of a processor for each run.", min=0)] = 5.0,
    seeds: Annotated[int, typer.Option(help="Runs of each setting.", min=1)] = 2,
    only: Annotated[list[str] | None, typer.Option(help="Settings with this text in the name; again for more.")] = None,
    own: Annotated[bool, typer.Option("--own", help="Differ from the defaults of Connect Four itself.")] = False,
    keep: Annotated[Path, typer.Option(help="The folder of finished runs.")] = Path("build/alphazero_ablation"),
    write: Annotated[str, typer.Option(metavar="SECTION", help="Write the table there, in docs/measurements.md.")] = "",
) -> None:
    """Train with each setting, and show what the nets are worth."""
    chosen = [name for name in SETTINGS if any(text in name for text in only or [""])]
    if not chosen:
        raise typer.BadParameter(f"no setting has one of {only} in its name", param_hint="--only")
    head = ["setting", "moves", *MARKS.values()]
    table, body, console = Table(*head, title="Moves that preserve the value, in %"), [], Console(width=WIDTH)
    keep.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        found = seeds_side_by_side(name, seeds, minutes, own, keep)
        moves = sum(one["steps"] for one in found) / len(found)
        cells = [name, f"{moves / 1000:.0f} k", *(in_words([one[mark] for one in found]) for mark in MARKS)]
        table.add_row(*cells)
        body.append(cells)
        console.print(" | ".join(cells), highlight=False)
    console.print(table)
    if write:
        write_section(write, markdown_table(head, body))


if __name__ == "__main__":
    typer.run(main)
