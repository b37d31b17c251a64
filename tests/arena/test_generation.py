"""Games to learn from: what is drawn, who made which move, and going on."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from plyground.agents import Random
from plyground.agents.engines import EngineError
from plyground.arena import GameRecord
from plyground.arena.cli.parts.generation import saved
from plyground.arena.formats import read_games
from plyground.arena.generation import check_first_games, default_plies, generate
from plyground.arena.store import tournaments_in
from plyground.envs import make_game
from tests.helpers.command_line import Run

GAME = "tictactoe"
OWN = """
import numpy as np


def first(observation, info):
    return int(np.argmax(info["action_mask"]))
"""


class Pickled(Random):
    """Counts how often it was pickled."""

    times = 0

    def __getstate__(self) -> dict[str, Any]:
        Pickled.times += 1
        return vars(self)


def test_games_depend_on_seed_and_number_alone() -> None:
    whole = list(generate(GAME, ["random", "minimax"], 6, 3, opening_plies=(0, 3), noise=0.3))
    rest = list(generate(GAME, ["random", "minimax"], 6, 3, opening_plies=(0, 3), noise=0.3, first=4))
    assert [(one.moves, one.players, one.seed, one.movers) for one in whole[4:]] == [
        (one.moves, one.players, one.seed, one.movers) for one in rest
    ]
    assert {one.opening for one in whole} > {0}
    assert len({tuple(one.players) for one in whole}) > 1
    check_first_games(GAME, ["random", "minimax"], 3, whole, opening_plies=(0, 3), noise=0.3)
    with pytest.raises(ValueError, match="game 1 of the file is none of these: its"):
        check_first_games(GAME, ["random", "minimax"], 4, whole)


@pytest.mark.slow
def test_games_of_a_few_plies_have_openings_of_fewer(run: Run, tmp_path: Path) -> None:
    """They were refused for an option that nobody had given."""
    out = tmp_path / "games.jsonl"
    run("generate", "mnk(m=2, n=3, k=2)", "random", "--games", "20", "--out", str(out))
    assert {record.opening for record in read_games(out)} <= {0, 1, 2, 3}


def test_openings_that_end_every_game_are_refused_before_anything_is_written(run: Run, tmp_path: Path) -> None:
    """Games were played without any, and nothing was said."""
    words = ("generate", GAME, "random", "--games", "2", "--out", str(tmp_path / "games.jsonl"), "--opening-plies")
    message = "found no open position of tictactoe after 9 random plies, for each of 1,000 random games was over by"
    for plies in ("9-9", "0-9"):
        error = " ".join(run(*words, plies, code=2)[1].split())
        assert f"{message} then: use fewer opening plies; 0 are always possible" in error
    assert not list(tmp_path.iterdir())
    for jobs in (1, 2):
        with pytest.raises(ValueError, match=message):
            generate(GAME, ["random"], 2, opening_plies=9, jobs=jobs)
    assert {record.opening for record in generate(GAME, ["random"], 3, opening_plies=(8, 8))} == {8}


def test_by_default_a_game_that_ends_at_once_has_no_opening() -> None:
    assert default_plies(make_game("mnk(m=1, n=2, k=1)")) == (0, 0)
    assert default_plies(make_game("tictactoe")) == (0, 4)
    assert default_plies(make_game("connect_four")) == (0, 8)


def test_nobody_made_the_moves_that_noise_drew() -> None:
    """A player that always takes the lowest cell: all its own moves are that, and -1 stands at the others."""

    def lowest(observation: object, info: dict[str, np.ndarray]) -> int:
        return int(np.flatnonzero(info["action_mask"])[0])

    game = make_game(GAME)
    records = list(generate(GAME, [lowest], 40, noise=0.4, opening_plies=(1, 2)))
    drawn = total = 0
    for record in records:
        state = game.new_state()
        assert record.movers[: record.opening] == [-1] * record.opening
        for ply, (move, mover) in enumerate(zip(record.moves, record.movers, strict=True)):
            if mover >= 0:
                assert mover == game.player(state) == ply % 2
                assert move == game.actions(state)[0]
            elif ply >= record.opening:
                drawn += 1
            total += ply >= record.opening
            game.play(state, move)
    assert 0.3 < drawn / total < 0.5


@pytest.mark.parametrize("game", [GAME, "go(board_size=5)"])  # in Go superko takes part in what can be drawn
def test_games_of_other_openings_or_noise_are_none_of_these(game: str) -> None:
    options: dict[str, Any] = {"opening_plies": (0, 3), "noise": 0.3}
    whole = list(generate(game, ["random"], 8, 3, **options))
    told = [replace(one, movers=[max(0, mover) for mover in one.movers]) for one in whole]  # as SGF tells them
    check_first_games(game, ["random"], 3, whole, **options)
    check_first_games(game, ["random"], 3, told, movers=False, **options)
    for changes, message in (
        ({"opening_plies": (1, 4)}, "its opening is .*, expected"),
        ({"noise": 0.9}, "its noise was another, expected 0.9"),
        ({"noise": 0.1}, "its noise was another, expected 0.1"),
        ({"noise": 0.0}, "its noise was another, expected 0"),
    ):
        with pytest.raises(ValueError, match=f"of the file is none of these: {message}"):
            check_first_games(game, ["random"], 3, whole, **{**options, **changes})
    with pytest.raises(ValueError, match="its noise was another"):
        check_first_games(game, ["random"], 3, told, movers=False, **{**options, "noise": 0.9})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": 1.0}, "noise must be a share"),
        ({"noise": "x"}, "noise must be a share, at least 0 and below 1, got 'x'"),
        ({"opening_plies": (3, 2)}, "opening_plies must be"),
        ({"opening_plies": "2"}, "opening_plies must be a whole number, or a pair .*, got '2'"),
        ({"opening_plies": (2,)}, "opening_plies must be a whole number, or a pair of the fewest and the most"),
        ({"first": -1}, "first must be a whole number, at least 0, got -1"),
        ({"jobs": 0}, "jobs must be"),
        ({"jobs": None}, "jobs must be a number of processes, .*, got None"),
        ({"jobs": "ray"}, "jobs must be a number of processes, .*, got 'ray'"),
    ],
)
def test_arguments_are_checked_before_anything_is_played(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generate(GAME, ["random"], 2, **options)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="give one player or more"):
        generate(GAME, [], 2)


@pytest.mark.parametrize("name", ["games.jsonl", "games.db"])
def test_the_command_goes_on_after_the_games_of_its_file(run: Run, tmp_path: Path, name: str) -> None:
    whole, parts = tmp_path / f"whole_{name}", tmp_path / name
    words = ("generate", GAME, "random", "--noise", "0.2", "--opening-plies", "0-2")
    assert "6 games" in run(*words, "--games", "6", "--out", str(whole))[0]
    run(*words, "--games", "2", "--out", str(parts))
    assert "has 2 games already" in run(*words, "--games", "6", "--out", str(parts), code=2)[1]
    run(*words, "--games", "6", "--out", str(parts), "--resume")
    moves = [(one.moves, one.movers) for one in read_games(whole)]
    assert len(moves) == 6
    assert [(one.moves, one.movers) for one in read_games(parts)] == moves
    assert "seed is" in run(*words, "--games", "8", "--seed", "1", "--out", str(parts), "--resume", code=2)[1]
    for other, told in ((("--noise", "0.9"), "its noise was another"), (("--opening-plies", "3"), "its opening is")):
        assert told in run(*words, *other, "--games", "8", "--out", str(parts), "--resume", code=2)[1]


def test_a_title_of_which_another_has_a_part_is_told_apart(run: Run, tmp_path: Path) -> None:
    words = ("generate", GAME, "random", "--games")
    for title in ("#more games", "#more", ""):  # "games" is what it is called where nothing is said
        run(*words, "1", "--out", f"{tmp_path / 'games.db'}{title}")
        run(*words, "2", "--out", f"{tmp_path / 'games.db'}{title}", "--resume")
    found = [(one.title, one.games) for one in tournaments_in(tmp_path / "games.db")]
    assert found == [("more games", 2), ("more", 2), ("games", 2)]


def test_gomoku_goes_into_sgf_and_a_player_of_nothing_is_told(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "games.sgf"
    words = ("generate", "gomoku(size=7)", "random", "--noise", "0.3", "--out", str(out))
    run(*words, "--games", "2")
    run(*words, "--games", "3", "--resume")
    assert "its opening is" in run(*words, "--games", "4", "--resume", "--opening-plies", "9-9", code=2)[1]
    assert len(list(read_games(out))) == 3
    for suffix, message in (("sgf", "SGF files hold go"), ("pdn", "PDN files hold checkers")):
        error = run("generate", GAME, "random", "--out", str(tmp_path / f"x.{suffix}"), code=2)[1]
        assert message in error
        assert "playing" not in error  # nothing is
    assert list(tmp_path.iterdir()) == [out]
    assert "unknown agent" in run("generate", GAME, "randon", "--out", str(tmp_path / "x.db"), code=2)[1]
    assert (
        "cannot read --opening-plies"
        in run("generate", GAME, "random", "--opening-plies", "a", "--out", str(tmp_path / "x.db"), code=2)[1]
    )
    assert not (tmp_path / "x.db").exists()


def test_a_game_that_was_cut_off_in_a_file_of_the_field_is_played_again(run: Run, tmp_path: Path) -> None:
    """As in JSON lines; it could not be gone on with."""
    out = tmp_path / "games.sgf"
    words = ("generate", "gomoku(size=7)", "random", "--games", "3", "--out", str(out))
    run(*words)
    whole = out.read_bytes()
    for end in (-3, -60):
        out.write_bytes(whole[:end])
        assert "cannot be read as SGF" in run(*words, code=2)[1]
        assert f"the last game of {out} is incomplete: it is taken away" in run(*words, "--resume")[1]
        assert out.read_bytes() == whole
    for damaged in (
        whole.replace(b";B[", b";X(", 1),
        whole[:-60].replace(b"yground", b"anybody").replace(b"YGROUND", b""),
    ):
        out.write_bytes(damaged)  # in another game than the last, or nobody knows whose it is
        run(*words, "--resume", code=2)
        assert out.read_bytes() == damaged


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_player_that_fails_loses_its_game_and_plays_no_more_when_it_does_so_too_often(
    jobs: int, caplog: pytest.LogCaptureFixture
) -> None:
    """The first error of a program ended it all, and again when it went on with that game."""

    def broken(observation: Any, info: Any) -> int:
        raise EngineError("out of memory")

    played = list[GameRecord]()
    with (
        joblib.parallel_config(backend="threading"),
        pytest.raises(EngineError, match="broken has failed in 3 games, "),
    ):
        played.extend(generate(GAME, [broken, "random"], 40, jobs=jobs))
    lost = [record for record in played if record.ending == "failed"]
    assert [record.loser for record in lost] == ["broken"] * 3
    assert played[-1] is lost[-1]
    assert len(caplog.messages) == 3
    assert caplog.messages[-1] == f"broken fails in game {len(played)}, and loses it: EngineError: out of memory"
    with pytest.raises(EngineError, match=r"^out of memory(\n|$)"):
        list(generate(GAME, [broken], 1, failures=()))


def test_a_file_of_the_field_takes_games_of_one_run(tmp_path: Path) -> None:
    out, records = tmp_path / "games.sgf", list(generate("gomoku(size=7)", ["random"], 2))
    saving = saved(out, iter(records), 0)
    next(saving)
    with pytest.raises(OSError, match=r"cannot write .*games\.sgf: another process adds games to it; play into"):
        next(saved(out, iter(records), 0))
    assert len(list(saving)) == 1
    assert len(list(read_games(out))) == 2
    assert len(list(saved(out, iter(records), 2))) == 2


def test_any_number_of_processes_plays_the_same_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    players = ["random", "./own.py:first"]
    alone = list(generate(GAME, players, 12, noise=0.2))
    beside = list(generate(GAME, players, 12, noise=0.2, jobs=2))
    assert [(one.moves, one.players) for one in alone] == [(one.moves, one.players) for one in beside]
    check_first_games(GAME, players, 0, beside, noise=0.2)


def test_players_are_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were pickled for every fourth game, and once more by who received them."""
    monkeypatch.setattr(Pickled, "times", 0)
    alone = list(generate(GAME, [Pickled()], 20))
    with joblib.parallel_config(backend="threading"):
        beside = list(generate(GAME, [Pickled()], 20, jobs=2))
    assert [one.moves for one in alone] == [one.moves for one in beside]
    assert Pickled.times == 2  # alone, to see whether it can be, and with the table


def test_players_that_cannot_be_pickled_are_named() -> None:
    class Locked(Random):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()

    with pytest.raises(ValueError, match=r"Locked cannot be sent to other processes \(.*lock.*\): play with jobs=1"):
        generate(GAME, [Locked()], 2, jobs=2)
