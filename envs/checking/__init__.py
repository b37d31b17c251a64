"""A check of a game's rules, by random games in plain Python.

Start with `checker`, which plays them; `slips` are mistakes that show elsewhere than where they were made, and
`compiled` compares the compiled rules with plain Python. May import the rooms `definition`, `outside`, `render` and
`jit`, and of the files beside the rooms `game` and `repetition`.
"""
