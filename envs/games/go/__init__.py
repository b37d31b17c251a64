"""Go; start with `game`, which puts the rules together.

`chains` keeps stones that hang together, `liberties` says where one may play, `area` whose points are whose, and
`planes` what a player sees. What rollouts and trees know beside the rules: `tactics` of atari, `patterns`, `nakade`,
and `heavy`, which chooses by them; `priors` of new nodes, and `local` features. May import the files of
`plyground.envs`, the rooms `games`, `definition` and `jit`. Knows no environment, no batch and no screen.
"""
