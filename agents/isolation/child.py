"""What runs in the process of an isolated player: it makes the player, and does what it is asked, until nobody asks.

`process.PlayerProcess` starts it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pickle
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...envs import Game
from ...envs.vector.opponents import close, prepare
from ..agent import Info, Observation
from ..analysis import Analysis
from ..registry import as_agent, register_agent
from ..timing import limit, playing
from .process import Channel, ClosedError, Fault, MoveTime

__all__ = ["Holder", "main"]

_MEGABYTE = 2**20


def main(connection: int) -> None:
    """Do what is asked over this socket, until its other end is closed."""
    _end_with_parent()
    os.dup2(2, 1)  # what players print is no answer of the process that asks, in code that Python does not know either
    sys.stdout = sys.stderr
    os.set_inheritable(connection, False)  # whoever the player starts has no part in it
    channel, holder = Channel(socket.socket(fileno=connection)), Holder()
    with contextlib.suppress(ClosedError):
        while True:
            channel.send(_answered(holder, channel.receive()))
    holder.close()


def _end_with_parent() -> None:
    """Let the system end this process, and those that it starts, as soon as its parent has ended, however that ended.

    Standard input is a pipe into which the parent writes nothing. When its other end is closed, the signal SIGIO is
    sent to all of our group, and ends them: in an endless loop of C, too, where no thread of Python would come to look.
    """
    pipe = os.dup(0)
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # a player that asks somebody at the keyboard waits for nobody
    os.close(nothing)


def _answered(holder: Holder, data: bytes) -> bytes:
    """Return the answer to a request, which may be a `Fault`."""
    try:
        request, arguments = pickle.loads(data)
        return pickle.dumps(getattr(holder, request)(*arguments), pickle.HIGHEST_PROTOCOL)
    except BaseException as error:  # sys.exit, too
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(last.filename)}, line {last.lineno}"
        text = ""
        with contextlib.suppress(Exception):  # an error of somebody's own may not know its text
            text = str(error)
        return pickle.dumps(Fault(type(error).__name__, text, place, traceback.format_exc()))


class Holder:
    """Holds the player; each method is a request."""

    def __init__(self) -> None:
        self._player: Any = None

    def make(self, parcel: bytes, answer_seconds: float, memory_mb: int | None) -> bool:
        """Make the player and let it prepare; return whether it watches the moves.

        Args:
            parcel: the player, its game, and the constructors of agents that this process does not know, by name.
            answer_seconds: how long it may take for a move.
            memory_mb: the megabytes of data that this process may have.

        Raises:
            ValueError: the player takes as long for each move, or as `plyground.agents.as_agent`.
        """
        if memory_mb is not None:
            _, most = resource.getrlimit(resource.RLIMIT_DATA)
            wanted = memory_mb * _MEGABYTE if most == resource.RLIM_INFINITY else min(memory_mb * _MEGABYTE, most)
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, most))
        player, game, constructors = pickle.loads(parcel)
        for name, constructor in constructors.items():
            register_agent(name, constructor)
        self._player = as_agent(player, game)
        budget = getattr(self._player, "seconds", None)
        if isinstance(budget, int | float) and budget >= answer_seconds:
            raise ValueError(
                f"a player that takes {budget:g} s for a move needs more answer_seconds than that, got "
                f"{answer_seconds:g}"
            )
        prepare(self._player)
        own = getattr(self._player, "game", None)
        if isinstance(own, Game):
            own.state_check.prepare()  # whose rule could else be compiled in the midst of a game
        return callable(getattr(self._player, "watch", None))

    def reset(self, seed: int | None) -> None:
        """Let the player begin a game."""
        self._player.reset(seed)

    def watch(self, action: int) -> None:
        """Tell the player of a move."""
        self._player.watch(action)

    def act(self, observation: Observation, info: Info | None, time: MoveTime | None) -> tuple[Any, Any]:
        """Return what the player answers, and what it has found, if it has searched.

        Args:
            observation: as `Agent.act`.
            info: as `Agent.act`.
            time: what the player is told of its time; None: nothing.
        """
        before = getattr(self._player, "last_analysis", None)
        with _told(playing(self._player), time):
            answer = self._player.act(observation, info)
        found = getattr(self._player, "last_analysis", None)
        # What is not ours might not be known to the process that asks.
        return answer, found if found is not before and type(found) is Analysis else None

    def close(self) -> None:
        """Let the player end what it has started."""
        close(self._player)


@contextmanager
def _told(agent: Any, time: MoveTime | None) -> Iterator[None]:
    """Tell a player how long its next move may take, and give it its own budget back afterwards."""
    if time is None:
        yield
        return
    allowance, clock, is_forced = time
    own = getattr(agent, "seconds", None)
    limit(agent, None if allowance is None else allowance.within(own), clock=clock, is_forced=is_forced)
    try:
        yield
    finally:
        if hasattr(agent, "seconds"):
            agent.seconds = own
        if getattr(agent, "hears", False):
            agent.listener = None
