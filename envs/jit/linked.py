"""How functions are compiled: kernels in one piece, with what they call linked into them.

Numba compiles every function that a kernel calls as if Python called it too: LLVM optimises it with all that it calls,
makes machine code of it, and does the same again when it stands inside its caller. With the many small functions of a
search that took half of the time in which a kernel is compiled. Here

- a helper is only lowered, to LLVM's intermediate form;
- a rule of a game is lowered and optimised: without that, random games of Connect Four took a third longer;
- a kernel is optimised as a whole, with the helpers and rules in it, and made machine code. Numba optimises twice, the
  first time for the sake of reference counts, which kernels do not have: a sixth of the time again, for no speed;
- what looks for closures or for expressions with whole arrays is left out where there are none: a tenth of the rest.

What is used of Numba is private to it, which is why ``pyproject.toml`` holds Numba below the next minor version;
``tests/envs/test_jit.py`` names what has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any, Literal

from numba import _dynfunc, njit  # pyright: ignore[reportAttributeAccessIssue]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes
from numba.extending import register_jitable

from .interruption import uninterrupted

__all__ = ["KernelCompiler", "compiled_rule", "helper"]


class _KernelLibrary(JITCodeLibrary):
    """The code of a kernel, which is optimised in one pass."""

    def _optimize_final_module(self) -> None:
        found = self._codegen._module_pass_manager()
        passes, *builder = found if isinstance(found, tuple) else (found,)  # a pair since Numba 0.62
        passes.run(self._final_module, *builder)


class _LinkedLibrary(_KernelLibrary):
    """The code of a helper: LLVM's intermediate form, as Numba has lowered it."""

    def finalize(self) -> None:
        """Link the helper's own helpers, and neither optimise nor make machine code."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(self, "_reload_init"):  # since Numba 0.62
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finish()
        self._finalize_dynamic_globals()
        self._finalized = True

    def _finish(self) -> None:
        """Leave the code as it is: the kernel that it is linked into is optimised as a whole."""


class _OptimisedLibrary(_LinkedLibrary):
    """The code of a rule: optimised, with the helpers that it calls."""

    def _finish(self) -> None:
        self._optimize_final_module()


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):
    """Numba's lowering, into a `_KernelLibrary`."""

    _name = "plyground_kernel_lowering"

    def run_pass(self, state: Any) -> Literal[True]:
        state.library = _KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LinkedLowering(NativeLowering):
    """Numba's lowering, into a `_LinkedLibrary`."""

    _name = "plyground_linked_lowering"
    library: type[_LinkedLibrary] = _LinkedLibrary

    def run_pass(self, state: Any) -> Literal[True]:
        context, flags = state.targetctx, state.flags
        state.library = self.library(context.codegen(), state.func_id.func_qualname)
        state.flags = flags.copy()
        state.flags.no_compile = state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = True
        super().run_pass(state)
        state.flags = flags
        lowered = state["cr"]
        # Callers find the code by an entry point. Nobody calls this one, which has no address.
        entry = _dynfunc.make_function(
            lowered.fndesc.lookup_module(), lowered.fndesc.qualname, "", 1, lowered.env, (state.library,)
        )
        context.insert_user_function(entry, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=entry)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _OptimisedLowering(_LinkedLowering):
    """Numba's lowering, into an `_OptimisedLibrary`."""

    _name = "plyground_optimised_lowering"
    library = _OptimisedLibrary


def _has_closures(code: CodeType) -> bool:
    """Return whether a function has others in it, such as generator expressions."""
    return any(isinstance(constant, CodeType) for constant in code.co_consts)


class KernelCompiler(CompilerBase):
    """Numba's passes for compiled code, with the lowering replaced."""

    lowering: type[NativeLowering] = _KernelLowering
    spared: tuple[Any, ...] = (NopythonRewrites,)  # for expressions with whole arrays, which kernels do not have

    def define_pipelines(self) -> list[Any]:
        """Return Numba's list of passes, changed.

        What is called gets its options from those on top of Numba's stack, a copy of the caller's; and it is compiled
        anew for other options. So a kernel leaves there what a helper would.
        """
        on_top: Any = ConfigStack.top_or_none()
        on_top.no_cpython_wrapper = on_top.no_cfunc_wrapper = True
        on_top.release_gil = False
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        spared = self.spared if _has_closures(self.state.func_id.code) else (*self.spared, InlineClosureLikes)
        passes.passes = [
            (self.lowering if one is NativeLowering else one, why) for one, why in passes.passes if one not in spared
        ]
        passes.finalize()
        return [passes]

    def compile_extra(self, func: Any) -> Any:
        """Compile, while Ctrl-C waits: LLVM calls Python back, and so do weak references that Numba has dropped.

        No error comes through either. An interrupt there was lost, and what had come half-way could end the process.
        """
        with uninterrupted():
            return super().compile_extra(func)


class _LinkedCompiler(KernelCompiler):
    """The same for helpers."""

    lowering = _LinkedLowering


class _AloneCompiler(_LinkedCompiler):
    """The same for helpers that are inlined, but not with what they call."""

    def define_pipelines(self) -> list[Any]:
        """Return the list of passes; what is called does not get this helper's option."""
        passes = super().define_pipelines()
        on_top: Any = ConfigStack.top_or_none()
        on_top.forceinline = False
        return passes


class _RuleCompiler(KernelCompiler):
    """The same for rules."""

    lowering = _OptimisedLowering
    spared = ()


_LINKED: dict[str, Any] = {"pipeline_class": _LinkedCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def helper(function: Callable[..., Any] | None = None, *, alone: bool = False, **options: Any) -> Any:
    """Let kernels and rules call ``function``, which is compiled into them; in Python it stays what it is.

    Args:
        function: the function.
        alone: with ``forceinline``, whether what it calls stays as it is. Numba inlines that with it otherwise, and
            compiles it once more for that.
        **options: Numba's, such as ``forceinline=True``.
    """
    if function is None:
        return lambda function: helper(function, alone=alone, **options)
    linked = {**_LINKED, "pipeline_class": _AloneCompiler} if alone else _LINKED
    return register_jitable(**linked, **options)(function)


def compiled_rule(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``rule`` compiled, for kernels to call. Unlike them, it may allocate arrays."""
    options: dict[str, Any] = {**_LINKED, "pipeline_class": _RuleCompiler, "_nrt": True}
    return njit(**options)(getattr(rule, "py_func", rule))
