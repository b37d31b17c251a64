"""Bounds of what may be asked for: what lies beyond is a slip of the keyboard, and would only exhaust the machine."""

from __future__ import annotations

__all__ = ["MOST_THREADS"]

MOST_THREADS = 1024
