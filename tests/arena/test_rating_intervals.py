"""How sure rating lists are: intervals and superiority, on tournaments of known truth."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plyground.arena import GameRecord, rating_list
from plyground.arena.ratings.certainty import Certainty
from plyground.arena.ratings.model import Model
from plyground.arena.ratings.paired import PairedGames, paired_games
from tests.arena.test_rating_lists import GAMES, NO_PRIOR, PER_LOGIT, TRUTH, by_name, game, log_likelihood, tournament


class TestIntervals:
    def certainty(self, records: list[GameRecord]) -> tuple[PairedGames, Model, Any, Certainty]:
        games = paired_games(records)
        model = Model(games, {})
        best = model.most_likely()
        return games, model, best, Certainty(games, model, best)

    def test_ends_are_those_of_the_profile(self) -> None:
        # At the end of an interval the likelihood, its maximum over all else, has fallen by as much as it may.
        from scipy.optimize import minimize
        from scipy.stats import t

        found = rating_list(GAMES, prior=NO_PRIOR)
        _, model, _, certainty = self.certainty(GAMES)
        weights = {i: (i == 0) - 1 / 4 for i in range(4)}
        spread = certainty.spread(model.contrast(weights))
        limit = spread.dispersion * t.ppf(0.975, 3 * spread.freedom) ** 2
        top = log_likelihood(GAMES, by_name(found), found.first_move.elo, found.draw_parameter)
        own = next(one for one in found.ratings if one.name == "a")
        for end in (own.low, own.high):

            def loss(x: Any, end: float = end) -> float:
                elo = {"a": end, "b": x[0], "c": x[1], "d": -end - x[0] - x[1]}
                return -log_likelihood(GAMES, elo, x[2], math.exp(x[3]))

            slow = minimize(loss, np.array([30.0, -30.0, 50.0, -0.7]), method="BFGS", options={"gtol": 1e-5})
            assert 2 * (top + slow.fun) == pytest.approx(limit, rel=0.02)

    def test_the_likelihood_is_looked_at_a_few_times_for_each_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """At each maximum forty parts of a step were tried, of which rounding let none lead up: most of the time."""
        look, looks = Model.at, list[Any]()

        def counting(model: Model, values: Any) -> Any:
            looks.append(values)
            return look(model, values)

        monkeypatch.setattr(Model, "at", counting)
        players = {str(place): 20.0 * place for place in range(16)}
        rating_list(tournament(players, 10, 1))
        assert len(looks) < 15 * 2 * (len(players) + 1)  # ends of the intervals of all players, and of the first move

    def test_dispersion_by_pairs_written_out(self) -> None:
        games, model, best, certainty = self.certainty(GAMES)
        contrast = model.contrast({0: 1.0, 3: -1.0})
        influence = np.zeros(6)
        information = model.information(best, model.counts.sum(axis=0))
        influence[model.free] = np.linalg.solve(information, contrast)
        # What each pair adds to the contrast: the slope of its own likelihood, along the influence.
        values = best.values[:4] * PER_LOGIT

        def slope(pair: list[GameRecord]) -> float:
            def at(step: float) -> float:
                x = best.values + step * influence
                elo = dict(zip("abcd", x[:4] * PER_LOGIT, strict=True))
                return log_likelihood(pair, elo, x[4] * PER_LOGIT, math.exp(x[5]))

            return (at(1e-3) - at(-1e-3)) / 2e-3

        assert values[0] > values[3]
        pairs = [GAMES[i : i + 2] for i in range(0, len(GAMES), 2)]
        seen = sum(slope(pair) ** 2 for pair in pairs)
        spread = certainty.spread(contrast)
        assert spread.variance == pytest.approx(contrast @ np.linalg.solve(information, contrast))
        assert games.pairs.sum() == 90
        # The prior draws φ to 1, and the fit has taken a few of 90 degrees of freedom.
        raw = seen / spread.variance
        assert min(raw, 1) - 0.02 < spread.dispersion < max(raw, 1) + 0.06

    def test_scatter_as_the_bootstrap_by_pairs_does(self) -> None:
        records = tournament(TRUTH, 60, 9)
        pairs = [records[i : i + 2] for i in range(0, len(records), 2)]
        rng = np.random.default_rng(3)
        leads = []
        for _ in range(150):
            drawn = [record for i in rng.integers(len(pairs), size=len(pairs)) for record in pairs[i]]
            games = paired_games(drawn)
            values = Model(games, {}).most_likely().values
            leads.append(values[games.names.index("a")] - values[games.names.index("c")])
        _, model, _, certainty = self.certainty(records)
        deviation = certainty.spread(model.contrast({0: 1.0, 2: -1.0})).deviation
        assert np.std(leads) == pytest.approx(deviation, rel=0.2)  # 150 resamples have a standard error of 6 %

    def test_openings_that_decide_are_no_uncertainty(self) -> None:
        # Each opening is won by whoever has the side that it suits, as often the first as the second: 1 to 1 in pairs.
        records = []
        for opening in range(100):
            suits = opening % 2
            records += [game("a", "b", 2 * suits, opening), game("b", "a", 2 * suits, opening)]
        paired = rating_list(records).ratings[0]
        apart = [replace(record, moves=[i]) for i, record in enumerate(records)]
        alone = rating_list(apart).ratings[0]
        assert rating_list(apart).pairs == 0
        assert paired.high - paired.low < 0.4 * (alone.high - alone.low)

    def test_pairs_that_agree_are_no_proof_twice(self) -> None:
        records = []
        for opening in range(100):
            wins = 2 * (opening % 2)
            records += [game("a", "b", wins, opening), game("b", "a", 2 - wins, opening)]
        paired = rating_list(records).ratings[0]
        alone = rating_list([replace(record, moves=[i]) for i, record in enumerate(records)]).ratings[0]
        assert paired.high - paired.low > 1.3 * (alone.high - alone.low)

    @pytest.mark.parametrize("pairs", [1, 10, 100])
    def test_draws_alone_do_not_say_that_openings_decide(self, pairs: int) -> None:
        """They scatter by nothing, which was taken for evidence: of 10 pairs the interval was half as wide."""
        records = [game(*who, 1, opening) for opening in range(pairs) for who in (("a", "b"), ("b", "a"))]
        _, model, _, certainty = self.certainty(records)
        spread = certainty.spread(model.contrast({0: 1.0, 1: -1.0}))
        assert 1 <= spread.dispersion < 1 + 1 / pairs

    def test_where_nearly_all_is_drawn_few_decided_pairs_prove_little(self) -> None:
        # Ten pairs whose two games are always alike: d Elo apart, 1 of 16 decided. Held are those that have no win.
        from plyground.arena.ratings.lists import lead_of

        drawn = [game(*who, 1, opening) for opening in range(10) for who in (("a", "b"), ("b", "a"))]
        lead = lead_of(paired_games(drawn))
        assert lead.low < -40 < 40 < lead.high

    @pytest.mark.parametrize("prior", [0.5, 0.01, 1e-6])
    def test_a_small_prior_does_not_make_openings_decide(self, prior: float) -> None:
        """Five pairs, of openings that each suit one side: the interval vanished with the prior."""
        records = [game(*who, 2 * (opening % 2), opening) for opening in range(5) for who in (("a", "b"), ("b", "a"))]
        usual, found = (rating_list(records, prior=one).ratings[0] for one in (1.0, prior))
        assert 1 < (found.high - found.low) / (usual.high - usual.low) < 1.3

    def test_more_games_and_less_confidence_are_narrower(self) -> None:
        wide, narrow = (rating_list(GAMES, confidence=share).ratings[0] for share in (0.99, 0.5))
        assert wide.low < narrow.low < narrow.elo < narrow.high < wide.high
        many = rating_list(tournament(TRUTH, 150, 4)).ratings[0]
        assert many.high - many.low < (wide.high - wide.low) / 2

    @pytest.mark.slow
    @pytest.mark.parametrize("pairs", [10, 50])
    def test_95_of_100_intervals_hold_the_truth(self, pairs: int) -> None:
        held = []
        for seed in range(150):
            found = rating_list(tournament(TRUTH, pairs, seed))
            held += [one.low <= TRUTH[one.name] <= one.high for one in found.ratings]
            held.append(found.first_move.low <= 60 <= found.first_move.high)
        assert 0.93 < np.mean(held) < 0.98


class TestSuperiority:
    def test_adds_to_one_and_follows_the_ratings(self) -> None:
        found = rating_list(GAMES)
        chances = found.superiority
        np.testing.assert_allclose(chances + chances.T, 1)
        assert [one.name for one in found.ratings] == ["a", "b", "c", "d"]
        assert chances[0, 3] > 0.999
        assert (np.triu(chances, 1)[np.triu_indices(4, 1)] > 0.5).all()

    @pytest.mark.slow
    def test_is_true_as_often_as_it_says(self) -> None:
        # Where "a is stronger" has a chance of p by the games, and nothing was known before, it is stronger in p of all
        # tournaments. Differences are drawn from a range that is wide for so few games.
        rng = np.random.default_rng(11)
        said, true = [], []
        for seed in range(150):
            lead = float(rng.uniform(-150, 150))
            found = rating_list(tournament({"a": lead, "b": 0.0}, 20, seed))
            place = [one.name for one in found.ratings].index("a")
            said.append(found.superiority[place, 1 - place])
            true.append(lead > 0)
        said, true = np.array(said), np.array(true)
        sure = np.maximum(said, 1 - said) > 0.9
        right = (said > 0.5) == true
        assert np.mean(right[sure]) > 0.95
        assert np.mean(right[~sure]) == pytest.approx(np.mean(np.maximum(said, 1 - said)[~sure]), abs=0.12)

    def test_of_anchors(self) -> None:
        found = rating_list(GAMES, anchors={"a": 1.0, "d": -1.0})
        # What is told of neighbours alone is the same, at a small part of the work where there are many players.
        assert found.superior_to_next == pytest.approx(np.diag(found.superiority, 1).tolist(), abs=1e-9)
        chances, names = found.superiority, [one.name for one in found.ratings]
        assert chances[names.index("a"), names.index("d")] == 1
        assert chances[names.index("d"), names.index("a")] == 0
