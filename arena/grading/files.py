"""The evaluation of a player for programs: as JSON and as CSV files."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from ...envs.outside.whole_files import write_whole
from .evaluation import Evaluation, SetGrade
from .grades import Blunder, Grade, Share
from .ladder import Ladder

__all__ = ["as_data", "save_evaluation", "write_csv"]

_UNTOLD = ("board",)  # of a blunder
_PARTS = ("sets", "grades", "blunders", "ladder", "calibration", "outcomes")  # files of CSV


def as_data(value: Any) -> Any:
    """Return dataclasses and named tuples as dicts, for JSON: numbers that are not finite become None.

    The games of a ladder are left out; they can be saved as records.
    """
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.name != "records"]
        return {name: as_data(getattr(value, name)) for name in names}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        data = {name: as_data(one) for name, one in value._asdict().items()}  # pyright: ignore[reportAttributeAccessIssue]
        return {"share": as_data(value.share), **data} if isinstance(value, Share) else data
    if isinstance(value, (tuple, list)):
        return [as_data(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def save_evaluation(folder: Path, found: Evaluation) -> list[Path]:
    """Write an evaluation as JSON and as CSV files into an existing folder, and return the files.

    Those of an earlier evaluation there are replaced, or removed where this one has no such part. Each file is there as
    a whole, or as it was before, whatever ends the process meanwhile.
    """
    written = [folder / "evaluation.json"]
    is_again = written[0].exists()
    write_whole(written[0], (json.dumps(as_data(found), indent=2) + "\n").encode())
    parts: dict[str, Iterable[dict[str, Any]]] = {}
    blunder = [field.name for field in fields(Blunder) if field.name not in _UNTOLD]
    if found.grades is not None:
        parts["sets"] = map(_set_row, found.sets)
        parts["grades"] = map(_grade_row, (*found.grades.by_ply, found.grades.total))
        parts["blunders"] = map(_blunder_row, found.grades.blunders)
    if found.ladder is not None:
        parts["ladder"] = _ladder_rows(found.ladder)
    for name, calibration in (("calibration", found.calibration), ("outcomes", found.outcomes)):
        if calibration is not None:
            parts[name] = (one._asdict() for one in calibration.bins)
    for name in set(_PARTS) - set(parts) if is_again else ():
        (folder / f"{name}.csv").unlink(missing_ok=True)
    for name, rows in parts.items():
        written.append(folder / f"{name}.csv")
        write_csv(written[-1], list(rows), blunder if name == "blunders" else None)
    return written


def write_csv(path: Path, rows: Sequence[dict[str, Any]], names: Sequence[str] | None = None) -> None:
    """Write rows to a CSV file, under a line of their names.

    Args:
        path: the file.
        rows: the rows.
        names: their names. Default: all that a row has, in the order in which they come; a cell is empty where its row
            has no such value.
    """
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)) if names is None else names)
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, file.getvalue().encode())


def _grade_row(line: Grade) -> dict[str, Any]:
    row: dict[str, Any] = {"ply": "all" if line.ply is None else line.ply, "positions": line.positions}
    for name, share in (("preserving", line.preserving), ("keeping", line.keeping), ("optimal", line.optimal)):
        row |= {name: share.share, f"{name}_of": share.total, f"{name}_low": share.low, f"{name}_high": share.high}
    row |= {"lost": line.lost.mean, "lost_low": line.lost.low, "lost_high": line.lost.high}
    return row | {
        "preserving_by_chance": line.preserving_by_chance,
        "keeping_by_chance": line.keeping_by_chance,
        "optimal_by_chance": line.optimal_by_chance,
    }


def _set_row(one: SetGrade) -> dict[str, Any]:
    row: dict[str, Any] = {"set": one.name}
    for name, total in (("", one.total), ("far_", one.far)):
        kept = Share(0, 0, math.nan, math.nan) if total is None else total.preserving
        row |= {f"{name}positions": kept.total, f"{name}preserving": kept.share, f"{name}error": kept.rest.share}
        row |= {f"{name}low": kept.low, f"{name}high": kept.high}
    return row


def _blunder_row(blunder: Blunder) -> dict[str, Any]:
    row = {name: value for name, value in as_data(blunder).items() if name not in _UNTOLD}
    return row | {name: " ".join(map(str, row[name])) for name in ("line", "best")}


def _ladder_rows(ladder: Ladder) -> Iterator[dict[str, Any]]:
    for rung in ladder.rungs:
        counts = {"wins": rung.wins, "draws": rung.draws, "losses": rung.losses, "score": rung.result.score}
        yield {"player": rung.player, "elo": rung.elo, **counts, "low": rung.result.low, "high": rung.result.high}
    yield {
        "player": "all",
        "elo": ladder.rating.elo,
        "score": ladder.rating.score,
        "low": ladder.rating.low,
        "high": ladder.rating.high,
    }
