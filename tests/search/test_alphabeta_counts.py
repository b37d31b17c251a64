"""What alpha-beta counts: what the options save, what the table keeps, and Knuth and Moore's leaves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plyground.agents import AlphaBeta, Minimax
from plyground.agents.alphabeta.table import new_table, place, probe
from plyground.envs import connect_four
from plyground.envs.jit import kernel
from tests.helpers.trees import perfectly_ordered_tree, random_tree, worst_ordered_tree

PLAIN = {"table_mb": 0, "ordered": False, "pvs": False, "iterative": False}


def nodes(**options: object) -> int:
    agent = AlphaBeta("connect_four", 9, **options)  # type: ignore[arg-type]
    return agent.analyse(agent.game.new_state()).nodes


def test_each_sound_option_saves_nodes() -> None:
    plain = nodes(**PLAIN)
    for options in ({"table_mb": 1}, {"ordered": True, "killers": False}, {"ordered": True, "history": False}):
        assert nodes(**{**PLAIN, **options}) < 0.5 * plain
    everything = nodes()
    for option in ({"table_mb": 0}, {"hash_move": False}, {"iterative": False}, {"ordered": False}):
        assert nodes(**option) > 1.05 * everything
    assert everything < 0.05 * plain
    assert nodes(fold=True) < 0.8 * everything  # half of the tree is the image of the other half


def test_statistics_add_up() -> None:
    agent = AlphaBeta("connect_four", 8)
    found = agent.analyse(agent.game.new_state())
    counts = found.statistics
    assert 0 < counts["table answers"] <= counts["table hits"] <= counts["table probes"] < found.nodes
    assert counts["table hit rate"] == counts["table hits"] / counts["table probes"]
    assert 0.5 < counts["first-move cut-off rate"] == counts["first-move cut-offs"] / counts["cut-offs"] < 1
    assert counts["searches repeated"] > 0
    assert found.selective_depth == found.depth == 8
    plain = AlphaBeta("connect_four", 4, **PLAIN).analyse(agent.game.new_state())  # type: ignore[arg-type]
    for name in (
        "table probes",
        "table hits",
        "table answers",
        "searches repeated",
        "windows missed",
        "table hit rate",
    ):
        assert plain.statistics[name] == 0


def test_a_window_that_is_too_narrow_is_missed_and_one_that_is_wide_enough_is_not() -> None:
    game = connect_four()
    state = game.play_moves([3, 3])
    open_, narrow, wide = (AlphaBeta(game, 8, aspiration=width).analyse(state) for width in (None, 1e-6, 10.0))
    assert open_.value == narrow.value == wide.value
    assert narrow.statistics["windows missed"] >= 4
    assert open_.statistics["windows missed"] == wide.statistics["windows missed"] == 0


def test_table_is_shared_across_the_moves_of_a_game() -> None:
    game = connect_four()
    agent = AlphaBeta(game, 9)
    state = game.play_moves(agent.analyse(game.new_state()).pv[:2])
    warm, cold = agent.analyse(state), AlphaBeta(game, 9).analyse(state)
    assert warm.value == cold.value
    assert warm.nodes < 0.95 * cold.nodes


@kernel
def _store(table, key, depth, age, by_depth):
    entry = table[place(table, key, depth, age, by_depth)]
    entry.key, entry.depth, entry.bound, entry.age = key, depth, 1, age


@kernel
def _depth_of(table, key):
    entry = table[probe(table, key)]
    return entry.depth if entry.bound != 0 and entry.key == key else -1


class TestReplacement:
    def depths(self, by_depth: bool, *stores: tuple[int, int, int]) -> list[int]:
        """Return the depths kept for the keys 1, 2 and 3, after storing (key, depth, age) in a table of two slots."""
        table = new_table(1e-9)
        assert table.size == 2
        for key, depth, age in stores:
            _store(table, np.uint64(key), depth, age, by_depth)
        return [int(_depth_of(table, np.uint64(key))) for key in (1, 2, 3)]

    def test_the_deeper_entry_of_a_search_stays(self) -> None:
        assert self.depths(True, (1, 5, 0), (2, 3, 0), (3, 1, 0)) == [5, -1, 1]

    def test_one_that_is_not_deeper_moves_to_the_second_slot(self) -> None:
        assert self.depths(True, (1, 5, 0), (2, 5, 0)) == [5, 5, -1]
        assert self.depths(True, (1, 5, 0), (2, 6, 0), (3, 7, 0)) == [-1, 6, 7]

    def test_an_older_one_gives_way_whatever_its_depth(self) -> None:
        assert self.depths(True, (1, 5, 0), (2, 3, 1), (3, 2, 1)) == [-1, 3, 2]
        assert self.depths(True, (1, 5, 255), (2, 3, 0)) == [5, 3, -1]

    def test_an_entry_is_renewed_where_it_is(self) -> None:
        assert self.depths(True, (1, 5, 0), (1, 2, 0)) == [2, -1, -1]

    def test_or_the_newest_stays(self) -> None:
        depths = self.depths(False, (1, 5, 0), (2, 3, 0), (3, 1, 0))
        assert depths[2] == 1
        assert sum(depth > 0 for depth in depths) == 2  # keys 1 to 3 take both slots, one of them twice


@pytest.mark.slow
@pytest.mark.parametrize(("b", "h"), [(1, 5), (2, 7), (3, 5), (4, 6), (6, 3)])
def test_leaves_in_worst_and_perfect_order(b: int, h: int) -> None:
    counts = []
    for tree in (worst_ordered_tree, perfectly_ordered_tree):
        game = tree(b, h)
        found = AlphaBeta(game, h, **PLAIN).analyse(game.new_state())  # type: ignore[arg-type]
        assert found.value == Minimax(game, h).analyse(game.new_state()).value
        counts.append(found.leaves)
    assert counts == [b**h, b ** math.ceil(h / 2) + b ** (h // 2) - 1]


def test_perfect_order_cuts_off_at_the_first_move_always() -> None:
    game = perfectly_ordered_tree(3, 6)
    found = AlphaBeta(game, 6, **PLAIN).analyse(game.new_state())  # type: ignore[arg-type]
    assert found.statistics["first-move cut-off rate"] == 1


@pytest.mark.slow
def test_leaves_in_random_order_grow_about_as_theory_says() -> None:
    def mean(h: int) -> float:
        games = [random_tree(4, h, seed) for seed in range(30)]
        return sum(AlphaBeta(game, h, **PLAIN).analyse(game.new_state()).leaves for game in games) / 30  # type: ignore[arg-type]

    growth = (mean(9) / mean(5)) ** (1 / 4)  # a ply
    assert growth == pytest.approx(4**0.75, rel=0.05)
    game = random_tree(4, 4, 0)
    assert AlphaBeta(game, 4).analyse(game.new_state()).value == Minimax(game, 4).analyse(game.new_state()).value
