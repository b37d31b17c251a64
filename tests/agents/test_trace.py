"""Searches step by step: the numbers of the texts, an oracle on random trees, and the games themselves."""

from __future__ import annotations

import math
import re
from typing import Any, cast
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyground.agents import Minimax
from plyground.agents.teaching.alphabeta_trace import AlphaBetaTrace, TracedNode, trace_alphabeta
from plyground.agents.teaching.drawing import alphabeta_drawing
from plyground.agents.teaching.exercises import alphabeta_exercise, best_first, mcts_exercise
from plyground.agents.teaching.mcts_trace import trace_mcts
from plyground.agents.teaching.text import alphabeta_steps, alphabeta_summary, alphabeta_text
from plyground.agents.teaching.trees import GameNode, ListedNode, format_tree, number, parse_tree
from plyground.envs import connect_four, make_game, tictactoe
from plyground.envs.render.raster import DRAWN
from tests.conftest import random_game
from tests.helpers.oracles import minimax_value

TEXTBOOK = "((3 12 8) (2 ? ?) (14 5 2))"


def trace(tree: Any, is_max: bool = True, pruning: bool = True) -> AlphaBetaTrace:
    return trace_alphabeta(ListedNode(tree, is_max), pruning=pruning)


def minimax(tree: Any, is_max: bool) -> float:
    return (max if is_max else min)(minimax(t, not is_max) for t in tree) if isinstance(tree, tuple) else tree


def looked_at(tree: Any, is_max: bool) -> list[float]:
    """Return the leaves that alpha-beta looks at, by the fail-hard negamax of Knuth and Moore (their F2)."""
    order: list[float] = []

    def f2(node: Any, sign: int, alpha: float, beta: float) -> float:
        if not isinstance(node, tuple):
            order.append(node)
            return sign * node
        for child in node:
            alpha = max(alpha, -f2(child, -sign, -beta, -alpha))
            if alpha >= beta:
                break
        return alpha

    f2(tree, 1 if is_max else -1, -math.inf, math.inf)
    return order


def unsearched(node: TracedNode) -> Any:
    """Return the tree with ``?`` for every leaf that was not looked at."""
    if node.is_leaf:
        return "?" if node.is_pruned else node.value
    return tuple(unsearched(child) for child in node.children)


class TestTrees:
    @pytest.mark.parametrize("text", [TEXTBOOK, "(1)", "(-1.5 (2 (3 ?)) 0.25)", "(((((7)))))"])
    def test_written_as_they_are_read(self, text: str) -> None:
        assert format_tree(parse_tree(text)) == text

    def test_numbers_are_written_whole(self) -> None:
        tree = (10000000000000.0, 0.00001, -3.0)
        assert parse_tree(format_tree(tree)) == tree

    def test_other_ways_to_write_one(self) -> None:
        assert parse_tree(" [[3, 12,8],[+2 ?\n.5] ] ") == ((3.0, 12.0, 8.0), (2.0, "?", 0.5))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", r"expected '\)' at the end of ''"),
            ("((3 12)", r"expected '\)' at the end of"),
            ("3", r"expected '\(' at character 1 of '3'"),
            (")", r"expected '\(' at character 1"),
            ("(3) 4", "'4' at character 5 of .* comes after its end"),
            ("(3 ())", "a node without children at character 5"),
            ("(3 [5 7) 2]", r"expected '\]', got '\)' at character 8 of"),
            ("([3 5", r"expected '\]' at the end of"),
            ("(3 x)", "expected a number or '\\?', got 'x' at character 4"),
            ("(nan)", "got 'nan'"),
            ("(1e999)", "got '1e999'"),
            ("(" * 65, "more than 64 lists in each other"),
        ],
    )
    def test_mistakes(self, text: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            parse_tree(text)

    def test_lists_and_numbers_of_python(self) -> None:
        assert ListedNode([[3, np.int64(12)], [np.float32(2.5), "?"], 1]).tree == ((3.0, 12.0), (2.5, "?"), 1.0)
        wrong: list[Any] = [[], [[1], []], [math.nan], [math.inf, 1], [None], ["x"], {}, ["(1 2)"]]
        for tree in wrong:
            with pytest.raises(ValueError, match="a tree is made of lists"):
                ListedNode(tree)

    def test_names(self) -> None:
        names = [node.name for node in trace("((1 (2 3)) (4 (5 (6 7))))", pruning=False).root.walk()]
        assert names == ["root", "A", "A1", "A2", "A2a", "A2b", "B", "B1", "B2", "B2a", "B2b", "B2b1", "B2b2"]
        wide = trace(tuple(float(i) for i in range(30)))
        assert [node.name for node in wide.root.children][24:28] == ["Y", "Z", "AA", "AB"]
        assert len({node.name for node in wide.root.walk()}) == 31

    def test_numbers(self) -> None:
        values = (3.0, 0.25, -0.0, 12.345, 1 / 3, 1234567.5, math.inf, -math.inf)
        assert [number(value) for value in values] == ["3", "0.25", "0", "12.345", "0.3333", "1234567.5", "+∞", "-∞"]


class TestTextbook:
    def test_minimax_tree(self, textbook: Any) -> None:
        expected = textbook["minimax_tree"]
        tree = tuple(tuple("?" if isinstance(leaf, str) else leaf for leaf in node) for node in expected["tree"])
        found = trace(tree)
        assert tree == parse_tree(TEXTBOOK)
        assert (found.value, found.root.best) == (expected["root_value"], expected["best_child"])
        assert [leaf.value for leaf in found.leaves] == expected["alpha_beta_left_to_right"]["leaves_evaluated"]
        assert len(found.pruned_leaves) == expected["alpha_beta_left_to_right"]["leaves_pruned"]
        assert [node.name for node in found.pruned] == ["B2", "B3"]
        assert [node.name for node in found.best_line] == ["A", "A1"]

    def test_windows_and_what_is_known(self) -> None:
        a, b, c = trace(TEXTBOOK).root.children
        assert [(n.alpha, n.beta) for n in (a, b, c)] == [(-math.inf, math.inf), (3, math.inf), (3, math.inf)]
        assert [(n.relation, n.value) for n in (a, b, c)] == [("=", 3), ("≤", 2), ("=", 2)]
        assert (b.lower, b.upper, b.cut) == (-math.inf, 2, "v ≤ α = 3, which MAX is sure of elsewhere")
        assert (a.cut, c.cut) == ("", "")

    def test_steps(self) -> None:
        assert alphabeta_steps(trace("((3 12) (2 ?))")).splitlines() == [
            " 1. root: MAX, α = -∞, β = +∞",
            " 2. A: MIN, α = -∞, β = +∞",
            " 3. A1: leaf, value 3",
            " 4. A: v = 3 from A1, β = 3",
            " 5. A2: leaf, value 12",
            " 6. A: v = min(3, 12) = 3",
            " 7. root: v = 3 from A, α = 3",
            " 8. B: MIN, α = 3, β = +∞",
            " 9. B1: leaf, value 2",
            "10. B: v = 2 from B1, β = 2",
            "11. B: v ≤ α = 3, which MAX is sure of elsewhere: B2 pruned",
            "12. root: v = max(3, 2) = 3",
        ]

    def test_text(self) -> None:
        found = trace("((3 12) (2 ?))")
        assert alphabeta_text(found).splitlines() == [
            "root MAX  α=-∞ β=+∞  v=3",
            "├─ A MIN  α=-∞ β=+∞  v=3",
            "│  ├─ A1 = 3",
            "│  └─ A2 = 12",
            "└─ B MIN  α=3 β=+∞  v≤2  ✂ v ≤ α = 3, which MAX is sure of elsewhere",
            "   ├─ B1 = 2",
            "   └─ ✂ B2",
        ]
        assert alphabeta_text(found, solved=False).splitlines() == [
            "root MAX", "├─ A MIN", "│  ├─ A1 = 3", "│  └─ A2 = 12", "└─ B MIN", "   ├─ B1 = 2", "   └─ B2 = ?",
        ]  # fmt: skip
        assert alphabeta_summary(found).splitlines() == [
            "value 3, best line A A1",
            "3 leaves looked at: A1 = 3, A2 = 12, B1 = 2",
            "pruned: B2",
        ]

    def test_minimax_looks_at_all_and_speaks_of_no_bounds(self) -> None:
        found = trace("((3 12 8) (2 4 6) (14 5 2))", pruning=False)
        assert (found.value, len(found.leaves), found.pruned) == (3, 9, ())
        assert "α" not in alphabeta_text(found) + alphabeta_steps(found)
        assert "pruned" not in alphabeta_summary(found)

    def test_unknown_leaves_must_not_be_needed(self) -> None:
        with pytest.raises(ValueError, match="has to look at the leaf C3, which is '\\?'"):
            trace("((3 12 8) (2 ? ?) (14 5 ?))")
        with pytest.raises(ValueError, match="leaf B2"):
            trace(TEXTBOOK, pruning=False)
        with pytest.raises(ValueError, match="leaf B2"):
            trace(TEXTBOOK, is_max=False)

    def test_deep_cut_off(self) -> None:
        # Knuth and Moore's deep cut-off: the α = 5 that cuts at B1a comes from the root, three levels above, while its
        # parent B1 has no value yet.
        found = trace("(5 (((4 ?) 1) 3))")
        assert [node.name for node in found.pruned] == ["B1a2", "B2"]
        assert looked_at(((5.0,), (((4.0, 9.0), 1.0), 3.0)), True) == [5, 4, 1]

    def test_leaf_counts_with_perfect_ordering(self, textbook: Any, rng: np.random.Generator) -> None:
        examples = textbook["alpha_beta_leaf_counts"]["perfect_ordering_examples"]
        for b, h, leaves in [(e["b"], e["h"], e["leaves"]) for e in examples] + [(4, 3, 19), (3, 5, 35), (5, 1, 5)]:
            values = iter(rng.permutation(b**h).tolist())
            random = ListedNode(uniform(b, h, values))
            ordered = best_first(trace_alphabeta(random, pruning=False, most_nodes=20_000).root)
            found = trace_alphabeta(ListedNode(ordered), most_nodes=20_000)
            assert len(found.leaves) == leaves == b ** math.ceil(h / 2) + b ** (h // 2) - 1
            assert len(found.leaves) + len(found.pruned_leaves) == b**h


def uniform(branching: int, height: int, values: Any) -> Any:
    return tuple(uniform(branching, height - 1, values) for _ in range(branching)) if height else float(next(values))


trees = st.recursive(
    st.integers(-9, 9).map(float), lambda below: st.lists(below, min_size=1, max_size=4).map(tuple), max_leaves=40
).filter(lambda tree: isinstance(tree, tuple))


class TestAnyTree:
    @settings(max_examples=300, deadline=None, derandomize=True)
    @given(trees, st.booleans())
    def test_value_leaves_and_bounds(self, tree: Any, is_max: bool) -> None:
        found = trace(tree, is_max)
        assert found.value == minimax(tree, is_max)
        assert [leaf.value for leaf in found.leaves] == looked_at(tree, is_max)
        assert found.root.relation == "="
        exact = trace(tree, is_max, pruning=False)
        assert exact.value == found.value
        for node, true in zip(found.root.walk(), exact.root.walk(), strict=True):
            assert node.name == true.name
            assert true.value is not None
            if not node.is_pruned:
                assert node.lower <= true.value <= node.upper
                assert node.value in (node.lower, node.upper)
                assert {"=": true.value == node.value, "≤": node.upper == node.value, "≥": node.lower == node.value}[
                    node.relation
                ]
                if node.relation != "=":  # the others of which a bound is enough are outside of the window
                    assert node.value is not None
                    assert not node.alpha < node.value < node.beta
        line = found.best_line
        assert line[-1].is_leaf
        assert line[-1].value == found.value

    @settings(max_examples=100, deadline=None, derandomize=True)
    @given(trees, st.booleans())
    def test_pruned_leaves_do_not_matter_and_all_others_do(self, tree: Any, is_max: bool) -> None:
        found = trace(tree, is_max)
        without = unsearched(found.root)
        assert alphabeta_steps(trace(without, is_max)) == alphabeta_steps(found)
        for leaf in found.leaves:
            needed = _replaced(tree, leaf.name, ListedNode(tree, is_max))
            with pytest.raises(ValueError, match=f"leaf {leaf.name}, which is"):
                trace(needed, is_max)

    @settings(max_examples=50, deadline=None, derandomize=True)
    @given(trees, st.booleans())
    def test_drawing_shows_every_node_inside_the_page(self, tree: Any, is_max: bool) -> None:
        found = trace(tree, is_max)
        for solved in (True, False):
            drawing = alphabeta_drawing(found, solved=solved)
            root = ElementTree.fromstring(drawing.to_svg())
            space = {"svg": "http://www.w3.org/2000/svg"}
            _, _, width, height = map(float, root.attrib["viewBox"].split())
            texts = [element.text for element in root.iterfind("svg:text", space)]
            for node in found.root.walk():
                assert node.name == "root" or node.name in texts
            for element in root.iterfind("svg:text", space):
                assert 0 < float(element.attrib["x"]) < width
                assert 0 < float(element.attrib["y"]) < height
            assert len(list(root.iterfind("svg:polygon", space))) == sum(not n.is_leaf for n in found.root.walk())
            assert all(text and re.sub(f"[{DRAWN}]", "", text).isascii() for text in texts)  # what pixels can show
            marks = [e for e in root.iterfind("svg:line", space) if e.attrib["stroke"] == "#c4480c"]
            assert len(marks) == (2 * len(found.pruned) if solved else 0)
            assert drawing.description == alphabeta_text(found, solved=solved)


def _replaced(tree: Any, name: str, node: ListedNode) -> Any:
    """Return the tree with ``?`` at the node of that name."""
    if node.name == name:
        return "?"
    if node.is_leaf:
        return tree
    return tuple(_replaced(below.tree, name, below) for below in node.children())


class TestGames:
    @pytest.mark.parametrize("name", ["tictactoe", "connect_four(rows=4, columns=4)", "othello", "checkers"])
    def test_value_is_that_of_minimax(self, name: str, rng: np.random.Generator) -> None:
        game = make_game(name)
        for state in random_game(game, rng, plies=12)[:-1:3]:
            before = state.copy()
            for depth in (1, 2):
                expected = Minimax(game, depth=depth).analyse(state)
                found = trace_alphabeta(GameNode(game, state, depth))
                plain = trace_alphabeta(GameNode(game, state, depth), pruning=False)
                assert found.value == plain.value == pytest.approx(expected.value, abs=1e-12)
                assert len(plain.leaves) == expected.leaves
                assert len(found.leaves) <= expected.leaves
                best = found.best_line[0].name
                assert game.str_to_action(best) in expected.best_actions
            assert state == before

    def test_to_the_end_of_tictactoe(self) -> None:
        game = tictactoe()
        state = game.play_moves([0, 4, 8, 1])
        found = trace_alphabeta(GameNode(game, state, 9))
        assert found.value == minimax_value(game, state, {})
        assert found.root.is_max
        assert found.root.relation == "="
        # Seen by the other player, it is the other way round.
        other = trace_alphabeta(GameNode(game, state, 9, maximizer=1))
        assert (other.value, other.root.is_max) == (-found.value, False)
        assert [leaf.name for leaf in other.leaves] == [leaf.name for leaf in found.leaves]
        alphabeta_drawing(found)

    def test_too_large_a_tree(self) -> None:
        game = connect_four()
        with pytest.raises(ValueError, match="more than 10000 nodes, too many to follow: look less far ahead"):
            trace_alphabeta(GameNode(game, game.new_state(), 10))
        with pytest.raises(ValueError, match="more than 5 nodes"):
            trace_alphabeta(ListedNode(TEXTBOOK), most_nodes=5)

    def test_arguments_that_no_search_ends_with(self) -> None:
        game = tictactoe()
        for depth in (-1, 1.5):
            with pytest.raises(ValueError, match=f"depth must be a whole number, at least 0, got {depth}"):
                GameNode(game, game.new_state(), cast(Any, depth))
        with pytest.raises(ValueError, match="player must be 0, who moves first, or 1, got 2"):
            GameNode(game, game.new_state(), 1, maximizer=2)
        with pytest.raises(ValueError, match=r"simulations must be a whole number, at least 1, got 2\.5"):
            trace_mcts(game, game.new_state(), cast(Any, 2.5))
        with pytest.raises(ValueError, match="expected a number or '\\?', got '1000"):
            parse_tree(f"(1 1{400 * '0'})")


def longest_sentence(text: str) -> int:
    """Return the length of the longest line that is no tree and no list of leaves in brackets."""
    return max(len(line) for line in text.splitlines() if re.match(r" *[\w]", line) and "(((" not in line)


class TestExercises:
    def test_sentences_fit_a_terminal_of_80_columns(self) -> None:
        """They were broken at 104 columns, and then once more by the terminal."""
        for made in (*map(alphabeta_exercise, range(3)), *map(mcts_exercise, range(3))):
            assert longest_sentence(made.question) < 80
            assert longest_sentence(made.solution) < 80
            assert not re.search("=$", made.solution, re.MULTILINE)

    @pytest.mark.parametrize("seed", range(8))
    def test_alphabeta(self, seed: int) -> None:
        made = alphabeta_exercise(seed)
        assert made == alphabeta_exercise(seed)
        tree = parse_tree(next(line for line in made.question.splitlines() if line.startswith("(")))
        found = trace(tree)
        values = [leaf.value for leaf in (*found.leaves, *found.pruned_leaves)]
        assert len(set(values)) == len(values)
        assert len(found.pruned_leaves) >= 3
        assert {node.is_max for node in found.root.walk() if node.cut} == {False, True}
        assert "✂" not in made.question
        assert f"root = {number(minimax(tree, True))}, " in made.solution
        assert f"MAX's best move is {found.best_line[0].name}." in made.solution
        last = made.solution.splitlines()[-1]
        ordered = parse_tree(last[last.index("(") :])
        assert last.startswith(f"3. {len(looked_at(ordered, True))} instead of {len(looked_at(tree, True))}, of")
        assert minimax(ordered, True) == minimax(tree, True)
        assert made.question_drawing.description in made.question

    @pytest.mark.parametrize("seed", range(5))
    def test_mcts(self, seed: int) -> None:
        made = mcts_exercise(seed)
        assert made == mcts_exercise(seed)
        assert made.question_drawing.description in made.question
        assert made.solution_drawing.description in made.solution
        lines = made.solution.splitlines()
        assert lines[0].startswith("Simulation ")
        assert f"Do {lines[0].lower()}." in made.question
        assert sum(line.startswith("  1. Selection at ") for line in lines) >= 2
        for line in lines:
            if " = " in line and line.startswith("       "):
                terms = line.removesuffix("  <- highest").split()
                w, n = map(float, terms[1].split("/"))
                assert w / n + float(terms[3]) == pytest.approx(float(terms[5]), abs=1.1e-3)

    def test_seeds_make_different_ones(self) -> None:
        assert len({alphabeta_exercise(seed).question.partition("\n")[2] for seed in range(8)}) == 8
        assert len({mcts_exercise(seed).question.partition("\n")[2] for seed in range(5)}) == 5
