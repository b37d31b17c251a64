"""A report on games: one page for a browser, with the results, and every game to be stepped through.

Start with `page`, which puts it together: each section has a file of its own, `games` is what the page knows of each
game, and `data` has its style sheet and its program. May import `plyground.envs` with its room `render`, the room
`agents.solver`, and the rooms `grading`, `ratings`, `records`
and `tournaments`.
"""

from .page import report_page, write_report

__all__ = ["report_page", "write_report"]
