"""Solving positions: against minimax from the rules alone, what cannot be solved, masks, and damaged files."""

from __future__ import annotations

import sys
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plyground.agents import Solver
from plyground.agents.solver.exhaustive import AllPositions
from plyground.arena import SolvedPositions, load_positions, save_positions, solve_positions
from plyground.arena.grading.answers import shown
from plyground.arena.grading.sampling import different_lines, draw_positions, join_positions, solvable_plies
from plyground.arena.grading.size import is_large
from plyground.envs import Game, State, make_game
from tests.helpers.coin import COIN
from tests.helpers.oracles import minimax_value
from tests.helpers.repeats import circle


@pytest.fixture(scope="module")
def small() -> SolvedPositions:
    return solve_positions("mnk(m=4, n=3, k=3)", 6, seed=1)


class TestSolved:
    @pytest.mark.parametrize(
        ("spec", "first"),
        [("tictactoe", 0), ("mnk(m=4, n=3, k=3)", 5), pytest.param("othello(size=4)", 6, marks=pytest.mark.slow)],
    )
    def test_values_are_those_of_minimax(self, spec: str, first: int) -> None:
        positions, known = solve_positions(spec, 4, seed=3), {}
        game = positions.game
        later = np.flatnonzero(positions.plies >= first).tolist()
        assert len(later) >= 10
        for i in later:
            state = positions.state(i)
            assert positions.value[i] == minimax_value(game, state, known)
            assert np.flatnonzero(positions.legal[i]).tolist() == game.actions(state)
            for action in game.actions(state):
                child = game.play_moves([action], state)
                sign = 1 if game.player(child) == game.player(state) else -1
                assert positions.values[i, action] == sign * minimax_value(game, child, known)

    @pytest.mark.slow
    def test_same_seed_same_positions(self) -> None:
        lines = [solve_positions("tictactoe", 6, seed=seed).lines for seed in (1, 1, 2)]
        assert lines[0] == lines[1] != lines[2]

    def test_boards_of_connect_four_that_have_no_book(self) -> None:
        positions = solve_positions("connect_four(rows=4, columns=5)", 5)
        assert len(set(positions.plies.tolist())) > 3
        assert set(positions.value) == {1, 0, -1}

    def test_quotas(self) -> None:
        found = draw_positions(Solver("connect_four"), 28, 10, seed=5)
        assert Counter(int(solution.value) for _, solution in found) == {1: 4, 0: 4, -1: 2}
        assert {len(line) for line, _ in found} == {28}

    @pytest.mark.parametrize("spec", ["go(board_size=5)", "othello"])
    def test_what_cannot_be_solved(self, spec: str) -> None:
        with pytest.raises(ValueError, match="cannot be solved"):
            solve_positions(spec, 2)

    def test_no_count(self) -> None:
        with pytest.raises(ValueError, match="count must be at least 1, got 0"):
            solve_positions("tictactoe", 0)


def test_positions_of_a_game_are_no_later_than_it_ever_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that promised many more plies was graded in its first position alone."""
    monkeypatch.setattr(Solver, "value", lambda solver, state: 0.0)  # nothing needs to be compiled
    game = make_game("tictactoe")
    plies = solvable_plies(Solver(game.replace(max_plies=400)))
    assert plies == solvable_plies(Solver(game)) == [0, 1, 2, 3, 4, 5, 6]


class TestLimits:
    """Of time; and of size, which is known before anything is compiled."""

    @pytest.mark.parametrize(
        ("spec", "large"),
        [
            ("tictactoe", False),
            pytest.param("mnk(m=4, n=4, k=4)", False, marks=pytest.mark.slow),
            pytest.param("mnk(m=6, n=5, k=4)", True, marks=pytest.mark.slow),
            ("connect_four(rows=7)", False),  # which is solved from later positions
            ("go(board_size=5)", False),  # which shows earlier positions: nothing is known
            ("chess(classic=True)", True),
            ("checkers(max_quiet_plies=40)", True),
        ],
    )
    def test_size(self, spec: str, large: bool) -> None:
        assert is_large(make_game(spec)) is large

    def test_lines_that_come_again_are_looked_at_too(self) -> None:
        """Many are drawn for each that is new, and Ctrl-C was not heard meanwhile."""
        asked: list[None] = []
        rng = np.random.default_rng(0)
        lines = list(different_lines(make_game("tictactoe"), 1, 50, rng, lambda: asked.append(None)))
        assert len(lines) == 3  # but for mirror images
        assert len(asked) == 50

    @pytest.mark.slow
    def test_lines_end_before_a_repetition_does(self) -> None:
        """No environment plays the others: to train AlphaZero in such a game ended with an error, after a minute."""
        game, rng = circle(draw=2, plies=6), np.random.default_rng(0)
        lines = [line for line, _ in different_lines(game, 4, 40, rng)]
        assert len(list(shown(game, lines))) == len(lines) > 1

    def test_with_a_limit_no_solver_is_compiled_for_a_large_game(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def compile_it(positions: AllPositions) -> None:
            raise AssertionError("it is compiled")

        monkeypatch.setattr(AllPositions, "compile", compile_it)
        with pytest.raises(ValueError, match=r"mnk\(m=6, n=5, k=4\) cannot be solved: it has too many positions"):
            solve_positions("mnk(m=6, n=5, k=4)", 2, seconds=60)
        with pytest.raises(AssertionError, match="it is compiled"):
            solve_positions("mnk(m=6, n=5, k=4)", 2)

    def test_a_limit_that_is_not_reached_changes_nothing(self) -> None:
        assert solve_positions("tictactoe", 3, seconds=1e9).lines == solve_positions("tictactoe", 3).lines

    def test_drawing_ends(self) -> None:
        with pytest.raises(ValueError, match="tictactoe cannot be solved in 0 s"):
            solve_positions("tictactoe", 3, seconds=0)

    def test_a_long_search_ends(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def search(positions: AllPositions, state: State) -> None:
            assert positions.on_progress is not None
            positions.on_progress(1000, 1.0)
            raise AssertionError("it went on")

        monkeypatch.setattr(AllPositions, "value", search)
        with pytest.raises(ValueError, match="tictactoe cannot be solved in 0 s"):
            solve_positions("tictactoe", 3, seconds=0)


class TestMasks:
    def test_by_hand(self) -> None:
        # Four positions, of five actions: a win in 3 or 5 plies, a draw in 9 or 7 plies or without end, all lost.
        nan = np.nan
        values = [[1, 1, 0, -1, nan], [0, 0, -1, nan, nan], [0, 0, -1, nan, nan], [-1, -1, nan, nan, nan]]
        distances = [[5, 3, 9, 2, -1], [9, 7, 3, -1, -1], [9, -1, 3, -1, -1], [4, 6, -1, -1, -1]]
        positions = SolvedPositions(
            make_game("connect_four(columns=5)"), ((),) * 4, np.array(values, float), np.array(distances)
        )
        assert positions.value.tolist() == [1, 0, 0, -1]
        assert [np.flatnonzero(row).tolist() for row in positions.keeping] == [[0, 1], [0, 1], [0, 1], [0, 1]]
        assert [np.flatnonzero(row).tolist() for row in positions.optimal] == [[1], [0], [1], [1]]
        assert positions.at_stake.tolist() == [True, True, True, False]

    def test_stratified(self, small: SolvedPositions) -> None:
        mixed = small.stratified()
        plies = sorted(set(small.plies.tolist()))
        assert mixed.plies[: len(plies)].tolist() == plies
        assert sorted(mixed.lines) == sorted(small.lines)
        few = small.stratified(2)
        assert max(Counter(few.plies.tolist()).values()) == 2
        first = next(i for i, line in enumerate(small.lines) if line == few.lines[0])
        np.testing.assert_array_equal(few.values[0], small.values[first])


class TestFiles:
    def test_round_trip(self, small: SolvedPositions, tmp_path: Path) -> None:
        path = tmp_path / "positions.npz"
        save_positions(path, small)
        again = load_positions(path)
        assert (again.game, again.lines) == (small.game, small.lines)
        np.testing.assert_array_equal(again.values, small.values)
        np.testing.assert_array_equal(again.distances, small.distances)
        assert list(tmp_path.iterdir()) == [path]

    def test_a_game_that_is_found_by_its_place(
        self, small: SolvedPositions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, place = tmp_path / "positions.npz", f"{tmp_path / 'boards_here.py'}:wide(m=4)"
        (tmp_path / "boards_here.py").write_text(
            "from plyground.envs import make_game\ndef wide(m):\n    return make_game('mnk', m=m, n=3, k=3)\n"
        )
        save_positions(path, replace(small, game=make_game(place)))
        assert load_positions(path).game.source == place
        monkeypatch.chdir(tmp_path)
        assert load_positions(path, "./boards_here.py:wide(m=4)").game.source == "./boards_here.py:wide(m=4)"
        (tmp_path / "boards_here.py").rename(tmp_path / "moved.py")
        monkeypatch.delitem(sys.modules, "boards_here")
        with pytest.raises(ValueError, match=r"is damaged: its game is not found: there is no file .*boards_here\.py"):
            load_positions(path)

    def test_a_game_that_is_found_by_no_name(self, tmp_path: Path) -> None:
        path, coin = tmp_path / "positions.npz", Game(**COIN)
        save_positions(path, SolvedPositions(coin, ((),), np.array([[-1.0, 1.0]]), np.ones((1, 2), np.int64)))
        with pytest.raises(ValueError, match="unknown game 'coin'"):
            load_positions(path)
        again = load_positions(path, coin)
        assert (again.game, again.lines, again.value.tolist()) == (coin, ((),), [1])
        with pytest.raises(ValueError, match="is damaged: its positions are of 'coin', expected tictactoe"):
            load_positions(path, "tictactoe")
        with pytest.raises(ValueError, match=r"^unknown game 'coin'"):
            load_positions(path, "coin")

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            load_positions(tmp_path / "no.npz")

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"version": np.array(7)}, "version 7"),
            ({"game": np.array("shogi")}, "unknown game 'shogi'"),
            ({"values": np.zeros((2, 12), np.float32)}, "its arrays have shapes"),
            ({"values": np.eye(1, 12, dtype=np.float32) * np.nan}, "position 0 does not have a value"),
            ({"moves": np.array([[3, 3]], np.int16)}, "illegal"),
            ({"moves": np.array([[99]], np.int16)}, "illegal"),
            ({"moves": None}, "it has no moves"),
            ({"moves": np.array([None])}, "allow_pickle"),
            ({"distances": np.array("x")}, "shapes"),
        ],
    )
    def test_damaged(self, small: SolvedPositions, tmp_path: Path, change: dict, message: str) -> None:
        path = tmp_path / "positions.npz"
        save_positions(path, small.select(np.array([0])))
        with np.load(path) as data:
            arrays = {**data, **change}
        np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
        with pytest.raises(ValueError, match=f"is damaged: .*{message}"):
            load_positions(path)

    def test_a_value_out_of_range(self, small: SolvedPositions, tmp_path: Path) -> None:
        path = tmp_path / "positions.npz"
        save_positions(path, SolvedPositions(small.game, small.lines, small.values * 3, small.distances))
        with pytest.raises(ValueError, match="values beyond 1"):
            load_positions(path)

    @pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 half a zip"])
    def test_something_else(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "positions.npz"
        path.write_bytes(content)
        with pytest.raises(ValueError, match="no file of solved positions, or is damaged"):
            load_positions(path)

    def test_half_a_file(self, small: SolvedPositions, tmp_path: Path) -> None:
        path = tmp_path / "positions.npz"
        save_positions(path, small)
        path.write_bytes(path.read_bytes()[:-200])
        with pytest.raises(ValueError, match="is damaged"):
            load_positions(path)

    def test_bytes_that_changed(self, small: SolvedPositions, tmp_path: Path) -> None:
        path = tmp_path / "positions.npz"
        save_positions(path, small)
        with zipfile.ZipFile(path) as archive:
            place = archive.getinfo("values.npy").header_offset + 80
        data = bytearray(path.read_bytes())
        data[place] ^= 0xFF
        path.write_bytes(data)
        with pytest.raises(ValueError, match="is damaged"):
            load_positions(path)

    def test_joined(self) -> None:
        found = draw_positions(Solver("tictactoe"), 3, 3)
        joined = join_positions(make_game("tictactoe"), found)
        for i, (line, solution) in enumerate(found):
            assert list(joined.lines[i]) == line
            assert joined.value[i] == solution.value
            assert tuple(np.flatnonzero(joined.optimal[i])) == solution.fastest_actions
