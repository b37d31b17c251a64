"""What the evaluator said of positions, kept for when they come again in any tree, or as their mirror images.

A position is kept by a key of what the evaluator is shown: planes and legal actions. So two positions share an answer
where no evaluator could tell them apart; earlier positions in the planes count, which a game's `canonical_key` knows
nothing of. Of the images under the game's symmetries the one with the smallest key is shown to the evaluator, and its
answer turned back: what is answered does not depend on what has been asked before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....envs import Game
from ....envs.definition.terms import images_of
from ....envs.jit import bind, helper, kernel

__all__ = ["EvaluationCache"]

_ONE = np.float64(2**32)  # what a plane's 1 counts in keys: planes that differ by less than 2⁻³² are the same


class _Table(NamedTuple):
    """A place for each position, by its key; a later one replaces an earlier one."""

    keys: NDArray[np.uint64]  # [places] 0: empty
    waiting: NDArray[np.int32]  # [places] the number of the question whose answer is to come here, or -1
    logits: NDArray[np.float32]  # [places, num_actions] of the image with the smallest key
    values: NDArray[np.float32]  # [places]


class _Images(NamedTuple):
    """The images of a board, and random numbers for what may stand on it."""

    cells: NDArray[np.int64]  # [images, cells] image k shows at cell i what is at cells[k, i]
    actions: NDArray[np.int64]  # [images, num_actions] action a of image k is actions[k, a] of the board
    of_planes: NDArray[np.uint64]  # [images, values]
    of_actions: NDArray[np.uint64]  # [images, num_actions]


class _Batch(NamedTuple):
    """Room for the positions of a batch."""

    images: NDArray[np.int32]  # [positions] which image of each is asked about
    questions: NDArray[np.int32]  # [positions] the number of its question, or -1: it was answered before
    places: NDArray[np.int64]  # [questions] in the table
    planes: NDArray[Any]  # [questions, values]
    masks: NDArray[np.bool_]  # [questions, num_actions]


class EvaluationCache:
    """Answers of an evaluator, by what it was shown; positions of one batch that are the same are asked about once.

    Args:
        game: the game.
        megabytes: the memory that it may take; as many positions have room as a power of two.

    Attributes:
        hits: positions that were answered without asking.
        asked: positions that the evaluator was asked about.

    Raises:
        ValueError: there is no room for a single position, or there is no end to it.
    """

    def __init__(self, game: Game, megabytes: float) -> None:
        actions, values = game.num_actions, math.prod(game.observation_shape)
        if not megabytes < math.inf:
            raise ValueError(f"cache_mb must be a number of megabytes, got {megabytes!r}")
        places = self.places(game, megabytes)
        if places < 1:
            raise ValueError(f"cache_mb={megabytes:g} has no room for a position of {game.spec}: give more")
        self.game = game
        self._table = _Table(
            np.zeros(places, np.uint64),
            np.full(places, -1, np.int32),
            np.zeros((places, actions), np.float32),
            np.zeros(places, np.float32),
        )
        self._images = _images(game, values)
        self._batch = self._room(0)
        self._bound: dict[Any, Callable[..., Any]] = {}
        self.hits = self.asked = 0

    @staticmethod
    def places(game: Game, megabytes: float) -> int:
        """Return how many positions have room in so many megabytes."""
        room = int(megabytes * 2**20 / (16 + 4 * game.num_actions))
        return 1 << (room.bit_length() - 1) if room > 0 else 0

    @property
    def nbytes(self) -> int:
        """The memory of the answers, in bytes."""
        return sum(array.nbytes for array in self._table)

    def clear(self) -> None:
        """Forget all answers, as when the evaluator has learned; the counts go on."""
        self._table.keys[:] = 0
        self._table.waiting[:] = -1

    def answer(
        self,
        planes: NDArray[Any],
        masks: NDArray[np.bool_],
        evaluate: Callable[[NDArray[Any], NDArray[np.bool_]], tuple[NDArray[np.float32], NDArray[np.float32]]],
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [positions, num_actions] and values [positions], asking only about what is not known.

        Args:
            planes: [positions, *observation_shape].
            masks: [positions, num_actions].
            evaluate: answers as a forest takes it: float32, contiguous.
        """
        count, shape = len(planes), self.game.observation_shape
        if count > len(self._batch.images):
            self._batch = self._room(count)
        logits, values = np.zeros(masks.shape, np.float32), np.zeros(count, np.float32)
        flat = np.ascontiguousarray(planes).reshape(count, -1)
        asked = self._run(_look_up, self._table, self._images, self._batch, flat, masks, logits, values)
        if asked:
            shown = self._batch.planes[:asked].reshape(asked, *shape)
            try:
                answers = evaluate(shown, self._batch.masks[:asked])
            except BaseException:
                self.clear()  # of what still waits for its answer
                raise
            self._run(_settle, self._table, self._images, self._batch, *answers, logits, values)
        self.asked += asked
        self.hits += count - asked
        return logits, values

    def _room(self, count: int) -> _Batch:
        game = self.game
        return _Batch(
            np.zeros(count, np.int32),
            np.zeros(count, np.int32),
            np.zeros(count, np.int64),
            np.zeros((count, math.prod(game.observation_shape)), game.observation_dtype),
            np.zeros((count, game.num_actions), np.bool_),
        )

    def _run(self, function: Callable[..., Any], *arguments: Any) -> int:
        if function not in self._bound:
            self._bound[function] = bind(function, *arguments)
        return self._bound[function](*arguments)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_bound": {}}


def _images(game: Game, values: int) -> _Images:
    """Return the game's images, the board itself first, with the same random numbers in each process."""
    found = images_of(game)
    cells = np.arange(values)[None] if found is None else found.cells
    actions = np.arange(game.num_actions)[None] if found is None else found.actions
    rng = np.random.default_rng(0)
    of_planes = rng.integers(1, 2**64, (cells.shape[1], values // cells.shape[1]), np.uint64, endpoint=False)
    of_actions = rng.integers(1, 2**64, game.num_actions, np.uint64, endpoint=False)
    # What is at cell j of the board is at the cell i of the image for which cells[i] = j.
    return _Images(
        cells.astype(np.int64),
        actions.astype(np.int64),
        np.array([of_planes[np.argsort(image)].ravel() for image in cells]),
        np.array([of_actions[np.argsort(image)] for image in actions]),
    )


@helper
def _key(of_planes: Any, of_actions: Any, planes: Any, mask: Any) -> Any:
    """Return a key of one image, a sum over what is on the board and what may be played."""
    key = np.uint64(0)
    for i in range(planes.size):
        if planes[i] != 0:
            number = np.int64(np.float64(planes[i]) * _ONE)
            key += of_planes[i] * np.uint64(number ^ (number >> 32))
    for a in range(mask.size):
        if mask[a]:
            key += of_actions[a]
    return key


@helper
def _place(key: Any, places: int) -> Any:
    """Return the place of a key in the table: bits from the middle of a product, on which all below have a say."""
    mixed = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(places - 1))


@kernel
def _look_up(table, images, batch, planes, masks, logits, values):
    """Write the answers that are known, and the questions; return how many questions there are."""
    asked = 0
    channels = planes.shape[1] // images.cells.shape[1]
    for i in range(planes.shape[0]):
        image, key = 0, _key(images.of_planes[0], images.of_actions[0], planes[i], masks[i])
        for k in range(1, images.cells.shape[0]):
            other = _key(images.of_planes[k], images.of_actions[k], planes[i], masks[i])
            if other < key:
                image, key = k, other
        batch.images[i] = image
        place = _place(key, table.keys.size)
        if table.keys[place] == key:
            batch.questions[i] = table.waiting[place]
            if table.waiting[place] < 0:
                _turn_back(images.actions[image], table.logits[place], logits[i])
                values[i] = table.values[place]
            continue
        table.keys[place], table.waiting[place] = key, asked
        batch.questions[i], batch.places[asked] = asked, place
        cells, actions = images.cells[image], images.actions[image]
        for cell in range(cells.size):
            for channel in range(channels):
                batch.planes[asked, cell * channels + channel] = planes[i, cells[cell] * channels + channel]
        for a in range(actions.size):
            batch.masks[asked, a] = masks[i, actions[a]]
        asked += 1
    return asked


@kernel
def _settle(table, images, batch, new_logits, new_values, logits, values):
    """Keep the answers to the questions, and write them where they were asked for."""
    for question in range(new_values.size):
        place = batch.places[question]
        if table.waiting[place] == question:  # no later question has taken its place
            for a in range(new_logits.shape[1]):
                table.logits[place, a] = new_logits[question, a]
            table.values[place] = new_values[question]
            table.waiting[place] = -1
    for i in range(values.size):
        question = batch.questions[i]
        if question >= 0:
            _turn_back(images.actions[batch.images[i]], new_logits[question], logits[i])
            values[i] = new_values[question]
    return 0


@helper
def _turn_back(actions: Any, of_image: Any, logits: Any) -> None:
    for a in range(actions.size):
        logits[actions[a]] = of_image[a]
