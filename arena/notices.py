"""What takes long before a command begins, shown on standard error: compiling, which agents tell their log of."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rich.errors import LiveError
from rich.status import Status
from rich.text import Text

from .lines import console, print_plain

__all__ = ["CONSOLE", "notices_shown"]

_LOG = logging.getLogger("plyground")  # that of `plyground.agents.compiling`, which takes a second to import
CONSOLE = console(stderr=True)  # one for all, which knows whether a progress bar is shown


@contextmanager
def notices_shown(quiet: bool = False) -> Iterator[None]:
    """Show on standard error what is being compiled, as `plyground.agents.compiling` says it to its log.

    At a terminal it is a status that goes away when the work is done, elsewhere a line.

    Args:
        quiet: True shows nothing.
    """
    handler = _Notices()
    level, propagate = _LOG.level, _LOG.propagate
    _LOG.setLevel(logging.ERROR if quiet else logging.INFO)
    _LOG.propagate = False
    _LOG.addHandler(handler)
    try:
        yield
    finally:
        _LOG.removeHandler(handler)
        _LOG.setLevel(level)
        _LOG.propagate = propagate


class _Notices(logging.Handler):
    """Shows log records on the console."""

    _status: Status | None = None

    def emit(self, record: logging.LogRecord) -> None:
        compiling = getattr(record, "compiling", None)
        if compiling is False:
            if self._status is not None:
                self._status.stop()
                self._status = None
            return
        text = record.getMessage()
        if compiling and CONSOLE.is_terminal and self._status is None:
            status = CONSOLE.status(Text(text))
            try:
                status.start()
            except LiveError:  # a progress bar is shown: the line goes above it
                pass
            else:
                self._status = status
                return
        print_plain(CONSOLE, text)
