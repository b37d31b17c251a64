"""The player: a program that plays chess by UCI or XBoard, at any table of ours."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...envs import Game, State, as_game
from ...envs.outside.arguments import checked_whole, is_positive
from ...envs.outside.extras import how_to_install
from ...envs.outside.spec import nearest
from ..agent import Info, Observation, legal_mask, state_of
from ..analysis import Analysis
from ..described import Described
from ..scores import result_of_centipawns
from .agent import DisagreementError, Engine
from .process import EngineError, located

if TYPE_CHECKING:
    from .chess_protocols import ChessProcess

__all__ = ["ChessEngine", "engine"]

_PROTOCOLS = ("uci", "xboard")
_MOST_CENTIPAWNS = 100_000
_MOST = 2**63 - 1  # plies and positions that a program may tell of: as many as files of games hold
_MOST_MOVES = 100  # of a line
_SHARE = 0.95  # of what a clock leaves for the move: some time is lost on the way
_NEARLY = 0.99999  # no guess is a win, with the five digits of a record either


def engine(
    game: Game | str,
    command: str,
    protocol: str | None = None,
    seconds: float | None = None,
    answer_seconds: float = 60.0,
    **options: Any,
) -> Engine | ChessEngine:
    """A program that somebody else wrote, as a player: GNU Go, or Stockfish. It is started when it is first needed.

    Args:
        game: chess; or Go, gomoku or Othello; or its spec.
        command: the program and its arguments, as in a shell.
        protocol: what it speaks: ``"uci"`` or ``"xboard"`` in chess, by default the first; else ``"gtp"``.
        seconds: how long it is told that it may think for a move; whole seconds in GTP, where a clock for the game is
            told in place of that.
        answer_seconds: how long it may take for an answer, beside the time in which it is to move.
        options: in chess, ``nodes`` and ``depth`` of its search, ``start_seconds``, and options of the program:
            ``UCI_Elo=1800``.

    Raises:
        ValueError: it does not play the game, the protocol is unknown, the command is none, or GTP is to have options.
    """
    game = as_game(game)
    protocol = protocol or ("uci" if game.name == "chess" else "gtp")
    if protocol not in (*_PROTOCOLS, "gtp"):
        raise ValueError(f"unknown protocol {protocol!r}: {nearest(protocol, (*_PROTOCOLS, 'gtp'))}")
    if protocol in _PROTOCOLS:
        return ChessEngine(game, command, protocol, seconds, answer_seconds, **options)
    player = Engine(game, command, "gtp", seconds, answer_seconds)  # pyright: ignore[reportArgumentType]  (it is checked there)
    if options:  # it is said first that nobody plays such a game
        raise ValueError(f"options are told to programs by UCI and XBoard, got {', '.join(options)} for GTP")
    return player


class ChessEngine(Described):
    """A program that plays chess, by the protocol UCI or XBoard, which python-chess speaks.

    The program is told of all moves of a game where the loop tells of them (`plyground.arena.play` does), so that it
    knows of repetitions; in a game that begins elsewhere, of those since the first position that it was shown; in other
    loops of the position alone. A program that has died, or was ended since it did not answer, is started anew for the
    next move. One that resigns plays its first legal move: resignation is no move of ours.

    Args:
        game: chess, or its spec.
        command: the program and its arguments, as in a shell.
        protocol: ``"uci"`` or ``"xboard"``.
        seconds: how long it may think for a move.
        answer_seconds: how long it may take for an answer, beside the time in which it is to move.
        nodes: positions that it may visit.
        depth: plies that it may look ahead. Without any of these three it thinks as long as there is time by a clock,
            or for a tenth of a second. XBoard has no limit of nodes beside one of time: with ``nodes`` a program that
            speaks it is told of no clock, and ``seconds`` are refused. Nor has it a time for the move beside a clock,
            of which it is told then.
        start_seconds: how long it may take to introduce itself when it is started.
        options: options of the program, such as ``Threads=1``, or ``UCI_Elo=1800``, which sets ``UCI_LimitStrength``
            too.

    Attributes:
        last_analysis: what it said of the position when it last moved; None if it said nothing, or if its move was not
            among those that were asked for.

    Raises:
        ValueError: the game is not chess, the protocol is unknown, the command is none, a number is out of its range,
            or there are both ``nodes`` and ``seconds`` in XBoard.
        ImportError: python-chess is not installed.
    """

    def __init__(
        self,
        game: Game | str,
        command: str,
        protocol: str = "uci",
        seconds: float | None = None,
        answer_seconds: float = 60.0,
        nodes: int | None = None,
        depth: int | None = None,
        start_seconds: float = 20.0,
        **options: Any,
    ) -> None:
        self.game = as_game(game)
        if self.game.name != "chess":
            raise ValueError(f"programs that speak {protocol} play chess here, got {self.game.spec}")
        if protocol not in _PROTOCOLS:
            raise ValueError(f"unknown protocol {protocol!r}: {nearest(protocol, _PROTOCOLS)}")
        times = {"seconds": seconds, "answer_seconds": answer_seconds, "start_seconds": start_seconds}
        for name, value in times.items():
            if not (is_positive(value) or (value is None and name == "seconds")):
                raise ValueError(f"{name} must be a number above 0, got {value!r}")
        if protocol == "xboard" and nodes is not None and seconds is not None:
            raise ValueError(
                f"programs that speak xboard take nodes or seconds, not both, got nodes={nodes!r} and "
                f"seconds={seconds!r}: leave one out"
            )
        located(command)  # whoever gives no command is told so before a match begins
        try:
            import chess  # noqa: F401  (whoever has none is told so before a match begins)
        except ImportError as error:
            raise ImportError(
                f"programs that play chess need python-chess ({error}): {how_to_install('chess')}"
            ) from error
        self.command, self.protocol, self.options = command, protocol, options
        # No attribute "seconds": by one a search is told how long its next move may take.
        self.answer_seconds, self._move_seconds = answer_seconds, seconds
        self.start_seconds = start_seconds
        self.nodes = None if nodes is None else checked_whole("nodes", nodes, 1)
        self.depth = None if depth is None else checked_whole("depth", depth, 1)
        self.last_analysis: Analysis | None = None
        self._process: ChessProcess | None = None
        self._told: tuple[int | None, int | None] | None = None  # the limits of nodes and depth of the last move
        self._begin()

    def _begin(self) -> None:
        self._watched: list[int] = []  # the moves of this game, if somebody tells of them,
        self._start: State | None = None  # where it began, as far as is known; None: at the initial position,
        self._before = 0  # and how many of the moves were made before that
        self._clock: tuple[float, float, float, int] | None = None
        self._game_token = object()  # by which python-chess knows that a game is another one

    def prepare(self) -> None:
        """Start the program, before any clock runs.

        Raises:
            EngineError: it cannot be started, or does not speak the protocol.
            ValueError: it does not know an option.
        """
        if self._process is not None and not self._process.is_running:
            self.close()
        if self._process is None:
            from .chess_protocols import ChessProcess

            process = ChessProcess(self.command, self.protocol, self.start_seconds)
            try:
                process.configure(self.options, self.answer_seconds)
            except BaseException:
                process.close()
                raise
            self._process = process

    def reset(self, seed: int | None = None) -> None:
        """Begin a game. Programs draw their random numbers themselves: the seed is not used.

        Raises:
            EngineError: the program cannot be started.
        """
        self.prepare()
        self._begin()

    def watch(self, action: int) -> None:
        """Take notice of a move, one's own too, in a loop that tells of all of them."""
        self._watched.append(action)

    def set_clock(self, own: float, other: float, increment: float, moves: int) -> None:
        """Take notice of a clock, of which the program is told when it moves next, and not after that.

        Args:
            own: seconds that are left to this player.
            other: seconds that are left to the other.
            increment: seconds that each move adds.
            moves: the number of moves that these seconds are for; 0 for the whole game.
        """
        self._clock = own, other, increment, moves

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the program's move.

        Raises:
            EngineError: it has ended, does not answer in time, or its move is illegal by our rules.
        """
        return self._play(state_of(self.game, observation, info), legal_mask(observation, info))[0]

    def analyse(self, state: State, mask: ArrayLike | None = None, observation: Observation | None = None) -> Analysis:
        """Let the program search a position, by its limits, and return what it says: the value, and the line.

        Args:
            state: the position.
            mask: [num_actions], 0 for the legal actions that are no candidates. Default: all legal actions are.
            observation: what the environment shows the player to move; it is not used.

        Raises:
            ValueError: the state is none of this game, the game is over, or the mask leaves no legal action.
            EngineError: as `act` does; or it says nothing of the position.
        """
        state = self.game.state_check.checked(state)
        legal = [] if self.game.is_terminal(state) else self.game.actions(state)
        if not legal:
            raise ValueError(f"the game of chess is over, there is nothing to search:\n{self.game.text(state)}")
        allowed = np.zeros(self.game.num_actions, np.int8)
        allowed[legal] = 1
        if mask is not None:
            allowed &= np.asarray(mask) != 0
        if not allowed.any():
            raise ValueError(f"the mask leaves no action: expected one of {legal} in it")
        _, answer = self._play(state, allowed, with_line=True)
        if self.last_analysis is None:
            raise EngineError(f"{self.command} says nothing of the position {self.game.fen(state)}")
        after, line = state.copy(), []
        for move in answer.info.get("pv", [])[:_MOST_MOVES]:
            line.append(self.game.move_of(after, move.uci()))
            self.game.play(after, line[-1])
        found = self.last_analysis
        pv = tuple(line) if line[:1] == [found.best_action] else found.pv
        self.last_analysis = replace(found, values={found.best_action: found.value}, pv=pv)
        return self.last_analysis

    def _play(self, state: State, mask: NDArray[Any], with_line: bool = False) -> tuple[int, Any]:
        """Return the program's move, and its answer as python-chess has it."""
        self.prepare()
        assert self._process is not None
        board, began = self._board(state), time.perf_counter()
        limit, seconds = self._limit(board.turn)
        self._clock = None
        if self.protocol == "xboard" and self._told != (self.nodes, self.depth):
            self._game_token = object()  # such limits hold there until another game begins
        self._told = self.nodes, self.depth
        try:
            chosen = self._chosen(board, state, mask)
            answer = self._process.play(board, limit, self._game_token, seconds, chosen, with_line)
        except BaseException:  # what it says later would answer no question
            self.close()
            raise
        action = self._action(state, answer, mask)
        is_its = answer.move is None or answer.resigned or self.game.move_of(state, answer.move.uci()) == action
        self.last_analysis = _analysis(action, answer, time.perf_counter() - began) if is_its else None
        return action, answer

    def _chosen(self, board: Any, state: State, mask: Any) -> Any:
        """Return the moves that the mask leaves, as python-chess has them; None if all, or if XBoard cannot tell."""
        legal = self.game.actions(state)
        left = [action for action in legal if mask[action]]
        if self.protocol == "xboard" or len(left) == len(legal):
            return None
        return [board.parse_uci(self.game.move_name(state, action)) for action in left]

    def _action(self, state: State, answer: Any, mask: Any) -> int:
        if answer.move is None or answer.resigned:
            return int(mask.argmax())
        text = answer.move.uci()
        try:
            action = self.game.move_of(state, text)
        except ValueError:
            action = -1
        if self.protocol == "xboard" and not mask[action] and action in self.game.actions(state):
            return int(mask.argmax())  # XBoard could not be told of the mask
        if action < 0 or not mask[action]:
            self.close()
            is_legal = action in self.game.actions(state)
            fault = "is not among the moves that it was asked for" if is_legal else "is illegal by our rules"
            raise DisagreementError(f"{self.command} plays {text}, which {fault} in {self.game.fen(state)}")
        return action

    def _board(self, state: State) -> Any:
        """Return the position as python-chess has it, with the moves of the game that lead there.

        If those do not, the game began elsewhere, or nobody tells of moves: it is then taken to begin at this position.
        """
        from .chess_protocols import chess

        is_960 = self.game.parameters["chess960"] >= 0
        replayed = self.game.new_state() if self._start is None else self._start.copy()
        board = chess.Board(self.game.fen(replayed), chess960=is_960)
        with suppress(ValueError):  # a move that is illegal there
            for action in self._watched[self._before :]:
                board.push_uci(self.game.move_name(replayed, action))
                self.game.play(replayed, action)
            if self.game.key(replayed) == self.game.key(state):
                return board
        self._start, self._before = state.copy(), len(self._watched)
        return chess.Board(self.game.fen(state), chess960=is_960)

    def _limit(self, is_white: bool) -> tuple[Any, float]:
        """Return how long the program may think, and the seconds that it may take for its answer."""
        from .chess_protocols import chess

        limits: dict[str, Any] = {"time": self._move_seconds, "nodes": self.nodes, "depth": self.depth}
        seconds = self.answer_seconds + (self._move_seconds or 0.0)
        if self._clock is not None:
            own, other, increment, moves = self._clock
            seconds = self.answer_seconds + own
            white, black = (own, other) if is_white else (other, own)
            if moves == 1 or self._move_seconds is not None:
                limits["time"] = min(own * _SHARE, self._move_seconds or own)
            if moves != 1:
                limits |= {"white_clock": white, "black_clock": black, "remaining_moves": moves or None}
                limits |= {"white_inc": increment, "black_inc": increment}
                if self.protocol == "xboard":
                    del limits["time"]
        elif all(value is None for value in limits.values()):
            limits["time"] = 0.1
        if self.protocol == "xboard" and self.nodes is not None:  # which has no limit of nodes beside one of time
            limits = {"nodes": self.nodes, "depth": self.depth}
        return chess.engine.Limit(**limits), seconds

    def close(self) -> None:
        """End the program; another is started when it is needed."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the program: a copy has one of its own, for a game of its own."""
        new = {"_process": None, "_watched": [], "_start": None, "_before": 0, "_clock": None, "_game_token": None}
        return vars(self) | new


def _analysis(action: int, answer: Any, seconds: float) -> Analysis | None:
    """Return what a program said of the position, as an expected result from -1 to 1; None if it said nothing.

    Only a mate is a win or a loss, and exact; the depth is then when it comes, in plies. That there are visits says
    that the value is an expected result.
    """
    info = answer.info
    score = info.get("score")
    if score is None:
        return None
    is_mate, relative = score.is_mate(), score.relative
    depth, nodes = (min(max(int(info.get(name, 0)), 0), _MOST) for name in ("depth", "nodes"))
    if is_mate:
        moves = relative.mate()
        value = math.copysign(1.0, relative.score(mate_score=1 + abs(moves)))
        depth = min(max(2 * moves - 1 if value > 0 else -2 * moves, 1), _MOST)
    else:
        # What is told may be too much for a float.
        centipawns = min(max(relative.score(), -_MOST_CENTIPAWNS), _MOST_CENTIPAWNS)
        value = min(max(result_of_centipawns(centipawns), -_NEARLY), _NEARLY)
    visits = {action: max(nodes, 1)}
    return Analysis(action, value, (action,), {}, (action,), depth, nodes, 0, is_mate, seconds, visits)
