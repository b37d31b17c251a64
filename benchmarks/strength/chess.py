"""How well the search plays chess: against other programs, and on positions with known best moves.

    python -m benchmarks.strength.chess games --games 100 --keep build/chess.jsonl
    python -m benchmarks.strength.chess games --only 2200 --seconds 1 --games 40 --keep build/chess_1s.jsonl
    python -m benchmarks.strength.chess games --only phalanx --clock 10 --keep build/chess_clock.jsonl
    python -m benchmarks.strength.chess suite benchmarks/data/bratko_kopec.epd --seconds 1

The first plays matches from pairs of openings, against programs that are installed as Debian has them (``apt-get
install stockfish gnuchess fairymax phalanx``) and speak UCI or XBoard through python-chess (the extra ``chess``). Games
that the file has are not played again; Ctrl-C loses one game at most. Stockfish plays as strongly as ``UCI_Elo`` says,
which was fitted to games of 120 s and 1 s a move. XBoard knows whole seconds for a move only: Fairy-Max is given a
depth, and Phalanx, which takes none, a second. With ``--clock`` both sides have so long for a game, and no other limit.

The second counts the positions that are solved: where the move after so many seconds is one of the best ones.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from plyground.agents import AlphaBeta, make
from plyground.arena import iter_match, read_records
from plyground.arena.progress import watch_games
from plyground.arena.ratings import elo_difference, pair_scores
from plyground.arena.records.record import GameRecord
from plyground.envs import Game, State, chess
from plyground.envs.games.chess.san import read_san, san_of

HEAD = ("opponent", "games", "score", "Elo", "95 % interval")
SUITE = Path(__file__).parents[1] / "data" / "bratko_kopec.epd"
_AT_MOST = 60.0  # seconds for a move on a clock
app = typer.Typer(add_completion=False, help=(__doc__ or "").partition("\n")[0])


class Opponent(NamedTuple):
    """A program.

    Attributes:
        name: what it is called here.
        command: what starts it.
        arguments: how it plays, in a spec string.
        limit: of a move, where it cannot be a part of a second.
    """

    name: str
    command: str
    arguments: str
    limit: str = ""

    def spec(self, seconds: float | None) -> str:
        """Return the player, who has so many seconds for a move, or a limit of its own; None: it plays on a clock."""
        limit = "" if seconds is None else (self.limit or f"seconds={seconds:g}") + ", "
        return f'engine("{self.command}", {limit}{self.arguments})'


OPPONENTS = (
    *(
        Opponent(f"Stockfish {elo}", "stockfish", f"UCI_LimitStrength=True, UCI_Elo={elo}, Hash=16, Threads=1")
        for elo in (1350, 1600, 1900, 2200)  # Stockfish 15.1, of Debian 12, takes no less than 1350
    ),
    Opponent("GNU Chess", "gnuchess --uci", 'protocol="uci"'),
    Opponent("Fairy-Max", "fairymax", 'protocol="xboard"', "depth=6"),
    Opponent("Phalanx", "phalanx", 'protocol="xboard"', "seconds=1"),
)


class Position(NamedTuple):
    """A line of a suite."""

    name: str
    state: State
    best: tuple[int, ...]


def where(command: str) -> str | None:
    """Return the command with the path of its program, or None if that is not installed; Debian keeps games apart."""
    program, *rest = command.split()
    path = shutil.which(program) or shutil.which(program, path="/usr/games")
    return None if path is None else " ".join([path, *rest])


def positions_of(game: Game, file: Path) -> list[Position]:
    """Return the positions of an EPD file.

    Raises:
        ValueError: a line is none; the message names it.
    """
    found = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip():
            continue
        parts = re.fullmatch(r'((?:\S+ ){3}\S+) bm ([^;]+); id "([^"]+)";\s*', line)
        if parts is None:
            raise ValueError(f'{file}, line {number} is not of the form FEN bm MOVES; id "NAME";: {line!r}')
        try:
            state = game.state_from_fen(f"{parts[1]} 0 1")
            best = tuple(read_san(game, state, move) for move in parts[2].split())
        except ValueError as error:
            raise ValueError(f"{file}, line {number}: {error}") from None
        found.append(Position(parts[3], state, best))
    return found


def played(
    game: Game,
    ours: str,
    theirs: str,
    games: int,
    seed: int,
    known: list[GameRecord],
    keep: Path | None,
    clock: str | None = None,
) -> tuple[list[GameRecord], bool]:
    """Return the games of a match, those known and those played now, and whether Ctrl-C ended it.

    Without that, they are fewer where a program failed so often that it was withdrawn.
    """
    names = (ours if clock is None else f"{ours} on a clock of {clock} s", theirs)
    done = [record for record in known if set(record.players) == set(names)][:games]
    if len(done) == games:
        return done, False
    left = iter_match(game, (ours, theirs), games, seed, names=names, after=done, time=clock)
    records = [*done]
    return records, watch_games(left, games, records.append, keep, done)


@app.command()
def games(
    count: Annotated[int, typer.Option("--games", min=2, help="Of each match; even.")] = 100,
    seconds: Annotated[float, typer.Option(min=0.001, help="For a move.")] = 0.1,
    nodes: Annotated[
        int, typer.Option(min=0, help="Positions for a move of ours, instead of seconds: 0 for none.")
    ] = 0,
    clock: Annotated[
        str | None, typer.Option(metavar="CONTROL", help="Time for a game, as in 10 or 60+0.5, instead of seconds.")
    ] = None,
    only: Annotated[str, typer.Option(metavar="TEXT", help="Opponents with this in their names.")] = "",
    seed: Annotated[int, typer.Option(min=0, help="Of the openings.")] = 0,
    keep: Annotated[Path | None, typer.Option(dir_okay=False, help="A file of games, to go on with.")] = None,
) -> None:
    """Play matches, and print a table."""
    game, console = chess(), Console()
    own = seconds if clock is None else _AT_MOST
    ours = f"alphabeta(nodes={nodes})" if nodes else f"alphabeta(seconds={own:g})"
    if keep is not None:
        keep.parent.mkdir(parents=True, exist_ok=True)
    known = list(read_records(keep)) if keep is not None and keep.exists() else []
    pace = f"{seconds:g} s a move" if clock is None else f"{clock} s a game"
    table = Table(*HEAD, title=f"{ours}, {pace}", title_justify="left")
    try:
        for opponent in OPPONENTS:
            command = where(opponent.command)
            if only.lower() not in opponent.name.lower():
                continue
            if command is None:
                table.add_row(opponent.name, "not installed", "", "", "")
                continue
            theirs = opponent._replace(command=command).spec(seconds if clock is None else None)
            records, stopped = played(game, ours, theirs, count, seed, known, keep, clock)
            if len(records) >= 2:
                found = elo_difference(pair_scores(records[: len(records) // 2 * 2]))
                interval = f"{found.low:+.0f} to {found.high:+.0f}"
                table.add_row(opponent.name, str(found.games), f"{found.score:.3f}", f"{found.elo:+.0f}", interval)
            if stopped:
                break
    finally:
        console.print(table)


def solved(game: Game, player: AlphaBeta, positions: list[Position]) -> Iterator[tuple[Position, int, int]]:
    """Yield each position, the move that is found, and how deep the search went."""
    for position in positions:
        player.reset()
        found = player.analyse(position.state)
        yield position, found.best_action, found.depth


@app.command()
def suite(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="Positions, as EPD.")] = SUITE,
    seconds: Annotated[float, typer.Option(min=0.001, help="For a position.")] = 1.0,
    nodes: Annotated[
        int, typer.Option(min=0, help="Positions that the search visits, instead of seconds: 0 for none.")
    ] = 0,
) -> None:
    """Count the positions that are solved."""
    game = chess()
    spec = f"alphabeta(nodes={nodes})" if nodes else f"alphabeta(seconds={seconds:g})"
    player = make(spec, game)
    assert isinstance(player, AlphaBeta)
    positions, right = positions_of(game, file), 0
    table = Table("position", "move", "best", "depth", title=f"{file.name}: {spec}", title_justify="left")
    for position, action, depth in track(solved(game, player, positions), "positions", len(positions), transient=True):
        is_right = action in position.best
        right += is_right
        best = " ".join(san_of(game, position.state, move) for move in position.best)
        mark = "" if is_right else " ✗"
        table.add_row(position.name, san_of(game, position.state, action) + mark, best, str(depth))
    Console().print(table)
    print(f"{right} of {len(positions)} solved")


if __name__ == "__main__":
    app()
