"""Marks: of players whose marks are known, against slow counting, and intervals against arithmetic by hand."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from plyground.agents import MCTS, PUCT, AlphaBeta, Random, Solver
from plyground.arena import SolvedPositions, calibrate, committed_positions, grade, solve_positions
from plyground.arena.grading.answers import ask, shown
from plyground.arena.grading.evaluation import Evaluation
from plyground.arena.grading.grades import Grade, Grades, Mean, Share, share_of
from plyground.arena.grading.heads import has_head, head_values
from plyground.arena.grading.report import grades_table
from plyground.envs import Game, make_game

SPEC = "mnk(m=4, n=3, k=3)"


@pytest.fixture(scope="module")
def positions() -> SolvedPositions:
    return solve_positions(SPEC, 10)


class Worst:
    """Plays the move that loses most, and of these the one that ends the game first; the lowest of equals."""

    def __init__(self, game: Game) -> None:
        self.solver = Solver(game)

    def reset(self, seed: int | None = None) -> None:
        pass

    def act(self, observation: Any, info: Any = None) -> int:
        assert set(observation) == {"observation", "action_mask"}
        solution = self.solver.solve(info["state"])
        return min(solution.values, key=lambda action: (solution.values[action], solution.distances[action], action))


def counted(positions: SolvedPositions, actions: Any) -> tuple[float, float, float]:
    """Return the shares of moves that keep the value and of optimal ones, and the mean value lost, move by move."""
    solver, kept, optimal, lost = Solver(positions.game), [], [], []
    for i, action in enumerate(actions):
        solution = solver.solve(positions.state(i))
        if len(solution.best_actions) < len(solution.values):
            kept.append(action in solution.best_actions)
        optimal.append(action in solution.fastest_actions)
        lost.append(solution.value - solution.values[action])
    return sum(kept) / len(kept), sum(optimal) / len(optimal), sum(lost) / len(lost)


def marks(found: Any) -> tuple[float, float, float]:
    return found.total.keeping.share, found.total.optimal.share, found.total.lost.mean


class TestGrades:
    @pytest.mark.parametrize("spec", [SPEC, pytest.param("othello(size=4)", marks=pytest.mark.slow)])
    def test_the_solver_makes_no_mistake(self, spec: str) -> None:
        solved = solve_positions(spec, 5)
        found = grade(solved, ask("solver", solved.game, solved.lines).actions)
        assert marks(found) == (1, 1, 0)
        assert found.blunders == ()
        assert found.total.optimal.low < 1 == found.total.optimal.high
        assert found.total.lost.low == 0 < found.total.lost.high

    def test_the_worst_player(self, positions: SolvedPositions) -> None:
        actions = ask(Worst(positions.game), positions.game, positions.lines).actions
        found = grade(positions, actions)
        assert marks(found) == pytest.approx(counted(positions, actions))
        assert found.total.keeping.hits == 0  # in each of these positions it could lose value
        assert len(found.blunders) == positions.at_stake.sum()

    @pytest.mark.parametrize("spec", ["mcts(simulations=20)", "alphabeta(depth=1)", "random"])
    def test_others(self, positions: SolvedPositions, spec: str) -> None:
        actions = ask(spec, positions.game, positions.lines).actions
        found = grade(positions, actions)
        assert marks(found) == pytest.approx(counted(positions, actions))
        assert 0 < found.total.keeping.share < 1
        assert sum(line.positions for line in found.by_ply) == found.total.positions == len(positions)
        assert sum(line.optimal.hits for line in found.by_ply) == found.total.optimal.hits
        assert sum(line.keeping.total for line in found.by_ply) == found.total.keeping.total
        kept = found.total.keeping.hits + found.total.positions - found.total.keeping.total
        assert (found.total.preserving.hits, found.total.preserving.total) == (kept, found.total.positions)
        assert [line.ply for line in found.by_ply] == sorted(set(positions.plies.tolist()))

    @pytest.mark.slow
    def test_random_play_is_as_good_as_chance(self, positions: SolvedPositions) -> None:
        total = grade(positions, ask("random", positions.game, positions.lines).actions).total
        keeping, optimal = [], []
        for i in range(len(positions)):
            legal = positions.game.actions(positions.state(i))
            if positions.at_stake[i]:
                keeping.append(np.mean([positions.values[i, a] == positions.value[i] for a in legal]))
            optimal.append(np.mean([bool(positions.optimal[i, a]) for a in legal]))
        assert total.keeping_by_chance == pytest.approx(np.mean(keeping))
        everywhere = [*keeping, *[1.0] * (total.positions - len(keeping))]  # where nothing is at stake, all moves do
        assert total.preserving_by_chance == pytest.approx(np.mean(everywhere))
        assert total.optimal_by_chance == pytest.approx(np.mean(optimal))
        # Over many seeds the mean of what it does is that.
        shares = [
            marks(grade(positions, ask("random", positions.game, positions.lines, seed).actions)) for seed in range(30)
        ]
        error = np.std(shares, axis=0) / math.sqrt(30)
        assert abs(np.mean([kept for kept, _, _ in shares]) - total.keeping_by_chance) < 4 * error[0]
        assert abs(np.mean([best for _, best, _ in shares]) - total.optimal_by_chance) < 4 * error[1]

    @pytest.mark.slow
    def test_intervals_hold_what_chance_is_expected_to_do(self) -> None:
        solved = committed_positions("connect_four")
        assert solved is not None
        solved = solved.stratified(12)
        rng, held = np.random.default_rng(0), 0
        legal = [np.flatnonzero(row) for row in solved.legal]
        for _ in range(40):
            total = grade(solved, [rng.choice(actions) for actions in legal]).total
            held += total.optimal.low <= total.optimal_by_chance <= total.optimal.high
        assert (
            held >= 36  # more than 38 are expected: shares differ by position, which narrows the spread
        )  # more than 95 are expected: shares differ from position to position, which narrows the spread

    def test_blunders_worst_first(self) -> None:
        nan = math.nan
        game = make_game("connect_four(columns=5)")
        values = [[0, -1, nan, nan, nan], [1, -1, nan, nan, nan], [1, 0, nan, nan, nan], [1, -1, nan, nan, nan]]
        distances = [[9, 2, -1, -1, -1], [7, 2, -1, -1, -1], [1, 9, -1, -1, -1], [3, 4, -1, -1, -1]]
        solved = SolvedPositions(game, ((0,), (1,), (2,), (3,)), np.array(values), np.array(distances))
        found = grade(solved, [1, 1, 1, 1])
        # A win given for a loss first, the nearer one before; then a win for a draw, then a draw for a loss.
        assert [blunder.index for blunder in found.blunders] == [3, 1, 2, 0]
        worst = found.blunders[0]
        assert (worst.line, worst.move, worst.best, worst.value, worst.left, worst.distance) == (
            (3,),
            1,
            (0,),
            1,
            -1,
            3,
        )
        assert worst.board == game.text(game.play_moves([3]))
        assert found.total.lost.mean == (1 + 2 + 1 + 2) / 4

    def test_wilson_by_hand(self) -> None:
        # (p + z²/2n ± z √(p (1 - p) / n + z²/4n²)) / (1 + z²/n), of 7 of 10.
        z, p, n = 1.959964, 0.7, 10
        middle, half = p + z**2 / (2 * n), z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n * n))
        found = share_of(7, 10)
        assert found.low == pytest.approx((middle - half) / (1 + z**2 / n), abs=1e-6)
        assert found.high == pytest.approx((middle + half) / (1 + z**2 / n), abs=1e-6)
        assert math.isnan(share_of(0, 0).share)

    def test_value_lost_by_hand(self) -> None:
        game = make_game("connect_four(columns=5)")
        values = np.array([[1, 0, np.nan, np.nan, np.nan]] * 4)
        solved = SolvedPositions(game, ((),) * 4, values, np.full((4, 5), -1))
        lost = grade(solved, [1, 0, 0, 0]).total.lost
        # 1, 0, 0, 0 and the added 0 and 2: a mean of 1/2, a variance of (5 - 6/4) / 5 = 0.7.
        half = 2.570582 * math.sqrt(0.7 / 6)
        assert lost.mean == 1 / 4
        assert (lost.low, lost.high) == (0, pytest.approx(0.5 + half, abs=1e-5))

    def test_a_game_without_a_largest_utility(self, positions: SolvedPositions) -> None:
        """Values were divided by infinity, so that who always said "a win" was perfectly calibrated."""
        game = positions.game.replace(max_utility=math.inf, evaluate=lambda state, player: 0.0, check=False)
        actions = np.nanargmin(positions.values, axis=1)
        endless = dataclasses.replace(positions, game=game)
        assert grade(endless, actions).total == grade(positions, actions).total  # a win is the most there was

        def optimist(states: Any) -> Any:
            return np.ones((len(states), game.num_actions)), np.ones(len(states))

        search, seen = PUCT(game, 4, evaluator=optimist), list(shown(positions.game, positions.lines[:2]))
        assert not has_head(search, game)
        assert head_values(search, game, seen) is None

    @pytest.mark.parametrize(
        ("actions", "message"), [([0], "one action for each of"), (None, "action 12 is illegal in position 1")]
    )
    def test_bad_actions(self, positions: SolvedPositions, actions: Any, message: str) -> None:
        if actions is None:
            actions = positions.optimal.argmax(axis=1)
            actions[1] = 12
        with pytest.raises(ValueError, match=message):
            grade(positions, actions)


class TestAnswers:
    @pytest.mark.parametrize(
        "spec", ["random", "mcts(simulations=10)", pytest.param("puct(simulations=8)", marks=pytest.mark.slow)]
    )
    def test_the_same_for_any_number_of_processes(self, positions: SolvedPositions, spec: str) -> None:
        many = positions.lines * 3
        one, two = (ask(spec, positions.game, many, seed=4, jobs=jobs) for jobs in (1, 2))
        np.testing.assert_array_equal(one.actions, two.actions)
        np.testing.assert_array_equal(one.values, two.values)
        assert (one.actions != ask(spec, positions.game, many, seed=5).actions).any()

    def test_the_same_for_a_part(self, positions: SolvedPositions) -> None:
        every = ask("random", positions.game, positions.lines)
        np.testing.assert_array_equal(ask("random", positions.game, positions.lines[:7]).actions, every.actions[:7])

    def test_values_of_a_search(self, positions: SolvedPositions) -> None:
        exact = ask("solver", positions.game, positions.lines)
        np.testing.assert_array_equal(exact.values, positions.value)
        assert np.isnan(ask("random", positions.game, positions.lines).values).all()
        other = AlphaBeta(positions.game, 1, evaluate=lambda state, player: 300.0 - 600.0 * player)  # its units
        assert np.isnan(ask(other, positions.game, positions.lines).values).all()

    def test_values_of_an_evaluator(self, positions: SolvedPositions) -> None:
        game = positions.game

        def evaluator(states: Any) -> Any:
            return np.ones((len(states), game.num_actions)), 0.1 * (states["ply"] % 2)

        found = ask(PUCT(game, 10, evaluator=evaluator), game, positions.lines)
        np.testing.assert_allclose(found.values, 0.1 * (positions.plies % 2))

    def test_an_agent_is_asked_as_in_a_game(self, positions: SolvedPositions) -> None:
        found = ask(MCTS(positions.game, 10), positions.game, positions.lines[:3])
        for i, (observation, info) in enumerate(shown(positions.game, positions.lines[:3])):
            agent = MCTS(positions.game, 10)
            agent.reset(int(np.random.SeedSequence([0, i]).generate_state(1)[0]))
            assert agent.act(observation, info) == found.actions[i]

    def test_illegal_moves(self, positions: SolvedPositions) -> None:
        class Stubborn(Random):
            def act(self, observation: Any, info: Any = None) -> int:
                return 0

        with pytest.raises(ValueError, match="Stubborn plays 0, which is illegal, in\n"):
            ask(Stubborn(), positions.game, positions.lines)

    def test_a_player_is_called_by_its_spec(
        self, positions: SolvedPositions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In this process, but in no other, it was called by its class."""
        monkeypatch.chdir(tmp_path)
        Path("asked_here.py").write_text(
            "class Illegal:\n    def act(self, observation, info):\n        return int(info['action_mask'].argmin())\n"
            "class Confused:\n    def act(self, observation, info): ...\n"
        )
        for name, fault in (("Illegal", "plays"), ("Confused", "answered None")):
            with pytest.raises(ValueError, match=rf"^\./asked_here\.py:{name} {fault}"):
                ask(f"./asked_here.py:{name}", positions.game, positions.lines)

    @pytest.mark.slow
    def test_a_search_is_told_what_the_game_has_had(self) -> None:
        plies = []

        class Told(AlphaBeta):
            def _note_past(self, past: Any) -> None:
                plies.append(len(past))

        game = make_game("minichess")
        ask(Told(game, 1), game, [(), game.actions(game.new_state())[:1]])
        assert plies == [1, 2]


class TestCalibration:
    def test_by_hand(self) -> None:
        # Expected scores of 0.55, 0.55, 0.9 and 0.2, true ones of 1, 0.5, 1 and 0.5.
        found = calibrate([0.1, 0.1, 0.8, -0.6], [1, 0, 1, 0])
        assert [(one.low, one.positions) for one in found.bins] == [(0.2, 1), (0.5, 2), (0.9, 1)]
        assert found.bins[1][3:] == (pytest.approx(0.55), 0.75)
        assert found.error == pytest.approx((0.3 + 2 * 0.2 + 0.1) / 4)
        assert found.brier == pytest.approx((0.45**2 + 0.05**2 + 0.1**2 + 0.3**2) / 4)
        assert found.brier_of_mean == 1 / 16

    def test_who_is_right_and_who_knows_nothing(self) -> None:
        truth = np.random.default_rng(0).choice([-1.0, 0, 1], 1000)
        right, blind = calibrate(truth, truth), calibrate(np.full(1000, truth.mean()), truth)
        assert (right.error, right.brier) == (0, 0)
        assert blind.error == pytest.approx(0)
        assert blind.brier == pytest.approx(blind.brier_of_mean)

    def test_who_is_calibrated(self) -> None:
        rng = np.random.default_rng(1)
        chances = rng.random(20_000)
        outcomes = np.where(rng.random(20_000) < chances, 1.0, -1.0)
        assert calibrate(2 * chances - 1, outcomes).error < 0.02
        assert calibrate(1 - 2 * chances, outcomes).error > 0.4

    def test_values_beyond_are_cut_off(self) -> None:
        found = calibrate([1.7, -1.2], [1, -1])
        assert (found.error, [one.predicted for one in found.bins]) == (0, [0, 1])

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (([], []), "as many predicted"),
            (([1.0], [1.0, 0.0]), "as many predicted"),
            (([math.nan], [1.0]), "finite"),
            (([1.0], [1.0], "x", 0), "bins must be at least 1, got 0"),
        ],
    )
    def test_bad_arguments(self, arguments: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            calibrate(*arguments)


class TestShown:
    def grades(self) -> Grades:
        whole, lost = Share(1000, 1000, 0.84, 1.0), Mean(0.67, 0.1, 1.24)
        total = Grade(None, 1000, whole, whole, whole, lost, 0.434, 0.365, 0.316)
        return Grades(total, (Grade(1, 1000, whole, whole, whole, lost, 0.4, 0.4, 0.4),), ())

    @pytest.mark.parametrize(("width", "parts"), [(80, 1), (60, 2), (40, 3)])
    def test_the_table_of_grades_is_whole(self, width: int, parts: int) -> None:
        """Of 60 columns it took what it lacked from the numbers."""
        console = Console(width=width)
        with console.capture() as captured:
            console.print(grades_table(self.grades()))
        assert "…" not in captured.get()
        assert captured.get().count("0.67 ± 0.57") == 2
        assert captured.get().count("by chance") == parts
        assert max(map(len, captured.get().rstrip().splitlines()[1:])) <= width

    def test_representations(self) -> None:
        found = Evaluation("mcts", "go", 0, self.grades(), None, None, None, False, ())
        expected = "<Evaluation: mcts in go, preserving 100.0%, optimal 100.0%, positions 1000>"
        assert repr(found) == expected
        assert found._repr_html_().startswith("<table><caption>mcts in go, seed 0</caption>")
