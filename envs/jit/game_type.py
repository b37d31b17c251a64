"""How Numba takes any game: the type of a `Game` inside kernels, and the decorator that compiles and caches kernels.

A kernel is a function written once, with the game as an argument::

    @kernel
    def rollout(game, state, actions, rng):
        while not game.is_terminal(state):
            game.play(state, game.random_action(state, actions, rng))

Numba compiles it anew for each game, LLVM inlines the rules, and the machine code is kept on disk. The type of a game
is keyed by plain text, its name and the digest of its rules, so the next process finds the compiled code again, and an
edited rule is another type: stale code cannot be loaded. The game itself carries no data into a kernel.

The same holds for the kernels: Numba stamps the file a kernel is written in, but not the files of the helpers it calls,
so `kernel` adds the digest of everything that the kernel reaches to the key of the cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numba
from numba import config, njit, typeof, types
from numba.core import cgutils
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import make_array

from .digest import digest
from .linked import compiled_rule

if TYPE_CHECKING:
    from ..game import Game

__all__ = ["RULES", "GameType", "bind", "borrowed", "game_type", "kernel", "register_game_class"]

# The rules that a kernel may call, with the names of their arguments after the game.
RULES: dict[str, tuple[str, ...]] = {
    "player": ("state",),
    "legal_actions": ("state", "actions"),
    "play": ("state", "action"),
    "is_terminal": ("state",),
    "utility": ("state", "player"),
    "observe": ("state", "player", "planes"),
    "evaluate": ("state", "player"),
    "features": ("state", "player"),
    "noisy_actions": ("state", "actions"),
    "key": ("state",),
    "canonical_key": ("state",),
    "repetition_key": ("state",),
    "keys_after": ("state", "actions", "keys", "scratch"),
    "random_action": ("state", "actions", "rng"),
}


class GameType(types.Type):
    """Numba's type of a game: one for each (name with parameters, digest of the rules)."""

    def __init__(self, text: str) -> None:
        super().__init__(name=text)


_games: dict[str, Game] = {}  # a GameType's name -> a game with those rules


def game_type(game: Game) -> GameType:
    """Return the Numba type of ``game``, and remember its rules for the compiler."""
    text = f"Game({game.spec}, {game.digest})"
    _games.setdefault(text, game)
    return GameType(text)


class _KernelFiles(IndexDataCacheFile):
    """One file for each key, named by it.

    Numba numbers its files, and keeps the numbers in an index. Two processes that compile for different games at the
    same time can then write different code under one number, and a later one loads the wrong code and crashes.
    """

    def save(self, key: Any, data: Any) -> None:
        self._save_data(self._file_name(key), data)

    def load(self, key: Any) -> Any:
        try:
            return self._load_data(self._file_name(key))
        except (OSError, EOFError, ImportError, pickle.UnpicklingError):
            return None  # not there yet, cut off, or of modules that are gone: it is compiled again

    def _file_name(self, key: Any) -> str:
        name = hashlib.sha256(repr((numba.__version__, key)).encode()).hexdigest()[:32]
        return f"{self._index_name.removesuffix('.nbi')}.{name}.nbc"


class _KernelCache(FunctionCache):
    """Numba's cache on disk, with the digest of all that the kernel reaches added to the key."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        locator = self._impl.locator
        self._cache_file = _KernelFiles(self._cache_path, self._impl.filename_base, locator.get_source_stamp())

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), digest(self._py_func))

    def _save_overload(self, sig: Any, data: Any) -> None:
        # Such code calls through an address that only the process that compiled it knows: numba issue 6061.
        if ".numba.unresolved$" in data.library.get_llvm_str():
            raise TypeError(
                f"kernel {self._py_func.__name__!r} reaches a function that calls itself with arguments of other types "
                f"than it was called with, {sig}: give both the same, as in np.int64(1) instead of 1"
            )
        super()._save_overload(sig, data)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` for each game it is called with, without the GIL, and keep the machine code on disk.

    Under ``NUMBA_DISABLE_JIT=1`` the function is returned as it is, and runs as plain Python.
    """
    if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
        return function
    dispatcher: Any = njit(nogil=True, error_model="numpy", _nrt=False)(function)
    with contextlib.suppress(RuntimeError):  # no folder can be written, or no file holds the function: nothing is kept
        dispatcher._cache = _KernelCache(dispatcher.py_func)  # what `cache=True` does, with our key and files
    return dispatcher


def bind(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return the machine code of ``kernel`` for arguments of these types, to be called with such arguments only.

    A call of the kernel itself first looks at the type of every argument, which costs about 1.5 µs for a game. The
    machine code does not look, and does not check: whoever binds a kernel answers for the types.
    """
    if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
        return kernel
    return kernel.compile(tuple(typeof(argument) for argument in arguments))  # pyright: ignore[reportFunctionMemberAccess]


def _borrowed(typing: Any, value: Any) -> Any:
    """Tell Numba how to drop the reference counters of an array, or of the arrays in a tuple."""

    def without_counters(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.Array):
            view = make_array(kind)(context, builder, value)
            view.meminfo = cgutils.get_null_value(view.meminfo.type)
            view.parent = cgutils.get_null_value(view.parent.type)
            return view._getvalue()
        if isinstance(kind, types.BaseTuple):
            kinds: Any = kind
            parts = zip(kinds, cgutils.unpack_tuple(builder, value), strict=True)
            return context.make_tuple(builder, kind, [without_counters(context, builder, *part) for part in parts])
        return value

    def code(context, builder, signature, arguments):
        return without_counters(context, builder, value, arguments[0])

    return value(value), code


# In a kernel: an array, a tuple or None, without counting references to arrays, for as long as the caller holds them.
# To count is an atomic operation, once for each view of an array, and once for each array that is passed to a function:
# it took half the time of a search that calls itself with five of them. In plain Python: what it is given.
borrowed: Any = (lambda value: value) if config.DISABLE_JIT else intrinsic(_borrowed)  # pyright: ignore[reportAttributeAccessIssue]


@infer_getattr
class _Rules(AttributeTemplate):
    """The rules as attributes of a game: ``game.play`` is the compiled rule itself."""

    key = GameType

    def generic_resolve(self, typ: GameType, attr: str) -> types.Type | None:
        return types.Dispatcher(_compiled(typ.name, attr)) if attr in RULES else None


@cache
def _compiled(game: str, rule: str) -> Callable[..., Any]:
    return compiled_rule(getattr(_games[game], rule))


@lower_getattr_generic(GameType)
def _rule(context, builder, typ, value, attr):
    """A rule is its type, and has no value."""
    return context.get_dummy_value()


register_model(GameType)(models.OpaqueModel)


@unbox(GameType)
def _unbox(typ: Any, value: Any, context: Any) -> NativeValue:
    """Hand a kernel a placeholder: everything that a kernel needs of a game is in its type."""
    return NativeValue(context.context.get_dummy_value())


def register_game_class(cls: type[Game]) -> None:
    """Tell Numba that instances of ``cls`` are typed by their ``numba_type``."""
    typeof_impl.register(cls)(lambda game, context: game.numba_type)
