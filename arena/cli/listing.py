"""``plyground games`` and ``plyground agents``: what there is."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .options import Json, print_json

__all__ = ["agents", "games"]

_out = Console()


def games(as_json: Json = False) -> None:
    """List the games."""
    from ...envs import game_names, make_game

    made = [make_game(name) for name in game_names()]
    if as_json:
        print_json(
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
        table.add_row(escape(spec), escape(about.replace("`", "")))
    _out.print(table)
