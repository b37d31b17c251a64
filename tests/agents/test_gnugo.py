"""GNU Go as a player: how it is told of our rules, and that the same seed gives the same games."""

from __future__ import annotations

import shutil

import pytest

from plyground.agents import make
from plyground.agents.engines import gnugo, gnugo_command
from plyground.arena import match
from plyground.envs import make_game
from tests.helpers.programs import needs_gnu_go

GAME = make_game("go(board_size=5, komi=0.5)")


def test_is_told_of_our_rules_and_the_level() -> None:
    for superko, option in (("positional", "positional-superko"), ("situational", "situational-superko")):
        assert f"--{option} --forbid-suicide" in gnugo_command(make_game(f"go(superko={superko!r})"), 3)
    assert gnugo_command(make_game("go(superko='simple')"), 3).split()[4:] == [
        *("--simple-ko", "--forbid-suicide", "--capture-all-dead", "--level", "3")
    ]


def test_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="GNU Go plays Go, got othello"):
        make("gnugo", "othello")
    for level in (0, 11):
        with pytest.raises(ValueError, match=f"level must be a whole number, from 1 to 10, got {level}"):
            make(f"gnugo(level={level})", GAME)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(FileNotFoundError, match="GNU Go is not installed: apt-get install gnugo"):
        make("gnugo", GAME)


@needs_gnu_go
@pytest.mark.slow
def test_plays_the_same_game_again_with_the_same_seed() -> None:
    players = ["gnugo(level=1)", "random"]
    games = [match(GAME, players, 2, seed=5, opening_plies=0) for _ in range(2)]
    assert [record.moves for record in games[0]] == [record.moves for record in games[1]]
    assert all(record.ending == "finished" for record in games[0])
    assert [record.loser for record in games[0]] == ["random"] * 2


@needs_gnu_go
@pytest.mark.slow
def test_a_game_does_not_depend_on_those_before() -> None:
    # It was told of the seed before the new board, for which it draws random numbers, more or fewer of them.
    agent = gnugo(GAME, level=1)

    def moves(seed: int) -> list[str]:
        agent.reset(seed)
        return [agent.client.ask(f"genmove {colour}") for colour in ("black", "white") * 6]

    first, _, again = [moves(seed) for seed in (0, 1, 0)]
    agent.close()
    assert again == first
