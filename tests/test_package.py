"""What the package is made of, and what importing it costs."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [path for folder in ("envs", "agents", "arena") for path in (ROOT / folder).rglob("*.py")]


def imported(code: str) -> set[str]:
    result = subprocess.run(
        [sys.executable, "-c", f"import json, sys; {code}; print(json.dumps(sorted(sys.modules)))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(result.stdout))


@pytest.mark.parametrize("package", ["plyground.envs", "plyground.agents", "plyground.arena"])
def test_importing_loads_no_torch_and_no_pygame(package: str) -> None:
    modules = imported(f"import {package}")
    assert package in modules
    assert not modules & {"torch", "pygame", "stable_baselines3", "sb3_contrib", "matplotlib"}


def test_arrows_run_one_way() -> None:
    assert not any(
        name.startswith(("plyground.agents", "plyground.arena")) for name in imported("import plyground.envs")
    )
    assert not any(name.startswith("plyground.arena") for name in imported("import plyground.agents"))


def test_imports_inside_the_package_are_relative() -> None:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            assert not any(re.match(r"(plyground|envs|agents|arena)\b", name) for name in names), path


def test_every_package_is_listed_and_typed() -> None:
    project = (ROOT / "pyproject.toml").read_text()  # read by hand: Python 3.10 has no tomllib
    listed = re.search(r"^packages = \[([^]]*)\]", project, re.MULTILINE)
    assert listed is not None
    folders = {f"plyground.{path.parent.relative_to(ROOT).as_posix().replace('/', '.')}" for path in SOURCES}
    assert set(re.findall(r'"([^"]+)"', listed[1])) == folders
    for package in folders:
        assert f'"{package}" = "{package.removeprefix("plyground.").replace(".", "/")}"' in project
    for package in ("envs", "agents", "arena"):
        assert (ROOT / package / "py.typed").is_file()


def test_public_names_are_sorted_documented_and_exist() -> None:
    import plyground.agents
    import plyground.arena
    import plyground.envs

    for package in (plyground.agents, plyground.arena, plyground.envs):
        for name in package.__all__:
            value = getattr(package, name)
            if callable(value):
                assert value.__doc__, name
