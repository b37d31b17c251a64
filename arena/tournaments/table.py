"""The players of a tournament, ready to play bundles of its games: in this process, or copied into another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ...envs import BoardGameEnv, Game
from ...envs.outside.elsewhere import absolute
from ...envs.players import PlayerLike
from ...envs.vector.opponents import prepare
from ..loop import play_under
from ..processes import Parcel, packed
from ..records.record import GameRecord
from ..referee import Conditions
from ..seating import seated
from .bundles import Bundle
from .pairing import Pairing
from .side_by_side import SideBySide, copies_of

__all__ = ["Table"]


class _Board(BoardGameEnv):
    """Says nothing of an illegal move: the record tells it, and whoever plays many games would read of nothing else."""

    def _play_illegal(self, action: int) -> None:
        self._forfeit()


class Table:
    """Where players meet.

    Games between players that can play many at once (`copies_of`) are played side by side, if `prepare` was told so;
    all others one by one, and so are all games with a clock or with adjudication, and those whose analyses are kept.
    The records are the same, but for the times of moves. Compiling the first takes seconds, once on a machine, so it is
    for many games.

    Args:
        game: what is played.
        players: specs, agents or functions. A copy in another process makes agents of the specs itself.
        labels: their names in the records.
        conditions: what ends games beside their rules.
    """

    def __init__(
        self, game: Game, players: Sequence[PlayerLike], labels: Sequence[str], conditions: Conditions
    ) -> None:
        self._game, self._players, self._labels = game, list(players), list(labels)
        self._conditions, self._together = conditions, False
        self._agents: dict[int, Any] = {}
        self._tables: dict[Pairing, SideBySide | None] = {}

    def __getstate__(self) -> dict[str, Any]:
        players = [absolute(player) if isinstance(player, str) else player for player in self._players]
        return {**vars(self), "_players": players, "_agents": {}, "_tables": {}}

    def make(self) -> list[Any]:
        """Return all players, made of their specs.

        Raises:
            ValueError: a player cannot be made, or the conditions cannot be held to.
        """
        agents = [self._agent(player) for player in range(len(self._players))]
        self._conditions.check(self._game, agents)
        return agents

    def prepare(self, together: bool) -> None:
        """Compile what the players need, before any clock runs: other processes then find the code on disk.

        Args:
            together: whether games may be played side by side.

        Raises:
            ValueError: as `make`; or a rule of the game breaks its promise.
        """
        self._together = together and not self._conditions.described and not self._conditions.analyses
        agents = self.make()
        many = [player for player, agent in enumerate(agents) if self._together and copies_of(agent) is not None]
        if len(many) < len(agents) or len({id(agent) for agent in agents}) < len(agents):
            for agent in agents:  # each of them meets some player one by one
                prepare(agent)
        for pairing in itertools.zip_longest(many[::2], many[1::2], fillvalue=many[0] if many else 0):
            table = self._side_by_side(pairing)
            if table is not None:
                table.prepare()

    def packed(self) -> Parcel:
        """Return the table as it is sent to other processes.

        Raises:
            ValueError: a player cannot be pickled; the message names it.
        """
        return packed(self, zip(self._labels, self._players, strict=True))

    def plays_side_by_side(self, pairing: Pairing) -> bool:
        """Return whether the games of these two are played side by side."""
        return self._side_by_side(pairing) is not None

    def play(self, bundle: Bundle) -> Iterator[GameRecord]:
        """Yield the games of a bundle, in order, as soon as they are finished.

        Raises:
            ValueError: an opening cannot be played, or a player answers with what is no action.
        """
        table = self._side_by_side(bundle.pairing)
        if table is not None:
            try:
                records = table.play(bundle)
            except self._conditions.failures:  # whose it is, and in which game, is seen one by one
                pass
            else:
                yield from records
                return
        env: Any = _Board(self._game)
        for opening, side, seed in zip(bundle.openings, bundle.sides, bundle.seeds, strict=True):
            order = bundle.pairing[::-1] if side else bundle.pairing
            two, names = [self._agent(player) for player in order], [self._labels[player] for player in order]
            yield play_under(env, two, seed, self._conditions, names=names, options=opening.options(self._game))

    def _agent(self, player: int) -> Any:
        if player not in self._agents:
            given = self._players[player]
            same = [agent for other, agent in self._agents.items() if self._players[other] is given]
            # An object that plays for several is one agent, with one memory; of a spec each player has its own.
            self._agents[player] = same[0] if same and not isinstance(given, str) else seated(given, self._game)
        return self._agents[player]

    def _side_by_side(self, pairing: Pairing) -> SideBySide | None:
        if pairing not in self._tables:
            one, other = (self._agent(player) for player in pairing)
            copies = None
            if self._together and one is not other:  # one agent in both seats keeps one memory for both
                copies = copies_of(one), copies_of(other)
            # Pairings come one after the other, and the tables of one may take as much memory as there is.
            self._tables = {known: table for known, table in self._tables.items() if table is None}
            self._tables[pairing] = None
            if copies is not None and copies[0] is not None and copies[1] is not None:
                labels = [self._labels[player] for player in pairing]
                self._tables[pairing] = SideBySide(self._game, (copies[0], copies[1]), labels)
        return self._tables[pairing]
