"""What came out of a run, in lines for people."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .config import PARTS

__all__ = ["how_to_go_on", "lines_of"]

_BANDS = 4  # of plies, at most, in which errors are told


def lines_of(folder: str | Path) -> Iterator[str]:
    """Yield a line for each part of a run, what its tests said, or that it is not finished; more lines are indented."""
    found = json.loads((Path(folder) / "results.json").read_text())
    read = found["records"]
    yield (
        f"records: {read['train']:,} games to learn from, {read['test']:,} to test on; "
        f"{read['duplicates']:,} duplicates, {read['unusable']:,} that cannot be used"
    )
    yield from (f"  {fault}" for fault in read["first faults"])
    faults = Path(folder) / "records" / "faults.txt"  # which older runs have not
    if read["unusable"] > len(read["first faults"]) and faults.is_file():
        yield f"  all of them: {faults}"
    left = False
    for part in PARTS:
        results = found.get(part)
        left |= results is None
        first, *others = ["not finished"] if results is None else _WORDS[part](results)
        yield f"{part}: {first}"
        yield from (f"  {line}" for line in (*others, *_further(Path(folder), part, found)))
    if left:
        yield f"go on with --resume {shlex.quote(str(folder))}"


def how_to_go_on(folder: Path, part: str, results: dict[str, Any]) -> str:
    """Return the options by which a part goes on that its minutes have ended: with twice the time that it took."""
    minutes = max(1, math.ceil(results["seconds"] / 30))
    return f"--resume {shlex.quote(str(folder))} --step {part} --minutes {minutes}"


def _further(folder: Path, part: str, found: dict[str, Any]) -> Iterator[str]:
    """Yield what can still be done with a finished part: more steps, or all anew from what has learned on since."""
    results = found.get(part)
    if results is None:
        return
    if not results["complete"]:
        how = how_to_go_on(folder, part, results)
        yield f"its minutes ended it after {results['steps']:,} steps, before all were done: go on with {how}"
    for needed, steps in results.get("began from", {}).items():  # which older versions did not keep
        now = found[needed]["steps"] if needed in found else steps
        if now != steps:
            yield (
                f"it began from {needed} after {steps:,} steps, which has {now:,} now: to train {part} anew, move "
                f"{folder / part} away, and go on with --resume {shlex.quote(str(folder))}"
            )


def _policy(results: dict[str, Any]) -> list[str]:
    marks = results["accuracy"]
    return [f"{_accuracy(marks)}, {1e6 * results['seconds per move']:.1f} µs a move", _others(marks), *_truth(results)]


def _accuracy(marks: dict[str, Any]) -> str:
    likelihood = "" if marks["log likelihood"] is None else f", log likelihood {marks['log likelihood']:.3f}"
    return f"top 1 {marks['top 1']:.1%}, top 5 {marks['top 5']:.1%}{likelihood}"


def _others(marks: dict[str, Any]) -> str:
    if "also learned" not in marks:
        return "held-out positions that were learned too: not counted by the older version of this run"
    others = f"; the others: {_accuracy(marks['not learned'])}" if marks["not learned"] else ""
    return f"held-out positions that were learned too: {marks['also learned']:.1%}{others}"


def _rollout(results: dict[str, Any]) -> list[str]:
    return [str(results["left out"])] if "left out" in results else _policy(results)


def _rl(results: dict[str, Any]) -> list[str]:
    drawn, preferred = (results["against policy"][how] for how in ("drawn", "preferred"))
    against = f"{drawn['score']:.1%} against policy with moves drawn, {preferred['score']:.1%} with preferred ones"
    scores = [f"{name} {score:.1%}" for name, score in results["ladder"].items()]
    return ["; ".join([against, *([", ".join(scores)] if scores else [])]), *_truth(results)]


def _value(results: dict[str, Any]) -> list[str]:
    lines = []
    for kind in ("one position a game", "whole games"):
        errors = results.get(kind)
        if errors is None:
            continue
        told = f"{errors['train']:.3f} learned; held out: {errors['test']:.3f} one a game"
        if "whole test" in errors:
            told += f", {errors['whole test']:.3f} whole games"
        elif "whole games" in results:
            told += ", whole games not tested by the older version of this run"
        lines.append(f"{kind}: {told}")
        lines += [f"  {name}: {_by_ply(one)}" for name, one in errors.items() if isinstance(one, dict)]
    if not lines:
        return ["its time was up before it learned"]
    return ["mean squared errors, by what the net learned", *lines]


def _by_ply(errors: dict[str, Any]) -> str:
    """Return a mean squared error, and those of some bands of plies."""
    by_ply = {int(ply): one for ply, one in errors["by ply"].items()}
    first, last = min(by_ply), max(by_ply)
    size, bands = math.ceil((last - first + 1) / _BANDS), []
    for start in range(first, last + 1, size):
        end = min(start + size - 1, last)
        some = [by_ply[ply] for ply in range(start, end + 1) if ply in by_ply]
        count = sum(one["positions"] for one in some)
        if count:
            error = sum(one["positions"] * one["mse"] for one in some) / count
            bands.append(f"{start}-{end} {error:.3f}" if start < end else f"{start} {error:.3f}")
    return f"{errors['mse']:.3f}; by ply {', '.join(bands)}"


def _truth(results: dict[str, Any]) -> list[str]:
    return [
        f"keeps the value, {name}: {one['keeps value']:.1%}; one of the best moves: {one['optimal']:.1%}"
        for name, one in results["truth"].items()
    ]


_WORDS = {"policy": _policy, "rollout": _rollout, "rl": _rl, "value": _value}
