"""``plyground play``: what people see and type."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest

from plyground.arena.cli.parts.boards import counts, drawn, side_name
from plyground.envs import Board, make_game
from tests.helpers.command_line import Run


class TestPlay:
    def played(self, run: Run, monkeypatch: pytest.MonkeyPatch, typed: str, *arguments: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed.replace(" ", "\n") + "\n"))
        return run("play", *arguments)[0]

    def test_to_the_end(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        typed = "4 x 8 1 2 3 5 6 7"
        out = self.played(run, monkeypatch, typed, "tictactoe", "--against", "minimax", "--seat", "second")
        assert out.startswith("You are O and move second; minimax is X. ? for help.")
        assert re.search(r"minimax plays 0 \([\d.]+ .?s\)\n\[X\] 3  6 \n 1 ", out)
        assert "tictactoe has no action 'x'" in out
        assert " after " in out.splitlines()[-2]
        assert out.splitlines()[-1] in ("A draw.", "You lose.")  # nobody beats minimax

    @pytest.mark.parametrize(("game", "typed"), [("othello", "D3"), ("go(board_size=5)", "c3"), ("chess", "E2E4")])
    def test_capital_and_small_letters(self, run: Run, monkeypatch: pytest.MonkeyPatch, game: str, typed: str) -> None:
        """A move had to be typed as it is written at the board, d3 in Othello and D3 in Go."""
        out = self.played(run, monkeypatch, f"{typed} quit", game, "--against", "human")
        assert "no action" not in out
        assert out.count("Your move") == 2
        assert "[" in out.split("Your move")[1]  # the mark of the last move

    def test_words(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        typed = "? hint undo 4 undo resign"
        out = self.played(run, monkeypatch, typed, "tictactoe", "--against", "alphabeta(depth=2)")
        assert "Legal moves: 0 1 2 3 4 5 6 7 8\n  hint " in out
        assert re.search(r"Hint: \d, value [+-]0.\d\d for you, says alphabeta\(depth=2\).", out)
        assert "There is no move of yours to take back." in out
        after = out[out.index("alphabeta(depth=2) plays") :]
        assert "X 1, O 1 marks" in after
        assert " 0  3  6 \n 1  4  7 \n 2  5  8 " in after  # taken back
        assert out.endswith("X resigns: O wins.\n")

    def test_a_hint_of_a_player_of_ones_own_sees_the_observation(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("looker.py").write_text(
            "from plyground.agents import Analysis\n"
            "class Looker:\n"
            "    def act(self, observation, info):\n"
            "        return int(observation['action_mask'].argmax())\n"
            "    def analyse(self, state, mask=None, observation=None):\n"
            "        action = self.act(observation, None)\n"
            "        return Analysis(action, 0.5, (action,), {}, (action,), 1, 1, 1, False, 0.0)\n"
        )
        out = self.played(run, monkeypatch, "hint quit", "minichess", "--against", "./looker.py:Looker")
        assert "value +0.50 for you, says ./looker.py:Looker." in out

    def test_two_people_have_no_seat_to_choose(self, run: Run) -> None:
        wrong = run("play", "tictactoe", "--against", "human", "--seat", "second", code=2)[1]
        assert "--seat is for a game against an agent, not for --against human" in " ".join(wrong.split())

    def test_can_be_given_up(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        assert self.played(run, monkeypatch, "quit", "connect_four", "--against", "random").endswith("abandoned.\n")
        assert self.played(run, monkeypatch, "", "tictactoe", "--against", "human").endswith("abandoned.\n")

    @pytest.mark.parametrize(
        ("game", "moves"), [("chess", "g1f3 g8f6 f3g1 f6g8"), ("minichess", "b1a3 b5c3 a3b1 c3b5")]
    )
    def test_a_draw_by_repetition(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, game: str, moves: str
    ) -> None:
        out = self.played(run, monkeypatch, f"{moves} {moves}", game, "--against", "human")
        assert out.splitlines()[-1] == "draw after 8 plies."
        monkeypatch.chdir(tmp_path)
        own, other, back, its = moves.split()
        replies = [other, its, its, other, its]
        Path("shuffler.py").write_text(
            f"replies = {replies}\ndef player(game):\n"
            "    return lambda _, info: game.move_of(info['state'], replies.pop(0))\n"
        )
        typed = f"{own} {back} undo {back} {own} {back}"
        out = self.played(run, monkeypatch, typed, game, "--against", "./shuffler.py:player")
        assert out.splitlines()[-2:] == ["draw after 8 plies.", "A draw."]

    def test_who_watches_is_told_of_all_moves(self, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """A program of others was told of positions alone, and lost its way when moves were taken back."""
        monkeypatch.chdir(tmp_path)
        Path("watcher.py").write_text(
            "def player(game):\n"
            "    return Watching(game)\n"
            "class Watching:\n"
            "    def __init__(self, game):\n"
            "        self.game = game\n"
            "    def reset(self, seed=None):\n"
            "        self.moves = []\n"
            "    def watch(self, action):\n"
            "        self.moves.append(action)\n"
            "    def act(self, observation, info):\n"
            "        assert self.game.play_moves(self.moves) == info['state']\n"
            "        return int(observation['action_mask'].argmax())\n"
        )
        typed = "4 8 undo 5 undo undo 3 quit"
        out = self.played(run, monkeypatch, typed, "tictactoe", "--against", "./watcher.py:player")
        assert out.count("plays 0 (") == 2
        assert out.endswith("abandoned.\n")

    @pytest.mark.parametrize(
        ("game", "answer", "said"),
        [
            ("othello", "None", "bad.py:player answered None: expected an action"),
            ("othello", "999", "bad.py:player answered 999: expected an action"),
            ("connect_four", "None", "bad.py:player answered None: expected an action"),
        ],
    )
    def test_an_opponent_that_answers_with_no_action_is_named(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, game: str, answer: str, said: str
    ) -> None:
        """It was a traceback, or a fault of the class that prints its moves."""
        (tmp_path / "bad.py").write_text(f"def player(observation, info):\n    return {answer}\n")
        told = run("play", game, "--against", f"{tmp_path / 'bad.py'}:player", "--seat", "second", code=2)[1]
        assert said in " ".join(told.split())

    def test_an_illegal_move_of_the_opponent_is_told(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "bad.py").write_text("def player(observation, info):\n    return 0\n")  # where nobody may move
        out = self.played(
            run, monkeypatch, "", "othello", "--against", f"{tmp_path / 'bad.py'}:player", "--seat", "second"
        )
        assert "made an illegal move." in out
        assert "You win." in out

    @pytest.mark.parametrize(
        ("game", "sides"),
        [
            ("chess", ("White", "Black")),
            ("minichess", ("White", "Black")),
            ("go(board_size=5)", ("Black (X)", "White (O)")),
            ("othello", ("Black (X)", "White (O)")),
            ("checkers", ("Black (X)", "White (O)")),
            ("gomoku(size=5)", ("Black (X)", "White (O)")),
            ("mnk", ("X", "O")),
            ("connect_four", ("player_0 (X)", "player_1 (O)")),
        ],
    )
    def test_sides_have_their_names(self, game: str, sides: tuple[str, str]) -> None:
        made = make_game(game)
        assert (side_name(made, 0), side_name(made, 1)) == sides

    def test_people_are_told_their_side(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        """In chess it said ``player_0``."""
        out = self.played(run, monkeypatch, "resign", "chess", "--against", "human")
        assert out.startswith("White begins, against Black. ? for help.\n")
        assert out.endswith("White resigns: Black wins.\n")

    def test_sides_are_two(self) -> None:
        with pytest.raises(ValueError, match=r"sides must be two names, as in \('White', 'Black'\), or none, got"):
            Board(1, 1, np.zeros_like, lambda state, action: (), sides=("White",))

    def test_who_has_won_by_the_name_of_the_side(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        out = self.played(run, monkeypatch, "f2f3 e7e5 g2g4 d8h4", "chess", "--against", "human")
        assert out.endswith("White 16, Black 16 pieces\nBlack won after 4 plies.\n")

    def test_symbols(self) -> None:
        chess = make_game("chess")
        state = chess.play_moves(["e2e4"])
        last = chess.new_state(), chess.move_of(chess.new_state(), "e2e4")
        lines = drawn(chess, state, last, unicode=True).plain.splitlines()
        assert lines[0].split() == ["8", *"♜♞♝♛♚♝♞♜", "8"]
        assert "[♙]" in lines[4]
        assert drawn(chess, state, last).plain.splitlines()[0].split() == ["8", *"rnbqkbnr", "8"]

    def test_boards(self) -> None:
        go, checkers = make_game("go(board_size=5)"), make_game("checkers")
        state = go.play_moves(["C3", "A1"])
        lines = drawn(go, state, (go.play_moves(["C3"]), go.str_to_action("A1"))).plain.splitlines()
        assert lines[2] == "3 .  .  X  .  .  3"
        assert lines[4] == "1[O] .  .  .  .  1"
        assert lines[5].split() == list("ABCDE")
        assert counts(go, state) == "X 1, O 1 stones"
        state = checkers.play_moves(["11-15"])
        lines = drawn(checkers, state, (checkers.new_state(), checkers.str_to_action("11-15"))).plain.splitlines()
        assert lines[2].split() == ["X9", "X10", "11", "X12"]
        assert lines[3].split() == ["13", "14", "[X15]", "16"]
        assert len({len(line) for line in lines[:-1]}) == 1
