"""Exact values: perfect play where a game is small enough.

Start with `agent`, which chooses the way: `connect_four` has a search of its own, `checkers_endings` its rule of 40
moves, and `exhaustive` takes any small game. May import `plyground.envs` and the files of `plyground.agents`.
"""

from .agent import Solution, Solver

__all__ = ["Solution", "Solver"]
