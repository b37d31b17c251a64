"""The sets of solved positions that come with the package: what they are, beside the solver and another solver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import bitbully
import numpy as np
import pytest

from plyground.agents import Solver
from plyground.agents.solver.connect_four.scores import canonical_key, distance_of
from plyground.arena import SolvedPositions, committed_positions
from plyground.arena.grading.quiet import draw_quiet_positions, is_quiet
from plyground.arena.grading.sampling import join_positions
from plyground.envs import connect_four


@pytest.fixture(scope="module")
def committed() -> SolvedPositions:
    positions = committed_positions("connect_four")
    assert positions is not None
    return positions


@pytest.fixture(scope="module", params=["hard_openings", "endgames"])
def quiet(request: pytest.FixtureRequest) -> tuple[str, SolvedPositions]:
    positions = committed_positions("connect_four", request.param)
    assert positions is not None
    return request.param, positions


def check_with_bitbully(positions: SolvedPositions, rows: Iterable[int]) -> None:
    """Check values and distances of all actions in these positions."""
    game, peer = positions.game, bitbully.BitBully()
    for i in rows:
        state = positions.state(i)
        for action in game.actions(state):
            child = game.play_moves([action], state)
            if game.is_terminal(child):
                won = game.utility(child, game.player(state))
                expected = (float(won), 1)
            else:
                board = bitbully.Board(list(map(int, (*positions.lines[i], action))))
                score = -peer.mtdf(board)
                left = game.max_plies - len(positions.lines[i]) - 1
                expected = (float(np.sign(score)), distance_of(-score, left) + 1)
            assert (positions.values[i, action], positions.distances[i, action]) == expected


class TestCommitted:
    def test_strata(self, committed: SolvedPositions) -> None:
        counts = Counter(committed.plies.tolist())
        assert len(counts) >= 8
        assert min(counts.values()) >= 50
        assert {ply % 2 for ply in counts} == {0, 1}  # both players are to move
        for ply in counts:
            values = Counter(committed.value[committed.plies == ply].tolist())
            assert min(values[1], values[0], values[-1]) >= 10
        assert (committed.at_stake | (committed.value < 0)).all()
        keys = {int(committed.game.canonical_key(committed.state(i))) for i in range(len(committed))}
        assert len(keys) == len(committed)

    def test_a_sample_is_solved_anew(self, committed: SolvedPositions) -> None:
        game, solver = committed.game, Solver(connect_four())
        late = np.flatnonzero(committed.plies >= 12)
        for i in np.random.default_rng(0).choice(late, 60, replace=False):
            solution = solver.solve(committed.state(i))
            legal = np.flatnonzero(committed.legal[i]).tolist()
            assert legal == game.actions(committed.state(i))
            assert {a: committed.values[i, a] for a in legal} == solution.values
            assert {a: committed.distances[i, a] for a in legal} == solution.distances
            assert tuple(np.flatnonzero(committed.keeping[i])) == solution.best_actions
            assert tuple(np.flatnonzero(committed.optimal[i])) == solution.fastest_actions

    @pytest.mark.slow
    def test_all_of_it_is_what_bitbully_says(self, committed: SolvedPositions) -> None:
        check_with_bitbully(committed, range(0, len(committed), 2))

    def test_other_games_have_none(self) -> None:
        assert committed_positions("connect_four(rows=5)") is None
        assert committed_positions("tictactoe") is None


class TestQuietSets:
    """Hard openings and endgames: nobody wins at once, and something is at stake."""

    def test_what_they_are(self, quiet: tuple[str, SolvedPositions]) -> None:
        name, positions = quiet
        game = positions.game
        states = [positions.state(i) for i in range(len(positions))]
        assert len({canonical_key(game, state) for state in states}) == len(positions) >= 500
        first, last = (6, 14) if name == "hard_openings" else (29, 37)
        assert set(range(first, last + 1)) <= set(positions.plies.tolist())
        assert positions.plies.max() == last
        assert positions.at_stake.all()
        assert all(is_quiet(game, state) for state in states)
        assert set(positions.value) == {1, 0}
        left = game.max_plies - positions.plies
        assert ((positions.distance > 0) & (positions.distance <= left)).all()
        assert (positions.distance[positions.value == 0] == left[positions.value == 0]).all()

    @pytest.mark.slow
    def test_a_sample_is_what_bitbully_says(self, quiet: tuple[str, SolvedPositions]) -> None:
        _, positions = quiet
        rows = np.flatnonzero(positions.plies >= 12)  # earlier ones take it seconds
        sample = np.random.default_rng(0).choice(rows, 30, replace=False)
        check_with_bitbully(positions, sample.tolist())

    @pytest.mark.slow
    def test_early_ones_are_what_bitbully_says(self) -> None:
        positions = committed_positions("connect_four", "hard_openings")
        assert positions is not None
        for ply in range(8, 12):
            check_with_bitbully(positions, np.flatnonzero(positions.plies == ply)[:5].tolist())

    def test_the_seed_gives_them_again(self, quiet: tuple[str, SolvedPositions]) -> None:
        _, positions = quiet
        ply = int(positions.plies.max())
        rows = np.flatnonzero(positions.plies == ply)[:2]
        drawn = join_positions(positions.game, draw_quiet_positions(Solver("connect_four"), ply, 2, seed=0))
        again = positions.select(rows)
        assert drawn.lines == again.lines
        np.testing.assert_array_equal(drawn.values, again.values)
        np.testing.assert_array_equal(drawn.distances, again.distances)

    def test_quiet(self) -> None:
        game = connect_four()
        assert is_quiet(game, game.play_moves([3, 2, 3, 2]))
        assert not is_quiet(game, game.play_moves([3, 2, 3, 2, 3, 1]))  # the player to move wins
        assert not is_quiet(game, game.play_moves([3, 2, 3, 2, 3]))  # the other one would

    def test_what_cannot_be_drawn(self) -> None:
        with pytest.raises(ValueError, match="count must be at least 1, got 0"):
            draw_quiet_positions(Solver("connect_four"), 30, 0)
        with pytest.raises(ValueError, match="connect_four alone, got tictactoe"):
            draw_quiet_positions(Solver("tictactoe"), 3, 1)

    def test_no_such_set(self) -> None:
        with pytest.raises(ValueError, match="unknown set of positions 'end_games': did you mean 'endgames'"):
            committed_positions("connect_four", "end_games")
        assert committed_positions("tictactoe", "endgames") is None
