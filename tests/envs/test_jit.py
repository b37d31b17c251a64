"""Compiled code is found again on disk by the next process, and is never stale."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.bytecode import FunctionIdentity
from numba.core.errors import NumbaError

from plyground.envs import Game, checkers, chess, connect_four, go, tictactoe
from plyground.envs.games import tictactoe as tictactoe_file
from plyground.envs.jit import bind, helper, kernel
from plyground.envs.jit.cache import FORMAT, _KernelCache, _KernelFiles, symbols_are_unique
from plyground.envs.jit.linked import _KernelLibrary, _LinkedLibrary, compiled_rule
from plyground.envs.jit.prng import below, new_rng, next_u64, uniform
from tests.conftest import as_own_file
from tests.helpers.forks import forks, needs_fork

EXERCISE_ALL_KERNELS = """
import numpy as np
from plyground.agents import MCTS, AlphaBeta, Minimax
from plyground.agents import minimax, search
from plyground.agents.alphabeta import deepening
from plyground.agents.mcts.simulate import simulate
from plyground.envs import BoardGameEnv, connect_four, position, tictactoe

for game in (tictactoe(), connect_four(4, 5)):
    env = BoardGameEnv(game)
    env.reset()
    for agent in (Minimax(game, depth=3), AlphaBeta(game, depth=6), MCTS(game, 200, seed=0)):
        env.step(agent.act(env.observe(env.agent_selection), env.infos[env.agent_selection]))
        found = agent.analyse(env.infos[env.agent_selection]["state"])
        print(found.best_action, found.value, found.nodes)

kernels = [minimax._minimax, deepening.deepen, search._legal_actions, simulate, position._advance]
print("hits", sum(sum(k.stats.cache_hits.values()) for k in kernels), file=__import__("sys").stderr)
print("misses", sum(sum(k.stats.cache_misses.values()) for k in kernels), file=__import__("sys").stderr)
"""


def run(code: str, cache: Path, *paths: Path) -> tuple[str, str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(map(str, paths))}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    said = [line for line in result.stderr.splitlines() if not line.startswith("compiling ")]
    return result.stdout, "\n".join(said)


def processes(folder: Path) -> AbstractContextManager[Callable[[str], str]]:
    """Processes that find files of rules in a folder, and keep compiled code there."""
    return forks("import plyground.agents", NUMBA_CACHE_DIR=str(folder / "cache"), PYTHONPATH=str(folder))


@pytest.mark.slow
def test_second_process_loads_and_plays_the_same(tmp_path: Path) -> None:
    first, first_counts = run(EXERCISE_ALL_KERNELS, tmp_path)
    second, second_counts = run(EXERCISE_ALL_KERNELS, tmp_path)
    assert first_counts.split() == ["hits", "0", "misses", "10"]
    assert second_counts.split() == ["hits", "10", "misses", "0"]
    assert first == second


@needs_fork
@pytest.mark.slow
def test_each_game_has_its_own_file_so_that_processes_cannot_mix_them_up(tmp_path: Path) -> None:
    imports = "import numpy as np; from plyground.agents import search; from plyground.envs import make_game"
    code = (
        "for game in map(make_game, GAMES):\n"
        "    print(search._legal_actions(game, game.new_state(), np.empty(10, np.int32)))\n"
        "print(sum(search._legal_actions.stats.cache_misses.values()))"
    )

    def legal_actions(*games: str) -> list[str]:
        return run(f"{imports}\n{code.replace('GAMES', repr(games))}").split()

    games = ["tictactoe", "connect_four", "connect_four(rows=5,columns=8)"]
    expected = ["9", "7", "8"]
    with forks(imports, NUMBA_CACHE_DIR=str(tmp_path)) as run:
        for game, answer in zip(games, expected, strict=True):
            assert legal_actions(game) == [answer, "1"]
        files = sorted(tmp_path.rglob("*.nbc"))
        assert len(files) == 3
        assert legal_actions(*games) == [*expected, "0"]
        files[0].unlink()
        assert legal_actions(*games) == [*expected, "1"]
        files[1].write_bytes(files[1].read_bytes()[:1000])  # cut off, by a full disk say
        assert legal_actions(*games) == [*expected, "1"]
        assert legal_actions(*games) == [*expected, "0"]
        for file in sorted(tmp_path.rglob("*.nbc")):  # a wrong byte at the head of LLVM's code
            data = file.read_bytes()
            assert b"BC\xc0\xde" in data
            file.write_bytes(data.replace(b"BC\xc0\xde", b"BC\xc0\xdf"))
        assert legal_actions(*games) == [*expected, "3"]
        assert legal_actions(*games) == [*expected, "0"]


def test_a_damaged_file_is_not_loaded(tmp_path: Path, rng: np.random.Generator) -> None:
    files = _KernelFiles(str(tmp_path), "kernel", None)
    files.save("key", ("payload", b"\xff" * 50))
    assert files.load("key") == ("payload", b"\xff" * 50)
    (file,) = tmp_path.iterdir()
    good = file.read_bytes()
    for place in range(len(good)):
        bad = bytearray(good)
        bad[place] ^= 1 << int(rng.integers(8))
        for data in (bytes(bad), good[:place], good + bytes(bad)):
            file.write_bytes(data)
            assert files.load("key") is None
    file.write_bytes(good)
    assert files.load("key") is not None
    assert files.load("other key") is None


COUNT_GAMES = """
from plyground.agents import Minimax
from rules import tictactoe
print(Minimax(tictactoe()).analyse(tictactoe().new_state()).leaves)
"""


@needs_fork
@pytest.mark.slow
def test_edited_rule_is_seen_through_a_cached_kernel(tmp_path: Path) -> None:
    source = as_own_file(Path(str(tictactoe_file.__file__)).read_text())
    rules = tmp_path / "rules.py"

    with processes(tmp_path) as run:
        rules.write_text(source)
        assert run(COUNT_GAMES) == "255168\n"

        assert ", 0o421, 0o124]" in source
        rules.write_text(source.replace(", 0o421, 0o124]", "]"))  # a table that the rules read: no more diagonals
        without_diagonals = run(COUNT_GAMES)
        assert without_diagonals != "255168\n"

        assert "if stones & line == line:" in source
        rules.write_text(source.replace("if stones & line == line:", "if False:"))  # a helper of the rules: no lines
        assert run(COUNT_GAMES) == "362880\n"

        rules.write_text(source)
        assert run(COUNT_GAMES) == "255168\n"


@needs_fork
@pytest.mark.slow
def test_rules_that_moved_to_another_module_are_compiled_again(tmp_path: Path) -> None:
    source = as_own_file(Path(str(tictactoe_file.__file__)).read_text())
    with processes(tmp_path) as run:
        for name in ("first_home", "second_home"):
            home = tmp_path / f"{name}.py"
            home.write_text(source)
            assert run(COUNT_GAMES.replace("rules", name)) == "255168\n"
            home.unlink()


@needs_fork
@pytest.mark.slow
def test_edited_helper_of_a_kernel_is_seen(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(
        "from plyground.envs.jit import kernel\nfrom helper import add\n@kernel\ndef use(x):\n    return add(x)\n"
    )
    code = "from kernels import use; print(use(1), sum(use.stats.cache_hits.values()))"
    helper = tmp_path / "helper.py"
    with processes(tmp_path) as run:
        for text, expected in (("x + 1", "2 0"), ("x + 1", "2 1"), ("x + 5", "6 0"), ("x + 1", "2 1")):
            helper.write_text(f"from plyground.envs.jit import helper\n@helper\ndef add(x):\n    return {text}\n")
            assert run(code).strip() == expected


def test_recursion_that_numba_cannot_cache_is_refused() -> None:
    @kernel
    def half(x, n):
        if n == 0:
            return x
        return half(x * 0.5, n - 1)

    globals()["half"] = half
    with pytest.raises(
        TypeError, match="kernel 'half' reaches a function that calls itself with arguments of other types"
    ):
        half(8, 2)


def test_kernel_without_a_place_on_disk_is_compiled_all_the_same() -> None:
    names = {"kernel": kernel}
    exec("@kernel\ndef double(x):\n    return 2 * x", names)
    double: Any = names["double"]
    assert double(4) == 8
    assert not double.stats.cache_hits


def test_a_kernel_that_cannot_be_written_runs_and_a_warning_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(self: _KernelFiles, name: str, data: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_KernelFiles, "_save_data", no_room)
    monkeypatch.setattr(_KernelCache, "_has_warned", False)
    dispatcher: Any = kernel(_twice)
    monkeypatch.setattr(dispatcher._cache, "load_overload", lambda *arguments: None)
    with pytest.warns(RuntimeWarning, match=r"cannot be kept on disk \(No space left on device\), so each process"):
        assert dispatcher(4) == 8
    assert dispatcher(5) == 10
    assert dispatcher(0.5) == 1.0  # it is said once


def test_bound_kernel_is_the_kernel(game: Game) -> None:
    state = game.new_state()
    bound = bind(_count_actions, game, state, np.empty(game.num_actions, np.int32))
    assert bound(game, state, np.empty(game.num_actions, np.int32)) == len(game.actions(state))


@kernel
def _count_actions(game, state, actions):
    return game.legal_actions(state, actions)


@helper
def _squares(count):
    values = [i * i for i in range(count)]
    return max(values) + (np.arange(count) * 2 + 1).sum()


def _rule(count):
    return _squares(count) + sum([1 for _ in range(count)])


def test_rules_and_their_helpers_may_have_closures_and_expressions_with_whole_arrays() -> None:
    rule = compiled_rule(_rule)
    names = {"kernel": kernel, "rule": rule}
    exec("@kernel\ndef called(count):\n    return rule(count)", names)
    called: Any = names["called"]
    assert called(5) == _rule(5) == 16 + 25 + 5


def test_games_with_the_same_rules_are_one_type() -> None:
    game = connect_four()
    assert game.numba_type == connect_four().numba_type
    assert game.numba_type != connect_four(5, 6).numba_type
    assert game.numba_type != tictactoe().numba_type
    assert game.replace(evaluate=lambda state, player: 0.5).numba_type != game.numba_type
    # A parameter that the rules do not see, or find in the state, compiles nothing.
    first = go(board_size=5)
    for other in (go(5, komi=0.5), go(5, superko="simple"), go(5, superko="situational")):
        assert first.numba_type == other.numba_type
        assert first != other
    assert checkers().numba_type == checkers(repetition=2).numba_type
    assert chess(chess960=5).numba_type == chess(chess960=6).numba_type != chess().numba_type


class TestRandomNumbers:
    def test_reference_values(self) -> None:
        # SplitMix64 from seed 1234567: the reference outputs of the public-domain C version by S. Vigna, as published
        # on Rosetta Code ("Pseudo-random numbers/Splitmix64").
        rng = np.array([1234567], np.uint64)
        with np.errstate(over="ignore"):
            numbers = [int(next_u64(rng)) for _ in range(5)]
        assert numbers == [
            6457827717110365317,
            3203168211198807973,
            9817491932198370423,
            4593380528125082431,
            16408922859458223821,
        ]

    def test_ranges(self) -> None:
        rng = new_rng(0)
        with np.errstate(over="ignore"):
            counts = np.bincount([int(below(rng, 7)) for _ in range(7000)], minlength=7)
            fractions = np.array([uniform(rng) for _ in range(1000)])
        assert counts.size == 7
        assert counts.min() > 850
        assert 0 <= fractions.min() < fractions.max() < 1
        assert 0.45 < fractions.mean() < 0.55

    def test_seeds(self) -> None:
        assert new_rng(1)[0] == new_rng(1)[0] != new_rng(2)[0]
        assert new_rng()[0] != new_rng()[0]


class TestWhatIsPrivateInNumba:
    """Each fails when a new Numba has changed what `plyground.envs.jit` stands on; pyproject.toml holds it below."""

    def test_functions_are_counted_where_we_set_the_counter(self) -> None:
        @njit
        def compiled(x):
            return x

        assert symbols_are_unique()
        compiled(1)
        (one,) = compiled.overloads.values()
        number = next(FunctionIdentity._unique_ids)
        assert number > 2**20  # by chance it is not, once in 2⁴²
        assert any(f"v{number - back}" in one.fndesc.mangled_name for back in range(1, 50))

    def test_a_forked_process_counts_anew(self) -> None:
        code = (
            "import os, sys; import plyground.envs; from numba.core.bytecode import FunctionIdentity\n"
            "read, write = os.pipe()\n"
            "if os.fork() == 0:\n"
            "    os.write(write, str(next(FunctionIdentity._unique_ids)).encode()); os._exit(0)\n"
            "os.wait(); print(abs(int(os.read(read, 99)) - next(FunctionIdentity._unique_ids)))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert int(done.stdout) > 2**20

    def test_without_the_counter_nothing_is_kept_on_disk_and_a_warning_says_so(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(FunctionIdentity, "_unique_ids", None)
        with pytest.warns(RuntimeWarning, match="no kernel is kept on disk"):
            dispatcher: Any = kernel(_plus_one)
        assert not isinstance(dispatcher._cache, _KernelCache)

    def test_kernels_use_our_cache(self) -> None:
        dispatcher: Any = _count_actions
        assert isinstance(dispatcher._cache, _KernelCache)
        assert dispatcher._cache._cache_file._file_name(1).endswith(".nbc")
        assert f".{FORMAT}." in dispatcher._cache._cache_file._file_name(1)

    def test_helpers_get_no_machine_code_of_their_own(self) -> None:
        names = {"_plus_one": _plus_one}
        exec("def calls(x):\n    return _plus_one(x)", names)  # of no file, so that it is compiled here
        calls: Any = kernel(names["calls"])
        assert calls(3) == 4
        (compiled,) = calls.overloads.values()
        linked = [library for library in compiled.library._linking_libraries if "_plus_one" in library.name]
        assert [type(library) for library in linked] == [_LinkedLibrary]
        assert type(compiled.library) is _KernelLibrary

    def test_kernels_are_optimised_once_and_helpers_with_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """If Numba called this step by another name, ours would be passed over without a word."""
        optimised: list[type[Any]] = []
        optimise = _KernelLibrary._optimize_final_module
        monkeypatch.setattr(
            _KernelLibrary,
            "_optimize_final_module",
            lambda library: (optimised.append(type(library)), optimise(library)),
        )
        names = {"_plus_one": _plus_one}
        exec("def calls(x):\n    return _plus_one(x)", names)
        kernel(names["calls"])(3)
        assert optimised == [_KernelLibrary]

    def test_kernels_may_not_allocate_and_rules_may(self) -> None:
        with pytest.raises(NumbaError, match=r"returning of array|NRT required"):
            kernel(_allocates)(3)
        game = tictactoe().replace(is_terminal=_allocating_rule)
        state = game.new_state()
        assert _asks_for_the_end(game, state)


@helper
def _plus_one(x):
    return x + 1


def _twice(x):
    return 2 * x


def _allocates(n):
    return np.zeros(n).sum()


def _allocating_rule(state: Any) -> bool:
    return np.zeros(3).size == 3


@kernel
def _asks_for_the_end(game, state):
    return game.is_terminal(state)
