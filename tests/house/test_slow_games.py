"""What `make test` and `make coverage` leave to `make slow`: the tests are there, and are what they are taken for."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import COVERAGE, GAMES, NOT_COUNTED, SEARCHES

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("key", [*SEARCHES, *COVERAGE])
def test_the_tests_are_there_and_take_a_game(key: str) -> None:
    file, _, name = key.partition("::")
    (path,) = TESTS.glob(f"*/test_{file}.py")
    functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    tests = [one for one in functions if (one.name == name if name else one.name.startswith("test_"))]
    assert any(argument.arg in ("game", "spec") for one in tests for argument in one.args.args)


@pytest.mark.parametrize("key", sorted(NOT_COUNTED))
def test_what_is_not_counted_is_there(key: str) -> None:
    file, _, name = key.partition("::")
    (path,) = TESTS.glob(f"*/test_{file}.py")
    functions = [node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    assert name.partition("[")[0] in functions


@pytest.mark.parametrize("table", [SEARCHES, COVERAGE])
def test_the_games_are_those_of_the_tests(table: dict[str, tuple[str, ...]]) -> None:
    """One that no test is called with was taken for tested, and all of its test's games were slow."""
    for key, games in table.items():
        file, _, name = key.partition("::")
        (path,) = TESTS.glob(f"*/test_{file}.py")
        module = importlib.import_module(f"tests.{path.parent.name}.{path.stem}")
        called = {
            game
            for test in _tests_of(module)
            if test.__name__ == name or (not name and f"{file}::{test.__name__}" not in table)
            for game in _games_of(test)
        }
        assert not set(games) - called, key


def _tests_of(module: Any) -> Iterator[Callable[..., Any]]:
    for value in vars(module).values():
        if inspect.isclass(value) and value.__name__.startswith("Test"):
            yield from _tests_of(value)
        elif inspect.isfunction(value) and value.__name__.startswith("test_"):
            yield value


def _games_of(test: Callable[..., Any]) -> list[Any]:
    """Return what a test gets for its argument ``game``, or else ``spec``: from its mark, or from the fixture."""
    wanted = next((name for name in ("game", "spec") if name in inspect.signature(test).parameters), "")
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names = mark.args[0].replace(",", " ").split() if isinstance(mark.args[0], str) else mark.args[0]
            if wanted in names:
                rows = [getattr(row, "values", row) for row in mark.args[1]]
                return [row[names.index(wanted)] if isinstance(row, (list, tuple)) else row for row in rows]
    return GAMES if wanted == "game" else []


@pytest.mark.parametrize("file", sorted({key.partition("::")[0] for key in COVERAGE}))
def test_what_coverage_leaves_out_asks_a_game_only(file: str) -> None:
    """It would not be the same without Numba otherwise."""
    (path,) = TESTS.glob(f"*/test_{file}.py")
    imports = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {str(getattr(node, "module", "")) for node in imports}
    assert not any(name.startswith(("plyground.agents", "plyground.arena", "plyground.envs.jit")) for name in modules)
    names = {alias.name for node in imports for alias in node.names}
    assert not any(name.startswith("plyground") for name in names)  # but by `from`
    left = [key.partition("::")[2] for key in COVERAGE if key.partition("::")[0] == file]
    tests = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    tests = [one for one in tests if "" in left or one.name in left]
    assert tests
    used = {node.id for test in tests for node in ast.walk(test) if isinstance(node, ast.Name)}
    assert not used & {"BoardGameEnv", "CompiledRules", "GameBatch", "SeatBatch", "SoloEnv"}
