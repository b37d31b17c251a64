"""Odd arguments: each has an error that names the value and says what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

from plyground.agents import MCTS, PUCT, AlphaBeta, AlphaZero, FlatMonteCarlo, Policy, Random, Solver, make
from plyground.agents.networks import NetworkEvaluator
from plyground.arena import match
from plyground.envs import (
    Board,
    BoardGameEnv,
    BoardVectorEnv,
    GameBatch,
    SeatBatch,
    SoloEnv,
    check_game,
    checkers,
    connect_four,
    make_game,
    othello,
    register_game,
    tictactoe,
)
from plyground.envs.render import picture
from plyground.envs.vector.row_random import draw_numbers
from plyground.envs.vector.stable_baselines import BoardVecEnv

TRUE: Any = torch.tensor(True)  # it would pass as 1


def test_actions_may_be_what_spaces_draw() -> None:
    """Pyright reads this, too: spaces draw NumPy's integers."""
    env = started()
    env.step(env.action_space(env.agent_selection).sample(env.observe(env.agent_selection)["action_mask"]))
    solo = SoloEnv("connect_four")
    solo.reset(seed=0)
    solo.step(np.int64(3))


def started() -> BoardGameEnv:
    env = BoardGameEnv("connect_four")
    env.reset()
    return env


def solo() -> SoloEnv:
    env = SoloEnv("connect_four")
    env.reset(seed=0)
    return env


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: started().step(True), "action must be an integer from 0 to 6, got True"),
        (lambda: started().step(TRUE), "action must be an integer from 0 to 6, got tensor"),
        (lambda: solo().reset(seed=TRUE), "seed must be a whole number, at least 0, got tensor"),
        (lambda: started().step(10**30), "action must be an integer from 0 to 6, got 1000"),
        (lambda: started().step("a"), "action must be an integer from 0 to 6, got 'a'"),  # type: ignore[arg-type]
        (lambda: solo().step(True), "action must be an integer from 0 to 6, got True"),
        (lambda: solo().step(3.5), "action must be an integer from 0 to 6, got 3.5"),  # type: ignore[arg-type]
        (lambda: started().reset(options=5), "options must be a dict such as .*, got 5"),  # type: ignore[arg-type]
        (lambda: started().reset(options={"move": [3]}), "unknown option 'move': did you mean 'moves'"),
        (lambda: started().reset(options={"position": 3}), "unknown option 'position': .*: fen, moves, state$"),
        (lambda: started().reset(options={3: 3}), "unknown option 3: Choose from: fen, moves, state$"),  # type: ignore[arg-type]
        (lambda: solo().reset(options={"seat": "first"}), "unknown option 'seat': did you mean 'state'"),
        (lambda: started().reset(options={"moves": [3.7]}), "move 3.7 at index 0 is illegal"),
        (lambda: started().reset(options={"moves": [3, True]}), "move True at index 1 is illegal"),
        (lambda: started().reset(options={"moves": "33"}), r"options\['moves'\] must be a list .*, got '33'"),
        (lambda: started().reset(options={"moves": {3, 5}}), r"options\['moves'\] must be a list .*, got \{3, 5\}"),
        (lambda: started().reset(options={"moves": {3: 5}}), r"options\['moves'\] must be a list .*, got \{3: 5\}"),
        (lambda: started().reset(options={"moves": 5}), r"options\['moves'\] must be a list .*, got 5"),
        (
            lambda: started().reset(options={"moves": np.array(5)}),
            r"options\['moves'\] must be a list .*, got array\(5\)",
        ),
        (lambda: BoardVectorEnv("tictactoe", 2).reset(options=5), "options must be a dict"),  # type: ignore[arg-type]
        (lambda: BoardVectorEnv("tictactoe", 2).reset(seed=1.5), "seed must be a whole"),  # type: ignore[arg-type]
        (lambda: BoardGameEnv("connect_four", max_cycles=1.5), "max_cycles must be .*, got 1.5"),  # type: ignore[arg-type]
        (lambda: BoardGameEnv("connect_four", "svg", screen_size=10**9), "screen_size must be .* from 16 to 8192"),
        (lambda: BoardGameEnv("connect_four", screen_size="huge"), "screen_size must be .*, got 'huge'"),  # type: ignore[arg-type]
        (lambda: SoloEnv("connect_four", screen_size=0), "screen_size must be .* from 16 to 8192, got 0"),
        (lambda: checkers(repetition=1), r"repetition of checkers must be 0 \(never\) or from 2 to 2147483647, got 1"),
        (lambda: checkers(repetition=2**64), "repetition of checkers must be 0 .*, got 18446744073709551616"),
        (lambda: SoloEnv("connect_four", opening_plies=10**5), "opening_plies must be .* from 0 to 42, got 100000"),
        (lambda: SoloEnv("connect_four", opening_plies=1.5), "opening_plies must be"),  # type: ignore[arg-type]
        (lambda: GameBatch("connect_four", 2, opening_plies=10**5), "opening_plies must be .* from 0 to 42"),
        *(
            (lambda make=make, odd=odd: make(odd), f"a pair of the fewest and the most .*, got {re.escape(repr(odd))}")
            for make in (
                lambda odd: GameBatch("connect_four", 2, opening_plies=odd),
                lambda odd: SoloEnv("connect_four", opening_plies=odd),
            )
            for odd in ((1, 2, 3), (4, 2), (-1, 2), (0, 43), (1.5, 2), "24")
        ),
        (lambda: GameBatch("connect_four", 2, threads=10**6), "threads must be a whole number, from 1 to 1024"),
        (lambda: match("tictactoe", ["random", "random"], 2, opening_plies=10**5), "opening_plies must be .* 0 to 9"),
        (lambda: connect_four().play_moves(5), "moves must be a list of action ids or names, got 5"),  # type: ignore[arg-type]
        (
            lambda: connect_four().play_moves(np.array(5)),
            r"moves must be a list of action ids or names, got array\(5\)",
        ),
        (lambda: connect_four().play_moves([3, "x"]), "^move at index 1: connect_four has no action 'x': expected"),
        (lambda: connect_four().line_of([3, "x"]), "^move at index 1: connect_four has no action 'x': expected"),
        (lambda: started().reset(options={"moves": [3, "x"]}), "^move at index 1: connect_four has no action 'x'"),
        (lambda: connect_four().play_moves([None]), "move None at index 0 is illegal"),  # type: ignore[list-item]
        (lambda: connect_four().play_moves([3], tictactoe().new_state()), "state must be one state of connect_four"),
        (lambda: tictactoe().observation(tictactoe().new_state(), 5), "player must be 0, .*, or 1, got 5"),
        (lambda: othello().features_of(othello().new_state(), -1), "player must be 0, .*, or 1, got -1"),
        (lambda: connect_four().str_to_action(5), "the name of an action of connect_four is text, got 5"),  # type: ignore[arg-type]
        (lambda: gymnasium.make("plyground/ConnectFour-v0", oponent="random"), "did you mean 'opponent'"),
        (lambda: SoloEnv(connect_four(), oponent="random"), "argument 'oponent' of SoloEnv: did you mean 'opponent'"),
        (lambda: BoardVectorEnv("tictactoe", 2, oponent="random"), "of BoardVectorEnv: did you mean 'opponent'"),
        (lambda: SeatBatch("tictactoe", 2, thread=2), "of SeatBatch: did you mean 'threads'"),
        (lambda: BoardGameEnv("connect_four", row=5), "unknown parameter 'row' of game 'connect_four'"),
        (lambda: BoardGameEnv("connect_four", seed=5), r"BoardGameEnv takes no seed: .* as in env.reset\(seed=5\)"),
        (lambda: SoloEnv(connect_four(), seed=5), r"SoloEnv takes no seed: .* as in env.reset\(seed=5\)"),
    ],
)
def test_errors_say_what_was_expected(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_the_name_of_a_game_is_text() -> None:
    with pytest.raises(TypeError, match="expected the name of a game, such as 'connect_four', got 5"):
        make_game(5)  # type: ignore[arg-type]


def test_use_before_a_reset() -> None:
    for call in (BoardGameEnv("tictactoe").state, BoardGameEnv("tictactoe", "ansi").render):
        with pytest.raises(AttributeError, match=r"there is no game before reset: call reset\(\) first"):
            call()
    env = SoloEnv("tictactoe")
    assert env.action_masks().all()
    with pytest.raises(ValueError, match=r"no game of tictactoe is being played: call reset\(\) before step\(3\)"):
        env.step(3)


def test_a_board_needs_no_style() -> None:
    game = tictactoe().replace(
        board=Board(3, 3, lambda state: np.eye(3, dtype=np.int8), lambda state, action: (action,))
    )
    assert "<circle" in picture(game, game.new_state()).to_svg()


@pytest.mark.slow
def test_the_smallest_go_is_played_to_its_end() -> None:
    env = BoardGameEnv("go(board_size=1)")
    env.reset()
    for _ in range(2):
        assert env.observe(env.agent_selection)["action_mask"].tolist() == [0, 1]  # no stone could breathe
        env.step(1)
    assert list(env.rewards.values()) == [-1, 1]


def variants() -> list[Any]:
    other = AlphaBeta("connect_four(rows=5)", depth=1)
    return [
        lambda: SoloEnv("connect_four", opponent=other),
        lambda: SeatBatch("connect_four", 2, opponent=other),
        lambda: SeatBatch("connect_four", 2, opponent=other.batched()),  # pyright: ignore[reportArgumentType]
        lambda: match("connect_four", [other, "random"], 2),
    ]


@pytest.mark.parametrize("number", range(4))
def test_opponents_of_another_variant_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match=r"plays connect_four\(rows=5\), expected a player of connect_four"):
        variants()[number]()


BAD_ROWS = [np.array([10**8]), np.array([-1]), np.array([0, 0]), np.array([0.5]), np.array([[0]]), 0, "a", None, [True]]


class TestRowsOfBatches:
    @pytest.mark.parametrize("number", range(len(BAD_ROWS)))
    def test_rows(self, number: int) -> None:
        rows: Any = BAD_ROWS[number]
        batch = GameBatch("tictactoe", 2, seed=0)
        seats = SeatBatch("tictactoe", 2, seed=0)
        search: Any = AlphaBeta("tictactoe", depth=1).batched()
        calls: list[Callable[[], object]] = [
            lambda: batch.play(rows, [1]),
            lambda: batch.restart(rows),
            lambda: batch.show(rows),
            lambda: search.act(batch, rows),
            lambda: draw_numbers(batch.rngs, rows, 2),
        ]
        if rows is not None:  # which are all
            calls += [lambda: batch.random_actions(rows), lambda: seats.reset(rows=rows)]
        for call in calls:
            with pytest.raises(ValueError, match="rows must be different rows from 0 to 1"):
                call()

    def test_rows_in_any_form(self) -> None:
        batch = GameBatch("tictactoe", 4, seed=0)
        batch.play([3, 1], np.array([4, 9, 5], np.uint8)[::2])  # pyright: ignore[reportArgumentType]
        assert batch.plies.tolist() == [0, 1, 0, 1]
        batch.show(np.arange(4, dtype=np.uint16)[::2], [1, 0])  # pyright: ignore[reportArgumentType]
        assert batch.random_actions([2]).shape == (1,)  # pyright: ignore[reportArgumentType]

    def test_actions_seats_and_counts(self) -> None:
        batch = GameBatch("tictactoe", 2, seed=0)
        rows = np.arange(2)
        for actions in ([0, 9], [0, -1], [0, 10**9]):
            with pytest.raises(ValueError, match="is illegal in game 1"):
                batch.play(rows, actions)
        for actions in ([0], [0.0, 1.0], [True, False], "ab", [10**30, 0]):
            with pytest.raises(ValueError, match="actions must be 2 integers"):
                batch.play(rows, actions)
        for seats in ([0, 2], [0], [-1, 0], [0.0, 1.0]):
            with pytest.raises(ValueError, match="seats must be 2 numbers of players"):
                batch.show(rows, np.array(seats))
        with pytest.raises(ValueError, match="count must be a whole number"):
            batch.spread(-1, lambda piece, first, last: None)
        for seed in (-1, 1.5, "a", True):
            with pytest.raises(ValueError, match="seed must be a whole number"):
                batch.seed(seed)  # type: ignore[arg-type]
        batch.over[1] = True
        with pytest.raises(ValueError, match="game 1 is over"):
            batch.play(rows, [0, 0])

    def test_a_search_of_another_game(self) -> None:
        search: Any = AlphaBeta("connect_four(rows=5)", depth=1).batched()
        with pytest.raises(ValueError, match=r"expected a batch of connect_four\(rows=5\), got one of connect_four"):
            search.act(GameBatch("connect_four", 2), np.arange(2))


ODD: Any = "1"  # text in place of a number, as a file of settings may give it
THREE: Any = 3
GAME: Any = tictactoe()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: AlphaBeta(GAME, table_mb=ODD), "table_mb must be a finite number, at least 0, got '1'"),
        (lambda: AlphaBeta(GAME, table_mb=10**400), "table_mb must be a finite number, at least 0, got 1000"),
        (lambda: AlphaBeta(GAME, aspiration=ODD), "aspiration must be above 0, or None for the game's own, got '1'"),
        (lambda: AlphaBeta(GAME, singular=ODD), "singular must be a finite number, at least 0, got '1'"),
        (lambda: AlphaBeta(GAME, delta=ODD), "delta must be a finite number, .*, got '1'"),
        (lambda: AlphaBeta(GAME, pvs=ODD), "pvs must be True or False, got '1'"),
        (lambda: AlphaBeta(GAME, selective=ODD), "selective must be True or False, got '1'"),
        (lambda: MCTS(GAME, c=ODD), "c must be a finite number, at least 0, got '1'"),
        (lambda: MCTS(GAME, fpu=ODD), "fpu must be a number, or None, got '1'"),
        (lambda: MCTS(GAME, rave_bias=0.1, rave=ODD), "rave must be a finite number, at least 0, got '1'"),
        (lambda: MCTS(GAME, widening=ODD), "widening must be above 0 and at most 1, or None, got '1'"),
        (lambda: MCTS(GAME, tree_mb=ODD), "tree_mb must be a finite number above 0, or None, got '1'"),
        (lambda: MCTS(GAME, solver=ODD), "solver must be True or False, got '1'"),
        (lambda: MCTS(GAME, seed=True), "seed must be a whole number, at least 0, or None, got True"),
        (lambda: MCTS(GAME, seed=ODD), "seed must be a whole number, at least 0, or None, got '1'"),
        (lambda: PUCT(GAME, c=ODD), "c must be a finite number, at least 0, got '1'"),
        (lambda: PUCT(GAME, virtual_loss=ODD), "virtual_loss must be a whole number, .*, got '1'"),
        (lambda: PUCT(GAME, noise_alpha=ODD), "noise_alpha must be a finite number above 0, got '1'"),
        (lambda: PUCT(GAME, c_visit=ODD), "c_visit must be a number, at least 0 .*, got '1'"),
        (lambda: PUCT(GAME, proofs=ODD), "proofs must be True or False, got '1'"),
        (lambda: PUCT(GAME, evaluator=ODD), "evaluator must be a function of states, or None, got '1'"),
        (lambda: FlatMonteCarlo(GAME, c=ODD), "c must be a number of at least 0, got '1'"),
        (lambda: Solver(GAME, table_mb=ODD), "table_mb must be a finite number above 0, got '1'"),
        (lambda: Solver(GAME, seconds=ODD), "seconds must be at least 0, got '1'"),
        (lambda: NetworkEvaluator(ODD, temperature=ODD), "temperature must be a number above 0, got '1'"),
        (lambda: Random(seed=-1), "seed must be a whole number, at least 0, or None, got -1"),
        (lambda: make(THREE, GAME), r"expected a spec string such as 'mcts\(simulations=100\)', got 3"),
        (lambda: AlphaZero("connect_four", 3), "net must be a network, its file, or the folder .*, got 3"),
        (lambda: Policy(GAME, 3), "model must be one of stable-baselines3, .*, got 3"),
        (lambda: register_game(ODD), "expected a function decorated with game_factory, got '1'"),
        (lambda: picture(GAME, ODD), "state must be one state of tictactoe, got '1'"),
        (lambda: picture(GAME, GAME.new_state(), last=ODD), "last must be the state before .*, got '1'"),
        (lambda: picture(GAME, GAME.new_state(), last=(GAME.new_state(), 9)), r"last\[1\] must be .* 0 to 8, got 9"),
        (lambda: picture(GAME, GAME.new_state(), overlay=ODD), "overlay must be what .* returns, got '1'"),
        (lambda: picture(GAME, GAME.new_state(), caption=THREE), "caption must be a text, got 3"),
        (lambda: picture(GAME, GAME.new_state()).to_array(ODD), "size, .* must be a whole number, .*, got '1'"),
        (lambda: BoardGameEnv(GAME, info_state=ODD), "info_state must be True or False, got '1'"),
        (lambda: SoloEnv(GAME, flatten=ODD), "flatten must be True or False, got '1'"),
        (lambda: BoardVectorEnv(GAME, flatten=ODD), "flatten must be True or False, got '1'"),
        (lambda: BoardVectorEnv(GAME, copy=ODD), "copy must be True or False, got '1'"),
        (lambda: BoardVecEnv(GAME, 2, flatten=ODD), "flatten must be True or False, got '1'"),
        (lambda: BoardVecEnv(GAME, 2, copy=THREE), "copy must be True or False, got 3"),
        (lambda: GameBatch(GAME, 2).begin_at(np.arange(2), ODD), "2 rows begin at as many states, got shape"),
        (
            lambda: GameBatch(GAME, 2).begin_at(np.arange(1), np.zeros(1)),
            r"states\[0\] must be one state of tictactoe, got",
        ),
        (lambda: check_game(GAME, seed=-1), "seed must be a whole number, at least 0, got -1"),
        (
            lambda: GameBatch(GAME, 2, seed=0).step(np.array([0, 2**64 - 1], np.uint64)),
            "action 18446744073709551615 is no action of any game",
        ),
    ],
)
def test_what_is_no_number_or_nothing_of_ours_is_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_numbers_of_numpy_and_infinities_are_taken_where_they_mean_something() -> None:
    AlphaBeta(GAME, table_mb=np.float32(0.5), aspiration=np.inf, pvs=np.bool_(False), killers=0)  # type: ignore[arg-type]
    MCTS(GAME, c=np.int64(2), fpu=-np.inf, solver=1)  # type: ignore[arg-type]
    PUCT(GAME, c_base=np.inf, temperature=np.inf, fpu=np.float64(1))
