"""What evaluations see: the features of each game and their weights, apart from its rules.

Start with `minichess`, the shortest; `plyground.envs.definition.evaluation` says what features are. May import the
files of `plyground.envs` and the rooms `definition` and `jit`. The rules import this room, and hand it what it needs of
them.
"""
