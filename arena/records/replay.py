"""Replaying a game move by move, and what a record says beside its moves: shared by the file formats.

The formats of the field know moves, players and results. The rest of a `GameRecord` goes into a line of JSON, the
notes: the game with its parameters, the length of the opening, the outcome, the ending, the seed, and the illegal move
if one ended the game (all moves in a file are legal). The times of the moves are lost. The file does not say who chose
a move: it was the player to move.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...envs import Game, make_game
from ...envs.jit import kernel
from .record import GameRecord

__all__ = ["Replay", "legal_moves", "read_notes", "write_notes"]

_NOTES = {"game": str, "opening": int, "outcome": list, "ending": str, "seed": int | None}


@kernel
def _advance(game, state, action, actions):
    """Play ``action``, unless negative; return who is to move, and the number of legal actions, 0 after the end."""
    if action >= 0:
        game.play(state, action)
    return game.player(state), 0 if game.is_terminal(state) else game.legal_actions(state, actions)


class Replay:
    """A game that is replayed.

    Attributes:
        game: what is played.
        state: the position after the moves so far.
        moves: the actions so far.
        movers: the players, 0 or 1, who made these moves.
        player: the player to move, 0 or 1.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.state: Any = game.new_state()
        self.moves: list[int] = []
        self.movers: list[int] = []
        self._actions = np.empty(game.num_actions, np.int32)
        self.player, self._count = _advance(game, self.state, -1, self._actions)

    @property
    def legal(self) -> list[int]:
        """The legal actions; none when the game is over."""
        return self._actions[: self._count].tolist()

    def play(self, action: int, text: str) -> None:
        """Play a move.

        Raises:
            ValueError: it is illegal, or the game is over; the message has its number and ``text``.
        """
        number = len(self.moves) + 1
        if self._count == 0:
            raise ValueError(f"move {number}, {text}, comes after the end of the game of {self.game.spec}")
        if action not in self._actions[: self._count]:
            raise ValueError(f"move {number}, {text}, is illegal in {self.game.spec}")
        self.moves.append(action)
        self.movers.append(self.player)
        self.player, self._count = _advance(self.game, self.state, action, self._actions)

    def record(self, players: list[str], result: float | None, notes: dict[str, Any] | None) -> GameRecord:
        """Return the record of the game.

        Args:
            players: the players' names, the first player first.
            result: +1 the first player won, 0 a draw, -1 the second won; None: the file does not say.
            notes: what `read_notes` found. Without notes ``result`` counts, whatever the rules say of the last
                position: people resign, agree to draws and score by other rules.

        Raises:
            ValueError: the notes do not fit the moves.
        """
        moves, movers = list(self.moves), list(self.movers)
        if notes is None:
            if result is None and self._count == 0:
                result = float(self.game.utility(self.state, 0))
            outcome = [0.0, 0.0] if result is None else [result, 0.0 - result]
            ending = "truncated" if result is None else "finished"
            return GameRecord(self.game.spec, players, moves, 0, outcome, ending, [0.0] * len(moves), movers, None)
        if "illegal" in notes:
            moves.append(notes["illegal"])
            movers.append(self.player)
        opening = notes["opening"]
        if not 0 <= opening <= len(moves):
            raise ValueError(
                f"the notes speak of an opening of {opening} moves, the game has {len(moves)}: if the moves were "
                "edited, delete the notes"
            )
        movers[:opening] = [-1] * opening
        return GameRecord(
            game=self.game.spec,
            players=players,
            moves=moves,
            opening=opening,
            outcome=notes["outcome"],
            ending=notes["ending"],
            seconds=[0.0] * len(moves),
            movers=movers,
            seed=notes["seed"],
        )


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
    return json.dumps(notes)


def read_notes(text: str, names: Sequence[str]) -> tuple[dict[str, Any], Game]:
    """Return the notes in a line of JSON, and the game they name.

    Args:
        text: what `write_notes` wrote.
        names: the games that the file may hold.

    Raises:
        ValueError: the text is something else, or the game is not one of these.
    """
    try:
        notes = json.loads(text)
    except ValueError:
        notes = None
    if (
        not isinstance(notes, dict)
        or set(notes) - {"illegal"} != set(_NOTES)
        or not all(isinstance(notes[name], kind) for name, kind in _NOTES.items())
        or not isinstance(notes.get("illegal", 0), int)
    ):
        raise ValueError(f"expected notes with {', '.join(_NOTES)} as JSON, got {text[:80]!r}: delete them")
    game = make_game(notes["game"])
    if game.name not in names:
        raise ValueError(f"the notes name the game {game.spec}, the file holds {' or '.join(names)}")
    return notes, game
