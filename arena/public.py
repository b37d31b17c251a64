"""All that `plyground.arena` exports."""

from .formats import read_games, read_records, write_games, write_records
from .grading import (
    Evaluation,
    SolvedPositions,
    calibrate,
    climb,
    committed_positions,
    evaluate,
    grade,
    learning_curve,
    load_positions,
    save_positions,
    solve_positions,
)
from .loop import play
from .matches import iter_match, match, tournament
from .openings import random_openings
from .progress import play_with_progress, train_with_progress
from .ratings import (
    Difference,
    Rating,
    RatingList,
    Ratings,
    elo_difference,
    fit_ratings,
    game_results,
    pair_scores,
    rate_against,
    rating_list,
)
from .records.record import GameRecord
from .referee import TimeControl
from .report import write_report
from .sprt import Sprt, until_decided
from .tables import cross_table
from .tournaments import Score, Standing, standings
from .training import Progress, TrainingConfig, resume, train

__all__ = [
    "Difference",
    "Evaluation",
    "GameRecord",
    "Progress",
    "Rating",
    "RatingList",
    "Ratings",
    "Score",
    "SolvedPositions",
    "Sprt",
    "Standing",
    "TimeControl",
    "TrainingConfig",
    "calibrate",
    "climb",
    "committed_positions",
    "cross_table",
    "elo_difference",
    "evaluate",
    "fit_ratings",
    "game_results",
    "grade",
    "iter_match",
    "learning_curve",
    "load_positions",
    "match",
    "pair_scores",
    "play",
    "play_with_progress",
    "random_openings",
    "rate_against",
    "rating_list",
    "read_games",
    "read_records",
    "resume",
    "save_positions",
    "solve_positions",
    "standings",
    "tournament",
    "train",
    "train_with_progress",
    "until_decided",
    "write_games",
    "write_records",
    "write_report",
]
