"""Keys: hashes by which a game, a player or a tournament is known again.

A game is the same game if rules, players, opening, seed and sides are: whatever is random in it comes from the seed.
The order of the players is the side. Of a player count its name, its spec, and the hashes of its files, wherever those
are; not the defaults of its arguments, nor by what its networks are computed, which its row tells.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ..records.opening import Opening
from ..records.record import GameRecord

__all__ = ["digest", "game_key", "player_digest", "record_key", "rules_digest"]

_BYTES = 16


def digest(value: Any) -> bytes:
    """Return a hash of a value that JSON has."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=_BYTES).digest()


def rules_digest(identity: Mapping[str, Any]) -> bytes:
    """Return the hash of what `plyground.agents.identity.game_identity` says of a game."""
    return digest([identity["game"], sorted(identity["files"].values())])


def player_digest(name: str, identity: Mapping[str, Any]) -> bytes:
    """Return the hash of a player.

    Args:
        name: its name in the records.
        identity: what `plyground.agents.identity.player_identity` says of it; nothing if only the name is known.
    """
    return digest([name, identity.get("spec"), _hashes(identity)])


def _hashes(identity: Any) -> list[str]:
    """Return the hashes of all files of a player, and of the players inside it."""
    if isinstance(identity, list):
        return [one for part in identity for one in _hashes(part)]
    if not isinstance(identity, dict):
        return []
    parts = [part for part in identity.get("arguments", {}).values() if isinstance(part, (list, dict))]
    return sorted(identity.get("files", {}).values()) + [one for part in parts for one in _hashes(part)]


def game_key(rules: bytes, first: bytes, second: bytes, opening: Opening, seed: int | None) -> bytes:
    """Return the key of a game of a tournament, whether it is played already or not.

    Args:
        rules: the hash of the rules, and of whatever else the games depend on.
        first: the hash of the player who moves first.
        second: the hash of the other.
        opening: its position and moves.
        seed: the seed of the game.
    """
    text = f"{seed};{','.join(map(str, opening.moves))}"
    if opening.start is not None:
        text += f";{opening.start}"
    return hashlib.blake2b(rules + first + second + text.encode(), digest_size=_BYTES).digest()


def record_key(record: GameRecord) -> bytes:
    """Return the key of a game of which only the record is known: a hash of all of it, and of its event."""
    return hashlib.blake2b(record.to_json().encode(), digest_size=_BYTES, person=b"record").digest()
