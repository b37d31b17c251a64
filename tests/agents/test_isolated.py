"""Players in processes of their own: they play as without, and no fault of theirs is more than an error here."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest

from plyground.agents import MCTS, Analysis, Isolated, Mixture, Random, make, register_agent, registry
from plyground.agents.engines import EngineError
from plyground.agents.identity import file_hash, player_identity
from plyground.agents.isolation.child import Holder
from plyground.agents.isolation.process import MoveTime, PlayerError
from plyground.agents.timing import Allowance
from plyground.arena import TimeControl, play
from plyground.arena.referee.time_control import GameClock
from plyground.envs import BoardGameEnv, make_game
from plyground.envs.players import player_name
from tests.arena.test_arena import without_times
from tests.helpers.faulty_players import FAULTY
from tests.helpers.programs import ends, lives

GAME = make_game("tictactoe")
PATIENT = 120.0  # seconds: more than a busy machine takes for any answer
SEARCH = "mcts(simulations=20)"
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def seen(*moves: int) -> tuple[Any, Any]:
    env: Any = BoardGameEnv(GAME)
    env.reset(options={"moves": list(moves)})
    observation, _, _, _, info = env.last()
    return observation, info


def faulty(*arguments: str) -> Isolated:
    return Isolated(GAME, f"{FAULTY}({', '.join(arguments)})", answer_seconds=PATIENT)


def pid(agent: Isolated) -> int:
    assert agent._process is not None
    return agent._process._process.pid


@pytest.fixture(scope="module")
def search() -> Iterator[Isolated]:
    """A search in one process for all tests that leave it as it is."""
    agent = Isolated(GAME, SEARCH, answer_seconds=PATIENT)
    yield agent
    agent.close()


class TestGames:
    def test_are_the_same_as_without(self, search: Isolated) -> None:
        env = BoardGameEnv(GAME)
        pairs: list[list[Any]] = [[search, Random()], [MCTS(GAME, simulations=20), Random()]]
        for seed in range(3):
            apart, here = (play(env, pair, seed, names=["a", "b"], analyses=True) for pair in pairs)
            assert without_times([apart]) == without_times([here])
            assert apart.analyses is not None
            assert any(apart.analyses)
            assert apart.analyses == here.analyses

    def test_what_it_has_found_is_known(self, search: Isolated) -> None:
        search.reset(1)
        action = search.act(*seen(4))
        found = search.last_analysis
        assert isinstance(found, Analysis)
        assert found.best_action == action
        assert sum(found.visits.values()) > 0

    def test_nothing_is_known_of_a_game_that_begins(self, search: Isolated) -> None:
        search.reset(1)
        search.act(*seen(4))
        assert search.last_analysis is not None
        search.reset(2)
        assert search.last_analysis is None

    def test_a_copy_has_a_process_of_its_own(self, search: Isolated) -> None:
        search.reset(2)
        expected = search.act(*seen())
        for other in (copy.deepcopy(search), pickle.loads(pickle.dumps(search))):
            assert other._process is None
        other.reset(2)
        assert other.act(*seen()) == expected
        assert pid(other) != pid(search)
        other.close()

    def test_it_is_told_of_moves(self) -> None:
        agent = faulty("fault=count", "move=2")
        agent.reset(0)
        agent.watch(8)
        assert agent.act(*seen(8)) == 0
        agent.watch(0)
        agent.watch(7)
        assert agent.act(*seen(8, 0, 7)) == 3
        agent.close()


class TestFaults:
    @pytest.mark.parametrize(
        ("fault", "message"),
        [
            ("exit", r"has ended with exit code 7 when it was to move; the last line .* error: out of luck$"),
            ("fail", r"raised KeyError: 'no such move' \(faulty_players.py, line \d+\) when it was to move$"),
            ("crash", "was ended by SIGSEGV when it was to move$"),
            pytest.param("leave", r"raised SystemExit: 3 \(faulty_players.py, line", marks=pytest.mark.slow),
            pytest.param(
                "nonsense", "answered 3.5: expected an action, a whole number from 0 to 8$", marks=pytest.mark.slow
            ),
        ],
    )
    def test_is_an_error(self, fault: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
        agent = faulty(f"fault={fault}")
        agent.reset(0)
        number = pid(agent)
        with pytest.raises(EngineError, match=rf"^.*:Faulty\(fault={fault}\) {message}") as raised:
            agent.act(*seen())
        assert not lives(number)
        assert agent._process is None  # the next game begins with another one
        printed = capfd.readouterr()
        assert printed.out == ""
        if fault == "exit":
            assert "I give up\n" in printed.err
            assert "I give up\nout of luck" in str(raised.value.__cause__)
        elif fault == "fail":
            assert isinstance(raised.value, PlayerError)
            assert "in fail\n" in str(raised.value.__cause__)
            assert "Traceback" in str(raised.value.__cause__)

    @needs_proc
    def test_a_loop_that_lets_nobody_in_is_ended_with_its_children(self, tmp_path: Path) -> None:
        agent = faulty("fault=hang", "move=2", f"pids={str(tmp_path / 'pids')!r}")
        agent.act(*seen())
        agent.answer_seconds = 0.5
        with pytest.raises(EngineError, match=r"gave no answer in 0.5 s when it was to move$"):
            agent.act(*seen(0, 1))
        pids = [int(number) for number in (tmp_path / "pids").read_text().split()]
        assert len(pids) == 2
        assert all(ends(number) for number in pids)

    def test_ctrl_c_ends_the_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What it says later would answer no question."""
        agent = faulty()
        agent.reset(0)
        assert agent._process is not None
        number = pid(agent)

        def interrupted(deadline: float) -> bytes:
            raise KeyboardInterrupt

        monkeypatch.setattr(agent._process._channel, "receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            agent.act(*seen())
        assert agent._process is None
        assert not lives(number)

    @pytest.mark.slow
    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts all data")
    def test_memory_has_a_limit(self) -> None:
        agent = Isolated(GAME, f"{FAULTY}(fault=eat)", answer_seconds=PATIENT, memory_mb=4000)
        with pytest.raises(PlayerError, match="raised MemoryError"):
            agent.act(*seen())

    @needs_proc
    @pytest.mark.parametrize("is_closed", [True, pytest.param(False, marks=pytest.mark.slow)])
    def test_processes_end_with_the_player(self, is_closed: bool, tmp_path: Path) -> None:
        agent = faulty(f"pids={str(tmp_path / 'pids')!r}")
        assert agent.act(*seen(0)) == 1  # it may be asked without a reset, as in PettingZoo's loop
        pids = [int(number) for number in (tmp_path / "pids").read_text().split()]
        assert pids[0] == pid(agent)
        if is_closed:
            agent.close()
        else:
            del agent  # nobody refers to it any longer
        assert all(ends(number) for number in pids)

    @pytest.mark.slow
    @needs_proc
    def test_processes_end_with_the_process_that_asks_even_if_it_is_killed_while_they_hang(
        self, tmp_path: Path
    ) -> None:
        pids = tmp_path / "pids"
        program = (
            "from plyground.agents import Isolated; from plyground.envs import BoardGameEnv; "
            "env = BoardGameEnv('tictactoe'); env.reset(); observation, _, _, _, info = env.last(); "
            f"player = {f'{FAULTY}(fault=hang, pids={str(pids)!r})'!r}; "
            "Isolated('tictactoe', player, answer_seconds=1000).act(observation, info)"
        )
        with subprocess.Popen([sys.executable, "-c", program]) as asking:
            deadline = time.monotonic() + PATIENT
            while not (pids.exists() and len(pids.read_text().split()) == 2) and time.monotonic() < deadline:
                time.sleep(0.05)
            numbers = [int(number) for number in pids.read_text().split()]
            assert all(map(lives, numbers))
            asking.kill()
        assert all(ends(number) for number in numbers)


class TestMaking:
    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("isolated(mtcs(simulations=20))", "unknown agent 'mtcs': did you mean 'mcts'"),
            (
                "isolated(mcts(simulation=20))",
                "unknown argument 'simulation' of agent 'mcts': did you mean 'simulations'",
            ),
            ("isolated(mcts(simulations=2.5))", "simulations of agent 'mcts' must be a whole number, got 2.5"),
            ("isolated(./mine.py)", "is a file: say what in it is meant"),
            ("isolated(isolated(mtcs))", "unknown agent 'mtcs'"),
            ("isolated(mixture(random, mtcs))", "unknown agent 'mtcs'"),
            ("isolated(player=mtcs)", "unknown agent 'mtcs'"),
            ("isolated", "missing a required argument: 'player'; expected isolated"),
            ("isolated(human)", "a person cannot be isolated"),
            ("isolated(mixture(random, human))", "a person cannot be isolated"),
            ("isolated(3)", "expected a spec string such as .*, got 3"),
            ("isolated(random, answer_seconds=0)", "answer_seconds must be a number of seconds above 0, got 0"),
            ("isolated(random, answer_seconds=-1)", "answer_seconds must be a number of seconds above 0, got -1"),
            ("isolated(random, start_seconds=0)", "start_seconds must be a number of seconds above 0, got 0"),
            (
                "isolated(random, answer_seconds=long)",
                "answer_seconds of agent 'isolated' must be a number, got 'long'",
            ),
            ("isolated(random, memory_mb=0)", "memory_mb must be a whole number, at least 1, got 0"),
        ],
    )
    def test_refused_at_once(self, spec: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            make(spec, GAME)

    def test_a_file_may_be_called_as_a_person(self) -> None:
        for spec in ("network(human-run)", "mixture(random, alphazero(runs/human, 10))", "human.play:Human"):
            assert Isolated(GAME, spec).player == spec

    def test_players_that_cannot_be_sent_are_refused(self) -> None:
        locked = Random()
        locked.lock = threading.Lock()  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match=r"Random cannot be sent to a process of its own \(.*lock.*\): give"):
            Isolated(GAME, locked)
        with pytest.raises(ValueError, match="MCTS plays connect_four, expected a player of tictactoe"):
            Isolated(GAME, MCTS("connect_four"))

    @pytest.mark.parametrize(
        ("player", "error", "message"),
        [
            (f"{FAULTY}(falt=exit)", ValueError, "unknown argument 'falt'.*did you mean 'fault'"),
            pytest.param(f"{FAULTY.replace('.py', '_here.py')}", FileNotFoundError, "no file", marks=pytest.mark.slow),
            pytest.param("mcts(seconds=20)", ValueError, "takes 20 s for a move needs more", marks=pytest.mark.slow),
        ],
    )
    def test_what_only_its_process_finds_is_told_before_a_match(
        self, player: str, error: type[Exception], message: str
    ) -> None:
        agent = Isolated(GAME, player)
        with pytest.raises(error, match=message):
            agent.prepare()
        assert agent._process is None

    def test_names(self) -> None:
        agent = make(f"isolated({SEARCH}, answer_seconds=5)", GAME)
        assert isinstance(agent, Isolated)
        assert (agent.player, agent.answer_seconds, agent.memory_mb) == (SEARCH, 5.0, None)
        assert player_name(agent) == repr(agent) == f"isolated({SEARCH})"
        assert player_name(Isolated(GAME, Random())) == "isolated(Random)"
        mixed = make("mixture(isolated(random), isolated(mixture(random, mcts)))", GAME)
        assert isinstance(mixed, Mixture)
        assert [player_name(one) for one in mixed.agents] == ["isolated(random)", "isolated(mixture(random,mcts))"]

    def test_a_file_is_found_from_any_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        agent = Isolated(GAME, "./mine.py:player")
        assert agent.player == f"{tmp_path / 'mine.py'}:player"
        assert player_name(agent) == "isolated(./mine.py:player)"

    def test_what_it_is_for_stores(self) -> None:
        known = player_identity(f"isolated({FAULTY}(move=2), answer_seconds=5)", GAME)
        assert known["agent"] == "isolated"
        assert known["arguments"]["answer_seconds"] == 5
        inner = known["arguments"]["player"]
        file = FAULTY.removesuffix(":Faulty")
        assert (inner["agent"], inner["arguments"], inner["files"]) == (FAULTY, {"move": 2}, {file: file_hash(file)})
        of_object = player_identity(Isolated(GAME, SEARCH), GAME)
        assert of_object["spec"] == f"isolated({SEARCH})"
        assert of_object["arguments"]["player"] == player_identity(SEARCH, GAME)

    def test_names_of_this_script_are_known_there(self, registries: None, monkeypatch: pytest.MonkeyPatch) -> None:
        class Own(Random):
            def __init__(self, game: Any, worth: int = 0) -> None:
                super().__init__()
                self.worth = worth

        register_agent("own_kind", Own)
        parcel = Isolated(GAME, "mixture(own_kind(worth=3))")._parcel()
        monkeypatch.delitem(registry._constructors, "own_kind")
        holder = Holder()
        holder.make(parcel, 10.0, None)
        assert holder._player.agents[0].worth == 3


class Timed:
    """Notes what it is told of time."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds, self.told = seconds, list[Any]()

    def act(self, observation: Any, info: Any) -> int:
        self.told.append(self.seconds)
        return int(np.flatnonzero(observation["action_mask"])[0])


class Clocked(Timed):
    def set_clock(self, *clock: Any) -> None:
        self.told.append(clock)


class TestTime:
    def held(self, player: Any) -> Holder:
        holder = Holder()
        assert holder.make(cloudpickle.dumps((player, GAME, {})), 10.0, None) is False
        return holder

    def test_a_search_has_a_share_of_the_clock_and_never_all_of_the_limit(self) -> None:
        agent = Isolated(GAME, "mcts(seconds=1)", answer_seconds=2)
        clock = GameClock(TimeControl(1000), (agent, Random()))
        clock.give(0, 9)
        assert agent._time is not None
        assert agent._time.allowance == (1.8, 1.8)  # of 40 and more
        assert agent._time.clock == (1000, 1000, 0, 0)
        clock = GameClock(TimeControl(1.0, per_move=True), (agent, Random()))
        clock.give(0, 9)
        assert agent._time.allowance is not None
        assert agent._time.allowance.most == pytest.approx(1, abs=0.01)
        agent.take_time(None, None, False)
        assert agent._time is None
        assert agent._process is None

    @pytest.mark.parametrize(("own", "told"), [(None, 0.2), (5.0, 0.2), (0.1, 0.1)])
    def test_the_player_is_told_and_has_its_own_budget_afterwards(self, own: float | None, told: float) -> None:
        holder = self.held(Timed(own))
        holder.act(*seen(), MoveTime(Allowance(0.2, 0.8), (8.0, 9.0, 0.0, 0), False))
        holder.act(*seen(), None)
        assert holder._player.told == [told, own]

    def test_who_asks_for_the_clock_is_told_of_that(self) -> None:
        holder = self.held(Clocked(5.0))
        holder.act(*seen(), MoveTime(Allowance(0.2, 0.8), (8.0, 9.0, 0.5, 0), False))
        assert holder._player.told == [(8.0, 9.0, 0.5, 0), 5.0]

    def test_a_search_that_hears_is_ended_by_its_share(self) -> None:
        holder = self.held(MCTS(GAME, seconds=9.0))
        start = time.monotonic()
        answer, found = holder.act(*seen(), MoveTime(Allowance(0.02, 0.05), None, False))
        assert time.monotonic() - start < 8
        assert found.best_action == answer
        assert (holder._player.seconds, holder._player.listener) == (9.0, None)

    def test_the_time_of_a_processor_is_not_known(self) -> None:
        with pytest.raises(ValueError, match=r"time of 'isolated\(random\)' is not known: use a time without 'cpu'"):
            TimeControl.parse("1 cpu").check(Isolated(GAME, "random"))
