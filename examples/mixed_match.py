"""The main job: networks that have just been trained meet alpha-beta, MCTS and a random player on Connect Four.

Trains DQN for a minute, against itself and others, and AlphaZero for another. Then everyone plays everyone in one
PettingZoo loop, AlphaZero with the network that comes with the package among them. Prints the cross table, and keeps
the training runs and the games in the folder ``demo``. Run it again, and both train for another minute first.
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
from plyground.arena.training import alphazero

GAME = "connect_four"
MINUTES = 1.0
GAMES = 50  # of each pairing

console = Console()
demo = Path("demo")
demo.mkdir(exist_ok=True)


def learn(folder, config, train, resume):
    """Train for a minute, or for another one where there is a run already."""
    if not (folder / "config.json").exists():
        console.print(f"Training {config.algorithm} on {GAME} for a minute.")
        train_with_progress(lambda report: train(config, folder, report), minutes=MINUTES)
    else:
        minutes = (type(config).load(folder / "config.json").minutes or 0) + MINUTES
        console.print(f"Training {config.algorithm} on {GAME} for another minute.")
        train_with_progress(lambda report: resume(folder, report, minutes=minutes), minutes=minutes)


learn(demo / "dqn", TrainingConfig(GAME, "dqn", network="resnet", steps=None, minutes=MINUTES), train, resume)
zero = alphazero.AlphaZeroConfig(GAME, minutes=MINUTES, network="mlp64@4+256-192-128", ladder_every=0)
learn(demo / "az", zero, alphazero.train, alphazero.resume)

players = ["random", "mcts(100)", "alphabeta(4)", "dqn(demo/dqn)", "network(demo/az)", "alphazero"]
records = demo / "games.jsonl"
records.unlink(missing_ok=True)
games = iter_match(GAME, players, GAMES, seed=1)
played = play_with_progress(games, GAMES * len(players) * (len(players) - 1) // 2, records)

console.print(cross_table(standings(played), title=f"{GAME}, {len(played)} games"))
console.print(f"The runs and the games are in {demo}.", highlight=False)
