"""Many games advanced together, in arrays, and what Gymnasium and stable-baselines3 make of them.

Start with `batch`, the games alone; `seats` adds a learner in one seat and `opponents` in the other. May import the
files of `plyground.envs` and the room `jit`.
"""
