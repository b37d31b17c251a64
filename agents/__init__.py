"""Players for two-player board games: search, trained policies, people.

Start with `agent`, what a player is; then `search`, what all searches share, and `registry`, which makes players of
spec strings. May import `plyground.envs` and its rooms.
"""

from .agent import Agent, Info, Observation, legal_mask, state_of
from .alphabeta.agent import AlphaBeta
from .alphago import AlphaGo
from .alphazero import AlphaZero
from .analysis import Analysis
from .best import best
from .human import Human
from .isolation import Isolated
from .kinds import register_kinds
from .listening import Listener
from .mcts.agent import MCTS
from .mcts.flat import FlatMonteCarlo
from .minimax import Minimax
from .mixture import Mixture
from .policies.policy import Policy
from .puct.agent import PUCT
from .puct.evaluators import Evaluator, ObservationEvaluator, policy_evaluator, torch_evaluator
from .random import Random
from .registry import agent_names, agent_usage, as_agent, make, register_agent
from .search import SearchAgent
from .solver.agent import Solution, Solver

__all__ = [
    "MCTS",
    "PUCT",
    "Agent",
    "AlphaBeta",
    "AlphaGo",
    "AlphaZero",
    "Analysis",
    "Evaluator",
    "FlatMonteCarlo",
    "Human",
    "Info",
    "Isolated",
    "Listener",
    "Minimax",
    "Mixture",
    "Observation",
    "ObservationEvaluator",
    "Policy",
    "Random",
    "SearchAgent",
    "Solution",
    "Solver",
    "agent_names",
    "agent_usage",
    "as_agent",
    "best",
    "legal_mask",
    "make",
    "policy_evaluator",
    "register_agent",
    "state_of",
    "torch_evaluator",
]

register_kinds()
