"""How optional libraries are installed: plyground is not on a package index, so from its folder."""

from __future__ import annotations

__all__ = ["how_to_install"]


def how_to_install(extra: str) -> str:
    """Return what to type for an extra of ``pyproject.toml``, and where."""
    return f"pip install '.[{extra}]' in plyground's folder"
