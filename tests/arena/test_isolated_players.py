"""Players in processes of their own in matches: a fault costs a game, and too many end a player's tournament."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from plyground.agents import Isolated
from plyground.arena import match, play, tournament
from plyground.arena.referee import TimeControl
from plyground.envs import BoardGameEnv, SoloEnv, make_game
from tests.arena.test_arena import without_times
from tests.helpers.faulty_players import FAULTY

GAME = make_game("tictactoe")
PATIENT = 120.0


def test_who_fails_too_often_is_withdrawn_and_the_tournament_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    players = [f"isolated({FAULTY}(fault=exit), answer_seconds={PATIENT})", "random", "minimax(depth=1)"]
    with caplog.at_level(logging.WARNING, "plyground"):
        records = tournament(GAME, players, 4, seed=1, opening_plies=2, names=["faulty", "b", "c"], max_failures=2)
    failed = [record for record in records if record.ending == "failed"]
    assert [sorted(record.players) for record in records] == [["b", "faulty"]] * 2 + [["b", "c"]] * 4
    assert failed == records[:2]  # in a process each
    for record in failed:
        assert record.outcome[record.players.index("faulty")] == -1
        assert "has ended with exit code 7 when it was to move; the last" in str(record.reason)
    assert "faulty fails in game 1, and loses it: EngineError" in caplog.text
    assert "faulty has failed too often: it is withdrawn, and its other games are not played" in caplog.text


def test_an_illegal_move_loses_the_game_and_withdraws_nobody() -> None:
    agent = Isolated(GAME, f"{FAULTY}(fault=illegal)", answer_seconds=PATIENT)
    records = match(GAME, [agent, "random"], 4, opening_plies=2, max_failures=1)
    assert [record.ending for record in records] == ["illegal"] * 4
    env = SoloEnv(GAME, agent, seat="second")
    with pytest.raises(ValueError, match=r"isolated\(.*Faulty.* answered .* illegal"):
        env.reset(seed=0, options={"moves": [4, 0]})
    env.close()
    assert agent._process is None


@pytest.mark.slow
def test_a_match_on_a_clock() -> None:
    agent = Isolated("connect_four", "mcts(seconds=60)", answer_seconds=100)
    record = play(BoardGameEnv("connect_four"), [agent, "random"], 0, time=TimeControl(2, 0.05, margin=5))
    agent.close()
    assert record.ending == "finished"
    assert sum(record.seconds) > 0.2  # it has used its time


@pytest.mark.slow
def test_the_games_are_the_same_for_any_number_of_processes() -> None:
    agent = Isolated(GAME, "mcts(simulations=20)", answer_seconds=PATIENT)
    one, two, without = (
        without_times(match(GAME, [player, "random"], 6, seed=3, jobs=jobs, names=["search", "random"]))
        for player, jobs in ((agent, 1), (agent, 2), ("mcts(simulations=20)", 1))
    )
    agent.close()
    assert one == two == without


@pytest.mark.slow
def test_what_a_player_prints_is_no_result_of_a_command(tmp_path: Path) -> None:
    (tmp_path / "talker.py").write_text(
        "import os\n\n\ndef player(observation, info):\n    print('let me see')\n    os.system('echo and others')\n"
        "    return int(observation['action_mask'].argmax())\n"
    )
    player = "isolated(./talker.py:player)"
    command = [sys.executable, "-c", "from plyground.arena.cli import main; main()", "match", player, "random"]
    done = subprocess.run(
        [*command, "-g", "tictactoe", "--games", "2", "--json"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 2
    assert "let me see" in done.stderr
    assert "and others" in done.stderr
