"""How strong players are, by the games that they played.

Start with `difference`: two players, and a player against others of known ratings. `lists` is the rating list of many
players with intervals: `paired` counts their games by pairs, `model` is the likelihood, `certainty` how sure its
maximum is. `payoffs` is for players whose strength is not one number, `history` for those who change. `fitting` fits
ratings to points alone, and `results` reads points off records. May import the room `records` of `plyground.arena`.
"""

from .difference import Difference, elo_difference, elo_of_score, rate_against
from .fitting import Ratings, fit_ratings
from .history import TimedRating, games_by_step, ratings_over_time
from .lists import Rating, RatingList, rating_list
from .payoffs import NashAverage, Payoffs, alpha_rank, cycles, nash_average, payoff_matrix
from .results import game_results, pair_scores

__all__ = [
    "Difference",
    "NashAverage",
    "Payoffs",
    "Rating",
    "RatingList",
    "Ratings",
    "TimedRating",
    "alpha_rank",
    "cycles",
    "elo_difference",
    "elo_of_score",
    "fit_ratings",
    "game_results",
    "games_by_step",
    "nash_average",
    "pair_scores",
    "payoff_matrix",
    "rate_against",
    "rating_list",
    "ratings_over_time",
]
