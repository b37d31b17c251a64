"""What training comes to: AlphaZero and AlphaGo by parts, learning curves, and the networks of the package."""
