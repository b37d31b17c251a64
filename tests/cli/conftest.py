"""What tests of engines share: of GTP a player who needs nothing compiled, on a small board; of UCI alpha-beta."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plyground.arena.engine import GTPServer, UCIServer
from plyground.envs import make_game
from tests.helpers.uci_dialogue import Dialogue

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


@pytest.fixture(scope="module")
def engine() -> Iterator[Dialogue]:
    dialogue = Dialogue(UCIServer("alphabeta", make_game("chess")))
    dialogue.said()
    yield dialogue
    dialogue.end()


@pytest.fixture
def talk(engine: Dialogue) -> Dialogue:
    engine.said("stop", "debug off", "setoption name MultiPV value 1", "ucinewgame", "position startpos")
    return engine
