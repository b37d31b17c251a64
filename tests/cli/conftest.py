"""What tests of `plyground gtp` share: a player who needs nothing compiled, on a small board."""

from __future__ import annotations

import pytest

from plyground.arena.engine import GTPServer
from plyground.envs import make_game

GO = make_game("go(board_size=5, komi=0.5)")


@pytest.fixture(scope="module")
def random_server() -> GTPServer:
    return GTPServer("random", GO)


@pytest.fixture
def server(random_server: GTPServer) -> GTPServer:
    random_server.answer("boardsize 5")
    random_server.answer("komi 0.5")
    random_server.answer("clear_board")
    random_server.answer("kgs-time_settings none")
    return random_server
