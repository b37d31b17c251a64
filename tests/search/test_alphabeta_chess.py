"""Alpha-beta in chess: its own options, draws by repetition, mates, and what it makes of check."""

from __future__ import annotations

import itertools
from typing import Any

import chess
import numpy as np
import pytest

from plyground.agents import AlphaBeta, make
from plyground.agents.clock import run_with_stop
from plyground.envs import BoardGameEnv, GameBatch, helper, make_game
from plyground.envs.jit.bits import popcount
from tests.helpers.compiled_rules import CompiledRules


@helper
def _material(state: Any, pieces: Any) -> int:
    found = popcount(pieces & state.pawns) + 3 * popcount(pieces & state.knights)
    both = state.diagonals & state.straights
    return (
        found
        + 3 * popcount(pieces & state.diagonals)
        + 5 * popcount(pieces & state.straights)
        + popcount(pieces & both)
    )


def evaluate(state: Any, player: int) -> float:
    """Count the material, and add a little that hangs on where the pieces are."""
    value = _material(state, state.own) - _material(state, state.other) + 1e-3 * (np.int64(state.hash % np.uint64(97)))
    # What the squares add is white's, whoever is to move.
    value -= 2e-3 * np.int64(state.hash % np.uint64(97)) * np.int64(state.turn)
    value = 0.009 * value
    return value if player == state.turn else -value


CHESS = make_game("chess").replace(evaluate=evaluate)
PERPETUAL = "6k1/6p1/5p2/7Q/8/7P/q2r2PK/8 w - - 0 1"  # white is a rook down, and checks on e8 and h5 forever

# Found in random games, and checked with Stockfish 15.1 at depth 18.
MATES = {
    2: (
        "2b1k2r/1Qp1bq1p/n4P2/4P2p/8/2N5/5PPP/2rRKR2 w - - 0 1",
        "5b1r/pp3p2/nk2r3/2pB4/4P1P1/P1Pb2q1/1P1P4/RNBK2NR b - - 0 1",
        "2k3nr/R7/2p4p/4ppp1/3r4/1p3PP1/3P1K2/2Q3N1 w - - 0 1",
        "r5nr/p6p/bn1p3b/8/1p1PPqk1/4N1P1/PP1K3P/7R b - - 0 1",
        "r4bnr/pbp1pppp/4k3/8/1R3P2/3qP3/2nP2PP/1NBK2NR b - - 0 1",
        "r1N5/8/n6k/5p2/1p3P2/2q1P2p/3P1K2/6rR b - - 0 1",
    ),
    3: (
        "r2q3r/ppp1pn1p/1P1p3b/2k2b1R/1n2Pp2/P6Q/1RPP2P1/1NB1KB2 w - - 0 1",
        "5b1r/pp3p2/7p/3k4/P3p2P/1Pn5/8/K7 b - - 0 1",
        "4Bb2/pp2k2r/nq6/5R2/4nPNp/8/2prP2P/R1BQ1K2 b - - 0 1",
        "2b3kr/1ppp2pp/r1n1p2B/8/2P1P1P1/7B/1PP2q1P/3K2NR b - - 0 1",
        "r3Qn2/1k6/pp6/P1pp4/8/N2P4/2P2K2/1RB5 w - - 0 1",
        "r2n2n1/p1pB2Q1/b7/p2K2pk/1P2P3/5Pb1/3N4/8 w - - 0 1",
    ),
}


def is_lost(board: chess.Board, moves: int) -> bool:
    """Return whether the side to move is mated after so many moves of the other side at most, whatever it plays."""
    if board.is_checkmate():
        return True
    if moves == 0 or board.is_game_over():
        return False
    for reply in list(board.legal_moves):
        board.push(reply)
        mates = False
        for move in list(board.legal_moves):
            board.push(move)
            mates = is_lost(board, moves - 1) if moves > 1 or board.is_check() else False
            board.pop()
            if mates:
                break
        board.pop()
        if not mates:
            return False
    return True


@pytest.mark.parametrize("moves", [pytest.param(2, marks=pytest.mark.slow), 3])
@pytest.mark.parametrize("selective", [True, False], ids=["own options", "sound options"])
def test_mates_are_found_and_proved(moves: int, selective: bool) -> None:
    depth = 2 * moves - 1
    agent = AlphaBeta("chess", nodes=400_000) if selective else AlphaBeta(CHESS, depth, selective=False, captures=True)
    for fen in MATES[moves]:
        state, board = CHESS.state_from_fen(fen), chess.Board(fen)
        found = agent.analyse(state)
        assert (found.value, found.exact) == (1, True), fen
        if not selective:
            assert found.depth == depth
        if moves == 2 and not selective:
            board.push_uci(CHESS.move_name(state, found.best_action))
            assert is_lost(board, 1), fen


@pytest.mark.slow
def test_a_won_game_is_won_although_older_proofs_are_in_the_table() -> None:
    agent = AlphaBeta("chess", nodes=20_000)
    env = BoardGameEnv("chess")
    env.reset(options={"fen": "8/8/8/8/2k5/8/8/1K1RR3 w - - 0 1"})
    while not env.terminations[env.agent_selection]:
        observation, _, _, _, info = env.last()
        env.step(agent.act(observation, info))
    assert env.rewards["player_0"] == 1
    assert len(env.moves) < 40


def test_what_the_table_proved_with_more_plies_left_proves_nothing_later() -> None:
    game = make_game("chess(max_quiet_plies=6)").replace(evaluate=evaluate)  # less to compile than the game's own
    agent = AlphaBeta(game, 5, selective=False, iterative=False)
    for quiet, value in ((0, 1), (2, 0)):  # a mate in three takes five plies
        found = agent.analyse(game.state_from_fen(f"7k/8/4K3/8/8/8/8/1Q6 w - - {quiet} 1"))
        assert (found.value, found.exact) == (value, True), quiet


@pytest.mark.parametrize("budget", [{"nodes": 1000}, {"seconds": 0.001}], ids=str)
def test_captures_without_end_do_not_delay_the_first_move(budget: dict[str, Any]) -> None:
    state = CHESS.state_from_fen("qqqqkqqq/qq6/8/8/8/8/QQ6/QQQQKQQQ w - - 0 1")
    found = AlphaBeta("chess", **budget).analyse(state)
    assert found.best_action in CHESS.actions(state)
    assert not found.exact
    assert found.nodes < (30_000 if "nodes" in budget else 3_000_000)  # all noisy moves behind one ply are 33 million


def test_captures_without_end_are_looked_at_where_an_interrupt_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []

    def noted(function: Any, stop: Any, *arguments: Any, **options: Any) -> Any:
        begun.append(int(agent.workspace[0].status["nodes"][0]))
        return run_with_stop(function, stop, *arguments, **options)

    monkeypatch.setattr("plyground.agents.alphabeta.agent.run_with_stop", noted)
    state = CHESS.state_from_fen("r3k2r/8/8/3q4/3Q4/8/8/R3K2R w KQkq - 0 1")
    for depth in (1, 2):
        agent = AlphaBeta("chess", depth)
        found = agent.analyse(state)
        assert (begun.pop(), begun, found.depth) == (1, [], depth)  # the root alone
    agent = AlphaBeta("chess", nodes=2000)
    assert agent.analyse(state).depth > 1
    assert begun[0] > 1  # with a budget the first depth is short


@pytest.mark.parametrize(
    ("fen", "dropped"),
    [
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", ("captures",)),
        ("r1bq1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2NBPN2/PP3PPP/R2Q1RK1 w - - 0 1", ("countermoves", "penalties")),
    ],
    ids=["hardly anything is quiet", "all is quiet"],
)
def test_each_sound_option_for_the_order_saves_nodes(fen: str, dropped: tuple[str, ...]) -> None:
    state = CHESS.state_from_fen(fen)
    order: dict[str, Any] = {"captures": True, "countermoves": True, "penalties": True}
    nodes = AlphaBeta(CHESS, 5, selective=False, **order).analyse(state).nodes
    for name in dropped:
        assert AlphaBeta(CHESS, 5, selective=False, **{**order, name: False}).analyse(state).nodes > 1.1 * nodes


class TestRepetitions:
    def test_the_side_behind_takes_a_perpetual(self) -> None:
        state = CHESS.state_from_fen(PERPETUAL)
        of_each = {"chess": {"depth": 8}, CHESS: {"depth": 5, "selective": False, "captures": True}}
        for game, options in of_each.items():
            found = AlphaBeta(game, **options, repetitions=True).analyse(state)
            assert (found.value, CHESS.move_name(state, found.best_action), found.exact) == (0, "h5e8", False)
            assert found.statistics["repetitions"] > 0
            assert AlphaBeta(game, **options, repetitions=False).analyse(state).value < -0.02

    @pytest.mark.parametrize("fen", ["8/p7/P7/4k3/8/4K3/8/8 w - - 0 1", "7k/7P/8/8/8/8/5p2/7K b - - 0 1"])
    def test_values_are_those_of_a_slow_search_that_knows_the_line(self, fen: str) -> None:
        game = CHESS
        state = game.state_from_fen(fen)
        around = [game.actions(state)[0]]
        past = [game.repetition_key(game.play_moves(around, state))]

        def value(state: Any, depth: int, line: list[int], earlier: list[int]) -> float:
            player = game.player(state)
            if game.is_terminal(state):
                return game.utility(state, player)
            key = int(game.repetition_key(state))
            if len(line) > 0 and (key in line[1:] or [*earlier, line[0]].count(key) >= 2):
                return 0.0
            if depth == 0:
                return game.evaluate(state, player)
            return max(-value(child, depth - 1, [*line, key], earlier) for child in children(state))

        def children(state: Any) -> Any:
            for action in game.actions(state):
                child = state.copy()
                game.play(child, action)
                yield child

        differ = 0
        for times, depth in itertools.product((0, 1, 2), (1, 4)):
            earlier = [int(key) for key in past] * times
            # Captures first in both: so they run in the kernel that the test before needs.
            options: dict[str, Any] = {"selective": False, "captures": True, "table_mb": 0}
            agent = AlphaBeta(game, depth, repetitions=True, **options)
            found = agent.analyse(state, past=np.array(earlier, np.uint64))
            assert found.value == pytest.approx(value(state, depth, [], earlier), abs=1e-12), (times, depth)
            plain = AlphaBeta(game, depth, **options).analyse(state)
            differ += found.values != plain.values
        assert differ

    def test_a_position_that_stood_twice_is_a_draw(self) -> None:
        state = CHESS.state_from_fen("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1")
        agent = AlphaBeta(CHESS, 1, selective=False, repetitions=True, all_best=True)
        action = CHESS.actions(state)[0]
        key = CHESS.repetition_key(CHESS.play_moves([action], state))
        for times in (0, 1, 2, 3):
            found = agent.analyse(state, past=np.array([key] * times, np.uint64))
            assert (found.values.get(action, 1) == 0) == (times >= 2)

    def test_environments_tell_the_past(self) -> None:
        env = BoardGameEnv(make_game("chess"))
        env.reset(options={"moves": ["e2e4", "e7e5"]})
        moves = ["e2e4", "e7e5"]
        for ply in range(130):
            info = env.infos[env.agent_selection]
            expected = [env.game.play_moves(moves[:played]) for played in range(len(moves) + 1)][-101:]
            assert info["past"].tolist() == [env.game.repetition_key(state) for state in expected]
            if env.terminations[env.agent_selection]:
                break
            move = ("g1f3", "g8f6", "f3g1", "f6g8")[ply % 4]
            env.step(env.game.move_of(info["state"], move))
            moves.append(move)
        assert len(moves) == 2 + 8
        with_state = BoardGameEnv(make_game("chess"), info_state=False)
        with_state.reset()
        assert set(with_state.infos["player_0"]) == {"action_mask"}
        batch = GameBatch(make_game("checkers"), 2, seed=0)
        found = batch.past_of(1)
        assert found is not None
        assert found.tolist() == [batch.game.repetition_key(batch.states[1])]
        assert GameBatch(make_game("tictactoe"), 1).past_of(0) is None

    def test_more_plies_than_are_remembered(self) -> None:
        game = make_game("minichess(max_quiet_plies=12)")
        env = BoardGameEnv(game)
        env.reset()
        states = [game.new_state()]
        around, black_first = ("b1c3", "b5a3", "c3b1", "a3b5"), ("b5a3", "b1c3", "a3b5", "c3b1")
        for move in (*around, "d2d3", *black_first, "e4e3", *around):
            env.step(game.move_of(states[-1], move))
            states.append(game.play_moves([move], states[-1]))
            keys = [game.repetition_key(state) for state in states[-13:]]
            assert env.infos["player_0"]["past"].tolist() == keys

    def test_a_past_that_is_none(self) -> None:
        agent = AlphaBeta("chess", 1)
        with pytest.raises(ValueError, match=r"past must be the repetition_key of each .* got float64 of shape \(2,\)"):
            agent.analyse(CHESS.new_state(), past=[0.5, 1.0])


def test_chess_has_options_of_its_own_which_can_be_changed() -> None:
    options = make("alphabeta(seconds=1)", "chess").options  # type: ignore[attr-defined]
    assert min(options.quiescence, options.null_move, options.lmr) > 0
    assert options.repetitions
    assert options.captures
    plain = AlphaBeta("chess", 1, selective=False).options
    assert plain.selective is plain.pruning is None
    assert AlphaBeta("othello", 1).options.selective is AlphaBeta("othello", 1).options.pruning is None
    some = AlphaBeta("chess", 1, null_move=0, quiescence=0).options
    assert (some.null_move, some.quiescence, some.delta, some.exchange_pruning) == (0, 0, 0, False)
    assert some.lmr == options.lmr
    other = AlphaBeta("chess", 1, evaluate=evaluate).options
    assert (other.futility, other.delta) == (0, 0)
    assert AlphaBeta(CHESS).options == other == AlphaBeta("chess", evaluate=evaluate).options
    weighed = AlphaBeta("chess", weights={"mobility": 0.07}).options
    assert weighed == AlphaBeta(make_game("chess").with_weights(mobility=0.07)).options == AlphaBeta("chess").options
    assert min(weighed.futility, weighed.delta) > 0
    assert AlphaBeta("chess", 1, ordered=False).options.exchange_pruning is False
    assert AlphaBeta("chess", 1).batched() is None
    assert AlphaBeta("chess", 1, repetitions=False).copies() is not None


def test_late_checks_of_the_root_are_reduced_by_a_ply_less() -> None:
    # Four moves give check, all by the queen.
    state = make_game("chess").state_from_fen("7k/8/8/8/8/1Q6/PPPPPPPP/RNB1KBNR w KQ - 0 1")
    # With three plies in all, no move but one of the root is reduced, and that by one ply.
    reduced, spared = (
        AlphaBeta("chess", 3, spare_checks=spare_checks).analyse(state).statistics["reductions"]
        for spare_checks in (False, True)
    )
    assert reduced - spared == 4


@pytest.mark.slow
def test_quiescence_evades_checks_and_takes_what_is_noisy(rng: np.random.Generator) -> None:
    game, rules = CHESS, CompiledRules(CHESS)
    buffer = np.empty(game.num_actions, np.int32)

    def value(state: Any, depth: int, left: int) -> float:
        player = rules.player(state)
        if rules.is_terminal(state):
            return rules.utility(state, player)
        values, actions = [], rules.actions(state)
        if depth == 0:
            if left == 0 or not rules.is_forced(state):
                values.append(rules.evaluate(state, player))
            actions = buffer[: rules.noisy_actions(state, buffer)].tolist() if left else []
        for action in actions:
            child = state.copy()
            rules.play(child, action)
            values.append(-value(child, max(0, depth - 1), left if depth else left - 1))
        return max(values)

    state, agent = game.new_state(), AlphaBeta(game, 1, selective=False, quiescence=3, captures=True)
    checks = 0
    for _ in range(60):
        if game.is_terminal(state):
            state = game.new_state()
        assert game.is_forced is not None
        checks += bool(game.is_forced(state))
        assert agent.analyse(state).value == value(state, 1, 3)
        game.play(state, int(rng.choice(game.actions(state))))
    assert checks
