"""What is kept of a game, as one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

__all__ = ["GameRecord", "read_records", "saved_records", "write_records"]


@dataclass(frozen=True)
class GameRecord:
    """One game. Lists of two are by seat, the first player first.

    Attributes:
        game: the spec of the game, or the name of a PettingZoo environment that is not ours.
        players: the players' names.
        moves: all actions, the opening's included.
        opening: the number of moves that were set before the players took over.
        outcome: what each player got: +1 for a win, 0 for a draw, -1 for a loss, or the game's own utilities.
        ending: ``"finished"``, ``"truncated"``, or ``"illegal"`` where an illegal move ended the game.
        seconds: the wall-clock time that each move took; 0 for the opening's moves.
        movers: the seat, 0 or 1, that chose each move; -1 for the opening's moves.
        seed: the game's seed.
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

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> GameRecord:
        """Read what `to_json` wrote.

        Raises:
            ValueError: the line is something else; the message says what is wrong.
        """
        data: Any = json.loads(line)
        names = {field.name for field in fields(cls)}
        if not isinstance(data, dict) or set(data) != names:
            raise ValueError(
                f"expected an object with the fields {', '.join(sorted(names))}, got {line.strip()[:80]!r}"
            )
        return cls(**data)


def saved_records(path: str | Path, records: Iterable[GameRecord]) -> Iterator[GameRecord]:
    """Yield the records, each as soon as it is added to a file of JSON lines."""
    with open(path, "a", encoding="utf-8") as file:
        for record in records:
            file.write(record.to_json() + "\n")
            file.flush()
            yield record


def write_records(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Add records to a file of JSON lines, one after the other as they come."""
    for _ in saved_records(path, records):
        pass


def read_records(path: str | Path) -> Iterator[GameRecord]:
    """Yield the records of a file of JSON lines.

    Raises:
        ValueError: a line is no record; the message has its number.
    """
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield GameRecord.from_json(line)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
