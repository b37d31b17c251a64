"""Exact values: perfect play where a game is small enough.

Start with `agent`, which chooses the way: `connect_four` has a search of its own, `endings` the rules of 40 moves,
`exhaustive` takes any small game, and `deepening` proves what it can of larger ones. May import `plyground.envs` with
its rooms `games`, `games.chess` and `jit`, the files of `plyground.agents`, and the room `alphabeta`.
"""

from .agent import Progress, Solution, Solver

__all__ = ["Progress", "Solution", "Solver"]
