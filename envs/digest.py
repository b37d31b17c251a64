"""A fingerprint of what a function computes, for keys of caches on disk.

Two functions have the same digest when their bytecode, their constants, and everything they reach through closures and
module globals (helper functions, numbers, tables) are the same. It is read from the live objects, not from source
files, so it works for a function typed into a notebook, and an edit in *another* file that a function depends on
changes it, which Numba's own cache does not notice.

Libraries that are not ours (NumPy, Numba, the standard library) count by name only: their versions are Numba's to
watch.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

__all__ = ["digest"]

_OPAQUE_MODULES = frozenset(sys.stdlib_module_names) | {"numba", "numpy", "scipy"}


def digest(*objects: Any) -> str:
    """Return 16 hex digits that change when what the objects compute changes.

    Args:
        *objects: Python or Numba-compiled functions, NumPy arrays and dtypes, numbers, strings, and tuples, lists and
            dicts of these. Other objects count by their type's name.

    Returns:
        A string that is the same in every process of one Python version, whatever the hash seed.
    """
    hasher = hashlib.sha256()
    seen: set[int] = set()
    for part in _parts(objects, seen):
        hasher.update(part.encode() if isinstance(part, str) else part)
        hasher.update(b"\0")
    return hasher.hexdigest()[:16]


def _parts(value: Any, seen: set[int]) -> Iterable[str | bytes]:
    """Yield the pieces of ``value`` in an order that does not depend on the process."""
    value = getattr(value, "py_func", value)  # a Numba dispatcher stands for its Python function
    if isinstance(value, FunctionType):
        if id(value) in seen:
            yield "seen"
            return
        seen.add(id(value))
        yield value.__qualname__
        yield from _parts(value.__code__, seen)
        for cell in value.__closure__ or ():
            yield from _parts(cell.cell_contents, seen)
        names = _names(value.__code__)
        for name in sorted(names & value.__globals__.keys()):
            yield name
            yield from _global(value.__globals__[name], names, seen)
    elif isinstance(value, CodeType):
        yield value.co_code
        yield repr((value.co_names, value.co_varnames, value.co_freevars))
        yield from _parts(value.co_consts, seen)
    elif isinstance(value, np.ndarray):
        yield repr((value.dtype.descr, value.shape))
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, np.dtype):
        yield repr((value.descr, value.itemsize, value.type.__name__))
    elif isinstance(value, (tuple, list)):
        yield f"{type(value).__name__} of {len(value)}"
        for item in value:
            yield from _parts(item, seen)
    elif isinstance(value, (set, frozenset)):
        yield repr(sorted(map(repr, value)))
    elif isinstance(value, dict):
        yield f"dict of {len(value)}"
        for key in sorted(value, key=repr):
            yield repr(key)
            yield from _parts(value[key], seen)
    elif value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        yield f"{type(value).__name__} {value!r}"
    else:
        yield getattr(value, "__qualname__", type(value).__qualname__)


def _global(value: Any, names: set[str], seen: set[int]) -> Iterable[str | bytes]:
    """Yield the pieces of a module global; of a module, those attributes that the function names."""
    if not isinstance(value, ModuleType):
        yield from _parts(value, seen)
        return
    yield value.__name__
    if value.__name__.partition(".")[0] not in _OPAQUE_MODULES:
        for name in sorted(names & vars(value).keys()):
            yield name
            yield from _parts(getattr(value, name), seen)


def _names(code: CodeType) -> set[str]:
    """Return every name that the code, or code nested in it, may look up."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names
