"""What each part of the search of Go is worth at equal time.

    python -m benchmarks.strength.go --keep build/go.jsonl

The player with everything meets the player that lacks one part: a rule of the heavy rollouts, the rollouts as a whole,
RAVE, the priors of new nodes, or all of these. Both get as many simulations as they run in the same time of the
processor, measured first on positions of a random game, so that other work on the machine does not change a result.
The players take black and white by turns, and each game has seeds of its own. The file keeps the games and the rates:
run it again, and it plays those that are missing. Ctrl-C loses one game at most.

``benchmarks.strength.gnugo`` has the matches against GNU Go.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from plyground.agents import MCTS
from plyground.agents.mcts.defaults import KNOWING, PLAIN
from plyground.arena import play
from plyground.arena.grading.grades import share_of
from plyground.envs import BoardGameEnv, Game, make_game
from plyground.envs.games.go.heavy import RULES, heavy

EVERYTHING = "everything"
OPTIONS: dict[str, dict[str, Any]] = {  # what is given to the player that lacks a part
    EVERYTHING: KNOWING._asdict(),
    **{f"without {rule!r}": KNOWING._asdict() for rule in RULES},
    "with random rollouts": {**KNOWING._asdict(), "rollout": "random"},
    "without RAVE": {**KNOWING._asdict(), "rave": 0.0, "rave_bias": 0.0, "c": 0.3},
    "without priors": {**KNOWING._asdict(), "prior": 0.0, "fpu": 1.0},
    "plain UCT": {**PLAIN._asdict(), "c": 0.5},
}


def player(game: Game, name: str, simulations: int) -> MCTS:
    """Return the player of that name. It plays by the same rules, but may know less of good moves."""
    for rule in RULES:
        if name == f"without {rule!r}":
            rest = tuple(other for other in RULES if other != rule)
            action = heavy(game.observation_shape[0], rest)
            game = game.replace(knowledge=game.knowledge._replace(action=action))
    return MCTS(game, simulations, **OPTIONS[name])


def rate_of(game: Game, name: str, simulations: int = 2000) -> float:
    """Return the simulations in a second of the processor's time, over positions of a random game."""
    agent, rng, state, spent, done = player(game, name, simulations), np.random.default_rng(0), game.new_state(), 0.0, 0
    agent.prepare()
    for ply in range(40):
        if ply % 8 == 0:
            start = time.process_time()
            done += agent.analyse(state).leaves
            spent += time.process_time() - start
        game.play(state, int(rng.choice(game.actions(state)[:-1])))
    return done / spent


def play_game(game: Game, players: list[MCTS], number: int, seed: int) -> bool:
    """Play a game, in which the first player has black if the number is even, and return whether that player won."""
    seat = number % 2
    seated: list[Any] = players if seat == 0 else players[::-1]
    record = play(BoardGameEnv(game), seated, int(np.random.SeedSequence([seed, number]).generate_state(1)[0]))
    return record.outcome[seat] > 0


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Parts; all of them if none is given.")] = None,
    games: Annotated[int, typer.Option(min=2, help="Games of each match.")] = 60,
    seconds: Annotated[float, typer.Option(min=0.001, help="Of the processor, for each move.")] = 0.1,
    size: Annotated[int, typer.Option(min=5, max=19, help="Points on a side of the board.")] = 9,
    komi: Annotated[float, typer.Option(help="Points for white.")] = 7.5,
    seed: Annotated[int, typer.Option(min=0, help="Of the games.")] = 0,
    keep: Annotated[Path | None, typer.Option(dir_okay=False, help="A file of games, to go on with.")] = None,
) -> None:
    """Play the matches, and print a table with 95 % intervals."""
    game, console = make_game(f"go(board_size={size}, komi={komi})"), Console()
    if wrong := [name for name in names or [] if name not in OPTIONS]:
        raise typer.BadParameter(f"no part {wrong[0]!r}: expected one of {', '.join(OPTIONS)}")
    if keep is not None:
        keep.parent.mkdir(parents=True, exist_ok=True)
    known = [json.loads(line) for line in keep.read_text().splitlines()] if keep is not None and keep.exists() else []
    rates = {one["player"]: one["rate"] for one in known if "rate" in one and one.get("game") == game.spec}
    table = Table("opponent", "simulations/s", "games", "everything won %", title=f"{game.spec}, {seconds:g} s a move")

    def write(line: dict[str, Any]) -> None:
        if keep is not None:
            with keep.open("a") as file:
                file.write(json.dumps(line) + "\n")

    def known_rate(name: str) -> float:
        if name not in rates:
            rates[name] = rate_of(game, name)
            write({"game": game.spec, "player": name, "rate": rates[name]})
        return rates[name]

    with suppress(KeyboardInterrupt):
        for name in names or [name for name in OPTIONS if name != EVERYTHING]:
            players = [player(game, one, max(2, round(known_rate(one) * seconds))) for one in (EVERYTHING, name)]
            about = {"game": game.spec, "opponent": name, "seconds": seconds, "seed": seed}
            won = {one["number"]: one["won"] for one in known if about.items() <= one.items()}
            try:
                for number in track(range(games), name, transient=True):
                    if number not in won:
                        won[number] = play_game(game, players, number, seed)
                        write({**about, "number": number, "won": won[number]})
            finally:
                share = share_of(sum(won.values()), len(won))
                text = f"{100 * share.share:.0f} ({100 * share.low:.0f}–{100 * share.high:.0f})" if won else "-"
                table.add_row(name, f"{known_rate(name):,.0f}", str(len(won)), text)
    table.caption = f"everything: {rates.get(EVERYTHING, 0):,.0f} simulations/s"
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
