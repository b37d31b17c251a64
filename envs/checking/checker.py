"""A check of a game's rules: random games in plain Python, in which every promise is tested at every ply.

Compiled code checks neither bounds nor promises, so run this on your own game before anything else. A game that nobody
has checked is checked for a moment when it is registered, or first searched or put into an environment or a batch: see
`check_once`.

Plain Python sees an index that is too large. A negative one counts from the end, there as in compiled code.
"""

from __future__ import annotations

import math
import numbers
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..definition.terms import State, Symmetry
from ..game import Game
from ..jit.faults import compile_rules, wrong_kind
from ..jit.prng import new_rng
from ..outside.arguments import action_number, checked_whole, is_between
from ..render.pictures import board_of, codes_of
from ..repetition import new_scratch
from .compiled import check_compiled
from .slips import Keys, broken, check_fractions, check_same_actions, check_turns, other_position, played, raised

__all__ = ["check_game", "check_once"]

_MOMENT = 0.5  # seconds


def check_game(game: Game, games: int = 20, seed: int = 0) -> None:
    """Play random games and check what `Game` says of its rules; then compile each, and compare it with plain Python.

    Args:
        game: the game to check.
        games: number of random games to play.
        seed: seed for the choice of moves.

    Raises:
        ValueError: a rule breaks its promise, does not compile, or gives something else when it is compiled; the
            message names the rule, what it gave, and the state, or the line of the source.
    """
    if not isinstance(game, Game):
        raise TypeError(f"expected a Game, such as make_game('connect_four'), got {game!r}")
    games = checked_whole("games", games, 1)
    _play_checked(game, games, checked_whole("seed", seed, 0), math.inf)
    compile_rules(game)
    check_compiled(game, games, seed)
    game.is_checked = True


def check_once(game: Game) -> None:
    """Check a game that nobody has checked by random games, for half a second at most.

    Games that a factory of this package has made are trusted, and those made with ``check=False``.

    Raises:
        ValueError: as `check_game`; the message says how to do without the check.
    """
    if game.is_checked:
        return
    try:
        _play_checked(game, 5, 0, _MOMENT)
    except ValueError as error:
        raise ValueError(f"{error}; Game(…, check=False) would play all the same") from error.__cause__
    game.is_checked = True


def _play_checked(game: Game, games: int, seed: int, seconds: float) -> None:
    """Play up to so many random games, for so long, and check the rules at each ply."""
    try:
        _play_random(game, games, seed, time.perf_counter() + seconds)
    except Exception as error:
        if (fault := raised(game, error)) is None:
            raise
        raise fault from error


def _play_random(game: Game, games: int, seed: int, end: float) -> None:
    """Play random games until there are so many, or until the time ``end``."""
    rng = np.random.default_rng(seed)
    names_end = time.perf_counter() + 0.1 * (end - time.perf_counter())  # names are many, and rules matter more
    for action in range(game.num_actions):
        if time.perf_counter() > names_end:
            break
        text = game.action_to_str(action)
        if (found := game.str_to_action(text)) != action and game._fields["str_to_action"] is None:
            raise ValueError(f"action_to_str of {game.name} gives actions {found} and {action} the same name, {text!r}")
        if found != action:
            raise ValueError(f"str_to_action({text!r}) of {game.name} must be {action}, got {found}")
    known, moved, most = Keys(game), Counter[int](), 0
    for number in range(games):
        state, image = game.new_state(), game.new_state()
        symmetry = game.symmetries[number % len(game.symmetries)] if game.symmetries else None
        goes = np.arange(game.num_actions) if symmetry is None else np.argsort(symmetry.actions)  # where an action goes
        plies, last, before = 0, -1, -1
        stood = Counter([_asked(game, state, "repetition_key")])  # how often each position has been on the board
        while True:
            _check_validity(game, state, compiled=math.isinf(end))
            _check_view(game, state)
            over = _number(game, state, "is_terminal", _asked(game, state, "is_terminal"))
            actions = _checked_actions(game, state, least=0 if over else 1)  # environments ask at the end, too
            if symmetry is not None:
                _check_image(game, state, image, symmetry, goes)
            if over:
                break
            check_same_actions(game, state, actions)
            known.check(state, actions)
            moved[int(game.player(state))] += 1
            _check_guess(game, state)
            after = _checked_positions(game, state, actions)
            _check_noisy(game, state, actions)
            _check_draws(game, state, actions, last, before, new_rng(number))
            allowed = _allowed(game, state, actions, after, stood)
            i = allowed[int(rng.integers(len(allowed)))]
            _check_deeper(game, state, actions[i])
            _check_texts(game, state, actions[i])
            if game.board is not None:
                _check_cells(game, state, f"cells(state, {actions[i]})", game.board.cells(state, actions[i]))
            state = played(game, state, actions[i])
            if symmetry is not None:
                game.play(image, int(goes[actions[i]]))
            last, before = actions[i], last
            if after[i] != (key := _asked(game, state, "repetition_key")):
                raise other_position(game, state, actions[i], after[i], key)
            stood[key] += 1
            plies += 1
            if plies > game.max_plies:
                raise broken(game, state, "max_plies", f"a game must end after {game.max_plies} plies, and goes on")
            if time.perf_counter() > end:
                return
        if not plies and math.isinf(end):  # a search may be asked about other states; an environment says so itself
            raise broken(game, state, "is_terminal", "the game must not be over before the first move")
        most = max(most, plies)
        _check_end(game, state)
    check_turns(game, moved, games, most)


def _asked(game: Game, state: State, rule: str, *arguments: Any) -> Any:
    """Return what a rule gives that must leave the state as it is."""
    before = state.copy()
    with np.errstate(over="ignore"):  # random numbers and hashes overflow on purpose
        found = getattr(game, rule)(state, *arguments)
    if state != before:
        raise broken(game, before, rule, "must not change the state")
    return found


def _number(game: Game, state: State, rule: str, found: Any) -> float:
    """Return what a rule gave, if it is a number."""
    if not isinstance(found, (numbers.Real, np.number, np.bool_)):
        raise broken(game, state, rule, f"must return a number, got {found!r}")
    return float(found)


def _whole(game: Game, rule: str, found: Any) -> int:
    """Return what a rule gave, if compiled code could take it for an index or a count."""
    odd = (bool,) if rule == "player" else (bool, np.uint64)  # see `faults`
    if not isinstance(found, numbers.Integral) or type(found) in odd:
        raise wrong_kind(game, rule, f"returns {found!r}")
    return int(found)


def _checked_actions(game: Game, state: State, least: int = 1) -> list[int]:
    buffer = np.full(game.num_actions + 1, -1, np.int64)
    count = _whole(game, "legal_actions", _asked(game, state, "legal_actions", buffer))
    if count == 0 < least:
        raise broken(game, state, "legal_actions", "must write one at least: `is_terminal` says the game goes on")
    actions = buffer[: max(count, 0)].tolist()
    if count < 0 or actions != sorted(set(actions)) or not all(0 <= one < game.num_actions for one in actions):
        fault = f"must write ids of 0 to {game.num_actions - 1}, ascending, and return how many, got {count}: {actions}"
        raise broken(game, state, "legal_actions", fault)
    return actions


def _checked_positions(game: Game, state: State, actions: list[int]) -> list[int]:
    listed, keys, scratch = new_scratch(game)
    count = _whole(game, "keys_after", _asked(game, state, "keys_after", listed, keys, scratch))
    if listed[:count].tolist() != actions:
        fault = f"must write the actions that `legal_actions` writes, {actions}, got {listed[:count].tolist()}"
        raise broken(game, state, "keys_after", fault)
    return keys[:count].tolist()


def _allowed(game: Game, state: State, actions: list[int], after: list[int], stood: Mapping[int, int]) -> Sequence[int]:
    """Return the places of the actions that bring no position back too often, where that is forbidden."""
    repetition = game.repetition
    if repetition is None or repetition.effect != "forbidden":
        return range(len(actions))
    allowed = [
        place
        for place, action in enumerate(actions)
        if action in repetition.exempt or stood.get(after[place], 0) + 1 < repetition.times
    ]
    if not allowed:
        fault = (
            f"forbids all of the legal actions {actions}, and the game is not over: name one in `exempt` that is "
            "always legal, such as a pass"
        )
        raise broken(game, state, "repetition", fault)
    return allowed


def _check_noisy(game: Game, state: State, actions: list[int]) -> None:
    buffer = np.full(game.num_actions, -1, np.int64)
    count = _whole(game, "noisy_actions", _asked(game, state, "noisy_actions", buffer))
    noisy = buffer[: max(count, 0)].tolist()
    if noisy != [action for action in actions if action in noisy]:
        fault = f"must write legal actions, ascending, some of {actions}, got {noisy}"
        raise broken(game, state, "noisy_actions", fault)
    if game.is_forced is None or noisy == actions:
        return
    if _number(game, state, "is_forced", _asked(game, state, "is_forced")):
        fault = f"all legal actions {actions} must be noisy where it is true, but `noisy_actions` writes {noisy}"
        raise broken(game, state, "is_forced", fault)


def _check_draws(game: Game, state: State, actions: list[int], last: int, before: int, rng: Any) -> None:
    """Check what the game says of moves to rollouts and to new nodes of a tree, where it says anything."""
    buffer, knowledge = np.zeros(game.num_actions, np.int32), game.knowledge
    asked: dict[str, tuple[Any, ...]] = {}
    if game._fields["random_action"] is not None:
        asked["random_action"] = (buffer, rng)
    if knowledge.has_action:
        asked["rollout_action"] = (last, before, buffer, rng)
    for rule, arguments in asked.items():
        drawn = _whole(game, rule, _asked(game, state, rule, *arguments))
        if drawn not in actions:
            raise broken(game, state, rule, f"must return a legal action, one of {actions}, got {drawn}")
    if knowledge.slots:
        features = np.full((game.num_actions, knowledge.slots), -1, np.int32)
        count = _asked(game, state, "local_features", last, before, buffer, features)
        count = _whole(game, "local_features", count)
        candidates = buffer[: max(count, 0)].tolist()
        if not candidates or not set(candidates) <= set(actions):
            fault = f"must write legal actions, one or more of {actions}, got {candidates}"
            raise broken(game, state, "local_features", fault)
        if features[:count].min() < 0 or features[:count].max() >= knowledge.num_weights:
            fault = f"must write indices of 0 to {knowledge.num_weights - 1}, got {features[:count].tolist()}"
            raise broken(game, state, "local_features", fault)
    if knowledge.has_priors:
        count, (visits, values) = len(actions), np.zeros((2, len(actions)))
        _asked(game, state, "priors", last, before, np.array(actions, np.int32), count, visits, values)
        if not ((visits >= 0) & (visits < np.inf) & (np.abs(values) <= game.max_utility)).all():
            fault = f"must write visits from 0 on and values up to ±{game.max_utility}, got {visits} and {values}"
            raise broken(game, state, "priors", fault)


def _check_deeper(game: Game, state: State, action: int) -> None:
    """Check what the game says to searches that look deeper where it matters, where it says anything."""
    if game.stakes is not None:
        stakes = _asked(game, state, "stakes", action)
        if not isinstance(stakes, tuple) or [is_between(one, -1e308, 1e308) for one in stakes] != [True, True]:
            raise broken(game, state, "stakes", f"must return two numbers, got {stakes!r} for action {action}")
    if game.exchange is not None:
        _number(game, state, "exchange", _asked(game, state, "exchange", action, 0.0))
    if game.passed is not None:
        child = state.copy()
        if game.passed(child) and game.player(child) == game.player(state):
            raise broken(game, state, "passed", "the other player must be to move after a pass")


def _check_cells(game: Game, state: State, call: str, cells: Any) -> None:
    """Check that what ``call`` of the board gave are cells of it."""
    most = game.board.rows * game.board.columns if game.board is not None else 0
    if not isinstance(cells, (tuple, list, np.ndarray)) or any(action_number(cell, most) < 0 for cell in cells):
        fault = f"{call} must be a tuple of cells, numbers from 0 to {most - 1}, got {cells!r}"
        raise broken(game, state, "board", fault)


def _check_texts(game: Game, state: State, action: int) -> None:
    """Check that the name of a move and the text of a position, where the game has its own, lead back to them."""
    if (game._fields["move_name"], game._fields["move_of"]) != (None, None):
        name = game.move_name(state, action)
        if (found := game.move_of(state, name)) != action:
            raise broken(game, state, "move_of", f"must be {action} for {name!r}, its name, got {found}")
    if None in (game._fields["fen_of"], game._fields["read_fen"]):
        return
    try:
        text = game.fen(state)
    except ValueError:  # not every position needs a text
        return
    again = game.state_check.record(game._position_of(text), f"read_fen({text!r})")
    seen = [(game.fen(one), game.player(one), game.actions(one)) for one in (state, again)]
    if seen[0] != seen[1] or not game.is_valid(again):  # a count, say, may be left out
        raise broken(game, state, "read_fen", f"must give back the position that is written {text!r}, got {again}")


def _check_image(game: Game, state: State, image: State, symmetry: Symmetry, goes: Any) -> None:
    """Check that an image of the moves, each as it ``goes``, has led to the image of the position."""
    before, after = (
        [game.player(one), bool(game.is_terminal(one)), sorted(legal)]
        for one, legal in ((state, goes[game.actions(state)].tolist()), (image, game.actions(image)))
    )
    for player in (0, 1):
        one, other = (game.observation(each, player).reshape(symmetry.cells.size, -1) for each in (state, image))
        before.append(one[symmetry.cells].tolist())
        after.append(other.tolist())
    if before != after:
        fault = f"the image of the moves must lead to the image of the position, for {symmetry.actions.tolist()}"
        raise broken(game, state, "symmetries", f"{fault}, got {image}")
    if _asked(game, state, "canonical_key") != game.canonical_key(image) and game.canonical_key is not game.key:
        raise broken(game, state, "canonical_key", f"must be the same for the image {image}")


def _check_validity(game: Game, state: State, *, compiled: bool) -> None:
    """Check the rule ``is_valid``, ``compiled`` too where there is time: to compile it takes longer than a moment."""
    if not _asked(game, state, "is_valid"):
        raise broken(game, state, "is_valid", "must accept every state of a game")
    for name in game.fixed:
        if (state[name] != game.initial[0][name]).any():
            raise broken(game, state, "fixed", f"no move may change {name!r}, {game.initial[0][name]} at the start")
    if compiled:
        game.state_check.compile()
        if not game.state_check.accepts(state):
            raise broken(game, state, "is_valid", "must be the same compiled as in plain Python: it refuses this one")


def _check_view(game: Game, state: State) -> None:
    player = _whole(game, "player", _asked(game, state, "player"))
    if player not in (0, 1):
        raise broken(game, state, "player", f"must be 0 or 1, got {player}")
    wide = np.result_type(game.observation_dtype, np.int64)
    for seat in (0, 1):
        planes = np.zeros(game.observation_shape, wide)
        if _asked(game, state, "observe", seat, planes) is not None:
            raise broken(game, state, "observe", "must write into the planes, and return nothing")
        if not (planes.min() >= 0 and planes.max() <= game.observation_high):
            span = f"{planes.min()} to {planes.max()}"
            raise broken(game, state, "observe", f"values must be 0 to {game.observation_high}, got {span}")
        if game.observation_dtype.kind != "f":
            check_fractions(game, state, seat)
        if game.history is not None:
            again = np.full_like(planes, -1)
            game.observe(state, seat, again)
            newest = game.newest_channels
            if (again[..., newest] != planes[..., newest]).any():
                fault = "must write every value of the newest position, and of what comes after the earlier ones"
                raise broken(game, state, "observe", fault)
    if game.history is not None and game.history_swap is not None:
        newest = slice(game.history_first, game.history_first + game.history[1])
        first, second = (game.observation(state, seat)[..., newest] for seat in (0, 1))
        if game.history_turned:
            first = first[::-1]
        if (first[..., list(game.history_swap)] != second).any():
            fault = f"must show one player what the other sees, with the channels in the order {game.history_swap}"
            raise broken(game, state, "observe", fault)
    if game.decode is not None and game.history is None and not game.is_terminal(state):
        decoded: Any = np.zeros(1, game.dtype)[0]
        game.decode(game.observation(state, player), decoded)  # and no `state_from_observation`, which compiles rules
        if decoded != state:
            raise broken(game, state, "decode", f"must give back what the player to move observes, got {decoded}")
    if game.board is not None:
        codes_of(game, board_of(game)[0], state)
        if game.board.threatened is not None:
            _check_cells(game, state, "threatened(state)", game.board.threatened(state))
    if not isinstance(text := _asked(game, state, "text"), str):
        raise broken(game, state, "text", f"must return a string, got {text!r}")


def _check_guess(game: Game, state: State) -> None:
    seen = [game.features_of(state, player) for player in (0, 1)]
    for name, value in seen[0].items():
        if not -1 <= value <= 1 or value != -seen[1][name]:
            fault = f"{name!r} must be from -1 to 1, and opposite for the players, got {value} and {seen[1][name]}"
            raise broken(game, state, "features", fault)
    first, second = (_number(game, state, "evaluate", _asked(game, state, "evaluate", player)) for player in (0, 1))
    if not -game.max_utility < first < game.max_utility or first != -second:
        fault = f"must be inside ±{game.max_utility}, and opposite for the players, got {first} and {second}"
        raise broken(game, state, "evaluate", fault)


def _check_end(game: Game, state: State) -> None:
    first, second = (_number(game, state, "utility", _asked(game, state, "utility", player)) for player in (0, 1))
    if abs(first) > game.max_utility or first != -second:
        fault = f"must be up to ±{game.max_utility}, and opposite for the players, got {first} and {second}"
        raise broken(game, state, "utility", fault)
    if game.owners is not None:
        owners, cells = np.asarray(_asked(game, state, "owners")), math.prod(game.observation_shape[:2])
        if owners.shape != (cells,) or not np.isin(owners, (-1, 0, 1)).all():
            fault = f"must be 1, -1 or 0 for each of {cells} cells, got {owners.tolist()}"
            raise broken(game, state, "owners", fault)
