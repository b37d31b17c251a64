"""Boards as pictures, and in a window; the rules know nothing of it.

Start with `pictures`: `layout` and `styles` turn a position into a `drawing`, which becomes SVG, or pixels in `raster`.
May import the files of `plyground.envs` that describe a game, and no other room.
"""

from .pictures import picture

__all__ = ["picture"]
