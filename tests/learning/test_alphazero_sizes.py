"""Which net learns a game if none is given: by the board, and the same for the whole run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from plyground.agents.networks import network_config, read_network
from plyground.arena.training.alphazero import AlphaZeroConfig, resume, train
from plyground.arena.training.alphazero.sizes import BY_BOARD, Size
from plyground.envs import make_game
from tests.helpers.alphazero_play import SMALL_RUN
from tests.helpers.command_line import Run

SMALL = Size("small", 512)
WINDOWS = Size("mlp64@4+256-192-128", 1024)


@pytest.mark.parametrize(
    ("game", "given", "expected"),
    [
        ("connect_four", {}, WINDOWS),
        ("connect_four(rows=6)", {}, WINDOWS),  # the same game
        ("connect_four", {"batch_size": 256}, WINDOWS._replace(batch_size=256)),
        ("connect_four", {"network": "4x48"}, Size("4x48", 512)),  # what was best with this net is not known
        ("connect_four", {"network": "mlp", "batch_size": 64}, Size("mlp", 64)),
        ("connect_four(rows=5)", {}, SMALL),  # not measured
        ("othello", {}, Size("mlp48@4+128-144-128", 1024)),
        ("othello", {"ownership": 0.1}, SMALL),  # which an mlp cannot learn
        ("othello(size=6)", {}, SMALL),
        ("gomoku(size=9)", {}, SMALL),
        ("tictactoe", {"batch_size": 32}, SMALL._replace(batch_size=32)),
    ],
)
def test_the_net_and_its_samples_are_those_of_the_board(game: str, given: dict[str, Any], expected: Size) -> None:
    """In Connect Four a newcomer had a net that learns far less in ten minutes than another one of our tables."""
    config = AlphaZeroConfig(game, **given)
    config.check_names()
    assert config.size(make_game(game).spec) == expected


def test_the_nets_of_boards_are_for_these() -> None:
    for name, size in BY_BOARD.items():
        game = make_game(name)
        assert game.spec == name
        assert network_config(game, size.network).kind == "mlp"  # as the help says


def test_a_run_keeps_what_it_began_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BY_BOARD, "tictactoe", Size("mlp8-4", 16))
    config = replace(SMALL_RUN, actors=0, steps=128, network=None, batch_size=None)
    train(config, tmp_path)
    assert AlphaZeroConfig.load(tmp_path / "config.json") == replace(config, network="mlp8-4", batch_size=16)
    assert read_network(tmp_path).config.units == (4,)
    monkeypatch.delitem(BY_BOARD, "tictactoe")
    assert resume(tmp_path, steps=256).learned > 0
    assert read_network(tmp_path).config.units == (4,)


def test_the_help_says_which_net_a_board_has(run: Run) -> None:
    shown = " ".join(run("train", "alphazero", "--help")[0].replace("│", " ").split())
    assert "If not given, by the board: mlp64@4+256-192-128 for connect_four, mlp48@4+128-144-128 for othello;" in shown
    assert "If not given: 1024 for the mlp that a board has by itself, else 512." in shown
