"""Simulations a second of the forest, in one thread: ``python -m benchmarks.speed.forest``, about a minute.

The evaluator of the first rows costs nothing, so they tell what the search itself costs. The last rows ask the same MLP
(84-64-7+1, random weights): NumPy's for ours, JAX's for mctx with the rules of pgx, ``gumbel_muzero_policy`` with 1024
games. Rates are the best of a few searches. A last row tells what the search costs beside a net as runs of AlphaZero
have it: all of its time but the net's, as a share of the net's, in the median of these searches. ``--only TEXT``
measures the rows with this text, and ``--write`` puts the tables into docs/measurements.md.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

# One thread for both sides, before NumPy and JAX are imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
if hasattr(os, "sched_setaffinity"):  # XLA makes as many threads as there are processors
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.page import check_all, markdown_table, write_section
from benchmarks.speed.harness import describe_machine
from plyground.agents.networks import make_inference, new_network
from plyground.agents.puct.forest import Forest
from plyground.envs import GameBatch, make_game

OPENING, SIMULATIONS, SEARCHES = 8, 32, 6
ROWS = [  # name, game, games, leaves of a tree in a pass, root, aim in millions
    ("Connect Four, Gumbel", "connect_four", 512, 16, "gumbel", 1.0),
    ("Connect Four, one leaf a pass", "connect_four", 512, 1, "gumbel", 1.0),
    ("Connect Four, PUCT", "connect_four", 512, 1, "puct", None),
    ("Othello, Gumbel", "othello", 256, 16, "gumbel", 0.3),
    ("Go 9x9, Gumbel", "go(board_size=9)", 64, 16, "gumbel", 0.15),
]
BESIDE, BESIDE_GAMES, BESIDE_MOST = "Connect Four, beside a net of 3x32", 512, 0.15


def weights() -> list[np.ndarray[Any, Any]]:
    """Return the weights of the MLP: of the hidden layer, and of the logits and the value together."""
    rng = np.random.default_rng(0)
    return [rng.normal(0, 84**-0.5, (84, 64)).astype(np.float32), rng.normal(0, 0.125, (64, 8)).astype(np.float32)]


def mlp(planes: Any, masks: Any) -> Any:
    """The MLP in NumPy."""
    first, second = MLP
    out = np.maximum(planes.reshape(len(planes), -1).astype(np.float32) @ first, 0) @ second
    return np.ascontiguousarray(out[:, :7]), np.tanh(out[:, 7])


MLP = weights()


def ours(spec: str, games: int, leaves: int, root: Any, network: bool) -> Callable[[], int]:
    """Return the work of one search of all games, which returns the simulations."""
    game = make_game(spec)
    forest = Forest(game, games, simulations=SIMULATIONS, root=root, leaves=leaves, seed=0)
    # mctx begins at the first position of the game, far from its end, where simulations need no network.
    states = GameBatch(game, games, seed=0, opening_plies=0 if network else OPENING).states.copy()
    logits = np.zeros((games * leaves, game.num_actions), np.float32)
    values = np.zeros(games * leaves, np.float32)
    shown = np.zeros((games, 2, *game.observation_shape), game.observation_dtype) if game.history else None

    def nothing(planes: Any, masks: Any) -> Any:
        return logits[: len(planes)], values[: len(planes)]

    def search() -> int:
        done = forest.simulations_done
        forest.forget()
        forest.search(states, mlp if network else nothing, shown=shown)
        return forest.simulations_done - done

    return search


def mctx_and_pgx(games: int) -> Callable[[], int]:
    """Return the same work by mctx and pgx; raises `ModuleNotFoundError` where these are not installed."""
    jax, jnp, mctx, pgx = map(import_module, ("jax", "jax.numpy", "mctx", "pgx"))

    env: Any = pgx.make("connect_four")
    output: Any = mctx.RecurrentFnOutput  # dataclasses of chex, whose arguments a type checker cannot see
    rooted: Any = mctx.RootFnOutput
    first, second = (jnp.asarray(layer) for layer in MLP)

    def network(observations: Any) -> Any:
        out = jax.nn.relu(observations.reshape(observations.shape[0], -1).astype(jnp.float32) @ first) @ second
        return out[:, :7], jnp.tanh(out[:, 7])

    def step(_: Any, key: Any, actions: Any, states: Any) -> Any:
        movers = states.current_player
        states = jax.vmap(env.step)(states, actions)
        logits, values = network(states.observation)
        logits = jnp.where(states.legal_action_mask, logits, jnp.finfo(jnp.float32).min)
        rewards = states.rewards[jnp.arange(games), movers]
        answer = output(
            reward=rewards,
            discount=jnp.where(states.terminated, 0.0, -1.0),
            prior_logits=logits,
            value=jnp.where(states.terminated, 0.0, values),
        )
        return answer, states

    @jax.jit
    def search(states: Any, key: Any) -> Any:
        logits, values = network(states.observation)
        root = rooted(prior_logits=logits, value=values, embedding=states)
        masks = ~states.legal_action_mask
        return mctx.gumbel_muzero_policy((), key, root, step, SIMULATIONS, invalid_actions=masks).action

    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games))

    def work() -> int:
        search(states, jax.random.PRNGKey(1)).block_until_ready()
        return games * SIMULATIONS

    return work


def rate(work: Callable[[], int]) -> float:
    """Return units a second, of the best of a few times."""
    work()
    best = 0.0
    for _ in range(SEARCHES):
        begun = time.perf_counter()
        units = work()
        best = max(best, units / (time.perf_counter() - begun))
    return best


def share_beside_net() -> float:
    """Return the time of a search of all games without the net's time, as a share of that; one leaf a pass."""
    game = make_game("connect_four")
    forest = Forest(game, BESIDE_GAMES, simulations=SIMULATIONS, seed=0)
    states = GameBatch(game, BESIDE_GAMES, seed=0, opening_plies=OPENING).states.copy()
    inference = make_inference(new_network(game, "small"), batch=BESIDE_GAMES)
    of_net = 0.0

    def evaluate(planes: Any, masks: Any) -> Any:
        nonlocal of_net
        begun = time.perf_counter()
        answer = inference(planes)
        of_net += time.perf_counter() - begun
        return answer

    shares: list[float] = []
    for _ in range(1 + SEARCHES):
        of_net, begun = 0.0, time.perf_counter()
        forest.forget()
        forest.search(states, evaluate)
        shares.append((time.perf_counter() - begun) / of_net - 1)
    return statistics.median(shares[1:])  # the first compiles


def main(
    only: Annotated[str, typer.Option(help="Measure only those with this text in the name.")] = "",
    write: Annotated[
        bool, typer.Option("--write", help="Write the table into docs/measurements.md: all rows.")
    ] = False,
) -> None:
    """Measure the simulations a second of the forest, and what it costs beside a net, and print tables."""
    check_all(write, only, "rows")
    head, rows = ("search", "games", "M/s", "aim"), []
    works: list[tuple[str, int, Callable[[], Callable[[], int]], str]] = [
        (name, games, lambda row=(spec, games, leaves, root): ours(*row, False), "-" if aim is None else f"≥ {aim:g}")
        for name, spec, games, leaves, root, aim in ROWS
    ]
    works.append(("Connect Four, Gumbel, MLP", 1024, lambda: ours("connect_four", 1024, 1, "gumbel", True), "≥ mctx"))
    works.append(("Connect Four, MLP, mctx + pgx", 1024, lambda: mctx_and_pgx(1024), "-"))
    for name, games, made, aim in works:
        if only.lower() not in name.lower():
            continue
        try:
            found = f"{rate(made()) / 1e6:.2f}"
        except ModuleNotFoundError:
            found = "not installed"
        rows.append((name, str(games), found, aim))
    tables = [("Simulations a second, one thread", head, rows)] if rows else []
    if only.lower() in BESIDE.lower():
        try:
            found = f"{100 * share_beside_net():.1f} %"
        except ImportError:
            found = "not installed"
        row = (BESIDE, str(BESIDE_GAMES), found, f"≤ {100 * BESIDE_MOST:g} %")
        tables.append(("What a search costs, one thread", ("search", "games", "of the net's time", "aim"), [row]))
    console, cpu, lines = Console(), str(describe_machine()["cpu"]), []
    for title, columns, found_rows in tables:
        table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
        for column in columns:
            table.add_column(column, justify="left" if column == "search" else "right")
        for row in found_rows:
            table.add_row(*row)
        console.print(table)
        lines += ["", *markdown_table(columns, found_rows)]
    console.print(cpu, highlight=False)
    if write:
        write_section("forests", [f"One core of an {cpu}:", *lines])


if __name__ == "__main__":
    typer.run(main)
