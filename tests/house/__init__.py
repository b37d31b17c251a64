"""The package itself, its pages, its examples and its benchmarks."""
