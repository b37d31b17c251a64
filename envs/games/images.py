"""The images of a board under its symmetries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["board_images"]


def board_images(rows: int, columns: int) -> NDArray[np.int64]:
    """Return which cell comes to each cell [images, cells] under the symmetries of a rectangle, but for the identity.

    Cells are counted row by row. A square has seven such images, another rectangle three, and a board so narrow that
    some of them are the same has fewer.
    """
    board = np.arange(rows * columns).reshape(rows, columns)
    turned = [np.rot90(board, turns) for turns in range(4)]
    images = [image for grid in turned for image in (grid, grid[:, ::-1]) if image.shape == board.shape]
    distinct = {image.tobytes(): image.ravel() for image in images}
    del distinct[board.tobytes()]
    return np.array(list(distinct.values()), np.int64).reshape(-1, rows * columns)
