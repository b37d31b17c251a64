"""``plyground analyse``: an agent's analysis of a position, as tables in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from ..lines import board_of, console, print_plain
from .options import GameArgument, Json, Moves, PositionOption, Unicode, print_json

__all__ = ["analyse"]


def analyse(
    context: typer.Context,
    game: GameArgument,
    moves: Moves = "",
    position: PositionOption = "",
    agent: Annotated[
        str, typer.Option(help="The agent that searches, as in 'mcts(simulations=5000)'.")
    ] = "alphabeta(seconds=1)",
    unicode: Unicode = False,
    as_json: Json = False,
) -> None:
    """Search a position, and print the board, the value, the best line, and a table of the actions.

    The feature table shows this position's own features.
    """
    from ...envs import make_game
    from ..openings import read_moves
    from .parts.analysis import analysis_data, analysis_of, feature_table, print_analysis, searcher
    from .parts.modes import check_options
    from .parts.positions import board_text, position_data, start_of, status_of

    check_options(context, "--json" if as_json else "text", {"text": ("unicode",)})
    made = make_game(game)
    start = start_of(made, position)
    played = read_moves(made, moves, start)
    state = made.play_moves(played, start)
    player = searcher(agent, made)
    found = analysis_of(player, made, start, played)
    evaluated = getattr(player, "game", made)  # an agent may have other weights
    if as_json:
        features = evaluated.features_of(state, made.player(state)) if evaluated.weights else {}
        about = {**position_data(made, state), "agent": agent, **analysis_data(made, state, found)}
        print_json({**about, "features": features, "weights": dict(evaluated.weights)})
        return
    out = console()
    print_plain(out, board_of(f"{board_text(made, state, unicode)}\n{status_of(made, state)}\n"))
    print_analysis(out, made, state, found)
    if evaluated.weights:
        out.print(feature_table(evaluated, state))
