"""The examples, as modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

__all__ = ["load"]

FOLDER = Path(__file__).parents[2] / "examples"


def load(name: str, *needed: str) -> Any:
    """Import ``examples/<name>.py``, or skip the test where a library that it needs is absent."""
    for library in needed:
        pytest.importorskip(library)
    spec = importlib.util.spec_from_file_location(Path(name).name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
