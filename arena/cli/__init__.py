"""The command line ``plyground``: a file for each command, or a few; in `parts` is what the longer ones do.

A command's file has its options, and imports all else when the command runs, so that help is there at once. Start with
`main`. May import everything; nothing imports this.
"""

from .main import app, main

__all__ = ["app", "main"]
