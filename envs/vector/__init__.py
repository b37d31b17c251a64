"""Many games advanced together, in arrays, for Gymnasium and stable-baselines3.

Start with `batch`, the games alone; `seats` adds a learner in one seat and `opponents` in the other. May import the
files of `plyground.envs` and the room `jit`.
"""
