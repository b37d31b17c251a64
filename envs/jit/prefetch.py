"""Asking for memory before it is read.

A table that is larger than the processor's caches answers late: what a kernel does meanwhile costs nothing, if it asks
early enough.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from .linked import helper

__all__ = ["prefetch"]


def _nothing(array: Any, index: int) -> None:
    """Do what plain Python does for it."""


def _fetch(typing: Any, array: Any, index: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        found = context.make_array(signature.args[0])(context, builder, values[0])
        place = context.cast(builder, values[1], signature.args[1], types.intp)
        address = builder.bitcast(builder.gep(found.data, [place]), ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [address.type], ir.FunctionType(ir.VoidType(), [address.type, flag, flag, flag])
        )
        builder.call(function, [address, flag(0), flag(3), flag(1)])  # to read, into all caches, data
        return context.get_dummy_value()

    return types.void(array, index), code


_fetched: Any = _nothing if config.DISABLE_JIT else intrinsic(_fetch)  # pyright: ignore[reportAttributeAccessIssue]


@helper
def prefetch(array: Any, index: int) -> None:
    """Let the processor fetch ``array[index]``, of an array of one dimension in one piece; nothing else happens.

    Kernels may call it; plain Python only under ``NUMBA_DISABLE_JIT=1``, where it does nothing.
    """
    _fetched(array, index)
