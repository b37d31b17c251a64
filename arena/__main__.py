"""``python -m plyground.arena``: the command line, where no ``plyground`` is installed."""

from .cli import main

main()
