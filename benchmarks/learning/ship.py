"""Put the network of a run into the package.

    python -m benchmarks.learning.ship RUN --machine "2 cores of …" --against "alphabeta(depth=4)"

The network is graded first, by itself and with a search of 100 simulations: by the committed positions, where its game
has some, and by matches in paired random openings. What was measured, the command that made the run and the commit
stand in the header of the file, whose weights have 16 bits. With ``--dry-run`` nothing is written.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.page import commit_at_hand
from plyground.agents.networks import load_network, save_network
from plyground.arena import match
from plyground.arena.grading import evaluate
from plyground.arena.grading.positions import committed_path
from plyground.arena.ratings import elo_difference, pair_scores
from plyground.arena.training.alphazero import AlphaZeroConfig
from plyground.arena.training.alphazero.run import run_folder
from plyground.envs import make_game

FOLDER = Path(__file__).parents[2] / "agents" / "alphazero" / "data"
SIMULATIONS = 100
ALWAYS_TOLD = ("minutes", "threads", "seed")
UNTOLD = ("game", "algorithm", "checkpoint_every", "checkpoint_minutes", "ladder")  # they change no weight

_out = Console(width=100)


def command_of(config: AlphaZeroConfig) -> str:
    """Return the command of a run: the options that are not the defaults, and those that everybody asks for.

    What may change when a run goes on, such as its minutes and threads, is as in its last session.
    """
    told = ["plyground train alphazero", config.game if "(" not in config.game else f"'{config.game}'"]
    for field in fields(config):
        value = getattr(config, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if field.name in UNTOLD or value is None or (value == default and field.name not in ALWAYS_TOLD):
            continue
        option = field.name.replace("_", "-")
        told.append(
            (f"--{option}" if value else f"--no-{option}") if isinstance(value, bool) else f"--{option} {value}"
        )
    return " ".join(told)


def measured(run: Path, game: str, against: list[str], games: int, jobs: int) -> dict[str, float]:
    """Return the shares of moves that preserve the value, and the scores of matches, by their names."""
    players = {f"network({run})": "", f"alphazero({run}, simulations={SIMULATIONS})": f"_{SIMULATIONS}"}
    found: dict[str, float] = {}
    for player, ending in players.items():
        if committed_path(make_game(game)).is_file():
            for one in evaluate(player, game, positions="all", ladder="none").sets:
                found[f"{one.name}{ending}"] = round(one.total.preserving.share, 4)
        for other in against:
            result = elo_difference(pair_scores(match(game, [player, other], games, jobs=jobs)))
            found[f"score{ending} against {other}, {result.games} games"] = round(result.score, 4)
            _out.print(f"{player} against {other}: {result.score:.1%}, Elo {result}", highlight=False, soft_wrap=True)
    return found


def main(
    run: Annotated[Path, typer.Argument(help="The folder of a run of AlphaZero.")],
    against: Annotated[list[str], typer.Option(help="A player that both play matches with; again for more.")],
    machine: Annotated[str, typer.Option(help="Where it was trained, and beside what.")],
    games: Annotated[int, typer.Option(help="Games of each match.", min=2)] = 200,
    jobs: Annotated[int, typer.Option(help="Processes that play them.")] = 2,
    trained_at: Annotated[str, typer.Option(help="The commit of the training, if it is not the one at hand.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure, and write nothing.")] = False,
) -> None:
    """Grade the network of a run, and put it into the package."""
    config = AlphaZeroConfig.load(run / "config.json")
    steps, seconds = run_folder(run).done()
    notes = {
        "command": command_of(config),
        "seed": config.seed,
        "commit": trained_at or commit_at_hand(),
        "steps": steps,
        "seconds": round(seconds, 1),
        "machine": machine,
        "measured": measured(run, config.game, against, games, jobs),
    }
    table = Table("note", "value")
    for name, value in notes.items():
        table.add_row(name, str(value))
    _out.print(table)
    if not dry_run:
        target = FOLDER / f"{make_game(config.game).spec}.safetensors"
        save_network(target, load_network(run), notes, half=True)
        _out.print(f"saved {target}, {target.stat().st_size / 1e3:.0f} kB", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
