"""Sequential tests: is one player stronger than the other? Games are played until the answer is known well enough.

Start with `sequential`: the test. `likelihood` has the likelihood ratio of results by pairs of games, `passage` what is
known of a process that stops at one of two bounds. Nothing here plays: games come from `plyground.arena.iter_match`.
May import the rooms `ratings` and `records` of `plyground.arena`.
"""

from .likelihood import Model, log_likelihood_ratio
from .sequential import Estimate, Sprt, until_decided

__all__ = ["Estimate", "Model", "Sprt", "log_likelihood_ratio", "until_decided"]
