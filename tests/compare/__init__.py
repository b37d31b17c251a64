"""Our rules and other people's, move by move over random games: ``python -m tests.compare`` runs them in full."""
