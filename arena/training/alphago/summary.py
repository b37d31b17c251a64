"""What came out of a run, in lines for people."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .config import PARTS

__all__ = ["lines_of"]


def lines_of(folder: str | Path) -> Iterator[str]:
    """Yield a line for each part of a run: what its tests said, or that it is not finished."""
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
        yield f"{part}: not finished" if results is None else f"{part}: {_WORDS[part](results)}"
    if left:
        yield f"go on with --resume {shlex.quote(str(folder))}"


def _policy(results: dict[str, Any]) -> str:
    marks = results["accuracy"]
    time = 1e6 * results["seconds per move"]
    likelihood = "" if marks["log likelihood"] is None else f"log likelihood {marks['log likelihood']:.3f}, "
    text = f"top 1 {marks['top 1']:.1%}, top 5 {marks['top 5']:.1%}, {likelihood}{time:.1f} µs a move"
    return text + _truth(results)


def _rollout(results: dict[str, Any]) -> str:
    return str(results["left out"]) if "left out" in results else _policy(results)


def _rl(results: dict[str, Any]) -> str:
    drawn, preferred = (results["against policy"][how] for how in ("drawn", "preferred"))
    scores = ", ".join(f"{name} {score:.1%}" for name, score in results["ladder"].items())
    return (
        f"{drawn['score']:.1%} against policy with moves drawn, {preferred['score']:.1%} with preferred ones; {scores}"
        + _truth(results)
    )


def _value(results: dict[str, Any]) -> str:
    parts = []
    for kind in ("one position a game", "whole games"):
        if kind in results:
            errors = results[kind]
            parts.append(f"{kind}: squared error {errors['train']:.3f} learned, {errors['test']:.3f} held out")
            parts += [f"{name} {one['mse']:.3f}" for name, one in errors.items() if isinstance(one, dict)]
    return ", ".join(parts) or "its time was up before it learned: go on with --step value and more --minutes"


def _truth(results: dict[str, Any]) -> str:
    return "".join(f"; keeps the value, {name}: {one['keeps value']:.1%}" for name, one in results["truth"].items())


_WORDS = {"policy": _policy, "rollout": _rollout, "rl": _rl, "value": _value}
