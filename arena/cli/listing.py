"""``plyground games`` and ``plyground agents``: what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

    made = [make_game(name) for name in game_names()]
    if as_json:
        print_json(
            [{"game": game.name, "parameters": dict(game.parameters), "actions": game.num_actions} for game in made]
        )
        return
    table = Table("game, with its defaults", "actions", "observation", "id: plyground/…", header_style="bold")
    rows = [(_usage(game), game.name, game) for game in made]
    rows += [(f"{name}, short for {spec}", name, make_game(name)) for name, spec in game_presets().items()]
    for usage, name, game in rows:
        table.add_row(usage, str(game.num_actions), "x".join(map(str, game.observation_shape)), f"{name}-v0")
    _out.print(table)


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
    for spec, about in usages:
        table.add_row(spec, about.replace("`", ""))
    _out.print(table)
