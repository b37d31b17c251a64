"""SGF: real games, games of ours there and back, and files as others write them."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from sgfmill import boards, sgf

from plyground.agents import Random
from plyground.arena import GameRecord, match, play
from plyground.arena.formats import check_format, read_games, write_games
from plyground.arena.records.replay import Replay
from plyground.envs import BoardGameEnv, make_game
from tests.conftest import DATA
from tests.envs.test_gymnasium import Scripted
from tests.helpers.records import names, untimed

RECORDS = DATA / "records"
FIVE = ";B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea]"  # of gomoku, in a row
TIE = ";B[a2];W[a3];B[a4];W[c1];B[d1];W[a1];B[d3];W[d4];B[c4];W[d2];B[b1];W[b4]"  # of Othello, on 4x4


def read(path: Path, text: str | bytes) -> list[GameRecord]:
    """Write a file, and read its games."""
    file = path / "games.sgf"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(read_games(file))


def written(path: Path, *records: GameRecord) -> str:
    file = path / "written.sgf"
    write_games(file, records)
    return file.read_text()


class TestPublished:
    def test_go(self) -> None:
        (record,) = read_games(RECORDS / "go.sgf")
        assert record.players == ["Kuwahara Shusaku", "Gennan Inseki"]
        assert (record.game, record.outcome, record.ending) == (
            "go(komi=0.0, superko='simple')",
            [1, -1],
            "finished",
        )
        assert len(record.moves) == 325
        assert names(record)[126] == "K11"  # the ear-reddening move
        assert record.movers == [ply % 2 for ply in range(325)]
        # The final position, and its area, as sgfmill has them.
        theirs = boards.Board(19)
        for ply, move in enumerate(record.moves):
            theirs.play(18 - move // 19, move % 19, "bw"[ply % 2])
        game = make_game(record.game)
        replay = Replay(game)
        assert replay.play_all(record.moves) == 325
        ours = game.board.pieces(replay.state) if game.board else None
        stones = [
            [{None: 0, "b": 1, "w": 2}[theirs.get(18 - row, column)] for column in range(19)] for row in range(19)
        ]
        np.testing.assert_array_equal(ours, stones)
        assert np.sign(theirs.area_score()) == game.utility(replay.state, 0)

    def test_othello(self) -> None:
        (record,) = read_games(RECORDS / "othello.sgf")
        assert record.players == ["Stéphane Nicolet", "Kenta Tominaga"]
        assert (record.game, record.outcome, record.ending) == ("othello", [1, -1], "finished")
        assert names(record)[:4] == ["f5", "d6", "c5", "f4"]
        game = make_game("othello(by_discs=True)")
        state = game.play_moves(record.moves)
        assert game.is_terminal(state)
        assert game.utility(state, 0) == 35 - 29

    def test_gomoku(self) -> None:
        (record,) = read_games(RECORDS / "gomoku.sgf")
        assert record.players == ["pisq7", "RenjuSolver"]
        assert (record.game, record.outcome, record.ending) == ("gomoku(size=19)", [-1, 1], "finished")
        game = make_game(record.game)
        assert not game.is_terminal(game.play_moves(record.moves[:-1]))
        state = game.play_moves(record.moves)
        assert game.is_terminal(state)
        assert game.utility(state, 1) == 1


class TestThereAndBack:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "spec",
        [
            "go(board_size=5, komi=3.5, superko='situational')",
            "othello",
            "othello(size=6)",
            "gomoku(size=7, exact=True)",
        ],
    )
    def test_all_but_the_times_is_kept(self, tmp_path: Path, spec: str) -> None:
        records = match(spec, ["random", "random"], games=6, seed=1)
        written(tmp_path, *records[:2])
        written(tmp_path, *records[2:])  # adds
        back = list(read_games(tmp_path / "written.sgf"))
        assert list(map(untimed, back)) == list(map(untimed, records))
        assert {r.opening for r in back} == {4}
        assert [len(r.seconds) for r in back] == [len(r.moves) for r in back]

    @pytest.mark.parametrize("illegal", [0, 48])
    def test_an_illegal_move_is_kept_out_of_the_moves(self, tmp_path: Path, illegal: int) -> None:
        record = play(BoardGameEnv("gomoku(size=7)"), [Scripted(0, 2), Scripted(48, illegal)], seed=0)
        assert (record.ending, record.outcome, record.moves[-1]) == ("illegal", [0, -1], illegal)
        text = written(tmp_path, record)
        assert "RE[B+F]" in text
        assert "".join(text.split()).endswith(";B[aa];W[gg];B[ca])")
        (back,) = read_games(tmp_path / "written.sgf")
        assert untimed(back) == untimed(record)

    def test_a_move_that_only_the_environment_forbids(self, tmp_path: Path) -> None:
        """The last move repeats a board, which the state does not know."""
        moves = [1, 2, 5, 4, 0, 9, 25]  # any legal ones: the record says that the last was not
        record = GameRecord("go(board_size=5)", ["a", "b"], moves, 0, [-1.0, 0.0], "illegal", [0.0] * 7, [], 5)
        record = dataclasses.replace(record, movers=[0, 1, 0, 1, 0, 1, 0])
        assert "RE[W+F]" in written(tmp_path, record)
        (back,) = read_games(tmp_path / "written.sgf")
        assert back == record

    def test_a_game_broken_off(self, tmp_path: Path) -> None:
        env = BoardGameEnv("othello", max_cycles=2)
        record = play(env, [Random(), Random()], seed=1, names=["x", "y"])
        assert (record.ending, len(record.moves)) == ("truncated", 4)
        assert "RE[Void]" in written(tmp_path, record)
        assert [untimed(r) for r in read_games(tmp_path / "written.sgf")] == [untimed(record)]

    def test_the_file(self, tmp_path: Path) -> None:
        """What sgfmill and other programs see."""
        env = BoardGameEnv("go(board_size=5, komi=0.5)")
        record = play(env, [Scripted(7, 25), Scripted(25)], names=["A [1]\\: b", "Ülo"], seed=3)
        text = written(tmp_path, record)
        parsed = sgf.Sgf_game.from_bytes(text.encode())
        root = parsed.get_root()
        assert {name: root.get(name) for name in ("FF", "GM", "SZ", "KM", "PB", "PW", "RE", "CA")} == {
            "FF": 4,
            "GM": 1,
            "SZ": 5,
            "KM": 0.5,
            "PB": "A [1]\\: b",
            "PW": "Ülo",
            "RE": "B+",
            "CA": "UTF-8",
        }
        assert root.get("AP")[0] == "plyground"
        assert [node.get_move() for node in parsed.get_main_sequence()[1:]] == [("b", (3, 2)), ("w", None), ("b", None)]
        assert "".join(text.split()).endswith(";B[cb];W[];B[])")
        assert [untimed(r) for r in read_games(tmp_path / "written.sgf")] == [untimed(record)]

    def test_othello_as_edax_writes_it(self, tmp_path: Path) -> None:
        records = match("othello(size=6)", ["random", "random"], games=10, seed=4)
        record = next(r for r in records if 36 in r.moves)
        text = written(tmp_path, record)
        passes = sum(move == 36 for move in record.moves)
        assert text.count("[PA]") == passes > 0
        assert f";B[{names(record)[0]}];W[" in text
        # Others leave forced passes out.
        shorter = text.replace(";B[PA]", "").replace(";W[PA]", "")
        (back,) = read(tmp_path, shorter)
        assert untimed(back) == untimed(record)

    def test_other_games(self, tmp_path: Path) -> None:
        (record, *_) = match("connect_four", ["random", "random"], games=2)
        with pytest.raises(
            ValueError, match=r"SGF files hold go, othello, gomoku here, got 'connect_four': write a \.j"
        ):
            written(tmp_path, record)
        assert not (tmp_path / "written.sgf").exists()

    def test_illegal_moves_are_not_written(self, tmp_path: Path) -> None:
        for moves, message in [([0, 0], r"move 2, [A-Z]?\w+, is illegal"), ([0, 77], "move 2, 77, is illegal")]:
            record = GameRecord("gomoku(size=7)", ["a", "b"], moves, 0, [0, 0], "truncated", [0, 0], [0, 1], None)
            with pytest.raises(ValueError, match=message):
                written(tmp_path, record)
        assert not (tmp_path / "written.sgf").exists()

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (("opening", "beginning"), "expected notes with game, opening, outcome, ending, seed as JSON"),
            (('"opening": 0', '"opening": "0"'), "expected notes with"),
            (('"opening": 0', '"opening": 4'), "an opening of 4 moves, the game has 3: if the moves were edited"),
            (("othello", "gomoku"), r"the notes name the game gomoku\(size=6\), the file holds othello"),
            (("othello(size=6)", "othello(size=4)"), r"the notes say othello\(size=4\), but the board has size 6"),
            (("PLYGROUND[{", "PLYGROUND[no"), "expected notes"),
        ],
    )
    def test_edited_notes(self, tmp_path: Path, change: tuple[str, str], message: str) -> None:
        game = make_game("othello(size=6)")
        state, moves = game.new_state(), []
        for _ in range(3):
            moves.append(game.actions(state)[0])
            game.play(state, moves[-1])
        text = written(
            tmp_path, GameRecord(game.spec, ["a", "b"], moves, 0, [0.0, 0.0], "truncated", [0.0] * 3, [0, 1, 0], None)
        )
        assert change[0] in text
        with pytest.raises(ValueError, match=message):
            read(tmp_path, text.replace(*change))


class TestForeign:
    def test_the_main_line(self, tmp_path: Path) -> None:
        (record,) = read(tmp_path, "(;GM[1]SZ[5];B[aa](;W[bb];B[cc](;W[dd])(;W[ee]))(;W[ab];B[ac]))")
        assert names(record) == ["A5", "B4", "C3", "D2"]
        assert (record.game, record.ending, record.outcome) == (
            "go(board_size=5, komi=0.0, superko='simple')",
            "truncated",
            [0, 0],
        )
        assert (record.players, record.opening, record.seed) == (["Black", "White"], 0, None)

    def test_old_and_untidy_files(self, tmp_path: Path) -> None:
        text = (
            b"\xef\xbb\xbfFrom: someone\n( ;GaMe[1]SiZe[5:5]KoMi[6.5]PlayerBlack[x]PlayerWhite[]\n"
            b"Black[aa] ; White[tt] ; N[no move] ;B[])"
        )
        (record,) = read(tmp_path, text)
        assert record.game == "go(board_size=5, komi=6.5, superko='simple')"
        assert names(record) == ["A5", "pass", "pass"]
        assert (record.ending, record.outcome) == ("finished", [1, -1])  # by the rules, for it gives no result
        assert record.players == ["x", "White"]

    def test_komi_and_results_as_people_write_them(self, tmp_path: Path) -> None:
        for written, komi in (("", 0.0), (" ", 0.0), ("6,5", 6.5), (" 5.50", 5.5), ("-0,5", -0.5)):
            (record,) = read(tmp_path, f"(;SZ[5]KM[{written}]RE[Unfinished];B[aa])")
            assert record.game == f"go(board_size=5, komi={komi}, superko='simple')"
            assert (record.ending, record.outcome) == ("truncated", [0, 0])

    def test_defaults(self, tmp_path: Path) -> None:
        games = read(tmp_path, "(;)(;GM[2];B[d3])(;GM[4];B[hh]) (;FF[4];B[aa];W[ss])")
        assert [game.game for game in games] == [
            "go(komi=0.0, superko='simple')",
            "othello",
            "gomoku",
            "go(komi=0.0, superko='simple')",
        ]
        assert [len(game.moves) for game in games] == [0, 1, 1, 2]
        assert names(games[2]) == ["h8"]
        assert names(games[3]) == ["A19", "T1"]

    def test_othello_points(self, tmp_path: Path) -> None:
        setup = "AB[e4][d5]AW[d4][e5]PL[B]"  # as Edax writes it
        forms = [
            f"(;GM[2]SZ[8]{setup};B[d3];W[c3])",
            "(;GM[2];B[D3];W[C3])",
            "(;GM[2]AB[ed][de]AW[dd][ee];B[dc];W[cc])",
        ]
        assert [names(record) for record in read(tmp_path, "".join(forms))] == [["d3", "c3"]] * 3

    def test_encodings(self, tmp_path: Path) -> None:
        latin, utf = "é".encode("latin-1"), "é".encode()
        (record,) = read(tmp_path, b"(;PB[" + latin + b"])")
        assert record.players[0] == "é"
        (record,) = read(tmp_path, b"(;PB[" + utf + b"])")
        assert record.players[0] == "é"
        (record,) = read(tmp_path, b"(;CA[latin-1]PB[" + utf + b"])")
        assert record.players[0] == "Ã©"

    @pytest.mark.parametrize(
        ("text", "outcome", "ending"),
        [
            ("B+R", [1, -1], "finished"),
            ("B+Resign", [1, -1], "finished"),
            ("W+0.5", [-1, 1], "finished"),
            ("w+T", [-1, 1], "time"),
            ("B+Time", [1, -1], "time"),
            ("W+F", [-1, 1], "failed"),
            ("B+Forfeit", [1, -1], "failed"),
            ("B+", [1, -1], "finished"),
            ("0", [0, 0], "finished"),
            ("Draw", [0, 0], "finished"),
            *((text, [0, 0], "truncated") for text in ("Void", "?", "")),
        ],
    )
    def test_results(self, tmp_path: Path, text: str, outcome: list[int], ending: str) -> None:
        (record,) = read(tmp_path, f"(;RE[{text}];B[aa])")
        assert (record.outcome, record.ending) == (outcome, ending)

    def test_endings_that_others_write_come_back(self, tmp_path: Path) -> None:
        for result in ("B+T", "W+F"):
            assert f"RE[{result}]" in written(tmp_path, *read(tmp_path, f"(;RE[{result}];B[aa])"))
            (tmp_path / "written.sgf").unlink()

    @pytest.mark.parametrize(
        ("root", "moves", "result", "said"),
        [
            ("GM[4]SZ[7]", FIVE, "W+", "a win of the first"),
            ("GM[4]SZ[7]", FIVE, "Draw", "a win of the first"),
            ("GM[2]SZ[4]", TIE, "B+2", "a draw"),
        ],
    )
    def test_a_result_against_the_board_is_refused(
        self, tmp_path: Path, root: str, moves: str, result: str, said: str
    ) -> None:
        with pytest.raises(
            ValueError, match=rf"its result is a .*, but by the rules of .* the last position is {said}"
        ):
            read(tmp_path, f"(;{root}RE[{result}]{moves})")
        (record,) = read(tmp_path, f"(;{root}{moves})")
        assert record.ending == "finished"

    def test_the_result_is_believed(self, tmp_path: Path) -> None:
        """Our rules would count one black stone as all the board: the players may have agreed otherwise."""
        (record,) = read(tmp_path, "(;SZ[5]RE[W+4.5];B[aa];W[];B[])")
        assert record.outcome == [-1, 1]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "line 1: cannot be read as SGF: expected a game"),
            ("(;B[aa]", "line 1: cannot be read as SGF: the file ends in the middle of a game"),
            ("(;GM[3])", r"game 1: GM\[3\] is not read here: expected one of GM\[1\] \(go\), GM\[2\] \(othello\), GM"),
            ("(;SZ[9:13])", r"SZ\[9:13\] is not read here: expected a square board of 1 to 26 rows, as in SZ\[19\]"),
            ("(;SZ[big])", r"SZ\[big\]"),
            ("(;SZ[27])", r"SZ\[27\]"),
            ("(;SZ[25])", "board_size of go must be .*1 to 19, got 25"),
            ("(;KM[much])", "the property KM cannot be read"),
            ("(;CA[klingon])", "klingon"),
            ("(;RE[black])", r"the result RE\[black\] cannot be read: expected B\+…, W\+…, 0, Draw, Void or \?"),
            ("(;GM[4]RU[Renju])", r"the rules of renju \(RU\[Renju\]\), which are not known here"),
            ("(;HA[2]AB[dd][pp];W[aa])", r"AB after 0 moves: handicap stones and set-up positions are not supported"),
            ("(;SZ[5];B[aa];AE[aa])", "AE after 1 move: handicap"),
            ("(;GM[2]AB[d4][e5]AW[e4][d5])", "AB and AW after 0 moves"),
            ("(;GM[2];B[d3];AB[e4][d5]AW[d4][e5])", "AB and AW after 1 move"),
            ("(;PL[W];W[aa])", "PL gives the turn to the other player after 0 moves"),
            ("(;W[aa])", r"move 1, W\[aa\], is out of turn: B is to move"),
            ("(;B[aa];B[bb])", r"move 2, B\[bb\], is out of turn: W is to move"),
            ("(;B[aa]W[bb])", "a node after 0 moves has 2 moves, expected one"),
            ("(;B[aa][bb])", "a node after 0 moves has 2 moves, expected one"),
            ("(;SZ[5];B[ff])", r"move 1, B\[ff\], is no point of a board of 5x5"),
            ("(;B[a1])", r"move 1, B\[a1\], is no point of a board of 19x19"),
            ("(;B[AA])", r"move 1, B\[AA\], is no point"),
            ("(;GM[4];B[])", r"move 1, B\[\], is no point of a board of 15x15"),
            ("(;GM[2];B[d9])", r"move 1, B\[d9\], is no point of a board of 8x8"),
            ("(;B[aa];W[aa])", r"move 2, W\[aa\], is illegal in go\("),
            ("(;GM[2];B[d3];W[a1])", r"move 2, W\[a1\], is illegal in othello"),
            ("(;GM[2];B[PA])", r"move 1, B\[PA\], is illegal in othello"),
            ("(;SZ[5];B[];W[];B[aa])", r"move 3, B\[aa\], comes after the end of the game of go\("),
        ],
    )
    def test_what_cannot_be_read(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(ValueError, match=message) as caught:
            read(tmp_path, text)
        assert "games.sgf" in str(caught.value)

    def test_the_games_before_an_error_are_read(self, tmp_path: Path) -> None:
        file = tmp_path / "games.sgf"
        file.write_text("(;B[aa])(;B[bb])(;W[cc])")
        games = read_games(file)
        assert [next(games).moves, next(games).moves] == [[0], [20]]
        with pytest.raises(ValueError, match=r"games\.sgf, line 1, game 3: move 1"):
            next(games)


class TestFormats:
    @pytest.mark.parametrize("spec", ["go(board_size=5)", "othello(size=4)", "gomoku(size=7)", "checkers"])
    def test_json_lines_keep_all(self, tmp_path: Path, spec: str) -> None:
        records = match(spec, ["random", "random"], games=2, seed=1)
        write_games(tmp_path / "games.jsonl", records)
        assert list(read_games(tmp_path / "games.jsonl")) == records

    @pytest.mark.parametrize(
        ("name", "game", "said"),
        [
            ("x.pdn", "chess", "PDN files hold checkers here, got 'chess': write a .jsonl or .pgn file"),
            ("x.sgf", "chess(chess960=5)", "got 'chess(chess960=5)': write a .jsonl or .pgn file"),
            (
                "x.sgf",
                "checkers",
                "SGF files hold go, othello, gomoku here, got 'checkers': write a .jsonl or .pdn file",
            ),
            ("x.pgn", "go(komi=5.5)", "PGN files hold chess here, got 'go(komi=5.5)': write a .jsonl or .sgf file"),
            ("x.pgn", "minichess", "got 'minichess': write a .jsonl file"),
        ],
    )
    def test_the_format_that_is_named_holds_the_game(self, name: str, game: str, said: str) -> None:
        """For chess that cannot go into PDN it named SGF, which cannot hold it either."""
        with pytest.raises(ValueError, match=rf"{re.escape(said)}$"):
            check_format(name, game)

    @pytest.mark.parametrize("name", ["games.pbn", "games", "sgf"])
    def test_unknown_suffix(self, tmp_path: Path, name: str) -> None:
        message = rf"cannot tell the format of '.*{name}': expected a name that ends in \.jsonl, \.db, .* or \.pgn"
        with pytest.raises(ValueError, match=message):
            read_games(tmp_path / name)
        with pytest.raises(ValueError, match=message):
            write_games(tmp_path / name, [])
        assert not (tmp_path / name).exists()

    def test_no_file(self, tmp_path: Path) -> None:
        for name in ("games.sgf", "games.pdn", "games.jsonl"):
            with pytest.raises(FileNotFoundError):
                list(read_games(tmp_path / name))
