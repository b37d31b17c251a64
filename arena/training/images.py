"""The images of a board under its symmetries, as arrays that index cells and actions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game

__all__ = ["Images", "images_of"]


class Images(NamedTuple):
    """The symmetries of a game, the identity first: image ``k`` shows at cell ``i`` what is at ``cells[k, i]``."""

    cells: NDArray[np.int64]  # [images, cells]
    actions: NDArray[np.int64]  # [images, num_actions]: action a of the image is this one of the board


def images_of(game: Game) -> Images | None:
    """Return the images of the game's board; None if it has no symmetries."""
    if not game.symmetries:
        return None
    cells, actions = (np.array(images) for images in zip(*game.symmetries, strict=True))
    return Images(np.vstack((np.arange(cells.shape[1]), cells)), np.vstack((np.arange(actions.shape[1]), actions)))
