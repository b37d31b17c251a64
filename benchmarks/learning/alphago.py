"""What each part of AlphaGo is worth in its tree: ``python -m benchmarks.learning.alphago RUN``, the paper's Figure 4.

All seven combinations of policy network, value network and rollouts play each other, at equal simulations and at equal
time, and the full mix plays with λ from 0 to 1. RUN is the folder of a finished run of ``plyground train alphago``.
Beside the combinations plays an AlphaZero: the one that comes with the package, or that of ``--alphazero``. The games
are kept in stores in the folder of ``--keep``, and not played again: the script may be stopped and started. It
prints the tables, writes them as JSON, and draws them. With ``--write`` the tables go into docs/alphago.md, to those of
the game, and the picture beside it.

Time says something only where nothing else runs; simulations do anywhere.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.page import markdown_table, save_picture, write_section
from plyground.agents import make
from plyground.agents.alphazero.nets import shipped
from plyground.arena import iter_match, play_with_progress, rating_list
from plyground.envs import make_game

PAGE = Path(__file__).parents[2] / "docs" / "alphago.md"
PICTURES = PAGE.parent / "images"

# What is used, and what it is in the spec of a player: "policy" is played without a search.
COMBINATIONS = {
    "policy, value, rollouts": "priors=policy, lambda_=0.5",
    "policy, value": "priors=policy, lambda_=0",
    "policy, rollouts": "priors=policy, lambda_=1",
    "value, rollouts": "priors=uniform, lambda_=0.5",
    "value": "priors=uniform, lambda_=0",
    "rollouts": "priors=uniform, lambda_=1",
    "policy": None,
}
LAMBDAS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Field:
    """Players who play each other.

    Attributes:
        title: what it shows.
        players: their specs, by name.
    """

    title: str
    players: dict[str, str]


def fields_of(run: Path, game: str, simulations: int, seconds: float, alphazero: str = "") -> dict[str, Field]:
    """Return who plays whom: at equal simulations, at equal time, and with one λ after the other.

    Beside the combinations plays an AlphaZero, given by the folder of a run or as a spec without simulations or
    seconds; by default the one that comes with the package, if it knows the game.
    """
    beside = alphazero or ("alphazero" if make_game(game).spec in shipped() else "")
    if alphazero and Path(alphazero).exists():
        beside = f"alphazero({Path(alphazero).resolve()})"

    def combinations(budget: str) -> dict[str, str]:
        players = {
            name: f"network({run}/policy)" if options is None else f"alphago({run}, {budget}, {options})"
            for name, options in COMBINATIONS.items()
        }
        return players | ({"alphazero": _with_budget(beside, budget)} if beside else {})

    mixes = {f"λ = {share:g}": f"alphago({run}, simulations={simulations}, lambda_={share:g})" for share in LAMBDAS}
    fields = {
        "simulations": Field(f"{simulations} simulations a move", combinations(f"simulations={simulations}")),
        "lambda": Field(f"λ, with {simulations} simulations a move", mixes),
    }
    if seconds > 0:
        fields["seconds"] = Field(f"{seconds:g} s a move", combinations(f"seconds={seconds}"))
    return fields


def _with_budget(spec: str, budget: str) -> str:
    """Return the spec of a player with one argument more."""
    name, _, inside = spec.strip().removesuffix(")").partition("(")
    return f"{name}({', '.join(filter(None, (inside.strip(), budget)))})"


def rows_of(field: Field, game: str, games: int, jobs: int, store: Path) -> list[dict[str, Any]]:
    """Play what is missing of a field, and return a row for each player, the best first.

    Raises:
        typer.Exit: it was stopped; the games are kept.
    """
    names = list(field.players)
    played = iter_match(
        game, list(field.players.values()), games, names=names, jobs=jobs, store=store, resume=store.exists()
    )
    total = games * len(names) * (len(names) - 1) // 2
    records = play_with_progress(played, total)
    if len(records) < total:
        raise typer.Exit(130)
    return [
        {"name": one.name, "elo": one.elo, "low": one.low, "high": one.high, "games": one.games}
        for one in rating_list(records).ratings
    ]


def table_of(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the ratings as a table in Markdown."""
    cells = [[row["name"], f"{row['elo']:+.0f}", f"{row['low']:+.0f} to {row['high']:+.0f}"] for row in rows]
    return markdown_table(["what is used", "Elo", "95 %"], cells)


def draw(fields: dict[str, Field], found: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Draw the ratings with their intervals, a panel for each field."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2 * len(found), 3.4), layout="constrained")
    for axes, (key, rows) in zip(figure.subplots(1, len(found), squeeze=False)[0], found.items(), strict=True):
        order = list(fields[key].players)
        rows = sorted(rows, key=lambda row: -order.index(row["name"]))
        elo = [row["elo"] for row in rows]
        spread = [[row["elo"] - row["low"] for row in rows], [row["high"] - row["elo"] for row in rows]]
        axes.errorbar(elo, range(len(rows)), xerr=spread, fmt="o", color="#2471a3", capsize=3)
        axes.set_yticks(range(len(rows)), [row["name"] for row in rows])
        axes.set_title(fields[key].title, fontsize=10)
        axes.set_xlabel("Elo")
        axes.grid(axis="x", alpha=0.3)
    save_picture(figure, path)


def main(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run of plyground train alphago.")],
    games: Annotated[int, typer.Option(help="Games of each pairing; even.")] = 40,
    simulations: Annotated[int, typer.Option(help="Simulations of a move.")] = 100,
    seconds: Annotated[float, typer.Option(help="Seconds of a move; 0: nothing is played at equal time.")] = 0.05,
    alphazero: Annotated[
        str,
        typer.Option(
            metavar="RUN_OR_SPEC",
            help="The AlphaZero beside: the folder of a run, or a spec without simulations or seconds, as in "
            "'alphazero(az, decisive=true)'. Default: the one that comes with the package.",
        ),
    ] = "",
    jobs: Annotated[int, typer.Option(help="Processes; at equal time no more than idle cores.")] = 1,
    keep: Annotated[Path, typer.Option(help="A folder for games, tables and pictures.")] = Path("alphago-figure"),
    write: Annotated[bool, typer.Option("--write", help="Write the tables and the picture into docs.")] = False,
) -> None:
    """Play all fields, print their tables, and draw them."""
    game = json.loads((run / "config.json").read_text())["game"]
    fields = fields_of(run.resolve(), game, simulations, seconds, alphazero)
    if alphazero:
        try:
            make(fields["simulations"].players["alphazero"], game)
        except (ValueError, OSError) as error:
            raise typer.BadParameter(str(error), param_hint="--alphazero") from None
    keep.mkdir(parents=True, exist_ok=True)
    found, lines = {}, []
    if "alphazero" in fields["simulations"].players:
        lines.append(f"alphazero: {f'`{alphazero}`' if alphazero else 'the one that comes with the package'}.")
        print(lines[0], end="\n\n")
    for key, field in fields.items():
        found[key] = rows_of(field, game, games, jobs, keep / f"{key}.db")
        part = [f"{field.title}, {games} games of each pairing:", "", *table_of(found[key])]
        print("\n".join(part), end="\n\n", flush=True)
        lines += [*([""] if lines else []), *part]
    (keep / "ratings.json").write_text(json.dumps(found, indent=2) + "\n")
    section = f"alphago_{make_game(game).name}"
    draw(fields, found, PICTURES / f"{section}.svg" if write else keep / "ratings.svg")
    if write:
        write_section(section, lines, PAGE)


if __name__ == "__main__":
    typer.run(main)
