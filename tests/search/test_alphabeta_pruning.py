"""The options of alpha-beta that need to know more of a game than its moves, beside a slow search in plain Python."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from plyground.agents import AlphaBeta, Minimax
from plyground.agents.alphabeta.options import new_status
from plyground.agents.alphabeta.ordering import score_all, settle
from plyground.agents.alphabeta.selecting import is_late, is_reduced, reduction
from plyground.agents.alphabeta.workspace import new_workspace
from plyground.envs import Game, connect_four, helper
from tests.conftest import random_game

_THREE = np.uint64(3)


@helper
def _listed(state: Any, actions: Any) -> int:
    """Return the legal actions; in positions that force nobody, of two columns only."""
    count = 0
    for column in range(5):
        is_open = (state.mine | state.theirs) & (np.uint64(8) << np.uint64(5 * column)) == np.uint64(0)
        if is_open and ((state.mine & _THREE) == _THREE or column in (1, 2)):
            actions[count] = column
            count += 1
    return count


@helper
def _is_forced(state: Any) -> bool:
    return (state.mine & _THREE) == _THREE


@helper
def _stakes(state: Any, action: int) -> tuple[float, float]:
    return (400.0, 100.0) if action == 2 else (50.0, 100.0) if action == 1 else (0.0, 100.0)


def _exchange(state: Any, action: int, least: float) -> bool:
    return 50.0 * (np.int64(state.ply) % 3 - 1) >= least


def _passed(state: Any) -> bool:
    if state.ply >= 16 or (state.mine & _THREE) == _THREE:
        return False
    mine = state.mine
    state.mine = state.theirs
    state.theirs = mine
    state.ply += 1
    return True


def noise(state: Any, player: int) -> float:
    """Evaluate a position by numbers that mean nothing, without overflow."""
    mixed = state.mine % np.uint64(1009) * np.uint64(37) + state.theirs % np.uint64(997) * np.uint64(91)
    value = float(mixed % np.uint64(1023)) - 511.5
    return value if player == state.ply & 1 else -value


# Connect Four with rules that mean nothing: all that an option asks for is there, and nothing hides a mistake.
TOLD = connect_four(4, 5).replace(
    noisy_actions=_listed, is_forced=_is_forced, stakes=_stakes, exchange=_exchange, passed=_passed
)
NOTHING: dict[str, Any] = {"table_mb": 0, "ordered": False, "iterative": False}
# No repetition draws this game. So the search is plain, by the kernel that orders by captures and replies need.
PLAIN: dict[str, Any] = {"repetitions": True}
FUTILE_TO, RAZORED_TO, MOVES_FUTILE_TO, LATE_TO, POOR_TO, REDUCED_FROM = 6, 3, 4, 5, 5, 3


class Slow(NamedTuple):
    """Alpha-beta in plain Python, with moves by their numbers, and each option where its description has it."""

    game: Game
    depth: int
    quiescence: int = 0
    check_extensions: bool = False
    null_move: int = 0
    futility: float = 0
    late_pruning: int = 0
    delta: float = 0
    null_margin: float = 0
    razoring: float = 0
    quiet_exchange: float = 0
    lmr: int = 0
    deep_reductions: bool = False
    spare_checks: bool = False

    def root(self, state: Any) -> float:
        best = -math.inf
        for number, action in enumerate(self.game.actions(state)):
            (child,) = self.children(state, [action])
            # At the root a late move is reduced by more than a ply or not at all, unless it wins something.
            is_dull = self.deep_reductions and not _is_forced(state) and _stakes(state, action)[0] <= 0
            less = self.reduction(self.depth, number, False) if is_dull else 0
            if self.spare_checks and _is_forced(child):
                less = max(0, less - 1)
            window = math.inf if best == -math.inf else math.nextafter(best, math.inf)
            value = self.reply(child, 1, self.depth - 1 - less, best, window)
            if value > best and less:
                value = self.reply(child, 1, self.depth - 1, best, window)
            if value > best and window < math.inf:
                value = self.reply(child, 1, self.depth - 1, best, math.inf)
            best = max(best, value)
        return best

    def reduction(self, depth: int, number: int, is_narrow: bool) -> int:
        """Return by how many plies a move is searched less deep, of which the player is not forced to make one."""
        if not self.lmr or number < self.lmr or depth < REDUCED_FROM:
            return 0
        if not self.deep_reductions:
            return 1
        plies = math.floor(math.log(depth) * math.log(number) / 1.8 + 0.5)
        return min(max(plies - (0 if is_narrow else 1), 0), depth - 2)

    def children(self, state: Any, actions: list[int]) -> Any:
        for action in actions:
            child = state.copy()
            self.game.play(child, action)
            yield child

    def reply(self, child: Any, ply: int, depth: int, low: float, high: float, quiet: int = -1, *passed: bool) -> float:
        """Return the value of a child for the other player: turns alternate in this game."""
        if self.game.is_terminal(child):
            return self.game.utility(child, 1 - self.game.player(child))
        if quiet >= 0:
            return -self.noisy(child, quiet, -high, -low)
        return -self.value(child, ply, depth, -high, -low, bool(passed))

    def noisy(self, state: Any, left: int, alpha: float, beta: float) -> float:
        best, waits = -math.inf, left == 0 or not _is_forced(state)
        if waits:
            best = self.game.evaluate(state, self.game.player(state))
        standing, buffer = best, np.empty(5, np.int32)
        if best >= beta:
            return best
        for action in buffer[: _listed(state, buffer) if left else 0].tolist():
            floor, most = max(alpha, best), standing + _stakes(state, action)[0] + self.delta
            if waits and self.delta and most <= floor:
                best = max(best, most)
                continue
            (child,) = self.children(state, [action])
            best = max(best, self.reply(child, 0, 0, floor, beta, left - 1))
            if best >= beta:
                break
        return best

    def value(self, state: Any, ply: int, depth: int, alpha: float, beta: float, passed: bool = False) -> float:
        longest = min(2 * self.depth, 20) if self.check_extensions else self.depth
        forced = bool(_is_forced(state))
        if forced and self.check_extensions and ply + depth < longest and ply < 2 * self.depth:
            depth += 1
        if depth <= 0:
            return self.noisy(state, self.quiescence, alpha, beta)
        is_narrow = not forced and beta <= math.nextafter(alpha, math.inf)
        static = self.game.evaluate(state, self.game.player(state))
        if is_narrow and self.futility and depth <= FUTILE_TO and static - self.futility * depth >= beta:
            return static
        if is_narrow and self.razoring and depth <= RAZORED_TO and static + self.razoring * depth <= alpha:
            found = self.noisy(state, self.quiescence, alpha, beta)
            if found <= alpha:
                return found
        if is_narrow and self.null_move and depth >= 2 and static >= beta and not passed:
            child = state.copy()
            if _passed(child) and not self.game.is_terminal(child):
                more = min(3, (static - beta) / self.null_margin) if self.null_margin else 0
                left = max(0, depth - 1 - self.null_move - depth // 4 - int(more))
                found = self.reply(child, ply + 1, left, math.nextafter(beta, -math.inf), beta, -1, True)
                if found >= beta:
                    return found
        best = -math.inf
        for number, action in enumerate(self.game.actions(state)):
            less = 0 if forced else self.reduction(depth, number, is_narrow)
            late = self.late_pruning and depth <= LATE_TO and number >= self.late_pruning + depth * depth
            lost, near = self.quiet_exchange * (depth - less) ** 2, depth - less
            is_quiet = _stakes(state, action)[0] <= 0
            poor = lost and near <= POOR_TO and is_quiet and not _exchange(state, action, -lost)
            (child,) = self.children(state, [action])
            if self.spare_checks and _is_forced(child) and not (is_narrow and number and late and depth == 1):
                less, near = max(0, less - 1), depth - max(0, less - 1)
            elif is_narrow and number and (late or poor):
                continue
            hopeless = self.futility and near <= MOVES_FUTILE_TO and static + self.futility * near <= alpha
            if is_narrow and number and hopeless and is_quiet and not _is_forced(child):
                best = max(best, min(alpha, static + self.futility * near))
                continue
            floor = max(alpha, best)
            high = math.nextafter(floor, math.inf) if number else beta
            found = self.reply(child, ply + 1, depth - 1 - less, floor, high)
            if found > floor and less:
                found = self.reply(child, ply + 1, depth - 1, floor, high)
            if found > floor and high < beta and found < beta:
                found = self.reply(child, ply + 1, depth - 1, floor, beta)
            best = max(best, found)
            if best >= beta:
                break
        return best


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"quiescence": 4}, marks=pytest.mark.slow),
        pytest.param({"check_extensions": True, "quiescence": 3}, marks=pytest.mark.slow),
        pytest.param({"null_move": 1}, marks=pytest.mark.slow),
        {"null_move": 2, "quiescence": 2},
        pytest.param({"futility": 60.0}, marks=pytest.mark.slow),
        pytest.param({"late_pruning": 1}, marks=pytest.mark.slow),
        {"null_move": 1, "null_margin": 100.0},
        {"razoring": 40.0, "quiescence": 2},
        {"quiet_exchange": 10.0},
        {"quiescence": 5, "delta": 30.0},
        {"lmr": 2, "null_move": 1},
        pytest.param({"lmr": 1, "deep_reductions": True}, marks=pytest.mark.slow),
        {"lmr": 1, "deep_reductions": True, "futility": 60.0, "quiet_exchange": 10.0},
        {"late_pruning": 1, "spare_checks": True},
        {"lmr": 1, "deep_reductions": True, "late_pruning": 1, "quiet_exchange": 10.0, "spare_checks": True},
        {
            "quiescence": 4,
            "check_extensions": True,
            "null_move": 1,
            "futility": 80.0,
            "late_pruning": 1,
            "delta": 90.0,
        },
    ],
    ids=lambda options: " ".join(options),
)
def test_each_option_does_what_the_slow_search_does(options: dict[str, Any], rng: np.random.Generator) -> None:
    game = TOLD.replace(evaluate=noise, max_utility=math.inf)
    changed = 0
    for depth in (1, 3, 5):
        agent = AlphaBeta(game, depth, **options, **NOTHING)
        plain, slow = AlphaBeta(game, depth, **PLAIN, **NOTHING), Slow(game, depth, **options)
        # Few positions of random games force the player, whose moves are not reduced there.
        forced = [game.play_moves([0, 4, 0, 4])] if "lmr" in options else []
        for state in random_game(game, rng, plies=9)[:-1] + forced:
            found = agent.analyse(state)
            assert found.value == slow.root(state), (depth, state)
            changed += found.nodes != plain.analyse(state).nodes
    assert changed


@pytest.mark.parametrize(
    "options",
    [
        {"captures": True},
        {"countermoves": True},
        {"penalties": True},
        {"captures": True, "countermoves": True, "table_mb": 0, "killers": False},
    ],
    ids=str,
)
def test_an_order_by_captures_and_replies_changes_no_value(options: dict[str, Any], rng: np.random.Generator) -> None:
    other = 0
    for state in random_game(TOLD, rng)[:-2]:
        for depth in (2, 5):
            found = AlphaBeta(TOLD, depth, evaluate=noise, **options).analyse(state)
            assert found.value == Minimax(TOLD, depth, evaluate=noise).analyse(state).value
            other += found.nodes != AlphaBeta(TOLD, depth, evaluate=noise, **PLAIN).analyse(state).nodes
    assert other


def test_replies_behind_the_depth_limit_are_to_the_move_before() -> None:
    def last_open(state: Any, actions: Any) -> int:
        count = 0
        for column in range(5):
            if (state.mine | state.theirs) & (np.uint64(8) << np.uint64(5 * column)) == np.uint64(0):
                actions[0] = column
                count = 1
        return count

    # Whoever is to move is behind, and hopes for more by going on.
    game = connect_four(4, 5).replace(
        noisy_actions=last_open, evaluate=lambda state, player: -0.5 if player == state.ply & 1 else 0.5
    )
    agent = AlphaBeta(game, 1, quiescence=4, countermoves=True)
    agent.analyse(game.new_state(), [0, 0, 0, 1, 0])
    assert agent.workspace[0].frames["previous"][1:6].tolist() == [3, 4, 4, 4, 4]


@pytest.mark.slow
def test_moves_that_lose_by_the_exchange_are_left_out_behind_the_depth_limit(rng: np.random.Generator) -> None:
    def kept(state: Any, actions: Any) -> int:
        """Write the noisy actions that do not lose."""
        count = _listed(state, actions)
        if _is_forced(state):
            return count
        left = 0
        for i in range(count):
            gain, risk = _stakes(state, actions[i])
            if gain <= 0 or risk <= gain or 50.0 * (np.int64(state.ply) % 3 - 1) >= 0:
                actions[left] = actions[i]
                left += 1
        return left

    game = TOLD.replace(noisy_actions=kept)
    options = {"quiescence": 5, "evaluate": noise, "pvs": False}
    changed = 0
    for state in random_game(game, rng)[:-2]:
        found = AlphaBeta(TOLD, 2, captures=True, exchange_pruning=True, **options).analyse(state).value
        assert found == AlphaBeta(game, 2, **options).analyse(state).value
        changed += found != AlphaBeta(TOLD, 2, **options).analyse(state).value
    assert changed


def test_a_quiet_move_that_failed_elsewhere_loses_nothing_by_the_exchange() -> None:
    options = AlphaBeta(TOLD, 4, captures=True, penalties=True, quiescence=2, exchange_pruning=True).options
    status, frame = new_status(TOLD, options, 4)[0], new_workspace(TOLD, 4, 0).frames[0]
    history = np.zeros((4, TOLD.num_actions), np.int64)
    history[0] = -16_000  # as low as penalties go
    state = TOLD.new_state()
    state.ply = 3  # when exchanges lose
    count = TOLD.legal_actions(state, frame.moves)
    score_all(TOLD, state, frame, count, status, history, 0, -1)
    for i in range(count):
        settle(TOLD.exchange, state, frame, i, count)
    losing = [int(move) for move, score in zip(frame.moves, frame.scores, strict=True) if is_late(status, 2, 3, score)]
    assert losing == [1]  # it wins 50 and risks 100


def test_reductions_by_hand() -> None:
    status = new_status(TOLD, AlphaBeta(TOLD, 4, lmr=1, deep_reductions=True).options, 4)[0]
    # ln(depth) · ln(number) / 1.8, rounded: 0.42, 0.53, 0.62, 1.50, 5.66; but a ply is left: of 3 no more than 1.
    for (depth, number), plies in {(3, 2): 0, (4, 2): 1, (5, 2): 1, (7, 4): 1, (20, 30): 6, (3, 200): 1}.items():
        assert reduction(status, depth, number, True) == plies
        assert reduction(status, depth, number, False) == (1 if number == 200 else max(0, plies - 1))
    start, forced = TOLD.new_state(), TOLD.play_moves([0, 4, 0, 4])
    told = [(0, 3, 1), (0, 3, 0), (0, 2, 1), (1, 3, 1), (2, 3, 1)]  # the move, plies left, moves before it
    assert [is_reduced(TOLD, start, *one[:1], status, *one[1:]) for one in told] == [True, False, False, False, False]
    assert not is_reduced(TOLD, forced, 0, status, 3, 1)
    status.deep_reductions = 0
    assert not is_reduced(TOLD, start, 0, status, 3, 1)
    assert reduction(status, 20, 30, True) == reduction(status, 20, 30, False) == 1


EVERYTHING: dict[str, Any] = {
    "quiescence": 4,
    "captures": True,
    "countermoves": True,
    "penalties": True,
    "check_extensions": True,
    "null_move": 2,
    "futility": 0.02,
    "late_pruning": 1,
    "lmr": 2,
    "deep_reductions": True,
    "internal_reductions": 3,
    "delta": 0.05,
    "exchange_pruning": True,
    "quiescence_table": True,
    "null_margin": 0.02,
    "razoring": 0.02,
    "quiet_exchange": 0.01,
    "table_static": True,
    "spare_checks": True,
    "deeper_entries": True,
}


@pytest.mark.slow
def test_what_is_called_exact_is_proved_whatever_was_pruned(rng: np.random.Generator) -> None:
    agents = [AlphaBeta(TOLD, depth, **EVERYTHING) for depth in (4, 7, 16)]
    proof = AlphaBeta(connect_four(4, 5), 20)
    proved = open_ = pruned = 0
    for state in itertools.chain(*(random_game(TOLD, rng)[4:-1] for _ in range(8))):
        expected = proof.analyse(state)
        for agent in agents:
            found = agent.analyse(state)
            pruned += found.statistics["null-move cut-offs"] + found.statistics["moves pruned"]
            proved += found.exact
            open_ += not found.exact
            assert not found.exact or found.value == expected.value
            assert abs(found.value) < 1 or found.value == expected.value
    assert min(proved, open_, pruned) > 5


@pytest.mark.slow
def test_a_game_that_tells_nothing_is_searched_all_the_same(rng: np.random.Generator) -> None:
    game = connect_four(4, 5)
    options = {"null_move": 2, "check_extensions": True, "captures": True, "countermoves": True, "repetitions": True}
    for state in random_game(game, rng)[:-1]:
        found = AlphaBeta(game, 5, **options).analyse(state)
        assert found.value == Minimax(game, 5).analyse(state).value
        assert found.statistics["check extensions"] == found.statistics["null-move cut-offs"] == 0
