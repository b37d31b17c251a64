"""What this room exports."""

from .config import PARTS, AlphaGoConfig
from .part import AlphaGoProgress
from .run import check_unfinished, is_run, resume, train

__all__ = ["PARTS", "AlphaGoConfig", "AlphaGoProgress", "check_unfinished", "is_run", "resume", "train"]
