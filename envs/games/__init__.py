"""The rules, one file a game; start with `tictactoe`, the shortest.

May import the files of `plyground.envs` and the room `jit`. Knows no environment, no batch and no screen.
"""
