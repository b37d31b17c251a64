"""Where and when a game was played, in the words of SGF: properties of its root.

``EV`` is the title, ``PC`` the site, ``DT`` the date (in UTC, of games from a store) and ``RO`` the round (with the
pairing, and the game of the pairing). These are written as far as they are known, and read. Of games of a tournament in
a store ``TM`` and ``OT`` tell the clock; they are not read.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sgfmill import sgf

from ..wording import decimal_of
from .event import Event, known_event

__all__ = ["event_of", "set_event"]

_PROPERTIES = {"title": "EV", "site": "PC", "date": "DT", "round": "RO"}


def set_event(root: sgf.Tree_node, event: Event | None) -> None:
    """Write what is known of an event into the root of a game."""
    if event is None:
        return
    found: dict[str, Any] = {_PROPERTIES[name]: text for name, text in event.as_data().items()}
    if event.clock is not None:
        seconds, increment, per_move = event.clock
        found["TM"] = 0 if per_move else seconds
        if per_move or increment:
            found["OT"] = f"1x{decimal_of(seconds)} byo-yomi" if per_move else f"{decimal_of(increment)} fischer"
    for name, value in found.items():
        root.set(name, value)


def event_of(root: sgf.Tree_node) -> Event | None:
    """Return the event that the root of a game tells; None if it tells nothing that can be read."""
    known: dict[str, str] = {}
    for name, identifier in _PROPERTIES.items():
        with suppress(KeyError, ValueError):  # there is none; its signs are none of the file's encoding
            known[name] = root.get(identifier).strip()
    return known_event(known)
