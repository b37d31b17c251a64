"""Records to learn from: what is left out, how games are split, and what becomes a sample."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plyground.arena import GameRecord, write_games
from plyground.arena.generation import generate
from plyground.arena.training.alphago.records import read_collection, samples_of
from plyground.arena.training.alphazero.samples import unpack_masks, unpack_planes
from plyground.envs import make_game

GAME = make_game("tictactoe")


@pytest.fixture(scope="module")
def records() -> list[GameRecord]:
    return list(generate(GAME, ["random"], 200, opening_plies=(0, 2), noise=0.2))


def write(path: Path, records: list[GameRecord]) -> str:
    write_games(path, records)
    return str(path)


def test_splits_by_game_without_duplicates(tmp_path: Path, records: list[GameRecord]) -> None:
    path = write(tmp_path / "games.jsonl", [*records, *records[:50]])
    found = read_collection(GAME, [path], test_share=0.25)
    train, test = ({tuple(one.moves) for one in part} for part in (found.train, found.test))
    assert not train & test
    assert train | test == {tuple(one.moves) for one in records}
    assert len(found.train) + len(found.test) == len(train | test)
    assert (found.read, found.duplicates) == (250, 250 - len(train | test))
    assert 0.15 < len(test) / len(train | test) < 0.35
    # A game stays where it is, whatever others are read.
    some = read_collection(GAME, [write(tmp_path / "some.jsonl", records[::2])], test_share=0.25)
    assert {tuple(one.moves) for one in some.test} <= test
    assert {tuple(one.moves) for one in some.train} <= train


def test_games_that_end_by_other_rules_are_read(tmp_path: Path) -> None:
    """Of a file with one game of others that nobody claimed, nothing could be read."""
    game = make_game("gomoku(size=7)")
    games = list(generate(game, ["random"], 30))
    others = [replace(one, game="gomoku(size=7, exact=True)") for one in games[:15]]
    found = read_collection(game, [write(tmp_path / "games.jsonl", [*others, *games[15:]])], test_share=0.3)
    assert (found.read, found.faults) == (30, [])
    with pytest.raises(ValueError, match=r"is of gomoku\(size=9\), expected games of gomoku\(size=7\)"):
        read_collection(
            game, [write(tmp_path / "other.jsonl", [replace(games[0], game="gomoku(size=9)")])], test_share=0.3
        )


def test_illegal_moves_are_named_and_left_out(tmp_path: Path, records: list[GameRecord]) -> None:
    bad = replace(records[0], moves=[4, 4], movers=[0, 1], seconds=[0.0, 0.0], opening=0)
    beyond = replace(bad, moves=[4, 9])
    late = replace(bad, moves=[0, 3, 1, 4, 2, 5], movers=[0, 1] * 3, seconds=[0.0] * 6)
    path = write(tmp_path / "games.jsonl", [*records[:30], bad, beyond, late])
    with (tmp_path / "games.jsonl").open("a") as file:
        file.write("no game\n")
    found = read_collection(GAME, [path], test_share=0.3)
    assert found.read == 34
    assert [fault.partition(": ")[2] for fault in found.faults[-3:]] == [
        "move 2, 4, is illegal",
        "move 2, 9, is illegal",
        "move 6, 5, is illegal",
    ]
    assert any(f"{path}, line 34" in fault for fault in found.faults)
    assert any(fault.startswith(f"{path}, game 31: ") for fault in found.faults)
    with pytest.raises(ValueError, match=r"is illegal|line 34"):
        read_collection(GAME, [path], test_share=0.3, strict=True)


@pytest.mark.slow
def test_illegal_moves_have_the_names_of_their_positions(tmp_path: Path, records: list[GameRecord]) -> None:
    chess = make_game("chess")
    moves = chess.line_of(["e2e4", "e7e5", "g1f3"])
    bad = replace(records[0], game="chess", moves=[*moves, moves[1]], movers=[0, 1] * 2, seconds=[0.0] * 4, opening=0)
    with pytest.raises(ValueError, match="game 1: move 4, e7e5, is illegal"):
        read_collection(chess, [write(tmp_path / "games.jsonl", [bad])], test_share=0.3, strict=True)


def test_games_that_begin_at_another_position_are_named_and_left_out(tmp_path: Path, records: list[GameRecord]) -> None:
    """Their moves, replayed from the initial position, would show positions that never occurred."""
    from_centre = json.dumps({"stones": [16, 0], "ply": 1})
    late = replace(records[0], moves=[0, 1], movers=[1, 0], seconds=[0.0, 0.0], opening=0, start=from_centre)
    written_out = replace(records[0], start=json.dumps({"stones": [0, 0], "ply": 0}))
    path = write(tmp_path / "games.jsonl", [*records[1:30], late, written_out, replace(late, start="gone")])
    found = read_collection(GAME, [path], test_share=0.3)
    told = "expected the initial position of tictactoe"
    assert (found.read, found.faults) == (
        32,
        [f"{path}, game 30: it begins at {from_centre}, {told}", f"{path}, game 32: it begins at gone, {told}"],
    )
    assert written_out in found.train + found.test
    with pytest.raises(ValueError, match="game 30: it begins at"):
        read_collection(GAME, [path], test_share=0.3, strict=True)


def test_games_of_another_game_or_board_end_it(tmp_path: Path, records: list[GameRecord]) -> None:
    path = write(tmp_path / "games.jsonl", records[:5])
    with pytest.raises(ValueError, match="game 1, is of tictactoe, expected games of connect_four"):
        read_collection(make_game("connect_four"), [path], test_share=0.1)
    small = write(tmp_path / "small.jsonl", list(generate("connect_four(rows=4)", ["random"], 2)))
    with pytest.raises(ValueError, match=r"is of connect_four\(rows=4.*expected games of connect_four"):
        read_collection(make_game("connect_four"), [small], test_share=0.1)
    other = replace(records[0], game="gone_v3")
    with pytest.raises(ValueError, match="is of gone_v3"):
        read_collection(GAME, [write(tmp_path / "other.jsonl", [other])], test_share=0.1)


@pytest.mark.slow
def test_go_with_another_komi_is_go(tmp_path: Path) -> None:
    path = write(tmp_path / "games.sgf", list(generate("go(board_size=5, komi=0.5)", ["random"], 6)))
    found = read_collection(make_game("go(board_size=5)"), [path], test_share=0.5)
    assert len(found.train) + len(found.test) == 6
    with pytest.raises(ValueError, match="expected games of go"):
        read_collection(make_game("go(board_size=6)"), [path], test_share=0.5)


@pytest.mark.slow
def test_illegal_moves_in_sgf_leave_the_other_games(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    write_games(path, generate("gomoku(size=5)", ["random"], 6))
    with path.open("a") as file:
        file.write("(;GM[4]FF[4]SZ[5];B[aa];W[aa])")
    write_games(path, generate("gomoku(size=5)", ["random"], 8, first=6))
    with path.open("a") as file:
        file.write("(;GM[4]FF[4]SZ[5];B[a")  # as where it was cut off
    found = read_collection(make_game("gomoku(size=5)"), [str(path)], test_share=0.5)
    assert len(found.train) + len(found.test) == 8
    assert found.read == 10
    assert len(found.faults) == 2
    assert "game 7" in found.faults[0]
    assert "cannot be read as SGF at 'B[a'" in found.faults[1]


def test_empty_splits_and_files_are_told(tmp_path: Path, records: list[GameRecord]) -> None:
    path = write(tmp_path / "one.jsonl", records[:1])
    with pytest.raises(ValueError, match=r"no game is left to (learn from|test on), of 1 that were read"):
        read_collection(GAME, [path], test_share=0.1)
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read_collection(GAME, [str(tmp_path / "gone.jsonl")], test_share=0.1)


@pytest.mark.parametrize(("usable", "advice"), [(0, ""), (1, ", or another test_share than 0.1")])
def test_another_share_is_no_advice_where_no_game_can_be_used(
    tmp_path: Path, records: list[GameRecord], usable: int, advice: str
) -> None:
    bad = replace(records[0], moves=[4, 4], movers=[0, 1], seconds=[0.0, 0.0], opening=0)
    path = write(tmp_path / "games.jsonl", [bad, bad, *records[:usable]])
    with pytest.raises(
        ValueError, match=rf"give more games{advice}; the first that cannot be used: .*, game 1: move 2"
    ):
        read_collection(GAME, [path], test_share=0.1)


def test_how_games_ended_is_not_learned(records: list[GameRecord]) -> None:
    """A game that was broken off would be learned as a draw."""
    without = [replace(record, outcome=[0.0, 0.0], ending="truncated") for record in records]
    known, unknown = (np.concatenate(list(samples_of(GAME, some))) for some in (records, without))
    assert known.tobytes() == unknown.tobytes()


def test_samples_are_what_a_player_saw_and_chose(records: list[GameRecord]) -> None:
    """Against the environment's own words: each position is replayed alone, in plain Python."""
    found = np.concatenate(list(samples_of(GAME, records)))
    planes, masks = unpack_planes(GAME, found), unpack_masks(GAME, found)
    places = set()
    for i in range(len(found)):
        record, ply = records[int(found["game"][i])], int(found["ply"][i])
        state = GAME.play_moves(record.moves[:ply])
        seat = GAME.player(state)
        assert record.movers[ply] == seat
        np.testing.assert_array_equal(planes[i], GAME.observation(state, seat))
        assert np.flatnonzero(masks[i]).tolist() == GAME.actions(state)
        assert found["policy"][i].argmax() == record.moves[ply]
        assert found["policy"][i].sum() == 1
        places.add((int(found["game"][i]), ply))
    expected = {(n, ply) for n, record in enumerate(records) for ply, mover in enumerate(record.movers) if mover >= 0}
    assert places == expected
    assert len(found) == len(expected)
