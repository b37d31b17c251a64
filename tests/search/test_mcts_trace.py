"""Monte Carlo tree search step by step: each number against the recorded games."""

from __future__ import annotations

import math
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from plyground.agents.mcts.tree import exploration, ucb
from plyground.agents.teaching.drawing import mcts_drawing
from plyground.agents.teaching.mcts_trace import MCTSTrace, trace_mcts
from plyground.agents.teaching.text import mcts_steps, mcts_text
from plyground.agents.teaching.trees import number
from plyground.envs import Game, connect_four, make_game, tictactoe
from tests.helpers.oracles import minimax_value


@pytest.fixture(scope="module", params=["tictactoe", "connect_four(rows=4, columns=4)", "take_twice"])
def searched(request: pytest.FixtureRequest) -> MCTSTrace:
    if request.param == "take_twice":
        from tests.search.test_alphabeta import take_twice

        game = take_twice()
        return trace_mcts(game, game.new_state(), 60, c=0.6, seed=1)
    game = make_game(request.param)
    return trace_mcts(game, game.play_moves([0, 3, 1]), 120, seed=1)


class TestMCTS:
    def test_counts_follow_from_the_recorded_games(self, searched: MCTSTrace) -> None:
        game, start = searched.game, searched.root.state
        visits: dict[tuple[str, ...], int] = {}
        totals: dict[tuple[str, ...], float] = {}
        for done in searched.simulations:
            end = game.play_moves([*done.path, *done.rollout], start)
            assert game.is_terminal(end)
            assert done.utility == game.utility(end, 0)
            for length in range(len(done.path) + 1):
                moves = done.path[:length]
                mover = game.player(game.play_moves(moves[:-1], start)) if moves else 1 - game.player(start)
                visits[moves] = visits.get(moves, 0) + 1
                totals[moves] = totals.get(moves, 0.0) + game.utility(end, int(mover))
        nodes = {node.moves: node for node in searched.root.walk()}
        assert {moves: node.visits for moves, node in nodes.items()} == visits
        assert {moves: node.total for moves, node in nodes.items()} == totals
        assert searched.root.visits == len(searched.simulations)

    def test_selection_takes_the_highest_bound(self, searched: MCTSTrace) -> None:
        selections = [selection for done in searched.simulations for selection in done.selections]
        assert selections
        for selection in selections:
            log_visits = math.log(selection.visits)
            bounds = [ucb(o.total / o.visits, o.visits, log_visits, searched.c) for o in selection.options]
            assert [option.score for option in selection.options] == pytest.approx(bounds)
            assert selection.chosen == selection.options[int(np.argmax(bounds))].move

    def test_expansion_and_back_propagation(self, searched: MCTSTrace) -> None:
        nodes = {"root"}
        for done in searched.simulations:
            assert {update.node for update in done.updates} - {done.expanded} <= nodes
            if done.expanded is None:
                assert not done.rollout
            else:
                assert done.expanded not in nodes
                assert done.expanded == " ".join(done.path) == done.updates[0].node
                nodes.add(done.expanded)
            assert len(done.updates) == len(done.path) + 1
            for update in done.updates:
                assert update.utility == (done.utility if update.mover == 0 else -done.utility)
        assert nodes == {node.name for node in searched.root.walk()}

    def test_exploration_is_in_units_of_the_largest_utility(self) -> None:
        plain, discs = (make_game(f"othello(size=4, by_discs={by})") for by in (False, True))
        assert (plain.max_utility, discs.max_utility) == (1.0, 16.0)
        first, second = (trace_mcts(game, game.new_state(), 60, seed=1) for game in (plain, discs))
        assert (first.c, second.c) == (1.4, exploration(1.4, discs))
        assert "Q + 22.4·sqrt(ln 4 / N)" in mcts_steps(second)
        assert min(child.visits for child in second.root.children) > 5  # with 1.4 all but one would have two or so

    def test_same_seed_same_search_and_the_state_is_left(self) -> None:
        game = tictactoe()
        state = game.new_state()
        short, long = (trace_mcts(game, state, count, seed=3) for count in (15, 30))
        assert mcts_steps(long).startswith(mcts_steps(short) + "\n\nSimulation 16\n")
        assert mcts_steps(trace_mcts(game, state, 30, seed=4)) != mcts_steps(long)
        assert state == game.new_state()

    def test_finds_the_best_move(self) -> None:
        game = tictactoe()
        assert trace_mcts(game, game.play_moves([0, 3, 1, 4]), 200).best.moves == ("2",)  # wins
        assert trace_mcts(game, game.play_moves([0, 8, 1]), 400).best.moves == ("2",)  # must stop 0, 1, 2
        state = game.play_moves([0, 4, 8])
        found = trace_mcts(game, state, 3000)
        assert found.best.mean == pytest.approx(minimax_value(game, state, {}), abs=0.1)

    def test_numbers_of_the_text(self, textbook: Any) -> None:
        # 7 wins of 10 in wins and losses: W = 4, and c = 2 stands for the text's c = 1.
        children = textbook["ucb"]["worked_example"]["root_children"]
        game = connect_four()
        found = trace_mcts(game, game.new_state(), 7, c=2.0)
        found.root.visits = 21
        for child, given_ in zip(found.root.children, children, strict=False):
            child.visits, child.total = given_["visits"], 2 * given_["wins"] - given_["visits"]
        del found.root.children[3:]
        from plyground.agents.teaching.mcts_trace import _select

        chosen, selection = _select(found.root, 2.0)
        assert chosen is found.root.children[0]
        scores = [(option.score + 1) / 2 for option in selection.options]
        assert scores == pytest.approx([child["ucb"] for child in children], abs=6e-4)

    def test_text(self) -> None:
        game = tictactoe()
        found = trace_mcts(game, game.play_moves([0, 4, 8, 1, 7, 6, 2]), 4, seed=0)
        # O to move has 3 and 5: 3 lets X have 5, which wins; 5 draws, as does the game's last move after it.
        assert [done.utility for done in found.simulations][:2] == [1.0, 0.0]
        assert mcts_text(found).startswith("root  N=4\n├─ 3  O: W=-")
        steps = mcts_steps(found, 3).splitlines()
        assert steps[:4] == [
            "Simulation 3",
            "  1. Selection at root, N = 2: Q + 1.4·sqrt(ln 2 / N)",
            "       3    -1/1 + 1.166 = 0.166",
            "       5     0/1 + 1.166 = 1.166  <- highest",
        ]
        assert "  3. Simulation: no moves; a draw" in steps
        assert "       5 (O): N 1 -> 2, W 0 -> 0" in steps

    def test_drawing(self, searched: MCTSTrace) -> None:
        drawing = mcts_drawing(searched)
        root = ElementTree.fromstring(drawing.to_svg())
        space = {"svg": "http://www.w3.org/2000/svg"}
        nodes = list(searched.root.walk())
        assert len(list(root.iterfind("svg:circle", space))) == len(nodes)
        texts = [element.text for element in root.iterfind("svg:text", space)]
        for node in nodes[1:]:
            assert f"{number(node.total)}/{node.visits}" in texts
        assert drawing.description == mcts_text(searched)

    @pytest.mark.parametrize(
        ("moves", "options", "message"),
        [
            ([0, 3, 1, 4, 2], {"simulations": 5}, "the game of tictactoe is over, there is nothing to search"),
            ([], {"simulations": 0}, "simulations must be a whole number, at least 1, got 0"),
            ([], {"simulations": 5, "c": -1}, "c must be a number of at least 0, got -1"),
        ],
    )
    def test_mistakes(self, moves: list[int], options: dict[str, Any], message: str) -> None:
        game: Game = tictactoe()
        with pytest.raises(ValueError, match=message):
            trace_mcts(game, game.play_moves(moves), **options)
