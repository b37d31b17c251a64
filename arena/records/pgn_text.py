"""The games in a text of Portable Game Notation, as python-chess parses them, and where they cannot be read.

python-chess skips what it cannot read. A game without some of its moves is another game, so each line is looked at
before python-chess sees it: what is no move, number, mark, comment or variation is a fault, and the game ends there.

For python-chess an empty line ends a game, and so does a second one after its tags. By the standard a result does, or
the tags of the next one. So python-chess is not shown the empty lines before a game's moves, nor those in their midst.
Tags that share a line are shown one after the other.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import chess
import chess.pgn

from ...envs.outside.messages import shown

__all__ = ["FaultError", "Text", "read_texts"]

_TAG = re.compile(r"\[\s*[A-Za-z0-9]")
_PAIR = re.compile(r'\[\s*([A-Za-z0-9][\w+#=:-]*)\s*"((?:[^"\\]|\\.)*)"\s*\]\s*', re.ASCII)
_PAIRS = re.compile(f"(?:{_PAIR.pattern})+", re.ASCII)
_ESCAPED = re.compile(r'\\(["\\])')
_PIECE = re.compile(  # what chess.pgn takes as a token, and then what it may skip
    r"""(?P<move> [NBKRQ]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqkNBRQK])? | O-O(?:-O)? | 0-0(?:-0)? | -- | Z0 )
    | (?P<open> \( ) | (?P<close> \) ) | (?P<comment> \{ ) | (?P<rest> ;.* )
    | (?P<end> \* | 1-0 | 0-1 | 1/2-1/2 ) | \$[0-9]+ | e\.p\. | [\s\d.+\#=!?/\-±∓⩲⩱∞]
    """,
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"\s*(?P<number>\d+)\s*(?P<dots>\.[\s.]*)")
_RESULT = re.compile(r"\s*(?:\*|1-0|0-1|1/2-1/2)\s*")
_TIME = re.compile(r"\[%emt\s(\d{1,6}):(\d{1,6}):(\d{1,6}(?:\.\d{0,9})?)\]")


class FaultError(Exception):
    """A text cannot be read any further.

    Args:
        line: where, from 1.
        reason: why.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class Text(chess.pgn.BaseVisitor[None]):
    """A game as the file has it, which python-chess fills.

    Args:
        lines: the file.

    Attributes:
        tags: their values, by name.
        moves: the moves of the main line, as UCI writes them, each with its name in the file and its line.
        seconds: the time of each, where a comment tells it, as in ``[%emt 0:00:01.5]``; else 0.
        end: the result after the moves; empty if there is none.
        line: where it begins, from 1.
        fault: what ends it, if it could not be read to its end.
    """

    def __init__(self, lines: _Lines) -> None:
        self._lines = lines
        self.tags: dict[str, str] = {}
        self.moves: list[tuple[str, str, int]] = []
        self.seconds: list[float] = []
        self.end = ""
        self.line = 0
        self.fault: FaultError | None = None
        self._name = ""

    def begin_game(self) -> None:
        """Note where it begins."""
        self.line = self._lines.number

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        """Take in a tag."""
        value = _ESCAPED.sub(r"\1", tagvalue)
        if '"' in _ESCAPED.sub("", tagvalue):
            raise FaultError(self._lines.number, f"the tag {shown(tagname)} has a bare quotation mark in its value")
        if tagname in self.tags:
            raise FaultError(self._lines.number, f"the tag {shown(tagname)} stands twice: is a game without moves?")
        self.tags[tagname] = value

    def begin_variation(self) -> chess.pgn.SkipType:
        """Skip a variation."""
        return chess.pgn.SKIP

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        """Return the move that a name stands for."""
        self._name = san
        if self.end:
            raise FaultError(
                self._lines.number, f"{san} comes after the result {self.end}: games are told apart by tags"
            )
        return board.parse_san(san)

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        """Take in a move of the main line."""
        self.moves.append((board.uci(move), self._name, self._lines.number))
        self.seconds.append(0.0)

    def visit_comment(self, comment: str | list[str]) -> None:
        """Take in the time of the last move, if a comment tells it."""
        found = _TIME.search(comment if isinstance(comment, str) else " ".join(comment))
        if found is not None and self.seconds:
            hours, minutes, seconds = found.groups()
            self.seconds[-1] = 3600 * int(hours) + 60 * int(minutes) + float(seconds)

    def visit_result(self, result: str) -> None:
        """Take in the result after the moves."""
        self.end = result

    def handle_error(self, error: Exception) -> None:
        """End the game where python-chess cannot read it."""
        kind = "is ambiguous" if isinstance(error, chess.AmbiguousMoveError) else "is illegal"
        if not self._name:
            raise FaultError(self._lines.number, str(error))
        raise FaultError(self._lines.number, f"move {move_label(self, len(self.moves), self._name)} {kind}")

    def result(self) -> None:
        """Return nothing: the game is the visitor itself."""


def move_label(text: Text, ply: int, name: str) -> str:
    """Return a move with its number, as in ``"12. Qxh7"`` or ``"12... Kxh7"``."""
    fields = text.tags.get("FEN", "").split()
    ply += fields[1:2] == ["b"]
    first = int(fields[5]) if len(fields) > 5 and fields[5].isdecimal() and len(fields[5]) < 6 else 1
    return f"{first + ply // 2}{'...' if ply % 2 else '.'} {name}"


def read_texts(data: str) -> Iterator[Text]:
    """Yield the games of a file. One with a ``fault`` is read up to there, and the next begins with the next tags."""
    lines, before = _Lines(data), None
    while True:
        text = Text(lines)
        lines.begin()
        try:
            chess.pgn.read_game(lines, Visitor=lambda game=text: game)  # pyright: ignore[reportArgumentType]
            if not text.line:
                return
            if before is not None and not before.end and not text.tags:
                raise FaultError(text.line, "moves after an empty line, before which the game had no result")
        except FaultError as fault:
            text.fault = fault
        except ValueError as error:
            text.fault = FaultError(lines.number, str(error))
        yield text
        if text.fault is not None and not lines.skip():
            return
        before = text if text.fault is None else None


class _Lines(io.TextIOBase):
    """The lines of a file, which are counted and looked at as python-chess asks for them.

    Attributes:
        number: the number of the line that was last read, from 1.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._lines = text.split("\n")
        self.number = 0
        self._waiting = False  # whether the next line is one that was read, and begins a game
        self._fault = ""
        self.begin()

    def begin(self) -> None:
        """Begin a game."""
        self._in_moves, self._in_comment, self._depth, self._has_moves = False, False, 0, False
        self._has_tags, self._has_result = False, False
        self._tags: list[str] = []  # those of a line that are still to be shown, each on a line

    def skip(self) -> bool:
        """Pass over the rest of a game with a fault; return whether tags come after its moves."""
        self._fault, has_moves = "", self._in_moves
        while not self._waiting and self.number < len(self._lines):
            line = self._lines[self.number]
            self.number += 1
            if _TAG.match(line) is None:
                has_moves = has_moves or bool(line.strip())
            else:
                self._waiting = has_moves
        return self._waiting

    def readline(self, size: int | None = -1) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the next line; an empty text at the end.

        Raises:
            FaultError: the line before could not be read.
        """
        if self._fault:
            raise FaultError(self.number, self._fault)
        if self._tags:
            return self._tags.pop(0)
        if not self._waiting:
            if self.number >= len(self._lines):
                self._end()
                return ""
            self._pass_empty_lines()
            self.number += 1
        line = self._lines[self.number - 1].removeprefix("\ufeff" if self.number == 1 else "") + "\n"
        if self._in_moves and not self._in_comment and _TAG.match(line) and not self._waiting:
            self._end()
            self._waiting = True
            return "\n"  # which ends a game for python-chess
        self._waiting = False
        return self._checked(line)

    def _pass_empty_lines(self) -> None:
        """Pass over empty lines that come next, with comments of a line, where the same game goes on with moves."""
        is_begun = self._in_moves or self._has_tags
        if not is_begun or self._in_comment or self._has_result or self._lines[self.number].strip():
            return
        for number in range(self.number, len(self._lines)):
            line = self._lines[number]
            if line.strip() and not line.startswith(("%", ";")):
                if self._goes_on(line):
                    self.number = number
                return

    def _goes_on(self, line: str) -> bool:
        """Return whether a line after an empty one has moves of the same game.

        Without tags it may as well begin another one, unless it has the number of a later move, or a result alone.
        """
        if _TAG.match(line) is not None:
            return False
        if (found := _NUMBER.match(line)) is not None:
            return found["number"] != "1" or found["dots"].count(".") > 1 or not self._has_moves
        return self._has_tags or _RESULT.fullmatch(line) is not None

    def _end(self) -> None:
        """Look at the end of a game's moves."""
        if self._in_comment:
            raise FaultError(self.number, "a '{' without '}'")
        if self._depth:
            raise FaultError(self.number, "a '(' without ')'")
        self._in_moves = False

    def _checked(self, line: str) -> str:
        """Return a line, or its part before what cannot be read, which the next call then tells of."""
        if not self._in_comment:
            if line.startswith(("%", ";")):
                return line
            if line.isspace():
                if self._in_moves:
                    self._end()
                return line
            if line.startswith("[") and not self._in_moves:
                self._tags, self._has_tags = _tags_of(line), True
                if not self._tags:
                    raise FaultError(self.number, f'cannot read the tag {shown(line.strip())}: expected [Name "value"]')
                return self._tags.pop(0)
            self._in_moves = True
        place = 0
        while place < len(line):
            if self._in_comment:
                place = line.find("}", place) + 1
                if not place:
                    return line
                self._in_comment = False
                continue
            found = _PIECE.match(line, place)
            if found is None or not self._take(found):
                if not self._fault:
                    self._fault = f"cannot read {shown(line[place : place + 20].strip())}: expected a move"
                if not line[:place].strip():  # an empty line would end the game for python-chess
                    raise FaultError(self.number, self._fault)
                return line[:place] + "\n"
            place = found.end()
        return line

    def _take(self, piece: re.Match[str]) -> bool:
        """Take notice of a piece of the moves, and return whether it may stand there."""
        kind = piece.lastgroup
        if kind == "move":
            self._has_moves = True
        elif kind == "comment":
            self._in_comment = True
        elif kind == "end":
            self._has_result = self._has_result or not self._depth
        elif kind == "open":
            if not self._has_moves:
                self._fault = "a variation before the first move"
                return False
            self._depth += 1
        elif kind == "close":
            if not self._depth:
                self._fault = "a ')' without '('"
                return False
            self._depth -= 1
        return True


def _tags_of(line: str) -> list[str]:
    """Return the tags that a line consists of, each as python-chess reads it; none where they cannot be read."""
    if _PAIRS.fullmatch(line) is not None:
        return [f'[{name} "{value}"]\n' for name, value in _PAIR.findall(line)]
    return [line] if chess.pgn.TAG_REGEX.match(line) is not None else []  # its value has a bare quotation mark
