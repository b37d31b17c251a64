"""``plyground export``: networks for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..lines import console, print_plain
from ..wording import size_of

__all__ = ["export"]

_out = console()


def export(
    source: Annotated[
        Path,
        typer.Argument(
            help="A network's file, or the folder of a run of AlphaZero, or of a part of AlphaGo's: RUN/policy."
        ),
    ],
    target: Annotated[Path, typer.Argument(help="The .onnx file to make.")],
) -> None:
    """Write a network as an ONNX file, which other programs run."""
    from ...agents.networks import export_onnx, read_network
    from ...envs.outside.files import check_new

    if target.suffix != ".onnx":
        raise ValueError(f"cannot export to {target}: expected a name that ends in .onnx")
    check_new(target)
    network = read_network(source)
    export_onnx(network, target)
    print_plain(_out, f"saved {target}, a network for {network.config.game}, {size_of(target.stat().st_size)}")
