"""The rules, one file a game, or a room, as for chess; start with `tictactoe`, the shortest.

What a game's rules need of a board stands beside them: `discs` (Othello), `squares` (checkers), and for Go `points`,
`liberties`, `chains` and `area`. May import the files of `plyground.envs`, the room `features`, and the room `jit`.
Knows no environment, no batch and no screen.
"""
