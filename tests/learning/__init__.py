"""Networks, training runs, AlphaZero and AlphaGo."""
