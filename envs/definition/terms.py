"""The terms in which a game is described: the layout of its state, its symmetries, what a repetition does."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Literal, NamedTuple

import numpy as np
from numba import from_dtype
from numpy.typing import DTypeLike, NDArray

from ..jit.game_type import rules_of
from ..outside.arguments import checked_whole, is_list
from .records import record_class

__all__ = [
    "MOST_TIMES",
    "Images",
    "Repetition",
    "Rule",
    "State",
    "Symmetry",
    "check_functions",
    "check_layout",
    "check_rules",
    "images_of",
    "state_dtype",
    "symmetry_of",
]

Rule = Callable[..., Any]
State = np.record  # one row of an array with the game's dtype

MOST_TIMES = 2**31 - 1  # that a position may come, and plies that are remembered: compiled code counts no further
_AGENT_NAME = re.compile(r"[a-z]+_[0-9]+")


class Symmetry(NamedTuple):
    """A symmetry of the board: where each cell and each action goes.

    After the symmetry, cell ``i`` of the board looks as cell ``cells[i]`` did before, and so it is with ``actions``.
    Cells are those of an observation, H·W of H×W×C. Where that has one size or two, they may also be all of its values.
    """

    cells: NDArray[np.intp]  # [cells of the board, row-major]
    actions: NDArray[np.intp]  # [num_actions]


class Images(NamedTuple):
    """The symmetries of a game, the identity first: image ``k`` shows at cell ``i`` what is at ``cells[k, i]``."""

    cells: NDArray[np.int64]  # [images, cells]
    actions: NDArray[np.int64]  # [images, num_actions]: action a of the image is this one of the board


class Repetition(NamedTuple):
    """What happens when a position comes again. Environments see to it, for a state does not know its past.

    Positions are the same when ``repetition_key(state)`` is the same.
    """

    effect: Literal["forbidden", "draw"]
    times: int = 2  # times that a position must stand on the board for the effect, the first included
    exempt: tuple[int, ...] = ()  # actions that may lead to any position, where others are forbidden
    memory: int | None = None  # plies after which a position cannot come again; None: it always can
    announced: bool = False  # whether the game is drawn as soon as a legal action leads to the effect
    channel: int | None = None  # of the planes: ones where the position has been on the board before; observe writes 0


def symmetry_of(given: Any) -> Symmetry:
    """Return a symmetry that is given as two lists of numbers, or arrays.

    Raises:
        ValueError: it is no pair, or its numbers are not whole.
    """
    arrays = [np.asarray(numbers) for numbers in given] if is_list(given) else []
    if len(arrays) == 2 and all(numbers.dtype.kind in "iuf" and numbers.ndim == 1 for numbers in arrays):
        whole = Symmetry(*(numbers.astype(np.intp) for numbers in arrays))
        if all(map(np.array_equal, whole, arrays)):
            return whole
    raise ValueError(f"a symmetry must be Symmetry(cells, actions), two lists of whole numbers, got {given!r}")


def images_of(game: Any) -> Images | None:
    """Return the images of a game's board under its symmetries; None if it has none."""
    if not game.symmetries:
        return None
    cells, actions = (np.array(images) for images in zip(*game.symmetries, strict=True))
    return Images(np.vstack((np.arange(cells.shape[1]), cells)), np.vstack((np.arange(actions.shape[1]), actions)))


def state_dtype(**fields: DTypeLike | tuple[DTypeLike, tuple[int, ...]]) -> np.dtype[Any]:
    """Return the dtype of a state record, for example ``state_dtype(board=("i1", (3, 3)), ply="i4")``."""
    layout = [(name, *(spec if isinstance(spec, tuple) else (spec,))) for name, spec in fields.items()]
    plain = np.dtype(layout, align=True)
    nested = any(kind.base.names for kind, *_ in (plain.fields or {}).values())
    return np.dtype((np.record if nested else record_class(*fields), plain))


def check_layout(game: Any) -> None:
    """Check what a game says of itself, but for its rules; numbers and lists become Python's own, which can be hashed.

    Raises:
        ValueError, TypeError: an argument does not fit; the message names it.
    """
    if not isinstance(game.name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", game.name):
        raise ValueError(f"name must be lower case with underscores, as in 'connect_four', got {game.name!r}")
    if not isinstance(game.dtype, np.dtype) or game.dtype.names is None or not issubclass(game.dtype.type, np.record):
        raise TypeError(f"state must be a record dtype made by state_dtype(…), got {game.dtype!r}")
    if taken := [name for name in game.dtype.names if hasattr(np.record, name)]:
        raise ValueError(
            f"a state of {game.name} has a field {taken[0]!r}, and records of NumPy an attribute of that name, which "
            f"rules would find in plain Python: choose another, as in {taken[0]}_"
        )
    _check_fields(game)
    if not _is_number(game.max_utility) or not game.max_utility > 0:
        raise ValueError(f"max_utility of {game.name} must be a number above 0, got {game.max_utility!r}")
    _check_planes(game)
    if game.history is not None:
        if not isinstance(game.history, (tuple, list)) or len(game.history) != 2:
            raise ValueError(f"history must be (frames, planes), two numbers, got {game.history!r}")
        game.history = tuple(checked_whole("a number of the history", number, 1) for number in game.history)
    checked_whole("history_first", game.history_first, 0)
    if game.history is not None and not game.history[0] * game.history[1] <= game.observation_shape[-1]:
        raise ValueError(
            f"history must be (frames, planes) with frames * planes channels at most, got {game.history!r} for "
            f"observations of shape {game.observation_shape}"
        )
    if game.history is not None and (
        game.history_first + game.history[0] * game.history[1] > game.observation_shape[-1]
    ):
        raise ValueError(f"history_first must be a channel that leaves room for the history, got {game.history_first}")
    if game.history_swap is not None and (
        game.history is None or sorted(game.history_swap) != list(range(game.history[1]))
    ):
        raise ValueError(
            f"history_swap must name each channel of a position once, for a history of {game.history!r}, "
            f"got {game.history_swap!r}"
        )
    if len(set(game.players)) != 2 or len(game.players) != 2 or not all(map(_is_agent_name, game.players)):
        raise ValueError(f"players must be two names such as 'player_0', got {game.players!r}")
    for cells, actions in game.symmetries:
        for name, numbers, count in (("cells", cells, _cells_of(game)), ("actions", actions, game.num_actions)):
            if not np.array_equal(np.sort(numbers), np.arange(count)):
                raise ValueError(
                    f"{name} of a symmetry of {game.name} must be the numbers from 0 to {count - 1}, each once, "
                    f"got {numbers.tolist()}"
                )
    if unknown := [name for name in game.fixed if name not in game.dtype.names]:
        raise ValueError(f"fixed of {game.name} must be names of fields, {list(game.dtype.names)}, got {unknown}")
    if game.repetition is not None:
        game.repetition = _checked_repetition(game, game.repetition)


def _check_fields(game: Any) -> None:
    """Check that Numba knows each field of the state: of a whole record it does not say which one it does not know."""
    for name in game.dtype.names:
        kind = game.dtype.fields[name][0]
        try:
            from_dtype(np.dtype([(name, kind)]))
        except Exception as error:  # of Numba's own, of an attribute, or of a type
            raise ValueError(
                f"field {name!r} of a state of {game.name} has dtype {kind}, which Numba does not compile: use "
                "integers such as 'i4', and in arrays 'u1' for booleans"
            ) from error


def _cells_of(game: Any) -> int:
    """Return how many cells the symmetries of a game move: kernels reckon with so many in each observation."""
    shape = game.observation_shape
    if len(shape) < 3 and game.symmetries[0].cells.size == math.prod(shape):
        return math.prod(shape)
    return math.prod(shape[:-1])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _is_agent_name(name: Any) -> bool:
    return isinstance(name, str) and _AGENT_NAME.fullmatch(name) is not None


def _check_planes(game: Any) -> None:
    """Check the planes that ``observe`` fills: kernels write into them, and spaces are made of them."""
    shape, high, dtype = game.observation_shape, game.observation_high, game.observation_dtype
    if not shape:
        raise ValueError(f"observation_shape of {game.name} must have a size at least, as in (6, 7, 2), got ()")
    for size in shape:
        checked_whole(f"a size of the observation_shape of {game.name}", size, 1)
    if dtype.kind not in "biuf":
        raise ValueError(f"observation_dtype of {game.name} must be of integers or floats, got {dtype}")
    largest = np.inf if dtype.kind == "f" else 1 if dtype.kind == "b" else np.iinfo(dtype).max
    if not _is_number(high) or not 0 <= high <= largest or not math.isfinite(high):
        raise ValueError(
            f"observation_high of {game.name} must be a number from 0 to {largest}, the largest that planes of {dtype} "
            f"hold, got {high!r}: give a larger observation_dtype, or lower values"
        )


def _checked_repetition(game: Any, repetition: Any) -> Repetition:
    """Return what is to happen when a position comes again, with Python's own numbers: compiled code believes them."""
    if not isinstance(repetition, Repetition):
        raise TypeError(f"repetition of {game.name} must be a Repetition(…), got {repetition!r}")
    if repetition.effect not in ("forbidden", "draw"):
        raise ValueError(f"the effect of a repetition must be 'forbidden' or 'draw', got {repetition.effect!r}")
    if repetition.announced and repetition.effect == "forbidden":
        raise ValueError("a repetition that is forbidden never comes: announced is for effect 'draw'")
    last, channels = game.num_actions - 1, game.observation_shape[-1]
    memory, channel = repetition.memory, repetition.channel
    exempt = tuple(checked_whole("an exempt action of a repetition", one, 0, last) for one in repetition.exempt)
    if exempt and repetition.effect == "draw":
        raise ValueError(f"exempt actions are those of effect 'forbidden': a draw has none, got {exempt}")
    return repetition._replace(
        times=checked_whole("the times of a repetition", repetition.times, 2, MOST_TIMES),
        exempt=exempt,
        memory=None if memory is None else checked_whole("the memory of a repetition", memory, 1, MOST_TIMES),
        channel=None if channel is None else checked_whole("the channel of a repetition", channel, 0, channels - 1),
    )


def check_functions(game: str, fields: Mapping[str, Any], kinds: Mapping[str, str]) -> None:
    """Check that what a `Game` is given as a function is one, before any rule is made of it.

    Args:
        game: the game's name.
        fields: what the game is given.
        kinds: the annotations of these, as they are written: a ``Rule`` or a ``Callable`` is a function.

    Raises:
        TypeError: one is not; the message names it.
    """
    for name, kind in kinds.items():
        is_function = kind.startswith(("Rule", "Callable"))
        if is_function and not callable(fields[name]) and not (fields[name] is None and kind.endswith("None")):
            raise TypeError(f"{name} of {game} must be a function, got {fields[name]!r}")


def check_rules(game: Any) -> None:
    """Check that the rules of a game are functions that Numba compiles, and take the arguments that kernels give them.

    Raises:
        TypeError: one is or does not; the message names it.
    """
    for rule, arguments in rules_of(game).items():
        function = getattr(getattr(game, rule), "py_func", getattr(game, rule))
        if not isinstance(function, FunctionType):
            raise TypeError(
                f"rule {rule!r} of {game.name} must be a plain function, as def and lambda make them, got {function!r}"
            )
        found = len(inspect.signature(function).parameters)
        if found != len(arguments):
            raise TypeError(f"rule {rule!r} of {game.name} must take ({', '.join(arguments)}), but takes {found}")
