"""Self-play: many games side by side, each move found by a tree of one forest, and what the finished games teach."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....agents.networks import network_config
from ....agents.puct.forest import Evaluate, EvaluationCache, Forest, Searched
from ....envs import Game, GameBatch
from ..settings import most_opening_plies
from .config import AlphaZeroConfig
from .samples import UNPROVED, new_samples, pack, sample_dtype

__all__ = ["Counts", "SelfPlay"]

_EARLIER = 4096  # positions of earlier games at which others may begin
_REMEMBERED = 8  # that are added in each step, in place of the oldest
_CACHE_MB = 64.0  # for answers of the net, where that pays
_ROOM = 64  # plies of a game for which there is room at first: the longest of chess has 12,700


@dataclass
class Counts:
    """What self-play has done.

    Attributes:
        games: games that have ended.
        moves: moves that were played, those of random openings not counted.
        simulations: simulations of all searches.
        asked: positions that the net was asked about.
        hits: positions that the cache answered in its place.
        seconds_search: time in the searches, without the net's.
        seconds_net: time in which the net was computed.
    """

    games: int = 0
    moves: int = 0
    simulations: int = 0
    asked: int = 0
    hits: int = 0
    seconds_search: float = 0.0
    seconds_net: float = 0.0

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Counts:
        """Return counts from a state, which an older version may have written, that counted more or less.

        Raises:
            TypeError, ValueError, OverflowError: one of them is no number.
        """
        return cls(**{name: type(zero)(kept[name]) for name, zero in asdict(cls()).items() if name in kept})

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Counts) -> Counts:
        return Counts(*(one - less for one, less in zip(astuple(self), astuple(other), strict=True)))


class SelfPlay:
    """Games that a net plays against itself, and the samples of those that have ended.

    A game opens with random plies, so that the net meets positions of all kinds. Each move is found by a search: a full
    one in a share of the moves, a cheap one in the others (`AlphaZeroConfig`). A cheap one has no noise, and gives no
    sample. From where a search proves the result, a game is known to end so: earlier positions learn that result,
    whatever is played later.

    Args:
        game: the game.
        config: the configuration of the run.
        seed: the seed of the games and the searches.
        num_envs: games side by side; default: the configuration's.
    """

    def __init__(self, game: Game, config: AlphaZeroConfig, seed: int, num_envs: int | None = None) -> None:
        self.game, self.config = game, config
        games = config.num_envs if num_envs is None else num_envs
        of_batch, of_forest, of_chance = np.random.SeedSequence(seed).spawn(3)
        self.batch = GameBatch(
            game,
            games,
            opening_plies=most_opening_plies(game, config.opening_plies),
            threads=config.threads_each,
            seed=int(of_batch.generate_state(1)[0]),
        )
        self.forest = Forest(
            game,
            games,
            simulations=config.simulations,
            root=config.root,
            considered=config.considered,
            c_visit=config.c_visit,
            c_scale=config.c_scale,
            proofs=config.proofs,
            decisive=config.decisive,
            cache_mb=_cache_mb(game, config, games),
            noise=config.noise,
            noise_alpha=config.noise_alpha,
            forced=config.forced,
            threads=config.threads_each,
            seed=of_forest,
        )
        self.stats = Counts()
        self._pass_after = _pass_after(game, config)
        self._chance = np.random.default_rng(of_chance)
        self._samples = np.zeros((games, 0), sample_dtype(game))  # [games, plies] of the games that go on
        self._movers = np.zeros((games, 0), np.int8)  # [games, plies]
        self._counts = np.zeros(games, np.int64)
        self._make_room(_ROOM)
        self._numbers = np.arange(games)  # of the games that go on
        self._rows = np.arange(games)
        self._earlier = np.zeros(_EARLIER, game.dtype)
        self._remembered = 0

    def play(self, evaluate: Evaluate, moves: int) -> NDArray[Any]:
        """Play ``moves`` plies in every game, and return the samples of the games that ended, see `sample_dtype`.

        What the net said before is forgotten: it may have learned since, and a run that resumes knows nothing of it.
        (What else is asked about together may change an answer's last bit.)

        Args:
            evaluate: what computes the net, see `Evaluate`.
            moves: plies.
        """
        if self.forest.cache is not None:
            self.forest.cache.clear()
        ended = [self._step(evaluate) for _ in range(moves)]
        return np.concatenate(ended) if ended else new_samples(self.game, 0)

    def _step(self, evaluate: Evaluate) -> NDArray[Any]:
        """Play one move in every game, and return the samples of the games that it ends."""
        batch, config, stats = self.batch, self.config, self.stats
        full = self._chance.random(batch.num_envs) < config.full_share
        simulations = np.where(full, config.simulations, config.cheap_simulations)
        before, net = time.perf_counter(), 0.0

        def timed(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            nonlocal net
            started = time.perf_counter()
            answer = evaluate(planes, masks)
            net += time.perf_counter() - started
            return answer

        self.forest.forget()
        done, asked, hits = self.forest.simulations_done, self.forest.evaluations, self._hits
        masks = self._masks()
        searched = self.forest.search(
            batch.states, timed, masks=masks, simulations=simulations, noisy=full, shown=batch.seen_by_both(),
            past=batch.pasts(self._rows),
        )  # fmt: skip
        self._note(searched, masks, full)
        if config.earlier_openings > 0:
            self._remember()
        actions = searched.actions if config.root == "gumbel" else self._drawn(searched)
        last = None if self.game.owners is None else batch.states.copy()  # a batch begins ended games anew at once
        batch.step(actions)
        ended = np.flatnonzero(batch.terminations)
        samples = [self._finished(row) for row in ended.tolist()]
        if last is not None:
            for row, its in zip(ended.tolist(), samples, strict=True):
                self._note_owners(its, row, self.game.state_check.record(last[row]), int(actions[row]))
        self._counts[ended] = 0
        if config.earlier_openings > 0:
            again = ended[self._chance.random(ended.size) < config.earlier_openings]
            known = min(self._remembered, _EARLIER)
            batch.begin_at(again, self._earlier[self._chance.integers(known, size=again.size)])
        stats.games += ended.size
        stats.moves += batch.num_envs
        stats.simulations += self.forest.simulations_done - done
        stats.asked += self.forest.evaluations - asked
        stats.hits += self._hits - hits
        stats.seconds_net += net
        stats.seconds_search += time.perf_counter() - before - net
        return np.concatenate(samples) if samples else new_samples(self.game, 0)

    @property
    def _hits(self) -> int:
        """Positions that the forest's cache, if there is one, has answered so far."""
        return 0 if self.forest.cache is None else self.forest.cache.hits

    def _masks(self) -> NDArray[np.int8]:
        """Return what may be played in each game: the legal actions, but no pass before its time."""
        masks = self.batch.masks
        if self._pass_after:
            masks = masks.copy()
            masks[(self.batch.plies < self._pass_after) & masks[:, :-1].any(axis=1), -1] = 0
        return masks

    def _note(self, searched: Searched, masks: NDArray[np.int8], full: NDArray[np.bool_]) -> None:
        """Write a sample for each position that was searched."""
        batch, counts = self.batch, self._counts
        self._make_room(int(counts.max()) + 1)
        samples = new_samples(self.game, batch.num_envs)
        pack(self.game, samples, batch.observations, masks)
        samples["policy"], samples["value"], samples["full"] = searched.policies, searched.values, full
        is_sure = searched.proved
        if self._pass_after:  # who might not pass could have done better by it, unless nothing is better
            is_sure = is_sure & ((searched.values >= 1) | (masks == batch.masks).all(axis=1))
        samples["proved"] = np.where(is_sure, np.sign(searched.values).astype(np.int8), UNPROVED)
        samples["weight"] = searched.surprise  # made a weight when the game has ended
        samples["ply"], samples["game"] = batch.plies, self._numbers
        self._samples[self._rows, counts] = samples
        self._movers[self._rows, counts] = batch.players
        counts += 1

    def _make_room(self, plies: int) -> None:
        """Make room for games of so many plies: that which there is doubles, but never beyond the longest game's."""
        samples, movers = self._samples, self._movers
        games, room = samples.shape
        if plies <= room:
            return
        shape = games, min(max(plies, 2 * room), self.game.max_plies + 1)
        self._samples, self._movers = np.zeros(shape, samples.dtype), np.zeros(shape, movers.dtype)
        for row, count in enumerate(self._counts.tolist()):  # room that nothing is written to takes no memory
            self._samples[row, :count], self._movers[row, :count] = samples[row, :count], movers[row, :count]

    def _remember(self) -> None:
        """Remember a few of the present positions."""
        count = min(_REMEMBERED, self.batch.num_envs)
        places = (self._remembered + np.arange(count)) % _EARLIER
        self._earlier[places] = self.batch.states[self._chance.choice(self._rows, count, replace=False)]
        self._remembered += count

    def _drawn(self, searched: Searched) -> NDArray[np.int32]:
        """Return actions drawn from the policies in the first plies after the opening, and the best ones later."""
        shares = np.cumsum(searched.policies, axis=1, dtype=np.float64)
        numbers = self._chance.random((len(shares), 1)) * shares[:, -1:]
        drawn = (shares <= numbers).sum(axis=1).clip(max=self.game.num_actions - 1)
        return np.where(self._counts <= self.config.temperature_plies, drawn, searched.actions).astype(np.int32)

    def _finished(self, row: int) -> NDArray[Any]:
        """Return the samples of a game that the last step ended, with its result, and give its row a new number.

        Cheap searches may prove the result of positions before them; they leave no samples themselves.
        """
        count = int(self._counts[row])
        samples, movers = self._samples[row, :count].copy(), self._movers[row, :count]
        result = float(self.batch.rewards[row, 0]) / self.game.max_utility  # to the first player
        results = list[float]()
        told = zip(movers.tolist(), samples["proved"].tolist(), samples["value"].tolist(), strict=True)
        for mover, proved, value in reversed([*told]):
            sign = 1.0 if mover == 0 else -1.0
            if proved != UNPROVED:
                result = sign * value
            results.append(sign * result)
        samples["result"] = results[::-1]
        samples["plies_left"] = np.arange(count, 0, -1)
        samples = samples[samples["full"]]
        share, surprise = self.config.surprise_share, samples["weight"].clip(0)
        mean = surprise.mean() if surprise.size else 0.0
        samples["weight"] = 1 - share + share * (surprise / mean if mean > 0 else 1.0)
        self._numbers[row] = self._numbers.max() + 1
        return samples

    def _note_owners(self, samples: NDArray[Any], row: int, state: Any, action: int) -> None:
        """Write whose each cell was when ``action`` ended the game, for those who moved in ``samples``.

        It is played in ``state``, the last one before.
        """
        assert self.game.owners is not None
        self.game.play(state, action)
        owners = self.game.owners(state)
        full = np.flatnonzero(self._samples["full"][row, : self._counts[row]])
        samples["owners"] = np.where(self._movers[row, full, None] == 0, owners, -owners)

    def state_dict(self) -> dict[str, Any]:
        """Return all that self-play goes on from: arrays, numbers and texts in nested dicts."""
        played = _played(self._counts)
        return {
            "batch": self.batch.state_dict(),
            "rngs": self.forest.rngs.copy(),
            "chance": self._chance.bit_generator.state,
            "samples": self._samples[:, : played.shape[1]][played].view(np.uint8),
            "movers": self._movers[:, : played.shape[1]][played],
            "counts": self._counts.copy(),
            "numbers": self._numbers.copy(),
            "earlier": self._earlier[: self._remembered].copy(),
            "remembered": self._remembered,
            "stats": asdict(self.stats),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where self-play of the same configuration was.

        Args:
            state: what `state_dict` returned.

        Raises:
            ValueError: it is of another game or another number of games.
        """
        self.batch.load_state_dict(state["batch"])
        self.forest.rngs[:] = state["rngs"]
        self._chance.bit_generator.state = state["chance"]
        counts, played = state["counts"], _played(state["counts"])
        samples, movers = np.ascontiguousarray(state["samples"]).view(self._samples.dtype), state["movers"]
        if movers.ndim == 2:  # older states have as many plies of each game
            samples, movers = samples[played], movers[played]
        self._make_room(played.shape[1])
        self._counts[:], self._numbers[:] = counts, state["numbers"]
        self._samples[:, : played.shape[1]][played] = samples
        self._movers[:, : played.shape[1]][played] = movers
        self._remembered = int(state["remembered"])
        self._earlier[: self._remembered] = state["earlier"]
        self.stats = Counts.of(state["stats"])


def _cache_mb(game: Game, config: AlphaZeroConfig, games: int) -> float:
    """Return the memory for answers of the net, in MB.

    Without symmetries the net has not learned the mirror images that a cache asks about. Where a search of all games
    has no room, positions would be forgotten before they come again.
    """
    if config.cache_mb is not None:
        return config.cache_mb
    pays = config.symmetry and EvaluationCache.places(game, _CACHE_MB) >= games * config.simulations
    return _CACHE_MB if pays else 0.0


def _pass_after(game: Game, config: AlphaZeroConfig) -> int:
    """Return the plies of a game before which nobody passes who can do something else."""
    if config.pass_after is not None:
        return config.pass_after
    passes = game.owners is not None and network_config(game, "mlp").has_pass  # as of any size
    return 2 * (game.num_actions - 1) // 5 if passes else 0


def _played(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which plies of games [games, the longest] have been played."""
    return np.arange(counts.max()) < counts[:, np.newaxis]
