"""A tournament while it is played: games that are in the store are not played again, and those that come are saved."""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import operator
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...agents.identity import game_identity, player_identity
from ...envs import Game
from ...envs.outside.spec import same_spec
from ...envs.players import PlayerLike
from ...envs.version import __version__
from ..records.names import is_store, split_name
from ..records.opening import Opening
from ..records.record import GameRecord
from ..wording import counted
from .keys import digest, game_key, player_digest, rules_digest
from .rows import COLUMNS, INSERT, INSERT_ANALYSES, analyses_of, record_of, row_of
from .titles import check_new, known_in, title_of_tournament
from .writing import Writer

__all__ = ["Plan", "Session"]

_LOG = logging.getLogger("plyground")
_BY_KEY = (
    f"SELECT {', '.join(f'games.{column}' for column in COLUMNS)}, endings.name, analyses.data "
    "FROM games JOIN endings ON endings.id = games.ending LEFT JOIN analyses ON analyses.game = games.id WHERE key = ?"
)
_COUNT = (
    "SELECT tournaments.id, count(*) FROM tournaments JOIN entries ON tournament = tournaments.id WHERE key = ? "
    "GROUP BY tournaments.id"
)
_ANY_NUMBER = ("round_robin", "gauntlet")  # formats in which more games of each pairing are more of the same


class Plan(NamedTuple):
    """What a tournament is: whatever its games depend on.

    Attributes:
        game: what is played.
        players: the players as they were given.
        labels: their names in the records.
        format: who plays whom.
        games: how many each pairing plays.
        seed: the tournament's seed.
        openings: what the openings are, as values that JSON has.
        others: further arguments on which a game depends, by name, as values that JSON has.
        max_failures: after how many a player is withdrawn, on which it depends which games there are; None: as usual.
        remarks: what else is not as usual, in words, for the title.
        same_format: tells whether two spellings of a format mean the same: earlier versions kept them as they came.
        at_most: whether something else may end it before so many games, which are then no plan.
    """

    game: Game
    players: Sequence[PlayerLike]
    labels: Sequence[str]
    format: str
    games: int
    seed: int
    openings: Any
    others: Mapping[str, Any] = {}
    max_failures: int | None = None
    remarks: Sequence[str] = ()
    same_format: Callable[[str, str], bool] = operator.eq
    at_most: bool = False

    @property
    def has_any_number(self) -> bool:
        """Whether more games of each pairing are more of the same, in a tournament that goes on."""
        return self.format.partition("(")[0].strip() in _ANY_NUMBER

    @property
    def title(self) -> str:
        """What it is, in a line, but for the game."""
        pairings = () if self.has_any_number else (f"{self.games} games of each pairing",)
        what = f"{self.format}, seed {self.seed}: {', '.join(self.labels)}"
        return "; ".join([what, *pairings, *self.remarks])


def _named_alike(files: Iterable[str], others: Iterable[str]) -> bool:
    return {Path(file).name for file in files} == {Path(file).name for file in others}


class Session:
    """A tournament in a store. Threads may share it.

    Nobody plays yet when one is made: `begin` notes a run in the file, before the first game, and `close` its end.

    Args:
        path: the file, which is made if it is not there; ``games.db#night`` gives a new tournament that title, and goes
            on with no other.
        plan: the tournament.
        resume: whether it may go on after games that are in the file.

    Attributes:
        number: the tournament's number in the file.
        games: how many of its games were in the file.

    Raises:
        ValueError: its games are in the file and nobody said to go on; what stands behind ``#`` is the title or the
            number of another tournament, or a number of none; or the file is no store, damaged, or of a later version.
        OSError: it cannot be written.
    """

    def __init__(self, path: str | Path, plan: Plan, resume: bool = False) -> None:
        if not is_store(path):
            raise ValueError(f"cannot keep games in {path}: expected a name that ends in .db")
        file, name = split_name(path)
        if not file.exists():
            check_new(file, name)  # before there is a file
        self._games = plan.games
        own = game_identity(plan.game)
        identities = [player_identity(player, plan.game) for player in plan.players]
        pairs = list(zip(plan.labels, identities, strict=True))
        self._players = {name: player_digest(name, identity) for name, identity in pairs}
        self._run: int | None = None
        self._writer = writer = Writer(file)
        try:
            with writer.reading() as connection:

                def look_for(spelt: tuple[Mapping[str, Any], str]) -> Any:
                    return connection.execute(_COUNT, (self._key_under(plan, *spelt)[1],)).fetchone()

                spellings = itertools.product(_known_as(connection, own), _formats(connection, plan))
                rules, format = next(filter(look_for, spellings), (own, plan.format))
                arguments, key = self._key_under(plan, rules, format)
                found = look_for((rules, format))
                self.games: int = found[1] if found else 0
            own = f"{self._source}, {plan.title}"
            if self.games and not resume:
                raise ValueError(
                    f"{file} has {counted(self.games, 'game')} of this tournament already ({own}): go on with them by "
                    "--resume (resume=True), or choose another file"
                )
            with writer.writing() as connection:
                title = title_of_tournament(file, name, key, own, known_in(connection))
                self._tell_of_others(connection, found and found[0], pairs)
                self.number = writer.tournament(key, title, arguments)
                if name is not None:  # a run that ended before its first game may have left another title
                    connection.execute("UPDATE tournaments SET title = ? WHERE id = ?", (title, self.number))
                self._extend(connection, arguments)
                self._rules_number = writer.rules(rules, self._rules)
                self._numbers = {name: writer.player(name, one, self._players[name]) for name, one in pairs}
        except BaseException:
            writer.close()
            raise

    def _key_under(self, plan: Plan, rules: Mapping[str, Any], format: str) -> tuple[dict[str, Any], bytes]:
        """Return the arguments and the key that a tournament has under these rules, which are ours from now on.

        Args:
            plan: the tournament.
            rules: the game, as it is or may be in the file.
            format: the format, as it is or may be in the file.
        """
        self._source, self._rules = rules["game"], rules_digest(rules)
        self._basis = digest([self._rules.hex(), dict(plan.others)]) if plan.others else self._rules
        arguments = {
            "game": self._source,
            "players": list(plan.labels),
            "format": format,
            "games": plan.games,
            "seed": plan.seed,
            "openings": plan.openings,
            **plan.others,
        }
        if plan.max_failures is not None:  # older files know none
            arguments["max_failures"] = plan.max_failures
        what = {**arguments, "players": [self._players[name].hex() for name in plan.labels]}
        what["game"] = self._rules.hex()
        if plan.has_any_number:
            del what["games"]
        return arguments | ({"at_most": True} if plan.at_most else {}), digest(what)

    def _extend(self, connection: sqlite3.Connection, arguments: dict[str, Any]) -> None:
        """Note that a tournament has more games than before, or whether so many are planned, or only allowed."""
        if self._planned(connection) <= arguments["games"]:
            connection.execute(
                "UPDATE tournaments SET arguments = ? WHERE id = ?", (json.dumps(arguments), self.number)
            )

    def _planned(self, connection: sqlite3.Connection) -> int:
        """Return how many games a pairing has, by the longest plan until now."""
        (text,) = connection.execute("SELECT arguments FROM tournaments WHERE id = ?", (self.number,)).fetchone()
        return json.loads(text)["games"]

    def _tell_of_others(
        self, connection: sqlite3.Connection, number: int | None, pairs: list[tuple[str, dict[str, Any]]]
    ) -> None:
        """Say what may surprise: games of players of the same names that are others, or of another version."""
        for name, identity in pairs:
            stored = connection.execute(  # of the players of a collection only the name is known
                "SELECT digest, configuration FROM players WHERE name = ? AND configuration <> '{}'", (name,)
            ).fetchall()
            # The networks that come with plyground are a file for each board: those of other boards have not changed.
            stored = [one for one, text in stored if _named_alike(json.loads(text).get("files", {}), identity["files"])]
            if stored and self._players[name] not in stored:
                _LOG.warning(
                    "%s has games of another %s, whose spec or files have changed since: they do not count",
                    self._writer.path,
                    name,
                )
        if number is not None:
            _LOG.info("%d games are in %s", self.games, self._writer.path)
        versions = connection.execute("SELECT DISTINCT version FROM runs WHERE version <> ?", (__version__,)).fetchall()
        if versions:
            _LOG.warning(
                "%s has games that were played by plyground %s, and this is %s: those that are asked for again count",
                self._writer.path,
                ", ".join(version for (version,) in versions),
                __version__,
            )

    def begin(self) -> None:
        """Note that this process plays the tournament from now on.

        Raises:
            OSError: the store cannot be written.
        """
        with self._writer.writing():
            self._run = self._writer.run(self.number)

    def find(self, players: Sequence[str], opening: Opening, seed: int) -> GameRecord | None:
        """Return a game that is in the file, whichever tournament it was played for; None if it is not.

        Args:
            players: their names, the first to move first.
            opening: its opening.
            seed: the seed of the game.
        """
        return self._stored(self._key(players, opening, seed), players)

    def keep(self, records: Sequence[GameRecord]) -> list[GameRecord]:
        """Save games that are finished, in any order, and return them as they are in the file.

        Another process may have saved the same game meanwhile: then that one counts.
        """
        keys, rows = [], []
        with self._writer.writing() as connection:
            for record in records:
                keys.append(key := self._key_of(record))
                first, second = (self._numbers[name] for name in record.players)
                ending = self._writer.ending(record.ending)
                rows.append(row_of(record, key, self._rules_number, first, second, ending, self._run))
            new = connection.executemany(INSERT, rows).rowcount
            analyses = (analyses_of(record, key) for key, record in zip(keys, records, strict=True))
            connection.executemany(INSERT_ANALYSES, (one for one in analyses if one is not None))
        if new == len(records):
            return list(records)
        return [self._stored(key, one.players) or one for key, one in zip(keys, records, strict=True)]

    def enter(self, games: Sequence[tuple[tuple[int, int, int], GameRecord]]) -> None:
        """Put games that are saved into the tournament, each at its round, pairing and number, from 0."""
        if games:
            keys = [self._key_of(record) for _, record in games]
            with self._writer.writing():
                self._writer.enter(self.number, [(*place, key) for (place, _), key in zip(games, keys, strict=True)])

    def end(self, passed: Mapping[tuple[int, int], int]) -> None:
        """Keep in the tournament, which is over, only the games that belong to it; the others stay in the file.

        The others were left by an earlier run with fewer games for each pairing: a player that keeps failing was
        withdrawn in a later pairing then, and so met opponents whom it does not meet now.

        Args:
            passed: how many games each pairing has had, by the numbers of its round and of the pairing; those that are
                missing had none.
        """
        with self._writer.writing() as connection:
            if self._planned(connection) == self._games:  # else the others may belong to a longer run
                self._writer.leave(self.number, passed)

    def close(self) -> None:
        """Note the end of the run, if it has begun, and close the file."""
        if self._run is not None:
            with contextlib.suppress(OSError, ValueError), self._writer.writing():  # which is said, if it matters
                self._writer.end_run(self._run)
        self._writer.close()

    def _key_of(self, record: GameRecord) -> bytes:
        return self._key(record.players, Opening(record.moves[: record.opening], record.start), record.seed)

    def _key(self, players: Sequence[str], opening: Opening, seed: int | None) -> bytes:
        first, second = players
        return game_key(self._basis, self._players[first], self._players[second], opening, seed)

    def _stored(self, key: bytes, players: Sequence[str]) -> GameRecord | None:
        with self._writer.reading() as connection:
            row = connection.execute(_BY_KEY, (key,)).fetchone()
            if row is None:
                return None
            *row, ending, analyses = row
            try:
                return record_of(row, key, self._source, players[0], players[1], lambda _: ending, analyses)
            except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
                raise sqlite3.DatabaseError(f"malformed: {error}") from error


def _formats(connection: sqlite3.Connection, plan: Plan) -> list[str]:
    """Return the format of a tournament, as it may be in a file: earlier versions kept what was typed."""
    stored = (json.loads(text).get("format") for (text,) in connection.execute("SELECT arguments FROM tournaments"))
    others = dict.fromkeys(one for one in stored if one is not None and one != plan.format)
    return [plan.format, *(one for one in others if plan.same_format(one, plan.format))]


def _known_as(connection: sqlite3.Connection, identity: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a game is, as it may be in a file: earlier versions wrote the numbers of its spec in other ways."""
    own = identity["game"]
    stored = [source for (source,) in connection.execute("SELECT source FROM rules ORDER BY id")]
    return [identity, *({**identity, "game": one} for one in stored if one != own and same_spec(one, own))]
