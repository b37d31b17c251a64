"""What evaluations see: the features of each game and their weights, apart from its rules.

Start with `checkers`, the shortest; `plyground.envs.evaluation` says what features are. May import the files of
`plyground.envs` and the room `jit`. The rules import this room, and hand it what it needs of them.
"""
