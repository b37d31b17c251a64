"""A player of ours at a chessboard that somebody else sets up: positions with the moves that led to them.

Whoever set it up decides when the game is over. Draws by our rules that nobody claimed, by repetition or after fifty
moves without a capture or a move of a pawn, do not end it: the player then sees the position without its past, and the
count of such moves begins anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...envs import Game, State, make_game
from ...envs.jit import kernel
from .table import Table

__all__ = ["ChessSeat"]

_ARRAY = 518  # the number of the usual starting position in Chess960
_USUAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_MOST_QUIET = 200  # plies that are counted: which leaves room to count on


@kernel
def _play_legal(game, state, action, actions):
    """Write the legal actions [count] and return their count; play the action if it is one of them, and -1 is not.

    Returns:
        The count, and whether the action was played.
    """
    count = game.legal_actions(state, actions)
    for i in range(count):
        if actions[i] == action:
            game.play(state, action)
            return count, True
    return count, False


class ChessSeat(Table):
    """The player, the position, and the moves that led to it.

    Args:
        player: the player's spec.
        game: chess.
        **changed: arguments of the player that take the place of those in its spec.

    Attributes:
        state: the position.
        moves: the actions that were played since the game began.

    Raises:
        ValueError: as `plyground.agents.make`; or the game is not chess.
    """

    def __init__(self, player: str, game: Game, **changed: Any) -> None:
        if game.name != "chess":
            raise ValueError(f"UCI speaks of chess, got {game.spec}")
        super().__init__(player, game, **changed)
        self._begin(None, self._usual())

    def _begin(self, fen: str | None, start: State) -> None:
        self._fen, self._states = fen, [start]
        self.moves: list[int] = []
        self._names: list[str] = []
        self._actions = np.empty(self.game.num_actions, np.int32)
        self._shown: int | None = None  # so many moves the referee has played; None: it is to begin anew

    @property
    def state(self) -> State:
        """The position."""
        return self._states[-1]

    @property
    def legal(self) -> list[int]:
        """The legal actions; none if it is mate or stalemate."""
        count, _ = _play_legal(self.game, self.state, -1, self._actions)
        return self._actions[:count].tolist()

    @property
    def is_960(self) -> bool:
        """Whether kings and rooks may begin anywhere."""
        return self.game.parameters["chess960"] >= 0

    def rehire(self, is_960: bool, **changed: Any) -> None:
        """Make the player anew, for chess or Chess960, with these arguments. A board of the other kind is set up anew.

        Raises:
            ValueError: the player does not take them; nothing is changed.
        """
        if is_960 == self.is_960:
            self.hire(self.game, **changed)
            self._shown = None
            return
        self.hire(make_game("chess", **{**self.game.parameters, "chess960": _ARRAY if is_960 else -1}), **changed)
        self._begin(None, self._usual())

    def _usual(self) -> State:
        """Return the initial position of chess, which UCI means by ``startpos``, in Chess960 as well."""
        return self.game.state_from_fen(_USUAL) if self.is_960 else self.game.new_state()

    def clear(self) -> None:
        """Let the player forget the last game."""
        if self._prover is not None:
            self._prover.reset()
        if self.env is not None:
            self.agent.reset()
        self._shown = None

    def set_up(self, fen: str | None, names: Sequence[str]) -> None:
        """Set up a position.

        Args:
            fen: where the game began; None for the initial position.
            names: the moves from there, as UCI names them.

        Raises:
            ValueError: the position cannot be read, or a move is illegal. Nothing is changed.
        """
        known = len(self._names) if fen == self._fen and list(names[: len(self._names)]) == self._names else -1
        if known >= 0:  # the same game goes on
            start, states, moves = None, self._states.copy(), self.moves.copy()
        else:
            start = self._usual() if fen is None else self.game.state_from_fen(self._readable(fen))
            states, moves, known = [start], [], 0
        for number, name in enumerate(names[known:], known + 1):
            state, after = states[-1], states[-1].copy()
            action = self.game.move_of(state, name)
            if not self._played(after, action):
                raise ValueError(f"move {number}, {name}, is illegal in {self.game.fen(state)}")
            states.append(after)
            moves.append(action)
        if start is not None:
            self._begin(fen, start)
        self._states, self.moves, self._names = states, moves, list(names)

    def line_names(self, line: Sequence[int]) -> list[str]:
        """Return the moves of a line from the position, as far as they are legal, as UCI names them."""
        after, names = self.state.copy(), []
        for action in line:
            name = self.game.move_name(after, action)
            if not self._played(after, action):
                break
            names.append(name)
        return names

    def _played(self, state: State, action: int) -> bool:
        """Play an action if it is legal, and return whether it was."""
        is_legal = _play_legal(self.game, state, action, self._actions)[1]
        state.quiet = min(int(state.quiet), _MOST_QUIET)
        return bool(is_legal)

    def prepare(self) -> None:
        """Compile all that a move needs, if that was not done, and begin a game."""
        super().prepare()
        _ = self.legal

    def show(self) -> tuple[Any, Any] | None:
        """Return what the player to move sees, and what the environment tells beside it; None: our game is over.

        A player with a method ``watch`` is told of the moves that it does not know.
        """
        self.prepare()
        if self._shown is None:
            start = self._playable(self._states[0])
            if self.game.is_terminal(start):  # nobody could mate from the beginning, nor can later
                return None
            if callable(getattr(self.agent, "watch", None)):
                self.agent.reset()
            self.env.reset(options={"state": start})
            self._shown = 0
        for number in range(self._shown, len(self.moves)):
            self._go_on(self._states[number])
            if not self.over:
                self.env.step(self.moves[number])
            if callable(getattr(self.agent, "watch", None)):
                self.agent.watch(self.moves[number])
        self._shown = len(self.moves)
        self._go_on(self.state)
        return None if self.over else self.seen

    def _go_on(self, state: State) -> None:
        """Let the referee begin anew at a position if our game was over, and it is not by this position alone."""
        if self.over and not self.game.is_terminal(playable := self._playable(state)):
            self.env.reset(options={"state": playable})

    def _playable(self, state: State) -> State:
        """Return the same position; the count of quiet plies begins anew where our rules have drawn the game."""
        if int(state.quiet) < int(self.game.parameters["max_quiet_plies"]):
            return state
        changed = state.copy()
        changed.quiet = 0
        return changed

    def _readable(self, fen: str) -> str:
        """Return a position whose count of quiet plies begins anew where our rules have drawn the game."""
        fields, limit = fen.split(), int(self.game.parameters["max_quiet_plies"])
        if len(fields) > 4 and fields[4].isascii() and fields[4].isdigit() and limit <= int(fields[4][:6]):
            fields[4] = "0"
        return " ".join(fields)
