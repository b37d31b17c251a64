"""AlphaGo's pipeline as a run: its parts one after the other, each saved as it goes, in one folder.

::

    config.json      the `AlphaGoConfig`
    records/         the games, split; their positions; positions of the held-out games that are solved
    policy/          the policy from records: model.safetensors, results.json, and the folders of a run
    rollout/         the rollout policy: model.npz, results.json
    rl/              the policy by play, like policy/
    value/           the value network, like policy/; whole.safetensors, which learned from whole games; its positions
    results.json     the results of all finished parts

A run is interrupted between two steps. When it goes on, it does what it would have done without the break, bit for bit.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....envs import Game, make_game
from ....envs.outside.spec import nearest
from ....envs.outside.whole_files import write_whole
from ...interruption import interruptible
from ..folder import algorithm_of
from ..settings import check_machine, have_passed, resumed
from ..whole_files import alone_in, check_free
from .config import PARTS, AlphaGoConfig
from .part import AlphaGoProgress, OnProgress, Part, PartSession, Run, part_folder, results_of, summary_of
from .policy import PolicyPart, whole_buffer
from .records import Collection, read_collection, samples_of
from .reinforce import ReinforcePart
from .rollout import RolloutPart
from .summary import how_to_go_on
from .value import ValuePart

__all__ = ["check_unfinished", "is_run", "resume", "train"]

_KINDS: dict[str, type[Part]] = {"policy": PolicyPart, "rollout": RolloutPart, "rl": ReinforcePart, "value": ValuePart}


def is_run(path: str | Path) -> bool:
    """Tell whether a folder holds a run of AlphaGo's pipeline: by ``config.json`` or, where damaged, its records."""
    return algorithm_of(path) == "alphago" or (Path(path) / "records" / "summary.json").is_file()


def train(
    config: AlphaGoConfig,
    folder: str | Path,
    on_progress: OnProgress | None = None,
    *,
    parts: Sequence[str] | None = None,
) -> AlphaGoProgress:
    """Read the records, train the parts, keep all in a new folder, and return how far the run has come.

    Ctrl-C ends the training after the step in progress, and saves it: `resume` goes on from there.

    Args:
        config: what to train, and how.
        folder: the run's folder, a new one or one that holds no run.
        on_progress: called after each step.
        parts: the parts to train. Default: all of `PARTS`.

    Raises:
        ValueError: a name in the configuration is unknown, the records cannot be used, or a part needs another that is
            not trained. Nothing is written.
        FileExistsError: the folder holds a run already, or something else where this one would keep its own.
        FileNotFoundError: there is no folder to make it in, or no file of records.
        OSError: another process trains in it.
        ImportError: torch or safetensors is not installed.
    """
    config = config.anywhere()
    config.check_names()
    chosen = _chosen(parts)
    path = Path(folder)
    if not _has_only_begun(path):
        part_folder(path.parent, path.name).check_new()
        check_free(path, ("records", "results.json", *PARTS))
    _check_needs(path, chosen)
    game = make_game(config.game)
    collection = read_collection(game, config.records, test_share=config.test_share, strict=config.strict)
    is_new = not path.exists()
    with alone_in(path):
        shutil.rmtree(path / "state", ignore_errors=True)  # of a run of another kind that was killed as it began
        records, partial = path / "records", path / "records.partial"
        shutil.rmtree(partial, ignore_errors=True)  # what a run left that was killed as it read
        try:
            _write_records(partial, game, collection)
            config.save(path / "config.json")
            partial.rename(records)  # now it is a run; before, one that has only begun
        except BaseException:
            (path / "config.json").unlink(missing_ok=True)
            for written in (partial, records, *([path] if is_new else [])):
                shutil.rmtree(written, ignore_errors=True)
            raise
        return _run(Run(config, game, path), chosen, on_progress)


def resume(
    folder: str | Path,
    on_progress: OnProgress | None = None,
    *,
    parts: Sequence[str] | None = None,
    minutes: float | None = None,
    **machine: Any,
) -> AlphaGoProgress:
    """Go on with a run exactly as it was, and return how far it has come.

    Finished parts stay as they are; but one that time has ended goes on if it is named, and given more ``minutes``.

    Args:
        folder: the run's folder.
        on_progress: called after each step.
        parts: the parts to train. Default: all that are not finished.
        minutes: the new limit on the time of a part, over all sessions. Default: the configuration's.
        machine: new values of the fields ``threads``, ``device`` and ``backend``. With others than before the run
            goes on, but no longer bit for bit.

    Raises:
        FileNotFoundError: the folder holds no run.
        ValueError: a file of the run is damaged, there is nothing left to do, a part needs another that is not
            trained, a value is out of its range, or the device is not here.
        ImportError: what computes nets is not installed.
        OSError: another process goes on with it.
    """
    config, chosen = _unfinished(Path(folder), parts, minutes, machine)
    path = Path(folder)
    with alone_in(path):
        config.save(path / "config.json")
        return _run(Run(config, make_game(config.game), path), chosen, on_progress)


def check_unfinished(
    folder: str | Path, *, parts: Sequence[str] | None = None, minutes: float | None = None, **machine: Any
) -> None:
    """Check that there is something left to do in a run, with these values, as for `resume`, in place of its own.

    Raises:
        FileNotFoundError: the folder holds no run.
        ValueError: it is a run of another kind, all is done, a value is out of its range, the device is not here, or a
            file is damaged.
        ImportError: what computes nets is not installed.
    """
    _unfinished(Path(folder), parts, minutes, machine)


def _unfinished(
    path: Path, parts: Sequence[str] | None, minutes: float | None, machine: Mapping[str, Any]
) -> tuple[AlphaGoConfig, list[str]]:
    if not (path / "config.json").is_file():
        raise FileNotFoundError(
            f"{str(path)!r} holds no training run that could go on: expected config.json and records/, as "
            "`plyground train alphago` writes them"
        )
    if not is_run(path):
        raise ValueError(f"{str(path)!r} holds a run of another kind, expected one of alphago")
    if _has_only_begun(path):
        raise ValueError(f"the run in {str(path)!r} was killed before it had read its records: begin it anew")
    if not (path / "records" / "summary.json").is_file():
        where = f": resume {str(path.parent)!r}" if is_run(path.parent) else ""
        raise ValueError(f"{str(path)!r} holds no whole run of alphago, only a part of one{where}")
    config = resumed(AlphaGoConfig.load(path / "config.json"), {"minutes": minutes}, machine)
    left = [part for part in _chosen(parts) if not _is_finished(path, part, minutes if parts else None)]
    if not left:
        told = "all parts are finished" if parts is None else f"{', '.join(parts)} is finished"
        for part in _chosen(parts):
            if (results := results_of(path, part)) is not None and not results["complete"]:
                told += f"; its minutes ended {part}: go on with {how_to_go_on(path, part, results)}"
        raise ValueError(f"nothing left to do in {str(path)!r}: {told}")
    _check_needs(path, left)
    check_machine(config.device, config.backend)
    return config, left


def _has_only_begun(path: Path) -> bool:
    """Return whether what is here is a run that was killed before its records had their place."""
    return is_run(path) and {one.name for one in path.iterdir()} <= {"config.json", "records.partial"}


def _chosen(parts: Sequence[str] | None) -> list[str]:
    for part in parts or ():
        if part not in PARTS:
            raise ValueError(f"unknown part {part!r} of alphago: {nearest(part, PARTS)}")
    return [part for part in PARTS if parts is None or part in parts]


def _is_finished(path: Path, part: str, minutes: float | None = None) -> bool:
    """Return whether a part has come to its end; if time ended it, more ``minutes`` let it go on."""
    found = results_of(path, part)
    return found is not None and (minutes is None or found["complete"] or have_passed(minutes, found["seconds"]))


def _check_needs(path: Path, chosen: Sequence[str]) -> None:
    """Check that each part finds what it begins from."""
    for part in chosen:
        missing = [needed for needed in _KINDS[part].needs if needed not in chosen and not _is_finished(path, needed)]
        if missing:
            steps = " ".join(f"--step {one}" for one in PARTS if one in {*missing, *chosen})
            raise ValueError(f"{part} begins from {missing[0]}, which is not trained yet: train that too, by {steps}")


def _write_records(folder: Path, game: Game, collection: Collection) -> None:
    """Write the positions of the games, the held-out games, and what there is in all, into a new folder."""
    folder.mkdir()
    counts = {}
    for name, records in (("train", collection.train), ("test", collection.test)):
        buffer = whole_buffer(folder / name, game)
        for samples in samples_of(game, records):
            buffer.append(samples)
        buffer.flush()
        if not buffer.total:
            raise ValueError(
                f"the games to {'learn from' if name == 'train' else 'test on'} have no move that a player chose"
            )
        counts[f"{name} positions"] = buffer.total
    for name, records in (("learned", collection.train), ("held_out", collection.test)):
        write_whole(folder / f"{name}.jsonl", "".join(f"{record.to_json()}\n" for record in records).encode())
    if collection.faults:
        write_whole(folder / "faults.txt", "".join(f"{fault}\n" for fault in collection.faults).encode())
    plies = max(len(record.moves) for record in (*collection.train, *collection.test))
    summary = {**collection.as_data(), **counts, "plies": plies}
    write_whole(folder / "summary.json", (json.dumps(summary, indent=2) + "\n").encode())


def _run(run: Run, chosen: Sequence[str], on_progress: OnProgress | None) -> AlphaGoProgress:
    """Train parts, one after the other, and return the last progress."""
    import torch

    torch.set_num_threads(run.config.threads)
    last: list[AlphaGoProgress] = []

    def note(progress: AlphaGoProgress) -> None:
        last[:] = [progress]
        if on_progress is not None:
            on_progress(progress)

    for name in chosen:
        part = _KINDS[name](run)
        session = PartSession(part, run, _steps_before(run.path, name), note)
        with session.folder.resumable(run.path), interruptible(session):
            session.begin()
            session.run()
        _write_results(run)
        if session.interrupted or not session.finished:
            break
    return last[0] if last else AlphaGoProgress(0, 0.0, 0, 0.0, 0.0)


def _steps_before(path: Path, name: str) -> int:
    """Return the steps of the finished parts that come before one, whichever session made them."""
    earlier = (results_of(path, part) for part in PARTS[: PARTS.index(name)])
    return sum(int(found["steps"]) for found in earlier if found is not None)


def _write_results(run: Run) -> None:
    """Put the results of all finished parts into one file."""
    parts = {part: results_of(run.path, part) for part in PARTS}
    found = {"records": summary_of(run.path)} | {part: its for part, its in parts.items() if its is not None}
    write_whole(run.path / "results.json", (json.dumps(found, indent=2) + "\n").encode())
