"""Which games `make test` leaves out of tests: each line of that table is about tests that take a game."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.conftest import SEARCHES

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("key", SEARCHES)
def test_the_tests_are_there_and_take_a_game(key: str) -> None:
    file, _, name = key.partition("::")
    (path,) = TESTS.glob(f"*/test_{file}.py")
    functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    tests = [one for one in functions if (one.name == name if name else one.name.startswith("test_"))]
    assert any(argument.arg in ("game", "spec") for one in tests for argument in one.args.args)
