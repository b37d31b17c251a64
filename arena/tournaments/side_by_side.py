"""Many games of two players side by side: all boards in one batch, and each player asked for all its moves at once.

The games are those that `plyground.arena.play` plays one by one, move for move and seed for seed. What differs is the
time of a move, which is that of the call that chose it, in equal shares among the moves of that call.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, GameBatch, Opponents
from ...envs.jit import kernel
from ...envs.starting import position_of
from ...envs.vector.opponents import prepare
from ...envs.vector.seed_sequences import generators, seed_words
from ..records.opening import Opening
from ..records.record import GameRecord
from .bundles import Bundle

__all__ = ["SideBySide", "copies_of"]


def copies_of(agent: Any) -> Opponents | None:
    """Return players of many games who play each as the agent does, or None.

    The agent's own class must say so: a subclass may play differently.
    """
    return agent.copies() if "copies" in vars(type(agent)) else None


class SideBySide:
    """A table at which two players play many games at once.

    Args:
        game: what is played.
        copies: both players, as `copies_of` returns them; 0 is the first of the pairing.
        labels: their names in the records.
    """

    def __init__(self, game: Game, copies: tuple[Opponents, Opponents], labels: Sequence[str]) -> None:
        self._game, self._copies, self._labels = game, copies, list(labels)
        self.most_games = min(getattr(one, "most_games", sys.maxsize) for one in copies)
        self._batch = GameBatch(game, 1, seed=0)

    def prepare(self) -> None:
        """Compile what it takes, or load it from the cache on disk."""
        batch = GameBatch(self._game, 1, seed=0)
        for one in self._copies:
            prepare(one, batch)
        batch.play(np.zeros(1, np.intp), batch.random_actions())
        _outcomes(self._game, batch.states, np.zeros((1, 2)))

    def play(self, bundle: Bundle) -> list[GameRecord]:
        """Return the games of a bundle, in order.

        Raises:
            ValueError: an opening cannot be played, or ends the game.
        """
        games = len(bundle.seeds)
        records: list[GameRecord] = []
        for first in range(0, games, self.most_games):
            part = slice(first, min(first + self.most_games, games))
            records += self._play(bundle.openings[part], np.array(bundle.sides[part]), bundle.seeds[part])
        return records

    def _play(self, openings: list[Opening], sides: NDArray[np.int64], seeds: list[int]) -> list[GameRecord]:
        games = len(seeds)
        if self._batch.num_envs < games:
            self._batch = GameBatch(self._game, min(self.most_games, 1 << (games - 1).bit_length()), seed=0)
        batch, rows = self._batch, np.arange(games)
        self._start(rows, openings)
        seats = np.stack([sides, 1 - sides])  # [players, games]
        self._seat(rows, seats, seeds)
        parts = self._open(rows, openings)
        active = rows
        while active.size:
            parts.append(self._move(active, seats))
            active = active[~batch.over[active]]
        outcomes = np.zeros((games, 2))
        _outcomes(self._game, batch.states, outcomes)
        return self._records(openings, sides, seeds, parts, outcomes)

    def _start(self, rows: NDArray[np.intp], openings: list[Opening]) -> None:
        """Put the positions of the openings on the boards, each of which is made once."""
        self._batch.restart(rows)
        elsewhere = [row for row in rows.tolist() if openings[row].start is not None]
        if elsewhere:
            states = {text: position_of(self._game, text) for text in {openings[row].start for row in elsewhere}}
            some = np.zeros(len(elsewhere), self._game.dtype)
            for place, row in enumerate(elsewhere):
                some[place] = states[openings[row].start]
            self._batch.begin_at(np.array(elsewhere), some)

    def _seat(self, rows: NDArray[np.intp], seats: NDArray[np.int64], seeds: list[int]) -> None:
        """Give each player a generator in each row, from the seed of its seat there, and let it begin."""
        of_seats = seed_words(np.array(seeds)[:, np.newaxis], 2)  # [games, seats]
        self._rngs: list[NDArray[np.uint64]] = []
        for player, copies in enumerate(self._copies):
            rngs = np.zeros((self._batch.num_envs, 1), np.uint64)
            rngs[rows] = generators(of_seats[rows, seats[player], np.newaxis])
            self._rngs.append(rngs)
            self._batch.rngs = rngs
            copies.begin(self._batch, rows)

    def _open(self, rows: NDArray[np.intp], openings: list[Opening]) -> list[_Moves]:
        """Play the openings."""
        lengths = np.array([len(opening.moves) for opening in openings])
        parts: list[_Moves] = []
        for ply in range(lengths.max()):
            some = rows[lengths > ply]
            actions = np.array([openings[row].moves[ply] for row in some.tolist()], np.int64)
            self._batch.play(some, actions)
            parts.append(_Moves(some, actions, np.full(some.size, -1), np.zeros(some.size)))
        ended = np.flatnonzero(self._batch.over[rows])
        if ended.size:
            raise ValueError(f"the opening {openings[ended[0]].moves} ends a game of {self._game.name}")
        return parts

    def _move(self, rows: NDArray[np.intp], seats: NDArray[np.int64]) -> _Moves:
        """Let the players to move in these rows choose, and play that."""
        movers = self._batch.players[rows]
        actions, seconds = np.zeros(rows.size, np.int64), np.zeros(rows.size)
        for player, copies in enumerate(self._copies):
            places = np.flatnonzero(movers == seats[player, rows])
            if places.size:
                self._batch.rngs = self._rngs[player]
                start = time.perf_counter()
                actions[places] = copies.act(self._batch, rows[places])
                seconds[places] = (time.perf_counter() - start) / places.size
        self._batch.play(rows, actions)
        return _Moves(rows, actions, movers, seconds)

    def _records(
        self,
        openings: list[Opening],
        sides: NDArray[np.int64],
        seeds: list[int],
        parts: list[_Moves],
        outcomes: NDArray[np.float64],
    ) -> list[GameRecord]:
        rows, actions, movers, seconds = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(rows, kind="stable")  # game by game, the moves of each as they were played
        moves, seats, times = actions[order].tolist(), movers[order].tolist(), seconds[order].tolist()
        ends = np.cumsum(np.bincount(rows)).tolist()
        names = [self._labels, self._labels[::-1]]
        source, begin, records = self._game.source, 0, []
        for opening, side, seed, end, outcome in zip(
            openings, sides.tolist(), seeds, ends, outcomes.tolist(), strict=True
        ):
            records.append(
                GameRecord(
                    game=source,
                    players=names[side].copy(),
                    moves=moves[begin:end],
                    opening=len(opening.moves),
                    outcome=outcome,
                    ending="finished",
                    seconds=times[begin:end],
                    movers=seats[begin:end],
                    seed=seed,
                    start=opening.start,
                )
            )
            begin = end
        return records


class _Moves(NamedTuple):
    """One move in each of some games."""

    rows: NDArray[np.intp]
    actions: NDArray[np.int64]
    movers: NDArray[np.integer[Any]]  # the seats; -1 for the moves of openings
    seconds: NDArray[np.float64]


@kernel
def _outcomes(game, states, outcomes):
    """Write both players' utilities for each of ``outcomes`` [games, 2]; a game that a repetition has ended has 0."""
    for i in range(len(outcomes)):
        if game.is_terminal(states[i]):
            for seat in range(2):
                outcomes[i, seat] = game.utility(states[i], seat) + 0.0  # no -0
