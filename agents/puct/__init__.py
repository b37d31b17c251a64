"""PUCT, the tree search of AlphaGo and AlphaZero, with priors and values from any callable.

Start with `agent`. May import `plyground.envs`, the files of `plyground.agents`, of the room `mcts` what serves any
search tree, of `policies` how models are asked, and the room `forest`, whose trees have a Gumbel root and proofs.
"""

from .agent import PUCT
from .evaluators import Evaluator, ObservationEvaluator, policy_evaluator, torch_evaluator

__all__ = ["PUCT", "Evaluator", "ObservationEvaluator", "policy_evaluator", "torch_evaluator"]
