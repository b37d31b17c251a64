"""PDN: real games, games of ours there and back, and files as others write them."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from plyground.agents import AlphaBeta
from plyground.arena import GameRecord, match, play
from plyground.arena.formats import read_games, write_games
from plyground.arena.records.pdn import read_pdn
from plyground.envs import BoardGameEnv, make_game
from tests.conftest import DATA
from tests.envs.test_gymnasium import Scripted
from tests.helpers.records import names, untimed

# Black may jump from 14 to 30 over 17 and 25, or over 18 and 26.
FORKED = (
    "1. 11-15 22-18 2. 15x22 26x17 3. 8-11 24-20 4. 11-16 20x11 5. 7x16 30-26 "
    "6. 4-8 17-13 7. 3-7 28-24 8. 7-11 21-17 9. 9-14 23-18"
)


def read(path: Path, text: str, **options: Any) -> list[GameRecord]:
    """Write a file, and read its games."""
    file = path / "games.pdn"
    file.write_text(text, encoding="utf-8")
    return list(read_pdn(file, **options))


def written(path: Path, *records: GameRecord) -> str:
    file = path / "written.pdn"
    write_games(file, records)
    return file.read_text(encoding="utf-8")


def moves_of(text: str) -> str:
    """Return the moves of a file with one game, on one line."""
    return " ".join(text.split("\n\n")[1].split())


class TestPublished:
    def test_the_match_of_1847(self) -> None:
        records = list(read_games(DATA / "records" / "checkers.pdn"))
        assert [r.players for r in records] == [["Anderson, A.", "Wyllie, J."]] * 4
        assert [r.outcome for r in records] == [[1, -1], [1, -1], [0, 0], [1, -1]]
        assert {(r.game, r.ending) for r in records} == {("checkers", "finished")}
        assert [len(r.moves) for r in records] == [41, 39, 49, 167]
        # "31x24x15x8" and "1x10x17x26" are rows of jumps by one player.
        assert names(records[2])[18:21] == ["31x24", "24x15", "15x8"]
        assert records[2].movers[17:22] == [0, 1, 1, 1, 0]
        assert names(records[1])[30:33] == ["1x10", "10x17", "17x26"]

    def test_first_in_the_result_is_black(self) -> None:
        """The last game of the file is "1-0", and its final position a proven win for black, who moved first."""
        *_, record = read_games(DATA / "records" / "checkers.pdn")
        game = make_game("checkers")
        state = game.play_moves(record.moves)
        found = AlphaBeta(game, depth=13).analyse(state)
        assert found.exact
        assert game.player(state) == 1
        assert found.value == -1


class TestThereAndBack:
    @pytest.mark.slow
    @pytest.mark.parametrize("spec", ["checkers", "checkers(max_quiet_plies=30, repetition=0)"])
    def test_all_but_the_times_is_kept(self, tmp_path: Path, spec: str) -> None:
        records = match(spec, ["random", "random"], games=8, seed=2)
        written(tmp_path, *records[:3])
        text = written(tmp_path, *records[3:])  # adds
        back = list(read_games(tmp_path / "written.pdn"))
        assert list(map(untimed, back)) == list(map(untimed, records))
        assert {r.opening for r in back} == {4}
        assert [len(r.seconds) for r in back] == [len(r.moves) for r in back]
        assert max(len(line) for line in text.splitlines() if not line.startswith("[")) <= 80
        # Some move was a row of jumps, and is written as its first and last square.
        jumps = sum(a == b for r in records for a, b in pairwise(r.movers[r.opening :]))
        assert jumps > 0
        assert len([word for word in text.split() if word[0].isdigit() and ("-" in word or "x" in word)]) < sum(
            len(r.moves) for r in records
        )

    def test_the_file(self, tmp_path: Path) -> None:
        (record,) = read(tmp_path, '[Black "A \\"Ace\\" B\\\\C"][White "Ülo"] 1. 11-15 22-18 2. 15x22 25x18 1-0')
        assert record.players == ['A "Ace" B\\C', "Ülo"]
        text = written(tmp_path, record)
        assert text == (
            '[Event "plyground"]\n'
            '[Black "A \\"Ace\\" B\\\\C"]\n'
            '[White "Ülo"]\n'
            '[Result "1-0"]\n'
            '[GameType "21"]\n'
            '[Plyground "{\\"game\\": \\"checkers\\", \\"opening\\": 0, \\"outcome\\": [1.0, -1.0], '
            '\\"ending\\": \\"finished\\", \\"seed\\": null}"]\n'
            "\n"
            "1. 11-15 22-18 2. 15x22 25x18 *\n"
            "\n"
        )
        assert list(read_games(tmp_path / "written.pdn")) == [record]

    def test_an_illegal_move_is_kept_out_of_the_moves(self, tmp_path: Path) -> None:
        game = make_game("checkers")
        opening = [game.str_to_action(name) for name in ("11-15", "22-18")]
        record = play(BoardGameEnv(game), [Scripted(0), Scripted()], options={"moves": opening}, seed=1)
        assert (record.ending, record.outcome, record.opening) == ("illegal", [-1, 0], 2)
        text = written(tmp_path, record)
        assert '[Result "0-1"]' in text
        assert moves_of(text) == "1. 11-15 22-18 *"
        assert [untimed(r) for r in read_games(tmp_path / "written.pdn")] == [untimed(record)]

    def test_a_game_broken_off_in_the_middle_of_a_jump(self, tmp_path: Path) -> None:
        (whole,) = read(tmp_path, FORKED + " 10. 14x23x30")
        assert names(whole)[-2:] == ["14x23", "23x30"]
        half = dataclasses.replace(whole, moves=whole.moves[:-1], movers=whole.movers[:-1], seconds=whole.seconds[:-1])
        text = written(tmp_path, half)
        assert '[Result "*"]' in text
        assert moves_of(text).endswith("10. 14x23 *")
        assert list(read_games(tmp_path / "written.pdn")) == [half]

    def test_a_game_without_a_result_breaks_off(self, tmp_path: Path) -> None:
        """A file that was cut off in the middle of its last game told that game's outcome, after half of its moves."""
        (record,) = read(tmp_path, "1. 11-15 22-18 2. 15x22 25x18 1-0")
        text = written(tmp_path, record)
        for cut in (text.rstrip().removesuffix("*"), text.partition("2. ")[0], text.partition("1. 11")[0]):
            faults: list[ValueError] = []
            assert read(tmp_path, text + cut, fault=faults.append) == [record]
            assert [str(one).partition("pdn, ")[2] for one in faults] == [
                "line 10, game 2: the game breaks off: its moves end without a result"
            ]
        with pytest.raises(ValueError, match="line 1, game 1: the game breaks off"):
            read(tmp_path, text.partition("2. ")[0] + text)

    def test_ambiguous_jumps_are_written_out(self, tmp_path: Path) -> None:
        for jump in ("14x23x30", "14x21x30"):
            (record,) = read(tmp_path, f"{FORKED} 10. {jump}")
            (tmp_path / "written.pdn").unlink(missing_ok=True)
            assert moves_of(written(tmp_path, record)).endswith(f"10. {jump} *")
            assert list(read_games(tmp_path / "written.pdn")) == [record]

    def test_no_moves(self, tmp_path: Path) -> None:
        record = GameRecord("checkers", ["a", "b"], [], 0, [0.0, 0.0], "truncated", [], [], None)
        assert moves_of(written(tmp_path, record)) == "*"
        assert list(read_games(tmp_path / "written.pdn")) == [record]

    def test_what_is_not_written(self, tmp_path: Path) -> None:
        (record, *_) = match("connect_four", ["random", "random"], games=2)
        with pytest.raises(ValueError, match=r"PDN files hold checkers here, got 'connect_four'"):
            written(tmp_path, record)
        for move, name in [(169, r"\d+x\d+"), (170, "170"), (-1, "-1")]:
            wrong = GameRecord("checkers", ["a", "b"], [move], 0, [0, 0], "truncated", [0], [0], None)
            with pytest.raises(ValueError, match=f"move 1, {name}, is illegal in checkers"):
                written(tmp_path, wrong)
        assert not (tmp_path / "written.pdn").exists()

    def test_edited_notes(self, tmp_path: Path) -> None:
        (record,) = read(tmp_path, "1. 11-15")
        text = written(tmp_path, record)
        with pytest.raises(ValueError, match=r"game 1: the notes speak of an opening of 3 moves, the game has 1"):
            read(tmp_path, text.replace('opening\\": 0', 'opening\\": 3'))
        with pytest.raises(ValueError, match=r"game 1: the notes name the game othello, the file holds checkers"):
            read(tmp_path, text.replace('game\\": \\"checkers', 'game\\": \\"othello'))


class TestForeign:
    def test_what_is_skipped(self, tmp_path: Path) -> None:
        (record,) = read(
            tmp_path,
            '\ufeff% a file\n[Event "x"]\n[Site "y"]\n1. 11-15! $1 {a comment (with 1-0)} 22-18(?) ; 99-98 2. 0-1\n'
            "( 1... 23-19 2. 8-11 (22-17 *) 1-0 ) 2. ... 15x22 ?! 25:18* 8-11 1-0\n",
        )
        assert names(record) == ["11-15", "22-18", "15x22", "25x18", "8-11"]
        assert record.players == ["Black", "White"]
        assert (record.outcome, record.ending, record.opening) == ([1, -1], "finished", 0)
        assert record.movers == [0, 1, 0, 1, 0]

    def test_jumps_in_other_words(self, tmp_path: Path) -> None:
        for jump in ("14x23x30", "14-23-30", "14x23 23x30", "14:23:30"):
            (record,) = read(tmp_path, f"{FORKED} 10. {jump} 13-9")
            assert names(record)[-3:] == ["14x23", "23x30", "13-9"]
            assert record.movers[-4:] == [1, 0, 0, 1]

    def test_short_jumps(self, tmp_path: Path) -> None:
        """The games of 1847 with the squares between left out, where the standard leaves them out."""
        text = (DATA / "records" / "checkers.pdn").read_text()
        short = text.replace("31x24x15x8", "31x8").replace("1x10x17x26", "1x26").replace("9x18x27", "9x27")
        assert short.count("x") == text.count("x") - 5
        shorter = text.replace("31x24x15x8", "31x24x8")  # some of them
        assert read(tmp_path, short) == read(tmp_path, shorter) == list(read_games(DATA / "records" / "checkers.pdn"))

    def test_several_games(self, tmp_path: Path) -> None:
        games = read(
            tmp_path, '[Event "1"]\n1. 9-13 *\n* [Event "2"] 1. 9-14\n[Event "3"]\n0-1\n1. 10-14 1/2-1/2\n1. 11-15'
        )
        assert [names(game) for game in games] == [["9-13"], ["9-14"], [], ["10-14"], ["11-15"]]
        assert [game.outcome for game in games] == [[0, 0], [0, 0], [-1, 1], [0, 0], [0, 0]]
        assert [game.ending for game in games] == ["truncated", "truncated", "finished", "finished", "truncated"]

    @pytest.mark.parametrize(
        ("tag", "end", "outcome"),
        [
            ("1-0", "*", [1, -1]),
            ("1-0", "1-0", [1, -1]),
            ("*", "0-1", [-1, 1]),
            ("?", "1/2-1/2", [0, 0]),
            ("2-0", "1-0", [1, -1]),
            ("0-2", "", [-1, 1]),
            ("1-1", "", [0, 0]),
        ],
    )
    def test_results(self, tmp_path: Path, tag: str, end: str, outcome: list[int]) -> None:
        if tag == "2-0":  # the same in other words: too different
            with pytest.raises(ValueError, match="the results '2-0', in the tags, and '1-0', after the moves, differ"):
                read(tmp_path, f'[Result "{tag}"] 1. 11-15 {end}')
            return
        (record,) = read(tmp_path, f'[Result "{tag}"] 1. 11-15 {end}')
        assert (record.outcome, record.ending) == (outcome, "finished")

    def test_an_end_by_the_rules(self, tmp_path: Path) -> None:
        """A game without a result that is over all the same."""
        record = next(r for r in match("checkers", ["random", "random"], games=20, seed=3) if r.outcome != [0, 0])
        text = moves_of(written(tmp_path, record))
        (back,) = read(tmp_path, text)
        assert (back.outcome, back.ending) == (record.outcome, "finished")
        wrong = "0-1" if record.outcome == [1, -1] else "1-0"
        with pytest.raises(ValueError, match=r"its result is a win of the .* the last position is a win of the"):
            read(tmp_path, text.replace("*", wrong))
        with pytest.raises(ValueError, match=r"move \d+\. 1-5 comes after the end of the game of checkers"):
            read(tmp_path, text.replace("*", "") + "1-5")

    def test_initial_position_as_fen(self, tmp_path: Path) -> None:
        numbers = ",".join(map(str, range(21, 33)))
        for fen in ("B:W21-32:B1-12", f"B:B1,2,3,4,5,6,7,8,9,10,11,12:W{numbers}."):
            (record,) = read(tmp_path, f'[GameType "21,B,8,8,N1,0"] [FEN "{fen}"] 1. 11-15')
            assert names(record) == ["11-15"]

    def test_other_positions(self, tmp_path: Path) -> None:
        (record,) = read(tmp_path, '[SetUp "1"] [FEN "W:W21-32:B1-12."] 1... 22-18 2. 11-15 18x11 3. 8x15 *')
        assert record.start == "W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
        assert record.movers == [1, 0, 1, 0]
        text = written(tmp_path, record)
        assert '[SetUp "1"]' in text
        assert moves_of(text).split() == ["1...", "22-18", "2.", "11-15", "18x11", "3.", "8x15", "*"]
        assert list(read_games(tmp_path / "written.pdn")) == [record]
        game = make_game("checkers")
        state = game.state_from_fen("B:W18:BK1")
        state.quiet = 3
        record = play(BoardGameEnv(game), ["random", "random"], seed=0, options={"state": state})
        with pytest.raises(ValueError, match="from a position that FEN cannot tell"):
            written(tmp_path, record)

    def test_other_rules(self, tmp_path: Path) -> None:
        (record,) = read(tmp_path, "1. 11-15", game="checkers(repetition=2)")
        assert record.game == "checkers(repetition=2)"

    def test_old_encoding(self, tmp_path: Path) -> None:
        (tmp_path / "games.pdn").write_bytes('[Black "Grübel"] 1. 11-15'.encode("latin-1"))
        (record,) = read_games(tmp_path / "games.pdn")
        assert record.players[0] == "Grübel"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "line 1: there is no game: expected PDN, such as '1. 11-15 23-19"),
            ("* {nothing} *", "there is no game"),
            ("1. e4 e5", "line 1, game 1: cannot read 'e4 e5': expected a move or a tag"),
            ("1. 11-15 *\n\n1. 11-15\n22 18", "line 4, game 2: cannot read '22 18'"),
            ("1. 11-15 {", "line 1, game 1: cannot read '{'"),
            ("1. 11-15\n)", r"line 2, game 1: a '\)' without '\('"),
            ("1. 11-15 (22-17", r"a '\(' without '\)'"),
            ('[GameType "20"] 1. 32-28', "GameType '20' is not read here: expected 21, English draughts"),
            ('[FEN "B:W18,24:B12,25"] 1. 11-15', r"move 1\. 11-15 is illegal: expected one that begins with 12-16"),
            ('[FEN "W:W21-32:B1-13"] 1. 22-18', "'W:W21-32:B1-13' has 13 pieces of a side"),
            ('[FEN "B:W21-31"] 1. 11-15', "the position 'B:W21-31' cannot be read: expected as in"),
            ('[Result "1-O"] 1. 11-15', "the result '1-O' cannot be read: expected 1-0, 0-1"),
            ('[Event "a"]\n[FEN "W:W31:B2"]\n\n[Event "b"]\n1. 11-15 *', "game 1: the tag 'Event' stands twice: is"),
            ("1. 11-15 0-0", "the result '0-0' cannot be read"),
            ('[Result "1-0"] 1. 11-15 0-1', "the results '1-0', in the tags, and '0-1', after the moves, differ"),
            ("1. 11-16 24-20 2. 16-19 20-16", r"move 2\. 20-16 is illegal: expected one that begins with 23x16"),
            ("1. 11-15 11-15", r"move 1\. 11-15 is illegal: expected one that begins with .*22-18"),
            ("1. 11-15 22-18 2. 15x23", r"move 2\. 15x23 is illegal"),
            ("1. 11-15 22-18 2. 15x22x29", r"move 2\. 15x22x29 is illegal"),
            (FORKED + " 10. 14x30", r"move 10\. 14x30 is ambiguous: expected one of 14x21x30, 14x23x30"),
            (FORKED + " 10. 14x23 26x19", r"move 10\. 26x19 is illegal: expected one that begins with 23x30"),
        ],
    )
    def test_what_cannot_be_read(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(ValueError, match=message) as caught:
            read(tmp_path, text)
        assert "games.pdn" in str(caught.value)

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("1. 11-15 23-19\n2. 8-11 22-17\n3. 1-5 *", 5),
            ("1. 11-15 23-19\n2. 8-11 {a\ncomment} 22-17\n(2... 24-20) 3. 1-5 *", 6),
            ("1. 11-15\n11-15 *", 4),
            ("1. 1-5 *", 3),
            ("11-15 23-19 8-11\n\n22-17 1-5", 5),
        ],
    )
    def test_a_faulty_move_is_found_in_its_line(self, tmp_path: Path, text: str, line: int) -> None:
        """It was said to be in the first line of the game."""
        faults: list[ValueError] = []
        before, after = "1. 9-13 *\n", '\n\n[White "z"]\n1. 9-14 *\n1. 1-5'
        games = read(tmp_path, f'{before}[White "y"]\n{text}{after}', fault=faults.append)
        assert [names(game) for game in games] == [["9-13"], ["9-14"]]
        last = 2 + f"{text}{after}".count("\n") + 1
        for error, (place, number) in zip(faults, ((line, 2), (last, 4)), strict=True):
            assert f"games.pdn, line {place}, game {number}: move " in str(error)

    def test_the_games_before_an_error_are_read(self, tmp_path: Path) -> None:
        file = tmp_path / "games.pdn"
        file.write_text("1. 11-15 * 1. 9-13 * 1. 1-5 *")
        games = read_games(file)
        assert [names(next(games)), names(next(games))] == [["11-15"], ["9-13"]]
        with pytest.raises(ValueError, match=r"games\.pdn, line 1, game 3: move 1\. 1-5"):
            next(games)

    def test_the_games_after_one_without_moves_are_read(self, tmp_path: Path) -> None:
        """Its tags were those of the next game."""
        faults: list[ValueError] = []
        text = '1. 9-13 *\n[Black "x"]\n[White "y"]\n\n[Black "z"]\n1. 9-14 *\n[White "u"]\n1. 10-14 *'
        games = read(tmp_path, text, fault=faults.append)
        assert [(names(game), game.players) for game in games] == [
            (["9-13"], ["Black", "White"]),
            (["10-14"], ["Black", "u"]),
        ]
        assert len(faults) == 1
        assert "line 2, game 2: the tag 'Black' stands twice" in str(faults[0])
