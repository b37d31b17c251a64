"""The player of AlphaGo's pipeline: a search with priors of one network, values of another, and rollouts.

Start with `agent`. May import `plyground.envs`, the files of `plyground.agents`, and the rooms `mcts`, `networks` and
`puct`.
"""

from .agent import AlphaGo, model_files

__all__ = ["AlphaGo", "model_files"]
