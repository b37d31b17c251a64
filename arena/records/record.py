"""What is kept of a game, and how it is written as one line of JSON."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ...envs.outside.arguments import is_text
from ...envs.outside.messages import shown
from ..wording import counted
from .event import Event, is_event, known_event
from .judgements import Judgement, are_judgements, read_judgements

__all__ = ["GameRecord", "check_fields", "check_names"]

_LONGEST = 10**10  # seconds of a move: some centuries, more than a PGN file can tell


@dataclass(frozen=True)
class GameRecord:
    """One game. Lists of two are by seat, the first player first.

    Attributes:
        game: the spec of the game, or the name of a PettingZoo environment that is not ours.
        players: the players' names.
        moves: all actions, the opening's included.
        opening: the number of moves that were set before the players took over.
        outcome: what each player got: +1 for a win, 0 for a draw, -1 for a loss, or the game's own utilities.
        ending: how the game ended: ``"finished"`` by its rules; ``"truncated"``: it was broken off; ``"illegal"`` by an
            illegal move, which is the last one; ``"failed"`` by an error of a player; ``"time"`` where one had none
            left; or ``"adjudicated"`` where the result was known.
        seconds: the time that each move took; of moves that were chosen together, in games side by side, an equal share
            of theirs; 0 for the opening's moves.
        movers: the seat, 0 or 1, that chose each move; -1 for the opening's moves.
        seed: the game's seed.
        reason: more about the ending, in one line; of the last three, and where a file cannot be read to its end.
        start: the position before the first move, as `plyground.envs.starting.position_text` writes it: FEN, where the
            game has that; None for the initial position.
        analyses: for each move what its player's search thought, None for moves without; None where nobody asked.
        event: where and when it was played, of games that were read from a store or from a file that says so. Two
            records may differ in it and be equal.
    """

    game: str
    players: list[str]
    moves: list[int]
    opening: int
    outcome: list[float]
    ending: str
    seconds: list[float]
    movers: list[int]
    seed: int | None
    reason: str | None = None
    start: str | None = None
    analyses: list[Judgement | None] | None = None
    event: Event | None = field(default=None, compare=False, repr=False)

    @property
    def beginning(self) -> tuple[str | None, tuple[int, ...]]:
        """Where the players took over: the start and the moves of the opening. Games of a pair share it."""
        return self.start, tuple(self.moves[: self.opening])

    @property
    def has_result(self) -> bool:
        """Whether it counts in tables and ratings: it was not broken off while neither player had more."""
        return self.ending != "truncated" or self.outcome[0] != self.outcome[1]

    @property
    def points(self) -> tuple[float, float]:
        """What each player gained, by seat, as tables and ratings count it: 1 for a win, 0.5 for a draw, or 0."""
        own, other = self.outcome
        first = (own > other) + (own == other) / 2
        return first, 1 - first

    @property
    def loser(self) -> str:
        """The player who got less; of a draw the first."""
        return self.players[self.outcome.index(min(self.outcome))]

    def check_outcome(self) -> None:
        """Raise `ValueError` if the outcome is not finite: no file in which it stood could be read."""
        if not all(map(math.isfinite, self.outcome)):
            raise ValueError(f"the outcome of a game must be two finite numbers, got {self.outcome}")

    def to_json(self) -> str:
        """Return the record as one line of JSON.

        Raises:
            ValueError: the outcome is not finite.
        """
        self.check_outcome()
        # `asdict` copies deeply, which takes ten times as long as the writing.
        data = {name: getattr(self, name) for name in _NAMES}
        if self.event is not None:
            data["event"] = self.event.as_data() or None
        for name in _SOMETIMES:
            if data[name] is None:  # as in nearly every game
                del data[name]
        return json.dumps(data)

    @classmethod
    def from_json(cls, line: str) -> GameRecord:
        """Read what `to_json` wrote.

        Raises:
            ValueError: the line is something else; the message says what is wrong.
        """
        try:
            data: Any = json.loads(line)
        except RecursionError:
            raise ValueError("lists or objects are nested too deeply for a record") from None
        except json.JSONDecodeError as error:
            wrong = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
            raise ValueError(f"no JSON: {wrong} at character {error.pos + 1}, got {shown(line.strip())}") from None
        if not isinstance(data, dict) or set(data) - _SOMETIMES != _ALWAYS:
            listed = ", ".join(sorted(_ALWAYS))
            raise ValueError(f"expected an object with the fields {listed}, got {shown(line.strip())}")
        return cls.from_fields(data)

    @classmethod
    def from_fields(cls, data: Mapping[str, Any]) -> GameRecord:
        """Return the record with these fields, by name.

        Raises:
            ValueError: one does not hold what it should, or they do not fit each other; the message says what is wrong.
        """
        check_fields(data)
        for name in ("seconds", "movers", "analyses"):
            if data.get(name) is not None and len(data[name]) != len(data["moves"]):
                entries = counted(len(data[name]), "entry", "entries")
                raise ValueError(f"{name} has {entries} for {counted(len(data['moves']), 'move')}")
        if data["opening"] > len(data["moves"]):
            opening = counted(data["opening"], "move")
            raise ValueError(f"an opening of {opening}, but the game has {len(data['moves'])}")
        if data["ending"] == "illegal" and not data["moves"]:
            raise ValueError("the ending is 'illegal', by the last move, but the game has no moves")
        if data.get("analyses") is not None:
            data = {**data, "analyses": read_judgements(data["analyses"])}
        if data.get("event") is not None:
            data = {**data, "event": known_event(data["event"])}
        return cls(**data)


_NAMES = tuple(field.name for field in fields(GameRecord))
_SOMETIMES = frozenset(("reason", "start", "analyses", "event"))  # of those that most records do not have
_ALWAYS = frozenset(_NAMES) - _SOMETIMES


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max  # neither true nor NaN


def _is_time(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= _LONGEST


def _is_action(value: Any) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63  # as an array holds it


_ENDINGS = ("finished", "truncated", "illegal", "failed", "time", "adjudicated")

# What the fields of a record hold, in words and as a test.
_FIELDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "game": ("text", is_text),
    "players": (
        "the names of two players",
        lambda value: isinstance(value, list) and len(value) == 2 and all(map(is_text, value)),
    ),
    "moves": ("a list of actions", lambda value: isinstance(value, list) and all(map(_is_action, value))),
    "opening": ("a number of moves", lambda value: type(value) is int and value >= 0),
    "outcome": (
        "two numbers",
        lambda value: isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)),
    ),
    "ending": (
        f"one of {', '.join(_ENDINGS)}",
        lambda value: isinstance(value, str) and value in _ENDINGS,
    ),
    "seconds": (
        f"a list of numbers from 0 to {_LONGEST}",
        lambda value: isinstance(value, list) and all(map(_is_time, value)),
    ),
    "movers": (
        "a list of -1, 0 and 1",
        lambda value: isinstance(value, list) and all(type(seat) is int and -1 <= seat <= 1 for seat in value),
    ),
    "seed": ("an integer or null", lambda value: value is None or type(value) is int),
    "reason": ("text or null", lambda value: value is None or is_text(value)),
    "start": ("a position as text or null", lambda value: value is None or is_text(value)),
    "analyses": (
        "a list of [value, depth, nodes, line, sampled] or null",
        lambda value: value is None or are_judgements(value),
    ),
    "event": (
        "an object with title, site, date and round as texts, or null",
        lambda value: value is None or is_event(value),
    ),
}


def check_names(names: Sequence[Any], players: int) -> None:
    """Raise `ValueError` if there is not a name for each of so many players, or one is none that files can hold."""
    if len(names) != players:
        raise ValueError(f"expected a name for each of {players} players, got {len(names)}: {names}")
    if not all(map(is_text, names)):
        raise ValueError(f"names must be strings, as files of games keep them, got {names}")


def check_fields(data: Mapping[str, Any]) -> None:
    """Raise `ValueError` for the first of some fields of a record that does not hold what it should."""
    for name, value in data.items():
        expected, fits = _FIELDS[name]
        if not fits(value):
            raise ValueError(f"{name} must be {expected}, got {shown(value)}")
