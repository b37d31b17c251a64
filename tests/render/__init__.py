"""Positions as text, pictures and windows."""
