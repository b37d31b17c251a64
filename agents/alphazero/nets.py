"""Where networks are: in the folder of a run, in a file, or in the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...envs import Game
from ..networks import Inference, SavedNetwork, make_inference, read_network
from ..networks.files import file_of

__all__ = ["find_network", "has_learned_values", "inference_of", "shipped"]

_FOLDER = Path(__file__).parent / "data"


def shipped() -> list[str]:
    """Return the specs of the games for which a trained network comes with the package, sorted."""
    return sorted(path.stem for path in _FOLDER.glob("*.safetensors"))


def find_network(game: Game, place: str | Path | None) -> Path:
    """Return the file of a network.

    Args:
        game: the game that it is to play.
        place: a file, or the folder of a run; or None, or the game's own name if no file or folder is called so, for
            the network of this game that comes with the package.

    Raises:
        FileNotFoundError: there is none; the message says how to get one.
    """
    if place is None or (str(place) in (game.name, game.spec) and not Path(place).exists()):
        path = _FOLDER / f"{game.spec}.safetensors"
        if not path.is_file():
            raise FileNotFoundError(
                f"no network for {game.spec} comes with the package (there are some for {', '.join(shipped())}): "
                "train one with `plyground train alphazero GAME --out FOLDER`, and name the folder"
            )
        return path
    path = file_of(Path(place))
    if not path.is_file():
        raise FileNotFoundError(
            f"no network {str(place)!r}: expected a file such as net.safetensors, or the folder of a run of "
            "`plyground train alphazero GAME --out FOLDER`"
        )
    return path


def inference_of(
    game: Game, net: Any, *, batch: int, backend: str, threads: int, device: str, values: bool = False
) -> Inference:
    """Return what computes a network.

    Args:
        game: the game that it is to play.
        net: its place, see `find_network`; a `PolicyValueNet`; or an `Inference`, which is taken as it is.
        batch: positions that it is asked about at a time.
        backend: the library, see `make_inference`.
        threads: how many the library uses.
        device: where it is computed.
        values: whether its values are asked for as well, and not its policy alone.

    Raises:
        ValueError: the network is for another game, an argument does not fit, or the file is that of a part of AlphaGo
            which has not learned what is asked for.
        FileNotFoundError: there is no such network.
        ImportError: the library that ``backend`` names is not installed.
    """
    if isinstance(net, Inference):
        return net
    if net is None or isinstance(net, (str, Path)):
        place, net = net, read_network(find_network(game, net))
        _check_learned(net, place, values)
    return make_inference(net, backend, batch=batch, threads=threads, device=device, game=game)


def _check_learned(saved: SavedNetwork, place: Any, values: bool) -> None:
    """Refuse a part of AlphaGo whose policy, or whose values where these are asked for, have learned nothing.

    Raises:
        ValueError: it is one; the message says what plays instead.
    """
    part = str(saved.notes.get("part", ""))
    told = f"{str(place)!r} is the {part.partition(',')[0]} network of a run of alphago"
    all_parts = "with all of its parts, the run plays as alphago(RUN)"
    if part.startswith("value"):
        raise ValueError(f"{told}, whose policy has learned nothing: {all_parts}")
    if values and not _has_values(saved):
        raise ValueError(f"{told}, whose values have learned nothing: it plays as network({place}); {all_parts}")


def has_learned_values(game: Game, net: Any) -> bool:
    """Return whether a network knows what positions are worth: of AlphaGo's parts that are policies few do.

    Args:
        game: the game that it is to play.
        net: as for `inference_of`.
    """
    return not (net is None or isinstance(net, (str, Path))) or _has_values(read_network(find_network(game, net)))


def _has_values(saved: SavedNetwork) -> bool:
    part, config = str(saved.notes.get("part", "")), saved.notes.get("config")
    learned_beside = part == "rl" and isinstance(config, dict) and config.get("baseline") == "value"
    return part not in ("policy", "rl") or learned_beside
