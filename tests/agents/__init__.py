"""What all players have in common, the exact solvers, bandits, and other people's programs as players."""
