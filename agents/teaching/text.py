"""Recorded searches as text: an indented tree, and the list of the steps."""

from __future__ import annotations

from collections.abc import Iterator

from ...envs.definition.board import sides_of
from .alphabeta_trace import AlphaBetaTrace, TracedNode
from .mcts_trace import MCTSNode, MCTSTrace, Simulation
from .trees import number

__all__ = ["alphabeta_steps", "alphabeta_summary", "alphabeta_text", "mcts_steps", "mcts_text"]


def alphabeta_text(trace: AlphaBetaTrace, *, solved: bool = True) -> str:
    """Return the tree as indented lines.

    Each node shows the α and β with which the search came to it, and its value v or the known bound on it. Pruned
    branches are marked ✂.

    Args:
        trace: the recorded search.
        solved: False shows only what is known before the search: the tree and its leaves.
    """
    return "\n".join(_lines(trace.root, trace.is_minimax, solved, "", ""))


def _lines(node: TracedNode, is_minimax: bool, solved: bool, first: str, rest: str) -> Iterator[str]:
    yield first + _line(node, is_minimax, solved)
    for i, child in enumerate(node.children):
        is_last = i + 1 == len(node.children)
        yield from _lines(
            child, is_minimax, solved, rest + ("└─ " if is_last else "├─ "), rest + ("   " if is_last else "│  ")
        )


def _line(node: TracedNode, is_minimax: bool, solved: bool) -> str:
    name = node.move or node.name
    if node.is_leaf:
        if solved and node.is_pruned:
            return f"✂ {name}" if node.value is None else f"✂ {name} = {number(node.value)}"
        return f"{name} = {'?' if node.value is None else number(node.value)}"
    if not solved:
        return f"{name} {node.player}"
    if node.is_pruned:
        return f"✂ {name} {node.player}"
    assert node.value is not None
    window = "" if is_minimax else f"  α={number(node.alpha)} β={number(node.beta)}"
    cut = f"  ✂ {node.cut}" if node.cut else ""
    return f"{name} {node.player}{window}  v{node.relation}{number(node.value)}{cut}"


def alphabeta_steps(trace: AlphaBetaTrace) -> str:
    """Return the steps of the search, numbered."""
    width = len(str(len(trace.steps)))
    return "\n".join(f"{i:{width}}. {step.node}: {step.text}" for i, step in enumerate(trace.steps, start=1))


def alphabeta_summary(trace: AlphaBetaTrace) -> str:
    """Return the result in a few lines: value, best line, leaves in the order of the search, pruned branches."""
    line = " ".join(node.move for node in trace.best_line) or "none"
    looked_at = ", ".join(f"{node.name} = {number(node.value or 0.0)}" for node in trace.leaves)
    lines = [
        f"value {number(trace.value)}, best line {line}",
        f"{len(trace.leaves)} leaves looked at: {looked_at}",
    ]
    if not trace.is_minimax:
        pruned = ", ".join(node.name for node in trace.pruned) or "nothing"
        lines.append(f"pruned: {pruned}")
    return "\n".join(lines)


def mcts_text(trace: MCTSTrace) -> str:
    """Return the tree as indented lines, with W, N and Q of each node, for the player who moved into it."""
    return "\n".join(_mcts_lines(trace, trace.root, "", ""))


def _mcts_lines(trace: MCTSTrace, node: MCTSNode, first: str, rest: str) -> Iterator[str]:
    if node.moves:
        player = sides_of(trace.game)[node.mover]
        yield f"{first}{node.moves[-1]}  {player}: W={number(node.total)} N={node.visits} Q={node.mean:.3f}"
    else:
        yield f"root  N={node.visits}"
    for i, child in enumerate(node.children):
        is_last = i + 1 == len(node.children)
        yield from _mcts_lines(trace, child, rest + ("└─ " if is_last else "├─ "), rest + ("   " if is_last else "│  "))


def mcts_steps(trace: MCTSTrace, first: int = 1) -> str:
    """Return the four steps of each simulation, with the terms of UCB.

    Args:
        trace: the recorded search.
        first: the number of the first simulation to show.
    """
    return "\n\n".join("\n".join(_simulation(trace, done)) for done in trace.simulations[first - 1 :])


def _simulation(trace: MCTSTrace, done: Simulation) -> Iterator[str]:
    players = sides_of(trace.game)
    yield f"Simulation {done.number}"
    if not done.selections:
        yield "  1. Selection: root, which has untried moves"
    for step in done.selections:
        yield f"  1. Selection at {step.node}, N = {step.visits}: Q + {number(trace.c)}·sqrt(ln {step.visits} / N)"
        width = max(len(option.move) for option in step.options)
        for option in step.options:
            mark = "  <- highest" if option.move == step.chosen else ""
            mean = f"{number(option.total)}/{option.visits}"
            yield f"       {option.move:>{width}}  {mean:>6} + {option.bonus:.3f} = {option.score:.3f}{mark}"
    at = " ".join(done.path)
    yield f"  2. Expansion: {f'new node {done.expanded}' if done.expanded else f'none, the game is over at {at}'}"
    yield f"  3. Simulation: {' '.join(done.rollout) or 'no moves'}; {_result(players, done.utility)}"
    yield "  4. Back-propagation"
    for update in done.updates:
        name = f"{update.node} ({players[update.mover]})" if update.node != "root" else "root"
        total = (
            f", W {number(update.total - update.utility)} -> {number(update.total)}" if update.node != "root" else ""
        )
        yield f"       {name}: N {update.visits - 1} -> {update.visits}{total}"


def _result(players: tuple[str, str], utility: float) -> str:
    """Return who won, from the first player's utility."""
    if utility == 0:
        return "a draw"
    amount = "" if abs(utility) == 1 else f" {number(abs(utility))}"
    return f"{players[int(utility < 0)]} wins{amount}"
