"""What `make test` and `make coverage` leave to `make slow`: the tests are there, and are what they are taken for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.conftest import COVERAGE, SEARCHES

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("key", [*SEARCHES, *COVERAGE])
def test_the_tests_are_there_and_take_a_game(key: str) -> None:
    file, _, name = key.partition("::")
    (path,) = TESTS.glob(f"*/test_{file}.py")
    functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    tests = [one for one in functions if (one.name == name if name else one.name.startswith("test_"))]
    assert any(argument.arg in ("game", "spec") for one in tests for argument in one.args.args)


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
