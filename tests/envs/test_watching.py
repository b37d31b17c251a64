"""Opponents who must know the moves of a game, as programs do: they are told of all of them, and ended at last."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import Mixture
from plyground.agents.engines import Engine
from plyground.envs import BoardVectorEnv, Game, GameBatch, SeatBatch, SoloEnv, make_game
from plyground.envs.vector.followed import FollowedBatch
from tests.envs.test_seats import some_actions
from tests.envs.test_state_dicts import legal_moves

GO = make_game("go(board_size=5, komi=0.5)")
OTHELLO = make_game("othello(size=4)")  # in which players pass
LINE = ["A1", "B1", "C1", "D1", "E1", "A2", "B2", "C2", "D2", "E2"]  # longer than anybody guesses from positions


class Follower:
    """Plays at random, and holds the moves that it is told of against the positions that it is shown."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.asked = 0

    def reset(self, seed: int | None = None) -> None:
        self.rng, self.moves = np.random.default_rng(seed), []

    def watch(self, action: int) -> None:
        self.moves.append(action)

    def act(self, observation: Any, info: Any = None) -> int:
        assert self.game.play_moves(self.moves) == info["state"]
        self.asked += 1
        return int(self.rng.choice(np.flatnonzero(observation["action_mask"])))


def told(log: Path) -> list[str]:
    """Return the moves that a program was told, and the colours of those that it was asked for."""
    return [line.split()[-1] for line in log.read_text().splitlines() if line.startswith(("play", "genmove"))]


def start(game: Game) -> dict[str, Any]:
    return {"moves": game.actions(game.new_state())[:1]}


class TestMoves:
    def test_of_a_single_game(self, rng: np.random.Generator) -> None:
        agent = Follower(OTHELLO)
        env = SoloEnv(OTHELLO, Mixture(OTHELLO, agent), "random", opening_plies=(1, 6))
        for seed in range(20):
            _, info = env.reset(seed=seed, options=start(OTHELLO) if seed % 2 else None)
            over = False
            while not over:
                _, _, over, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            assert OTHELLO.play_moves(agent.moves) == info["state"]  # the last one, too
        assert agent.asked > 50

    @pytest.mark.parametrize("games", [1, 3])
    @pytest.mark.parametrize("mixed", [False, True])
    def test_of_many(self, games: int, mixed: bool, rng: np.random.Generator) -> None:
        agent = Follower(OTHELLO)
        opponent = Mixture(OTHELLO, "random", agent) if mixed else agent
        seats = SeatBatch(OTHELLO, games, opponent, opening_plies=(1, 6), threads=2, seed=1)
        assert isinstance(seats.batch, FollowedBatch)
        for options in (None, start(OTHELLO)):
            seats.reset(options=options)
            for _ in range(40):
                seats.step(some_actions(seats.masks, rng, illegal=0.03))
        opponents: Any = seats.opponents.members[1] if mixed else seats.opponents  # pyright: ignore[reportAttributeAccessIssue]
        assert sum(one.asked for one in opponents._copies.values()) > 10

    def test_go_on_elsewhere(self, rng: np.random.Generator) -> None:
        one, other = (SeatBatch(OTHELLO, 4, Follower(OTHELLO), opening_plies=3, seed=seed) for seed in (1, 2))
        one.reset()
        for _ in range(7):
            one.step(legal_moves(one, rng))
        state = one.state_dict()
        other.load_state_dict(state)
        assert other.batch.moves == one.batch.moves  # pyright: ignore[reportAttributeAccessIssue]
        for _ in range(20):
            other.step(legal_moves(other, rng))
        for counts in (np.array([-1, 1, 0, 0]), np.zeros(4, np.int64)):
            with pytest.raises(ValueError, match=r"moves in games of .*: was it changed\?"):
                other.load_state_dict({**state, "batch": {**state["batch"], "moves.counts": counts}})
        with pytest.raises(ValueError, match="no 'moves': its games were against opponents who are not"):
            other.load_state_dict(SeatBatch(OTHELLO, 4, "random").state_dict())

    def test_are_kept_only_for_those_who_need_them(self) -> None:
        assert type(SeatBatch(OTHELLO, 2, "random").batch) is GameBatch
        assert type(SeatBatch(OTHELLO, 2, "mixture(random, minimax(depth=1))").batch) is GameBatch


class TestPrograms:
    @pytest.fixture
    def engine(self, engine_script: str, tmp_path: Path) -> Iterator[Any]:
        """Starts scripted programs, which pass after the moves that they are given, and ends them."""
        started: list[Engine] = []

        def begin(*moves: str, log: bool = False) -> Engine:
            arguments = f"'{','.join(moves)}' {tmp_path / 'log' if log else ''}"
            started.append(Engine(GO, f"{engine_script} {arguments}"))
            return started[-1]

        yield begin
        for one in started:
            one.close()

    def test_are_told_of_a_long_opening(self, engine: Any, rng: np.random.Generator) -> None:
        """Nobody told them, and no moves were found that lead to the first position that they were shown."""
        solo = SoloEnv(GO, engine(), "first", opening_plies=(8, 9))
        _, info = solo.reset(seed=1)
        many = BoardVectorEnv(GO, 2, engine(), "first", opening_plies=(8, 9))
        many.reset(seed=1)
        for _ in range(3):
            board = info["action_mask"][:-1]  # two passes would end the game
            _, _, _, _, info = solo.step(int(rng.choice(np.flatnonzero(board))))
            many.step(some_actions(many.action_masks()[:, :-1], rng))
        solo.close()
        many.close()

    @pytest.mark.parametrize("kind", [SoloEnv, BoardVectorEnv])
    def test_are_told_of_the_moves_as_they_were_made(self, engine: Any, tmp_path: Path, kind: Any) -> None:
        env: Any = kind(GO, opponent=engine("D3", "PASS", log=True), seat="first")
        env.reset(options={"moves": LINE})
        actions = [GO.str_to_action(name) for name in ("A3", "B3")]
        for action in actions:
            env.step(action if kind is SoloEnv else [action])
        env.close()
        assert told(tmp_path / "log") == [*LINE, "A3", "white", "B3", "white"]

    def test_are_told_of_what_leads_to_a_start_without_moves(self, engine: Any, tmp_path: Path) -> None:
        env = SoloEnv(GO, engine("D3", log=True), "first")
        env.reset(options={"state": GO.play_moves(["A1", "B1"])})
        for name in ("A3", "B3"):
            env.step(GO.str_to_action(name))
        env.close()
        assert sorted(told(tmp_path / "log")) == ["A1", "A3", "B1", "B3", "white", "white"]

    def test_end_with_the_environment(self, engine: Any) -> None:
        agent = engine()
        solo = SoloEnv(GO, Mixture(GO, agent), "first")
        solo.reset(seed=0)
        assert agent.client.is_running
        solo.close()
        assert not agent.client.is_running
        solo.reset(seed=0)  # which starts another
        assert agent.client.is_running
        solo.close()

    @pytest.mark.parametrize("kind", ["gymnasium", "stable_baselines"])
    @pytest.mark.parametrize("mixed", [False, True])
    def test_end_with_the_environments_of_many_games(self, engine: Any, kind: str, mixed: bool) -> None:
        agent = engine()
        opponent = Mixture(GO, agent) if mixed else agent
        if kind == "gymnasium":
            env: Any = BoardVectorEnv(GO, 2, opponent, threads=2)
        else:
            pytest.importorskip("stable_baselines3")
            from plyground.envs.vector.stable_baselines import BoardVecEnv

            env = BoardVecEnv(GO, 2, opponent, threads=2)
        assert not agent.client.is_running  # its copies play
        env.reset()
        opponents = env.seats.opponents.members[0] if mixed else env.seats.opponents
        copies = list(opponents._copies.values())
        assert [one.client.is_running for one in copies] == [True, True]
        env.close()
        assert not any(one.client.is_running for one in copies)
        assert env.seats.batch._pieces._pool is None
        env.reset()  # which starts others
        assert [one.client.is_running for one in copies] == [True, True]
        saved = env.state_dict()
        env.close()
        assert not any(one.client.is_running for one in copies)
        env.load_state_dict(saved)  # as does that
        copies = list(opponents._copies.values())
        assert [one.client.is_running for one in copies] == [True, True]
        env.close()
        assert not any(one.client.is_running for one in copies)

    def test_of_a_batch_of_one_game_is_the_agents_own(self, engine: Any) -> None:
        agent = engine()
        seats = SeatBatch(GO, 1, agent)
        assert agent.client.is_running
        seats.reset()
        seats.close()
        assert not agent.client.is_running


def test_a_batch_closes_an_agent_once() -> None:
    class Door:
        closed = 0

        def act(self, observation: Any, info: Any) -> int:
            return int(np.flatnonzero(info["action_mask"])[0])

        def close(self) -> None:
            self.closed += 1

    door = Door()
    seats = SeatBatch(OTHELLO, 1, door)
    seats.reset()
    seats.close()
    assert door.closed == 1


def test_an_environment_that_could_not_be_made_is_closed_in_silence() -> None:
    """Older Gymnasiums do it where the object is deleted."""
    BoardVectorEnv.__new__(BoardVectorEnv).close()


def test_a_batch_without_its_threads_goes_on() -> None:
    one, other = (SeatBatch("connect_four", 5, "mcts(simulations=5)", threads=2, seed=3) for _ in range(2))
    for seats in (one, other):
        seats.reset()
    one.close()
    for _ in range(10):
        actions = one.masks.argmax(axis=1)
        assert (one.step(actions)[0] == other.step(actions)[0]).all()


def test_moves_of_a_state_are_actions_of_the_game() -> None:
    """Programs were told of others, and only then was it seen."""
    batch = FollowedBatch("tictactoe", 2, seed=0)
    batch.play(np.arange(2), [4, 8])
    saved = batch.state_dict()
    for wrong in (-1, 9):
        with pytest.raises(ValueError, match=r"moves of the state must be actions of tictactoe, 0 to 8, got"):
            batch.load_state_dict({**saved, "moves": np.array([4, wrong])})
        np.testing.assert_equal(batch.state_dict(), saved)
    batch.load_state_dict(saved)
    assert batch.moves == {0: [4], 1: [8]}
