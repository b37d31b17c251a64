"""A fingerprint of what a function computes, for keys of caches on disk.

Two functions have the same digest when their bytecode, their constants, Numba's options, and everything they reach
through closures and module globals (helper functions, numbers, tables) are the same. It is read from the live objects,
not from source files, so it works for a function typed into a notebook, and an edit in *another* file that a function
depends on changes it, which Numba's own cache does not notice.

Libraries that are not ours (NumPy, Numba, the standard library) count by name only: their versions are Numba's to
watch.
"""

from __future__ import annotations

import dis
import hashlib
import sys
from collections.abc import Iterable
from enum import Enum, EnumMeta
from functools import partial
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher

__all__ = ["digest", "digest_of_reached", "is_of_library", "is_own", "reached"]

_OWN = __name__.partition(".")[0] + "."
_LOOKS_UP = frozenset(("LOAD_GLOBAL", "LOAD_NAME"))  # in a module
_OPAQUE_MODULES = frozenset(sys.stdlib_module_names) | {"llvmlite", "numba", "numpy", "scipy"}


def digest(*objects: Any) -> str:
    """Return 16 hex digits that change when what the objects compute changes.

    Args:
        *objects: Python or Numba-compiled functions, NumPy arrays and dtypes, Numba's types, enumerations and their
            members, numbers, strings, and tuples, lists, dicts, sets, ranges and slices of these. Other objects count
            by the name of their type and by their attributes; those of libraries that are not ours by that name alone.

    Returns:
        A string that is the same in every process of one Python version, whatever the hash seed.
    """
    return _hashed(objects, _Seen())


def digest_of_reached(*objects: Any) -> str:
    """Return a digest that changes only when what the objects reach does: a new variable of a notebook is nothing.

    `digest` also takes it that ``state.heaps`` may reach a variable ``heaps``. Code is then compiled again for nothing,
    but where a change is a fault, it must be one.
    """
    return _hashed(objects, _Seen(exact=True))


def reached(*objects: Any) -> list[FunctionType]:
    """Return the Python functions that the objects reach, themselves included."""
    seen = _Seen(exact=True)
    _hashed(objects, seen)
    return [one for one in seen if isinstance(one, FunctionType)]


def is_own(function: Any) -> bool:
    """Return whether a function is one of this package."""
    return str(getattr(function, "__module__", None)).startswith(_OWN)


def is_of_library(function: FunctionType) -> bool:
    """Return whether a function is of a library that is not ours."""
    return str(function.__module__).partition(".")[0] in _OPAQUE_MODULES


class _Seen(dict[Any, int]):
    """The numbers of the functions, modules and objects that have been met.

    Args:
        exact: whether a function reaches only the globals that it looks up, not those with the name of an attribute;
            and one of this package none, for what changes there is caches.
    """

    def __init__(self, *, exact: bool = False) -> None:
        super().__init__()
        self.exact = exact


def _hashed(objects: Any, seen: _Seen) -> str:
    hasher = hashlib.sha256()
    for part in _parts(objects, seen, set()):
        hasher.update(part.encode() if isinstance(part, str) else part)
        hasher.update(b"\0")
    return hasher.hexdigest()[:16]


def _parts(value: Any, seen: _Seen, names: set[str]) -> Iterable[str | bytes]:
    """Yield the pieces of ``value`` in an order that does not depend on the process.

    ``names`` are what the function that reaches the value may look up: of a module, only these attributes count.
    """
    if isinstance(value, Dispatcher):  # it stands for its Python function, with options that change what is computed
        yield from _parts((value.targetoptions, value.locals), seen, names)
    value = getattr(value, "py_func", value)
    value = getattr(value, "_defn", value)  # and an intrinsic for the function that makes its code
    if isinstance(value, FunctionType):
        if value in seen:
            yield f"function {seen[value]} again"  # which one it is matters: `key` may be one rule or another
        else:
            seen[value] = len(seen)
            yield from _function_parts(value, seen)
    elif isinstance(value, CodeType):
        yield value.co_code
        yield repr((value.co_names, value.co_varnames, value.co_freevars))
        yield from _parts(value.co_consts, seen, names)
    elif isinstance(value, ModuleType):
        yield value.__name__
        key = id(value), frozenset(names)  # another function may look up other names
        if value.__name__.partition(".")[0] not in _OPAQUE_MODULES and key not in seen:
            seen[key] = len(seen)
            for name in sorted(names & vars(value).keys()):
                yield name
                yield from _parts(getattr(value, name), seen, names)
    elif isinstance(value, np.ndarray):
        yield repr((value.dtype.descr, value.shape))
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, np.dtype):
        name = "record" if issubclass(value.type, np.record) else value.type.__name__  # the fields are in descr
        yield repr((value.descr, value.itemsize, name))
    elif isinstance(value, (tuple, list)):
        yield f"{type(value).__name__} of {len(value)}"
        yield from getattr(type(value), "_fields", ())  # of a NamedTuple: rules ask for values by these
        for item in value:
            yield from _parts(item, seen, names)
    elif isinstance(value, (slice, range)):
        yield type(value).__name__
        yield from _parts((value.start, value.stop, value.step), seen, names)
    elif isinstance(value, (set, frozenset)):
        yield repr(sorted(map(repr, value)))
    elif isinstance(value, dict):
        yield f"dict of {len(value)}"
        for key in sorted(value, key=repr):
            yield repr(key)
            yield from _parts(value[key], seen, names)
    elif isinstance(value, EnumMeta):
        yield repr([(member.name, member.value) for member in value])  # type: ignore[var-annotated]
    elif isinstance(value, Enum | types.Type):
        yield f"{type(value).__qualname__} {value!r}"
    elif value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        yield f"{type(value).__name__} {value!r}"
    else:
        yield getattr(value, "__qualname__", type(value).__qualname__)
        if isinstance(value, type):
            yield from getattr(value, "_fields", ())
        elif isinstance(value, partial):
            yield from _parts((value.func, value.args, value.keywords), seen, names)
        elif isinstance(value, (MethodType, BuiltinMethodType)):
            yield from _parts((value.__self__, getattr(value, "__func__", None)), seen, names)
        elif id(value) in seen:
            yield f"object {seen[id(value)]} again"
        elif type(value).__module__.partition(".")[0] not in _OPAQUE_MODULES:
            seen[id(value)] = len(seen)
            yield from _parts(_attributes(value), seen, names)


def _attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, those in slots too, which may not be set."""
    slots = [getattr(one, "__slots__", ()) for one in type(value).__mro__]
    names = {name for some in slots for name in ((some,) if isinstance(some, str) else some)} - {"__dict__"}
    found = {name: getattr(value, name) for name in sorted(names - {"__weakref__"}) if hasattr(value, name)}
    return {**found, **getattr(value, "__dict__", {})}


def _function_parts(function: FunctionType, seen: _Seen) -> Iterable[str | bytes]:
    """Yield what a function is called (compiled code names its module), does, and reaches."""
    yield f"{function.__module__}.{function.__qualname__}"
    names = _names(function.__code__)
    yield from _parts((function.__code__, function.__defaults__, function.__kwdefaults__), seen, names)
    for cell in function.__closure__ or ():
        yield from _parts(cell.cell_contents, seen, names)
    if seen.exact:
        names = set() if is_own(function) else _looked_up(function.__code__)
    for name in sorted(names & function.__globals__.keys()):
        yield name
        yield from _parts(function.__globals__[name], seen, names)


def _looked_up(code: CodeType) -> set[str]:
    """Return the names that the code, or code nested in it, looks up in its module: attributes are none."""
    names = {str(one.argval) for one in dis.get_instructions(code) if one.opname in _LOOKS_UP}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _looked_up(constant)
    return names


def _names(code: CodeType) -> set[str]:
    """Return every name that the code, or code nested in it, may look up."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names
