"""Time management: shares of a clock, searches that change their mind, and clocks that never run out."""

from __future__ import annotations

import copy
import math
import random
from dataclasses import replace
from typing import Any

import pytest

from plyground.agents import MCTS, PUCT, AlphaBeta, Analysis, Random, as_agent, make
from plyground.agents.timing import Allowance, Patience, allot, limit
from plyground.arena.referee.clock import Clock
from plyground.envs import connect_four, make_game

FOUND = Analysis(3, 0.0, (3,), {}, (3,), 1, 1, 1, False, 0.0)


class FalseClock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def spent(allowance: Allowance, reports: list[tuple[float, int]]) -> float:
    """Return when a search ends that reports at these times its best moves, by patience or by its own limit."""
    clock = FalseClock()
    patience = Patience(allowance, clock)
    for elapsed, action in reports:
        clock.time = 1000 + elapsed
        if elapsed > allowance.most:
            break
        if patience(replace(FOUND, best_action=action)):
            return elapsed
    return allowance.most


class TestShare:
    def test_a_whole_game(self) -> None:
        assert allot(100).aim == pytest.approx(100 / 40)  # nobody knows how long it lasts
        assert allot(100, plies_left=12_700).aim == pytest.approx(100 / 40)  # chess: a bound that tells nothing
        assert allot(100, plies_left=1000).aim == pytest.approx(100 / 300)
        assert allot(100, plies_left=10).aim == pytest.approx(100 / 25)  # no game is so nearly over
        assert allot(100).most == pytest.approx(10)
        assert allot(100, lag=0.1) == pytest.approx((99 / 40 - 0.1, 4 * (99 / 40 - 0.1)))  # 1 in reserve

    def test_increments_and_some_moves(self) -> None:
        assert allot(60, 1).aim == pytest.approx(60 / 40 + 1)
        assert allot(0.5, 5) == pytest.approx((0.35, 0.35))  # the increment comes after the move
        assert allot(10, moves=2) == pytest.approx((5, 7))
        assert allot(3, moves=1, lag=0.1) == pytest.approx((2.9, 2.9))

    @pytest.mark.parametrize("left", [0.0, 5e-324, 1e-6, 0.001, 0.01, 0.1, -3.0])
    @pytest.mark.parametrize("moves", [0, 1, 2, 40])
    @pytest.mark.parametrize("increment", [0.0, 0.01, 10.0])
    def test_never_over(self, left: float, moves: int, increment: float) -> None:
        found = allot(left, increment, moves, lag=0.02)
        assert 0 < found.aim <= found.most
        assert found.most < max(left, 1e-6)

    def test_ones_own_budget(self) -> None:
        assert Allowance(2, 8).within(None) == (2, 8)
        assert Allowance(2, 8).within(3) == (2, 3)
        assert Allowance(2, 8).within(1) == (1, 1)

    @pytest.mark.parametrize(("seconds", "increment"), [(1, 0.01), (1, 0.0), (5, 0.05), (10, 0.1), (60, 1)])
    def test_a_game_of_any_length(self, seconds: float, increment: float) -> None:
        """All moves take the most that they may, or a search that ends late does, and a lag besides."""
        rng = random.Random(1)
        clock, lag = float(seconds), 0.01
        for _ in range(400 if increment else 60):
            found = allot(clock, increment, lag=lag)
            took = (found.most if rng.random() < 0.1 else found.aim) + min(rng.expovariate(400), lag)
            clock -= took
            assert clock > 0
            clock += increment
        if increment:
            assert clock < seconds / 2  # and the time was made use of


class TestPatience:
    ALLOWANCE = Allowance(1.0, 4.0)
    DEPTHS = (0.01, 0.03, 0.09, 0.27, 0.81, 2.43, 7.29)

    def test_a_search_that_is_sure(self) -> None:
        assert spent(self.ALLOWANCE, [(time, 3) for time in self.DEPTHS]) == 0.81  # nearer to 0.75 than 0.27 and 2.43
        assert spent(self.ALLOWANCE, [(time / 10, 3) for time in range(1, 50)]) == pytest.approx(0.7)

    def test_a_search_that_changes_its_mind_goes_on(self) -> None:
        changes = [(time, depth) for depth, time in enumerate(self.DEPTHS)]
        assert spent(self.ALLOWANCE, changes) == 2.43
        assert spent(self.ALLOWANCE, [(time / 10, time % 2) for time in range(1, 50)]) == pytest.approx(2.0)
        once = [(time / 10, int(time >= 6)) for time in range(1, 50)]  # another move from 0.6 s on
        assert 0.9 < spent(self.ALLOWANCE, once) < 1.5

    def test_never_over_the_limit(self) -> None:
        changes = [(time / 10, time % 2) for time in range(1, 50)]
        assert spent(Allowance(1.0, 1.2), changes) <= 1.2
        assert spent(Allowance(1.0, 1.2), [(0.1, 1), (0.4, 2), (1.3, 3)]) == 0.4  # another depth would be in vain

    def test_a_clock_that_stands_still(self) -> None:
        patience = Patience(self.ALLOWANCE, FalseClock())
        assert not any(patience(FOUND) for _ in range(10))


class TestLimits:
    def test_searches_that_hear(self) -> None:
        agent = AlphaBeta("tictactoe")
        listener = limit(agent, Allowance(1, 4))
        assert agent.seconds == 4
        assert listener is agent.listener is not None
        again = limit(agent, None)
        assert again is not None
        assert again is agent.listener
        assert again is not listener
        assert agent.seconds is None
        assert not again.hear(FOUND)

    def test_others(self) -> None:
        class Slow(Random):
            seconds = 9.0

        agent = Slow()
        assert limit(agent, Allowance(1, 4)) is None
        assert agent.seconds == 1
        assert not hasattr(agent, "listener")
        assert limit(agent, None) is None
        assert agent.seconds == 1  # nobody could end its search

    def test_who_has_no_reset(self) -> None:
        class Mine:
            seconds, depth, hears = 9.0, 9, True
            listener: Any = None

            def act(self, observation: Any, info: Any = None) -> int:
                return 0

        mine = Mine()
        agent: Any = as_agent(mine, "tictactoe")
        mine.hears = False
        assert limit(agent, Allowance(1, 4)) is None
        agent.depth = 3
        assert (mine.seconds, mine.depth, agent.depth) == (1, 3, 3)
        twin = copy.deepcopy(agent)
        twin.seconds = 7
        assert (twin.seconds, mine.seconds) == (7, 1)
        mine.hears = True
        listener = limit(agent, Allowance(1, 4))
        assert mine.listener is listener is not None
        assert (mine.seconds, vars(mine).keys()) == (4, {"seconds", "depth", "hears", "listener"})

    def test_a_search_that_can_give_no_answer_early(self) -> None:
        game = connect_four(4, 5)
        agent = AlphaBeta(game, depth=7, iterative=False)
        assert not agent.hears
        assert limit(agent, Allowance(1e-6, 1e-6)) is None
        agent.nodes = 1
        found = agent.analyse(game.play_moves([0, 0, 0, 0]))
        assert found.depth == 7
        assert found.best_action in range(1, 5)

    @pytest.mark.parametrize("how", [{"root": "gumbel"}, {"proofs": True}])
    def test_a_search_that_tells_nothing_on_the_way_has_its_share(self, how: dict[str, Any]) -> None:
        """It took four times that with each move, for nobody could end it."""
        agent = PUCT("tictactoe", 100_000, **how)
        limit(agent, Allowance(0.1, 0.4))
        assert agent.seconds == 0.1
        agent.simulations = None  # it tells whenever it has doubled them
        limit(agent, Allowance(0.1, 0.4))
        assert agent.seconds == 0.4

    @pytest.mark.parametrize(
        "player",
        [
            *("alphabeta", "mcts", "mcts(threads=2)", "mcts(seconds=9)", "flat", "solver"),
            *("puct", "puct(root='gumbel')", "puct(root='gumbel', seconds=9)", "puct(proofs=True)"),
        ],
    )
    @pytest.mark.parametrize("left", [0.0, -3.0])
    def test_without_any_time_left_a_search_moves_at_once(self, player: str, left: float) -> None:
        """Its budget was 0 s, which none takes: the match was over, and a server refused to move."""
        game = make_game("tictactoe")
        agent: Any = make(player, game)
        agent.prepare()
        limit(agent, allot(left, increment=1.0))
        state = game.play_moves([0, 3, 1, 4])
        action = agent.analyse(state).best_action
        assert action in game.actions(state)
        assert agent.seconds < 1e-6
        if player == "alphabeta":
            assert action == 2  # which wins: a first ply is always looked at

    def test_one_legal_move(self) -> None:
        agent = AlphaBeta("tictactoe")
        listener = limit(agent, Allowance(1, 4), is_forced=True)
        assert listener is not None
        assert listener.hear(FOUND)

    def test_who_else_hears(self) -> None:
        agent, told = MCTS("tictactoe"), []
        listener: Any = limit(agent, None, hear=lambda found: told.append(found) or len(told) == 2)
        assert [listener.hear(FOUND), listener.hear(FOUND)] == [False, True]
        assert listener.is_stopped

    @pytest.mark.parametrize("cls", [AlphaBeta, MCTS])
    def test_a_search_keeps_to_it(self, cls: type[AlphaBeta | MCTS]) -> None:
        game = make_game("connect_four")
        agent: Any = cls(game, seconds=10)
        agent.prepare()
        limit(agent, Allowance(0.1, 0.4))
        assert 0.01 < agent.analyse(game.new_state()).seconds < 5  # of its own 10


def test_the_clock_of_both_players() -> None:
    clock = Clock()
    assert clock.allowance(0, 100) is None
    clock.set(100, 0, 0)
    assert clock.allowance(0, 1000) == allot(100, plies_left=1000, lag=0.1)
    clock.spend(0, 60)
    assert clock.allowance(0, 10) == allot(40, plies_left=10, lag=0.1)
    assert clock.allowance(1, 10) == allot(100, plies_left=10, lag=0.1)
    clock.set(0, 30, 10)
    assert clock.allowance(0, 1000) == allot(30, moves=10, lag=0.1)
    clock.spend(0, 12)
    assert clock.allowance(0, 1000) == allot(18, moves=9, lag=0.1)
    for _ in range(9):
        clock.spend(0, 1)
    assert clock.allowance(0, 1000) == allot(30, moves=10, lag=0.1)  # and again
    clock.tell(1, 5, 2)
    assert clock.allowance(1, 1000) == allot(5, moves=2, lag=0.1)
    clock.set(100, 30, 10)
    assert clock.allowance(0, 1000) == pytest.approx([one + 2.9 for one in allot(100, plies_left=1000, lag=0.1)])
    clock.set(50, increment=2)
    clock.spend(0, 49.5)
    assert clock.left(0) == pytest.approx(2.5)
    assert clock.allowance(0, 20) == allot(2.5, 2, plies_left=20, lag=0.1)
    clock.set(0, 1, 0)
    assert clock.allowance(0, 1000) is None
    with pytest.raises(ValueError, match="at least 0"):
        clock.set(-1, 0, 0)
    assert clock.left(0) == math.inf  # as before
    clock.tell(0, 300, 0)
    assert clock.allowance(0, 1000) == allot(300, plies_left=1000, lag=0.1)
    assert clock.allowance(1, 1000) is None  # nobody has told of the other
    clock.restart()
    assert clock.allowance(0, 1000) is None  # it was 0 seconds for each move
