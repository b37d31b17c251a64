"""The Universal Chess Interface, from the engine's side: a player of ours answers a graphical board or a tournament.

Source: R. Huber and S. Meyer-Kahlen, "Description of the Universal Chess Interface" (2006). Where the description
leaves a choice: a position that is mate or stalemate is answered by its score and ``bestmove (none)``; a search that is
asked to ponder goes on until ``stop`` or ``ponderhit`` and then tells its move, since the player does not think in the
opponent's time; and what cannot be read is told in a line ``info string``, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, TextIO

from ...agents import Analysis
from ...agents.scores import Scale
from ...envs import Game
from ...envs.vector.opponents import prepare
from ...envs.version import __version__
from .chess_seat import ChessSeat
from .conversation import Answers, Commands, in_a_line
from .thinking import Thinking
from .uci_info import hashfull, info_lines, ranked
from .uci_options import Options
from .uci_words import option_of, position_of, read_limits

__all__ = ["UCIServer"]

_LAST_SECONDS = 2.0  # that a search has to end, before the program does


class UCIServer:
    """A player of ours, behind commands in lines.

    Args:
        player: the player's spec, as in ``"alphabeta"``. One without a budget thinks for a second, unless it is told of
            a time; the budget of one that has it is a limit beside those that it is told of.
        game: chess, or Chess960.

    Attributes:
        seat: the player at its board.
        options: its options.

    Raises:
        ValueError: as `plyground.agents.make`; or the game is not chess.
    """

    def __init__(self, player: str, game: Game) -> None:
        self.options = Options(player, bool(game.parameters.get("chess960", -1) >= 0))
        self.seat = ChessSeat(player, game, **self.options.changes)
        self._is_debugging = False
        self._thinking: Thinking | None = None
        self._is_prepared = False

    def run(self, commands: Iterable[str], out: TextIO) -> None:
        """Answer commands until ``quit``, or until there are no more: then a search that has limits is finished first.

        Args:
            commands: lines, for example standard input.
            out: where the answers go.
        """
        self._answers = Answers(out)
        for line in Commands(commands):
            words = line.split()
            while words and words[0] not in self.commands:
                words.pop(0)  # the protocol: pass over what is unknown
            if not words:
                continue
            try:
                self.commands[words[0]](self, words[1:])
            except Exception as error:  # whatever it is, the next command is answered
                self._say(in_a_line(error))
            if words[0] == "quit":
                return
        if self._thinking is not None and not self._thinking.limits.waits:
            self._thinking.join()
        self._finish(_LAST_SECONDS)

    def _say(self, what: object) -> None:
        self._answers.write(f"info string {' '.join(str(what).split())}")

    def _finish(self, seconds: float | None = None) -> None:
        """End a search, and wait until its move was told, for so many seconds at most."""
        thinking, self._thinking = self._thinking, None
        if thinking is not None:
            thinking.stop()
            thinking.join(seconds)

    def _prepare(self) -> None:
        """Compile all that a search needs, if that was not done."""
        if not self._is_prepared:
            self.seat.prepare()
            prepare(self.seat.prover)  # which ``go mate`` asks
            if self.seat.finisher is not None:
                prepare(self.seat.finisher)
            self._scale = Scale(getattr(self.seat.agent, "game", None) or self.seat.game)
            self._is_prepared = True

    # -- commands ------------------------------------------------------------------------------------------------------

    def _uci(self, words: Sequence[str]) -> None:
        lines = [f"id name plyground {__version__} {self.seat.player}", "id author the authors of plyground", ""]
        self._answers.write("\n".join([*lines, *(option.line for option in self.options.known), "uciok"]))

    def _isready(self, words: Sequence[str]) -> None:
        try:
            if self._thinking is None or not self._thinking.is_running:
                self._prepare()
        except Exception as error:  # whoever asks is answered, or would wait for ever
            self._say(in_a_line(error))
        self._answers.write("readyok")

    def _debug(self, words: Sequence[str]) -> None:
        self._is_debugging = list(words[:1]) != ["off"]

    def _register(self, words: Sequence[str]) -> None:
        """There is nothing to register."""

    def _setoption(self, words: Sequence[str]) -> None:
        self._finish()
        name, text = option_of(words)
        before = self.options.values
        name = self.options.set(name, text)
        if name == "Clear Hash":
            self.seat.clear()
        if name in ("Hash", "Threads", "UCI_Chess960") and self.options.values != before:
            wanted = self.options[name]
            try:
                self._rehire()
            except MemoryError:
                self.options.values = before
                self._rehire()
                raise RuntimeError(
                    f"there is no memory for {name} {wanted}: give less; it stays at {self.options[name]}"
                ) from None
            except BaseException:
                self.options.values = before
                raise

    def _rehire(self) -> None:
        """Make the player anew with the options that are set, and take its memory: whether there is any shows at once.

        Raises:
            MemoryError: there is none.
            ValueError: the player does not take the options; nothing is changed.
        """
        self.seat.rehire(self.options["UCI_Chess960"], **self.options.changes)
        self._is_prepared = False
        getattr(self.seat.agent, "workspace", None)

    def _ucinewgame(self, words: Sequence[str]) -> None:
        self._finish()
        self.seat.clear()

    def _position(self, words: Sequence[str]) -> None:
        self._finish()
        self.seat.set_up(*position_of(words))

    def _go(self, words: Sequence[str]) -> None:
        self._finish()
        limits = read_limits(words)
        if limits.ponder:
            self._say("pondering is not supported: the move is told at ponderhit or stop")
        for fault in limits.faults:
            self._say(fault)
        lines = int(self.options["MultiPV"])

        def hear(found: Sequence[Analysis], seconds: float) -> None:
            shown = ranked(found[0], lines) if len(found) == 1 else found
            searcher = self.seat.agent if limits.mate is None else self.seat.prover
            for line in info_lines(self.seat, self._scale, shown, seconds, hashfull(searcher)):
                self._answers.write(line)

        self._thinking = Thinking(
            self.seat,
            limits,
            lines,
            self.options["Move Overhead"] / 1000,
            prepare=self._prepare,
            hear=hear,
            end=self._end,
            complain=self._say,
            debug=self._say if self._is_debugging else None,
        )

    def _end(self, best: int | None, answer: int | None) -> None:
        """Tell the best move, and the answer to it that is expected."""
        if best is None:
            seat = self.seat
            is_mated = seat.game.utility(seat.state, seat.game.player(seat.state)) < 0
            self._answers.write(f"info depth 0 score {'mate 0' if is_mated else 'cp 0'}\nbestmove (none)")
            return
        pv = [best] if answer is None else [best, answer]
        self._answers.write(f"bestmove {' ponder '.join(self.seat.line_names(pv))}")

    def _stop(self, words: Sequence[str]) -> None:
        if self._thinking is not None:
            self._thinking.stop()

    def _ponderhit(self, words: Sequence[str]) -> None:
        if self._thinking is not None and self._thinking.limits.ponder:
            self._thinking.stop()
        else:
            self._say("pondering is not supported")

    commands: ClassVar[dict[str, Callable[[UCIServer, Sequence[str]], None]]] = {
        "uci": _uci,
        "debug": _debug,
        "isready": _isready,
        "setoption": _setoption,
        "register": _register,
        "ucinewgame": _ucinewgame,
        "position": _position,
        "go": _go,
        "stop": _stop,
        "ponderhit": _ponderhit,
        "quit": lambda self, words: self._finish(_LAST_SECONDS),
    }
