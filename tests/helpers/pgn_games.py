"""PGN files damaged at random, read by us and by python-chess: both must see the same moves."""

from __future__ import annotations

import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import numpy as np

from plyground.arena import GameRecord, read_games
from plyground.arena.records.replay import legal_moves
from plyground.envs import make_game
from plyground.envs.starting import position_of

__all__ = ["annotated", "compared", "fuzz", "mutated", "uci_of"]

_PIECES = (
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    '"',
    "\n",
    "\n\n",
    ";",
    "%",
    "$",
    "*",
    "1-0",
    "1.",
    " ",
    "e4",
    "Qxh7#",
    "O-O",
    "\\",
)


def annotated(rng: np.random.Generator, plies: int = 25) -> str:
    """Return a random game of python-chess with comments, marks, variations and a start that may be any."""
    number = int(rng.integers(-300, 960))
    board = chess.Board() if number < 0 else chess.Board.from_chess960_pos(number)
    for _ in range(int(rng.integers(0, 12)) * int(number % 2)):
        board.push(_random(board, rng))
    board.clear_stack()
    game = chess.pgn.Game.without_tag_roster()
    game.setup(board)
    game.headers["White"], game.headers["Black"] = "a", "b"
    node: chess.pgn.GameNode = game
    for _ in range(plies):
        board = node.board()
        if board.is_game_over():
            break
        move = _random(board, rng)
        if rng.random() < 0.1 and node.parent is not None:
            node.add_variation(_random(board, rng), comment="or this {one")
        node = node.add_main_variation(move, comment=str(rng.choice(["", "", "a\nb", "[%emt 0:00:01.5]"])))
        if rng.random() < 0.1:
            node.nags.add(int(rng.integers(1, 20)))
    game.headers["Result"] = node.board().result()
    return game.accept(chess.pgn.StringExporter(columns=60)) + "\n\n"


def _random(board: chess.Board, rng: np.random.Generator) -> chess.Move:
    moves = list(board.legal_moves)
    return moves[int(rng.integers(len(moves)))] if moves else chess.Move.null()


def mutated(text: str, rng: np.random.Generator) -> str:
    """Return a text with some damage."""
    for _ in range(int(rng.integers(1, 5))):
        place = int(rng.integers(len(text) + 1))
        length = int(rng.integers(1, 4))
        kind = int(rng.integers(6))
        if kind == 0:
            text = text[:place] + text[place + length :]
        elif kind == 1:
            text = text[:place] + str(rng.choice(_PIECES)) + text[place:]
        elif kind == 2:
            text = text[:place] + chr(int(rng.integers(32, 400))) + text[place + 1 :]
        elif kind == 3:
            lines = text.split("\n")
            one, other = (int(rng.integers(len(lines))) for _ in range(2))
            lines[one], lines[other] = lines[other], lines[one]
            text = "\n".join(lines)
        elif kind == 4:
            words = text.split(" ")
            one, other = (int(rng.integers(len(words))) for _ in range(2))
            words[one], words[other] = words[other], words[one]
            text = " ".join(words)
        elif rng.random() < 0.2:
            text = text[:place]
    return text


def uci_of(record: GameRecord) -> list[str]:
    """Return the moves as UCI writes them."""
    game = make_game(record.game)
    return game.line_names(legal_moves(record), position_of(game, record.start))


def _theirs(text: str) -> list[list[str]]:
    """Return the main lines that python-chess finds, with games told apart by their tags as well."""
    lines, apart = text.split("\n"), list[str]()
    for line in lines:
        if re.match(r"\[\s*[A-Za-z0-9]", line) and apart and apart[-1].strip() and not apart[-1].startswith("["):
            apart.append("")
        apart.append(line)
    source, found = io.StringIO("\n".join(apart)), list[list[str]]()
    while (moves := chess.pgn.read_game(source, Visitor=MainLine)) is not None:
        found.append(moves)
    return found


class MainLine(chess.pgn.BaseVisitor[list[str]]):
    """The moves of the main line until the first error (after one, python-chess's own visitor may take a ')' amiss)."""

    def __init__(self) -> None:
        self.moves: list[str] = []
        self.is_over = False

    def begin_variation(self) -> chess.pgn.SkipType:
        return chess.pgn.SKIP

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        if not self.is_over:
            self.moves.append(board.uci(move))

    def handle_error(self, error: Exception) -> None:
        self.is_over = True

    def result(self) -> list[str]:
        return self.moves


def compared(text: str, path: Path) -> str:
    """Read a text, compare it with what python-chess reads, and return what became of it.

    Raises:
        AssertionError: they differ.
    """
    path.write_text(text, encoding="utf-8", newline="")
    ours: list[GameRecord] = []
    fault = ""
    try:
        for record in read_games(path):
            ours.append(record)
    except ValueError as error:
        fault = str(error)
        assert re.match(rf"{re.escape(str(path))}, line \d+(, game \d+)?: ", fault), fault
        assert "\n" not in fault
        assert len(fault) <= 300
    theirs: list[Any] = _theirs(text.replace("\r\n", "\n").replace("\r", "\n"))
    for number, record in enumerate(ours):
        moves = uci_of(record)
        if record.reason is None:
            assert moves == theirs[number], (text, number)
        else:
            assert moves == theirs[number][: len(moves)], (text, number)
    if not fault:
        assert len(ours) == len(theirs), text
    return "read" if not fault else "some" if ours else "nothing"


def fuzz(count: int, path: Path, seed: int = 0) -> Counter[str]:
    """Compare so many damaged files, and return how many were read, in part, or not at all."""
    rng, found = np.random.default_rng(seed), Counter[str]()
    for _ in range(count):
        text = "".join(annotated(rng) for _ in range(int(rng.integers(1, 4))))
        found[compared(mutated(text, rng), path)] += 1
    return found
