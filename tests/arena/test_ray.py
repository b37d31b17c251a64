"""Work on a Ray cluster: two nodes on this machine, for games and for actors of AlphaZero; and what dies there."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plyground.arena import GameRecord, iter_match, match
from plyground.arena import matches as matches_module
from plyground.arena.processes import WorkerError
from plyground.arena.tournaments import workers
from plyground.arena.training.alphazero import resume, team, train
from plyground.arena.training.alphazero.ray_actors import RayActors
from plyground.arena.training.alphazero.session import AlphaZeroProgress
from tests.arena.test_arena import without_times
from tests.arena.test_workers import GAME, PLAYERS, points
from tests.helpers.alphazero_play import SMALL_RUN
from tests.helpers.command_line import Run
from tests.helpers.sent_players import Heavy, at_once, slowly

CONFIG = replace(SMALL_RUN, actors=2, ray=True, steps=600)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed"),
    pytest.mark.filterwarnings("ignore"),  # what Ray itself leaves open, or warns of, is none of our doing
]


@pytest.fixture(scope="module")
def ray(ray_nodes: Any) -> Any:
    """Ray, joined to a cluster on this machine."""
    import ray

    return ray


class TestActors:
    @pytest.fixture(scope="class", autouse=True)
    def torch(self) -> None:
        pytest.importorskip("torch")

    def test_actors_play_on_both_nodes_and_are_started_again(
        self, ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        killed: list[int] = []
        free: list[float] = []
        collect = RayActors.collect

        def collect_and_kill(self: RayActors) -> object:
            found = collect(self)
            if not killed and found[1].moves:
                killed.extend(self.actors)
                for actor in self.actors.values():
                    ray.kill(actor)
            return found

        def watch(progress: AlphaZeroProgress) -> None:
            free.append(ray.available_resources().get("CPU", 0))

        monkeypatch.setattr(RayActors, "collect", collect_and_kill)
        progress = train(CONFIG, tmp_path / "run", watch)
        assert killed == [1, 2]
        assert 0 in free  # both processors, of one node each, were in use
        assert progress.steps >= 600
        assert progress.learned > 0
        assert resume(tmp_path / "run", steps=progress.steps + 300).steps >= progress.steps + 300

    def test_more_actors_than_processors_are_refused(self, ray: Any, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="3 actors of 1 threads need 3 processors, and the Ray cluster has 2"):
            train(replace(CONFIG, actors=3), tmp_path / "run")
        assert not (tmp_path / "run" / "config.json").exists()

    def test_actors_that_fail_are_told_of(self, ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A net that the actors cannot take, as one of another game."""

        def publish(self: RayActors, net: Any) -> None:
            self._weights = ray.put("no net")

        monkeypatch.setattr(RayActors, "publish", publish)
        monkeypatch.setattr(team, "_FAILURES", 1)  # of as many as there are actors; each takes seconds to start
        with pytest.raises(RuntimeError, match="actors end before they send samples; the last one said: "):
            train(CONFIG, tmp_path / "run")

    def test_ray_without_actors_is_refused(self) -> None:
        with pytest.raises(ValueError, match="ray needs actors"):
            replace(CONFIG, actors=0)


def as_slowly(games: int, seed: int) -> list[Any]:
    """Return the games that `slowly` plays against ``random``, without waiting for them."""
    return without_times(match(GAME, [at_once, "random"], games=games, seed=seed, names=["slowly", "random"]))


class TestGames:
    @pytest.mark.parametrize("many", [0, 10**9])
    def test_plays_the_same_games(self, ray_nodes: Any, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
        import ray

        stored: list[Any] = []
        put = ray.put
        monkeypatch.setattr(ray, "put", lambda value: stored.append(value) or put(value))
        monkeypatch.setattr(matches_module, "MANY", many)
        players = [*PLAYERS, Heavy()]
        one = without_times(list(iter_match(GAME, players, 100, format="swiss(rounds=2)", seed=4)))
        records = iter_match(GAME, players, 100, format="swiss(rounds=2)", seed=4, jobs="ray")
        assert without_times(list(records)) == one
        assert len(stored) == 1  # the players, once for all rounds
        assert stored[0].nbytes > Heavy().weights.nbytes

    def test_from_the_command_line(self, ray_nodes: Any, run: Run) -> None:
        arguments = "tournament", *PLAYERS, "--game", GAME, "--games", "4", "--json"
        assert points(run(*arguments, "--ray")[0]) == points(run(*arguments)[0])

    def test_errors_end_the_match(self, ray_nodes: Any) -> None:
        with pytest.raises(ValueError, match="answered 'x': expected an action") as told:
            match(GAME, [lambda *_: "x", "random"], games=2, jobs="ray", names=["a", "b"])
        assert "\n" not in str(told.value)  # it was a traceback

    def test_interrupted_and_resumed(self, ray_nodes: Any) -> None:
        one = as_slowly(games=40, seed=2)
        records: Any = iter_match(GAME, [slowly, "random"], games=40, seed=2, jobs="ray")
        done = [next(records) for _ in range(9)]
        records.close()
        rest = iter_match(GAME, [slowly, "random"], games=40, seed=2, jobs="ray", after=done)
        assert without_times([*done, *rest]) == one

    def test_a_node_that_is_killed_loses_nothing(self, ray_nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        one = as_slowly(games=160, seed=3)
        extra = ray_nodes.add_node(num_cpus=1)
        games: list[GameRecord] = []
        for record in iter_match(GAME, [slowly, "random"], games=160, seed=3, jobs="ray"):
            games.append(record)
            if len(games) == 40:
                ray_nodes.remove_node(extra, allow_graceful=False)
        assert without_times(games) == one

    def test_what_kills_every_process_is_told(self, ray_nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_RETRIES", 1)
        with pytest.raises(WorkerError, match="the cluster could not play some games in 2 attempts: "):
            match(GAME, [lambda *_: os._exit(1), "random"], games=2, jobs="ray", names=["a", "b"])
