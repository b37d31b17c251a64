"""Boards of plyground as a GTP engine: of other sizes and komis, with handicaps, and of other games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plyground.arena.engine import GTPServer
from plyground.arena.engine.seat import Seat
from plyground.envs import make_game
from tests.cli.test_gtp_server import answers


@pytest.mark.slow
def test_a_seed_stays_whatever_board_is_asked_for() -> None:
    """Another komi made a player with another seed, of the system's entropy."""

    def moves() -> list[str]:
        server = GTPServer("mcts(simulations=20)", make_game("go(board_size=5)"))
        return answers(server, "set_random_seed 7", "komi 5.5", *["genmove b", "genmove w"] * 3)[2:]

    assert moves() == moves()


def test_a_board_that_a_player_cannot_prepare_for_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    server = GTPServer("random", make_game("go(board_size=5)"))
    server.answer("play b c3")
    board, prepare = server.answer("showboard"), Seat.prepare

    def refuses(seat: Seat) -> None:
        if seat.game.parameters["board_size"] == 6:
            raise ValueError("plays no such board")
        prepare(seat)

    monkeypatch.setattr(Seat, "prepare", refuses)
    assert server.answer("boardsize 6").startswith("?")
    assert server.answer("showboard") == board
    assert server.answer("play w d4") == "="


def test_a_program_whose_own_move_was_taken_back_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """It had played the move on its own board, where nobody took it back."""
    server: Any = GTPServer("random", make_game("go(board_size=5)"))

    class Program:
        def reset(self, seed: int | None = None) -> None:
            self.heard, self.board = list[int](), list[int]()

        def watch(self, action: int) -> None:
            self.heard.append(action)

        def act(self, observation: Any, info: Any) -> int:
            assert self.heard[: len(self.board)] == self.board
            assert server.seat.game.play_moves(self.heard) == info["state"]
            self.board = [*self.heard, int(observation["action_mask"].argmax())]
            return self.board[-1]

    monkeypatch.setattr(server.seat, "agent", Program())
    server.answer("clear_board")
    told = answers(server, "play b c3", "genmove w", "undo", "genmove w", "undo", "play w b2", "genmove b")
    told += answers(server, "genmove w", "genmove b", "undo", "undo", "genmove w")
    assert not [answer for answer in told if answer.startswith("?")]


def test_time_left_in_byo_yomi_tells_periods() -> None:
    """They were taken for moves, and five periods for time that five moves have to share."""
    server = GTPServer("random", make_game("go(board_size=5)"))
    clock = server.seat.clock

    def left(settings: str, *told: str) -> tuple[float, float, float, int] | None:
        assert answers(server, settings, *told) == ["="] * (1 + len(told))
        return clock.told(0)

    assert left("kgs-time_settings byoyomi 60 10 5") == (60, 60, 0, 0)
    assert left("clear_board", "time_left b 9 5", "time_left w 8 1") == (9, 8, 0, 1)
    assert left("time_left b 40 0") == (40, 8, 0, 0)  # the main time
    for others in ("time_settings 60 10 5", "kgs-time_settings canadian 60 10 5"):
        assert left(others, "time_left b 9 5") == (9, 60, 0, 5)
        assert left("kgs-time_settings byoyomi 60 10 5", "time_left b 9 5") == (9, 60, 0, 1)


def test_handicaps() -> None:
    server = GTPServer("random", make_game("go_9x9"))
    assert server.answer("fixed_handicap 2") == "= C3 G7"
    assert server.answer("fixed_handicap 2") == "? board not empty"
    board = server.answer("showboard")
    assert board.count("X") == 2
    server.answer("clear_board")
    assert len(server.answer("fixed_handicap 9").split()) == 10
    server.answer("clear_board")
    assert server.answer("set_free_handicap a1 b2 c3") == "="
    assert server.answer("showboard").count("X") == 3
    server.answer("clear_board")
    for bad in ("a1", "a1 a1", "a1 pass", "a1 k99"):
        assert server.answer(f"set_free_handicap {bad}") == "? bad vertex list"
    assert answers(server, "fixed_handicap 1", "fixed_handicap 10") == ["? invalid number of stones"] * 2
    assert server.answer("place_free_handicap 1") == "? invalid number of stones"
    assert len(server.answer("place_free_handicap 30").split()) == 10  # the engine may place fewer


@pytest.mark.parametrize(("size", "points"), [pytest.param(2, 2, marks=pytest.mark.slow), (5, 4)])
def test_free_handicaps_fit_small_boards(size: int, points: int) -> None:
    """There are no star points below 7x7, and no stones were placed at all."""
    server = GTPServer("random", make_game(f"go(board_size={size})"))
    for stones in range(2, 10):
        placed = server.answer(f"place_free_handicap {stones}").split()
        assert placed[0] == "="
        assert len(set(placed[1:])) == min(stones, points)
        assert server.answer("showboard").count("X") == min(stones, points)
        server.answer("clear_board")
    assert server.answer("place_free_handicap 1") == "? invalid number of stones"
    assert server.answer("fixed_handicap 2") == "? invalid number of stones"
    server.answer("play b a1")
    assert server.answer("place_free_handicap 2") == "? board not empty"


@pytest.mark.slow
def test_no_free_handicap_without_room_or_in_other_games() -> None:
    server = GTPServer("random", make_game("go(board_size=1)"))
    assert server.answer("place_free_handicap 2") == "? invalid number of stones"
    othello = GTPServer("random", make_game("othello(size=6)"))
    assert othello.answer("place_free_handicap 2") == "? there are handicaps in Go only"


def test_other_games() -> None:
    othello = GTPServer("random", make_game("othello(size=6)"))
    assert othello.answer("play w c3") == "? illegal move"  # black begins, and may not pass
    assert othello.answer("final_score") == "= 0"
    assert othello.answer("genmove b")[2:] in ("B3", "C2", "D5", "E4")
    assert othello.answer("boardsize 4") == "="
    gomoku = GTPServer("random", make_game("gomoku"))
    assert answers(gomoku, "play b j9", "play w i9", "final_score") == ["=", "? illegal move", "? cannot score"]
    gomoku.answer("clear_board")
    assert gomoku.answer("set_free_handicap a1 b2") == "? there are handicaps in Go only"
    with pytest.raises(ValueError, match="GTP speaks of go, othello, gomoku, got connect_four"):
        GTPServer("random", make_game("connect_four"))
    with pytest.raises(ValueError, match="human would read moves where the commands come from"):
        GTPServer("human", make_game("gomoku"))


def test_stones_are_alive_until_they_are_taken() -> None:
    """Who asks which are dead, as KGS and GoGui do, was told that there is no such command."""
    server = GTPServer("random", make_game("go(board_size=5)"))
    answers(server, "play b c3", "play w a1", "play b j9", "play b pass", "play w pass")
    assert answers(server, *(f"final_status_list {status}" for status in ("alive", "Dead", "seki"))) == [
        "= C3 A1", "=", "=",
    ]  # fmt: skip
    assert answers(server, "final_status_list", "final_status_list well") == ["? syntax error"] * 2
    gomoku = GTPServer("random", make_game("gomoku"))
    assert gomoku.answer("final_status_list dead") == "? stones have a status in Go only"


def test_the_board_has_the_names_of_the_moves() -> None:
    gomoku = GTPServer("random", make_game("gomoku"))
    gomoku.answer("play b j5")
    *_, row, _, _, _, _, names = gomoku.answer("showboard").split("\n")
    assert names.replace(" ", "") == "abcdefghjklmnop"
    assert row.index("X") == names.index("j")


class TestFiles:
    SGF = "(;GM[1]FF[4]SZ[5]KM[2.5];B[cc];W[bb];B[];W[dd])"

    def server(self) -> GTPServer:
        server = GTPServer("random", make_game("go(board_size=5)"))
        answers(server, "play b a1", "play b b1")
        return server

    def test_a_game_is_loaded_up_to_a_move(self, tmp_path: Path) -> None:
        path, server = tmp_path / "game.sgf", self.server()
        path.write_text(self.SGF)
        assert server.answer(f"loadsgf {path} 3") == "="
        assert server.seat.game.parameters["komi"] == 2.5
        assert server.answer("final_status_list alive") == "= B4 C3"
        assert server.seat.to_move == 0
        assert server.answer(f"loadsgf {path}") == "="
        assert server.answer("final_status_list alive") == "= B4 C3 D2"
        assert server.answer("undo") == "="  # as after moves that were played
        assert server.answer("final_status_list alive") == "= B4 C3"
        assert server.answer(f"loadsgf {path} 1") == "="
        assert server.answer("final_status_list alive") == "="

    def test_stones_of_a_handicap_are_placed_while_white_passes(self, tmp_path: Path) -> None:
        """They were refused."""
        path, server = tmp_path / "game.sgf", self.server()
        path.write_text("(;GM[1]FF[4]SZ[5]HA[2]KM[0.5]AB[bd][db];W[cc];B[aa])")
        assert server.answer(f"loadsgf {path}") == "="
        assert server.answer("final_status_list alive") == "= A5 D4 C3 B2"
        assert server.answer("undo") == "="
        assert server.answer(f"loadsgf {path} 1") == "="
        assert server.answer("final_status_list alive") == "= D4 B2"
        assert server.seat.to_move == 1
        assert server.answer("genmove w").startswith("= ")
        assert answers(server, "undo", "undo", "undo") == ["=", "=", "? cannot undo"]  # all stones at once
        assert server.answer("final_status_list alive") == "="
        by_hand = GTPServer("random", make_game("go(board_size=5)"))
        answers(by_hand, "komi 0.5", "set_free_handicap B2 D4", "play w c3", "play b a5")
        server.answer(f"loadsgf {path}")
        assert server.seat.seen[1]["state"] == by_hand.seat.seen[1]["state"]

    def test_a_board_of_another_size_is_made(self, tmp_path: Path) -> None:
        path, server = tmp_path / "game.sgf", self.server()
        path.write_text("(;GM[1]SZ[2]KM[0.5];B[aa])")
        assert server.answer(f"loadsgf {path}") == "="
        assert server.seat.game.parameters["board_size"] == 2
        assert server.answer("final_status_list alive") == "= A2"

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            (None, "No such file"),
            ("", "cannot be read as SGF"),
            ("(;GM[2];B[d3])", "it has a game of othello, expected go"),
            ("(;GM[1]SZ[5];B[aa];W[aa])", "move 2"),
            ("(;GM[1]SZ[5]HA[2]AB[aa][bb];W[cc];AE[aa])", "AE after 1 move: handicap stones and set-up positions"),
            ("(;GM[1]SZ[5]AB[ff];W[cc])", "AB[ff] is no point of a board of 5x5"),
        ],
    )
    def test_what_cannot_be_loaded_changes_nothing(self, tmp_path: Path, text: str | None, why: str) -> None:
        path, server = tmp_path / "game.sgf", self.server()
        if text is not None:
            path.write_text(text)
        board = server.answer("showboard")
        found = server.answer(f"loadsgf {path}")
        assert found.startswith("? cannot load file: ")
        assert why in found
        assert server.answer("showboard") == board
        assert server.seat.game.spec == "go(board_size=5)"
        assert answers(server, "loadsgf", f"loadsgf {path} 0", f"loadsgf {path} x") == ["? syntax error"] * 3
        assert server.answer("undo") == "="

    def test_moves_that_the_rules_of_the_seat_forbid_change_nothing(self, tmp_path: Path) -> None:
        """Files tell of simple ko alone; by our rules no position may come again."""
        path, server = tmp_path / "game.sgf", self.server()
        path.write_text("(;GM[1]SZ[2]KM[0];B[bb];W[ab];B[ba];W[aa];B[bb];W[ba];B[bb])")
        board = server.answer("showboard")
        assert server.answer(f"loadsgf {path}").startswith("? cannot load file: action 3 (B1) is illegal")
        assert server.answer("showboard") == board
        assert server.answer(f"loadsgf {path} 7") == "="
