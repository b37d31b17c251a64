"""Othello: the same rules and numbers, the pass included."""

from .pair import Pair

__all__ = ["OTHELLO"]

OTHELLO = Pair("othello", "othello", "othello")
