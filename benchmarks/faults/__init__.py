"""What holds under load and misfortune: kills, clocks, damaged files, and the statistics of ratings and tests."""
