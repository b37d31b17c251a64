"""The Makefile, in a folder of its own with a Python that does nothing but say what it was called with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FAKE = """#!/bin/sh
if [ "$1" = -c ]; then exec "{python}" -c "import sys; sys.version_info = {version}; exec(sys.argv[1])" "$2"; fi
echo "begins ${{0##*/}} $*" >> log
sleep 0.1
if [ "$2" = venv ]; then
    mkdir -p .venv/bin
    for name in python ruff pyright coverage; do cp "$0" ".venv/bin/$name"; done
fi
echo "ends ${{0##*/}} $*" >> log
exit {status}
"""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    return tmp_path


def make(folder: Path, *words: str, version: tuple[int, int] = (3, 12), status: int = 0) -> tuple[int, str]:
    """Call make with such a Python, and return its exit status and what it said of errors."""
    python = folder / "fake" / "python"
    python.parent.mkdir(exist_ok=True)
    python.write_text(FAKE.format(python=sys.executable, version=version, status=status))
    python.chmod(0o755)
    outer = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", *words, "PYTHON=fake/python"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=outer, check=False)
    return done.returncode, done.stderr


def log(folder: Path) -> list[str]:
    return (folder / "log").read_text().splitlines()


def test_goals_come_one_after_the_other(folder: Path) -> None:
    """Two of pip were at work in one virtual environment."""
    assert make(folder, "--jobs=4", "demo", "bench")[0] == 0
    begun, ended = log(folder)[::2], log(folder)[1::2]
    assert [line.removeprefix("begins ") for line in begun] == [line.removeprefix("ends ") for line in ended]
    assert sum("-m pip install" in line for line in begun) == 2
    assert begun[-1] == "begins python -m benchmarks.speed.forest"


def test_the_slow_tests_wait_for_the_others(folder: Path) -> None:
    """Two whole suites ran at once."""
    assert make(folder, "--jobs=4", "test-all")[0] == 0
    lines = log(folder)
    quick = [number for number, line in enumerate(lines) if "-m not slow" in line or "pyright" in line]
    rest = [number for number, line in enumerate(lines) if line.endswith(("-m slow", "-m rules"))]
    assert len(quick) == len(rest) == 4
    assert max(quick) < min(rest)


@pytest.mark.parametrize("version", [(3, 9), (3, 14), (2, 7)])
def test_a_python_that_is_too_old_or_too_new_is_said(folder: Path, version: tuple[int, int]) -> None:
    status, said = make(folder, "demo", version=version)
    found = ".".join(map(str, version))
    assert status != 0
    assert f"expected Python 3.10 to 3.13, got {found} from fake/python: name another one, as in PYTHON=" in said
    assert not (folder / ".venv").exists()
    assert make(folder, "demo")[0] == 0


def test_half_of_a_virtual_environment_does_not_stay(folder: Path) -> None:
    """Where Debian lacks python3-venv, Python was there and pip was not, and the next call took it as it was."""
    assert make(folder, "demo", status=1)[0] != 0
    assert not (folder / ".venv").exists()
    assert make(folder, "demo")[0] == 0
    assert log(folder).count("begins python -m venv .venv") == 2


def test_clean_takes_away_all_that_is_made_but_what_was_played_and_trained(folder: Path) -> None:
    names = [line.strip("/").replace("*", "plyground") for line in (ROOT / ".gitignore").read_text().split()]
    for name in names:
        (folder / name).mkdir()
    assert make(folder, "clean")[0] == 0
    assert {path.name for path in folder.iterdir()} & set(names) == {"demo", "ladders"}
