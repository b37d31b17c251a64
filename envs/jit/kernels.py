"""Kernels: functions that are written once, with the game as an argument, and compiled for each game.

::

    @kernel
    def rollout(game, state, actions, rng):
        while not game.is_terminal(state):
            game.play(state, game.random_action(state, actions, rng))

The machine code is kept on disk (`cache`).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import config, njit, typeof

from .cache import keep_on_disk
from .faults import rule_fault
from .linked import KernelCompiler

__all__ = ["bind", "kernel"]


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` for each game it is called with, without the GIL, and keep the machine code on disk.

    A kernel allocates no arrays, and neither do its helpers; rules may. So nothing in it counts references to arrays,
    which Numba otherwise does at each call, atomically: it took half of the time of a search that calls itself with
    five of them, and a fifth of the time to compile one.

    Under ``NUMBA_DISABLE_JIT=1`` the function is returned as it is, and runs as plain Python.

    Where a call must compile it and a rule of the game does not compile, the call raises what `bind` does.
    """
    if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
        return function
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "_nrt": False,
        "pipeline_class": KernelCompiler,
    }
    dispatcher: Any = njit(**options)(function)
    keep_on_disk(dispatcher)
    compile_for = dispatcher._compile_for_args  # called with types that are new; private to Numba

    def compiled(*arguments: Any, **named: Any) -> Any:
        with _rules_to_blame((*arguments, *named.values())):
            return compile_for(*arguments, **named)

    dispatcher._compile_for_args = compiled
    return dispatcher


def bind(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return the machine code of ``kernel`` for arguments of these types, to be called with such arguments only.

    A call of the kernel itself first looks at the type of every argument, which costs about 1.5 µs for a game. The
    machine code does not look, and does not check: whoever binds a kernel answers for the types.

    Raises:
        ValueError: a rule of the game among the arguments does not compile: see `plyground.envs.jit.faults`.
    """
    if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
        return kernel
    signature = tuple(typeof(argument) for argument in arguments)
    with _rules_to_blame(arguments), _no_collection():
        return kernel.compile(signature)  # pyright: ignore[reportFunctionMemberAccess]


@contextmanager
def _rules_to_blame(arguments: tuple[Any, ...]) -> Iterator[None]:
    """Say in one line which rule of the game among a kernel's arguments it is, if one is why that does not compile."""
    try:
        yield
    except Exception as error:
        fault = rule_fault(arguments)
        if fault is None:
            raise
        raise fault from (fault.__cause__ or error)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Let Python look for no garbage meanwhile.

    A compiler makes millions of objects that live as long as it works: to look at them all, again and again, took 7 %
    of the time of compiling alpha-beta.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
