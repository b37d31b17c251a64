"""The networks that come with the package: small, and as strong as their notes say."""

from __future__ import annotations

import copy
import logging
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import Policy, make
from plyground.agents.alphazero.nets import find_network, shipped
from plyground.agents.networks import read_network
from plyground.arena import match
from plyground.arena.grading import evaluate
from plyground.arena.ratings import elo_difference, pair_scores
from plyground.envs import make_game


def test_games_that_have_one() -> None:
    assert {"connect_four", "go(board_size=9)", "gomoku(size=9)", "othello"} <= set(shipped())


@pytest.mark.parametrize("spec", shipped())
def test_they_are_small_and_tell_where_they_are_from(spec: str) -> None:
    game = make_game(spec)
    path = find_network(game, None)
    saved = read_network(path)
    assert path.stat().st_size <= 500_000
    assert saved.config.game == game.spec
    assert saved.notes.keys() >= {"command", "commit", "seed", "measured"}


def test_the_net_for_connect_four_is_as_strong_as_its_notes_say() -> None:
    game = make_game("connect_four")
    notes = read_network(find_network(game, None)).notes
    (graded,) = evaluate("network", game, positions="hard_openings", ladder="none").sets
    # The last digits of a net differ with the library that computes it, and with them a move or two.
    assert abs(graded.total.preserving.share - notes["measured"]["hard_openings"]) < 0.02


@pytest.mark.parametrize("spec", ["alphazero", "alphazero(connect_four)", "network(connect_four)"])
def test_it_plays_at_once(spec: str) -> None:
    game = make_game("connect_four")
    state = game.play_moves([0, 3, 0, 3, 1, 3])
    info = {"state": state, "action_mask": np.ones(7, np.int8)}
    assert make(spec, game).act(game.observation(state, 0), info) == 3


def test_it_plays_where_no_extra_is_installed() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'openvino', 'onnx', 'onnxruntime'))); "
        "from plyground.arena import match; "
        "games = match('connect_four', ['alphazero(simulations=8)', 'random'], 4, seed=1); "
        "print(*(game.outcome[game.players.index('random')] for game in games))"
    )
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert result.stdout == "-1.0 -1.0 -1.0 -1.0\n"


def test_the_net_of_another_board_is_no_change(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "plyground"):
        for game in ("connect_four", "othello"):
            match(game, ["network", "random"], 2, store=tmp_path / "games.db")
    assert "have changed" not in caplog.text


def test_the_name_of_a_game_is_its_own_net_or_a_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="no network 'othello': expected a file"):
        make("network(othello)", "connect_four")
    with pytest.raises(FileNotFoundError, match="no network for tictactoe comes with the package"):
        make("network(tictactoe)", "tictactoe")
    (tmp_path / "connect_four").mkdir()
    with pytest.raises(FileNotFoundError, match="no network 'connect_four': expected a file"):
        make("network(connect_four)", "connect_four")


@pytest.mark.parametrize(
    ("game", "player"),
    [
        pytest.param("go_9x9", "alphazero(simulations=16, decisive=true)", marks=pytest.mark.slow),
        pytest.param("gomoku(size=9)", "network", marks=pytest.mark.slow),
        ("othello", "network"),
    ],
)
def test_other_nets_have_learned(game: str, player: str) -> None:
    result = elo_difference(pair_scores(match(game, [player, "random"], 20)))
    assert result.score > 0.9


class _SharedBuffers:
    """In place of an inference: its answer, that the action with the number of the stones is best, is written over."""

    def __init__(self) -> None:
        self.logits, self.values = np.zeros((1, 7), np.float32), np.zeros(1, np.float32)

    def __call__(self, planes: Any) -> tuple[Any, Any]:
        self.logits[:], best = 0, int(planes.sum())
        time.sleep(0.002)  # others may come in meanwhile
        self.logits[:, best] = 1
        return self.logits, self.values


def test_copies_in_threads_hear_their_own_answers() -> None:
    game = make_game("connect_four")
    player = make("network", game)
    assert isinstance(player, Policy)
    player._network.model = _SharedBuffers()
    seen = [
        {"observation": game.observation(game.play_moves(range(n)), 0), "action_mask": np.ones(7)} for n in range(7)
    ]

    def asked(copied: Policy, first: int) -> list[int]:  # each thread in an order of its own
        return [copied.act(seen[(first + n) % 7]) for n in range(35)]

    with ThreadPoolExecutor(4) as pool:
        heard = list(pool.map(asked, [copy.deepcopy(player) for _ in range(4)], range(4)))
    assert heard == [[(first + n) % 7 for n in range(35)] for first in range(4)]
