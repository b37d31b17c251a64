"""Commands that keep games in a store, and the one that tells what is in it."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest
from rich.console import Console

from plyground.arena import match, read_records, write_games
from plyground.arena.store import players_in, tournaments_in
from tests.arena.test_store import GAME, PLAYERS
from tests.helpers.command_line import Run

ARGUMENTS = (*PLAYERS, "-g", GAME, "--games", "4", "--json")


def test_match_and_tournament(run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "games.db")
    whole = json.loads(run("match", *ARGUMENTS, "--out", out)[0])
    message = run("match", *ARGUMENTS, "--out", out, code=2)[1]
    assert "games.db has 4 games of this tournament already (tictactoe, round_robin, seed 0: random" in message
    printed, said = run("match", *ARGUMENTS, "--out", out, "--resume")
    for one, again in zip(whole["players"], json.loads(printed)["players"], strict=True):
        assert again.pop("seconds_per_move") == pytest.approx(one.pop("seconds_per_move"), rel=1e-6)
        assert again == one
    assert "4 games are in" in said
    more = json.loads(run("match", *ARGUMENTS, "--games", "6", "--out", out, "--resume")[0])
    assert more["games"] == len(list(read_records(out))) == 6
    run("tournament", *ARGUMENTS, "-f", "knockout", "--out", out)  # another one, beside it
    assert [one.arguments["format"] for one in tournaments_in(out)] == ["round_robin", "knockout"]
    missing = run("match", *ARGUMENTS, "--out", str(tmp_path / "no" / "games.db"), code=2)[1]
    assert "there is no folder" in missing


def test_sprt(run: Run, tmp_path: Path) -> None:
    arguments = ("sprt", "minimax", "random", "-g", GAME, "--elo1", "100", "--opening-plies", "1", "--json")
    out = ("--out", str(tmp_path / "games.db"))
    whole = json.loads(run(*arguments)[0])
    assert json.loads(run(*arguments, "--max-games", "4", *out)[0])["pairs"] == 2
    assert json.loads(run(*arguments, *out, "--resume")[0]) == whole
    assert len(list(read_records(tmp_path / "games.db"))) == 2 * whole["pairs"]


def test_the_list_of_a_store_has_whole_names_at_any_width(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of ``mcts(simulations=1000)`` it had ``mcts(simulati…``, and the time was broken before its last digits."""
    records = match("tictactoe", ["random", "minimax(depth=1)"], 2)
    write_games(tmp_path / "games.db#mcts(simulations=1000) v alphabeta(depth=3)", records)
    for width in (60, 80, 100):
        monkeypatch.setattr("plyground.arena.cli.store._out", Console(width=width, markup=False))
        table = run("store", str(tmp_path / "games.db"))[0]
        assert "…" not in table
        assert all(len(line) <= width for line in table.splitlines())
        assert "alphabeta(depth=3)" in table
        assert re.search(r" 2 2 finished +\n", table)


def test_store(run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "games.db")
    run("match", *ARGUMENTS, "--out", out)
    run("match", *ARGUMENTS, "--seed", "1", "--out", out)
    table, _ = run("store", out, "--check")
    assert "tictactoe, round_robin, seed 1: random," in table
    assert "8 games, each as it was when it was saved" in table
    found = json.loads(run("store", out, "--json")[0])
    assert [(one["number"], one["games"], one["runs"]) for one in found["tournaments"]] == [(1, 4, 1), (2, 4, 1)]
    assert found["players"] == players_in(out)
    assert found["players"][1]["arguments"]["depth"] == 1
    one = json.loads(run("store", f"{out}#2", "--json")[0])
    assert one["tournaments"] == [found["tournaments"][1]]
    assert "games.db has no tournament 'night': expected the number of one" in run("store", f"{out}#night", code=2)[1]
    with sqlite3.connect(out) as connection:
        connection.execute("UPDATE games SET plies = plies + 1 WHERE id = 5")
        connection.execute("DELETE FROM entries WHERE game = 5")  # a game of no tournament
    connection.close()
    assert "games.db is damaged (malformed: a game is not what it was" in run("store", out, "--check", code=2)[1]
    assert "expected a name that ends in .db" in run("store", "games.jsonl", code=2)[1]
    assert "there is no such file" in run("store", "games.db", code=2)[1]
