"""Players of ours as chess engines: each command of UCI, and what a search tells."""

from __future__ import annotations

import itertools
import re
import time
from typing import Any

import pytest

from plyground.agents.alphabeta.workspace import new_workspace
from plyground.arena.engine import UCIServer
from plyground.envs import make_game
from tests.helpers.uci_dialogue import Dialogue, played, scores

CHESS = make_game("chess")
MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1"
MATE_IN_2 = "7k/8/8/8/8/8/R7/1R5K w - - 0 1"
MATED_IN_1 = "7k/R7/8/8/8/8/8/1R5K b - - 0 1"


class TestCommands:
    def test_what_it_is(self, talk: Dialogue) -> None:
        talk.send("uci")
        lines = talk.until("uciok")
        assert lines[0].startswith("id name plyground ")
        assert lines[1].startswith("id author ")
        options = [line for line in lines if line.startswith("option name ")]
        assert "option name Hash type spin default 16 min 1 max 65536" in options
        assert "option name Threads type spin default 1 min 1 max 1" in options
        assert "option name MultiPV type spin default 1 min 1 max 500" in options
        assert "option name UCI_Chess960 type check default false" in options
        assert "option name UCI_AnalyseMode type check default false" in options
        assert "option name Clear Hash type button" in options

    def test_what_is_unknown_is_passed_over(self, talk: Dialogue) -> None:
        assert talk.said("", "   ", "fly me to the moon", "register later", "\t\x00") == []
        assert talk.said("joho ponderhit") == ["info string pondering is not supported"]

    def test_whatever_goes_wrong_the_next_command_is_answered(
        self, talk: Dialogue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def clear() -> None:
            raise KeyError("tree")

        with monkeypatch.context() as patch:
            patch.setattr(talk.server.seat, "clear", clear)
            assert talk.said("ucinewgame") == ["info string 'tree'"]

    @pytest.mark.parametrize(
        ("command", "error"),
        [
            ("position", "expected 'position startpos' or 'position fen …', got 'position'"),
            ("position start", "expected 'position startpos'"),
            ("position fen", "expected 'position startpos'"),
            ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "white has 0 kings: expected 1"),
            ("position fen 4k3/8/8/8/8/8/8/4K3 w - - x 1", "must be 0 to 100, got 'x'"),
            ("position startpos moves e2e4 e7e5 e1e3", "move 3, e1e3, is illegal in rnbqkbnr/pppp1ppp"),
            ("position startpos moves e9", "chess has no action 'e9'"),
            ("position fen 4k3/P7/8/8/8/8/8/4K3 w - - 0 1 moves a7a8", "does not say what the pawn becomes"),
        ],
    )
    def test_bad_positions_change_nothing(self, talk: Dialogue, command: str, error: str) -> None:
        talk.said("position startpos moves d2d4 d7d5")
        before = talk.server.seat.state.copy(), list(talk.server.seat.moves)
        (line,) = talk.said(command)
        assert line.startswith("info string ")
        assert error in line
        assert (talk.server.seat.state, talk.server.seat.moves) == before
        assert talk.said("position startpos moves d2d4 d7d5 c2c4") == []
        assert talk.server.seat.moves[:2] == before[1]

    def test_options(self, talk: Dialogue) -> None:
        assert talk.said("setoption name hash VALUE 3")[0].startswith("info string no option 'hash VALUE 3'")
        assert "did you mean 'Hash'" in talk.said("setoption name Hsh value 3")[0]
        assert talk.said("setoption name Hash value 0") == [
            "info string Hash must be a whole number from 1 to 65536, got '0'"
        ]
        (line,) = talk.said(f"setoption name Hash value {5000 * '9'}")
        assert line.startswith("info string Hash must be a whole number from 1 to 65536, got '999")
        assert talk.said("setoption name Threads value 4") == [
            "info string alphabeta has no choice of threads: Threads stays at 1"
        ]
        assert talk.said("setoption name Threads value 1") == []
        assert talk.said("setoption name Threads value 0")[0].endswith("a whole number from 1 to 1, got '0'")
        assert "must be true or false" in talk.said("setoption name UCI_Chess960 value maybe")[0]
        assert "expected 'setoption name" in talk.said("setoption Hash 3")[0]
        assert talk.server.seat.agent.table_mb == 16
        assert talk.said("setoption name hash value 2", "position startpos moves e2e4") == []
        assert talk.server.seat.agent.table_mb == 2
        assert talk.server.seat.prover._is_prepared  # all is compiled before ``readyok``
        assert talk.server.seat.agent.seconds == 1  # it has no budget of its own
        assert CHESS.move_of(talk.server.seat.state, played(talk.ask("go depth 2"))) in talk.server.seat.legal
        assert talk.said("setoption name Hash value 16", "setoption name UCI_AnalyseMode value true") == []

    def test_a_table_for_which_there_is_no_memory(self, talk: Dialogue, monkeypatch: pytest.MonkeyPatch) -> None:
        def allocated(game: Any, plies: int, megabytes: float) -> Any:
            if megabytes > 16:
                raise MemoryError
            return new_workspace(game, plies, megabytes)

        monkeypatch.setattr("plyground.agents.alphabeta.agent.new_workspace", allocated)
        assert talk.said("setoption name Hash value 65536") == [
            "info string there is no memory for Hash 65536: give less; it stays at 16"
        ]
        assert talk.server.seat.agent.table_mb == talk.server.options["Hash"] == 16
        assert scores(talk.ask("go depth 1"))

    def test_an_empty_table(self, talk: Dialogue) -> None:
        first = talk.ask("go depth 4")
        again = talk.ask("go depth 4")
        assert talk.said("setoption name Clear Hash") == []
        assert nodes(talk.ask("go depth 4")) == nodes(first) > nodes(again)

    def test_the_table_of_mates_is_emptied_too(self, talk: Dialogue) -> None:
        mate = "position fen 7k/8/8/8/8/8/R7/1R5K w - - 0 1", "go mate 2"
        first = talk.ask(*mate)
        assert nodes(talk.ask("go mate 2")) < nodes(first)
        talk.said("setoption name Clear Hash")
        assert nodes(talk.ask("go mate 2")) == nodes(first)


def nodes(lines: list[str]) -> int:
    return int(re.findall(r" nodes (\d+) ", lines[-2])[0])


class TestSearch:
    def test_each_depth_is_told(self, talk: Dialogue) -> None:
        lines = talk.ask("position startpos moves e2e4 e7e5", "go depth 4")
        assert [int(line.split()[2]) for line in lines[:-1]] == [1, 2, 3, 4]  # and the last of them once
        assert len(scores(lines)) == 4
        move = played(lines)
        assert scores(lines)[-1][2][0] == move
        assert CHESS.move_of(talk.server.seat.state, move) in talk.server.seat.legal
        assert " hashfull " in lines[0]

    @pytest.mark.parametrize("lines", [1, 3])
    def test_what_the_table_answers_has_a_line_as_well(self, talk: Dialogue, lines: int) -> None:
        """Lines ended after a move where a search before this one had been as deep, and there was none to ponder on."""
        talk.ask("position startpos moves e2e4 e7e5", "go depth 6")
        said = talk.ask(f"setoption name MultiPV value {lines}", "position startpos moves e2e4 e7e5", "go depth 6")
        assert [len(line) for _, _, line in scores(said)][::lines] == [1, 2, 3, 4, 5, 6]
        assert said[-1].split()[1::2] == scores(said)[-lines][2][:2]

    def test_the_nodes_are_kept_to(self, talk: Dialogue) -> None:
        assert 500 <= nodes(talk.ask("go nodes 3000")) <= 3000
        assert talk.server.seat.agent.nodes is None  # its own budget again

    @pytest.mark.parametrize(
        ("fen", "go", "score", "move"),
        [
            (MATE_IN_1, "go mate 1", "mate 1", "e1e8"),
            (MATE_IN_1, "go depth 5", "mate 1", "e1e8"),
            (MATE_IN_2, "go mate 2", "mate 2", ""),
            (MATED_IN_1, "go depth 4", "mate -1", ""),
        ],
    )
    def test_mates(self, talk: Dialogue, fen: str, go: str, score: str, move: str) -> None:
        lines = talk.ask(f"position fen {fen}", go)
        assert scores(lines)[-1][1] == score
        assert played(lines) == move or not move

    def test_a_mate_is_as_long_as_its_longest_defence(self, talk: Dialogue, monkeypatch: pytest.MonkeyPatch) -> None:
        """Mates that are seen beyond the depth were said to come sooner: Stockfish has 3 here as well."""
        talk.said("isready")  # it is compiled
        monkeypatch.setattr(talk.server.seat.finisher, "seconds", 20.0)  # however busy the machine is
        fen = "2k5/p1q2rpr/3p1bp1/4pnn1/6P1/3PPP1R/5B2/6Kb b - - 2 46"
        lines = talk.ask(f"position fen {fen}", "go depth 1")
        (_, score, line) = scores(lines)[-1]
        assert (score, len(line), line[0]) == ("mate 3", 5, played(lines))
        assert CHESS.utility(CHESS.play_moves(line, CHESS.state_from_fen(fen)), 1) == 1
        assert talk.server.seat.finisher.seconds == 20
        lines = talk.ask(f"position fen {fen} moves c7c1", "go depth 5")  # and who is mated
        assert scores(lines)[-1][1] == "mate -2"

    def test_a_short_search_leaves_a_long_one_its_table(self, talk: Dialogue) -> None:
        talk.said("setoption name Hash value 2")
        talk.ask(f"position fen {MATE_IN_1}", "go mate 1")
        agent, prover = talk.server.seat.agent, talk.server.seat.prover
        assert prover.workspace[0].table.size == agent.workspace[0].table.size
        talk.said("setoption name Hash value 16")

    def test_several_lines(self, talk: Dialogue) -> None:
        fen = f"position fen {MATE_IN_1}"
        single = talk.ask(fen, "go depth 2 searchmoves e1e2 e1e3 e1e4")
        talk.said("setoption name MultiPV value 3")
        lines = talk.ask(fen, "go depth 3")
        last = scores(lines)[-3:]
        assert [rank for rank, _, _ in last] == [1, 2, 3]
        assert last[0][1:] == ("mate 1", ["e1e8"])
        assert len({line[0] for _, _, line in last}) == 3
        assert played(lines) == "e1e8"
        assert {line[0] for _, _, line in scores(talk.ask("go depth 2 searchmoves e1e2 e1e3 e1e4"))} == {
            "e1e2", "e1e3", "e1e4"
        }  # fmt: skip
        assert played(single)[:3] == "e1e"
        assert played(talk.ask("go movetime 20")) == "e1e8"
        assert scores(talk.ask("go depth 1 searchmoves e1e2 e1e2"))[-1][2] == ["e1e2"]  # one line, though named twice
        assert talk.server.seat.agent.depth is None

    def test_several_lines_share_the_nodes(self, talk: Dialogue, monkeypatch: pytest.MonkeyPatch) -> None:
        agent = talk.server.seat.agent
        analyse, counts = agent.analyse, list[int]()

        def counted(*arguments: Any) -> Any:
            found = analyse(*arguments)
            counts.append(found.nodes)
            return found

        monkeypatch.setattr(agent, "analyse", counted)
        lines = talk.ask("setoption name MultiPV value 4", "go nodes 500")
        assert len(counts) > 4
        assert sum(counts) <= 500
        assert agent.nodes is None
        told = [int(one) for one in re.findall(r" nodes (\d+) ", "\n".join(lines))]
        assert told == sorted(told)
        assert set(told) <= set(itertools.accumulate(counts))  # of all lines together, by then

    @pytest.mark.parametrize("fen", ["8/1k4R1/8/8/2Q5/K7/8/8 b - - 0 1", "7k/8/8/8/8/8/R7/1R5K w - - 0 1"])
    def test_several_mates(self, talk: Dialogue, fen: str) -> None:
        talk.said("setoption name MultiPV value 3", f"position fen {fen}")
        last = scores(talk.ask("go depth 8"))[-3:]
        mates = [int(score.removeprefix("mate ")) for _, score, _ in last]
        assert mates == sorted(mates)  # the shortest is the best of what is won, and of what is lost the longest
        assert mates[0] < mates[-1] or fen.split()[1] == "w"

    def test_infinite(self, talk: Dialogue) -> None:
        talk.send(f"position fen {MATE_IN_1}", "go infinite")  # which is solved at once
        time.sleep(0.2)
        assert not [line for line in talk.said() if line.startswith("bestmove")]
        talk.send("stop", "stop")
        assert played(talk.until("bestmove")) == "e1e8"
        assert talk.said("stop") == []

    def test_a_stop_comes_through_at_once(self, talk: Dialogue) -> None:
        for delay in (0.0, 0.001, 0.03):
            talk.send("go infinite")
            time.sleep(delay)
            start = time.perf_counter()
            talk.send("stop")
            assert played(talk.until("bestmove"))
            assert time.perf_counter() - start < 5

    def test_a_new_search_ends_the_last_one(self, talk: Dialogue) -> None:
        talk.send("go infinite", "position startpos moves e2e4", "go depth 1")
        first, second = talk.until("bestmove"), talk.until("bestmove")
        assert played(first)[1] in "12"
        assert played(second)[1] in "78"  # black's

    def test_pondering_is_refused(self, talk: Dialogue) -> None:
        talk.send("go ponder wtime 1000 btime 1000")
        time.sleep(0.1)
        (line,) = (line for line in talk.said() if "string" in line)
        assert line.startswith("info string pondering is not supported")
        talk.send("ponderhit")
        assert played(talk.until("bestmove"))

    @pytest.mark.parametrize(
        ("fen", "score"),
        [("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "mate 0"), ("k7/8/1Q6/8/8/8/8/K7 b - - 0 1", "cp 0")],
    )
    def test_no_legal_move(self, talk: Dialogue, fen: str, score: str) -> None:
        """Whoever analyses a game to its end wants a score there, too."""
        lines = talk.ask(f"position fen {fen}", "go depth 3")
        assert lines == [f"info depth 0 score {score}", "bestmove (none)"]

    def test_nobody_can_mate(self, talk: Dialogue) -> None:
        lines = talk.ask("position fen 8/8/8/4k3/8/8/4K3/8 w - - 0 1", "go depth 2")
        assert scores(lines) == [(1, "cp 0", [played(lines)])]

    @pytest.mark.parametrize(
        "position",
        [
            "startpos moves " + " ".join(["g1f3", "g8f6", "f3g1", "f6g8"] * 3),  # four times
            "fen 7k/8/8/8/8/8/R7/1R5K w - - 99 80 moves a2a3 h8g8 a3a2 g8h8",
            "fen 7k/8/8/8/8/8/R7/1R5K w - - 140 80 moves a2a3 h8g8",
            "fen 7k/8/8/8/8/8/R7/1R5K w - - 1000 900",  # more than any FEN of ours has
            "fen 7k/8/8/8/8/8/R7/1R5K w - - 99 80 moves a2a3 h8g8 a3a2 g8h8 a2a3 h8g8",
            "fen 7k/8/8/8/8/8/8/1N5K w - - 0 1 moves b1c3",  # nobody can mate
            "fen 8/8/8/4k3/8/8/4K3/8 w - - 0 1",  # nor from the beginning
            "fen 8/8/8/4k3/8/8/4K3/8 w - - 0 1 moves e2e3 e5e6",
        ],
    )
    def test_draws_that_nobody_claims(self, talk: Dialogue, position: str) -> None:
        lines = talk.ask(f"position {position}", "go depth 2")
        assert not [line for line in lines if "string" in line]
        move = played(lines)
        assert CHESS.move_of(talk.server.seat.state, move) in talk.server.seat.legal

    @pytest.mark.slow
    def test_the_count_of_quiet_plies_is_that_of_the_games_own_limit(self) -> None:
        """A hundred were taken for the limit of every game: a draw after ten more seemed to be far away."""
        game = make_game("chess(max_quiet_plies=150, repetition=5)")
        talk = Dialogue(UCIServer("random", game))
        assert talk.said("position fen 8/8/4k3/8/8/3K4/4r3/7R w - - 140 80") == []
        assert int(talk.server.seat.state.quiet) == 140
        assert talk.said("position fen 8/8/4k3/8/8/3K4/4r3/7R w - - 150 80") == []
        assert int(talk.server.seat.state.quiet) == 0
        talk.end()

    def test_the_referee_begins_anew_once(self, talk: Dialogue, monkeypatch: pytest.MonkeyPatch) -> None:
        """And not at each move that follows a draw."""
        seat, begun = talk.server.seat, []
        line = "g1f3 g8f6 f3g1 f6g8 " * 4
        names = [*line.split(), "e2e4", "e7e5", "f1c4", "f8c5"]
        talk.ask("position startpos", "go depth 1")
        reset = seat.env.reset
        monkeypatch.setattr(seat.env, "reset", lambda **named: begun.append(named) or reset(**named))
        for plies in range(1, len(names) + 1):
            talk.ask(f"position startpos moves {' '.join(names[:plies])}", "go depth 1")
        assert len(begun) == 2  # after eight plies that repeat, and eight again


class TestChess960:
    @pytest.mark.slow
    def test_the_initial_position_is_that_of_chess(self) -> None:
        """It was that of the game's number, so that moves of GUIs were illegal."""
        talk = Dialogue(UCIServer("random", make_game("chess(chess960=77)")))
        assert talk.said("position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1h1") == []
        talk.end()

    @pytest.mark.slow
    def test_castling_takes_the_rook(self) -> None:
        talk = Dialogue(UCIServer("random", CHESS))
        fen = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1"
        assert "castling" in talk.said(f"position fen {fen}")[0]
        assert talk.said("setoption name UCI_Chess960 value true") == []
        assert played(talk.ask(f"position fen {fen}", "go searchmoves e1g1")) == "e1g1"
        assert talk.said(f"position fen {fen} moves e1b1 e8g8") == []
        seat = talk.server.seat
        assert seat.game.fen(seat.state).startswith("1r3rk1/pppppppp/8/8/8/8/PPPPPPPP/2KR2R1 w - -")
        opening = "position startpos moves e2e4 e7e5 g1f3 g8f6 f1c4 f8c5"
        assert played(talk.ask(opening, "go searchmoves e1h1")) == "e1h1"
        assert talk.said("setoption name UCI_Chess960 value false", opening) == []
        assert "is illegal" in talk.said(f"{opening} e1h1")[0]
        assert played(talk.ask("go searchmoves e1g1")) == "e1g1"
        talk.end()
