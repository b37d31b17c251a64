"""The command line ``plyground``: a file for each command, or a few.

Start with `main`. May import everything; nothing imports this.
"""

from .main import app, main

__all__ = ["app", "main"]
