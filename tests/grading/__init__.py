"""Marks by exact solving, and ladders."""
