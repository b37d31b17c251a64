"""Players for two-player board games: search, trained policies, people."""

from .agent import Agent, Info, Observation, legal_mask, state_of
from .alphabeta import AlphaBeta
from .analysis import Analysis
from .human import Human
from .mcts import MCTS
from .minimax import Minimax
from .mixture import Mixture
from .montecarlo import FlatMonteCarlo
from .policy import Policy
from .puct import PUCT
from .random import Random
from .registry import agent_names, agent_usage, make, register_agent
from .search import SearchAgent
from .solver import Solution, Solver

__all__ = [
    "MCTS",
    "PUCT",
    "Agent",
    "AlphaBeta",
    "Analysis",
    "FlatMonteCarlo",
    "Human",
    "Info",
    "Minimax",
    "Mixture",
    "Observation",
    "Policy",
    "Random",
    "SearchAgent",
    "Solution",
    "Solver",
    "agent_names",
    "agent_usage",
    "legal_mask",
    "make",
    "register_agent",
    "state_of",
]
