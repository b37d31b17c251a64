"""The rules of each game, beside slow ones, counts and other implementations; and what games tell searches."""
