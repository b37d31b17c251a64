"""A person and an agent at one board: what is printed, typed, taken back, and given up."""

from __future__ import annotations

import time
from typing import Any

from rich.text import Text

from ....agents import Agent, Human, Info, Observation, make, state_of
from ....agents.search import analyse_seen
from ....envs import BoardGameEnv, Game, State
from ....envs.definition.board import sides_of
from ....envs.players import checked_answer
from ....envs.vector.opponents import prepare
from ...lines import console, print_plain, signed
from ...loop import play as play_game
from ...tables import format_seconds
from ...wording import counted
from .boards import counts, drawn, side_name

__all__ = ["Table"]

_out = console(highlight=False)
_ADVISER = "mcts(seconds=1)"  # gives hints where the opponent does not search


class _EndedError(Exception):
    """Somebody resigned."""


class _TakenBackError(Exception):
    """Moves were taken back."""


class Table:
    """A game in progress: who sits where, and the moves until now.

    Args:
        game: the game.
        against: the spec of the opponent.
        seat: the person's seat, 0 or 1.
        unicode: whether pieces are drawn by their symbols, if they have any.
    """

    def __init__(self, game: Game, against: str, seat: int, unicode: bool = False) -> None:
        self.game, self.against, self.seat, self.unicode = game, against, seat, unicode
        self.env = BoardGameEnv(game)
        self.opening: list[int] = []  # the moves before the last one that was taken back
        person = Human(
            game,
            show=_print,
            board=self._board,
            commands={
                "hint": ("let a search look at the position", self._hint),
                "undo": ("take back your last move", self._undo),
                "resign": ("give the game up", self._resign),
            },
        )
        self._two = against == "human"
        self.opponent = person if self._two else make(against, game)
        self.players: list[Agent] = [person, person if self._two else _Announced(self)]
        if seat == 1:
            self.players.reverse()
        self._names = ["human", against] if seat == 0 else [against, "human"]
        self._adviser: Any = None

    @property
    def moves(self) -> list[int]:
        """All moves until now."""
        return [*self.opening, *self.env.moves]

    def name(self, player: int) -> str:
        """Return what a player is called, as in ``"Black (X)"``."""
        return side_name(self.game, player)

    def play(self, seed: int) -> None:
        """Play the game to its end."""
        if self._two:
            _print(f"{self.name(0)} begins, against {self.name(1)}. ? for help.")
        else:
            order = "and begin" if self.seat == 0 else "and move second"
            _print(f"You are {self.name(self.seat)} {order}; {self.against} is {self.name(1 - self.seat)}. ? for help.")
        while True:
            try:
                record = play_game(self.env, self.players, seed, names=self._names, options={"moves": self.opening})
                break
            except _TakenBackError:
                continue
            except _EndedError:
                return
        state = self.game.play_moves(self.moves)
        _print(self._board(state))
        plies = counted(len(self.moves), "ply", "plies")
        _print(f"{self.env.status(sides_of(self.game))} after {plies}.")  # the state does not know of repetitions
        if record.ending == "illegal":
            _print(f"{self.against} made an illegal move.")
        if not self._two:
            own, other = record.outcome[self.seat], record.outcome[1 - self.seat]
            _print("A draw." if own == other else "You win." if own > other else "You lose.")

    def _board(self, state: State) -> Any:
        last = (self.game.play_moves(self.moves[:-1]), self.moves[-1]) if self.moves else None
        text = drawn(self.game, state, last, self.unicode)
        if (counted := counts(self.game, state)) and self.moves:
            text.append(f"\n{counted}")
        return text

    def _hint(self, state: State) -> None:
        if self._adviser is None:
            name = self.against if hasattr(self.opponent, "analyse") else _ADVISER
            self._adviser = make(name, self.game), name
        adviser, name = self._adviser
        observation, _, _, _, info = self.env.last()  # a network is shown boards that the state does not have
        found = analyse_seen(adviser, observation, info)
        move = self.game.move_name(state, found.best_action)
        _print(f"Hint: {move}, value {signed(found.value, 2)} for you, says {name}.")

    def _undo(self, state: State) -> None:
        """Take back the moves until the same person is to move again."""
        mover = int(self.game.player(state))
        for count in range(len(self.moves) - 1, -1, -1):
            if int(self.game.player(self.game.play_moves(self.moves[:count]))) == mover:
                self.opening = self.moves[:count]
                raise _TakenBackError
        _print("There is no move of yours to take back.")

    def _resign(self, state: State) -> None:
        winner = 1 - int(self.game.player(state))
        _print(f"{self.name(1 - winner)} resigns: {self.name(winner)} wins.")
        raise _EndedError


class _Announced:
    """The opponent, whose moves are printed with the time that they took."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def prepare(self) -> None:
        prepare(self._table.opponent)

    def reset(self, seed: int | None = None) -> None:
        self._table.opponent.reset(seed)

    def watch(self, action: int) -> None:
        watch = getattr(self._table.opponent, "watch", None)
        if callable(watch):
            watch(action)

    def act(self, observation: Observation, info: Info | None = None) -> int:
        start = time.perf_counter()
        with _out.status(Text(f"{self._table.against} thinks …")):
            answer = self._table.opponent.act(observation, info)
        action = checked_answer(answer, self._table.against, self._table.game)
        took = format_seconds(time.perf_counter() - start)
        name = self._table.game.move_name(state_of(self._table.game, observation, info), action)
        _print(f"{self._table.against} plays {name} ({took})")
        return action


def _print(text: Any) -> None:
    print_plain(_out, text)
