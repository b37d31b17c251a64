"""Atomic operations on the elements of an array, for kernels that several threads run over the same data.

Numba has none for the CPU, but can be given LLVM's own instructions (LLVM Language Reference, "Atomic memory ordering
constraints"). `load` and `store` are ordered as in C++: what a thread wrote before it stored a value is seen by a
thread that loaded that value. Under ``NUMBA_DISABLE_JIT=1`` they are plain Python, for one thread only.

An ``array`` is one-dimensional and contiguous, of 32- or 64-bit integers, or of float64 (not for `compare_and_swap`);
an ``index`` is not negative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import config, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from ...envs.jit import helper

__all__ = ["compare_and_swap", "fetch_add", "load", "store"]

_INTEGERS = (types.int32, types.int64, types.uint32, types.uint64)


def _instruction(plain: Callable[..., Any]) -> Callable[..., Callable[..., Any]]:
    """Return a decorator that makes an intrinsic of a function; or gives ``plain`` in its place in plain Python."""

    def made(function: Callable[..., Any]) -> Callable[..., Any]:
        if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
            return plain
        found: Any = intrinsic(function)
        found.py_func = function  # so that the digest of a kernel sees an edit of the instruction
        return found

    return made


def _check(array: Any, index: Any, kinds: tuple[Any, ...]) -> None:
    fits = isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C" and array.mutable
    if not fits or array.dtype not in kinds or not isinstance(index, types.Integer):
        names = ", ".join(map(str, kinds))
        raise TypingError(f"expected a contiguous writable array of {names} and an index, got {array} and {index}")


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Return a pointer to the element of the array ``args[0]`` at ``args[1]``."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    index = context.cast(builder, args[1], signature.args[1], types.intp)
    checked = context.enable_boundscheck
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, [index], boundscheck=checked)


def _width(signature: Any) -> int:
    return signature.args[0].dtype.bitwidth // 8


def _plain_fetch_add(array: Any, index: int, value: Any) -> Any:
    old = array[index]
    array[index] += value
    return old


@_instruction(_plain_fetch_add)
def _fetch_add(typing: Any, array: Any, index: Any, value: Any) -> Any:
    _check(array, index, (*_INTEGERS, types.float64))
    operation = "fadd" if array.dtype == types.float64 else "add"

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw(operation, _address(context, builder, signature, args), args[2], "monotonic")

    return array.dtype(array, index, array.dtype), emit


def _plain_compare_and_swap(array: Any, index: int, expected: Any, new: Any) -> bool:
    if array[index] != expected:
        return False
    array[index] = new
    return True


@_instruction(_plain_compare_and_swap)
def _compare_and_swap(typing: Any, array: Any, index: Any, expected: Any, new: Any) -> Any:
    _check(array, index, _INTEGERS)

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _address(context, builder, signature, args)
        return builder.extract_value(builder.cmpxchg(address, args[2], args[3], "acq_rel", "acquire"), 1)

    return types.boolean(array, index, array.dtype, array.dtype), emit


def _plain_load(array: Any, index: int) -> Any:
    return array[index]


@_instruction(_plain_load)
def _load(typing: Any, array: Any, index: Any) -> Any:
    _check(array, index, (*_INTEGERS, types.float64))

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_address(context, builder, signature, args), "acquire", _width(signature))

    return array.dtype(array, index), emit


def _plain_store(array: Any, index: int, value: Any) -> None:
    array[index] = value


@_instruction(_plain_store)
def _store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    _check(array, index, (*_INTEGERS, types.float64))

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _address(context, builder, signature, args), "release", _width(signature))
        return context.get_dummy_value()

    return types.void(array, index, array.dtype), emit


@helper
def fetch_add(array: Any, index: int, value: Any) -> Any:
    """Add ``value`` to ``array[index]``, and return what stood there before. Nothing else is ordered by it."""
    return _fetch_add(array, index, value)


@helper
def compare_and_swap(array: Any, index: int, expected: Any, new: Any) -> bool:
    """Write ``new`` into ``array[index]`` if ``expected`` stands there, and return whether it did."""
    return _compare_and_swap(array, index, expected, new)


@helper
def load(array: Any, index: int) -> Any:
    """Return ``array[index]``; what was written before the `store` of that value is then seen (acquire)."""
    return _load(array, index)


@helper
def store(array: Any, index: int, value: Any) -> None:
    """Write ``value`` into ``array[index]``, after all that was written before (release)."""
    _store(array, index, value)
