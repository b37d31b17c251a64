"""The script that measures strength: its rows can be played, its results are kept, and OpenSpiel's player follows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from benchmarks import page
from benchmarks.strength import chess, elo, go, ladder
from benchmarks.strength.elo_rows import ROWS, Row
from benchmarks.strength.openspiel_bot import OpenSpielMCTS
from plyground.agents import MCTS, make
from plyground.arena import match, play
from plyground.arena.records.record import GameRecord
from plyground.envs import BoardGameEnv, connect_four, make_game

APP = typer.Typer()
APP.command()(elo.main)


def run(*arguments: Any) -> str:
    result = CliRunner().invoke(APP, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


class TestRows:
    @pytest.mark.slow
    def test_all_players_can_be_made(self) -> None:
        for row in ROWS:
            for spec in (row.first, row.second):
                if not spec.startswith("open_spiel"):
                    agent: Any = make(spec, row.game)
                    if row.game == "connect_four":  # what is wrong with an option may be found out by a search only
                        assert agent.analyse(connect_four().play_moves([3, 3, 2, 4])).best_action in range(7)

    def test_all_are_different(self) -> None:
        assert len({(row.game, row.first, row.second) for row in ROWS}) == len(ROWS)
        assert all(row.first != row.second for row in ROWS)


class TestScript:
    ROWS = (
        Row("doublings", "connect_four", "depth 4, not 1", "alphabeta(depth=4)", "alphabeta(depth=1)"),
        Row("doublings", "tictactoe", "more", "mcts(simulations=200)", "mcts(simulations=10)"),
    )

    def test_results_are_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(elo, "ROWS", list(self.ROWS))
        keep = tmp_path / "results.jsonl"
        output = run("--only", "connect", "--openings", 10, "--jobs", 1, "--keep", keep)
        assert "1 of 1 rows" in output
        (kept,) = map(json.loads, keep.read_text().splitlines())
        records = match("connect_four", ["alphabeta(depth=4)", "alphabeta(depth=1)"], 20)
        assert sum(kept["pairs"]) == sum((record.outcome[i % 2] + 1) / 2 for i, record in enumerate(records)) > 10
        assert min(kept["seconds"]) > 0
        run("--openings", 10, "--jobs", 1, "--keep", keep)
        assert [json.loads(line)["game"] for line in keep.read_text().splitlines()] == ["connect_four", "tictactoe"]
        monkeypatch.setattr(elo, "play_row", None)  # nothing is left to play
        assert "2 of 2 rows" in run("--openings", 10, "--keep", keep)

    def test_what_was_played_is_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        document, keep = tmp_path / "page.md", tmp_path / "results.jsonl"
        text = "Above\n<!-- strength doublings: begin -->\nold\n<!-- strength doublings: end -->\nbelow\n"
        document.write_text(text)
        monkeypatch.setattr(page, "PAGE", document)
        monkeypatch.setattr(elo, "ROWS", list(self.ROWS))
        arguments = ("--openings", 2, "--jobs", 1, "--keep", keep, "--write")
        assert "doublings: 1 rows written, 1 not played" in run("--only", "tictactoe", *arguments)
        assert "`tictactoe`:\n\n| setting |" in document.read_text()
        assert "Not played here, in `connect_four`: depth 4, not 1.\n" in document.read_text()
        assert "doublings: 2 rows written, 0 not played" in run(*arguments)
        written = document.read_text()
        assert written.startswith("Above\n<!-- strength doublings: begin -->\n\n`connect_four`:\n\n| setting |")
        assert written.endswith("|\n\n<!-- strength doublings: end -->\nbelow\n")
        assert "| depth 4, not 1 | 4 |" in written
        assert "old" not in written
        run(*arguments)
        assert document.read_text() == written

    def test_a_page_without_the_markers(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        document = tmp_path / "page.md"
        monkeypatch.setattr(page, "PAGE", document)
        for text in ("", "<!-- a: end -->\n<!-- a: begin -->\n", "<!-- a: begin -->\n"):
            document.write_text(text)
            with pytest.raises(ValueError, match="must have one line <!-- a: begin -->"):
                page.write_section("a", ["lines"])
            assert document.read_text() == text

    def test_no_such_row(self) -> None:
        result = CliRunner().invoke(APP, ["--only", "chess"])
        assert result.exit_code == 2
        assert "no row has 'chess'" in result.output


class TestOpenSpiel:
    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        pytest.importorskip("pyspiel")

    @pytest.mark.slow
    @pytest.mark.parametrize("spec", ["connect_four", "othello", "go(board_size=5)", "go(board_size=9)"])
    def test_follows_whole_games(self, spec: str) -> None:
        game = make_game(spec)
        records = match(game, [OpenSpielMCTS(game, 5), "random"], 6, seed=2)
        for number, record in enumerate(records):
            assert record.ending == "finished"
            bot = OpenSpielMCTS(game, 5)
            bot.follow(game.play_moves(record.moves[: record.opening]))
            for action in record.moves[record.opening :]:
                bot._play(action)
            assert bot.peer_state.is_terminal()
            if game.name != "go":  # where our superko forbids, OpenSpiel ends the game
                assert bot.peer_state.returns() == record.outcome, number

    @pytest.mark.slow
    def test_same_seed_same_game_and_any_number_of_processes(self) -> None:
        players = [OpenSpielMCTS("connect_four", 30), MCTS("connect_four", 30)]
        games = [[record.moves for record in match("connect_four", players, 6, 4, jobs=jobs)] for jobs in (1, 1, 2)]
        assert games[0] == games[1] == games[2]

    def test_wins_at_once(self) -> None:
        env = BoardGameEnv("connect_four")
        record = play(
            env, [OpenSpielMCTS("connect_four", 200), MCTS("connect_four", 1)], 1, options={"moves": [3, 0, 3, 0, 3, 1]}
        )
        assert (record.moves[6:], record.outcome) == ([3], [1, -1])

    def test_superko_is_respected(self) -> None:
        # A mask that leaves one move: that is played, whatever the bot likes best.
        game = make_game("go(board_size=5)")
        bot, state = OpenSpielMCTS(game, 50), game.play_moves(["C3", "B2"])
        mask = np.zeros(game.num_actions, np.int8)
        mask[game.str_to_action("A5")] = 1
        assert game.action_to_str(bot.act({"action_mask": mask}, {"state": state})) == "A5"

    def test_what_it_cannot_do(self) -> None:
        with pytest.raises(ValueError, match=r"plays connect_four, othello and go, got checkers"):
            OpenSpielMCTS("checkers")
        with pytest.raises(ValueError, match="simulations must be at least 2"):
            OpenSpielMCTS("othello", 1)
        game = make_game("connect_four")
        with pytest.raises(ValueError, match="no moves were found that lead from"):
            OpenSpielMCTS(game).follow(game.play_moves([0, 1, 2, 3, 4, 5, 6]))


class TestKeptGames:
    def test_a_player_that_is_withdrawn_is_no_ctrl_c(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for script in (chess, ladder):
            monkeypatch.setattr(script, "iter_match", lambda *_, **__: iter(()))
        assert chess.played(make_game("chess"), "ours", "theirs", 4, 0, [], None) == ([], False)
        told = (make_game("tictactoe"), ("random", "minimax"), 4, 25.0, 0, 1, tmp_path / "games.jsonl")
        assert ladder.measured(*told) == []

    def test_chess_on_a_clock_has_no_other_limit(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        asked: list[tuple[Any, ...]] = []

        def played(game: Any, ours: str, theirs: str, *rest: Any) -> tuple[list[GameRecord], bool]:
            asked.append((ours, theirs, rest[-1]))
            return [], False

        monkeypatch.setattr(chess, "played", played)
        monkeypatch.setattr(chess, "where", lambda command: f"/there/{command}")
        for options in (["--seconds", "0.2"], ["--clock", "10+0.1"]):
            assert CliRunner().invoke(chess.app, ["games", "--only", "a", *options]).exit_code == 0
        assert asked == [
            ("alphabeta(seconds=0.2)", 'engine("/there/fairymax", depth=6, protocol="xboard")', None),
            ("alphabeta(seconds=0.2)", 'engine("/there/phalanx", seconds=1, protocol="xboard")', None),
            ("alphabeta(seconds=60)", 'engine("/there/fairymax", protocol="xboard")', "10+0.1"),
            ("alphabeta(seconds=60)", 'engine("/there/phalanx", protocol="xboard")', "10+0.1"),
        ]

    def test_games_on_another_clock_are_no_games_of_this_match(self, monkeypatch: pytest.MonkeyPatch) -> None:
        told: list[int] = []

        def iter_match(game: Any, players: Any, games: int, seed: int, **options: Any) -> Iterator[GameRecord]:
            told.append(len(options["after"]))
            yield GameRecord(game.spec, [*options["names"]], [], 0, [0.0, 0.0], "finished", [], [], seed)

        monkeypatch.setattr(chess, "iter_match", iter_match)
        known: list[GameRecord] = []
        for clock in (None, "10", "10+0.1", "10"):
            known += chess.played(make_game("chess"), "ours", "theirs", 2, 0, known, None, clock)[0]
        assert told == [0, 0, 0, 1]

    def test_parts_that_are_unknown_are_named_before_anything_is_played(self, tmp_path: Path) -> None:
        app = typer.Typer()
        app.command()(go.main)
        found = CliRunner().invoke(app, ["plain UCT", "without rave", "--keep", str(tmp_path / "new" / "games.jsonl")])
        assert found.exit_code == 2
        assert "no part 'without rave'" in found.output
        assert not (tmp_path / "new").exists()
