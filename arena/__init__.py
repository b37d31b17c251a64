"""Matches between players, tournaments, and the training of policies.

What is here is loaded when it is first asked for, so that the command line starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .public import *  # noqa: F403  (the names stand there, once)
    from .public import __all__ as __all__
else:

    def __getattr__(name: str) -> Any:
        """Load all that is exported, and return one of it."""
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        public = import_module(".public", __name__)
        globals().update({exported: getattr(public, exported) for exported in public.__all__}, __all__=public.__all__)
        if name not in globals():
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals()[name]

    def __dir__() -> list[str]:
        return __getattr__("__all__")
