"""The options of a player that is asked by UCI, and what they change of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ...agents.registry import agent_arguments
from ...envs.outside.elsewhere import place_of
from ...envs.outside.limits import MOST_THREADS
from ...envs.outside.messages import shown
from ...envs.outside.spec import nearest, parse_spec

__all__ = ["Option", "Options"]

_BUDGETS = ("depth", "nodes", "seconds", "simulations")
_SECONDS = 1.0  # of a move, for a player without a budget, if it is not told of any time
_MEMORY = ("table_mb", "tree_mb")
_OVERHEAD = 10  # milliseconds
_MOST_HASH = 1 << 16  # megabytes
_TREES, _TREE_MB = ("mcts", "puct"), 1024  # whose trees grow as long as a search lasts, which may be for ever
_MOST_DIGITS = 18  # of a whole number


class Option(NamedTuple):
    """An option, as ``uci`` lists it."""

    name: str
    kind: str  # "spin", "check" or "button"
    default: int | bool | None = None
    least: int = 0
    most: int = 0
    why: str = ""  # why it stays at ``least``, if it does

    @property
    def line(self) -> str:
        """The line that says what it is."""
        text = f"option name {self.name} type {self.kind}"
        if self.kind == "spin":
            return f"{text} default {self.default} min {self.least} max {self.most}"
        return text if self.kind == "button" else f"{text} default {str(bool(self.default)).lower()}"

    def read(self, text: str) -> int | bool | None:
        """Return the value that a text says.

        Raises:
            ValueError: it is no value of this option.
        """
        if self.kind == "button":
            return None
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise ValueError(f"{self.name} must be true or false, got {text!r}")
            return text.lower() == "true"
        digits = text.removeprefix("-")
        is_whole = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
        if self.why and is_whole and int(text) > self.most:
            raise ValueError(f"{self.why}: {self.name} stays at {self.most}")
        if not is_whole or not self.least <= int(text) <= self.most:
            raise ValueError(f"{self.name} must be a whole number from {self.least} to {self.most}, got {shown(text)}")
        return int(text)


class Options:
    """The options, their values, and the arguments that they give the player.

    Args:
        player: the player's spec.
        is_960: whether the game is Chess960 to begin with.

    Attributes:
        values: the values that were set, by name: the player has them, whatever it had before.

    Raises:
        ValueError: there is no such player.
    """

    def __init__(self, player: str, is_960: bool) -> None:
        self._arguments: dict[str, Any] = {}
        self._name = player
        self._tree_mb: int | None = None
        if place_of(player) is None:
            name, values, named = parse_spec(player)
            self._name = name
            self._arguments = agent_arguments(name, values, named)
            if name == "engine":  # a program is told of the limits of each move
                del self._arguments["seconds"]
            if name in _TREES and self._arguments["tree_mb"] is None:
                self._arguments["tree_mb"] = self._tree_mb = _TREE_MB
        self._memory = next((name for name in _MEMORY if name in self._arguments), "")
        self._is_960 = is_960
        self.values: dict[str, Any] = {}

    @cached_property
    def known(self) -> tuple[Option, ...]:
        """The options. It can be asked for once the player is made: its arguments are then what they are to be."""
        hash_mb = max(int(self._arguments.get(self._memory) or 16), 1)
        threads = self._arguments.get("threads")
        most, why = (MOST_THREADS, "") if threads is not None else (1, f"{self._name} has no choice of threads")
        return (
            Option("Hash", "spin", hash_mb, 1, max(hash_mb, _MOST_HASH)),
            Option("Clear Hash", "button"),
            Option("Threads", "spin", threads or 1, 1, most, why),
            Option("MultiPV", "spin", 1, 1, 500),
            Option("Move Overhead", "spin", _OVERHEAD, 0, 5000),
            Option("UCI_Chess960", "check", self._is_960),
            Option("UCI_AnalyseMode", "check", False),
        )

    def __getitem__(self, name: str) -> Any:
        return self.values[name] if name in self.values else next(o.default for o in self.known if o.name == name)

    def set(self, name: str, text: str) -> str:
        """Set an option by its name, in any case; return its name.

        Raises:
            ValueError: there is none, or it takes no such value. Nothing is changed.
        """
        found = next((option for option in self.known if option.name.lower() == name.lower()), None)
        if found is None:
            raise ValueError(f"no option {name!r}: {nearest(name, [option.name for option in self.known])}")
        value = found.read(text)
        if found.kind != "button":
            self.values = {**self.values, found.name: value}
        return found.name

    @property
    def changes(self) -> dict[str, Any]:
        """The arguments of the player that are to be others than in its spec."""
        changes: dict[str, Any] = {}
        budgets: Sequence[str] = [name for name in _BUDGETS if name in self._arguments]
        if "seconds" in budgets and all(self._arguments[name] is None for name in budgets):
            changes["seconds"] = _SECONDS
        if self._tree_mb is not None:
            changes["tree_mb"] = self._tree_mb
        for option, argument in (("Hash", self._memory), ("Threads", "threads" * ("threads" in self._arguments))):
            if argument and option in self.values:
                changes[argument] = self.values[option]
        return changes
