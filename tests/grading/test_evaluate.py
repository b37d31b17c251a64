"""`evaluate` and `learning_curve`: searches, sets of positions, policies, and bad arguments."""

from __future__ import annotations

import signal
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.arena import evaluate, solve_positions
from plyground.arena.grading.grades import grade
from plyground.envs import Game, SoloEnv
from tests.helpers.coin import COIN
from tests.helpers.untrained_run import GAME


class TestEvaluate:
    @pytest.mark.slow
    def test_a_search(self) -> None:
        found = evaluate("solver", GAME, positions=4, ladder=["random"], games=4)
        assert found.grades is not None
        assert found.grades.total.keeping.share == 1
        assert found.calibration is not None
        assert found.calibration.error == 0
        assert found.ladder is not None
        assert found.ladder.rating.score > 0.5
        assert found.outcomes is None
        assert found.notes == ()
        assert not found.stopped

    def test_what_cannot_be_solved_is_played(self) -> None:
        found = evaluate("random", "go(board_size=5)", ladder=["random"], games=2)
        assert found.grades is None
        assert found.calibration is None
        assert found.ladder is not None
        assert "no marks against exact solving, only the ladder" in found.notes[0]
        assert not found.stopped

    @pytest.mark.slow
    def test_positions_of_ones_own(self) -> None:
        positions = solve_positions(GAME, 4)
        found = evaluate("random", GAME, positions=positions, ladder="none")
        assert found.ladder is None
        assert found.grades is not None
        assert found.grades.total.positions == len(positions)
        with pytest.raises(ValueError, match="the positions are of mnk"):
            evaluate("random", "tictactoe", positions=positions)

    def test_sets(self) -> None:
        found = evaluate("random", positions="endgames", ladder="none")
        assert [one.name for one in found.sets] == ["endgames"]
        assert found.grades is not None
        assert found.sets[0].total == found.grades.total
        assert found.sets[0].far is None  # the end is near
        # Random moves do as chance has it, within the interval of four standard errors.
        share, chance = found.grades.total.preserving, found.grades.total.preserving_by_chance
        assert abs(share.share - chance) < 2 / np.sqrt(share.total)
        assert (share.rest.share, share.rest.low) == pytest.approx((1 - share.share, 1 - share.high))

    @pytest.mark.slow
    def test_all_sets(self) -> None:
        found = evaluate("random", positions="all", ladder="none")
        assert [one.name for one in found.sets] == ["standard", "hard_openings", "endgames"]
        assert found.grades is not None
        assert found.sets[0].total == found.grades.total
        far = found.sets[1].far
        assert far is not None
        assert 50 < far.positions < found.sets[1].total.positions
        assert "preserving in endgames" in repr(found)

        def few(parts: Any, total: int) -> Any:
            asked.append(total)
            return list(parts) if len(asked) == 1 else list(islice(parts, 1))

        asked: list[int] = []
        found = evaluate("random", positions="all", watch_answers=few)
        assert [one.name for one in found.sets] == ["standard", "hard_openings"]
        assert found.stopped
        assert found.notes[0] == f"stopped after 64 of {asked[1]} positions of hard_openings"

    def test_stopped(self) -> None:
        found = evaluate(
            "random", "connect_four", ladder=["random"], games=2, watch_answers=lambda parts, _: list(islice(parts, 2))
        )
        assert found.grades is not None
        asked = found.grades.total.positions
        counts = [line.positions for line in found.grades.by_ply]
        assert max(counts) - min(counts) <= 1  # all plies alike
        assert found.ladder is None
        assert found.stopped
        assert found.notes[0].startswith(f"stopped after {asked} of ")

        def interrupted(played: Any, total: int) -> Any:
            raise KeyboardInterrupt

        found = evaluate("random", GAME, positions=2, ladder=["random"], watch_games=interrupted)
        assert found.grades is not None
        assert found.stopped
        assert found.notes == ("stopped before all games of the ladder were played: 0 were",)
        with pytest.raises(KeyboardInterrupt):
            evaluate("random", GAME, positions=0, ladder=["random"], watch_games=interrupted)
        nothing = evaluate("random", "connect_four", ladder=["random"], watch_answers=lambda parts, _: [])
        assert (nothing.grades, nothing.calibration, nothing.stopped) == (None, None, True)

    def test_an_interrupt_while_marks_are_made_keeps_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It came while SciPy was loaded for their intervals, for a second and more: they were lost, or it was."""

        def interrupted(*arguments: Any) -> Any:
            signal.raise_signal(signal.SIGINT)
            return grade(*arguments)

        def played(games: Any, total: int) -> list[Any]:
            raise AssertionError("games were played")

        monkeypatch.setattr("plyground.arena.grading.evaluation.grade", interrupted)
        found = evaluate("random", GAME, positions=2, ladder=["random"], watch_games=played)
        assert found.grades is not None
        assert found.stopped
        count = found.grades.total.positions
        assert found.notes == (f"stopped after the {count} positions, before what was to follow",)
        assert not evaluate("random", GAME, positions=2, ladder="none").stopped  # nothing was to follow

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"games": 3}, "games must be even"),
            ({"seed": -1}, "seed must be a whole number, at least 0, got -1"),
            ({"jobs": 0}, "jobs must be a number of processes, .*, got 0"),
            ({"seed": "x"}, "seed must be a whole number, at least 0, got 'x'"),
            ({"positions": -1}, "positions must be a number of each ply"),
            ({"positions": "endgame"}, "unknown set of positions 'endgame': did you mean 'endgames'"),
            ({"positions": "endgames"}, "no positions of mnk.m=4. come with the package"),
            ({"ladder": ["randon"]}, "unknown agent 'randon'"),
            ({"opening_plies": 100}, "opening_plies must be a whole number, .* got 100"),
        ],
    )
    def test_bad_arguments(self, options: dict[str, Any], message: str) -> None:
        def asked(answers: Any, total: int) -> list[Any]:
            raise AssertionError("positions were graded first")

        with pytest.raises(ValueError, match=message):
            evaluate("random", GAME, **options, watch_answers=asked)

    def test_a_game_without_open_positions_is_not_graded_in_vain(self) -> None:
        """All positions were, and then the ladder found no opening: the marks were lost."""
        game = Game(**{**COIN, "max_plies": 16}, check=False)  # a loose bound, from which the openings' length follows

        def asked(answers: Any, total: int) -> list[Any]:
            raise AssertionError("positions were graded first")

        message = r"no open position of coin after 4 random plies, .* such as opening_plies=0 \(--opening-plies 0\)"
        with pytest.raises(ValueError, match=message):
            evaluate("random", game, watch_answers=asked)


class TestPolicies:
    def test_moves_and_values_are_the_models(self, training_run: Path) -> None:
        from plyground.agents import Policy
        from plyground.arena.grading.answers import ask, shown

        positions = solve_positions(GAME, 4)
        game = positions.game
        policy = Policy(game, training_run / "checkpoints" / "step_000020000.zip")
        found = ask(policy, game, positions.lines)
        for i, (observation, info) in enumerate(shown(game, positions.lines)):
            assert found.actions[i] == policy.act(observation, info)
            flat = observation["observation"].reshape(1, -1).astype(np.float32)
            tensor, _ = policy.model.policy.obs_to_tensor(flat)
            assert found.values[i] == pytest.approx(policy.model.policy.predict_values(tensor).item(), abs=1e-6)

    def test_dqn(self) -> None:
        sb3 = pytest.importorskip("stable_baselines3")
        from plyground.agents import Policy
        from plyground.arena.grading.answers import ask

        positions = solve_positions(GAME, 2)
        model = sb3.DQN("MlpPolicy", SoloEnv(GAME, "random"), device="cpu", seed=0)
        policy = Policy(positions.game, model)
        found = ask(policy, positions.game, positions.lines)
        for i in range(len(positions)):
            state = positions.state(i)
            planes = positions.game.observation(state, positions.game.player(state))
            scores = policy.scores(planes, positions.legal[i])
            assert found.values[i] == pytest.approx(scores[positions.legal[i]].max(), abs=1e-6)

    def test_drawn_moves_are_of_the_seed(self, training_run: Path) -> None:
        from plyground.arena.grading.answers import ask

        positions = solve_positions(GAME, 4)
        spec = f"policy({str(training_run / 'checkpoints' / 'step_000020000.zip')!r}, deterministic=false)"
        once, again, other = (ask(spec, positions.game, positions.lines, seed).actions for seed in (1, 1, 2))
        assert (once == again).all()
        assert (once != other).any()

    def test_outcomes(self, training_run: Path) -> None:
        spec = f"policy({str(training_run / 'checkpoints' / 'step_000020000.zip')!r})"
        found = evaluate(spec, GAME, positions=0, ladder=["random"], games=4, name="me")
        assert found.grades is None
        assert found.outcomes is not None
        assert found.ladder is not None
        own = sum(record.movers.count(record.players.index("me")) for record in found.ladder.records)
        assert found.outcomes.positions == own
        mean = np.mean(
            [
                (record.outcome[mover] + 1) / 2
                for record in found.ladder.records
                for mover in record.movers
                if mover == record.players.index("me")
            ]
        )
        assert sum(one.positions * one.score for one in found.outcomes.bins) / own == pytest.approx(mean)
