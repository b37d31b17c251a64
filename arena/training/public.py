"""What this room exports."""

from .config import TrainingConfig
from .folder import RunFolder
from .model import new_model
from .run import check_unfinished, resume, train
from .session import Progress

__all__ = ["Progress", "RunFolder", "TrainingConfig", "check_unfinished", "new_model", "resume", "train"]
