"""Games of chess in PGN: what is written, what is read, and what is wrong with files."""

from __future__ import annotations

import builtins
import dataclasses
import io
import json
import re
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from plyground.agents.scores import pawn_value
from plyground.arena import GameRecord, match, play, read_games, write_games
from plyground.arena.openings import read_openings
from plyground.arena.records.judgements import Judgement
from plyground.envs import chess_v0, make_game
from tests.helpers.command_line import Run
from tests.helpers.pgn_games import fuzz, uci_of
from tests.helpers.records import untimed

MATE = "1. f3 e5 2. g4 Qh4#"
STALEMATE = '[FEN "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"]\n\n1. Qf7'
ENDING = "4k3/8/8/8/8/8/4P3/4K3 b - - 12 40"


def read(path: Path, text: str) -> list[GameRecord]:
    file = path / "games.pgn"
    file.write_text(text)
    return list(read_games(file))


def fault(path: Path, text: str) -> tuple[list[GameRecord], str]:
    """Return the games before a fault, the one that has it included, and what is said of it."""
    file, records = path / "games.pgn", list[GameRecord]()
    file.write_text(text)
    with pytest.raises(ValueError, match=r"games\.pgn, line") as caught:
        records.extend(read_games(file))
    return records, str(caught.value).removeprefix(f"{file}, ")


def written(path: Path, *records: GameRecord) -> str:
    file = path / "written.pgn"
    file.unlink(missing_ok=True)
    write_games(file, records)
    return file.read_text()


class TestWritten:
    @pytest.mark.parametrize(
        "game",
        [
            "chess",
            pytest.param("chess(chess960=5)", marks=pytest.mark.slow),
            pytest.param("chess(chess960=518, max_quiet_plies=20)", marks=pytest.mark.slow),
        ],
    )
    def test_come_back(self, game: str, tmp_path: Path) -> None:
        records = match(game, ["random", "random(seed=1)"], 2, opening_plies=0)
        text = written(tmp_path, *records)
        assert [untimed(one) for one in read_games(tmp_path / "written.pgn")] == [untimed(one) for one in records]
        source = io.StringIO(text)
        for record in records:
            found = chess.pgn.read_game(source)
            assert found is not None
            assert not found.errors
            moves = [node.parent.board().uci(node.move) for node in found.mainline() if node.parent is not None]
            assert moves == uci_of(record)
            assert [found.headers["White"], found.headers["Black"]] == record.players

    def test_what_the_tags_say(self, tmp_path: Path) -> None:
        game = make_game("chess")
        moves = game.line_of(["f2f3", "e7e5", "g2g4", "d8h4"])
        mate = GameRecord(
            "chess", ['a "b" \\c', "d"], moves, 1, [-1, 1], "finished", [0, 1.25, 0, 61], [-1, 1, 0, 1], 7
        )
        text = written(tmp_path, mate)
        assert '[White "a \\"b\\" \\\\c"]' in text
        assert '[Result "0-1"]' in text
        assert '[Termination "normal"]' in text
        assert "1. f3 e5 { [%emt 0:00:01.25] } 2. g4 Qh4# { [%emt 0:01:01] } 0-1" in text
        assert list(read_games(tmp_path / "written.pgn")) == [mate]
        ends = {
            "time": ([1, -1], "1-0", "time forfeit"),
            "failed": ([-1, 1], "0-1", "abandoned"),
            "adjudicated": ([0, 0], "1/2-1/2", "adjudication"),
            "truncated": ([0, 0], "*", "unterminated"),
        }
        for ending, (outcome, result, termination) in ends.items():
            record = dataclasses.replace(mate, moves=moves[:3], movers=[-1, 1, 0], seconds=[0.0] * 3)
            record = dataclasses.replace(
                record, ending=ending, outcome=outcome, reason="why" * (ending != "truncated") or None
            )
            text = written(tmp_path, record)
            assert f'[Result "{result}"]' in text
            assert f'[Termination "{termination}"]' in text
            assert list(read_games(tmp_path / "written.pgn")) == [record]
        illegal = dataclasses.replace(mate, moves=[*moves[:3], 0], ending="illegal", outcome=[1, -1], seconds=[0.0] * 4)
        assert '[Result "1-0"]' in written(tmp_path, illegal)
        assert list(read_games(tmp_path / "written.pgn")) == [illegal]

    def test_what_cannot_be_written(self, tmp_path: Path) -> None:
        other = GameRecord("checkers", ["a", "b"], [], 0, [0, 0], "truncated", [], [], None)
        with pytest.raises(ValueError, match="PGN files hold chess here, got 'checkers'"):
            written(tmp_path, other)
        with pytest.raises(ValueError, match=r"move 1, \S+, is illegal in chess$"):
            written(tmp_path, dataclasses.replace(other, game="chess", moves=[0], seconds=[0.0], movers=[0]))
        assert not (tmp_path / "written.pgn").exists()

    def test_values_are_pawns_for_white(self, tmp_path: Path) -> None:
        moves = make_game("chess").line_of(["e2e4", "e7e5", "g1f3"])
        thoughts = [Judgement(0.1, 5, 100, moves, True), Judgement(0.026, 3, 9, []), Judgement(-1.0, 2, 9, [])]
        record = GameRecord(
            "chess", ["a", "b"], moves, 0, [0, 0], "truncated", [0.0] * 3, [0, 1, 0], None, analyses=list(thoughts)
        )
        text = written(tmp_path, record)
        # 4 log10(p / (1 - p)), with p = 0.55; and 0.026 in pawns of the evaluation
        line = text.replace("\n", " ")
        (pawns,) = re.findall(r"e4 { \[%eval 0\.35,5\] } 1\.\.\. e5 { \[%eval -([\d.]+),3\] }", line)
        assert float(pawns) == pytest.approx(0.026 / pawn_value(make_game("chess")), abs=0.006)
        assert "2. Nf3 { [%eval -100.00,2] } *" in line
        assert list(read_games(tmp_path / "written.pgn")) == [dataclasses.replace(record, analyses=None)]


class TestRead:
    def test_a_file_of_others(self, tmp_path: Path) -> None:
        one, other = read(
            tmp_path,
            '% a comment\n[Event "x"]\n[White "?"]\n[Black "Karpov, A"]\n[Result "1/2-1/2"]\n'
            '[Termination "adjudication"]\n\n'
            "1.e4 $1 {a \n\n(b} e5!? ; rest of line ( \n2. Nf3 (2. d4 exd4 (2... d6) 3. c3) 2... Nc6 1/2-1/2\n"
            '[White "c"]\n\n1. e2e4 d7-d5 2. exd5 *\n',
        )
        assert uci_of(one) == ["e2e4", "e7e5", "g1f3", "b8c6"]
        assert (one.players, one.outcome, one.ending) == (["White", "Karpov, A"], [0.0, 0.0], "adjudicated")
        assert uci_of(other) == ["e2e4", "d7d5", "e4d5"]
        assert (other.players, other.ending) == (["c", "Black"], "truncated")

    def test_results(self, tmp_path: Path) -> None:
        (record,) = read(tmp_path, f"{MATE}\n")
        assert (record.outcome, record.ending) == ([-1.0, 1.0], "finished")  # by our rules
        (record,) = read(tmp_path, '[Result "1-0"]\n\n1. e4')
        assert (record.outcome, record.ending) == ([1.0, -1.0], "finished")  # by the file
        _, said = fault(tmp_path, '[Result "1-0"]\n\n1. e4 0-1')
        assert said == "line 1, game 1: the results '1-0', in the tags, and '0-1', after the moves, differ"

    @pytest.mark.parametrize(
        ("moves", "result", "said"),
        [
            (
                MATE,
                "1-0",
                "a win of the first player, but by the rules of chess the last position is a win of the second",
            ),
            (MATE, "1/2-1/2", "a draw, but by the rules of chess the last position is a win of the second player"),
            (STALEMATE, "1-0", "a win of the first player, but by the rules of chess the last position is a draw"),
        ],
    )
    def test_a_result_against_the_board_is_refused(self, tmp_path: Path, moves: str, result: str, said: str) -> None:
        """Nobody resigns who is mated, and the side to mate cannot lose."""
        assert said in fault(tmp_path, f"{moves} {result}\n")[1]
        assert read(tmp_path, f"{moves} *")[0].ending == "finished"

    def test_a_draw_that_nobody_claimed_is_no_end(self, tmp_path: Path) -> None:
        shuffle = " ".join(["Nf3 Nf6 Ng1 Ng8"] * 25)
        for result, outcome in (("1-0", [1, -1]), ("1/2-1/2", [0, 0])):
            (record,) = read(tmp_path, f"{shuffle} {result}")
            assert (record.game, record.outcome) == ("chess", outcome)

    def test_positions(self, tmp_path: Path) -> None:
        (record,) = read(tmp_path, f'[SetUp "1"]\n[FEN "{ENDING}"]\n\n40... Kd7 41. e4 *')
        assert record.start == ENDING.replace(" 40", " 1")  # a state has no number of the move
        assert record.movers == [1, 0]
        assert uci_of(record) == ["e8d7", "e2e4"]
        assert "1... Kd7 2. e4 *" in written(tmp_path, record)
        assert list(read_games(tmp_path / "written.pgn")) == [record]
        (record,) = read(tmp_path, f'[FEN "{chess.STARTING_FEN}"]\n\n1. e4 *')
        assert record.start is None

    def test_chess960(self, tmp_path: Path) -> None:
        start = chess.Board.from_chess960_pos(7).fen()
        for tags, game, begun in (
            ('[Variant "Chess960"]', "chess(chess960=518)", None),
            (f'[Variant "Fischerandom"]\n[FEN "{start}"]', "chess(chess960=7)", None),
            (f'[Variant "chess 960"]\n[FEN "{ENDING}"]', "chess(chess960=518)", ENDING.replace(" 40", " 1")),
        ):
            (record,) = read(tmp_path, f"{tags}\n\n*")
            assert (record.game, record.start) == (game, begun)

    def test_nobody_must_claim(self, tmp_path: Path) -> None:
        shuffle = " ".join(["Nf3 Nf6 Ng1 Ng8"] * 28)
        (record,) = read(tmp_path, f"{shuffle} *")
        assert record.game == "chess(max_quiet_plies=150, repetition=5)"
        assert len(record.moves) == 112
        records, said = fault(tmp_path, f"{shuffle} {shuffle} *")
        assert said.endswith("move 76. Ng1 comes after the end of the game of chess(max_quiet_plies=150, repetition=5)")
        assert len(records[0].moves) == 150

    def test_openings_of_games_that_others_drew_in_another_way(self, tmp_path: Path) -> None:
        game, path = make_game("chess"), tmp_path / "games.pgn"
        path.write_text(" ".join(["Nf3 Nf6 Ng1 Ng8"] * 28) + " *")
        (opening,) = read_openings(path, game, 2)
        assert game.line_names(opening.moves) == ["g1f3", "g8f6"]
        with pytest.raises(ValueError, match="game 1: the game is over after these 100 moves"):
            read_openings(path, game, 100)
        with pytest.raises(ValueError, match=r"it is a game of chess\(.*\), expected chess\(chess960=5\)"):
            read_openings(path, make_game("chess(chess960=5)"), 2)  # which begins from another position

    def test_a_position_in_which_nobody_has_claimed(self, tmp_path: Path) -> None:
        fen, game = "8/8/4k3/8/8/3K4/4r3/7R w - - 120 60", "chess(max_quiet_plies=150, repetition=5)"
        (record,) = read(tmp_path, f'[FEN "{fen}"]\n\n60. Rh2 Re1 *')
        assert (record.game, record.start) == (game, fen.replace(" 60", " 1"))
        assert uci_of(record) == ["h1h2", "e2e1"]
        _, said = fault(tmp_path, f'[FEN "{fen.replace("120", "151")}"]\n\n*')
        assert said.endswith("must be 0 to 100, got '151'")

    @pytest.mark.parametrize(
        ("text", "plies", "said"),
        [
            ("", [], "line 1: there is no game: expected PGN, such as '1. e4 e5 *'"),
            ("1. e4 e5\n2. Ke3 *", [2], "line 2, game 1: move 2. Ke3 is illegal"),
            ('1. e4 e5 *\n[White "a"]\n\n1. e4 e5\n2. Nf3 Nz6 *', [2, 3], "line 5, game 2: cannot read 'Nz6 *'"),
            (f"{MATE} 3. a3", [4], "line 1, game 1: move 3. a3 is illegal"),
            ("1. e4 -- 2. d4", [1], "line 1, game 1: move 1... -- is illegal in chess"),
            ("1. Nf3 a6 2. Nc3 a5 3. Ne4 a4 4. Ng5 *", [6], "line 1, game 1: move 4. Ng5 is ambiguous"),
            ("1. e4 {", [1], "line 1, game 1: a '{' without '}'"),
            ("1. e4 (1. d4 *\n\n", [1], "line 2, game 1: a '(' without ')'"),
            ("1. e4) e5", [1], "line 1, game 1: a ')' without '('"),
            ("(1. e4) e5", [], "line 1, game 1: a variation before the first move"),
            ("1. e4 * 1. d4 *", [1], "line 1, game 1: d4 comes after the result *"),
            ("1. e4\n\nd4", [1, 1], "line 3, game 2: moves after an empty line"),
            ("1. e4 e5\n\n1. d4 *", [2, 1], "line 3, game 2: moves after an empty line"),
            ('[Result "1-0"]\n\n1. e4 e5\n\n1. d4 *', [2, 1], "line 5, game 2: moves after an empty line"),
            ('[White "a"]\n\n1. e4\n\n\ne5 2. Ke3', [2], "line 6, game 1: move 2. Ke3 is illegal"),
            ('[White "a"]\n\n1. e4 (1. d4\n\n1... d5\n\n[White "b"]', [1], "line 6, game 1: a '(' without ')'"),
            ('[Variant "Atomic"]\n\n1. e4', [], "line 1, game 1: the variant 'Atomic' is not played here"),
            ('[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]\n\n*', [], "game 1: the position '8/8/8/8/8/8/8/K7 w - - 0 1' cannot"),
            ('[FEN "8/8"]\n\n1. e4', [], "line 3, game 1: expected 8 rows"),
            ('[White "a "b" c"]\n\n*', [], "line 1, game 1: the tag 'White' has a bare quotation mark"),
            ('[White "a"][White "b"]\n\n*', [], "line 1, game 1: the tag 'White' stands twice"),
            ('[White "a"] 1. e4', [], "game 1: cannot read the tag '[White \"a\"] 1. e4': expected [Name"),
            ("[White a]\n\n*", [], "line 1, game 1: cannot read the tag '[White a]': expected [Name \"value\"]"),
            ('[White "a"]\n\n[White "b"]\n\n*', [], "line 3, game 1: the tag 'White' stands twice"),
            ('[Result "2-0"]\n\n*', [], "line 1, game 1: the result '2-0' cannot be read"),
            ('[Plyground "{}"]\n\n*', [], "line 1, game 1: expected notes with game, opening"),
            ("1. e4 e5 2. d4 1-O", [3], "line 1, game 1: cannot read 'O': expected a move"),
        ],
    )
    def test_what_is_before_a_fault_is_kept(self, text: str, plies: list[int], said: str, tmp_path: Path) -> None:
        records, message = fault(tmp_path, text)
        assert said in message
        assert [len(record.moves) for record in records] == plies
        if records and records[-1].reason is not None:
            assert records[-1].reason.endswith(message)
            assert records[-1].ending == ("finished" if MATE in text else "truncated")

    def test_faults_leave_out_single_games(self, tmp_path: Path) -> None:
        games = (
            '[White "a"]\n\n1. e4 e5 1-0\n',
            '[White "b"]\n[FEN "nonsense"]\n\n1. e4 *\n',
            '[White "c"]\n\n1. e4 e5 2. Ke3 { no } Nc6\n3. d4 *\n',
            '[White "d"]\n[Black broken]\n\n1. d4 d5 *\n',
            '[White "e"]\n\n1. c4 c5 0-1\n',
            '[White "f"]\n\n1. e4 Zz5 *\n',
        )
        path = tmp_path / "games.pgn"
        path.write_text("\n".join(games))
        said: list[str] = []
        found = list(read_games(path, fault=lambda error: said.append(str(error))))
        assert [record.players[0] for record in found] == ["a", "e"]
        places = [re.sub(r".*, line (\d+), game (\d): .*", r"\1 \2", one) for one in said]
        assert places == [
            "8 2",
            "12 3",
            "16 4",
            "26 6",
        ]
        assert "2. Ke3 is illegal" in said[1]

    def test_a_game_of_ours_without_a_result_breaks_off(self, tmp_path: Path) -> None:
        """A file that was cut off in the middle of its last game told that game's outcome, after half of its moves."""
        moves = make_game("chess").line_of(["f2f3", "e7e5", "g2g4", "d8h4"])
        mate = GameRecord("chess", ["a", "b"], moves, 0, [-1, 1], "finished", [0.0] * 4, [0, 1, 0, 1], None)
        text = written(tmp_path, mate)
        for end, line, ending in ((" 0-1\n", 23, ["finished"]), (" 2. g4", 23, ["truncated"]), ("1. f3", 13, [])):
            (whole, *half), message = fault(tmp_path, text + text.partition(end)[0])
            assert message == f"line {line}, game 2: the game breaks off: its moves end without a result"
            assert whole == mate
            assert [one.ending for one in half] == ending  # by the rules, as far as it goes
        said: list[str] = []
        (tmp_path / "games.pgn").write_text(text.partition(" 2. g4")[0] + "\n\n" + text)
        assert list(read_games(tmp_path / "games.pgn", fault=lambda error: said.append(str(error)))) == [mate]
        assert len(said) == 1
        (other,) = read(tmp_path, '[Result "0-1"]\n\n1. f3 e5')  # others leave it out
        assert other.outcome == [-1, 1]

    def test_encodings(self, tmp_path: Path) -> None:
        for encoding in ("utf-8-sig", "iso-8859-1"):
            (tmp_path / "games.pgn").write_bytes('[White "Müller"]\r\n\r\n1. e4 *\r\n'.encode(encoding))
            (record,) = read_games(tmp_path / "games.pgn")
            assert record.players[0] == "Müller"
        (tmp_path / "games.pgn").write_bytes("1. e4 *".encode("utf-16"))
        with pytest.raises(ValueError, match="line 1: the file is UTF-16"):
            list(read_games(tmp_path / "games.pgn"))


def test_damaged_files(tmp_path: Path) -> None:
    assert fuzz(20, tmp_path / "games.pgn").total() == 20


@pytest.mark.slow
def test_more_damaged_files(tmp_path: Path) -> None:
    found = fuzz(200, tmp_path / "games.pgn", seed=1)
    assert min(found["read"], found["some"], found["nothing"]) >= 15


def test_without_python_chess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "records.pgn":
            raise ImportError("No module named 'chess'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    (tmp_path / "games.pgn").touch()
    with pytest.raises(ImportError, match=r"PGN files need python-chess \(.*'chess'\): pip install '\.\[chess\]'"):
        list(read_games(tmp_path / "games.pgn"))


def test_commands(run: Run, tmp_path: Path) -> None:
    source, games = tmp_path / "games.pgn", tmp_path / "games.jsonl"
    source.write_text(f'{MATE} 0-1\n\n[FEN "{ENDING}"]\n\n40... Kd7 41. e4 *\n\n1. e4 e5 2. Ke3 *\n')
    _, said = run("convert", str(source), str(games), code=2)
    assert "line 7, game 3: move 2. Ke3 is illegal" in said.replace("\n", " ")
    assert not games.exists()
    out, said = run("convert", "--partial", str(source), str(games), code=2)
    assert "games.jsonl, 3 games" in out.replace("\n", "")
    assert "move 2. Ke3 is illegal" in said.replace("\n", " ")
    lines = [json.loads(line) for line in games.read_text().splitlines()]
    assert [len(line["moves"]) for line in lines] == [4, 2, 2]
    assert [line.get("start", "")[:4] for line in lines] == ["", "4k3/", ""]
    run("convert", str(games), str(tmp_path / "again.pgn"))
    assert re.search(r'\[FEN "4k3/.*"\]', (tmp_path / "again.pgn").read_text())
    out, _ = run("replay", str(tmp_path / "again.pgn"), "2")
    assert "from 4k3/8/8/8/8/8/4P3/4K3 b - - 12 1, 2 moves to come" in out
    assert "e8d7" in out
    _, said = run("match", "random", "random", "--out", str(tmp_path / "new.pgn"), code=2)
    assert "games are saved to a store" in said


def test_the_environment_starts_there() -> None:
    env = chess_v0.env()
    record = play(env, ["random", "random"], seed=1, options={"fen": ENDING, "moves": ["e8d7"]})
    assert record.start == ENDING.replace(" 40", " 1")
    assert (record.opening, record.movers[:3]) == (1, [-1, 0, 1])


def test_a_draw_on_time_is_lost_by_nobody(tmp_path: Path) -> None:
    """Time was over, and the other side could not mate: the report said of both players that they had lost."""
    games = tmp_path / "games.pgn"
    for result, ending in (("1/2-1/2", "finished"), ("1-0", "time")):
        games.write_text(f'[Result "{result}"]\n[Termination "Time forfeit"]\n\n1. e4 e5 {result}\n')
        (record,) = read_games(games)
        assert record.ending == ending
