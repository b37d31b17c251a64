"""Many games side by side: the records of games that are played one by one."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pettingzoo.classic import connect_four_v3

from plyground.agents import MCTS, AlphaBeta, Random, make
from plyground.arena import GameRecord, iter_match, match, play, tournament
from plyground.arena import matches as matches_module
from plyground.arena.tournaments import bundles as bundles_module
from plyground.arena.tournaments.bundles import Bundle, Pace
from plyground.arena.tournaments.side_by_side import SideBySide, copies_of
from plyground.envs import GameBatch, as_game, make_game
from tests.arena.test_arena import without_times

SMALL = "connect_four(rows=4, columns=5)"


@pytest.fixture
def side_by_side(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let few games be enough; return the sizes of the bundles that were played side by side."""
    monkeypatch.setattr(matches_module, "MANY", 0)
    sizes: list[int] = []
    play = SideBySide.play

    def counted(self: SideBySide, bundle: Bundle) -> list[GameRecord]:
        sizes.append(len(bundle.seeds))
        return play(self, bundle)

    monkeypatch.setattr(SideBySide, "play", counted)
    return sizes


def test_each_pairing_has_a_pace_and_memory_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow pairing began with as many games as a quick one had come to; tables of all stayed until the end."""
    monkeypatch.setattr(matches_module, "MANY", 0)
    monkeypatch.setattr(bundles_module, "_AIM", math.inf)  # all are quick, however slow the machine is
    played: list[tuple[Any, int]] = []
    made: list[weakref.ref[SideBySide]] = []
    begin, play = SideBySide.__init__, SideBySide.play

    def counted(self: SideBySide, bundle: Bundle) -> list[GameRecord]:
        played.append((bundle.pairing, len(bundle.seeds)))
        assert sum(one() is not None for one in made) == 1
        return play(self, bundle)

    def noted(self: SideBySide, *arguments: Any) -> None:
        made.append(weakref.ref(self))
        begin(self, *arguments)

    monkeypatch.setattr(SideBySide, "play", counted)
    monkeypatch.setattr(SideBySide, "__init__", noted)
    match(SMALL, ["random", "alphabeta(depth=1)", "alphabeta(depth=2)"], 40)
    for pairing in {one for one, _ in played}:
        assert [games for one, games in played if one == pairing][:2] == [2, 4]
    assert {pairing for pairing, _ in played} == {(0, 1), (0, 2), (1, 2)}


def one_by_one(monkeypatch: pytest.MonkeyPatch, *arguments: Any, **options: Any) -> list[GameRecord]:
    with monkeypatch.context() as patch:
        patch.setattr(matches_module, "MANY", 10**9)
        return match(*arguments, **options)


def check(monkeypatch: pytest.MonkeyPatch, sizes: list[int], *arguments: Any, **options: Any) -> list[GameRecord]:
    """Play both ways, and return the records, which are the same."""
    expected = one_by_one(monkeypatch, *arguments, **options)
    assert not sizes
    found = match(*arguments, **options)
    assert sum(sizes) == len(found)
    assert without_times(found) == without_times(expected)
    for record in found:
        assert type(record.moves[0]) is int
        assert type(record.outcome[0]) is float
        assert (np.array(record.seconds[record.opening :]) > 0).all()
        assert record.seconds[: record.opening] == [0.0] * record.opening
        assert GameRecord.from_json(record.to_json()) == record
    return found


@pytest.mark.parametrize(
    ("game", "players"),
    [
        (SMALL, ["alphabeta(depth=2)", "random"]),
        (SMALL, ["random", "random"]),
        (SMALL, ["alphabeta(depth=5)", "mcts(simulations=20)"]),
        (SMALL, ["alphabeta(nodes=100)", "alphabeta(depth=4, aspiration=0.05, replacement='always')"]),
        ("tictactoe", ["mcts(simulations=20)", "random"]),
        pytest.param("othello", ["alphabeta(depth=3)", "mcts(simulations=10)"], marks=pytest.mark.slow),
        pytest.param("checkers", ["alphabeta(depth=4)", "random"], marks=pytest.mark.slow),
        pytest.param(
            "checkers", ["alphabeta(depth=2)", "mcts(simulations=10, repetitions=False)"], marks=pytest.mark.slow
        ),
        pytest.param("go(board_size=5)", ["alphabeta(depth=2)", "random"], marks=pytest.mark.slow),
        pytest.param("gomoku(size=7)", ["alphabeta(depth=2)", "random"], marks=pytest.mark.slow),
    ],
)
def test_records_are_those_of_one_by_one(
    game: str, players: list[str], side_by_side: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    records = check(monkeypatch, side_by_side, game, players, games=40, seed=3)
    assert max(side_by_side) > 2
    assert {record.game for record in records} == {as_game(game).source}


def test_records_are_those_of_pettingzoo(side_by_side: list[int]) -> None:
    found = match("connect_four", ["alphabeta(depth=2)", "random"], games=12, seed=5, opening_plies=0)
    assert side_by_side
    agents = {spec: make(spec, "connect_four") for spec in found[0].players}
    env = connect_four_v3.env()
    for record in found:
        again = play(env, [agents[name] for name in record.players], record.seed, names=record.players)
        assert without_times([replace(again, game=record.game)]) == without_times([record])


def test_openings_of_different_lengths(side_by_side: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    openings = [[], [2], [2, 2, 2, 2], [0, 1, 0]]
    check(monkeypatch, side_by_side, SMALL, ["alphabeta(depth=2)", "random"], games=8, openings=openings)


def test_other_ways_to_give_the_same_games(side_by_side: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = SMALL, ["alphabeta(depth=2)", "random"], 30, 2**40
    one = without_times(one_by_one(monkeypatch, *arguments))
    assert without_times(match(*arguments, jobs=2)) == one
    assert not side_by_side  # in this process
    for done in (1, 7, 29):
        after = match(SMALL, ["alphabeta(depth=2)", "random"], 30, 2**40)[:done]
        assert without_times(list(iter_match(*arguments, after=after))) == one[done:]


def test_who_plays_so_and_who_does_not(side_by_side: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    class Last(Random):
        """Plays otherwise than the class whose `copies` it has."""

        def act(self, observation: Any, info: Any = None) -> int:
            return int(np.flatnonzero(observation["action_mask"])[-1])

    game = make_game(SMALL)
    for agent in (Last(), MCTS(game, seconds=0.1), AlphaBeta(game, seconds=1), MCTS(game, 10, rave=5), "a function"):
        assert copies_of(agent) is None
    players = ["random", Last(), "alphabeta(depth=2)"]
    names = ["random", "last", "search"]
    found = tournament(game, players, games=8, names=names)
    assert sum(side_by_side) == 8  # those of the two others
    monkeypatch.setattr(matches_module, "MANY", 10**9)
    assert without_times(found) == without_times(tournament(game, players, games=8, names=names))


def test_one_agent_in_both_seats_is_asked_move_by_move(side_by_side: list[int]) -> None:
    agent = AlphaBeta(SMALL, depth=2)
    match(SMALL, [agent, agent], games=4)
    assert not side_by_side


@pytest.mark.parametrize("games", [998, 1000])
def test_few_games_are_not_worth_compiling(games: int, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Bundle] = []
    play = SideBySide.play
    monkeypatch.setattr(SideBySide, "play", lambda self, bundle: played.append(bundle) or play(self, bundle))
    assert next(iter_match("tictactoe", ["random", "random"], games)).seed is not None
    assert len(played) == (games == 1000)


def test_tables_of_a_search_fit_into_memory() -> None:
    game = as_game(SMALL)
    deep: Any = AlphaBeta(game, depth=8).copies()
    assert deep.most_games == 8  # of 16 megabytes each
    with pytest.raises(ValueError, match="expected at most 8 games, which have a table each, got 9"):
        deep.begin(GameBatch(game, 9), np.arange(9))
    shallow: Any = AlphaBeta(game, depth=2).copies()
    assert shallow.most_games > 10**9
    table = SideBySide(game, (AlphaBeta(game, depth=3, table_mb=64).copies(), Random().copies()), ["a", "b"])  # pyright: ignore[reportArgumentType]
    assert 8 <= table.most_games < 10**6


def test_a_bundle_that_fails_is_played_one_by_one(side_by_side: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = "tictactoe", ["random", "random"], 6
    expected = without_times(one_by_one(monkeypatch, *arguments))

    def fails(self: SideBySide, bundle: Bundle) -> list[GameRecord]:
        raise RuntimeError("no")

    monkeypatch.setattr(SideBySide, "play", fails)
    with pytest.raises(RuntimeError, match="no"):
        match(*arguments)
    assert without_times(match(*arguments, failures=RuntimeError)) == expected


def test_bundles_grow_while_they_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    pace = Pace()

    def sizes(seconds: float, count: int) -> Iterator[int]:
        for _ in range(count):
            pace.note(Bundle((0, 1), [], [], [0] * (2 * pace.size)), seconds)
            yield pace.size

    assert list(sizes(0.01, 4)) == [2, 4, 8, 16]
    assert list(sizes(0.5, 2)) == [16, 16]
    assert list(sizes(2.0, 6)) == [8, 4, 2, 1, 1, 1]
    assert list(sizes(0.0, 20))[-1] == bundles_module._MOST
    pace.note(Bundle((0, 1), [], [], [0]), 0.0)  # a short one says little
    assert pace.size == bundles_module._MOST
