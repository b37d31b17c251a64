"""Functions of kernels that call themselves.

Numba infers the types of a recursive function several times for each place where it calls itself, which took half of
the time to compile alpha-beta, and it cannot load one from its cache that was first called with other types than it
calls itself with (https://github.com/numba/numba/issues/6061). Here the function says what it returns, and the call
goes to the function that it stands in, whose types it must have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["self_call"]


def self_call(function: Callable[..., Any], returns: types.Type) -> Any:
    """Return ``again(arguments)``, by which the helper ``function`` calls itself in a kernel.

    ::

        @helper
        def height(tree, node):
            ...
            return 1 + again((tree, child))

        again = self_call(lambda *arguments: height(*arguments), types.int64)

    Args:
        function: what plain Python calls.
        returns: what the helper returns. The arguments must have the types that it was called with.
    """
    if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
        return lambda arguments: function(*arguments)

    def again(typing: Any, arguments: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            unpacked = cgutils.unpack_tuple(builder, values[0])
            status, result = context.call_conv.call_function(
                builder, builder.function, returns, arguments.types, unpacked
            )
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return returns(arguments), code

    return intrinsic(again)
