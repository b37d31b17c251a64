"""Several players that take turns in one seat, a player for each game: varied opponents to learn against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, GameBatch, Opponents, as_game, as_opponents
from ..envs.outside.arguments import checked_whole, is_list, is_positive
from ..envs.outside.messages import shown
from ..envs.players import PlayerLike
from ..envs.vector.opponents import close, load_opponents_state, needs_moves, opponents_state, prepare, tell
from ..envs.vector.row_random import draw_uniforms
from ..envs.vector.state_dicts import part
from .agent import Info, Observation
from .analysis import Analysis
from .described import Described
from .registry import as_agent

__all__ = ["Mixture"]


class Mixture(Described):
    """Draws one of its agents at every `reset`, which then plays that game.

    Args:
        game: the game, or its name.
        *agents: agents, functions or spec strings, see `plyground.agents.as_agent`.
        weights: how often each agent is drawn, relative to the others. Default: equally often.
        seed: the seed of the draws; None takes one from the system's entropy.

    Raises:
        ValueError: there is no agent, one plays another game, there is not one positive weight for each agent, or the
            seed is no whole number from 0 on.

    Attributes:
        drawn: the agent that plays this game, of a mixture in a mixture, too.
        last_analysis: what that has found; None where it tells nothing.
    """

    def __init__(
        self,
        game: Game | str,
        *agents: PlayerLike,
        weights: Sequence[float] | None = None,
        seed: int | None = None,
    ) -> None:
        if not agents:
            raise ValueError("a mixture needs at least one agent, as in 'mixture(random, alphabeta(depth=2))'")
        self.game = as_game(game)
        self.agents: list[Any] = [as_agent(agent, self.game) for agent in agents]
        given: list[Any] = [1] * len(agents) if weights is None else list(weights) if is_list(weights) else []
        if len(given) != len(agents) or not all(map(is_positive, given)):
            expected = f"weights must be {len(agents)} positive numbers, one for each agent"
            raise ValueError(f"{expected}, got {shown(weights)}")
        shares = np.array(given, float)
        shares /= shares.max()  # the sum of large ones would be infinite
        self._shares = shares / shares.sum()
        self._rng = np.random.default_rng(None if seed is None else checked_whole("seed", seed, 0))
        self._current = self.agents[0]

    def prepare(self) -> None:
        """Let all agents compile what they need."""
        for agent in self.agents:
            prepare(agent)

    def close(self) -> None:
        """Let all agents end what they have started, such as programs."""
        for agent in self.agents:
            close(agent)

    def reset(self, seed: int | None = None) -> None:
        """Draw the agent of the next game."""
        if seed is not None:
            self._rng = np.random.default_rng(checked_whole("seed", seed, 0))
        self._current = self.agents[int(self._rng.choice(len(self.agents), p=self._shares))]
        self._current.reset(None if seed is None else int(self._rng.integers(2**31)))

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the action of the agent that was drawn."""
        return self._current.act(observation, info)

    def watch(self, action: int) -> None:
        """Tell the agent that was drawn of a move, if it must know the moves: see `plyground.agents.agent`."""
        tell(self._current, [action])

    @property
    def drawn(self) -> Any:
        """The agent that plays this game, of a mixture in a mixture, too."""
        return self._current.drawn if isinstance(self._current, Mixture) else self._current

    @property
    def last_analysis(self) -> Analysis | None:
        """What the agent that was drawn has found, for adjudication and records."""
        return getattr(self._current, "last_analysis", None)

    def batched(self) -> Opponents:
        """Return players of many games at once: see `plyground.envs.as_opponents`."""
        return _BatchedMixture([as_opponents(agent, self.game) for agent in self.agents], self._shares)


class _BatchedMixture:
    """Draws one of its members for each game.

    Args:
        members: the opponents to draw from.
        shares: [members] the probability of each member.
    """

    def __init__(self, members: Sequence[Opponents], shares: NDArray[np.float64]) -> None:
        self.members = list(members)
        self.needs_moves = any(map(needs_moves, self.members))
        self._bounds = np.cumsum(shares)[:-1]
        self._drawn = np.zeros(0, np.intp)  # [games] the number of the member

    def __repr__(self) -> str:
        return f"BatchedMixture({', '.join(map(repr, self.members))})"

    def prepare(self, batch: GameBatch) -> None:
        """Let all members compile what they need."""
        for member in self.members:
            prepare(member, batch)

    def close(self) -> None:
        """Let all members end what they have started."""
        for member in self.members:
            close(member)

    def begin(self, batch: GameBatch, rows: NDArray[np.intp]) -> None:
        """Draw a member for each of these rows."""
        if self._drawn.size != batch.num_envs:
            self._drawn = np.zeros(batch.num_envs, np.intp)
        self._drawn[rows] = np.searchsorted(self._bounds, draw_uniforms(batch.rngs, rows), side="right")
        for member, places in self._parts(rows):
            member.begin(batch, rows[places])

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the actions of those who were drawn."""
        actions = np.zeros(rows.size, np.int64)
        for member, places in self._parts(rows):
            actions[places] = member.act(batch, rows[places])
        return actions

    def end(self, batch: GameBatch, rows: NDArray[np.intp], rewards: NDArray[np.float32]) -> None:
        """Tell the members that were drawn how their games ended."""
        for member, places in self._parts(rows):
            member.end(batch, rows[places], rewards[places])

    def state_dict(self) -> dict[str, Any]:
        """Return who plays in which row, and what the members keep."""
        members = {str(number): opponents_state(member) for number, member in enumerate(self.members)}
        return {"drawn": self._drawn.copy(), "members": members}

    def load_state_dict(self, state: Mapping[str, Any], batch: GameBatch) -> None:
        """Go on with the games of a mixture of the same members: see `plyground.envs.Opponents`.

        Raises:
            ValueError: the state is of another number of games or members, or of members that do not exist.
        """
        drawn, members = np.asarray(part(state, "drawn")), part(state, "members")
        if drawn.size not in (0, batch.num_envs) or drawn.ndim != 1:  # 0: no game has begun yet
            raise ValueError(f"the state is of a mixture in {drawn.size} games, expected {batch.num_envs}")
        if len(members) != len(self.members):
            raise ValueError(f"the state is of a mixture of {len(members)} members, expected {len(self.members)}")
        if drawn.dtype.kind not in "iu" or not ((drawn >= 0) & (drawn < len(members))).all():
            raise ValueError(f"'drawn' of the state must be numbers from 0 to {len(members) - 1}, got {shown(drawn)}")
        states = [part(members, str(number)) for number in range(len(self.members))]
        for member, its_state in zip(self.members, states, strict=True):
            load_opponents_state(member, its_state, batch)
        self._drawn = drawn.astype(np.intp)

    def _parts(self, rows: NDArray[np.intp]) -> Iterator[tuple[Opponents, NDArray[np.intp]]]:
        """Yield each member that plays in some of these rows, and the places of its rows in ``rows``."""
        drawn = self._drawn[rows]
        for number, member in enumerate(self.members):
            places = np.flatnonzero(drawn == number)
            if places.size:
                yield member, places
