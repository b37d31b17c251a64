"""A player of ours, and the environment that referees the game that it plays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...agents import AlphaBeta, Human, make
from ...agents.timing import playing
from ...envs import BoardGameEnv, Game
from ...envs.vector.opponents import prepare

__all__ = ["Table", "kept"]

_FINISHING = 0.1  # seconds
_BUDGETS = ("depth", "listener", "nodes", "seconds", "simulations")  # attributes of players that a search changes


@contextmanager
def kept(agent: Any) -> Iterator[None]:
    """Give a player its own budgets back after a search."""
    own = {name: getattr(agent, name) for name in _BUDGETS if hasattr(agent, name)}
    try:
        yield
    finally:
        for name, value in own.items():
            setattr(agent, name, value)


class Table:
    """The player, the game and its referee.

    Args:
        player: the player's spec.
        game: the game.
        **changed: arguments of the player that take the place of those in its spec.

    Attributes:
        game: the game.
        agent: the player.
        env: the referee, once the player is prepared.

    Raises:
        ValueError: as `plyground.agents.make`.
    """

    env: Any = None
    _prover: Any = None
    _finisher: Any = None

    def __init__(self, player: str, game: Game, **changed: Any) -> None:
        self.player = player
        self.hire(game, **changed)

    def hire(self, game: Game, **changed: Any) -> None:
        """Make the player anew, for this game, and begin one.

        Raises:
            ValueError: the player does not play it, or is a human; nothing is changed.
        """
        agent: Any = make(self.player, game, **changed)
        if isinstance(agent, Human):
            raise ValueError(f"{self.player} would read moves where the commands come from: name a player that decides")
        self.game, self.agent, self.env = game, agent, None
        self._has_own_seconds = "seconds" not in changed
        self._prover = self._finisher = None

    def prepare(self) -> None:
        """Compile all that a move needs, if that was not done, and begin a game."""
        if self.env is None:
            prepare(self.agent)
            for game in {self.game, getattr(self.agent, "game", None) or self.game}:
                game.state_check.prepare()  # whose rule could else be compiled in the midst of a game
            self.agent.reset()
            env: Any = BoardGameEnv(self.game, illegal="raise")
            env.reset()
            self.env = env

    @property
    def seconds(self) -> float | None:
        """The budget for a move that the spec of whoever plays gives it; None if it gives none."""
        return getattr(playing(self.agent), "seconds", None) if self._has_own_seconds else None

    @property
    def prover(self) -> Any:
        """The player for questions that want a proof: if it is alpha-beta, then one that leaves no move out."""
        agent = self.agent
        if not isinstance(agent, AlphaBeta):
            return agent
        if self._prover is None:  # not by the spec, which may be ``best`` or a place, and take no such argument
            budget = {"nodes": agent.nodes, "seconds": agent.seconds}
            self._prover = AlphaBeta(agent.game, agent.depth, **budget, table_mb=agent.table_mb, selective=False)
        return self._prover

    @property
    def finisher(self) -> Any:
        """Who finds how long a proved loss can be put off: alpha-beta that leaves no move out; None beside others."""
        if self._finisher is None and isinstance(self.agent, AlphaBeta):
            self._finisher = AlphaBeta(self.agent.game, seconds=_FINISHING, table_mb=1, selective=False)
        return self._finisher

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.env.terminations[self.env.agent_selection])

    @property
    def to_move(self) -> int:
        """The player to move."""
        return self.env.possible_agents.index(self.env.agent_selection)

    @property
    def seen(self) -> tuple[Any, Any]:
        """What the player to move sees, and what the environment tells beside it."""
        observation, _, _, _, info = self.env.last()
        return observation, info
