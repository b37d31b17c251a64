"""Files of JSON lines: one whole record each, of any game."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from ...envs.outside.messages import shown
from .files import (
    Fault,
    NoRoomError,
    Watch,
    ends_within_a_line,
    ignored,
    keep_from_others,
    located,
    raised,
    without_mark,
)
from .record import GameRecord

__all__ = ["mend", "read_lines", "saved_lines"]

_BLOCK = 1 << 16  # bytes
_BEGINNING = b'{"game": "'  # of every line that `GameRecord.to_json` writes


def saved_lines(path: str | Path, records: Iterable[GameRecord]) -> Iterator[GameRecord]:
    """Yield the records, each as soon as it is added to a file.

    Raises:
        OSError: the file cannot be written, or another process writes to it (a store takes games of several).
    """
    with open(path, "ab", buffering=0) as file:
        keep_from_others(file, path)
        place = Path(path).resolve()  # whatever folder a player goes to
        end = b"\n" if ends_within_a_line(path) else b""  # of a line of somebody else
        for record in records:
            line, end = end + record.to_json().encode() + b"\n", b""
            try:
                written = file.write(line)
            except OSError as error:
                raise NoRoomError(path, (error.strerror or str(error)).lower()) from error
            if written != len(line):
                raise NoRoomError(path, "there is no room for more")
            if _is_deleted(file, place):
                raise OSError(f"cannot write {path}: the file was deleted or replaced meanwhile; play into a new file")
            yield record


def _is_deleted(file: IO[bytes], place: Path) -> bool:
    """Return whether an open file has no name any more; one that was moved has one."""
    found = os.fstat(file.fileno())
    if found.st_nlink:
        return False
    try:
        return not os.path.samestat(place.stat(), found)  # there are file systems that count no names
    except (FileNotFoundError, NotADirectoryError):
        return True


def mend(path: str | Path) -> bool:
    """Take away what is incomplete at the end of a file of JSON lines, whose writer was killed or had no room.

    Returns:
        Whether there was something.

    Raises:
        ValueError: the file is none of games, by its first line or by what stands at its end; it stays as it is.
    """
    with open(path, "r+b") as file:
        end, tail = file.seek(0, os.SEEK_END), b""
        while end > 0 and b"\n" not in tail:
            start = max(0, end - _BLOCK)
            file.seek(start)
            tail, end = file.read(end - start) + tail, start
        tail = tail[tail.rfind(b"\n") + 1 :]
        if not tail:
            return False
        kept = file.seek(0, os.SEEK_END) - len(tail)
        file.seek(0)
        try:
            first = without_mark(file.readline())
            if kept:
                GameRecord.from_json(first.decode("utf-8"))
            else:
                tail = first
        except ValueError as error:
            raise ValueError(f"{located(error, path, 1)}; it is no file of games: choose another file") from None
        file.seek(0, os.SEEK_END)
        try:
            GameRecord.from_json(tail.decode("utf-8"))
        except ValueError:
            if not tail.startswith(_BEGINNING[: len(tail)]):  # somebody else's, of which nothing may be lost
                raise ValueError(
                    f"{path} is no file of games: it ends in {shown(tail[:100].decode('utf-8', 'replace'))}, "
                    "expected a game or the beginning of one; choose another file"
                ) from None
            file.truncate(kept)
            return True
        file.write(b"\n")  # it was written by hand
        return False


def read_lines(path: str | Path, watch: Watch = ignored, fault: Fault = raised) -> Iterator[GameRecord]:
    """Yield the records of a file.

    Args:
        path: the file.
        watch: called with the bytes that are read, as `plyground.arena.records.files` says.
        fault: called with what is wrong with a line that is no record; by default it is raised.

    Raises:
        ValueError: a line is no record; the message has its number.
    """
    done = 0
    with open(path, "rb") as file:
        for number, data in enumerate(file, start=1):
            try:
                if number == 1:
                    data = without_mark(data)
                if not data.strip():  # where people look at a file, they leave empty lines
                    continue
                record = GameRecord.from_json(data.decode("utf-8"))
            except ValueError as error:
                fault(located(error, path, number))
                continue
            finally:
                done += len(data)
            watch(done)
            yield record
