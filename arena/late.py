"""Packages whose names are loaded when they are first asked for, so that the command line starts at once."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["loaded_late"]


def loaded_late(package: str, names: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that exports what its file ``public`` does.

    Args:
        package: the package's ``__name__``.
        names: its ``globals()``, where the names stay once they are loaded.
    """

    def load(name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        public = import_module(".public", package)
        names.update({exported: getattr(public, exported) for exported in public.__all__}, __all__=public.__all__)
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return names[name]

    return load, lambda: load("__all__")
