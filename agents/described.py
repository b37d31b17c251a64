"""How a player shows itself: as the call that makes it, ``AlphaBeta(connect_four, depth=4)``.

And how it says so when what only that call can set is set later.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import PurePath
from typing import Any

import numpy as np

from ..envs import Game
from ..envs.outside.messages import shown

__all__ = ["Described"]

_BUDGETS = ("depth", "nodes", "simulations", "seconds")  # shown where nobody gave them, too: they say how strong it is
_PLAIN = (bool, int, float, str, type(None), PurePath)
_LONGEST = 200  # characters of a text
_MOST = 6  # items of a list or a dict
_DEEPEST = 3  # lists within lists


class Described:
    """What has a ``repr`` that reads as the call by which it was made.

    The arguments of the constructor are noted as text, which keeps nothing alive. What has been set since, such as
    ``seconds``, is shown as it is now. Before the constructor has ended, or if it has failed, ``repr`` says what is
    known.

    An argument that an agent of ours has no attribute for is given when it is made, and not set later: that would be
    ignored.
    """

    _call_given: Mapping[str, str] | None = None  # the arguments by name, those of ``*args`` by number
    _call_made: Mapping[str, Any] | None = None  # what attributes with names of arguments were then

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            cls.__init__ = _noting(cls.__init__)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._call_made is not None and name not in vars(self) and _is_fixed(type(self), name):
            kind = type(self).__name__
            raise AttributeError(
                f"{name} of {kind} is given when one is made, as in {kind}(…, {name}={_text(value)}), and not set later"
            )
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        own, parameters = vars(self), _parameters(type(self).__init__)
        texts = dict(self._call_given or {})
        if "game" in texts and isinstance(own.get("game"), Game):
            texts["game"] = own["game"].spec
        for name in _BUDGETS:
            value = own.get(name)
            if name in parameters and value is not None and _is_other(value, parameters[name].default):
                texts.setdefault(name, _text(value))
        for name, value in (self._call_made or {}).items():
            if _is_other(own.get(name), value):
                texts[name] = _text(own.get(name))
        first = next(iter(parameters), "")
        parts = [text if name == first or name.isdigit() else f"{name}={text}" for name, text in texts.items()]
        return f"{type(self).__name__}({', '.join(parts)})"


def _noting(init: Callable[..., None]) -> Callable[..., None]:
    """Return a constructor that notes its arguments, unless it was called by that of a subclass."""

    @functools.wraps(init)
    def noted(self: Any, *args: Any, **kwargs: Any) -> None:
        if self._call_given is not None:
            init(self, *args, **kwargs)
            return
        parameters = _parameters(init)
        own = vars(self)  # not by `setattr`, of which a class may have one of its own
        own["_call_given"] = _given(parameters, args, kwargs)
        init(self, *args, **kwargs)
        own["_call_made"] = {name: own[name] for name in parameters if isinstance(own.get(name, own), _PLAIN)}

    return noted


@functools.lru_cache
def _parameters(init: Callable[..., None]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a constructor but ``self``."""
    return dict(islice(inspect.signature(init).parameters.items(), 1, None))


def _given(
    parameters: Mapping[str, inspect.Parameter], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, str]:
    """Return the arguments of a call as text, without those that are the defaults."""
    names = [name for name, one in parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    names += map(str, range(len(args)))
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    defaults = {name: one.default for name, one in parameters.items()}
    return {name: _text(value) for name, value in given.items() if value is not defaults.get(name, given)}


@functools.lru_cache
def _is_fixed(kind: type, name: str) -> bool:
    """Return whether a name is one of an argument that no attribute stands for; of somebody else's class none is."""
    if name not in _parameters(kind.__init__) or not kind.__module__.startswith(f"{__package__}."):
        return False
    known = getattr(kind, name, None)
    return known is None or (isinstance(known, property) and known.fset is None)


def _is_other(value: Any, known: Any) -> bool:
    return not isinstance(value, _PLAIN) or value != known


def _text(value: Any, depth: int = 0) -> str:
    """Return an argument as text, in a moment, however large it is. Of objects it tells the class."""
    if isinstance(value, Game):
        return value.spec
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return shown(value, _LONGEST)
    if isinstance(value, _PLAIN):
        return shown(value)
    if isinstance(value, Described):
        return repr(value)
    if isinstance(value, (Mapping, list, tuple)):
        if depth == _DEEPEST:
            return "…"
        if isinstance(value, Mapping):
            items = [f"{_text(key)}: {_text(one, depth + 1)}" for key, one in islice(value.items(), _MOST)]
        else:
            items = [_text(one, depth + 1) for one in value[:_MOST]]
        inside = ", ".join([*items, "…"] if len(value) > _MOST else items)
        opening, closing = "{}" if isinstance(value, Mapping) else "()" if isinstance(value, tuple) else "[]"
        return f"{opening}{inside}{closing}"
    name = getattr(value, "__qualname__", None)  # of a function or a class
    return name if isinstance(name, str) else type(value).__qualname__
