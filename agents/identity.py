"""What a player is, for files that keep its games: all its arguments, defaults included, and hashes of its files.

A spec alone does not say it: ``alphazero(az)`` is another player after more training, and
``./examples/greedy.py:Greedy`` after an edit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..envs import Game
from ..envs.outside.elsewhere import place_of
from ..envs.outside.spec import parse_spec
from ..envs.players import PlayerLike, player_name
from .alphago import model_files
from .alphazero.nets import find_network
from .engines.process import located
from .isolation import Isolated
from .networks.inference import computing
from .policies.models import find_model
from .registry import agent_arguments

__all__ = ["file_hash", "game_identity", "player_identity"]

_NETWORKS = ("alphazero", "network")
_POLICIES = ("a2c", "dqn", "policy", "ppo")


def player_identity(player: PlayerLike, game: Game) -> dict[str, Any]:
    """Return what a player is, as values that JSON has.

    Args:
        player: a spec string, of which all is known; or an agent or a function, of which only the class or the name is.
            Of an isolated player its player is known, too.
        game: what it plays.

    Returns:
        ``spec``, as it is given, or the name of the class; ``agent``, the kind of player; ``arguments`` by name,
        defaults included; ``files``, the SHA-256 of each file that it is made of: weights, a model, a file of Python,
        the program of an engine; and of a player with networks ``computed``, by what that is done here, on which the
        last digits of what they say depend: ``backend`` and ``precision``.

    Raises:
        ValueError: there is no such player.
        FileNotFoundError: a file is missing.
        ImportError: the library that ``backend`` names is not installed.
    """
    if isinstance(player, Isolated):
        arguments = {"player": player_identity(player.player, game)}
        arguments |= {name: getattr(player, name) for name in ("answer_seconds", "start_seconds", "memory_mb")}
        return _identity(player_name(player), "isolated", arguments, [])
    if not isinstance(player, str):
        kind = player if hasattr(player, "__qualname__") else type(player)
        named = f"{kind.__module__}.{kind.__qualname__}"  # pyright: ignore[reportAttributeAccessIssue]
        return {"spec": player_name(player), "agent": named, "arguments": {}, "files": {}}
    place = place_of(player)
    if place is not None:
        _, values, named = parse_spec(player, place)
        arguments: dict[str, Any] = {**{str(number): one for number, one in enumerate(values)}, **named}
        return _identity(player, place, arguments, [_source(place), *_texts(arguments)])
    name, values, named = parse_spec(player)
    arguments = agent_arguments(name, values, named)
    has_networks = name in _NETWORKS
    if has_networks:
        files = [str(find_network(game, arguments.get("net")))]
    elif name == "alphago":
        used = {key: arguments[key] for key in ("priors", "lambda_", "rollout")}
        found = model_files(arguments["run"], **used)
        has_networks, files = bool(found.keys() - {"rollout"}), [str(file) for file in found.values()]
    elif name in _POLICIES:
        files = [str(find_model(arguments["model"])), arguments["normalization"] or ""]
    elif name == "engine":
        files = located(str(arguments["command"]))
    elif name == "gnugo":
        files = located("gnugo")
    else:
        files = list(_texts(arguments))
    if name == "mixture":
        arguments["agents"] = [player_identity(part, game) for part in arguments["agents"]]
    elif name == "isolated":
        arguments["player"] = player_identity(arguments["player"], game)
    identity = _identity(player, name, arguments, files)
    if has_networks:
        identity["computed"] = computing(arguments["backend"], arguments["device"])
    return identity


def game_identity(game: Game) -> dict[str, Any]:
    """Return what a game is: the spec by which it is made, and the hash of its file if it is one of the user's own."""
    place = place_of(game.source)
    return {"game": game.source, "files": _hashes([_source(place)] if place else [])}


def file_hash(path: str | Path) -> str:
    """Return the SHA-256 of a file, as hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _identity(spec: str, agent: str, arguments: Mapping[str, Any], files: list[str]) -> dict[str, Any]:
    return {
        "spec": player_name(spec),
        "agent": agent,
        "arguments": {name: _plain(one) for name, one in arguments.items()},
        "files": _hashes(files),
    }


def _plain(value: Any) -> Any:
    """Return an argument as JSON has it."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return getattr(value, "__qualname__", type(value).__qualname__)


def _source(place: str) -> str:
    """Return the file that a place is in; nothing for a module without one."""
    source = place.rpartition(":")[0]
    if source.endswith(".py"):
        return source
    found = find_spec(source)
    return (found and found.origin) or ""


def _texts(arguments: Mapping[str, Any]) -> Iterator[str]:
    for value in arguments.values():
        if isinstance(value, str):
            yield value


def _hashes(names: list[str]) -> dict[str, str]:
    """Return the hashes of those names that are files."""
    files = {name: Path(name).expanduser() for name in names if name and len(name) < 1000}
    return {name: file_hash(path) for name, path in files.items() if path.is_file()}
