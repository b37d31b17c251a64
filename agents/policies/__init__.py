"""Models of stable-baselines3 and sb3-contrib as players: loading them, and asking them about many positions.

Start with `policy`, the player; then `network`, what it asks. May import `plyground.envs`, its rooms `jit` and
`vector`, and the files of `plyground.agents`.
"""
