"""Many search trees side by side, one for each of many games, whose leaves a network is asked about together.

Start with `forest`, then `trees`: the arrays, a row for each game. `passes` has the steps of a pass, `gumbel` and
`priors` the two rules of selection, `proofs` what is known for certain, `pasts` the positions of the games, `cache`
what need not be asked for again, `checks` what a forest may be given.
May import `plyground.envs` and its rooms `jit` and `vector`, and the files of `plyground.agents`.
"""

from .cache import EvaluationCache
from .forest import Evaluate, Forest, Root, Searched

__all__ = ["Evaluate", "EvaluationCache", "Forest", "Root", "Searched"]
