"""Matches, tournaments, ratings, stores, files of games, and reports."""
