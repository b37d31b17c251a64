"""The command line, and our players as engines of other programs."""
