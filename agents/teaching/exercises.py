"""Random exercises on alpha-beta and Monte Carlo tree search, with full solutions. The same seed gives the same one."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...envs import Game, State, make_game
from ...envs.definition.board import sides_of
from ...envs.render.drawing import Drawing
from .alphabeta_trace import AlphaBetaTrace, TracedNode, trace_alphabeta
from .drawing import alphabeta_drawing, mcts_drawing
from .mcts_trace import MCTSTrace, trace_mcts
from .text import alphabeta_steps, alphabeta_summary, alphabeta_text, mcts_steps, mcts_text
from .trees import ListedNode, Tree, format_tree, number

__all__ = ["EXERCISES", "Exercise", "alphabeta_exercise", "best_first", "mcts_exercise"]

_VALUES = range(1, 31)  # values of leaves; none stands twice in a tree, so that every node has one best child
_LEAST_PRUNED = 3  # leaves that are pruned
_LEAST_GAP = 0.02  # between the best UCB and the next one, so that rounding does not matter
_C = 1.4
_COLUMNS = 79  # of the sentences: a terminal of 80 columns, or a projector, breaks none of them anew


@dataclass(frozen=True)
class Exercise:
    """An exercise: the questions and the solution, as text and as pictures."""

    question: str
    solution: str
    question_drawing: Drawing
    solution_drawing: Drawing


def alphabeta_exercise(seed: int) -> Exercise:
    """Return a random tree of three plies, on which alpha-beta prunes both at a MAX and at a MIN node."""
    rng = np.random.default_rng(seed)
    tree, trace = _tree_with_cuts(rng)
    minimax = trace_alphabeta(ListedNode(tree), pruning=False)
    leaves = len(minimax.leaves)
    question = "\n".join(
        [
            f"Alpha-beta, exercise {seed}",
            "",
            "MAX moves at the root; the numbers are the values of the leaves for MAX.",
            format_tree(tree),
            "",
            alphabeta_text(trace, solved=False),
            "",
            "1. Give the minimax value of each inner node. Which move is MAX's best?",
            _wrapped(
                "2. Search the tree by alpha-beta, from left to right. With which α and β does the search come to each "
                "node, and what does it return? Which leaves are looked at, in which order? Which branches are pruned, "
                "and why?"
            ),
            _wrapped(
                "3. How many leaves would be looked at if the children of every node were sorted, the best for the "
                "player to move first?"
            ),
        ]
    )
    ordered = best_first(minimax.root)
    again = trace_alphabeta(ListedNode(ordered))
    values = [f"{node.name} = {number(node.value or 0.0)}" for node in minimax.root.walk() if not node.is_leaf]
    solution = "\n".join(
        [
            _wrapped(f"1. {', '.join(values)}. MAX's best move is {minimax.best_line[0].name}."),
            "",
            *map(_wrapped, ("2. " + alphabeta_summary(trace).replace("\n", "\n   ")).splitlines()),
            "",
            _indented(alphabeta_text(trace)),
            "",
            _indented(alphabeta_steps(trace)),
            "",
            f"3. {len(again.leaves)} instead of {len(trace.leaves)}, of {leaves}: {format_tree(ordered)}",
        ]
    )
    return Exercise(question, solution, alphabeta_drawing(trace, solved=False), alphabeta_drawing(trace))


def _tree_with_cuts(rng: np.random.Generator) -> tuple[Tree, AlphaBetaTrace]:
    while True:  # about every third tree will do
        widths = [[int(rng.integers(2, 4)) for _ in range(int(rng.integers(2, 4)))] for _ in range(3)]
        values = iter(rng.choice(_VALUES, sum(map(sum, widths)), replace=False).tolist())
        tree = tuple(tuple(tuple(float(next(values)) for _ in range(n)) for n in node) for node in widths)
        trace = trace_alphabeta(ListedNode(tree))
        cut = {node.is_max for node in trace.root.walk() if node.cut}
        if cut == {False, True} and len(trace.pruned_leaves) >= _LEAST_PRUNED:
            return tree, trace


def best_first(node: TracedNode) -> Tree:
    """Return the tree below a node of a minimax trace, with the children sorted, the best for the player first."""
    if node.is_leaf:
        assert node.value is not None
        return node.value
    children = sorted(node.children, key=lambda child: child.value or 0.0, reverse=node.is_max)
    return tuple(best_first(child) for child in children)


def mcts_exercise(seed: int) -> Exercise:
    """Return a position of tic-tac-toe with a tree that UCT has built; the next simulation is to be done by hand."""
    game = make_game("tictactoe")
    rng = np.random.default_rng(seed)
    state, before, after = _next_simulation(game, rng)
    last = after.simulations[-1]
    sides = sides_of(game)
    if last.utility == 0:
        result = "ends in a draw"
    else:
        result = f"is won by {sides[int(last.utility < 0)]}"
    question = "\n".join(
        [
            f"Monte Carlo tree search, exercise {seed}",
            "",
            f"Tic-tac-toe, {sides[int(game.player(state))]} to move:",
            game.text(state),
            "",
            _wrapped(
                f"This is the tree after {len(before.simulations)} simulations. N counts the visits of a node, W sums "
                "the results, +1 for a win and -1 for a loss, of the player who moved into it, and Q = W / N.",
                indent="",
            ),
            mcts_text(before),
            "",
            _wrapped(
                f"Do simulation {last.number}. Selection takes the highest Q + {number(_C)} · sqrt(ln N(parent) / N); "
                "the moves of a node that have no child yet are tried first, in the order of their numbers.",
                indent="",
            ),
            _wrapped(
                "1. Give this bound for each child of the nodes that the selection passes. Which path does it take?"
            ),
            "2. Which node does the expansion add?",
            _wrapped(
                f"3. The random rollout from there {result}. Give N and W of all nodes that back-propagation changes."
            ),
            _wrapped("4. The search ends after this simulation. Which move does it play, if the most visits decide?"),
        ]
    )
    counts = ", ".join(f"{child.moves[-1]}: {child.visits}" for child in after.root.children)
    solution = "\n".join(
        [
            mcts_steps(after, last.number),
            "",
            f"The visits are then {counts}, so the search plays {after.best.moves[-1]}.",
            "",
            mcts_text(after),
        ]
    )
    return Exercise(question, solution, mcts_drawing(before), mcts_drawing(after))


def _next_simulation(game: Game, rng: np.random.Generator) -> tuple[State, MCTSTrace, MCTSTrace]:
    """Return a position, a search of it, and the same with one simulation more, in which all four steps happen."""
    while True:
        state = game.new_state()
        for _ in range(int(rng.integers(3, 6))):
            if not game.is_terminal(state):
                game.play(state, int(rng.choice(game.actions(state))))
        if game.is_terminal(state):
            continue
        seed = int(rng.integers(2**31))
        for count in range(10, 25):
            after = trace_mcts(game, state, count + 1, c=_C, seed=seed)
            if _is_instructive(after):
                return state, trace_mcts(game, state, count, c=_C, seed=seed), after


def _is_instructive(trace: MCTSTrace) -> bool:
    """Whether the last simulation selects twice, expands and plays, and leaves no doubt about the answers."""
    last = trace.simulations[-1]
    if len(last.selections) < 2 or last.expanded is None or not last.rollout:
        return False
    for selection in last.selections:
        scores = sorted(option.score for option in selection.options)
        if len(scores) > 1 and scores[-1] - scores[-2] < _LEAST_GAP:
            return False
    visits = sorted(child.visits for child in trace.root.children)
    return visits[-1] > visits[-2]


def _wrapped(text: str, indent: str = "   ") -> str:
    """Break a sentence into lines, but no equation; the lines after the first begin with ``indent``."""
    whole = text.replace(" = ", "\u00a0=\u00a0")
    lines = textwrap.fill(whole, _COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\u00a0", " ")


def _indented(text: str) -> str:
    return "\n".join(f"   {line}".rstrip() for line in text.splitlines())


EXERCISES: dict[str, Callable[[int], Exercise]] = {"alphabeta": alphabeta_exercise, "mcts": mcts_exercise}
