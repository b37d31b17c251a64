"""The games, one file each: the rules as plain functions, and a function that makes the game."""
