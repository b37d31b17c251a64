"""How fast: games, searches, solvers, networks and the arena, beside peers in one run. Start with `run`."""
