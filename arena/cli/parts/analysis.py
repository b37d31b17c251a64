"""An agent's analysis of a position, as tables in the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Column, Table

from ....agents import Analysis, make
from ....agents.repetitions import forbids
from ....agents.search import analyse_seen
from ....envs import BoardGameEnv, Game, State
from ...lines import signed
from ...tables import Parted

__all__ = [
    "action_table",
    "analysis_data",
    "analysis_of",
    "feature_table",
    "print_analysis",
    "searcher",
    "summary_table",
]

_MOST_ROWS = 20  # in the table of actions: the best ones


def analysis_of(agent: Any, game: Game, start: State, moves: Sequence[int]) -> Analysis:
    """Return an agent's analysis of the position after some moves: what repeats a position of the game, it is told.

    Where an environment would have ended the game by repetition, the position is searched alone: people play on.

    Raises:
        ValueError: the game is over by the rules of a state, or a move is forbidden by superko.
    """
    state = game.play_moves(moves, start)
    if game.is_terminal(state):
        return agent.analyse(state)  # which says that there is nothing to search
    env: Any = BoardGameEnv(game)
    try:
        env.reset(options={"state": start, "moves": list(moves)})
    except ValueError:
        if forbids(game):
            raise
        return agent.analyse(state)
    observation, _, _, _, info = env.last()
    return analyse_seen(agent, observation, info)


def searcher(spec: str, game: Game) -> Any:
    """Return the agent that ``spec`` describes, which must have ``analyse``.

    Raises:
        ValueError: the agent is unknown or does not search.
    """
    agent = make(spec, game)
    if not hasattr(agent, "analyse"):
        raise ValueError(f"{spec!r} does not search, so it has nothing to show: choose one as mcts(simulations=5000)")
    return agent


def print_analysis(out: Console, game: Game, state: State, found: Analysis) -> None:
    """Print all that an analysis has."""
    out.print(summary_table(game, state, found))
    out.print(action_table(game, state, found))


def analysis_data(game: Game, state: State, found: Analysis) -> dict[str, Any]:
    """Return an analysis for JSON: actions by their numbers and names, values for the player to move."""
    total = sum(found.visits.values())
    actions = [
        {
            "action": action,
            "move": game.move_name(state, action),
            "value": found.values.get(action),
            "kind": found.kind_of(action),
            "visits": found.visits.get(action),
            "share": found.visits[action] / total if action in found.visits else None,
            "prior": found.priors.get(action),
        }
        for action in sorted({*found.values, *found.visits})
    ]
    return {
        "best_action": found.best_action,
        "best_move": game.move_name(state, found.best_action),
        "best_actions": found.best_actions,
        "value": found.value,
        "kind": found.kind,
        "standard_error": found.standard_error,
        "line": game.line_names(found.pv, state),
        "depth": found.depth,
        "nodes": found.nodes,
        "seconds": found.seconds,
        "statistics": found.statistics,
        "actions": actions,
    }


def summary_table(game: Game, state: State, found: Analysis) -> Table:
    """Return a table of the value of a position, for the player to move, and of the work that it took."""
    error = "" if found.standard_error is None else f" ± {found.standard_error:.3f}"
    rows = {
        "value": f"{signed(found.value, 3)}{error} ({found.kind})",
        "best line": " ".join(game.line_names(found.pv, state)),
        "depth": f"{found.depth}" + (f", selectively {found.selective_depth}" if found.selective_depth else ""),
        "nodes": f"{found.nodes:,}",
        "time": f"{found.seconds:.3g} s, {found.nodes_per_second:,.0f} nodes/s",
        **{name: f"{n:,.0f}" if n == int(n) else f"{n:.3f}" for name, n in found.statistics.items()},
    }
    table = Table(Column(style="bold"), Column(), show_header=False, box=None, pad_edge=False)
    for name, text in rows.items():
        table.add_row(name, text)
    return table


def action_table(game: Game, state: State, found: Analysis) -> Table:
    """Return a table of the actions that a search looked at, 20 at most, the best first.

    The values are from the point of view of the player to move, and the last column says what each is (see
    `Analysis.kind_of`).
    """
    table = Parted(None, box=box.HEAVY_HEAD, header_style="bold")
    table.add_column("action", overflow="fold")
    numbers = ["value", *(("visits", "share") if found.visits else ()), *(("prior",) if found.priors else ())]
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("which is", no_wrap=True)
    total = sum(found.visits.values())
    actions = sorted(
        {*found.values, *found.visits},
        key=lambda action: (
            action != found.best_action,
            -found.visits.get(action, 0),
            -found.values.get(action, -game.max_utility),
            action,
        ),
    )
    for action in actions[:_MOST_ROWS]:
        row = [game.move_name(state, action), _value(found, action)]
        if found.visits:
            visits = found.visits.get(action, 0)
            row += [str(visits), f"{visits / total:.1%}"]
        if found.priors:
            row.append(f"{found.priors.get(action, 0):.1%}")
        row.append(found.kind_of(action) if action in found.values else "")
        table.add_row(*row)
    if len(actions) > _MOST_ROWS:
        table.caption = f"and {len(actions) - _MOST_ROWS} more"
    return table


def _value(found: Analysis, action: int) -> str:
    """Return the value of an action as text."""
    if action not in found.values:
        return "-"
    return f"{'≤ ' if action in found.upper_bounds else ''}{signed(found.values[action], 3)}"


def feature_table(game: Game, state: State) -> Table:
    """Return a table of the features by which a search evaluates a position, and what each adds to the evaluation.

    The values are from the point of view of the player to move.
    """
    table = Parted(None, least=12, box=box.HEAVY_HEAD, header_style="bold", show_footer=True)
    player = game.player(state)
    table.add_column("feature", footer="evaluation", overflow="fold")
    for name in ("value", "weight"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("adds", justify="right", no_wrap=True, footer=signed(game.evaluate(state, player), 3))
    for name, value in game.features_of(state, player).items():
        weight = game.weights[name]
        adds = game.max_utility * weight * value
        table.add_row(name, signed(value, 3), f"{weight:g}", signed(adds, 3))
    return table
