"""The Gymnasium environment: one seat at a game for the learner, an agent in the other.

`SoloEnv.step` plays the learner's move *and* the opponent's reply before it returns, so the reward, the next
observation and the value to bootstrap from all belong to the learner, in either seat. (A loop that hands the learner
every ply mixes the mover's reward with the next player's view, and loses the -1 of the player who was just beaten.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.spaces.utils import flatten_space
from numpy.typing import NDArray

from .aec import BoardGameEnv
from .definition.terms import State
from .game import Game
from .outside.arguments import action_number, checked_flag, checked_span, checked_whole
from .outside.messages import shown
from .players import SEATS, PlayerLike, check_seat, checked_answer
from .position import Position
from .registry import game_with
from .render.renderer import RENDER_FPS, RENDER_MODES, render_modes
from .starting import begin
from .vector.opponents import check_single, close, prepare, resolved, tell

__all__ = ["SoloEnv"]

_ATTEMPTS = 1000
_LONGEST = 200  # characters of an opponent in a representation


class SoloEnv(gymnasium.Env[NDArray[Any], Any]):
    """One player's side of a `Game`, against an opponent.

    The observation is the learner's planes, flat, so that stable-baselines3's ``MlpPolicy`` takes them as they are. The
    mask is in ``info["action_mask"]`` and from `action_masks`, as sb3-contrib's MaskablePPO expects. An illegal move
    loses the game at once, with the worst reward: -1, or minus the game's ``max_utility``.

    Args:
        game: a game, or its name as `plyground.envs.make_game` takes it.
        opponent: an agent with ``act(observation, info)``, a function of these two, or a spec string such as
            ``"alphabeta(depth=4)"`` (see `plyground.agents.as_agent`). One that has ``watch(action)`` is told of each
            move of either side, those of an opening first.
        seat: the learner's seat: ``"first"``, ``"second"``, or ``"random"``, drawn for each game.
        opening_plies: most random plies that a game opens with, or a pair of the fewest and the most; their number is
            drawn for each game. Without them a learner sees, and learns to win, the same few games against an opponent
            that plays without chance.
        flatten: False keeps the planes in the game's ``observation_shape``, H×W×C, for networks that convolve.
        render_mode: what `render` returns, as in `BoardGameEnv`; a window shows the start after random plies.
        screen_size: pixels on the longer side of a picture.
        info_state: False leaves ``"state"`` out of the infos, for wrappers that make tensors of them; the opponent is
            shown it all the same.
        **parameters: parameters of a game that is given by name.

    Raises:
        ValueError: an argument is not one of the values above.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012  (as gymnasium.Env has it)

    def __init__(
        self,
        game: Game | str,
        opponent: PlayerLike = "random",
        seat: Literal["first", "second", "random"] = "random",
        opening_plies: int | tuple[int, int] = 0,
        flatten: bool = True,
        render_mode: str | None = None,
        screen_size: int = 800,
        info_state: bool = True,
        **parameters: Any,
    ) -> None:
        check_seat(seat)
        self.game = game = game_with(SoloEnv, game, parameters)
        self.metadata = {**self.metadata, "render_modes": render_modes(game)}
        self.seat = seat
        self._fewest, self.opening_plies = checked_span("opening_plies", opening_plies, game.max_plies)
        self.flatten = checked_flag("flatten", flatten)
        self.info_state = checked_flag("info_state", info_state)
        # Without the past, which grows: Gymnasium's vector environments need infos of one size.
        self._withheld = {"past"} if self.info_state else {"past", "state"}
        self._env = BoardGameEnv(game, render_mode=render_mode, illegal="raise", screen_size=screen_size)
        self._env.render_mode = None  # it shows nothing unasked: nobody wants to watch openings
        self.render_mode = render_mode
        self.opponent = opponent
        planes = game.observation_space()
        self.observation_space: Any = flatten_space(planes) if self.flatten else planes
        self.action_space = Discrete(game.num_actions)

    def __repr__(self) -> str:
        opponent = shown(self._opponent, _LONGEST)
        return f"<{type(self).__name__} {self.game.spec} seat={self.seat!r} opponent={opponent}>"

    def __str__(self) -> str:
        return repr(self) if self.spec is None else super().__str__()  # by its id, as Gymnasium has it

    @property
    def opponent(self) -> Any:
        """Who plays the other side: an agent.

        It can be set to all that the environment can be made with. A game that has begun is then over: `reset` begins
        the next one.

        Raises:
            ValueError: it is no player of the game, or plays many games at once.
        """
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: PlayerLike) -> None:
        check_single(opponent)
        found = resolved(opponent, self.game)
        check_single(found)  # of what a text names the place of
        prepare(found)
        self._opponent, self._learner = found, ""  # nobody, before the next game

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a game, and play the opponent's first move where it has the first.

        Args:
            seed: seed for seats, openings and the opponent's seeds, from here on.
            options: where the game starts, as in `BoardGameEnv.reset`.

        Raises:
            ValueError: the seed or a seat that was set since does not fit, or the game cannot start there, and nothing
                is changed; or it ends before the learner can move.
        """
        seed = None if seed is None else checked_whole("seed", seed, 0)
        check_seat(self.seat)
        begun: Position | None = None
        line: list[int] = []
        before: State | None = None
        if options is not None and (not isinstance(options, Mapping) or options):
            begun = Position(self.game)  # an error leaves the seat and the random numbers alone
            line, before = begin(self.game, begun, options)
        super().reset(seed=seed)
        number = int(self.np_random.integers(2)) if self.seat == "random" else SEATS[self.seat]
        self._learner = self.game.players[number]
        for _ in range(_ATTEMPTS):
            try:
                if begun is None:
                    self._env.reset()
                else:
                    self._env._position.become(begun)
                    self._env._begin(line, before)
                self._play_opening()
            except BaseException:  # Ctrl-C: the opponent, who may be to move, knows of no game yet
                self._learner = ""
                raise
            self._reply([*line, *self._env.moves], seed=int(self.np_random.integers(2**31)))
            if not self._is_over():
                return self._view()
        raise ValueError(
            f"games of {self.game.name} from options={options!r} with up to {self.opening_plies} random plies end "
            "before the learner can move"
        )

    def _play_opening(self) -> None:
        """Play some random plies."""
        env = self._env
        plies = int(self.np_random.integers(self._fewest, self.opening_plies + 1)) if self.opening_plies else 0
        for _ in range(plies):
            if self._is_over():
                return
            env.step(int(self.np_random.choice(np.flatnonzero(env._position.mask))))

    def step(self, action: int | np.integer[Any]) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play ``action`` and the opponent's reply.

        Returns:
            The learner's view, its reward (+1 win, 0, -1 loss, or as the game's utilities are), terminated, False, and
            the info. After an illegal move the game is lost, and ``info["illegal_action"]`` is that move.

        Raises:
            ValueError: the action is no action of the game, or the game is over.
        """
        if self._is_over():
            raise ValueError(f"no game of {self.game.name} is being played: call reset() before step({action!r})")
        number = action_number(action, self.game.num_actions)
        if number < 0:
            raise ValueError(f"action must be an integer from 0 to {self.game.num_actions - 1}, got {action!r}")
        if not self._env._position.mask[number]:  # not the mask that was handed out, in which others may have written
            self._env._show()  # nothing has changed, but each step's info is new
            self._env._forfeit()
            self._watch()
            view, info = self._view()
            return view, self._env.rewards[self._learner], True, False, {**info, "illegal_action": number}
        self._env.step(number)
        self._reply([number])
        view, info = self._view()
        return view, self._env.rewards[self._learner], self._is_over(), False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions [num_actions]; where no game is being played all, for policies that must choose."""
        if self._is_over():
            return np.ones(self.game.num_actions, np.bool_)
        return self._env._position.mask.astype(np.bool_)

    def render(self) -> Any:
        """Return the board as the ``render_mode`` says; with ``"human"`` a window has shown it already."""
        return None if self.render_mode == "human" else self._env.render()

    def _watch(self) -> None:
        """Let a person see the board, if one is to."""
        if self.render_mode == "human":
            self._env.render()

    def close(self) -> None:
        """Close the window, if there is one, and end what the opponent has started, such as a program."""
        self._env.close()
        close(self.opponent)

    def _reply(self, moves: Iterable[int], seed: int | None = None) -> None:
        """Show the board, tell the opponent of these moves, and let it play while it is its turn.

        If it fails, or this is interrupted, there is no game any more. With a seed, the game is a new one.
        """
        env = self._env
        try:
            self._watch()
            if seed is not None:
                self.opponent.reset(seed=seed)
            tell(self.opponent, moves)
            while not self._is_over() and env.agent_selection != self._learner:
                observation, _, _, _, info = env.last()
                answer = self.opponent.act(observation, info)
                known = {"action_mask": env._position.mask, "state": env._position.state}  # it may write into its own
                action = checked_answer(answer, self.opponent, self.game, known)
                env.step(action)
                tell(self.opponent, [action])
                self._watch()
        except BaseException:  # Ctrl-C too: the next step of the learner would be one out of turn
            self._learner = ""
            raise

    def _is_over(self) -> bool:
        return not self._learner or self._env.terminations[self._learner]

    def _view(self) -> tuple[NDArray[Any], dict[str, Any]]:
        planes = self._env.observe(self._learner)["observation"]
        told = self._env.infos[self._learner]
        info: dict[str, Any] = {name: value for name, value in told.items() if name not in self._withheld}
        return (planes.ravel() if self.flatten else planes), info
