"""How strong: options and budgets in Elo, other people's programs, ladders, and evaluations that are tuned."""
