"""Games as a table, a line each, for spreadsheets and data frames: CSV, and Parquet by pyarrow.

The columns are ours, and hold all of a `GameRecord`, times included, but for the analyses of searches and the event:

==================  ==============================================================================================
``game``            the spec of the game
``first``           the name of the player who moves first; ``second``: the other's
``moves``           all actions, the opening's included: in CSV with blanks between them, in Parquet a list
``opening``         how many of them were set before the players took over
``outcome_first``   what the first player got; ``outcome_second``: the other one
``ending``          how the game ended
``seconds``         the time of each move, as the moves are written
``movers``          who chose each move: 0, 1, or -1 in the opening
``seed``            the seed of the game; in CSV nothing where there is none
``reason``          how a player failed; in CSV nothing where none did
``start``           the position before the first move, as text; in CSV nothing for the initial one
==================  ==============================================================================================

Files of earlier versions have no column ``start``: they are read, and games from the initial position added to them.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ...envs.outside.extras import how_to_install
from ...envs.outside.messages import cut, shown
from ...envs.outside.whole_files import sync
from ..wording import counted
from .files import Watch, ends_within_a_line, ignored, located, without_mark
from .record import GameRecord

__all__ = ["read_csv", "read_parquet", "write_csv", "write_parquet"]

_COLUMNS = (
    *("game", "first", "second", "moves", "opening", "outcome_first", "outcome_second", "ending", "seconds"),
    *("movers", "seed", "reason", "start"),
)
_EARLIER = _COLUMNS[:-1]
_AT_ONCE = 1000  # games of a group of rows in a Parquet file
_LONGEST = 2**31 - 1  # characters of a cell


def _values(record: GameRecord) -> list[Any]:
    """Return what stands in the columns."""
    record.check_outcome()
    return [
        *(record.game, record.players[0], record.players[1], record.moves, record.opening, *record.outcome),
        *(record.ending, record.seconds, record.movers, record.seed, record.reason, record.start),
    ]


def _record(values: Iterable[Any]) -> GameRecord:
    data = dict(zip(_COLUMNS, values, strict=False))  # of earlier files all but the last
    data["players"] = [data.pop("first"), data.pop("second")]
    data["outcome"] = [data.pop("outcome_first"), data.pop("outcome_second")]
    return GameRecord.from_fields(data)


def _check_columns(found: list[str]) -> int:
    """Return how many columns there are.

    Raises:
        ValueError: they are not ours; the message has the first that differs.
    """
    if tuple(found) not in (_COLUMNS, _EARLIER):
        for number, (one, expected) in enumerate(itertools.zip_longest(found, _COLUMNS), start=1):
            if one is None:
                raise ValueError(f"column {number} is missing, expected {shown(expected)}")
            if one != expected:
                raise ValueError(f"column {number} is {shown(one)}, expected {shown(expected)}")
    return len(found)


# -- CSV ---------------------------------------------------------------------------------------------------------------


def write_csv(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Add games to a CSV file, one after the other as they come; a new one begins with the names of the columns.

    Raises:
        ValueError: the file has other columns, or, made by an earlier version, none for where a game starts.
    """
    is_new, width = not Path(path).exists() or not Path(path).stat().st_size, len(_COLUMNS)
    if not is_new:
        with open(path, "rb") as file:
            width = _width(file, path)
    with open(path, "a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(_COLUMNS)
        elif ends_within_a_line(path):
            file.write("\r\n")
        for record in records:
            if record.start is not None and width < len(_COLUMNS):
                raise ValueError(f"{path} has no column for where a game starts: write a new file")
            cells = [" ".join(map(repr, one)) if isinstance(one, list) else one for one in _values(record)]
            writer.writerow(cells[:width])
            file.flush()


def _width(file: BinaryIO, path: str | Path) -> int:
    """Read the first line of a CSV file, and return how many columns there are.

    Raises:
        ValueError: it does not have the names of ours, or the file is empty.
    """
    try:
        line = without_mark(file.readline()).decode("utf-8")
        if not line:
            raise ValueError("the file is empty, expected a line with the names of the columns")
        return _check_columns(next(csv.reader([line], strict=True), []))
    except (ValueError, csv.Error) as error:
        raise located(error, path, 1) from None


def read_csv(path: str | Path, watch: Watch = ignored) -> Iterator[GameRecord]:
    """Yield the games of a CSV file with our columns.

    Raises:
        ValueError: a line cannot be read; the message has its number.
    """
    csv.field_size_limit(_LONGEST)
    done, line = 0, 1

    def lines(file: BinaryIO) -> Iterator[str]:
        nonlocal done, line
        for data in file:
            done, line = done + len(data), line + 1
            yield data.decode("utf-8")

    with open(path, "rb") as file:
        width = _width(file, path)
        done = file.tell()
        try:
            for cells in csv.reader(lines(file), strict=True):
                if not cells:  # an empty line
                    continue
                if len(cells) != width:
                    raise ValueError(f"the line has {len(cells)} cells, expected {width}")
                yield _record(read(cell) for read, cell in zip(_CELLS, cells, strict=False))
                watch(done)
        except (ValueError, csv.Error) as error:
            raise located(error, path, line) from None


def _number(text: str) -> float:
    """Return a number of a cell."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"expected a number, got {shown(text)}") from None


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"expected a whole number, got {shown(text)}") from None


def _several(read: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    return lambda text: [read(word) for word in text.split()]


def _maybe(read: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: read(text) if text else None


_CELLS: tuple[Callable[[str], Any], ...] = (  # how each column is read
    *(str, str, str, _several(_whole), _whole, _number, _number, str),
    *(_several(_number), _several(_whole), _maybe(_whole), _maybe(str), _maybe(str)),
)

# -- Parquet -----------------------------------------------------------------------------------------------------------


def write_parquet(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Write games into a new Parquet file.

    It is there when all of them are written, and after an error not at all.

    Raises:
        ValueError: the file has games already, or one has a seed that takes more than 64 bits.
        ImportError: pyarrow is not installed.
    """
    arrow, parquet = _pyarrow()
    path = Path(path)
    if path.exists() and path.stat().st_size:
        raise ValueError(f"cannot add games to {path}: Parquet files are written as a whole, choose a new name")
    name = arrow.dictionary(arrow.int32(), arrow.string())
    whole = arrow.list_(arrow.int64())
    kinds = (
        *(name, name, name, whole, arrow.int32(), arrow.float64(), arrow.float64(), name),
        *(arrow.list_(arrow.float64()), arrow.list_(arrow.int8()), arrow.int64(), arrow.string(), name),
    )
    schema = arrow.schema(list(zip(_COLUMNS, kinds, strict=True)))
    part = path.with_name(f"{path.name}.part")
    coming = iter(records)
    try:
        with parquet.ParquetWriter(part, schema, compression="zstd", write_page_checksum=True) as writer:
            while some := [_values(record) for record in itertools.islice(coming, _AT_ONCE)]:
                try:
                    by_column = zip(zip(*some, strict=True), kinds, strict=True)
                    columns = [arrow.array(list(values), kind) for values, kind in by_column]
                except (arrow.ArrowInvalid, OverflowError) as error:
                    raise ValueError(f"a game does not fit a Parquet file: {error}") from None
                writer.write_table(arrow.table(columns, schema=schema))
        sync(part)
        part.replace(path)
        sync(path.parent)
    finally:
        part.unlink(missing_ok=True)


def read_parquet(path: str | Path, watch: Watch = ignored) -> Iterator[GameRecord]:
    """Yield the games of a Parquet file with our columns.

    Raises:
        ValueError: it is no such file, or damaged, or a row cannot be read; the message has its number.
        ImportError: pyarrow is not installed.
    """
    arrow, parquet = _pyarrow()
    size, number = Path(path).stat().st_size, 0
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            try:
                _check_columns(file.schema_arrow.names)
            except ValueError as error:
                raise located(error, path, 1) from None
            for batch in file.iter_batches(_AT_ONCE):
                for row in batch.to_pylist():
                    number += 1
                    try:
                        yield _record(row.values())
                    except ValueError as error:
                        raise ValueError(f"{path}, row {number}: {error}") from None
                    watch(size * number // file.metadata.num_rows)
            if number != file.metadata.num_rows:
                raise OSError(f"it tells of {counted(file.metadata.num_rows, 'row')}, and has {number}")
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # it is the system's, which names the file
            raise
        kept = f"; `plyground convert --partial` keeps the {counted(number, 'game')} before" if number else ""
        said = cut(str(error).splitlines()[0], 120)
        raise ValueError(f"{path} cannot be read as Parquet, or is damaged: {said}{kept}") from None


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(f"Parquet files need pyarrow ({error}): {how_to_install('parquet')}") from error
    return pyarrow, pyarrow.parquet
