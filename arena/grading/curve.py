"""A learning curve: the checkpoints of a training run, graded one after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...agents.networks.files import check_one_network
from .evaluation import Evaluation, evaluate

__all__ = ["CurvePoint", "checkpoints", "curve_row", "game_of_run", "learning_curve", "player_of"]

_CHECKPOINT = re.compile(r"step_(\d+)\.(?:zip|safetensors)")


@dataclass(frozen=True)
class CurvePoint:
    """A checkpoint and its evaluation.

    Attributes:
        steps: the steps of training, from the name of the file.
        path: the file of the checkpoint.
        found: the evaluation of the checkpoint.
    """

    steps: int
    path: Path
    found: Evaluation


def learning_curve(run: str | Path, game: str | None = None, **options: Any) -> Iterator[CurvePoint]:
    """Return an iterator that evaluates each checkpoint of a run in turn, by the same positions and openings.

    Args:
        run: the folder that `plyground train` writes, with ``config.json`` and ``checkpoints/step_000123456.zip`` …,
            or ``.safetensors``: networks of AlphaZero, which play without search.
        game: the game. Default: the one that ``config.json`` names.
        **options: options of `evaluate`.

    Raises:
        FileNotFoundError: there is no such folder, or it has no checkpoint.
        ValueError: the configuration of the run names no game, or `evaluate` refuses.
    """
    found = checkpoints(run)
    game = game or game_of_run(run)
    options = {"anchors": {}, **options}  # the rungs are the same for all: measured once, if at all
    return (
        CurvePoint(steps, path, evaluate(player_of(path), game, name=path.stem, **options)) for steps, path in found
    )


def checkpoints(run: str | Path) -> list[tuple[int, Path]]:
    """Return the steps and the file of each checkpoint, in the order of the steps.

    Raises:
        FileNotFoundError: there is no such folder, or it has no checkpoint.
    """
    folder = Path(run)
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {str(run)!r}: expected that of a training run")
    matches = ((path, _CHECKPOINT.fullmatch(path.name)) for path in (folder / "checkpoints").glob("step_*"))
    found = sorted((int(match[1]), path) for path, match in matches if match is not None)
    if not found:
        check_one_network(folder)
        raise FileNotFoundError(
            f"{str(run)!r} has no checkpoints: expected files such as checkpoints/step_000100000.zip or .safetensors, "
            "which `plyground train` writes now and then"
        )
    return found


def player_of(model: Path) -> str:
    """Return the spec of the player that a file of a run is: a model of stable-baselines3, or a network."""
    return f"{'network' if model.suffix == '.safetensors' else 'policy'}({str(model)!r})"


def game_of_run(run: str | Path) -> str:
    """Return the spec of the game of a training run, from its ``config.json``.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it names no game.
    """
    path = Path(run) / "config.json"
    if not path.is_file():
        raise FileNotFoundError(f"there is no {str(path)!r}, which would name the game: give it with --game")
    try:
        game = json.loads(path.read_text(encoding="utf-8"))["game"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{str(path)!r} names no game ({error!r}): give it with --game") from None
    if not isinstance(game, str):
        raise ValueError(f"{str(path)!r} names no game, but {game!r}: give it with --game")
    return game


def curve_row(point: CurvePoint) -> dict[str, Any]:
    """Return a point as a row of a table."""
    row: dict[str, Any] = {"steps": point.steps, "checkpoint": point.path.name}
    if point.found.grades is not None:
        total = point.found.grades.total
        for name, share in (("preserving", total.preserving), ("keeping", total.keeping), ("optimal", total.optimal)):
            row |= {name: share.share, f"{name}_low": share.low, f"{name}_high": share.high}
            row[f"{name}_by_chance"] = getattr(total, f"{name}_by_chance")
        row["lost"] = total.lost.mean
    if point.found.ladder is not None:
        rating = point.found.ladder.rating
        row |= {"score": rating.score, "elo": rating.elo, "elo_low": rating.low, "elo_high": rating.high}
    return row
