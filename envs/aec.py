"""The PettingZoo environment: one `AECEnv` for every game.

Where ``pettingzoo.classic`` has the game, agent names, spaces, observations, masks, rewards and the order of the last,
empty steps are the same. In addition, ``infos[agent]`` carries ``"action_mask"`` and, for agents that search,
``"state"`` (a copy of the state record) and ``"past"`` (earlier positions, where they matter), `reset` starts from any
position, and deepcopy and pickle keep the position.

PettingZoo's stock wrappers for order, range and legality cost more time than a board game, so the class checks these
itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict, overload

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from .definition.terms import State
from .game import Game
from .outside.arguments import action_number, checked_flag, checked_whole
from .players import forfeit
from .position import Position
from .registry import game_with
from .render import picture
from .render.drawing import PIXELS
from .render.renderer import RENDER_FPS, Renderer, render_modes
from .repetition import keys_of
from .starting import begin

__all__ = ["BoardGameEnv", "BoardInfo", "BoardObservation"]


class BoardObservation(TypedDict):
    """What a player sees.

    Attributes:
        observation: the planes, of the game's ``observation_shape``.
        action_mask: [num_actions] 1 for the legal actions; all 0 out of turn.
    """

    observation: NDArray[Any]
    action_mask: NDArray[np.int8]


class _Past(TypedDict, total=False):
    """What only some games need to tell."""

    past: NDArray[np.uint64]


class BoardInfo(_Past):
    """What an environment tells beside the observation.

    Attributes:
        action_mask: the mask of the observation.
        state: a copy of the state record; not there with ``info_state=False``.
        past: in games with a `Repetition`, the `repetition_key` of each position since the start of the game, this
            one last, as far back as it matters (`Repetition.memory`), for agents that search; not there with
            ``info_state=False``.
    """

    action_mask: NDArray[np.int8]
    state: State


_AFTER_RESET = frozenset(
    [
        "agents",
        "agent_selection",
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "num_agents",
        "moves",
        "_seen",
        "_last",
        "_over",
    ]
)


class BoardGameEnv(AECEnv[str, Any, Any]):
    """Two players take turns at a `Game`.

    Args:
        game: a game, or its name as `plyground.envs.make_game` takes it.
        render_mode: what `render` returns: ``"ansi"``: the board as text; ``"svg"``: a picture as an SVG document;
            ``"rgb_array"``: a picture as uint8 [height, width, 3]; ``"human"``: nothing, but a window (by pygame) shows
            the start and every step. Once a person has closed the window, the game goes on without it.
        max_cycles: truncate the game after this many turns of each player (2 · ``max_cycles`` plies). Default: never.
        illegal: what an illegal move does: ``"lose"`` ends the game with the worst reward for the mover, -1 or minus
            the game's ``max_utility``, and 0 for the other, as PettingZoo's ``env()`` does; ``"raise"`` raises
            `ValueError` and changes nothing, as its ``raw_env()`` does.
        screen_size: pixels on the longer side of a picture.
        info_state: False leaves ``"state"`` and ``"past"`` out of ``infos``, for libraries that make tensors of all
            infos (TorchRL, Tianshou). Agents that search then rebuild the state from the observation.
        **parameters: parameters of a game that is given by name.

    Raises:
        ValueError: an argument is not one of the values above.
    """

    def __init__(
        self,
        game: Game | str,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        illegal: Literal["lose", "raise"] = "lose",
        screen_size: int = 800,
        info_state: bool = True,
        **parameters: Any,
    ) -> None:
        super().__init__()
        self.game = game = game_with(BoardGameEnv, game, parameters)
        self.metadata = {
            "name": f"{game.name}_v0",
            "render_modes": render_modes(game),
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        if illegal not in ("lose", "raise"):
            raise ValueError(f"illegal must be 'lose' or 'raise', got {illegal!r}")
        screen_size = checked_whole("screen_size", screen_size, *PIXELS)
        self._renderer = None if render_mode is None else Renderer(game, render_mode, screen_size)
        self.render_mode = render_mode
        self.max_cycles = None if max_cycles is None else checked_whole("max_cycles", max_cycles, 1)
        self.illegal = illegal
        self.info_state = checked_flag("info_state", info_state)
        self.possible_agents = list(game.players)
        self.action_spaces: dict[str, Any] = {agent: Discrete(game.num_actions) for agent in game.players}
        self.observation_spaces: dict[str, Any] = {
            agent: Dict(
                observation=game.observation_space(),
                action_mask=Box(0, 1, (game.num_actions,), np.int8),
            )
            for agent in game.players
        }
        *board, channels = game.observation_shape
        self.state_space = Box(0, max(game.observation_high, 1), (*board, channels + 1), game.observation_dtype.type)
        self._seats = {agent: seat for seat, agent in enumerate(game.players)}
        self._position = Position(game)

    def __repr__(self) -> str:
        what = f"{type(self).__name__} {self.game.spec}"
        return f"<{what}: {self.status()} after {self._plies()}>" if "moves" in vars(self) else f"<{what}>"

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: ignored, for the games have no chance in them; part of the interface.
            options: ``{"moves": [3, 3, …]}`` starts after these moves (ids or names), ``{"state": record}`` starts from
                a state, ``{"fen": text}`` from a position of a game that writes positions as text; with moves, these
                are played from there. The state must be valid, see `Game`.

        Raises:
            ValueError: an option is unknown, the moves or the state do not fit this game, or the game would already be
                over. Nothing is changed.
            ImportError, RuntimeError: there is no pygame, or no screen, for a window. Nothing is changed.
        """
        # An error leaves the game in progress alone.
        if self._renderer is not None:
            self._renderer.check_screen()
        position = self._position if options is None else Position(self.game)
        line, before = begin(self.game, position, options)
        self._position = position
        self._begin(line, before)

    def _begin(self, line: list[int], before: State | None) -> None:
        """Begin a game at the position, to which these moves led, the last of them from the state ``before``."""
        self.moves: list[int] = []
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._over = False
        self._last = None if before is None else (before.tobytes(), line[-1])
        self._show()
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Play ``action`` for ``agent_selection``, or take a finished agent out of the game with ``None``.

        Raises:
            ValueError: the action is no action of this game, illegal (only with ``illegal="raise"``), or comes after
                the end of the game. Nothing is changed.
            ImportError, RuntimeError: as in `reset`.
        """
        if self._renderer is not None:
            self._renderer.check_screen()
        if self._over:
            self._step_after_end(action)
            return
        index = action_number(action, self.game.num_actions)
        if index < 0:
            raise ValueError(
                f"action must be an integer from 0 to {self.game.num_actions - 1}, got {action!r} "
                f"(None is only for an agent whose game is over, and {self.agent_selection}'s is not)"
            )
        if self._position.mask[index]:
            self._play(index)
        else:
            self._play_illegal(index)
        if self.render_mode == "human":
            self.render()

    def _play(self, action: int) -> None:
        self._position.play(action)
        self.moves.append(action)
        self._last = (self._seen, action)
        self._show()

    def _show(self) -> None:
        """Update everything that PettingZoo's loop reads."""
        position = self._position
        player = position.player
        agents = self.possible_agents
        self.agent_selection = agents[player]
        self._seen = position.state.tobytes()  # bytes: the record that is handed out may be played on by others
        state = self._record(self._seen)
        masks = (position.mask.copy(), np.zeros(self.game.num_actions, np.int8))
        self.infos = {
            agents[0]: {"action_mask": masks[player], "state": state},
            agents[1]: {"action_mask": masks[1 - player], "state": state},
        }
        if not self.info_state:
            for info in self.infos.values():
                del info["state"]
        elif position.past is not None:
            keys = keys_of(position.past, 0, position.plies)
            for info in self.infos.values():
                info["past"] = keys
        self._turn_taken = True
        if position.over:
            self._over = True
            self.terminations = dict.fromkeys(agents, True)
            self.rewards = dict(zip(agents, position.utilities.tolist(), strict=True))
            self._accumulate_rewards()
        elif self.max_cycles is not None and len(self.moves) >= 2 * self.max_cycles:
            self._over = True
            self.truncations = dict.fromkeys(agents, True)

    def _play_illegal(self, action: int) -> None:
        if self.illegal == "raise":
            name = self.game.move_name(self._position.state, action)
            raise ValueError(
                f"action {action} ({name}) is illegal for {self.agent_selection}: expected one of "
                f"{np.flatnonzero(self._position.mask).tolist()}"
            )
        EnvLogger.warn_on_illegal_move()
        self._forfeit()

    def _forfeit(self) -> None:
        """End the game as lost by the agent to move."""
        self._over = self._turn_taken = True
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[self.agent_selection] = forfeit(self.game)
        self._accumulate_rewards()
        self._deads_step_first()

    def _step_after_end(self, action: int | np.integer[Any] | None) -> None:
        if not self.agents:
            raise ValueError(f"the game of {self.game.name} is over, and step({action!r}) comes after it: call reset()")
        if action is not None:
            raise ValueError(
                f"the game of {self.game.name} is over: the only action left for {self.agent_selection} is None, "
                f"got {action!r}"
            )
        self._was_dead_step(action)
        self._turn_taken = True

    def observe(self, agent: str) -> BoardObservation:
        """Return ``{"observation": planes, "action_mask": mask}``, new arrays; the mask is zero out of turn."""
        self._check_agent(agent)
        mask = self._position.mask.copy() if agent == self.agent_selection else np.zeros(self.game.num_actions, np.int8)
        return {"observation": self._position.planes[self._seats[agent]].copy(), "action_mask": mask}

    @overload
    def last(self, observe: Literal[True] = True) -> tuple[BoardObservation, float, bool, bool, BoardInfo]: ...

    @overload
    def last(self, observe: bool) -> tuple[BoardObservation | None, float, bool, bool, BoardInfo]: ...

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, Any]:
        """Return what the agent to act sees (None without ``observe``), its reward, terminated, truncated, and info."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def _check_agent(self, agent: str) -> None:
        if agent not in self._seats:
            raise ValueError(f"agent must be one of {self.possible_agents}, got {agent!r}")

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations, always the same object."""
        self._check_agent(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of an agent's actions, always the same object."""
        self._check_agent(agent)
        return self.action_spaces[agent]

    def state(self) -> NDArray[Any]:
        """Return the global state: the first player's planes, and one more that holds the player to move, 0 or 1."""
        planes = self._position.planes[0]
        turn = np.full((*planes.shape[:-1], 1), self.game.player(self._record(self._seen)), planes.dtype)
        return np.concatenate([planes, turn], axis=-1)

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Yield the agent whose turn it is, until the game is over for all.

        Raises:
            AssertionError: the loop went round without a `step` or `reset`.
        """
        self._turn_taken = True
        while self.agents and max_iter > 0:
            if not self._turn_taken:
                raise AssertionError("need to call step() or reset() in a loop over agent_iter()")
            self._turn_taken = False
            max_iter -= 1
            yield self.agent_selection

    def render(self) -> Any:
        """Return the board as the ``render_mode`` says, or show it (``"human"``).

        Raises:
            ValueError: pictures are asked for, and the game has no `Board`.
            ImportError, RuntimeError: there is no pygame, or no screen, for a window.
        """
        if self._renderer is None:
            logger.warn(
                f"render() needs a render_mode: make the environment with one of {self.metadata['render_modes']}"
            )
            return None
        return self._renderer.render(self._position.state, self._last_move(), self._caption())

    def _repr_svg_(self) -> str | None:
        """Return a picture for notebooks, once the game is started."""
        if self.game.board is None or not hasattr(self, "_seen"):
            return None
        return picture(self.game, self._position.state, last=self._last_move(), caption=self._caption()).to_svg()

    def status(self, names: Sequence[str] | None = None) -> str:
        """Return who is to move, or how the game ended, repetitions included: ``"player_0 won"``, or ``"draw"``.

        A game that was truncated, or that an illegal move ended, is ``"stopped"``. ``names`` are what the two players
        are called; by default those of the agents.
        """
        names = self.possible_agents if names is None else names
        if not self._over:
            return f"{names[self._seats[self.agent_selection]]} to move"
        if not self._position.over:
            return "stopped"
        first, second = self._position.utilities
        return "draw" if first == second else f"{names[int(first < second)]} won"

    def _last_move(self) -> tuple[State, int] | None:
        """Return the last move, as the state before it and the action; None if there is none."""
        return None if self._last is None else (self._record(self._last[0]), self._last[1])

    def _record(self, seen: bytes) -> State:
        """Return a new record, in a third of the time of a record's own ``copy``."""
        return np.ndarray((), self._position.state.dtype, bytearray(seen))[()]  # pyright: ignore[reportReturnType]

    def _caption(self) -> str:
        return f"{self.status()} after {self._plies()}" if self._over else self.status()

    def _plies(self) -> str:
        plies = len(self.moves)
        return f"{plies} {'ply' if plies == 1 else 'plies'}"

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._renderer is not None:
            self._renderer.close()

    def __getattr__(self, name: str) -> Any:
        if name in _AFTER_RESET:
            what = f"{name} cannot be accessed before reset" if name[0] != "_" else "there is no game before reset"
            raise AttributeError(f"{what}: call reset() first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
