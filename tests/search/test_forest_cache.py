"""The forest's cache of evaluations: what is asked for once, and that it changes nothing but that."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plyground.agents.puct.forest import EvaluationCache, Forest
from plyground.envs import Game, GameBatch, go, make_game
from plyground.envs.definition.terms import Images, images_of
from tests.helpers.forest_games import answers, harvest, positions

SMALL = "connect_four(rows=4, columns=5)"
GAMES = ("tictactoe", SMALL, "go(board_size=3)", "othello(size=4)")


def the_images(game: Game) -> Images:
    """The images of a board, the board itself alone where there are no others."""
    values = int(np.prod(game.observation_shape))
    return images_of(game) or Images(np.arange(values)[None], np.arange(game.num_actions)[None])


def image_of(images: Images, k: int, planes: NDArray[Any], mask: NDArray[np.bool_]) -> tuple[Any, Any]:
    flat = planes.reshape(images.cells.shape[1], -1)
    return flat[images.cells[k]].reshape(planes.shape), mask[images.actions[k]]


def seen(game: Game, count: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """What players see in positions of random games."""
    batch, planes, masks = GameBatch(game, 16, opening_plies=4, seed=seed), [], []
    while sum(map(len, planes)) < count:
        planes.append(batch.observations.copy())
        masks.append(batch.masks.copy())
        batch.step(batch.random_actions())
    return np.concatenate(planes)[:count], np.concatenate(masks)[:count]


@pytest.mark.parametrize("spec", [*GAMES[:2], *(pytest.param(spec, marks=pytest.mark.slow) for spec in GAMES[2:])])
def test_images_of_one_position_are_one(spec: str) -> None:
    game = make_game(spec)
    images, (planes, masks) = the_images(game), seen(game, 60)
    classes = [
        min((p.tobytes(), m.tobytes()) for k in range(len(images.cells)) for p, m in [image_of(images, k, *one)])
        for one in zip(planes, masks, strict=True)
    ]
    cache, shown = EvaluationCache(game, 1), []

    def watched(some: Any, allowed: Any) -> Any:
        shown.extend(zip(some.copy(), allowed.copy(), strict=True))
        return answers(some, allowed)

    turned = np.random.default_rng(0).integers(len(images.cells), size=len(planes))
    other = [image_of(images, k, *one) for k, one in zip(turned, zip(planes, masks, strict=True), strict=True)]
    first = cache.answer(planes, masks, watched)
    again = cache.answer(planes, masks, watched)
    mirrored = cache.answer(np.array([one for one, _ in other]), np.array([mask for _, mask in other]), watched)
    assert len(shown) == len(set(classes)) == cache.asked
    assert cache.hits == 3 * len(planes) - cache.asked
    for one, two in zip(first, again, strict=True):
        assert (one == two).all()
    assert (mirrored[1] == first[1]).all()
    # A position that is its own image may be turned back in more ways than one, all as good.
    for i, k in enumerate(turned):
        ways = [
            first[0][i][images.actions[j]]
            for j in range(len(images.cells))
            if (image_of(images, j, planes[i], masks[i])[0] == other[i][0]).all()
        ]
        assert any((mirrored[0][i] == way).all() for way in ways), k


@pytest.mark.parametrize("spec", [*GAMES[:2], *(pytest.param(spec, marks=pytest.mark.slow) for spec in GAMES[2:])])
def test_answers_are_those_of_the_evaluator_about_an_image(spec: str) -> None:
    game = make_game(spec)
    images, (planes, masks) = the_images(game), seen(game, 40)
    logits, values = EvaluationCache(game, 1).answer(planes, masks, answers)
    for i in range(len(planes)):
        possible = []
        for k in range(len(images.cells)):
            shown, allowed = image_of(images, k, planes[i], masks[i])
            (line,), (value,) = answers(shown[None], allowed[None])
            possible.append(value == values[i] and (line == logits[i][images.actions[k]]).all())
        assert any(possible)


def by_cells(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """An evaluator to which an image says the same: each square's own stones, and how many there are of each."""
    flat = planes.reshape(len(planes), 9, -1).astype(np.float32)
    counts = flat.sum(axis=1)
    around = flat[:, :, 0] * 0.25 - flat[:, :, 1] * 0.5
    return around + (counts[:, :1] - counts[:, 1:2]), (np.tanh(counts[:, 0] - 0.7 * counts[:, 1])).astype(np.float32)


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_a_search_finds_the_same_with_it(root: Any) -> None:
    game = make_game("tictactoe")
    states = positions(game, 40)
    plain = Forest(game, 40, root=root, noise=0)
    kept = Forest(game, 40, root=root, noise=0, cache_mb=64)
    one, two = plain.search(states, by_cells), kept.search(states, by_cells)
    for a, b in zip(one, two, strict=True):
        assert (a == b).all()
    assert plain.cache is None
    assert kept.cache is not None
    assert kept.evaluations == kept.cache.asked < plain.evaluations == kept.cache.asked + kept.cache.hits
    before = kept.evaluations
    kept.forget()
    kept.search(states, by_cells)
    assert kept.evaluations == before
    kept.cache.clear()
    kept.forget()
    kept.search(states, by_cells)
    assert kept.evaluations == 2 * before


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_known_changes_nothing(threads: int) -> None:
    """A tiny cache forgets nearly all, a large one nothing: the answers are the same, and so are the searches."""
    game = make_game(SMALL)
    states = positions(game, 30)
    found = [
        Forest(game, 30, seed=1, cache_mb=megabytes, threads=threads).search(states, answers)
        for megabytes in (0.0001, 1)
    ]
    for a, b in zip(*found, strict=True):
        assert (a == b).all()


def test_earlier_positions_that_are_seen_count() -> None:
    """Two ways to one position of Go: the boards before it differ, and so do their answers."""
    game = go(board_size=3, superko="simple")
    planes = []
    for moves in ([0, 8, 4], [4, 8, 0]):
        batch = GameBatch(game, 1)
        for move in moves:
            batch.step(np.array([move]))
        planes.append(batch.observations[0].copy())
    assert game.history is not None
    assert (planes[0] != planes[1]).any()
    cache = EvaluationCache(game, 1)
    masks = np.ones((2, game.num_actions), np.bool_)
    cache.answer(np.array(planes), masks, answers)
    assert (cache.asked, cache.hits) == (2, 0)


@pytest.mark.slow
def test_a_game_without_symmetries_and_with_other_numbers_than_one() -> None:
    game = harvest()
    states = positions(game, 20)
    one = Forest(game, 20, seed=2).search(states, answers)
    two = Forest(game, 20, seed=2, cache_mb=1).search(states, answers)
    for a, b in zip(one, two, strict=True):
        assert (a == b).all()
    cache, masks = EvaluationCache(game, 1), np.ones((3, game.num_actions), np.bool_)
    planes = np.zeros((3, *game.observation_shape), game.observation_dtype)
    planes[1:, 0, 0] = 1, 2
    cache.answer(planes, masks, answers)
    assert cache.asked == 3


def test_an_evaluator_that_fails_leaves_nothing_behind() -> None:
    game = make_game("tictactoe")
    planes, masks = seen(game, 10)
    cache = EvaluationCache(game, 1)

    def fails(planes: Any, masks: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.answer(planes, masks, fails)
    assert cache.asked == 0
    first = cache.answer(planes, masks, answers)
    copy = pickle.loads(pickle.dumps(cache))
    assert (copy.answer(planes, masks, fails)[0] == first[0]).all()


@pytest.mark.parametrize("megabytes", [-1, float("nan"), float("inf"), 1e-9])
def test_memory_that_makes_no_sense_is_refused(megabytes: float) -> None:
    with pytest.raises(ValueError, match="cache_mb"):
        Forest(make_game("tictactoe"), 1, cache_mb=megabytes)
