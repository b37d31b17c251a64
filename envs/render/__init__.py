"""Boards as text, as pictures, and in a window; the rules know nothing of it.

Start with `pictures`: a position becomes a `drawing` by `layout` and `styles`, which becomes SVG, or pixels in
`raster`. May import the files of `plyground.envs` that describe a game, and no other room.
"""
