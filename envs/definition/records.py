"""Records whose fields plain Python reads as fast as NumPy gives items.

`np.record` looks every name up in Python, which took plain rules more time than all that they do with what they find.
A class for each list of names has them as properties instead: reading a field takes a seventh of the time, writing one
a third. The class is an `np.record` in all else.
"""

from __future__ import annotations

import re
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

__all__ = ["record_class"]

_CLASS_NAME = re.compile(r"Record\(([^()]*)\)")


@cache
def record_class(*names: str) -> type[np.record]:
    """Return the class of records with these fields, none of which has fields of its own.

    Its name tells them, ``Record(board, ply)``, so that this module finds it again for those who unpickle one.
    """
    properties = {name: property(itemgetter(name)) for name in names}

    def write(self: Any, name: str, value: Any) -> None:
        if name in properties:
            self[name] = value
        else:
            np.record.__setattr__(self, name, value)

    own = {"__getattribute__": np.void.__getattribute__, "__getitem__": np.void.__getitem__, "__setattr__": write}
    about = {"__module__": __name__, "__match_args__": names}
    return type(f"Record({', '.join(names)})", (np.record,), {**about, **own, **properties})


if not TYPE_CHECKING:  # which would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if found := _CLASS_NAME.fullmatch(name):
            return record_class(*found[1].split(", ")) if found[1] else record_class()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
