from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# Before Numba is imported: what tests compile is kept outside of the checkout, for the next run and the other workers.
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
os.environ.setdefault("NUMBA_CACHE_DIR", str(_CACHE / "plyground-tests"))
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # windows that nobody sees

# Many containers tell Python to keep no bytecode. Each process that a test starts would compile all our modules again,
# and each one of pytest, for 13 seconds, all tests.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell starts what it runs in the background with Ctrl-C ignored, and tests press it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from numba.core import config as numba_config  # noqa: E402

from plyground.envs import Game, State, game_names, make_game  # noqa: E402

pytest_plugins = [
    "tests.helpers.command_line",
    "tests.helpers.compile_report",
    "tests.helpers.ray_cluster",
    "tests.helpers.registries",
    "tests.helpers.scripted_engine",
    "tests.helpers.untrained_run",
]

DATA = Path(__file__).parent / "data"
SMALLER = {
    "chess": "chess(max_quiet_plies=12)",
    "go": "go(board_size=5)",
    "gomoku": "gomoku(size=7)",
}  # where random games of the default take long as plain Python
GAMES = [*(SMALLER.get(name, name) for name in game_names()), "connect_four(rows=4, columns=5)"]
# Where environments play, chess is that of other tests: the steps of another would be compiled for these alone.
PLAYED = [name.replace("chess(max_quiet_plies=12)", "chess") for name in GAMES]


# Searches and checks of games are tested on a few games by `make test`, and on all by `make test-all`: each takes
# seconds to compile. A file of tests, or one of its tests, and its games.
FOUR = ("connect_four(rows=4, columns=5)", "othello", "checkers", "go(board_size=5)")
SEARCHES = {
    "agents": FOUR[:1],
    "alphabeta::test_value_is_that_of_minimax_in_every_game": FOUR[:2],
    "batch": (*FOUR, "tictactoe"),
    "checker": ("tictactoe",),
    "evaluation::test_compiled_evaluation_is_the_sum_of_weighted_features": ("othello",),
    "game": (FOUR[0], "tictactoe"),
    "jit::test_bound_kernel_is_the_kernel": (FOUR[0], "tictactoe"),
    "mcts": FOUR,
    "montecarlo": FOUR,
    "opponents": FOUR[:1],
    "overlays::test_real_searches_can_be_drawn": FOUR[:3],
    "pettingzoo::test_api_of_every_game": ("tictactoe", *FOUR[2:], "chess"),
    "pettingzoo::test_render": ("connect_four", "chess"),
    "pettingzoo::test_copies_continue_identically_from_every_ply": ("tictactoe", "othello"),
    "properties": (*FOUR[:2], "tictactoe", "go(board_size=5)"),
    "properties::test_symmetries_commute_with_play_and_observe": (FOUR[0], "othello"),
    "rules": tuple(name for name in GAMES if "chess" not in name),  # of chess as plain Python they take long
    "rules::test_state_can_be_rebuilt_from_what_the_mover_observes": ("tictactoe", *FOUR[:3]),
    "puct::test_counts_add_up": FOUR[:2],
    "replay": (FOUR[0], "checkers"),
    "seats::test_a_batch_is_as_many_environments": (FOUR[0], "tictactoe"),
    "seats::test_masks_always_have_a_legal_action": (FOUR[0], FOUR[2]),
    "stable_baselines": (FOUR[0], "othello"),
    "state_dicts": (FOUR[0], "tictactoe", "othello", "go(board_size=5)"),
    "state_dicts::test_a_batch_goes_on_elsewhere": (FOUR[0], "othello"),
    "validity": FOUR,
    "vector::test_equals_gymnasiums_own_vector_of_single_environments": (FOUR[0], "tictactoe"),
}


# Tests that ask a `Game` only, where rules are plain Python with Numba and without it: `make test` and `make slow` run
# them all, and `make coverage`, under which they take minutes, those of these games. All lines are counted with them.
COVERAGE = {
    "rules": tuple(name for name in GAMES if "chess" not in name),
    "rules::test_actions_are_parsed_as_they_are_printed": tuple(name for name in GAMES if not name.startswith("chess")),
    "rules::test_different_positions_have_different_keys": (),
    "rules::test_images_share_their_canonical_key_and_nothing_else_does": ("tictactoe", FOUR[0]),
    "rules::test_pieces_land_where_the_board_says": tuple(name for name in GAMES if not name.startswith("chess")),
    "rules::test_state_can_be_rebuilt_from_what_the_mover_observes": ("tictactoe", FOUR[0], "othello", "mnk"),
    "rules::test_symmetries_commute_with_play_and_observe": ("tictactoe", FOUR[0], "othello"),
}
# So do these, of which smaller boards, fewer positions or other parts of the same file are enough.
NOT_COUNTED = {
    "chess_features::test_against_slow_counts[300]",
    "chess_features::test_compiled_evaluation_is_that_of_python",
    "chess_features::test_left_and_right_are_evaluated_alike",
    "chess_features::test_white_and_black_are_evaluated_alike",
    "chess_search_rules::test_rules_beside_python_chess[chess(chess960=17)]",
    "features::test_open_lines_of_tictactoe",
    "fen::test_a_position_is_what_the_board_shows",
    "go::test_random_games_against_the_oracle[7]",
    "go_rollouts::test_every_draw_is_one_of_the_first_rule_that_applies[7]",
    "go_rollouts::test_tactics_against_flood_fill[7]",
    "local_features::test_images_of_a_board_have_the_same_features[go(board_size=5)]",
    "local_features::test_images_of_a_board_have_the_same_features[gomoku(size=7)]",
    "local_features::test_images_of_a_board_have_the_same_features[mnk(m=5,n=4,k=4)]",
    "local_features::test_learns_the_policy_that_played",
    "minichess::test_random_games_follow_the_slow_rules[3]",
    "mnk::test_games_with_overlines_against_the_oracle[False]",
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is done with the other games as slow, and leave out of coverage what takes long there."""
    for item in items:
        if _is_of_other_games(item, SEARCHES):
            item.add_marker(pytest.mark.slow)
    if numba_config.DISABLE_JIT and config.getoption("markexpr") == "rules":  # pyright: ignore[reportAttributeAccessIssue]
        left = {item for item in items if _is_of_other_games(item, COVERAGE) or _name_of(item) in NOT_COUNTED}
        config.hook.pytest_deselected(items=[*left])
        items[:] = [item for item in items if item not in left]


def _name_of(item: pytest.Item) -> str:
    return f"{item.path.stem.removeprefix('test_')}::{item.name}"


def _is_of_other_games(item: pytest.Item, table: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether a test is in a table, and about a game that is not there."""
    parameters: Any = getattr(item, "callspec", None)
    name = item.path.stem.removeprefix("test_")
    games = table.get(f"{name}::{getattr(item, 'originalname', '')}", table.get(name))
    return bool(parameters) and games is not None and _game_of(parameters.params, "".join(games[:1])) not in games


def _game_of(parameters: dict[str, Any], default: str) -> Any:
    """Return the game that a test is about; a ``spec`` may be a player's."""
    if "game" not in parameters and parameters.get("spec") in GAMES:
        return parameters["spec"]
    return parameters.get("game", default)


@pytest.fixture(scope="session", autouse=True)
def _logs_of_stable_baselines3(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Without it each of its models that learns leaves a folder, even an empty one, beside those of pytest."""
    os.environ["SB3_LOGDIR"] = str(tmp_path_factory.mktemp("sb3"))


@pytest.fixture(scope="session")
def textbook() -> Any:
    return json.loads((DATA / "textbook.json").read_text())


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return make_game(request.param)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20_240_501)


def as_own_file(source: str) -> str:
    """Return the source of a file of rules for a place outside of the package."""
    return source.replace("from ..", "from plyground.envs.").replace("from .", "from plyground.envs.games.")


def random_game(game: Game, rng: np.random.Generator, plies: int | None = None) -> list[State]:
    """Return the states of a random game, the initial one first, to its end or for so many plies."""
    states = [game.new_state()]
    while not game.is_terminal(states[-1]) and (plies is None or len(states) <= plies):
        state = states[-1].copy()
        game.play(state, int(rng.choice(game.actions(state))))
        states.append(state)
    return states
