"""The command line ``plyground``: the command group, and the commands that are a few lines.

Results go to standard output; progress and errors to standard error. A user's mistake is one line, and exit code 2.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ...agents import Agent, Info, Observation, agent_names, agent_usage, make
from ...envs import BoardGameEnv, Game, game_names, make_game
from ...envs.files import check_writable
from ...envs.vector.opponents import prepare
from ..loop import play as play_game
from ..progress import notices_shown, play_with_progress
from ..tables import cross_table
from ..tournament import Standing, iter_round_robin, standings
from .analyse import analyse
from .convert import convert
from .evaluate import evaluate_player
from .explain import explain
from .show import show
from .solve import solve
from .train import train
from .warm import warm

__all__ = ["app", "main"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
_UsageError: Any = typer.BadParameter.__base__  # what a wrong option or argument raises
_out = Console()
_err = Console(stderr=True)

GameOption = Annotated[str, typer.Option("--game", "-g", help="A game, as in 'connect_four(rows=5)'.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same games.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def main() -> None:
    """Run the command line and exit: with 0, with 2 after a user's mistake, with 130 after Ctrl-C."""
    try:
        sys.exit(app(standalone_mode=False))
    except _UsageError as error:
        _complain(error.format_message())
    except OSError as error:
        _complain(_in_words(error))
    except (ValueError, ImportError) as error:
        _complain(str(error))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)


def _complain(message: str) -> NoReturn:
    _err.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True, highlight=False)
    sys.exit(2)


@app.callback()
def options(
    context: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not say what is being compiled.")] = False,
) -> None:
    """Two-player board games, and matches between search agents, trained policies and people."""
    context.with_resource(notices_shown(quiet))


def _in_words(error: OSError) -> str:
    """Return what the system says of a file, without its number."""
    if error.errno is None or error.filename is None or not error.strerror:
        return str(error)
    return f"cannot read or write {error.filename}: {error.strerror.lower()}"


@app.command()
def games(as_json: Json = False) -> None:
    """List the games."""
    made = [make_game(name) for name in game_names()]
    if as_json:
        _print_json(
            [{"game": game.name, "parameters": dict(game.parameters), "actions": game.num_actions} for game in made]
        )
        return
    table = Table("game, with its defaults", "actions", "observation", "id: plyground/…", header_style="bold")
    for game in made:
        parameters = ", ".join(f"{name}={value}" for name, value in game.parameters.items())
        shape = "x".join(map(str, game.observation_shape))
        table.add_row(
            f"{game.name}({parameters})" if parameters else game.name, str(game.num_actions), shape, f"{game.name}-v0"
        )
    _out.print(table)


@app.command()
def agents(as_json: Json = False) -> None:
    """List the kinds of players, and how their specs are written."""
    usages = [agent_usage(name) for name in agent_names()]
    if as_json:
        _print_json(
            [
                {"agent": name, "spec": spec, "about": about}
                for name, (spec, about) in zip(agent_names(), usages, strict=True)
            ]
        )
        return
    table = Table("spec, with its defaults", "what it does", header_style="bold", show_lines=True)
    for spec, about in usages:
        table.add_row(escape(spec), escape(about.replace("`", "")))
    _out.print(table)


app.command()(show)
app.command()(analyse)
app.command()(explain)
app.command()(solve)
app.command()(warm)
app.command("evaluate")(evaluate_player)


@app.command()
def match(
    players: Annotated[
        list[str], typer.Argument(help="Two or more players; more than two play everyone against everyone.")
    ],
    game: GameOption = "connect_four",
    games: Annotated[
        int, typer.Option(help="Games of each pairing; even: every opening is played from both sides.")
    ] = 100,
    seed: Seed = 0,
    opening_plies: Annotated[int | None, typer.Option(help="Random plies before the players take over.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 for one on each core.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Add the games to this file, as JSON lines.")] = None,
    as_json: Json = False,
) -> None:
    """Play a match, or a round robin, and print the cross table."""
    if out is not None and out.suffix.lower() in (".sgf", ".pdn"):
        raise ValueError(f"games are saved as JSON lines, not to {out}: `plyground convert` makes {out.suffix} of them")
    if out is not None:
        check_writable(out)
    played = iter_round_robin(game, players, games, seed, opening_plies=opening_plies, jobs=jobs)
    total = games * len(players) * (len(players) - 1) // 2
    records = play_with_progress(played, total, out)
    if not records:
        raise typer.Exit(130)
    table = standings(records)
    if as_json:
        _print_json(
            {
                "game": records[0].game,
                "seed": seed,
                "games": len(records),
                "players": [_as_dict(line) for line in table],
            }
        )
    else:
        _out.print(cross_table(table, title=f"{records[0].game}, {len(records)} games, seed {seed}"))


@app.command()
def play(
    game: Annotated[str, typer.Argument(help="A game, as in 'connect_four(rows=5)'.")],
    against: Annotated[str, typer.Option(help="Your opponent.")] = "mcts(simulations=1000)",
    seat: Annotated[str, typer.Option(help="Your seat: first or second.")] = "first",
    seed: Seed = 0,
) -> None:
    """Play against an agent at the terminal."""
    if seat not in ("first", "second"):
        raise ValueError(f"seat must be 'first' or 'second', got {seat!r}")
    env = BoardGameEnv(game, render_mode="ansi")
    players: list[Agent] = [make("human", env.game), _Announced(make(against, env.game), against, env.game)]
    if seat == "second":
        players.reverse()
    try:
        record = play_game(env, players, seed)
    except KeyboardInterrupt:
        _out.print("\nGame abandoned.")
        return
    _out.print(env.render(), markup=False, highlight=False)
    own, other = record.outcome if seat == "first" else record.outcome[::-1]
    _out.print("A draw." if own == other else "You win." if own > other else "You lose.")


app.command()(train)
app.command()(convert)


def _as_dict(line: Standing) -> dict[str, Any]:
    score = line.total
    return {
        "name": line.name,
        "points": score.points,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "seconds_per_move": line.seconds_per_move,
        "against": {name: [s.wins, s.draws, s.losses] for name, s in line.against.items()},
    }


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))


class _Announced:
    """An agent whose moves are printed, for the person at the terminal."""

    def __init__(self, agent: Agent, name: str, game: Game) -> None:
        self._agent, self._name, self._game = agent, name, game

    def prepare(self) -> None:
        prepare(self._agent)

    def reset(self, seed: int | None = None) -> None:
        self._agent.reset(seed)

    def act(self, observation: Observation, info: Info | None = None) -> int:
        action = self._agent.act(observation, info)
        _out.print(f"{self._name} plays {self._game.action_to_str(action)}", markup=False, highlight=False)
        return action
