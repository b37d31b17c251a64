"""How many leaves alpha-beta looks at, by the order of the moves: ``python -m benchmarks.strength.knuth_moore``.

Uniform trees of b moves and h plies, searched by plain alpha-beta. With the best move first everywhere the leaves are
b^⌈h/2⌉ + b^⌊h/2⌋ - 1, the fewest possible; with the worst order they are all of b^h; with independent random leaves,
about b^(3h/4). The picture goes to docs/images/knuth_moore.svg, the table to standard output; half a minute.

Sources: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975); S. H.
Fuller, J. G. Gaschnig and J. J. Gillogly, "Analysis of the alpha-beta pruning algorithm", Carnegie Mellon University
(1973), for the exponent 3/4.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path

from rich.console import Console
from rich.table import Table

from plyground.agents import AlphaBeta
from plyground.envs import Game
from plyground.envs.render.drawing import Drawing
from plyground.envs.render.shapes import Circle, Line, Point, Shape, Text
from tests.helpers.trees import perfectly_ordered_tree, random_tree, worst_ordered_tree

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "knuth_moore.svg"
BRANCHING, DEPTHS, SEEDS = 4, range(1, 11), range(20)
WIDTH, HEIGHT, LEFT, TOP = 9.0, 5.5, 1.5, 0.8  # of the plot, and its place in the picture
DESCRIPTION = (
    "Leaves by depth, on a logarithmic scale. The counts in worst and in perfect order lie on their lines; those in "
    "random order run nearly parallel to theirs, a little above."
)
BLACK, GREY = "#222222", "#dddddd"


def minimal(b: int, h: int) -> float:
    """Return the fewest leaves that prove the value."""
    return b ** math.ceil(h / 2) + b ** (h // 2) - 1


CURVES = [  # the order; its colour; what the theory says, and how that is written
    ("worst order", "#c0392b", lambda b, h: b**h, "b^h"),
    ("random order", "#2471a3", lambda b, h: b ** (0.75 * h), "b^(3h/4)"),
    ("perfect order", "#1e8449", minimal, "b^ceil(h/2) + b^floor(h/2) - 1"),
]


def leaves(game: Game, depth: int) -> int:
    plain = AlphaBeta(game, depth, table_mb=0, ordered=False, pvs=False, iterative=False)
    return plain.analyse(game.new_state()).leaves


def measure(b: int, h: int) -> list[float]:
    """Return the leaves counted in each order; in random order, their mean over trees."""
    random = [leaves(random_tree(b, h, seed), h) for seed in SEEDS]
    return [leaves(worst_ordered_tree(b, h), h), sum(random) / len(random), leaves(perfectly_ordered_tree(b, h), h)]


def picture(b: int, counted: dict[int, list[float]]) -> Drawing:
    """Draw the counts as dots and the theory as lines; the number of leaves grows by powers of ten."""
    deepest = max(counted)
    decades = math.ceil(deepest * math.log10(b))

    def at(h: float, count: float) -> Point:
        return LEFT + WIDTH * h / deepest, TOP + HEIGHT * (1 - math.log10(count) / decades)

    shapes: list[Shape] = [Line(at(0, 10**n), at(deepest, 10**n), GREY, 0.02) for n in range(decades + 1)]
    shapes += [Text(LEFT - 0.75, at(0, 10**n)[1], f"{10**n:,}", 0.24, BLACK) for n in range(decades + 1)]
    shapes += [Text(at(h, 1)[0], TOP + HEIGHT + 0.35, str(h), 0.26, BLACK) for h in range(deepest + 1)]
    shapes.append(Text(LEFT + WIDTH / 2, TOP + HEIGHT + 0.95, "h, the depth in plies", 0.28, BLACK))
    title = f"Leaves looked at by alpha-beta, b = {b}: counted (dots) and by theory (lines)"
    shapes.append(Text(LEFT + WIDTH / 2, 0.4, title, 0.28, BLACK))
    for i, (order, colour, theory, formula) in enumerate(CURVES):
        points = [at(h, theory(b, h)) for h in range(deepest + 1)]
        shapes += [Line(start, end, colour, 0.03) for start, end in itertools.pairwise(points)]
        shapes += [Circle(*at(h, counts[i]), 0.09, colour) for h, counts in counted.items()]
        shapes.append(Text(LEFT + 2.6, TOP + 0.5 + 0.5 * i, f"{order}: {formula}", 0.26, colour))
    return Drawing(WIDTH + 2.0, HEIGHT + 2.2, shapes, title=title, description=DESCRIPTION)


def main() -> None:
    """Count, print the table, and draw."""
    counted = {h: measure(BRANCHING, h) for h in DEPTHS}
    table = Table(title=f"Leaves, b = {BRANCHING}; in brackets by theory", title_justify="left")
    for column in ("h", *(curve[0] for curve in CURVES)):
        table.add_column(column, justify="right")
    for h, counts in counted.items():
        pairs = zip(counts, CURVES, strict=True)
        table.add_row(str(h), *(f"{count:,.0f} ({curve[2](BRANCHING, h):,.0f})" for count, curve in pairs))
    Console().print(table)
    picture(BRANCHING, counted).save(PICTURE)


if __name__ == "__main__":
    main()
