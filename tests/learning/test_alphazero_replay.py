"""Samples of self-play on disk: packing, shards that survive, the window, weights, symmetries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.arena.training.alphazero.config import AlphaZeroConfig
from plyground.arena.training.alphazero.replay import ReplayBuffer
from plyground.arena.training.alphazero.samples import new_samples, pack, sample_dtype, unpack_masks, unpack_planes
from plyground.arena.training.alphazero.shards import DamagedSamplesError
from plyground.envs import make_game

GAME = make_game("tictactoe")


def numbered(first: int, count: int) -> NDArray[Any]:
    """Return samples whose numbers stand in their field ``game``, and, as a value, in ``value``."""
    samples = new_samples(GAME, count)
    samples["game"] = samples["value"] = np.arange(first, first + count)
    return samples


def everything(total: int) -> int:
    return total


def buffer(folder: Path, **options: Any) -> ReplayBuffer:
    return ReplayBuffer(folder / "replay", GAME, **{"window": everything, "shard_size": 10, **options})


@pytest.mark.parametrize("spec", ["tictactoe", "connect_four", "go(board_size=5)"])
def test_planes_and_masks_come_back_from_their_bits(spec: str) -> None:
    game, rng = make_game(spec), np.random.default_rng(0)
    planes = rng.integers(0, 2, (3, *game.observation_shape)).astype(game.observation_dtype)
    masks = rng.random((3, game.num_actions)) < 0.5
    samples = new_samples(game, 3)
    pack(game, samples, planes, masks)
    np.testing.assert_array_equal(unpack_planes(game, samples), planes)
    np.testing.assert_array_equal(unpack_masks(game, samples), masks)


def test_planes_of_larger_numbers_are_kept_as_they_are() -> None:
    game = make_game("tictactoe").replace(observation_high=5)
    planes = np.random.default_rng(0).integers(0, 6, (2, *game.observation_shape)).astype(game.observation_dtype)
    samples = np.zeros(2, sample_dtype.__wrapped__(game))
    pack(game, samples, planes, np.ones((2, 9), bool))
    np.testing.assert_array_equal(unpack_planes(game, samples), planes)


def test_owners_turn_with_the_board(tmp_path: Path) -> None:
    game, rng = make_game("go(board_size=3)"), np.random.default_rng(0)
    samples, planes = new_samples(game, 50), rng.random((50, *game.observation_shape)) < 0.3
    pack(game, samples, planes, np.ones((50, game.num_actions)))
    samples["owners"] = planes[..., 0].reshape(50, 9)
    one = ReplayBuffer(tmp_path / "replay", game, everything)
    one.append(samples)
    drawn = one.sample(64, rng, symmetry=True)
    np.testing.assert_array_equal(drawn.owners, drawn.planes[..., 0].reshape(64, 9))


def test_what_is_drawn_does_not_depend_on_where_shards_end(tmp_path: Path) -> None:
    one, other = buffer(tmp_path, shard_size=1000), ReplayBuffer(tmp_path / "other", GAME, everything, shard_size=7)
    for first in range(0, 60, 6):
        one.append(numbered(first, 6))
        other.append(numbered(first, 6))
    drawn = [some.sample(64, np.random.default_rng(1), symmetry=True) for some in (one, other)]
    for left, right in zip(*drawn, strict=True):
        np.testing.assert_array_equal(left, right)


def test_the_next_process_finds_whole_shards_and_forgets_the_rest(tmp_path: Path) -> None:
    first = buffer(tmp_path)
    first.append(numbered(0, 10))
    first.append(numbered(10, 4))  # they wait in memory
    (tmp_path / "replay" / "shard_000000010.samples.partial").write_bytes(b"half")
    second = buffer(tmp_path)
    assert second.total == 10
    assert set(second.sample(200, np.random.default_rng(0)).values) == set(range(10))
    assert sorted(path.name for path in (tmp_path / "replay").iterdir()) == ["index.json", "shard_000000000.samples"]


def test_going_back_removes_later_samples(tmp_path: Path) -> None:
    one = buffer(tmp_path)
    one.append(numbered(0, 4))
    state = one.state_dict()
    one.append(numbered(4, 20))
    one.flush()
    assert one.total == 24
    other = buffer(tmp_path)
    other.load_state_dict(state)
    assert (other.total, len(other)) == (4, 4)
    other.append(numbered(100, 3))
    other.flush()
    assert buffer(tmp_path).total == 7


def test_a_damaged_shard_is_refused(tmp_path: Path) -> None:
    buffer(tmp_path).append(numbered(0, 10))
    path = tmp_path / "replay" / "shard_000000000.samples"
    content = bytearray(path.read_bytes())
    content[5] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is damaged: its checksum"):
        buffer(tmp_path)
    path.write_bytes(content[:-1])
    with pytest.raises(ValueError, match="another length"):
        buffer(tmp_path)
    index = tmp_path / "replay" / "index.json"
    index.write_text(json.dumps({"dtype": "[]", "shards": []}))
    with pytest.raises(ValueError, match="of another kind"):
        buffer(tmp_path)
    index.write_text("{")
    with pytest.raises(ValueError, match="no index of samples"):
        buffer(tmp_path)


def test_what_no_state_asks_for_is_not_read(tmp_path: Path) -> None:
    one = buffer(tmp_path)
    one.append(numbered(0, 10))
    state = one.state_dict()
    one.append(numbered(10, 10))
    damaged = tmp_path / "replay" / "shard_000000010.samples"
    damaged.write_bytes(b"")
    other = buffer(tmp_path, load=False)
    assert (other.total, damaged.exists()) == (0, True)
    with pytest.raises(DamagedSamplesError, match="another length") as told:
        other.load_state_dict({"total": 20})
    assert told.value.whole == 10
    other.load_state_dict(state)
    assert (other.total, damaged.exists()) == (10, False)
    third = buffer(tmp_path, load=False)  # which begins anew
    third.append(numbered(100, 10))
    np.testing.assert_array_equal(buffer(tmp_path).newest(99)["value"], np.arange(100, 110))


def test_the_window_grows_and_old_shards_are_dropped(tmp_path: Path) -> None:
    config = AlphaZeroConfig("tictactoe", window=20, window_growth=0.5)
    one = buffer(tmp_path, window=config.window_of)
    for first in range(0, 100, 5):
        one.append(numbered(first, 5))
    # 20 (1 + 0.5 (5^0.75 - 1) / 0.75) = 51.25
    assert len(one) == 51
    drawn = one.sample(2000, np.random.default_rng(0))
    assert set(drawn.values) == set(range(49, 100))
    one.drop_before(100)
    assert len(list((tmp_path / "replay").glob("shard_*"))) == 6  # from 40 on
    for left, right in zip(drawn, one.sample(2000, np.random.default_rng(0)), strict=True):
        np.testing.assert_array_equal(left, right)
    other = buffer(tmp_path, window=config.window_of)
    assert (other.total, len(other)) == (100, 51)
    np.testing.assert_array_equal(other.sample(2000, np.random.default_rng(0)).values, drawn.values)
    other.append(numbered(100, 10))
    assert set(other.sample(4000, np.random.default_rng(0)).values) == set(range(110 - len(other), 110))


def test_shards_that_cannot_be_removed_yet_go_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows removes no file that is still mapped, and the run ended."""
    one = buffer(tmp_path, window=lambda total: min(total, 20))

    def refuse(path: Path) -> None:
        raise PermissionError(13, "The process cannot access the file because it is being used", str(path))

    def shards() -> list[int]:
        return sorted(int(path.stem.removeprefix("shard_")) for path in (tmp_path / "replay").glob("shard_*"))

    for first in range(0, 40, 10):
        one.append(numbered(first, 10))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        one.drop_before(30)
        np.testing.assert_array_equal(buffer(tmp_path).newest(99)["value"], np.arange(10, 40))
    assert shards() == [0, 10, 20, 30]
    one.drop_before(40)
    assert shards() == [20, 30]
    np.testing.assert_array_equal(one.newest(99)["value"], np.arange(20, 40))


def test_samples_are_drawn_by_weight(tmp_path: Path) -> None:
    samples = numbered(0, 3)
    samples["weight"] = 0.0, 1.0, 3.0
    one = buffer(tmp_path)
    one.append(samples)
    values = one.sample(4000, np.random.default_rng(0)).values
    assert set(values) == {1.0, 2.0}
    assert abs((values == 2).mean() - 0.75) < 0.03
    samples["weight"] = -1
    with pytest.raises(ValueError, match="weight of a sample"):
        one.append(samples)


def test_samples_none_of_which_weighs_anything_are_drawn_evenly(tmp_path: Path) -> None:
    """As where all weight is by surprise, and the window has last moves alone; the run had ended with an error."""
    samples = numbered(0, 3)
    samples["weight"] = 1.0, 0.0, 0.0
    one = buffer(tmp_path, window=lambda total: 2)
    one.append(samples)
    values = one.sample(400, np.random.default_rng(0)).values
    assert set(values) == {1.0, 2.0}
    assert abs((values == 2).mean() - 0.5) < 0.1


def test_symmetries_turn_board_mask_and_policy_alike(tmp_path: Path) -> None:
    samples = new_samples(GAME, 1)
    planes = np.zeros((1, 3, 3, 2), np.int8)
    planes[0, 0, 0, 0] = planes[0, 2, 0, 1] = 1  # cell 0 and cell 6 (PettingZoo's cells count by columns or by rows)
    state = GAME.state_from_observation(planes[0])
    masks = np.isin(np.arange(9), GAME.actions(state))[None]
    pack(GAME, samples, planes, masks)
    samples["policy"] = masks / masks.sum()
    one = buffer(tmp_path)
    one.append(samples)
    batch = one.sample(50, np.random.default_rng(0), symmetry=True)
    assert len({image.tobytes() for image in batch.planes}) == 8
    for image, mask, policy in zip(batch.planes, batch.masks, batch.policies, strict=True):
        legal = GAME.actions(GAME.state_from_observation(image.astype(np.int8)))
        assert np.flatnonzero(mask).tolist() == legal == np.flatnonzero(policy).tolist()


def test_an_empty_buffer_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no samples to draw"):
        buffer(tmp_path).sample(1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="expected samples of"):
        buffer(tmp_path).append(np.zeros(3))
