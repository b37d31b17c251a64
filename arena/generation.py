"""Games by any players, as records to learn from: varied openings, random moves between, several levels.

Game number k depends on the seed, its number and the players alone. So any number of processes play the same games,
and a file that has the first of them can be continued.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from ..agents.engines import EngineError
from ..envs import BoardGameEnv, Game, as_game
from ..envs.outside.arguments import check_jobs, checked_span, checked_whole, is_between
from ..envs.outside.elsewhere import absolute
from ..envs.outside.spec import same_spec
from ..envs.players import PlayerLike, player_name
from ..envs.position import Position
from ..envs.vector.opponents import prepare
from .loop import play
from .openings import random_line
from .processes import Parcel, packed, results_of, unpacked
from .records.record import GameRecord
from .referee import Conditions, Failures
from .seating import seated
from .tournaments.course import MAX_FAILURES
from .tournaments.earlier import check_alike
from .wording import counted

__all__ = ["check_first_games", "default_plies", "generate"]

_ATTEMPTS = 1000  # random openings that may end the game, before none is found
_MOST_PLIES = 8  # random plies by default, at most
_LOG = logging.getLogger("plyground")
_CHUNK = 4  # games that a process plays before it reports


def generate(
    game: Game | str,
    players: Sequence[PlayerLike],
    games: int,
    seed: int = 0,
    *,
    opening_plies: int | tuple[int, int] = 0,
    noise: float = 0.0,
    first: int = 0,
    jobs: int = 1,
    failures: Failures = EngineError,
    max_failures: int = MAX_FAILURES,
) -> Iterator[GameRecord]:
    """Yield games, in order, each as soon as it and those before it are finished.

    Each game draws its two players, and how many random plies open it. In the record's ``movers`` nobody, -1, made the
    moves of the opening and those that ``noise`` drew: whoever learns from the players leaves them out.

    Args:
        game: the game, or its name.
        players: agents, functions or spec strings, see `plyground.agents.as_agent`. A player may meet itself; one alone
            always does. They must be picklable if ``jobs`` is not 1.
        games: how many games there are in all.
        seed: the seed of the players drawn, the openings, the noise and the games.
        opening_plies: the most random plies that open a game, or a pair of the fewest and the most.
        noise: the share of the moves after the opening that are drawn at random.
        first: the number of the first game that is yielded: those before it were played already.
        jobs: processes; -1 for one on each core.
        failures: errors of a player by which it loses a game, in place of their being raised; see
            `plyground.arena.play`. Default: those of programs that others wrote.
        max_failures: after so many games that a player has lost so, there are no more.

    Raises:
        ValueError: an argument is out of its range, or all games are over after so many random plies, or a player
            cannot be made, or not be pickled. Nothing is played then.
        EngineError: later, where a player has failed too often.
        WorkerError: later, where a process dies.
    """
    game = as_game(game)
    games, first = checked_whole("games", games, 1), checked_whole("first", first, 0)
    check_jobs(jobs)
    max_failures = checked_whole("max_failures", max_failures, 1)
    table = _new_table(game, players, seed, opening_plies, noise, Conditions.of(failures, None, ()).failures)
    for agent in table.agents():
        prepare(agent)
    if jobs == 1:
        return _told(map(table.play, range(first, games)), first, max_failures)
    sent, starts = table.packed(), range(first, games, _CHUNK)
    work = (delayed(_played)(*sent, range(start, min(start + _CHUNK, games))) for start in starts)
    chunks = results_of(work, jobs, "plays games", "; --resume goes on after saved games")
    return _told((record for chunk in chunks for record in chunk), first, max_failures)


def _told(records: Iterator[GameRecord], first: int, most: int) -> Iterator[GameRecord]:
    """Yield games, of which ``first`` is the number of the first, and tell of each that a player lost by an error.

    Raises:
        EngineError: a player has lost so many.
    """
    failed = Counter[str]()
    for number, record in enumerate(records, start=first + 1):
        yield record
        if record.ending != "failed":
            continue
        name = record.loser
        failed[name] += 1
        _LOG.warning("%s fails in game %d, and loses it: %s", name, number, record.reason)
        if failed[name] >= most:
            raise EngineError(f"{name} has failed in {counted(most, 'game')}, too often to go on: {record.reason}")


def check_first_games(
    game: Game | str,
    players: Sequence[PlayerLike],
    seed: int,
    records: Sequence[GameRecord],
    *,
    opening_plies: int | tuple[int, int] = 0,
    noise: float = 0.0,
    movers: bool = True,
) -> None:
    """Check that records are the first games that `generate` makes with these arguments.

    What was drawn for each game is drawn again: its players, its opening, and the moves of the noise.

    Args:
        game: the game, or its name.
        players: the players.
        seed: the seed.
        records: the games, in order.
        opening_plies: the most random plies that open a game, or a pair of the fewest and the most.
        noise: the share of the moves after the opening that are drawn at random.
        movers: whether the records tell which moves nobody chose. Those of SGF, PDN and PGN files do not: of them less
            noise than they were made with cannot be told from the same.

    Raises:
        ValueError: one is of another game, of other players, or has another seed, another opening or other noise; or
            an argument is out of its range, or all games are over after so many random plies.
    """
    game = as_game(game)
    table = _new_table(game, players, seed, opening_plies, noise)
    position = Position(game)
    for number, record in enumerate(records):
        spec = game.source if same_spec(record.game, game.source) else record.game
        drawn = table.draw(number)
        found = f"game {number + 1} of the file is none of these"
        check_alike(
            found,
            (
                ("game is", spec, game.source),
                ("players are", " v ".join(record.players), " v ".join(table.names[seat] for seat in drawn.seats)),
                ("seed is", record.seed, _seed_of(seed, number)),
                ("opening is", _line(record.moves[: record.opening]), _line(drawn.opening)),
            ),
        )
        seats = [_Noisy(None, noise, rng) for rng in drawn.noises]
        if not _has_noise(game, position, record, seats, movers):
            raise ValueError(f"{found}: its noise was another, expected {noise:g}")


def _line(moves: Sequence[int]) -> str:
    return ", ".join(map(str, moves)) or "without moves"


def _has_noise(game: Game, position: Position, record: GameRecord, seats: Sequence[_Noisy], movers: bool) -> bool:
    """Return whether these ``seats`` draw the random moves of a game, and no others."""
    position.start(game.new_state())
    for ply, (move, mover) in enumerate(zip(record.moves, record.movers, strict=True)):
        if position.over or not (0 <= move < position.mask.size and position.mask[move]):
            break  # an illegal move is the last one
        if ply >= record.opening:
            drawn = seats[position.player].draw(position.mask)
            if drawn is None and mover < 0:
                return False
            if drawn is not None and (drawn != move or (movers and mover >= 0)):
                return False
        position.play(move)
    return True


class _Drawn(NamedTuple):
    """What is drawn for a game before it is played."""

    seats: tuple[int, int]  # the players, by number
    noises: list[np.random.Generator]  # of each seat
    opening: list[int]


class _Table:
    """The players, and how their games are made.

    Args:
        game: the game.
        players: all players.
        seed: the seed of all that is drawn.
        plies: the fewest and the most random plies of an opening.
        noise: the share of random moves after it.
        failures: errors of a player by which it loses a game.

    Attributes:
        names: the players' names.
    """

    def __init__(
        self,
        game: Game,
        players: tuple[PlayerLike, ...],
        seed: int,
        plies: tuple[int, int],
        noise: float,
        failures: Failures,
    ) -> None:
        self.game, self.players, self.seed, self.plies, self.noise = game, players, seed, plies, noise
        self._failures = failures
        self.names = [player_name(player) for player in players]
        self._agents: list[Any] = []
        self._env: Any = None

    def agents(self) -> list[Any]:
        """Return the players twice, since one may meet itself; they are made when they are needed first.

        Of a spec these are two agents. An agent that was given sits in both seats.
        """
        if not self._agents:
            self._agents = [seated(player, self.game) for _ in range(2) for player in self.players]
            self._env = BoardGameEnv(self.game)
        return self._agents

    def play(self, number: int) -> GameRecord:
        """Play game number ``number``."""
        agents = self.agents()
        (first, second), noises, opening = self.draw(number)
        seats = [
            _Noisy(agents[first], self.noise, noises[0]),
            _Noisy(agents[len(self.players) + second], self.noise, noises[1]),
        ]
        names = [self.names[first], self.names[second]]
        options = {"moves": opening}
        seed = _seed_of(self.seed, number)
        record = play(self._env, seats, seed, names=names, options=options, failures=self._failures)
        random = [iter(seat.random) for seat in seats]
        movers = [-1 if seat >= 0 and next(random[seat], False) else seat for seat in record.movers]
        return replace(record, movers=movers)

    def draw(self, number: int) -> _Drawn:
        """Draw what game number ``number`` begins with."""
        rng = np.random.default_rng([self.seed, number])
        seats = _draw_seats(rng, len(self.players))
        noises = [np.random.default_rng(rng.integers(2**63)) for _ in range(2)]
        return _Drawn(seats, noises, self._opening(rng))

    def _opening(self, rng: np.random.Generator) -> list[int]:
        return _open_line(self.game, int(rng.integers(self.plies[0], self.plies[1] + 1)), rng)

    def __getstate__(self) -> dict[str, Any]:
        # A worker may be in another folder.
        players = tuple(absolute(player) if isinstance(player, str) else player for player in self.players)
        return {**vars(self), "players": players, "_agents": [], "_env": None}

    def packed(self) -> Parcel:
        """Return the table as it is sent to other processes.

        Raises:
            ValueError: a player cannot be pickled; the message names it.
        """
        return packed(self, zip(self.names, self.players, strict=True))


def _new_table(
    game: Game,
    players: Sequence[PlayerLike],
    seed: int,
    opening_plies: int | tuple[int, int],
    noise: float,
    failures: Failures = (),
) -> _Table:
    """Return the table of these arguments of `generate`, which are checked."""
    seed = checked_whole("seed", seed, 0)
    plies = checked_span("opening_plies", opening_plies, game.max_plies)
    if not (is_between(noise, 0, 1) and noise < 1):
        raise ValueError(f"noise must be a share, at least 0 and below 1, got {noise!r}")
    if not players:
        raise ValueError("give one player or more: a game needs somebody who plays it")
    _check_open(game, plies[1])  # before anything is written
    return _Table(game, tuple(players), seed, plies, noise, failures)


def default_plies(game: Game) -> tuple[int, int]:
    """Return the fewest and the most random plies that open a game by default: up to 8, and to half of the longest.

    There are fewer at most where all games are over by then.
    """
    most = min(_MOST_PLIES, game.max_plies // 2)
    while most:
        with suppress(ValueError):
            _check_open(game, most)
            break
        most -= 1
    return 0, most


@lru_cache  # for rules run slowly as plain Python
def _check_open(game: Game, plies: int) -> None:
    """Raise `ValueError` if all games are over after so many random plies."""
    _open_line(game, plies, np.random.default_rng(0))


def _open_line(game: Game, plies: int, rng: np.random.Generator) -> list[int]:
    """Return random moves after which the game goes on.

    Raises:
        ValueError: none were found.
    """
    for _ in range(_ATTEMPTS):
        moves, state = random_line(game, plies, rng)
        if not game.is_terminal(state):
            return moves
    raise ValueError(
        f"found no open position of {game.name} after {counted(plies, 'random ply', 'random plies')}, for each of "
        f"{_ATTEMPTS:,} random games was over by then: use fewer opening plies; 0 are always possible"
    )


class _Noisy:
    """A player some of whose moves are drawn at random.

    Attributes:
        random: whether each of its moves was drawn.
    """

    def __init__(self, agent: Any, share: float, rng: np.random.Generator) -> None:
        self._agent, self._share, self._rng = agent, share, rng
        self.random: list[bool] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    def reset(self, seed: int | None = None) -> None:
        """Begin a game."""
        self._agent.reset(seed)

    def act(self, observation: Any, info: Any) -> Any:
        """Return the player's move, or a random one."""
        drawn = self.draw(info["action_mask"])
        self.random.append(drawn is not None)
        return self._agent.act(observation, info) if drawn is None else drawn

    def draw(self, mask: NDArray[np.int8]) -> int | None:
        """Return the random move that takes the place of the player's next one; None if none does."""
        if self._share and self._rng.random() < self._share:
            return int(self._rng.choice(np.flatnonzero(mask)))
        return None


def _draw_seats(rng: np.random.Generator, players: int) -> tuple[int, int]:
    first, second = rng.integers(players, size=2).tolist()
    return first, second


def _seed_of(seed: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])


def _played(token: str, data: Any, numbers: range) -> list[GameRecord]:
    table: _Table = unpacked(token, data)
    return [table.play(number) for number in numbers]
