"""What an error leaves of a forest: trees that begin anew, and no thread that still writes into them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from plyground.agents import PUCT
from plyground.agents.puct.forest import Forest
from plyground.envs import tictactoe
from tests.helpers.forest_games import answers

GAME = tictactoe()


def _ctrl_c() -> bool:
    raise KeyboardInterrupt


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_ctrl_c_leaves_no_noise_behind(root: Any) -> None:
    """The noise of a search that was cut off stayed in the priors of a root that was kept."""
    trees = Forest(GAME, 1, simulations=16, root=root, noise=0.25, noise_alpha=0.3, proofs=False, seed=0)
    trees.search(GAME.initial, answers)
    clean = trees.trees.edges["prior"][0, :9].tolist()
    with pytest.raises(KeyboardInterrupt):
        trees.search(GAME.initial, answers, interrupted=_ctrl_c)
    trees.search(GAME.initial, answers)
    assert trees.trees.edges["prior"][0, :9].tolist() == clean


@pytest.mark.parametrize("step", ["begin_puct", "select_puct", "absorb", "finish_puct"])
def test_an_error_at_any_step_lets_these_trees_begin_anew(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trees = Forest(GAME, 2, simulations=4, root="puct", seed=0)
    trees.search(GAME.initial.repeat(2), answers)
    run = trees._run

    def fails(kernel: Any, count: int, *arguments: Any) -> None:
        run(kernel, count, *arguments)
        if kernel.__name__ == step:
            raise MemoryError

    monkeypatch.setattr(trees, "_run", fails)
    with pytest.raises(MemoryError):
        trees.search(GAME.initial, answers, rows=trees._searched(None, 1))
    assert trees.trees.rows["nodes"][0] == 0
    assert trees.trees.rows["nodes"][1] > 0  # it was not searched


def test_after_an_error_no_thread_goes_on() -> None:
    trees, busy, others = Forest(GAME, 2, simulations=4, threads=2, seed=0), threading.Event(), list[str]()

    def part(game: Any, arrays: Any, first: int, last: int) -> None:
        if first == 0:
            assert busy.wait(60)
            raise RuntimeError("the first part")
        busy.set()
        time.sleep(0.2)
        others.append("has written")

    work: Callable[..., Any] = part
    trees._bound[work, ()] = work
    with pytest.raises(RuntimeError, match="the first part"):
        trees._run(work, 2)
    assert others == ["has written"]


@pytest.mark.parametrize("answer", [None, np.zeros((1, 9)), (np.zeros((1, 9)), np.zeros(1), 3)])
def test_an_answer_that_is_no_pair_is_told(answer: Any) -> None:
    trees = Forest(GAME, 1, simulations=4, seed=0)
    with pytest.raises(
        ValueError, match=r"^the evaluator must return two arrays, logits \(1, 9\) and values \(1,\), got"
    ):
        trees.search(GAME.initial, lambda planes, masks: answer)


@pytest.mark.parametrize("answer", [("a", "b"), ([[1] * 9, [1] * 8], [0, 0]), (None, {})])
def test_an_answer_that_is_no_numbers_is_told(answer: Any) -> None:
    with pytest.raises(ValueError, match=r"^the evaluator must return numbers, logits \(1, 9\) and values"):
        Forest(GAME, 1, simulations=4, seed=0).search(GAME.initial, lambda planes, masks: answer)
    with pytest.raises(ValueError, match=r"^the evaluator must return numbers, priors \(1, 9\) and values"):
        PUCT(GAME, 4, evaluator=lambda states: answer).evaluate(GAME.initial)


def test_what_is_no_array_or_no_switch_is_told() -> None:
    states: Any = [GAME.new_state()]
    with pytest.raises(ValueError, match=r"^positions of tictactoe are an array"):
        Forest(GAME, 1, simulations=4, seed=0).search(states, answers)
    wrong: Any = "no"
    with pytest.raises(ValueError, match=r"^proofs must be True or False, got 'no'"):
        Forest(GAME, 1, proofs=wrong)
