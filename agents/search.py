"""What all search agents share: they take any game, read any environment, and answer stable-baselines3's `predict`."""

from __future__ import annotations

import functools
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..envs import Game, State, as_game
from ..envs.checking.checker import check_once
from ..envs.definition.evaluation import replaced_weights
from ..envs.jit import bind, kernel
from .agent import Info, Observation, checked_past, mask_in, planes_of, state_of
from .analysis import Analysis
from .compiling import compiling
from .described import Described
from .listening import Listener
from .settings import Budget

__all__ = [
    "DEEPEST",
    "MOST_KEPT",
    "SearchAgent",
    "analyse_seen",
    "check_evaluation",
    "in_turn",
    "line_of",
    "most_positions",
    "table_memory",
    "value_found",
    "with_evaluation",
]

MOST_KEPT = 1 << 30  # visits at a root that is kept for the next search, which needs the rest
DEEPEST = 256  # plies: no line is searched or kept beyond, however long the games may get

_LOOKED_AT = 128  # positions for which an agent's own evaluation is looked at
_ROUNDED = 1e-6  # by which sums of floats may differ that are added in another order

_Method = TypeVar("_Method", bound=Callable[..., Any])


@kernel
def _legal_actions(game, state, actions):
    """Write the legal actions and return how many there are, or -1 if the game is over."""
    return -1 if game.is_terminal(state) else game.legal_actions(state, actions)


@kernel
def _evaluations(game, state, values):
    """Write what the evaluation says of an unfinished state for each player."""
    for player in range(2):
        values[player] = game.evaluate(state, player)


def in_turn(method: _Method) -> _Method:
    """Let threads that share a search agent call a method one after the other.

    A search releases the GIL and writes into arrays of its agent: two at once would answer with each other's moves.
    """

    @functools.wraps(method)
    def called(self: SearchAgent, *args: Any, **kwargs: Any) -> Any:
        with self._turn:
            return method(self, *args, **kwargs)

    return called  # pyright: ignore[reportReturnType]


class SearchAgent(Described, ABC):
    """An agent that looks ahead from the state.

    Threads may share one: their searches wait for each other. Copies, made by `copy.deepcopy`, search side by side.

    Args:
        game: the game, or its name.

    Attributes:
        last_analysis: what `act` found when it was last asked; None before.
        listener: hears what the next search finds while it runs, and may end it; None for nobody.
        hears: whether the search has an ear for it: whether it tells a listener, and ends when that is stopped.
    """

    last_analysis: Analysis | None = None
    listener: Listener | None = None
    hears: bool = False
    simulations = Budget()  # of the agents that have one, whoever wrote them
    kind: ClassVar[str] = ""  # what the log calls the agent; "": its class in lower case
    _is_prepared = False
    _past: NDArray[np.uint64] | None = None  # the keys of the positions before the next search, if they are known

    def __init__(self, game: Game | str) -> None:
        self.game = as_game(game)
        self._turn = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        # Another process has compiled nothing, and nobody listens there.
        state = {**vars(self), "_is_prepared": False, "listener": None}
        del state["_turn"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _turn=threading.RLock())

    @in_turn
    def prepare(self) -> None:
        """Compile all that the searches of this agent need, or load it from the cache on disk.

        The first search does so by itself, before its clock runs. Nothing is searched here, and no random numbers are
        drawn.

        Raises:
            ValueError: a rule of the game breaks its promise (see `plyground.envs.check_game`), or does not compile; or
                an evaluation of the agent's own is not opposite for the players.
        """
        if self._is_prepared:
            return
        check_once(self.game)
        with compiling(self.kind or type(self).__name__.lower(), self.game):
            bind(_legal_actions, self.game, self.game.new_state(), np.zeros(1, np.int32))
            self._compile()
        self._is_prepared = True

    def _compile(self) -> None:
        """Compile what `_search` calls: ``bind`` each kernel to arguments of the same types, and call nothing."""

    @abstractmethod
    def reset(self, seed: int | None = None) -> None:
        """Forget the last game. With a seed, start the random numbers anew; without, let them go on."""

    @abstractmethod
    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        """Search an unfinished state, which must not be changed, with these legal actions [legal]."""

    @in_turn
    def analyse(
        self,
        state: State,
        mask: ArrayLike | None = None,
        observation: Observation | None = None,
        past: ArrayLike | None = None,
    ) -> Analysis:
        """Search a position and return what was found. The state is not changed.

        Args:
            state: the position.
            mask: [num_actions], 0 for the legal actions that are no candidates. Default: all legal actions are.
            observation: what the environment shows the player to move, for searches that ask a network.
            past: [positions] the game's `repetition_key` of each position that it has had, the first one first, with
                or without ``state``, for searches that see draws by repetition, or superko. An environment has them in
                ``info["past"]``. Default: they are not known.

        Raises:
            ValueError: the state is none of this game, the game is over, the mask leaves no legal action, or ``past``
                is none.
        """
        self._note_past(past)
        return self._analyse(self.game.state_check.checked(state), mask, observation)

    def _note_past(self, past: ArrayLike | None) -> None:
        """Take the keys of the game's earlier positions, for the next search. None: they are not known."""
        self._past = checked_past(self.game, past)

    def _analyse(self, state: State, mask: ArrayLike | None, observation: Observation | None) -> Analysis:
        """Search a position that is known to be valid."""
        self.prepare()
        actions = np.empty(self.game.num_actions, np.int32)
        count = _legal_actions(self.game, state, actions)
        if count <= 0:
            raise ValueError(
                f"the game of {self.game.name} is over, there is nothing to search:\n{self.game.text(state)}"
            )
        actions = actions[:count]
        if mask is not None:
            actions = self._allowed(actions, np.asarray(mask))
        return self._search(state, actions)

    def _allowed(self, actions: NDArray[np.int32], mask: NDArray[Any]) -> NDArray[np.int32]:
        if mask.shape != (self.game.num_actions,):
            raise ValueError(f"a mask of {self.game.spec} has shape ({self.game.num_actions},), got {mask.shape}")
        allowed = actions[mask[actions] != 0]
        if not allowed.size:
            raise ValueError(f"the mask leaves no action: expected one of {actions.tolist()} in it")
        return allowed

    @in_turn
    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the best action found."""
        state, mask = state_of(self.game, observation, info), mask_in(observation, info)
        self._note_past(None if info is None else info.get("past"))
        self.last_analysis = self._analyse(state, mask, observation)
        return self.last_analysis.best_action

    @in_turn
    def predict(
        self,
        observation: Observation,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
        action_masks: Any = None,
    ) -> tuple[NDArray[np.int64], Any]:
        """Answer as a stable-baselines3 model does, for one observation or a batch of them.

        Args:
            observation: the planes of the player to move, flat or not, with or without a leading batch axis; or the
                dict of an environment, ``{"observation": planes, …}``.
            state: returned as it is: searches keep none.
            episode_start: ignored; stable-baselines3 passes it.
            deterministic: ignored; stable-baselines3 passes it.
            action_masks: [(batch,) num_actions], if any: only these actions are candidates.

        Returns:
            The actions, an array of shape () or [batch], and ``state`` as it came.

        Raises:
            ValueError: the planes are of another game, show what no game shows, or a game that is over; or the masks do
                not fit.
        """
        if action_masks is None and isinstance(observation, Mapping):
            action_masks = observation.get("action_mask")
        planes = planes_of(observation)
        size = int(np.prod(self.game.observation_shape))
        single = planes.shape in (self.game.observation_shape, (size,))
        rows = planes.reshape(-1, size) if planes.size % size == 0 else planes[np.newaxis]
        masks = [None] * len(rows)
        if action_masks is not None:
            given, shape = np.asarray(action_masks), (len(rows), self.game.num_actions)
            if given.size != math.prod(shape):
                raise ValueError(f"action_masks must have shape {shape}, a row for each observation, got {given.shape}")
            masks = given.reshape(shape)
        states = [self.game.state_from_observation(row) for row in rows]
        self._note_past(None)
        asked = zip(states, masks, rows, strict=True)
        found = [self._analyse(state, mask, row).best_action for state, mask, row in asked]
        actions = np.array(found, np.int64)
        return (actions[0] if single else actions), state


def analyse_seen(agent: Any, observation: Observation, info: Info) -> Analysis:
    """Return an agent's analysis of what an environment shows the player to move, told the game's past.

    Only searches of ours are told it: the ``analyse`` of an agent of another kind need not take a ``past``.

    Args:
        agent: it has ``analyse``.
        observation: the environment's.
        info: the environment's, with ``state`` and ``action_mask``.
    """
    earlier = {"past": info["past"]} if "past" in info and isinstance(agent, SearchAgent) else {}
    return agent.analyse(info["state"], info["action_mask"], observation, **earlier)


def most_positions(game: Game, plies: int) -> float:
    """Return a bound on how many positions a search of ``plies`` plies can visit."""
    exponent = plies * math.log(game.num_actions + 1)
    return math.exp(exponent) if exponent < 700 else math.inf


@contextmanager
def table_memory(megabytes: float) -> Iterator[None]:
    """Name ``table_mb`` where the table that is made inside is too large.

    Raises:
        MemoryError: there is no memory for it.
    """
    try:
        yield
    except (MemoryError, ValueError, OverflowError):  # the last two where NumPy cannot even count the slots
        raise MemoryError(f"there is no memory for table_mb={megabytes:g}: give less") from None


def with_evaluation(game: Game, evaluate: Any, weights: Mapping[str, float] | None) -> Game:
    """Return the game with another evaluation, or with other weights of its features; unchanged if both are None.

    Another evaluation may return any value, so none of its values proves a win before the end.

    Raises:
        ValueError: both are given, or the weights do not fit (see `Game.with_weights`).
    """
    if evaluate is not None and weights is not None:
        raise ValueError("evaluate and weights are both given: weights are those of the game's own evaluation")
    if weights is not None:
        return game.replace(weights=replaced_weights(game.name, game.weights, weights))
    if evaluate is None:
        return game
    check_once(game)
    return game.replace(evaluate=evaluate, max_utility=math.inf, check=False)  # what it returns may be anything


def check_evaluation(game: Game) -> None:
    """Check that an agent's own evaluation is opposite for the players, in positions of random games.

    Alpha-beta asks it for the player who has moved, and minimax for the one to move: else their answers would differ.

    Raises:
        ValueError: it is not, or does not compile.
    """
    rng, state, values = np.random.default_rng(0), game.new_state(), np.zeros(2)
    evaluate = bind(_evaluations, game, state, values)
    for _ in range(_LOOKED_AT):
        if game.is_terminal(state):
            state = game.new_state()
            continue
        evaluate(game, state, values)
        first, second = values.tolist()
        # One that is NaN is not told here, but where a search finds it.
        if abs(first + second) > _ROUNDED * max(1.0, abs(first), abs(second)):
            raise ValueError(
                f"evaluate(state, player) must be opposite for the players, got {first} for player 0 and {second} for "
                f"player 1, in state {state} of {game.spec}: what is good for one is as bad for the other"
            )
        game.play(state, int(rng.choice(game.actions(state))))


def value_found(value: float) -> float:
    """Return the value that a search has found, which is finite unless an evaluation is not.

    Raises:
        ValueError: it is infinite or NaN.
    """
    if not math.isfinite(value):
        raise ValueError(
            f"evaluate must return finite numbers, and the search found {value}: for a position that is won return one "
            "that is larger than all others"
        )
    return value


def line_of(row: NDArray[np.int32]) -> tuple[int, ...]:
    """Return the moves in ``row`` before the first -1, which ends the line."""
    ends = np.flatnonzero(row < 0)
    return tuple(row[: ends[0]].tolist() if ends.size else row.tolist())
