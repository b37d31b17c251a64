"""Names of sizes of networks, as users write them, and what each says."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ...envs.outside.messages import shown
from ...envs.outside.spec import nearest

__all__ = ["SIZES", "Size", "parse_size"]


class Size(NamedTuple):
    """What a size says; see `NetworkConfig`."""

    kind: Literal["resnet", "mlp"]
    blocks: int
    channels: int
    units: tuple[int, ...] = ()
    window: int = 0
    features: int = 0


SIZES = {
    "tiny": Size("resnet", 1, 16),
    "small": Size("resnet", 3, 32),
    "medium": Size("resnet", 5, 64),
    "mlp": Size("mlp", 1, 256),
}

_NUMBER_BY_WIDTH = re.compile(r"(mlp)?([1-9]\d{0,2})x([1-9]\d{0,3})", re.ASCII)
_WIDTHS = re.compile(r"mlp(?:([1-9]\d{0,3})@([1-9]\d?)\+)?([1-9]\d{0,3}(?:-[1-9]\d{0,3})+)", re.ASCII)


def parse_size(size: str) -> Size:
    """Return what a size says.

    Args:
        size: one of `SIZES`; or ``"4x48"``, a residual net of 4 blocks of 48 channels; or ``"mlp3x512"``, an MLP of 3
            layers of 512 units, the first of which sees the planes and is no block; or ``"mlp1024-256-256"``, an MLP
            of three layers that differ; or ``"mlp64@4+256-256-256"``, whose first layer has 64 features of each window
            of 4×4 cells, beside the 256 units that see the whole board.

    Raises:
        ValueError: it is none of these.
    """
    text = str(size)
    if text in SIZES:
        return SIZES[text]
    if found := _NUMBER_BY_WIDTH.fullmatch(text):
        number, width = int(found[2]), int(found[3])
        return Size("mlp", number - 1, width) if found[1] else Size("resnet", number, width)
    if found := _WIDTHS.fullmatch(text):
        first, *others = map(int, found[3].split("-"))
        return Size("mlp", len(others), first, tuple(others), int(found[2] or 0), int(found[1] or 0))
    raise ValueError(
        f"unknown size of a network {shown(size)}: {nearest(text, SIZES)}, or as in 4x48, blocks by channels, "
        "mlp3x512, layers by units, mlp1024-256-256, the units of each layer, or mlp64@4+256-256-256, with 64 features "
        "of each window of 4x4 cells"
    )
