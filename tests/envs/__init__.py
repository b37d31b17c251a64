"""What every game and environment promises: checks, batches, seats, compiled code, states and names."""
