"""An actor: a process that plays with the newest net of a run, and hands its samples to the process that learns.

It plays until the process that started it ends. What a turn taught is a file in the run's folder ``actors``, which the
learning process reads and removes; an actor that is a few files ahead waits.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....envs import Game, make_game
from ....envs.outside.whole_files import write_whole
from .config import AlphaZeroConfig
from .samples import sample_dtype
from .self_play import Counts, SelfPlay
from .sources import evaluate_by, new_inference

__all__ = ["Actor", "act", "read_turn"]

_AHEAD = 4  # files that wait to be read, at most
_PAUSE = 0.05  # seconds
_NUMBERS = 1 << 40  # games that an actor plays, at most: their numbers do not collide


class Actor:
    """Self-play with nets that come from elsewhere.

    Args:
        config: the configuration of the run.
        net: the first net, or its file.
        number: tells this actor from all others that the run ever had: its games are its own.
        num_envs: games side by side; default: the configuration's.
    """

    def __init__(self, config: AlphaZeroConfig, net: Any, number: int, num_envs: int | None = None) -> None:
        self.config, self.number = config, number
        self._inference = new_inference(config, net)
        seed = np.random.SeedSequence([config.seed, 2, number]).generate_state(1)
        self._play = SelfPlay(make_game(config.game), config, int(seed[0]), num_envs)

    def turn(self, net: Any | None = None) -> tuple[NDArray[Any], Counts]:
        """Play a turn, with a new net if one is given; return samples of ended games, and what was done for them."""
        if net is not None:
            self._inference.update(net)
        before = replace(self._play.stats)
        samples = self._play.play(evaluate_by(self._inference), self.config.turn_plies)
        samples["game"] += self.number * _NUMBERS
        return samples, self._play.stats - before


def read_turn(path: Path, game: Game) -> tuple[NDArray[Any], Counts]:
    """Return what an actor wrote: samples, and what was done for them."""
    line, _, content = path.read_bytes().partition(b"\n")
    return np.frombuffer(content, sample_dtype(game)), Counts(**json.loads(line))


def act() -> None:
    """Play for the run whose folder, as the actor whose number, and for the parent whose process the command names."""
    from ....agents.networks import read_network

    run, number, parent = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    if os.name != "posix":  # there a parent stays what it was, and may be a launcher between the two
        parent = os.getppid()
    folder = run / "actors"
    weights = folder / "net.safetensors"
    seen = weights.stat().st_mtime_ns
    actor = Actor(AlphaZeroConfig.load(run / "config.json"), read_network(weights), number)
    turns = 0
    while os.getppid() == parent:
        if sum(1 for _ in folder.glob(f"{number:06d}_*.turn")) >= _AHEAD:
            time.sleep(_PAUSE)
            continue
        newest = weights.stat().st_mtime_ns
        samples, done = actor.turn(read_network(weights) if newest != seen else None)
        if os.getppid() != parent:
            break  # whoever goes on with the run has made the folder anew, and may have given the number anew
        seen = newest
        content = json.dumps(asdict(done)).encode() + b"\n" + samples.tobytes()
        write_whole(folder / f"{number:06d}_{turns:06d}.turn", content)
        turns += 1
