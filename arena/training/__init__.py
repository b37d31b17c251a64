"""Training of policies: configuration, opponents, networks, and runs that can be interrupted."""

from .config import TrainingConfig
from .folder import RunFolder
from .run import Progress, new_model, resume, train

__all__ = ["Progress", "RunFolder", "TrainingConfig", "new_model", "resume", "train"]
