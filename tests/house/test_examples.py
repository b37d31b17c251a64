"""The three families of learning, each in its example: whether it runs with a small budget, and what can be checked."""

from __future__ import annotations

import itertools
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

from plyground.arena import evaluate
from tests.helpers.example_files import load

pytestmark = pytest.mark.slow


def check_scores(example: Any, scores: dict[str, float]) -> None:
    assert tuple(scores) == example.LADDER
    assert all(0 <= score <= 1 for score in scores.values())


class Leftmost:
    """Plays the first legal action, always."""

    def reset(self, seed: int | None = None) -> None:
        pass

    def act(self, observation: Any, info: Any = None) -> int:
        return int(observation["action_mask"].argmax())


def test_reinforce_learns_to_beat_a_simple_player(monkeypatch: pytest.MonkeyPatch) -> None:
    example, player = load("reinforce"), Leftmost()
    monkeypatch.setattr(example, "OPPONENTS", player)
    monkeypatch.setattr(example, "LADDER", (player,))
    untrained, trained = (example.main(updates, num_envs=64, games=100)[player] for updates in (0, 60))
    assert untrained < 0.6 < 0.75 < trained


def test_reinforce_takes_one_whole_game_from_each_row() -> None:
    example = load("reinforce")
    import torch

    envs: Any = gymnasium.make_vec(
        "plyground/TicTacToe-v0", num_envs=50, opponent="random", seat="first", autoreset_mode="SameStep"
    )
    envs.reset(seed=3)
    torch.manual_seed(3)
    moves = example.play_games(envs, example.network(18, 9))
    assert moves.masks.gather(1, moves.actions[:, None]).all()
    stones = moves.planes.sum(1)
    # The first player moves when 0, 2, 4, … stones are on the board: each game has one move on the empty one.
    counts = [int((stones == number).sum()) for number in range(10)]
    assert counts[0] == counts[2] == counts[4] == 50
    assert counts[1::2] == [0] * 5
    assert 50 > counts[6] > counts[8] > 0
    assert set(moves.returns.tolist()) == {-1.0, 0.0, 1.0}
    # A drawn game is played to the full board.
    assert (moves.returns[stones == 8] >= 0).all()
    # The same games, and one result for all moves of each.
    sums = {moves.returns[stones == number].sum().item() for number in (0, 2, 4)}
    assert len(sums) == 1


@pytest.mark.parametrize("name", ["dqn", "actor_critic", "reinforce", "network_search"])
def test_an_odd_number_of_games_is_refused_before_the_training(name: str) -> None:
    pytest.importorskip("sb3_contrib")
    with pytest.raises(ValueError, match="games must be even"):
        load(name).main(games=3)


def test_the_value_based_example_runs() -> None:
    example = load("dqn")
    check_scores(example, example.main(steps=2000, num_envs=8, games=2))


def test_the_actor_critic_example_runs() -> None:
    example = load("actor_critic")
    scores = example.main(steps=600, num_envs=8, games=2)
    assert tuple(scores) == ("MaskablePPO", "A2C")
    for of_one in scores.values():
        check_scores(example, of_one)


def test_the_example_of_a_network_inside_a_search_runs() -> None:
    example = load("network_search", "sb3_contrib")
    assert 0 <= example.main(seconds=0.0, num_envs=4, simulations=20, games=2) <= 1


def test_the_alphazero_example_runs_and_keeps_its_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example, file = load("alphazero", "torch"), tmp_path / "az.safetensors"
    example.LEARN_AFTER = example.WINDOW = 500
    compiled: list[str] = []
    monkeypatch.setattr(example, "compiling", lambda what, game: nullcontext(compiled.append(what)))
    kept = example.main(minutes=0.1, num_envs=16, simulations=4, network="tiny", out=file)
    assert 0 < kept <= 1
    assert f"saved {file}\n" in capsys.readouterr().out
    assert compiled == ["self-play"]  # it was silent meanwhile
    found = evaluate(f"network({str(file)!r})", example.GAME, ladder="none").grades
    assert found is not None
    assert found.total.preserving.share == pytest.approx(kept, abs=0.01)  # sums in another order, in other batches

    def move(play: Any, net: Any) -> None:
        raise AssertionError("it trains first")

    monkeypatch.setattr(example.SelfPlay, "move", move)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        example.main(num_envs=1, simulations=4, network="tiny", out=tmp_path / "none" / "az.safetensors")


def test_alphazero_learns_each_sample_as_often_with_few_games_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a round left over was forgotten: with two games nearly all."""
    example = load("alphazero", "torch")
    example.LEARN_AFTER, example.BATCH = 50, 128
    ticks = itertools.count()
    monkeypatch.setattr(example, "time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))  # a round a second
    made: list[Any] = []
    for name in ("Learner", "Memory"):
        kind = getattr(example, name)
        monkeypatch.setattr(example, name, lambda *given, kind=kind: made.append(kind(*given)) or made[-1])
    example.main(minutes=0.5, num_envs=2, simulations=2, network="mlp2x8")
    learner, memory = made
    assert 0 < learner.steps == 4 * memory.total // 128


def test_alphazero_learns_from_its_games() -> None:
    """With a number of steps, not with a time: what it has learned does not depend on the machine."""
    example = load("alphazero", "torch")
    example.WINDOW = 20_000
    game, positions = example.make_game(example.GAME), example.committed_positions(example.GAME)
    learner, memory = example.Learner(game, "tiny", 0), example.Memory(game, np.random.default_rng(0))
    play, net = example.SelfPlay(game, 64, 16, 0), example.make_inference(learner.average, "torch")
    before = example.value_kept(net, positions)
    for _ in range(60):
        for samples in play.move(net):
            memory.add(samples)
    losses = np.array([learner.learn(memory.draw()) for _ in range(300)])
    net.update(learner.average)
    first, last = losses[:20].mean(axis=0), losses[-20:].mean(axis=0)  # of the policy and of the value
    assert last[0] < first[0] - 0.1
    assert last[1] < first[1] / 2
    assert example.value_kept(net, positions) > before


def test_the_result_of_a_game_reaches_back_to_what_a_search_proved() -> None:
    """The second player wins, and the search proved the last position but one."""
    example = load("alphazero", "torch")
    play = example.SelfPlay(example.make_game(example.GAME), 1, 4, 0)
    play.counts[0] = 4
    play.players[0, :4] = [0, 1, 0, 1]
    play.samples.values[0, :4] = [0.5, 0.0, -1.0, 1.0]
    play.proved[0, 2] = True
    assert play.finished(0, 1.0).values.tolist() == [-0.25, 0.5, -1.0, 0.0]


@pytest.mark.parametrize("name", ["dqn", "actor_critic"])
def test_time_ends_the_training(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    example = load(name)
    example.main(steps=10**9, num_envs=4, seconds=0.0, games=2)
    assert "mean reward" not in capsys.readouterr().out
