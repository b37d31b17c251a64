"""Matches between players, tournaments, and the training of policies."""

from .formats import read_games, write_games
from .loop import play
from .match import iter_match, match
from .openings import random_openings
from .progress import learn_with_progress, play_with_progress
from .ratings import Difference, Ratings, elo_difference, fit_ratings, game_results, pair_scores
from .record import GameRecord, read_records, write_records
from .tables import cross_table
from .tournament import Score, Standing, iter_round_robin, standings
from .training import learn, new_model

__all__ = [
    "Difference",
    "GameRecord",
    "Ratings",
    "Score",
    "Standing",
    "cross_table",
    "elo_difference",
    "fit_ratings",
    "game_results",
    "iter_match",
    "iter_round_robin",
    "learn",
    "learn_with_progress",
    "match",
    "new_model",
    "pair_scores",
    "play",
    "play_with_progress",
    "random_openings",
    "read_games",
    "read_records",
    "standings",
    "write_games",
    "write_records",
]
