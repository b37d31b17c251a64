"""Games in other processes: the same for any number of them and any backend, whatever happens to one."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from plyground.agents import Random, make, register_agent
from plyground.agents import registry as agent_registry
from plyground.arena import iter_match, match, processes
from plyground.arena import matches as matches_module
from plyground.arena.cli.parts import clusters
from plyground.arena.grading.answers import ask
from plyground.arena.processes import WorkerError, _hear_of_lost_tasks, packed, unpacked
from plyground.arena.store import Session
from plyground.envs import make_game
from tests.arena.test_arena import without_times
from tests.helpers.command_line import Run
from tests.helpers.sent_players import Heavy, slowly

GAME = "tictactoe"
PLAYERS = ["mcts(simulations=5)", "random"]


# Two workers write the time into a file each, again and again, in the folder of the first argument.
ENDLESS = """
import os, sys, time
from pathlib import Path
import joblib
from plyground.arena.processes import results_of

def endless(folder):
    while True:
        Path(folder, str(os.getpid())).write_text(str(time.time()))
        time.sleep(0.05)

list(results_of((joblib.delayed(endless)(sys.argv[1]) for _ in range(9)), 2, "writes"))
"""


class Locked(Random):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


def points(printed: str) -> list[tuple[str, float]]:
    """Return who has how many points, of what a command printed with ``--json``."""
    return [(player["name"], player["points"]) for player in json.loads(printed)["players"]]


def test_players_that_cannot_be_pickled_are_named_and_leave_nothing(tmp_path: Path) -> None:
    refused = r"Locked cannot be sent to other processes \(.*lock.*\): play with jobs=1"
    with pytest.raises(ValueError, match=refused):
        match(GAME, [Locked(), "random"], games=2, jobs=2, store=tmp_path / "games.db")
    assert not list(tmp_path.iterdir())  # a file was there, and open
    with pytest.raises(ValueError, match=refused):
        ask(Locked(), make_game(GAME), [[], [4]], jobs=2)


@pytest.mark.usefixtures("registries")
def test_a_kind_of_agent_that_was_registered_here_is_known_to_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    register_agent("only_here", lambda game, seed=3: Random(seed=seed))
    own = make("only_here(seed=5)", GAME)
    sent = packed("a value", [("one", "mixture(only_here(seed=5), random)"), ("other", Random())])
    monkeypatch.delitem(agent_registry._constructors, "only_here")
    monkeypatch.setattr(processes, "_HERE", "another process")
    assert unpacked(*sent) == "a value"
    there, seen = make("only_here(seed=5)", GAME), {"action_mask": np.ones(9, np.int8)}
    assert [there.act(seen) for _ in range(5)] == [own.act(seen) for _ in range(5)]


def test_other_words_than_ray_are_refused() -> None:
    with pytest.raises(ValueError, match="jobs must be a number of processes, -1 for one on each core, or 'ray', got"):
        match(GAME, PLAYERS, games=2, jobs="dask")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("many", [0, 10**9])
def test_threads_as_workers(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least that a backend of joblib may be: each thread has agents of its own."""
    monkeypatch.setattr(matches_module, "MANY", many)
    one = without_times(match(GAME, PLAYERS, games=200, seed=4))
    with joblib.parallel_config(backend="threading"):
        assert without_times(match(GAME, PLAYERS, games=200, seed=4, jobs=3)) == one


@pytest.mark.parametrize("games", [60, 70])
def test_saved_games_are_not_all_read_before_the_first_is_given_on(
    games: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million of them filled the memory."""
    monkeypatch.setattr("plyground.arena.tournaments.workers._MOST_FOUND", 10)
    store, asked, find = tmp_path / "games.db", list[int](), Session.find
    match(GAME, PLAYERS, games=60, seed=4, store=store)
    monkeypatch.setattr(Session, "find", lambda self, *what: asked.append(1) or find(self, *what))
    with joblib.parallel_config(backend="threading"):
        records = iter_match(GAME, PLAYERS, games=games, seed=4, store=store, resume=True, jobs=2)
        first = next(records)
        assert len(asked) == 10
        assert without_times([first, *records]) == without_times(match(GAME, PLAYERS, games=games, seed=4))
    assert len(asked) == games


@pytest.mark.slow
def test_a_process_that_dies_is_told_in_a_line_and_the_next_match_is_played(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deadly.py").write_text("import os\n\n\ndef player(observation, info):\n    os._exit(5)\n")
    deadly = "./deadly.py:player"
    for words in (
        ("match", "random", deadly, "-g", GAME, "--games", "4"),
        ("generate", GAME, deadly, "--games", "4", "--out", "games.jsonl"),
    ):
        _, err = run(*words, "--jobs", "2", code=2)
        assert "error: a process that plays games has died" in err
        assert "Traceback" not in err
    with pytest.raises(WorkerError, match=r"a process that asks a player has died, .*: use fewer jobs, or one to see"):
        ask(deadly, make_game(GAME), [[], [4]], jobs=2)
    assert len(match(GAME, ["random", "random"], games=4, jobs=2)) == 4


def test_a_process_that_dies_while_it_compiles_is_told_in_a_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deadly.py").write_text(
        "import os\n\n\nclass Player:\n    def __init__(self, game):\n        os._exit(5)\n"
    )
    _, err = run("warm", GAME, "./deadly.py:Player", "--jobs", "2", code=2)
    assert "error: a process that compiles has died" in err
    assert "Traceback" not in err


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a process keeps the number of its dead parent")
def test_processes_end_with_the_one_that_they_work_for(tmp_path: Path) -> None:
    """They went on for a minute, and waited for more for five."""
    parent = subprocess.Popen([sys.executable, "-c", ENDLESS, str(tmp_path)])

    def wait_until(holds: Callable[[], bool]) -> None:
        end = time.monotonic() + 120
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.1)

    def have_ended() -> bool:
        before = [path.stat().st_mtime_ns for path in tmp_path.iterdir()]
        time.sleep(1)
        return [path.stat().st_mtime_ns for path in tmp_path.iterdir()] == before

    wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
    assert not have_ended()
    parent.kill()
    parent.wait()
    wait_until(have_ended)


def test_an_error_before_a_game_is_sent_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Openings are drawn as they are needed, by whoever asks for the next games."""
    monkeypatch.setattr(matches_module, "random_openings", lambda *_: (line or 1 / 0 for line in [[4], [0], []]))
    with joblib.parallel_config(backend="threading"):
        records = iter_match(GAME, PLAYERS, games=6, jobs=2)
        assert [next(records).opening for _ in range(4)] == [1, 1, 1, 1]
        with pytest.raises(ZeroDivisionError):
            next(records)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what Dask leaves open is none of our doing
@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed")
class TestDask:
    @pytest.fixture(scope="class")
    def client(self) -> Iterator[Any]:
        from dask.distributed import Client, LocalCluster

        options: Any = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**options) as cluster, Client(cluster) as one:
            yield one

    @pytest.mark.parametrize("many", [0, 10**9])
    def test_plays_the_same_games(self, client: Any, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(matches_module, "MANY", many)
        players = [*PLAYERS, Heavy()]
        one = without_times(list(iter_match(GAME, players, games=100, seed=4)))
        with joblib.parallel_config(backend="dask"):
            records = iter_match(GAME, players, games=100, seed=4, jobs=-1)
            assert without_times(list(records)) == one

    def test_games_come_while_others_are_played(self, client: Any) -> None:
        with joblib.parallel_config(backend="dask"):
            records: Any = iter_match(GAME, [slowly, "random"], games=400, jobs=-1)
            start = time.perf_counter()
            first = next(records)
            assert time.perf_counter() - start < 10  # all would take longer
            records.close()  # as Ctrl-C does
            again = match(GAME, [slowly, "random"], games=4, jobs=-1)
        assert without_times(again[:1]) == without_times([first])

    def test_from_the_command_line(self, client: Any, run: Run) -> None:
        arguments = "match", *PLAYERS, "--game", GAME, "--games", "4", "--json"
        there = run(*arguments, "--dask", client.scheduler.address)[0]
        assert points(there) == points(run(*arguments)[0])


def test_what_dask_gives_up_is_called_back_for() -> None:
    """joblib waited for ever for it."""

    class DaskDistributedBackend:
        def submit(self, function: object, callback: object = None) -> Future[object]:
            self.future = Future[object]()
            return self.future

    backend, told, lost = DaskDistributedBackend(), list[object](), RuntimeError("the worker is gone")
    for _ in range(2):  # it hears of each once
        _hear_of_lost_tasks(backend)
    backend.submit(None, told.append)
    backend.future.set_exception(lost)
    backend.submit(None, told.append)
    backend.future.set_result("for which joblib calls back itself")
    backend.submit(None, told.append)
    backend.future.cancel()
    assert told == [lost]


def test_where_to_play_is_said_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = "match", *PLAYERS, "--game", GAME, "--games", "2"
    told = run(*arguments, "--ray", "--jobs", "2", code=2)[1]
    assert "--jobs and --ray say where to play: give one of them" in told
    monkeypatch.setattr(clusters, "_PATIENCE", 0.2)
    pytest.importorskip("distributed")
    told = run(*arguments, "--dask", "tcp://127.0.0.1:9", code=2)[1]
    assert "no scheduler of Dask answers at tcp://127.0.0.1:9" in told


def test_dask_that_is_not_installed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    told = run("match", *PLAYERS, "--game", GAME, "--games", "2", "--dask", "tcp://127.0.0.1:9", code=2)[1]
    assert re.search(r"--dask needs Dask .*: pip install '.\[dask\]'", told)


def test_ray_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"games on a cluster need Ray .*: pip install '.\[ray\]'"):
        match(GAME, PLAYERS, games=2, jobs="ray")
