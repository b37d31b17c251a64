"""The command line ``plyground``: a file for each command, or a few; in `parts` is what the longer ones do.

A command's file has its options, and imports all else when the command runs, so that help is there at once. Start with
`main`, which hears Ctrl-C while `group` is loaded, the group of commands. May import everything; nothing imports this.
"""

from __future__ import annotations

import sys

__all__ = ["main"]

_PROCESSES = __name__.replace(".cli", ".processes")


def main() -> None:
    """Run the command line and exit: with 0, with 2 after a user's mistake, with 130 after Ctrl-C.

    Where code of the user's own fails in the midst of the work, such as a player, it is 1.

    What was done before Ctrl-C is printed all the same. Where it is how one ends, as in ``watch``, it is no error.
    """
    try:
        from ..interruption import always_heard

        with always_heard():
            from .group import run

            try:
                run(sys.argv[1:] or ["--help"])
            finally:
                if (processes := sys.modules.get(_PROCESSES)) is not None:  # nothing else has workers
                    processes.let_go()
    except KeyboardInterrupt:
        sys.exit(130)
