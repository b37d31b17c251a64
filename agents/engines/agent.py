"""The player: a program that speaks the Go Text Protocol, at any table of ours."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

from ...envs import Game, State, as_game
from ...envs.outside.arguments import checked_whole, is_positive
from ...envs.outside.spec import nearest
from ..agent import Info, Observation, legal_mask, state_of
from ..compiling import compiling
from ..described import Described
from .following import lead_to, moves_between
from .gtp import GTPClient, GTPRefusalError, vertices_of
from .process import EngineError, located

__all__ = ["DisagreementError", "Engine"]

_COLOURS = ("black", "white")
_GAMES = ("go", "gomoku", "othello")


class _Left(NamedTuple):
    """What is left on a clock, as `Engine.set_clock` has it."""

    own: float
    other: float
    moves: int


class DisagreementError(EngineError):
    """The program and our rules disagree about a move."""


class Engine(Described):
    """A program that somebody else wrote, as a player: GNU Go, for one. It is started when it is first needed.

    The program is told of the moves that lead from one position that it is shown to the next, and asked for its own. A
    move that it refuses, or that our rules do not allow, is a `DisagreementError`: the two have different ideas of the
    game. A program that has died, or was ended since it did not answer, is started anew when it is next needed: in
    the middle of a game it is told of all moves again. A resignation is no move of ours: where a program resigns it
    passes from then on, or plays its first legal move.

    GTP has no words for most rules, so a program of Go is told of ours by its options, as `gnugo` does.

    Args:
        game: Go, gomoku or Othello, or its spec.
        command: the program and its arguments, as in a shell.
        protocol: what it speaks: ``"gtp"``, the Go Text Protocol, version 2.
        seconds: how long it is told that it may think for a move; None for nothing of the kind. Of a clock for the game
            it is told in place of that.
        answer_seconds: how long it may take for an answer, beside the time in which it is to move.

    Attributes:
        client: the program, and its answer to any command: ``client.ask("final_score")``.
        resigned: whether it gave up in this game.

    Raises:
        ValueError: it does not play the game, the protocol is unknown, or the command is none.
    """

    def __init__(
        self,
        game: Game | str,
        command: str,
        protocol: Literal["gtp"] = "gtp",
        seconds: int | None = None,
        answer_seconds: float = 60.0,
    ) -> None:
        self.game = as_game(game)
        if protocol != "gtp":
            raise ValueError(f"unknown protocol {protocol!r}: {nearest(protocol, ('gtp',))}")
        if self.game.name not in _GAMES:
            raise ValueError(f"programs that speak GTP play {', '.join(_GAMES)} here, got {self.game.spec}")
        if not is_positive(answer_seconds):
            raise ValueError(f"answer_seconds must be a number above 0, got {answer_seconds!r}")
        located(command)  # whoever gives no command is told so before a match begins
        self.client = GTPClient(command, answer_seconds)
        # No attribute "seconds": by one a search is told how long its next move may take.
        self._move_seconds = None if seconds is None else checked_whole("seconds", seconds, 1)
        self._vertices = vertices_of(self.game)
        self._actions = {vertex: action for action, vertex in enumerate(self._vertices)}
        self._state: State = self.game.new_state()
        self._is_ready = False  # to be told of moves
        self._watched: list[int] = []  # the moves of this game, if somebody tells of them,
        self._told: list[int] = []  # and those that the program knows of
        self._clock: _Left | None = None  # if there is a clock
        self._is_timed = False  # whether the program was told that there is one
        self.resigned = False

    def prepare(self) -> None:
        """Start the program, ask whether it plays the game, and compile, before any clock runs.

        Raises:
            EngineError: it cannot be started, or does not.
        """
        if not self._is_ready:
            self.reset()
        with compiling("engine", self.game):
            start = self.game.new_state()
            moves_between(self.game, start, self.game.play_moves(self.game.actions(start)[:1]))

    def reset(self, seed: int | None = None) -> None:
        """Begin a game. With a seed, start the program's random numbers anew, if it lets one, as GNU Go does.

        Raises:
            EngineError: it cannot be started, or plays no such board.
        """
        client, game = self.client, self.game
        if not client.is_running:
            client.close()
        self._is_ready = False
        if game.name != "go" and client.knows("set_game"):
            client.ask(f"set_game {game.name.title()}")
        client.ask(f"boardsize {game.observation_shape[0]}")
        client.ask("clear_board")
        if game.name == "go":
            client.ask(f"komi {game.parameters['komi']:g}")
        if seed is not None and client.knows("set_random_seed"):  # GNU Go draws from it for a new board: after that
            client.ask(f"set_random_seed {seed % 2**31}")
        if self._move_seconds is not None:
            client.ask(f"time_settings 0 {self._move_seconds} 1")
        elif self._is_timed:
            client.ask("time_settings 0 1 0")  # no limit: it had a clock in another game
        self._state, self.resigned, self._is_ready = game.new_state(), False, True
        self._watched, self._told = [], []
        self._clock, self._is_timed = None, False

    def set_clock(self, own: float, other: float, increment: float, moves: int) -> None:
        """Take notice of a clock, of which the program is told.

        Args:
            own: seconds that are left to this player.
            other: seconds that are left to the other.
            increment: seconds that each move adds. GTP knows none: the program learns of it as its time grows.
            moves: the number of moves that these seconds are for; 0 for the whole game.
        """
        self._clock = _Left(own, other, moves)

    def watch(self, action: int) -> None:
        """Take notice of a move, one's own too, in a loop that tells of all of them: then nothing must be guessed."""
        self._watched.append(action)

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the program's move, which it has then played on its own board.

        Raises:
            ValueError: no moves lead from the last position to this one.
            DisagreementError: the program takes one of these for illegal, or its own move is illegal by our rules.
            EngineError: it has ended, or does not answer in time.
        """
        mask = legal_mask(observation, info)
        self.follow(state_of(self.game, observation, info))
        if not self.resigned:
            answer = self._ask(f"genmove {self._colour()}", self._tell_time()).strip().upper()
            self.resigned = answer == "RESIGN"
            if not self.resigned:
                action = self._actions.get(answer, -1)
                if action < 0 or not mask[action]:
                    self._is_ready = False
                    board = self.game.text(self._state)
                    raise DisagreementError(
                        f"{self.client.process.name} plays {answer!r}, which is illegal by our rules in\n{board}"
                    )
                self._note(action)
                return action
        action = self._actions.get("PASS", -1)
        if action < 0 or not mask[action]:
            action = int(mask.argmax())
        self.tell(action)
        return action

    def follow(self, target: State) -> None:
        """Tell the program of the moves, on both sides, that lead from the last position to ``target``.

        Raises:
            ValueError: there are none.
            DisagreementError: the program takes one for illegal.
        """
        if not self._is_ready:  # in the middle of a game, too: another program is told of all moves again
            watched, clock = self._watched, self._clock
            self.reset()
            self._watched, self._clock = watched, clock
        heard = self._watched[len(self._told) :]
        known = lead_to(self.game, self._state, heard, target)  # all that were made do, unless the game began elsewhere
        for action in heard if known else moves_between(self.game, self._state, target):
            self.tell(action)

    def tell(self, action: int) -> None:
        """Tell the program of a move that comes next.

        Raises:
            DisagreementError: the program takes it for illegal.
        """
        try:
            self._ask(f"play {self._colour()} {self._vertices[action]}")
        except GTPRefusalError as error:
            if self.game.name == "othello" and self._vertices[action] == "PASS":
                self._note(action)  # nothing else is legal there, and some programs know it without being told
                return
            self._is_ready = False
            name, board = self.game.move_name(self._state, action), self.game.text(self._state)
            raise DisagreementError(f"our rules allow {name}: {error}\n{board}") from None
        self._note(action)

    def _note(self, action: int) -> None:
        self.game.play(self._state, action)
        self._told.append(action)

    def _tell_time(self) -> float:
        """Tell the program of the clock, if there is one; return the seconds that it may take for its answer."""
        clock = self._clock
        if clock is None:
            return self.client.answer_seconds + (self._move_seconds or 0)
        own, other, moves = clock
        most = self._move_seconds if moves == 1 and self._move_seconds is not None else math.inf
        if not self._is_timed:
            seconds = max(int(min(own, most)), 1)  # no more than there is: some are never told of the time left
            self._ask(f"time_settings 0 {seconds} {moves}" if moves else f"time_settings {seconds} 0 0")
            self._is_timed = True
        if self.client.knows("time_left"):
            mover = self.game.player(self._state)
            for colour, left in ((mover, own), (1 - mover, other)):
                self._ask(f"time_left {_COLOURS[colour]} {int(min(left, most))} {moves}")
        return self.client.answer_seconds + own

    def close(self) -> None:
        """End the program; another is started when it is needed."""
        self._is_ready = False
        self.client.close()

    def _ask(self, command: str, seconds: float | None = None) -> str:
        try:
            return self.client.ask(command, seconds)
        except GTPRefusalError:
            raise
        except BaseException:
            self._is_ready = False
            raise

    def _colour(self) -> str:
        return _COLOURS[self.game.player(self._state)]

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the program: a copy has one of its own, for a game of its own."""
        new = {"_is_ready": False, "_state": self.game.new_state(), "_watched": [], "_told": [], "resigned": False}
        new |= {"_clock": None, "_is_timed": False}
        return vars(self) | new
