"""Actors on a Ray cluster: two nodes on this machine, and actors that die."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from plyground.arena.training.alphazero import resume, train
from plyground.arena.training.alphazero.ray_actors import RayActors
from plyground.arena.training.alphazero.session import AlphaZeroProgress
from tests.helpers.alphazero_play import SMALL_RUN

CONFIG = replace(SMALL_RUN, actors=2, ray=True, steps=1500)

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


def test_actors_play_on_both_nodes_and_are_started_again(
    ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    assert progress.steps >= 1500
    assert progress.learned > 0
    assert resume(tmp_path / "run", steps=progress.steps + 500).steps >= progress.steps + 500


def test_more_actors_than_processors_are_refused(ray: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="3 actors of 1 threads need 3 processors, and the Ray cluster has 2"):
        train(replace(CONFIG, actors=3), tmp_path / "run")
    assert not (tmp_path / "run" / "config.json").exists()


def test_actors_that_fail_are_told_of(ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A net that the actors cannot take, as one of another game."""

    def publish(self: RayActors, net: Any) -> None:
        self._weights = ray.put("no net")

    monkeypatch.setattr(RayActors, "publish", publish)
    with pytest.raises(RuntimeError, match="actors end before they send samples; the last one said: "):
        train(CONFIG, tmp_path / "run")


def test_ray_needs_actors() -> None:
    with pytest.raises(ValueError, match="ray needs actors"):
        replace(CONFIG, actors=0)
