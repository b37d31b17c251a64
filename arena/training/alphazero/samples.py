"""What self-play teaches, a record for each position: packed small, and unpacked in batches.

Everything is told for the player to move, in shares of the largest utility: a win is 1.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....envs import Game

__all__ = ["UNPROVED", "new_samples", "pack", "sample_dtype", "unpack_masks", "unpack_planes"]

UNPROVED = 2  # in the field ``proved``, where -1, 0 and 1 are a loss, a draw and a win


@cache
def sample_dtype(game: Game) -> np.dtype[Any]:
    """Return the dtype of a sample.

    ===============  ==============  ===================================================================================
    ``observation``  uint8 [bytes]   the planes of the player to move: bits where they hold no more than 0 and 1
    ``mask``         uint8 [bytes]   the legal actions, as bits
    ``policy``       f16 [actions]   the policy that the search found
    ``result``       f32             the utility at the end of the game
    ``value``        f32             the value that the search found; where something is proved, exactly that
    ``proved``       i8              the sign of the proved result, which ``value`` is; `UNPROVED` if there is none
    ``plies_left``   i16             plies to the end of the game
    ``weight``       f32             how often the position is to be learned, 1 on average
    ``full``         bool            whether the search was a full one: of the others, in old runs, no policy is learned
    ``game``         i64             the number of the game
    ``ply``          i16             plies since its start
    ``owners``       i8 [cells]      whose each cell was at the end: 1 the player to move's; of a game with ``owners``
    ===============  ==============  ===================================================================================
    """
    planes = _packed(math.prod(game.observation_shape)) if _is_binary(game) else math.prod(game.observation_shape)
    return np.dtype(
        [
            ("game", np.int64),
            ("result", np.float32),
            ("value", np.float32),
            ("weight", np.float32),
            ("plies_left", np.int16),
            ("ply", np.int16),
            ("policy", np.float16, (game.num_actions,)),
            ("proved", np.int8),
            ("full", np.bool_),
            ("mask", np.uint8, (_packed(game.num_actions),)),
            ("observation", np.uint8 if _is_binary(game) else game.observation_dtype, (planes,)),
            *([] if game.owners is None else [("owners", np.int8, (math.prod(game.observation_shape[:2]),))]),
        ]
    )


def _packed(bits: int) -> int:
    return (bits + 7) // 8


def _is_binary(game: Game) -> bool:
    return game.observation_high == 1 and game.observation_dtype.kind in "biu"


def new_samples(game: Game, count: int) -> NDArray[Any]:
    """Return samples [count] of zeros, of weight 1, from full searches that proved nothing."""
    samples = np.zeros(count, sample_dtype(game))
    samples["weight"], samples["full"], samples["proved"] = 1, True, UNPROVED
    return samples


def pack(game: Game, samples: NDArray[Any], planes: NDArray[Any], masks: NDArray[Any]) -> None:
    """Write planes [samples, *observation_shape] and masks [samples, num_actions] into samples."""
    flat = planes.reshape(len(samples), math.prod(game.observation_shape))
    samples["observation"] = np.packbits(flat.astype(np.bool_), axis=1) if _is_binary(game) else flat
    samples["mask"] = np.packbits(masks.astype(np.bool_), axis=1)


def unpack_planes(game: Game, samples: NDArray[Any]) -> NDArray[Any]:
    """Return the planes [samples, *observation_shape] in a small dtype."""
    shape = (len(samples), *game.observation_shape)
    packed = samples["observation"]
    if _is_binary(game):
        packed = np.unpackbits(packed, axis=1, count=math.prod(game.observation_shape))
    return packed.reshape(shape)


def unpack_masks(game: Game, samples: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the legal actions [samples, num_actions]."""
    return np.unpackbits(samples["mask"], axis=1, count=game.num_actions).view(np.bool_)
