"""Monte Carlo search: UCT with its options, and flat Monte Carlo.

Start with `tree`, the four steps of plain UCT, then `agent`; `uct` is the kernel with all options. `policies` says
what draws the moves of rollouts, `linear` has those that are learned, by `fitting`. May import
`plyground.envs` and the files of `plyground.agents`.
"""

from .agent import MCTS
from .fitting import Examples, Quality, examples_of, learn_linear, quality_of
from .flat import FlatMonteCarlo
from .linear import LinearPolicy

__all__ = [
    "MCTS",
    "Examples",
    "FlatMonteCarlo",
    "LinearPolicy",
    "Quality",
    "examples_of",
    "learn_linear",
    "quality_of",
]
