"""A player of Go against GNU Go on a small board: ``python -m benchmarks.strength.gnugo "mcts(simulations=1000)"``.

GNU Go must be installed (``apt-get install gnugo``). It is told to play by our rules, as the agent ``gnugo`` is: area
scoring, positional superko, no suicide, and to capture dead stones before it passes, since ours count every stone on
the board. The players take black and white by turns. Each game has seeds of its own, for both players, so there are no
random openings.

    python -m benchmarks.strength.gnugo "mcts(simulations=1000)" --level 1 --level 10 --keep build/gnugo.jsonl

plays the games that the file has not yet, adds them there, and prints the table. Ctrl-C ends it and loses one game at
most. Our rules are the referee; where GNU Go sees a move or the winner in another way, the table counts a disagreement,
and the last lines tell of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from plyground.agents import Agent, make
from plyground.agents.engines import DisagreementError, Engine, gnugo_command
from plyground.arena import play
from plyground.arena.grading.grades import share_of
from plyground.envs import BoardGameEnv, Game, make_game

HEAD = ("player", "level", "games", "won %", "as black", "as white", "s/move", "its s/move", "disagreements")

Played = dict[str, Any]  # a line of the file


def play_game(game: Game, player: Agent, peer: Engine, number: int, seed: int) -> Played:
    """Play a game, in which the player has black if the number is even, and return what the file keeps of it.

    A game in which the two disagree about a move has no winner.
    """
    env: Any = BoardGameEnv(game)
    seat = number % 2
    seated: list[Agent] = [player, peer] if seat == 0 else [peer, player]
    try:
        record = play(env, seated, int(np.random.SeedSequence([seed, number]).generate_state(1)[0]))
    except DisagreementError as error:
        return {"number": number, "won": None, "disagreement": str(error)}
    by_seat = [[s for s, mover in zip(record.seconds, record.movers, strict=True) if mover == m] for m in (0, 1)]
    means = [float(np.mean(seconds)) if seconds else 0.0 for seconds in by_seat]
    won = peer.resigned or record.outcome[seat] > 0
    found: Played = {"number": number, "won": won, "resigned": peer.resigned, "disagreement": None}
    found |= {"seconds": means[seat], "its_seconds": means[1 - seat], "moves": record.moves}
    if not peer.resigned and record.moves[-2:] == [game.num_actions - 1] * 2:
        if record.movers[-1] == seat:
            peer.tell(record.moves[-1])
        score = peer.client.ask("final_score")
        if score.startswith("B") != (record.outcome[0] > 0):
            winner = "black" if record.outcome[0] > 0 else "white"
            found["disagreement"] = f"it counts {score}, and by our rules {winner} wins"
    return found


def played_games(
    game: Game, spec: str, program: str, about: Played, games: int, keep: Path | None, known: list[Played]
) -> Iterator[Played]:
    """Yield the games of a match, those known and those played now; the latter are added to the file."""
    done = {one["number"]: one for one in known if about.items() <= one.items()}
    peer, player = None, make(spec, game)
    try:
        for number in range(games):
            if number not in done:
                # A new process after a disagreement, which the old one may not have got over.
                peer = peer or Engine(game, program)
                done[number] = {**about, **play_game(game, player, peer, number, about["seed"])}
                if done[number]["disagreement"]:
                    peer.close()
                    peer = None
                if keep is not None:
                    with keep.open("a") as file:
                        file.write(json.dumps(done[number]) + "\n")
            yield done[number]
    finally:
        if peer is not None:
            peer.close()


def cells(spec: str, level: int, games: list[Played]) -> tuple[str, ...]:
    """Return a line of the table. Games without a winner do not count."""
    ended = [one for one in games if one["won"] is not None]
    shares = [share_of(sum(one["won"] for one in some), len(some)) for some in (ended, *_by_colour(ended))]
    texts = [f"{100 * s.share:.0f} ({100 * s.low:.0f}–{100 * s.high:.0f})" if s.total else "-" for s in shares]
    seconds = [np.mean([one[name] for one in ended]) if ended else np.nan for name in ("seconds", "its_seconds")]
    disagreements = sum(one["disagreement"] is not None for one in games)
    return spec, str(level), str(len(games)), *texts, *(f"{each:.3f}" for each in seconds), str(disagreements)


def _by_colour(games: list[Played]) -> tuple[list[Played], list[Played]]:
    return [one for one in games if one["number"] % 2 == 0], [one for one in games if one["number"] % 2]


def main(
    players: Annotated[list[str], typer.Argument(help="Spec strings of our players.")],
    level: Annotated[list[int] | None, typer.Option(min=1, max=10, help="GNU Go's levels; again for more.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Games of each match; even, for as many with each colour.")] = 60,
    size: Annotated[int, typer.Option(min=5, max=19, help="Points on a side of the board.")] = 9,
    komi: Annotated[float, typer.Option(help="Points for white.")] = 7.5,
    seed: Annotated[int, typer.Option(min=0, help="Of the games.")] = 0,
    keep: Annotated[Path | None, typer.Option(dir_okay=False, help="A file of games, to go on with.")] = None,
    program: Annotated[str | None, typer.Option(help="Another program, with {level} where the level goes.")] = None,
) -> None:
    """Play the matches, and print a table with 95 % intervals."""
    game, console, notes = make_game(f"go(board_size={size}, komi={komi})"), Console(), []
    if keep is not None:
        keep.parent.mkdir(parents=True, exist_ok=True)
    known = [json.loads(line) for line in keep.read_text().splitlines()] if keep is not None and keep.exists() else []
    name = program.split()[0] if program else "gnugo"
    title = f"Go {size}x{size}, komi {komi:g}, against {name} (95 % intervals)"
    table = Table(*HEAD, title=title, title_justify="left")
    with suppress(KeyboardInterrupt):
        for spec in players:
            for one_level in level or [1, 10]:
                done = list[Played]()
                command = program.format(level=one_level) if program else gnugo_command(game, one_level)
                about = {"game": game.spec, "player": spec, "program": command, "seed": seed}
                match = played_games(game, spec, command, about, games, keep, known)
                try:
                    for played in track(match, f"{spec}, level {one_level}", total=games, transient=True):
                        done.append(played)
                finally:
                    table.add_row(*cells(spec, one_level, done))
                    numbered = ((one["number"], one["disagreement"]) for one in done if one["disagreement"])
                    notes += [f"{spec}, level {one_level}, game {number}: {text}" for number, text in numbered]
    console.print(table)
    for note in notes:
        console.print(note, markup=False, highlight=False)


if __name__ == "__main__":
    typer.run(main)
