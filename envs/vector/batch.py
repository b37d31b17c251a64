"""Many games of one kind, advanced together: the arrays that vector environments are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..game import Game
from ..history import copy_frames, new_frames
from ..jit import bind
from ..outside.arguments import checked_span, checked_whole
from ..outside.limits import MOST_THREADS
from ..outside.spec import same_spec
from ..position import Position, check_plies
from ..registry import game_with
from ..repetition import copy_past, keys_of, new_past, new_scratch
from ..starting import begin, read_options
from .checks import check_saved, checked_legal, checked_rows, checked_seats
from .kernels import Columns, advance, draw, play, show, show_both
from .pieces import Pieces
from .row_random import draw_numbers
from .seed_sequences import generators, spawned
from .state_dicts import copied, fitting, part, restore

__all__ = ["GameBatch"]

_ATTEMPTS = 1000  # random openings that may end a game before it begins without one, or is given up


class GameBatch:
    """Games of one kind, played side by side: every step plays one ply in each, in compiled code.

    `step` is for self-play: each action is the move of the player whose turn it is, and a game that ends begins anew in
    the same step. Results are written into the same arrays each time, the attributes: copy what you keep. The same seed
    gives the same games, whatever the number of threads.

    Args:
        game: a game, or its name as `plyground.envs.make_game` takes it.
        num_envs: number of games.
        threads: threads that advance the games, 1 to 1024. More than one pays where a step takes more than some
            100 µs.
        opening_plies: most random plies that a game begins with, or a pair of the fewest and the most; their number is
            drawn for each game.
        seed: seed for random openings and random actions; None takes one from the system's entropy.
        **parameters: parameters of a game that is given by name.

    Attributes:
        states: records [games].
        observations: [games, *observation_shape] what the player to move sees.
        masks: int8 [games, num_actions] what the player to move may play.
        players: int8 [games] the player to move, 0 or 1.
        rewards: float32 [games, 2] the rewards of both players for the last step.
        terminations: bool [games] whether the last step ended the game.
        final_observations: [games, *observation_shape] what the player next to move saw at the end of a game that the
            last step ended; other rows are out of date.
        plies: int32 [games] the plies since the start of the game.
        over: bool [games] whether the game has ended, and no other has begun.
        rngs: uint64 [games, 1] the state of each game's random numbers, see `plyground.envs.jit.prng`.

    Raises:
        ValueError: a number is not positive, the game is unknown, or its games end within the fewest random plies.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        *,
        threads: int = 1,
        opening_plies: int | tuple[int, int] = 0,
        seed: int | None = None,
        **parameters: Any,
    ) -> None:
        self.game = game = game_with(GameBatch, game, parameters)
        self.num_envs = checked_whole("num_envs", num_envs, 1)
        self.threads = checked_whole("threads", threads, 1, MOST_THREADS)
        self._fewest, self.opening_plies = checked_span("opening_plies", opening_plies, game.max_plies)
        games = self.num_envs
        self.states = np.zeros(games, game.dtype)
        self.observations = np.zeros((games, *game.observation_shape), game.observation_dtype)
        self.final_observations = np.zeros_like(self.observations)
        self.masks = np.zeros((games, game.num_actions), np.int8)
        self.players = np.zeros(games, np.int8)
        self.rewards = np.zeros((games, 2), np.float32)
        self.terminations = np.zeros(games, np.bool_)
        self.plies = np.zeros(games, np.int32)
        self.over = np.zeros(games, np.bool_)
        self.rngs = np.zeros((games, 1), np.uint64)
        self._past, self._frames = new_past(game, games), new_frames(game, games)
        self._all = np.arange(games)
        self._start, self._sure = Position(game), 0  # plies for which nobody need ask about `max_plies`
        self._scratch = [new_scratch(game) for _ in range(self.threads)]
        self._bound: dict[Any, Callable[..., Any]] = {}
        self._pieces = Pieces(self.threads)
        self.seed(seed)
        self.reset()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.game.spec} num_envs={self.num_envs}>"

    def past_of(self, row: int) -> NDArray[np.uint64] | None:
        """Return the keys of the positions that a game has had, as ``info["past"]`` of `BoardGameEnv`; None without."""
        return None if self._past is None else keys_of(self._past, row, int(self.plies[row]))

    def pasts(self, rows: NDArray[np.intp]) -> list[NDArray[np.uint64] | None]:
        """Return what `past_of` returns, for each of these rows."""
        return [self.past_of(row) for row in rows.tolist()]

    def seed(self, seed: int | None) -> None:
        """Start the random numbers of all games anew; the games go on.

        Raises:
            ValueError: the seed is not a whole number, at least 0, or None.
        """
        seed = None if seed is None else checked_whole("seed", seed, 0)
        self.rngs[:] = generators(spawned(seed, self.num_envs))

    def start_from(self, options: Mapping[str, Any] | None) -> None:
        """Let all games that begin from now on begin where these ``options`` say, as in `BoardGameEnv.reset`.

        Raises:
            ValueError: a game cannot start there; nothing is changed.
        """
        self._start, self._origin, self._line = self._begun(options)
        self._sure = 0

    def _begun(self, options: Any) -> tuple[Position, NDArray[Any], NDArray[np.int64]]:
        """Return where these options begin games, and what it takes to begin there again: a state [1], and moves."""
        origin, moves = read_options(self.game, options)
        start = Position(self.game)
        line, _ = begin(self.game, start, {"state": origin, "moves": moves})
        return start, np.array(origin).reshape(1), np.array(line, np.int64)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> NDArray[Any]:
        """Begin all games, and return the observations.

        Args:
            seed: seed for the random numbers from here on; None lets them go on.
            options: where these and all later games begin, as in `BoardGameEnv.reset`.

        Raises:
            ValueError: the seed does not fit, or a game cannot start there, and nothing is changed; or games from there
                end within the fewest random plies.
        """
        seed = None if seed is None else checked_whole("seed", seed, 0)
        self.start_from(options)
        if seed is not None:
            self.seed(seed)
        self._restart(self._all)
        self.rewards[:], self.terminations[:] = 0, False
        return self.observations

    def step(self, actions: ArrayLike) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_]]:
        """Play one action in each game.

        Args:
            actions: integers [games], the actions of the players to move.

        Returns:
            The observations, rewards [games, 2] and terminations, as the attributes have them.

        Raises:
            ValueError: an action is illegal, or there is not one for each game. Nothing is changed.
        """
        chosen = checked_legal(self.masks, self.over, self._all, actions)
        self._check_plies(self._all)
        self._run(advance, self._all, self._start.state, chosen)
        if self.opening_plies or self._start.plies:
            ended = np.flatnonzero(self.terminations)
            if ended.size:
                rewards = self.rewards[ended]
                self._restart(ended)
                self.rewards[ended] = rewards
        return self.observations, self.rewards, self.terminations

    def random_actions(self, rows: NDArray[np.intp] | None = None) -> NDArray[np.int64]:
        """Return a random legal action for each of ``rows`` [some], all equally likely. Default: all rows.

        Where a game is over, the number says nothing: no action is legal.

        Raises:
            ValueError: the rows are not different rows of the batch.
        """
        rows = self._all if rows is None else checked_rows(rows, self.num_envs)
        actions = np.zeros(rows.size, np.int64)
        draw(self.masks, self.rngs, rows, actions)
        return actions

    # -- parts of a step, for environments in which not all games are at the same point --------------------------------

    def restart(self, rows: NDArray[np.intp]) -> None:
        """Begin new games in these rows, and show the players to move what they see.

        Raises:
            ValueError: they are not different rows of the batch.
        """
        self._restart(checked_rows(rows, self.num_envs))

    def begin_at(self, rows: NDArray[np.intp], states: NDArray[Any]) -> None:
        """Begin games in these rows at ``states`` [rows], before which nothing is known to have happened.

        Raises:
            ValueError: they are not different rows of the batch, a state is none of the game, or finished; nothing is
                changed.
        """
        rows = checked_rows(rows, self.num_envs)
        if np.shape(states) != rows.shape:
            raise ValueError(f"{rows.size} rows begin at as many states, got shape {np.shape(states)}")
        starts = [Position(self.game) for _ in rows]
        for place, start in enumerate(starts):
            begin(self.game, start, {"state": self.game.state_check.checked(states[place], f"states[{place}]")})
        for row, start in zip(rows, starts, strict=True):
            self._begin(np.array([row]), start)
        self._show(rows, self.players[rows])

    def play(self, rows: NDArray[np.intp], actions: ArrayLike) -> None:
        """Play legal actions in these rows. A game that ends stays as it is, and ``over`` says so.

        Raises:
            ValueError: the rows are not different rows of the batch, there is not one action for each, an action is
                illegal in its row, or a game is over; nothing is changed.
        """
        rows = checked_rows(rows, self.num_envs)
        self._play(rows, checked_legal(self.masks, self.over, rows, actions))

    def show(self, rows: NDArray[np.intp], seats: NDArray[np.integer[Any]] | None = None) -> None:
        """Write into ``observations`` what the players ``seats`` see in these rows. Default: the players to move.

        Raises:
            ValueError: they are not different rows of the batch, or there is not a player, 0 or 1, for each.
        """
        rows = checked_rows(rows, self.num_envs)
        self._show(rows, self.players[rows] if seats is None else checked_seats(rows, seats))

    def seen_by_both(self) -> NDArray[Any] | None:
        """Return what both players see, [games, players, *observation_shape]; None where that tells of no past.

        A search needs it, to show a network the positions before the root, or that the root has come again.
        """
        if not self.game.shows_past:
            return None
        seen = np.zeros((2, self.num_envs, *self.game.observation_shape), self.game.observation_dtype)
        self._run(show_both, self._all, self._all, seen)
        return np.ascontiguousarray(seen.swapaxes(0, 1))

    def spread(self, count: int, call: Callable[[int, int, int], object]) -> None:
        """Cut ``count`` rows into a piece for each thread, and call ``call(piece, first, last)`` for all at once.

        Raises:
            ValueError: the count is not a whole number, at least 0.
        """
        self._pieces.spread(checked_whole("count", count, 0), call)

    def close(self) -> None:
        """End the threads, if there are several; whatever comes later is done in one."""
        self._pieces.close()

    # -- the same where all is known to fit; for this room alone -------------------------------------------------------

    def _restart(self, rows: NDArray[np.intp]) -> None:
        """Do what `restart` does."""
        if not rows.size:
            return
        rest = rows
        for attempt in range(_ATTEMPTS):
            self._begin(rest, self._start)
            if self._fewest or (self.opening_plies and attempt < _ATTEMPTS - 1):
                self._open(rest)
            rest = rest[self.over[rest]]
            if not rest.size:
                break
        else:
            raise ValueError(
                f"games of {self.game.spec} with {self._fewest} to {self.opening_plies} random plies from where they "
                f"begin are over by then, in rows {rest.tolist()}: ask for fewer opening_plies"
            )
        self._show(rows, self.players[rows])

    def _play(self, rows: NDArray[np.intp], actions: NDArray[np.int64]) -> None:
        """Do what `play` does."""
        self._check_plies(rows)
        self._run(play, rows, rows, actions)

    def _check_plies(self, rows: NDArray[np.intp]) -> None:
        self._sure -= 1
        if self._sure < 0:  # the longest game, or one that begins now, may be at its end by now: none is sooner
            longest = max(int(self.plies.max()), self._start.plies + self.opening_plies)
            self._sure = max(0, self.game.max_plies - longest - 1)
            if longest >= self.game.max_plies and rows.size:
                check_plies(self.game, int(self.plies[rows].max()))

    def _show(self, rows: NDArray[np.intp], seats: NDArray[np.int8]) -> None:
        """Do what `show` does."""
        self._run(show, rows, rows, seats)

    def _begin(self, rows: NDArray[np.intp], start: Position) -> None:
        """Put a position, with its past, into these rows."""
        self.states[rows] = start.state
        self.players[rows], self.plies[rows], self.over[rows] = start.player, start.plies, False
        self.masks[rows] = start.mask
        if self._past is not None and start.past is not None:
            copy_past(start.past, self._past, rows, start.plies)
        if self._frames is not None:
            copy_frames(start.planes, self._frames, rows)

    def _open(self, rows: NDArray[np.intp]) -> None:
        """Play a random number of random plies in these rows."""
        counts = self._fewest + draw_numbers(self.rngs, rows, self.opening_plies - self._fewest + 1)
        for ply in range(int(counts.max())):
            some = rows[(counts > ply) & ~self.over[rows]]
            actions = np.zeros(some.size, np.int64)
            draw(self.masks, self.rngs, some, actions)
            self._play(some, actions)

    def _run(self, kernel: Any, rows: NDArray[np.intp], *arguments: Any) -> None:
        """Call a kernel of `kernels` for these rows, cut into as many pieces as there are threads."""
        if not rows.size:
            return
        columns = Columns(
            self.states,
            self.players,
            self.plies,
            self.over,
            self.rewards,
            self.masks,
            self.observations,
            self.terminations,
            self.final_observations,
            self._past,
            self._frames,
        )
        if kernel not in self._bound:
            self._bound[kernel] = bind(kernel, self.game, columns, self._scratch[0], *arguments, 0, rows.size)
        bound = self._bound[kernel]
        self._pieces.spread(
            rows.size,
            lambda piece, first, last: bound(self.game, columns, self._scratch[piece], *arguments, first, last),
        )

    # -- going on later ------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the game's spec and copies of the arrays that the games go on from; see `load_state_dict`."""
        return {"game": self.game.spec, **copied({**self._saved(), "start": self._origin, "line": self._line})}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Let the games go on from where they were in a batch of the same game and as many games.

        They then go on as they would have there, random numbers included. The observations are those of the players to
        move. What the last step returned is not kept: rewards and terminations are 0.

        Args:
            state: what `state_dict` returned.

        Raises:
            ValueError: it is of another game, of another number of games, or does not hold games; nothing is changed.
        """
        if not same_spec(str(part(state, "game")), self.game.spec):
            raise ValueError(f"the state is of {state['game']}, expected one of {self.game.spec}")
        start = {"start": np.zeros(1, self.game.dtype), "line": np.zeros(np.size(part(state, "line")), np.int64)}
        saved = fitting({**self._saved(), **start}, state)
        check_saved(self.game, saved, self._frames)
        begun = self._begun({"state": saved["start"], "moves": saved["line"].tolist()})
        restore(self._saved(), state)
        self._start, self._origin, self._line = begun
        self._sure = 0
        self.rewards[:], self.terminations[:] = 0, False
        self._show(self._all, self.players)

    def _saved(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a state, by name, that have a row for each game."""
        names = "states", "masks", "players", "plies", "over", "rngs"
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in names}
        if self._past is not None:
            arrays |= {"past.keys": self._past.keys, "past.seen": self._past.seen}
        if self._frames is not None:
            arrays |= {"frames.windows": self._frames.windows, "frames.first": self._frames.first}
        return arrays

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_bound"}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        vars(self).update(attributes, _bound={})
