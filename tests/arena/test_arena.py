"""The loop, matches, tables and records."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.classic import connect_four_v3
from rich.console import Console

from plyground.agents import MCTS, AlphaBeta, Random
from plyground.arena import (
    GameRecord,
    Score,
    cross_table,
    game_results,
    iter_match,
    match,
    play,
    play_with_progress,
    random_openings,
    read_records,
    standings,
    write_records,
)
from plyground.arena.generation import generate
from plyground.arena.openings.drawn import fit_lines
from plyground.arena.progress import watch_games
from plyground.arena.tables import format_rate, format_seconds
from plyground.envs import BoardGameEnv, Game, connect_four, make_game, tictactoe
from tests.envs.test_gymnasium import Scripted
from tests.helpers.coin import COIN


def without_times(records: list[GameRecord]) -> list[Any]:
    return [(r.game, r.players, r.moves, r.opening, r.outcome, r.ending, r.movers, r.seed) for r in records]


class TestPlay:
    def test_record(self) -> None:
        env = BoardGameEnv("connect_four(rows=4, columns=5)")
        record = play(
            env, [Scripted(0, 0, 0), Scripted(1, 1)], seed=3, options={"moves": ["0", 1]}, names=["left", "right"]
        )
        assert record.game == "connect_four(rows=4, columns=5)"
        assert record.players == ["left", "right"]
        assert (record.moves, record.opening) == ([0, 1, 0, 1, 0, 1, 0], 2)
        assert record.movers == [-1, -1, 0, 1, 0, 1, 0]
        assert (record.outcome, record.ending, record.seed) == ([1, -1], "finished", 3)
        assert len(record.seconds) == 7
        assert record.seconds[:2] == [0, 0]
        assert min(record.seconds[2:]) > 0

    def test_players_by_name_and_any_environment(self) -> None:
        players = {"player_1": Random(seed=0), "player_0": AlphaBeta("connect_four", depth=3)}
        record = play(connect_four_v3.env(), players, seed=0)
        assert record.players == ["AlphaBeta", "Random"]
        assert record.game == "connect_four_v3"
        assert record.outcome == [1, -1]

    @pytest.mark.parametrize("env", [BoardGameEnv("connect_four"), connect_four_v3.env()])
    def test_illegal_move_loses(self, env: Any) -> None:
        record = play(env, [Scripted(0, 0, 0, 0), Scripted(0, 0, 0)])
        assert (record.outcome, record.ending) == ([-1, 0], "illegal")
        assert record.moves == [0] * 7

    def test_a_reward_that_is_no_number(self, monkeypatch: pytest.MonkeyPatch) -> None:
        env = BoardGameEnv("tictactoe")
        monkeypatch.setattr(env, "last", lambda: (*BoardGameEnv.last(env)[:1], math.nan, *BoardGameEnv.last(env)[2:]))
        with pytest.raises(ValueError, match="gives player_1 the reward nan: expected a finite number"):
            play(env, ["random", "random"], seed=1)

    @pytest.mark.parametrize("moves", [None, 3, [None], "4"])
    def test_moves_that_are_none_are_refused_as_the_environment_does(self, moves: Any) -> None:
        """The error was a TypeError that told nothing."""
        env, options = BoardGameEnv("tictactoe"), {"moves": moves}
        with pytest.raises(ValueError, match="move") as refused:
            env.reset(options=options)
        with pytest.raises(ValueError, match=re.escape(str(refused.value))):
            play(env, ["random", "random"], 0, options=options)

    def test_truncation(self) -> None:
        record = play(BoardGameEnv("connect_four", max_cycles=2), [Scripted(0, 1), Scripted(2, 3)])
        assert (record.outcome, record.ending, len(record.moves)) == ([0, 0], "truncated", 4)

    def test_a_seed_of_numpy_is_a_number(self) -> None:
        record = play(BoardGameEnv("tictactoe"), ["random", "random"], seed=np.int64(3))  # pyright: ignore[reportArgumentType]
        assert record == GameRecord.from_json(record.to_json())
        assert record.moves == play("tictactoe", ["random", "random"], 3).moves
        with pytest.raises(ValueError, match="seed must be a whole number, at least 0, got -1"):
            play(BoardGameEnv("tictactoe"), ["random", "random"], seed=-1)

    def test_one_agent_in_both_seats_is_told_of_each_move_once(self) -> None:
        class Watching(Random):
            def reset(self, seed: int | None = None) -> None:
                super().reset(seed)
                self.watched: list[int] = []

            def watch(self, action: int) -> None:
                self.watched.append(action)

        agent = Watching()
        record = play(BoardGameEnv("tictactoe"), [agent, agent], 0, options={"moves": [4]})
        assert agent.watched == record.moves
        (record,) = generate("tictactoe", [agent], 1)
        assert agent.watched == record.moves
        two = [Watching(), Watching()]
        record = play(BoardGameEnv("tictactoe"), two, 0)
        assert two[0].watched == two[1].watched == record.moves

    def test_seed_fixes_the_game(self) -> None:
        env = BoardGameEnv("connect_four")
        players = [Random(), MCTS("connect_four", 50)]
        assert play(env, players, seed=1).moves == play(env, players, seed=1).moves != play(env, players, seed=2).moves

    @pytest.mark.parametrize(
        "players", [[], [Random()], [Random()] * 3, {"player_0": Random()}, {"a": Random(), "b": Random()}]
    )
    def test_one_agent_for_each_seat(self, players: Any) -> None:
        with pytest.raises(ValueError, match="expected an agent for each of"):
            play(BoardGameEnv("connect_four"), players)

    @pytest.mark.parametrize("names", [[], ["a"], ["a", "b", "c"]])
    def test_one_name_for_each_player(self, names: list[str]) -> None:
        message = f"expected a name for each of 2 players, got {len(names)}: "
        with pytest.raises(ValueError, match=message):
            play(BoardGameEnv("tictactoe"), [Random(), Random()], names=names)
        with pytest.raises(ValueError, match=message):
            iter_match("tictactoe", ["random", "random"], 2, names=names)


class TestOpenings:
    def test_are_open_different_and_reproducible(self) -> None:
        game = connect_four()
        openings, again, others = (list(islice(random_openings(game, 4, seed), 200)) for seed in (0, 0, 1))
        assert openings == again != others
        judge = AlphaBeta(game, depth=4)
        keys = set()
        for opening in openings:
            state = game.play_moves(opening)
            assert len(opening) == 4
            assert not judge.analyse(state).exact
            keys.add(int(game.key(state)))
        assert len(keys) == 200

    def test_repeat_where_there_are_too_few(self) -> None:
        openings = list(islice(random_openings(tictactoe(), 1, seed=0), 30))
        assert {tuple(opening) for opening in openings[:9]} == {(action,) for action in range(9)}
        many = Counter(move for (move,) in islice(random_openings(tictactoe(), 1, seed=0), 900))
        assert min(many.values()) > 80  # the rounds are nearly even
        assert list(islice(random_openings(tictactoe(), 0, seed=0), 2)) == [[], []]

    @pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))])
    def test_repeat_also_where_most_lines_end_the_game(self, seed: int) -> None:
        game = tictactoe()
        lines = fit_lines(game, 8, seed, lambda state: int(game.key(state)) % 7 == 0, game.key, 1000, 100)
        keys = [int(game.key(game.play_moves(line))) for line in islice(lines, 60)]
        assert (len(keys), len(set(keys))) == (60, 20)

    def test_a_game_that_is_decided_from_its_start_is_played_without_random_plies(self) -> None:
        """There was no way to play a match in it: for 0 plies, too, the advice was to use fewer."""
        records = match(Game(**COIN), ["random", "random"], games=4, opening_plies=0)
        assert [record.opening for record in records] == [0] * 4

    def test_impossible(self) -> None:
        message = r"no open position of tictactoe after 8 .*: give fewer, such as opening_plies=4 \(--opening-plies 4\)"
        with pytest.raises(ValueError, match=message):
            random_openings(tictactoe(), 8, seed=0)
        with pytest.raises(ValueError, match="opening_plies must be a whole number, from 0 to 9, got -1"):
            random_openings("tictactoe", -1, seed=0)


class TestMatch:
    def test_every_opening_is_played_from_both_sides(self) -> None:
        records = match("connect_four", ["random", "alphabeta(depth=2)"], games=10, seed=5)
        assert len(records) == 10
        for first, second in zip(records[::2], records[1::2], strict=True):
            assert first.moves[:4] == second.moves[:4]
            assert (first.opening, second.opening) == (4, 4)
            assert first.players == ["random", "alphabeta(depth=2)"] == second.players[::-1]
            assert first.seed != second.seed
        assert len({tuple(record.moves[:4]) for record in records}) == 5

    def test_same_games_for_any_number_of_workers(self) -> None:
        players = ["mcts(simulations=30)", "mixture(random, alphabeta(depth=2))"]
        one = match("connect_four", players, games=12, seed=1)
        assert without_times(match("connect_four", players, games=12, seed=1, jobs=2)) == without_times(one)
        assert without_times(match("connect_four", players, games=12, seed=2)) != without_times(one)
        assert without_times(match("connect_four", players, games=6, seed=1)) == without_times(one)[:6]

    def test_agents_as_objects_go_to_workers_too(self) -> None:
        game = make_game("connect_four(rows=4, columns=5)")
        players = [MCTS(game, 30), AlphaBeta(game, depth=2)]
        one = match(game, players, games=4)
        assert without_times(match(game, players, games=4, jobs=2)) == without_times(one)
        assert one[0].players == ["MCTS", "AlphaBeta"]

    def test_same_player_twice(self) -> None:
        records = match("tictactoe", ["mcts(simulations=20)"] * 2, games=2)
        assert records[0].players == ["mcts(simulations=20)#1", "mcts(simulations=20)#2"]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"games": 3}, "games must be even"),
            ({"games": 0}, "games must be a whole number, at least 2"),
            ({"jobs": 0}, "jobs must be a number of processes"),
            ({"jobs": 10**20}, "jobs must be a number of processes, up to 10000, or -1 for one on each core, got 10+$"),
            ({"jobs": None}, "jobs must be a number of processes, .*, got None"),
            ({"players": ["random"]}, r"it takes two players to play, got \['random'\]"),
            ({"players": ["random", "randon"]}, "did you mean 'random'"),
            ({"game": "shogi"}, "unknown game 'shogi'"),
            ({"opening_plies": -1}, "opening_plies must be a whole number"),
            ({"seed": -1}, "seed must be a whole number, at least 0"),
            ({"failures": "x"}, "failures must be Exception, a class of such errors, or a tuple of them, got 'x'"),
            ({"failures": (OSError, 3)}, "failures must be Exception, a class of such errors, or a tuple of them"),
            ({"names": [1, 2]}, r"names must be strings, as files of games keep them, got \[1, 2\]"),
            ({"names": ["a", "\ud800"]}, r"names must be strings, as files of games keep them, got \['a', '\\ud800'\]"),
            ({"players": "random"}, r"players must be a list of two or more, such as .*, got 'random'"),
            ({"players": {"a": "random"}}, r"players must be a list of two or more, such as .*, got {'a': 'random'}"),
            ({"players": None}, r"players must be a list of two or more, such as .*, got None"),
        ],
    )
    def test_bad_arguments_fail_before_anything_is_played(self, arguments: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            iter_match(**{"game": "connect_four", "players": ["random", "random"], **arguments})


class TestRoundRobin:
    def test_table(self) -> None:
        players = ["random", "alphabeta(depth=4)", "mcts(simulations=30)"]
        records = list(iter_match("connect_four", players, games=10, seed=0))
        assert len(records) == 30
        table = standings(records)
        assert table[0].name == "alphabeta(depth=4)"
        assert table[-1].name == "random"
        for line in table:
            assert line.total.games == 20
            assert sum(score.games for score in line.against.values()) == 20
            assert line.seconds_per_move > 0
            for other in table:
                if other is not line:
                    mine, theirs = line.against[other.name], other.against[line.name]
                    assert (mine.wins, mine.draws, mine.losses) == (theirs.losses, theirs.draws, theirs.wins)
        assert sum(line.total.points for line in table) == 30

    def test_shown(self) -> None:
        records = [
            GameRecord("tictactoe", ["a", "b"], [4], 0, [1, -1], "finished", [0.5], [0], 1),
            GameRecord("tictactoe", ["b", "a"], [4, 3], 1, [0, 0], "finished", [0, 0.002], [-1, 1], 2),
        ]
        console = Console(width=100)
        with console.capture() as captured:
            console.print(cross_table(standings(records), title="two games"))
        rows = [line.split() for line in captured.get().splitlines()]
        assert [row for row in rows if row and row[0] in "#12"] == [
            ["#", "player", "v", "1", "v", "2", "points", "win-draw-loss", "per", "move"],
            ["1", "a", "·", "1.5", "1.5", "1-1-0", "251", "ms"],
            ["2", "b", "0.5", "·", "0.5", "0-1-1", "–"],  # of a move that it never made it said "0 µs"
        ]

    def test_the_names_of_four_players_fit_into_80_columns(self) -> None:
        names = ["alphabeta(depth=4)", "mcts(simulations=100)", "dqn(demo/dqn)", "random"]
        pairs = list(combinations(names, 2))
        records = [
            GameRecord("connect_four", list(pair), [0], 0, outcome, "finished", [0.000123], [0], 1)
            for pair in pairs
            for outcome in ([1.0, -1.0], [0.0, 0.0], [1.0, -1.0])
        ]
        console = Console(width=80)
        with console.capture() as captured:
            console.print(cross_table(standings(31 * records)))
        lines = captured.get().splitlines()
        assert len(lines) == 5
        assert ".5" in lines[1]
        assert all(any(name in line for line in lines) for name in names)

    def test_units_of_three_players_fit_into_60_columns(self) -> None:
        names = ["alphabeta(depth=4)", "mcts(simulations=100)", "random"]
        records = [
            GameRecord("connect_four", list(pair), [0], 0, [1.0, -1.0], "finished", [0.00123], [0], 1)
            for pair in combinations(names, 2)
        ]
        console = Console(width=60)
        with console.capture() as captured:
            console.print(cross_table(standings(records)))
        lines = [line.rstrip() for line in captured.get().splitlines()]
        assert [line[-8:] for line in lines if line[:1] in "12"] == [" 1.23 ms", " 1.23 ms"]

    @pytest.mark.parametrize(("players", "room"), [(12, 80), (30, 80), (3, 34)])
    def test_of_many_players_all_columns_are_there_in_parts(self, players: int, room: int) -> None:
        """There were points of nobody: the columns of opponents left no room for names."""
        names = [f"player{number:02}" for number in range(players)]
        records = [
            GameRecord("connect_four", list(pair), [0], 0, [1.0, -1.0], "finished", [0.00123], [0], 1)
            for pair in combinations(names, 2)
        ]
        console = Console(width=room)
        with console.capture() as captured:
            console.print(cross_table(standings(records), title="a title"))
        lines = captured.get().splitlines()
        assert sum("a title" in line for line in lines) == 1
        heads = [line.split("player")[1] for line in lines if "#" in line]
        opponents = [f"v {number}" for number in range(1, players + 1)]
        assert " ".join(" ".join(heads).split()) == " ".join([*opponents, "points", "win-draw-loss", "per move"])
        for name in names:
            assert sum(name in line for line in lines) == len(heads) > 1

    def test_players(self) -> None:
        with pytest.raises(ValueError, match="it takes two players"):
            iter_match("connect_four", ["random"])
        with pytest.raises(ValueError, match="players must have different names"):
            iter_match("connect_four", ["random", "random", "mcts"], names=["a", "a", "b"])

    def test_three_of_the_same_name_get_numbers(self) -> None:
        records = iter_match("tictactoe", ["random", "minimax(depth=1)", "random", "random"], games=2)
        names = {name for record in records for name in record.players}
        assert names == {"random#1", "random#2", "random#3", "minimax(depth=1)"}

    def test_short_representations(self) -> None:
        line = standings(match("tictactoe", ["random", "minimax"], games=2, seed=0))[0]
        assert (
            repr(line)
            == f"<Standing: minimax, {line.total.points:g} of 2 points, {line.total.wins}-{line.total.draws}-0>"
        )
        assert line._repr_html_().startswith("<table><caption>minimax</caption><tr><th>against</th>")

    def test_scores(self) -> None:
        score = Score()
        for own, other in ((1, -1), (0, 0), (-1, 0)):
            score.add(own, other)
        assert (score.wins, score.draws, score.losses, score.points, score.games) == (1, 1, 1, 1.5, 3)

    def test_rates(self) -> None:
        assert [format_rate(rate) for rate in (1234, 1, 0.5)] == ["1.23e+03/s", "1/s", "30/min"]
        assert format_rate(0.25, " a second", " a minute") == "15 a minute"

    def test_times(self) -> None:
        assert [format_seconds(s) for s in (2.5, 0.0123, 4.56e-5)] == ["2.5 s", "12.3 ms", "45.6 µs"]
        assert [format_seconds(s) for s in (0.9997, 999.6, 3000, 123456)] == ["1 s", "1,000 s", "3,000 s", "123,000 s"]


class TestRecords:
    def test_round_trip(self, tmp_path: Path) -> None:
        records = match("tictactoe", ["random", "mcts(simulations=10)"], games=4)
        path = tmp_path / "games.jsonl"
        write_records(path, records[:2])
        write_records(path, records[2:])
        assert list(read_records(path)) == records
        for record in records:
            state = tictactoe().play_moves(record.moves)
            assert [tictactoe().utility(state, seat) for seat in (0, 1)] == record.outcome

    @pytest.mark.parametrize(
        ("outcome", "points"), [([1.0, -1.0], (1, 0)), ([-0.0, 0.0], (0.5, 0.5)), ([-36.0, 36.0], (0, 1))]
    )
    def test_points_are_those_of_ratings_and_tables(self, outcome: list[float], points: tuple[float, float]) -> None:
        record = GameRecord("othello", ["a", "b"], [], 0, outcome, "finished", [], [], None)
        assert record.points == points
        assert list(game_results([record])) == [("a", "b", points[0])]
        assert {line.name: line.total.points for line in standings([record])} == dict(zip("ab", points, strict=True))

    @pytest.mark.parametrize("line", ["{", "3", '{"game": "x"}', '{"game": "x\t"}'])
    def test_corrupt_line(self, tmp_path: Path, line: str) -> None:
        path = tmp_path / "games.jsonl"
        write_records(path, match("tictactoe", ["random", "random"], games=2))
        with path.open("a") as file:
            file.write(line + "\n")
        with pytest.raises(ValueError, match=r"games.jsonl, line 3: (?!.* at at )"):
            list(read_records(path))

    def test_interrupt_keeps_what_is_finished(self, tmp_path: Path) -> None:
        played = match("tictactoe", ["random", "random"], games=4)

        def interrupted() -> Any:
            yield from played[:3]
            raise KeyboardInterrupt

        path = tmp_path / "games.jsonl"
        assert play_with_progress(interrupted(), 4, path) == played[:3]
        assert list(read_records(path)) == played[:3]
        assert play_with_progress(interrupted(), 4) == played[:3]
        assert watch_games(interrupted(), 4, lambda record: None)
        assert not watch_games(iter(played), 4, lambda record: None)


def test_numpy_seeds_are_not_touched() -> None:
    np.random.seed(0)
    before = np.random.get_state()[1].copy()  # type: ignore[index, union-attr]
    match("connect_four", ["random", "mcts(simulations=10)"], games=2)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # type: ignore[index]
