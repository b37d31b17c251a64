"""What a search found, as programs with graphical boards read it: the lines of Leela Zero and of KataGo."""

from __future__ import annotations

from collections.abc import Sequence

from ...agents import Analysis
from ...envs import Game

__all__ = ["kata_line", "lz_line"]

_MOST_MOVES = 20  # of a line


def lz_line(game: Game, found: Analysis, vertices: Sequence[str]) -> str:
    """Return the answer to ``lz-analyze``: for each move visits, and the chance to win in hundredths of a percent."""
    parts = []
    for order, (action, chance, visits, line) in enumerate(_moves(game, found)):
        prior, per = round(10_000 * found.priors.get(action, 0.0)), round(10_000 * chance)
        parts.append(
            f"info move {vertices[action]} visits {visits} winrate {per} prior {prior} lcb {per} order {order} "
            f"pv {' '.join(vertices[one] for one in line)}"
        )
    return " ".join(parts)


def kata_line(game: Game, found: Analysis, vertices: Sequence[str]) -> str:
    """Return the answer to ``kata-analyze``: the same in shares, and the utility from -1 to 1."""
    parts = []
    for order, (action, chance, visits, line) in enumerate(_moves(game, found)):
        parts.append(
            f"info move {vertices[action]} visits {visits} utility {2 * chance - 1:.4f} winrate {chance:.4f} "
            f"prior {found.priors.get(action, 0.0):.4f} lcb {chance:.4f} order {order} "
            f"pv {' '.join(vertices[one] for one in line)}"
        )
    return " ".join(parts)


def _moves(game: Game, found: Analysis) -> list[tuple[int, float, int, Sequence[int]]]:
    """Return each move of which anything is known, its chance to win for the player to move, its visits, and the line.

    The best is the first. A move that a search has not tried yet is left out: it has no chance that one could tell.
    """
    tried = (action for action, visits in found.visits.items() if visits)
    shares = {action: found.visits.get(action, 0) for action in {*found.values, *tried, found.best_action}}
    ranked = sorted(
        shares, key=lambda one: (one != found.best_action, -shares[one], -found.values.get(one, -game.max_utility))
    )
    moves = []
    for action in ranked:
        value = found.values.get(action, found.value if action == found.best_action else -game.max_utility)
        chance = min(max((value / game.max_utility + 1) / 2, 0.0), 1.0)
        line = found.pv[:_MOST_MOVES] if action == found.best_action and found.pv else (action,)
        visits = shares[action] if found.visits else found.nodes if action == found.best_action else 1
        moves.append((action, chance, visits, line))
    return moves
