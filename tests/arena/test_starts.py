"""Games that begin from another position: openings from FEN and EPD files, records, stores and reports of them."""

from __future__ import annotations

import dataclasses
import json
import math
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from plyground.arena import (
    GameRecord,
    iter_match,
    match,
    pair_scores,
    play,
    read_games,
    read_records,
    write_games,
    write_report,
)
from plyground.arena.openings import Opening, openings_of, read_openings
from plyground.arena.ratings.paired import paired_games
from plyground.arena.store import schema
from plyground.envs import BoardGameEnv, GameBatch, SoloEnv, make_game
from plyground.envs.starting import position_of, position_text
from tests.arena.test_arena import without_times
from tests.conftest import DATA, random_game
from tests.helpers.command_line import Run
from tests.helpers.records import untimed
from tests.helpers.report_games import Reader

WHITE = "W:W18,24,K27:B12,16,K20"  # white, the second player, is to move
BLACK = "B:W25,30,K32:B3,12,K20"
PLAYERS = ["random", "alphabeta(depth=1)"]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.fen"
    path.write_text(f"# two positions\n{WHITE}\n\n{BLACK.lower()}. # the other\n", encoding="utf-8-sig")
    return path


class TestTexts:
    @pytest.mark.parametrize("name", ["chess", "chess(chess960=7)", "checkers", "go(board_size=4)", "othello(size=4)"])
    def test_any_state_comes_back(self, name: str, rng: np.random.Generator) -> None:
        game = make_game(name)
        assert position_text(game, game.new_state()) is None
        assert position_of(game, None) == game.new_state()
        for state in random_game(game, rng)[1:40]:
            text = position_text(game, state)
            assert text is not None
            assert position_of(game, text) == state

    @pytest.mark.parametrize(
        "text", ["", "{", '{"stones":[1,2]}', '{"stones":[1.5,2],"ply":2}', '{"stones":[[1]],"ply":0}', '{"ply":{}}']
    )
    def test_what_is_no_position(self, text: str) -> None:
        with pytest.raises(ValueError, match="cannot be read"):
            position_of(make_game("tictactoe"), text)

    def test_a_state_that_is_none(self) -> None:
        with pytest.raises(ValueError, match="the position is not a valid state of tictactoe"):
            position_of(make_game("tictactoe"), '{"stones":[3,3],"ply":4}')


class TestFiles:
    def test_checkers(self, book: Path) -> None:
        game = make_game("checkers")
        assert read_openings(book, game) == [Opening([], WHITE), Opening([], BLACK)]

    def test_chess(self, tmp_path: Path) -> None:
        path = tmp_path / "book.epd"
        path.write_text(
            '4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 Kd2; id "one # two; three"; c0 "a" ;noop ; \n'
            "4k3/8/8/8/8/8/4P3/4K3 b - - 12 40 # with counters\n"
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - hmvc 3;\n"
        )
        starts = [opening.start for opening in read_openings(path, make_game("chess"))]
        assert starts == ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 12 1", None]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            (
                "8/8/8/8/8/8/8/K7 w - - 0 1",
                "line 2: the position '8/8/8/8/8/8/8/K7 w - - 0 1' cannot be read: black",
            ),
            ('8/8/8/8/8/8/8/K7 w - - id "x 1";', "line 2: x 1: the position '8/8"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4", "line 2: 'bm e4' is no operation: expected some such as 'bm Nf3;'"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - bm" + " " * 10_000 + "x", "line 2: 'bm"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - " + "bm e4 " * 10_000, "line 2: 'bm e4 bm e4 bm e4 bm"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; ?; id x;", "line 2: '?; id x;' is no operation"),
            ("4k3/8/8/8/8/8/8/4K3 w - -", "line 2: the game is over in this position"),
            ("e2e4 e7e5", "line 2: the position 'e2e4 e7e5' cannot be read: it has 2 fields"),
        ],
    )
    def test_a_bad_line_is_named(self, line: str, message: str, tmp_path: Path) -> None:
        path = tmp_path / "book.epd"
        path.write_text(f"# a comment\n{line}\n")
        with pytest.raises(ValueError, match="line 2") as caught:
            read_openings(path, make_game("chess"))
        assert message in str(caught.value)

    def test_other_games_have_none(self, tmp_path: Path) -> None:
        path = tmp_path / "book.fen"
        path.write_text("\nX\n")
        with pytest.raises(ValueError, match=r"book\.fen, line 2: positions of tictactoe cannot be written as text"):
            read_openings(path, make_game("tictactoe"))
        path.write_text("# nothing\n")
        with pytest.raises(ValueError, match="has no openings: expected position in each line"):
            read_openings(path, make_game("chess"))

    def test_recorded_games_and_given_ones(self, book: Path, tmp_path: Path) -> None:
        game = make_game("checkers")
        records = match(game, PLAYERS, 4, openings=book)
        write_games(tmp_path / "games.jsonl", records)
        found = read_openings(tmp_path / "games.jsonl", game, 2)
        assert [opening.start for opening in found] == [WHITE, WHITE, BLACK, BLACK]
        assert [opening.moves for opening in found] == [record.moves[:2] for record in records]
        given = openings_of(game, [Opening(game.line_of(["18-14"]), WHITE), ["11-15"]])
        assert given == [Opening(game.line_of(["18-14"]), WHITE), Opening(game.line_of(["11-15"]))]

    def test_positions_in_other_words_are_found_again(self, tmp_path: Path) -> None:
        game, path = make_game("tictactoe"), tmp_path / "games.db"
        start = position_text(game, game.play_moves([4]))
        initial = '{"stones": [0, 0], "ply": 0}'
        assert start is not None
        openings = [Opening([0], start.replace(",", ", ")), Opening([1], initial)]
        assert openings_of(game, openings) == [Opening([0], start), Opening([1])]
        records = match("tictactoe", ["random", "random"], 4, openings=openings, store=path)
        assert match("tictactoe", ["random", "random"], 4, openings=openings, store=path, resume=True) == list(
            read_records(path)
        )
        again = iter_match("tictactoe", ["random", "random"], 4, openings=openings, after=records[:2])
        assert without_times(list(again)) == without_times(records[2:])
        write_games(tmp_path / "games.jsonl", [dataclasses.replace(records[-1], start=initial)])
        assert read_openings(tmp_path / "games.jsonl", game) == [Opening([1])]


class TestGames:
    @pytest.mark.slow
    def test_each_from_both_sides_in_all_ways_to_play(self, book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        records = match("checkers", PLAYERS, 4, openings=book, seed=2)
        assert [record.start for record in records] == [WHITE, WHITE, BLACK, BLACK]
        assert [record.players for record in records] == [PLAYERS, PLAYERS[::-1]] * 2
        assert [record.movers[0] for record in records] == [1, 1, 0, 0]
        game = make_game("checkers")
        for record in records:
            over = game.play_moves(record.moves, position_of(game, record.start))
            assert game.is_terminal(over) or record.outcome == [0, 0]
        assert len(pair_scores(records)) == 2
        assert paired_games(records).pairs.sum() == 2
        with pytest.raises(ValueError, match="are not one opening played from both sides"):
            pair_scores([records[0], dataclasses.replace(records[1], start=BLACK)])
        assert without_times(match("checkers", PLAYERS, 4, openings=book, seed=2, jobs=2)) == without_times(records)
        monkeypatch.setattr("plyground.arena.matches.MANY", 2)
        together = match("checkers", PLAYERS, 4, openings=book, seed=2)
        assert without_times(together) == without_times(records)

    def test_stores_and_resumption(self, book: Path, tmp_path: Path) -> None:
        path = tmp_path / "games.db"
        records = match("checkers", PLAYERS, 4, openings=book, store=path)
        assert without_times(list(read_records(path))) == without_times(records)
        assert match("checkers", PLAYERS, 4, openings=book, store=path, resume=True) == list(read_records(path))
        book.write_text(f"{BLACK}\n{WHITE}\n")  # another tournament, of other games: seeds go with places
        others = match("checkers", PLAYERS, 4, openings=book, store=path)
        assert [record.start for record in others] == [BLACK, BLACK, WHITE, WHITE]
        assert len(list(read_records(f"{path}#2"))) == 4
        with pytest.raises(ValueError, match=f"game 1 is of another match: its start is {WHITE}, expected {BLACK}"):
            iter_match("checkers", PLAYERS, 4, openings=book, after=records)

    @pytest.mark.parametrize("suffix", [".jsonl", ".db", ".csv", ".parquet", ".pdn"])
    def test_formats(self, suffix: str, book: Path, tmp_path: Path) -> None:
        records = [untimed(one) for one in match("checkers", PLAYERS, 2, openings=book)]
        records = [dataclasses.replace(one, seconds=[0.0] * len(one.moves)) for one in records]
        write_games(tmp_path / f"games{suffix}", records)
        assert list(read_games(tmp_path / f"games{suffix}")) == records

    def test_formats_that_cannot(self, tmp_path: Path) -> None:
        game = make_game("othello(size=4)")
        state = game.play_moves(game.actions(game.new_state())[:1])
        record = play(BoardGameEnv(game), ["random", "random"], seed=0, options={"state": state})
        assert record.start is not None
        assert position_of(game, record.start) == state
        with pytest.raises(ValueError, match="starts from a set-up position, which SGF files do not hold here"):
            write_games(tmp_path / "games.sgf", [record])
        assert not list(tmp_path.iterdir())  # not even an empty file
        write_games(tmp_path / "games.jsonl", [record])
        assert list(read_games(tmp_path / "games.jsonl")) == [record]

    def test_older_tables_have_no_column_for_it(self, book: Path, tmp_path: Path) -> None:
        path, plain = tmp_path / "games.csv", match("checkers", ["random", "random"], 2)
        write_games(path, plain)
        cells = [line.rpartition(",")[0] for line in path.read_text().splitlines()]
        path.write_text("".join(f"{line}\n" for line in cells))
        assert list(read_games(path)) == plain
        write_games(path, plain[:1])
        assert list(read_games(path)) == [*plain, plain[0]]
        with pytest.raises(ValueError, match=r"games\.csv has no column for where a game starts: write a new file"):
            write_games(path, match("checkers", PLAYERS, 2, openings=book))
        assert len(list(read_games(path))) == 3

    def test_commands_and_reports(self, book: Path, tmp_path: Path, run: Run) -> None:
        path = tmp_path / "games.jsonl"
        run("match", *PLAYERS, "-g", "checkers", "--games", "4", "--openings", str(book), "--out", str(path))
        run(
            "match", *PLAYERS, "-g", "checkers", "--games", "4", "--openings", str(book), "--out", str(path), "--resume"
        )
        assert [json.loads(line)["start"] for line in path.read_text().splitlines()] == [WHITE, WHITE, BLACK, BLACK]
        out, _ = run("replay", str(path), "1", "--ply", "0")
        assert f"from {WHITE}" in out
        write_report(tmp_path / "page.html", read_games(path), blunder_seconds=0)
        page = (tmp_path / "page.html").read_text()
        openings = Reader(page).tables["Results of the first player by opening"][1:]
        assert sorted(row[:2] for row in openings) == [[BLACK, "2"], [WHITE, "2"]]
        data = json.loads(page.split('id="data">')[1].split("</script>")[0])
        assert len(data["games"][0]["b"]) == 6  # pieces


class TestAnalyses:
    ARGUMENTS: ClassVar[dict[str, Any]] = {"seed": 1, "analyses": True}

    def test_are_what_the_searches_found(self) -> None:
        plain = match("tictactoe", ["random", "alphabeta(depth=3)"], 2, seed=1)
        records = match("tictactoe", ["random", "alphabeta(depth=3)"], 2, **self.ARGUMENTS)
        assert all(record.analyses is None for record in plain)
        assert [one.moves for one in records] == [one.moves for one in plain]
        for record in records:
            assert record.analyses is not None
            for move, mover, judgement in zip(record.moves, record.movers, record.analyses, strict=True):
                searched = mover >= 0 and record.players[mover] != "random"
                assert (judgement is not None) == searched
                if judgement is not None:
                    assert judgement.line[0] == move
                    assert 1 <= judgement.depth <= 9
                    assert judgement.nodes >= 1

    def test_an_agent_that_did_not_search_says_nothing(self) -> None:
        class Once:
            last_analysis = None

            def reset(self, seed: int | None = None) -> None:
                pass

            def act(self, observation: Any, info: Any) -> int:
                if self.last_analysis is None:
                    from plyground.agents import AlphaBeta

                    self.last_analysis = AlphaBeta("tictactoe", depth=1).analyse(info["state"])
                return int(np.argmax(info["action_mask"]))

        record = play(BoardGameEnv("tictactoe"), [Once(), "random"], seed=3, analyses=True)
        assert record.analyses is not None
        assert [one is not None for one in record.analyses] == [True] + [False] * (len(record.moves) - 1)

    @pytest.mark.parametrize("value", [math.inf, math.nan])
    def test_values_that_no_file_can_be_read_with(self, value: float) -> None:
        class Sure:
            last_analysis: Any = None

            def reset(self, seed: int | None = None) -> None:
                pass

            def act(self, observation: Any, info: Any) -> int:
                self.last_analysis = SimpleNamespace(value=value, depth=1, nodes=1, pv=[0], visits={})
                return int(np.argmax(info["action_mask"]))

        with pytest.raises(ValueError, match=r"analysis of Sure has the value (inf|nan): expected a finite number"):
            play(BoardGameEnv("tictactoe"), [Sure(), "random"], seed=3, analyses=True)
        lost = play(BoardGameEnv("tictactoe"), [Sure(), "random"], seed=3, analyses=True, failures=ValueError)
        assert (lost.ending, lost.outcome) == ("failed", [-1.0, 1.0])
        assert GameRecord.from_json(lost.to_json()) == lost

    def test_are_kept(self, tmp_path: Path, run: Run) -> None:
        store = tmp_path / "games.db"
        records = match("tictactoe", ["random", "alphabeta(depth=3)"], 4, store=store, **self.ARGUMENTS)
        back = list(read_records(store))
        assert without_times(back) == without_times(records)
        assert back[0].analyses == records[0].analyses
        write_games(tmp_path / "games.jsonl", back)
        assert list(read_games(tmp_path / "games.jsonl")) == back
        write_games(tmp_path / "copy.db", back)
        assert list(read_games(tmp_path / "copy.db")) == back
        write_games(tmp_path / "games.csv", back)  # which has no place for them
        assert list(read_games(tmp_path / "games.csv")) == [dataclasses.replace(one, analyses=None) for one in back]
        assert "4 analysed" in run("store", str(store))[0]
        number = next(i for i, one in enumerate(back) if one.players[0] != "random") + 1
        out, _ = run("replay", str(store), str(number))
        assert ", depth 3, " in out
        # The same games without analyses are the same games.
        more = match("tictactoe", ["random", "alphabeta(depth=3)"], 4, 1, store=store, resume=True)
        assert more == back
        write_report(tmp_path / "page.html", back, blunder_seconds=0)
        assert '"v":[' in (tmp_path / "page.html").read_text()

    def test_damage_is_found(self, tmp_path: Path) -> None:
        store = tmp_path / "games.db"
        match("tictactoe", ["random", "alphabeta(depth=3)"], 2, store=store, **self.ARGUMENTS)
        connection = sqlite3.connect(store)
        with connection:
            connection.execute("UPDATE analyses SET data = x'0102' WHERE game = 1")
        connection.close()
        with pytest.raises(ValueError, match="the analyses of a game are not what they were"):
            list(read_records(store))

    def test_records_are_checked(self) -> None:
        record = GameRecord("odd", ["a", "b"], [3], 0, [0, 0], "truncated", [0.0], [0], None)
        for analyses, message in (
            ([], "analyses has 0 entries for 1 move"),
            ([[1, 2]], "analyses must be a list of .value, depth, nodes, line, sampled. or null"),
            ([[float("nan"), 1, 1, [], False]], "analyses must be"),
        ):
            line = json.dumps({**json.loads(record.to_json()), "analyses": analyses})
            with pytest.raises(ValueError, match=message):
                GameRecord.from_json(line)
        line = json.dumps({**json.loads(record.to_json()), "analyses": [[0.5, 1, 10, [3, 4], True]]})
        assert GameRecord.from_json(line).to_json() == line

    def test_sgf_has_them_for_people(self, tmp_path: Path) -> None:
        records = match("othello(size=4)", ["alphabeta(depth=2)", "random"], 2, **self.ARGUMENTS)
        write_games(tmp_path / "games.sgf", records)
        assert ", depth 2, " in (tmp_path / "games.sgf").read_text()
        back = [dataclasses.replace(one, analyses=None) for one in records]
        assert [untimed(one) for one in read_games(tmp_path / "games.sgf")] == [untimed(one) for one in back]


def test_a_store_of_version_1_is_read_and_goes_on(tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file was written by plyground before records had a start, and dumped by SQLite as text."""
    path = tmp_path / "games.db"
    connection = sqlite3.connect(path)
    connection.executescript((DATA / "store" / "version_1.sql").read_text())
    connection.close()
    with monkeypatch.context() as patch:
        patch.setattr(schema, "_may_write", lambda _: False)
        with pytest.raises(
            PermissionError, match=r"is a store of version 1, which must be brought to version 2, and it"
        ):
            list(read_records(f"{path}#1"))
    players = ["random", "minimax(depth=1)"]
    before = list(read_records(f"{path}#1"))
    assert without_times(before) == without_times(match("tictactoe", players, 4))
    assert len(list(read_records(f"{path}#3"))) == 8
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    connection.close()
    more = match("tictactoe", players, 6, store=path, resume=True)
    assert more[:4] == before  # they are known again
    match("checkers", PLAYERS, 2, openings=book, store=path, analyses=True)
    record = next(iter(read_records(f"{path}#4")))
    assert record.start == WHITE
    assert record.analyses is not None


class TestEnvironments:
    def test_begin_there(self) -> None:
        game = make_game("checkers")
        expected = game.state_from_fen(WHITE)
        env = BoardGameEnv(game)
        env.reset(options={"fen": WHITE, "moves": ["18-14"]})
        assert env.infos["player_0"]["state"] == game.play_moves(["18-14"], expected)
        assert env.agent_selection == "player_0"
        batch = GameBatch(game, 3, seed=0)
        batch.reset(options={"fen": WHITE})
        assert all(state == expected for state in batch.states)
        solo = SoloEnv(game, "random", seat="second")
        _, info = solo.reset(seed=0, options={"fen": WHITE})
        assert info["state"] == expected

    def test_say_what_is_wrong_and_change_nothing(self) -> None:
        batch = GameBatch(make_game("checkers"), 2, seed=0)
        batch.reset(options={"fen": BLACK})
        before = batch.states.copy()
        for options, message in (
            ({"fen": "W:W18"}, "the position 'W:W18' cannot be read: expected as in 'B:W18"),
            ({"fen": 3}, "the position 3 cannot be read"),
            ({"fen": "B:W1:BK32,31", "state": before[0]}, "both say where the game starts: give one of them"),
            ({"fen": "W:W18:BK1", "moves": ["1-5"]}, "move '1-5' at index 0 is illegal in checkers"),
        ):
            for env in (batch, BoardGameEnv("checkers")):
                with pytest.raises(ValueError) as caught:  # noqa: PT011
                    env.reset(options=options)
                assert message in str(caught.value)
        assert (batch.states == before).all()
        with pytest.raises(ValueError, match="positions of othello cannot be read as text: give moves or a state"):
            BoardGameEnv("othello").reset(options={"fen": WHITE})
