"""The digest of rules and kernels, by which compiled code is found again: it changes whenever what is computed does."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from enum import Enum, IntEnum
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types

from plyground.envs import checkers
from plyground.envs.jit import kernel, self_call
from plyground.envs.jit.cache import _fields
from plyground.envs.jit.digest import digest


class Colour(Enum):
    BLACK = 0
    WHITE = 1


@kernel
def _canonical_key(game, state):
    return game.canonical_key(state)


def test_digest_of_code_and_what_it_reaches() -> None:
    def make(constant: int, table: list[int]):
        numbers = np.array(table)

        def helper(x: int) -> int:
            return x + constant

        return lambda x: helper(x) + numbers[0]

    one = digest(make(1, [2]))
    assert one == digest(make(1, [2]))
    assert len({one, digest(make(2, [2])), digest(make(1, [3]))}) == 3


class Wide(NamedTuple):
    rows: int
    columns: int


class Tall(NamedTuple):
    columns: int
    rows: int


def test_digest_of_the_order_of_fields() -> None:
    """Code was found again that reads fields by the places that they had."""
    Wide.__qualname__ = Tall.__qualname__ = "Size"
    for one, other in ((Wide(6, 7), Tall(6, 7)), (Wide, Tall)):
        assert digest(one) != digest(other)
    kinds = [types.NamedTuple([types.int64, types.int64], size) for size in (Wide, Tall)]
    assert list(_fields(kinds)) == [("rows", "columns"), ("columns", "rows")]
    assert list(_fields([types.UniTuple(kinds[1], 1)])) == [("columns", "rows")]


def test_digest_of_what_a_method_or_a_partial_function_has() -> None:
    assert digest("a{}".format) == digest("a{}".format) != digest("b{}".format)
    assert digest(partial(max, 1)) == digest(partial(max, 1)) != digest(partial(max, 2))
    assert digest(partial(max, 1)) != digest(partial(min, 1))


def test_digest_of_plain_values() -> None:
    values = [
        1,
        1.0,
        True,
        "1",
        b"1",
        None,
        (1,),
        [1],
        {"a": 1},
        {"a": 2},
        {1, 2},
        np.int8(1),
        np.dtype("i4"),
        np.zeros(2),
        Colour.BLACK,
        Colour.WHITE,
        types.int32,
        types.int64,
    ]
    assert len({digest(value) for value in values}) == len(values)


def test_digest_of_ranges_and_slices() -> None:
    values = [range(3), range(4), range(1, 4), range(1, 4, 2), slice(3), slice(1, 3), slice(1, 3, 2), slice(None, 4)]
    assert len({digest(value) for value in values}) == len(values)
    assert digest(range(3)) == digest(range(3))

    def first(x: Any) -> Any:
        return x[0]

    codes = [first.__code__.replace(co_consts=(None, part)) for part in (slice(1, 2), slice(1, 3))]  # as in Python 3.14
    assert digest(codes[0]) != digest(codes[1])


class Marks:
    def __init__(self, text: str) -> None:
        self.text, self.itself = text, self

    def shown(self, state: Any) -> str:
        return self.text


class Slotted(Marks):
    __slots__ = ("more", "unset")

    def __init__(self, more: int) -> None:
        super().__init__("X")
        self.more = more


class Bare:
    __slots__ = "one"

    def __init__(self, one: int) -> None:
        self.one = one


def test_digest_of_objects() -> None:
    """Those of one's own count by what they have, others by their type."""
    for kind in (Slotted, Bare):
        assert digest(kind(1)) == digest(kind(1)) != digest(kind(2))
    assert digest(Marks("X")) == digest(Marks("X")) != digest(Marks("O"))
    assert digest(Marks("X").shown) == digest(Marks("X").shown) != digest(Marks("O").shown)
    one, other = Marks("X"), Marks("X")
    assert digest([one, one, other]) != digest([one, other, other])  # as of functions
    assert digest(np.random.default_rng(1)) == digest(np.random.default_rng(2))


def test_digest_of_the_options_of_numba() -> None:
    """Code was found again that divides by zero, or reckons, in another way."""

    def divided(a: float, b: float) -> float:
        return a / b

    def often(*_: Any) -> bool:
        return True

    options: list[dict[str, Any]] = [
        {},
        {"error_model": "numpy"},
        {"fastmath": True},
        {"fastmath": {"nnan"}},
        {"fastmath": {"nnan", "nsz"}},
        {"inline": "always"},
        {"inline": often},
        {"locals": {"a": types.float32}},
    ]
    made = [njit(**one)(divided) for one in options]
    assert len({digest(lambda: one) for one in made}) == len(made)  # noqa: B023
    assert digest(njit(fastmath=True)(divided)) == digest(made[2])


DIGESTS = """
from numba import njit
from plyground.envs import connect_four
from plyground.envs.jit.digest import digest

def add(a, b):
    return a + b

flags = {"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"}  # in an order that depends on the process
print(connect_four().digest, digest(njit(fastmath=flags, inline=lambda *_: True)(add)))
"""


def test_digest_is_the_same_in_every_process() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(DIGESTS, {"__name__": "__main__"})
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run([sys.executable, "-c", DIGESTS], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == printed.getvalue()


def test_digest_of_defaults_modules_and_enumerations() -> None:
    def digest_of(win: float, drawn: float, level: int) -> str:
        package, constants = ModuleType("package"), ModuleType("package.constants")
        constants.WIN, package.constants = level, constants  # type: ignore[attr-defined]
        names = {"package": package, "Level": IntEnum("Level", {"WIN": level}), "__name__": "rules"}
        code = f"def rule(x, win={win}, *, drawn={drawn}):\n    return package.constants.WIN"
        exec(code, names)
        exec("def other():\n    return Level.WIN", names)
        return digest(names["rule"]) + digest(names["other"])

    first = digest_of(1, 0, 3)
    assert first == digest_of(1, 0, 3)
    assert len({first, digest_of(2, 0, 3), digest_of(1, 0.5, 3)}) == 3
    by_level = digest_of(1, 0, 4)
    assert first[:16] != by_level[:16]
    assert first[16:] != by_level[16:]


def test_digest_of_which_of_its_functions_is_called_again() -> None:
    def one(x: int) -> int:
        return x + 1

    def other(x: int) -> int:
        return x * 10

    def make(first: Any, second: Any, third: Any):
        return lambda x: first(x) + second(x) + third(x)

    orders = [(a, b, c) for a in (one, other) for b in (one, other) for c in (one, other)]
    assert len({digest(make(*order)) for order in orders}) == len(orders)
    assert digest(make(one, other, one)) == digest(make(one, other, one))


def test_digest_of_a_game_whose_rule_takes_the_place_of_another() -> None:
    game = checkers()
    changed = game.replace(canonical_key=game.repetition_key)
    assert changed != game
    state = game.new_state()
    state.quiet = 5
    for one in (game, changed):
        assert _canonical_key(one, state) == one.canonical_key(state)


def test_digest_of_what_a_function_that_calls_itself_returns() -> None:
    def height(n: int) -> float:
        return 0.0 if n == 0 else 1.0 + again((n - 1,))

    again = self_call(height, types.int64)
    whole = digest(height)
    again = self_call(height, types.int64)
    assert digest(height) == whole
    again = self_call(height, types.float64)
    assert digest(height) != whole


def test_digest_of_recursive_functions() -> None:
    def down(n: int) -> int:
        return 0 if n == 0 else down(n - 1)

    assert digest(down) == digest(down)
