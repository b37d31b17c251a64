"""Actors: processes that play for one that learns, and are started again."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from plyground.agents.networks import new_network, save_network  # noqa: E402
from plyground.arena.training.alphazero import resume, train  # noqa: E402
from plyground.arena.training.alphazero.actor import Actor, act, read_turn  # noqa: E402
from plyground.arena.training.alphazero.actors import Actors  # noqa: E402
from plyground.arena.training.alphazero.samples import new_samples  # noqa: E402
from plyground.arena.training.alphazero.self_play import Counts  # noqa: E402
from plyground.arena.training.alphazero.session import AlphaZeroSession  # noqa: E402
from plyground.arena.training.alphazero.team import ActorError  # noqa: E402
from plyground.envs import make_game  # noqa: E402
from tests.helpers.alphazero_play import SMALL_RUN  # noqa: E402
from tests.helpers.command_line import Run  # noqa: E402


@pytest.mark.slow
def test_a_dead_actor_is_started_again_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []
    collect = Actors.collect

    def collect_and_kill(self: Actors) -> object:
        found = collect(self)
        if not killed and found[1].moves:
            for number, process in self.processes.items():
                process.kill()
                killed.append(number)
        return found

    monkeypatch.setattr(Actors, "collect", collect_and_kill)
    progress = train(SMALL_RUN, tmp_path / "run")
    assert killed == [1]
    assert progress.steps >= 1000
    assert progress.learned > 0
    assert not (tmp_path / "run" / "actors").exists()
    started = AlphaZeroSession.load_state_dict
    numbers: list[int] = []

    def load(self: AlphaZeroSession, state: dict[str, dict[str, int]]) -> None:
        numbers.append(state["source"]["started"])
        started(self, state)

    monkeypatch.setattr(AlphaZeroSession, "load_state_dict", load)
    assert resume(tmp_path / "run", steps=progress.steps + 200).steps >= progress.steps + 200
    assert numbers == [2]


@pytest.mark.skipif(os.name != "posix", reason="the actor is a shell script here")
@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("kill -9 $$", "the last one was ended by SIGKILL"),
        ("exit 3", "the last one ended with exit status 3"),
        ("echo alas; kill -9 $$", "the last one said: alas"),
        ("[ $5 = $PPID ] && echo told who started it", "the last one said: told who started it"),
    ],
)
def test_how_actors_end_is_told_in_a_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, told: str
) -> None:
    def collect(session: AlphaZeroSession) -> None:
        actors = Actors(make_game("tictactoe"), SMALL_RUN, None, tmp_path)
        actors.folder.mkdir()
        actors._start()
        try:
            while True:
                actors.collect()
        finally:
            actors.close()

    program = tmp_path / "actor.sh"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr("plyground.arena.training.alphazero.actors.sys", SimpleNamespace(executable=str(program)))
    monkeypatch.setattr(AlphaZeroSession, "run", collect)
    words = ("train", "alphazero", "tictactoe", "--network", "tiny", "--backend", "torch", "--ladder-every", "0")
    _, err = run(*words, "--actors", "1", "--out", str(tmp_path / "run"), code=2)
    assert err.splitlines()[-1] == f"error: actors end before they send samples; {told}"


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a parent stays what it was")
def test_an_actor_ends_whose_starter_was_killed_while_it_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(actor: Actor, net: object) -> None:
        raise AssertionError("it plays for nobody")

    SMALL_RUN.save(tmp_path / "config.json")
    (tmp_path / "actors").mkdir()
    save_network(tmp_path / "actors" / "net.safetensors", new_network(make_game("tictactoe"), "tiny"))
    monkeypatch.setattr(Actor, "turn", play)
    monkeypatch.setattr("sys.argv", ["", str(tmp_path), "1", str(os.getpid())])  # whose child this process is not
    act()


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a parent stays what it was")
def test_what_an_actor_played_for_a_run_that_was_killed_meanwhile_is_not_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is that of whoever has gone on with the run, and the actor's number may be in use again."""
    parents = [7]

    def play(actor: Actor, net: object) -> object:
        parents[0] = 1
        return new_samples(make_game("tictactoe"), 1), Counts()

    SMALL_RUN.save(tmp_path / "config.json")
    (tmp_path / "actors").mkdir()
    save_network(tmp_path / "actors" / "net.safetensors", new_network(make_game("tictactoe"), "tiny"))
    monkeypatch.setattr(Actor, "turn", play)
    monkeypatch.setattr("os.getppid", lambda: parents[0])
    monkeypatch.setattr("sys.argv", ["", str(tmp_path), "1", "7"])
    act()
    assert parents == [1]  # it has played
    assert not list((tmp_path / "actors").glob("*.turn"))


def test_what_an_actor_asked_and_what_its_cache_answered_is_handed_over(tmp_path: Path) -> None:
    game = make_game("tictactoe")
    samples, done = Actor(SMALL_RUN, new_network(game, "tiny"), 1).turn()
    assert min(done.asked, done.hits) > 0
    (tmp_path / "0.turn").write_bytes(json.dumps(asdict(done)).encode() + b"\n" + samples.tobytes())
    again, counts = read_turn(tmp_path / "0.turn", game)
    assert counts == done
    assert again.tobytes() == samples.tobytes()


@pytest.mark.slow
def test_actors_that_cannot_begin_are_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Actors._start

    def break_config_and_start(self: Actors) -> None:
        (self.run / "config.json").write_text("{}")
        start(self)

    monkeypatch.setattr(Actors, "_start", break_config_and_start)
    with pytest.raises(ActorError, match=r"actors end before they send .* said: ValueError: .*config.json"):
        train(replace(SMALL_RUN, actors=1), tmp_path / "run")
    assert not (tmp_path / "run" / "actors").exists()
