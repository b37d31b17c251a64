"""``plyground games`` and ``plyground agents``: what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from ..lines import console
from .options import Json, print_json

if TYPE_CHECKING:
    from ...envs import Game

__all__ = ["agents", "games"]

_out = console()


def games(as_json: Json = False) -> None:
    """List the games."""
    from ...envs import game_names, make_game
    from ...envs.registry import game_presets
    from ..tables import Parted

    presets = game_presets()
    made = {name: make_game(name) for name in (*game_names(), *presets)}
    if as_json:
        print_json([{"game": name, "short_for": presets.get(name), **_data(name, game)} for name, game in made.items()])
        return
    table = Parted(None, least=12, header_style="bold", box=box.HEAVY_HEAD)
    table.add_column("game, with its defaults", overflow="fold")
    for heading in ("actions", "observation", "id: plyground/…"):
        table.add_column(heading, no_wrap=True)
    for name, game in made.items():
        usage = f"{name}, short for {presets[name]}" if name in presets else _usage(game)
        table.add_row(usage, str(game.num_actions), "x".join(map(str, game.observation_shape)), f"{name}-v0")
    _out.print(table)


def _data(name: str, game: Game) -> dict[str, Any]:
    return {
        "parameters": dict(game.parameters),
        "actions": game.num_actions,
        "observation": list(game.observation_shape),
        "id": f"plyground/{name}-v0",
    }


def _usage(game: Game) -> str:
    parameters = ", ".join(f"{name}={value}" for name, value in game.parameters.items())
    return f"{game.name}({parameters})" if parameters else game.name


def agents(as_json: Json = False) -> None:
    """List the kinds of players, and how their specs are written."""
    from ...agents import agent_names, agent_usage

    usages = [agent_usage(name) for name in agent_names()]
    if as_json:
        print_json(
            [
                {"agent": name, "spec": spec, "about": about}
                for name, (spec, about) in zip(agent_names(), usages, strict=True)
            ]
        )
        return
    table = Table("spec, with its defaults", "what it does", header_style="bold", show_lines=True)
    table.columns[0].overflow = "fold"
    for spec, about in usages:
        table.add_row(spec, about.replace("`", ""))
    _out.print(table)
