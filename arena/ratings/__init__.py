"""How strong players are, by the games that they played.

Start with `difference`: two players, and a player against others of known ratings. `lists` is the rating list of many
players with intervals: `paired` counts their games by pairs, `model` is the likelihood, `certainty` how sure its
maximum is. `fitting` fits ratings to points alone, and `results` reads points off records. May import the room
`records` of `plyground.arena`.
"""

from .difference import Difference, elo_difference, elo_of_score, rate_against
from .fitting import Ratings, fit_ratings
from .lists import Rating, RatingList, rating_list
from .results import game_results, pair_scores

__all__ = [
    "Difference",
    "Rating",
    "RatingList",
    "Ratings",
    "elo_difference",
    "elo_of_score",
    "fit_ratings",
    "game_results",
    "pair_scores",
    "rate_against",
    "rating_list",
]
