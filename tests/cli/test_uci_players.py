"""Players of all kinds as chess engines, those that fail among them, and how a conversation ends."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from plyground.agents import AlphaBeta
from plyground.arena.cli.engines import uci
from plyground.arena.engine import UCIServer
from plyground.envs import Game, make_game
from tests.agents.test_chess_engines import ENGINE
from tests.helpers.uci_dialogue import Dialogue, Lines, played, scores

CHESS = make_game("chess")


class Careless(AlphaBeta):
    """A player of one's own, whose arguments are its own too."""

    def __init__(self, game: Game, depth: int = 1) -> None:
        super().__init__(game, depth)


class TestOtherPlayers:
    @pytest.mark.parametrize("spec", ["random", "mcts(simulations=200)", "puct", "mixture(random, random)"])
    def test_any_player(self, spec: str) -> None:
        talk = Dialogue(UCIServer(spec, CHESS))
        move = played(talk.ask("position startpos moves e2e4", "go movetime 100"))
        assert CHESS.move_of(talk.server.seat.state, move) in talk.server.seat.legal
        talk.end()

    @pytest.mark.parametrize("spec", ["best(seconds=60)", f"{__name__}:Careless(depth=4)"])
    def test_alpha_beta_by_another_name(self, spec: str) -> None:
        talk = Dialogue(UCIServer(spec, CHESS))
        assert talk.said() == []  # it takes no argument ``selective``, which ``go mate`` needs
        lines = talk.ask("position fen 7k/8/8/8/8/8/R7/1R5K w - - 0 1", "go depth 2")
        assert scores(lines)
        assert all(line.startswith(("info depth", "bestmove")) for line in lines)
        assert scores(talk.ask("go mate 2"))[-1][1] == "mate 2"
        assert talk.server.seat.prover.options.selective is None
        talk.end()

    def test_a_program_is_told_of_the_limits_of_each_move(self, tmp_path: Path) -> None:
        (tmp_path / "engine.py").write_text(ENGINE)
        program = f"{sys.executable} {tmp_path / 'engine.py'} {','.join(['e2e4'] * 5)} {tmp_path / 'log'}"
        talk = Dialogue(UCIServer(f"mixture(engine({program!r}))", CHESS))
        for go in ("movetime 2010", "wtime 9000 btime 8000", "depth 4", "nodes 7", "movetime 2010 depth 3"):
            assert played(talk.ask(f"go {go}")) == "e2e4"
        talk.end()
        told = [line for line in (tmp_path / "log").read_text().splitlines() if line.startswith("go")]
        assert told == [
            "go movetime 1900",  # a little less, for it is lost on the way
            "go wtime 9000 btime 8000 winc 0 binc 0",
            "go depth 4",
            "go nodes 7",
            "go depth 3 movetime 1900",
        ]

    def test_a_program_is_told_among_which_moves_to_choose(self, tmp_path: Path) -> None:
        (tmp_path / "engine.py").write_text(ENGINE)
        program = f"{sys.executable} {tmp_path / 'engine.py'} e1g1,e1e2 {tmp_path / 'log'}"
        talk = Dialogue(UCIServer(f"engine({program!r})", CHESS))
        talk.said("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        lines = talk.ask("go depth 2 searchmoves e1g1 h1h8")
        assert (played(lines), [line for line in lines if "string" in line]) == ("e1g1", [])
        assert played(talk.ask("go depth 2")) == "e1e2"
        talk.end()
        told = [line for line in (tmp_path / "log").read_text().splitlines() if line.startswith("go")]
        assert told == ["go depth 2 searchmoves e1g1 h1h8", "go depth 2"]

    def test_of_a_mixture_who_was_drawn_is_told(self) -> None:
        talk = Dialogue(UCIServer("mixture(alphabeta(seconds=60))", CHESS))
        lines = talk.ask("setoption name MultiPV value 2", "go depth 2")
        assert [rank for rank, _, _ in scores(lines)] == [1, 2, 1, 2]
        lines = talk.ask("debug on", "setoption name MultiPV value 1", "go wtime 1000 depth 1")
        (line,) = (line for line in lines if "string" in line)
        assert line == "info string the move may take 0.012 s, and 0.050 s at most"
        agent: Any = talk.server.seat.agent
        assert (agent.drawn.seconds, agent.drawn.depth) == (60, None)
        talk.end()

    def test_who_cannot_be_stopped_keeps_to_its_own_time(self) -> None:
        talk = Dialogue(UCIServer("flat(seconds=0.05)", CHESS))
        talk.said("position startpos")
        talk.send("go infinite", "stop")
        assert played(talk.until("bestmove"))
        talk.end()

    def test_sampling_tells_several_lines(self) -> None:
        talk = Dialogue(UCIServer("mcts", CHESS))
        lines = talk.ask("setoption name MultiPV value 4", "setoption name Threads value 2", "go nodes 300")
        assert [rank for rank, _, _ in scores(lines)[-4:]] == [1, 2, 3, 4]
        assert talk.server.seat.agent.threads == 2
        assert played(lines) == scores(lines)[-4][2][0]
        talk.end()

    def test_a_player_that_fails_plays_all_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        talk = Dialogue(UCIServer("random", CHESS))

        def act(observation: Any, info: Any = None) -> int:
            raise RuntimeError("out\nof ideas")

        monkeypatch.setattr(talk.server.seat.agent, "act", act)
        lines = talk.ask("go")
        assert lines[0] == "info string out of ideas"
        assert CHESS.move_of(talk.server.seat.state, played(lines)) in talk.server.seat.legal
        talk.end()

    def test_a_player_that_cannot_be_prepared_plays_all_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def prepare() -> None:
            raise MemoryError

        talk = Dialogue(UCIServer("random", CHESS))
        monkeypatch.setattr(talk.server.seat, "prepare", prepare)
        assert talk.said() == ["info string MemoryError"]
        assert talk.ask("go searchmoves e2e4") == ["info string MemoryError", "bestmove e2e4"]
        talk.send("go infinite", "stop")
        assert played(talk.until("bestmove"))
        assert talk.ask("position fen R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "go")[-1] == "bestmove (none)"
        talk.end()

    def test_who_watches_is_told_all_moves(self, monkeypatch: pytest.MonkeyPatch) -> None:
        server = UCIServer("random", CHESS)
        watched: list[str] = []
        monkeypatch.setattr(server.seat.agent, "watch", lambda action: watched.append(action), raising=False)
        monkeypatch.setattr(server.seat.agent, "reset", lambda seed=None: watched.clear())
        talk = Dialogue(server)
        for line in ("e2e4", "e2e4 e7e5 g1f3", "d2d4 d7d5"):
            talk.ask(f"position startpos moves {line}", "go")
            assert CHESS.line_names(watched) == line.split()  # pyright: ignore[reportArgumentType]
        talk.end()

    def test_other_games_and_players(self) -> None:
        with pytest.raises(ValueError, match="UCI speaks of chess, got tictactoe"):
            UCIServer("random", make_game("tictactoe"))
        with pytest.raises(ValueError, match="unknown agent 'alfabeta'"):
            UCIServer("alfabeta", CHESS)
        with pytest.raises(ValueError, match="unknown argument 'depht' of agent 'alphabeta': did you mean 'depth'"):
            UCIServer("alphabeta(depht=3)", CHESS)

    def test_a_table_larger_than_others_is_no_value_out_of_range(self) -> None:
        talk = Dialogue(UCIServer("alphabeta(table_mb=100000)", CHESS))
        talk.send("uci")
        assert "option name Hash type spin default 100000 min 1 max 100000" in talk.until("uciok")
        talk.end()

    def test_the_default_of_an_option_can_be_set(self) -> None:
        server = UCIServer("alphabeta(table_mb=0)", CHESS)
        assert server.options["Hash"] == 16
        assert not server.seat.agent.table_mb
        server.run(["setoption name Hash value 16\n"], io.StringIO())
        assert server.seat.agent.table_mb == 16

    @pytest.mark.parametrize("spec", ["mcts", "puct"])
    def test_a_tree_has_a_limit(self, spec: str) -> None:
        """It grew as long as somebody looked at a position."""
        server = UCIServer(spec, CHESS)
        assert server.options["Hash"] == 1024

        def most() -> int:
            agent: Any = server.seat.agent
            return (agent if spec == "puct" else agent._searchers[0])._most

        before = most()
        assert 2**20 < before < 2**30
        server.run(["setoption name Hash value 16\n"], io.StringIO())
        assert most() < before / 32

    @pytest.mark.parametrize(
        ("spec", "limit"),
        [
            ("mcts", "mate 1"),
            ("puct", "depth 60"),
            pytest.param("mcts", "depth 60", marks=pytest.mark.slow),
            pytest.param("puct", "mate 1", marks=pytest.mark.slow),
        ],
    )
    def test_who_knows_no_depth_has_its_second(self, spec: str, limit: str) -> None:
        """It searched without end, for a mate or a depth that it does not look for."""
        talk = Dialogue(UCIServer(spec, CHESS))
        assert played(talk.ask(f"go {limit}"))
        talk.end()

    @pytest.mark.parametrize("number", ["abc", "1e999"])
    def test_memory_that_is_none(self, number: str) -> None:
        with pytest.raises(ValueError, match="table_mb of agent 'alphabeta' must be a number, got"):
            UCIServer(f"alphabeta(table_mb={number})", CHESS)


class TestTheEnd:
    def test_what_an_encoding_does_not_have(self, monkeypatch: pytest.MonkeyPatch) -> None:
        typed, written = io.BytesIO(b"setoption name Sch\xf6n value 1\nquit\n"), io.BytesIO()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(typed, "ascii"))
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, "ascii"))
        uci("random", "chess")
        assert written.getvalue().startswith(b"info string no option 'Sch?n'")

    def test_of_the_lines(self) -> None:
        out = Lines()
        server = UCIServer("alphabeta(depth=2)", CHESS)
        server.run(["position startpos moves e2e4\n", "go\n"], out)  # a search with limits is finished
        assert played(list(out.lines.queue))
        server.run(["go infinite\n"], out)
        assert out.lines.queue[-1].startswith("bestmove")

    def test_quit_in_the_midst_of_a_search(self) -> None:
        talk = Dialogue(UCIServer("alphabeta", CHESS))
        talk.send("go infinite", "quit", "go depth 3")
        assert played(talk.until("bestmove"))
        talk.end()

    def test_nobody_reads_any_longer(self) -> None:
        out = io.StringIO()
        out.close()
        UCIServer("random", CHESS).run(["uci\n", "go\n", "quit\n"], out)
