"""What readers and writers of formats share: where a fault stands, how files are encoded, how far a reader is."""

from __future__ import annotations

import codecs
import io
import itertools
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from ...envs.outside.files import lock
from ...envs.outside.messages import cut

__all__ = [
    "CUT_OFF",
    "Fault",
    "Lines",
    "NoRoomError",
    "Watch",
    "add_texts",
    "bytes_of_text",
    "check_readable",
    "decoded",
    "ends_within_a_line",
    "ignored",
    "keep_from_others",
    "located",
    "raised",
    "without_mark",
]

Fault = Callable[[ValueError], object]  # called with what is wrong with a game that is then left out, or raises it
Watch = Callable[[int], object]  # called now and then with the number of the file's bytes that are read
CUT_OFF = "the game breaks off: its moves end without a result"
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class NoRoomError(OSError):
    """A file takes no more games; those until now are in it.

    Attributes:
        what: which file it is, and why.
    """

    def __init__(self, path: str | Path, reason: str) -> None:
        self.what = f"cannot write {path}: {reason}"
        super().__init__(f"{self.what}; the games until now are in it, make room and resume")


def ignored(done: int) -> None:
    """Watch a reader, and do nothing."""


def raised(error: ValueError) -> None:
    """Raise what is wrong with a game."""
    raise error from None


def located(error: Exception, path: str | Path, line: int, game: int | None = None) -> ValueError:
    """Return an error that says where in a file another one happened, in one line of bounded length."""
    place = f"{path}, line {line}" if game is None else f"{path}, line {line}, game {game}"
    return ValueError(cut(f"{place}: {cut(str(error), 220)}"))


def without_mark(data: bytes) -> bytes:
    """Return the bytes of a file without the mark of UTF-8 at their head.

    Raises:
        ValueError: they are text in UTF-16 or UTF-32, or no text at all.
    """
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            raise ValueError(f"the file is {name}, expected UTF-8: save it as that")
    if b"\0" in data[:1000]:
        raise ValueError("the file is no text in UTF-8: it has zero bytes")
    return data.removeprefix(codecs.BOM_UTF8)


def bytes_of_text(path: str | Path) -> bytes:
    """Return the bytes of a file without the mark of UTF-8 at their head.

    Raises:
        ValueError: they are text in UTF-16 or UTF-32, or no text at all.
    """
    try:
        return without_mark(Path(path).read_bytes())
    except ValueError as error:
        raise located(error, path, 1) from None


def decoded(path: str | Path) -> str:
    """Return the text of a file, in UTF-8 or, as in old archives, ISO-8859-1, with lines that end as Python's do.

    Raises:
        ValueError: it is text in UTF-16 or UTF-32, or no text at all.
    """
    data = bytes_of_text(path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("iso-8859-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def ends_within_a_line(path: str | Path) -> bool:
    """Return whether the last line of a file has no end, so that what is added would become a part of it."""
    with open(path, "rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def keep_from_others(file: IO[bytes], path: str | Path) -> None:
    """Keep an open file of games for this process until it is closed.

    Raises:
        OSError: another process keeps it (a store takes games of several).
    """
    lock(
        file,
        f"cannot write {path}: another process adds games to it; play into another file, or both into a store, .db",
    )


def add_texts(path: str | Path, texts: Iterable[bytes]) -> None:
    """Add texts in UTF-8 to a file, each whole as soon as it comes.

    Raises:
        OSError: one cannot be written. Nothing of it is, and those before it are in the file.
        ValueError: there are none, neither given nor in the file: without games it would be none of its format. Or one
            has a zero byte, with which no text is read.
    """
    texts = map(_without_zeros, texts)
    first = list(itertools.islice(texts, 1))  # if it cannot be made, no empty file is left
    if not first:
        suffix = Path(path).suffix
        if not Path(path).exists() or not Path(path).stat().st_size:
            raise ValueError(f"cannot write {path}: there are no games, and files in {suffix} have some")
        return
    with open(path, "ab", buffering=0) as file:
        end = b"\n" if ends_within_a_line(path) else b""  # of a line of somebody else
        for text in itertools.chain(first, texts):
            _append(file, end + text)
            end = b""


def _append(file: io.FileIO, text: bytes) -> None:
    """Add a text to an open file; nothing of it stays where not all of it can be written."""
    before, rest = file.seek(0, os.SEEK_END), memoryview(text)
    try:
        while rest:  # a disk that is nearly full takes a part, and the next call says why no more
            rest = rest[file.write(rest) :]
    except BaseException:  # Ctrl-C, too
        file.truncate(before)
        raise


def _without_zeros(text: bytes) -> bytes:
    if b"\0" in text:
        raise ValueError("a name in a game has a zero byte, which no file of text may: give another name")
    return text


def check_readable(path: Path) -> None:
    """Raise an `OSError`, in words, if there is no file of that name.

    Raises:
        FileNotFoundError: there is nothing of that name.
        IsADirectoryError: it is a folder.
    """
    if not path.exists():
        raise FileNotFoundError(f"cannot read {path}: there is no such file")
    if path.is_dir():
        raise IsADirectoryError(f"cannot read {path}: it is a folder, expected a file")


class Lines:
    """Tells the numbers of lines in a file, of places that come one after the other."""

    def __init__(self, data: bytes | str) -> None:
        self._data, self._line, self._place = data, 1, 0

    def __call__(self, place: int) -> int:
        """Return the number, from 1, of the line that ``place`` is in; no place may stand before an earlier one."""
        new = self._data.count("\n" if isinstance(self._data, str) else b"\n", self._place, place)  # pyright: ignore[reportArgumentType, reportCallIssue]
        self._line, self._place = self._line + new, place
        return self._line
