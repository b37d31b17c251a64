"""Files of games that are damaged, hostile or in another encoding: one line says where and what."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.arena import GameRecord
from plyground.arena.formats import read_games, write_games
from plyground.arena.records.tags import escaped
from plyground.envs.outside.messages import cut, shown
from tests.conftest import DATA

GOOD: dict[str, Any] = {
    "game": "tictactoe",
    "players": ["a", "b"],
    "moves": [0, 4],
    "opening": 0,
    "outcome": [0.0, 0.0],
    "ending": "truncated",
    "seconds": [0.0, 0.0],
    "movers": [0, 1],
    "seed": None,
}


def fault(path: Path, data: str | bytes) -> str:
    """Write a file, and return what its reader says."""
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(ValueError, match=f"{path.name}, line ") as caught:
        list(read_games(path))
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) <= 300
    return message


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("players", None, "players must be the names of two players, got None"),
        ("players", ["a"], "players must be"),
        ("players", ["a", "\udfff"], "players must be the names of two players"),
        ("moves", "33", "moves must be a list of actions, got '33'"),
        ("moves", [10**30], "moves must be"),
        ("moves", [True, 1], "moves must be"),
        ("moves", [0.0, 1.0], "moves must be"),
        ("moves", [0], "seconds has 2 entries for 1 move"),
        ("opening", 3, "an opening of 3 moves, but the game has 2"),
        ("opening", -1, "opening must be a number of moves"),
        ("outcome", [float("nan"), 0], "outcome must be two numbers"),
        ("outcome", {}, "outcome must be"),
        ("ending", "won", "ending must be one of finished, truncated, illegal, failed, time, adjudicated, got 'won'"),
        ("ending", ["finished"], "ending must be"),
        ("seconds", 0, "seconds must be"),
        ("seconds", [0.0, -0.5], "seconds must be a list of numbers from 0 to 10000000000, got [0.0, -0.5]"),
        ("seconds", [0.0, 1e300], "seconds must be a list of numbers from 0 to"),
        ("movers", [0, 2], "movers must be a list of -1, 0 and 1"),
        ("seed", "x", "seed must be an integer or null"),
        ("game", 5, "game must be text"),
        ("game", ["x" * 5000], "game must be text"),
    ],
)
def test_fields_of_json_lines(tmp_path: Path, field: str, value: Any, message: str) -> None:
    lines = json.dumps(GOOD) + "\n" + json.dumps({**GOOD, field: value}) + "\n"
    assert f"games.jsonl, line 2: {message}" in fault(tmp_path / "games.jsonl", lines)


def test_an_illegal_move_is_a_move(tmp_path: Path) -> None:
    """A record without one ended its writers with an `IndexError`."""
    none = {**GOOD, "moves": [], "seconds": [], "movers": [], "ending": "illegal"}
    assert "line 1: the ending is 'illegal', by the last move, but" in fault(tmp_path / "games.jsonl", json.dumps(none))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("games.jsonl", "[" * 100_000, "nested too deeply"),
        ("games.jsonl", '{"a": ' + "9" * 5000 + "}", "line 1: "),
        ("games.jsonl", "x" * 100_000, "line 1: "),
        ("games.jsonl", "hello", "line 1: no JSON: expecting value at character 1, got 'hello'"),
        ("games.jsonl", json.dumps(GOOD).encode("utf-16"), "line 1: the file is UTF-16, expected UTF-8"),
        ("games.jsonl", json.dumps(GOOD).encode("utf-32"), "line 1: the file is UTF-32"),
        ("games.jsonl", json.dumps({**GOOD, "game": "é"}, ensure_ascii=False).encode("latin-1"), "'utf-8' codec"),
        ("games.sgf", "(;B[aa])".encode("utf-16"), "line 1: the file is UTF-16"),
        ("games.sgf", "(;B[aa])".encode("utf-16-le"), "line 1: the file is no text in UTF-8: it has zero bytes"),
        ("games.sgf", "(;B[aa])\n\n(;CA[hex]B[aa])", r"line 3, game 2: CA[hex] is not read here"),
        ("games.sgf", "(;CA[utf-16]B[aa])", "CA[utf-16] is not read here"),
        ("games.sgf", "(;CA[" + "x" * 5000 + "])", "CA[xxxx"),
        ("games.sgf", "(;CA[\0])", "line 1: the file is no text"),
        ("games.sgf", "(;SZ[5]B[aa]\n;W[bb]\n;B[" + "c" * 5000 + "])", "line 1, game 1: move 3, B[ccc"),
        ("games.sgf", "(" * 100_000, "cannot be read as SGF"),
        ("games.sgf", "(;" * 100_000, "line 1: cannot be read as SGF: the file ends in the middle of a game"),
        ("games.sgf", "\n(;B[aa]\n;C[x" + " " * 100_000, "cannot be read as SGF"),
        ("games.sgf", "(;B[aa];C[x]" + " " * 100_000 + "!)", "line 1: cannot be read as SGF at '!)'"),
        ("games.sgf", "(;SZ[5]PLYGROUND[" + "{" * 5000 + "])", "expected notes with"),
        ("games.sgf", "(;RE[" + "x" * 5000 + "])", "the result RE[xxx"),
        ("games.pdn", "1. 11-15".encode("utf-16"), "line 1: the file is UTF-16"),
        ("games.pdn", "\n\n1. 11-15 " + "9" * 5000 + "-" + "9" * 5000, "line 3, game 1: move 1. 999"),
        ("games.pdn", '[Result "' + "x" * 5000 + '"] 1. 11-15', "the result 'xxx"),
        ("games.pdn", "1. 11-15 1." + " " * 100_000 + "x", "cannot read"),
        ("games.pdn", "(" * 100_000, "a '(' without ')'"),
        ("games.pdn", '[Plyground "' + "[" * 5000 + '"] 1. 11-15', "expected notes with"),
    ],
)
def test_files(tmp_path: Path, name: str, data: str | bytes, message: str) -> None:
    started = time.process_time()
    assert message in fault(tmp_path / name, data)
    assert time.process_time() - started < 30  # most of it for kernels; what is quadratic takes hours


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcome": [None, 1]}, "expected notes with"),
        ({"ending": "illegal"}, "the notes tell an illegal move where none ended the game, or none where"),
        ({"illegal": 0}, "the notes tell an illegal move where none ended the game"),
    ],
)
def test_notes_are_checked_as_records_are(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    notes = {"game": "othello(size=4)", "opening": 0, "outcome": [0, 0], "ending": "finished", "seed": 1, **change}
    text = json.dumps(notes).replace("]", "\\]")
    assert message in fault(tmp_path / "games.sgf", f"(;GM[2]SZ[4]PLYGROUND[{text}])")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("games.sgf", "(;GM[1]SZ[5]PLYGROUND[{}];B[aa])"),
        ("games.pdn", '[Plyground "{}"] 1. 11-15 *'),
        ("games.pgn", '[Plyground "{}"]\n\n1. e4 *'),
    ],
)
def test_a_game_that_notes_name_is_not_run(tmp_path: Path, name: str, text: str) -> None:
    """A file of games that somebody sends may name any file of Python."""
    marker, module = tmp_path / "marker", tmp_path / "module.py"
    module.write_text(f"open({str(marker)!r}, 'w').close()\n")
    notes = {"game": f"{module}:game", "opening": 0, "outcome": [0, 0], "ending": "finished", "seed": 1}
    told = json.dumps(notes)
    told = re.sub(r"([\]\\:])", r"\\\1", told) if name == "games.sgf" else escaped(told)
    assert "the notes name the game" in fault(tmp_path / name, text.replace("{}", told))
    assert not marker.exists()


@pytest.mark.parametrize("suffix", ["sgf", "pdn", "jsonl"])
def test_damage_at_random(tmp_path: Path, suffix: str, rng: np.random.Generator) -> None:
    """Whatever happens to a file, it is read, or its reader says what is wrong with it."""
    good = tmp_path / "good.jsonl"
    good.write_text(3 * (json.dumps(GOOD) + "\n"))
    source = {"sgf": DATA / "records" / "othello.sgf", "pdn": DATA / "records" / "checkers.pdn", "jsonl": good}[suffix]
    data = np.frombuffer(source.read_bytes(), np.uint8)
    file = tmp_path / f"bad.{suffix}"
    faults: list[str] = []
    for _ in range(60):
        bad = data.copy()
        places = rng.integers(0, data.size, rng.integers(1, 4))
        bad[places] = rng.integers(0, 256, places.size)
        file.write_bytes(bad[: rng.integers(1, data.size + 1)].tobytes())
        try:
            list(read_games(file))
        except ValueError as error:
            faults.append(str(error))
    assert faults
    assert all(f"bad.{suffix}, line " in message and len(message) <= 300 for message in faults)


def test_a_mark_of_utf_8_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert [record.moves for record in read_games(file)] == [[0, 4]]


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_empty_lines_are_no_fault(tmp_path: Path, suffix: str) -> None:
    file, record = tmp_path / f"games.{suffix}", GameRecord.from_fields(GOOD)
    write_games(file, [record])
    with file.open("ab") as text:
        text.write(b"\r\n\n")
    write_games(file, [record])
    assert list(read_games(file)) == [record, record]
    with file.open("ab") as text:
        text.write(b"\n")
    assert list(read_games(file)) == [record, record]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "pgn", "pdn"])
def test_games_are_added_to_a_file_whose_last_line_has_no_end(tmp_path: Path, suffix: str) -> None:
    file, game = tmp_path / f"games.{suffix}", {"pgn": "chess", "pdn": "checkers"}.get(suffix, "tictactoe")
    record = GameRecord.from_fields({**GOOD, "game": game, "moves": [], "seconds": [], "movers": []})
    write_games(file, [record])
    file.write_bytes(file.read_bytes().rstrip())
    write_games(file, [record])
    assert list(read_games(file)) == [record, record]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for name in ("games.sgf", "games.pdn", "games.jsonl"):
        with pytest.raises(FileNotFoundError, match=f"cannot read .*{name}: there is no such file"):
            read_games(tmp_path / name)
        with pytest.raises(FileNotFoundError, match=r"cannot save to .*: there is no folder .*no"):
            write_games(tmp_path / "no" / name, [])
        (tmp_path / name).mkdir()
        with pytest.raises(IsADirectoryError, match="it is a folder"):
            read_games(tmp_path / name)


def test_values_in_messages() -> None:
    assert shown("a\nb") == r"'a\nb'"
    assert shown("x" * 1000, 20) == repr("x" * 10 + " … " + "x" * 5)
    assert shown(10**5000) == "a very large int"
    assert len(shown({"a": ["x" * 100] * 100})) <= 60
    assert cut("one  line\n") == "one line"
    assert len(cut("x" * 10**6, 50)) == 50
