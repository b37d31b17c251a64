"""The cache of kernels on disk: what is found in it is what was compiled, never stale and never mixed up.

**Never stale.** Numba stamps the file that a kernel is written in, but not the files of the helpers it calls. So the
digest of everything that the kernel reaches is part of the key here; and it must still hold when code is compiled or
loaded (`unchanged`).

**Never mixed up, by files.** Numba numbers its cache files, and keeps the numbers in an index. Two processes that
compile for different games at the same time can write different code under one number, and a later process loads the
wrong code. So each file is named by its key here, and there is no index.

**Never damaged.** Each file begins with a checksum of the rest, and is compiled again where that is wrong. What cannot
be written, as on a full disk, runs all the same: a warning says so, once.

**Never mixed up, by symbols.** Numba names the machine code of a function by a counter local to the process. Two cached
files that hold different functions under one name are merged by the linker when a process loads both, and the wrong
function runs (https://github.com/numba/numba/issues/10486): a board of five rows was played by the rules of six. So
the counter starts at a random number in each process here, one of 2⁶², and anew in a forked one.

Numba's classes for this are private. ``pyproject.toml`` holds Numba below its next minor version, and
``tests/envs/test_jit.py`` names what has changed. Where the counter is gone, nothing is kept on disk.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import pickle
import secrets
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numba
from numba.core import types
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import FunctionCache, IndexDataCacheFile

from .digest import digest
from .game_type import GameType, check_unchanged, known_game
from .interruption import uninterrupted
from .unchanged import check_helpers

__all__ = ["FORMAT", "is_kept", "keep_on_disk", "symbols_are_unique"]

# Of the files: those of another number are not read. 1: symbols were not unique. 2: without checksums.
FORMAT = 3


def symbols_are_unique() -> bool:
    """Return whether Numba still counts functions where `_start_counting` sets the counter."""
    return isinstance(getattr(FunctionIdentity, "_unique_ids", None), itertools.count)


def _start_counting() -> None:
    """Let the counter in the names of machine code start where no other process has started."""
    if symbols_are_unique():
        FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))


_start_counting()
if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_start_counting)


_placeless = set[Any]()  # functions whose code is kept nowhere: no folder can be written to


class _KernelFiles(IndexDataCacheFile):
    """One file for each key, named by it. It begins with a checksum: who knows what damaged machine code would do."""

    def save(self, key: Any, data: Any) -> None:
        self._save_data(self._file_name(key), data)

    def load(self, key: Any) -> Any:
        try:
            return self._load_data(self._file_name(key))
        except Exception:  # not there yet, cut off, damaged, or of modules that are gone: it is compiled again
            return None

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.sha256(content).digest() + content)

    def _load_data(self, name: str) -> Any:
        with open(self._data_path(name), "rb") as file:
            checksum, content = file.read(hashlib.sha256().digest_size), file.read()
        if hashlib.sha256(content).digest() != checksum:
            raise ValueError(f"{name} is damaged")
        return pickle.loads(content)

    def _file_name(self, key: Any) -> str:
        name = hashlib.sha256(repr((numba.__version__, key)).encode()).hexdigest()[:32]
        return f"{self._index_name.removesuffix('.nbi')}.{FORMAT}.{name}.nbc"


class _KernelCache(FunctionCache):
    """Numba's cache on disk, with the digest of all that the kernel reaches added to the key."""

    _has_warned = False  # in this process, that code cannot be written

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        locator = self._impl.locator
        self._cache_file = _KernelFiles(self._cache_path, self._impl.filename_base, locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._check_unchanged(sig)  # before anything is compiled, too, for the cache is asked first
        with uninterrupted():  # LLVM asks Python for the code that was kept, and no error comes through it
            return super().load_overload(sig, target_context)

    def _check_unchanged(self, sig: Any) -> None:
        """Check that the kernel and the games that it is called with are what their digests say."""
        check_helpers(self._py_func)
        for typ in getattr(sig, "args", sig):
            if isinstance(typ, GameType):
                check_unchanged(known_game(typ))

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        # The name of a NamedTuple's type tells nothing of its fields, which kernels read by their places.
        return (*super()._index_key(sig, codegen), digest(self._py_func), tuple(_fields(sig)))

    def _save_overload(self, sig: Any, data: Any) -> None:
        # Such code calls through an address that only the process that compiled it knows: numba issue 6061.
        if ".numba.unresolved$" in data.library.get_llvm_str():
            raise TypeError(
                f"kernel {self._py_func.__name__!r} reaches a function that calls itself with arguments of other types "
                f"than it was called with, {sig}: give both the same, as in np.int64(1) instead of 1"
            )
        try:
            super()._save_overload(sig, data)
        except OSError as error:  # the code is in memory, and runs
            if not _KernelCache._has_warned:  # Python would show it again: Numba has its warnings forgotten
                _KernelCache._has_warned = True
                message = (
                    f"compiled code cannot be kept on disk ({error.strerror or error}), so each process compiles it "
                    f"again: make room in {self._cache_path}, or name another folder in NUMBA_CACHE_DIR"
                )
                warnings.warn(message, RuntimeWarning, stacklevel=1)


def _fields(kinds: Iterable[Any]) -> Iterator[tuple[str, ...]]:
    """Yield the names of the fields of all NamedTuples among some types, those in them included."""
    for kind in kinds:
        if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
            yield kind.fields
        if isinstance(kind, types.Tuple | types.UniTuple | types.NamedTuple | types.NamedUniTuple):
            yield from _fields(kind.types)


def keep_on_disk(dispatcher: Any) -> None:
    """Let Numba's ``dispatcher`` keep its machine code, as ``cache=True`` does, with our key and files.

    Nothing is kept where no folder can be written, where no file holds the function, or where symbols are not unique.
    """
    if not symbols_are_unique():
        message = f"it is not known how Numba {numba.__version__} names machine code: no kernel is kept on disk"
        warnings.warn(message, RuntimeWarning, stacklevel=3)
        return
    try:
        dispatcher._cache = _KernelCache(dispatcher.py_func)
    except RuntimeError:  # Numba finds no place: for what is typed in, there is none
        if str(dispatcher.py_func.__module__).partition(".")[0] == __name__.partition(".")[0]:
            _placeless.add(dispatcher.py_func)


def is_kept() -> bool:
    """Return whether a later process will find what is compiled here, as far as that can be known."""
    return symbols_are_unique() and not _placeless and not _KernelCache._has_warned
