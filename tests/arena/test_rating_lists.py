"""Rating lists: against a likelihood written out game by game, other libraries, and tournaments of known truth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from plyground.arena import GameRecord, RatingList, elo_difference, fit_ratings, match, rating_list
from plyground.arena.ratings.lists import lead_of
from plyground.arena.ratings.paired import paired_games
from plyground.arena.tables import ratings_table

PER_LOGIT = 400 / math.log(10)
OUTCOMES = ([1.0, -1.0], [0.0, 0.0], [-1.0, 1.0])  # of the first seat: a win, a draw, a loss
NO_PRIOR = 1e-9


def game(first: str, second: str, outcome: int, opening: int = 0) -> GameRecord:
    return GameRecord("g", [first, second], [opening], 1, OUTCOMES[outcome], "finished", [0.0], [-1], None)


def tournament(
    elo: dict[str, float], pairs: int, seed: int, draw: float = 0.5, first_move: float = 60.0
) -> list[GameRecord]:
    """Return a round robin, drawn from the model; the openings shift the game by as much for whoever moves first."""
    rng, records, opening = np.random.default_rng(seed), [], 0
    names = list(elo)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            for _ in range(pairs):
                opening += 1
                for first, second in ((a, b), (b, a)):
                    lead = (elo[first] - elo[second] + first_move) / PER_LOGIT * (2 + draw) / 2
                    heights = np.array([math.exp(lead / 2), draw, math.exp(-lead / 2)])
                    records.append(game(first, second, int(rng.choice(3, p=heights / heights.sum())), opening))
    return records


TRUTH = {"a": 180.0, "b": 60.0, "c": -40.0, "d": -200.0}
GAMES = tournament(TRUTH, 15, 4)
DECISIVE = tournament(TRUTH, 15, 5, draw=0.0, first_move=0.0)


# K. Laskos, "EloStat, Bayeselo and Ordo", talkchess.com, 24 June 2012: games of three engines, with what the programs
# say of them. Wins, draws and losses of the first.
LASKOS = {("houdini", "strelka"): (18, 9, 3), ("houdini", "komodo"): (24, 6, 0), ("strelka", "komodo"): (18, 9, 3)}


def laskos(times: int) -> list[GameRecord]:
    return [
        game(first, second, outcome)
        for (first, second), counts in LASKOS.items()
        for outcome, count in enumerate(counts)
        for _ in range(times * count)
    ]


def log_likelihood(records: list[GameRecord], elo: Mapping[str, float], first_move: float, draw: float) -> float:
    """Return the logarithm of the chance of these games, game by game."""
    total = 0.0
    for record in records:
        first, second = record.players
        lead = (elo[first] - elo[second] + first_move) / PER_LOGIT * (2 + draw) / 2
        heights = math.exp(lead / 2), draw, math.exp(-lead / 2)
        total += math.log(heights[OUTCOMES.index(record.outcome)] / sum(heights))
    return total


def by_name(found: RatingList) -> dict[str, float]:
    return {one.name: one.elo for one in found.ratings}


class TestMostLikely:
    def test_as_the_written_out_likelihood_has_it(self) -> None:
        from scipy.optimize import minimize

        def loss(x: Any) -> float:
            elo = dict(zip("abcd", [*(100 * x[:3]), -100 * sum(x[:3])], strict=True))
            return -log_likelihood(GAMES, elo, 100 * x[3], math.exp(x[4]))

        slow = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-5})
        found = rating_list(GAMES, prior=NO_PRIOR)
        elo = by_name(found)
        assert [elo[name] for name in "abc"] == pytest.approx(100 * slow.x[:3], abs=0.02)
        assert sum(elo.values()) == pytest.approx(0, abs=1e-9)
        assert found.first_move.elo == pytest.approx(100 * slow.x[3], abs=0.02)
        assert found.draw_parameter == pytest.approx(math.exp(slow.x[4]), abs=1e-3)
        assert (found.games, found.pairs, found.game) == (180, 90, "g")

    def test_as_choix_has_it(self) -> None:
        import choix

        winners = [int(record.outcome[0] < 0) for record in DECISIVE]
        data = [
            ("abcd".index(record.players[won]), "abcd".index(record.players[1 - won]))
            for record, won in zip(DECISIVE, winners, strict=True)
        ]
        theirs = choix.ilsr_pairwise(4, data, alpha=0.0)
        ours = by_name(rating_list(DECISIVE, first_move=False, prior=NO_PRIOR))
        assert [ours[name] for name in "abcd"] == pytest.approx(PER_LOGIT * (theirs - theirs.mean()), abs=1e-3)

    def test_as_evalica_has_it(self) -> None:
        import evalica

        def told(records: list[GameRecord]) -> tuple[list[str], list[str], list[Any]]:
            words = evalica.Winner.X, evalica.Winner.Draw, evalica.Winner.Y
            winners = [words[OUTCOMES.index(record.outcome)] for record in records]
            return [record.players[0] for record in records], [record.players[1] for record in records], winners

        # M. E. J. Newman's model of draws is that of Davidson: his parameter is half of ν.
        theirs = evalica.newman(*told(GAMES), tolerance=1e-12, limit=10_000)
        found = rating_list(GAMES, first_move=False, prior=NO_PRIOR)
        assert found.draw_parameter == pytest.approx(2 * theirs.v, abs=1e-5)
        logits = np.log([theirs.scores[name] for name in "abcd"])
        scale = PER_LOGIT * 2 / (2 + found.draw_parameter)
        ours = by_name(found)
        assert [ours[name] for name in "abcd"] == pytest.approx(scale * (logits - logits.mean()), abs=1e-3)

        scores = evalica.bradley_terry(*told(DECISIVE), tolerance=1e-12, limit=10_000).scores
        logits = np.log([scores[name] for name in "abcd"])
        ours = by_name(rating_list(DECISIVE, first_move=False, prior=NO_PRIOR))
        assert [ours[name] for name in "abcd"] == pytest.approx(PER_LOGIT * (logits - logits.mean()), abs=1e-3)

    def test_two_players_by_hand(self) -> None:
        # 30 games won, 20 lost, 50 drawn, as often with either side: half of the games are drawn, so Davidson's odds of
        # 3 : 2 stand for about half as many Elo, near those of the score of 55 %.
        records = [
            game(first, second, outcome)
            for first, second, flip in (("a", "b", False), ("b", "a", True))
            for outcome, count in ((0, 15), (1, 25), (2, 10))
            for outcome in [2 - outcome if flip else outcome] * count
        ]
        found = rating_list(records, prior=NO_PRIOR)
        elo = by_name(found)
        draw = 50 / math.sqrt(30 * 20)
        assert found.draw_parameter == pytest.approx(draw)
        assert found.first_move.elo == pytest.approx(0, abs=1e-6)
        assert elo["a"] - elo["b"] == pytest.approx(PER_LOGIT * math.log(1.5) * 2 / (2 + draw))
        assert elo["a"] - elo["b"] == pytest.approx(elo_difference([1.1] * 50).elo, abs=1)

    def test_as_ordo_has_it(self) -> None:
        # Ordo says 190.1, 0.0 and -190.1, and by hand it is 190.8: each score is that of 191 or twice 191 Elo.
        by_score = [
            (first, second, points)
            for (first, second), counts in LASKOS.items()
            for points, count in zip((1.0, 0.5, 0.0), counts, strict=True)
            for _ in range(count)
        ]
        ordo = fit_ratings(by_score).elo
        assert list(ordo.values()) == pytest.approx([190.1, -190.1, 0], abs=1)
        # Draws told apart from half a win and half a loss say a little more: the odds of wins to losses.
        ours = by_name(rating_list(laskos(4), first_move=False))
        assert list(ours.values()) == pytest.approx([193, 0, -193], abs=1)

    @pytest.mark.parametrize(("times", "published"), [(1, [166, 0, -165]), (4, [173, 0, -172])])
    def test_differs_from_bayes_elo_by_its_law_of_draws(self, times: int, published: list[float]) -> None:
        # BayesElo's chances (P. V. Rao and L. L. Kupper, 1967): a win is 1 / (1 + 10^((D - d) / 400)) for a lead of d,
        # and D tells how often games are drawn. It adds a draw to the games of each two, and scales. With all
        # this its published ratings come out of the same games; with Davidson's law ours do.
        from scipy.optimize import minimize

        def chances(lead: float, draw: float) -> tuple[float, float, float]:
            win, loss = 1 / (1 + 10 ** ((draw - lead) / 400)), 1 / (1 + 10 ** ((draw + lead) / 400))
            return win, 1 - win - loss, loss

        def loss(x: Any) -> float:
            elo, total = {"houdini": x[0], "strelka": 0.0, "komodo": x[1]}, 0.0
            for (first, second), counts in LASKOS.items():
                told = chances(elo[first] - elo[second], x[2])
                total -= sum(times * n * math.log(p) for n, p in zip(counts, told, strict=True))
                total -= math.log(told[1])
            return total

        found = minimize(loss, np.array([150.0, -150.0, 100.0]), method="Nelder-Mead", options={"xatol": 1e-3}).x
        each = 10 ** (-found[2] / 400)
        scaled = 4 * each / (1 + each) ** 2 * np.array([found[0], 0, found[1]])
        assert scaled == pytest.approx(published, abs=2)

    def test_finds_known_ratings(self) -> None:
        found = rating_list(tournament(TRUTH, 3000, 1))
        for rating in found.ratings:
            assert rating.elo == pytest.approx(TRUTH[rating.name], abs=10)
        assert found.first_move.elo == pytest.approx(60, abs=6)
        assert found.draw_parameter == pytest.approx(0.5, abs=0.03)

    def test_who_won_all_games_has_a_finite_rating(self) -> None:
        records = [game("a", "b", 0, i // 2) if i % 2 else game("b", "a", 2, i // 2) for i in range(20)]
        best = rating_list(records).ratings[0]
        assert (best.name, best.score, best.games) == ("a", 1.0, 20)
        # 20 games won, with a half won and a half lost added: 20.5 to 0.5.
        assert best.elo == pytest.approx(200 * math.log10(41))
        assert 50 < best.low < 200 < 400 < best.high < 2000

    def test_half_points_of_the_first_seat(self) -> None:
        records = [game("a", "b", 0, i) for i in range(10)] + [game("b", "a", 0, i) for i in range(10)]
        found = rating_list(records)
        assert [one.elo for one in found.ratings] == pytest.approx([0, 0], abs=1e-6)
        assert found.first_move.low > 200
        assert found.draw_parameter == 0


class TestAnchors:
    def test_anchors_stay_and_the_others_move_with_them(self) -> None:
        free = by_name(rating_list(GAMES))
        found = rating_list(GAMES, anchors={"b": 1500.0})
        held = by_name(found)
        assert held["b"] == 1500
        assert held["a"] - held["b"] == pytest.approx(free["a"] - free["b"], abs=1e-3)
        anchor = next(one for one in found.ratings if one.name == "b")
        assert anchor.low == anchor.high == 1500
        assert found.anchors == {"b": 1500.0}

    def test_against_anchors_alone_it_is_the_most_likely_rating(self) -> None:
        from scipy.optimize import minimize

        fixed = {"b": 100.0, "c": 0.0, "d": -150.0}
        records = [record for record in GAMES if "a" in record.players]

        def loss(x: Any) -> float:
            return -log_likelihood(records, {"a": x[0], **fixed}, x[1], math.exp(x[2]))

        slow = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-6})
        found = rating_list(records, anchors=fixed, prior=NO_PRIOR)
        assert by_name(found)["a"] == pytest.approx(slow.x[0], abs=0.02)
        assert found.first_move.elo == pytest.approx(slow.x[1], abs=0.02)

    def test_anchors_bind_players_who_have_not_met(self) -> None:
        records = [game("a", "b", 0), game("b", "a", 1), game("c", "d", 1), game("d", "c", 0)]
        with pytest.raises(ValueError, match="never met: a, b; c, d"):
            rating_list(records)
        found = by_name(rating_list(records, anchors={"a": 0.0, "c": 100.0}))
        assert found["b"] < 0 < 100 < found["d"]


class TestGames:
    def test_pairs_may_stand_anywhere(self) -> None:
        shuffled = [GAMES[i] for i in np.random.default_rng(2).permutation(len(GAMES))]
        one, other = rating_list(GAMES), rating_list(shuffled)
        assert (one.pairs, one.games) == (other.pairs, other.games)
        for own, theirs in zip(one.ratings, other.ratings, strict=True):
            assert own.name == theirs.name
            assert own[1:] == pytest.approx(theirs[1:], abs=0.01)

    def test_names_do_not_matter(self) -> None:
        found = rating_list(GAMES)
        for order in list(permutations("wxyz"))[::7]:
            names = dict(zip("abcd", order, strict=True))
            renamed = [replace(record, players=[names[name] for name in record.players]) for record in GAMES]
            assert by_name(rating_list(renamed)) == pytest.approx({names[n]: e for n, e in by_name(found).items()})

    def test_of_a_match(self) -> None:
        records = match("tictactoe", ["alphabeta(depth=9)", "random"], games=20, seed=1)
        found = rating_list(records)
        assert (found.pairs, found.games, found.game) == (10, 20, "tictactoe")
        assert found.ratings[0].name == "alphabeta(depth=9)"
        assert found.ratings[0].low > 0
        assert "alphabeta(depth=9) leads" in repr(found)
        assert "alphabeta(depth=9)" in found._repr_html_()

    @pytest.mark.parametrize(
        ("records", "options", "message"),
        [
            ([], {}, "no games"),
            ([game("a", "a", 0)], {}, "'a' plays against itself"),
            ([game("a", "b", 0), replace(game("a", "b", 0), game="h")], {}, "games of g and of h"),
            (GAMES, {"confidence": 1.0}, "confidence must be between 0 and 1, got 1.0"),
            (GAMES, {"prior": 0}, "prior must be a number above 0, however small, got 0"),
            (GAMES, {"anchors": {"aa": 3.0}}, "the anchor 'aa' has no games: did you mean 'a'"),
            (GAMES, {"anchors": {"a": math.inf}}, "the anchor 'a' must have a rating between -100000 and"),
        ],
    )
    def test_bad_arguments(self, records: list[GameRecord], options: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            rating_list(records, **options)


def always(first: str, second: str, outcome: int, pairs: int) -> list[GameRecord]:
    """Return pairs of games with one result, whoever begins."""
    games = [
        (game(first, second, outcome, opening), game(second, first, 2 - outcome, opening)) for opening in range(pairs)
    ]
    return [record for pair in games for record in pair]


@pytest.mark.parametrize("prior", [1.0, 0.1, 1e-3])
def test_whoever_wins_all_is_rated_by_what_is_added_however_little(prior: float) -> None:
    """Far from the maximum the information says nearly nothing: steps by it alone left all that can be computed."""
    found = rating_list(always("a", "b", 0, 20), prior=prior)
    expected = PER_LOGIT * math.log((20 + prior / 4) / (prior / 4)) / 2
    assert found.ratings[0].elo == pytest.approx(expected, abs=0.1)


def test_certainty_near_one_and_results_without_exception_have_intervals() -> None:
    """A player who wins all, and two who always draw: log ν went beyond what an exponential can be taken of."""
    games = always("a", "b", 0, 20) + always("b", "c", 1, 20)
    narrow, wide = (rating_list(games, confidence=confidence).ratings[0] for confidence in (0.95, 0.999))
    assert wide.low < narrow.low < narrow.elo < narrow.high < wide.high < math.inf
    certain = rating_list(games, confidence=1 - 1e-16).ratings[0]
    assert (certain.low, certain.high) == (-math.inf, math.inf)


def test_anchors_that_results_contradict_are_held() -> None:
    found = rating_list([*always("a", "b", 0, 9), game("b", "c", 0)], anchors={"a": 0.0, "b": 3000.0})
    assert {one.name: one.elo for one in found.ratings if one.name != "c"} == {"a": 0.0, "b": 3000.0}
    assert all(map(math.isfinite, found.ratings[1][1:]))
    with pytest.raises(ValueError, match="between -100000 and 100000, got 1e\\+300"):
        rating_list(GAMES, anchors={"a": 1e300})


@pytest.mark.parametrize(
    ("prior", "outcome"),
    [
        pytest.param(1e-300, 0, id="smallest, the first player won all", marks=pytest.mark.slow),
        pytest.param(1e-300, 1, id="smallest, all were drawn"),
        pytest.param(1e-12, 1, id="small, all were drawn", marks=pytest.mark.slow),
    ],
)
def test_of_priors_however_small(prior: float, outcome: int) -> None:
    records = [game(*players, outcome, opening) for opening in range(3) for players in (("a", "b"), ("b", "a"))]
    found = rating_list(records, prior=prior)
    assert [one.elo for one in found.ratings] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert found.ratings[0].low < 0 < found.ratings[0].high
    assert found.superior_to_next == pytest.approx([0.5])


def test_of_a_confidence_that_differs_from_0_by_less_than_rounding() -> None:
    records = [game(*players, 0, opening) for opening in range(3) for players in (("a", "b"), ("b", "a"))]
    found = rating_list(records, confidence=1e-300)
    assert [(one.low, one.high) for one in found.ratings] == [(one.elo, one.elo) for one in found.ratings]


def test_the_lead_is_that_on_the_second_as_an_anchor() -> None:
    best, second = rating_list(GAMES).ratings[:2]
    anchored = next(one for one in rating_list(GAMES, anchors={second.name: 0}).ratings if one.name == best.name)
    found = lead_of(paired_games(GAMES))
    assert found.name == best.name
    assert found[1:] == pytest.approx((anchored.elo, anchored.low, anchored.high), abs=0.01)


def test_a_table_asks_of_neighbours_alone() -> None:
    # Everybody against everybody, of a hundred players, took a minute and a half.
    found = rating_list(GAMES)
    ratings_table(found)
    assert "superiority" not in vars(found)


@pytest.mark.parametrize("given", [("a", "b", 0.5), "games.jsonl", None])
def test_what_is_no_game(given: Any) -> None:
    with pytest.raises(TypeError, match="expected games, as `match` returns them and `read_games` reads them, got "):
        rating_list([given])
