"""Opponents of a batch who fail, or are interrupted: no game goes on that they do not know of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.envs import Opponents, SeatBatch, SoloEnv


def test_games_in_which_the_opponent_fails_must_begin_anew() -> None:
    """The learner's next action was played as the opponent's."""
    calls = iter([[0, 0], [1, 99], [1, 1]])
    seats = SeatBatch("connect_four", 2, lambda observations, masks: np.array(next(calls)), "first")
    seats.reset()
    seats.step([3, 3])
    with pytest.raises(ValueError, match="action 99 is illegal in game 1"):
        seats.step([3, 3])
    assert seats.over.all()
    assert seats.masks.all()
    with pytest.raises(ValueError, match=r"no game .* in row 0: call reset\(\)"):
        seats.step([6, 6])
    seats.reset()
    seats.step([6, 6])
    assert (seats.batch.plies == 2).all()


def test_games_that_the_opponent_could_not_begin_are_none() -> None:
    class Late(Opponents):
        begun = 0

        def begin(self, batch: Any, rows: Any) -> None:
            self.begun += 1
            if self.begun == 2:
                raise RuntimeError("not now")

        def act(self, batch: Any, rows: Any) -> Any:
            return np.array([batch.masks[row].argmax() for row in rows])

        def end(self, batch: Any, rows: Any, rewards: Any) -> None:
            pass

    seats = SeatBatch("connect_four", 2, Late(), "first")
    seats.reset()
    with pytest.raises(RuntimeError, match="not now"):
        seats.reset()
    assert seats.over.all()
    with pytest.raises(ValueError, match=r"no game .* in row 0: call reset\(\)"):
        seats.step([3, 3])
    seats.reset()
    seats.step([3, 3])


def test_games_whose_end_the_opponent_cannot_bear_must_begin_anew() -> None:
    """They were left with the masks of finished games, in which there may be no action."""

    class Sore(Opponents):
        def begin(self, batch: Any, rows: Any) -> None:
            pass

        def act(self, batch: Any, rows: Any) -> Any:
            return np.array([batch.masks[row].argmax() for row in rows])

        def end(self, batch: Any, rows: Any, rewards: Any) -> None:
            raise RuntimeError("not fair")

    seats = SeatBatch("tictactoe", 2, Sore(), "first")
    seats.reset()
    for actions in ([0, 4], [3, 8]):
        seats.step(actions)
    with pytest.raises(RuntimeError, match="not fair"):
        seats.step([6, 2])
    assert seats.over.tolist() == [True, False]
    assert seats.masks[0].all()
    with pytest.raises(ValueError, match=r"no game .* in row 0: call reset\(\)"):
        seats.step([0], rows=np.array([0]))
    seats.step([7], rows=np.array([1]))
    seats.reset(rows=np.array([0]))
    seats.step([0], rows=np.array([0]))


def test_games_in_other_rows_outlast_an_opponent_who_is_interrupted() -> None:
    calls = iter([KeyboardInterrupt(), [1]])

    def reply(observations: Any, masks: Any) -> Any:
        answer = next(calls)
        if isinstance(answer, KeyboardInterrupt):
            raise answer
        return np.array(answer)

    seats = SeatBatch("connect_four", 2, reply, "first")
    seats.reset()
    with pytest.raises(KeyboardInterrupt):
        seats.step([3], rows=np.array([1]))
    assert seats.over.tolist() == [False, True]
    seats.step([3], rows=np.array([0]))
    assert seats.batch.plies[0] == 2


@pytest.mark.parametrize(("written", "answer"), [(0, 0), (1, 1)])
def test_an_answer_is_held_against_the_rules_not_against_a_mask_that_the_opponent_has_changed(
    written: int, answer: int
) -> None:
    """A legal answer was refused, and an illegal one was said to be that of ``player_0``."""

    def scribbler(observation: Any, info: Any) -> int:
        info["action_mask"][:] = written
        info["state"]["stones"][:] = 0
        return answer

    env = SoloEnv("tictactoe", opponent=scribbler, seat="second")
    if written == 0:
        env.reset(seed=0)
        assert env.action_masks()[answer] == 0
    else:
        with pytest.raises(ValueError, match="scribbler answered 1, which is illegal"):
            env.reset(seed=0, options={"moves": [1, 2]})
