"""Moves a second of AlphaZero's self-play, by what spares questions: ``python -m benchmarks.speed.self_play RUN``.

Self-play of a run's game with its net and the defaults, on one core, learning not counted: with and without a cache of
what the net said (`cache_mb`), and moves that win at once (`decisive`). A net that has learned a little plays games of
the usual length, and asks about the usual positions. Times are the processor's; it takes a minute in Connect Four.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.speed.harness import describe_machine
from plyground.agents.networks import make_inference, read_network
from plyground.arena.training.alphazero import AlphaZeroConfig
from plyground.arena.training.alphazero.self_play import Counts, SelfPlay
from plyground.arena.training.alphazero.sources import evaluate_by
from plyground.envs import make_game


def rates(config: AlphaZeroConfig, net: Path, turns: int) -> tuple[float, float]:
    """Return how many positions the net is asked about a move, and the moves a second."""
    evaluate = evaluate_by(make_inference(read_network(net), batch=config.num_envs))
    play = SelfPlay(make_game(config.game), config, seed=0)
    play.play(evaluate, config.turn_plies)
    play.stats, asked, begun = Counts(), play.forest.evaluations, time.process_time()
    for _ in range(turns):
        play.play(evaluate, config.turn_plies)
    seconds, moves = time.process_time() - begun, play.stats.moves
    return (play.forest.evaluations - asked) / moves, moves / seconds


def main(
    run: Annotated[Path, typer.Argument(help="The folder of a run of plyground train alphazero.")],
    turns: Annotated[int, typer.Option(help="Turns to play.", min=1)] = 10,
) -> None:
    """Measure self-play in four ways, and print a table."""
    game = json.loads((run / "config.json").read_text())["game"]
    table = Table("cache_mb", "decisive", "questions a move", "moves a second", title=f"Self-play of {game}, one core")
    for cache_mb in (0.0, 64.0):
        for decisive in (False, True):
            config = AlphaZeroConfig(game, cache_mb=cache_mb, decisive=decisive)
            asked, moves = rates(config, run / "model.safetensors", turns)
            table.add_row(f"{cache_mb:g}", "yes" if decisive else "no", f"{asked:.1f}", f"{moves:,.0f}")
    console = Console(width=100)
    console.print(table)
    console.print(str(describe_machine()["cpu"]), highlight=False)


if __name__ == "__main__":
    typer.run(main)
