"""Games that end before their rules say so: adjudication, and what records keep of such endings."""

from __future__ import annotations

import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plyground.agents import Isolated, Minimax, Mixture, Random
from plyground.agents.search import with_evaluation
from plyground.arena import GameRecord, iter_match, match, play
from plyground.arena.loop import value_of
from plyground.arena.referee import Adjudicator, Conditions, Position, adjudicator_of
from plyground.arena.referee.adjudication import Draw, Endings, Exact, Resign, Verdict
from plyground.envs import BoardGameEnv, Game, State, make_game

GAME = "connect_four(rows=4, columns=5)"
TICTACTOE = make_game("tictactoe")


class TestAdjudication:
    def test_exact(self) -> None:
        records = match("tictactoe", ["random", "random"], 20, seed=1, opening_plies=2, adjudication="exact")
        perfect = Minimax("tictactoe")
        assert len({tuple(record.outcome) for record in records}) == 3
        for record in records:
            assert record.ending == "adjudicated"
            state = TICTACTOE.play_moves(record.moves)
            value = perfect.analyse(state).value * (1 - 2 * TICTACTOE.player(state))
            assert record.outcome == [value, -value]
            assert "-0.0" not in record.to_json()
            assert record.reason == "solver knows the result"
            assert len(record.moves) == 3  # after the first move of a player

    @pytest.mark.slow
    def test_exact_by_a_search(self) -> None:
        judge = "exact(judge='alphabeta(depth=2)')"
        whole = match(GAME, ["random", "random"], 20, seed=1)
        cut = match(GAME, ["random", "random"], 20, seed=1, adjudication=judge, jobs=2)
        for one, other in zip(whole, cut, strict=True):
            assert one.moves[: len(other.moves)] == other.moves
        adjudicated = [record for record in cut if record.ending == "adjudicated"]
        assert len(adjudicated) > 10
        judge_of = Minimax(GAME)
        for record in adjudicated[:5]:
            state = judge_of.game.play_moves(record.moves)
            assert judge_of.analyse(state).value * (1 - 2 * judge_of.game.player(state)) == record.outcome[0]

    @pytest.mark.parametrize("search", ["minimax(depth=4)", "alphabeta(depth=3, all_best=true)"])
    def test_a_search_that_sees_a_win_need_not_see_all(self, search: str) -> None:
        adjudicator = adjudicator_of(f"exact(judge='{search}')")
        adjudicator.begin(TICTACTOE)
        for moves, value in (([0, 3, 1, 4], 1.0), ([0, 8, 3, 6, 1], -1.0), ([0, 3], None)):
            state = TICTACTOE.play_moves(moves)
            verdict = adjudicator.look(Position(state, len(moves) % 2, 0, len(moves), 0.0))
            assert verdict == (None if value is None else Verdict(value, f"{search} knows the result"))

    @pytest.mark.parametrize(
        "judge",
        ["alphabeta(nodes=300)", pytest.param("mcts(simulations=60, solver=true)", marks=pytest.mark.slow)],
    )
    def test_a_search_that_judges_knows_nothing_of_other_games(self, judge: str) -> None:
        """Its table, and its random numbers, were those of the games before: so games ended by who had played them."""

        def played(**options: Any) -> list[GameRecord]:
            return match(GAME, ["random", "random"], 8, seed=1, adjudication=f"exact(judge='{judge}')", **options)

        whole = played()
        assert any(record.ending == "adjudicated" for record in whole)
        ends = [(record.moves, record.ending) for record in whole]
        assert [(record.moves, record.ending) for record in played()] == ends
        later = list(
            iter_match(GAME, ["random", "random"], 8, seed=1, adjudication=f"exact(judge='{judge}')", after=whole[:3])
        )
        assert [(record.moves, record.ending) for record in later] == ends[3:]

    def test_a_solver_does_without_alphabeta_unless_it_is_given_time(self) -> None:
        for judge, seconds in (("solver", 0), ("solver(seconds=5)", 5)):
            adjudicator = Exact(judge)
            adjudicator.begin(TICTACTOE)
            assert adjudicator._made is not None
            assert adjudicator._made[1].seconds == seconds

    def test_their_texts_tell_all_conditions_apart(self) -> None:
        """A store took 0.9999999 and 1 for the same, and went on with the games of the other."""
        specs = ["resign(score=0.9999999, moves=3)", "draw(score=0.02000001, moves=8, after=40)"]
        specs += ["endings(pieces=3, table_mb=512.0001)"]
        usual = ["resign(score=1, moves=3)", "resign(score=0.95, moves=3)", "draw(score=0, moves=8, after=40)"]
        usual += ["draw(score=0.02, moves=8, after=40)", "endings(pieces=3, table_mb=512)"]
        for spec in (*specs, *usual):
            assert repr(adjudicator_of(spec)) == spec

    def test_resignation(self) -> None:
        records = match("tictactoe", ["minimax", "random"], 20, opening_plies=0, adjudication="resign(moves=1)")
        assert not any(record.ending == "adjudicated" for record in records)  # minimax never stands badly
        records = match(
            "tictactoe", ["minimax", "mcts(simulations=200)"], 40, adjudication=["resign(score=0.9, moves=1)"]
        )
        resigned = [record for record in records if record.ending == "adjudicated"]
        assert resigned
        for record in resigned:
            loser = record.movers[-1]
            assert record.outcome == ([1.0, -1.0] if loser else [-1.0, 1.0])
            assert record.reason is not None
            assert record.reason.startswith(f"the {('first', 'second')[loser]} player resigns: -")

    def test_reasons_count_in_right_words_and_know_those_of_earlier_versions(self) -> None:
        """They said "for 1 moves"."""
        for moves, *wordings in ((1, "1 move", "1 moves"), (2, "2 moves"), (1200, "1,200 moves", "1200 moves")):
            resign, draw = Resign(0.9, moves), Draw(0.02, moves)
            lost, even = "the second player resigns: -0.9 or less for ", "both players see at most 0.02 for "
            assert all(resign.may_say(lost + words, TICTACTOE) for words in wordings)
            assert all(draw.may_say(f"{even}{words}: a draw", TICTACTOE) for words in wordings)
            assert not resign.may_say(f"{lost}7 moves", TICTACTOE)
            assert not draw.may_say(f"{even}7 moves: a draw", TICTACTOE)

    def test_a_resignation_tells_the_value_that_none_was_above(self) -> None:
        adjudicator, state = adjudicator_of("resign(score=0.9, moves=2)"), TICTACTOE.new_state()
        adjudicator.begin(TICTACTOE)
        assert adjudicator.look(Position(state, 1, 0, 1, -0.93)) is None
        verdict = adjudicator.look(Position(state, 1, 0, 3, -0.99))
        assert verdict == Verdict(-1.0, "the first player resigns: -0.9 or less for 2 moves")
        at_once = adjudicator_of("resign(score=0.9, moves=1)")
        at_once.begin(TICTACTOE)
        verdict = at_once.look(Position(state, 1, 0, 1, -0.99))
        assert verdict == Verdict(-1.0, "the first player resigns: -0.9 or less for 1 move")

    @pytest.mark.parametrize(
        ("spec", "beyond", "within", "verdict"),
        [
            ("resign(score=0.5, moves=1)", -17.5, -18.0, Verdict(-36.0, "the first player resigns: -18 or less for 1")),
            ("draw(score=0.5, moves=1, after=0)", 18.5, 18.0, Verdict(0.0, "both players see at most 18 for 1")),
        ],
    )
    def test_scores_are_shares_of_the_largest_utility(
        self, spec: str, beyond: float, within: float, verdict: Verdict
    ) -> None:
        """A disc less was taken for lost."""
        game, adjudicator = make_game("othello(size=6, by_discs=True)"), adjudicator_of(spec)
        adjudicator.begin(game)
        values = (beyond, beyond, within, within)
        found = [adjudicator.look(Position(game.new_state(), 1, 0, ply, one)) for ply, one in enumerate(values, 1)]
        assert found[:2] == [None, None]
        assert found[-1] is not None
        assert found[-1].value == verdict.value
        assert found[-1].reason.startswith(verdict.reason)

    @pytest.mark.parametrize("spec", ["resign", "draw"])
    def test_shares_need_a_largest_utility(self, spec: str) -> None:
        with pytest.raises(ValueError, match=r"a finite max_utility, tictactoe.* has inf"):
            adjudicator_of(spec).begin(TICTACTOE.replace(max_utility=math.inf, evaluate=TICTACTOE.evaluate))

    def test_a_move_without_a_search_has_no_value(self) -> None:
        class Once(Random):
            """Takes itself for lost at its first move, and plays the others without a look."""

            last_analysis: Any = None

            def act(self, observation: Any, info: Any = None) -> int:
                self.last_analysis = self.last_analysis or SimpleNamespace(value=-1.0)
                return super().act(observation, info)

        for moves, ending in ((1, "adjudicated"), (2, "finished")):
            record = play(BoardGameEnv(TICTACTOE), [Once(), Random()], 0, adjudication=f"resign(moves={moves})")
            assert record.ending == ending

    @pytest.mark.parametrize("spec", ["resign(moves=1)", "draw(score=1, moves=1, after=0)"])
    def test_values_in_another_unit_are_none(self, spec: str) -> None:
        """A position a few pawns worse was taken for lost."""

        class Thinker(Random):
            """Says what it thinks in the unit of its game."""

            last_analysis: Any = None

            def __init__(self, game: Game) -> None:
                super().__init__()
                self.game = game

            def act(self, observation: Any, info: Any = None) -> int:
                self.last_analysis = SimpleNamespace(value=-3.0 if spec.startswith("resign") else 0.5)
                return super().act(observation, info)

        pawns = with_evaluation(TICTACTOE, lambda state, player: -3.0, None)
        for game, ending in ((pawns, "finished"), (TICTACTOE, "adjudicated")):
            for one in (Thinker(game), Mixture(TICTACTOE, Thinker(game))):
                assert play(BoardGameEnv(TICTACTOE), [one, one], 0, adjudication=spec).ending == ending
        thought = SimpleNamespace(value=-3.0)
        assert value_of(thought, Isolated(TICTACTOE, Thinker(pawns)), TICTACTOE) is None
        assert value_of(thought, Isolated(TICTACTOE, Thinker(TICTACTOE)), TICTACTOE) == -3

    def test_who_has_no_values_never_resigns(self) -> None:
        records = match(
            "tictactoe", ["random", "random"], 20, adjudication=["resign(moves=1)", "draw(moves=1, after=0)"]
        )
        assert {record.ending for record in records} == {"finished"}

    def test_draw(self) -> None:
        records = match("tictactoe", ["minimax", "minimax"], 4, opening_plies=0, adjudication="draw(moves=2, after=3)")
        assert [record.ending for record in records] == ["adjudicated"] * 4
        assert [len(record.moves) for record in records] == [7] * 4  # from the fourth ply on, two moves of both
        assert records[0].outcome == [0, 0]

    def test_counts_begin_anew(self) -> None:
        for name in ("resign(moves=2)", "draw(moves=1, after=0)"):
            adjudicator = adjudicator_of(name)
            state = TICTACTOE.new_state()
            value = -1.0 if name.startswith("resign") else 0.0
            adjudicator.begin(TICTACTOE)
            assert adjudicator.look(Position(state, 1, 0, 1, value)) is None
            assert adjudicator.look(Position(state, 0, 1, 2, 0.5)) is None
            adjudicator.begin(TICTACTOE)
            assert adjudicator.look(Position(state, 1, 0, 3, value)) is None

    def test_one_of_ones_own(self) -> None:
        class Short(Adjudicator):
            def look(self, position: Position) -> Verdict | None:
                return Verdict(0.0, "long enough") if position.ply == 4 else None

        for given in (Short(), [Short()], ["resign", Short()]):
            record = play(BoardGameEnv(TICTACTOE), [Random(), Random()], 0, adjudication=given)
            assert (len(record.moves), record.outcome, record.ending) == (4, [0.0, 0.0], "adjudicated")
        assert play(BoardGameEnv(TICTACTOE), [Random(), Random()], 0, adjudication=None).ending == "finished"
        named = f"{__name__}.TestAdjudication.test_one_of_ones_own.<locals>.Short()"
        assert Conditions.of((), None, Short()).described == {"adjudication": [named]}  # in each process

    @pytest.mark.parametrize(
        ("spec", "error"),
        [
            ("exakt", "unknown adjudication 'exakt': did you mean 'exact'"),
            ("exact(depth=2)", "exact takes judge=…"),
            ("exact(judge='random')", "random tells no values"),
            ("exact(judge='solvr')", "solver"),
            ("resign(moves=0)", "moves must be"),
            ("draw(score=-1)", "score must be a share of a win, from 0 to 1, as 0.02 or 0.95, got -1"),
            ("draw(score=2)", "score must be a share of a win, from 0 to 1, as 0.02 or 0.95, got 2"),
            ("resign(score=1.5)", "score must be a share of a win"),
            ("resign(score=high)", "score must be a share of a win, from 0 to 1, as 0.02 or 0.95, got 'high'"),
            ("endings(pieces=1)", "pieces must be a whole number, at least 2, got 1"),
            ("endings(table_mb=0)", "table_mb must be a number above 0, got 0"),
            (
                "endings",
                "endings must be those of checkers, or of chess without classic, got tictactoe: in small games",
            ),
            ("exact(judge=5)", "judge must be the spec of an agent, 'solver' or a search, got 5"),
            (0.9, "an adjudication must be a spec, such as 'resign(score=0.9)', or an Adjudicator, got 0.9"),
            ([0.9], "an adjudication must be a spec, such as 'resign(score=0.9)', or an Adjudicator, got 0.9"),
        ],
    )
    def test_what_cannot_be(self, spec: Any, error: str) -> None:
        with pytest.raises(ValueError, match=re.escape(error)):
            match("tictactoe", ["random", "random"], 2, adjudication=spec)

    def test_of_other_environments(self) -> None:
        class Other:
            possible_agents = ("one", "two")

        with pytest.raises(ValueError, match="expected an environment of plyground"):
            play(Other(), [Random(), Random()], 0, adjudication="exact")


def position(game: Game, fen: str) -> Position:
    """Return what an adjudicator is shown of a position."""
    state = game.state_from_fen(fen)
    mover = int(game.player(state))
    return Position(state, mover, 1 - mover, 40, None)


class TestEndings:
    """Of chess and checkers. To compile their solver takes long: most tests are about when it is asked."""

    CHESS, CHECKERS = make_game("chess"), make_game("checkers")
    PAWN, PAWNS = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/4PP2/4K3 w - - 0 1"

    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch) -> list[State]:
        """The positions that a solver is asked about: whoever moves wins, and two pawns take too much memory."""
        asked: list[State] = []

        class Wins:
            def value(self, state: State) -> tuple[float, int]:
                asked.append(state)
                if "pawns" in (state.dtype.names or ()) and int(state.pawns).bit_count() > 1:
                    raise MemoryError
                return 1.0, 5

        monkeypatch.setattr("plyground.arena.referee.adjudication._solver", lambda spec, game: Wins())
        return asked

    @pytest.mark.parametrize(
        ("game", "fen", "value"),
        [
            (CHESS, PAWN, 1.0),
            (CHESS, "4k3/8/8/8/8/8/4p3/4K3 b - - 0 1", -1.0),
            (CHESS, "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 1.0),
            (CHECKERS, "B:WK1:BK14,K15", 1.0),
            (CHECKERS, "W:WK1,5:BK14", -1.0),
        ],
    )
    def test_few_pieces_are_judged(self, asked: list[State], game: Game, fen: str, value: float) -> None:
        adjudicator = adjudicator_of("endings")
        adjudicator.begin(game)
        assert adjudicator.look(position(game, fen)) == Verdict(value, "the result of this ending of 3 pieces is known")
        assert [game.fen(state) for state in asked] == [game.fen(game.state_from_fen(fen))]

    @pytest.mark.parametrize(("game", "fen"), [(CHESS, PAWNS), (CHECKERS, "B:WK1,5:BK14,K15")])
    def test_nobody_is_asked_about_more(self, asked: list[State], game: Game, fen: str) -> None:
        adjudicator = adjudicator_of("endings")
        adjudicator.begin(game)
        assert adjudicator.look(position(game, fen)) is None
        assert adjudicator.look(position(game, game.fen(game.new_state()))) is None
        assert not asked

    def test_what_takes_too_much_memory_is_asked_once_in_a_game(self, asked: list[State]) -> None:
        adjudicator = Endings(4)
        for _ in range(2):
            adjudicator.begin(self.CHESS)
            for fen in (self.PAWNS, self.PAWNS, "4k3/8/8/8/8/8/3P1P2/4K3 w - - 0 1"):
                assert adjudicator.look(position(self.CHESS, fen)) is None
            assert adjudicator.look(position(self.CHESS, self.PAWN)) is not None
        assert len(asked) == 4

    def test_its_reasons_are_known_and_its_options_told(self) -> None:
        adjudicator = adjudicator_of("endings(pieces=4, table_mb=100)")
        assert repr(adjudicator) == "endings(pieces=4, table_mb=100)"
        said = [adjudicator.may_say(f"the result of this ending of {n} pieces is known", self.CHESS) for n in range(6)]
        assert said == [False, False, True, True, True, False]
        assert not adjudicator.may_say("solver knows the result", self.CHESS)

    def test_classic_chess_has_another_count(self) -> None:
        with pytest.raises(ValueError, match=r"or of chess without classic, got chess\(classic=True\)"):
            adjudicator_of("endings").begin(make_game("chess(classic=True)"))

    @pytest.mark.parametrize(
        ("game", "fen", "moves", "outcome"),
        [
            *(
                pytest.param(*one, marks=pytest.mark.slow)
                for one in [
                    (CHESS, "4k3/8/8/8/8/2p5/8/R3K3 b - - 0 1", "e8e7 a1c1 e7e6 c1c3", [1.0, -1.0]),
                    (CHESS, "4k3/8/8/8/8/8/8/r3K2R w - - 0 1", "e1e2 a1h1", [-1.0, 1.0]),
                    (CHESS, "7k/8/8/8/8/7p/8/4K2R w - - 0 1", "h1h3 h8g7", [1.0, -1.0]),  # at the first of these moves
                    (CHESS, "k7/p7/8/8/8/8/8/K7 w - - 0 1", "a1b1", [0.0, 0.0]),
                ]
            ),
            (CHECKERS, "B:WK1:BK14,K15", "14-9", [1.0, -1.0]),
        ],
    )
    def test_games(self, game: Game, fen: str, moves: str, outcome: list[float]) -> None:
        upcoming = iter(moves.split())

        def player(observation: Any, info: Any) -> int:
            return game.move_of(info["state"], next(upcoming))

        record = play(BoardGameEnv(game), [player, player], 0, options={"fen": fen}, adjudication="endings")
        assert (record.ending, record.outcome) == ("adjudicated", outcome)
        assert record.reason == "the result of this ending of 3 pieces is known"
        assert list(upcoming) == (["h8g7"] if "h8g7" in moves else [])


def test_games_of_such_endings_are_kept_in_files(tmp_path: Path) -> None:
    from plyground.arena import read_games, write_games

    game: Game = make_game("othello(size=4)")
    records = match(game, ["random", "random"], 4, adjudication="exact(judge='alphabeta(depth=3)')")
    assert any(record.ending == "adjudicated" for record in records)
    write_games(tmp_path / "games.sgf", records)
    found = list(read_games(tmp_path / "games.sgf"))
    assert [(one.moves, one.outcome, one.ending, one.reason) for one in found] == [
        (one.moves, one.outcome, one.ending, one.reason) for one in records
    ]
