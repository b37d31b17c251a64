"""The rules, one file a game, or a room, as for Go and chess; start with `tictactoe`, the shortest.

What a game's rules need of a board stands beside them: `discs` (Othello), `squares` (checkers), `points` (Go),
`minichess_moves`, and `images`, its symmetries. `forsyth` reads positions of chess and minichess, `chessmen` shows
them, and `draws` has their draws, and those of checkers. Where the rules are long, what states hold and show
(`checkers_position`), or which are valid (`mnk_validity`), has a file of its own. May import the files of
`plyground.envs`, and the rooms `definition`, `features` and `jit`. Knows no environment, no batch and no screen.
"""
