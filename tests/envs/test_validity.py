"""States from outside: what the rule is_valid of each game accepts and refuses, and where it is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, AlphaBeta, Human, Solver
from plyground.agents.teaching.mcts_trace import trace_mcts
from plyground.envs import (
    BoardGameEnv,
    BoardVectorEnv,
    Game,
    GameBatch,
    SeatBatch,
    SoloEnv,
    State,
    check_game,
    make_game,
    state_dtype,
    tictactoe,
)
from plyground.envs.games.go.game import go
from plyground.envs.jit import kernel
from plyground.envs.jit.prng import new_rng
from plyground.envs.outside import validity
from tests.conftest import random_game
from tests.helpers.coin import COIN
from tests.helpers.oracles import decoded


@kernel
def _play_out(game, state, actions, rng, plies):
    """Play a random game to its end, and return the number of plies, or -1 if there are more than allowed."""
    for ply in range(plies + 1):
        if game.is_terminal(state):
            return ply
        game.play(state, game.random_action(state, actions, rng))
    return -1


def changed(state: State, rng: np.random.Generator) -> State:
    """Return the state with one or two of its bytes replaced."""
    raw = np.frombuffer(bytearray(state.tobytes()), np.uint8)
    for place in rng.integers(raw.size, size=rng.integers(1, 3)):
        raw[place] = rng.integers(256) if rng.random() < 0.5 else raw[place] ^ (1 << rng.integers(8))
    return raw.view(state.dtype)[0]


@pytest.mark.rules
def test_states_of_random_games_are_valid_and_others_do_no_harm(game: Game, rng: np.random.Generator) -> None:
    """Whatever the bytes, the rule answers; what it accepts is played to the end by compiled code."""
    actions, source = np.zeros(game.num_actions, np.int32), new_rng(1)
    game.state_check.compile()
    accepted = refused = 0
    for state in random_game(game, rng):
        assert game.is_valid(state)
        for _ in range(8):
            other = changed(state, rng)
            verdict = bool(game.is_valid(other)) and all(other[name] == state[name] for name in game.fixed)
            assert verdict == game.state_check.accepts(other)
            if verdict:
                assert game.actions(other) or game.is_terminal(other)
                with np.errstate(over="ignore"):  # random numbers wrap around, without Numba too
                    plies = _play_out(game, other, actions, source, game.max_plies)
                assert 0 <= plies <= game.max_plies
            accepted, refused = accepted + verdict, refused + (not verdict)
    assert refused > accepted / 4


GO = go(board_size=5)
REFUSED: list[tuple[str, list[int], dict[str, Any]]] = [
    ("tictactoe", [0, 1], {"ply": 3}),
    ("tictactoe", [0, 1], {"ply": -1}),
    ("tictactoe", [0, 1], {"stones": (3, 2)}),
    ("tictactoe", [0, 1], {"stones": (1, 1 << 9)}),
    ("tictactoe", [0, 3, 1, 4, 2], {"stones": (0o7, 0o70), "ply": 6}),  # both have a line
    ("connect_four", [3, 3], {"ply": 4}),
    ("connect_four", [3, 3], {"mine": 1 << 22}),  # floats
    ("connect_four", [3, 3], {"mine": 1 << 6}),  # above the board
    ("connect_four", [3, 3], {"theirs": 1 << 21}),  # on the other's
    ("connect_four", [3, 3], {"mine": 0}),
    ("connect_four", [0, 1, 0, 1, 0, 1, 0], {"mine": 0b1111, "theirs": 0b111 << 7}),  # the player to move has four
    ("connect_four", [3, 3], {"mine": 0x1C1870000000, "theirs": 0b1111 | 0b1111 << 14, "ply": 16}),  # two fours apart
    ("mnk", [0, 1], {"ply": 4}),
    ("mnk", [0, 1], {"hash": 5}),
    ("mnk", [0, 1], {"won": 1}),
    ("mnk", [0, 1, 3, 4, 6], {"won": 0}),
    ("othello", [19], {"turn": 2}),
    ("othello", [19], {"turn": -1}),
    ("othello", [19], {"moves": 1}),
    ("othello", [19], {"mine": 0}),  # the centre is never empty
    ("othello(size=4)", [], {"mine": 1 << 20}),  # not on the board
    ("checkers", [7], {"turn": 2}),
    ("checkers", [7], {"quiet": 81}),
    ("checkers", [7], {"kings": 1 << 17}),
    ("checkers", [7], {"jumper": 1 << 22}),  # which cannot jump
    ("checkers", [7], {"sides": (1 << 31, 1 << 22)}),  # a man on the last row
    ("checkers", [7], {"sides": (1, 1)}),
    ("checkers", [7], {"sides": (0, 1 << 22), "turn": 1}),  # who has moved has no piece
    ("go(board_size=5)", [12, 13], {"turn": 2}),
    ("go(board_size=5)", [12, 13], {"empties": 24}),
    ("go(board_size=5)", [12, 13], {"empties": 10**6}),
    ("go(board_size=5)", [12, 13], {"ko": 8}),
    ("go(board_size=5)", [12, 13], {"ko": -1}),
    ("go(board_size=5)", [12, 13], {"passes": 3}),
    ("go(board_size=5)", [12, 13], {"ply": 101}),
    ("go(board_size=5)", [12, 13], {"hash": 1}),
]


def with_fields(state: State, fields: dict[str, Any]) -> State:
    for name, value in fields.items():
        state[name] = value
    return state


@pytest.mark.rules
@pytest.mark.parametrize(("spec", "moves", "fields"), REFUSED)
def test_what_no_game_shows_is_refused(spec: str, moves: list[int], fields: dict[str, Any]) -> None:
    game = make_game(spec)
    state = game.play_moves(moves)
    assert game.is_valid(state)
    assert not game.is_valid(with_fields(state, fields))
    with pytest.raises(ValueError, match=f"^state is not a valid state of {game.name}.*by its rule is_valid") as found:
        game.state_check.checked(state)
    assert len(str(found.value)) < 300


@pytest.mark.rules
def test_rows_that_no_last_stone_makes_are_refused() -> None:
    boards = {"mnk": ("WWW", "BB.", ".B."), "mnk(m=5, n=5, k=3)": ("BBB..", "WW.WW", ".....", "WW...", "BBB..")}
    for spec, rows in boards.items():  # white is to move: it has won before, or black has won twice
        cells, game = np.array([list(row) for row in rows]), make_game(spec)
        assert not game.is_valid(decoded(game, np.stack([cells == "W", cells == "B"], axis=2)))


@pytest.mark.rules
def test_a_point_with_stones_of_both_colours_is_refused() -> None:
    planes = GO.observation(GO.new_state(), 0)
    planes[0, 0, :2] = 1
    with pytest.raises(ValueError, match=r"no state of go.* looks like these planes"):
        GO.state_from_observation(planes)


@pytest.mark.rules
def test_stones_that_touch_are_of_one_chain() -> None:
    state = GO.play_moves([12, 0, 13])
    chain = np.flatnonzero(state.board == 1)
    for cell, beside in (chain, chain[::-1]):
        other = state.copy()
        other.head[cell] = cell if state.head[cell] != cell else beside
        assert not GO.is_valid(other)


@pytest.mark.rules
@pytest.mark.parametrize("field", ["head", "next", "length", "liberties", "board"])
def test_chains_of_go_that_do_not_agree_with_the_board(field: str) -> None:
    state = GO.play_moves([12, 0])
    cell = int(np.flatnonzero(state.board == 1)[0])
    for value in (0, 7, 40, 255):
        other = state.copy()
        if other[field][cell] != value:
            other[field][cell] = value
            assert not GO.is_valid(other), (field, value)
    stale = state.copy()
    stale.head[0] = 43  # of the border, and yet it is read: past the end
    assert not GO.is_valid(stale)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("othello", "othello(size=4)"),
        ("othello(size=4)", "othello"),
        ("othello(size=6)", "othello"),
        ("connect_four", "connect_four(rows=5)"),
        ("connect_four(rows=5)", "connect_four"),
        ("checkers", "checkers(max_quiet_plies=3)"),
    ],
)
def test_states_of_other_parameters_are_refused(one: str, other: str, rng: np.random.Generator) -> None:
    last = random_game(make_game(one), rng, 30)[-1]
    if one == "checkers":
        last.quiet = 60
    with pytest.raises(ValueError, match="is not a valid state of"):
        make_game(other).state_check.checked(last)


class TestWhereItIsAsked:
    broken = property(lambda self: with_fields(GO.play_moves([12, 13]), {"empties": 1000, "turn": 7}))

    def test_resets(self) -> None:
        options = {"state": self.broken}
        batch = GameBatch(GO, 2, seed=0)
        for reset in (
            BoardGameEnv(GO).reset,
            SoloEnv(GO).reset,
            batch.reset,
            SeatBatch(GO, 2).reset,
            BoardVectorEnv(GO, 2).reset,
        ):
            with pytest.raises(ValueError, match=r"^options\['state'\] is not a valid state of go"):
                reset(options=options)

    def test_searches_and_solvers(self) -> None:
        agent = AlphaBeta(GO, depth=1)
        with pytest.raises(ValueError, match=r"^state is not a valid state of go"):
            agent.analyse(self.broken)
        with pytest.raises(ValueError, match=r"^info\['state'\] is not a valid state of go"):
            agent.act({}, {"state": self.broken})
        with pytest.raises(ValueError, match=r"^info\['state'\] is not a valid state of go"):
            Human(GO).act({}, {"state": self.broken})
        with pytest.raises(ValueError, match=r"^state is not a valid state of go"):
            trace_mcts(GO, self.broken, 3)
        solver = Solver("tictactoe")
        wrong = with_fields(tictactoe().new_state(), {"ply": 5})
        for ask in (solver.value, solver.solve, solver.optimal_actions, solver.analyse):
            with pytest.raises(ValueError, match=r"^state is not a valid state of tictactoe"):
                ask(wrong)

    def test_observations(self) -> None:
        """Both colours on one point, in Go, let the search run for ever."""
        agent = MCTS(GO, simulations=5, seed=0)
        planes = np.zeros(GO.observation_shape)
        planes[2, 2, :2] = 1
        for wrong in (planes, planes + 0.5, planes - 1, planes * np.nan, np.full(planes.shape, "x")):
            with pytest.raises(ValueError, match=r"no state of go.* looks like|holds numbers from 0 to 1"):
                agent.predict(wrong)
        surrounded = np.ones(GO.observation_shape)
        surrounded[..., 1::2] = 0  # stones everywhere, none of which can breathe
        with pytest.raises(ValueError, match="no state of go"):
            agent.predict(surrounded)
        othello = make_game("othello(size=4)")
        mixed = othello.observation(othello.new_state(), 0)
        mixed[0, 0, 2] = 1  # white to move, says one cell
        with pytest.raises(ValueError, match="no state of othello"):
            othello.state_from_observation(mixed)

    def test_batches_that_are_loaded(self) -> None:
        batch = GameBatch("connect_four(rows=4, columns=5)", 3, seed=0)
        before, most = batch.state_dict(), batch.game.max_plies
        for name, value in (
            ("states", with_fields(batch.game.new_state(), {"ply": 77})),
            ("players", 1),
            ("plies", -4),
            ("plies", most),  # as many as a game that goes on cannot have had
            ("plies", most + 1),
            ("plies", 2**31 - 1),  # the next ply would be the process's last
            ("masks", 0),
            ("masks", 3 * before["masks"][1]),
            ("masks", -before["masks"][1]),
        ):
            state = batch.state_dict()
            state[name][1] = value
            with pytest.raises(ValueError, match=r"has no game of connect_four.* in row 1"):
                batch.load_state_dict(state)
            assert all((array == before[key]).all() for key, array in batch.state_dict().items() if key != "game")
        ended = {**before, "over": np.ones(3, np.bool_), "plies": np.full(3, most, np.int32)}
        batch.load_state_dict(ended)
        for name, value in (("plies", most + 1), ("masks", 2)):
            state = {**ended, name: ended[name].copy()}
            state[name][1] = value
            with pytest.raises(ValueError, match=r"has no game of connect_four.* in row 1"):
                batch.load_state_dict(state)
        full = {**before, "start": with_fields(batch.game.initial.copy(), {"ply": 3})}
        with pytest.raises(ValueError, match=r"options\['state'\] is not a valid state"):
            batch.load_state_dict(full)
        goes = GameBatch(GO, 2, seed=0)
        state = goes.state_dict()
        state["frames.first"][1] = 10**6
        with pytest.raises(ValueError, match=r"in row 1"):
            goes.load_state_dict(state)
        seats = SeatBatch("tictactoe", 2, seed=0)
        seats.reset()
        state = seats.state_dict()
        state["learners"][0] = 9
        with pytest.raises(ValueError, match="learners of the state must be 0 or 1"):
            seats.load_state_dict(state)


def test_a_game_without_the_rule_accepts_all() -> None:
    game = tictactoe().replace(is_valid=None)
    assert game.state_check.checked(with_fields(game.new_state(), {"ply": 5})).ply == 5


def _refuses(state: Any) -> bool:
    return state.ply < 2


def _changes(state: Any) -> bool:
    state.ply += 1
    return True


def test_the_rule_is_checked() -> None:
    with pytest.raises(ValueError, match="'is_valid' of tictactoe: must accept every state"):
        check_game(tictactoe().replace(is_valid=_refuses), 1)
    with pytest.raises(ValueError, match="'is_valid' of tictactoe: must not change the state"):
        check_game(tictactoe().replace(is_valid=_changes), 1)
    with pytest.raises(ValueError, match="games must be a whole number, at least 1, got 0"):
        check_game(tictactoe(), games=0)


def test_other_evaluations_share_the_compiled_rule() -> None:
    one = tictactoe()
    other = one.with_weights(open_lines=0.5)
    assert one.state_check.numba_type == other.state_check.numba_type
    assert one.numba_type != other.numba_type
    assert go(5, 5.5).state_check.numba_type == go(5, 7.5).state_check.numba_type


def _walls(state: Any) -> None:
    state.walls[1] = 1


def _tear_down(state: Any, action: int) -> None:
    state.ply += 1
    state.walls[1] = 0


def test_a_fixed_field_may_be_an_array() -> None:
    coin = {**COIN, "state": state_dtype(x="i4", ply="i4", walls=("i1", (3,))), "setup": _walls, "fixed": ("walls",)}
    game = Game(**coin)
    check_game(game, 1)
    other = game.new_state()
    other.walls[2] = 1
    assert game.state_check.accepts(game.new_state())
    assert not game.state_check.accepts(other)
    states = np.array([game.new_state(), other], game.dtype)
    assert game.state_check.first_invalid(states) == 1
    assert game.state_check.first_invalid(states[:1]) == -1
    with pytest.raises(ValueError, match=r"'fixed' of coin: no move may change 'walls', \[0 1 0\] at the start"):
        check_game(Game(**{**coin, "play": _tear_down}), 1)


def test_the_rule_is_compiled_once_plain_python_has_taken_long(monkeypatch: pytest.MonkeyPatch) -> None:
    check = validity.StateCheck(make_game("tictactoe"))
    state, now = check.game.new_state(), iter(np.arange(0, 9, 0.1))
    assert all(check.accepts(state) for _ in range(100))
    assert "_compiled" not in vars(check)
    monkeypatch.setattr(validity.time, "perf_counter", lambda: float(next(now)))
    for _ in range(3):  # of a tenth of a second each
        assert check.accepts(state)
    assert "_compiled" not in vars(check)
    assert check.accepts(state)
    assert "_compiled" in vars(check)
