"""Help of the command line: whole, with examples that can be read, and fast."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import fields

import pytest

import plyground.envs
from plyground.agents.teaching.exercises import EXERCISES
from plyground.arena import TrainingConfig, formats
from plyground.arena.cli.commands import COMMANDS
from plyground.arena.cli.group import _loaded
from plyground.arena.training.alphago import AlphaGoConfig
from plyground.arena.training.alphazero import AlphaZeroConfig
from tests.helpers.command_line import Run


class TestHelp:
    def test_alone_it_prints_help_and_nothing_else(self, run: Run) -> None:
        out, err = run()
        assert (out, err) == (run("--help")[0], "")
        assert all(f"│ {name} " in out for name in COMMANDS)

    def test_version(self, run: Run) -> None:
        assert run("--version")[0] == f"plyground {plyground.envs.__version__}\n"

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_examples_that_can_be_read(self, run: Run, name: str) -> None:
        command = _loaded(name)
        assert (command.help or "").partition("\n")[0] == COMMANDS[name].what
        shown = " ".join(run(name, "--help")[0].split())
        for example in COMMANDS[name].examples:
            assert example in shown
            words = shlex.split(example)
            assert words[:2] == ["plyground", name]
            command.make_context(name, words[2:])
        for one in command.params:
            assert one.name == "help" or not one.help.startswith("That ")
            assert one.name == "help" or re.search(r"[.'…]$", one.help), one.help

    def test_loads_no_game(self) -> None:
        """Help waits for nothing: to import the games would take a second."""
        code = f"""
import sys
from plyground.arena.cli import main
for name in {["", *COMMANDS]}:
    sys.argv = ["plyground", *([name] if name else []), "--help"]
    try:
        main()
    except SystemExit:
        print(repr(name), *sorted({{"numba", "plyground.envs"}} & sys.modules.keys()), file=sys.stderr)
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stderr.splitlines() == [repr(name) for name in ["", *COMMANDS]]

    @pytest.mark.parametrize("name", ["gtp", "uci"])
    def test_an_engine_names_games_that_it_can_play(self, run: Run, name: str) -> None:
        shown = run(name, "--help")[0]
        assert "--game" in shown
        assert "connect_four" not in shown
        assert "nim" not in shown

    def test_as_a_module_and_completed_by_a_shell(self) -> None:
        command = [sys.executable, "-m", "plyground.arena"]
        assert "Usage:" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
        completing = {
            **os.environ,
            "_PLYGROUND_COMPLETE": "complete_bash",
            "COMP_WORDS": "plyground ma",
            "COMP_CWORD": "1",
        }
        code = "import sys; sys.argv[0] = 'plyground'; from plyground.arena.cli import main; main()"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=completing, check=False)
        assert done.stdout.split() == ["match"]


def test_the_options_of_train_are_the_fields_of_its_configuration(run: Run) -> None:
    shown, _ = run("train", "--help")
    for one in (*fields(TrainingConfig), *fields(AlphaZeroConfig), *fields(AlphaGoConfig)):
        if one.name not in ("algorithm", "game"):
            assert f"--{one.name.replace('_', '-').removesuffix('s' * (one.name == 'opponents'))} " in shown
    words = " ".join(shown.replace("│", " ").split())
    assert "Residual blocks of the resnet. At least 1. Default: 1." in words
    assert "relative to each other. Default: random*0.3, alphabeta(depth=1)*1," in words


@pytest.mark.parametrize(
    ("words", "kind", "default"),
    [
        ("alphazero --help", AlphaZeroConfig, "Games played side by side. At least 1. Default: 512."),
        ("alphago connect_four --help", AlphaGoConfig, "Samples of a step of learning. At least 1. Default: 512."),
        ("--help dqn", TrainingConfig, "Games played side by side. At least 1. Default: 256."),
    ],
)
def test_the_help_of_an_algorithm_has_its_options_alone(
    run: Run, words: str, kind: type[TrainingConfig], default: str
) -> None:
    """It began each with what it is for ppo, and its default there."""
    shown = " ".join(run("train", *words.split())[0].replace("│", " ").split())
    assert default in shown
    assert not re.search(r"Of (alphazero|alphago): ", shown)
    names = {one.name for one in fields(kind)} - {"algorithm", "game", "opponents"}
    named = set(re.findall(r"(?<=--)[a-z][a-z-]+(?= )", shown))
    assert {name.replace("_", "-") for name in names} <= named
    assert ("self-play" in named, "considered" in named, "step" in named) == tuple(
        kind is one for one in (TrainingConfig, AlphaZeroConfig, AlphaGoConfig)
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_whole_at_80_columns(run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(name, "--help")[0].splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if re.search(r"\w…", line)]  # cut off


@pytest.mark.parametrize("algorithm", ["alphazero", "alphago", "ppo", "a2c", "dqn"])
def test_the_help_of_an_algorithm_is_whole_at_80_columns(
    run: Run, monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    """The opponents of dqn were cut off, in a column that was a third of the line."""
    monkeypatch.setenv("COLUMNS", "80")
    out = run("train", algorithm, "--help")[0]
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if "…" in line or "list[" in line]
    others = {"alphazero": ("alphago", "ppo"), "alphago": ("alphazero", "dqn")}.get(algorithm, ("alphazero", "alphago"))
    assert not any(f"plyground train {other} " in out for other in others)  # as an example
    assert "plyground train --resume ppo-run" in out


def test_the_help_of_alphazero_names_options_and_sources(run: Run) -> None:
    words = " ".join(run("train", "alphazero", "--help")[0].replace("│", " ").split())
    assert "each plays --num-envs games" in words
    assert "Gumbel's c_visit: visits added" in words  # the paper's name, beside the option
    assert (
        "Simulations of a cheap search, without noise, whose position is not learned. At least 2. Default: 8." in words
    )
    assert "Default: 8. Source: Wu 2019, section 3.1." in words
    assert "Default: on. --no-proofs turns it off. Source: Winands et al. 2008" in words
    assert "Default: 60. A new run with --steps alone has no such limit." in words
    assert "Source: " not in run("train", "--help")[0]  # which has three algorithms, and is long enough


def test_the_help_of_explain_has_all_kinds_of_exercises(run: Run) -> None:
    assert f"Kind of the exercise: {' or '.join(EXERCISES)}." in " ".join(run("explain", "--help")[0].split())


@pytest.mark.parametrize("command", ["ratings", "train"])
def test_help_names_each_kind_of_file_that_is_read(run: Run, command: str) -> None:
    said = run(command, "--help")[0]
    assert [suffix for suffix in formats._SUFFIXES if suffix not in said] == []
