"""What comes from outside, before anything believes it: arguments, specs, files, states, and what is said of them.

Start with `validity`, which asks a game whether a state is one of its own; `spec` reads texts such as
``"connect_four(rows=5)"``. May import the room `jit`, and no file of `plyground.envs`; every room
but `jit` may import this one.
"""
