"""What the package is made of, and what importing it costs."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple, get_origin

import pytest

from plyground.arena.cli.commands import COMMANDS

ROOT = Path(__file__).parents[2]
PACKAGES = ("envs", "agents", "arena")  # each may import those before it
SOURCES = [path for folder in PACKAGES for path in (ROOT / folder).rglob("*.py")]

# The other rooms that each room imports, as its docstring allows. Files beside the rooms count singly, and may be
# imported wherever no cycle results.
ROOMS = {
    "envs.checking": {"envs.jit", "envs.render"},
    "envs.definition": {"envs.jit"},
    "envs.games": {"envs.games.features", "envs.jit"},
    "envs.games.chess": {"envs.games", "envs.games.features", "envs.jit"},
    "envs.games.features": {"envs.jit"},
    "envs.games.go": {"envs.games", "envs.jit"},
    "envs.jit": set(),
    "envs.outside": {"envs.jit"},
    "envs.render": set(),
    "envs.vector": {"envs.jit"},
    "agents.alphabeta": {"envs.jit"},
    "agents.alphago": {"agents.mcts", "agents.networks", "agents.puct"},
    "agents.alphazero": {"agents.networks", "agents.policies", "agents.puct", "agents.puct.forest", "envs.vector"},
    "agents.engines": {"envs.jit"},
    "agents.mcts": {"envs.jit"},
    "agents.isolation": {"agents.engines", "envs.vector"},
    "agents.networks": {"agents.puct"},
    "agents.policies": {"envs.jit", "envs.vector"},
    "agents.puct": {"agents.mcts", "agents.policies", "agents.puct.forest", "envs.jit"},
    "agents.puct.forest": {"envs.jit", "envs.vector"},
    "agents.solver": {
        "agents.alphabeta",
        "agents.solver.connect_four",
        "envs.games",
        "envs.games.chess",
        "envs.jit",
    },
    "agents.solver.connect_four": {"envs.jit"},
    "agents.teaching": {"envs.render"},
    "arena.cli": {
        *("agents.networks", "agents.solver", "agents.solver.connect_four", "agents.teaching", "envs.render"),
        *("arena.cli.parts", "arena.engine", "arena.grading", "arena.openings", "arena.ratings", "arena.records"),
        *("arena.report", "arena.sprt", "arena.store", "arena.training", "arena.training.alphago"),
        *("arena.training.alphazero", "envs.jit"),
    },
    "arena.cli.parts": {
        *("agents.solver", "agents.teaching", "envs.render", "envs.vector", "arena.grading", "arena.records"),
        *("arena.openings", "arena.ratings", "arena.store", "arena.tournaments", "arena.training"),
        "arena.training.alphago",
    },
    "arena.engine": {
        *("agents.engines", "arena.records", "arena.referee", "envs.games.go", "envs.jit", "envs.vector"),
    },
    "arena.grading": {
        *("agents.networks", "agents.solver.connect_four", "arena.openings", "arena.ratings", "arena.records"),
        *("arena.tournaments", "envs.jit"),
    },
    "arena.openings": {"arena.records", "envs.vector"},
    "arena.ratings": {"arena.records"},
    "arena.records": {"envs.jit"},
    "arena.referee": {"agents.engines", "agents.solver"},
    "arena.report": {
        *("agents.solver", "envs.render", "arena.grading", "arena.ratings", "arena.records", "arena.tournaments"),
    },
    "arena.sprt": {"arena.ratings", "arena.records"},
    "arena.store": {"arena.records"},
    "arena.tournaments": {"arena.records", "arena.referee", "envs.jit", "envs.vector"},
    "arena.training": {"agents.policies", "arena.openings", "envs.vector"},
    "arena.training.alphago": {
        *("agents.mcts", "agents.networks", "agents.solver.connect_four", "envs.jit", "envs.vector", "arena.grading"),
        *("arena.openings", "arena.records", "arena.training", "arena.training.alphazero"),
    },
    "arena.training.alphazero": {
        *("agents.networks", "agents.puct.forest", "arena.grading", "arena.openings", "arena.training"),
    },
}

EVERYWHERE = {"envs.definition", "envs.outside"}  # what each room may import, but for envs.jit, on which they stand

# The only imports inside functions, which the arrows leave out, and why they are there.
LATE = {
    ("envs.vector.opponents", "agents"),  # an opponent given as a spec string: the one arrow that points up
    ("arena.cli", "arena.cli.group"),  # Ctrl-C is heard while this is loaded
    ("arena.cli", "arena.interruption"),
    ("arena.cli.group", "envs.version"),  # only --version waits for it
    ("arena.cli.group", "agents.engines"),  # help imports no agents
    ("arena.cli.group", "arena.processes"),  # nor what plays in other processes
    ("arena.cli.group", "arena.training.alphazero.team"),  # nor what trains
    ("arena.cli.group", "arena.faults"),  # nor a game
    ("arena.cli.group", "envs.outside.messages"),
    ("agents.engines.chess_engine", "agents.engines.chess_protocols"),  # this needs python-chess
    ("agents.networks", "agents.networks.module"),  # this needs torch, and most of those below a library each
    ("agents.networks", "agents.networks.onnx_backend"),
    ("agents.networks.files", "agents.networks.module"),
    ("agents.networks.inference", "agents.networks.numpy_backend"),
    ("agents.networks.inference", "agents.networks.onnx_backend"),
    ("agents.networks.inference", "agents.networks.openvino_backend"),
    ("agents.networks.inference", "agents.networks.torch_backend"),
    ("arena.formats", "arena.records.columns"),
    ("arena.formats", "arena.records.pdn"),  # a format is loaded when a file of it is
    ("arena.formats", "arena.records.pgn"),  # this needs python-chess
    ("arena.formats", "arena.records.sgf"),
    ("arena.formats", "arena.store"),
    ("arena.interruption", "envs.jit.interruption"),  # help hears Ctrl-C, and imports no Numba
    ("arena.training.config", "envs"),  # the help of `train` needs the settings, and no game
    ("arena.training.config", "envs.outside.elsewhere"),
    ("arena.training.settings", "agents"),
    ("arena.training.settings", "agents.networks.inference"),
    ("arena.training.settings", "agents.networks.torch_backend"),  # this needs torch, too
    ("arena.training.settings", "envs.outside.limits"),
    ("arena.training.settings", "envs.outside.messages"),
    ("arena.training.settings", "envs.outside.spec"),
    ("arena.training.settings", "envs.outside.whole_files"),
    ("arena.training.alphago.config", "agents.networks"),
    ("arena.training.alphago.config", "arena.formats"),
    ("arena.training.alphago.config", "envs"),
    ("arena.training.alphago.config", "envs.outside.elsewhere"),
    ("arena.training.alphago.policy", "arena.training.alphago.learners"),  # this needs torch
    ("arena.training.alphago.reinforce", "arena.training.alphago.learners"),
    ("arena.training.alphago.value", "arena.training.alphago.learners"),
    ("arena.training.alphazero.actor", "agents.networks"),
    ("arena.training.alphazero.ray_actors", "agents.networks"),
    ("arena.training.alphazero.actors", "agents.networks"),
    ("arena.training.alphazero.config", "arena.cluster"),
    ("arena.training.alphazero.config", "agents.networks"),
    ("arena.training.alphazero.config", "envs"),
    ("arena.training.alphazero.config", "envs.outside.elsewhere"),
    ("arena.training.alphazero.session", "agents.networks"),  # a run alone needs torch
    ("arena.training.alphazero.session", "arena.training.alphazero.learner"),
    ("arena.training.alphazero.sources", "agents.networks"),
    ("arena.training.model", "arena.training.networks"),  # these need torch
    ("arena.training.model", "arena.training.symmetries"),
    ("arena.training.model", "envs.vector.stable_baselines"),
}

# The one of them that closes a cycle: an opponent may be given as text, which becomes a player in the package above.
CYCLIC = {("envs.vector.opponents", "agents")}

# A command imports inside its function what it needs, so that its help is there at once. The arrows hold for it.
COMMAND_FILES = {f"arena.cli.{command.place.partition(':')[0]}" for command in COMMANDS.values()}


class Arrows(NamedTuple):
    """The imports between our files, by the names of their modules without "plyground."."""

    always: set[tuple[str, str]]  # at the head of a file, those for type checkers included
    late: set[tuple[str, str]]  # inside functions


LARGE = {  # libraries that nobody waits for who does not use them; of scipy, Numba imports some itself
    *("torch", "pygame", "stable_baselines3", "sb3_contrib", "matplotlib", "openvino", "onnx", "onnxruntime"),
    *("ray", "dask", "chess", "pyarrow", "safetensors", "scipy.optimize", "scipy.special", "scipy.stats"),
}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def arrows() -> Arrows:
    files = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in SOURCES}
    found = Arrows(set(), set())

    def visit(name: str, node: ast.AST, is_late: bool) -> None:
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            # A level names a package: for a file, the first is the folder it is in.
            parts = name.split(".") if files[name].name == "__init__.py" else name.split(".")[:-1]
            base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])
            is_free = is_late and name not in COMMAND_FILES
            for alias in node.names:
                target = f"{base}.{alias.name}" if f"{base}.{alias.name}" in files else base
                (found.late if is_free else found.always).add((name, target))
        is_late = is_late or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            visit(name, child, is_late)

    for name, path in files.items():
        visit(name, parsed(path), False)
    assert all(target in files for _, target in found.always | found.late)
    return found


def room(module: str) -> str:
    """Return the room, a folder below a package, that a module is in; of one beside the rooms, the module itself."""
    while module:
        if module in ROOMS:
            return module
        if (ROOT / f"{module.replace('.', '/')}.py").is_file() and module.count(".") == 1:
            return module
        if module in PACKAGES:
            return module
        module = module.rpartition(".")[0]
    raise AssertionError("every module is in a package")


def cycle(pairs: set[tuple[str, str]]) -> set[str]:
    """Return the nodes of all cycles, and those on a way from one cycle to another."""
    rest = set(pairs)
    while True:
        ends = {start for start, _ in rest} & {end for _, end in rest}
        kept = {(start, end) for start, end in rest if start in ends and end in ends}
        if kept == rest:
            return ends
        rest = kept


@cache
def imported(code: str) -> set[str]:
    result = subprocess.run(
        [sys.executable, "-c", f"import json, sys; {code}; print(json.dumps(sorted(sys.modules)))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(result.stdout))


@pytest.mark.parametrize("package", ["plyground.envs", "plyground.agents", "plyground.arena"])
def test_importing_loads_no_large_library(package: str) -> None:
    modules = imported(f"import {package}")
    assert package in modules
    assert not modules & LARGE


def test_playing_loads_no_large_library() -> None:
    game = "play(BoardGameEnv('tictactoe'), ['random', 'minimax'], 0)"
    modules = imported(f"from plyground.arena import play; from plyground.envs import BoardGameEnv; {game}")
    assert "plyground.agents.minimax" in modules
    assert not modules & LARGE


def test_importing_loads_no_package_above() -> None:
    assert not any(
        name.startswith(("plyground.agents", "plyground.arena")) for name in imported("import plyground.envs")
    )
    assert not any(name.startswith("plyground.arena") for name in imported("import plyground.agents"))


def test_packages_import_only_those_before_them() -> None:
    for start, end in arrows().always:
        assert PACKAGES.index(start.partition(".")[0]) >= PACKAGES.index(end.partition(".")[0]), (start, end)


def test_files_import_each_other_in_no_cycle() -> None:
    assert not cycle(arrows().always)


def test_rooms_import_each_other_in_no_cycle() -> None:
    pairs = {(room(start), room(end)) for start, end in arrows().always}
    assert not cycle({(start, end) for start, end in pairs if start != end})


def test_no_room_is_too_full_for_a_newcomer() -> None:
    files = Counter(path.parent.relative_to(ROOT).as_posix() for path in SOURCES)
    assert {folder: count for folder, count in files.items() if count > 24} == {}


def test_rooms_import_only_what_their_docstrings_allow() -> None:
    folders = {path.parent.relative_to(ROOT).as_posix().replace("/", ".") for path in SOURCES}
    assert folders - set(PACKAGES) == ROOMS.keys()
    between = {(room(start), room(end)) for start, end in arrows().always}
    for name, allowed in ROOMS.items():
        others = {end for start, end in between if start == name and end in ROOMS} - {name} - EVERYWHERE
        assert others == allowed, name
    for name in (*PACKAGES, *ROOMS):
        docstring = ast.get_docstring(parsed(ROOT / name.replace(".", "/") / "__init__.py"))
        assert docstring is not None, name
        assert "May import" in docstring, name
        assert "start with" in docstring.lower(), name


def test_imports_inside_functions_are_known() -> None:
    assert arrows().late == LATE


def test_imports_inside_functions_hide_no_cycle() -> None:
    pairs = arrows().always | (arrows().late - CYCLIC)
    assert not cycle(pairs)
    between = {(room(start), room(end)) for start, end in pairs}
    assert not cycle({(start, end) for start, end in between if start != end})
    for one in CYCLIC:
        assert cycle(pairs | {one}), one


def test_imports_inside_the_package_are_relative() -> None:
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            assert not any(re.match(r"(plyground|envs|agents|arena)\b", name) for name in names), path


def test_type_checkers_see_no_getattr_of_a_package() -> None:
    for path in SOURCES:  # they would let any name pass that is imported from it, or asked of it
        body = parsed(path).body
        names = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        targets = [node for statement in body if isinstance(statement, ast.Assign) for node in ast.walk(statement)]
        names |= {node.id for node in targets if isinstance(node, ast.Name)}
        assert "__getattr__" not in names, path


def test_consoles_come_from_one_place_which_reads_no_markup_in_names() -> None:
    for path in SOURCES:
        calls = [node.func for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)]
        names = {getattr(one, "id", getattr(one, "attr", "")) for one in calls}
        assert not names & {"Console", "get_console"} or path == ROOT / "arena" / "lines.py", path


def test_every_package_is_listed_and_typed() -> None:
    project = (ROOT / "pyproject.toml").read_text()  # read by hand: Python 3.10 has no tomllib
    listed = re.search(r"^packages = \[([^]]*)\]", project, re.MULTILINE)
    assert listed is not None
    folders = {f"plyground.{path.parent.relative_to(ROOT).as_posix().replace('/', '.')}" for path in SOURCES}
    assert set(re.findall(r'"([^"]+)"', listed[1])) == folders
    for package in folders:
        assert f'"{package}" = "{package.removeprefix("plyground.").replace(".", "/")}"' in project
    for package in PACKAGES:
        assert (ROOT / package / "py.typed").is_file()


def test_data_of_every_package_is_listed() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    listed = re.search(r"^\[tool\.setuptools\.package-data\]\n(.*?)\n\n", project, re.MULTILINE | re.DOTALL)
    assert listed is not None
    patterns = re.findall(r'^"plyground\.([\w.]+)" = \["(.+)"\]', listed[1], re.MULTILINE)
    packed = {path for package, pattern in patterns for path in (ROOT / package.replace(".", "/")).glob(pattern)}
    there = {path for package in PACKAGES for path in (ROOT / package).rglob("data/*")}
    assert there == packed != set()


@pytest.mark.parametrize("name", [*PACKAGES, *ROOMS])
def test_public_names_exist_and_are_documented(name: str) -> None:
    package = importlib.import_module(f"plyground.{name}")
    for public in getattr(package, "__all__", ()):
        value = getattr(package, public)
        if callable(value) and get_origin(value) is None:  # a type alias has none
            assert value.__doc__, public
