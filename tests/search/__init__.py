"""Alpha-beta, UCT, PUCT and the forest, beside oracles in plain Python."""
