"""What several tests share: oracles, games made for tests, and fixtures."""
