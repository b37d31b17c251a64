"""A player of ours at a board that somebody else sets up: moves of either colour, taken back, by a clock.

The environment is the referee, superko included. Where a colour moves twice in a row, as stones of a handicap do, the
other passes in between.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...agents import Analysis, Listener
from ...agents.engines import vertices_of
from ...agents.timing import limit, playing
from ...envs import Game, make_game
from ..referee.clock import Clock
from .table import Table, kept
from .words import RefusalError

__all__ = ["SIZES", "Seat"]

SIZES = {"go": "board_size", "othello": "size", "gomoku": "size"}  # the parameter that is the size of the board


class Seat(Table):
    """A player at a board of Go, Othello or gomoku, and the clock.

    Args:
        player: the player's spec.
        game: the game.

    Attributes:
        game: the game; `change` changes it.
        agent: the player.
        vertices: the names of the actions in GTP, by number,
        actions: and the numbers by name.
        clock: the time of both players.

    Raises:
        ValueError: as `plyground.agents.make`; or the game is none that GTP can speak of.
    """

    def __init__(self, player: str, game: Game) -> None:
        if game.name not in SIZES:
            raise ValueError(f"GTP speaks of {', '.join(SIZES)}, got {game.spec}")
        self.clock = Clock()
        self._told: list[int] | None = []  # what the player was told of; None: it may know of other moves
        self._known: list[int] = []  # the same, and the move that it made then, which it is told of later
        self._seed: int | None = None  # that somebody has set: players for other boards and komis begin with it too
        super().__init__(player, game)
        self._begin([])

    def change(self, **parameters: Any) -> None:
        """Play the same game with other parameters. A board of another size is empty.

        Raises:
            ValueError: there is no such game, or the player does not play it. Nothing is changed, after this or any
                other error, such as that of a program that plays no such board.
        """
        wanted = {**self.game.parameters, **parameters}
        if wanted != self.game.parameters:
            before = vars(self).copy()
            try:
                self.hire(make_game(self.game.name, **wanted))
                self._begin(self._moves if "komi" in parameters else [])
                if self._seed is not None:
                    self.reseed(self._seed)
            except BaseException:
                vars(self).update(before)
                raise
        elif "komi" not in parameters:
            self._moves = []
            self._replay()

    def load(self, placed: Sequence[int], moves: Sequence[int], **parameters: Any) -> None:
        """Set up the position after some moves of the same game with other parameters.

        Args:
            placed: moves that are taken back together, or not at all: stones of a handicap, and passes between them.
            moves: those after them.
            parameters: of the game.

        Raises:
            ValueError: there is no such game, the player does not play it, or a move is illegal. Nothing is changed,
                after this or any other error.
        """
        before = vars(self).copy()
        try:
            self._moves = []
            self.change(**parameters)
            self._moves = [list(placed), *([move] for move in moves)] if placed else [[move] for move in moves]
            self._replay()
        except BaseException:
            vars(self).update(before)
            self._replay()
            raise
        self.clock.restart()

    def clear(self) -> None:
        """Begin a game."""
        self._moves = []
        self.clock.restart()
        self._replay()
        self.reseed(None)

    def reseed(self, seed: int | None) -> None:
        """Start the player's random numbers anew; it learns of the moves until now when it is asked."""
        self._seed = self._seed if seed is None else seed
        self.agent.reset(seed)
        self._told, self._known = [], []

    def undo(self) -> None:
        """Take back what the last command played.

        Raises:
            RefusalError: there is nothing to take back.
        """
        if not self._moves:
            raise RefusalError("cannot undo")
        self._moves.pop()
        self._replay()

    def place(self, points: list[int]) -> None:
        """Let black play all of these on an empty board, while white passes.

        Raises:
            RefusalError: the game is not Go, the board is not empty, or a point is taken twice.
        """
        if self.game.name != "go":
            raise RefusalError("there are handicaps in Go only")
        if self._moves:
            raise RefusalError("board not empty")
        passes = self.actions["PASS"]
        self._moves.append([action for point in points for action in (point, passes)][:-1])
        try:
            self._replay()
        except ValueError:
            self._moves.clear()
            self._replay()
            raise RefusalError("bad vertex list") from None

    def move(self, player: int, action: int) -> None:
        """Let a player make this move, after two passes too.

        Raises:
            RefusalError: it is illegal; nothing is changed.
        """
        self._resume()
        line = self._turn(player)
        if self.over or not self.seen[1]["action_mask"][action]:
            self._replay()
            raise RefusalError("illegal move")
        self.env.step(action)
        self._moves.append([*line, action])

    def choose(
        self,
        player: int,
        *,
        is_played: bool = True,
        goes_on: bool = False,
        hear: Callable[[Analysis], None] | None = None,
    ) -> str:
        """Return the move that our player makes for this one, and make it; ``PASS`` where the game is over.

        Args:
            player: whose turn it is to be.
            is_played: whether the move is made.
            goes_on: whether the game goes on after two passes, as players do who disagree about dead stones.
            hear: called with what a search has found, while it goes on and at its end.

        Raises:
            RefusalError: it is the other player's turn.
            ValueError: our player plays what is illegal; nothing is changed then, nor after any other error of its.
        """
        if goes_on:
            self._resume()
        line = self._turn(player)
        if self.over:
            if is_played:
                self._moves.append([])  # it changes nothing, and whoever takes it back takes back nothing else
            return "PASS"
        observation, info = self.seen
        start = time.monotonic()
        allowance = self.clock.allowance(player, self.game.max_plies - sum(map(len, self._moves)))
        try:
            self._tell()
            agent = playing(self.agent)  # it may have been drawn only now
            with kept(agent):
                if allowance is not None:
                    is_forced = int(info["action_mask"].sum()) == 1
                    within, clock = allowance.within(self.seconds), self.clock.told(player)
                    limit(agent, within, clock=clock, is_forced=is_forced, hear=hear)
                elif hear is not None and getattr(agent, "hears", False):
                    agent.listener = Listener(hear)
                action = int(agent.act(observation, info))
                found: Analysis | None = getattr(agent, "last_analysis", None)
                if hear is not None and found is not None and found.best_action == action:
                    hear(found)
            if is_played:
                self.env.step(action)
        except BaseException:
            self._replay()  # the other has not passed either
            self._told = None
            raise
        if is_played:
            self.clock.spend(player, time.monotonic() - start)
            self._moves.append([*line, action])
            self._known = list(self.env.moves)
        else:
            self._replay()
            self._told = None  # a program has played the move on its own board
        return self.vertices[action]

    def _tell(self) -> None:
        """Tell a player with a method ``watch`` of the moves that it does not know.

        Where it knows of others, since moves were taken back, it begins the game anew. It could not find out by itself:
        the moves would have to lead from the position that it knows to this one.
        """
        watch = getattr(self.agent, "watch", None)
        if not callable(watch):
            return
        moves = list(self.env.moves)
        if self._told is None or self._known != moves[: len(self._known)]:
            self.reseed(None)
        for action in moves[len(self._told or ()) :]:
            watch(action)
        self._told = self._known = moves

    def _begin(self, moves: list[list[int]]) -> None:
        """Begin a game after these moves: those of each command that made any."""
        self.prepare()
        self._moves, self._told, self._known = moves, [], []
        self.vertices = vertices_of(self.game)
        self.actions = {vertex: action for action, vertex in enumerate(self.vertices)}
        self._replay()

    def _replay(self) -> None:
        """Set up the position after all moves.

        Raises:
            ValueError: one is illegal.
        """
        self.env.reset()
        for action in itertools.chain.from_iterable(self._moves):
            self._resume()
            self.env.step(action)

    def _resume(self) -> None:
        """Let the game go on where two passes have ended it: take them back."""
        moves = list(self.env.moves)
        passes = self.actions.get("PASS", -1)
        if self.over and self.game.name == "go" and moves[-2:] == [passes, passes]:
            self.env.reset()
            for action in moves[:-2]:
                self.env.step(action)

    def _turn(self, player: int) -> list[int]:
        """Let it be a player's turn; return what the other had to play for that: nothing, or a pass.

        Raises:
            RefusalError: it is the other's turn, and passing is not legal.
        """
        if self.to_move == player or self.over:
            return []
        passes = self.actions.get("PASS", -1)
        if passes < 0 or not self.seen[1]["action_mask"][passes]:
            raise RefusalError("illegal move")
        self.env.step(passes)
        self._resume()  # one who has passed moves again, which ends no game
        if self.over:
            self._replay()
            raise RefusalError("illegal move")
        return [passes]
