"""What a `Game` is made of beside its rules; start with `terms`.

`evaluation` has guesses of weighted features, `knowledge` what a game knows of good moves, `board` what people see,
`texts` how moves and positions are written, and `views` what players see. May import the rooms `outside` and `jit`.
Knows no game.
"""
