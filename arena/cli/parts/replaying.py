"""A game that was played, as pictures in text: who moved, how long it took, the board, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from ....envs import Game, State, make_game
from ....envs.render import picture
from ....envs.render.drawing import Drawing
from ...formats import read_games
from ...lines import print_plain
from ...records.record import GameRecord
from ...records.replay import legal_moves, replayed
from ...tables import format_seconds
from ...wording import counted, plain
from .boards import counts, drawn, mark_of

__all__ = ["Reel", "browse", "ending_of", "nth_game", "score_of"]

_KEYS = "n, space or →: on   p or ←: back   g, G: first, last   q: quit"
_STEPS: dict[str, Callable[[int, int], int]] = {
    **dict.fromkeys(("n", " ", "\r", "\x1b[C", "\x1bOC"), lambda at, last: at + 1),
    **dict.fromkeys(("p", "b", "\x1b[D", "\x1bOD"), lambda at, last: at - 1),
    **dict.fromkeys(("g", "\x1b[H", "\x1bOH", "\x1b[1~"), lambda at, last: 0),
    **dict.fromkeys(("G", "\x1b[F", "\x1bOF", "\x1b[4~"), lambda at, last: last),
}
_LINE = 8  # moves of what a search expected
_QUIT = ("q", "Q", "\x1b", "\x03", "\x04")


def nth_game(path: Path, number: int) -> GameRecord:
    """Return a game of a file by its number, from 1.

    Raises:
        ValueError: there are not so many games, or one cannot be read.
        OSError: there is no such file.
    """
    count = 0
    for count, record in enumerate(read_games(path), start=1):
        if count == number:
            return record
    raise ValueError(f"{path} has {counted(count, 'game')}: there is no game {number}")


def score_of(record: GameRecord) -> str:
    """Return the points of both players, as in ``"1-0"``; ``"*"`` where the game has no result."""
    if not record.has_result:
        return "*"
    own, other = record.outcome
    return "1/2-1/2" if own == other else "1-0" if own > other else "0-1"


def ending_of(record: GameRecord) -> str:
    """Return how a game ended, as in ``"random wins"``."""
    own, other = record.outcome
    if record.ending == "truncated":
        return "broken off"
    reason = plain(record.reason or "no reason is given").strip()
    how = f", adjudicated: {reason}" if record.ending == "adjudicated" else ""
    if own == other:
        return f"a draw{how}"
    winner, loser = map(plain, record.players if own > other else reversed(record.players))
    if record.ending == "illegal":
        return f"{loser} loses by an illegal move"
    if record.ending == "failed":
        return f"{loser} loses by an error: {reason}"
    if record.ending == "time":
        return f"{loser} loses on time: {reason}"
    return f"{winner} wins{how}"


class Reel:
    """The positions of a game.

    Args:
        record: the game.
        number: its number in the file.

    Attributes:
        last: the number of its moves.
        heading: a line that says who played what, and how it ended.

    Raises:
        ValueError: there are no rules of this game here, or a move is illegal in them.
    """

    def __init__(self, record: GameRecord, number: int) -> None:
        self.record, self.game = record, _game_of(record)
        self.last = len(record.moves)
        legal = legal_moves(record)
        replay = replayed(self.game, record)
        self._states: list[State] = [replay.state.copy()]  # before the first move, and after each
        for at, move in enumerate(legal, start=1):
            replay.play(move, self._name(at))
            self._states.append(replay.state.copy())
        first, second = (self._player(seat) for seat in (0, 1))
        self.heading = (
            f"game {number}, {plain(record.game)}: {first} v {second}, {score_of(record)}, {ending_of(record)} after "
            f"{counted(self.last, 'move')}"
        )

    def _player(self, seat: int) -> str:
        return f"{plain(self.record.players[seat])}{mark_of(self.game, seat)}"

    def _name(self, at: int) -> str:
        """Return the name of the move that leads to a position; the last may be illegal, or no action of the game."""
        move = self.record.moves[at - 1]
        return self.game.move_name(self._states[at - 1], move) if 0 <= move < self.game.num_actions else str(move)

    def _last_of(self, at: int) -> tuple[State, int] | None:
        return (self._states[at - 1], self.record.moves[at - 1]) if 0 < at < len(self._states) else None

    def line(self, at: int) -> str:
        """Return what the move that led to a position was, who made it, and how long it took."""
        if not at:
            begins = "initial position" if self.record.start is None else f"from {plain(self.record.start)}"
            return f"{begins}, {counted(self.last, 'move')} to come"
        record, seconds = self.record, self.record.seconds[at - 1]
        took = f" ({format_seconds(seconds)})" if seconds else ""
        mover = record.movers[at - 1]
        who = "opening" if at <= record.opening else "at random" if mover < 0 else self._player(mover)
        ends = f"\n{ending_of(record)}" if at == self.last else ""
        return f"{at}/{self.last} {who}: {self._name(at)}{took}{self._judgement(at)}{ends}"

    def _judgement(self, at: int) -> str:
        """Return what the mover's search thought of the position before a move, if that is kept."""
        judgement = None if self.record.analyses is None else self.record.analyses[at - 1]
        if judgement is None:
            return ""
        try:
            line = " ".join(self.game.line_names(judgement.line[:_LINE], self._states[min(at, len(self._states)) - 1]))
        except (ValueError, IndexError):
            line = ""
        return f", {judgement.text}{': ' if line else ''}{line}"

    def frame(self, at: int) -> Text:
        """Return a position as text, with the line of the move that led to it."""
        state = self._states[min(at, len(self._states) - 1)]
        text = Text(f"{self.line(at)}\n")
        text.append_text(drawn(self.game, state, self._last_of(at)))
        if counted := counts(self.game, state):
            text.append(f"\n{counted}", "dim")
        return text

    def picture(self, at: int) -> Drawing:
        """Return a position as a picture.

        Raises:
            ValueError: the game has no board.
        """
        state = self._states[min(at, len(self._states) - 1)]
        return picture(self.game, state, last=self._last_of(at), caption=self.line(at).replace("\n", ": "))


def _game_of(record: GameRecord) -> Game:
    try:
        return make_game(record.game)
    except (ValueError, OSError, ImportError) as error:
        raise ValueError(f"the boards of {record.game} cannot be drawn: {error}") from None


def browse(console: Console, reel: Reel) -> None:
    """Show a game on the whole screen, and go through it by keys; the last position that was seen stays."""
    at = 0

    def shown() -> Group:
        return Group(Text(reel.heading), Text(), reel.frame(at), Text(), Text(_KEYS, "dim"))

    try:
        with Live(shown(), console=console, auto_refresh=False, screen=True) as live:
            while (key := typer.getchar()) not in _QUIT:
                if key in _STEPS:
                    at = max(0, min(reel.last, _STEPS[key](at, reel.last)))
                    live.update(shown(), refresh=True)
    except (KeyboardInterrupt, EOFError):
        pass
    print_plain(console, reel.heading)
    print_plain(console, reel.frame(at))
