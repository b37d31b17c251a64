"""What each option of alpha-beta gains at equal depth: ``python -m benchmarks.strength.ablation``, about three minutes.

One loop over keyword arguments. Every setting searches the same positions of random games, each from an empty table.
The value of the sound ones is checked on the way: it is the same in every row. Time is that of the processor, which
others on the machine disturb less, and the best of five rounds. With ``--write`` the tables go into
docs/measurements.md, between its markers.
"""

from __future__ import annotations

import time
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.page import check_all, markdown_table, write_section
from plyground.agents import AlphaBeta
from plyground.envs import State, make_game

GAMES = {"connect_four": 10, "othello": 8, "checkers": 11, "gomoku(size=9)": 4}  # with the depth, in plies
POSITIONS, PLIES, ROUNDS = 12, (2, 12), 5
WIDTH = 100  # columns that a table needs; a file or a pipe has no width of its own
PLAIN: dict[str, Any] = {"table_mb": 0, "ordered": False, "pvs": False, "iterative": False}
SOUND: dict[str, dict[str, Any]] = {
    "all sound options (default)": {},
    "without `table_mb`": {"table_mb": 0},
    "without `hash_move`": {"hash_move": False},
    "without `killers`": {"killers": False},
    "without `history`": {"history": False},
    "without any order": {"ordered": False},
    "without `pvs`": {"pvs": False},
    "without `iterative`": {"iterative": False},
    '`replacement="always"`': {"replacement": "always"},
    "with `aspiration=0.05`": {"aspiration": 0.05},
    "plain alpha-beta": PLAIN,
    "plain, with `table_mb`": {**PLAIN, "table_mb": 16},
    "plain, with `killers`": {**PLAIN, "ordered": True, "history": False},
    "plain, with `history`": {**PLAIN, "ordered": True, "killers": False},
}
FROM_START = {"tictactoe": 9, "connect_four": 12, "othello": 9, "mnk(m=4, n=4, k=4)": 9, "gomoku(size=9)": 4}
SELECTIVE: dict[str, dict[str, Any]] = {
    "`deeper_entries=True`": {"deeper_entries": True},
    "`lmr=3`": {"lmr": 3},
    "`lmr=3, deeper_entries=True`": {"lmr": 3, "deeper_entries": True},
    "`margin=0.02`": {"margin": 0.02},
    "`margin=0.02, pvs=False`": {"margin": 0.02, "pvs": False},
    "`quiescence=8`": {"quiescence": 8},
    "`singular=0.1`": {"singular": 0.1},
}


class Searched(NamedTuple):
    """What the searches of one setting gave: nodes and seconds together, the value and the move of each."""

    nodes: int
    seconds: float
    values: list[float]
    moves: list[int]


def positions(spec: str) -> list[State]:
    """Return unfinished positions of random games; the same in every run."""
    game, rng = make_game(spec), np.random.default_rng(0)
    found: list[State] = []
    while len(found) < POSITIONS:
        state = game.new_state()
        for _ in range(rng.integers(*PLIES)):
            if not game.is_terminal(state):
                game.play(state, int(rng.choice(game.actions(state))))
        if not game.is_terminal(state):
            found.append(state)
    return found


def measure(spec: str, depth: int, states: list[State], options: dict[str, Any]) -> Searched:
    """Search all positions, each from an empty table."""
    agent = AlphaBeta(spec, depth, **options)
    agent.analyse(states[0])  # compiled
    found, seconds = [], 0.0
    for state in states:
        agent.reset()
        started = time.process_time()
        found.append(agent.analyse(state))
        seconds += time.process_time() - started
    values, moves = [one.value for one in found], [one.best_action for one in found]
    return Searched(sum(one.nodes for one in found), seconds, values, moves)


def rows(spec: str) -> list[tuple[str, ...]]:
    """Measure every setting in one game; nodes and time are relative to the first, the default."""
    states, settings = positions(spec), {**SOUND, **SELECTIVE}
    # Round by round, so that whatever else the machine does meets all settings.
    rounds = [
        {name: measure(spec, GAMES[spec], states, options) for name, options in settings.items()} for _ in range(ROUNDS)
    ]
    best = {name: min((one[name] for one in rounds), key=lambda one: one.seconds) for name in settings}
    base, out = next(iter(best.values())), []
    for name, now in best.items():
        if name in SOUND and now.values != base.values:
            raise AssertionError(f"{spec}, {name}: a sound option changed a value, {now.values}, not {base.values}")
        same = sum(a == b for a, b in zip(now.moves, base.moves, strict=True))
        out.append(
            (
                name,
                f"{now.nodes:,}",
                f"{now.nodes / base.nodes:.2f}",
                f"{now.seconds:.3f}",
                f"{now.seconds / base.seconds:.2f}",
                "" if name in SOUND else f"{same} of {POSITIONS}",
            )
        )
    return out


def folding_rows() -> list[tuple[str, ...]]:
    """Measure what it saves, from the initial state of games, that images of a position share an entry."""
    out = []
    for spec, depth in FROM_START.items():
        states = [make_game(spec).new_state()]
        plain, folded = (
            min((measure(spec, depth, states, {"fold": fold}) for _ in range(ROUNDS)), key=lambda one: one.seconds)
            for fold in (False, True)
        )
        if plain.values != folded.values:
            raise AssertionError(f"{spec}: fold changed the value, {folded.values}, not {plain.values}")
        saved = (f"{folded.nodes / plain.nodes:.2f}", f"{plain.seconds:.4f}", f"{folded.seconds:.4f}")
        out.append((f"`{spec}`, depth {depth}", f"{plain.nodes:,}", f"{folded.nodes:,}", *saved))
    return out


def main(
    write: Annotated[bool, typer.Option("--write", help="Write the tables into docs/measurements.md.")] = False,
    only: Annotated[str, typer.Option(metavar="TEXT", help="Measure only games with this text in their name.")] = "",
) -> None:
    """Measure what each option of alpha-beta gains at equal depth."""
    specs = [spec for spec in GAMES if only in spec]
    if not specs:
        raise typer.BadParameter(f"no game has {only!r} in its name", param_hint="--only")
    check_all(write, only, "games")
    head = ("setting", "nodes", "× default", "seconds", "× default", "same move")
    console, markdown, started = Console(width=WIDTH), [], time.perf_counter()
    for spec in specs:
        table = Table(*head, title=f"{spec}, depth {GAMES[spec]}", title_justify="left")
        body = rows(spec)
        for row in body:
            table.add_row(*row)
        console.print(table)
        markdown += [f"`{spec}`, depth {GAMES[spec]}, {POSITIONS} positions:", ""]
        markdown += [*markdown_table(head, body), ""]
    if not only:
        head = ("from the start", "nodes", "with `fold`", "×", "seconds", "with `fold`")
        table = Table(*head, title="Mirror images", title_justify="left")
        body = folding_rows()
        for row in body:
            table.add_row(*row)
        console.print(table)
        markdown += ["Mirror images:", ""]
        markdown += [*markdown_table(head, body), ""]
    console.print(f"{time.perf_counter() - started:.0f} s")
    if write:
        write_section("ablation", markdown[:-1])


if __name__ == "__main__":
    typer.run(main)
