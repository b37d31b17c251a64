"""The one-seat form of a batch: the learner in one seat of many games, opponents in the other.

`SeatBatch` is to `GameBatch` what `SoloEnv` is to `BoardGameEnv`: a step plays the learner's move and the replies, so
that rewards, observations and masks are all the learner's. The environments for Gymnasium and stable-baselines3 are
built on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..game import Game
from ..jit.prng import new_rng
from ..outside.arguments import checked_whole
from ..players import SEATS, check_seat, forfeit, player_name
from ..registry import game_with
from .batch import GameBatch
from .checks import checked_actions, checked_legal, checked_rows, checked_seeds
from .followed import FollowedBatch
from .opponents import OpponentLike, as_opponents, close, load_opponents_state, needs_moves, opponents_state, prepare
from .row_random import draw_numbers
from .seed_sequences import generators, spawned
from .state_dicts import copied, fitting, part, restore

__all__ = ["SeatBatch", "as_shown"]

_ATTEMPTS = 1000  # games in a row that may end before the learner can move


def as_shown(observations: NDArray[Any], flatten: bool, copy: bool) -> NDArray[Any]:
    """Return observations [games, *observation_shape] as an environment shows them.

    Args:
        observations: what the learner sees.
        flatten: whether an observation is one line of values.
        copy: whether to return a copy.
    """
    shown = observations.reshape(len(observations), -1) if flatten else observations
    return shown.copy() if copy else shown


class SeatBatch:
    """Many games side by side, in each of which the learner has one seat.

    Every call writes the same arrays in place: copy what you keep. The same seed gives the same games, whatever the
    number of threads. An illegal move loses its game at once, with the worst reward: -1, or minus the game's
    ``max_utility``. Before the first `reset` there are no games.

    Args:
        game: a game, or its name as `plyground.envs.make_game` takes it.
        num_envs: number of games.
        opponent: what `plyground.envs.as_opponents` takes: a spec string such as ``"alphabeta(depth=2)"``, an agent, a
            function of observations and masks, or an `Opponents`.
        seat: the learner's seat: ``"first"``, ``"second"``, or ``"random"``, drawn for each game.
        opening_plies: most random plies that a game opens with, or a pair of the fewest and the most; their number is
            drawn for each game.
        threads: threads that advance the games and run the opponents' searches.
        seed: seed for everything random; None takes one from the system's entropy.
        **parameters: parameters of a game that is given by name.

    Attributes:
        batch: the games.
        opponents: the `Opponents` in the other seats.
        learners: int8 [games] the learner's player number, 0 or 1.
        rewards: float32 [games] the learner's rewards for the last step.
        terminations: bool [games] whether the last step ended the game.
        illegal: int64 [games] the action of the last step if it was illegal and lost the game, else -1.
        final_observations: [games, *observation_shape] what the learner sees at the end of a game that the last step
            ended; other rows are out of date.
        final_states: records [games] the last state of a game that the last step ended; other rows are out of date.
        lengths: int64 [games] the learner's moves in the game, or in the one that the last step ended.

    Raises:
        ValueError: an argument is not one of the values above.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        opponent: OpponentLike = "random",
        seat: Literal["first", "second", "random"] = "random",
        *,
        opening_plies: int | tuple[int, int] = 0,
        threads: int = 1,
        seed: int | None = None,
        **parameters: Any,
    ) -> None:
        check_seat(seat)
        seed = None if seed is None else checked_whole("seed", seed, 0)
        game = game_with(SeatBatch, game, parameters)
        self.opponents, self._opponent_name = as_opponents(opponent, game), player_name(opponent)
        kind = FollowedBatch if needs_moves(self.opponents) else GameBatch
        self.batch = batch = kind(game, num_envs, threads=threads, opening_plies=opening_plies, seed=seed)
        self.game, self.num_envs, self.seat = batch.game, batch.num_envs, seat
        prepare(self.opponents, batch)
        self.learners = np.full(self.num_envs, SEATS.get(seat, 0), np.int8)
        self.rewards = np.zeros(self.num_envs, np.float32)
        self.terminations = np.zeros(self.num_envs, np.bool_)
        self.illegal = np.full(self.num_envs, -1, np.int64)
        self.final_observations = np.zeros_like(batch.observations)
        self.final_states = np.zeros_like(batch.states)
        self.lengths = np.zeros(self.num_envs, np.int64)
        self._all = np.arange(self.num_envs)
        if seed is not None:
            self._seed(seed, self._all)  # the batch has used up some numbers
        self._leave(self._all)

    def __repr__(self) -> str:
        return self.described(type(self).__name__)

    def described(self, kind: str) -> str:
        """Return the ``repr`` of these games, or of an environment of another ``kind`` that is made of them."""
        return f"<{kind} {self.game.spec} num_envs={self.num_envs} seat={self.seat!r} opponent={self._opponent_name}>"

    @property
    def observations(self) -> NDArray[Any]:
        """[games, *observation_shape] what the learner sees."""
        return self.batch.observations

    @property
    def masks(self) -> NDArray[np.int8]:
        """[games, num_actions] the learner's legal actions; all ones once a game is over, for policies must choose."""
        return self.batch.masks

    @property
    def over(self) -> NDArray[np.bool_]:
        """[games] whether the game is finished, and waits for a `reset`."""
        return self.batch.over

    def reset(
        self,
        seed: int | Sequence[int | None] | None = None,
        rows: NDArray[np.intp] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> NDArray[Any]:
        """Begin new games, and return the observations.

        Args:
            seed: seed for the random numbers of these rows from here on: one for all, or one for each row of ``rows``.
                A None, there or alone, lets the random numbers go on.
            rows: rows [some] in which new games begin. Default: all.
            options: where these and all later games begin, as in `BoardGameEnv.reset`. Without options, a reset of all
                rows goes back to the initial state, and a reset of some rows to where games began before.

        Raises:
            ValueError: a seed does not fit or a game cannot start there, and nothing is changed; or games from there
                end before the learner can move.
        """
        some = self._all if rows is None else checked_rows(rows, self.num_envs)
        seeds = checked_seeds(seed, some.size)
        if options is not None or rows is None:
            self.batch.start_from(options)
        if seeds is not None:
            self._seed(seeds, some)
        self.rewards[some], self.terminations[some], self.illegal[some] = 0, False, -1
        self.lengths[some] = 0
        if some.size:
            self._begin(some)
        return self.observations

    def step(
        self, actions: ArrayLike, restart: bool = True, rows: NDArray[np.intp] | None = None
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_]]:
        """Play the learner's action and the replies in each game.

        Args:
            actions: integers [games], or [some] if ``rows`` are given.
            restart: whether a game that has ended is followed by a new one; else it stays until it is `reset`.
            rows: rows [some] to play in. Default: all.

        Returns:
            The observations, rewards and terminations of all rows: see the attributes.

        Raises:
            ValueError: there is not one action for each row, one is not an action of the game, or a game is over, and
                nothing is changed; or the opponent played an illegal move. After that, or any other error of the
                opponent's, there is no game any more where it was its turn, or where the game had ended.
        """
        batch = self.batch
        some = self._all if rows is None else checked_rows(rows, self.num_envs)
        chosen = checked_actions(self.game, some, actions)
        self._check_playing(some)
        if not some.size:
            return batch.observations, self.rewards, self.terminations
        legal = batch.masks[some, chosen] != 0
        if rows is None:
            np.copyto(self.lengths, 0, where=self.terminations)
        else:
            self.lengths[some[self.terminations[some]]] = 0
        self.lengths[some] += 1
        self.rewards[some], self.terminations[some], self.illegal[some] = 0, False, -1
        forfeits = some[~legal]
        try:
            if forfeits.size:
                self._play(some[legal], chosen[legal])
            else:
                self._play(some, chosen)
            if forfeits.size:
                batch.over[forfeits] = True
                self.illegal[forfeits] = chosen[~legal]
            batch._show(some, self.learners[some])
            ended = some[batch.over[some]]
            if ended.size:
                self._end(ended)
        except BaseException:
            self._abandon(some)
            raise
        if ended.size and restart:
            self._begin(ended)
        elif ended.size:
            self._leave(ended)
        return batch.observations, self.rewards, self.terminations

    def cut(self, rows: NDArray[np.intp], restart: bool) -> None:
        """Break off games whose learner is to move, as if they had ended: nobody has won them.

        Args:
            rows: rows [some] of games that are being played.
            restart: whether new games begin there; else they wait for a `reset`.
        """
        if not rows.size:
            return
        self._keep_final(rows)
        if restart:
            self.lengths[rows] = 0
            self._begin(rows)
        else:
            self._leave(rows)

    def state_dict(self) -> dict[str, Any]:
        """Return all that the games go on from, arrays and nested dicts by name; see `load_state_dict`."""
        opponents = opponents_state(self.opponents)
        return {**copied(self._saved()), "batch": self.batch.state_dict(), "opponents": opponents}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Let the games go on from where they were in a batch of the same game, as many games, and such opponents.

        They then go on as they would have there, unless an opponent keeps things during a game and has no
        ``state_dict``: that one begins anew. What the last step returned is not kept, but for the terminations.

        Args:
            state: what `state_dict` returned.

        Raises:
            ValueError: it is of another game, another number of games, or of opponents who keep other things. The games
                are then as they were.
        """
        saved, opponents = fitting(self._saved(), state), part(state, "opponents")
        if not ((saved["learners"] == 0) | (saved["learners"] == 1)).all():
            raise ValueError("the learners of the state must be 0 or 1")
        if self.seat in SEATS and (saved["learners"] != SEATS[self.seat]).any():
            raise ValueError(f"the state is of games whose learner has another seat than {self.seat!r}")
        games = part(state, "batch")
        turns = fitting({"players": self.batch.players, "over": self.batch.over}, games)
        waiting = ~turns["over"] & (turns["players"] != saved["learners"])
        if waiting.any():
            raise ValueError(f"the state has a game in row {waiting.argmax()} in which it is not the learner's turn")
        before = {**copied(self._saved()), "batch": self.batch.state_dict()}
        try:
            self.batch.load_state_dict(games)
            restore(self._saved(), state)
            load_opponents_state(self.opponents, opponents, self.batch)
        except BaseException:
            self.batch.load_state_dict(before["batch"])
            restore(self._saved(), before)
            self.batch._show(self._all, self.learners)
            raise
        self.batch.rngs[:] = state["batch"]["rngs"]  # an opponent that has begun anew may have drawn numbers
        self.rewards[:], self.illegal[:] = 0, -1
        self.batch._show(self._all, self.learners)

    def close(self) -> None:
        """End the threads, and what the opponents have started, such as programs; later games start these anew."""
        close(self.opponents)
        self.batch.close()

    def _saved(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a state, by name, that have an entry for each game."""
        return {"learners": self.learners, "lengths": self.lengths, "terminations": self.terminations}

    def _check_playing(self, rows: NDArray[np.intp]) -> None:
        over = self.over[rows]
        if over.any():
            row = int(rows[over.argmax()])
            raise ValueError(f"no game of {self.game.name} is being played in row {row}: call reset() before step()")

    def _play(self, rows: NDArray[np.intp], actions: NDArray[np.int64]) -> None:
        if rows.size:
            self.batch._play(rows, actions)
            self._reply(rows)

    def _reply(self, rows: NDArray[np.intp]) -> None:
        """Let the opponents play while it is their turn."""
        batch = self.batch
        while True:
            rows = rows[(batch.players[rows] != self.learners[rows]) & ~batch.over[rows]]
            if not rows.size:
                return
            try:
                actions = checked_legal(batch.masks, batch.over, rows, self.opponents.act(batch, rows))
            except ValueError as error:
                raise ValueError(f"the opponent {self.opponents!r} failed: {error}") from error
            batch._play(rows, actions)

    def _end(self, rows: NDArray[np.intp]) -> None:
        """Write the results of these games, and tell the opponents."""
        batch = self.batch
        rewards = batch.rewards[rows, self.learners[rows]]
        rewards[self.illegal[rows] >= 0] = forfeit(self.game)
        self.rewards[rows] = rewards
        self.terminations[rows] = True
        self._keep_final(rows)
        self.opponents.end(batch, rows, rewards)

    def _keep_final(self, rows: NDArray[np.intp]) -> None:
        batch = self.batch
        self.final_observations[rows] = batch.observations[rows]
        # As bytes: NumPy copies records field by field.
        raw = np.dtype((np.void, self.final_states.itemsize))
        self.final_states.view(raw)[rows] = batch.states.view(raw)[rows]

    def _begin(self, rows: NDArray[np.intp]) -> None:
        """Begin games in these rows, and play on to the learner's first move."""
        batch = self.batch
        if self.seat == "random":
            self.learners[rows] = draw_numbers(batch.rngs, rows, 2)
        rest = rows
        try:
            for _ in range(_ATTEMPTS):
                try:
                    batch._restart(rest)
                    self.opponents.begin(batch, rest)
                except BaseException:
                    batch.over[rest] = True  # whoever should reply there knows of no game
                    raise
                self._reply(rest)
                rest = rest[batch.over[rest]]
                if not rest.size:
                    break
            else:
                raise ValueError(
                    f"games of {self.game.name} with up to {batch.opening_plies} random plies end before the learner "
                    f"can move, in rows {rest.tolist()}: reset() with other options"
                )
        except BaseException:
            self._abandon(rows)
            raise
        batch._show(rows, self.learners[rows])

    def _abandon(self, rows: NDArray[np.intp]) -> None:
        """Leave those of these rows in which the learner cannot move: an opponent has failed, or was interrupted."""
        batch = self.batch
        batch._show(rows, self.learners[rows])
        self._leave(rows[batch.over[rows] | (batch.players[rows] != self.learners[rows])])

    def _leave(self, rows: NDArray[np.intp]) -> None:
        """Leave these rows without a game; no policy is ever handed a mask without an action."""
        self.batch.over[rows] = True
        self.batch.masks[rows] = 1

    def _seed(self, seeds: int | list[int | None], rows: NDArray[np.intp]) -> None:
        """Seed the rows: each by its own seed, or all by one seed and their numbers, as `GameBatch` does."""
        if not isinstance(seeds, list):
            self.batch.rngs[rows] = generators(spawned(seeds, self.num_envs))[rows]
            return
        for row, seed in zip(rows.tolist(), seeds, strict=True):
            if seed is not None:
                self.batch.rngs[row] = new_rng(seed)
