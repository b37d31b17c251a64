"""What a tournament plays, keeps and counts, game by game, in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import Random
from plyground.arena import GameRecord, iter_match, match, read_records
from plyground.arena.tournaments import allocation
from plyground.arena.tournaments.schedules import Outcome
from tests.arena.test_arena import without_times

GAME = "tictactoe"


class Interrupted(Random):
    """Is interrupted in its second game, as by Ctrl-C."""

    def __init__(self) -> None:
        super().__init__()
        self.games = 0

    def reset(self, seed: int | None = None) -> None:
        super().reset(seed)
        self.games += 1
        if self.games == 2:
            raise KeyboardInterrupt


def test_a_game_of_a_pair_is_kept_and_given_on_before_the_other_is_played(tmp_path: Path) -> None:
    path, players = tmp_path / "games.db", [Interrupted(), "random"]
    given: list[GameRecord] = []
    with pytest.raises(KeyboardInterrupt):
        given.extend(iter_match(GAME, players, 4, store=path))
    kept = list(read_records(path))
    assert len(kept) == 1
    assert without_times(given) == without_times(kept)
    whole = match(GAME, players, 4, store=path, resume=True)
    assert without_times(whole[:1]) == without_times(kept)
    assert without_times(list(read_records(path))) == without_times(whole) == without_times(match(GAME, players, 4))


@pytest.mark.parametrize("store", [True, False])
def test_who_is_withdrawn_plays_no_more(store: bool, tmp_path: Path) -> None:
    """It played the second game of the pair, which did not count."""
    calls: list[Any] = []

    def failing(observation: Any, info: Any) -> int:
        calls.append(observation)
        raise ConnectionResetError

    path = tmp_path / "games.db" if store else None
    assert len(match(GAME, ["random", failing], 8, failures=Exception, store=path)) == 3
    assert len(calls) == 3


def test_a_pairing_that_ended_early_does_not_say_how_many_games_one_has(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, chosen = list[float](), allocation._chosen

    def noting(points: np.ndarray, playing: list[int], count: int, games: float) -> list[tuple[int, int]]:
        expected.append(games)
        return chosen(points, playing, count, games)

    monkeypatch.setattr(allocation, "_chosen", noting)
    schedule = allocation.bandit(4, 6)
    (withdrawn, _), _ = next(schedule)
    schedule.send(Outcome([(0.0, 1.0), (1.5, 2.5)], {withdrawn}))
    assert expected == [2.0, 4.0]
