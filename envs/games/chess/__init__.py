"""Chess; start with `game`, which puts the rules together.

`squares` numbers the board, `moves` the actions; `attacks` tells what sliding pieces reach, `legal` where pieces may
go, `listing` which moves these are, `playing` what a move does, `position` what a state holds, `validity` whether it
can be one, and `planes` what a player sees. Positions as text are in `fen`, moves as people write them in `san`, and
`starts` has the starting positions of Chess960. `endings` serves the solver. May import the files of `plyground.envs`
and the rooms `games`, `definition`, `features` and `jit`. Knows no environment, no batch and no screen.
"""
