"""The samples that a net learns from: the newest ones, in a window that grows, drawn by weight.

Samples are kept on disk (`shards`) and mapped into memory; the newest wait in memory until there are enough for a
shard, or the run is saved. What is drawn depends on the samples, the window and the generator alone, not on where a
shard ends: so a run that goes on draws what it would have drawn.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....envs import Game
from ....envs.definition.terms import images_of
from .samples import sample_dtype, unpack_masks, unpack_planes
from .shards import Shards

__all__ = ["Batch", "ReplayBuffer"]

_UNIT = 1 << 16  # weights are counted in whole units, whose sums are exact


class Batch(NamedTuple):
    """Samples as a network learns from them; values are the player to move's, a win is 1."""

    planes: NDArray[Any]  # [samples, *observation_shape], of a small dtype
    masks: NDArray[np.bool_]  # [samples, num_actions]
    policies: NDArray[np.float32]  # [samples, num_actions]
    full: NDArray[np.bool_]  # [samples]: whether the policy is to be learned
    results: NDArray[np.float32]  # [samples]
    values: NDArray[np.float32]  # [samples]: the search's
    proved: NDArray[np.int8]  # [samples]
    plies_left: NDArray[np.float32]  # [samples]
    owners: NDArray[np.float32] | None = None  # [samples, cells]: the player to move's are 1


class ReplayBuffer:
    """Samples of self-play, from which batches are drawn.

    Args:
        folder: the folder that keeps the samples.
        game: the game.
        window: gives the number of the newest samples that are drawn from, by the number of all.
        shard_size: samples that are written together; fewer when the run is saved.
        load: begin with all samples of the folder. If not, it begins with none: `load_state_dict` reads and checks
            those that a state needs, and where samples are added instead, what was in the folder goes.

    Attributes:
        total: samples that have been added, those that are no longer kept included.

    Raises:
        ValueError: the folder holds samples of another kind, or is damaged.
    """

    def __init__(
        self,
        folder: str | Path,
        game: Game,
        window: Callable[[int], int],
        *,
        shard_size: int = 1 << 16,
        load: bool = True,
    ) -> None:
        self.game, self.window, self.shard_size = game, window, shard_size
        self._shards = Shards(folder, sample_dtype(game))
        self._images = images_of(game)
        self._is_loaded = load
        self._begin(self._shards.load(self._shards.end) if load else [])

    def _begin(self, parts: list[NDArray[Any]]) -> None:
        self._first = self._shards.first if parts else 0  # number of the first sample that is kept
        self._parts, self._starts = list[NDArray[Any]](), list[int]()  # mapped, then waiting; numbers of their first
        self._waiting: list[NDArray[Any]] = []
        self._sums = np.zeros(1, np.int64)  # [kept + 1, or more]: weights of the samples before each one
        self.total = self._first
        for part in parts:
            self._add(part)

    def __len__(self) -> int:
        """Return the number of samples in the window."""
        return min(self.window(self.total), self.total - self._first)

    def append(self, samples: NDArray[Any]) -> None:
        """Add samples of `sample_dtype`.

        Raises:
            ValueError: they have another dtype, or a weight that is negative or no number.
        """
        if samples.dtype != self._shards.dtype:
            raise ValueError(f"expected samples of {self._shards.dtype}, got {samples.dtype}")
        if not len(samples):
            return
        if not (np.isfinite(samples["weight"]).all() and samples["weight"].min() >= 0):
            raise ValueError("the weight of a sample must be a number, at least 0")
        if not self._is_loaded:
            self.load_state_dict({"total": 0})
        samples = samples.copy()
        self._waiting.append(samples)
        self._add(samples)
        if sum(map(len, self._waiting)) >= self.shard_size:
            self.flush()

    def _add(self, samples: NDArray[Any]) -> None:
        kept, count = self.total - self._first, len(samples)
        if len(self._sums) < kept + count + 1:
            self._sums = np.concatenate((self._sums, np.zeros(max(kept, count) + 1, np.int64)))
        units = np.rint(samples["weight"].astype(np.float64) * _UNIT).astype(np.int64)
        self._sums[kept + 1 : kept + count + 1] = self._sums[kept] + np.cumsum(units)
        self._parts.append(samples)
        self._starts.append(self.total)
        self.total += count

    def flush(self) -> None:
        """Write the samples that wait in memory, as one shard."""
        if not self._waiting:
            return
        first = len(self._parts) - len(self._waiting)
        self._parts[first:] = [self._shards.add(np.concatenate(self._waiting))]
        self._starts[first:] = self._starts[first : first + 1]
        self._waiting = []

    def sample(self, count: int, rng: np.random.Generator, *, symmetry: bool = False) -> Batch:
        """Draw samples from the window, by weight, with replacement; where none weighs anything, evenly.

        Args:
            count: how many.
            rng: the generator that draws.
            symmetry: show each through one of the board's symmetries, all equally likely.

        Raises:
            ValueError: there are none.
        """
        end, size = self.total - self._first, len(self)
        if not size:
            raise ValueError("there are no samples to draw: append some")
        low, high = (int(self._sums[place]) for place in (end - size, end))
        if low == high:  # as in a window of moves that nobody could choose, where all weight is by surprise
            places = np.sort(rng.integers(end - size, end, count))
        else:
            drawn = np.sort(rng.integers(low, high, count))  # neighbours are found, and read, one after the other
            places = np.searchsorted(self._sums[: end + 1], drawn, side="right") - 1
        samples = self._gathered(places + self._first)
        planes, masks = unpack_planes(self.game, samples), unpack_masks(self.game, samples)
        policies = samples["policy"].astype(np.float32)
        owners = None if self.game.owners is None else samples["owners"].astype(np.float32)
        if symmetry and self._images is not None:
            image = rng.integers(len(self._images.cells), size=count)
            flat = planes.reshape(count, self._images.cells.shape[1], -1)
            for number, (cells, actions) in enumerate(zip(self._images.cells, self._images.actions, strict=True)):
                rows = np.flatnonzero(image == number)  # all at once, by indices for each, takes four times as long
                flat[rows] = flat[rows].take(cells, axis=1)
                masks[rows] = masks[rows].take(actions, axis=1)
                policies[rows] = policies[rows].take(actions, axis=1)
                if owners is not None:
                    owners[rows] = owners[rows].take(cells, axis=1)
            planes = flat.reshape(planes.shape)
        return Batch(
            planes,
            masks,
            policies,
            samples["full"].copy(),
            samples["result"].copy(),
            samples["value"].copy(),
            samples["proved"].copy(),
            samples["plies_left"].astype(np.float32),
            owners,
        )

    def _gathered(self, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """Return the samples of these numbers [count], which ascend."""
        found = np.empty(len(numbers), self._shards.dtype)
        done = 0
        while done < len(numbers):
            part = bisect_right(self._starts, int(numbers[done])) - 1
            start, samples = self._starts[part], self._parts[part]
            last = int(np.searchsorted(numbers, start + len(samples)))
            found[done:last] = samples[numbers[done:last] - start]
            done = last
        return found

    def newest(self, count: int) -> NDArray[Any]:
        """Return the newest ``count`` samples, or all if there are fewer, in the order in which they were added."""
        kept = self.total - self._first
        return self._gathered(np.arange(kept - min(count, kept), kept) + self._first)

    def drop_before(self, total: int) -> None:
        """Remove shards that no window needs from the moment on at which there were ``total`` samples."""
        count = self._shards.drop_before(total - self.window(total))
        if not count:
            return
        del self._parts[:count], self._starts[:count]
        kept = self._shards.first - self._first
        self._sums = self._sums[kept : self.total - self._first + 1] - self._sums[kept]
        self._first += kept

    def state_dict(self) -> dict[str, Any]:
        """Return what tells the samples of this moment from later ones; those that wait are written."""
        self.flush()
        return {"total": self.total}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go back to the samples of the moment at which `state_dict` was asked; later ones are removed.

        Raises:
            DamagedSamplesError: samples that are needed are missing or damaged.
            ValueError: there is no index of samples.
        """
        self._begin(self._shards.load(int(state["total"])))
        self._is_loaded = True
