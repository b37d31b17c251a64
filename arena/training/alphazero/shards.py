"""Samples on disk: shards that are written once, and an index of those that are whole.

::

    index.json                 the dtype, and for each shard its first sample, their number, and a checksum
    shard_000000000.samples    the samples from number 0 on, as raw records

A shard is written beside the others, forced to disk, and named; then the index is, in the same way. So the index lists
whole shards at any moment, whatever kills the process, and a file that it does not list is no part of the samples.
"""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....envs.outside.whole_files import write_whole

__all__ = ["DamagedSamplesError", "Shard", "Shards"]

_INDEX = "index.json"


class DamagedSamplesError(ValueError):
    """Shards are missing or damaged.

    Args:
        message: what is wrong, in words.
        folder: the folder of the samples.
        whole: number of the first sample that cannot be read.
    """

    def __init__(self, message: str, folder: Path, whole: int) -> None:
        super().__init__(message)
        self.folder, self.whole = folder, whole


class Shard(NamedTuple):
    """A file of samples."""

    first: int  # number of its first sample
    samples: int
    checksum: int  # CRC-32 of the file

    @property
    def name(self) -> str:
        """The name of the file."""
        return f"shard_{self.first:09d}.samples"


class Shards:
    """The shards of a folder, in the order of their samples.

    Args:
        folder: the folder; it is made if it is not there.
        dtype: the dtype of a sample.

    Raises:
        ValueError: the index is damaged, or of samples of another dtype.
    """

    def __init__(self, folder: str | Path, dtype: np.dtype[Any]) -> None:
        self.folder, self.dtype = Path(folder), dtype
        self.folder.mkdir(exist_ok=True)
        self.shards = self._read_index()

    @property
    def first(self) -> int:
        """Number of the first sample that is kept."""
        return self.shards[0].first if self.shards else 0

    @property
    def end(self) -> int:
        """Number of the first sample that is not written yet."""
        return self.shards[-1].first + self.shards[-1].samples if self.shards else 0

    def add(self, samples: NDArray[Any]) -> NDArray[Any]:
        """Write samples as a new shard, and return them, mapped from the file."""
        content = samples.tobytes()
        shard = Shard(self.end, len(samples), zlib.crc32(content))
        write_whole(self.folder / shard.name, content)
        self._write_index([*self.shards, shard])
        return self._mapped(shard)

    def load(self, end: int) -> list[NDArray[Any]]:
        """Return the samples before number ``end``, mapped from the shards; later ones are removed.

        Raises:
            DamagedSamplesError: a shard is missing or damaged, or the samples do not reach to ``end``.
            ValueError: there is no index.
        """
        if end and not self.shards:
            raise ValueError(f"{str(self.folder / _INDEX)!r} is missing, or lists no samples: expected {end:,}")
        kept = [shard for shard in self.shards if shard.first < end]
        reached = kept[-1].first + kept[-1].samples if kept else 0
        if reached != end:
            words = f"{str(self.folder)!r} has samples up to {reached:,}, expected {end:,}"
            raise DamagedSamplesError(words, self.folder, kept[-1].first if reached > end else reached)
        found = [self._checked(shard) for shard in kept]
        self._write_index(kept)
        self._remove_others()
        return found

    def drop_before(self, first: int) -> int:
        """Remove shards all of whose samples come before number ``first``, and return how many there were."""
        kept = [shard for shard in self.shards if shard.first + shard.samples > first] or self.shards[-1:]
        dropped = len(self.shards) - len(kept)
        if dropped:
            self._write_index(kept)
            self._remove_others()
        return dropped

    def _checked(self, shard: Shard) -> NDArray[Any]:
        """Return the samples of a shard, if they are those that were written."""
        samples = self._mapped(shard)
        if zlib.crc32(samples) != shard.checksum:  # pyright: ignore[reportArgumentType]  (a buffer)
            path = self.folder / shard.name
            raise DamagedSamplesError(f"{str(path)!r} is damaged: its checksum is another", self.folder, shard.first)
        return samples

    def _mapped(self, shard: Shard) -> NDArray[Any]:
        path = self.folder / shard.name
        if not path.is_file() or path.stat().st_size != shard.samples * self.dtype.itemsize:
            words = f"{str(path)!r} is missing, or has another length than the index says"
            raise DamagedSamplesError(words, self.folder, shard.first)
        return np.memmap(path, self.dtype, "r", shape=(shard.samples,))

    def _remove_others(self) -> None:
        known = {_INDEX, *(shard.name for shard in self.shards)}
        for path in self.folder.iterdir():
            if path.name not in known:
                with suppress(PermissionError):  # Windows removes no file that is still mapped: it goes the next time
                    path.unlink()

    def _read_index(self) -> list[Shard]:
        path = self.folder / _INDEX
        if not path.is_file():
            return []
        try:
            about = json.loads(path.read_text())
            shards = [Shard(*map(int, shard)) for shard in about["shards"]]
            written = about["dtype"]
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{str(path)!r} is no index of samples: {error}") from None
        if written != repr(self.dtype.descr):
            raise ValueError(f"{str(path)!r} is of samples of another kind: is it of another game or version?")
        return shards

    def _write_index(self, shards: list[Shard]) -> None:
        about = {"dtype": repr(self.dtype.descr), "shards": shards}
        write_whole(self.folder / _INDEX, json.dumps(about).encode())
        self.shards = shards
