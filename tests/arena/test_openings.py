"""Openings from files, those that come with the package, and how they are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from plyground.agents import AlphaBeta, Solver
from plyground.arena import iter_match, match, read_games, write_games
from plyground.arena.openings import (
    Opening,
    balanced_openings,
    committed_openings,
    openings_of,
    read_openings,
    write_openings,
)
from plyground.envs import connect_four, make_game, tictactoe
from tests.helpers.command_line import Run


def moves_of(openings: list[Opening]) -> list[list[int]]:
    """Return the moves of openings that begin with the initial position."""
    assert all(opening.start is None for opening in openings)
    return [opening.moves for opening in openings]


COMMITTED = ("checkers", "connect_four", "gomoku", "othello")
QUICK = ("checkers", "connect_four", "othello", pytest.param("gomoku", marks=pytest.mark.slow))


class TestFiles:
    def test_lines(self, tmp_path: Path) -> None:
        game, path = make_game("othello"), tmp_path / "lines.txt"
        path.write_text("# two openings\n\nd3 c5 # a comment\n19,18, 17\n", encoding="utf-8-sig")
        assert moves_of(read_openings(path, game)) == [[19, 34], [19, 18, 17]]
        assert moves_of(read_openings(path, game, 1)) == [[19], [19]]
        write_openings(tmp_path / "again.txt", game, [[19, 34], []], "a heading\nof two lines")
        assert (tmp_path / "again.txt").read_text() == "# a heading\n# of two lines\nd3 c5\n\n"
        assert moves_of(read_openings(tmp_path / "again.txt", game)) == [[19, 34]]

    def test_recorded_games(self, tmp_path: Path) -> None:
        game = make_game("gomoku(size=7)")
        records = match(game, ["random", "random"], 4, opening_plies=3)
        for name in ("games.jsonl", "games.sgf"):
            write_games(tmp_path / name, records)
            assert moves_of(read_openings(tmp_path / name, game)) == [record.moves[:3] for record in records[::2]]
            assert moves_of(read_openings(tmp_path / name, game, 5)) == [record.moves[:5] for record in records]
        tournament = match(game, ["random"] * 3, 4, opening_plies=3)
        write_games(tmp_path / "tournament.jsonl", tournament)
        assert len(read_openings(tmp_path / "tournament.jsonl", game)) == 2  # each of three pairings has played them
        with pytest.raises(ValueError, match=r"games.sgf, game 1: it is a game of gomoku\(size=7\), expected gomoku$"):
            read_openings(tmp_path / "games.sgf", make_game("gomoku"))
        other = make_game("gomoku(size=7, exact=True)")
        assert moves_of(read_openings(tmp_path / "games.sgf", other)) == [record.moves[:3] for record in records[::2]]
        write_games(tmp_path / "plain.jsonl", match(game, ["random", "random"], 2, opening_plies=0))
        with pytest.raises(ValueError, match=r"plain.jsonl, game 1: its record has no opening: say how many plies"):
            read_openings(tmp_path / "plain.jsonl", game)

    def test_games_that_others_scored_in_another_way(self, tmp_path: Path) -> None:
        """Of other programs there is hardly a game with our komi and our superko."""
        game, path = make_game("go(board_size=5)"), tmp_path / "games.sgf"
        path.write_text("(;SZ[5]KM[6.5]RE[B+R];B[cc];W[bb];B[dd])(;SZ[5];B[cc];W[dd];B[])(;SZ[5]KM[7.5];B[cc];W[bb])")
        assert moves_of(read_openings(path, game, 2)) == [[12, 6], [12, 18]]
        record, _ = match(game, ["random", "random"], 2, openings=str(path), opening_plies=2)
        assert (record.game, record.moves[:2]) == (game.spec, [12, 6])
        with pytest.raises(ValueError, match=r"game 1: it is a game of go\(board_size=5, .*\), expected go$"):
            read_openings(path, make_game("go"), 2)
        write_games(tmp_path / "go.jsonl", read_games(path))
        with pytest.raises(ValueError, match=r"game 1: it is a game of go\(.*\), expected gomoku\(size=5\)"):
            read_openings(tmp_path / "go.jsonl", make_game("gomoku(size=5)"), 2)

    def test_a_place_in_a_record_is_not_run(self, tmp_path: Path) -> None:
        (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'was_run')!r}, 'w')\n")
        (record, _) = match("tictactoe", ["random", "random"], 2)
        record = replace(record, game=f"{tmp_path / 'evil.py'}:game")
        write_games(tmp_path / "games.jsonl", [record])
        with pytest.raises(ValueError, match="expected tictactoe"):
            read_openings(tmp_path / "games.jsonl", tictactoe())
        assert not (tmp_path / "was_run").exists()

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("0 4\n0 x", "line 2: "),
            ("0 0", "line 1: move 0 at index 1 is illegal in tictactoe"),
            ("\n0 3 1 4 2", r"line 2: the game is over after these 5 moves"),
            ("# nothing", "has no openings: expected the moves of one in each line"),
            ("\ufeff0 4".encode("utf-16"), "the file is UTF-16"),
        ],
    )
    def test_damaged(self, text: Any, message: str, tmp_path: Path) -> None:
        path = tmp_path / "lines.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(ValueError, match=message):
            read_openings(path, tictactoe())

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError, match="there is no such file"):
            read_openings(tmp_path / "none.txt", tictactoe())


class TestMatches:
    def test_are_played_in_their_order_from_both_sides(self) -> None:
        given = [["0", 4], [4, 0], [8, 4]]
        records = match("tictactoe", ["random", "minimax(depth=1)"], 6, openings=given)
        assert [record.moves[:2] for record in records] == [[0, 4], [0, 4], [4, 0], [4, 0], [8, 4], [8, 4]]
        assert all(record.opening == 2 for record in records)
        assert match("tictactoe", ["random", "random"], 2, openings=given, opening_plies=1)[0].opening == 1

    def test_too_few_or_none(self) -> None:
        with pytest.raises(ValueError, match="a pairing of 4 games plays 2 openings, got 1"):
            iter_match("tictactoe", ["random", "random"], 4, openings=[[0]])
        with pytest.raises(ValueError, match="expected openings, each a list of moves, got none"):
            iter_match("tictactoe", ["random", "random"], 2, openings=[])
        with pytest.raises(ValueError, match="opening 2: move 0 at index 1 is illegal"):
            iter_match("tictactoe", ["random", "random"], 2, openings=[[0], [0, 0]])
        with pytest.raises(ValueError, match=r"opening 1: expected a list of moves, as in \[0\], got '33'"):
            iter_match("tictactoe", ["random", "random"], 2, openings=["33"])  # not 3, and 3 again
        with pytest.raises(ValueError, match=r"opening 2: expected a list of moves, as in \[0\], got 0"):
            iter_match("tictactoe", ["random", "random"], 2, openings=[[0], 0])  # pyright: ignore[reportArgumentType]
        with pytest.raises(ValueError, match="expected openings, each a list of moves, or a file of them, got 5"):
            iter_match("tictactoe", ["random", "random"], 2, openings=5)  # pyright: ignore[reportArgumentType]
        with pytest.raises(ValueError, match="no balanced openings come with the package for tictactoe"):
            iter_match("tictactoe", ["random", "random"], 2, openings="balanced")

    @pytest.mark.parametrize("plies", [-1, 1.5, True, 1000])
    def test_plies_that_are_none_are_refused(self, plies: Any, tmp_path: Path) -> None:
        path = tmp_path / "lines.txt"
        path.write_text("0 4\n")
        for game, given in ((tictactoe(), [[0, 4]]), (tictactoe(), path), (make_game("othello"), "balanced")):
            with pytest.raises(ValueError, match=rf"opening_plies must be a whole number, from 0 to \d+, got {plies}"):
                openings_of(game, given, plies)


class TestBalanced:
    def test_by_a_solver(self) -> None:
        game = connect_four(4, 5)
        solver, keys = Solver(game), set()
        for moves in islice(balanced_openings(game, 4, "solver", 0), 20):
            state = game.play_moves(moves)
            assert solver.solve(state).value == 0
            keys.add(int(game.canonical_key(state)))
        assert len(keys) == 20

    @pytest.mark.slow
    def test_there_are_none(self) -> None:
        with pytest.raises(ValueError, match="found no more than 0 balanced openings of 1 ply in mnk"):
            balanced_openings(make_game("mnk(m=3, n=1, k=1)"), 1)

    def test_impossible(self) -> None:
        with pytest.raises(ValueError, match="random tells no values of positions"):
            balanced_openings(tictactoe(), 2, "random")
        with pytest.raises(ValueError, match="most must be at least 0, got -1"):
            balanced_openings(tictactoe(), 2, most=-1)
        with pytest.raises(ValueError, match="opening_plies must be a whole number, from 0 to 9, got -1"):
            balanced_openings(tictactoe(), -1)

    @pytest.mark.parametrize("name", QUICK)
    def test_committed(self, name: str) -> None:
        game = make_game(name)
        openings = committed_openings(game)
        assert moves_of(openings_of(game, "balanced", 3)) == [moves[:3] for moves in moves_of(openings)]
        assert (
            len({int(game.canonical_key(game.play_moves(moves))) for moves in moves_of(openings)})
            == len(openings)
            == 100
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("name", COMMITTED)
    def test_committed_ones_leave_neither_side_ahead(self, name: str) -> None:
        game = make_game(name)
        solver, search = Solver(game), AlphaBeta(game, depth=2 if name == "gomoku" else 5)
        states = [game.play_moves(moves) for moves in moves_of(committed_openings(game))]
        if name == "connect_four":
            assert all(solver.value(state)[0] == 0 for state in states)
            return
        values = [search.analyse(state).value for state in states]
        assert max(map(abs, values)) <= 0.1
        assert abs(sum(values)) / len(values) <= 0.05

    def test_command(self, run: Run, tmp_path: Path) -> None:
        out = tmp_path / "lines.txt"
        arguments = ("openings", "connect_four(rows=4, columns=5)", "--opening-plies", "3", "--count", "5")
        lines, _ = run(*arguments)
        said, _ = run(*arguments, "--out", str(out))
        assert said.strip().endswith("lines.txt, 5 openings")
        text = out.read_text()
        assert text.startswith("# connect_four(rows=4, columns=5): openings of 3 plies after which alphabeta(depth=8)")
        assert text.splitlines()[1:] == lines.splitlines()
        assert "exists already" in run(*arguments, "--out", str(out), code=2)[1]
        match_ = ("match", "random", "minimax(depth=1)", "-g", "connect_four(rows=4, columns=5)", "--games", "10")
        run(*match_, "--openings", str(out), "--out", str(tmp_path / "games.jsonl"))
        game = make_game("connect_four(rows=4, columns=5)")
        assert read_openings(tmp_path / "games.jsonl", game) == read_openings(out, game)  # each from both sides
        assert "there is no such file" in run(*match_, "--openings", "none.txt", code=2)[1]

    @pytest.mark.parametrize("judge", ["solver", "alphabeta(depth=1)"])
    def test_the_judge_and_the_seed_are_those_of_the_options(self, run: Run, tmp_path: Path, judge: str) -> None:
        game = make_game("connect_four(rows=4, columns=5)")
        words = ("--opening-plies", "3", "--count", "3", "--judge", judge, "--most", "0.5", "--seed", "4")
        run("openings", game.spec, *words, "--out", str(tmp_path / "lines.txt"))
        expected = list(islice(balanced_openings(game, 3, judge, 0.5, 4), 3))
        assert moves_of(read_openings(tmp_path / "lines.txt", game)) == expected
        assert f"after which {judge} sees neither side ahead by more than 0.5" in (tmp_path / "lines.txt").read_text()

    def test_how_far_ahead_is_a_share_of_the_largest_win(self, run: Run) -> None:
        """Of a win by one disc it was, in a game of up to 16."""
        words = (
            "openings",
            "othello(size=4, by_discs=True)",
            "--opening-plies",
            "2",
            "--judge",
            "solver",
            "--count",
            "2",
        )
        assert run(*words, "--most", "0.01", code=2)[1]
        assert len(run(*words, "--most", "0.5")[0].splitlines()) == 2

    def test_a_number_beyond_64_bits_is_as_many_as_there_are(self, run: Run) -> None:
        found, message = run(
            "openings", "tictactoe", "--opening-plies", "1", "--most", "2", "--count", str(10**20), code=2
        )
        assert len(found.splitlines()) == 3  # they were lost
        assert (
            "found no more than 3 balanced openings of 1 ply in tictactoe: ask for 3, allow more than" in message
        )  # the others are mirrored

    def test_ctrl_c_keeps_what_was_found(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*_: Any) -> Iterator[list[int]]:
            yield [0, 1]
            raise KeyboardInterrupt

        monkeypatch.setattr("plyground.arena.openings.balanced_openings", interrupted)
        out, err = run("openings", "connect_four(rows=4, columns=5)", "--opening-plies", "2", "--count", "5", code=130)
        assert out == "0 1\n"
        assert "stopped after 1 of 5 openings" in err
