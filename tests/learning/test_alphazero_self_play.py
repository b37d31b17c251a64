"""Self-play: what its samples say of the games, and that it goes on exactly."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents import Minimax
from plyground.agents.puct.forest import EvaluationCache
from plyground.arena.training.alphazero.config import AlphaZeroConfig
from plyground.arena.training.alphazero.samples import UNPROVED, unpack_masks, unpack_planes
from plyground.arena.training.alphazero.self_play import SelfPlay
from plyground.envs import Game, GameBatch, make_game
from tests.helpers.coin import COIN

GAME = make_game("tictactoe")


def uniform(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return np.zeros(masks.shape, np.float32), np.zeros(len(masks), np.float32)


def self_play(seed: int = 0, **changes: Any) -> SelfPlay:
    settings = {"num_envs": 24, "simulations": 12, "opening_plies": 3, **changes}
    return SelfPlay(GAME, AlphaZeroConfig("tictactoe", **settings), seed)


def test_samples_are_the_positions_of_whole_games() -> None:
    samples = self_play().play(uniform, 10)
    assert len(samples) > 24
    for number in np.unique(samples["game"]):
        game = samples[samples["game"] == number]
        assert (np.diff(game["ply"]) == 1).all()
        assert (game["plies_left"] == np.arange(len(game), 0, -1)).all()
        stones = unpack_planes(GAME, game).reshape(len(game), -1).sum(1)
        assert (stones == stones[0] + np.arange(len(game))).all()
        assert (unpack_masks(GAME, game).sum(1) == 9 - stones).all()
    assert not samples["policy"][~unpack_masks(GAME, samples)].any()
    np.testing.assert_allclose(samples["policy"].sum(1), 1, atol=2e-3)


def go(**changes: Any) -> SelfPlay:
    game = make_game("go(board_size=2)")
    settings = {"num_envs": 8, "simulations": 60, "opening_plies": 0, **changes}
    return SelfPlay(game, AlphaZeroConfig(game.spec, **settings), 0)


@pytest.mark.slow
@pytest.mark.parametrize(("given", "first"), [(None, 1), (2, 2), (0, 0)])
def test_nobody_passes_before_its_time(given: int | None, first: int) -> None:
    def tired(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        logits, values = uniform(planes, masks)
        logits[:, -1] = 20
        return logits, values

    play = go(pass_after=given, simulations=8, proofs=False)
    samples = play.play(tired, 10)
    masks, early = unpack_masks(play.game, samples), samples["ply"] < first
    assert not samples["policy"][early, -1].any()
    assert not masks[early, -1].any()
    assert masks[~early, -1].all()
    assert samples["policy"][samples["ply"] == first, -1].min() > 0


def test_a_game_that_shows_no_board_has_no_pass() -> None:
    game = Game(**COIN, owners=lambda state: np.zeros(1, np.int8))
    config = AlphaZeroConfig("coin", network="mlp", num_envs=2)
    assert SelfPlay(game, config, seed=0)._masks().tolist() == [[1, 1], [1, 1]]


def test_who_can_only_pass_may() -> None:
    play = go(pass_after=4)
    play.batch.masks[0, :-1] = 0
    masks = play._masks()
    assert masks[0].tolist() == [0, 0, 0, 0, 1]
    assert masks[1].tolist() == [1, 1, 1, 1, 0]
    assert play.batch.masks[1].tolist() == [1] * 5  # the game's own stay what they are


@pytest.mark.slow
def test_a_loss_without_passing_proves_nothing() -> None:
    play = go(pass_after=99)
    samples = play.play(uniform, 40)
    might_not = ~unpack_masks(play.game, samples)[:, -1]
    assert (samples["proved"][~might_not] == -1).any()
    assert (samples["proved"][might_not] == 1).any()
    assert np.isin(samples["proved"][might_not], (1, UNPROVED)).all()


def test_proved_results_are_those_of_minimax_and_reach_back() -> None:
    samples = self_play(simulations=60).play(uniform, 10)
    minimax = Minimax(GAME)
    proved = samples[samples["proved"] != UNPROVED]
    assert len(proved) > 30
    for sample in proved:
        state = GAME.state_from_observation(unpack_planes(GAME, np.array([sample]))[0])
        assert minimax.analyse(state).value == sample["proved"] == sample["result"]
    for number in np.unique(samples["game"]):
        game = samples[samples["game"] == number]
        first = int((game["proved"] != UNPROVED).argmax())
        sign = np.where((np.arange(len(game)) - first) % 2 == 0, 1, -1)
        assert (game["result"][: first + 1] == (sign * game["result"][first])[: first + 1]).all()


def test_proved_results_that_are_graded_keep_their_number() -> None:
    play = self_play(simulations=60)
    play.forest._gumbel = play.forest._gumbel._replace(largest=2.0)  # as if more could be won
    samples = play.play(uniform, 10)
    proved = samples[samples["proved"] != UNPROVED]
    assert (proved["value"] == 0.5).any()
    assert (proved["value"] == proved["result"]).all()
    assert (proved["value"] == 0.5 * proved["proved"]).all()


def test_results_without_proofs_are_those_of_the_games() -> None:
    play, ended = self_play(proofs=False, num_envs=1), 0
    batch: GameBatch = play.batch
    for _ in range(40):
        samples = play.play(uniform, 1)
        if len(samples):
            ended += 1
            last = samples[-1]
            assert last["plies_left"] == 1
            assert abs(last["result"]) == batch.rewards.max()
            assert (samples["proved"] == UNPROVED).all()
    assert ended > 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", ["othello(size=4)", pytest.param("go(board_size=3, komi=0.5)", marks=pytest.mark.slow)]
)
def test_whose_cells_are_at_the_end(spec: str) -> None:
    game = make_game(spec)
    config = AlphaZeroConfig(
        spec, num_envs=4, simulations=4, opening_plies=2, proofs=False, full_share=0.6, cheap_simulations=2
    )
    samples = SelfPlay(game, config, 0).play(uniform, 40)
    assert np.unique(samples["game"]).size > 3
    for number in np.unique(samples["game"]):
        one = samples[samples["game"] == number]
        if spec.startswith("go"):  # 0.5 points decide; the first player shows no plane of ones
            won_by = one["owners"].sum(1) - 0.5 * np.where(unpack_planes(game, one)[:, 0, 0, -1] == 0, 1, -1)
        else:
            won_by = one["owners"].sum(1)
        assert (np.sign(won_by) == one["result"]).all()
        assert len({tuple(owners * sign) for owners in one["owners"] for sign in (1, -1)}) <= 2


def test_full_and_cheap_searches_and_weights_by_surprise() -> None:
    """Cheap searches play, without noise; positions of full ones alone are learned (Wu 2019, section 3.1)."""
    play = self_play(full_share=0.5, cheap_simulations=2, surprise_share=0.5)
    search = play.forest.search

    def watched(*arguments: Any, simulations: NDArray[np.int64], noisy: NDArray[np.bool_], **more: Any) -> Any:
        assert (simulations == np.where(noisy, 12, 2)).all()
        return search(*arguments, simulations=simulations, noisy=noisy, **more)

    play.forest.search = watched  # type: ignore[method-assign]
    samples = play.play(uniform, 12)
    assert samples["full"].all()
    first = np.unique(samples["game"], return_index=True)[1]
    assert 0.4 < len(samples) / samples["plies_left"][first].sum() < 0.8
    assert play.stats.moves == 24 * 12
    assert play.stats.simulations < 24 * 12 * 9
    assert samples["weight"].min() == 0.5
    np.testing.assert_allclose(samples["weight"].mean(), 1, atol=0.05)


def test_results_are_those_of_games_in_which_cheap_searches_played() -> None:
    samples = self_play(full_share=0.4, cheap_simulations=2, proofs=False).play(uniform, 12)
    assert np.unique(samples["game"]).size > 24
    for number in np.unique(samples["game"]):
        game = samples[samples["game"] == number]
        turns = np.where((game["plies_left"][0] - game["plies_left"]) % 2 == 0, 1, -1)
        assert (game["result"] == turns * game["result"][0]).all()
        assert (np.diff(game["ply"]) == -np.diff(game["plies_left"])).all()


@pytest.mark.parametrize("changes", [{}, {"root": "puct", "full_share": 0.5, "earlier_openings": 0.7}])
def test_goes_on_exactly(changes: dict[str, Any]) -> None:
    one, other = self_play(3, **changes), self_play(4, **changes)
    one.play(uniform, 7)
    other.load_state_dict(one.state_dict())
    assert one.play(uniform, 6).tobytes() == other.play(uniform, 6).tobytes()
    assert (one.stats.games, one.stats.moves) == (other.stats.games, other.stats.moves)


def test_a_state_has_no_more_samples_than_were_played_and_older_ones_go_on() -> None:
    """They had as many plies of each game as the longest had, and other counts."""
    one, other = self_play(3), self_play(4)
    one.play(uniform, 7)
    state, counts = one.state_dict(), one._counts
    assert counts.min() < counts.max()
    assert state["samples"].nbytes == counts.sum() * one._samples.dtype.itemsize
    assert state["movers"].nbytes == counts.sum()
    samples, movers = one._samples[:, : counts.max()].copy(), one._movers[:, : counts.max()].copy()
    stats = {**state["stats"], "evaluations": 5}
    del stats["hits"]
    other.load_state_dict({**state, "samples": samples.view(np.uint8), "movers": movers, "stats": stats})
    assert one.play(uniform, 6).tobytes() == other.play(uniform, 6).tobytes()
    assert one.stats.moves == other.stats.moves
    assert one.stats.hits > other.stats.hits > 0


def test_room_that_grows_with_the_games_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = self_play(opening_plies=0)
    assert whole._samples.shape == (24, GAME.max_plies + 1)  # less than there is room for at first in longer games
    monkeypatch.setattr("plyground.arena.training.alphazero.self_play._ROOM", 2)
    play, other = self_play(opening_plies=0), self_play(9, opening_plies=0)
    rooms, found = [play._samples.shape], []
    for _ in range(6):
        found.append(play.play(uniform, 3))
        rooms.append(play._samples.shape)
        assert found[-1].tobytes() == whole.play(uniform, 3).tobytes()
        other.load_state_dict(play.state_dict())  # which makes room for it
    assert rooms[:4] == [(24, 2), (24, 4), (24, 8), (24, 10)]  # twice as much each time, up to the longest game
    assert sum(map(len, found)) > 24 * 9
    assert play._movers.shape == rooms[-1] == rooms[3]
    assert play.play(uniform, 9).tobytes() == other.play(uniform, 9).tobytes() == whole.play(uniform, 9).tobytes()


def test_the_first_moves_are_drawn_from_the_policy_and_later_ones_are_the_best() -> None:
    play = self_play(root="puct", opening_plies=0, temperature_plies=2, num_envs=64)
    search, step = play.forest.search, play.batch.step
    found, played = list[tuple[NDArray[Any], NDArray[Any]]](), list[NDArray[Any]]()

    def searched(*arguments: Any, **more: Any) -> Any:
        answer = search(*arguments, **more)
        found.append((answer.policies.copy(), answer.actions.copy()))
        return answer

    def stepped(actions: NDArray[Any]) -> Any:
        played.append(actions.copy())
        return step(actions)

    play.forest.search, play.batch.step = searched, stepped  # type: ignore[method-assign]
    play.play(uniform, 4)  # no game ends before the fifth ply
    for ply, (actions, (policies, best)) in enumerate(zip(played, found, strict=True), 1):
        assert (actions != best).any() == (ply <= 2)
        assert (policies[np.arange(64), actions] > 0).all()


def test_a_move_is_drawn_as_often_as_its_policy_says() -> None:
    play = self_play(root="puct", temperature_plies=2, num_envs=64)
    policies = np.tile(np.array([0, 0.25, 0, 0.6, 0, 0, 0.15, 0, 0], np.float32), (64, 1))
    searched: Any = SimpleNamespace(policies=policies, actions=np.full(64, 3, np.int32))
    play._counts[:] = 2
    drawn = np.concatenate([play._drawn(searched) for _ in range(100)])
    np.testing.assert_allclose(np.bincount(drawn, minlength=9) / drawn.size, policies[0], atol=0.02)
    play._counts[:] = 3
    assert (play._drawn(searched) == 3).all()


@pytest.mark.parametrize("alpha", [None, 0.4])
def test_the_noise_is_by_the_legal_moves_unless_it_is_given(alpha: float | None) -> None:
    assert self_play(root="puct", noise_alpha=alpha).forest.noise_alpha == alpha


def test_one_number_says_whether_a_root_of_either_kind_has_noise() -> None:
    assert [self_play(root=root).forest.noise for root in ("gumbel", "puct")] == [0.25, 0.25]
    silent = self_play(root="gumbel", noise=0.0).forest
    silent.search(silent.game.initial, uniform)
    assert not silent.trees.noise[0].any()


def test_forced_simulations_are_as_many_as_asked_for() -> None:
    assert self_play(root="puct").forest._puct.forced == 2.0
    assert self_play(root="puct", forced=0.0).forest._puct.forced == 0.0


def test_threads_change_nothing() -> None:
    one, other = self_play(), self_play(threads=4)
    assert one.play(uniform, 6).tobytes() == other.play(uniform, 6).tobytes()


def test_moves_that_win_at_once_are_tried_unless_cells_are_counted() -> None:
    for spec, given, tried in (("tictactoe", None, True), ("tictactoe", False, False), ("othello", None, False)):
        config = AlphaZeroConfig(spec, num_envs=1, decisive=given)
        assert SelfPlay(make_game(spec), config, 0).forest._gumbel.decisive is tried


def test_what_the_net_said_is_kept_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    assert self_play().forest.cache is not None
    assert self_play(symmetry=False).forest.cache is None  # it asks about mirror images
    assert self_play(cache_mb=0).forest.cache is None
    assert self_play(symmetry=False, cache_mb=1.5).forest.cache is not None
    monkeypatch.setattr("plyground.arena.training.alphazero.self_play._CACHE_MB", 0.01)
    assert EvaluationCache.places(GAME, 0.01) < 24 * 12
    assert self_play().forest.cache is None
    assert self_play(num_envs=2).forest.cache is not None


@pytest.mark.parametrize("megabytes", [None, 0.0])
def test_what_the_net_and_what_the_cache_answered_is_counted(megabytes: float | None) -> None:
    play, questions = self_play(cache_mb=megabytes), 0

    def counted(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        nonlocal questions
        questions += len(planes)
        return uniform(planes, masks)

    play.play(counted, 6)
    assert play.stats.asked == questions > 24
    assert play.stats.hits == (0 if play.forest.cache is None else play.forest.cache.hits)
    assert (play.stats.hits > 0) is (megabytes is None)


def test_a_turn_knows_nothing_of_what_the_net_said_before_it() -> None:
    """Else a run that goes on would ask about other positions together than one that was never interrupted."""
    play = self_play()
    play.play(uniform, 2)
    assert play.forest.cache is not None
    keys, known = play.forest.cache._table.keys, list[bool]()
    step = play._step

    def watched(evaluate: Any) -> Any:
        known.append(bool(keys.any()))
        return step(evaluate)

    play._step = watched  # type: ignore[method-assign]
    play.play(uniform, 2)
    assert known == [False, True]


def test_games_begin_at_earlier_positions() -> None:
    play = self_play(opening_plies=0, earlier_openings=1.0)
    samples = play.play(uniform, 20)
    first = samples[samples["ply"] == 0]
    stones = unpack_planes(GAME, first).reshape(len(first), -1).sum(1)
    assert (stones[:5] == 0).all()
    assert stones[24:].any()


def test_a_batch_begins_where_it_is_told() -> None:
    batch = GameBatch("tictactoe", 3, seed=0)
    states = np.array([GAME.play_moves([4]), GAME.play_moves([0, 1])], GAME.dtype)
    batch.begin_at(np.array([2, 0]), states)
    assert batch.players.tolist() == [0, 0, 1]
    assert batch.plies.tolist() == [0, 0, 0]
    assert batch.masks.sum(1).tolist() == [7, 9, 8]
    np.testing.assert_array_equal(batch.observations[2], GAME.observation(states[0], 1))
    with pytest.raises(ValueError, match=r"2 rows begin at as many states, got shape \(1,\)"):
        batch.begin_at(np.array([0, 1]), states[:1])
    before = batch.states.copy()
    with pytest.raises(ValueError, match="finished position"):
        batch.begin_at(np.array([2, 0]), np.array([GAME.play_moves([8]), GAME.play_moves([0, 3, 1, 4, 2])], GAME.dtype))
    np.testing.assert_array_equal(batch.states, before)  # nothing has changed
