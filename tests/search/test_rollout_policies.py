"""Rollout policies: a game's own and learned ones, in rollouts and in the tree."""

from __future__ import annotations

import errno
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, PUCT, make
from plyground.agents.mcts import LinearPolicy
from plyground.agents.mcts.policies import Policy, policy_action, policy_rollout
from plyground.envs import Game, Knowledge, tictactoe
from plyground.envs.jit import kernel
from plyground.envs.jit.prng import new_rng

_legal_actions = tictactoe().legal_actions


def _lowest(state: Any, last: int, before: int, actions: Any, rng: Any) -> int:
    _legal_actions(state, actions)
    return actions[0]


def _features(state: Any, last: int, before: int, actions: Any, features: Any) -> int:
    """Slot 0: the cell. Slot 1: whether it comes right after the last action, or after the one before, or neither."""
    count = _legal_actions(state, actions)
    for i in range(count):
        features[i, 0] = actions[i]
        features[i, 1] = 9 + (1 if actions[i] == last + 1 else 2 if actions[i] == before + 1 else 0)
    return count


def _game() -> Game:
    return tictactoe().replace(knowledge=Knowledge(action=_lowest, local_features=_features, slots=2, num_weights=12))


@kernel
def _drawn(game, state, last, before, policy, actions, rng):
    return policy_action(game, state, last, before, policy, actions, rng)


@kernel
def _rolled(game, state, last, before, policy, actions, rng):
    return policy_rollout(game, state, last, before, policy, actions, rng)


def _share(game: Game, state: Any, last: int, before: int, policy: Policy, draws: int) -> np.ndarray:
    actions, rng, counts = np.zeros(9, np.int32), new_rng(0), np.zeros(9)
    for _ in range(draws):
        counts[_drawn(game, state, last, before, policy, actions, rng)] += 1
    return counts / draws


def test_probabilities_are_softmax_of_the_sums_of_weights() -> None:
    game, weights = _game(), np.random.default_rng(0).normal(size=12)
    policy, state = LinearPolicy(game, weights), game.play_moves([4, 0])
    scores = {a: weights[a] + weights[10 if a == 1 else 11 if a == 5 else 9] for a in (1, 2, 3, 5, 6, 7, 8)}
    total = sum(np.exp(score) for score in scores.values())
    expected = np.array([np.exp(scores[a]) / total if a in scores else 0 for a in range(9)])
    assert policy.probabilities(state, last=0, before=4) == pytest.approx(expected, rel=1e-5)


def test_drawn_as_often_as_they_are_probable() -> None:
    game, weights = _game(), np.random.default_rng(1).normal(size=12)
    policy, state = LinearPolicy(game, weights), game.play_moves([4, 0])
    share = _share(game, state, 0, 4, Policy(linear=policy.for_kernel()), 4000)
    assert share == pytest.approx(policy.probabilities(state, 0, 4), abs=0.04)


def test_the_games_own_moves_make_the_rollout() -> None:
    game = _game()
    state = game.play_moves([0])
    assert _rolled(game, state, 0, -1, Policy(heavy=True), np.zeros(9, np.int32), new_rng(0)) == 6
    assert state == game.play_moves([0, 1, 2, 3, 4, 5, 6])  # in order, until 2 4 6 is a row


def test_the_actions_before_are_those_of_the_rollout() -> None:
    game = _game()
    weights = np.zeros(12)
    weights[10] = 50  # always right after the last action, if that is free
    state = game.play_moves([0])
    _rolled(
        game, state, 0, -1, Policy(linear=LinearPolicy(game, weights).for_kernel()), np.zeros(9, np.int32), new_rng(0)
    )
    assert state == game.play_moves([0, 1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("extra", [{}, pytest.param({"rave": 300, "fpu": 1.0, "solver": True}, marks=pytest.mark.slow)])
def test_inside_the_search(extra: dict[str, Any], tmp_path: Path) -> None:
    game = _game()
    policy = LinearPolicy(game, np.random.default_rng(2).normal(size=12))
    policy.save(tmp_path / "policy.npz")
    by_file = make(f"mcts(simulations=300, seed=3, rollout='{tmp_path}/policy.npz')", game)
    assert isinstance(by_file, MCTS)
    state = game.play_moves([4])
    for rollout in ("heavy", policy):
        agent = MCTS(game, 300, seed=3, rollout=rollout, **extra)
        found = agent.analyse(state)
        agent.reset(seed=3)
        twin = pickle.loads(pickle.dumps(agent))
        assert agent.analyse(state).values == found.values == twin.analyse(state).values
        # Of the same rules without what the game knows, by kernels that others compile: random moves are the same.
        assert found.values != MCTS(tictactoe(), 300, seed=3, **extra).analyse(state).values
        assert agent.batched() is None  # a batch would roll out at random
    if not extra:
        assert by_file.analyse(state).values == found.values


class TestErrors:
    def test_a_game_without_rules_for_it(self) -> None:
        with pytest.raises(ValueError, match="rollout must be 'random' or 'greedy' in tictactoe"):
            MCTS("tictactoe", rollout="heavy")
        with pytest.raises(ValueError, match="tictactoe has no local features"):
            LinearPolicy("tictactoe")

    def test_puct_has_no_greedy_rollouts(self) -> None:
        """They were random ones, without a word."""
        with pytest.raises(ValueError, match=r"rollout must be 'random', 'heavy', or a linear policy .* got 'greedy'"):
            PUCT("tictactoe", 2, rollout="greedy")
        with pytest.raises(ValueError, match="rollout must be 'random' in tictactoe, which has no heavy rollouts"):
            PUCT("tictactoe", 2, rollout="heavy")

    @pytest.mark.parametrize("rollout", ["heavily", 3, "policy.npy"])
    def test_no_such_policy(self, rollout: Any) -> None:
        with pytest.raises(ValueError, match="rollout must be 'random', 'greedy', 'heavy', or a linear policy"):
            MCTS(_game(), rollout=rollout)

    def test_weights(self) -> None:
        for weights in (np.zeros(11), np.full(12, np.nan), np.full(12, 1e300)):
            with pytest.raises(ValueError, match="must be 12 finite numbers"):
                LinearPolicy(_game(), weights)

    @pytest.mark.parametrize("sign", [1, -1])
    def test_weights_whose_odds_would_be_no_numbers(self, sign: int) -> None:
        """All probabilities were nan, and rollouts played the last candidate always."""
        game = _game()
        with pytest.raises(ValueError, match=r"must be 12 finite numbers from -350 to 350, beyond .*, got array"):
            LinearPolicy(game, np.full(12, sign * 350.1))
        largest = LinearPolicy(game, np.full(12, sign * 350.0))
        assert largest.probabilities(game.new_state()) == pytest.approx(np.full(9, 1 / 9))

    def test_a_full_disk_leaves_no_part_of_a_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(file: Any, **arrays: Any) -> None:
            file.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(np, "savez_compressed", full)
        with pytest.raises(OSError, match="No space left"):
            LinearPolicy(_game()).save(tmp_path / "policy.npz")
        assert not list(tmp_path.iterdir())

    def test_files(self, tmp_path: Path) -> None:
        weights = np.random.default_rng(0).normal(size=12).astype(np.float32)
        LinearPolicy(_game(), weights).save(tmp_path / "policy.npz")
        with pytest.raises(ValueError, match="policy of tictactoe with 12 weights, and connect_four has"):
            LinearPolicy.load(tmp_path / "policy.npz", "connect_four")
        with pytest.raises(FileNotFoundError, match=r"^no rollout policy '.*': expected a file"):
            MCTS(_game(), rollout=str(tmp_path / "none.npz"))
        whole, refused = (tmp_path / "policy.npz").read_bytes(), 0
        for place in range(len(whole)):  # zlib and zipfile have errors of their own
            (tmp_path / "bad.npz").write_bytes(whole[:place] + bytes([whole[place] ^ 8]) + whole[place + 1 :])
            try:
                read = LinearPolicy.load(tmp_path / "bad.npz", _game())
            except ValueError:
                refused += 1
            else:
                np.testing.assert_array_equal(read.weights, weights)
        assert refused > len(whole) / 2
        far = LinearPolicy(_game())
        far.weights[:] = 1000
        far.save(tmp_path / "far.npz")
        with pytest.raises(
            ValueError, match=r"far.npz is no file of a linear rollout policy: the weights of tictactoe"
        ):
            LinearPolicy.load(tmp_path / "far.npz", _game())
        for content in (b"", b"no archive"):
            (tmp_path / "bad.npz").write_bytes(content)
            with pytest.raises(ValueError, match=r"bad.npz is no file of a linear rollout policy"):
                MCTS(_game(), rollout=str(tmp_path / "bad.npz"))

    def test_the_empty_file_of_a_game_without_local_features(self, tmp_path: Path) -> None:
        (tmp_path / "model.npz").touch()
        with pytest.raises(ValueError, match=r"model\.npz is empty: tictactoe has no local features, so its"):
            make(f"mcts(rollout='{tmp_path / 'model.npz'}')", tictactoe())
