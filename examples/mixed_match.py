"""The main job: a policy that has just been trained meets alpha-beta, MCTS and a random player on Connect Four.

Trains DQN for a minute, against itself and others, then plays everyone against everyone in one PettingZoo loop,
prints the cross table, and keeps the training run and the games in the folder ``demo``. Run it again, and the policy
trains for another minute first.
"""

from pathlib import Path

from rich.console import Console

from plyground.arena import (
    TrainingConfig,
    cross_table,
    iter_match,
    play_with_progress,
    resume,
    standings,
    train,
    train_with_progress,
)
from plyground.arena.training import RunFolder

GAME = "connect_four"
MINUTES = 1.0
GAMES = 100  # of each pairing

console = Console()
Path("demo").mkdir(exist_ok=True)
folder = RunFolder("demo/dqn")

if folder.config.exists():
    minutes = (TrainingConfig.load(folder.config).minutes or 0) + MINUTES
    console.print(f"Training DQN on {GAME} for another minute.")
    train_with_progress(lambda report: resume(folder.path, report, minutes=minutes), minutes=minutes)
else:
    console.print(f"Training DQN on {GAME} for a minute.")
    config = TrainingConfig(GAME, "dqn", network="resnet", steps=None, minutes=MINUTES)
    train_with_progress(lambda report: train(config, folder.path, report), minutes=MINUTES)

players = ["random", "mcts(simulations=100)", "alphabeta(depth=4)", f"dqn({folder.path})"]
records = Path("demo/games.jsonl")
records.unlink(missing_ok=True)
games = iter_match(GAME, players, GAMES, seed=1)
played = play_with_progress(games, GAMES * len(players) * (len(players) - 1) // 2, records)

console.print(cross_table(standings(played), title=f"{GAME}, {len(played)} games"))
console.print(f"The run is in {folder.path}, the games are in {records}.", highlight=False)
