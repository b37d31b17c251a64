"""Games that were broken off, as in a file that says nothing of the result: counted, and no draws."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plyground.arena import (
    GameRecord,
    elo_difference,
    fit_ratings,
    game_results,
    pair_scores,
    play,
    rating_list,
    standings,
    write_records,
)
from plyground.arena.ratings import payoff_matrix
from plyground.arena.report import report_page
from plyground.envs.aec import BoardGameEnv
from tests.helpers.command_line import Run
from tests.helpers.report_games import MATCH, Reader, a_game

BROKEN = [a_game("a b", 0.0, ending="truncated"), a_game("d c", 0.0, (3,), ending="truncated")]
GAMES = [BROKEN[0], *MATCH, BROKEN[1]]


def test_which_they_are() -> None:
    assert not BROKEN[0].has_result
    assert all(record.has_result for record in MATCH)  # draws among them
    assert a_game("a b", 1.0, ending="truncated").has_result  # an environment gave rewards until then
    assert not play(BoardGameEnv("tictactoe", max_cycles=1), ["random", "random"], 0).has_result


def test_ratings_leave_them_out_and_say_how_many() -> None:
    found, expected = rating_list(GAMES), rating_list(MATCH)
    assert found.ratings == expected.ratings
    assert (found.games, found.pairs, found.broken_off) == (6, 3, 2)
    assert expected.broken_off == 0
    np.testing.assert_array_equal(payoff_matrix(GAMES).scores, payoff_matrix(MATCH).scores)
    with pytest.raises(ValueError, match="no games to rate anybody by: 2 were broken off, without a result"):
        rating_list(BROKEN)


def test_a_counterpart_is_alone() -> None:
    games = [a_game("a b", 1.0), a_game("b a", 0.0, ending="truncated"), a_game("b a", 1.0, (8,))]
    found = rating_list(games)
    assert (found.games, found.pairs, found.broken_off) == (2, 0, 1)


def test_differences_leave_their_pairs_out() -> None:
    games = [a_game("a b", 1.0), a_game("b a", -1.0), a_game("a b", 1.0, (8,)), BROKEN[0]]
    games[3] = replace(a_game("b a", 0.0, (8,)), ending="truncated")
    assert pair_scores(games) == [2.0]
    assert elo_difference(pair_scores(games)).games == 2
    with pytest.raises(ValueError, match="games 2 and 3 are not one opening"):
        pair_scores([*games[:3], BROKEN[0]])
    assert list(game_results(GAMES)) == list(game_results(MATCH))
    assert set(fit_ratings(game_results(GAMES)).elo) == {"a", "b", "c"}


def test_tables_count_them_apart() -> None:
    table, expected = standings(GAMES), standings(MATCH)
    assert [(line.name, line.broken_off) for line in table] == [("a", 1), ("c", 1), ("b", 1), ("d", 1)]
    for line, other in zip(table, expected, strict=False):
        assert (line.total, line.against) == (other.total, other.against)
    last = table[-1]
    assert (last.total.games, last.against, last.moves) == (0, {}, 3)  # its moves took time
    assert repr(last) == "<Standing: d, 0 of 0 points, 0-0-0>"


def test_a_page_says_so() -> None:
    page = report_page(GAMES, blunder_seconds=0)
    assert "<li><b>8</b> games</li><li><b>3</b> drawn</li><li><b>2</b> broken off</li>" in page
    assert "Games that were broken off have no result" in page
    tables, expected = Reader(page).tables, Reader(report_page(MATCH, blunder_seconds=0)).tables
    cross = "Points of each player, in the rows, against each other one, by number"
    assert [row[0] for row in tables[cross][1:]] == ["1 a", "2 c", "3 b", "4 d"]
    assert [row[-4:-1] for row in tables[cross][1:4]] == [row[-4:-1] for row in expected[cross][1:]]
    assert tables[cross][4][-3:] == ["–", "0–0–0", "1 ms"]
    for name in ("Results by side", "Results of the first player by opening"):
        assert tables[name][: len(expected[name])] == expected[name]
    payoffs = "Per cent of the points that the player in the row got from the one in the column"
    assert tables[payoffs] == expected[payoffs]


def test_a_page_counts_a_truncated_game_with_a_winner_as_the_tables_do() -> None:
    """Its head counted the game as broken off, and a table as a win."""
    games = [a_game("a b", 1.0, ending="truncated"), a_game("b a", 0.0, ending="truncated"), a_game("b a", -1.0)]
    page = report_page(games, blunder_seconds=0)
    assert "<li><b>3</b> games</li><li><b>0</b> drawn</li><li><b>1</b> broken off</li></ul>" in page
    page = report_page(games[::2], blunder_seconds=0)
    assert "<li><b>2</b> games</li><li><b>0</b> drawn</li></ul>" in page


def test_a_page_without_a_result() -> None:
    page = report_page(BROKEN, blunder_seconds=0)
    assert page.count("No game has a result.") == 2
    assert page.count("there are no games to rate anybody by: 2 were broken off, without a result") == 2


def test_commands_say_so(run: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "games.jsonl")
    write_records(file, GAMES)
    found = json.loads(run("ratings", file, "--json")[0])
    assert (found["games"], found["broken_off"]) == (6, 2)
    assert "tictactoe, 6 games, 6 of them in pairs; 2 broken off" in " ".join(run("ratings", file)[0].split())
    shown = run("watch", file, "--once")[0]
    assert re.search(r"per move +broken off", shown)
    assert "last: d v c, *, broken off" in shown
    write_records(tmp_path / "whole.jsonl", MATCH)
    assert "broken" not in run("watch", str(tmp_path / "whole.jsonl"), "--once")[0]
    run.resize(40)  # where the line was cut off
    for words in (("ratings", file), ("watch", file, "--once")):
        assert "tictactoe, 6 games, 6 of them in pairs; 2 broken off" in " ".join(run(*words)[0].split())


def test_over_time(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("whr")
    again = [replace(one, seconds=[0.5 + seconds for seconds in one.seconds]) for one in GAMES]  # else they are copies
    parts: list[list[GameRecord]] = [GAMES, again[1:-1], [again[0], again[-1]]]
    for name, games in zip("abc", parts, strict=True):
        write_records(tmp_path / f"{name}.jsonl", games)
    files = [str(tmp_path / f"{name}.jsonl") for name in "abc"]
    words = "--over-time", "tournaments"
    found = json.loads(run("ratings", *files, *words, "--json")[0])
    assert [one["games"] for one in found["times"]] == [6, 6]
    assert found["broken_off"] == 4
    assert {one["name"] for one in found["players"]} == {"a", "b", "c"}
    assert "Games left out that were broken off, without a result: 4." in run("ratings", *files, *words)[0]


def test_a_file_that_does_not_tell_the_result(run: Run, tmp_path: Path) -> None:
    """It counted as a draw."""
    pytest.importorskip("chess")
    file = tmp_path / "games.pgn"
    tags = '[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n'
    file.write_text(f"{tags.format('A', 'B', '1-0')}1. e4 e5 1-0\n\n{tags.format('B', 'A', '*')}1. d4 *\n")
    found = json.loads(run("ratings", str(file), "--json")[0])
    assert (found["games"], found["broken_off"]) == (1, 1)
    assert [one["score"] for one in found["players"]] == [1, 0]
