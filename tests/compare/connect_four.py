"""Connect Four: the same rules and numbers."""

from .pair import Pair

__all__ = ["CONNECT_FOUR"]

CONNECT_FOUR = Pair("connect_four", "connect_four", "connect_four")
