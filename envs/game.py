"""The formal game of the textbook, as data: a state layout, the rules, and what describes them.

Russell & Norvig define a game by S₀, PLAYER(s), ACTIONS(s), RESULT(s, a), TERMINAL-TEST(s) and UTILITY(s, p). Here a
state is one record of a NumPy structured dtype, changed in place, and the rules are plain functions over it:

==============================  ==========================================================================
``setup(state)``                S₀: fill a zeroed record (optional: all zeros is S₀)
``player(state)``               PLAYER: 0 or 1; turns need not alternate
``legal_actions(state, out)``   ACTIONS: write the action ids, ascending, and return how many there are
``play(state, action)``         RESULT, in place; the action must be legal, nothing is checked
``is_terminal(state)``          TERMINAL-TEST
``utility(state, player)``      UTILITY of a finished game: +1 win, 0 draw, -1 loss, zero-sum
``observe(state, player, p)``   write what ``player`` sees into the zeroed planes ``p``
==============================  ==========================================================================

The same functions run as plain Python, from here, and as machine code inside every kernel (see `plyground.envs.jit`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .definition.board import Board
from .definition.evaluation import checked_features, make_evaluation, replaced_weights
from .definition.identity import identity_of
from .definition.knowledge import NO_KNOWLEDGE, Knowledge
from .definition.terms import Repetition, Rule, State, Symmetry, check_functions, check_layout, check_rules, symmetry_of
from .definition.texts import GameTexts, fields_text, placed
from .definition.views import GameViews
from .jit.game_type import GameType, digest_of_rules, game_type, register_game_class
from .jit.keys import key_rule, keys_by_playing
from .jit.prng import uniform_action
from .outside.arguments import action_number, check_player, checked_tuple, checked_whole, is_list
from .outside.messages import listed
from .outside.validity import StateCheck, initial_state

__all__ = ["Game"]


_HARMLESS = {"name", "players", "weights", "check"}  # changes that break no promise of a game


def _no_noisy_actions(state: Any, actions: Any) -> int:
    return 0


def _any_state(state: Any) -> bool:
    return True


class Game(GameTexts, GameViews):
    """A two-player, zero-sum, turn-based game of perfect information.

    Immutable. Two games are equal when all is that they are made of: name, parameters, rules, planes, texts and board.
    Functions count by what they do and reach; objects of libraries, as a generator of NumPy, by their type alone.
    A game can be pickled when it comes from a `game_factory`, or when its rules are functions at the top level of a
    module.

    Args:
        name: the name in lower case with underscores, as in ``"connect_four"``.
        state: the dtype of the state record, from `state_dtype`.
        num_actions: number of actions; they are the integers from 0 to ``num_actions - 1``.
        max_plies: number of plies that no game exceeds.
        max_utility: the largest utility; none is below its negative.
        observation_shape: the shape of the planes that ``observe`` fills, H×W×C for a board.
        player, legal_actions, play, is_terminal, utility, observe: the rules, see the head of this module.
        setup: the rule that fills a zeroed record with the initial state S₀.
        evaluate: ``evaluate(state, player)`` guesses the utility that ``player`` will get, for searches that stop
            before the end: in the units of ``utility``, strictly between a loss and a win.
        features: ``features(state, player)`` returns a tuple of numbers from -1 to 1, and for the other player their
            negatives. With ``weights`` it takes the place of ``evaluate``: see `plyground.envs.definition.evaluation`.
        weights: a weight for each feature, by name, in the order of the tuple; their sizes sum up to less than 1.
        noisy_actions: ``noisy_actions(state, actions)`` writes those legal actions, ascending, after which the
            evaluation may be far off, such as captures, and returns how many there are. A quiescence search plays
            them beyond the depth limit. Default: none.
        is_forced: ``is_forced(state)`` tells whether the player to move cannot wait: is in check, or must capture. All
            legal actions are noisy then, and a search may look deeper. Default: the search compares what
            ``noisy_actions`` and ``legal_actions`` list.
        stakes: ``stakes(state, action)`` returns what an action wins at once, such as a captured piece, and, if that is
            anything, the worth of the piece that moves and may be lost: two numbers in the units of the evaluation. A
            search tries actions that win something first, the largest prize before others and the least piece first.
        exchange: ``exchange(state, action, least)`` tells whether an action wins ``least`` or more, in the units of the
            evaluation, when both sides go on to capture where it went, or stop, as is best for them.
        passed: ``passed(state)`` lets the player to move pass, in place, and returns True; or it returns False, and
            the state is of no use any more, where passing is against the idea of a null move: whoever is in check or in
            zugzwang would gain by it. After a pass the other player is to move.
        key: ``key(state) -> uint64``, equal for positions that a search may take for one. Default: all fields.
        canonical_key: ``canonical_key(state) -> uint64``, a key that is the same for a position and its images under
            the ``symmetries``. Default: ``key``.
        repetition_key: ``repetition_key(state) -> uint64``, equal for repeated positions. Default: ``key``.
        keys_after: ``keys_after(state, actions, keys, scratch)`` writes the legal actions as ``legal_actions`` does,
            and beside each, into ``keys`` [num_actions] of uint64, the ``repetition_key`` of the state after it; for
            games that forbid repetitions and can tell without playing. ``scratch`` is an array [1] for a state.
            Default: play each action in ``scratch``.
        random_action: ``random_action(state, actions, rng)`` draws a move for random rollouts; it may write into
            ``actions``. Default: each legal action with the same probability.
        knowledge: what the game knows of good moves, see `plyground.envs.definition.knowledge`. Default: nothing.
        is_valid: ``is_valid(state)`` tells whether a record of any content is a state that the other rules can go on
            from: each field in its range, and all fields in agreement. Asked of states that come from outside, before
            compiled code reads them. It must not change the state, nor rely on what it has not checked yet. Default:
            every record is.
        fixed: fields of the state that ``setup`` fills and no move changes, such as the komi of Go: a state with others
            is one of another game, and refused.
        decode: ``decode(planes, state)`` fills a zeroed record from what the player to move observes; plain Python. It
            may raise `ValueError` where no game looks like that; what it makes is checked by ``is_valid``, and compared
            with the planes.
        action_to_str, str_to_action: the name of an action, as people write it, and the inverse, which may raise
            `ValueError`.
        owners: ``owners(state)`` returns whose each cell of a finished game is [rows * columns]: 1 the first player's,
            -1 the second's, 0 nobody's; plain Python. Networks may learn it, and self-play takes it that such a game is
            hardly ever won by a single move. Default: cells have no owners.
        move_name, move_of: the name of an action in a state, and the inverse, ``move_name(state, action)`` and
            ``move_of(state, text)``, where it depends on what stands on the board. Default: the same in all states.
        fen_of, read_fen: a position as text, and the inverse, which may raise `ValueError`. Default: there is no text.
        board: what people see, for text and pictures.
        text: a function that draws a state as text. Default: the text of ``board``, or the names and values of fields.
        symmetries: the symmetries of the board and the initial state, without the identity.
        repetition: what environments do when a position comes again. Default: nothing.
        history: ``(frames, planes)``: ``frames * planes`` channels of an observation show the last ``frames``
            positions, the newest first, in ``planes`` channels each. ``observe`` writes the newest position and all
            channels before and after these, every value of them, since its planes are then not zeroed. Environments
            remember the earlier positions.
        history_first: the first of these channels.
        history_swap: how the opponent sees the planes of a position: channel ``i`` of theirs is channel
            ``history_swap[i]`` of one's own, so ``(1, 0)`` where they show own and opponent's stones. A search needs it
            to show a network earlier positions. Default: it cannot.
        history_turned: whether the opponent also sees the rows of a position in reverse order.
        observation_high: the largest value in the planes; the least is 0.
        observation_dtype: the dtype of the planes.
        players: PettingZoo's names for the two agents, first player first.
        check: whether the game is checked for a moment when it is registered, or first searched or put into an
            environment or a batch, as `check_game` does in full.

    Raises:
        ValueError, TypeError: an argument does not fit; the message names it.
    """

    def __init__(
        self,
        *,
        name: str,
        state: np.dtype[Any],
        num_actions: int,
        max_plies: int,
        max_utility: float = 1.0,
        observation_shape: Sequence[int],
        player: Rule,
        legal_actions: Rule,
        play: Rule,
        is_terminal: Rule,
        utility: Rule,
        observe: Rule,
        setup: Rule | None = None,
        evaluate: Rule | None = None,
        features: Rule | None = None,
        weights: Mapping[str, float] | None = None,
        noisy_actions: Rule | None = None,
        is_forced: Rule | None = None,
        stakes: Rule | None = None,
        exchange: Rule | None = None,
        passed: Rule | None = None,
        key: Rule | None = None,
        canonical_key: Rule | None = None,
        repetition_key: Rule | None = None,
        keys_after: Rule | None = None,
        random_action: Rule | None = None,
        knowledge: Knowledge = NO_KNOWLEDGE,
        is_valid: Rule | None = None,
        fixed: Sequence[str] = (),
        decode: Rule | None = None,
        owners: Callable[[Any], NDArray[np.int8]] | None = None,
        action_to_str: Callable[[int], str] = str,
        str_to_action: Callable[[str], int] | None = None,
        move_name: Callable[[Any, int], str] | None = None,
        move_of: Callable[[Any, str], int] | None = None,
        fen_of: Callable[[Any], str] | None = None,
        read_fen: Callable[[str], Any] | None = None,
        board: Board | None = None,
        text: Callable[[Any], str] | None = None,
        symmetries: Sequence[Symmetry] = (),
        repetition: Repetition | None = None,
        history: tuple[int, int] | None = None,
        history_first: int = 0,
        history_swap: Sequence[int] | None = None,
        history_turned: bool = False,
        observation_high: int = 1,
        observation_dtype: DTypeLike = np.int8,
        players: tuple[str, str] = ("player_0", "player_1"),
        check: bool = True,
    ) -> None:
        self._fields = _plain({k: v for k, v in locals().items() if k != "self"})
        check_functions(name, self._fields, Game.__init__.__annotations__)
        self._origin: tuple[Callable[..., Game], dict[str, Any]] = (Game, self._fields)  # how to make it again
        self.spec = name
        self._source: str | None = None
        self.parameters: Mapping[str, Any] = {}
        self.name = name
        self.dtype = state
        self.num_actions = checked_whole("num_actions", num_actions, 1)
        self.max_plies = checked_whole("max_plies", max_plies, 1, 2**31 - 1)  # batches count in 32 bits
        self.max_utility = max_utility
        self.observation_shape = checked_tuple(f"observation_shape of {name}", observation_shape, "(6, 7, 2)")
        self.observation_high = observation_high
        self.observation_dtype = np.dtype(observation_dtype)
        self.players = checked_tuple("players", players, "('white_0', 'black_0')")
        self.is_checked = not check
        images = checked_tuple("symmetries", symmetries, "(Symmetry(cells, actions),)")
        self.symmetries = tuple(map(symmetry_of, images))
        self.repetition, self.history = repetition, history
        self.history_first, self.history_turned = history_first, history_turned
        self.history_swap = None if history_swap is None else checked_tuple("history_swap", history_swap, "(1, 0)")
        self.fixed = checked_tuple("fixed", fixed, "('komi',)")
        check_layout(self)

        self.player, self.legal_actions, self.play = player, legal_actions, play
        self.is_terminal, self.utility, self.observe = is_terminal, utility, observe
        self.evaluate, self.features, self.weights = make_evaluation(name, max_utility, evaluate, features, weights)
        self.noisy_actions: Rule = noisy_actions or _no_noisy_actions
        self.is_forced, self.stakes, self.exchange, self.passed = is_forced, stakes, exchange, passed
        self.key: Rule = key or key_rule(state)
        self.canonical_key: Rule = canonical_key or self.key
        self.repetition_key: Rule = repetition_key or self.key
        self.keys_after: Rule = keys_after or keys_by_playing(legal_actions, self.play, self.repetition_key)
        self.random_action: Rule = random_action or uniform_action(legal_actions)
        self.knowledge = knowledge
        self.rollout_action, self.local_features = knowledge.action, knowledge.local_features
        self.priors = knowledge.priors
        self.is_valid: Rule = is_valid or _any_state
        self.decode, self.owners = decode, owners
        self.board = board
        self.text: Callable[[Any], str] = text or (board.text if board is not None else fields_text)
        self.name_actions(action_to_str, str_to_action, move_name, move_of)
        self.write_positions(fen_of, read_fen)
        check_rules(self)

        self.initial: NDArray[Any] = initial_state(name, state, setup)  # [1]: S₀
        self.initial.flags.writeable = False
        self.features_of(self.initial[0], 0)  # are they as many as the weights?

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the rules: the part of the Numba type that makes stale code impossible."""
        return digest_of_rules(self)

    @property
    def has_evaluation(self) -> bool:
        """Whether the game guesses values before its end, by ``evaluate`` or by ``features`` and ``weights``."""
        return self._fields["evaluate"] is not None or bool(self.weights)

    @property
    def shows_past(self) -> bool:
        """Whether observations tell of the past: of earlier positions, or that a position has come again."""
        return self.history is not None or (self.repetition is not None and self.repetition.channel is not None)

    @cached_property
    def numba_type(self) -> GameType:
        """The type of this game inside kernels."""
        return game_type(self)

    @property
    def source(self) -> str:
        """The text by which `plyground.envs.make_game` finds this game in any process.

        It is the ``spec``, or, of a game that was named by its place, as in
        ``"./examples/breakthrough.py:breakthrough"``, that place and its parameters.
        """
        return self.spec if self._source is None else self._source

    @cached_property
    def state_check(self) -> StateCheck:
        """The rule ``is_valid``, compiled, for states that come from outside."""
        return StateCheck(self)

    def __repr__(self) -> str:
        return f"<Game {self.spec}>"

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        return identity_of(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __reduce__(self) -> tuple[Any, ...]:
        return _call, self._origin

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, memo: Any) -> Game:
        return self

    def replace(self, **changes: Any) -> Game:
        """Return this game with other rules or metadata, for example ``game.replace(evaluate=my_evaluation)``.

        A new ``evaluate`` replaces the features and weights; new features replace the ``evaluate``. All but names and
        weights is checked as in a new game.
        """
        if changes.get("evaluate") is not None:
            changes = {"features": None, "weights": None, **changes}
        elif changes.get("features") is not None:
            changes = {"evaluate": None, **changes}
        if changes.get("key") is not None:
            changes = {"canonical_key": None, **changes}
        if not changes.keys().isdisjoint(("legal_actions", "play", "repetition_key", "key")):
            changes = {"keys_after": None, **changes}
        changes = _plain(changes)
        game = Game(**{**self._fields, **changes})
        game.spec, game.parameters, game._source = self.spec, self.parameters, self._source
        game.is_checked |= self.is_checked and changes.keys() <= _HARMLESS
        game._origin = (_replaced, {"game": self, "changes": changes})
        return game

    def with_weights(self, /, **weights: float) -> Game:
        """Return this game with other weights of features, as in ``game.with_weights(mobility=0.5)``.

        Weights are constants of the compiled code: with new ones a search compiles for some seconds, once.

        Raises:
            ValueError: a feature is unknown, a weight is not a finite number, or their sizes sum up to 1 or more.
        """
        return self.replace(weights=replaced_weights(self.name, self.weights, weights))

    # -- using it from Python ------------------------------------------------------------------------------------------

    def new_state(self) -> State:
        """Return a fresh record that holds the initial state."""
        return self.initial.copy()[0]

    def actions(self, state: State) -> list[int]:
        """Return the legal actions as a list."""
        buffer = np.empty(self.num_actions, np.int32)
        return buffer[: self.legal_actions(state, buffer)].tolist()

    def play_moves(self, moves: Iterable[int | str], state: State | None = None) -> State:
        """Return the state after ``moves``, action ids or their names, from ``state`` (default: the initial one).

        Raises:
            ValueError: a move is unknown, illegal, or comes after the end, and the message says which; or the state is
                of another game.
        """
        if not is_list(moves):
            raise ValueError(f"moves must be a list of action ids or names, got {moves!r}")
        after: State = self.new_state() if state is None else self.state_check.record(state).copy()
        for index, move in enumerate(moves):
            self.play(after, self.checked_action(after, move, index))
        return after

    def checked_action(self, state: State, move: int | str, index: int) -> int:
        """Return the action that a ``move`` stands for, an action id or its name, in a line of moves.

        Raises:
            ValueError: the move is unknown, illegal in ``state``, or comes after the end; the message has its
                ``index``.
        """
        if self.is_terminal(state):
            raise ValueError(f"move {move!r} at index {index} comes after the end of the game of {self.name}")
        if isinstance(move, str):
            with placed(index):
                action = self.move_of(state, move)
        else:
            action = action_number(move, self.num_actions)
        if action not in (legal := self.actions(state)):
            known = listed([self.move_name(state, one) for one in legal]) if isinstance(move, str) else legal
            raise ValueError(f"move {move!r} at index {index} is illegal in {self.name}: expected one of {known}")
        return action

    def features_of(self, state: State, player: int) -> dict[str, float]:
        """Return the features of ``state`` by their names, as ``player`` (0 or 1) sees them; {} if the game has none.

        The evaluation is ``max_utility`` times the sum of their products with ``weights``.
        """
        check_player(player)
        return checked_features(self.name, self.weights, self.features(state, player))


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with mappings as dicts, for a read-only one cannot be pickled."""
    return {name: dict(value) if isinstance(value, Mapping) else value for name, value in fields.items()}


def _call(factory: Callable[..., Game], arguments: dict[str, Any]) -> Game:
    return factory(**arguments)


def _replaced(game: Game, changes: dict[str, Any]) -> Game:
    return game.replace(**changes)


register_game_class(Game)
