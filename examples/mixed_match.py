"""The main job: a policy that has just been trained meets alpha-beta, MCTS and a random player on Connect Four.

Trains MaskablePPO against a mix of opponents for about a minute, then plays everyone against everyone in one PettingZoo
loop, prints the cross table, and keeps the model and the games in the folder ``demo``.
"""

from pathlib import Path

from rich.console import Console

from plyground.arena import (
    cross_table,
    iter_round_robin,
    learn_with_progress,
    new_model,
    play_with_progress,
    standings,
)

GAME = "connect_four"
STEPS = 300_000
GAMES = 100  # of each pairing

console = Console()
folder = Path("demo")
folder.mkdir(exist_ok=True)

console.print(f"Training MaskablePPO on {GAME} for {STEPS:,} moves.", highlight=False)
model = new_model("ppo", GAME, seed=0)
learn_with_progress(model, STEPS)
model.save(folder / "ppo.zip")

players = ["random", "mcts(simulations=100)", "alphabeta(depth=4)", f"ppo({folder / 'ppo.zip'})"]
records = folder / "games.jsonl"
records.unlink(missing_ok=True)
games = iter_round_robin(GAME, players, GAMES, seed=1)
played = play_with_progress(games, GAMES * len(players) * (len(players) - 1) // 2, records)

console.print(cross_table(standings(played), title=f"{GAME}, {len(played)} games"))
console.print(f"The model is in {folder / 'ppo.zip'}, the games are in {records}.", highlight=False)
