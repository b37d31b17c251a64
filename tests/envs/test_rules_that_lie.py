"""Rules of one's own that break their promises: they are found before a search believes them."""

from __future__ import annotations

import pickle
import time
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numba.core.errors import NumbaError

from plyground.agents import MCTS, AlphaBeta, Minimax
from plyground.arena import match
from plyground.envs import (
    BoardGameEnv,
    Game,
    GameBatch,
    SoloEnv,
    check_game,
    connect_four,
    game_factory,
    game_names,
    make_game,
    register_game,
    state_dtype,
    tictactoe,
)
from plyground.envs.checking import checker
from plyground.envs.jit import helper
from plyground.envs.jit.faults import compile_rules


def player(state: Any) -> int:
    return state.ply & 1


def legal_actions(state: Any, actions: Any) -> int:
    count = 0
    for action in range(3):
        if state.heaps[action] > 0:
            actions[count] = action
            count += 1
    return count


def play(state: Any, action: int) -> None:
    state.heaps[action] -= 1
    state.ply += 1


def is_terminal(state: Any) -> bool:
    return state.ply == 6


def utility(state: Any, player: int) -> float:
    return 1.0 if player == 1 else -1.0


def observe(state: Any, player: int, planes: Any) -> None:
    planes[0] = state.ply & 1


def setup(state: Any) -> None:
    state.heaps[:] = 2


TAKE: dict[str, Any] = {  # three heaps of two; the second player takes the last piece
    "name": "take",
    "state": state_dtype(heaps=("i1", (3,)), ply="i4"),
    "num_actions": 3,
    "max_plies": 6,
    "observation_shape": (1,),
    "setup": setup,
    "player": player,
    "legal_actions": legal_actions,
    "play": play,
    "is_terminal": is_terminal,
    "utility": utility,
    "observe": observe,
}


def utility_without_return(state: Any, player: int) -> Any:
    if player == 1:
        return 1.0
    return None


def play_out_of_range(state: Any, action: int) -> None:
    state.heaps[action + 1] -= 1
    state.ply += 1


def end_without_return(state: Any) -> Any:
    state.ply == 6  # noqa: B015  # pyright: ignore[reportUnusedExpression]


LIES = [
    ({"utility": utility_without_return}, "'utility' of take: must return a number, got None"),
    ({"num_actions": 2}, r"'legal_actions' of take: must write ids of 0 to 1"),
    (
        {"num_actions": 1},
        r"'legal_actions' of take raised IndexError \(.*py:\d+\): index 2 is out of",
    ),
    ({"max_plies": 5}, "'max_plies' of take: a game must end after 5 plies, and goes on"),
    (
        {"play": play_out_of_range},
        r"'play' of take raised IndexError \(.*py:\d+\): index 3 is out of",
    ),
    ({"is_terminal": end_without_return}, "'is_terminal' of take: must return a number, got None"),
]


@pytest.mark.parametrize(("change", "message"), LIES)
def test_a_search_refuses_them(change: dict[str, Any], message: str) -> None:
    game = Game(**{**TAKE, **change})
    for agent in (AlphaBeta(game, depth=2), MCTS(game, 10)):
        with pytest.raises(ValueError, match=f"{message}.*check=False"):
            agent.analyse(game.new_state())
    with pytest.raises(ValueError, match=message):
        Minimax(game, 2, evaluate=utility)
    with pytest.raises(ValueError, match=message):
        check_game(game)


@pytest.mark.parametrize(("change", "message"), LIES)
def test_environments_refuse_them(change: dict[str, Any], message: str) -> None:
    """Their kernels check nothing, and so memory was overwritten."""
    for new in (BoardGameEnv, SoloEnv, lambda game: GameBatch(game, 4)):
        with pytest.raises(ValueError, match=message):
            new(Game(**{**TAKE, **change}))


def test_the_moment_is_not_spent_on_compiling() -> None:
    game = Game(**{**TAKE, "utility": utility_without_return})
    game.state_check.compile = game.state_check.accepts = None  # type: ignore[method-assign, assignment]
    with pytest.raises(ValueError, match="'utility' of take: must return a number, got None"):
        checker.check_once(game)


@pytest.mark.usefixtures("registries")
def test_they_are_not_registered() -> None:
    @game_factory
    def take(plies: int = 5) -> Game:
        return Game(**{**TAKE, "max_plies": plies})

    with pytest.raises(ValueError, match="'max_plies' of take"):
        register_game(take)
    assert "take" not in game_names()

    @game_factory
    def take_any(plies: Any) -> Game:
        raise AssertionError  # there is no game before somebody says how many

    register_game(take_any)
    assert "take_any" in game_names()


def test_a_game_that_goes_on_for_too_long_is_broken_off() -> None:
    """Nobody looked: a match of games without an end had none either."""
    game = Game(**{**TAKE, "max_plies": 5, "check": False})
    message = "a game of take goes on after 5 plies, and its max_plies=5 says that none does: give more, or let is_term"
    for players in (["random", "random"], ["random", lambda observation, info: int(info["action_mask"].argmax())]):
        with pytest.raises(ValueError, match=message):
            match(game, players, games=2)
    env, solo = BoardGameEnv(game), SoloEnv(game, seat="first")
    env.reset(options={"moves": [0, 0, 1, 1, 2]})
    with pytest.raises(ValueError, match=message):
        env.step(2)
    assert env.moves == []
    solo.reset()
    for _ in range(2):
        solo.step(int(solo.action_masks().argmax()))
    with pytest.raises(ValueError, match=message):
        solo.step(int(solo.action_masks().argmax()))
    batch = GameBatch(game, 2)
    for _ in range(5):
        batch.step(batch.masks.argmax(axis=1))
    with pytest.raises(ValueError, match=message):
        batch.step(batch.masks.argmax(axis=1))


@pytest.mark.slow
def test_who_asks_for_it_may_lie() -> None:
    game = Game(**{**TAKE, "max_plies": 5, "check": False})
    assert AlphaBeta(game, depth=2).analyse(game.new_state()).depth == 2


def test_a_game_is_checked_once_and_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    def slowly(state: Any, player: int, planes: Any) -> None:
        nonlocal looks
        looks += 1
        time.sleep(0.05)

    monkeypatch.setattr(checker, "_MOMENT", 0.1)
    game = Game(**{**TAKE, "observe": slowly})
    checker.check_once(game)
    assert 0 < looks < 10  # five whole games have 70
    with patch.object(checker, "_play_checked", side_effect=AssertionError):
        checker.check_once(game)
        for name in game_names():  # and ours are trusted
            checker.check_once(make_game(name))
            other = make_game(name).replace(name="another", players=("one_0", "two_0"))
            checker.check_once(pickle.loads(pickle.dumps(other)))
        checker.check_once(connect_four().with_weights(twos=0.2))
        checker.check_once(game.replace(name="another"))  # and so is what was found good
        ours = connect_four()
        for changed in (
            tictactoe().replace(play=play),
            ours.replace(max_plies=43).with_weights(twos=0.2),
            ours.replace(legal_actions=ours.noisy_actions),
            Game(**{**ours._fields, "name": "another"}),
        ):
            with pytest.raises(AssertionError):
                checker.check_once(changed)


@pytest.mark.parametrize(
    ("game", "change", "message"),
    [
        ("minichess", {"num_actions": 100}, "'legal_actions' of minichess"),
        ("connect_four", {"max_plies": 5}, "'max_plies' of connect_four: a game must end after 5 plies, and goes on"),
        ("tictactoe", {"observation_shape": (3, 2, 2), "symmetries": ()}, "'observe' of tictactoe raised IndexError"),
    ],
)
def test_other_sizes_of_our_games_are_no_longer_ours(game: str, change: dict[str, Any], message: str) -> None:
    """They were trusted, and compiled code wrote beyond its arrays."""
    with pytest.raises(ValueError, match=message):
        GameBatch(make_game(game).replace(**change), 1)


def no_such_field(state: Any, action: int) -> None:
    if action > 7:  # nobody comes here, but the compiler
        state.heeps[action] = 0
    play_(state, action)


def wrong_types(state: Any, action: int) -> None:
    if action > 7:
        state.heaps[action] = "none"
    play_(state, action)


def unknown_name(state: Any, player: int) -> Any:
    return nobody_knows(state) if player > 7 else utility_(state, player)  # type: ignore[name-defined]  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


def sometimes_nothing(state: Any, player: int) -> Any:
    if player < 7:
        return utility_(state, player)
    return None


def of_a_list(stakes: list[float]) -> Any:
    def utility(state: Any, player: int) -> Any:
        return stakes[player] if player > 7 else utility_(state, player)

    return utility


play_, utility_ = helper(play), helper(utility)
HERE = r"\(test_rules_that_lie.py:\d+\)"
FAULTS = [
    ({"play": no_such_field}, rf"'play' of take does not compile {HERE}: the state has no field 'heeps'$"),
    (
        {"play": wrong_types},
        rf"'play' of take does not compile {HERE}: there is no setitem\(nestedarray\(int8, .*, int64, .*none\)\)$",
    ),
    (
        {"utility": unknown_name},
        rf"'utility' of take does not compile {HERE}: NameError: name 'nobody_knows'",
    ),
    (
        {"utility": of_a_list([1.0])},
        rf"'utility' of take does not compile {HERE}: List\(float64, True\) from outside of the rule is no const",
    ),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_what_does_not_compile_is_said_in_a_line(change: dict[str, Any], message: str) -> None:
    game = Game(**{**TAKE, **change})
    for ask in (check_game, lambda game: MCTS(game).prepare(), lambda game: BoardGameEnv(game).reset()):
        with pytest.raises(ValueError, match=message) as caught:
            ask(game)
        assert "\n" not in str(caught.value)
        assert isinstance(caught.value.__cause__, (NumbaError, KeyError))


def test_a_check_of_states_that_does_not_compile_is_said_in_a_line() -> None:
    """An error of plyground's own was told, at the seventeenth state."""
    game = Game(**{**TAKE, "is_valid": lambda state: all(0 <= heap <= 2 for heap in state.heaps)})
    with pytest.raises(ValueError, match=rf"^'is_valid' of take does not compile {HERE}"):
        check_game(game)
    with pytest.raises(ValueError, match=rf"^'is_valid' of take does not compile {HERE}"):
        game.state_check.compile()


def test_a_rule_that_can_return_nothing_is_found_by_compiling() -> None:
    with pytest.raises(ValueError, match=rf"'utility' of take {HERE} must return a number, and can"):
        check_game(Game(**{**TAKE, "utility": sometimes_nothing}))


def test_stakes_are_two_numbers() -> None:
    compile_rules(Game(**TAKE, stakes=lambda state, action: (0.0, 1.0)))
    with pytest.raises(ValueError, match=rf"^'stakes' of take {HERE} must return two numbers, and returns float64$"):
        compile_rules(Game(**TAKE, stakes=lambda state, action: 1.0))


@pytest.mark.parametrize(
    ("said", "kind"), [("won", "Literal"), pytest.param((1.0, 0.0), "UniTuple", marks=pytest.mark.slow)]
)
def test_an_evaluation_that_is_no_number_is_said_in_a_line(said: Any, kind: str) -> None:
    with pytest.raises(ValueError, match=rf"^'evaluate' of take {HERE} must return a number, and returns {kind}.*$"):
        AlphaBeta(Game(**TAKE), depth=1, evaluate=lambda state, player: said).prepare()


def behind(state: Any) -> bool:
    return int(state.heaps[0]) - int(state.ply) < 0  # of unsigned numbers: never, when it is compiled


behind_ = helper(behind)


def plays_when_behind(state: Any, action: int) -> None:
    play_(state, action)
    state.behind = behind_(state)


def lists_when_behind(state: Any, actions: Any) -> int:
    count = legal_actions_(state, actions)
    return min(count, 1) if behind_(state) else count


def shows_when_behind(state: Any, player: int, planes: Any) -> None:
    planes[0] = behind_(state)


legal_actions_ = helper(legal_actions)
UNSIGNED = {**TAKE, "state": state_dtype(heaps=("u1", (3,)), ply="u1", behind="u1")}
COMPILED = [
    ("utility", lambda state, player: 1.0 if behind_(state) == (player == 1) else -1.0, "got 1 for player 0, not -1"),
    *(
        pytest.param(*case, marks=pytest.mark.slow)
        for case in (
            ("play", plays_when_behind, r"action \d leads to .*, 0\), not to .*, 1\)"),
            ("legal_actions", lists_when_behind, r"got \[\d, .*\], not \[\d\]"),
            ("observe", shows_when_behind, "the planes are others"),
        )
    ),
]


@pytest.mark.parametrize(("rule", "written", "message"), COMPILED)
def test_a_rule_that_counts_otherwise_when_it_is_compiled(rule: str, written: Any, message: str) -> None:
    """A utility of unsigned fields gave every game to the first player, and passed."""
    wanted = rf"^'{rule}' of take: must be the same compiled as in plain Python: {message}.*use np.int64\(\), in state"
    with pytest.raises(ValueError, match=wanted):
        check_game(Game(**{**UNSIGNED, rule: written}), games=2)


@pytest.mark.slow
def test_honest_rules_pass() -> None:
    game = Game(**TAKE)
    check_game(game)
    assert AlphaBeta(game, depth=6).analyse(game.new_state()).value == -1
    assert np.isfinite(MCTS(game, 10, seed=0).analyse(game.new_state()).value)
