"""Options of a command that is called in several ways: what would be ignored in one of them is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer

__all__ = ["check_options"]


def check_options(context: typer.Context, mode: str, modes: Mapping[str, Sequence[str]]) -> None:
    """Raise `ValueError` for an option that is given and belongs to other modes of the command alone.

    Args:
        context: the command's context, which knows what was given.
        mode: the mode in which it is called.
        modes: for each mode, in the words of the message, the names of the parameters that belong to it. One that
            stands nowhere belongs to all.
    """
    options: list[Any] = context.command.params
    for one in options:
        own = [name for name, belong in modes.items() if one.name in belong]
        source = context.get_parameter_source(one.name)
        if own and mode not in own and source is not None and source.name == "COMMANDLINE":
            words = one.secondary_opts if context.params[one.name] is False else one.opts
            raise ValueError(f"{words[0]} is for {' or '.join(own)}, not for {mode}")
