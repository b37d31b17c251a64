"""Replaying a game move by move, and what a record says beside its moves: shared by the file formats.

The formats of the field know moves, players and results. The rest of a `GameRecord` goes into a line of JSON, the
notes: the game with its parameters, the length of the opening, the outcome, the ending with its reason if there is one,
the seed, the illegal move if one ended the game (all moves in a file are legal), and names of players that not every
format can tell. The times of the moves are lost, and what searches thought. The file does not say who chose a move: it
was the player to move. Where a game starts, formats that can say it have in their own way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...envs import Game, State
from ...envs.jit import PlainFirst, kernel
from ...envs.outside.messages import cut, shown
from ...envs.starting import position_of, position_text
from ..wording import counted
from .record import GameRecord, check_fields

__all__ = ["Replay", "legal_moves", "read_notes", "replayed", "write_notes"]

_NOTES = ("game", "opening", "outcome", "ending", "seed")
_SOMETIMES = frozenset(("illegal", "reason", "players"))
_STRETCH = 64  # plies played in one call: as plain Python, a whole game of Go 19×19 takes as long as the compiler
_RESULTS = {1: "a win of the first player", -1: "a win of the second player", 0: "a draw"}


@kernel
def _advance(game, states, moves, movers, ends, legal):
    """Play moves while they are legal; return how many, who is to move, and the number of legal actions, 0 at the end.

    Args:
        game: the game.
        states: [2] the position, which is advanced; and room for an earlier one.
        moves: [some] the actions.
        movers: [some] who must make each; -1: whoever is to move, who is then written there.
        ends: [some] 1: the turn must end with the action; 0: it must not; -1: either. After a 0 comes the rest of the
            same move, and all of it is played or none.
        legal: [num_actions] is set to the legal actions.
    """
    state = states[0]
    player, count = 0, 0
    played = 0  # without the first actions of a move
    fits = True
    for i in range(-1, moves.size):
        if i >= 0:
            if i == played and ends[i] >= 0:
                states[1] = state
            fits = movers[i] < 0 or movers[i] == player
            if fits:
                fits = False
                for k in range(count):
                    fits = fits or legal[k] == moves[i]
            if fits:
                game.play(state, moves[i])
                over = game.is_terminal(state)
                fits = ends[i] < 0 or (ends[i] == 1) == (over or game.player(state) != player)
                movers[i] = player
            if not fits and ends[i] >= 0:
                states[0] = states[1]
            elif fits and ends[i] != 0:
                played = i + 1
        player = game.player(state)
        count = 0 if game.is_terminal(state) else game.legal_actions(state, legal)
        if not fits:
            break
    return played, player, count


_advanced = PlainFirst(_advance)


class Replay:
    """A game that is replayed.

    Attributes:
        game: what is played.
        moves: the actions so far.
        movers: the players, 0 or 1, who made these moves.
        player: the player to move, 0 or 1.
    """

    def __init__(self, game: Game, state: State | None = None, moves: Sequence[int] = ()) -> None:
        """Begin from ``state``, by default the initial position, with ``moves`` as far as they are legal."""
        self.game = game
        self.moves: list[int] = []
        self.movers: list[int] = []
        self._states: Any = np.zeros(2, game.dtype)
        self._states[0] = game.initial[0] if state is None else state
        self._start = None if state is None else position_text(game, state)
        self._actions = np.empty(game.num_actions, np.int32)
        self.player, self._count = 0, 0
        self.play_all(moves)

    @property
    def state(self) -> State:
        """The position after the moves so far."""
        return self._states[0]

    @property
    def legal(self) -> list[int]:
        """The legal actions; none when the game is over."""
        return self._actions[: self._count].tolist()

    def play_all(
        self, moves: Sequence[int], movers: Sequence[int] | None = None, ends: Sequence[int] | None = None
    ) -> int:
        """Play moves as long as they are legal, and return how many were played.

        Args:
            moves: the actions.
            movers: who must make each. Default: whoever is to move.
            ends: for each action, 1 if it must end the turn, and 0 if it must not: the actions until the next 1 are
                then one move, and all are played or none. Default: either.
        """
        actions, anybody = np.array(moves, np.int64), np.full(len(moves), -1)
        made = anybody.copy() if movers is None else np.array(movers, np.int64)
        finished = anybody if ends is None else np.array(ends, np.int64)
        step = _STRETCH if ends is None else max(1, len(moves))  # a move of several actions is played in one call
        played = 0
        for start in range(0, max(1, len(moves)), step):
            part = slice(start, start + step)
            more, player, count = _advanced(
                self.game, self._states, actions[part], made[part], finished[part], self._actions
            )
            self.player, self._count = int(player), int(count)
            played += int(more)
            if more < len(actions[part]):
                break
        self.moves += moves[:played]
        self.movers += made[:played].tolist()
        return played

    def play(self, action: int, text: str) -> None:
        """Play a move.

        Raises:
            ValueError: it is illegal, or the game is over; the message has its number and ``text``.
        """
        is_action = 0 <= action < self.game.num_actions
        if self._count == 0 or not is_action or not self.play_all([action]):
            what = "comes after the end of the game of" if self._count == 0 else "is illegal in"
            raise ValueError(f"move {len(self.moves) + 1}, {text}, {what} {self.game.spec}")

    def record(self, players: list[str], result: float | None, notes: dict[str, Any] | None) -> GameRecord:
        """Return the record of the game.

        Args:
            players: the players' names, the first player first.
            result: +1 the first player won, 0 a draw, -1 the second won; None: the file does not say.
            notes: what `read_notes` found. Without notes ``result`` counts, unless the end is on the board, see
                `_check_result`: people resign, agree to draws and score by other rules.

        Raises:
            ValueError: the notes do not fit the moves, or the result not the board.
        """
        moves, movers = list(self.moves), list(self.movers)
        if notes is None:
            self._check_result(result)
            if result is None and self._count == 0:
                result = float(self.game.utility(self.state, 0))
            outcome = [0.0, 0.0] if result is None else [result, 0.0 - result]
            ending = "truncated" if result is None else "finished"
            times = [0.0] * len(moves)
            return GameRecord(
                self.game.spec, players, moves, 0, outcome, ending, times, movers, None, start=self._start
            )
        if "illegal" in notes:
            moves.append(notes["illegal"])
            movers.append(self.player)
        opening = notes["opening"]
        if not 0 <= opening <= len(moves):
            raise ValueError(
                f"the notes speak of an opening of {counted(opening, 'move')}, the game has {len(moves)}: if the moves "
                "were edited, delete the notes"
            )
        movers[:opening] = [-1] * opening
        return GameRecord(
            game=self.game.spec,
            players=notes.get("players", players),
            moves=moves,
            opening=opening,
            outcome=notes["outcome"],
            ending=notes["ending"],
            seconds=[0.0] * len(moves),
            movers=movers,
            seed=notes["seed"],
            reason=notes.get("reason"),
            start=self._start,
        )

    def _check_result(self, result: float | None) -> None:
        """Raise `ValueError` if a game ended on the board, where nobody can resign, and a file has another result.

        A draw is on the board where no move is left: others may have to be claimed. In Go players agree on dead stones,
        which our rules count as alive.
        """
        if result is None or self._count or self.game.name == "go":
            return
        utility = float(self.game.utility(self.state, 0))
        ours = (utility > 0) - (utility < 0)
        if result != ours and (ours or not self.game.actions(self.state)):
            told, found = (_RESULTS[int(one)] for one in (result, ours))
            raise ValueError(f"its result is {told}, but by the rules of {self.game.spec} the last position is {found}")


def replayed(game: Game, record: GameRecord) -> Replay:
    """Return a game of a record, at its start.

    Raises:
        ValueError: the start is no position of the game.
    """
    return Replay(game, None if record.start is None else position_of(game, record.start))


def legal_moves(record: GameRecord) -> Sequence[int]:
    """Return the moves of a record without the illegal one that ended it, if one did."""
    return record.moves[:-1] if record.ending == "illegal" else record.moves


def write_notes(record: GameRecord) -> str:
    """Return the notes of a record, as one line of JSON."""
    notes: dict[str, Any] = {
        "game": record.game,
        "opening": record.opening,
        "outcome": record.outcome,
        "ending": record.ending,
        "seed": record.seed,
    }
    if record.ending == "illegal":
        notes["illegal"] = record.moves[-1]
    if record.reason is not None:
        notes["reason"] = record.reason
    if not all(name.isprintable() and name.strip() not in ("", "?") for name in record.players):
        notes["players"] = record.players  # line breaks become blanks, and "?" is nobody
    return json.dumps(notes)


def read_notes(text: str, names: Sequence[str], made: Callable[[str], Game]) -> tuple[dict[str, Any], Game]:
    """Return the notes in a line of JSON, and the game they name.

    Args:
        text: what `write_notes` wrote.
        names: the games that the file may hold.
        made: makes a game of its spec.

    Raises:
        ValueError: the text is something else, or the game is not one of these.
    """
    try:
        notes = json.loads(text)
        if not isinstance(notes, dict) or set(notes) - _SOMETIMES != set(_NOTES):
            raise ValueError("other fields")
        check_fields({name: value for name, value in notes.items() if name != "illegal"})
        check_fields({"moves": [notes.get("illegal", 0)]})
    except (ValueError, RecursionError):
        message = f"expected notes with {', '.join(_NOTES)} as JSON, got {shown(text)}: delete them"
        raise ValueError(message) from None
    if ("illegal" in notes) != (notes["ending"] == "illegal"):
        raise ValueError("the notes tell an illegal move where none ended the game, or none where one did: delete them")
    if notes["game"].partition("(")[0].strip() not in names:  # before it is made: a file of one's own would be run
        raise ValueError(f"the notes name the game {cut(notes['game'], 60)}, the file holds {' or '.join(names)}")
    return notes, made(notes["game"])
